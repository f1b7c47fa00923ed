"""A plan as a short program: what functions it may call, and what becomes of one that cannot run."""

from __future__ import annotations

from dataclasses import replace

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.plan.again import asked_again, spelt_out
from aeon.plan.answering import LIKELY, Answering, doubtful, is_quotation
from aeon.plan.byparts import ByParts, Parted, combines
from aeon.plan.bytexts import ByTexts, Told
from aeon.plan.checking import Candidate, Checker, open_plan, unreadable
from aeon.plan.citing import cited
from aeon.plan.derived import derived, does_the_same, is_same
from aeon.plan.following import Following
from aeon.plan.fromtexts import FromTexts
from aeon.plan.parting import Parting, confirms
from aeon.plan.program import numbers, with_values
from aeon.plan.prompts import Asked, Prompts, as_program
from aeon.plan.queries import borrowed
from aeon.plan.reader import CALCULATOR
from aeon.plan.sources import LOOKUP, SQL, Sources
from aeon.plan.twice import Held, Twice
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_TASK, Agreement, JsonValue, Plan, Step, Task, ToolCall
from aeon.supervisor.judge import Judge
from aeon.supervisor.prompt import cut
from aeon.supervisor.short_answers import MOST_SENTENCES
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.material import Material
from aeon.tools.quote import QUOTE
from aeon.tools.registry import ToolRegistry

__all__ = ["Programmer"]

_PROGRAM_TOKENS = 240
_QUERY = 4
"""Calls that a query takes: its program, another one, the judgment, and the answer."""
_SURELY = 0.6
"""The score of a query from which on it is undoubted though no word of the question spoke for the tables."""
_SURE = 0.3
"""The likelihood of a first program from which on a quotation is read once only: eight of nine were right."""
_SURELY_NOT = 0.25
"""The score of quoted sentences below which they are no answer at all, and the question is put to the texts."""


class Programmer:
    """Has programs written over the tables and the texts of a folder, for tasks that these may answer."""

    def __init__(self, supervisor: Supervisor, tools: ToolRegistry, twice: bool = False) -> None:
        """``twice``: what a query gives is held against what a second one does."""
        self._supervisor = supervisor
        self._answering = Answering(Judge(supervisor, samples=0))
        self._tools = tools
        self._hint = tools.get(SQL).hint if SQL in tools.names else ""
        self._sources = Sources(tools)
        self._prompts = Prompts(tools)
        self._checker = Checker(tools, self._sources, self._prompts.names)
        self._from_texts = FromTexts(tools)
        self._following = Following(self._sources, tools.get(SQL).names if self._sources.tables else None)
        self._twice = Twice(self._written, self._checker, self._sources) if twice else None
        self._by_texts = ByTexts(supervisor, tools, bool(self._sources.tables)) if twice else None
        parting = Parting(supervisor, self._sources, self._written, self._by_texts)
        self._by_parts = ByParts(parting, self._checker, self._sources)

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
        if (written := self._from_texts.plan(task, about)) is not None:
            return written
        if about.is_writing if self._sources.names else not numbers(about.text):
            return open_plan(task)
        asked = Asked(task, most, self._sources.functions(about), about, thoughts, earlier=earlier)
        plan = await self._following.of(about.text, await self._planned(asked), about.evidence.sources)
        first = next(iter(asked.likelihoods), None)
        return plan if first is None else plan.changed(likelihood=first)

    async def _planned(self, asked: Asked) -> Plan:
        """The plan of a question of yes or no, for the tables alone, or that the texts answer; else of a program."""
        if asked.is_of_rules:
            return self._asked(asked)
        if asked.functions == (SQL,):
            return await self._finished(asked, await self._queried(asked))
        told = await self._by_texts.told(asked) if self._by_texts is not None else None
        if told is None:
            return await self._programmed(asked)
        asked = replace(asked, read=told.short)
        return await self._by_told(asked, told) or await self._programmed(asked)

    async def _by_told(self, asked: Asked, told: Told) -> Plan | None:
        """The plan by what a model says of the texts; ``None`` where a program is to be written.

        Where the texts do not seem to say it, the tables are asked first.
        """
        if told.plan is not None:
            return told.plan
        if SQL in asked.functions:
            return await self._confirmed(asked, told) if told.of_texts else None
        plan = await (
            self._confirmed(asked, told) if told.of_texts else self._tabled(asked, unsaid=not asked.about.unknown_asked)
        )
        return plan or self._asked(asked)

    async def _confirmed(self, asked: Asked, told: Told) -> Plan | None:
        """The plan of a program that quotes from a few sentences what all texts together say to the question.

        ``None`` where it quotes another value: then the texts are asked as they are. It is doubtful where a judge
        doubts that what it quotes is an answer. No program is asked for what they do not say. One that calculates with
        what they say is taken for what it is: a plain answer is none then.
        """
        if not told.answers:
            return None
        alone = replace(asked, functions=(LOOKUP,))
        program = await self._program(alone)
        plan = program.plan
        if not program.runs or program.fault:
            return None
        if not is_quotation(plan):
            return None if SQL in asked.functions else await self._programmed(alone, program)
        given = await self._sources.outcome(plan)
        agreement = told.confirms(asked.about.text, given[0]) if len(given) == 1 else None
        if agreement is None:
            return None
        return doubtful(plan.changed(agreement=agreement), await self._answering.doubt(plan, alone))

    async def _programmed(self, asked: Asked, program: Candidate | None = None) -> Plan:
        """The plan of a program over the tables and the texts: of one that is there, or is written for it."""
        by_parts = program is None and self._by_parts.leads(asked)
        parted = await self._by_parts.of(asked) if by_parts else None
        if parted is not None and parted.vouched is not None:
            asked.likelihoods.append(parted.likelihood)
            return parted.plan
        program = program or await self._program(asked)
        if (tabled := await self._by_tables(asked, program)) is not None:
            return tabled
        if not by_parts and combines(program, asked):
            parted = await self._by_parts.of(asked)
        if parted is not None:
            return await self._judged(parted.asked, await self._combined(asked, program, parted))
        return await self._judged(asked, await self._or_asked(asked, await self._again(asked, program)))

    async def _by_tables(self, asked: Asked, program: Candidate) -> Plan | None:
        """The plan where a program asks the tables, or has to apply to them what texts state; ``None`` where not."""
        held = await self._queried(asked, program) if self._is_query(program) else None
        if held is not None and held.agreed:
            return await self._finished(asked, held)
        ruled = await self._ruled(asked, program) if self._applies_rule(program, asked) else None
        if ruled is not None:
            return await self._or_read(asked, ruled)
        return await self._finished(asked, held) if held is not None else None

    def _is_query(self, program: Candidate) -> bool:
        """Whether a program asks the tables, so that another query can be held against it."""
        return self._twice is not None and f"{SQL}(" in program.text

    async def _queried(self, asked: Asked, program: Candidate | None = None) -> Held:
        """A query of the tables alone, or the program or second query if that is better; with what the other gives."""
        over = replace(asked, functions=(SQL,), form="query")
        if program is not None and current_ledger().calls_left() <= 1:
            return Held(program)
        query = await self._program(over)
        if self._twice is None:
            return Held(query)
        return await (self._twice.held(over, query, program) if program else self._twice.of(over, query))

    async def _finished(self, asked: Asked, held: Held) -> Plan:
        """The plan of a query; one at fault that no other agrees with is written once more, and told so.

        What the other gave stays on record: a third one settles nothing. Where it finds no row, and a sentence of the
        texts has an answer, or the question presumes a row, these are asked: nobody is "none". So they are for what no
        file has a word for.
        """
        made, question = held.query.plan, asked.about.text
        if LOOKUP in self._sources.names and (
            await self._answering.unsaid(made, asked, self._hint) or await self._sources.lacks(made, question)
        ):
            return self._asked(asked)
        if held.query.runs and (held.agreed or not held.query.fault):
            return self._settled(asked, held.query, held.agreement)
        again = await self._again(replace(asked, form="query"), held.query)
        if asked.read is not None and asked.read.source is not None and not await self._found(again):
            return self._asked(asked)
        return self._settled(asked, again, held.agreement)

    async def _judged(self, asked: Asked, plan: Plan) -> Plan:
        """The plan, doubtful where a judge doubts that what it quotes is an answer; where that is none, another one."""
        score = await self._answering.doubt(plan, asked)
        if score is not None and score < _SURELY_NOT and not await self._gives(plan, asked):
            return await self._tabled(asked) or self._asked(asked)
        return await self._read_twice(asked, doubtful(plan, score))

    async def _read_twice(self, asked: Asked, plan: Plan) -> Plan:
        """A plan that quotes one value, with what a plain reading of more sentences gives.

        Not where the model was sure of its program, and nothing is doubtful: that tells as much.
        """
        sure = (next(iter(asked.likelihoods), None) or 0.0) >= _SURE and not plan.doubts
        given = await self._sources.outcome(plan) if is_quotation(plan) and not sure else []
        if len(given) != 1 or plan.agreement is not None or self._by_texts is None:
            return plan
        more = Material(asked.evidence.best(MOST_SENTENCES), whole=False)
        return plan.changed(agreement=await self._by_texts.read(asked, more, given[0]))

    async def _gives(self, plan: Plan, asked: Asked) -> bool:
        """Whether what a plan quotes may well give what it prints, though its sentences are doubted alone."""
        values = await self._sources.outcome(plan)
        return await self._answering.gives(plan, asked, " and ".join(map(str, values)))

    async def _or_asked(self, asked: Asked, program: Candidate) -> Plan:
        """The plan of the program; where that cannot run, that of a query, else the task put to the texts."""
        tabled = None if program.runs else await self._tabled(asked)
        return tabled or self._settled(asked, program)

    async def _tabled(self, asked: Asked, unsaid: bool = False) -> Plan | None:
        """The plan of a query over tables that no word spoke for, if a judge says that it may answer the question.

        Somebody who asks for the top scorer need not know that the column is called Goals. ``None`` where there is no
        such plan, or nobody can judge it. Two queries that agree clear nothing that the host holds against them, and
        are none where it has to change them, unless what they ask for is ``unsaid`` in the texts, by the model's word.
        """
        if (
            asked.functions != (LOOKUP,)
            or not self._sources.tables
            or not await self._answering.able_of_queries(_QUERY)
        ):
            return None
        over = replace(asked, functions=(SQL,), form="query")
        held = await self._queried(over)
        taken = unsaid and held.agreed
        if not held.agreed:
            query = await self._again(over, held.query)
        else:
            query = await self._checker.judged(held.query.text, over)
            given = await self._sources.outcome(self._checker.bare(held.query.text, over))
            if not taken and await self._outcome(query) != given:
                return None
        query = replace(held.query, doubt=query.doubt) if taken else query
        return await self._likely(over, query, held.agreement, 0.0 if taken else LIKELY)

    async def _likely(self, over: Asked, program: Candidate, agreement: Agreement | None, least: float) -> Plan | None:
        """The plan of a query that a judge gives this score at least; if it is above 0, of one at no fault."""
        runs = program.runs and not (least and program.doubt)
        score = await self._answering.queried(program.plan, over, self._hint) if runs else None
        if score is None or score < least:
            return None
        plan = self._settled(over, program, agreement)
        doubt = (f"the tables may not answer exactly this: judged {score:.2f}",) if score < _SURELY else ()
        return plan.changed(doubts=(*plan.doubts, *doubt)) if doubt else plan

    def _settled(self, asked: Asked, program: Candidate, agreement: Agreement | None = None) -> Plan:
        """The plan of the program, or where that cannot run, the task put to the texts."""
        if not program.runs:
            return self._asked(asked)
        taken = borrowed(program.plan, asked.said, asked.evidence.text)
        measures = (f"no file says what is {word}" for word in asked.about.unmeasured if SQL in asked.functions)
        plan = program.settled("" if agreement else taken, *measures, agreement=agreement)
        whole = cited(plan, asked.evidence, asked.said) if taken else plan
        return whole if len(whole.steps) <= asked.most else plan

    async def _combined(self, asked: Asked, program: Candidate, parted: Parted) -> Plan:
        """The plan of what the texts say to each part of a question of several facts.

        Where both give the same numbers, the program is a second derivation: it has read all facts at once. One that is
        at fault, such as leaving a number out, is told so first.
        """
        theirs = await self._outcome(program)
        if program.fault and not confirms(theirs, parted.given) and current_ledger().calls_left() > 1:
            program = await self._told(asked, program)
            theirs = await self._outcome(program)
        agrees = confirms(theirs, parted.given)
        other = derived("program", program, theirs, agrees=True, repeats=False)
        plan = self._settled(parted.asked, parted.program, other if agrees else None)
        return plan.changed(doubts=(*plan.doubts, *parted.doubts))

    def _applies_rule(self, program: Candidate, asked: Asked) -> bool:
        """Whether a program that asks the tables has to apply to them what the texts state."""
        if not {SQL, LOOKUP} <= {*asked.functions} or f"{SQL}(" not in program.text:
            return False
        if not program.runs:
            return bool(asked.about.tables or asked.about.of_rows)
        quotes = any(isinstance(step.action, ToolCall) and step.action.tool == QUOTE for step in program.plan.steps)
        return bool(quotes or program.fault or borrowed(program.plan, asked.said, asked.evidence.text))

    async def _again(self, asked: Asked, program: Candidate) -> Candidate:
        """The program, or where it is at fault a second one that was told so, if that is better.

        A first one that only lacked values is read again with those that the second gives.
        """
        if not program.fault:
            return program
        known = spelt_out(program.fault, program.text, asked.about.text)
        if known and (computed := await self._checker.judged(known, asked)).runs and not computed.doubt:
            return computed
        return program if current_ledger().calls_left() <= 1 else await self._told(asked, program)

    async def _told(self, asked: Asked, program: Candidate) -> Candidate:
        """The second program of a model that was told what is wrong with the first one, if it is better."""
        over_tables = program.runs or bool(unreadable(program.text, program.plan, asked))
        told = asked_again(asked, program.fault, over_tables)
        text = await self._written(told)
        whole = with_values(program.text, text) if not program.plan.steps else ""
        if whole and (filled := await self._checker.judged(whole, asked)).runs and not filled.doubt:
            return filled
        again = await self._checker.judged(text, told)
        return again if again.runs and not (again.doubt and program.runs) else program

    async def _ruled(self, asked: Asked, program: Candidate) -> Plan | None:
        """The plan of one query that applies the rule to each row, where it runs; the program is a second derivation.

        Where both give the same, or the program leaves less out, it is the other way round. A program that is at fault
        and gives something else is told so once. ``None`` where neither finds anything, and a query of the tables may.
        """
        by_query = replace(asked, form="rule")
        query = await self._again(by_query, await self._program(by_query))
        theirs, mine = await self._found(query), await self._found(program)
        if not query.runs or (program.fault and not is_same(mine, theirs)):
            program = await self._again(asked, program)
            mine = await self._found(program)
        if mine and theirs:
            return self._compared(asked, (query, theirs), (program, mine))
        found = program if mine else query
        return self._settled(asked, found) if mine or theirs or not self._is_query(program) else None

    def _compared(
        self, asked: Asked, one: tuple[Candidate, list[JsonValue]], other: tuple[Candidate, list[JsonValue]]
    ) -> Plan:
        """The query for a rule, or the program if that leaves less out, each with its outcome; the other on record."""
        (query, theirs), (program, mine) = one, other
        agrees, repeats = is_same(mine, theirs), does_the_same(program.plan, query.plan)
        if not program.doubt and (agrees or query.doubt):
            return self._settled(asked, program, derived("query", query, theirs, agrees, repeats))
        return self._settled(asked, query, derived("program", program, mine, agrees, repeats))

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

    async def _found(self, program: Candidate) -> list[JsonValue]:
        """What the program gives, unless it is nothing, as the sum of no rows is."""
        given = await self._outcome(program)
        return given if any(one is not None and one != [] for one in given) else []

    async def _outcome(self, program: Candidate) -> list[JsonValue]:
        """What the program gives; nothing if it cannot run."""
        return await self._sources.outcome(program.plan) if program.runs else []

    async def _program(self, asked: Asked) -> Candidate:
        """The plan of the program that is written for what is asked, and what is wrong with it."""
        return await self._checker.judged(await self._written(asked), asked)

    async def _written(self, asked: Asked) -> str:
        """The program that the model writes."""
        try:
            prompt = self._prompts.of(asked)
            reply = await self._supervisor.text(prompt, max_tokens=_PROGRAM_TOKENS, repairs=0, likelihood=True)
        except (CompletionError, AllowanceExhausted):
            return ""
        asked.likelihoods.append(reply.likelihood)
        return as_program(reply.value) if asked.by_query else reply.value

    def _asked(self, asked: Asked) -> Plan:
        """The task itself, put to the texts; empty where there are none, or where it has its own numbers.

        What has been read is not asked for again, if the task is the whole question.
        """
        if LOOKUP not in self._sources.names or asked.about.is_sum:
            return Plan()
        task = asked.task
        action = ToolCall(tool=LOOKUP, arguments={"question": cut(task.text, LONGEST_TASK)})
        known = asked.read if task.text == asked.about.text else None
        step = Step(id="s1", description=task.text, action=action, provides=("s1",), read=known)
        return Plan(steps=(step,), answer=("s1",))


def _words(task: Task) -> str:
    """What the person said."""
    return "\n".join([task.text, *(f"{one.question} {one.answer}" for one in task.clarifications)])
