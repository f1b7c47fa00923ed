"""``aeon diff``: where two saved runs part, and what differs then."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from aeon.cli.output import print_json
from aeon.cli.saved import read
from aeon.observability.lines import Line, Span, labelled, plain, short
from aeon.runtime.diff import Difference, Differing, Ending, Parting, diff
from aeon.schema import JsonValue

__all__ = ["command", "to_lines"]

_WIDTH = 28
_MOST = 12


def command(options: argparse.Namespace) -> int:
    """Print how the runs in ``options.a`` and ``options.b`` differ: 0 if they do not, else 1."""
    found = diff(read(options.a), read(options.b))
    if options.json:
        print_json(found)
    else:
        print(plain(to_lines(found)))
    return 0 if found.same else 1


def to_lines(found: Difference) -> list[Line]:
    """A difference in words: where it begins, then pass by pass, then how both ended."""
    if found.same:
        end = found.a.stop_reason or "not ended yet"
        return [(Span(f"the same: {found.a.effects} effects, {end.replace('_', ' ')}; times are not compared"),)]
    lines = labelled("task", _rows(found.task))
    if found.settings:
        when = f" from effect {found.settings_from} on" if found.settings_from else ""
        lines += [(Span(f"other settings{when}:"),), *labelled("", _rows(found.settings))]
    lines += _parted(found.parting)
    for each in found.passes:
        heading = f"Pass {each.number}" if each.number else "Preparation"
        lines += [(), (Span(heading),), *labelled("", _rows(each.differing))]
    return [*lines, (), (Span("End"),), *labelled("a", _ended(found.a)), *labelled("b", _ended(found.b))]


def _parted(parting: Parting | None) -> list[Line]:
    """The first divergence."""
    if parting is None:
        return [(Span("no effect differs"),)]
    what = f"effect {parting.number}, {parting.phase.replace('_', ' ')}{f' {parting.step}' if parting.step else ''}"
    if parting.what == "end":
        longer = parting.differing[0].only
        return [(Span(f"first divergence: {what}: only {longer} has it"),)]
    same = "what was asked for differs" if parting.what == "request" else "the same was asked for, the outcome differs"
    return [(Span(f"first divergence: {what}: {same}"),), *labelled("", _rows(parting.differing))]


def _rows(differing: Iterable[Differing]) -> list[Line]:
    """A line each: the path, what a has there, what b has there."""
    every = list(differing)
    lines = [_row(each) for each in every[:_MOST]]
    rest = len(every) - _MOST
    return lines + ([(Span(f"and {rest} more; all of them: --json"),)] if rest > 0 else [])


def _row(each: Differing) -> Line:
    if each.only:
        value = each.a if each.only == "a" else each.b
        return (Span(f"{short(each.path, 60)}: only in {each.only}: {_shown(value)}"),)
    return (Span(f"{short(each.path, 60)}: {_shown(each.a)} | {_shown(each.b)}"),)


def _shown(value: JsonValue) -> str:
    if isinstance(value, dict) and isinstance(value.get("description"), str):
        value = value["description"]
    value = round(value, 4) if isinstance(value, float) else value
    return short("nothing" if value is None else value, _WIDTH)


def _ended(end: Ending) -> list[Line]:
    reason = (end.stop_reason or "not ended yet").replace("_", " ")
    spent = f"{end.effects} effects, {end.usage.calls} model calls, {end.usage.tokens:,} tokens"
    return [(Span(f"{reason}  {spent}"),), *([(Span(short(end.answer)),)] if end.answer else [])]
