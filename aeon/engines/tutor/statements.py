"""Claims as typed statements about a folder, never sentences: what can be proved or refuted by looking."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from aeon.engines.tutor.actions import (
    EVERYWHERE,
    Action,
    CountLines,
    Imports,
    ListFiles,
    Number,
    OfTable,
    Path,
    Search,
    Text,
    aggregate_words,
    plain,
)
from aeon.engines.tutor.quantities import (
    Amount,
    Constant,
    CountOf,
    Tables,
    Term,
    ValueOf,
    path_fault,
    terms_fault,
    text_fault,
)
from aeon.engines.tutor.times import CLOCK
from aeon.schema.value import Value

__all__ = [
    "Before",
    "Contains",
    "Count",
    "Equals",
    "Event",
    "Exists",
    "Implies",
    "ImportsModule",
    "Statement",
    "ValueIs",
    "statement_words",
]

Module = Annotated[str, Field(max_length=200)]
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
Figure = Annotated[int, Field(ge=-1, le=10**12)]


class Exists(Value):
    """There is a file of this path in the folder."""

    type: Literal["exists"] = "exists"
    polarity: bool = True
    path: Path

    @property
    def affirmed(self) -> str:
        """What is claimed, its polarity aside."""
        return f"there is a file {self.path}"

    def needs(self) -> tuple[Action, ...]:
        """The looks that decide it, if their coverage is whole."""
        return (ListFiles(path=self.path),)

    def fault(self, tables: Tables) -> str:
        """Why it says nothing about a folder; "" where it does."""
        return path_fault(self.path)


class Contains(Value):
    """A line of the file holds this text; ``line``: that line does. A file that does not exist holds nothing."""

    type: Literal["contains"] = "contains"
    polarity: bool = True
    path: Path
    text: Text
    line: Number | None = None

    @property
    def affirmed(self) -> str:
        """What is claimed, its polarity aside."""
        return f"{f'line {self.line} of ' if self.line else ''}{self.path} contains “{self.text}”"

    def needs(self) -> tuple[Action, ...]:
        """The looks that decide it, if their coverage is whole."""
        return (Search(text=self.text, path=self.path),)

    def fault(self, tables: Tables) -> str:
        """Why it says nothing about a folder; "" where it does."""
        return path_fault(self.path) or text_fault(self.text)


class Count(Value):
    """So many lines of the file, or of all files, hold this text; a file that does not exist has none."""

    type: Literal["count"] = "count"
    polarity: bool = True
    text: Text
    path: Path = ""
    n: Figure

    @property
    def affirmed(self) -> str:
        """What is claimed, its polarity aside."""
        return f"{_lines(self.n)} of {self.path or EVERYWHERE} contain{'s' * (self.n == 1)} “{self.text}”"

    def needs(self) -> tuple[Action, ...]:
        """The looks that decide it, if their coverage is whole."""
        return (CountLines(text=self.text, path=self.path),)

    def fault(self, tables: Tables) -> str:
        """Why it says nothing about a folder; "" where it does."""
        return self.sides[0].fault(tables)

    @property
    def sides(self) -> tuple[CountOf, Constant]:
        """What is said to be equal."""
        return CountOf(text=self.text, path=self.path), Constant(value=self.n)


class ValueIs(OfTable):
    """An aggregate of a table's column has this value."""

    type: Literal["value"] = "value"
    polarity: bool = True
    value: Amount

    @property
    def affirmed(self) -> str:
        """What is claimed, its polarity aside."""
        return f"{aggregate_words(self)} is {plain(self.value)}"

    def needs(self) -> tuple[Action, ...]:
        """The looks that decide it, if their coverage is whole."""
        return self.sides[0].needs()

    def fault(self, tables: Tables) -> str:
        """Why it says nothing about a folder; "" where it does."""
        return terms_fault(self.sides, tables)

    @property
    def sides(self) -> tuple[ValueOf, Constant]:
        """What is said to be equal."""
        of = ValueOf(
            table=self.table, column=self.column, aggregate=self.aggregate, where=self.where, equals=self.equals
        )
        return of, Constant(value=self.value)


class ImportsModule(Value):
    """An import statement of the Python file ``path`` names the module."""

    type: Literal["imports"] = "imports"
    polarity: bool = True
    path: Path
    module: Module

    @property
    def affirmed(self) -> str:
        """What is claimed, its polarity aside."""
        return f"{self.path} imports {self.module}"

    def needs(self) -> tuple[Action, ...]:
        """The looks that decide it, if their coverage is whole."""
        return (Imports(path=self.path),)

    def fault(self, tables: Tables) -> str:
        """Why it says nothing about a folder; "" where it does."""
        return path_fault(self.path) or _module_fault(self.path, self.module)


class Event(Value):
    """The one line of a log that holds this text."""

    path: Path
    text: Text

    @property
    def search(self) -> Search:
        """The look that shows its line."""
        return Search(text=self.text, path=self.path)

    @property
    def clock(self) -> Search:
        """The look that shows what its log says of its clock."""
        return Search(text=CLOCK, path=self.path)


class Before(Value):
    """The first event happened before the second, by the times that their lines begin with.

    In two files their clocks must be known: a line ``clock: +37 s`` says that the clock of a file is 37 s fast.
    """

    type: Literal["before"] = "before"
    polarity: bool = True
    first: Event
    second: Event

    @property
    def affirmed(self) -> str:
        """What is claimed, its polarity aside."""
        return f"“{self.first.text}” in {self.first.path} came before “{self.second.text}” in {self.second.path}"

    def needs(self) -> tuple[Action, ...]:
        """The looks that decide it, if their coverage is whole."""
        return (*(event.search for event in self.events), *(event.clock for event in self.events if self.apart))

    def fault(self, tables: Tables) -> str:
        """Why it says nothing about a folder; "" where it does."""
        return "".join(text_fault(one.text) or path_fault(one.path) for one in self.events) or (
            "an event is not before itself" if self.first == self.second else ""
        )

    @property
    def events(self) -> tuple[Event, Event]:
        """Both events."""
        return self.first, self.second

    @property
    def apart(self) -> bool:
        """Whether they stand in two files."""
        return self.first.path != self.second.path


class Equals(Value):
    """Two terms have the same value."""

    type: Literal["equals"] = "equals"
    polarity: bool = True
    left: Term
    right: Term

    @property
    def affirmed(self) -> str:
        """What is claimed, its polarity aside."""
        return f"{self.left.words} equals {self.right.words}"

    def needs(self) -> tuple[Action, ...]:
        """The looks that decide it, if their coverage is whole."""
        return (*self.left.needs(), *self.right.needs())

    def fault(self, tables: Tables) -> str:
        """Why it says nothing about a folder; "" where it does."""
        return terms_fault(self.sides, tables)

    @property
    def sides(self) -> tuple[Term, Term]:
        """What is said to be equal."""
        return self.left, self.right


class Implies(Value):
    """If the claim of one number holds, so does that of the other."""

    type: Literal["implies"] = "implies"
    polarity: bool = True
    premise: Number
    conclusion: Number

    @property
    def affirmed(self) -> str:
        """What is claimed, its polarity aside."""
        return f"if claim {self.premise} holds, claim {self.conclusion} does"

    def needs(self) -> tuple[Action, ...]:
        """The looks that decide it, if their coverage is whole."""
        return ()

    def fault(self, tables: Tables) -> str:
        """Why it says nothing about a folder; "" where it does."""
        return ""


Statement = Annotated[
    Exists | Contains | Count | ValueIs | ImportsModule | Before | Equals | Implies, Field(discriminator="type")
]


def statement_words(statement: Statement) -> str:
    """A statement as a sentence without its full stop."""
    return statement.affirmed if statement.polarity else f"it is not so that {statement.affirmed}"


def _module_fault(path: str, module: str) -> str:
    if not path.endswith(".py"):
        return "only Python files import"
    return "" if _MODULE.fullmatch(module) else f"{module[:60]!r} is no name of a module"


def _lines(n: int) -> str:
    return f"{n or 'no'} line{'s' * (n != 1)}"
