"""Which of two is more, or whether they are alike: each side is asked alone, and the host compares what was found.

A small model that reads both at once names the one it reads first.
"""

from __future__ import annotations

import ast
import re

from aeon.engines.research.alike import alike, is_alike, sides_alike
from aeon.engines.research.measures import Measure, measured
from aeon.engines.research.parting import Split, chosen, parted
from aeon.engines.research.several import is_either
from aeon.engines.research.values import Comparison, Finding
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.supervisor import Supervisor

__all__ = ["compared", "comparison", "sides_of"]

_TIME = re.compile(r"\d{1,2}:\d\d")
_TIME_OF_DAY = "time"
_A_YEAR = re.compile(r"1\d{3}|20\d\d")
_SPAN = re.compile(r"(?:year|month|week|day|hour|minute)")


async def sides_of(supervisor: Supervisor, question: str) -> Comparison | None:
    """The sides of a question that compares two; ``None`` for another one, or where the model names no two sides.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    if current_ledger().calls_left() < 1:
        return None
    if is_alike(question):
        return await sides_alike(supervisor, question)
    if not is_either(question):
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
    """The answer to a comparison by what was found of its sides.

    There is none where which of two is more is asked, and these are equal, or not of one kind.
    """
    if asked.relation != "order":
        return alike(asked, one, other)
    nothing = Finding(question=asked.question, asked=True)
    first, second = _measured(one), _measured(other)
    if first is None or second is None or _differ(first.unit, second.unit) or _is_since(first, second):
        return nothing
    values = _places(first.value, second.value)
    if values is None or values[0] == values[1]:
        return nothing
    evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
    return nothing.changed(answer=asked.less if values[0] < values[1] else asked.more, evidence=evidence)


def _measured(finding: Finding) -> Measure | None:
    return measured(finding.answer, " ".join(one.source.text for one in finding.evidence))


def _differ(one: str | None, other: str | None) -> bool:
    """Whether two units cannot be compared, such as euros a week and euros a day; a year alone stands beside a day."""
    return bool(one and other) and one != other


def _is_since(one: Measure, other: Measure) -> bool:
    """Whether one says since which year, and the other for how long."""
    pairs = ((one, other), (other, one))
    return any(
        not year.unit and _A_YEAR.fullmatch(year.value) and span.value.isdigit() and _SPAN.fullmatch(span.unit or "")
        for year, span in pairs
    )


def _places(first: str, second: str) -> tuple[float, float] | None:
    """Two values in their order: numbers, days, or times of day, or the years of a day and a number; else ``None``."""
    values = [ast.literal_eval(one) for one in (first, second)]
    kinds = [_kind(value) for value in values]
    if kinds[0] == kinds[1]:
        one, other = (float(re.sub(r"\D", "", value)) if isinstance(value, str) else float(value) for value in values)
        return one, other
    years = [_year(value) for value in values if _kind(value) != _TIME_OF_DAY]
    return (years[0], years[1]) if len(years) > 1 else None


def _kind(value: float | str) -> str:
    return "number" if not isinstance(value, str) else _TIME_OF_DAY if _TIME.fullmatch(value) else "day"


def _year(value: float | str) -> float:
    """The year of a day; a number as it is."""
    return float(value[:4]) if isinstance(value, str) else value
