"""What becomes of a program that a model wrote: a plan with what it evidently means, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field

from aeon.documents.meaning import akin
from aeon.documents.words import stem, stems
from aeon.plan.again import offered
from aeon.plan.columns import lost_columns, moved, of_counts, of_single
from aeon.plan.comparing import difference
from aeon.plan.conditions import completed, copies, excluded, guesses, misplaced, said_once, unsaid, without_unsaid
from aeon.plan.days import with_day, without_unsaid_days
from aeon.plan.differences import without_sign
from aeon.plan.doubts import doubts
from aeon.plan.misquotes import misquotes
from aeon.plan.money import of_all_sold
from aeon.plan.months import in_months
from aeon.plan.outcomes import NO_ANSWER, in_one, misfit, unasked_share
from aeon.plan.pieces import of_pieces
from aeon.plan.program import is_code, mended, misfits, numbers, read
from aeon.plan.prompts import Asked
from aeon.plan.queries import echoes, invented, query_of, takes_nothing, without_hundred
from aeon.plan.ranks import ranked, with_name
from aeon.plan.rules import by_row, counts_by_rule
from aeon.plan.sources import LOOKUP, SQL, About, Sources
from aeon.plan.ties import with_ties
from aeon.plan.years import in_years
from aeon.schema import Agreement, Plan, Step, Task, ToolCall, Writing
from aeon.supervisor.questions import asks_yes_no, is_of_kind
from aeon.tools.quote import QUOTE
from aeon.tools.registry import ToolRegistry

__all__ = ["Candidate", "Checker", "open_plan", "unreadable"]

_SAY_SO = ': print("not stated")'


@dataclass(frozen=True)
class Candidate:
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
        """The plan with its own and other doubts, and with what another derivation of it says.

        What the model was told to print instead is no part of a doubt.
        """
        every = tuple(filter(None, (self.doubt.partition(_SAY_SO)[0], *doubts)))
        return self.plan.changed(doubts=every, agreement=agreement) if every or agreement else self.plan


class Checker:
    """Reads the programs that are written over the tables and the texts of a folder, and looks for their faults."""

    def __init__(self, tools: ToolRegistry, sources: Sources, names: frozenset[str]) -> None:
        """``names`` are the words that stand only in the examples of prompts."""
        self._tools = tools
        self._sources = sources
        self._names = names

    async def judged(self, text: str, asked: Asked) -> Candidate:
        """The plan of a program, and what is wrong with it."""
        if text and not is_code(text) and not asked.evidence.sources:
            return Candidate(self._prose(asked), text)
        if (compared := await difference(text, asked.about, self._sources)) is not None:
            return Candidate(compared, text)
        plan, fault, guess = self._read(text, asked)
        if fault or len(plan.steps) > asked.most or not self._fits(plan, asked.about):
            return Candidate(Plan(), text, doubt=_untabled(text, asked) or fault or unreadable(text, plan, asked))
        return await self._settled(plan, text, asked, guess)

    def bare(self, text: str, asked: Asked) -> Plan:
        """The plan of a program as it stands, no more than mended where it could not run; empty where it cannot."""
        plan = mended(read(text, self._tools, asked.evidence, asked.said, lambda _: None), self._tools)
        idle = misfits(plan, self._tools) or _idle(plan) or _echo(plan, asked.about.text)
        return Plan() if idle or len(plan.steps) > asked.most else plan

    async def _settled(self, plan: Plan, text: str, asked: Asked, guess: str) -> Candidate:
        """The plan as it is to run, with what is wrong with it."""
        whole = await with_ties(await in_one(plan, asked.about.text, self._sources), self._sources)
        doubt = moved(text, plan, asked.about.text, self._sources.tables) or self._doubt(plan, asked)
        doubt = doubt or await misfit(whole, asked.about, self._sources) or guess
        return Candidate(whole, text, self._unfit(plan, asked), doubt)

    def _doubt(self, plan: Plan, asked: Asked) -> str:
        """What a plan leaves out of what is asked."""
        if handed := _handed_on(plan, asked.about):
            return handed
        needed = [name for name in asked.about.needed if name in asked.functions]
        doubt = excluded(plan, self._sources.tables)
        doubt = doubt or doubts(plan, asked.said, asked.about.named, needed, asked.evidence.text)
        sentences = [source.text for source in asked.evidence.sources]
        return doubt or next(lost_columns(plan, asked.about.text, sentences, self._sources.tables), "")

    def _prose(self, asked: Asked) -> Plan:
        """What becomes of a reply that is no program: an open task, but no fact where there are files."""
        about = asked.about
        return Plan() if self._sources.names and (about.is_question or about.is_own) else open_plan(asked.task)

    def _unfit(self, plan: Plan, asked: Asked) -> dict[str, str]:
        """The tools that cannot take what the plan says, or should not, since nobody named it, each with the reason."""
        material = _material(asked)
        unfit = misfits(plan, self._tools)
        guessed = (
            "" if SQL in unfit else unsaid(plan, f"{material}\n{offered(asked)}")
        )  # a text that no row has is told
        misplacing = misplaced(plan, asked.about.named, self._sources.tables)
        foreign = misplacing or guessed or invented(plan, material) or unasked_share(plan, asked.about)
        foreign = foreign or _idle(plan) or _echo(plan, asked.about.text)
        return {**unfit, **({SQL: foreign} if foreign else {})}

    def _read(self, text: str, asked: Asked) -> tuple[Plan, str, str]:
        """The plan of a program with what it evidently means, what it says that nobody said, and what it guesses.

        A text of the model's own stays in a first query, and is held against those that its column has; one of a second
        query, which was told these, is left out, and so is said.
        """
        about, faults = asked.about, list[str]()
        plan = read(text, self._tools, asked.evidence, asked.said, faults.append)
        guessed = [f"nobody spoke of '{text}'" for text in guesses(plan, _material(asked))] if asked.fault else []
        own = " ".join((asked.said, *(one.value for one in about.named)))
        copied = None if asked.fault else copies(self._sources.tables, own)
        plan = without_unsaid(plan, f"{_material(asked)}\n{offered(asked)}", about.named, copied)
        plan = self._as_meant(plan, asked)
        faults += misquotes(plan, about)
        if {step.action.tool for step in plan.steps if isinstance(step.action, ToolCall)} == {SQL}:
            lacking, taken = _lacking(plan, asked)
            faults += lacking
            guessed += taken
        return plan, next(iter(faults), ""), next(iter(guessed), "")

    def _as_meant(self, plan: Plan, asked: Asked) -> Plan:
        """The plan with its queries as the question evidently means them."""
        about, tables = asked.about, self._sources.tables
        plan = in_months(without_unsaid_days(plan, asked.said, tables), asked.said, tables)
        plan = in_years(with_day(plan, asked.said, tables), asked.said, tables)
        plan = without_hundred(plan, asked.said)
        plan = by_row(of_pieces(said_once(plan, about.text), about.text, about.named), asked.said, asked.evidence.text)
        plan = of_counts(of_single(plan, about.text, tables), tables)
        plan = with_name(completed(plan, about.text, about.named, tables), about.text, tables)
        plan = ranked(plan, about.text, tables)
        return without_sign(mended(of_all_sold(plan, about.text, tables), self._tools), about.text)

    def _fits(self, plan: Plan, about: About) -> bool:
        """Whether the plan is one for this task: it rests on something, and answers with what was asked for."""
        if self._sources.names and _is_written(plan) and about.is_question:
            return False
        return _answers(plan, about.text) and self._grounded(plan, about) and not self._foreign(plan, about)

    def _foreign(self, plan: Plan, about: About) -> bool:
        """Whether a step names what stands only in the examples."""
        said = stems(" ".join(str(step.action) for step in plan.steps))
        said_before = stems(about.text)
        names = frozenset(name for name in self._names if stem(name) in said and stem(name) not in said_before)
        return bool(self._sources.unknown(names))

    def _grounded(self, plan: Plan, about: About) -> bool:
        """Whether the plan rests on something: a number of the task, a table, a text, or the task as it is."""
        actions = [step.action for step in plan.steps]
        if any(isinstance(a, Writing) or (isinstance(a, ToolCall) and a.tool in (SQL, LOOKUP, QUOTE)) for a in actions):
            return True
        return bool(numbers(about.text) & numbers(" ".join(map(str, actions))))


def open_plan(task: Task) -> Plan:
    """The plan of a task that needs no tool: its answer is written."""
    step = Step(id="s1", description=task.text, action=Writing(task=task.text), provides=("s1",))
    return Plan(steps=(step,), answer=("s1",))


def unreadable(text: str, plan: Plan, asked: Asked) -> str:
    """What is wrong with a program that no plan comes of, or over the tables one that does what no step can do."""
    return _handed_on(plan, asked.about) or (
        f"call nothing but {SQL}(query)" if SQL in asked.functions and is_code(text) and f"{SQL}(" not in text else ""
    )


def _lacking(plan: Plan, asked: Asked) -> tuple[list[str], list[str]]:
    """What no file has of what a question names, as faults of its queries, and as doubts.

    It is a doubt where the queries have a word of much the same meaning, or a value that the question names.
    """
    about, queries = asked.about, " ".join(query_of(step).replace("_", " ").casefold() for step in plan.steps)
    things = about.unknown_things
    meant = akin({word.casefold() for word in things}, queries)
    taken = [f"no file has {word!r}, only what means much the same" for word in sorted(meant)]
    lost = [f"no file has '{word}'" for word in things if word.casefold() not in meant]
    uncounted = _uncounted(plan, asked)
    if _is_about(about, queries):
        return uncounted, [*taken, *lost]
    return [f"{fault}{_SAY_SO}" for fault in lost] + uncounted, taken


def _uncounted(plan: Plan, asked: Asked) -> list[str]:
    """What is counted and no table has, unless a sentence says how it is counted."""
    word = asked.about.uncounted
    known = not word or counts_by_rule(plan, word, asked.evidence.sources)
    return [] if known else [f"no table has '{word}'{_SAY_SO}"]


def _idle(plan: Plan) -> str:
    """What is wrong with a query that takes nothing from its table."""
    return "it takes nothing from the table" if any(takes_nothing(query_of(step)) for step in plan.steps) else ""


def _echo(plan: Plan, question: str) -> str:
    """What is wrong with a query that gives what it was told; whether there is such a row a question may well ask."""
    is_echo = not asks_yes_no(question) and any(echoes(query_of(step)) for step in plan.steps)
    return "it gives only what the question says: select what is asked for" if is_echo else ""


def _is_about(about: About, queries: str) -> bool:
    """Whether queries, in lower case, have a text of a column that a question names."""
    return any(one.condition.endswith("'") and one.value.casefold() in queries for one in about.named)


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


def _is_written(plan: Plan) -> bool:
    """Whether the plan has nothing but texts that the model writes."""
    return bool(plan.steps) and all(isinstance(step.action, Writing) for step in plan.steps)


def _answers(plan: Plan, question: str) -> bool:
    """Whether what the plan quotes as its answer can be one to the question; what is computed or read later can."""
    answers = [step.action for step in plan.steps if step.id in plan.answer]
    quoted = [a.arguments or {} for a in answers if isinstance(a, ToolCall) and a.tool == QUOTE]
    return len(quoted) < len(answers) or is_of_kind(question, " ".join(str(one["value"]) for one in quoted))
