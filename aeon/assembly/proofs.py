"""The claims of a run's answer and its proof, from what the run has on record."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from aeon.documents.collection import Collection
from aeon.errors import ToolFailed, UsageError
from aeon.grounding.results import told
from aeon.proof.document import Derivation, Proof, ProofSource, ProofStep, journal_root
from aeon.schema import Agreement, Claim, Conclusion, FromSource, JsonValue, Result, Source, Step, Task, ToolCall
from aeon.tools.files import Files
from aeon.tools.lookup import CONTEXT
from aeon.tools.select import Given

__all__ = ["proof_of"]

_LIMITS = (
    "what the answer says between its values was not judged",
    "outputs of tools stand here as they were given; the tables that they came from are not in this file",
)


def proof_of(result: Conclusion, given: Iterable[Given] = (), journal: Path | str | None = None) -> Proof:
    """The proof of a multi-pass run's answer: its claims with the steps and the texts that they rest on.

    ``given`` are the tools of the run; the texts that it quotes are read from the folders among them. ``journal`` is
    where the run was saved.

    Raises:
        UsageError: the run is of an engine that keeps no steps on record, or a text that the answer rests on is not
            there any more, or is not what was read.
        InputFileError: the journal cannot be read.
    """
    if not isinstance(result, Result):
        raise UsageError(f"--proof: the engine '{result.engine}' keeps no steps that a proof could show; leave it out")
    steps = _completed(result)
    cited = _cited(steps, result.claims)
    files = [one for one in given if isinstance(one, Files)]
    sources = {source.id: source for source in _sources(cited, files, result.history.task)}
    _check(cited, sources)
    return Proof(
        task=told(result.history.task),
        answer=result.answer,
        claims=result.claims,
        sources=tuple(sources.values()),
        derivations=tuple(_derivations(result, steps)),
        limits=_LIMITS,
        journal=journal_root(journal) if journal is not None else None,
    )


def _derivations(result: Result, steps: Sequence[Step]) -> Iterator[Derivation]:
    """The plan's way to the answer, and each other one that was tried; one of them is taken."""
    agreement = next((one.agreement for one in reversed(result.history.passes) if one.agreement), Agreement())
    if steps:
        yield Derivation(id="d1", steps=tuple(map(_recorded, steps)), taken=agreement.taken is None)
    for number, one in enumerate(agreement.derivations, 2):
        yield Derivation(id=f"d{number}", steps=(ProofStep(id=one.method, output=one.text),), taken=one.taken)


def _cited(steps: Iterable[Step], claims: Iterable[Claim]) -> list[Source]:
    """The sentences of the texts that claims rest on."""
    needed = {one.source for claim in claims for one in claim.evidence if isinstance(one, FromSource)}
    return [source for step in steps for source in step.sources if source.source in needed]


def _check(cited: Iterable[Source], sources: Mapping[str, ProofSource]) -> None:
    """Refuse to prove by a text what was read in another.

    Raises:
        UsageError: names the text.
    """
    for one in cited:
        text = sources[one.source].text if one.source in sources else ""
        if text[one.start : one.end] != one.text:
            raise UsageError(
                f"--proof: {one.source}, which the answer rests on, is not there as it was read; run the task again"
            )


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


def _sources(cited: Iterable[Source], files: Sequence[Files], task: Task) -> Iterator[ProofSource]:
    """The texts that are cited, each with the hash of its file as it is now, or of the task's context."""
    for name in dict.fromkeys(source.source for source in cited):
        if name == CONTEXT:
            text = Collection.of_text(name, task.context).text(name)
            digest = hashlib.sha256(task.context.encode()).hexdigest()
            yield ProofSource(id=name, title=name, location="task://context", text=text, raw_sha256=digest)
            continue
        for one in files:
            with suppress(ToolFailed, OSError):
                text = one.collection.text(name)
                digest = hashlib.sha256(one.folder.find(name).read_bytes()).hexdigest()
                yield ProofSource(id=name, title=name, location=name, text=text, raw_sha256=digest)
                break
