"""The writer: composes the report out of a reviewed draft, and says what each of its sentences rests on.

Nothing here asks a model: the sentences are the analyst's, and the host adds the numbers of what they cite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from aeon.documents.sentences import sentences
from aeon.engines.report.effects import Compose
from aeon.engines.report.grading import judged
from aeon.engines.report.markdown import Span, composed, published
from aeon.engines.report.tiers import MODES, Mode, ModeConfigs, Ranked, usable
from aeon.engines.report.timing import limit
from aeon.engines.report.values import Composed, Draft, Finding, Review, SourceCited
from aeon.engines.research.values import Citation
from aeon.errors import UsageError
from aeon.grounding.citations import CitedSentence, cited_claims
from aeon.grounding.results import told
from aeon.isolation.aside import aside
from aeon.schema import Claim, Source, Task
from aeon.schema.task import task_of
from aeon.text import one_line

__all__ = ["Writer", "compose"]

_V = TypeVar("_V", Draft, Review)
_MARK = re.compile(r"\s*\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_ITEM = re.compile(r"^(?:[-*+]|\d+[.)])\s+")
_NAMES = ("url", "source", "title", "name")
_HEADING = re.compile(r"#{1,6}\s+(.+)")


async def compose(
    draft: Draft | Mapping[str, object] | str,
    review: Review | Mapping[str, object] | None,
    context: Sequence[Ranked | Mapping[str, object]],
    mode: Mode,
) -> Composed:
    """The report: Markdown, the sources that it uses, and its confidence. ``mode`` stands before that of the draft.

    ``context`` are the sources that the query found: the report says of how many it cites some. Draft and review may be
    given as mappings with the same keys. A draft may be Markdown, too, in which ``[2]`` cites the second source of the
    context, an Item; what an Item describes is the text that the sentence rests on. Where the review has no
    ``reasons``, its critique is the reason.

    Raises:
        UsageError: the mode is none, a mapping is no draft or no review, or strict does not take a source; names the
            key.
    """
    if mode not in MODES:
        raise UsageError(f"compose: the mode is one of {', '.join(MODES)}, not {one_line(repr(mode), 40)}")
    if not isinstance(context, Sequence) or isinstance(context, str):
        raise UsageError(f"compose: the context is a list of sources, not {one_line(repr(context), 40)}")
    drafted = _read(draft, context, mode) if isinstance(draft, str) else _valid(Draft, "draft", draft)
    task = _task(drafted.query)
    checked = None if review is None else _told(drafted, _valid(Review, "review", review))
    shown = judged(drafted.changed(mode=mode, sources=drafted.cited), checked.checked if checked is not None else ())
    if (isinstance(draft, str) or drafted.mode != mode) and published(shown, checked):
        _check_sources(shown)
    whole, spans = composed(shown, checked, context)
    return whole.changed(claims=await aside(partial(_claims, whole.final_report, spans, task, shown)))


def _read(text: str, context: Sequence[Ranked | Mapping[str, object]], mode: Mode) -> Draft:
    """A draft in Markdown: its headings are the questions, its sentences the findings.

    Raises:
        UsageError: it cites a source that the context does not have.
    """
    sources = [_source(number, one) for number, one in enumerate(context, 1)]
    title, heading, questions, findings = "", "Report", list[str](), list[Finding]()
    for line in filter(None, map(str.strip, text.splitlines())):
        if match := _HEADING.fullmatch(line):
            heading = match[1]
            title = title or heading
        else:
            questions += [heading] if questions[-1:] != [heading] else []
            findings += _sentences(_ITEM.sub("", line), len(questions), len(findings), sources)
    return Draft(
        query=title or heading, mode=mode, questions=tuple(questions), findings=tuple(findings),
        sources=tuple(source for source, _ in sources),
    )  # fmt: skip


def _source(number: int, one: object) -> tuple[SourceCited, str]:
    """A source of the context, and its text."""
    if isinstance(one, Ranked):
        return SourceCited(number=number, source=one.source, title=one.title or one.source, tier=one.tier), ""
    if not isinstance(one, Mapping):
        raise UsageError(f"compose: the context is a list of sources, not of {one_line(repr(one), 40)}")
    metadata = one.get("_reasoning_metadata", one)
    tier = metadata.get("tier") if isinstance(metadata, Mapping) else None
    name, title = (str(next(filter(None, map(one.get, keys)), number)) for keys in (_NAMES, reversed(_NAMES)))
    known = next((each for each in range(1, 6) if each == tier), None)
    return SourceCited(number=number, source=name, title=title, tier=known), str(one.get("description") or "")


def _sentences(line: str, question: int, made: int, sources: Sequence[tuple[SourceCited, str]]) -> Iterator[Finding]:
    for place, one in enumerate(sentences(line), made + 1):
        part = line[one.start : one.end]
        marks = ",".join(mark[1] for mark in _MARK.finditer(part))
        citations = tuple(_whole(int(number), sources) for number in dict.fromkeys(re.findall(r"\d+", marks)))
        if plain := _MARK.sub("", part).strip():
            yield Finding(id=f"q{question}.{place}", question=question, text=plain, citations=citations)


def _whole(number: int, sources: Sequence[tuple[SourceCited, str]]) -> Citation:
    """A source of the context as a whole.

    Raises:
        UsageError: there is none of this number.
    """
    if not 1 <= number <= len(sources):
        raise UsageError(f"compose: draft: there is no source [{number}] among the {len(sources)} of the context")
    source, text = sources[number - 1]
    return Citation(number=number, source=Source(source=source.source, start=0, end=len(text), text=text))


def _valid(kind: type[_V], name: str, value: object) -> _V:
    """The value, if it is one of this kind.

    Raises:
        UsageError: it is not.
    """
    if not isinstance(value, kind | Mapping):
        keys = ", ".join(kind.model_fields)
        said = one_line(repr(value), 40)
        raise UsageError(f"compose: the {name} is a {kind.__name__}, or a mapping with its keys ({keys}), not {said}")
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        key = f"{'.'.join(map(str, fault['loc']))}: " if fault["loc"] else ""
        raise UsageError(f"compose: {one_line(key + fault['msg'].removeprefix('Value error, '))}") from None


def _task(query: str) -> Task:
    """The task of a draft.

    Raises:
        UsageError: its query is no text.
    """
    try:
        return task_of(query)
    except UsageError as error:
        raise UsageError(f"compose: query: {error}") from None


def _told(draft: Draft, review: Review) -> Review:
    """The review of the draft, with reasons where it has words for any.

    Raises:
        UsageError: it speaks of a finding that the draft has not.
    """
    known = {one.id for one in draft.findings}
    for key, names in (("checked", [one.id for one in review.checked]), ("rejected", review.rejected)):
        for name in names:
            if name not in known:
                raise UsageError(f"compose: {key}: the draft has no finding {one_line(repr(name), 40)}")
    return review.changed(reasons=review.reasons or ((review.critique,) if review.critique else ()))


def _check_sources(draft: Draft) -> None:
    """Refuse sources that the mode does not take: nobody reviewed the draft for it.

    Raises:
        UsageError: names the first.
    """
    for one in draft.sources:
        if not usable(one.tier, draft.mode, ModeConfigs()):
            tier = "whose tier is not known" if one.tier is None else f"which is of tier {one.tier}"
            said = f"{draft.mode} does not take [{one.number}] {one_line(one.title, 60)}, {tier}"
            raise UsageError(f"compose: sources: {said}: leave out what cites it, or compose in the mode of the draft")


class Writer:
    """Composes within its time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def compose(self, effect: Compose) -> Composed:
        """The report of an effect.

        Raises:
            CompletionError: the time was not enough.
        """
        async with limit("writer", self._seconds):
            return await compose(effect.draft, effect.review, effect.context, effect.mode)


def _claims(text: str, spans: Sequence[Span], task: Task, draft: Draft) -> tuple[Claim, ...]:
    """A claim for each sentence, and for each value in it."""
    cited = [
        CitedSentence(
            one.start, one.end, tuple(each.source for each in one.finding.citations), one.finding.verdict,
            one.finding.why if one.finding.verdict != "supported" else "",
        )
        for one in spans
    ]  # fmt: skip
    return cited_claims(text, told(task), cited, draft.calculations)
