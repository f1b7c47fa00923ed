"""What the host checks of an answer: whether each value of a sentence stands in what it cites, or follows from that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from aeon.engines.research.citing import composed, sought, with_limits
from aeon.engines.research.effects import Cite
from aeon.engines.research.values import Citation, Cited, Drafted, Sentence
from aeon.grounding.citations import CitedSentence, cited_claims
from aeon.grounding.results import told
from aeon.isolation.aside import aside
from aeon.schema import Calculation, Claim, ReplyKind, Standing, Verdict
from aeon.schema.frozen import JsonValue
from aeon.text import one_line

__all__ = ["Checked", "Written", "astray", "cited", "refusal", "unplaced"]

_LONGEST_NEAREST = 250


class Written(NamedTuple):
    """An answer as a model wrote it: its sentences, what it did not find, and how values follow from others.

    ``reply`` is the whole of it as it was written; ``value`` the value for a task with a schema, as JSON, "" without.
    """

    parts: tuple[Drafted, ...]
    missing: tuple[str, ...] = ()
    calculations: tuple[Calculation, ...] = ()
    reply: str = ""
    value: str = ""

    def cited(self) -> tuple[Citation, ...]:
        """All that it cites, each sentence once."""
        return tuple(dict.fromkeys(one for part in self.parts for one in part.citations))

    def valued(self) -> tuple[Drafted, ...]:
        """The value as a sentence that rests on all that the answer cites; nothing without one."""
        return (Drafted(text=self.value, citations=self.cited()),) if self.value else ()


class Checked(NamedTuple):
    """What a judge says of each sentence, and why; and of the answer. Without any verdict nobody judged.

    ``scores`` are the probabilities of support, where the judge tells them; ``value`` is the verdict on the value for a
    task with a schema; ``problem`` says why nobody judged, where somebody was asked.
    """

    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    scores: tuple[float | None, ...] = ()
    reply: ReplyKind | None = None
    standing: Standing = "none"
    value: Verdict = "not_checked"
    problem: str = ""


async def unplaced(effect: Cite, written: Written) -> tuple[str, ...]:
    """What is wrong with values of an answer, a line each: they do not stand in what their sentence cites."""
    text, sentences = composed(written.parts)
    claims = await _claims(effect, text, sentences, written.calculations)
    return tuple(_line(one, sentences) for one in _stray(claims))


async def astray(effect: Cite, written: Written, value: JsonValue) -> tuple[str, ...]:
    """The values within a JSON value that stand in nothing that the answer cites, and do not follow from it."""
    text, sentences = composed([Drafted(text=leaf, citations=written.cited()) for leaf in _leaves(value)])
    claims = await _claims(effect, text, sentences, written.calculations)
    return tuple(one.text for one in _stray(claims))


def _stray(claims: Sequence[Claim]) -> list[Claim]:
    """The values that do not stand as they are in what is cited, or do so in another unit."""
    return [one for one in claims if one.kind != "sentence" and one.verdict in ("not_found", "partial")]


async def cited(effect: Cite, written: Written, checked: Checked) -> Cited:
    """The answer with its claims, and what a reader has to know of the search."""
    text, plain = composed(written.parts)
    sentences = tuple(_judged(one, number, checked) for number, one in enumerate(plain))
    claims = await _claims(effect, text, sentences, written.calculations)
    return Cited(
        text=with_limits(effect, text), sentences=sentences, claims=claims, reply=checked.reply,
        missing=written.missing, standing=checked.standing, problem=checked.problem,
    )  # fmt: skip


def refusal(effect: Cite, missing: Sequence[str] = (), nearest: Sequence[Citation] = ()) -> Cited:
    """That there is no answer, and what was searched for; where nothing could be, that alone is said.

    ``missing`` is what the model says of it. The longest of the ``nearest`` sentences is named: who asked can tell.
    """
    if effect.unsearched and set(effect.searched) <= set(effect.unsearched):
        what = "Nothing could be searched, so this is open"
    else:
        what = "The sources do not say" if effect.sources.entries else "No source was found for this"
    said = "; ".join(one_line(one, 300) for one in missing) or one_line(effect.task.text, 200)
    text = f"{what}: {said} ({sought(effect)}){_nearest(effect, nearest)}."
    return Cited(text=with_limits(effect, text), missing=tuple(missing))


def _leaves(value: JsonValue) -> Iterator[str]:
    """The texts and numbers within a JSON value."""
    if isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(one)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
        yield str(value)


def _nearest(effect: Cite, nearest: Sequence[Citation]) -> str:
    if not nearest:
        return ""
    longest = max(nearest, key=lambda one: len(one.source.text))
    titles = {entry.number: entry.document.title for entry in effect.sources.entries}
    place = one_line(titles.get(longest.number) or longest.source.source, 100)
    return f'; the nearest sentence: "{one_line(longest.source.text, _LONGEST_NEAREST)}" ({place})'


def _judged(sentence: Sentence, number: int, checked: Checked) -> Sentence:
    if number >= len(checked.verdicts):
        return sentence
    score = checked.scores[number] if number < len(checked.scores) else None
    why = checked.notes[number] if number < len(checked.notes) else ""
    return sentence.changed(verdict=checked.verdicts[number], score=score, why=why)


async def _claims(
    effect: Cite, text: str, sentences: Sequence[Sentence], calculations: Sequence[Calculation]
) -> tuple[Claim, ...]:
    spans = [
        CitedSentence(
            one.start, one.end, tuple(citation.source for citation in one.citations), one.verdict,
            one.why if one.verdict != "supported" else "",
        )
        for one in sentences
    ]  # fmt: skip
    return await aside(partial(cited_claims, text, told(effect.task), spans, calculations))


def _line(claim: Claim, sentences: Sequence[Sentence]) -> str:
    number = next((n for n, one in enumerate(sentences, 1) if one.start <= claim.start < one.end), 0)
    why = f" ({claim.note})" if claim.note else ""
    what = "stands in none of the sentences that it cites" if claim.verdict == "not_found" else "stands there otherwise"
    return f"sentence {number}: {claim.text!r} {what}{why}"
