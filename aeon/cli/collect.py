"""``aeon collect``: the texts of folders in one file that can be searched, moved and shared; what such a file holds."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence

from aeon.cli.live import LiveView, Progress
from aeon.cli.output import print_json
from aeon.documents.collecting import Collected, Contents, collect, contents
from aeon.errors import UsageError
from aeon.observability.lines import short, visible
from aeon.text import one_line

__all__ = ["command"]

_MOST_NAMES = 10
_WIDEST = 60


def command(options: argparse.Namespace) -> int:
    """Make the collection ``options.into`` or bring it up to date; without one, list what a collection holds.

    Raises:
        InputFileError: a folder or the collection cannot be used.
        UsageError: there are several collections to list.
        MissingExtraError: the extra embeddings is there but cannot be used.
        ToolFailed: the collection was damaged meanwhile.
    """
    if options.into is None:
        held = contents(_single(options.paths))
        if options.json:
            print_json(held)
        else:
            _show(_held(held))
        return 0
    with _progress(f"reading {visible(', '.join(options.paths))}", options.json) as progress:
        collected = collect(options.paths, options.into, progress)
    if options.json:
        print_json(collected)
    else:
        _show(_done(collected))
    return 0


def _single(paths: Sequence[str]) -> str:
    if len(paths) > 1:
        raise UsageError("collect: say where the collection is kept: --into FILE; or name one collection to list it")
    return paths[0]


@contextlib.contextmanager
def _progress(what: str, quiet: bool) -> Iterator[Progress]:
    """A bar on standard error, where that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with LiveView(sys.stderr).busy(what) as progress:
        yield progress


def _show(lines: Iterable[str]) -> None:
    for line in lines:
        print(visible(line))


def _done(collected: Collected) -> Iterator[str]:
    yield _summary(collected.path, collected.documents, collected.passages, collected.bytes)
    changes = {"added": collected.added, "changed": collected.updated, "removed": collected.removed}
    yield from (f"  {what:8} {_named(names)}" for what, names in changes.items() if names)
    if not any(changes.values()):
        yield "  nothing has changed"
    yield from _skipped(collected.skipped)
    yield from (f"  {note}" for note in collected.notes)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return f"{len(names):,}: {', '.join(one_line(name, _WIDEST) for name in names[:_MOST_NAMES])}{more}"


def _skipped(skipped: Sequence[tuple[str, str]]) -> Iterator[str]:
    if skipped:
        yield f"  skipped  {len(skipped):,}:"
    for name, reason in skipped[:_MOST_NAMES]:
        yield f"    {one_line(name, _WIDEST)}: {reason}"
    if len(skipped) > _MOST_NAMES:
        yield f"    and {len(skipped) - _MOST_NAMES:,} more; --json names all"


def _held(held: Contents) -> Iterator[str]:
    yield _summary(held.path, len(held.documents), held.passages, held.bytes)
    for entry in held.documents:
        one = entry.document
        same = f"; also {', '.join(path for path in entry.files if path != one.source)}" if len(entry.files) > 1 else ""
        day = one.retrieved[:10]
        yield f"  {one.source}: {short(one.title, _WIDEST)}; {_counted(entry.passages, 'passage')}, read {day}{same}"


def _summary(path: str, documents: int, passages: int, size: int) -> str:
    counts = f"{_counted(documents, 'document')}, {_counted(passages, 'passage')}"
    return f"{path}: {counts}, {size / 1e6:,.1f} MB"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
