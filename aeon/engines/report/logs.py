"""The iterations of a report on disk: what each agent was given and said, round by round, and a summary."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from aeon.engines.report.record import Report, ReportRound
from aeon.schema import JsonObject

__all__ = ["folder_name", "write_logs"]

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80


def folder_name(query_id: str) -> str:
    """A query's id as the name of a folder: nothing in it leads elsewhere."""
    name = _UNSAFE.sub("_", query_id)[:_LONGEST].strip(".")
    return name or "query"


def write_logs(directory: str | Path, result: Report, query_id: str | None = None) -> str:
    """Write ``DIR/iterations/ID/iteration_1_analyst.json`` and so on, and ``session_summary.json``.

    The id is that of the run unless another is given. The answer is "" or, where the files cannot be written, one line
    that says why: a log costs no report.
    """
    folder = Path(directory) / "iterations" / folder_name(query_id or result.execution_id)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in _files(result):
            text = json.dumps(content, ensure_ascii=False, indent=2)
            (folder / name).write_text(text.encode("utf-8", "replace").decode("utf-8"), encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return f"the iteration log could not be written to {folder}: {reason}"
    return ""


def _files(result: Report) -> Iterator[tuple[str, JsonObject]]:
    for one in result.rounds:
        yield f"iteration_{one.number}_analyst.json", _analyst(result, one)
        if one.review is not None:
            yield f"iteration_{one.number}_critic.json", _critic(result, one)
    yield "session_summary.json", _summary(result)


def _analyst(result: Report, one: ReportRound) -> JsonObject:
    said = one.analysis
    before = next((done.review for done in reversed(result.rounds[: one.number - 1]) if done.review), None)
    return {
        "iteration": one.number,
        "agent": "analyst",
        "input": {
            "query": result.query,
            "mode": result.mode,
            "review": None if before is None else before.model_dump(mode="json"),
        },
        "output": {
            "status": said.status,
            "new_queries": [query.text for query in said.new_queries],
            "draft": "" if one.draft is None else "\n".join(finding.text for finding in one.draft.findings),
            "reasoning_chain": said.reasoning_chain,
        },
        "metadata": {"findings": one.findings, "dropped": list(said.drop)},
    }


def _critic(result: Report, one: ReportRound) -> JsonObject:
    assert one.review is not None
    review: JsonObject = one.review.model_dump(mode="json")
    names = ("status", "critique", "suggestions", "mode_compliance", "logical_gaps")
    return {
        "iteration": one.number,
        "agent": "critic",
        "input": {
            "query": result.query,
            "mode": result.mode,
            "draft": None if one.draft is None else one.draft.model_dump(mode="json"),
        },
        "output": {name: review[name] for name in names},
        "metadata": {"checked": review["checked"], "rejected": review["rejected"]},
    }


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
