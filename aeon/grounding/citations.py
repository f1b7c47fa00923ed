"""The claims of an answer whose sentences cite sources: each value within what its own sentence cites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aeon.grounding.looped import LoopEvidence
from aeon.grounding.toolrecord import ToolRecord
from aeon.language.readings import read
from aeon.schema import Calculation, Claim, FromClaim, FromSource, Reading, Source, Task, Verdict

__all__ = ["CitedSentence", "cited_claims"]


class CitedSentence(NamedTuple):
    """A sentence of an answer: its span, the sentences of sources that it cites, and what a judge says of them."""

    start: int
    end: int
    spans: tuple[Source, ...]
    verdict: Verdict = "not_checked"
    note: str = ""


def cited_claims(
    answer: str, task: Task, sentences: Sequence[CitedSentence], calculations: Sequence[Calculation] = ()
) -> tuple[Claim, ...]:
    """A claim for each sentence, and one for each value in it, which must stand in what the sentence cites.

    It may follow from values there by a computation that the sentence states, or that ``calculations`` point out. A
    sentence that cites nothing is ``not_found``. Text between the ``sentences`` claims nothing.
    """
    found: list[Claim] = []
    for number, sentence in enumerate(sentences, 1):
        found.append(_of_sentence(f"s{number}", answer, sentence))
        found += _values(f"s{number}", answer, task, sentence, calculations)
    return tuple(found)


def _of_sentence(name: str, answer: str, sentence: CitedSentence) -> Claim:
    text = answer[sentence.start : sentence.end]
    return Claim(
        id=name, start=sentence.start, end=sentence.end, text=text, kind="sentence", reading=_reading(text),
        support="source" if sentence.spans else "none",
        evidence=tuple(
            FromSource(source=span.source, start=span.start, end=span.end, reading=_reading(span.text))
            for span in sentence.spans
        ),
        verdict=sentence.verdict if sentence.spans else "not_found",
        note=sentence.note if sentence.spans else "it cites nothing",
    )  # fmt: skip


def _reading(text: str) -> Reading:
    return Reading(value=read(text, "text").value, form="text")


def _values(
    name: str, answer: str, task: Task, sentence: CitedSentence, calculations: Sequence[Calculation]
) -> Iterator[Claim]:
    """The claims of the values of a sentence, with names and places as the whole answer has them."""
    text = answer[sentence.start : sentence.end]
    evidence = LoopEvidence(task, ToolRecord(others=sentence.spans))
    for claim in evidence.claims(text, calculations, able=True):
        places = tuple(
            one.changed(claim=f"{name}{one.claim}") if isinstance(one, FromClaim) else one for one in claim.evidence
        )
        start = sentence.start + claim.start
        yield claim.changed(id=f"{name}{claim.id}", start=start, end=start + len(claim.text), evidence=places)
