"""The claims of a run's answer and its proof, from what the run has on record."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from aeon.assembly.views import trail
from aeon.documents.collection import Collection
from aeon.errors import ToolFailed, UsageError
from aeon.grounding.outcomes import step_name, uses_of
from aeon.grounding.results import spans_of, told
from aeon.multipass.effects import ExecuteStep
from aeon.proof.document import Derivation, Grounds, Proof, ProofSource, ProofStep, journal_root
from aeon.runtime.basis import Basis
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine
from aeon.schema import (
    Agreement,
    Conclusion,
    Document,
    Found,
    FromSource,
    JsonValue,
    Result,
    Source,
    Step,
    StepResult,
    Task,
    ToolLoop,
    ToolUse,
    Value,
)
from aeon.schema.effects import Effect
from aeon.schema.programs import Ran
from aeon.schema.turns import Lines
from aeon.tools.files import Files
from aeon.tools.lookup import CONTEXT
from aeon.tools.quote import QUOTE
from aeon.tools.select import Given

__all__ = ["proof_of"]

_LIMITS = (
    "a sentence is checked by its values, and by whether it is a cited one word for word; what else it says is not",
    "outputs of tools stand here as they were given; the tables that they came from are not in this file",
)


def proof_of(
    result: Conclusion,
    given: Iterable[Given] = (),
    journal: Journal | Path | str | None = None,
    engine: AnyEngine | None = None,
    texts: Mapping[str, ProofSource] | None = None,
) -> Proof:
    """The proof of a run's answer: its claims with the steps and the texts that they rest on.

    ``given`` are the tools of the run; the texts that it quotes are read from the folders among them. ``journal`` is
    where the run was saved, or its record in memory; an engine other than the multi-pass one needs it, since only there
    stands what its tools gave. ``engine`` is that engine; without it, the installed one that the journal names.
    ``texts`` are those of another proof of the run, by name, for sources that are in none of the folders.

    Raises:
        UsageError: another engine's run without its journal or with that of another run, or a text that the answer
            rests on is not there any more, or is not what was read.
        InputFileError: the journal cannot be read.
    """
    record = _of_plan(result) if isinstance(result, Result) else _of_journal(result, journal, engine)
    cited = _cited(record, result)
    files = [one for one in given if isinstance(one, Files)]
    sources = {source.id: source for source in _sources(cited, record, files, texts or {})}
    _check(cited, sources)
    return Proof(
        task=told(record.task),
        answer=result.answer,
        claims=result.claims,
        sentences=result.sentence_checks,
        sources=tuple(source.changed(read=_joined(name, cited)) for name, source in sources.items()),
        derivations=record.derivations,
        limits=_LIMITS,
        journal=journal_root(journal) if isinstance(journal, Path | str) else None,
        grounds=_grounds(result, record),
        names=tuple({lines.source for lines in record.lines()} - {""}),
    )


class _Record(NamedTuple):
    """What a run has on record: the sentences that it read, and the documents that it found, by the names of both.

    ``uses`` are the calls of tools that its answer could rest on.
    """

    task: Task
    derivations: tuple[Derivation, ...]
    read: list[Source]
    documents: Mapping[str, Document]
    uses: tuple[ToolUse, ...]
    loops: bool

    def lines(self, tool: str = "") -> Iterator[Lines]:
        """The sentences that calls showed, those of one tool or of all."""
        for use in self.uses:
            yield from use.lines if tool in ("", use.tool) else ()


def _grounds(result: Conclusion, record: _Record) -> Grounds:
    """How the values of the answer were found and looked up."""
    cites = result.gives_claims and not isinstance(result, Result)
    if cites or any(one.kind == "sentence" for one in result.claims):
        return "sentences"
    return "calls" if record.loops else "outputs"


def _of_plan(result: Result) -> _Record:
    steps = _completed(result)
    loops = any(isinstance(step.action, ToolLoop) for step in steps)
    uses = tuple(use for step in steps for use in step.uses)
    derivations = tuple(_derivations(result, steps))
    return _Record(result.history.task, derivations, list(spans_of(steps)), {}, uses, loops)


def _of_journal(result: Conclusion, journal: Journal | Path | str | None, engine: AnyEngine | None) -> _Record:
    basis, steps = _basis(result, journal, engine)
    own = basis.within(result.rests_on).values()
    found = [one.value for one in own if isinstance(one.value, Found)]
    by_name = _by_name(found)
    read = spans_of(one.value for one in own if isinstance(one.value, StepResult | ToolUse | Ran))
    uses = tuple(use for number, one in basis.within(result.rests_on).items() for use in uses_of(number, one.value))
    derivations = tuple(_by_member(steps, result))
    return _Record(basis.task, derivations, [*read, *_read(found, by_name)], by_name, uses, bool(uses))


def _by_name(found: Iterable[Found]) -> dict[str, Document]:
    """The documents that were found; a text comes once in a run, and the first one counts."""
    every = [document for one in found for document in one.documents]
    latest_first = sorted(reversed(every), key=lambda one: bool(one.text))
    return {document.source: document for document in latest_first}


def _by_member(steps: Sequence[tuple[str, ProofStep]], result: Conclusion) -> Iterator[Derivation]:
    """The derivation of each member of a run whose answer is that of one of them; else all steps as one derivation."""
    groups: dict[str, list[ProofStep]] = {result.rests_on: []}
    for scope, step in steps:
        groups.setdefault("/".join(scope.split("/")[:2]) if result.rests_on else "", []).append(step)
    for number, (member, group) in enumerate(groups.items() if steps else (), 1):
        yield Derivation(id=f"d{number}", steps=tuple(group), taken=member == result.rests_on)


def _sources(
    cited: Iterable[Source], record: _Record, files: Sequence[Files], texts: Mapping[str, ProofSource]
) -> Iterator[ProofSource]:
    """The texts that are cited, each once."""
    for name in dict.fromkeys(source.source for source in cited):
        source = _source(name, record.documents.get(name), files, record.task) or texts.get(name)
        if source is not None:
            yield source


def _basis(
    result: Conclusion, journal: Journal | Path | str | None, engine: AnyEngine | None
) -> tuple[Basis, list[tuple[str, ProofStep]]]:
    """What the answer of a run of any engine could rest on, and its steps with their scopes, from its journal."""
    if journal is None:
        raise UsageError(f"--proof: what the tools of the engine '{result.engine}' gave stands in its journal; give it")
    record = journal if isinstance(journal, Journal) else Journal.read(journal)
    whole = trail(record, engine)
    if whole.execution_id != result.execution_id or whole.task is None:
        raise UsageError("--proof: the journal is of another run; give the one of this run")
    basis = Basis(whole.task)
    steps: list[tuple[str, ProofStep]] = []
    for number, effect, outcome, _ in (done for batch in whole.batches for done in batch):
        if outcome is not None:
            basis.add(number, [effect], [outcome])
            steps += ((effect.scope, step) for step in _of_effect(number, effect, outcome.value))
    return basis, steps


def _of_effect(number: int, effect: Effect, given: Value | None) -> Iterator[ProofStep]:
    """An effect that gave what a tool did, or a text of a model; an effect of another engine is named by its phase."""
    match given:
        case StepResult():
            yield from map(_of_use, uses_of(number, given))
            yield _of_step(step_name(number), effect, given)
        case ToolUse() | Ran():
            yield from map(_of_use, uses_of(number, given))
        case Found():
            places: list[JsonValue] = [[one.source, one.start, one.end] for one in given.passages]
            searched = f"{given.provider}: {effect.subject.partition(': ')[2]}"
            yield ProofStep(id=step_name(number), tool=effect.phase, arguments={"query": searched}, output=places)


def _of_step(name: str, effect: Effect, given: StepResult) -> ProofStep:
    output = _output(given)
    by_tool = given.mode == "tool" and not isinstance(effect, ExecuteStep)
    return ProofStep(id=name, tool=effect.phase if by_tool else "", output=output)


def _of_use(use: ToolUse) -> ProofStep:
    """A call of a tool and what it gave, or why it gave nothing."""
    if use.problem:  # what failed is not done again
        return ProofStep(id=use.id, tool=f"{use.tool}: failed", arguments=use.arguments, output=use.problem)
    return ProofStep(id=use.id, tool=use.tool, arguments=use.arguments, output=use.output, tables=use.tables)


def _derivations(result: Result, steps: Sequence[Step]) -> Iterator[Derivation]:
    """The plan's way to the answer, and each other one that was tried; one of them is taken."""
    agreement = next((one.agreement for one in reversed(result.history.passes) if one.agreement), Agreement())
    if steps:
        recorded = (
            one for step in steps for one in (*map(_of_use, step.uses), ProofStep(id=step.id, output=_output(step)))
        )
        each_once = {one.id: one for one in recorded}  # a step that is done again goes on from the turns before
        yield Derivation(id="d1", steps=tuple(each_once.values()), taken=True)
    for number, one in enumerate(agreement.derivations, 2):
        yield Derivation(id=f"d{number}", steps=(ProofStep(id=one.method, output=one.text),), taken=False)


def _cited(record: _Record, result: Conclusion) -> list[Source]:
    """The sentences, of those that were read, of the texts that the answer rests on.

    These are the texts that claims and sentences of it cite, and those that a call quoted a value from.
    """
    places = (one for claim in result.claims for one in claim.evidence)
    needed = {one.source for one in places if isinstance(one, FromSource)}
    needed |= {sentence.source[0] for sentence in result.sentence_checks if sentence.source}
    needed |= {lines.source for lines in record.lines(QUOTE)}
    return [source for source in record.read if source.source in needed]


def _read(found: Iterable[Found], documents: Mapping[str, Document]) -> Iterator[Source]:
    """The sentences of what was found, without those of texts that had changed since they were read first."""
    for one in found:
        own = {document.source: document for document in one.documents}
        for passage in one.passages:
            unnamed = Document(source=passage.source)
            first = documents.get(passage.source, unnamed)
            if own.get(passage.source, unnamed).text_sha256 == first.text_sha256:
                yield from passage.sources()


def _joined(name: str, cited: Iterable[Source]) -> tuple[tuple[int, int], ...]:
    """The characters of a text that were read; sentences with a blank between them are one span."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted({(one.start, one.end) for one in cited if one.source == name}):
        if spans and start <= spans[-1][1] + 1:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return tuple(spans)


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


def _output(step: Step | StepResult) -> JsonValue:
    """What a step gave; where it found nothing, what it says of that."""
    return step.output if step.output is not None or not step.problem else step.problem


def _source(name: str, document: Document | None, files: Sequence[Files], task: Task) -> ProofSource | None:
    """The text of that name: as it was found, of the task's context, or of a file, with the hash of what was read."""
    if document is not None and document.text:
        return _of_document(document, document.text)
    if name == CONTEXT:
        text = Collection.of_text(name, task.context).text(name)
        digest = hashlib.sha256(task.context.encode()).hexdigest()
        return ProofSource(id=name, title=name, location="task://context", text=text, raw_sha256=digest)
    for one in files:
        with suppress(ToolFailed):
            return _of_document(one.collection.document(name), one.collection.text(name))
    return None


def _of_document(document: Document, text: str) -> ProofSource:
    return ProofSource(
        id=document.source,
        title=document.title or document.source,
        location=document.source,
        retrieved=document.retrieved,
        extractor=document.extractor,
        text=text,
        raw_sha256=document.raw_sha256,
    )
