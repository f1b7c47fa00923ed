"""What a model's loop over tools has on record for its answer: what the tools gave, the sentences, the ids it cites."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from aeon.grounding.grounds import Known, ToolOutput, reading_of
from aeon.language.mention import Form
from aeon.language.readings import read
from aeon.proof.canonical import at_path, output_of
from aeon.proof.stated import is_echo
from aeon.proof.tables import is_table
from aeon.schema import FromTool, Source, ToolUse
from aeon.schema.turns import Lines

__all__ = ["ToolRecord", "from_table", "sentences_of", "sources_of"]

_QUOTE = "quote"
"""The tool that gives back a value that a program has: what it stands in is its sentence."""


class ToolRecord(NamedTuple):
    """The calls of tools and the ids that were cited.

    ``stated`` are texts of the model that may state computations, by step; ``others`` is what else an answer may rest
    on, such as what steps of another kind gave.
    """

    uses: tuple[ToolUse, ...] = ()
    cites: tuple[str, ...] = ()
    stated: Mapping[str, str] = {}
    others: Sequence[ToolOutput | Source] = ()

    @property
    def looked_up(self) -> bool:
        """Whether a tool gave anything."""
        return bool(self.others) or any(not use.problem for use in self.uses)

    def by_number(self) -> dict[str, ToolUse]:
        """The calls by the ids that a model may name them by: the whole id, and its number (the last step's)."""
        return {name: use for use in self.uses for name in (use.id.rpartition(".")[2], use.id)}

    def whole_ids(self, short: Iterable[str]) -> set[str]:
        """The ids of records that short ones stand for; of several steps, all that they may mean."""
        numbered: defaultdict[str, list[str]] = defaultdict(list)
        for use in self.uses:
            numbered[use.id.rpartition(".")[2]].append(use.id)
        parts = [one.partition(".") for one in short]
        return {f"{use}{dot}{sentence}" for number, dot, sentence in parts for use in numbered[number]}

    def places(self, cites: Collection[str]) -> Iterator[ToolOutput | Source]:
        """What an answer with these citations may rest on, what it cites first."""
        yield from self.cited(cites)
        plain = [use for use in self.uses if not use.lines]
        yield from (place for use in plain for place in _output(use))
        yield from (sentence for use in self.uses for sentence in sentences_of(use))
        yield from self.others
        yield from (place for use in self.uses if use.lines for place in _output(use))

    def cited(self, cites: Collection[str]) -> Iterator[ToolOutput | Source]:
        """The sentences and the outputs that these ids name."""
        for use in self.uses:
            sentences = sentences_of(use)
            yield from (one for n, one in enumerate(sentences, 1) if f"{use.id}.{n}" in cites or use.id in cites)
        yield from (place for use in self.uses if use.id in cites and not use.lines for place in _output(use))

    def counts(self, cites: Collection[str]) -> Iterator[Known]:
        """How many rows each table has that is cited."""
        for use in self.uses:
            if use.id in cites or any(one.startswith(f"{use.id}.") for one in cites):
                with suppress(ValueError):
                    yield from_table(use, "rows()")


def sentences_of(use: ToolUse) -> tuple[Source, ...]:
    """The sentences that a call showed, in the order of their numbers."""
    return sources_of(use.lines)


def sources_of(shown: Sequence[Lines]) -> tuple[Source, ...]:
    """Sentences of stored texts, each with where it stands."""
    return tuple(
        Source(source=lines.source, start=start, end=end, text=text)
        for lines in shown
        for (start, end), text in zip(lines.spans, lines.texts, strict=False)
    )


def from_table(use: ToolUse, call: str) -> Known:
    """What ``rows()`` or, say, ``sum(column)`` of a call's table is.

    Raises:
        ValueError: it gave no such table, not all of it, or only what it was given.
    """
    if is_echo(use.tool, use.arguments, use.output):
        raise ValueError(f"{use.id} only gives back what it was given")
    output = output_of(json.dumps(use.output))
    if isinstance(output, dict) and output.get("total") is None and (use.cut or use.total is not None):
        raise ValueError(f"not all rows of {use.id} are there")
    text = at_path(output, call)
    name = "fraction" if "/" in text else "point"
    form = Form(name, read(text, name))
    return Known(form, (FromTool(step=use.id, path=call, start=0, end=len(text), reading=reading_of(form)),))


def _output(use: ToolUse) -> Iterator[ToolOutput]:
    """What a call gave; how many rows there are is no value of a table, unless it is asked for.

    What is only quoted is none: its sentence has it, or nothing has. No more is a number that was put into the
    calculator, or a query of which all columns are literals.
    """
    output = use.output
    if use.problem or output is None or use.tool == _QUOTE or is_echo(use.tool, use.arguments, output):
        return
    if isinstance(output, dict) and "total" in output and is_table({**output}):
        yield ToolOutput(use.id, {name: one for name, one in output.items() if name != "total"})
    else:
        yield ToolOutput(use.id, output)
