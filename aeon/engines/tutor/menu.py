"""The moves that a player is offered: looks at what is there, claims about what was seen, answers that are proved.

A weak model chooses well among what can be done, and badly writes it. Nothing here knows the answer: what is offered
follows from what the task names and from what was seen; whether a claim answers it, the model judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from aeon.engines.tutor.claiming import claims
from aeon.engines.tutor.effects import Tables
from aeon.engines.tutor.game import Game, data
from aeon.engines.tutor.looking import looks
from aeon.engines.tutor.moves import Assert, Move, Option, Propose, Reformulate, Respond
from aeon.engines.tutor.statements import statement_words

__all__ = ["options"]

_MOST_ANSWERS = 3
_MOST_CLAIMS = 6
_MOST_TOGETHER = 8


def options(game: Game, question: str, tables: Tables) -> list[Option]:
    """The moves that are offered now, each once, at most as many as the configuration allows."""
    most = game.config.options
    if game.debt is not None:
        return _unique(_truth_or_dare(game, game.debt, question, tables), most)
    answers = islice(_answers(game), _MOST_ANSWERS)
    fresh = (statement for statement in claims(game, question) if statement not in game.numbers)
    claimed = (_option("claim: ", statement_words(one), Assert(claim=one)) for one in islice(fresh, _MOST_CLAIMS))
    return _unique(chain(answers, claimed, _looks(game, question, tables)), most)


def _truth_or_dare(game: Game, number: int, question: str, tables: Tables) -> Iterator[Option]:
    """What is left where a claim is undecided: the action that would decide it, another claim, another look."""
    dare = game.rulings[number].dare
    if dare is not None:
        yield _option("", dare.words, Propose(action=dare))
    yield from islice(_looks(game, question, tables), 2)
    others = (one for one in claims(game, question) if one not in game.numbers)
    for one in islice(others, _MOST_CLAIMS):
        yield _option("claim instead: ", statement_words(one), Reformulate(claim=number, statement=one))


def _looks(game: Game, question: str, tables: Tables) -> Iterator[Option]:
    for action in looks(game, question, tables):
        if action not in game.taken:
            yield _option("", action.words, Propose(action=action))


def _answers(game: Game) -> Iterator[Option]:
    """An answer from several decided claims of one kind together, from each one, the newest first; and from none."""
    alike = _alike(game)
    if len(alike) > 1:
        yield _answer(game, Respond(claims=tuple(alike)))
    yield from (_answer(game, Respond(claims=(number,))) for number in reversed(game.decided))
    yield from (_answer(game, Respond(claims=(number,), undecidable=True)) for number in reversed(game.undecidable))


def _alike(game: Game) -> list[int]:
    """Of the newest decided claims the proved ones of the kind of the last."""
    newest = [*islice(reversed(game.decided), _MOST_TOGETHER)][::-1]
    proved = [number for number in newest if game.rulings[number].verdict == "proved"]
    return [number for number in proved if game.claims[number].type == game.claims[proved[-1]].type]


def _answer(game: Game, move: Respond) -> Option:
    return _option("answer: ", game.answer(move), move)


def _option(before: str, words: str, move: Move) -> Option:
    return Option(label=f"{before}{words}", said=data(move))


def _unique(offered: Iterable[Option], most: int) -> list[Option]:
    by_label = {option.label: option for option in islice(offered, 2 * most)}
    return list(by_label.values())[:most]
