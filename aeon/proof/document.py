"""The proof of an answer as data, and its file: what `aeon.proof.verify` reads again, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from aeon.errors import InputFileError, UsageError
from aeon.language.readings import folded
from aeon.proof.canonical import FORMAT, MOST_BYTES, QUOTED, VERSION, at_path, canonical, output_of, sha256
from aeon.proof.figures import figures_of_answer
from aeon.proof.inference import WORD_FOR_WORD, sentence_verdict, stands_whole
from aeon.proof.whole import LABEL, uncovered
from aeon.schema import (
    Claim,
    ClaimKind,
    FromClaim,
    FromSource,
    FromTool,
    JsonObject,
    JsonValue,
    Reading,
    SentenceCheck,
    Support,
    Task,
    Value,
)
from aeon.schema.turns import TableRead

__all__ = [
    "UNCHECKED", "Derivation", "Grounds", "JournalRoot", "Proof", "ProofSource", "ProofStep", "journal_root",
    "proof_bytes",
]  # fmt: skip

UNCHECKED = "nothing was looked up or computed that it could rest on"
"""The note on a value of a run in which nothing could be looked up."""
Grounds = Literal["calls", "outputs", "sentences"]
"""How the values of an answer were found and looked up: in calls of tools, in outputs, or each in what it cites."""
_ZEROS = "0" * 64


class ProofSource(Value):
    """A stored text that claims rest on. ``id`` is what claims name it by; ``raw_sha256`` is the hash of its file.

    ``retrieved`` is when, as a date and time in ISO form, and ``extractor`` what made the text out of the file.
    ``read`` are the characters of it that the run read, in order.
    """

    id: str
    text: str
    title: str = ""
    location: str = ""
    retrieved: str = ""
    extractor: str = ""
    raw_sha256: str = ""
    read: tuple[tuple[int, int], ...] = ()


class ProofStep(Value):
    """A step and what it gave; ``arguments`` may refer to earlier steps as ``$s1``.

    ``tables`` say how the tables were read that it asked, of those that are no plain ones.
    """

    id: str
    tool: str = ""
    arguments: JsonValue = None
    output: JsonValue = None
    tables: tuple[TableRead, ...] = ()


class Derivation(Value):
    """Steps that lead to the answer; ``taken`` marks the one of several that the answer was made from."""

    id: str
    steps: tuple[ProofStep, ...] = ()
    taken: bool = True


class JournalRoot(Value):
    """The first lines of a saved run, and their hash."""

    lines: int
    sha256: str


class Proof(Value):
    """An answer with everything that it rests on. ``limits`` say in words what was not looked at.

    ``claims`` are its values, and sentences that a model judged; ``sentences`` those that the host checked. What is in
    none of them stands in the file as not checked. ``grounds`` is how the values were found; ``names`` are those of the
    sources that calls read, which are no values.
    """

    task: Task
    answer: str
    claims: tuple[Claim, ...] = ()
    sentences: tuple[SentenceCheck, ...] = ()
    sources: tuple[ProofSource, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    limits: tuple[str, ...] = ()
    journal: JournalRoot | None = None
    grounds: Grounds = "outputs"
    names: tuple[str, ...] = ()


def journal_root(path: Path | str) -> JournalRoot:
    """The root of a saved run as far as it has come.

    Raises:
        InputFileError: the file cannot be read.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
    lines = data[: data.rfind(b"\n") + 1]  # a torn last line does not count
    return JournalRoot(lines=lines.count(b"\n"), sha256=sha256(lines))


def proof_bytes(proof: Proof) -> bytes:
    """The proof file: canonical JSON with a digest over all of it.

    Raises:
        UsageError: a text is too large or holds half a character, or a claim names what is not in the proof.
    """
    size = sum(map(len, (proof.task.text, proof.task.context, proof.answer, *(one.text for one in proof.sources))))
    if size > MOST_BYTES:
        raise UsageError(f"the texts of the proof have {size:,} characters; a proof holds up to {MOST_BYTES:,} bytes")
    try:
        return _bytes(proof)
    except UnicodeEncodeError:
        raise UsageError(
            "a text of the proof holds half a character (a lone surrogate); it cannot be written"
        ) from None


def _bytes(proof: Proof) -> bytes:
    steps = {step.id: _json(step.output) for one in proof.derivations for step in one.steps}
    claims = _claims(proof, {step: output_of(text) for step, text in steps.items()})
    document: JsonObject = {
        "format": FORMAT,
        "version": VERSION,
        "task": {"text": proof.task.text, "context": proof.task.context},
        "answer": proof.answer,
        "sources": [_source(source) for source in proof.sources],
        "derivations": [_derivation(one, steps) for one in proof.derivations],
        "claims": [record for record, _ in claims],
        "coverage": _coverage([verdict for _, verdict in claims]),
        "grounds": {"kind": proof.grounds, "checked": _is_checked(proof), "names": [*sorted(proof.names)]},
        "limits": list(proof.limits),
        "journal": {"lines": proof.journal.lines, "sha256": proof.journal.sha256} if proof.journal else None,
        "digest": _ZEROS,
    }
    data = canonical(document).encode()
    if len(data) > MOST_BYTES:
        raise UsageError(f"the proof would have {len(data):,} bytes; a proof has at most {MOST_BYTES:,}")
    return data.replace(f'"digest":"{_ZEROS}"'.encode(), f'"digest":"{sha256(data)}"'.encode())


def _is_checked(proof: Proof) -> bool:
    """Whether there was something to hold the values against."""
    return not any(one.verdict == "not_checked" and one.note == UNCHECKED for one in proof.claims)


def _claims(proof: Proof, outputs: Mapping[str, object]) -> list[tuple[JsonObject, str]]:
    """The claims of a proof as they are written, in the order of the answer, sentences before what is in them."""
    texts = _texts(proof)
    rest = _rest(proof)
    sentences = sorted((*proof.sentences, *rest), key=lambda one: one.start)
    own = [(_sentence(number, one, proof, texts), True) for number, one in enumerate(sentences, 1)]
    loose = [(claim, True) for claim in (_loose(proof, rest) if proof.grounds == "sentences" else ())]
    every = [*((_whole(claim, texts), False) for claim in proof.claims), *own, *loose]
    every.sort(key=lambda one: (one[0].start, -one[0].end))
    return [(_claim(claim, texts, outputs, _checks(claim, by_host)), claim.verdict) for claim, by_host in every]


def _rest(proof: Proof) -> list[SentenceCheck]:
    """What is in no sentence, such as code and headings, line by line: not checked, unless its values say something."""
    sentences = [(one.start, one.end) for one in proof.claims if one.kind == "sentence"]
    spans = sorted([*sentences, *((one.start, one.end) for one in proof.sentences)])
    found: list[SentenceCheck] = []
    for start, end in uncovered(proof.answer, spans):
        within = {one.verdict for one in proof.claims if one.kind != "sentence" and one.start < end and start < one.end}
        found.append(SentenceCheck(start=start, end=end, verdict=sentence_verdict(within)))
    return found


def _loose(proof: Proof, rest: Sequence[SentenceCheck]) -> Iterator[Claim]:
    """The values of what an engine writes around its sentences: not checked."""
    mentions = (
        one.moved(span.start) for span in rest for one in figures_of_answer(proof.answer[span.start : span.end])
    )
    for number, one in enumerate((one for one in mentions if one.certain), 1):
        form = one.forms[0]
        reading = Reading(value=form.read.value, form=form.form, unit=form.read.unit)
        kind: ClaimKind = "date" if form.form == "y" else one.kind
        yield Claim(id=f"v{number}", start=one.start, end=one.end, text=one.text, kind=kind, reading=reading)


def _whole(claim: Claim, texts: Mapping[tuple[str, str], str]) -> Claim:
    """A claim; a sentence that stands word for word in what is no whole sentence of its source is not checked."""
    places = [one for one in claim.evidence if isinstance(one, FromSource)] if claim.note == WORD_FOR_WORD else []
    cited = [stands_whole(texts.get(("source", one.source), ""), one.start, one.end) for one in places]
    return claim if all(cited) else claim.changed(verdict="not_checked", note="")


def _texts(proof: Proof) -> dict[tuple[str, str], str]:
    """The texts that evidence can be a part of, by its type and name."""
    texts: dict[tuple[str, str], str] = {("task", "text"): proof.task.text, ("task", "context"): proof.task.context}
    texts |= {("source", source.id): source.text for source in proof.sources}
    return texts | {("claim", claim.id): claim.text for claim in proof.claims}


def _coverage(verdicts: Sequence[str]) -> JsonObject:
    checked = len(verdicts) - verdicts.count("not_checked")
    return {"claims": len(verdicts), "checked": checked, "supported": verdicts.count("supported")}


def _derivation(one: Derivation, steps: Mapping[str, str]) -> JsonObject:
    return {"id": one.id, "taken": one.taken, "steps": [_step(step, steps[step.id]) for step in one.steps]}


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _source(source: ProofSource) -> JsonObject:
    read: list[JsonValue] = [[*span] for span in source.read]
    return {**source.fields(), "read": read, "text_sha256": sha256(source.text)}


def _step(step: ProofStep, output: str) -> JsonObject:
    arguments = _json(step.arguments)
    tables: list[JsonValue] = [{**one.fields(), "told": [*one.told], "open": [*one.open]} for one in step.tables]
    return {
        **{"id": step.id, "tool": step.tool, "arguments": arguments, "output": output, "sha256": sha256(output)},
        "tables": tables,
    }


def _sentence(number: int, one: SentenceCheck, proof: Proof, texts: Mapping[tuple[str, str], str]) -> Claim:
    """A checked sentence of the answer as a claim; it rests on a cited one that is a whole sentence of its source."""
    text, place = proof.answer[one.start : one.end], one.source
    claim = Claim(
        id=f"t{number}", start=one.start, end=one.end, text=text, kind="sentence", verdict=one.verdict,
        reading=Reading(value=folded(text), form="text"),
    )  # fmt: skip
    if place is None:
        return claim
    source, start, end = place
    cited = texts.get(("source", source), "")
    if not stands_whole(cited, start, end):
        return claim.changed(verdict="not_checked")
    reading = Reading(value=folded(cited[start:end]), form="text")
    evidence = FromSource(source=source, start=start, end=end, reading=reading)
    return claim.changed(support="source", evidence=(evidence,))


def _checks(claim: Claim, by_host: bool) -> list[JsonValue]:
    """How a claim was checked: a value by itself, a sentence by its words or its values, or by a judge."""
    if claim.kind != "sentence":
        return [] if by_host else ["judge"] if claim.note == LABEL else ["value"]
    if claim.verdict == "not_checked":
        return []
    if claim.note == WORD_FOR_WORD:
        return ["words"]
    return ["judge"] if not by_host else ["words"] if claim.evidence else ["values"]


def _claim(
    claim: Claim, texts: Mapping[tuple[str, str], str], outputs: Mapping[str, object], checks: list[JsonValue]
) -> JsonObject:
    return {
        **{name: getattr(claim, name) for name in ("id", "start", "end", "text", "kind", "support", "verdict", "note")},
        **claim.reading.fields(),
        "evidence": [_evidence(one, texts, outputs) for one in claim.evidence],
        "computation": claim.computation.fields() if claim.computation else None,
        "checks": checks,
    }


def _evidence(one: Support, texts: Mapping[tuple[str, str], str], outputs: Mapping[str, object]) -> JsonObject:
    """A piece of evidence with its quote as the W3C selectors have it: the exact text and what stands around it."""
    path = one.path if isinstance(one, FromTool) else ""
    match one:
        case FromTool():
            name, start, end = one.step, one.start, one.end
        case FromSource():
            name, start, end = one.source, one.start, one.end
        case FromClaim():
            name, start, end = one.claim, 0, len(texts.get(("claim", one.claim), ""))
        case _:
            name, start, end = one.part, one.start, one.end
    try:
        text = at_path(outputs[name], path) if isinstance(one, FromTool) else texts[one.type, name]
    except (KeyError, ValueError):
        raise UsageError(f"a claim rests on {one.type} {name!r} {path}, which is not in the proof") from None
    return {
        **{"type": one.type, "id": name, "path": path, "start": start, "end": end, "exact": text[start:end]},
        "prefix": text[max(0, start - QUOTED) : start],
        "suffix": text[end : end + QUOTED],
        **one.reading.fields(),
    }
