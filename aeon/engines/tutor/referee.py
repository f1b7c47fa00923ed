"""What the tutor says of moves: whether they are legal, what they score, and which hint card a stuck player gets."""

from __future__ import annotations

from dataclasses import replace

from aeon.engines.tutor.checking import Ruling
from aeon.engines.tutor.game import DECIDED, Game
from aeon.engines.tutor.gamerules import Facts, GameRule
from aeon.engines.tutor.moves import Ask, Assert, Challenge, Move, Propose, Reformulate, Respond
from aeon.engines.tutor.stuck import cycle, in_a_row, is_stuck

__all__ = ["answered", "hint", "refusal", "scored", "stuck"]


def refusal(game: Game, move: Move) -> str:
    """Why a move is illegal, by the first rule of tier 1 that holds; "" where it is legal.

    What soundness rests on holds whatever the rules are.
    """
    facts = _facts(game, move)
    rule = _first(game, 1, facts)
    return rule.say if rule is not None else _unsound(facts)


def _unsound(facts: Facts) -> str:
    """Why a move cannot be made under any rules."""
    if not facts.known_claim:
        return "there is no claim of that number"
    if not facts.founded:
        return "an answer cites claims that are decided"
    return "" if facts.borne_out else "the answer stands in none of its claims"


def stuck(game: Game) -> bool:
    """Whether the player is stuck."""
    return is_stuck(game.moves, game.stale)


def hint(game: Game) -> bool:
    """Give a hint card, if one is left and a rule of tier 2 has one; whether that was so."""
    if len(game.given) >= game.config.hints:
        return False
    rule = _first(game, 2, _facts(game))
    if rule is None:
        return False
    game.given.append(rule.name)
    game.add("hint", {"rule": rule.name, "say": rule.say})
    game.message = f"{game.message} Hint: {rule.say}".strip()
    return True


def answered(game: Game, move: Assert | Reformulate | Ask) -> bool:
    """Make a move that needs no look; whether it gave anything new."""
    if isinstance(move, Assert):
        return scored(game, *game.claim(move.claim))
    return _reformulated(game, move) if isinstance(move, Reformulate) else _asked(game, move)


def _reformulated(game: Game, move: Reformulate) -> bool:
    """Judge the claim that stands in the place of another; that one is not awaited any more."""
    game.debt = None
    number, ruling, news = game.claim(move.statement, (move.claim,))
    if news and ruling.verdict in DECIDED:
        game.score += game.config.points.reformulated
    return scored(game, number, ruling, news)


def _asked(game: Game, move: Ask) -> bool:
    """Say what would decide a claim, but not how."""
    checker = game.checker
    if fault := checker.fault(move.claim):
        game.message = f"That says nothing that could be decided: {fault}."
        return False
    needs = ", then ".join(action.words for action in checker.needs(move.claim) if action not in game.taken)
    game.message = f"To decide that, {needs}." if needs else "What would decide that was looked at."
    return False


def scored(game: Game, number: int, ruling: Ruling, news: bool) -> bool:
    """Score a verdict that is news, tell the player, and note a claim that awaits truth or dare."""
    points = game.config.points
    if not news and ruling.verdict != "undecided":
        game.message = f"Claim {number} was judged before: {ruling.verdict.replace('_', ' ')}."
        return False
    game.score += {"proved": points.proved, "refuted": points.refuted}.get(ruling.verdict, 0) if news else 0
    game.message = _verdict_words(number, ruling)
    game.debt = number if ruling.verdict == "undecided" and not ruling.exhausted else None
    return news and ruling.verdict in DECIDED


def _verdict_words(number: int, ruling: Ruling) -> str:
    if ruling.verdict in DECIDED:
        return f"Claim {number} is {ruling.verdict} by {', '.join(map(str, ruling.rests_on))}."
    if ruling.verdict == "ill_typed":
        return f"Claim {number} is ill-typed: {ruling.reason}."
    if ruling.exhausted:
        return f"Claim {number} is open: {ruling.reason}."
    dare = f": {ruling.dare.words}" if ruling.dare is not None else " that yields evidence"
    return f"Claim {number} is undecided: {ruling.reason}. REFORMULATE it, or PROPOSE an action{dare}."


def _first(game: Game, tier: int, facts: Facts) -> GameRule | None:
    """The first rule of a tier that holds; of hint cards, one that was not given yet comes first."""
    holding = [rule for rule in game.config.rules if rule.tier == tier and rule.when.holds(facts)]
    fresh = [rule for rule in holding if tier == 1 or rule.name not in game.given]
    return next(iter(fresh or holding), None)


def _facts(game: Game, move: Move | None = None) -> Facts:
    """What the rules rest on."""
    general = Facts(
        turn=game.turn,
        owes=game.debt is not None,
        stuck=stuck(game),
        same_in_a_row=in_a_row(game.moves),
        cycle=cycle(game.moves),
        turns_without_news=game.stale,
        proved=len(game.decided),
        unclaimed=game.unclaimed(),
    )
    return replace(general, move=move.move, **_of_move(game, move)) if move is not None else general


def _of_move(game: Game, move: Move) -> dict[str, bool]:
    """What the rules rest on that only a move of its kind has."""
    match move:
        case Propose(action=action):
            return {"answers_debt": True, "known_path": game.has_path(action)}
        case Assert(claim=statement):
            return {"contradicts": game.opposed(statement)}
        case Challenge(claim=number):
            return {"known_claim": number in game.claims}
        case Reformulate(claim=number, statement=statement):
            known = {"known_claim": number in game.claims, "contradicts": game.opposed(statement)}
            return {**known, "answers_debt": number == game.debt}
        case Respond():
            return {"founded": game.founded(move), "borne_out": game.borne_out(move)}
    return {}
