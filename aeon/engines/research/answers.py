"""Answers with their claims, and refusals that name what was searched."""

from __future__ import annotations

from aeon.engines.research.effects import Cite
from aeon.engines.research.marking import sought, with_limits
from aeon.engines.research.values import Cited, Sentence
from aeon.grounding.citations import CitedSentence, cited_claims
from aeon.grounding.results import told
from aeon.text import one_line

__all__ = ["cited", "refusal"]

_UNSEARCHED = "Nothing could be searched, so this is open"


def cited(effect: Cite, text: str, short: str, sentences: tuple[Sentence, ...]) -> Cited:
    """The answer with the claims of its sentences, and what a reader has to know of the search."""
    spans = [
        CitedSentence(one.start, one.end, tuple(citation.source for citation in one.citations), one.verdict)
        for one in sentences
    ]
    found = cited_claims(text, told(effect.task), spans)
    return Cited(text=with_limits(effect, text), short=short, sentences=sentences, claims=found)


def refusal(what: str, effect: Cite) -> Cited:
    """That there is no answer, and what was searched for; where nothing could be, that alone is said."""
    what = _UNSEARCHED if effect.unsearched and set(effect.searched) <= set(effect.unsearched) else what
    searched = sought(effect, lambda query: one_line(query, 100))
    text = f"{what}: {one_line(effect.task.text, 200)} ({searched})."
    return Cited(text=with_limits(effect, text))
