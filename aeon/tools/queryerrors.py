"""One line for a query that fails: what is wrong with it, the nearest names that there are, or what it took."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.text import one_line

__all__ = ["PLAIN", "SMALL", "Wording", "error_line", "nearest", "no_column", "no_table", "not_shown"]

_COLUMN = re.compile(
    r"(?:Referenced column|have a column named) \"(?P<name>.+?)\"(?: not found| was not found|$)", re.M
)
_TABLE = re.compile(r"Referenced table \"(?P<name>.+?)\" not found|Table with name (?P<other>.+?) does not exist")
_FUNCTION = re.compile(r"Function with name \"?(?P<name>[^\s\"]+)\"? (?:does not exist|is not in)")
_ARGUMENTS = re.compile(r"No function matches the given name and argument types '(?P<call>.+?)'\.", re.DOTALL)
_KIND = re.compile(r"^[A-Z][A-Za-z ]*(?:Error|Exception): ")
_MOST = 300


@dataclass(frozen=True)
class Wording:
    """How it is said that a query took more ``seconds`` or memory than it may, for the ``reason``."""

    late: str
    large: str

    def too_late(self, seconds: float) -> ToolFailed:
        """The error for a query that took more than so many seconds."""
        return ToolFailed(self.late.format(seconds=seconds))

    def too_large(self, reason: str) -> ToolFailed:
        """The error for a query that took too much memory."""
        return ToolFailed(self.large.format(reason=one_line(reason, 120)))

    @contextmanager
    def translated(self, module: ModuleType, seconds: float, explained: Callable[[str], str]) -> Iterator[None]:
        """DuckDB's errors as those of a tool, of one line; ``explained`` says what is wrong with a query.

        Raises ``ToolFailed`` for what takes too much, and ``ToolArgumentError`` for what cannot run as it is.
        """
        try:
            yield
        except module.InterruptException:
            raise self.too_late(seconds) from None
        except (module.OutOfMemoryException, module.FatalException) as error:
            raise self.too_large(str(error)) from None
        except module.Error as error:
            raise ToolArgumentError(explained(str(error))) from None
        except (ValueError, OverflowError, ImportError, RuntimeError) as error:  # a value that Python cannot hold
            raise not_shown(error) from None


SMALL = Wording("the query took longer than {seconds:g} s; ask for less at once", "the query needs too much: {reason}")
PLAIN = Wording("the query was stopped after {seconds:g} s", "the query needs too much memory: {reason}")


def not_shown(error: Exception) -> ToolArgumentError:
    """The error for a value that Python or JSON cannot hold."""
    return ToolArgumentError(f"a value cannot be shown ({one_line(str(error), 120)}); CAST it to VARCHAR")


def error_line(message: str, tables: Mapping[str, Sequence[str]], query: str = "") -> str:
    """Return DuckDB's message as one line, with the nearest of the names of these tables and their columns."""
    if match := _COLUMN.search(message):
        line, name = no_column(match["name"], tables), one_line(match["name"], 60)
        return f"{line}; a text stands in single quotes: '{name}'" if f'"{match["name"]}"' in query else line
    if match := _TABLE.search(message):
        return no_table(match["name"] or match["other"], list(tables))
    if match := _FUNCTION.search(message):
        return f"there is no function {one_line(match['name'], 60)}"
    if match := _ARGUMENTS.search(message):
        return one_line(f"{match['call']} does not work on these types; use CAST or another column", 200)
    first = _KIND.sub("", message.strip().split("\n")[0])
    return one_line(first.split(". ")[0].split("! ")[0].rstrip("!."), 200)


def no_column(name: str, tables: Mapping[str, Sequence[str]]) -> str:
    """The line for a column that no table has."""
    columns = list(dict.fromkeys(column for columns in tables.values() for column in columns))
    close = nearest(name, columns)
    guess = f"did you mean {' or '.join(close)}? " if close else ""
    listed = "; ".join(f"{table} has: {_listed(columns)}" for table, columns in tables.items())
    return one_line(f"there is no column {one_line(name, 60)}; {guess}{listed}", _MOST)


def no_table(name: str, tables: Sequence[str]) -> str:
    """The line for a table that there is not."""
    close = nearest(name, tables)
    guess = f"did you mean {' or '.join(close)}? " if close else ""
    return one_line(f"there is no table {one_line(name, 60)}; {guess}the tables are: {_listed(tables)}", _MOST)


def nearest(name: str, names: Sequence[str], count: int = 2) -> list[str]:
    """Return up to ``count`` names that are spelt like this one, or that contain it or are contained in it."""
    folded: dict[str, str] = {}
    for other in names:
        folded.setdefault(other.casefold(), other)
    key = name.casefold()[:100]
    close = difflib.get_close_matches(key, folded, n=count, cutoff=0.65)
    parts = [other for other in folded if len(key) > 2 and len(other) > 2 and (key in other or other in key)]
    return [folded[other] for other in dict.fromkeys([*close, *parts])][:count]


def _listed(names: Sequence[str], most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
