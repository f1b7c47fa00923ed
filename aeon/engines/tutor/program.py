"""The Interpreter-Tutor engine: a game of proof in turns.

The player, a model, proposes a move. The tutor, which is this program, types it, judges by rules whether it is legal,
and answers with a verdict that follows from observations alone. Looks at the folder are effects; the looks of a proof
are taken again before an answer counts. The verdict is the same whichever model plays. Whether proved claims answer the
task is the only thing that a model judges, once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from aeon.engines.tutor import effects as ask
from aeon.engines.tutor.actions import Action, ListFiles, Observation, Unseen
from aeon.engines.tutor.board import board_lines
from aeon.engines.tutor.checking import Checker, Ruling
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.game import Game, key
from aeon.engines.tutor.looks import Seen
from aeon.engines.tutor.menu import options
from aeon.engines.tutor.moves import Challenge, Illegal, Move, Propose, Respond, typed
from aeon.engines.tutor.record import ProofGame
from aeon.engines.tutor.referee import answered, hint, refusal, scored, stuck
from aeon.engines.tutor.rules import TABLE, TutorSignals, most_calls
from aeon.engines.tutor.statements import statement_words
from aeon.kernel import budget
from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema.conclusion import Decision
from aeon.schema.effects import Program
from aeon.schema.outcome import Answer
from aeon.schema.plan import StepResult

__all__ = ["TUTOR"]

TutorRun = Run[TutorConfig, TutorSignals]
_OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)
_NOTHING = StepResult(output=None, mode="tool", problem="the look could not be taken")


@dataclass(slots=True)
class _Match:
    """A run and its game; ``answer`` is the one that stands at the end."""

    run: TutorRun
    game: Game
    answer: str = ""
    cited: tuple[int, ...] = ()
    judged: ask.JudgedReply | None = None

    def result(self, decision: Decision) -> ProofGame:
        """The result with its graph."""
        game = self.game
        said = self.answer or _so_far(game)
        return ProofGame(
            **dict(self.run.conclude(decision, Answer(text=said))),
            graph=tuple(game.nodes),
            cited=self.cited,
            judged=self.judged,
            score=game.score,
            turns=game.turn,
            hints=tuple(game.given),
        )


def _so_far(game: Game) -> str:
    """What a game ends with that has no answer: what was decided, and that it is none."""
    known = [
        f"{statement_words(game.claims[number])} ({game.rulings[number].verdict})" for number in [*game.decided][-3:]
    ]
    return f"No answer was proved. What was decided: {'; '.join(known)}." if known else "No answer was proved."


def _tutor(run: TutorRun) -> Program[ProofGame]:
    """The whole game. The first look, at the list of files, is the host's."""
    match = _Match(run, Game(run.config))
    run.signals.most_turns = run.config.turns
    try:
        found = yield from run.perform(ask.FindTables(task=run.task), ask.Tables())
        match.game.tables = {table.name: dict(table.columns) for table in found.tables}
        match.game.words = found.words
        yield from _look(match, ListFiles())
        run.signals.blind = _blindness(match.game)
        while True:
            run.boundary()
            yield from _turn(match, found)
    except Halt as halt:
        return match.result(halt.decision)


def _blindness(game: Game) -> str:
    """Why there is nothing to look at; "" where there are files."""
    first = game.seen[0].observation
    return "" if game.files else first.problem if isinstance(first, Unseen) else "the folder holds no file"


def _turn(match: _Match, tables: ask.Tables) -> Program[None]:
    """One move, what the tutor says of it, and a hint card for a player who is stuck."""
    run, game = match.run, match.game
    game.turn += 1
    offered = options(game, run.task.text, tables)
    effect = ask.PlayerMove(
        task=run.task,
        turn=game.turn,
        form=run.config.form,
        board=tuple(board_lines(game)),
        message=game.message if run.config.messages else "",
        options=tuple(offered),
    )
    said = yield from run.perform(effect, ask.Said(move={}))
    move = typed(said.move)
    news = yield from _judged(match, move)
    game.stale = 0 if news else game.stale + 1
    game.moves.append("illegal" if isinstance(move, Illegal) else key(move))
    run.signals.turns = game.turn
    run.signals.lost, run.signals.hinted = stuck(game) and not hint(game), bool(game.given)
    yield ask.TurnNote(turn=game.turn, words=game.message)


def _judged(match: _Match, move: Move | Illegal) -> Program[bool]:
    """Refuse a move or make it; whether it gave anything new."""
    game = match.game
    reason = move.reason if isinstance(move, Illegal) else refusal(game, move)
    if reason or isinstance(move, Illegal):
        game.add("refusal", {"reason": reason})
        game.score += game.config.points.illegal
        game.message = f"Illegal: {reason}"
        return False
    if isinstance(move, Propose):
        return (yield from _proposed(match, move.action))
    if isinstance(move, Challenge):
        return (yield from _challenged(match, move.claim))
    if isinstance(move, Respond):
        return (yield from _responded(match, move))
    return answered(game, move)


def _look(match: _Match, action: Action) -> Program[bool]:
    """Take a look; whether it shows anything new."""
    effect = ask.Act(task=match.run.task, action=action)
    seen = yield from match.run.perform(effect, _NOTHING)
    return match.game.observe(action, _observed(seen))[1]


def _observed(result: StepResult) -> Observation:
    """What a look showed; what is no observation shows nothing."""
    if result.output is None:
        return Unseen(problem=result.problem[:300] or "nothing was seen")
    try:
        return _OBSERVATION.validate_python(result.output)
    except ValidationError:
        return Unseen(problem="the look gave what is no observation")


def _proposed(match: _Match, action: Action) -> Program[bool]:
    """Do what was proposed, unless it was done before; then see whether the claim that awaits it is decided."""
    game = match.game
    if action in game.taken:
        game.message = "You took this look before."
        return False
    news = yield from _look(match, action)
    game.score += game.config.points.observed if news else 0
    game.message = "" if news else "That look showed nothing new."
    if game.debt is None:
        return news
    number, game.debt = game.debt, None
    ruling, changed = game.rule(number)
    return scored(game, number, ruling, changed) or news


def _challenged(match: _Match, number: int) -> Program[bool]:
    """Take the looks of a claim again, and judge it anew; a verdict that falls is news."""
    game = match.game
    before = game.rulings[number].verdict
    fresh = yield from _again(match, _looks_of(game, (number,)))
    for one in fresh:
        game.observe(one.action, one.observation)
    ruling, changed = game.rule(number)
    game.score += game.config.points.overturned if changed else 0
    now = f"was {before}, and is {ruling.verdict} now" if changed else "stands"
    game.message = f"Claim {number} {now}."
    return changed


def _responded(match: _Match, move: Respond) -> Program[bool]:
    """Let an answer count if its claims stand by observations that are made again, and by these alone."""
    game, signals = match.game, match.run.signals
    fresh = yield from _again(match, _looks_of(game, move.claims))
    checker = Checker(fresh, game.claims, game.tables)
    fallen = [number for number in move.claims if not _stands(game.rulings[number], checker.rule(game.claims[number]))]
    if fallen:
        for one in fresh:
            game.observe(one.action, one.observation)
        for number in move.claims:
            game.rule(number)
        game.message = f"The folder has changed: claim {fallen[0]} does not stand any more."
        return True
    match.answer, match.cited = game.answer(move), move.claims
    game.add("answer", {"answer": match.answer, "undecidable": move.undecidable}, dict.fromkeys(move.claims))
    game.score += game.config.points.answered
    game.message = match.answer
    signals.stands, signals.undecidable = True, move.undecidable
    yield from _reviewed(match, move)
    return True


def _reviewed(match: _Match, move: Respond) -> Program[None]:
    """Have a model judge whether the answer that stands answers the task."""
    run, facts = match.run, tuple(match.game.facts(move))
    effect = ask.JudgeAnswer(task=run.task, answer=match.answer, claims=facts, undecidable=move.undecidable)
    match.judged = yield from run.perform(effect, ask.JudgedReply())
    run.signals.judged, run.signals.answers = True, match.judged.answers


def _stands(before: Ruling, now: Ruling) -> bool:
    return before.verdict == now.verdict and before.exhausted == now.exhausted


def _looks_of(game: Game, claims: Iterable[int]) -> list[Action]:
    """The looks that claims rest on, each once; of an open one, those that would have decided it."""
    by_number = {one.number: one.action for one in game.seen}
    rests = [number for claim in claims for number in game.rulings[claim].rests_on]
    needs = [action for one in claims if game.rulings[one].exhausted for action in game.checker.needs(game.claims[one])]
    return list(dict.fromkeys([*(by_number[number] for number in rests), *needs]))


def _again(match: _Match, actions: Sequence[Action]) -> Program[list[Seen]]:
    """What looks show now; they are taken side by side."""
    run = match.run
    run.boundary()
    whole = run.allow(ask.Recheck.phase, len(actions))
    shares = budget.split(whole, max(1, len(actions)), run.config.caps.recheck)
    pairs = zip(actions, shares, strict=False)
    effects = [ask.Recheck(task=run.task, action=action, allowance=share) for action, share in pairs]
    outcomes = yield from run.issue(effects)
    if any(map(run.abandoned, effects, outcomes)):
        run.boundary(midway=True)
    seen = [_observed(run.value(*pair, _NOTHING)) for pair in zip(effects, outcomes, strict=True)]
    return [Seen(number, *pair) for number, pair in enumerate(zip(actions, seen, strict=True), 1)]


TUTOR: Engine[TutorConfig, TutorSignals, ProofGame] = Engine(
    name="tutor/3",
    config=TutorConfig,
    result=ProofGame,
    signals=TutorSignals,
    effects=(ask.FindTables, ask.PlayerMove, ask.Act, ask.Recheck, ask.JudgeAnswer),
    table=TABLE,
    calls=most_calls,
    program=_tutor,
)
