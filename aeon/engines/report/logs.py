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
from aeon.engines.report.values import Analysis
from aeon.observability.trail import Trail
from aeon.runtime.events import EffectEnded, Event, RunStarted
from aeon.schema import JsonObject, JsonValue, Outcome
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
            whole: JsonObject = {"iteration": self._round, "agent": agent, **content}
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


_GIVEN = {
    "analyst": ("mode", "most", "last", "context", "searched", "found", "draft", "review"), "critic": ("draft",),
    "writer": ("mode", "draft", "review", "context"),
}  # fmt: skip
"""The fields of its effect that an agent is given."""
_OUTPUT = {
    "analyst": ("status", "new_queries", "draft", "reasoning_chain"),
    "critic": ("status", "critique", "suggestions", "mode_compliance", "logical_gaps"),
    "writer": ("final_report", "sources_used", "confidence_level"),
}
"""What an agent of the reference says; the rest stands under the metadata."""


def _said(effect: Effect, outcome: Outcome) -> Iterator[tuple[str, JsonObject]]:
    """The agent of the effect, with what it was given and said; an ``output`` is null where it said nothing."""
    if not isinstance(effect, Analyse | Critique | Compose):
        return
    agent = {"analyst": "analyst", "critic": "critic", "compose": "writer"}[effect.phase]
    clarifications: list[JsonValue] = [one.answer for one in effect.task.clarifications]
    given: JsonObject = {"query": effect.task.text, "clarifications": clarifications}
    given |= effect.model_dump(mode="json", include=set(_GIVEN[agent]))
    if outcome.value is None:
        yield agent, {"input": given, "output": None, "metadata": {"failure": outcome.message}}
        return
    said = outcome.value.model_dump(mode="json", exclude={"claims"})
    output = {name: said.pop(name) for name in _OUTPUT[agent]}
    if isinstance(outcome.value, Analysis):
        written = outcome.value.draft
        output["draft"] = "\n".join(one.text for one in written.findings) if written is not None else ""
        output["new_queries"] = [query.text for query in outcome.value.new_queries]
    yield agent, {"input": given, "output": output, "metadata": said}


def _summary(result: Report) -> JsonObject:
    names = {"query", "execution_id", "mode", "confidence", "score", "dropped", "usage", "seconds"}
    return {
        **result.model_dump(mode="json", include=names), "total_iterations": len(result.rounds),
        "final_status": result.stop_reason, "reasons": list(result.reasons),
        "sources": [source.model_dump(mode="json") for source in result.sources],
    }  # fmt: skip
