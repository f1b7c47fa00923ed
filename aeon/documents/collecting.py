"""Collections that are kept in one file: made from folders, and brought up to date from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from aeon.documents.archive import replaced, size_of
from aeon.documents.collection import Collection
from aeon.documents.folder import Folder
from aeon.documents.folders import Folders, Paths, each, unique_names
from aeon.documents.index import Index
from aeon.documents.readers import DOCUMENT_SUFFIXES
from aeon.documents.update import Changes, Update
from aeon.errors import InputFileError, UsageError
from aeon.schema import Document, Value
from aeon.text import one_line, printable

__all__ = ["Collected", "Contents", "Entry", "collect", "contents"]

_MOST_REASONS = 3


class Collected(Value):
    """What `collect` did: the paths of files that are new in the collection, other than before, and gone.

    ``skipped`` are the files that cannot be searched, each with the reason, and ``notes`` are lines on the collection.
    ``documents``, ``passages`` and ``bytes`` say what the file at ``path`` holds now.
    """

    path: str
    documents: int
    passages: int
    bytes: int
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class Entry(Value):
    """A document of a collection: what is known of it, its files, and how many passages it has."""

    document: Document
    files: tuple[str, ...]
    passages: int


class Contents(Value):
    """What the collection in the file at ``path`` holds."""

    path: str
    passages: int
    bytes: int
    documents: tuple[Entry, ...]


def collect(
    folders: Paths, into: str | os.PathLike[str], progress: Callable[[int, int], None] = lambda done, total: None
) -> Collected:
    """Make the collection in the file ``into``, or bring it up to date with these folders.

    It holds the texts, so that it needs the folders no more. The path of a document begins with the name of its folder.
    Documents of other folders that the collection holds stay as they are. ``progress`` receives the files done and in
    all. If anything is raised, the file is as it was.

    Raises:
        InputFileError: a folder cannot be read, the folders hold no text, or the file is there and is no collection,
            is being written by another process or cannot be written.
        UsageError: no folder is named.
        MissingExtraError: the extra embeddings is there but cannot be used.
    """
    sources = list(dict.fromkeys(Folder.open(one) for one in each(folders)))
    if not sources:
        raise UsageError("collect: name a folder")
    path = Path(into)
    base = Path(os.path.realpath(path)).parent
    if not base.is_dir():
        raise InputFileError(f"{one_line(str(path))}: cannot be written: there is no folder {one_line(str(base))}")
    with replaced(path) as (index, note):
        parts, moved = _parts(index, sources, base)
        folder = Folders(sources[0].root, parts)
        files = [name for name, _ in folder.walk()]
        names = tuple(name for name in files if name.lower().endswith(DOCUMENT_SUFFIXES))
        _refuse_emptied(index, folder, names)
        own = {name for name, _ in parts}
        with index.update():
            for name, source in parts:
                index.note_folder(name, _from(source, base))
            changes = Update(folder, names, progress, lambda name: name.partition("/")[0] in own).apply(index)
        skipped = _skipped(index, changes, files, names)
        documents, passages = len(index.paths()), sum(index.passages().values())
        if not documents:
            raise InputFileError(f"{_listed(sources)}: no text to collect{_because(skipped)}")
    return Collected(
        path=str(into), documents=documents, passages=passages, bytes=size_of(path),
        added=tuple(changes.added), updated=tuple(changes.changed), removed=tuple(map(printable, changes.removed)),
        skipped=skipped, notes=tuple(filter(None, (note, *moved))),
    )  # fmt: skip


def contents(path: str | os.PathLike[str]) -> Contents:
    """Return what the collection in a file holds.

    Raises ``InputFileError`` as `Collection.open`, and ``ToolFailed`` if the file is damaged.
    """
    collection = Collection.open(path)
    try:
        files, counts = collection.files(), collection.passages()
        entries = tuple(
            Entry(document=collection.document(source), files=files[source], passages=counts[source])
            for source in collection.documents
        )
    finally:
        collection.close()
    size = size_of(Path(path))
    return Contents(path=str(path), passages=sum(counts.values()), bytes=size, documents=entries)


def _parts(
    index: Index, folders: Iterable[Folder], base: Path
) -> tuple[tuple[tuple[str, Folder], ...], tuple[str, ...]]:
    """The folders by the names that their paths begin with, and a line on each one that lies elsewhere than before.

    A folder has the name that it had; one that is gone gives its name to one that is called the same.
    """
    names = index.folders()
    parts: list[tuple[str, Folder]] = []
    notes: list[str] = []
    for folder in folders:
        place = _from(folder, base)
        name = next((name for name, there in names.items() if there == place), "")
        if not name:
            (plain,) = unique_names([folder.root.name])
            is_moved = plain in names and not (base / names[plain]).exists()
            name = plain if is_moved else unique_names([*names, folder.root.name])[-1]
            notes += [f"the folder {name} is now {one_line(str(folder.root))}"] if is_moved else []
        names[name] = place
        parts.append((name, folder))
    return tuple(parts), tuple(notes)


def _from(folder: Folder, base: Path) -> str:
    """Where a folder lies, seen from the collection, so that both can be moved together."""
    place = os.path.relpath(folder.root, base)
    if printable(place) != place:
        raise InputFileError(f"cannot collect {one_line(str(folder.root))!r}: its path cannot be written as a text")
    return place


def _refuse_emptied(index: Index, folder: Folders, names: Sequence[str]) -> None:
    """Refuse to remove all that the collection has of a folder: it may be a disk that is not there just now."""
    there = {name.partition("/")[0] for name in names}
    before = [name.partition("/")[0] for name in index.holders()]
    for name, part in folder.parts:
        if name not in there and (count := before.count(name)):
            raise InputFileError(
                f"{one_line(str(part.root))}: holds no text now, and the collection has {count:,} files of it; "
                "to give them up, make a new collection without it"
            )


def _skipped(index: Index, changes: Changes, files: Iterable[str], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The files that are no documents of their own, each with the reason."""
    skipped = [(printable(name), reason) for name, reason in changes.reasons.items()]
    numbers = index.holders()
    sources = {numbers[source]: source for source in index.paths()}
    for name in names:
        source = sources.get(numbers.get(name, -1), name)
        if source != name:
            skipped.append((name, f"the same text as {one_line(source, 60)}"))
    others = set(files).difference(names)
    return (*skipped, *((printable(name), "no document") for name in files if name in others))


def _because(skipped: Sequence[tuple[str, str]]) -> str:
    reasons = [f"{one_line(name, 60)} ({reason})" for name, reason in skipped[:_MOST_REASONS]]
    more = len(skipped) - len(reasons)
    return f"; skipped: {', '.join(reasons)}{f' and {more:,} more' if more else ''}" if reasons else ""


def _listed(folders: Iterable[Folder]) -> str:
    return ", ".join(one_line(str(folder.root)) for folder in folders)
