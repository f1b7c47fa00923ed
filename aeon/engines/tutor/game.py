"""The state of a proof game: its graph, what was seen and claimed, the score. All of it follows from the outcomes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from aeon.engines.tutor.actions import Action, Excerpt, ListFiles, Listing, Matches, Observation, Query, Unseen, plain
from aeon.engines.tutor.checking import Checker, Ruling
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.graph import Node, NodeKind, chained
from aeon.engines.tutor.looks import Seen
from aeon.engines.tutor.moves import Move, Respond
from aeon.engines.tutor.statements import Contains, Statement, statement_words
from aeon.schema.column import ColumnKind
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.value import Value

__all__ = ["DECIDED", "Game", "data", "key", "newest"]

DECIDED = ("proved", "refuted")
_SAID = {"yes": "proved", "no": "refuted"}
_SHOWN_CLAIMS = 6


@dataclass(slots=True)
class Game:
    """What has happened; ``words`` are the uncommon words of the task.

    ``claims`` and ``rulings`` are by the number of the claim's node; ``numbers`` by statement.

    ``decided`` and ``undecidable`` are the numbers of claims that are so, in order; ``about`` the lines that some claim
    is about. They are kept up as the game goes, so that a turn takes no longer in a long game than in a short one.

    ``debt`` is the claim that awaits truth or dare. ``moves`` are all moves in short, ``stale`` counts turns in a row
    without news, ``given`` are the hint cards. ``message`` is what the tutor said last.
    """

    config: TutorConfig
    tables: dict[str, dict[str, ColumnKind]] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    nodes: list[Node] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    claims: dict[int, Statement] = field(default_factory=dict)
    rulings: dict[int, Ruling] = field(default_factory=dict)
    numbers: dict[Statement, int] = field(default_factory=dict)
    decided: dict[int, None] = field(default_factory=dict)
    undecidable: dict[int, None] = field(default_factory=dict)
    about: set[tuple[str, int]] = field(default_factory=set)
    taken: set[Action] = field(default_factory=set)
    moves: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    turn: int = 0
    score: int = 0
    stale: int = 0
    debt: int | None = None
    message: str = ""

    def add(self, kind: NodeKind, content: JsonObject, rests_on: Iterable[int] = ()) -> int:
        """Add a node to the graph; its number."""
        number = len(self.nodes) + 1
        node = Node(number=number, turn=self.turn, kind=kind, content=content, rests_on=tuple(rests_on))
        self.nodes.append(chained(node, self.nodes[-1].hash if self.nodes else ""))
        return number

    def observe(self, action: Action, observation: Observation) -> tuple[int, bool]:
        """Keep an observation: its number, and whether it says anything that none said before."""
        news = not isinstance(observation, Unseen) and all(one.observation != observation for one in self.seen)
        number = self.add("observation", {"action": data(action), "saw": data(observation)})
        self.seen.append(Seen(number, action, observation))
        self.taken.add(action)
        return number, news

    @property
    def checker(self) -> Checker:
        """The check of claims by all that was seen."""
        return Checker(self.seen, self.claims, self.tables)

    def claim(self, statement: Statement, rests_on: Iterable[int] = ()) -> tuple[int, Ruling, bool]:
        """Put a claim: its number, the verdict, and whether that is news."""
        number = self.numbers.get(statement)
        if number is None:
            number = self.add("claim", {"statement": data(statement)}, rests_on)
            self.claims[number], self.numbers[statement] = statement, number
            if isinstance(statement, Contains) and statement.line is not None:
                self.about.add((statement.path, statement.line))
        return number, *self.rule(number)

    def rule(self, number: int) -> tuple[Ruling, bool]:
        """The verdict on a claim as things stand, and whether it is another one than before; only then it is added."""
        ruling, before = self.checker.rule(self.claims[number]), self.rulings.get(number)
        changed = before is None or before.verdict != ruling.verdict
        self.rulings[number] = ruling
        for group, belongs in ((self.decided, ruling.verdict in DECIDED), (self.undecidable, ruling.exhausted)):
            if belongs:
                group.setdefault(number)
            else:
                group.pop(number, None)
        if changed:
            content: JsonObject = {"claim": number, "verdict": ruling.verdict, "reason": ruling.reason}
            self.add("verdict", content, dict.fromkeys((number, *ruling.rests_on)))
        return ruling, changed

    def opposed(self, statement: Statement) -> bool:
        """Whether the opposite of a statement is proved, or the statement's own opposite refuted."""
        other = self.numbers.get(statement.changed(polarity=not statement.polarity))
        return other is not None and self.rulings[other].verdict == "proved"

    def has_path(self, action: Action) -> bool:
        """Whether an action is about a file that may be there: a whole list of files would name it."""
        if isinstance(action, ListFiles | Query) or not action.path:
            return True
        lists = [one.observation for one in self.seen if isinstance(one.observation, Listing)]
        return not any(one.whole and not one.path and action.path not in one.files for one in lists)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the first list."""
        return next((one.observation.files for one in self.seen if isinstance(one.observation, Listing)), ())

    def unclaimed(self) -> int:
        """How many lines were seen in the newest look that no claim is about."""
        if not self.seen:
            return 0
        match self.seen[-1].observation:
            case Matches(hits=hits):
                lines = {(hit.path, hit.line) for hit in hits}
            case Excerpt(path=path, lines=text):
                lines = {(path, number) for number, _ in text}
            case _:
                return 0
        return len(lines - self.about)

    def founded(self, move: Respond) -> bool:
        """Whether each claim of an answer is decided; of one that says so, that it is open."""
        rulings = [self.rulings.get(number) for number in move.claims]
        if move.undecidable:
            return all(one is not None and one.verdict == "undecided" and one.exhausted for one in rulings)
        return all(one is not None and one.verdict in DECIDED for one in rulings)

    def borne_out(self, move: Respond) -> bool:
        """Whether an answer is a value of what one of its claims affirms, or says rightly that they hold or do not."""
        said, known = move.answer.strip().casefold(), [number for number in move.claims if number in self.claims]
        if said in _SAID:
            return all(self.rulings[number].verdict == _SAID[said] for number in known)
        return not said or any(_stands(said, value.casefold()) for value in self._values(known))

    def _values(self, numbers: Iterable[int]) -> Iterator[str]:
        """The values of what these claims affirm."""
        affirmed = (self.claims[number] for number in numbers if self._affirms(number))
        return chain.from_iterable(_leaves(data(claim)) for claim in affirmed)

    def _affirms(self, number: int) -> bool:
        """Whether a decided claim says that something is so, and not that it is not."""
        return (self.rulings[number].verdict == "proved") == self.claims[number].polarity

    def answer(self, move: Respond) -> str:
        """The answer in words, which the host writes from the claims."""
        facts = self.facts(move)
        if move.undecidable:
            return f"The files do not say whether {' and '.join(facts)}."
        return f"{f'{move.answer}: ' if move.answer else ''}{'; '.join(facts)}."

    def facts(self, move: Respond) -> list[str]:
        """The claims of an answer in words: as they were decided, or as they were put where they are open."""
        turned = [self.rulings[number].verdict == "refuted" for number in move.claims]
        claims = [self.claims[number] for number in move.claims]
        return [statement_words(_denied(one) if no else one) for one, no in zip(claims, turned, strict=True)]

    def lines(self) -> list[str]:
        """The claims with their verdicts, as a player is shown them: the newest ones."""
        last = [*islice(reversed(self.rulings.items()), _SHOWN_CLAIMS)][::-1]
        return [f"[{n}] {one.verdict.replace('_', ' ')}: {statement_words(self.claims[n])}" for n, one in last]


def data(value: Value) -> JsonObject:
    """A value as plain JSON."""
    plain: JsonObject = json.loads(value.model_dump_json())
    return plain


def key(move: Move) -> str:
    """A move in short, by which it is known again."""
    return move.model_dump_json()


def _denied(statement: Statement) -> Statement:
    return statement.changed(polarity=not statement.polarity)


def _stands(said: str, value: str) -> bool:
    """Whether a value is, or holds as whole words, what was said."""
    return re.search(rf"(?<![\w.,]){re.escape(said)}(?![\w]|[.,]\w)", value) is not None


def _leaves(value: JsonValue) -> Iterator[str]:
    """The texts and numbers of a statement, its type aside."""
    match value:
        case dict():
            yield from (leaf for name, inner in value.items() if name != "type" for leaf in _leaves(inner))
        case str():
            yield value
        case int() | float() if not isinstance(value, bool):
            yield plain(value)


def newest(seen: Sequence[Seen], most: int) -> list[Seen]:
    """The last observations, the newest first."""
    return list(reversed(seen[-most:]))
