"""What an answer may rest on: outputs of tools, cited spans of sources, the task. Each value can be looked up."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from aeon.grounding.mention import Form, Mention
from aeon.grounding.mentions import mentions
from aeon.grounding.numerals import UNIT
from aeon.proof.readings import Read, folded, read, rounded
from aeon.schema import Computation, FromSource, FromTask, FromTool, JsonValue, Reading, Source, Support, Task

__all__ = ["Grounds", "Known", "Rounding", "ToolOutput"]

Rounding = Literal["half_up", "half_even"]
_UNIT = re.compile(rf"(?<!\w){UNIT}")
_TOKEN = re.compile(r"\w+")
_FORMS: tuple[Rounding, ...] = ("half_up", "half_even")


class ToolOutput(NamedTuple):
    """What the tool of a step gave."""

    step: str
    output: JsonValue


class Known(NamedTuple):
    """A value that an answer may say, with what it rests on; a ``computation`` where it follows from several values."""

    form: Form
    evidence: tuple[Support, ...]
    computation: Computation | None = None


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

