"""The writer: composes the report out of a reviewed draft, and says what each of its sentences rests on.

Nothing here asks a model. A report of findings that each cite their sources needs no other words, and one of the
findings that a model put into new words could say something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from aeon.engines.report.effects import Compose
from aeon.engines.report.grading import judged
from aeon.engines.report.markdown import Span, composed, note, published
from aeon.engines.report.tiers import MODES, Mode, ModeConfigs, Ranked, usable
from aeon.engines.report.timing import limit
from aeon.engines.report.values import Composed, Draft, Review
from aeon.errors import UsageError
from aeon.grounding.citations import CitedSentence, cited_claims
from aeon.grounding.results import told
from aeon.isolation.aside import aside
from aeon.schema import Claim, Task
from aeon.schema.task import task_of
from aeon.text import one_line

__all__ = ["Writer", "compose"]

_V = TypeVar("_V", Draft, Review)


async def compose(
    draft: Draft | Mapping[str, object],
    review: Review | Mapping[str, object] | None,
    context: Sequence[Ranked | Mapping[str, object]],
    mode: Mode,
) -> Composed:
    """The report: Markdown, the sources that it uses, and its confidence. ``mode`` stands before that of the draft.

    ``context`` are the sources that the query found: the report says of how many it cites some. Draft and review may be
    given as mappings with the same keys. Where the review has no ``reasons``, its critique is the reason.

    Raises:
        UsageError: the mode is none, a mapping is no draft or no review, or strict does not take a source; names the
            key.
    """
    if mode not in MODES:
        raise UsageError(f"compose: the mode is one of {', '.join(MODES)}, not {one_line(repr(mode), 40)}")
    if not isinstance(context, Sequence) or isinstance(context, str):
        raise UsageError(f"compose: the context is a list of sources, not {one_line(repr(context), 40)}")
    drafted = _valid(Draft, "draft", draft)
    task = _task(drafted.query)
    checked = None if review is None else _told(drafted, _valid(Review, "review", review))
    shown = judged(drafted.changed(mode=mode, sources=drafted.cited), checked.checked if checked is not None else ())
    if drafted.mode != mode and published(shown, checked):
        _check_sources(shown)
    whole, spans = composed(shown, checked, context)
    return whole.changed(claims=await aside(partial(_claims, whole.final_report, spans, task)))


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
        said = fault["msg"].removeprefix("Value error, ")
        raise UsageError(f"compose: {one_line(f'{key}{said}')}") from None


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
            whole = await compose(effect.draft, effect.review, effect.context, effect.mode)
        return whole


def _claims(text: str, spans: Sequence[Span], task: Task) -> tuple[Claim, ...]:
    """A claim for each sentence that cites, and for each value in it."""
    sentences = [
        CitedSentence(
            one.start, one.end, tuple(c.source for c in one.finding.citations), one.finding.verdict, note(one.finding)
        )
        for one in spans
    ]
    return cited_claims(text, told(task), sentences)
