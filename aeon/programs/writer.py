"""Programs that a model writes for a step: in which ways it is asked, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.multipass.effects import WritePrograms
from aeon.programs.prompts import Asked, Prompts, as_program
from aeon.programs.shelf import Shelf
from aeon.programs.sources import LOOKUP, SQL, Sources
from aeon.runtime.ledger import current_ledger
from aeon.schema import StepInput, Task
from aeon.schema.programs import Programs, ProgramText, Way
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import READ_TEXTS, every_text

__all__ = ["ProgramWriter", "asked"]

_TOKENS: dict[Way, int] = {"worked": 300, "thought": 600}
_PROGRAM_TOKENS = 240
_QUERIES = ("query", "plain")
_ALONE: tuple[Way, ...] = ("program", "worked", "thought")
_WAYS: dict[tuple[bool, bool], tuple[Way, ...]] = {
    (True, True): ("reading", "query", "program"),
    (True, False): ("query", "plain", "program"),
    (False, True): ("reading", "program"),
    (False, False): ("program",),
}
"""The ways where there are tables, and texts; and where there is nothing to look in."""
_FIRST_OF_BOTH = 2
"""Ways of the first round where there are tables and texts, one of each; else one, and one more in each round."""
_AGAIN: tuple[Way, ...] = ("again",)
"""The first way of a step that is done again, before those that were not asked for."""


class ProgramWriter:
    """Has programs written over the tables and texts that there are, in ``most`` ways at most.

    Other prompts make better second opinions than heat: samples of a small model at a temperature are mostly broken.
    """

    def __init__(self, supervisor: Supervisor, briefing: Briefing, tools: ToolRegistry, most: int = 3) -> None:
        self._supervisor = supervisor
        self._tools = tools
        self._sources = Sources(tools)
        self._prompts = Prompts(tools, briefing, self._sources.names)
        self._most = max(1, most)

    async def write(self, effect: WritePrograms) -> Programs:
        """Programs in the ways of the next round; none where every way was asked for.

        A round has both a reading of the texts and a query of the tables where there are both: which of them the
        question is about shows in what they give. A step that is done again has one program a round.

        Raises:
            ModelError: the endpoint gave no answer at all.
        """
        goal = effect.step.description
        found = await self._sources.evidence(goal)
        question = Asked(effect.task, goal, effect.inputs, found, effect.problems, effect.earlier, effect.against)
        ways = [*_AGAIN[: len(effect.against)], *self._ways(effect.task)]
        left = [way for way in ways if way not in effect.ways]
        both = {"reading", "query"} <= {*ways} and not effect.against
        written: list[ProgramText] = []
        asked_for, fewest = 0, _FIRST_OF_BOTH if both else 1
        for asked_for, way in enumerate(left, 1):
            one = await self._written(way, question)
            written += [one] if one is not None else []
            if asked_for >= fewest and written:  # of nothing a round could make nothing
                break
        return Programs(programs=tuple(written), asked=tuple(left[:asked_for]), more=len(left) > asked_for)

    def _ways(self, task: Task) -> Sequence[Way]:
        """All ways over what there is, the most telling ones first; beside a context no texts are read as a whole."""
        tables, texts = SQL in self._sources.names, LOOKUP in self._sources.names and not task.background
        can_read = READ_TEXTS in self._tools.names and self._tools.get(READ_TEXTS).material is not None
        every = _WAYS[tables, texts] if self._sources.there else _ALONE
        return [way for way in every if way != "reading" or can_read][: self._most]

    async def _written(self, way: Way, question: Asked) -> ProgramText | None:
        """What the model writes in one way; ``None`` where nothing usable comes."""
        try:
            return await (self._read(question) if way == "reading" else self._programmed(way, question))
        except (CompletionError, AllowanceExhausted):
            return None

    async def _programmed(self, way: Way, question: Asked) -> ProgramText:
        prompt = self._prompts.of(way, question)
        most = _TOKENS.get(way, _PROGRAM_TOKENS)
        reply = await self._supervisor.text(prompt, max_tokens=most, repairs=0, likelihood=True)
        text = as_program(reply.value) if way in _QUERIES else reply.value
        likelihood = None if way in _TOKENS else reply.likelihood  # of a long text that says nothing
        return ProgramText(way=way, text=text, likelihood=likelihood)

    async def _read(self, question: Asked) -> ProgramText | None:
        texts = await every_text(self._tools, question.goal)
        if texts is None or current_ledger().calls_left() < 1:
            return None
        reply = await Shelf(self._supervisor, texts).answer(question.whole)
        return ProgramText(way="reading", text=reply.value, likelihood=reply.likelihood)


async def asked(task: Task, goal: str, inputs: Sequence[StepInput], sources: Sources) -> Asked:
    """What a step asks, with the sentences that a search finds for it."""
    return Asked(task, goal, tuple(inputs), await sources.evidence(goal))
