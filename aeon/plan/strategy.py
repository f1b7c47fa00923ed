"""What a strategy asks of the planner: its aim, what the answer lacks, and the task in other words."""

from __future__ import annotations

from aeon.multipass.trends import AIMS
from aeon.schema import Evaluation, JsonObject, Refine, RefinedQuery, Strategy
from aeon.supervisor.prompt import fence

__all__ = ["constraints", "query_schema", "query_words"]

_DIVERSITY = {
    "low": "Keep close to the words of the task.",
    "medium": "Use other words where they help.",
    "high": "Look at it from another side and use other words.",
}
_AREAS = {"low": 1, "medium": 2, "high": 3}
_SOURCES = " `source_preferences` are the tools or files to prefer."
_LONGEST = 1_000


def constraints(strategy: Strategy | None, evaluation: Evaluation | None, query: RefinedQuery | None) -> str:
    """The strategy as a constraint for the planner; empty without one."""
    if strategy is None:
        return ""
    lines = [f"Strategy {strategy}. {AIMS[strategy]}"]
    if lacking := _lacking(evaluation):
        lines.append(fence("lacking", lacking, _LONGEST))
    if query is not None:
        lines.append(f"The task in other words: {query.refined_query}")
        areas = {"Dwell on": query.focus_areas, "Leave out": query.exclude_areas, "Prefer": query.source_preferences}
        lines += [f"{word}: {', '.join(names)}" for word, names in areas.items() if names]
    return "\n".join([*lines, ""])


def query_words(strategy: Strategy, evaluation: Evaluation | None, policy: Refine) -> dict[str, str]:
    """What the prompt for the new wording is filled with."""
    return {
        "aim": AIMS[strategy],
        "diversity": _DIVERSITY[policy.query_diversity],
        "state": fence("lacking", _lacking(evaluation) or "(nothing in particular)", _LONGEST),
        "sources": _SOURCES if policy.allow_source_preference else "",
    }


def query_schema(policy: Refine) -> JsonObject:
    """The shape of the new wording: as many areas as the diversity allows, preferences only where they are allowed."""
    areas: JsonObject = {"type": "array", "items": {"type": "string"}, "maxItems": _AREAS[policy.query_diversity]}
    properties: JsonObject = {"refined_query": {"type": "string"}, "focus_areas": areas, "exclude_areas": areas}
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
    lines += [f"{one.source_a} and {one.source_b} contradict each other: {one.claim}" for one in gaps.contradictions]
    return "\n".join(lines)
