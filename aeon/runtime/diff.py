"""Where two runs part, and what differs between them from there on.

Compared is what was asked, what came of it, and what follows from both. When and how long is not, nor what a cache
saved, nor are the ids of the runs, nor what an effect was allowed: that follows from the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from aeon.kernel.effects import Effect, ExecuteStep
from aeon.kernel.phases import run
from aeon.runtime.journal import Journal
from aeon.runtime.replay import Make, walk
from aeon.schema import (
    Config, ExecutionPass, Failure, Frozen, JsonObject, JsonValue, Outcome, Result, StopReason, Usage,
)  # fmt: skip

__all__ = ["Difference", "Differing", "Ending", "Parting", "PassDifference", "diff"]


class Differing(Frozen):
    """One place where two values differ; ``only`` names the run that has anything there, if the other has not."""

    path: str
    a: JsonValue = None
    b: JsonValue = None
    only: Literal["a", "b"] | None = None


class Parting(Frozen):
    """The first effect of which two runs differ. ``phase`` is the first run's, unless it has no such effect.

    ``what``: the ``request`` itself, the ``outcome`` of the same request, or the ``end`` of one of the runs.
    """

    number: int
    phase: str
    step: str | None = None
    what: Literal["request", "outcome", "end"]
    differing: tuple[Differing, ...]


class PassDifference(Frozen):
    """What differs of one pass; ``number`` 0 is the preparation."""

    number: int
    differing: tuple[Differing, ...]


class Ending(Frozen):
    """How a run ended, cached tokens left out; ``stop_reason`` is ``None`` where it had not ended yet."""

    effects: int
    stop_reason: StopReason | None
    answer: str
    usage: Usage


class Difference(Frozen):
    """What `diff` found. From effect ``settings_from`` on the runs had other ``settings``."""

    same: bool
    task: tuple[Differing, ...] = ()
    settings: tuple[Differing, ...] = ()
    settings_from: int | None = None
    parting: Parting | None = None
    passes: tuple[PassDifference, ...] = ()
    a: Ending
    b: Ending


class _Told(NamedTuple):
    """A run, stepped through its journal: every effect with its outcome, and the result that there is so far."""

    effects: list[tuple[Effect, Outcome]]
    result: Result
    ended: bool


def diff(a: Journal, b: Journal, program: Make = run) -> Difference:
    """Compare two runs, whole or not. Asks no model.

    Raises:
        Divergence: a journal is of another program or version.
        JournalError: a journal holds no run.
    """
    told_a, told_b = _told(a, program), _told(b, program)
    task = tuple(_differing(_dumped(a.opened.task), _dumped(b.opened.task)))
    settings_from, settings = _settings(a, b)
    parting = _parting(told_a.effects, told_b.effects)
    ending_a, ending_b = _ending(told_a), _ending(told_b)
    return Difference(
        same=not (task or settings or parting) and ending_a == ending_b, task=task, settings=settings,
        settings_from=settings_from, parting=parting, passes=tuple(_passes(told_a.result, told_b.result)),
        a=ending_a, b=ending_b,
    )  # fmt: skip


def _told(journal: Journal, program: Make) -> _Told:
    """Step a run; where its journal breaks off, it ends there."""
    effects: list[tuple[Effect, Outcome]] = []
    missing = 0

    def answer(_: int, batch: tuple[Effect, ...], known: tuple[Outcome | None, ...]) -> tuple[Outcome, ...]:
        nonlocal missing
        missing += known.count(None)
        effects.extend((effect, outcome) for effect, outcome in zip(batch, known, strict=True) if outcome)
        return tuple(outcome or _BROKEN_OFF for outcome in known)

    result = walk(journal, answer, program)
    assert result is not None
    return _Told(effects, result, not missing)


_BROKEN_OFF = Outcome(failure=Failure(kind="waiting", message="the journal breaks off here"))


def _settings(a: Journal, b: Journal) -> tuple[int | None, tuple[Differing, ...]]:
    """The effect from which on the runs were configured otherwise, and how."""
    changes = {n + 1 for journal in (a, b) for n, entry in journal.entries.items() if entry.config}
    for number in sorted({0, *changes}):
        if found := tuple(_differing(_dumped(_in_force(a, number)), _dumped(_in_force(b, number)))):
            return number, found
    return None, ()


def _in_force(journal: Journal, number: int) -> Config:
    """The configuration of a run when it issued this effect."""
    changed = [entry.config for n, entry in sorted(journal.entries.items()) if entry.config and n < number]
    return changed[-1] if changed else journal.opened.config


def _dumped(value: Frozen) -> JsonValue:
    dumped: JsonValue = value.model_dump(mode="json")
    return dumped


def _parting(a: list[tuple[Effect, Outcome]], b: list[tuple[Effect, Outcome]]) -> Parting | None:
    """The first effect that is not the same in both runs."""
    for number, ((effect_a, outcome_a), (effect_b, outcome_b)) in enumerate(zip(a, b, strict=False)):
        if found := tuple(_differing(_request(effect_a), _request(effect_b))):
            return _part(number, effect_a, "request", found)
        if found := tuple(_differing(_outcome(outcome_a), _outcome(outcome_b))):
            return _part(number, effect_a, "outcome", found)
    number = min(len(a), len(b))
    if len(a) == len(b):
        return None
    effect, only = (a[number][0], "a") if len(a) > number else (b[number][0], "b")
    return _part(number, effect, "end", (Differing(path="", only="a" if only == "a" else "b"),))


def _part(
    number: int, effect: Effect, what: Literal["request", "outcome", "end"], found: tuple[Differing, ...]
) -> Parting:
    step = effect.step.id if isinstance(effect, ExecuteStep) else None
    return Parting(number=number, phase=effect.phase, step=step, what=what, differing=found)


def _request(effect: Effect) -> dict[str, JsonValue]:
    return {"phase": effect.phase, **effect.model_dump(mode="json", exclude={"allowance"})}


def _outcome(outcome: Outcome) -> dict[str, JsonValue]:
    uncached = outcome.usage.model_copy(update={"cached_tokens": 0})
    told = outcome.model_copy(update={"usage": uncached})
    return told.model_dump(mode="json", exclude={"started", "ended", "config"})


def _passes(a: Result, b: Result) -> Iterator[PassDifference]:
    """The preparation and each pass that differ."""
    timeless = {"timings"}
    before_a, before_b = (run.history.preparation.model_dump(mode="json", exclude=timeless) for run in (a, b))
    if found := tuple(_differing(before_a, before_b)):
        yield PassDifference(number=0, differing=found)
    for number in range(1, max(a.passes, b.passes) + 1):
        one, other = (_pass(run, number) for run in (a, b))
        if found := tuple(_differing(one, other, f"pass {number}" if one is None or other is None else "")):
            yield PassDifference(number=number, differing=found)


def _pass(result: Result, number: int) -> JsonValue:
    """A pass without its times, and with what it alone cost; ``None`` if there was none."""
    if number > result.passes:
        return None
    record: ExecutionPass = result.history.passes[number - 1]
    told = record.model_dump(mode="json", exclude={"timings", "number", "budget_before", "budget_after"})
    before, after = record.budget_before.model_dump(), record.budget_after.model_dump()
    return {**told, "usage": {name: round(after[name] - before[name], 9) for name in after if name != "cached_tokens"}}


def _ending(told: _Told) -> Ending:
    waiting = told.result.stop_reason == "waiting" and told.result.question is not None
    reason = told.result.stop_reason if told.ended or waiting else None
    answer = told.result.answer if reason else ""
    usage = told.result.usage.model_copy(update={"cached_tokens": 0})
    return Ending(effects=len(told.effects), stop_reason=reason, answer=answer, usage=usage)


def _differing(a: JsonValue, b: JsonValue, path: str = "") -> Iterator[Differing]:
    """Every place where two JSON values differ; lists of things that have ids are compared by id."""
    if isinstance(a, list) and isinstance(b, list):
        a, b = _by_key(a), _by_key(b)
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys([*a, *b]):
            yield from _at(key, a, b, f"{path}.{key}" if path else key)
    elif a != b:
        yield Differing(path=path, a=a, b=b)


def _at(key: str, a: JsonObject, b: JsonObject, path: str) -> Iterator[Differing]:
    """What differs at a key of two objects."""
    if key in a and key in b:
        yield from _differing(a[key], b[key], path)
    else:
        yield Differing(path=path, a=a.get(key), b=b.get(key), only="a" if key in a else "b")


def _by_key(items: list[JsonValue]) -> dict[str, JsonValue]:
    """The items by their id, or by their place where not each has one of its own."""
    ids = [str(item["id"]) for item in items if isinstance(item, dict) and "id" in item]
    names = ids if len(set(ids)) == len(items) else [str(number) for number in range(len(items))]
    return dict(zip(names, items, strict=True))
