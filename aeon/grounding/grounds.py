"""What an answer may rest on: outputs of tools, cited spans of sources, the task. Each value can be looked up."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from aeon.language.mention import Form, Mention
from aeon.language.numerals import UNIT
from aeon.language.readings import Read, ends, folded, read, rounded
from aeon.language.unspaced import spaced
from aeon.language.words import WORD
from aeon.proof.mentions import mentions
from aeon.schema import Computation, FromSource, FromTask, FromTool, JsonValue, Reading, Source, Support, Task

__all__ = ["Grounds", "Known", "Rounding", "ToolOutput", "reading_of"]

Rounding = Literal["half_up", "half_even"]
_UNIT = re.compile(rf"(?<!\w){UNIT}")


class ToolOutput(NamedTuple):
    """What the tool of a step gave."""

    step: str
    output: JsonValue


class Known(NamedTuple):
    """A value that an answer may say, with what it rests on; a ``computation`` where it follows from several values."""

    form: Form
    evidence: tuple[Support, ...]
    computation: Computation | None = None


def reading_of(form: Form) -> Reading:
    """A form as a claim records it."""
    return Reading(value=form.read.value, form=form.form, unit=form.read.unit)


class _Passage(NamedTuple):
    """A text that values stand in. ``offset`` is where it begins in the text that its spans count in."""

    type: Literal["tool", "source", "task"]
    name: str
    path: str
    offset: int
    text: str

    def support(self, start: int, end: int, reading: Reading) -> Support:
        """Characters of it, as what a claim rests on."""
        start, end = self.offset + start, self.offset + end
        if self.type == "tool":
            return FromTool(step=self.name, path=self.path, start=start, end=end, reading=reading)
        if self.type == "source":
            return FromSource(source=self.name, start=start, end=end, reading=reading)
        return FromTask(part="context" if self.name == "context" else "text", start=start, end=end, reading=reading)


class Grounds:
    """The values of tool outputs, cited spans and the task, in this order where one stands in several.

    ``outputs`` may have spans between them; ``reader`` finds the values of a text, of a cell of a table if it is one.
    """

    def __init__(
        self,
        task: Task,
        outputs: Sequence[ToolOutput | Source] = (),
        spans: Sequence[Source] = (),
        reader: Callable[[str, bool], Iterable[Mention]] = mentions,
    ) -> None:
        self._reader = reader
        self._passages = list(_passages(task, outputs, spans))
        self._spaced = [spaced(passage.text) for passage in self._passages]
        self._exact: dict[tuple[str, str], Known] = {}
        self._units: dict[str, Support] = {}
        self._numbers: defaultdict[str, list[Known]] = defaultdict(list)
        self._rounded: dict[tuple[str, Fraction, int, str], dict[Fraction, Known]] = {}
        self._tokens: defaultdict[str, list[int]] = defaultdict(list)
        self._figures: defaultdict[str, list[Known]] = defaultdict(list)
        for number, passage in enumerate(self._passages):
            self._index(number, passage)

    def _index(self, number: int, passage: _Passage) -> None:
        for token in set(WORD.findall(folded(self._spaced[number]))):
            self._tokens[token].append(number)
        for mention in self._reader(passage.text, passage.type == "tool"):
            for form in mention.forms:
                self.add(Known(form, (passage.support(mention.start, mention.end, reading_of(form)),)))
            for part in mention.parts if mention.kind == "date" else ():
                form = part.forms[0]
                place = passage.support(part.start, part.end, reading_of(form))
                self._figures[form.read.value].append(Known(form, (place,)))
        for match in _UNIT.finditer(passage.text.replace("_", " ")):
            unit = read(match[0], "unit").unit
            reading = Reading(value="", form="unit", unit=unit)
            self._units.setdefault(unit, passage.support(match.start(), match.end(), reading))

    def add(self, known: Known, exactly: bool = False) -> None:
        """Let a value be known from now on; what was known before goes first. ``exactly``: not to be said rounded."""
        value = known.form.read
        if not exactly and (value.value, value.unit) not in self._exact and value.number is not None:
            self._numbers[value.unit].append(known)
            self._rounded.clear()
        for name in _dated(value):
            self._exact.setdefault((name, value.unit), known)

    def exact(self, value: str, unit: str) -> Known | None:
        """Where this value stands in this unit."""
        return self._exact.get((value, unit))

    def figures(self, value: str) -> Sequence[Known]:
        """Where this number is a part of a date: its day, its month or its year."""
        return self._figures.get(value, ())

    @property
    def units(self) -> tuple[str, ...]:
        """The units of the numbers that are known, "" for those without."""
        return tuple(self._numbers)

    def unit(self, unit: str) -> Support | None:
        """Where a unit stands, with or without a number."""
        return self._units.get(unit)

    def rounding(self, unit: str, factor: Fraction, value: Read, rounding: Rounding) -> Known | None:
        """The number in a unit that, times the factor, is rounded to the value and its places."""
        if value.places is None or not value.number:
            return None
        key = (unit, factor, value.places, rounding)
        if key not in self._rounded:
            index: dict[Fraction, Known] = {}
            for known in self._numbers[unit]:
                number = known.form.read.number
                if number is not None:
                    index.setdefault(rounded(number * factor, value.places, rounding), known)
            self._rounded[key] = index
        return self._rounded[key].get(value.number)

    def text(self, mention: Mention) -> Known | None:
        """Where the words of a name or a quotation stand, whatever their case and the spaces between them."""
        said = mention.forms[0].read.value
        tokens = WORD.findall(said)
        if not tokens:
            return None
        rarest = min((self._tokens.get(token, []) for token in tokens), key=len)
        apart = r"\s+".join(map(re.escape, mention.text.split()))
        pattern = re.compile(rf"(?<!\w){apart}(?!\w)", re.IGNORECASE)
        for number in rarest:
            passage = self._passages[number]
            for match in pattern.finditer(self._spaced[number]):
                if folded(match[0]) == said:
                    form = Form("text", Read(said))
                    return Known(form, (passage.support(match.start(), match.end(), reading_of(form)),))
        return None


def _dated(value: Read) -> Iterator[str]:
    """The value, and of a date also what is left of it without its day, its month or its year; so of several days."""
    yield value.value
    days = [one.value for one in ends(value)]
    if len(days) > 1:
        yield "/".join(f"0000{day[4:]}" for day in days)
        yield from days
    for one in days:
        if value.number is None and re.fullmatch(r"\d{4}-\d\d-\d\d", one):
            year, month, day = one.split("-")
            yield from (f"{year}-{month}-00", f"0000-{month}-{day}", f"{year}-00-00", f"0000-{month}-00")


def _passages(task: Task, outputs: Sequence[ToolOutput | Source], spans: Sequence[Source]) -> Iterator[_Passage]:
    for place in (*outputs, *spans):
        if isinstance(place, Source):
            yield _Passage("source", place.source, "", place.start, place.text)
        else:
            yield from (_Passage("tool", place.step, path, 0, text) for path, text in _leaves(place.output))
    yield _Passage("task", "text", "", 0, task.text)
    if task.context:
        yield _Passage("task", "context", "", 0, task.context)


def _leaves(output: JsonValue) -> Iterator[tuple[str, str]]:
    """The texts and numbers of a JSON value with their pointers (RFC 6901); a number as JSON writes it."""
    stack: list[tuple[str, JsonValue]] = [("", output)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            pairs = [(key.replace("~", "~0").replace("/", "~1"), one) for key, one in value.items()]
            stack += reversed([(f"{path}/{key}", one) for key, one in pairs])
        elif isinstance(value, list):
            stack += reversed([(f"{path}/{n}", one) for n, one in enumerate(value)])
        elif isinstance(value, str):
            yield path, value
        elif value is not None and not isinstance(value, bool):
            yield path, json.dumps(value)
