"""The parts of a notebook page that only a multi-pass run has: its plan, its passes and their decisions."""

from __future__ import annotations

import json
from xml.etree.ElementTree import Element

from aeon.observability.lines import Span, decision_line, short
from aeon.observability.page import block, folded, state, table
from aeon.observability.passes.lines import MARKS, action_words
from aeon.observability.passes.report import pass_lines, preparation_lines, statistics_lines
from aeon.observability.passes.turns import use_words
from aeon.observability.snapshot import plan_before
from aeon.schema import ExecutionHistory, Step, ToolUse

__all__ = ["sections"]

_WIDTH = 300


def sections(history: ExecutionHistory) -> list[Element]:
    """The plan as it ended with the state of each step; all tool calls; the decisions; the preparation; each pass."""
    plan = plan_before(history, len(history.passes) + 1)
    decisions = [
        (record.number, block([decision_line(record.decision)])) for record in history.passes if record.decision
    ]
    parts = [
        folded(
            f"Plan ({len(plan.steps)} steps)",
            [table(("", "step", "", "how", "result"), [_row(step) for step in plan.steps])],
            unfolded=True,
        ),
        *_calls(history),
        block(statistics_lines(history.statistics)),
        folded("Decisions", [table(("pass", "decision"), decisions)], unfolded=True),
        folded("Preparation", [block(preparation_lines(history))]),
    ]
    for record in history.passes:
        heading, *lines = pass_lines(record, plan_before(history, record.number), history.preparation.plan)
        parts.append(folded("".join(span.text for span in heading), [block(lines)]))
    return parts


def _row(step: Step) -> tuple[str | Element, ...]:
    mark, look = MARKS[step.status]
    result = short(step.output, _WIDTH) if step.status == "complete" else short(step.problem, _WIDTH)
    what, how = short(step.description, _WIDTH), short(action_words(step), _WIDTH)
    return state(Span(f"{mark} {step.status}", look)), step.id, what, how, result


def _calls(history: ExecutionHistory) -> list[Element]:
    """Every tool call that a model made turn by turn, once, with what came of it; nothing where none was made."""
    steps = [step for record in history.passes for step in record.executed]
    uses = {use.id: use for step in steps for use in step.uses}
    rows = [_call(use) for use in uses.values()]
    head = ("call", "tool", "with", "what came of it")
    return [folded(f"Tool calls ({len(rows)})", [table(head, rows)], unfolded=True)] if rows else []


def _call(use: ToolUse) -> tuple[str | Element, ...]:
    given = short(json.dumps(use.arguments, ensure_ascii=False), _WIDTH)
    return use.id, use.tool, given, block([(Span(short(use_words(use), _WIDTH), "warn" if use.problem else ""),)])
