"""The iterations of a report on disk: what each agent was given and said, round by round, and a summary.

They are a view of the effects of a run: written as it goes, or out of the journal of a run that was saved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from aeon.engines.report.effects import Analyse, Compose, Critique
from aeon.engines.report.record import Report
from aeon.engines.report.values import Analysis, Review
from aeon.observability.trail import Trail
from aeon.runtime.events import EffectEnded, Event, RunStarted
from aeon.schema import JsonObject, Outcome
from aeon.schema.effects import Effect

__all__ = ["IterationLog", "folder_name", "write_logs"]

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80


def folder_name(query_id: str) -> str:
    """A query's id as the name of a folder: nothing in it leads elsewhere."""
    name = _UNSAFE.sub("_", query_id)[:_LONGEST].strip(".")
    return name or "query"


class IterationLog:
    """An observer that writes ``DIR/iterations/ID/iteration_1_analyst.json`` and so on, each as its agent ends.

    The id is that of the run unless another is given. `end` writes ``session_summary.json``. ``problem`` is "" or,
    where a file cannot be written, one line that says why: a log costs no report, and nothing more is written.
    """

    def __init__(self, directory: str | Path, query_id: str = "") -> None:
        self.problem = ""
        self._directory = Path(directory) / "iterations"
        self._query_id = query_id
        self._folder = self._directory / folder_name(query_id)
        self._round = 1

    def __call__(self, event: Event) -> None:
        """Write what an agent said, where the event is that."""
        if isinstance(event, RunStarted):
            self._folder = self._directory / folder_name(self._query_id or event.execution_id)
        if isinstance(event, EffectEnded):
            self.add(event.effect, event.outcome)

    def add(self, effect: Effect, outcome: Outcome) -> None:
        """Write what an agent was given and said, where the effect is one of an agent."""
        if isinstance(effect, Analyse | Critique):
            self._round = effect.round
        for agent, content in _said(effect, outcome):
            metadata: JsonObject = {} if outcome.failure is None else {"failure": outcome.message}
            whole: JsonObject = {"iteration": self._round, "agent": agent, "metadata": metadata, **content}
            self._write(f"iteration_{self._round}_{agent}.json", whole)

    def end(self, result: Report) -> str:
        """Write the summary of the run; the answer is the ``problem``, if there was one."""
        self._write("session_summary.json", _summary(result))
        return self.problem

    def _write(self, name: str, content: JsonObject) -> None:
        if self.problem:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(content, ensure_ascii=False, indent=2).encode("utf-8", "replace")
            part = self._folder / f"{name}.part"
            part.write_bytes(text)
            part.replace(self._folder / name)  # whoever kills the run leaves no half of a file
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self.problem = f"the iteration log could not be written to {self._folder}: {reason}"


def write_logs(directory: str | Path, run: Trail) -> str:
    """Write the same for a run that is on record, as far as it goes; the answer is the `IterationLog`'s problem."""
    log = IterationLog(directory, run.execution_id)
    for done in (one for batch in run.batches for one in batch):
        if done.outcome is not None:
            log.add(done.effect, done.outcome)
    return log.end(run.result) if isinstance(run.result, Report) else log.problem


def _said(effect: Effect, outcome: Outcome) -> Iterator[tuple[str, JsonObject]]:
    """The agent of the effect, with what it was given and said; an ``output`` is null where it said nothing."""
    match effect:
        case Analyse():
            yield "analyst", _analyst(effect, outcome)
        case Critique():
            yield "critic", _critic(effect, outcome)
        case Compose():
            yield "writer", _writer(effect, outcome)


def _given(effect: Analyse | Critique | Compose, *names: str) -> JsonObject:
    """What the agent was given: the query, what people said that it means, and these fields of the effect."""
    clarifications = [one.answer for one in effect.task.clarifications]
    fields = effect.model_dump(mode="json", include=set(names))
    return {"query": effect.task.text, "clarifications": clarifications} | {name: fields[name] for name in names}


def _analyst(effect: Analyse, outcome: Outcome) -> JsonObject:
    """Its draft is the one that it says is ready: without what it drops."""
    given = _given(effect, "mode", "most", "last", "context", "worded", "draft", "review")
    said = outcome.value
    if not isinstance(said, Analysis):
        return {"input": given, "output": None}
    kept = [one.text for one in effect.draft.findings if one.id not in said.drop]
    output: JsonObject = {
        "status": said.status,
        "new_queries": [query.text for query in said.new_queries],
        "draft": "\n".join(kept) if said.status == "DRAFT_READY" else "",
        "reasoning_chain": said.reasoning_chain,
    }
    return {"input": given, "output": output, "metadata": {"dropped": list(said.drop)}}


def _critic(effect: Critique, outcome: Outcome) -> JsonObject:
    given: JsonObject = _given(effect, "draft") | {"mode": effect.draft.mode}
    said = outcome.value
    if not isinstance(said, Review):
        return {"input": given, "output": None}
    review = said.model_dump(mode="json")
    names = ("status", "critique", "suggestions", "mode_compliance", "logical_gaps")
    metadata: JsonObject = {"checked": review["checked"], "rejected": review["rejected"]}
    return {"input": given, "output": {name: review[name] for name in names}, "metadata": metadata}


def _writer(effect: Compose, outcome: Outcome) -> JsonObject:
    said = outcome.value
    names = {"final_report", "sources_used", "confidence_level"}
    output = None if said is None else said.model_dump(mode="json", include=names)
    return {"input": _given(effect, "mode", "draft", "review", "context"), "output": output}


def _summary(result: Report) -> JsonObject:
    return {
        "query": result.query,
        "execution_id": result.execution_id,
        "mode": result.mode,
        "total_iterations": len(result.rounds),
        "final_status": result.stop_reason,
        "confidence": result.confidence,
        "score": result.score,
        "reasons": list(result.reasons),
        "sources": [source.model_dump(mode="json") for source in result.sources],
        "dropped": [source.model_dump(mode="json") for source in result.dropped],
        "usage": result.usage.model_dump(mode="json"),
        "seconds": result.seconds,
    }
