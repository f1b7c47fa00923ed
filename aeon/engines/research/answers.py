"""Answers with their claims, and refusals that name what was searched."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.research.effects import Cite
from aeon.engines.research.marking import sought, unmarked, with_limits
from aeon.engines.research.values import Citation, Cited, Sentence
from aeon.grounding.citations import CitedSentence, cited_claims
from aeon.grounding.results import told
from aeon.text import one_line

__all__ = ["cited", "refusal"]

_LONGEST_NEAREST = 250
_UNSEARCHED = "Nothing could be searched, so this is open"


def cited(effect: Cite, text: str, short: str, sentences: tuple[Sentence, ...]) -> Cited:
    """The answer with the claims of its sentences, and what a reader has to know of the search."""
    spans = [
        CitedSentence(one.start, one.end, tuple(citation.source for citation in one.citations), one.verdict)
        for one in sentences
    ]
    found = cited_claims(text, told(effect.task), spans)
    return Cited(text=with_limits(effect, text), short=short, sentences=sentences, claims=found)


def refusal(what: str, effect: Cite, doubted: Sequence[Citation] = ()) -> Cited:
    """That there is no answer, and what was searched for; where nothing could be, that alone is said.

    A sentence that was taken for an answer, and is none for a judge, is named with its source: who asked can tell.
    """
    what = _UNSEARCHED if effect.unsearched and set(effect.searched) <= set(effect.unsearched) else what
    searched = sought(effect, lambda query: one_line(query, 100))
    text = f"{what}: {one_line(effect.task.text, 200)} ({searched}){_nearest(effect, doubted)}."
    return Cited(text=with_limits(effect, text))


def _nearest(effect: Cite, doubted: Sequence[Citation]) -> str:
    """The longest of the sentences, which is no title, with that of its source; without what looks like a citation."""
    if not doubted:
        return ""
    nearest = max(doubted, key=lambda one: len(one.source.text))
    titles = {entry.number: entry.document.title for entry in effect.sources.entries}
    said = one_line(unmarked(nearest.source.text), _LONGEST_NEAREST)
    return f'; the nearest sentence: "{said}" ({one_line(titles.get(nearest.number) or nearest.source.source, 100)})'
