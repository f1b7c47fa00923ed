"""What the record of a proof states: whether a value of the answer stands in it as it is. Standard library alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from aeon.language.mention import Mention
from aeon.language.readings import folded
from aeon.language.unspaced import spaced
from aeon.proof.canonical import is_number, output_of
from aeon.proof.figures import values_of_source
from aeon.proof.mentions import mentions
from aeon.proof.tables import is_table

__all__ = ["Stated", "is_echo", "record_of", "taken_steps"]

_FAILED = ": failed"


class Stated:
    """Texts with the values in them; ``cells`` are those that are no sentences, such as outputs of tools.

    ``reader`` finds the values of a text; of several texts each is read once, when a value is first looked up.
    """

    def __init__(
        self, texts: Iterable[tuple[str, bool]], reader: Callable[[str, bool], Iterable[Mention]] = mentions
    ) -> None:
        self._texts = [one for one in texts if one[0]]
        self._reader = reader

    def has(self, mention: Mention) -> bool:
        """Whether a text states this value as it is: with its unit, or one of the two leaves its unit out."""
        if mention.kind in ("name", "quote"):
            return self._has_words(mention)
        for form in mention.forms:
            units = self._values.get(form.read.value, ())
            if units and (form.read.unit in units or not form.read.unit or "" in units):
                return True
        return False

    @cached_property
    def _values(self) -> Mapping[str, set[str]]:
        """The values that the texts state, each with its units."""
        found: dict[str, set[str]] = {}
        for text, is_cell in self._texts:
            for mention in self._reader(text, is_cell):
                for form in mention.forms:
                    found.setdefault(form.read.value, set()).add(form.read.unit)
        return found

    @cached_property
    def _spaced(self) -> list[str]:
        return [spaced(text) for text, _ in self._texts]

    def _has_words(self, mention: Mention) -> bool:
        words = mention.forms[0].read.value
        apart = r"\s+".join(map(re.escape, mention.text.split()))
        pattern = re.compile(rf"(?<!\w){apart}(?!\w)", re.IGNORECASE)
        matches = (match for text in self._spaced for match in pattern.finditer(text))
        return any(folded(match[0]) == words for match in matches)


def record_of(document: Mapping[str, Any]) -> Stated:
    """What every value of the answer was looked for in: the task, what tools gave, what was read of the sources.

    In answers whose sentences cite sources, that is the task alone: the rest stands in what each sentence cites.
    """
    task = [(str(document["task"][part]), False) for part in ("text", "context")]
    kind = document["grounds"]["kind"]
    if kind == "sentences":
        return Stated(task, values_of_source)
    outputs = [(text, True) for step in taken_steps(document) for text in _texts_of(step, kind == "calls")]
    if kind == "outputs":
        return Stated([*task, *outputs])
    read = [(one["text"][start:end], False) for one in document["sources"] for start, end in one["read"]]
    return Stated([*task, *outputs, *read], values_of_source)


def taken_steps(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The steps of the derivation that the answer was made from."""
    return [step for one in document["derivations"] if one["taken"] for step in one["steps"]]


def _texts_of(step: Mapping[str, Any], is_call: bool) -> Iterator[str]:
    """The texts and numbers that a tool gave; what a call only gives back, or quotes, is the model's."""
    tool = step["tool"]
    if not tool or tool.endswith(_FAILED):
        return
    try:
        output, arguments = output_of(step["output"]), output_of(step["arguments"])
    except ValueError:  # that is a problem of its own
        return
    yield from _leaves(_given(tool, arguments, output) if is_call else output)


def _given(tool: str, arguments: object, output: object) -> object:
    """What a call found out, of what it gave; nothing where that is the model's own."""
    if tool == "quote" or is_echo(tool, arguments, output):
        return None
    return {name: one for name, one in output.items() if name != "total"} if is_table(output) else output


def is_echo(tool: str, arguments: object, output: object) -> bool:
    """Whether a call only gives back what it was given: a number put into the calculator, a query of literals."""
    if tool == "calculator":
        expression = arguments.get("expression", "") if isinstance(arguments, dict) else ""
        return _is_number(str(expression))
    return tool == "sql" and isinstance(output, dict) and output.get("written") is True


def _is_number(expression: str) -> bool:
    """Whether an expression is nothing but a number, in parentheses too."""
    try:
        float(expression.strip("() \t\n").replace(",", ""))
    except ValueError:
        return False
    return True


def _leaves(output: object) -> Iterator[str]:
    """The texts of a JSON value and its numbers, as they are written there."""
    stack = [output]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += reversed(list(value.values()))
        elif isinstance(value, list):
            stack += reversed(value)
        elif isinstance(value, str) or is_number(value):
            yield str(value)
