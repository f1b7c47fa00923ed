"""Questions of several facts: what the texts say to each part, and what follows from that."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from aeon.plan.checking import Candidate, Checker
from aeon.plan.parting import Parting, doubts_of
from aeon.plan.prompts import Asked
from aeon.plan.several import is_compared, is_of_several
from aeon.plan.sources import LOOKUP, SQL, Sources
from aeon.schema import JsonValue, Plan, ToolCall
from aeon.tools.quote import QUOTE

__all__ = ["ByParts", "Parted", "combines"]

_OPERATION = re.compile(r"\w\s*(?:[-+*/<>]\s)\s*\w|_between\(|\bif\b")


class Parted(NamedTuple):
    """The program over the parts of a question, what it gives, and what is doubtful about that.

    ``vouched`` is the lowest score of the judges of the parts; ``None`` where one has none, or something is doubtful.
    """

    asked: Asked
    program: Candidate
    given: list[JsonValue]
    doubts: tuple[str, ...]
    vouched: float | None
    likelihood: float | None

    @property
    def plan(self) -> Plan:
        """The plan of the program, vouched for or not."""
        return self.program.settled(*self.doubts).changed(vouched=self.vouched)


class ByParts:
    """Answers questions part by part."""

    def __init__(self, parting: Parting, checker: Checker, sources: Sources) -> None:
        self._parting = parting
        self._checker = checker
        self._sources = sources

    def leads(self, asked: Asked) -> bool:
        """Whether the parts are read first: a question of several facts, for texts alone that are read as a whole."""
        question = asked.about.text
        is_of_facts = is_of_several(question) or is_compared(question)
        return (
            is_of_facts
            and not (asked.task.background or asked.earlier)
            and asked.functions == (LOOKUP,)
            and self._parting.reads
        )

    async def of(self, asked: Asked) -> Parted | None:
        """What the texts say to each part of a question; ``None`` where it has no parts, or they do not do."""
        parts = await self._parting.parts(asked)
        if parts is None:
            return None
        over = replace(asked, about=replace(asked.about, evidence=parts.evidence))
        program = await self._checker.judged(parts.program, over)
        if not program.runs or program.doubt:
            return None
        given = await self._sources.outcome(program.plan)
        doubts = doubts_of(asked.about.text, given)
        return Parted(over, program, given, doubts, parts.vouched if given and not doubts else None, parts.likelihood)


def combines(program: Candidate, asked: Asked) -> bool:
    """Whether a program calculates with what texts say, or compares it, be it one that cannot run; or it should."""
    by_texts = asked.functions == (LOOKUP,)
    if by_texts and is_of_several(asked.about.text):
        return True
    if not program.runs:
        return by_texts and bool(_OPERATION.search(program.text))
    tools = {step.action.tool for step in program.plan.steps if isinstance(step.action, ToolCall)}
    return QUOTE in tools and SQL not in tools and tools != {QUOTE}
