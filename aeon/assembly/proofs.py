"""The claims of a run's answer and its proof, from what the run has on record."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from aeon.errors import ToolFailed, UsageError
from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.proof.document import Derivation, Proof, ProofSource, ProofStep, journal_root
from aeon.schema import Claim, Conclusion, JsonValue, Result, Source, Step, ToolCall
from aeon.tools.files import Files
from aeon.tools.quote import QUOTE
from aeon.tools.select import Given

__all__ = ["coverage", "proof_of"]

_LIMITS = (
    "what the answer says between its values was not judged",
    "outputs of tools stand here as they were given; the tables that they came from are not in this file",
)


def proof_of(result: Conclusion, given: Iterable[Given] = (), journal: Path | str | None = None) -> Proof:
    """The proof of a multi-pass run's answer: a claim for each value, with what it rests on.

    ``given`` are the tools of the run; the texts that it quotes are read from the folders among them. ``journal`` is
    where the run was saved.

    Raises:
        UsageError: the run is of an engine that keeps no steps on record.
        InputFileError: the journal cannot be read.
    """
    if not isinstance(result, Result):
        raise UsageError(f"--proof: the engine '{result.engine}' keeps no steps that a proof could show; leave it out")
    steps = _completed(result)
    cited = [source for step in steps for source in _cited(step)]
    sources = {source.id: source for source in _sources(cited, [one for one in given if isinstance(one, Files)])}
    return Proof(
        task=result.history.task,
        answer=result.answer,
        claims=_claims(result, steps, cited, {name: source.text for name, source in sources.items()}),
        sources=tuple(sources.values()),
        derivations=(Derivation(id="d1", steps=tuple(map(_recorded, steps))),) if steps else (),
        limits=_LIMITS,
        journal=journal_root(journal) if journal is not None else None,
    )


def _claims(
    result: Result, steps: Sequence[Step], cited: Iterable[Source], texts: Mapping[str, str]
) -> tuple[Claim, ...]:
    """The claims of the answer, from what tools gave, what was cited of the texts, and what steps were written."""
    spans = [one.changed(text=texts[one.source][one.start : one.end]) for one in cited if one.source in texts]
    outputs = [ToolOutput(step.id, _output(step)) for step in steps if isinstance(step.action, ToolCall)]
    written = {step.id: str(step.output) for step in steps if not isinstance(step.action, ToolCall)}
    return claims(result.answer, result.history.task, outputs, spans, written)


def coverage(found: Sequence[Claim]) -> str:
    """How many values of an answer were checked and what came of it, in a line; "" where it has none."""
    if not found:
        return ""
    verdicts = Counter(claim.verdict for claim in found)
    checked = len(found) - verdicts["not_checked"]
    lost = [claim.text for claim in found if claim.verdict in ("not_found", "contradicted")]
    named = f"; rests on nothing: {', '.join(lost)}" if lost else ""
    return f"{checked} of {len(found)} checked, {verdicts['supported']} supported{named}"


def _completed(result: Result) -> list[Step]:
    """The steps that have run, each as it was last, in the order in which they ran."""
    last = {step.id: step for one in result.history.passes for step in one.executed if step.status == "complete"}
    return list(last.values())


def _output(step: Step) -> JsonValue:
    """What a step gave; where it found nothing, what it says of that."""
    return step.output if step.output is not None or not step.problem else step.problem


def _recorded(step: Step) -> ProofStep:
    action = step.action
    if not isinstance(action, ToolCall):
        return ProofStep(id=step.id, output=_output(step))
    return ProofStep(id=step.id, tool=action.tool, arguments=action.arguments, output=_output(step))


def _cited(step: Step) -> Iterator[Source]:
    """The sentences that a step rests on."""
    yield from step.sources
    if isinstance(step.action, ToolCall) and step.action.tool == QUOTE:
        match step.action.arguments:
            case {"source": str(source), "start": int(start), "end": int(end)}:
                yield Source(source=source, start=start, end=end, text="")


def _sources(cited: Iterable[Source], files: Sequence[Files]) -> Iterator[ProofSource]:
    """The texts that are cited, each with the hash of its file as it is now."""
    for name in dict.fromkeys(source.source for source in cited):
        for one in files:
            with suppress(ToolFailed, OSError):
                text = one.collection.text(name)
                digest = hashlib.sha256(one.folder.find(name).read_bytes()).hexdigest()
                yield ProofSource(id=name, title=name, location=name, text=text, raw_sha256=digest)
                break
