"""What a player may do to a folder, and what it can see by that. All of it only reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.column import Aggregate
from aeon.schema.frozen import JsonObject
from aeon.schema.value import Value

__all__ = [
    "EVERYWHERE",
    "Action",
    "CountLines",
    "Excerpt",
    "Hit",
    "Imports",
    "ListFiles",
    "Listing",
    "Matches",
    "Modules",
    "Observation",
    "OfTable",
    "Query",
    "ReadLines",
    "Search",
    "TableValue",
    "Unseen",
    "aggregate_words",
    "arguments",
    "plain",
]

Path = Annotated[str, Field(max_length=300)]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(max_length=120)]
Number = Annotated[int, Field(ge=1, le=10_000_000)]
_WORDS = {"sum": "the sum", "avg": "the average", "min": "the least", "max": "the greatest", "count": "the number"}
_MOST_FILES = 30
_LONGEST_LINE = 110
_WHOLE = 1e15
"""Below that a float that is a whole number is written as one."""
EVERYWHERE = "all files"


def aggregate_words(of: OfTable | TableValue) -> str:
    """An aggregate in words."""
    rows = f" where {of.where} is {of.equals}" if of.where else ""
    return f"{_WORDS[of.aggregate]} of {of.column} in {of.table}{rows}"


def plain(value: float | str) -> str:
    """A value as people write it, to its last digit."""
    if isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, int) or (value.is_integer() and abs(value) < _WHOLE) else repr(value)


def _cut(line: str) -> str:
    text = " ".join(line.split())
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def _unread(what: str, files: Sequence[str]) -> list[str]:
    return [f"could not be {what}: {', '.join(files[:5])}"] if files else []


class ListFiles(Value):
    """List the files whose path begins with ``path``; "" lists all."""

    type: Literal["list"] = "list"
    path: Path = ""

    @property
    def words(self) -> str:
        """The action in a few words."""
        return f"list the files below {self.path}" if self.path else "list all files"


class ReadLines(Value):
    """Read lines of a file, from ``start`` on (1-based), at most 40."""

    type: Literal["read"] = "read"
    path: Path
    start: Number = 1

    @property
    def words(self) -> str:
        """The action in a few words."""
        return f"read {self.path} from line {self.start}"


class Search(Value):
    """Find the lines that hold a text, in one file, or in all where ``path`` is ""; upper and lower case count."""

    type: Literal["search"] = "search"
    text: Text
    path: Path = ""

    @property
    def words(self) -> str:
        """The action in a few words."""
        return f"search “{self.text}” in {self.path or EVERYWHERE}"


class CountLines(Value):
    """Count the lines that hold a text, in one file or in all."""

    type: Literal["count"] = "count"
    text: Text
    path: Path = ""

    @property
    def words(self) -> str:
        """The action in a few words."""
        return f"count the lines with “{self.text}” in {self.path or EVERYWHERE}"


class Imports(Value):
    """What a Python file imports by import statements; "" looks at every Python file."""

    type: Literal["imports"] = "imports"
    path: Path = ""

    @property
    def words(self) -> str:
        """The action in a few words."""
        return f"look at the imports of {self.path or 'all Python files'}"


class OfTable(Value):
    """An aggregate of a table's column, of all rows, or of those in which ``where`` has the value ``equals``."""

    table: Name
    column: Name
    aggregate: Aggregate
    where: Name = ""
    equals: Annotated[str, Field(max_length=200)] = ""


class Query(OfTable):
    """The action that gives one number of a table."""

    type: Literal["query"] = "query"

    @property
    def words(self) -> str:
        """The action in a few words."""
        return f"compute {aggregate_words(self)}"


Action = Annotated[ListFiles | ReadLines | Search | CountLines | Imports | Query, Field(discriminator="type")]


def arguments(action: Action) -> JsonObject:
    """An action as the arguments of the tool ``look``."""
    fields = {name: value for name, value in action.fields().items() if name != "type"}
    return {"action": action.type, **({"query": fields} if isinstance(action, Query) else fields)}


class Listing(Value):
    """The files whose path begins with ``path``; ``whole``: they are all of them."""

    type: Literal["listing"] = "listing"
    path: str
    files: tuple[str, ...] = ()
    whole: bool = False

    def shown(self) -> list[str]:
        """What was seen, in lines that are short enough for a prompt."""
        more = "" if self.whole and len(self.files) <= _MOST_FILES else ", …"
        return [f"{len(self.files)} files: {', '.join(self.files[:_MOST_FILES])}{more}"]


class Excerpt(Value):
    """Lines of a file with their numbers; ``total`` counts all its lines. ``cut`` are the numbers of shortened ones."""

    type: Literal["lines"] = "lines"
    path: str
    lines: tuple[tuple[int, str], ...] = ()
    total: int = 0
    cut: tuple[int, ...] = ()

    def shown(self) -> list[str]:
        """What was seen, in lines that are short enough for a prompt."""
        shown = [f"{self.path}:{number}: {_cut(line)}" for number, line in self.lines]
        return [f"{self.path} has {self.total} lines", *shown]


class Hit(Value):
    """A line that holds what was searched for; ``cut``: only a part of it is shown."""

    path: str
    line: int
    text: str
    cut: bool = False


class Matches(Value):
    """The lines that hold ``text`` in ``path``, or in all files where that is "": ``total`` of them.

    ``counts`` says of each file that has one how many; ``hits`` shows the first. ``unread`` are files that could not be
    searched. ``whole``: every file was looked at, and every count is there.
    """

    type: Literal["matches"] = "matches"
    text: str
    path: str
    total: int = 0
    counts: tuple[tuple[str, int], ...] = ()
    hits: tuple[Hit, ...] = ()
    unread: tuple[str, ...] = ()
    whole: bool = False

    def of(self, path: str) -> int:
        """How many lines of this file hold the text."""
        return sum(count for name, count in self.counts if name == path)

    def hits_of(self, path: str) -> list[Hit]:
        """The lines of this file that are shown."""
        return [hit for hit in self.hits if hit.path == path]

    def covers(self, path: str) -> bool:
        """Whether all of this file was searched and counted."""
        return self.whole and self.path in ("", path) and path not in self.unread

    def complete(self, path: str) -> bool:
        """Whether every line of this file that holds the text is shown."""
        return self.covers(path) and len(self.hits_of(path)) == self.of(path)

    def shown(self) -> list[str]:
        """What was seen, in lines that are short enough for a prompt."""
        there = f"{self.total or 'no'} line{'s' * (self.total != 1)} of {self.path or EVERYWHERE} with “{self.text}”"
        spread = [", ".join(f"{path}: {count}" for path, count in self.counts[:8])] if len(self.counts) > 1 else []
        hits = [f"{hit.path}:{hit.line}: {_cut(hit.text)}" for hit in self.hits]
        return [there, *spread, *hits, *_unread("searched", self.unread)]


class Modules(Value):
    """What Python files import, by file; ``unread`` are those that could not be parsed."""

    type: Literal["modules"] = "modules"
    path: str
    files: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unread: tuple[str, ...] = ()
    whole: bool = False

    def shown(self) -> list[str]:
        """What was seen, in lines that are short enough for a prompt."""
        listed = [f"{path} imports {', '.join(modules) or 'nothing'}" for path, modules in self.files]
        return [*listed, *_unread("parsed", self.unread)]


class TableValue(Value):
    """The value that a query gives, if any row has one; it may be off by ``within``: averages are not told exactly."""

    type: Literal["value"] = "value"
    table: str
    column: str
    aggregate: Aggregate
    where: str = ""
    equals: str = ""
    value: int | float | str | None = None
    within: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0

    def shown(self) -> list[str]:
        """What was seen, in lines that are short enough for a prompt."""
        return [f"{aggregate_words(self)} is {'nothing' if self.value is None else plain(self.value)}"]


class Unseen(Value):
    """Why an action saw nothing."""

    type: Literal["unseen"] = "unseen"
    problem: str

    def shown(self) -> list[str]:
        """What was seen, in lines that are short enough for a prompt."""
        return [self.problem]


Observation = Annotated[Listing | Excerpt | Matches | Modules | TableValue | Unseen, Field(discriminator="type")]
"""What an action saw. Each is a true statement about the folder at the time when it was made."""
