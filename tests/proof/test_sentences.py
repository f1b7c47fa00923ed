"""The sentences of an answer in its proof: what the host knows of each, and everything that is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from aeon.documents.sentences import sentences
from aeon.grounding.matching import claims
from aeon.grounding.prose import checked_sentences
from aeon.proof.document import Proof, ProofSource, proof_bytes
from aeon.proof.renderings import anthropic
from aeon.proof.verify import verify
from aeon.schema import Source, Task

from .proofs import changed, small

pytestmark = pytest.mark.requirement("G3", "G6")

TEXT = "The rent is 1,040 euros. Anna Weber has the key."
CITED = (
    Source(source="lease.md", start=0, end=24, text=TEXT[:24]),
    Source(source="lease.md", start=25, end=48, text=TEXT[25:]),
)
ANSWER = "The rent is 1,040 euros. The rent is 1,040 euros or 7. It is 99. Anna Weber lost the key."
"""A sentence that is a cited one, one with a value that stands and one that does not, one with none, and any other."""


def proof() -> bytes:
    """The proof of the answer over the two sentences."""
    task = Task(text="What is the rent?")
    values = claims(ANSWER, task, (), CITED)
    spans = ((one.start, one.end) for one in sentences(ANSWER))
    known = checked_sentences(ANSWER, spans, values, CITED)
    source = ProofSource(id="lease.md", text=TEXT)
    return proof_bytes(Proof(task=task, answer=ANSWER, claims=values, sentences=known, sources=(source,)))


def test_each_sentence_has_its_verdict_and_how_it_was_checked() -> None:
    """By its words, by its values, or not at all; the coverage counts every one, checked or not."""
    document = json.loads(proof())
    found = [(one["verdict"], one["checks"], one["support"]) for one in document["claims"] if one["kind"] == "sentence"]
    assert found == [
        ("supported", ["words"], "source"), ("partial", ["values"], "none"), ("not_found", ["values"], "none"),
        ("not_checked", [], "none"),
    ]  # fmt: skip
    report = verify(proof())
    assert report.code == 0 and "4 sentences: spans, evidence and verdicts" in report.text
    assert "1 supported, 1 partial, 1 not_found, 1 not_checked" in report.text
    assert document["coverage"] == {"claims": 9, "checked": 8, "supported": 4}
    assert not any("model" in line for line in report.recorded)


def of(document: Any, number: int) -> Any:
    """A sentence of the document."""
    return [one for one in document["claims"] if one["kind"] == "sentence"][number]


def judged(document: Any, number: int, **fields: object) -> None:
    """A sentence with other fields, and the coverage that fits them."""
    of(document, number).update(fields)
    verdicts = [one["verdict"] for one in document["claims"]]
    checked = len(verdicts) - verdicts.count("not_checked")
    document["coverage"].update(checked=checked, supported=verdicts.count("supported"))


def itself(document: Any) -> list[object]:
    """The last sentence as its own evidence."""
    last = of(document, 3)
    names = ("form", "value", "unit")
    whole = {"type": "claim", "id": last["id"], "path": "", "start": 0, "end": len(last["text"]), "exact": last["text"]}
    return [whole | {"prefix": "", "suffix": ""} | {name: last[name] for name in names}]


CHANGES: dict[str, tuple[Callable[[Any], object], str]] = {
    "another sentence that is said to be cited": (
        lambda d: judged(d, 3, verdict="supported", checks=["words"], support="source", evidence=of(d, 0)["evidence"]),
        "claim t4: it cites other words",
    ),
    "supported by its values": (lambda d: judged(d, 1, verdict="supported"), "claim t2: its values do not make it so"),
    "no sentence cited": (lambda d: judged(d, 0, evidence=[], support="none"), "claim t1: it cites other words"),
    "cited, and said to be of another kind": (lambda d: judged(d, 0, support="tool"), "claim t1: its support is not"),
    "a verdict that nobody gave": (lambda d: judged(d, 3, verdict="supported"), "claim t4: it has a verdict"),
    "a check without a verdict": (lambda d: judged(d, 3, checks=["values"]), "claim t4: its values do not"),
    "an unknown check": (lambda d: judged(d, 0, checks=["belief"]), "claim t1: it was checked in no way"),
    "a verdict that its values give, left out": (
        lambda d: judged(d, 2, verdict="not_checked", checks=[]), "claim t3: its values give it a verdict",
    ),
    "a judge that says something else": (
        lambda d: judged(d, 3, verdict="nonsense", checks=["judge"]), "claim t4: 'nonsense' is no verdict",
    ),
    "itself cited": (
        lambda d: judged(d, 3, verdict="supported", checks=["words"], evidence=itself(d)),
        "claim t4: a sentence rests on sources alone",
    ),
    "a computation": (
        lambda d: judged(d, 0, computation={
            "expression": "a", "factor": "1", "result": "1", "places": None, "rounding": "half_up", "step": "",
        }),
        "claim t1: a sentence is no computation",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_sentence_that_does_not_follow_is_refused_though_the_digest_fits(name: str) -> None:
    """The verifier finds the cited words again, and derives the verdict from the values."""
    change, problem = CHANGES[name]
    report = verify(changed(proof(), change))
    assert report.code == 1 and [one for one in report.problems if one.startswith(problem)], report.problems


def test_sentences_are_spans_in_order() -> None:
    """None overlaps another."""
    broken = changed(proof(), lambda d: of(d, 1).update(start=20, text=ANSWER[20 : of(d, 1)["end"]]))
    assert "claim t2: it overlaps another sentence, or is out of order" in verify(broken).problems


def over(answer: str, text: str, start: int = 0) -> tuple[str, int]:
    """The verdict on an answer of one sentence over one that is cited, in the proof, and what the verifier says."""
    task, cited = Task(text="What is it?"), Source(source="a.md", start=start, end=len(text), text=text[start:])
    values = claims(answer, task, (), [cited])
    known = checked_sentences(answer, [(0, len(answer))], values, [cited])
    source = ProofSource(id="a.md", text=text)
    data = proof_bytes(Proof(task=task, answer=answer, claims=values, sentences=known, sources=(source,)))
    found = [one["verdict"] for one in json.loads(data)["claims"] if one["kind"] == "sentence"]
    return found[0], verify(data).code


@pytest.mark.parametrize(
    ("answer", "text", "start", "verdict"),
    [
        ("Anna has the key.", "Anna has the key.", 0, "supported"),
        ("anna has the key", "- Anna has  the key", 0, "supported"),
        ("Anna has the key.", "1. Anna has the key.\nBo has none.", 3, "not_checked"),  # it ends in another line
        ("Anna has the key.", "He is here. Anna has the key.", 12, "supported"),
        ("Anna has the key.", "It is false that Anna has the key.", 17, "not_checked"),
        ("Adler has the key.", "It is not so that Dr. Adler has the key.", 22, "not_checked"),
        ("Anna has the key.", "Anna has the key?", 0, "not_checked"),
        ("5 degrees is the lowest.", "-5 degrees is the lowest.", 0, "not_found"),
        ("-5 degrees is the lowest.", "5 degrees is the lowest.", 0, "not_found"),
        ("10² tiles are needed.", "102 tiles are needed.", 0, "not_found"),
    ],
)
def test_a_supported_sentence_says_what_a_whole_one_says(answer: str, text: str, start: int, verdict: str) -> None:
    """No part of one, no question, no other sign or number; and each proof verifies."""
    assert over(answer, text, start) == (verdict, 0)


def test_thousands_of_sentences_are_looked_up_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is held against the values within it, not against all."""
    answer = " ".join(f"Room {number} is free." for number in range(1000))
    task = Task(text=answer)
    values = claims(answer, task, ())
    spans = [(one.start, one.end) for one in sentences(answer)]
    known = checked_sentences(answer, spans, values, ())
    data = proof_bytes(Proof(task=task, answer=answer, claims=values, sentences=known))
    seen: list[int] = []
    monkeypatch.setattr("aeon.proof.checks.check_sentence", lambda _, verdicts, __: seen.append(len(verdicts)))
    assert verify(data).code == 0 and len(seen) == 1000 and set(seen) == {2}


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_proof_of_an_older_version_gets_one_line(version: int) -> None:
    """It says too little to be verified; the line says how a new one is made."""
    report = verify(changed(small(), lambda d: d.update(version=version)))
    assert report.code == 2 and len(report.problems) == 1
    assert f"version {version}; this verifier reads version 4; make it again: aeon resume" in report.problems[0]


def test_a_contradicted_value_makes_no_supported_sentence() -> None:
    """Though the sentence is a cited one word for word."""
    task, answer = Task(text="How many?"), "2 + 2 = 5 it is."
    cited = Source(source="a.md", start=0, end=len(answer), text=answer)
    values = claims(answer, task, ())
    spans = ((one.start, one.end) for one in sentences(answer))
    known = checked_sentences(answer, spans, values, [cited])
    source = ProofSource(id="a.md", text=answer)
    data = proof_bytes(Proof(task=task, answer=answer, claims=values, sentences=known, sources=(source,)))
    assert [one.verdict for one in known] == ["contradicted"] and verify(data).code == 0


def test_a_cited_sentence_is_a_citation_of_its_own() -> None:
    """Clients get the whole sentence; the value is counted as one within another."""
    rendered = anthropic(proof())
    first = rendered.content["content"][0]  # type: ignore[index, call-overload]
    assert first["text"] == TEXT[:24] and first["citations"][0]["cited_text"] == TEXT[:24]  # type: ignore[index, call-overload]
    assert rendered.left_out["claims over others"] >= 1
