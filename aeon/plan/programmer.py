"""A plan as a short program: what functions it may call, and what becomes of one that cannot run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NotRequired, TypedDict

from aeon.documents.words import special_kinds, stem, stems
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.plan.conditions import completed, unsaid, without_unsaid
from aeon.plan.differences import without_sign
from aeon.plan.doubts import doubts
from aeon.plan.evidence import Evidence
from aeon.plan.program import is_code, mended, misfits, numbers, read
from aeon.plan.queries import asks_one, borrowed, invented, is_several, queried, summed
from aeon.plan.ranks import ranked
from aeon.plan.reader import CALCULATOR, WRITE
from aeon.plan.sources import LOOKUP, SQL, About, Sources
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_CONTEXT, LONGEST_TASK, Plan, Step, Task, ToolCall, Writing
from aeon.supervisor.form import is_of_kind
from aeon.supervisor.prompt import Prompt, cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.quote import QUOTE
from aeon.tools.registry import ToolRegistry

__all__ = ["Programmer", "open_plan"]

_I = re.IGNORECASE
_PROGRAM_TOKENS = 240
_LONGEST_FAULT = 300
_LONGEST_THOUGHT = 3_000
_DATES, _TIMES, _COMPARES = "dates", "times", "compare"
_FUNCTIONS = {
    SQL: "sql(query) gives what one SELECT over the tables gives.",
    LOOKUP: "What the texts say is in the numbered sentences: copy values from them, with the number of the sentence "
    'behind #. Print "not stated" where they do not say it.',
    WRITE: "write(task) gives a text such as an explanation, a list, an email or code.",
    _DATES: "days_between(first, last), add_days(day, days) and weekday(day) take dates such as 2024-02-29.",
}
_DATE = re.compile(
    r"\b\d{4}-\d\d?-\d\d?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\bdays?\b.*\b(?:after|before|from|between|until|apart)\b|"
    r"\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b|\b(?:weekday|day of the week)\b",
    _I,
)
_TIME = re.compile(r"\b\d{1,2}[:.]\d\d\b.*\b\d{1,2}[:.]\d\d\b|\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b", _I)
_COMPARE = re.compile(r"\bor\b|\bwhich\b|\bwho\b", _I)


class _Example(TypedDict):
    """A question about other files, with its program; ``uses`` are the functions that it shows."""

    uses: list[str]
    question: str
    notes: NotRequired[str]
    program: str


class _Examples(TypedDict):
    """The examples, what their tables and texts are said to hold, and the words that only belong to them."""

    heads: dict[str, str]
    names: list[str]
    examples: list[_Example]


@dataclass(frozen=True)
class _Asked:
    """What a program is written for, in at most ``most`` steps; ``fault`` is what was wrong with a first one."""

    task: Task
    most: int
    functions: tuple[str, ...]
    about: About
    thoughts: str
    fault: str = ""

    @property
    def said(self) -> str:
        """What the person said, with the context."""
        return f"{self.about.text} {self.task.context}"

    @property
    def evidence(self) -> Evidence:
        """The sentences that the program may copy from."""
        return self.about.evidence if LOOKUP in self.functions else Evidence()


@dataclass(frozen=True)
class _Program:
    """A plan read out of a program, the tools that cannot take what it says, and what is doubtful about it."""

    plan: Plan
    unfit: dict[str, str] = field(default_factory=dict)
    doubt: str = ""

    def doubtful(self, *more: str) -> Plan:
        """The plan with its doubts: its own and others, if there are any."""
        doubts = tuple(filter(None, (self.doubt, *more)))
        return self.plan.changed(doubts=doubts) if doubts else self.plan

    @property
    def runs(self) -> bool:
        """Whether it is a plan that can run."""
        return bool(self.plan.steps) and not self.unfit


class Programmer:
    """Has programs written over the tables and the texts of a folder, for tasks that these may answer."""

    def __init__(self, supervisor: Supervisor, tools: ToolRegistry) -> None:
        self._supervisor = supervisor
        self._tools = tools
        self._sources = Sources(tools)
        self._examples: _Examples = json.loads(load("aeon.plan", "programs.json"))

    @property
    def able(self) -> bool:
        """Whether there are files to write programs about, or nothing but the calculator."""
        return bool(self._sources.names) or self._tools.offered == (CALCULATOR,)

    async def plan(self, task: Task, most: int, thoughts: str = "") -> Plan:
        """The plan of a program for the task, in at most ``most`` steps, with the help of ``thoughts`` about it.

        What an answer rests on is decided by what is there. A query that names no such table, column or value is no
        plan, and a program that leaves out what the task says is doubtful: then it is written once more, and told why;
        one that is doubtful again is no better than the first. A reply in prose is an open task. Empty where the
        program does what no step can do, and there is no text to put the task to.
        """
        about = await self._sources.about(_words(task))
        if about.is_writing if self._sources.names else not numbers(about.text):
            return open_plan(task)
        asked = _Asked(task, most, self._sources.functions(about), about, thoughts)
        program = await self._program(asked)
        fault = program.unfit.get(SQL) or program.doubt
        if fault and current_ledger().calls_left() > 1:
            again = await self._program(_without_tables(asked, program, fault))
            program = again if again.runs and not (again.doubt and program.runs) else program
        return (
            program.doubtful(borrowed(program.plan, asked.said, asked.evidence.text))
            if program.runs
            else self._asked(asked)
        )

    async def _program(self, asked: _Asked) -> _Program:
        """The plan of the program that is written for what is asked, and what is wrong with it."""
        about, text = asked.about, await self._written(asked)
        if text and not is_code(text) and not asked.evidence.sources:
            return _Program(self._prose(asked))
        plan, fault = self._read(text, asked)
        if fault or len(plan.steps) > asked.most or not self._fits(plan, about):
            return _Program(Plan(), doubt=fault)
        needed = [name for name in about.needed if name in asked.functions]
        doubt = doubts(plan, asked.said, about.named, needed, asked.evidence.text)
        unfit = self._unfit(plan, f"{asked.said}\n{asked.evidence.text}")
        return _Program(await self._with_sums(plan) if asks_one(about.text) else plan, unfit, doubt)

    def _prose(self, asked: _Asked) -> Plan:
        """What becomes of a reply that is no program: an open task, but no fact where there are files."""
        return Plan() if self._sources.names and asked.about.is_question else open_plan(asked.task)

    def _unfit(self, plan: Plan, material: str) -> dict[str, str]:
        """The tools that cannot take what the plan says, or should not, since nobody named it, each with the reason."""
        foreign = unsaid(plan, material) or invented(plan, material)
        return {**misfits(plan, self._tools), **({SQL: foreign} if foreign else {})}

    def _read(self, text: str, asked: _Asked) -> tuple[Plan, str]:
        """The plan of a program with what it evidently means, and what it says that nobody said."""
        about, faults = asked.about, list[str]()
        plan = read(text, self._tools, asked.evidence, asked.said, faults.append)
        plan = without_unsaid(plan, f"{asked.said}\n{asked.evidence.text}", about.named)
        plan = without_sign(
            mended(ranked(completed(plan, about.text, about.named), about.text), self._tools), about.text
        )
        faults += [f"no sentence says {kind!r}" for kind in _special_kinds(plan, about)]
        if {step.action.tool for step in plan.steps if isinstance(step.action, ToolCall)} == {SQL}:
            faults += [f'no file has {word!r}: print("not stated")' for word in about.unknown_things]
        return plan, faults[0] if faults else ""

    async def _with_sums(self, plan: Plan) -> Plan:
        """The plan with one number from each of its queries that would give several."""
        results = await self._sources.values(queried(plan))
        return summed(plan, [arguments["query"] for arguments, found in results if is_several(found)])

    def _fits(self, plan: Plan, about: About) -> bool:
        """Whether the plan is one for this task: it rests on something, and answers with what was asked for."""
        if self._sources.names and _is_written(plan) and about.is_question:
            return False
        return _answers(plan, about.text) and self._grounded(plan, about) and not self._foreign(plan, about)

    async def _written(self, asked: _Asked) -> str:
        """The program that the model writes."""
        shown = {*asked.functions, WRITE, CALCULATOR, *_calendar(asked.about.text)}
        if asked.evidence.sources:  # one beginning for all of these, so that it is read once
            shown = {*shown, _DATES, _COMPARES} - {CALCULATOR}
        said = " ".join(text for name, text in _FUNCTIONS.items() if name in shown)
        system = render(load("aeon.plan", "functions.md"), functions=said)
        prompt = Prompt(system, self._question(asked), self._worked(asked.functions, frozenset(shown)), fixed=True)
        try:
            return (await self._supervisor.text(prompt, max_tokens=_PROGRAM_TOKENS, repairs=0)).value
        except (CompletionError, AllowanceExhausted):
            return ""

    def _question(self, asked: _Asked) -> str:
        """The task with all that the program may rest on."""
        task = asked.task
        parts = [
            fence("context", task.context, LONGEST_CONTEXT) if task.context else "",
            fence("thoughts", asked.thoughts, _LONGEST_THOUGHT) if asked.thoughts else "",
            self._tools.get(SQL).hint if SQL in asked.functions else "",
            asked.evidence.shown,
            _put(cut(asked.about.text, LONGEST_TASK), asked.about.notes),
            f"(Mind: {asked.fault[:_LONGEST_FAULT]})" if asked.fault else "",
        ]
        return "\n".join(filter(None, parts))

    def _worked(self, functions: Sequence[str], shown: frozenset[str]) -> tuple[tuple[str, str], ...]:
        """The examples of what is offered, as turns; the first says what their files hold."""
        examples = [example for example in self._examples["examples"] if shown >= {*example["uses"]}]
        turns = [(_put(example["question"], example.get("notes", "")), example["program"]) for example in examples]
        heads = [text for name, text in self._examples["heads"].items() if name in functions]
        return (("\n".join([*heads, turns[0][0]]), turns[0][1]), *turns[1:])

    def _foreign(self, plan: Plan, about: About) -> bool:
        """Whether a step names what stands only in the examples."""
        said = stems(" ".join(str(step.action) for step in plan.steps))
        said_before = stems(about.text)
        names = frozenset(
            name for name in self._examples["names"] if stem(name) in said and stem(name) not in said_before
        )
        return bool(self._sources.unknown(names))

    def _grounded(self, plan: Plan, about: About) -> bool:
        """Whether the plan rests on something: a number of the task, a table, a text, or the task as it is."""
        actions = [step.action for step in plan.steps]
        if any(isinstance(a, Writing) or (isinstance(a, ToolCall) and a.tool in (SQL, LOOKUP, QUOTE)) for a in actions):
            return True
        return bool(numbers(about.text) & numbers(" ".join(map(str, actions))))

    def _asked(self, asked: _Asked) -> Plan:
        """The task itself, put to the texts; empty where there are none, or where it has its own numbers."""
        if LOOKUP not in self._sources.names or asked.about.is_sum:
            return Plan()
        task = asked.task
        action = ToolCall(tool=LOOKUP, arguments={"question": cut(task.text, LONGEST_TASK)})
        return Plan(steps=(Step(id="s1", description=task.text, action=action, provides=("s1",)),), answer=("s1",))


def open_plan(task: Task) -> Plan:
    """The plan of a task that needs no tool: its answer is written."""
    step = Step(id="s1", description=task.text, action=Writing(task=task.text), provides=("s1",))
    return Plan(steps=(step,), answer=("s1",))


def _is_written(plan: Plan) -> bool:
    """Whether the plan has nothing but texts that the model writes."""
    return bool(plan.steps) and all(isinstance(step.action, Writing) for step in plan.steps)


def _answers(plan: Plan, question: str) -> bool:
    """Whether what the plan quotes as its answer can be one to the question; what is computed or read later can."""
    answers = [step.action for step in plan.steps if step.id in plan.answer]
    quoted = [a.arguments or {} for a in answers if isinstance(a, ToolCall) and a.tool == QUOTE]
    return len(quoted) < len(answers) or is_of_kind(question, " ".join(str(one["value"]) for one in quoted))


def _without_tables(asked: _Asked, program: _Program, fault: str) -> _Asked:
    """What is asked the second time: without the tables where they do not bind and the texts may say it."""
    keep = program.runs or LOOKUP not in asked.functions or asked.about.tables
    functions = asked.functions if keep else tuple(name for name in asked.functions if name != SQL)
    return replace(asked, functions=functions, fault=fault)


def _special_kinds(plan: Plan, about: About) -> Iterator[str]:
    """What is asked for and what the quoted sentences have only in general."""
    calls = [step.action for step in plan.steps if isinstance(step.action, ToolCall)]
    places = [call.arguments for call in calls if call.tool == QUOTE and call.arguments is not None]
    for place in places:
        for source in about.evidence.sources:
            if (source.source, source.start) == (place["source"], place["start"]):
                yield from special_kinds(about.text, about.unknown, f"{source.heading} {source.text}")


def _put(question: str, notes: str) -> str:
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


def _words(task: Task) -> str:
    """What the person said."""
    return "\n".join([task.text, *(f"{one.question} {one.answer}" for one in task.clarifications)])
