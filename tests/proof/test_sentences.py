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

from .proofs import changed

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


def rest(document: Any, number: int) -> Any:
    """The evidence of the sentence that is a cited one, for another one."""
    of(document, number).update(evidence=of(document, 0)["evidence"], support="source")
    return of(document, number)


CHANGES: dict[str, Callable[[Any], object]] = {
    "other words of its source": lambda d: of(d, 0)["evidence"][0].update(start=4, exact=TEXT[4:24], prefix="The "),
    "another sentence that is said to be cited": lambda d: rest(d, 3).update(verdict="supported", checks=["words"]),
    "supported by its values": lambda d: of(d, 1).update(verdict="supported"),
    "no sentence cited": lambda d: of(d, 0).update(evidence=[], support="none"),
    "a verdict that nobody gave": lambda d: of(d, 3).update(verdict="supported"),
    "a check without a verdict": lambda d: of(d, 3).update(checks=["values"]),
    "an unknown check": lambda d: of(d, 0).update(checks=["belief"]),
    "values that are amiss and left out": lambda d: of(d, 2).update(verdict="not_checked", checks=["values"]),
    "an overlap": lambda d: of(d, 1).update(start=20, text=ANSWER[20 : of(d, 1)["end"]]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_sentence_that_does_not_follow_is_refused_though_the_digest_fits(name: str) -> None:
    """The verifier finds the cited words again, and derives the verdict from the values."""
    assert verify(changed(proof(), CHANGES[name])).code == 1


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
    """Clients get the whole sentence; the value in it is counted as one within another."""
    rendered = anthropic(proof())
    first = rendered.content["content"][0]  # type: ignore[index, call-overload]
    assert first["text"] == TEXT[:24] and first["citations"][0]["cited_text"] == TEXT[:24]  # type: ignore[index, call-overload]
    assert rendered.left_out["claims over others"] >= 1
