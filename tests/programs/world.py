"""A small folder with a table and a text, and a scripted model over it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TypeVar

from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import RunProgram, WeighResult, WritePrograms
from aeon.programs.runner import ProgramRunner
from aeon.programs.weigher import ResultWeigher
from aeon.programs.writer import ProgramWriter
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Capabilities, LLMRequest, Step, Task, ToolLoop
from aeon.schema.programs import Candidate, Programs, ProgramText, Ran, Way
from aeon.schema.weight import Weight
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import Tool
from aeon.tools.calculator import calculator
from aeon.tools.files import files
from aeon.tools.registry import ToolRegistry

__all__ = ["ITEMS", "NOTES", "PLAIN", "Folder"]

ITEMS = "item,price\nkettle,34.90\nchair,119.00\nlamp,45.00\n"
NOTES = "Delivery costs 4.90 euros. The warranty on lamps is three years.\n\nCall Ms Adler.\n"
PLAIN = Capabilities(json_schema=True, json_mode=True)
QUESTION = "What does the chair cost?"
T = TypeVar("T")


class Folder:
    """The tools of a folder that has these files, and a model that gives these replies over it."""

    def __init__(
        self,
        where: Path | None,
        replies: Sequence[Reply] | Callable[[LLMRequest], Reply] = (),
        can: Capabilities = PLAIN,
        named: dict[str, str] | None = None,
        own: Sequence[Tool] = (),
    ) -> None:
        for name, text in ({"items.csv": ITEMS, "notes.txt": NOTES} if named is None else named).items():
            assert where is not None
            (where / name).write_text(text, encoding="utf-8")
        self.model = Scripted(replies, can)
        self.supervisor = Supervisor(self.model)
        self.tools = ToolRegistry([*own, calculator(), *(files(where) if where is not None else ())])

    def write(self, question: str = QUESTION, most: int = 4, instructions: str = "", **more: object) -> Programs:
        """The programs of a round."""
        writer = ProgramWriter(self.supervisor, Briefing(instructions=instructions), self.tools, most)
        effect = WritePrograms(task=Task(text=question), step=step(question)).changed(**more)
        return self.within(writer.write(effect))

    def run(self, way: Way, text: str, question: str = QUESTION) -> Ran:
        """What a program gives."""
        effect = RunProgram(task=Task(text=question), step=step(question), program=ProgramText(way=way, text=text))
        return self.within(ProgramRunner(self.supervisor, self.tools).run(effect))

    def weigh(self, way: Way, text: str, ran: Ran, question: str = QUESTION) -> Weight:
        """What a judge makes of it."""
        candidate = Candidate(program=ProgramText(way=way, text=text), ran=ran)
        effect = WeighResult(task=Task(text=question), step=step(question), candidate=candidate)
        return self.within(ResultWeigher(self.supervisor, self.tools).weigh(effect))

    def within(self, asked: Coroutine[object, object, T]) -> T:
        """What is answered, on a ledger of many calls."""

        async def answered() -> T:
            with Ledger(Allowance(calls=50)):
                return await asked

        return asyncio.run(answered())


def step(question: str) -> Step:
    """The question as a step."""
    return Step(id="s1", description=question, action=ToolLoop(form="program"))
