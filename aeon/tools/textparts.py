"""Parts of stored texts as a tool shows them: numbered sentences, each with its span, so that each can be cited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import ValidationError as FieldError
from pydantic import ValidationError

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.turns import Lines
from aeon.schema.value import Value

__all__ = ["SentenceText", "TextPart", "TextParts", "lines_of", "parts_of", "spaced_out"]

SentenceText = tuple[int, int, str, str]
"""A sentence: where it begins and ends in its text (code points, half-open), what it says, the space before it."""

_MOST_INDENT = 40
_BLANKS = " \t\u00a0"


class TextPart(Value):
    """Sentences of one text in their order, below a heading or on a page where that is known."""

    source: str
    sentences: tuple[SentenceText, ...]
    heading: str = ""
    page: int | None = None

    def output(self) -> JsonObject:
        """The part as JSON, without what is not known."""
        known: JsonObject = {"source": self.source, "sentences": [list(one) for one in self.sentences]}
        if self.heading:
            known["heading"] = self.heading
        return {**known, "page": self.page} if self.page is not None else known


class TextParts(Value):
    """What ``search`` and ``read`` give; ``note`` says what was searched or which part this is."""

    parts: tuple[TextPart, ...]
    note: str = ""

    def output(self) -> JsonObject:
        """The parts as the JSON that a tool gives."""
        return {"parts": [part.output() for part in self.parts], "note": self.note}


def parts_of(output: JsonValue) -> TextParts | None:
    """The output of ``search`` or ``read`` as they made it; ``None`` for any other."""
    if not isinstance(output, dict) or not {"parts", "note"} >= output.keys() or "parts" not in output:
        return None
    try:
        return TextParts.model_validate(output)
    except (ValidationError, FieldError):
        return None


def lines_of(output: JsonValue) -> tuple[Lines, ...]:
    """The sentences that an output of ``search`` or ``read`` shows, in the order in which `shown` numbers them.

    Only for the tools that have ``reading``: another tool can give what looks the same, and its spans are of no text.
    """
    found = parts_of(output)
    return tuple(
        Lines(
            source=part.source,
            spans=tuple((start, end) for start, end, _, _ in part.sentences),
            texts=tuple(text for _, _, text, _ in part.sentences),
        )
        for part in (found.parts if found else ())
    )


def spaced_out(text: str, spans: Iterable[Sequence[int]]) -> tuple[SentenceText, ...]:
    """The sentences at these spans of a text, with the line breaks and the indent that stand before each."""
    sentences: list[SentenceText] = []
    last: int | None = None
    for start, end, *_ in spans:
        gap = text[last if last is not None else max(0, start - _MOST_INDENT) : start]
        breaks = min(2, gap.count("\n")) if last is not None else 1
        indent = gap[len(gap.rstrip(_BLANKS)) :]
        before = "\n" * breaks + (indent[:_MOST_INDENT] if "\n" in gap else "") if breaks else " "
        sentences.append((start, end, text[start:end], before))
        last = end
    return tuple(sentences)
