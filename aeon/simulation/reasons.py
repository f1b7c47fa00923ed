"""Why a run ended, and what its answer claims, held against what is on record of it, apart from the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aeon.kernel.engine import DEAD_AFTER
from aeon.language.mention import Mention
from aeon.multipass.limits import pass_limit
from aeon.proof.mentions import values
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Entry
from aeon.runtime.replay import AnyEngine
from aeon.schema import Answer, Budget, Claim, Conclusion, Config, ExecutionPass, Result, Settings
from aeon.schema.claims import ENDINGS, OPEN_READING
from aeon.schema.effects import AskUser
from aeon.simulation.combining import inner_reasons, is_combined
from aeon.simulation.world import ROUNDING, World

__all__ = ["hold_claims", "hold_reason"]

_REASONED = "the stop reason follows from the table"
_CLAIMED = "the claims are those of the answer"
_DEAD = ("endpoint", "journal")
_FIRST = ("failed", "unknown_outcome", "overspent")
_JUDGED = ("not_stated", "disagreement", "uncertain")
"""Rows of the multi-pass table that hold where the latest assessment has their code."""
_UNJUDGED = ("none", "bad")


def hold_reason(world: World, result: Conclusion, journal: Journal, engine: AnyEngine) -> None:
    """Hold the reason of a run that has ended against its entries; that of a multi-pass run against its last pass."""
    final = engine.final.phase if engine.final is not None else ""
    entries = [entry for _, entry in sorted(journal.entries.items())]
    before = entries[:-1] if entries and entries[-1].phase == final else entries
    for problem in (*_own(result, before, journal.config(engine.config)), *_overruled(result, entries, before)):
        world.wrong(_REASONED, f"{result.stop_reason}{problem}")
    if isinstance(result, Result) and result.history.passes:
        _by_its_row(world, result, result.history.passes[-1])


def _own(result: Conclusion, before: Sequence[Entry], config: Settings) -> Iterator[str]:
    """What is missing for the reason, where it is one of the machine's own."""
    if not inner_reasons(result) and not _causes(result, before, config).get(result.stop_reason, True):
        yield ": nothing on record says so"


def _causes(result: Conclusion, before: Sequence[Entry], config: Settings) -> dict[str, bool]:
    """Whether what is on record before the answer gives rise to a reason, for each of the machine's own."""
    failures = [entry.failure for entry in before if entry.failure is not None]
    verdicts: set[str] = {claim.verdict for claim in result.claims} or set(ENDINGS)
    causes = {ending: verdict in verdicts for verdict, ending in ENDINGS.items()} | _open(result)
    causes |= {f"{name}_exhausted": _is_short(name, result, config) for name in Budget.model_fields}
    causes |= {f"{one.limit}_exhausted": True for one in failures}
    return causes | {
        "failed": _died(before),
        "unknown_outcome": any(one.kind == "unknown" for one in failures),
        "interrupted": any(entry.interrupted for entry in before),
    }


def _open(result: Conclusion) -> dict[str, bool]:
    """Whether a claim rests on a table that could be read in another way."""
    return {OPEN_READING: any(claim.doubts for claim in result.claims)}


def _overruled(result: Conclusion, entries: Sequence[Entry], before: Sequence[Entry]) -> Iterator[str]:
    """What is on record and comes before the reason in any table."""
    if _is_in_doubt(result, entries) and result.stop_reason not in _FIRST[:2]:
        yield ", though nobody knows whether a tool did its work"
    if _died(before) and result.stop_reason not in _FIRST:
        yield ", though the endpoint was dead"
    lost = [claim.text for claim in result.claims if claim.verdict in ENDINGS]
    if lost and (result.sufficient or result.stop_reason == "unverified"):
        yield f", though {', '.join(lost)} does not stand"


def _is_in_doubt(result: Conclusion, entries: Sequence[Entry]) -> bool:
    """Whether nobody said of an unknown outcome what to do about it; that of a member ends the member alone."""
    if is_combined(result):
        return False
    unknown = sum(entry.failure is not None and entry.failure.kind == "unknown" for entry in entries)
    replies = (entry.value for entry in entries if entry.phase == AskUser.phase and isinstance(entry.value, dict))
    return unknown > sum(reply.get("text") in ("done", "repeat") for reply in replies)


def _died(entries: Sequence[Entry]) -> bool:
    """Whether the endpoint failed for good, or on so many requests in a row."""
    failing = 0
    for entry in entries:
        kind = entry.failure.kind if entry.failure is not None else ""
        failing = failing + 1 if kind == "request" else failing * (entry.usage.calls == 0)
        if kind in _DEAD or failing >= DEAD_AFTER:
            return True
    return False


def _is_short(name: str, result: Conclusion, config: Settings) -> bool:
    """Whether half of a budget is used at least, which no reserve is more than; of calls, all but the answer's.

    An engine that runs others divides its budgets: of such a one it is enough that there is this budget.
    """
    limit: float | None = result.bound.calls if name == "calls" else getattr(config.budget, name)
    if limit is None or not isinstance(config, Config):
        return limit is not None
    spent = result.usage + result.lost
    used: Mapping[str, float] = {
        "calls": spent.calls + config.caps.synthesize, "tokens": 2 * spent.tokens, "cost": 2 * spent.cost,
        "seconds": 2 * result.seconds,
    }  # fmt: skip
    return used[name] >= limit - ROUNDING


def _by_its_row(world: World, result: Result, last: ExecutionPass) -> None:
    """A run that its last pass ended has the first reason of its table that holds of that pass, as far as it shows."""
    decision, order = last.decision, result.history.configuration.reasoning_engine.decide.order
    if decision is None or decision.action != "OUTPUT" or not last.complete or decision.reason not in order:
        return
    holds = dict(_rows(result, last))
    place = order.index(decision.reason)
    if earlier := [reason for reason in order[:place] if holds.get(reason) and not _same(reason, decision.reason)]:
        world.wrong(_REASONED, f"pass {last.number} ended as {decision.reason}, not as {earlier[0]}")
    if holds.get(decision.reason) is False:
        world.wrong(_REASONED, f"pass {last.number} ended as {decision.reason}, which does not hold")


def _rows(result: Result, last: ExecutionPass) -> Iterator[tuple[str, bool]]:
    """Rows of the table of which the record says whether they hold after this pass."""
    said = last.assessment
    codes, converged = (said.reason_codes, said.converged) if said is not None else ((), False)
    yield from ((code, code in codes) for code in _JUDGED)
    yield "converged", converged
    yield "own_knowledge", converged
    if said is None or said.standing not in _UNJUDGED:
        yield "unverified", False
    yield from _by_passes(result)


def _by_passes(result: Result) -> Iterator[tuple[str, bool]]:
    """Whether all passes are used, if that is sure: the profile, which says how many there are, may have changed."""
    history = result.history
    complete = sum(one.complete for one in history.passes)
    profiles = [history.preparation.profile, *(one.profile for one in history.passes if one.profile is not None)]
    limits = [pass_limit(profile, history.configuration) for profile in profiles]
    if not min(limits) <= complete < max(limits):
        yield "ttl_expired", complete >= max(limits)


def _same(one: str, other: str) -> bool:
    """Whether the record does not tell them apart: what an answer could be checked against is not in it."""
    return {one, other} == {"converged", "own_knowledge"}


def hold_claims(world: World, result: Conclusion, journal: Journal, engine: AnyEngine) -> None:
    """Hold the claims of a result against its answer: each is a span of it, and each value of it has one.

    Where the last effect gave the answer, they are those that it gave, and as good as they are.
    """
    for claim in result.claims:
        if result.answer[claim.start : claim.end] != claim.text:
            world.wrong(_CLAIMED, f"{claim.text!r} is not at {claim.start} to {claim.end} of the answer")
    given = _given(result, journal, engine)
    if given is not None and given.claims != result.claims:
        world.wrong(_CLAIMED, f"{_words(given.claims)} were given; the result has {_words(result.claims)}")
    if given is not None or not result.gives_claims:
        _hold_values(world, result)


def _given(result: Conclusion, journal: Journal, engine: AnyEngine) -> Answer | None:
    """What the last effect of an engine gave that makes claims of its own, if the result has its text."""
    if not isinstance(result, Result) or engine.final is None or not journal.entries:
        return None
    last = journal.entries[max(journal.entries)]
    if last.phase != engine.final.phase or last.failure is not None:
        return None
    answer = Answer.model_validate(last.value)
    return answer if answer.text == result.answer else None


def _hold_values(world: World, result: Conclusion) -> None:
    """Each number of two figures or more that an answer says has a claim; those of marks and equations need none."""
    answer, spans = result.answer, [(claim.start, claim.end) for claim in result.claims]
    for said in values(answer) if "=" not in answer else ():
        if _is_plain(said, answer) and not any(start < said.end and said.start < end for start, end in spans):
            world.wrong(_CLAIMED, f"nothing is said of {answer[said.start : said.end]!r}")


def _is_plain(said: Mention, answer: str) -> bool:
    """Whether it is a number in figures, and no mark."""
    figures = said.kind == "number" and said.text[:1].isdigit() and said.end - said.start > 1
    return figures and answer[said.start - 1 : said.start] != "["


def _words(claims: Sequence[Claim]) -> str:
    return ", ".join(f"{claim.text} {claim.verdict}" for claim in claims)[:200]
