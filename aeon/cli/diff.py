"""``aeon diff``: where two saved runs part, and what differs then."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from aeon.assembly.runs import diff
from aeon.cli.output import print_json
from aeon.cli.saved import read
from aeon.observability.lines import Line, Span, labelled, plain, short, visible
from aeon.runtime.diff import Difference, Differing, Ending, Parting
from aeon.runtime.journal import Journal
from aeon.schema import JsonValue

__all__ = ["command", "to_lines"]

_WIDTH = 28
_MOST = 12


def command(options: argparse.Namespace) -> int:
    """Print how the runs in ``options.a`` and ``options.b`` differ: 0 if they do not, else 1.

    Raises:
        UsageError: the engine of a run is not installed in this version.
    """
    a, b = read(options.a, options.durable), read(options.b, options.durable)
    difference = diff(a, b)
    if options.json:
        print_json(difference)
    else:
        print(plain([*to_lines(difference), *_altered("a", a), *_altered("b", b)]))
    return 0 if difference.same else 1


def to_lines(difference: Difference) -> list[Line]:
    """A difference in words: where it begins, then part by part of the record, then how both runs ended."""
    a, b = difference.a, difference.b
    if difference.same:
        end = a.stop_reason or "not ended yet"
        return [(Span(f"the same: {a.effects} effects, {end.replace('_', ' ')}; times are not compared"),)]
    lines: list[Line] = []
    if difference.engines:
        lines += [(Span(f"other engines: {visible(' | '.join(difference.engines))}"),)]
    lines += labelled("task", _rows(difference.task))
    if difference.settings:
        when = f" from effect {difference.settings_from} on" if difference.settings_from else ""
        lines += [(Span(f"other settings{when}:"),), *labelled("", _rows(difference.settings))]
    lines += _parted(difference.parting)
    for part in difference.parts:
        heading = visible(part.part[:1].upper() + part.part[1:])
        lines += [(), (Span(heading),), *labelled("", _rows(part.differing))]
    return [*lines, (), (Span("End"),), *labelled("a", _ended(a)), *labelled("b", _ended(b))]


def _altered(name: str, journal: Journal) -> list[Line]:
    """Which outcomes of a run are those of whoever forked it."""
    numbers = [*map(str, journal.altered)]
    return [(Span(f"altered in {name}: the outcome of effect {', '.join(numbers)}"),)] if numbers else []


def _parted(parting: Parting | None) -> list[Line]:
    """The first divergence."""
    if parting is None:
        return [(Span("no effect differs"),)]
    phase = parting.phase.replace("_", " ")
    subject = f", {short(parting.subject, 40)}" if parting.subject != phase else ""
    what = f"effect {parting.number}, {phase}{subject}"
    if parting.what == "end":
        longer = parting.differing[0].only
        return [(Span(f"first divergence: {what}: only {longer} has it"),)]
    same = "what was asked for differs" if parting.what == "request" else "the same was asked for, the outcome differs"
    return [(Span(f"first divergence: {what}: {same}"),), *labelled("", _rows(parting.differing))]


def _rows(differing: Iterable[Differing]) -> list[Line]:
    """A line each: the path, what a has there, what b has there."""
    every = list(differing)
    lines = [_row(one) for one in every[:_MOST]]
    rest = len(every) - _MOST
    return lines + ([(Span(f"and {rest} more; all of them: --json"),)] if rest > 0 else [])


def _row(one: Differing) -> Line:
    if one.only:
        value = one.a if one.only == "a" else one.b
        return (Span(f"{short(one.path, 60)}: only in {one.only}: {_value(value)}"),)
    return (Span(f"{short(one.path, 60)}: {_value(one.a)} | {_value(one.b)}"),)


def _value(value: JsonValue) -> str:
    if isinstance(value, dict) and isinstance(value.get("description"), str):
        value = value["description"]
    value = round(value, 4) if isinstance(value, float) else value
    return short("nothing" if value is None else value, _WIDTH)


def _ended(end: Ending) -> list[Line]:
    reason = (end.stop_reason or "not ended yet").replace("_", " ")
    spent = f"{end.effects} effects, {end.usage.calls} model calls, {end.usage.tokens:,} tokens"
    return [(Span(f"{reason}  {spent}"),), *([(Span(short(end.answer)),)] if end.answer else [])]
