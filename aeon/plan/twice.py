"""A question put to the tables a second time, in another form: what two queries give is seldom wrong.

On folders of ``scripts/bench/folders`` a query written behind examples and one written without any agreed on 17 of 45
answers that stand in tables, all of them right, and on 2 of 63 others, both wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from aeon.plan.checking import Candidate, Checker
from aeon.plan.money import asks_takings, asks_worth
from aeon.plan.outcomes import in_one
from aeon.plan.prompts import Asked
from aeon.plan.queries import asks_one, asks_who_and_total, query_of
from aeon.plan.sources import SQL, Sources
from aeon.plan.ties import with_ties
from aeon.runtime.ledger import current_ledger
from aeon.schema import Agreement, Derivation, JsonValue, Plan
from aeon.tools.vocabulary import asks_owed

__all__ = ["Held", "Twice"]

_LACKS = "it asks"
"""How a doubt begins by which a query gives something else than is asked for, or not all of that."""
Written = Callable[[Asked], Awaitable[str]]
"""Has the model write what is asked for."""


@dataclass(frozen=True)
class Held:
    """The query to be taken, with what another one gives."""

    query: Candidate
    agreement: Agreement | None = None

    @property
    def agreed(self) -> bool:
        """Whether the other one gives the same."""
        return self.agreement is not None and not self.agreement.disagrees


class Twice:
    """Has a second query written, and holds it against the first one."""

    def __init__(self, written: Written, checker: Checker, sources: Sources) -> None:
        self._written = written
        self._checker = checker
        self._sources = sources

    async def of(self, asked: Asked, first: Candidate) -> Held:
        """The first query, or one written without examples if that is better; with what the other one gives."""
        if current_ledger().calls_left() <= 1:
            return Held(first)
        plain = replace(asked, functions=(SQL,), form="plain", fault="")
        return await self.held(plain, first, await self._checker.judged(await self._written(plain), plain))

    async def held(self, asked: Asked, first: Candidate, second: Candidate) -> Held:
        """The better of two queries, with what the other one gives.

        What both give as they stand is taken, whatever the host holds against either; that it makes the same of
        both confirms nothing. Of several numbers, where one is asked for, it is their sum. Only who is there the
        longest, what a stock is worth, what was taken, and what is owed, is told by the host: models put the latest
        first, add up the prices of one, or all that was ever billed, each time.
        Where no file has a word for what is asked for, both may have taken another column for it: that stays a
        doubt. Where they give something else than is asked for, or not all of that, two that agree confirm nothing.
        Else one of which nothing is wrong is taken before one that is at fault, and the first before the second.
        """
        mine, theirs = await self._given(first), await self._given(second)
        bare, other = self._checker.bare(first.text, asked), self._checker.bare(second.text, asked)
        plain, same = await self._sources.outcome(bare), await self._sources.outcome(other)
        own = first.runs and _agree(mine, plain)
        confirmed = _agree(plain, same) and not first.doubt.startswith(_LACKS)
        if confirmed and (own or not _misleads(asked, bare)):
            whole = await self._whole(bare, asked.about.text)
            taken = replace(first, doubt="") if own else Candidate(whole, first.text, doubt=first.fault)
            if unknown := asked.about.unknown_asked:
                taken = replace(taken, doubt=f"no file has '{unknown}'")
            return Held(taken, _derived(second, same, agrees=True))
        if _agree(mine, theirs):  # the host made the same of both
            return Held(first)
        if _rank(second, theirs) > _rank(first, mine):
            return Held(second, _derived(first, mine))
        return Held(first, _derived(second, theirs))

    async def _whole(self, plan: Plan, question: str) -> Plan:
        """The plan with the sum of several numbers where one is asked for, else with all that share a first place."""
        in_all = asks_one(question) or asks_who_and_total(question)
        one = await in_one(plan, question, self._sources) if in_all else plan
        return await with_ties(one, self._sources)

    async def _given(self, one: Candidate) -> list[JsonValue]:
        """What a candidate gives; nothing if it cannot run."""
        return await self._sources.outcome(one.plan) if one.runs else []


def _misleads(asked: Asked, bare: Plan) -> bool:
    """Whether models are wrong alike about what is asked for, and the host knows better.

    So they are where both queries leave out a value of several words that the question names, such as a bath towel.
    """
    said = " ".join(map(query_of, bare.steps)).casefold()
    lost = any(" " in one.value and one.value.casefold() not in said for one in asked.about.named)
    text = asked.about.text
    return bool(lost or asked.about.begun or asks_worth(text) or asks_takings(text) or asks_owed(text))


def _rank(one: Candidate, given: Sequence[JsonValue]) -> int:
    """How much is right about a candidate: it gives something, and nothing is wrong with it."""
    return bool(given) + (bool(given) and not one.fault)


def _agree(one: Sequence[JsonValue], other: Sequence[JsonValue]) -> bool:
    """Whether two queries give the same rows, or of one row one of them a value more; nothing at all tells nothing."""
    few, many = sorted((_rows(one), _rows(other)), key=_count)
    if not few or not few.keys() - {_NONE}:
        return False
    return few == many or (few.total() == many.total() == 1 and _within(*few, *many))


def _within(few: frozenset[str], many: frozenset[str]) -> bool:
    return few <= many and len(many) == len(few) + 1


def _count(rows: Counter[frozenset[str]]) -> int:
    return sum(map(len, rows.elements()))


def _rows(given: Sequence[JsonValue]) -> Counter[frozenset[str]]:
    """The rows of an outcome, each as its values; several plain values are those of one row."""
    if not any(isinstance(one, list | dict) for one in given):
        return Counter([_values(given)]) if given else Counter()
    rows = (row for one in given for row in (one if isinstance(one, list) else [one]))
    return Counter(map(_values, rows))


_NONE = frozenset[str]()
_NOTHING = frozenset({"", "0", "not stated"})
"""What a query gives that finds nothing."""


def _values(row: JsonValue | Sequence[JsonValue]) -> frozenset[str]:
    """The values of a row, numbers as they are rounded, without those that are none."""
    match row:
        case None | bool():
            return _NONE
        case dict():
            return _values(list(row.values()))
        case float():
            return frozenset({f"{round(row, 6) + 0.0:.15g}"}) - _NOTHING
        case int() | str():
            return frozenset({str(row).strip().casefold()}) - _NOTHING
    return frozenset[str]().union(*map(_values, row))


def _derived(other: Candidate, given: Sequence[JsonValue], agrees: bool = False) -> Agreement | None:
    """What another query gives, if it does; also the same words confirm, since another prompt led to them."""
    told = ", ".join(map(str, given))
    derivation = Derivation(method="query", text=other.text, answer=told, agrees=agrees)
    return Agreement(derivations=(derivation,)) if given else None
