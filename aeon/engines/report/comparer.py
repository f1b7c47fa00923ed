"""Whether sources give different values to one question."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import combinations

from pydantic import Field

from aeon.engines.report.effects import Compare
from aeon.engines.report.values import Comparison, Side
from aeon.engines.research.effects import Numbered
from aeon.engines.research.materials import Materials, numbered
from aeon.engines.research.values import Digest
from aeon.language.mention import Mention
from aeon.proof.figures import figures_in
from aeon.schema import WorkForm
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Comparer", "different"]

_ROOM, _TOKENS, _LONGEST = 9_000, 600, 600
_VALUES = ("number", "date", "time")
_DATE_PARTS = 3


class _SideSaid(Frozen):
    source: int
    answer: str = Field(min_length=1)
    citations: tuple[str, ...] = Field(min_length=1)


class _Compared(Frozen):
    sides: tuple[_SideSaid, ...]
    differ: bool


class Comparer:
    """Asks a capable model what each source says; of a small one, the values of cited sentences are compared."""

    def __init__(self, supervisor: Supervisor, form: Callable[[], Awaitable[WorkForm]]) -> None:
        self._supervisor = supervisor
        self._form = form

    async def compare(self, effect: Compare) -> Comparison:
        """The sides of a question. A source that says nothing to exactly this question is no side.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        if await self._form() == "program":
            return _by_values(effect)
        shown = _shown(effect)
        question = f"Question: {cut(effect.question, _LONGEST)}\n\n{fence('sources', shown.text, 2 * _ROOM)}"
        prompt = Prompt(load("aeon.engines.report", "compare.md").strip(), question)
        check = partial(_faults, shown=shown)
        said = await self._supervisor.structured(prompt, _Compared, max_tokens=_TOKENS, check=check)
        sides = tuple(_sides(said.value, effect, shown))
        return Comparison(sides=sides, differ=said.value.differ and len(sides) > 1)


def _shown(effect: Compare) -> Materials:
    """The sources with their sentences: those that are cited first."""
    digests = [Digest(number=n, sentences=(one.citation.source,)) for n, one in enumerate(effect.sides, 1)]
    others = enumerate(effect.others, len(digests) + 1)
    texts = [Numbered(number=n, passage=one.passage, query=effect.question, title=one.title) for n, one in others]
    return numbered(texts, _ROOM, digests)


def _faults(made: _Compared, shown: Materials) -> list[str]:
    """Which sides cite a sentence that their source does not have; no id is left out."""
    wrong = (
        side for side in made.sides if len(cited := shown.cited(side.citations)) < len(set(side.citations))
        or any(one.number != side.source for one in cited)
    )  # fmt: skip
    return [f"sides: source {one.source} has no sentence {', '.join(one.citations)}" for one in wrong]


def _sides(made: _Compared, effect: Compare, shown: Materials) -> Iterator[Side]:
    """What each source says, once."""
    tiers = [*(one.tier for one in effect.sides), *(one.tier for one in effect.others)]
    for one in (side for n, side in enumerate(made.sides) if side.source not in [x.source for x in made.sides[:n]]):
        yield Side(answer=one.answer, citation=shown.cited(one.citations)[0], tier=tiers[one.source - 1])


def _by_values(effect: Compare) -> Comparison:
    pairs = combinations((one.citation.source.text for one in effect.sides), 2)
    return Comparison(sides=effect.sides, differ=any(different(one, other) for one, other in pairs))


def different(one: str, other: str) -> bool:
    """Whether two sentences give different values: both have some of one kind, and no reading of two is the same.

    A year is the same as a day in it.
    """
    kinds = [[each for each in figures_in(text, cell=False) if each.kind in _VALUES] for text in (one, other)]
    return all(kinds) and not any(_same(a, b) for a in kinds[0] for b in kinds[1])


def _same(one: Mention, other: Mention) -> bool:
    """Whether two values have a reading in common."""
    pairs = ((a.read, b.read) for a in one.forms for b in other.forms)
    return any(_alike(a.value, b.value) and (a.unit == b.unit or not a.unit or not b.unit) for a, b in pairs)


def _alike(one: str, other: str) -> bool:
    """Whether two canonical values are one; of days, ``00`` stands for any month or day."""
    parts, others = one.split("-"), other.split("-")
    if len(parts) == len(others) == _DATE_PARTS:
        return all(a == b or "00" in (a, b) for a, b in zip(parts, others, strict=True))
    return one == other
