"""The rules of the game as data: what is illegal, and which hint card a player gets who is stuck.

A rule is a condition over facts of the turn, made of typed operators. Nothing in it is ever executed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, Field, model_validator

from aeon.engines.tutor.moves import MOVES
from aeon.schema.frozen import Written

__all__ = ["RULES", "Condition", "FactName", "Facts", "GameRule"]

FactName = Literal[
    "move", "answers_debt", "owes", "known_path", "known_claim", "founded", "borne_out", "contradicts", "stuck",
    "same_in_a_row", "cycle", "turns_without_news", "proved", "unclaimed", "turn",
]  # fmt: skip
_OPERATORS = ("equals", "one_of", "at_least", "at_most", "all_of", "any_of", "none_of")
Fact = bool | int | str
_KINDS: dict[type, str] = {bool: "true or false", int: "a whole number", str: f"one of {', '.join(MOVES)}"}
"""What each kind of fact can be, in words; the only text is the move."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules of a turn rest on.

    ``owes``: a claim is undecided, and awaits truth or dare; ``answers_debt``: the move reformulates it or proposes an
    action. ``known_path``: the action is about a file that is there. ``known_claim``: the claim that the move names
    exists. ``founded``: each claim of an answer is decided, or open where the answer says that it is. ``borne_out``:
    the answer stands in one of its claims. ``contradicts``: the opposite was proved. ``cycle`` is how many moves come
    again and again (2 or 3), 0 for none. ``proved`` counts claims that were decided, ``unclaimed`` lines that were seen
    and that no claim is about.
    """

    move: str = ""
    turn: int = 1
    owes: bool = False
    answers_debt: bool = False
    known_path: bool = True
    known_claim: bool = True
    founded: bool = True
    borne_out: bool = True
    contradicts: bool = False
    stuck: bool = False
    same_in_a_row: int = 1
    cycle: int = 0
    turns_without_news: int = 0
    proved: int = 0
    unclaimed: int = 0


class Condition(Written):
    """One operator on a fact, or a combination of conditions."""

    model_config = ConfigDict(extra="allow")  # so that an unknown operator is told as one

    fact: FactName | None = None
    equals: bool | int | str | None = None
    one_of: tuple[bool | int | str, ...] | None = None
    at_least: int | None = None
    at_most: int | None = None
    all_of: tuple[Condition, ...] | None = None
    any_of: tuple[Condition, ...] | None = None
    none_of: tuple[Condition, ...] | None = None

    @model_validator(mode="after")
    def _one_operator(self) -> Condition:
        if self.model_extra:
            raise ValueError(f"unknown operator {next(iter(self.model_extra))!r}; there are {', '.join(_OPERATORS)}")
        used = [name for name in _OPERATORS if getattr(self, name) is not None]
        if len(used) != 1:
            raise ValueError(f"a condition has one operator, of {', '.join(_OPERATORS)}")
        if (self.fact is None) != used[0].endswith(("all_of", "any_of", "none_of")):
            raise ValueError(f"the operator {used[0]!r} {'needs a fact' if self.fact is None else 'takes no fact'}")
        _check(self.fact, used[0], getattr(self, used[0]))
        return self

    def holds(self, facts: Facts) -> bool:
        """Whether it holds of these facts."""
        if self.fact is not None:
            return self._of_fact(getattr(facts, self.fact))
        if self.all_of is not None:
            return all(one.holds(facts) for one in self.all_of)
        if self.any_of is not None:
            return any(one.holds(facts) for one in self.any_of)
        return not any(one.holds(facts) for one in self.none_of or ())

    def _of_fact(self, fact: Fact) -> bool:
        if self.equals is not None:
            return fact == self.equals
        if self.one_of is not None:
            return fact in self.one_of
        number = int(fact)
        return number >= self.at_least if self.at_least is not None else number <= (self.at_most or 0)


def _check(fact: FactName | None, operator: str, value: Fact | tuple[Fact, ...]) -> None:
    """Refuse an operator of nothing, and one or a value that no such fact can have. Raises ``ValueError``."""
    if value == ():
        raise ValueError(f"the operator {operator!r} is empty; name what it is of")
    if fact is None:
        return
    kind = type(getattr(Facts(), fact))
    if operator in ("at_least", "at_most") and kind is not int:
        raise ValueError(f"the fact {fact!r} is {_KINDS[kind]}: the operator {operator!r} is for numbers")
    for one in value if isinstance(value, tuple) else (value,):
        if not _can_be(kind, one):
            raise ValueError(f"the fact {fact!r} is {_KINDS[kind]}; {one!r} is none")


def _can_be(kind: type, value: Fact) -> bool:
    """Whether a fact of this kind can have this value."""
    return type(value) is kind and (kind is not str or value in MOVES)


class GameRule(Written):
    """A rule: in tier 1, a move for which ``when`` holds is illegal; in tier 2, its text is a hint card.

    ``say`` is what the player is told. Of several rules of a tier that hold, the first counts.
    """

    name: str = Field(min_length=1, max_length=60)
    tier: Literal[1, 2]
    when: Condition
    say: str = Field(min_length=1, max_length=300)


def _is(fact: FactName, value: bool | str) -> Condition:
    return Condition(fact=fact, equals=value)


def _both(*conditions: Condition) -> Condition:
    return Condition(all_of=conditions)


RULES: tuple[GameRule, ...] = (
    GameRule(
        name="known path", tier=1, when=_is("known_path", False), say="There is no such file; choose a listed one."
    ),
    GameRule(name="known claim", tier=1, when=_is("known_claim", False), say="There is no claim of that number."),
    GameRule(
        name="truth or dare",
        tier=1,
        when=_both(_is("owes", True), _is("answers_debt", False)),
        say="Your last claim is undecided: REFORMULATE it, or PROPOSE an action that yields evidence.",
    ),
    GameRule(
        name="no contradiction",
        tier=1,
        when=_both(_is("contradicts", True), Condition(fact="move", one_of=("ASSERT", "REFORMULATE"))),
        say="The opposite is proved already.",
    ),
    GameRule(name="founded answer", tier=1, when=_is("founded", False), say="An answer cites claims that are decided."),
    GameRule(
        name="answer borne out", tier=1, when=_is("borne_out", False), say="The answer stands in none of its claims."
    ),
    GameRule(
        name="use what is proved",
        tier=2,
        when=_both(_is("stuck", True), Condition(fact="proved", at_least=1)),
        say="A claim is proved. If it answers the question, RESPOND with it.",
    ),
    GameRule(
        name="claim what was seen",
        tier=2,
        when=_both(_is("stuck", True), Condition(fact="unclaimed", at_least=1)),
        say="You saw lines that no claim is about. ASSERT what the one says that answers the question.",
    ),
    GameRule(
        name="look elsewhere", tier=2, when=_is("stuck", True), say="That led nowhere. Look for another word or file."
    ),
)
"""The rules of a game for which no others are set."""
