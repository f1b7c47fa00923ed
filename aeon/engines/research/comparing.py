"""Which of two is more: each side is asked alone, and the host compares what was found.

A small model that reads both at once names the one it reads first.
"""

from __future__ import annotations

import ast
import re

from aeon.engines.research.values import Comparison, Finding
from aeon.plan.measures import measured
from aeon.plan.parting import Split, chosen, parted
from aeon.plan.several import is_compared
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.supervisor import Supervisor

__all__ = ["compared", "comparison", "sides_of"]

_TIME = re.compile(r"\d:\d\d")
_DAY = re.compile(r"(\d{4})-\d\d-\d\d")


async def sides_of(supervisor: Supervisor, question: str) -> Comparison | None:
    """The sides of a question that compares two; ``None`` for another one, or where the model names no two sides.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    if not is_compared(question) or current_ledger().calls_left() < 1:
        return None
    found = await parted(supervisor, question)
    return comparison(question, found) if found is not None else None


def comparison(question: str, parts: Split) -> Comparison | None:
    """A question as a comparison of its two parts; ``None`` where these give anything but one of two that it names."""
    match ast.parse(chosen(parts, question), mode="eval").body:
        case ast.Call(
            args=[
                ast.IfExp(
                    test=ast.Compare(left=ast.Name(id=one), ops=[sign], comparators=[ast.Name(id=other)]),
                    body=ast.Constant(value=str(yes)),
                    orelse=ast.Constant(value=str(no)),
                )
            ]
        ) if {one, other} == {*parts.questions} and isinstance(sign, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            if yes == no or not all(name.casefold() in question.casefold() for name in (yes, no)):
                return None
            less, more = (yes, no) if isinstance(sign, ast.Lt | ast.LtE) else (no, yes)
            sides = (parts.questions[one], parts.questions[other])
            return Comparison(question=question, sides=sides, less=less, more=more)
    return None


def compared(asked: Comparison, one: Finding, other: Finding) -> Finding:
    """The answer to a comparison by what was found of its sides; none where these are alike, or not of one kind."""
    evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
    nothing = Finding(question=asked.question, asked=True)
    first, second = _values(one, other)
    if type(first) is not type(second) or first is None or first == second:
        return nothing
    is_less = str(first) < str(second) if isinstance(first, str) else float(first) < float(str(second))
    return nothing.changed(answer=asked.less if is_less else asked.more, evidence=evidence)


def _values(one: Finding, other: Finding) -> tuple[str | float | None, str | float | None]:
    """What both sides measure: a number, or a day or time as a text. Where one is a year alone, so is the other."""
    first, second = _value(one), _value(other)
    return _as_year(first, second), _as_year(second, first)


def _as_year(value: str | float | None, beside: str | float | None) -> str | float | None:
    day = _DAY.fullmatch(value) if isinstance(value, str) else None
    return float(day[1]) if day is not None and isinstance(beside, float) else value


def _value(finding: Finding) -> str | float | None:
    found = measured(finding.answer, " ".join(one.source.text for one in finding.evidence))
    value = ast.literal_eval(found.value) if found is not None else None
    if isinstance(value, str):
        return f"0{value}" if _TIME.fullmatch(value) else value
    return float(value) if value is not None else None
