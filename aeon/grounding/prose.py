"""What is known of the sentences of an answer: what their values say, and whether they stand somewhere as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from aeon.proof.inference import bare, sentence_verdict
from aeon.proof.mentions import CODE, is_json
from aeon.schema import Claim, SentenceCheck, Source

__all__ = ["checked_sentences"]

_WORD = re.compile(r"[^\W\d_]{2,}")
_HEADING = re.compile(r"#{1,6}\s")


def checked_sentences(
    answer: str, spans: Iterable[tuple[int, int]], claims: Sequence[Claim], cited: Iterable[Source]
) -> tuple[SentenceCheck, ...]:
    """The sentences of an answer, whose ``spans`` these are, in order, each with a verdict.

    A sentence is contradicted by a value in it that is. With values that stand and others that do not it is partial,
    with the latter alone not found. Else it is supported where it is a ``cited`` one word for word. Any other one is
    not checked: what is said between the values nobody judged. Code, JSON and headings have no sentences.
    """
    if is_json(answer):
        return ()
    known = {bare(one.text): one for one in cited}
    code = [match.span() for match in CODE.finditer(answer)]
    prose = [span for span in spans if _is_prose(answer[slice(*span)]) and not any(_meet(span, one) for one in code)]
    return tuple(_checked(answer, span, claims, known) for span in prose)


def _is_prose(text: str) -> bool:
    return bool(_WORD.search(text)) and not _HEADING.match(text)


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _checked(answer: str, span: tuple[int, int], claims: Sequence[Claim], known: Mapping[str, Source]) -> SentenceCheck:
    start, end = span
    own = [claim for claim in claims if _meet(span, (claim.start, claim.end))]
    verdicts = {claim.verdict for claim in own}
    source = known.get(bare(answer[start:end])) if sentence_verdict(verdicts) == "not_checked" else None
    return SentenceCheck(
        start=start, end=end, claims=tuple(claim.id for claim in own),
        verdict="supported" if source is not None else sentence_verdict(verdicts),
        place=f"{source.source}[{source.start}:{source.end}]" if source is not None else "",
    )  # fmt: skip
