"""Whether a question is one for the texts of a folder, as a model tells that has all of them before it."""

from __future__ import annotations

import re
from typing import NamedTuple

from aeon.documents.words import special_kinds
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.plan.prompts import Asked
from aeon.plan.quotes import quotation
from aeon.plan.rates import of_several
from aeon.plan.reader import CALCULATOR
from aeon.plan.several import is_compared, is_of_several
from aeon.runtime.ledger import current_ledger
from aeon.schema import Agreement, Derivation, JsonValue, Plan, ShortReading, Step, ToolCall
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.judge import Judge
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.short_answers import bare, is_absent, is_same
from aeon.supervisor.short_reading import judged, read_short, refuted, vouched
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.material import Material
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import every_text

__all__ = ["ByTexts", "Told"]

_EACH = re.compile(r"\b(?:per|each|every|an?) (?:hour|day|night|week|month|year|person|head)\b", re.IGNORECASE)


class Told(NamedTuple):
    """What a model says that has the texts before it, ``None`` where nothing usable came; whether they are what to ask.

    ``plan`` quotes the answer from the sentence that it stands in, where judges vouch for that.
    """

    short: ShortReading | None
    of_texts: bool
    plan: Plan | None = None

    @property
    def answers(self) -> bool:
        """Whether it gives an answer."""
        return self.short is not None and bool(self.short.answer)

    def confirms(self, question: str, value: JsonValue) -> Agreement | None:
        """The answer as a derivation beside this value, where it is the same; else ``None``."""
        answer = self.short.answer if self.short is not None else ""
        return _derived(answer, answer, agrees=True) if answer and is_same(question, str(value), answer) else None


class ByTexts:
    """Asks the texts; ``tables``: whether there are tables that may say it instead."""

    def __init__(self, supervisor: Supervisor, tools: ToolRegistry, tables: bool) -> None:
        self._supervisor = supervisor
        self._judge = AnswerJudge(Judge(supervisor, samples=0))
        self._tools = tools
        self._tables = tables

    async def told(self, asked: Asked) -> Told | None:
        """What a model says of the texts; ``None`` where that is not to be asked.

        So it is where there are no texts, or not only these, or the answer is worked out from what they say, or from
        numbers of the question's own. Beside tables the texts are what to ask where a sentence of them has the answer,
        and the model does not say that they do not state it: told that it may, it says so of nineteen in twenty
        questions over ``scripts/bench/folders`` that tables decide, and of half of those that the texts decide.

        Raises:
            ModelError: the endpoint gave no answer at all.
        """
        question, about = asked.about.text, asked.about
        worked_out = about.is_sum or about.is_computed
        if asked.task.background or worked_out or is_of_several(question) or is_compared(question):
            return None
        shelf = await self.shelf(question)
        if shelf is None:
            return None
        short = await _short(shelf, question)
        if short is None:
            return Told(None, of_texts=not self._tables)
        return await self._multiplied(asked, shelf, short) or await self._routed(asked, shelf, short)

    async def _multiplied(self, asked: Asked, shelf: Shelf, short: ShortReading) -> Told | None:
        """The plan that multiplies what is said of one by how many the question says: 2 euros for each day, 4 days.

        None where a judge is sure that the sentence does not answer the question, or it says that only in general.
        """
        plan = _multiplied(asked, short)
        if plan is None or _is_in_general(asked, short):
            return None
        short = await judged(short, asked.about.text, self._judge, shelf.sources)
        if refuted(short, asked.about.text, shelf.sources):
            return None
        asked.likelihoods.append(short.likelihood)
        return Told(short, of_texts=True, plan=plan)

    async def _routed(self, asked: Asked, shelf: Shelf, short: ShortReading) -> Told:
        """Whether the texts are what to ask by what a model answers that has them before it."""
        if not _is_in_general(asked, short):
            short = await vouched(short, asked.about.text, self._judge, shelf.sources)
        if short.source is not None and short.vouched is not None:
            asked.likelihoods.append(short.likelihood)
            quoted = quotation(asked.task.text, short.answer, short.source).changed(vouched=short.vouched)
            return Told(short, of_texts=True, plan=quoted)
        if not self._tables or short.source is None or refuted(short, asked.about.text, shelf.sources):
            return Told(short, of_texts=not self._tables)
        stated = await shelf.stated(asked.about.text)
        return Told(short.changed(stated=stated), of_texts=bool(stated))

    async def shelf(self, question: str) -> Shelf | None:
        """The texts that questions are put to; ``None`` where there are none."""
        texts = await every_text(self._tools, question)
        return Shelf(self._supervisor, texts) if texts is not None else None

    async def part(self, shelf: Shelf, question: str, judged: bool) -> ShortReading | None:
        """What the model reads of one fact, if ``judged`` with what judges say of its sentence; ``None`` for no answer.

        So it is where no call can be spared, the answer stands in no sentence, or a judge is sure that it is another's.
        """
        short = await _short(shelf, question)
        if short is None or short.source is None:
            return None
        short = await vouched(short, question, self._judge, shelf.sources) if judged else short
        return None if refuted(short, question, shelf.sources) else short

    async def read(self, asked: Asked, texts: Material, value: JsonValue) -> Agreement | None:
        """What these texts say to the question, held against a value; ``None`` where they say nothing."""
        reply = await Shelf(self._supervisor, texts).second(asked.about.text)
        answer = bare(reply.value) if reply is not None else ""
        if reply is None or is_absent(answer):
            return None
        return _derived(reply.value, answer, is_same(asked.about.text, str(value), answer))


async def _short(shelf: Shelf, question: str) -> ShortReading | None:
    """What the model answers; ``None`` where no call can be spared for it, or nothing usable comes."""
    try:
        return await read_short(shelf, question) if current_ledger().calls_left() > 1 else None
    except (CompletionError, AllowanceExhausted):
        return None


def _is_in_general(asked: Asked, short: ShortReading) -> bool:
    """Whether its sentence has only in general what a question asks for: leave, where that is about parental leave."""
    source, about = short.source, asked.about
    said = f"{source.heading} {source.text}" if source is not None else ""
    return bool(special_kinds(about.text, about.unknown - about.akin, said))


def _multiplied(asked: Asked, short: ShortReading) -> Plan | None:
    """The price of one from its sentence, times how many the question says; ``None`` where it is not of that kind."""
    found = of_several(asked.about.text, short.source.text, short.answer) if short.source is not None else None
    if short.source is None or found is None or (_EACH.search(asked.about.text) and not found.yearly):
        return None
    quoted = quotation(asked.task.text, _number(found.price), short.source)
    formula = ToolCall(tool=CALCULATOR, arguments={"expression": f"$s1 * {found.times}"})
    step = Step(id="s2", description=asked.task.text, action=formula, dependencies=("s1",), provides=("s2",))
    return quoted.changed(steps=(*quoted.steps, step), answer=("s2",)).numbered()


def _number(digits: str) -> int | float:
    return float(digits) if "." in digits else int(digits)


def _derived(text: str, answer: str, agrees: bool) -> Agreement:
    return Agreement(derivations=(Derivation(method="reading", text=text, answer=answer, agrees=agrees),))
