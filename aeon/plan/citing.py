"""What a query takes from a sentence becomes a quotation of it, so that the answer rests on the sentence too."""

from __future__ import annotations

from fractions import Fraction

from aeon.plan.evidence import Evidence, figures, stated_numbers
from aeon.plan.program import step_of
from aeon.plan.queries import amounts, query_of, with_amounts, with_query
from aeon.plan.quotes import quoting
from aeon.schema import Action, Plan, Source

__all__ = ["cited"]

_FORMS = ("{}", "({} * 0.01)", "(1 - {} * 0.01)", "(1 + {} * 0.01)")
"""How a number of a query comes of one that a sentence states: as it is, as per cent, less them, and with them."""


def cited(plan: Plan, evidence: Evidence, known: str) -> Plan:
    """The plan with a step that quotes each number of a query that stands in a sentence and is not ``known``.

    The query refers to it: of ``revenue * 0.96`` and "4 percent off" comes ``revenue * (1 - $s1 * 0.01)``. Of the
    sentences that state a number, that is quoted which states most of those that the query has.
    """
    made: list[tuple[str, str, Action]] = []
    for step in plan.steps:
        citing = _Citing(query_of(step), evidence, stated_numbers(known), f"q{len(made)}_")
        action = with_query(step, citing.query).action
        assert action is not None  # each step of a program does something
        made += [*citing.quotes, (step.id, step.description, action)]
    ids = {old: f"s{number}" for number, (old, _, _) in enumerate(made, 1)}
    steps = tuple(step_of(ids, old, goal, action) for old, goal, action in made)
    return plan.changed(steps=steps, answer=tuple(ids[step_id] for step_id in plan.answer))


class _Citing:
    """A ``query`` with references in the place of the numbers that sentences state; ``quotes`` are the new steps."""

    def __init__(self, query: str, evidence: Evidence, known: frozenset[Fraction], prefix: str) -> None:
        own = amounts(query) - known
        self._sources = sorted(evidence.sources, key=lambda one: -len(own & stated_numbers(one.text)))
        self._own, self._prefix = own, prefix
        self._ids: dict[tuple[Source, Fraction], str] = {}
        self.quotes: list[tuple[str, str, Action]] = []
        self.query = with_amounts(query, self._reference)

    def _reference(self, number: Fraction) -> str:
        """What stands for a number of the query; "" where no sentence states it."""
        stated = (number, 100 * number, 100 - 100 * number, 100 * number - 100)
        for source in self._sources if number in self._own else ():
            for form, one in zip(_FORMS, stated, strict=True):
                if one > 0 and one in figures(source.text):
                    return form.format(f"${self._quoted(source, one)}")
        return ""

    def _quoted(self, source: Source, number: Fraction) -> str:
        """The id of the step that quotes the number."""
        if (source, number) not in self._ids:
            self._ids[source, number] = f"{self._prefix}{len(self.quotes)}"
            value = int(number) if number.denominator == 1 else float(number)
            goal = f"{value} in {source.source}"
            self.quotes.append((self._ids[source, number], goal, quoting(value, source)))
        return self._ids[source, number]
