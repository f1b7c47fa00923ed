"""What the model is asked for a plan: a short program over tables and texts, or one query that applies a rule."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NotRequired, TypeAlias, TypedDict

from aeon.plan.columns import unfilled
from aeon.plan.evidence import Evidence
from aeon.plan.program import unfenced
from aeon.plan.reader import CALCULATOR, WRITE
from aeon.plan.sources import LOOKUP, SQL, About
from aeon.schema import LONGEST_CONTEXT, LONGEST_TASK, ShortReading, Task
from aeon.supervisor.prompt import Prompt, cut, fence, load, render
from aeon.supervisor.questions import asks_leave, asks_yes_no
from aeon.tools.registry import ToolRegistry

__all__ = ["Asked", "Form", "Prompts", "as_program"]

Form: TypeAlias = Literal["program", "rule", "query", "plain"]
"""What is to be written: a program over tables and texts, a query that applies what the sentences state to each row, or
a query of the tables alone, behind examples or plain."""

_LONGEST_FAULT = 300
_LONGEST_THOUGHT = 3_000
_I = re.IGNORECASE
_DATES, _TIMES, _COMPARES = "dates", "times", "compare"
_FUNCTIONS = {
    SQL: "sql(query) gives what one SELECT over the tables gives.",
    LOOKUP: "What the texts say is in the numbered sentences: copy values from them, with the number of the sentence "
    'behind #. Print "not stated" where they do not say it.',
    WRITE: "write(task) gives a text such as an explanation, a list, an email or code.",
    _DATES: "days_between(first, last), add_days(day, days) and weekday(day) take dates such as 2024-02-29; "
    "hours_between(first, last) takes times such as 8:30.",
}
_DATE = re.compile(
    r"\b\d{4}-\d\d?-\d\d?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\bdays?\b.*\b(?:after|before|from|between|until|apart)\b|"
    r"\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b|\b(?:weekday|day of the week)\b",
    _I,
)
_TIME = re.compile(r"\b\d{1,2}[:.]\d\d\b.*\b\d{1,2}[:.]\d\d\b|\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b", _I)
_QUERY = re.compile(r"\(*\s*(?:select|with)\b", _I)
_COMPARE = re.compile(r"\bor\b|\bwhich\b|\bwho\b", _I)


class _Example(TypedDict):
    """A question about other files, with its program or query; ``uses`` are the functions that it shows."""

    uses: NotRequired[list[str]]
    question: str
    notes: NotRequired[str]
    program: str


class _Queries(TypedDict):
    """Examples of queries, and what their tables and texts are said to hold."""

    head: str
    examples: list[_Example]


class _Examples(TypedDict):
    """The examples, what their tables and texts are said to hold, and the words that only belong to them."""

    heads: dict[str, str]
    names: list[str]
    examples: list[_Example]
    rules: _Queries
    queries: _Queries


@dataclass(frozen=True)
class Asked:
    """What a plan is written for, in at most ``most`` steps; ``fault`` is what was wrong with a first one.

    ``earlier`` is what `earlier` says of plans before it. ``read`` is what a model read in all texts. ``likelihoods``
    are those of the programs that were written for it.
    """

    task: Task
    most: int
    functions: tuple[str, ...]
    about: About
    thoughts: str
    fault: str = ""
    form: Form = "program"
    earlier: str = ""
    read: ShortReading | None = field(default=None, compare=False)
    likelihoods: list[float | None] = field(default_factory=list, compare=False)

    @property
    def by_query(self) -> bool:
        """Whether it is to be one query, which stands alone."""
        return self.form != "program"

    @property
    def said(self) -> str:
        """What the person said, with the context."""
        return f"{self.about.text} {self.task.context}"

    @property
    def is_of_rules(self) -> bool:
        """Whether it is a question of yes or no for texts alone, or for what is allowed.

        Of the words of such a one the texts alone know some, and more than the tables alone do.
        """
        by_texts = self.functions == (LOOKUP,) and asks_yes_no(self.task.text)
        of_texts = LOOKUP in self.functions and len(self.about.texts) > len(self.about.tables)
        return by_texts or (of_texts and asks_leave(self.task.text))

    @property
    def evidence(self) -> Evidence:
        """The sentences that the program may copy from."""
        return self.about.evidence if LOOKUP in self.functions else Evidence()


class Prompts:
    """Makes the prompts; ``names`` are the words that stand only in their examples."""

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools
        self._examples: _Examples = json.loads(load("aeon.plan", "programs.json"))
        self.names: frozenset[str] = frozenset(self._examples["names"])

    def of(self, asked: Asked) -> Prompt:
        """The prompt for what is asked, after examples of it."""
        match asked.form:
            case "program":
                return self._program(asked)
            case "rule":
                rules = self._examples["rules"]
                return self._query("rules.md", self._question(asked), self._hint(asked), rules)
            case "query":
                return self._of_tables(asked, self._examples["queries"])
        return self._of_tables(asked)

    def _program(self, asked: Asked) -> Prompt:
        shown = {*asked.functions, WRITE, CALCULATOR, *_calendar(asked.about.text)}
        if asked.evidence.sources:  # one beginning for all of these, so that it is read once
            shown = {*shown, _DATES, _COMPARES} - {CALCULATOR}
        said = " ".join(text for name, text in _FUNCTIONS.items() if name in shown)
        system = render(load("aeon.plan", "functions.md"), functions=said)
        examples = [example for example in self._examples["examples"] if shown >= {*example.get("uses", ())}]
        heads = [text for name, text in self._examples["heads"].items() if name in asked.functions]
        return Prompt(system, self._question(asked), _worked("\n".join(heads), examples), True, self._hint(asked))

    def _query(self, how: str, question: str, tables: str, shown: _Queries | None = None) -> Prompt:
        worked = _worked(shown["head"], shown["examples"]) if shown else ()
        return Prompt(load("aeon.plan", how), question, worked, fixed=True, shared=tables)

    def _of_tables(self, asked: Asked, shown: _Queries | None = None) -> Prompt:
        """The prompt for a query, with the task below the tables that it may rest on."""
        tables = self._tools.get(SQL).schema
        parts = [
            tables,
            unfilled(asked.about.text, self._tools.get(SQL).tables),
            fence("context", asked.task.background, LONGEST_CONTEXT) if asked.task.background else "",
            fence("thoughts", asked.thoughts, _LONGEST_THOUGHT) if asked.thoughts else "",
            asked.earlier,
            f"\n{_put(cut(asked.about.text, LONGEST_TASK))}",
            f"(Mind: {asked.fault[:_LONGEST_FAULT]})" if asked.fault else "",
        ]
        return self._query("tables.md", "\n".join(filter(None, parts)), tables, shown)

    def _hint(self, asked: Asked) -> str:
        """What a program is told of the tables."""
        return self._tools.get(SQL).hint if SQL in asked.functions else ""

    def _question(self, asked: Asked) -> str:
        """The task with all that the program may rest on."""
        task = asked.task
        parts = [
            fence("context", task.background, LONGEST_CONTEXT) if task.background else "",
            fence("thoughts", asked.thoughts, _LONGEST_THOUGHT) if asked.thoughts else "",
            self._hint(asked),
            asked.evidence.shown,
            asked.earlier,
            _put(cut(asked.about.text, LONGEST_TASK), asked.about.notes(asked.functions)),
            f"(Mind: {asked.fault[:_LONGEST_FAULT]})" if asked.fault else "",
        ]
        return "\n".join(filter(None, parts))


def _worked(head: str, examples: Sequence[_Example]) -> tuple[tuple[str, str], ...]:
    """The examples as turns; the first says what their files hold."""
    turns = [(_put(example["question"], example.get("notes", "")), example["program"]) for example in examples]
    return ((f"{head}\n{turns[0][0]}" if head else turns[0][0], turns[0][1]), *turns[1:])


def as_program(query: str) -> str:
    """The program that prints what a query gives, which stands alone or between fences; anything else as it is."""
    text = unfenced(query).strip().rstrip(";")
    return f"print(sql({text!r}))" if _QUERY.match(text) else text


def _put(question: str, notes: str = "") -> str:
    """A question as a prompt puts it, with what is known of its words."""
    return f"Question: {question}" + (f"\n({notes})" if notes else "")


def _calendar(text: str) -> Iterator[str]:
    """The kinds of calculation with dates and times of day that a text may need."""
    if _DATE.search(text):
        yield _DATES
    if _TIME.search(text):
        yield _TIMES
    if _COMPARE.search(text):
        yield _COMPARES
