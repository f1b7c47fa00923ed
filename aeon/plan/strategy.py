"""What a strategy asks of the planner, in words and as a schema."""

from __future__ import annotations

from aeon.schema import Evaluation, JsonObject, Refine, RefinedQuery, Strategy
from aeon.supervisor.prompt import fence

__all__ = ["constraints", "query_schema", "query_words"]

_AIM: dict[Strategy, str] = {
    "EXPAND": "Broaden it: work on what the answer still lacks.",
    "NARROW": "Narrow it: work only on the results that are weak, and make them sure.",
    "PIVOT": "What was tried has not helped: take another way than the steps so far.",
    "DEEPEN": "Deepen it: give more detail where a result is only partly there.",
}
_DIVERSITY = {
    "low": "Keep close to the words of the task.",
    "medium": "Use other words where they help.",
    "high": "Look at it from another side and use other words.",
}
_AREAS = {"low": 1, "medium": 2, "high": 3}
_LONGEST = 1_000


def constraints(strategy: Strategy | None, evaluation: Evaluation | None, query: RefinedQuery | None) -> str:
    """The strategy as a constraint for the planner; empty without one."""
    if strategy is None:
        return ""
    lines = [f"Strategy {strategy}. {_AIM[strategy]}"]
    if lacking := _lacking(evaluation):
        lines.append(fence("lacking", lacking, _LONGEST))
    if query is not None:
        parts = [f"The task in other words: {query.refined_query}"]
        parts += [f"Dwell on: {', '.join(query.focus_areas)}"] if query.focus_areas else []
        parts += [f"Leave out: {', '.join(query.exclude_areas)}"] if query.exclude_areas else []
        parts += [f"Prefer: {', '.join(query.source_preferences)}"] if query.source_preferences else []
        lines.append("\n".join(parts))
    return "\n" + "\n".join(lines) + "\n"


def query_words(strategy: Strategy, evaluation: Evaluation | None, policy: Refine) -> dict[str, str]:
    """What the prompt for the new wording is filled with."""
    return {
        "aim": _AIM[strategy],
        "diversity": _DIVERSITY[policy.query_diversity],
        "state": fence("lacking", _lacking(evaluation) or "(nothing in particular)", _LONGEST),
        "sources": " `source_preferences` are the tools or files to prefer." if policy.allow_source_preference else "",
    }


def query_schema(policy: Refine) -> JsonObject:
    """The shape of the new wording: as many areas as the diversity allows, preferences only where they are allowed."""
    most = _AREAS[policy.query_diversity]
    areas: JsonObject = {
        "type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 80}, "maxItems": most,
    }  # fmt: skip
    properties: JsonObject = {
        "refined_query": {"type": "string", "minLength": 5, "maxLength": 300},
        "focus_areas": areas,
        "exclude_areas": areas,
    }
    if policy.allow_source_preference:
        properties["source_preferences"] = areas
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _lacking(evaluation: Evaluation | None) -> str:
    if evaluation is None:
        return ""
    gaps = evaluation.gaps
    lines = [f"not answered: {aspect}" for aspect in gaps.unanswered_aspects]
    lines += [f"only partly answered: {aspect}" for aspect in gaps.weak_coverage]
    lines += [f"missing: {entity}" for entity in gaps.missing_entities]
    lines += [f"{c.source_a} and {c.source_b} contradict each other: {c.claim}" for c in gaps.contradictions]
    return "\n".join(lines)
