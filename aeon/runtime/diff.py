"""Where two runs part, and what differs between them from there on.

Compared is what was asked, what came of it, and what follows from both. When and how long is not, nor what a cache
saved, nor are the ids of the runs, nor what an effect was allowed: that follows from the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine, Outcomes, walk
from aeon.schema import Conclusion, Failure, Frozen, JsonObject, JsonValue, Outcome, Usage
from aeon.schema.effects import Effect

__all__ = ["Difference", "Differing", "Ending", "PartDifference", "Parting", "diff"]


class Differing(Frozen):
    """One place where two values differ; ``only`` names the run that has anything there, if the other has not."""

    path: str
    a: JsonValue = None
    b: JsonValue = None
    only: Literal["a", "b"] | None = None


class Parting(Frozen):
    """The first effect at which two runs differ. ``phase`` and ``subject`` are the first run's, if it has that effect.

    ``what``: the ``request`` itself, the ``outcome`` of the same request, or the ``end`` of one of the runs.
    """

    number: int
    phase: str
    subject: str
    what: Literal["request", "outcome", "end"]
    differing: tuple[Differing, ...]


class PartDifference(Frozen):
    """The differences in one part of the engine's record, such as ``pass 2``."""

    part: str
    differing: tuple[Differing, ...]


class Ending(Frozen):
    """How a run ended, cached tokens left out; ``stop_reason`` is ``None`` where it had not ended yet."""

    effects: int
    stop_reason: str | None
    answer: str
    usage: Usage


class Difference(Frozen):
    """How two runs differ. From effect ``settings_from`` on they had other ``settings``."""

    same: bool
    engines: tuple[str, str] | None = None
    task: tuple[Differing, ...] = ()
    settings: tuple[Differing, ...] = ()
    settings_from: int | None = None
    parting: Parting | None = None
    parts: tuple[PartDifference, ...] = ()
    a: Ending
    b: Ending


class _Walk(NamedTuple):
    """A run, stepped through its journal: every effect with its outcome, and the result that there is so far."""

    effects: list[tuple[Effect, Outcome]]
    result: Conclusion
    ended: bool


def diff(a: Journal, b: Journal, engine_a: AnyEngine, engine_b: AnyEngine) -> Difference:
    """Compare two runs, whole or not, each of its engine. Asks no model.

    Raises:
        Divergence: a journal is of another program or version.
        JournalError: a journal holds no run.
    """
    run_a, run_b = _step_through(a, engine_a), _step_through(b, engine_b)
    task = tuple(_differences(_dump(a.opened.task), _dump(b.opened.task)))
    settings_from, settings = _settings(a, b)
    parting = _parting(run_a.effects, run_b.effects)
    ending_a, ending_b = _ending(run_a), _ending(run_b)
    engines = (engine_a.name, engine_b.name) if engine_a.name != engine_b.name else None
    return Difference(
        same=not (engines or task or settings or parting) and ending_a == ending_b,
        engines=engines,
        task=task,
        settings=settings,
        settings_from=settings_from,
        parting=parting,
        parts=tuple(_parts(run_a.result, run_b.result)),
        a=ending_a,
        b=ending_b,
    )


def _step_through(journal: Journal, engine: AnyEngine) -> _Walk:
    """Step a run; where its journal breaks off, it ends there."""
    effects: list[tuple[Effect, Outcome]] = []
    missing = 0

    def answer(_: int, batch: tuple[Effect, ...], recorded: Outcomes) -> Outcomes:
        nonlocal missing
        missing += recorded.count(None)
        effects.extend((effect, outcome) for effect, outcome in zip(batch, recorded, strict=True) if outcome)
        return tuple(outcome or _BROKEN_OFF for outcome in recorded)

    result = walk(journal, answer, engine)
    assert result is not None
    return _Walk(effects, result, not missing)


_BROKEN_OFF = Outcome(failure=Failure(kind="waiting", message="the journal breaks off here"))


def _settings(a: Journal, b: Journal) -> tuple[int | None, tuple[Differing, ...]]:
    """The first effect that the runs issued under different configurations, and the differences."""
    changes = {n + 1 for journal in (a, b) for n, entry in journal.entries.items() if entry.config}
    for number in sorted({0, *changes}):
        if differing := tuple(_differences(_config_at(a, number), _config_at(b, number))):
            return number, differing
    return None, ()


def _config_at(journal: Journal, number: int) -> JsonObject:
    """The configuration of a run when it issued this effect."""
    changed = [entry.config for n, entry in sorted(journal.entries.items()) if entry.config and n < number]
    return changed[-1] if changed else journal.opened.config


def _dump(value: Frozen) -> JsonValue:
    dumped: JsonValue = value.model_dump(mode="json")
    return dumped


def _parting(a: list[tuple[Effect, Outcome]], b: list[tuple[Effect, Outcome]]) -> Parting | None:
    """The first effect that is not the same in both runs."""
    dearer: Parting | None = None  # the first effect that only cost more: what the runs did does not part there
    for number, ((effect_a, outcome_a), (effect_b, outcome_b)) in enumerate(zip(a, b, strict=False)):
        if differing := tuple(_differences(_request(effect_a), _request(effect_b))):
            return _part(number, effect_a, "request", differing)
        if differing := tuple(_differences(_outcome(outcome_a), _outcome(outcome_b))):
            parting = _part(number, effect_a, "outcome", differing)
            if any(not one.path.startswith("usage.") for one in differing):
                return parting
            dearer = dearer or parting
    number = min(len(a), len(b))
    if len(a) == len(b):
        return dearer
    effect, only = (a[number][0], "a") if len(a) > number else (b[number][0], "b")
    return _part(number, effect, "end", (Differing(path="", only="a" if only == "a" else "b"),))


def _part(
    number: int, effect: Effect, what: Literal["request", "outcome", "end"], differing: tuple[Differing, ...]
) -> Parting:
    return Parting(number=number, phase=effect.phase, subject=effect.subject, what=what, differing=differing)


def _request(effect: Effect) -> dict[str, JsonValue]:
    return {"phase": effect.phase, **effect.model_dump(mode="json", exclude={"allowance"})}


def _outcome(outcome: Outcome) -> dict[str, JsonValue]:
    uncached = outcome.changed(usage=outcome.usage.changed(cached_tokens=0))
    return uncached.model_dump(mode="json", exclude={"started", "ended", "config", "lost"})


def _parts(a: Conclusion, b: Conclusion) -> Iterator[PartDifference]:
    """The parts of the record that differ."""
    parts_a, parts_b = a.parts(), b.parts()
    for part in dict.fromkeys([*parts_a, *parts_b]):
        there = part in parts_a and part in parts_b
        if differing := tuple(_at(part, parts_a, parts_b, "" if there else part)):
            yield PartDifference(part=part, differing=differing)


def _ending(run: _Walk) -> Ending:
    waiting = run.result.stop_reason == "waiting" and run.result.question is not None
    reason = run.result.stop_reason if run.ended or waiting else None
    answer = run.result.answer if reason else ""
    return Ending(
        effects=len(run.effects),
        stop_reason=reason,
        answer=answer,
        usage=run.result.usage.changed(cached_tokens=0),
    )


def _differences(a: JsonValue, b: JsonValue, path: str = "") -> Iterator[Differing]:
    """Every place where two JSON values differ; lists of things that have ids are compared by id."""
    if isinstance(a, list) and isinstance(b, list):
        a, b = _by_key(a), _by_key(b)
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys([*a, *b]):
            yield from _at(key, a, b, f"{path}.{key}" if path else key)
    elif a != b:
        yield Differing(path=path, a=a, b=b)


def _at(key: str, a: JsonObject, b: JsonObject, path: str) -> Iterator[Differing]:
    """The differences at a key of two objects."""
    if key in a and key in b:
        yield from _differences(a[key], b[key], path)
    else:
        yield Differing(path=path, a=a.get(key), b=b.get(key), only="a" if key in a else "b")


def _by_key(items: list[JsonValue]) -> dict[str, JsonValue]:
    """The items by their id, or by their place where not each has one of its own."""
    ids = [str(item["id"]) for item in items if isinstance(item, dict) and "id" in item]
    names = ids if len(set(ids)) == len(items) else [str(number) for number in range(len(items))]
    return dict(zip(names, items, strict=True))
