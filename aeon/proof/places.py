"""Where the sources of a proof come from: their texts are made again and compared. Standard library alone.

What the standard library cannot do, such as reading a PDF or asking a table, a `Host` does: Aeon with its extras.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from aeon.errors import AeonError, MissingExtraError, ToolError
from aeon.proof.canonical import sha256
from aeon.proof.plain import PLAIN, clean, decode, with_columns

__all__ = ["Host", "Line", "compared", "context_problem", "shown_problems"]

_MOST_BYTES = 64_000_000
_CONTEXT = "task://context"
_FOLDER_TOOLS = ("sql", "read")


class Host(NamedTuple):
    """What a program can do that has Aeon's readers, tools and engines.

    ``extract`` gives the text of a file, ``again`` what is wrong with a step, done again by a tool over a folder, ""
    if nothing is, ``remade`` the proof that the lines of a saved run give, with the sources of a proof. Each raises an
    `AeonError` where it cannot.
    """

    extract: Callable[[Path], str]
    again: Callable[[Path, Mapping[str, Any]], str]
    remade: Callable[[bytes, Mapping[str, Any]], bytes]


class Line(NamedTuple):
    """What came of a comparison: ``kind`` is "verified", "recorded" or "problem"; ``step`` was done again for it."""

    kind: str
    text: str
    step: str = ""


def context_problem(source: Mapping[str, Any], context: str) -> str:
    """What is wrong with a source that is the context of the task, or the beginning of it; "" if nothing is."""
    if source["location"] != _CONTEXT:
        return ""
    ends = [place for place, mark in enumerate(context) if mark == "\n"]
    begins = (context[:end] for end in (len(context), *reversed(ends)))
    given = next((one for one in begins if sha256(one) == source["raw_sha256"]), None)
    return "" if given is not None and with_columns(clean(given)) == source["text"] else "it is not the task's context"


def shown_problems(name: str, output: object, texts: Mapping[str, str]) -> Iterator[str]:
    """Sentences in the output of a step that do not stand in their text; ``output`` is as `output_of` gives it."""
    stack = [output]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            stack += value.values()
            for start, end, text in _sentences(value):
                whole = texts.get(str(value.get("source")))
                if whole is not None and whole[start:end] != text:
                    place = f"what stands in {value['source'][:40]!r} there"
                    yield f"step {name}: it shows {text[:40]!r}, which is not {place}"


def _sentences(value: Mapping[str, object]) -> Iterator[tuple[int, int, str]]:
    """The sentences of a source that a part of an output shows, or the one that it is."""
    every = value.get("sentences")
    rows = every if isinstance(every, list) else [[value.get(name) for name in ("start", "end", "text")]]
    for row in rows if isinstance(value.get("source"), str) else ():
        match row:
            case [start, end, str(text), *_] if _is_place(start) and _is_place(end):
                yield int(str(start)), int(str(end)), text


def _is_place(value: object) -> bool:
    return str(value).isdecimal() and len(str(value)) < 16


def compared(document: Mapping[str, Any], folder: Path, host: Host | None) -> Iterator[Line]:
    """What came of comparing the sources of a proof with the files of a folder, and of asking its tables again."""
    for source in document["sources"]:
        name, location = f"source {source['id']}", source["location"]
        if _is_below(location):
            yield from _of_file(name, folder / PurePosixPath(location), source, host)
        else:
            yield Line("recorded", f"{name}: it is no file below the folder")
    for step in (step for one in document["derivations"] for step in one["steps"]):
        if step["tool"] in _FOLDER_TOOLS:
            yield _of_step(step, folder, host)


def _is_below(location: str) -> bool:
    place = PurePosixPath(location)
    return bool(place.parts) and not place.is_absolute() and ".." not in place.parts and "://" not in location


def _of_file(name: str, path: Path, source: Mapping[str, Any], host: Host | None) -> Iterator[Line]:
    """Whether a file is still the same, and whether the text is what it says."""
    file_name = f"the file {source['location'][:100]!r}"
    try:
        if not path.is_file():  # a pipe has no end
            raise FileNotFoundError
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = path.stat().st_size
    except (OSError, ValueError):
        yield Line("problem", f"{name}: {file_name} cannot be read")
        return
    if source["raw_sha256"] and digest != source["raw_sha256"]:
        yield Line("problem", f"{name}: {file_name} changed since")
        return
    if source["raw_sha256"]:
        yield Line("verified", f"{name}: the file is still the same")
    else:
        yield Line("recorded", f"{name}: the proof has no hash of its file")
    yield _of_text(name, path, size, source, host)


def _of_text(name: str, path: Path, size: int, source: Mapping[str, Any], host: Host | None) -> Line:
    """Whether the text of a source is what its file says, made out of it again."""
    try:
        if size > _MOST_BYTES:
            raise ToolError(f"it is larger than {_MOST_BYTES:,} bytes")
        if path.suffix.lower() in PLAIN:
            text = decode(path.read_bytes(), source["location"])
        elif host is None:
            raise MissingExtraError(f"that needs Aeon with what made it, {source['extractor'][:60] or 'a reader'}")
        else:
            text = host.extract(path)
    except MissingExtraError as error:
        return Line("recorded", f"{name}: its text was not compared with the file: {error}")
    except (AeonError, OSError) as error:
        return Line("problem", f"{name}: its text cannot be made out of the file again: {error}")
    if text != source["text"]:
        return Line("problem", f"{name}: its text is not what the file says")
    return Line("verified", f"{name}: its text is what the file says, made out of it again")


def _of_step(step: Mapping[str, Any], folder: Path, host: Host | None) -> Line:
    """Whether a tool over the folder gives the output of a step again."""
    name, tool = f"step {step['id']}", step["tool"]
    try:
        if host is None:
            raise MissingExtraError("that needs Aeon")
        wrong = host.again(folder, step)
    except MissingExtraError as error:
        return Line("recorded", f"{name}: {tool} was not done again over the folder: {error}")
    except (AeonError, ValueError, TypeError) as error:
        return Line("problem", f"{name}: {tool}, done again over the folder, fails: {error}", step["id"])
    if wrong:
        return Line("problem", f"{name}: {tool}, done again over the folder, {wrong}", step["id"])
    return Line("verified", f"{name}: {tool}, done again over the folder", step["id"])
