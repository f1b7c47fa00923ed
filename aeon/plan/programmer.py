"""A plan as a short program: what functions it may call, and what becomes of one that cannot run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TypedDict

from aeon.documents.words import content_words, stem, stems
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.plan.evidence import Evidence
from aeon.plan.program import is_code, mended, misfits, numbers, read
from aeon.plan.reader import CALCULATOR, WRITE
from aeon.runtime.ledger import current_ledger
from aeon.schema import Plan, Step, Task, ToolCall, Writing
from aeon.supervisor.form import asks_form, is_of_kind
from aeon.supervisor.prompt import Prompt, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.quote import QUOTE
from aeon.tools.registry import ToolRegistry

__all__ = ["Programmer", "open_plan"]

_I = re.IGNORECASE
_PROGRAM_TOKENS = 300
_LONGEST_CONTEXT = 6_000
_LONGEST_TASK = 3_000
_LONGEST_FAULT = 300
_LOOKUP, _SQL, _DATES, _TIMES, _COMPARES = "lookup", "sql", "dates", "times", "compare"
_FUNCTIONS = {
    _SQL: "sql(query) gives what one SELECT over the tables gives.",
    _LOOKUP: "What the texts say is in the numbered sentences: copy values from them, with the number of the sentence "
    'behind #. Print "not stated" where they do not say it.',
    WRITE: "write(task) gives a text such as an explanation, a list, an email or code.",
    _DATES: "days_between(first, last), add_days(day, days) and weekday(day) take dates such as 2024-02-29.",
}
_DATE = re.compile(
    r"\b\d{4}-\d\d?-\d\d?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\bdays?\b.*\b(?:after|before|from|between|until)\b|"
    r"\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b|\b(?:weekday|day of the week)\b",
    _I,
)
_TIME = re.compile(r"\b\d{1,2}[:.]\d\d\b.*\b\d{1,2}[:.]\d\d\b|\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b", _I)
_FACT = re.compile(r"\?|^\s*(?:who|what|when|where|which|whose|how|is|are|was|were|do|does|did|has|have|can)\b", _I)
_TO_WRITE = re.compile(
    r"\b(?:explain|describe|write|list|suggest|draft|compose|translate|summari[sz]e|rewrite|rephrase|propose|invent|create|poem|code)\b",
    _I,
)
_COMPARED = re.compile(r"(?:=|LIKE)\s*\\?'([^'\\]+)\\?'", _I)
_SOURCES = (_SQL, _LOOKUP)
_COMPARE = re.compile(r"\bor\b|\bwhich\b|\bwho\b", _I)


class _Example(TypedDict):
    """A question about other files, with its program; ``uses`` are the functions that it shows."""

    uses: list[str]
    question: str
    program: str


class _Examples(TypedDict):
    """The examples, what their tables and texts are said to hold, and the words that only belong to them."""

    heads: dict[str, str]
    names: list[str]
    examples: list[_Example]


class Programmer:
    """Has programs written over the tables and the texts of a folder, for tasks that these may answer."""

    def __init__(self, supervisor: Supervisor, tools: ToolRegistry) -> None:
        self._supervisor = supervisor
        self._tools = tools
        self._examples: _Examples = json.loads(load("aeon.plan", "programs.json"))
        self._sources = tuple(name for name in _SOURCES if name in tools.names and tools.get(name).knows)

    @property
    def able(self) -> bool:
        """Whether there are files to write programs about, or nothing but the calculator."""
        return bool(self._sources) or self._tools.offered == (CALCULATOR,)

    async def plan(self, task: Task, most: int, thoughts: str = "") -> Plan:
        """The plan of a program for the task, in at most ``most`` steps, with the help of ``thoughts`` about it.

        What an answer rests on is decided by what is there: a query that names no such table, column or value is no
        plan, and then the program is written again without tables. A reply in prose is an open task. Empty where the
        program does what no step can do, and there is no text to put the task to.
        """
        if self._is_open(task):
            return open_plan(task)
        functions = self._fitting(task)
        evidence = await self._evidence(task, functions)
        plan, unfit = await self._program(task, most, functions, evidence, thoughts)
        if _SQL in unfit and current_ledger().calls_left() > 1:
            if _LOOKUP in functions and not self._only(task)[0]:  # what no table says may stand in a text
                functions = tuple(name for name in functions if name != _SQL)
            plan, unfit = await self._program(task, most, functions, evidence, thoughts, unfit[_SQL])
        return self._asked(task) if unfit or not plan.steps else plan

    def _is_open(self, task: Task) -> bool:
        """Whether the task asks for a text rather than for something that is computed or that the files may say."""
        text = _words(task)
        if not self._sources:
            return not numbers(text)
        if not _TO_WRITE.search(text) and not asks_form(text):
            return False
        words = content_words(text)
        known = self._known(_SQL, words) | self._known(_LOOKUP, words)
        return len(known) * 2 < len(words) or not words

    async def _evidence(self, task: Task, functions: Sequence[str]) -> Evidence:
        """What the texts say that may answer the task, where they are offered."""
        if _LOOKUP not in functions:
            return Evidence()
        question = _words(task)[:_LONGEST_TASK]
        return Evidence((await self._tools.call(_LOOKUP, {"question": question})).value, question)

    async def _program(
        self, task: Task, most: int, functions: Sequence[str], evidence: Evidence, thoughts: str, fault: str = ""
    ) -> tuple[Plan, dict[str, str]]:
        """The plan of the program that is written with these functions, and the tools that cannot take what it says."""
        text = await self._written(task, functions, evidence, thoughts, fault)
        if text and not is_code(text) and not evidence.sources:
            return Plan() if self._sources and _is_question(task.text) else open_plan(task), {}
        plan = mended(read(text, self._tools, evidence, f"{_words(task)} {task.context}"), self._tools)
        if len(plan.steps) > most or not self._fits(plan, task):
            return Plan(), {}
        unsaid = _unsaid(plan, f"{_words(task)} {task.context} {evidence.shown}")
        return plan, {**misfits(plan, self._tools), **({_SQL: unsaid} if unsaid else {})}

    def _fits(self, plan: Plan, task: Task) -> bool:
        """Whether the plan is one for this task: it rests on something, and answers with what was asked for."""
        if self._sources and _is_written(plan) and _is_question(task.text):
            return False
        return _answers(plan, task.text) and self._grounded(plan, task) and not self._foreign(plan, task)

    def _fitting(self, task: Task) -> tuple[str, ...]:
        """The functions that may answer: by the words of the task that tables and texts know."""
        only_table, only_text, both = self._only(task)
        names = []
        if only_table or (both and not only_text):
            names.append(_SQL)
        if _LOOKUP in self._sources and (only_text or not only_table):
            names.append(_LOOKUP)
        return (*names, WRITE)

    def _only(self, task: Task) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """The words of the task that only the tables know, only the texts, and both."""
        words = content_words(_words(task))
        by_table, by_text = (self._known(name, words) for name in (_SQL, _LOOKUP))
        return by_table - by_text, by_text - by_table, by_table & by_text

    def _known(self, tool: str, words: frozenset[str]) -> frozenset[str]:
        knows = self._tools.get(tool).knows if tool in self._sources else None
        return words & knows(words) if knows else frozenset()

    async def _written(
        self, task: Task, functions: Sequence[str], evidence: Evidence, thoughts: str, fault: str
    ) -> str:
        """The program that the model writes with these functions; ``fault`` is what was wrong with a first one."""
        shown = {*functions, CALCULATOR, *_calendar(_words(task))} - ({CALCULATOR} if evidence.sources else set())
        said = " ".join(text for name, text in _FUNCTIONS.items() if name in shown)
        system = render(load("aeon.plan", "functions.md"), functions=said)
        user = self._question(task, functions, evidence, thoughts, fault)
        prompt = Prompt(system, user, self._worked(functions, frozenset(shown)), fixed=True)
        try:
            return (await self._supervisor.text(prompt, max_tokens=_PROGRAM_TOKENS, repairs=0)).value
        except (CompletionError, AllowanceExhausted):
            return ""

    def _question(self, task: Task, functions: Sequence[str], evidence: Evidence, thoughts: str, fault: str) -> str:
        """The task with all that the program may rest on."""
        parts = [
            fence("context", task.context, _LONGEST_CONTEXT) if task.context else "",
            fence("thoughts", thoughts, _LONGEST_CONTEXT) if thoughts else "",
            self._tools.get(_SQL).hint if _SQL in functions else "",
            evidence.shown,
            f"Question: {_words(task)[:_LONGEST_TASK]}",
            f"(A first program was wrong: {fault[:_LONGEST_FAULT]})" if fault else "",
        ]
        return "\n".join(filter(None, parts))

    def _worked(self, functions: Sequence[str], shown: frozenset[str]) -> tuple[tuple[str, str], ...]:
        """The examples of what is offered, as turns; the first says what their files hold."""
        turns = [
            (f"Question: {e['question']}", e["program"]) for e in self._examples["examples"] if shown >= {*e["uses"]}
        ]
        heads = [text for name, text in self._examples["heads"].items() if name in functions]
        return (("\n".join([*heads, turns[0][0]]), turns[0][1]), *turns[1:])

    def _foreign(self, plan: Plan, task: Task) -> bool:
        """Whether a step names what stands only in the examples."""
        said = stems(" ".join(str(step.action) for step in plan.steps))
        said_before = stems(_words(task))
        names = frozenset(
            name for name in self._examples["names"] if stem(name) in said and stem(name) not in said_before
        )
        return bool(names - self._known(_SQL, names) - self._known(_LOOKUP, names))

    def _grounded(self, plan: Plan, task: Task) -> bool:
        """Whether the plan rests on something: a number of the task, a table, a text, or the task as it is."""
        actions = [step.action for step in plan.steps]
        if any(isinstance(a, Writing) or (isinstance(a, ToolCall) and a.tool in (*_SOURCES, QUOTE)) for a in actions):
            return True
        return bool(numbers(_words(task)) & numbers(" ".join(map(str, actions))))

    def _asked(self, task: Task) -> Plan:
        """The task itself, put to the texts; empty where there are none."""
        if _LOOKUP not in self._sources:
            return Plan()
        action = ToolCall(tool=_LOOKUP, arguments={"question": task.text[:_LONGEST_TASK]})
        return Plan(steps=(Step(id="s1", description=task.text, action=action, provides=("s1",)),), answer=("s1",))


def open_plan(task: Task) -> Plan:
    """The plan of a task that needs no tool: its answer is written."""
    step = Step(id="s1", description=task.text, action=Writing(task=task.text), provides=("s1",))
    return Plan(steps=(step,), answer=("s1",))


def _is_written(plan: Plan) -> bool:
    """Whether the plan has nothing but texts that the model writes."""
    return bool(plan.steps) and all(isinstance(step.action, Writing) for step in plan.steps)


def _unsaid(plan: Plan, said: str) -> str:
    """What is wrong with a query that compares with a text that nobody named; such as a value of a first row."""
    there = stems(said)
    queries = [str(a.arguments) for a in (s.action for s in plan.steps) if isinstance(a, ToolCall) and a.tool == _SQL]
    for text in _COMPARED.findall(" ".join(queries)):
        if (words := stems(text)) and not words & there and not re.search(r"\d|%", text):
            return f"the question does not say '{text}'"
    return ""


def _answers(plan: Plan, question: str) -> bool:
    """Whether what the plan quotes as its answer can be one to the question; what is computed or read later can."""
    answers = [step.action for step in plan.steps if step.id in plan.answer]
    quoted = [a.arguments or {} for a in answers if isinstance(a, ToolCall) and a.tool == QUOTE]
    return len(quoted) < len(answers) or is_of_kind(question, " ".join(str(one["value"]) for one in quoted))


def _is_question(text: str) -> bool:
    """Whether a text asks for a fact, rather than for something to be written."""
    return bool(_FACT.search(text)) and not _TO_WRITE.search(text)


def _calendar(text: str) -> Iterator[str]:
    """The kinds of calculation with dates and times of day that a text may need."""
    if _DATE.search(text):
        yield _DATES
    if _TIME.search(text):
        yield _TIMES
    if _COMPARE.search(text):
        yield _COMPARES


def _words(task: Task) -> str:
    """What the person said."""
    return "\n".join([task.text, *(f"{one.question} {one.answer}" for one in task.clarifications)])
