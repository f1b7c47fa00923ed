"""What must hold of a run that has ended, on whatever engine, whatever happened in it."""

from __future__ import annotations

import json
import math

from aeon.engines.contractive.record import Contractive
from aeon.engines.graph.record import Worked
from aeon.engines.report.record import Report as ReportResult
from aeon.engines.research.record import Research
from aeon.engines.tutor.record import ProofGame
from aeon.errors import AeonError
from aeon.kernel.decide import table
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Entry
from aeon.runtime.replay import AnyEngine, replay
from aeon.schema import NOTHING, Budget, Conclusion, Frozen, JsonValue, Result, fragment
from aeon.schema.claims import LACKING
from aeon.simulation.accounts import hold_accounts
from aeon.simulation.combining import hold_combined, inner_reasons
from aeon.simulation.contractive import hold_contractive
from aeon.simulation.faults import CRASHES
from aeon.simulation.graph import hold_graph
from aeon.simulation.life import Story
from aeon.simulation.multipass import hold_passes
from aeon.simulation.reasons import hold_claims, hold_reason
from aeon.simulation.report import hold_report
from aeon.simulation.research import hold_research
from aeon.simulation.rests import hold_rests, hold_whole
from aeon.simulation.tutor import hold_game
from aeon.simulation.world import World

__all__ = ["hold", "same"]

_TIMES = frozenset({"started", "ended", "seconds"})
_WHOLE = "execute"
"""The phase of steps that are done as a whole: with a model and tools, in one effect."""


def hold(story: Story, engine: AnyEngine) -> None:
    """Hold a run against every invariant that needs no other run; what does not hold is told to its world."""
    world, result, journal = story.world, story.result, story.journal
    _answered(world, result, engine)
    hold_accounts(world, result, journal)
    hold_reason(world, result, journal, engine)
    hold_claims(world, result, journal, engine)
    hold_whole(world, result, journal)
    _done_once(world)
    _replayed(story, engine)
    if isinstance(result, Research):
        hold_research(world, result, journal, engine)
    if isinstance(result, Worked):
        hold_graph(world, result, journal, engine)
    if isinstance(result, ReportResult):
        hold_report(world, result, journal)
    if isinstance(result, ProofGame):
        hold_game(world, result, journal)
    if isinstance(result, Contractive):
        hold_contractive(world, result, journal)
    hold_combined(world, result, journal, engine)
    if isinstance(result, Result):
        hold_passes(world, result)
        hold_rests(world, result, journal)


def same(straight: Story, troubled: Story) -> None:
    """Hold a run that was troubled from outside against the same one without: result and entries, byte for byte.

    What was lost is not compared: that is what the trouble cost. Six things may differ. Where a process died in a tool
    that changes the world, the run asks or stops, so that it is another run from there on. Where an endpoint was down
    until the time was over, the time is what ran out, or else what failed attempts may have cost, and that is not taken
    back. Where it was down and another call was beyond the bound, nothing is called again. Where something was lost and
    calls, tokens or money are limited, be it by the bound that the engine states, less of them is left. Where a process
    has to find out anew what the endpoint can do, that is charged anew. Where the clock jumped, or tools waited for
    another, times are not compared; and where effects had limits on their seconds nothing is, since what was done then
    depends on them.
    """
    world = troubled.world
    _asked_with_need(troubled)
    timeless = bool(world.fired["clock_jump"]) or _hung(straight.world) or straight.world.queued
    if _may_differ(straight, troubled) or (timeless and straight.world.timed):
        return
    left_out = {"lost", "bound", *(_TIMES if timeless else ())}  # a nested run's bound is what is left around it
    for what, one, other in _pairs(straight, troubled):
        if one != other and _without(one, left_out) != _without(other, left_out):
            world.wrong("the same bytes as without trouble", f"{what}: {_difference(one, other)}")
            return


def _asked_with_need(troubled: Story) -> None:
    """A step that is done as a whole asks a model again when its tool was called, and can be broken off there."""
    world = troubled.world
    needed = any(world.fired[kind] for kind in (*CRASHES, "handed_over", "disk_full"))
    needed |= any(world.fired[kind] for kind in ("interrupt", "stream_left", "outage")) and _in_doubt(
        troubled.journal, _WHOLE
    )
    if _in_doubt(troubled.journal) and not needed:
        world.wrong("nobody is asked without need", "whether a tool was called is known: no process died")
    if (world.fired["crash_called"] or world.fired["crash_begun"]) and not _in_doubt(troubled.journal):
        world.wrong("what may have been done is in doubt", "a process died in a tool, and no outcome says so")


def _may_differ(straight: Story, troubled: Story) -> bool:
    """Whether the troubled run is another one for a good reason."""
    reasons = (_in_doubt(troubled.journal), _out_of_time(straight, troubled), _short_of_means(straight, troubled))
    is_over = bool(troubled.world.fired["outage"]) and troubled.result.stop_reason == "overspent"
    return any(reasons) or is_over or bool(troubled.world.fired["probed"]) or _asked_otherwise(straight, troubled)


def _asked_otherwise(straight: Story, troubled: Story) -> bool:
    """Whether an endpoint refused something, and a process that has not seen that asks for a turn in another form."""
    ours, theirs = straight.journal.entries, troubled.journal.entries
    forms = ((_form(ours[number]), _form(theirs[number])) for number in ours.keys() & theirs.keys())
    return bool(troubled.world.fired["endpoint_dead"]) and any(one != other for one, other in forms)


def _form(entry: Entry) -> JsonValue:
    """The form that a turn was asked for in; ``None`` of what is no turn."""
    return entry.value.get("form") if entry.phase == "turn" and isinstance(entry.value, dict) else None


def _budget(story: Story) -> Budget:
    return Budget.model_validate(story.journal.opened.config["budget"])


def _short_of_means(straight: Story, troubled: Story) -> bool:
    """Whether something was lost that is missing from a budget, a nested run's too, or from the calls of an effect."""
    budget, lost = _budget(straight), troubled.result.lost
    limited = not (budget.calls is budget.tokens is budget.cost is None)
    return lost != NOTHING and (
        limited or troubled.world.short or troubled.world.metered or bool(troubled.world.beyond)
    )


def _out_of_time(straight: Story, troubled: Story) -> bool:
    """Whether an effect ran out of time, or of what failed attempts took, in the troubled run only: an outage.

    The time of a step that is done as a whole is the engine's own: such a step took longer, and failed.
    """
    if not troubled.world.fired["outage"]:
        return False
    ours, theirs = straight.journal.entries, troubled.journal.entries
    late = [n for n, entry in theirs.items() if _late(ours.get(n), entry)]
    return any(n not in ours or ours[n].failure != theirs[n].failure for n in late)


def _late(ours: Entry | None, theirs: Entry) -> bool:
    if theirs.failure is None:
        return False
    is_short = theirs.failure.limit == "seconds" or (theirs.failure.limit is not None and theirs.usage.calls > 0)
    return is_short or (theirs.phase == _WHOLE and _took(theirs) > _took(ours))


def _took(entry: Entry | None) -> float:
    """Seconds from the start of an effect to its end; of none, for ever."""
    return entry.ended - entry.started if entry is not None else math.inf


def _pairs(straight: Story, troubled: Story) -> list[tuple[str, str, str]]:
    """What has to be equal, each with its name."""
    pairs = [("the result", straight.text, troubled.text)]
    ours, theirs = straight.journal.entries, troubled.journal.entries
    pairs += [("the entries", _json(sorted(ours)), _json(sorted(theirs)))] if ours.keys() != theirs.keys() else []
    same_numbers = sorted(ours.keys() & theirs.keys())
    return pairs + [(f"entry {n}", _text(ours[n]), _text(theirs[n])) for n in same_numbers if ours[n] != theirs[n]]


def _text(value: Frozen) -> str:
    return value.model_dump_json()


def _json(value: JsonValue | list[int]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _answered(world: World, result: Conclusion, engine: AnyEngine) -> None:
    reasons = {rule.reason for rule in table(engine.table)} | {*LACKING} | inner_reasons(result)
    reasons |= {f"{name}_exhausted" for name in Budget.model_fields}
    if not result.answer:
        world.wrong("it ends in an answer", "the answer is empty")
    if result.stop_reason not in reasons:
        world.wrong("it ends in an answer", f"{result.stop_reason!r} is no stop reason")
    if result.sufficient and (lost := [one.text for one in result.claims if one.lacking]):
        world.wrong("a good answer stands", f"{result.stop_reason}, though {', '.join(lost)} does not")
    world.ran_out(result.stop_reason.removesuffix("_exhausted"))
    world.fired["question_assumed"] += world.has("question_assumed") and bool(result.assumptions)


def _done_once(world: World) -> None:
    for key, times in world.happened.items():
        step, _, number = key.rpartition(":")[2].rpartition(".")  # one that is done as a whole has no number
        call = f"{fragment(step)}.{number}"  # as a person is asked about it
        if times > 1 + world.repeats[call] + world.repeats[step or number]:
            world.wrong("each side effect happens once", f"{key}: {times} times")


def _replayed(story: Story, engine: AnyEngine) -> None:
    try:
        again = replay(story.journal, engine).model_dump_json()
    except AeonError as error:
        story.world.wrong("replay is byte-identical", f"{type(error).__name__}: {error}")
        return
    if again != story.text:
        story.world.wrong("replay is byte-identical", _difference(story.text, again))


def _in_doubt(journal: Journal, phase: str = "") -> bool:
    """Whether a process died in a tool that changes the world, so that nobody knows what it did; in this phase alone.

    Without a ``phase`` in any.
    """
    doubt = "had been called when the process ended"
    failures = (e.failure for e in journal.entries.values() if phase in ("", e.phase))
    return any(failure is not None and failure.kind == "unknown" and doubt in failure.message for failure in failures)


def _hung(world: World) -> bool:
    return bool(world.fired["tool_hangs"])


def _without(text: str, names: set[str]) -> JsonValue:
    """The value of a JSON text, the fields of these names left out wherever they are."""

    def rest(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        return {name: value for name, value in pairs if name not in names}

    value: JsonValue = json.loads(text, object_pairs_hook=rest)
    return value


def _difference(one: str, other: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    begin = max(0, at - 60)
    return f"…{one[begin : at + 60]}… is …{other[begin : at + 60]}…"
