"""What a model is asked for: a query of the tables, a short program, or a worked answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NotRequired, TypedDict

from aeon.programs.evidence import Evidence
from aeon.programs.parse import unfenced
from aeon.programs.reader import CALCULATOR, WRITE
from aeon.programs.sources import LOOKUP, SQL
from aeon.schema import LONGEST_CONTEXT, LONGEST_TASK, StepInput, Task
from aeon.schema.programs import Way
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import Prompt, cut, fence, load, render
from aeon.tools.registry import ToolRegistry
from aeon.tools.typetext import signature

__all__ = ["Asked", "Prompts", "as_program", "asked_of", "is_query"]

_LONGEST_PROBLEM = 300
_LONGEST_INPUT = 1_000
_LONGEST_HINTS = 4_000
_LONGEST_TABLES = 8_000
_TABLES = "tables"
_OF_FOLDERS = ("list_files", "search_files")
_MOST_PROBLEMS = 2
_NONE = "(none)"
_DATES, _TIMES, _COMPARES = "dates", "times", "compare"
_FUNCTIONS = {
    SQL: "sql(query) gives what one SELECT over the tables gives.",
    LOOKUP: "What the texts say is in the numbered sentences: copy values from them, with the number of the sentence "
    'behind #. Print "not stated" where they do not say it.',
    WRITE: "write(task) gives a text such as an explanation, a list, an email or code; behind # stand the sentences "
    "that it is to be written from.",
    _DATES: "days_between(first, last), add_days(day, days) and weekday(day) take dates such as 2024-02-29; "
    "hours_between(first, last) takes times such as 8:30.",
}
_QUERY = re.compile(r"\(*\s*(?:select|with)\b", re.IGNORECASE)


class _Example(TypedDict):
    """A question about other files, with its program or query; ``uses`` are the functions that it shows."""

    uses: NotRequired[list[str]]
    question: str
    program: str


class _Shown(TypedDict):
    """Examples, and what their tables and texts are said to hold."""

    head: str
    examples: list[_Example]


class _Examples(TypedDict):
    """The examples, and what their tables and texts are said to hold."""

    heads: dict[str, str]
    examples: list[_Example]
    queries: _Shown
    worked: list[_Example]


@dataclass(frozen=True)
class Asked:
    """What a step asks: its ``goal``, the task that it is of, what other steps gave, and the sentences found for it.

    ``problems`` are what kept earlier programs from giving anything. ``earlier`` is an answer that was given, and
    ``against`` what was found in it.
    """

    task: Task
    goal: str
    inputs: tuple[StepInput, ...] = ()
    found: Evidence = field(default_factory=Evidence)
    problems: tuple[str, ...] = ()
    earlier: str = ""
    against: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """The goal, with what was asked back and answered where it is the task itself."""
        return asked_of(self.task) if self.goal == self.task.text else self.goal

    @property
    def said(self) -> str:
        """All that needs no source: the task, its context, and what other steps gave."""
        return "\n".join([asked_of(self.task), self.goal, self.task.context, *(str(one.output) for one in self.inputs)])


def asked_of(task: Task) -> str:
    """What the person asked, with what was asked back and answered."""
    return "\n".join([task.text, *(f"{one.question} {one.answer}" for one in task.clarifications)])


class Prompts:
    """Makes the prompts over the sources of ``functions``, which are the names of tools that ask them."""

    def __init__(self, tools: ToolRegistry, briefing: Briefing, functions: Sequence[str]) -> None:
        self._tools = tools
        self._briefing = briefing
        self._functions = functions
        self._same: dict[bool, tuple[str, tuple[tuple[str, str], ...]]] = {}
        self._examples: _Examples = json.loads(load("aeon.programs", "programs.json"))

    def of(self, way: Way, asked: Asked) -> Prompt:
        """The prompt for one way, after examples of it."""
        match way:
            case "query":
                return self._of_tables(asked, self._examples["queries"])
            case "worked":
                examples = [(one["question"], one["program"]) for one in self._examples["worked"]]
                system = self._briefing.instructed(load("aeon.programs", "worked.md"))
                return Prompt(system, _joined(self._about(asked)), tuple(examples), fixed=True)
            case "thought":
                system = self._briefing.instructed(load("aeon.programs", "thought.md"))
                return Prompt(system, _joined(self._about(asked)))
            case "plain":
                return self._of_tables(asked)
        return self._program(asked, again=way == "again")

    def _program(self, asked: Asked, again: bool = False) -> Prompt:
        system, worked = self._by_sources(bool(asked.found.sources))
        found, hint = asked.found.shown if LOOKUP in self._functions else "", self._hint
        parts = [hint, self._told(), found, *self._about(asked), _found(asked) if again else ""]
        return Prompt(system, _joined(parts), worked, True, hint)

    def _by_sources(self, has_sources: bool) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What is the same for every program, by whether sentences were found: the instructions, and the examples."""
        if has_sources not in self._same:
            self._same[has_sources] = self._instructions(() if has_sources else (CALCULATOR,))
        return self._same[has_sources]

    def _instructions(self, beside: Sequence[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
        there = {*self._functions, WRITE, _DATES, _TIMES, _COMPARES, *beside}
        said = [text for name, text in _FUNCTIONS.items() if name in there]
        system = render(load("aeon.programs", "functions.md"), functions=" ".join([*said, *self._own()]))
        shown = [example for example in self._examples["examples"] if there >= {*example.get("uses", ())}]
        said_of = {**self._examples["heads"], SQL: fence(_TABLES, self._examples["heads"][SQL], _LONGEST_TABLES)}
        heads = [text for name, text in said_of.items() if name in self._functions]
        return self._briefing.instructed(system), _worked("\n".join(heads), shown)

    def _own(self) -> list[str]:
        """The tools of the user's own, as functions."""
        own = [f"{self._call_of(name)}: {' '.join(self._tools.get(name).description.split())}" for name in self._others]
        return ["Besides there are:", *own] if own else []

    def _call_of(self, name: str) -> str:
        """How a tool is called; those of a folder are named alone."""
        return name if name in _OF_FOLDERS else f"{name}({signature(self._tools.get(name).parameters)})"

    def _told(self) -> str:
        """What the tools of the user's own say of themselves beside that: data, and no instruction."""
        hints = [f"{name}: {hint}" for name in self._others if (hint := self._tools.get(name).hint)]
        return fence("functions", "\n".join(hints), _LONGEST_HINTS) if hints else ""

    @property
    def _others(self) -> list[str]:
        return [name for name in self._tools.offered if name not in (SQL, LOOKUP, CALCULATOR)]

    def _of_tables(self, asked: Asked, shown: _Shown | None = None) -> Prompt:
        """The prompt for a query, with the question below the tables that it may rest on."""
        tables = fence(_TABLES, self._tools.get(SQL).schema, _LONGEST_TABLES)
        head = fence(_TABLES, shown["head"], _LONGEST_TABLES) if shown else ""
        worked = _worked(head, shown["examples"]) if shown else ()
        system = self._briefing.instructed(load("aeon.programs", "tables.md"))
        return Prompt(system, _joined([tables, *self._about(asked)]), worked, fixed=True, shared=tables)

    @cached_property
    def _hint(self) -> str:
        """What a program is told of the tables: names and cells of files, so that it is data."""
        return fence(_TABLES, self._tools.get(SQL).hint, _LONGEST_TABLES) if SQL in self._functions else ""

    def _about(self, asked: Asked) -> list[str]:
        """The question with what belongs to it, behind all that stays the same."""
        task = asked.task
        context = fence("context", task.background, LONGEST_CONTEXT) if task.background else ""
        known = [fence(one.names[0], f"{one.description}\n{one.output}", _LONGEST_INPUT) for one in asked.inputs]
        told = "; ".join(one[:_LONGEST_PROBLEM] for one in asked.problems[-_MOST_PROBLEMS:])
        return [
            context,
            *known,
            _put(cut(asked.whole, LONGEST_TASK)),
            f"Mind:\n{fence('problems', told, _LONGEST_INPUT)}" if told else "",
        ]


def _found(asked: Asked) -> str:
    """An earlier answer, and what was found in it."""
    found = "\n".join(asked.against)
    return render(
        load("aeon.programs", "again.md").strip(),
        earlier=fence("earlier answer", asked.earlier or _NONE, _LONGEST_INPUT),
        found=fence("found", found, _LONGEST_INPUT),
    )


def _joined(parts: Sequence[str]) -> str:
    return "\n".join(filter(None, parts))


def _worked(head: str, examples: Sequence[_Example]) -> tuple[tuple[str, str], ...]:
    """The examples as turns; the first says what their files hold."""
    turns = [(_put(example["question"]), example["program"]) for example in examples]
    return ((f"{head}\n{turns[0][0]}" if head else turns[0][0], turns[0][1]), *turns[1:])


def is_query(text: str) -> bool:
    """Whether a text begins as a query does."""
    return _QUERY.match(text) is not None


def as_program(query: str) -> str:
    """The program that prints what a query gives, which stands alone or between fences; anything else as it is."""
    text = unfenced(query).strip().rstrip(";")
    return f"print(sql({text!r}))" if is_query(text) else text


def _put(question: str) -> str:
    """A question as a prompt puts it."""
    return f"Question: {question}"
