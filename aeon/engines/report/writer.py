"""The writer: composes the report out of a reviewed draft, and says what each of its sentences rests on.

Nothing here asks a model. A report of findings that each cite their sources needs no other words, and one of the
findings that a model put into new words could say something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from aeon.engines.report.effects import Compose
from aeon.engines.report.markdown import Span, composed, note
from aeon.engines.report.tiers import MODES, Mode, Ranked
from aeon.engines.report.timing import limit
from aeon.engines.report.values import Composed, Draft, Review
from aeon.errors import UsageError
from aeon.grounding.citations import CitedSentence, cited_claims
from aeon.grounding.results import told
from aeon.schema import Claim, Task
from aeon.text import one_line

__all__ = ["Writer", "compose"]


async def compose(
    draft: Draft | Mapping[str, object],
    review: Review | Mapping[str, object] | None,
    context: Sequence[Ranked],
    mode: Mode,
) -> Composed:
    """The report: Markdown, the sources that it uses, and its confidence.

    ``context`` are the sources that the query found: the report says of how many it cites some. Draft and review may be
    given as mappings with the same keys.

    Raises:
        UsageError: the mode is none, or a mapping is no draft or no review; names the key.
    """
    if mode not in MODES:
        raise UsageError(f"compose: the mode is one of {', '.join(MODES)}, not {one_line(repr(mode), 40)}")
    try:
        drafted = draft if isinstance(draft, Draft) else Draft.model_validate(draft)
        checked = review if review is None or isinstance(review, Review) else Review.model_validate(review)
    except ValidationError as error:
        fault = error.errors()[0]
        raise UsageError(f"compose: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
    whole, spans = composed(drafted.changed(mode=mode), checked, context)
    return whole.changed(claims=_claims(whole.final_report, spans, Task(text=drafted.query)))


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
