"""A plan as a short program: what functions it may call, and what becomes of one that cannot run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from aeon.documents.words import stem, stems
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.plan.again import asked_again, offered, spelt_out
from aeon.plan.answering import Answering
from aeon.plan.citing import cited
from aeon.plan.columns import lost_columns, of_single
from aeon.plan.comparing import difference
from aeon.plan.conditions import completed, copies, guesses, unsaid, without_unsaid
from aeon.plan.differences import without_sign
from aeon.plan.doubts import doubts
from aeon.plan.misquotes import misquotes
from aeon.plan.money import of_all_sold
from aeon.plan.months import in_months
from aeon.plan.outcomes import NO_ANSWER, in_one, misfit, unasked_share
from aeon.plan.parting import Parting, confirms, is_of_several
from aeon.plan.pieces import of_pieces
from aeon.plan.program import is_code, mended, misfits, numbers, read, with_values
from aeon.plan.prompts import Asked, Prompts, as_program
from aeon.plan.queries import borrowed, invented, without_hundred
from aeon.plan.ranks import ranked
from aeon.plan.reader import CALCULATOR
from aeon.plan.rules import by_row, counts_by_rule
from aeon.plan.sources import LOOKUP, SQL, About, Sources
from aeon.plan.ties import with_ties
from aeon.plan.years import in_years
from aeon.proof.alike import alike, computed
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_TASK, Agreement, Derivation, JsonValue, Plan, Step, Task, ToolCall, Writing
from aeon.supervisor.form import asks_yes_no, is_of_kind
from aeon.supervisor.judge import Judge
from aeon.supervisor.prompt import cut
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.quote import QUOTE
from aeon.tools.registry import ToolRegistry

__all__ = ["Programmer", "open_plan"]

_PROGRAM_TOKENS = 240
_OPERATION = re.compile(r"\w\s*(?:[-+*/<>]\s)\s*\w|_between\(|\bif\b")
_SURELY_NOT = 0.25
"""The score of quoted sentences below which they are no answer at all, and the question is put to the texts."""


@dataclass(frozen=True)
class _Program:
    """A plan read out of a program, the tools that cannot take what it says, and what is doubtful about it."""

    plan: Plan
    text: str = ""
    unfit: dict[str, str] = field(default_factory=dict)
    doubt: str = ""

    @property
    def fault(self) -> str:
        """What is wrong with it, in a few words for the model; "" where nothing is."""
        return self.unfit.get(SQL) or self.doubt

    @property
    def runs(self) -> bool:
        """Whether it is a plan that can run, and gives what may be an answer."""
        return bool(self.plan.steps) and not self.unfit and self.doubt != NO_ANSWER

    def settled(self, *doubts: str, agreement: Agreement | None = None) -> Plan:
        """The plan with its own and other doubts, and with what another derivation of it says."""
        every = tuple(filter(None, (self.doubt, *doubts)))
        return self.plan.changed(doubts=every, agreement=agreement) if every or agreement else self.plan


class Programmer:
    """Has programs written over the tables and the texts of a folder, for tasks that these may answer."""

    def __init__(self, supervisor: Supervisor, tools: ToolRegistry) -> None:
        self._supervisor = supervisor
        self._answering = Answering(Judge(supervisor, samples=0))
        self._tools = tools
        self._sources = Sources(tools)
        self._prompts = Prompts(tools)
        self._parting = Parting(supervisor, self._sources, self._written)

    @property
    def able(self) -> bool:
        """Whether there are files to write programs about, or nothing but the calculator."""
        return bool(self._sources.names) or self._tools.offered == (CALCULATOR,)

    async def plan(self, task: Task, most: int, thoughts: str = "", earlier: str = "") -> Plan:
        """The plan of a program for the task, in at most ``most`` steps, with the help of ``thoughts`` about it.

        ``earlier`` tells of plans before it and of other tasks like this one.

        What an answer rests on is decided by what is there. A query that names no such table, column or value is no
        plan, and a program that leaves out what the task says is doubtful: then it is written once more, and told why;
        one that is doubtful again is no better than the first. A reply in prose is an open task. Empty where the
        program does what no step can do, and there is no text to put the task to.
        """
        about = await self._sources.about(_words(task))
        if about.is_writing if self._sources.names else not numbers(about.text):
            return open_plan(task)
        asked = Asked(task, most, self._sources.functions(about), about, thoughts, earlier=earlier)
        if asks_yes_no(task.text) and asked.functions == (LOOKUP,):
            return self._asked(asked)
        program = await self._program(asked)
        if self._applies_rule(program, asked):
            return await self._or_read(asked, await self._ruled(asked, program))
        plan = await self._combined(asked, program) or self._settled(asked, await self._again(asked, program))
        score = await self._answering.doubt(plan, asked)
        if score is None:
            return plan
        if score < _SURELY_NOT and not await self._gives(plan, asked):
            return self._asked(asked)
        return plan.changed(doubts=(*plan.doubts, f"the text may not answer exactly this: judged {score:.2f}"))

    async def _gives(self, plan: Plan, asked: Asked) -> bool:
        """Whether what a plan quotes may well give what it prints, though its sentences are doubted alone."""
        values = await self._sources.outcome(plan)
        return await self._answering.gives(plan, asked, " and ".join(map(str, values)))

    def _settled(self, asked: Asked, program: _Program, agreement: Agreement | None = None) -> Plan:
        """The plan of the program, or where that cannot run, the task put to the texts."""
        if not program.runs:
            return self._asked(asked)
        taken = borrowed(program.plan, asked.said, asked.evidence.text)
        measures = (f"no file says what is {word}" for word in asked.about.unmeasured if SQL in asked.functions)
        plan = program.settled("" if agreement else taken, *measures, agreement=agreement)
        whole = cited(plan, asked.evidence, asked.said) if taken else plan
        return whole if len(whole.steps) <= asked.most else plan

    async def _combined(self, asked: Asked, program: _Program) -> Plan | None:
        """The plan of what the texts say to each part of a question of several facts, where a program combines some.

        Where both give the same numbers, the program is a second derivation: it has read all facts at once. One that is
        at fault, such as leaving a number out, is told so first. ``None`` where it has no parts, or they do not do.
        """
        if not _combines(program, asked):
            return None
        parts = await self._judged(await self._parting.program(asked), asked)
        if not parts.runs or parts.doubt:
            return None
        mine, theirs = await self._outcome(parts), await self._outcome(program)
        if program.fault and not confirms(theirs, mine) and current_ledger().calls_left() > 1:
            program = await self._told(asked, program)
            theirs = await self._outcome(program)
        agrees = confirms(theirs, mine)
        derived = _derived("program", program, theirs, agrees=True, repeats=False)
        return self._settled(asked, parts, derived if agrees else None)

    def _applies_rule(self, program: _Program, asked: Asked) -> bool:
        """Whether a program that asks the tables has to apply to them what the texts state."""
        if not {SQL, LOOKUP} <= {*asked.functions} or f"{SQL}(" not in program.text:
            return False
        if not program.runs:
            return bool(asked.about.tables or asked.about.of_rows)
        quotes = any(isinstance(step.action, ToolCall) and step.action.tool == QUOTE for step in program.plan.steps)
        return bool(quotes or program.fault or borrowed(program.plan, asked.said, asked.evidence.text))

    async def _again(self, asked: Asked, program: _Program) -> _Program:
        """The program, or where it is at fault a second one that was told so, if that is better.

        A first one that only lacked values is read again with those that the second gives.
        """
        if not program.fault:
            return program
        known = spelt_out(program.fault, program.text, asked.about.text)
        if known and (computed := await self._judged(known, asked)).runs and not computed.doubt:
            return computed
        return program if current_ledger().calls_left() <= 1 else await self._told(asked, program)

    async def _told(self, asked: Asked, program: _Program) -> _Program:
        """The second program of a model that was told what is wrong with the first one, if it is better."""
        over_tables = program.runs or bool(_unreadable(program.text, program.plan, asked))
        told = asked_again(asked, program.fault, over_tables)
        text = await self._written(told)
        whole = with_values(program.text, text) if not program.plan.steps else ""
        if whole and (filled := await self._judged(whole, asked)).runs and not filled.doubt:
            return filled
        again = await self._judged(text, told)
        return again if again.runs and not (again.doubt and program.runs) else program

    async def _ruled(self, asked: Asked, program: _Program) -> Plan:
        """The plan of one query that applies the rule to each row, where it runs; the program is a second derivation.

        Where both give the same, or the program leaves less out, it is the other way round. A program that is at fault
        and gives something else is told so once.
        """
        by_query = replace(asked, by_query=True)
        query = await self._again(by_query, await self._program(by_query))
        if not query.runs:
            return self._settled(asked, await self._again(asked, program))
        theirs, mine = await self._outcome(query), await self._outcome(program)
        if program.fault and not _is_same(mine, theirs):
            program = await self._again(asked, program)
            mine = await self._outcome(program)
        if not mine or not theirs:
            return self._settled(asked, program if mine else query)
        agrees, repeats = _is_same(mine, theirs), _words_of(program.plan) == _words_of(query.plan)
        if not program.doubt and (agrees or query.doubt):
            return self._settled(asked, program, _derived("query", query, theirs, agrees, repeats))
        return self._settled(asked, query, _derived("program", program, mine, agrees, repeats))

    async def _or_read(self, asked: Asked, ruled: Plan) -> Plan:
        """The plan; one that is doubtful, or that another derivation contradicts, gives way to a sentence.

        It does where a program over the texts alone quotes one that, says a judge, answers exactly the question: the
        tables had nothing to do with it.
        """
        settled = not ruled.doubts and not (ruled.agreement is not None and ruled.agreement.disagrees)
        if settled or not await self._answering.able():
            return ruled
        alone = replace(asked, functions=(LOOKUP,))
        read = await self._program(alone)
        return read.plan if read.runs and not read.fault and await self._answering.says(read.plan, alone) else ruled

    async def _outcome(self, program: _Program) -> list[JsonValue]:
        """What the program gives; nothing if it cannot run."""
        return await self._sources.outcome(program.plan) if program.runs else []

    async def _program(self, asked: Asked) -> _Program:
        """The plan of the program that is written for what is asked, and what is wrong with it."""
        return await self._judged(await self._written(asked), asked)

    async def _judged(self, text: str, asked: Asked) -> _Program:
        """The plan of a program, and what is wrong with it."""
        about = asked.about
        if text and not is_code(text) and not asked.evidence.sources:
            return _Program(self._prose(asked), text)
        if (compared := await difference(text, about, self._sources)) is not None:
            return _Program(compared, text)
        plan, fault, left_out = self._read(text, asked)
        if fault or len(plan.steps) > asked.most or not self._fits(plan, about):
            return _Program(Plan(), text, doubt=_untabled(text, asked) or fault or _unreadable(text, plan, asked))
        unfit = self._unfit(plan, asked)
        whole = await with_ties(await in_one(plan, about.text, self._sources), self._sources)
        doubt = self._doubt(plan, asked) or await misfit(whole, about, self._sources) or left_out
        return _Program(whole, text, unfit, doubt)

    def _doubt(self, plan: Plan, asked: Asked) -> str:
        """What a plan leaves out of what is asked."""
        if handed := _handed_on(plan, asked.about):
            return handed
        needed = [name for name in asked.about.needed if name in asked.functions]
        doubt = doubts(plan, asked.said, asked.about.named, needed, asked.evidence.text)
        sentences = [source.text for source in asked.evidence.sources]
        return doubt or next(lost_columns(plan, asked.about.text, sentences, self._sources.tables), "")

    def _prose(self, asked: Asked) -> Plan:
        """What becomes of a reply that is no program: an open task, but no fact where there are files."""
        return Plan() if self._sources.names and asked.about.is_question else open_plan(asked.task)

    def _unfit(self, plan: Plan, asked: Asked) -> dict[str, str]:
        """The tools that cannot take what the plan says, or should not, since nobody named it, each with the reason."""
        material = _material(asked)
        unfit = misfits(plan, self._tools)
        guessed = (
            "" if SQL in unfit else unsaid(plan, f"{material}\n{offered(asked)}")
        )  # a text that no row has is told
        foreign = guessed or invented(plan, material) or unasked_share(plan, asked.about)
        return {**unfit, **({SQL: foreign} if foreign else {})}

    def _read(self, text: str, asked: Asked) -> tuple[Plan, str, str]:
        """The plan of a program with what it evidently means, what it says that nobody said, and what it guesses.

        A text of the model's own stays in a first query, and is held against those that its column has; one of a second
        query, which was told these, is left out, and so is said.
        """
        about, tables, faults = asked.about, self._sources.tables, list[str]()
        plan = read(text, self._tools, asked.evidence, asked.said, faults.append)
        material = _material(asked)
        guessed = [*guesses(plan, material)] if asked.fault else []
        own = " ".join((asked.said, *(one.value for one in about.named)))
        copied = None if asked.fault else copies(tables, own)
        plan = without_unsaid(plan, f"{material}\n{offered(asked)}", about.named, copied)
        plan = without_hundred(in_years(in_months(plan, asked.said, tables), asked.said, tables), asked.said)
        plan = by_row(of_pieces(plan, about.text, about.named), asked.said, asked.evidence.text)
        plan = of_single(plan, about.text, tables)
        plan = ranked(completed(plan, about.text, about.named, tables), about.text, tables)
        plan = of_all_sold(plan, about.text, tables)
        plan = without_sign(mended(plan, self._tools), about.text)
        faults += misquotes(plan, about)
        if {step.action.tool for step in plan.steps if isinstance(step.action, ToolCall)} == {SQL}:
            uncounted = "" if counts_by_rule(plan, about.uncounted, asked.evidence.sources) else about.uncounted
            lacking = [("file", word) for word in about.unknown_things] + [("table", uncounted)]
            faults += [f'no {where} has {word!r}: print("not stated")' for where, word in lacking if word]
        return plan, faults[0] if faults else "", f"nobody spoke of '{guessed[0]}'" if guessed else ""

    def _fits(self, plan: Plan, about: About) -> bool:
        """Whether the plan is one for this task: it rests on something, and answers with what was asked for."""
        if self._sources.names and _is_written(plan) and about.is_question:
            return False
        return _answers(plan, about.text) and self._grounded(plan, about) and not self._foreign(plan, about)

    async def _written(self, asked: Asked) -> str:
        """The program that the model writes."""
        try:
            reply = await self._supervisor.text(self._prompts.of(asked), max_tokens=_PROGRAM_TOKENS, repairs=0)
        except (CompletionError, AllowanceExhausted):
            return ""
        return as_program(reply.value) if asked.by_query else reply.value

    def _foreign(self, plan: Plan, about: About) -> bool:
        """Whether a step names what stands only in the examples."""
        said = stems(" ".join(str(step.action) for step in plan.steps))
        said_before = stems(about.text)
        names = frozenset(name for name in self._prompts.names if stem(name) in said and stem(name) not in said_before)
        return bool(self._sources.unknown(names))

    def _grounded(self, plan: Plan, about: About) -> bool:
        """Whether the plan rests on something: a number of the task, a table, a text, or the task as it is."""
        actions = [step.action for step in plan.steps]
        if any(isinstance(a, Writing) or (isinstance(a, ToolCall) and a.tool in (SQL, LOOKUP, QUOTE)) for a in actions):
            return True
        return bool(numbers(about.text) & numbers(" ".join(map(str, actions))))

    def _asked(self, asked: Asked) -> Plan:
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


def _unreadable(text: str, plan: Plan, asked: Asked) -> str:
    """What is wrong with a program that no plan comes of, or over the tables one that does what no step can do."""
    return _handed_on(plan, asked.about) or (
        f"call nothing but {SQL}(query)" if SQL in asked.functions and is_code(text) and f"{SQL}(" not in text else ""
    )


def _untabled(text: str, asked: Asked) -> str:
    """What is wrong with a program that asks no table for what their columns count."""
    by_column = SQL in asked.functions and asked.about.of_columns and is_code(text)
    return f"ask the tables, with {SQL}(query)" if by_column and f"{SQL}(" not in text else ""


def _handed_on(plan: Plan, about: About) -> str:
    """What is wrong with a plan that has the model write what is to be computed."""
    return "compute it from its numbers, without write(...)" if about.asks_sum and _is_written(plan) else ""


def _material(asked: Asked) -> str:
    """What a query may compare with: what was said, what the sentences say, and the values that are named so or so."""
    return "\n".join((asked.said, asked.evidence.text, *(one.value for one in asked.about.named)))


def _combines(program: _Program, asked: Asked) -> bool:
    """Whether a program calculates with what texts say, or compares it, be it one that cannot run; or it should."""
    by_texts = asked.functions == (LOOKUP,)
    if by_texts and is_of_several(asked.about.text):
        return True
    if not program.runs:
        return by_texts and bool(_OPERATION.search(program.text))
    tools = {step.action.tool for step in program.plan.steps if isinstance(step.action, ToolCall)}
    return QUOTE in tools and SQL not in tools and tools != {QUOTE}


def _is_written(plan: Plan) -> bool:
    """Whether the plan has nothing but texts that the model writes."""
    return bool(plan.steps) and all(isinstance(step.action, Writing) for step in plan.steps)


def _answers(plan: Plan, question: str) -> bool:
    """Whether what the plan quotes as its answer can be one to the question; what is computed or read later can."""
    answers = [step.action for step in plan.steps if step.id in plan.answer]
    quoted = [a.arguments or {} for a in answers if isinstance(a, ToolCall) and a.tool == QUOTE]
    return len(quoted) < len(answers) or is_of_kind(question, " ".join(str(one["value"]) for one in quoted))


def _is_same(one: Sequence[JsonValue], other: Sequence[JsonValue]) -> bool:
    """Whether two programs give the same, numbers as they are rounded."""
    return one == other or bool((sums := computed(one)) and alike(sums, computed(other)))


def _words_of(plan: Plan) -> list[str]:
    """What the steps of a plan do, whatever the case of letters and the spaces."""
    return ["".join(str(step.action).casefold().split()) for step in plan.steps]


def _derived(method: str, program: _Program, given: Sequence[JsonValue], agrees: bool, repeats: bool) -> Agreement:
    """What a program gives as the only other derivation of an answer; ``repeats``: it does what the plan does."""
    told = ", ".join(map(str, given))
    derivation = Derivation(method=method, text=program.text, answer=told, agrees=agrees, repeats=repeats)
    return Agreement(derivations=(derivation,))


def _words(task: Task) -> str:
    """What the person said."""
    return "\n".join([task.text, *(f"{one.question} {one.answer}" for one in task.clarifications)])
