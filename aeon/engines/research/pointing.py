"""Which sentence an answer rests on: where several have it, the model points at one by its number."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from aeon.documents.telling import nearness
from aeon.engines.research.common import stems
from aeon.engines.research.options import one_of
from aeon.engines.research.texts import Texts, numbers, terms
from aeon.engines.research.values import Citation
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["candidates", "pointed", "together"]

_PACKAGE = "aeon.engines.research"
_MOST = 6
"""Sentences that a model chooses one of."""
_LONGEST_QUESTION, _LONGEST_SENTENCE, _LONGEST_ANSWER = 600, 400, 200
_MOST_BYTES = 4_000
_PLAIN = frozenset({"yes", "no"})


async def pointed(supervisor: Supervisor, question: str, answer: str, texts: Texts) -> tuple[Citation, ...]:
    """The sentence that gives an answer to a question; none where none has anything of it.

    The model can name nothing but a number. Where no call is left for it, or it says nothing usable, it is the sentence
    that is nearest to the question of those that have the answer.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    found = candidates(question, answer, texts)
    if len(found) < 2 or current_ledger().calls_left() < 1:
        return tuple(found[:1])
    lines = "\n".join(f"{n} {one_line(one.source.text, _LONGEST_SENTENCE)}" for n, one in enumerate(found, 1))
    asked = f"Question: {cut(question, _LONGEST_QUESTION)}\nAnswer: {one_line(answer, _LONGEST_ANSWER)}"
    prompt = Prompt(load(_PACKAGE, "point.md"), f"{fence('sentences', lines, _MOST_BYTES)}\n{asked}")
    try:
        number = await one_of(supervisor, prompt, [str(n) for n in range(1, len(found) + 1)])
    except (CompletionError, AllowanceExhausted):
        return (found[0],)
    return (found[int(number) - 1],)


def candidates(question: str, answer: str, texts: Texts) -> list[Citation]:
    """The sentences that may give an answer, the nearest to the question first, at most six.

    They have a word or a number of it: "Hall was its first president" gives "G. Stanley Hall" where another sentence
    has the name. What the question says itself counts where no sentence has more: "the dairy gave the piano" tells of
    the dairy who gave it. A title is one only where nothing else is. Yes or no stands in none, so that any near one
    may be.
    """
    near = nearness([one.source for one in texts.sentences], question)
    pairs = sorted(zip(near, texts.sentences, strict=True), key=lambda pair: -pair[0])
    ranked = [one for _, one in pairs]
    if answer.casefold() in _PLAIN:
        return ranked[:_MOST]
    told = terms(answer) - terms(question)
    telling = [one for one in ranked if told & terms(one.source.text)]
    return _having(answer, telling) or _having(answer, ranked) or _having(answer, texts.titles)


def together(question: str, answer: str, found: Sequence[Citation]) -> tuple[Citation, ...]:
    """Two sentences of different sources that have the answer, each with a word of the question that the other lacks.

    A question may say two things of what it asks for, which two documents say. Of several pairs it is the one that has
    most words of the question; nothing where there is none.
    """
    words = stems(question) - stems(answer)
    all_of_it = terms(answer)
    having = [(one, words & stems(one.source.text)) for one in found if all_of_it <= terms(one.source.text)]
    pairs = [
        (len(own | others), (one, other))
        for (one, own), (other, others) in itertools.combinations(having, 2)
        if one.number != other.number and own - others and others - own
    ]
    return max(pairs, key=lambda pair: pair[0])[1] if pairs else ()


def _having(answer: str, ranked: Sequence[Citation]) -> list[Citation]:
    """Those that have a word of the answer, and its numbers if any has these: at most six, best with all of it."""
    words, figures = terms(answer), numbers(answer)
    shared = [one for one in ranked if words & terms(one.source.text)]
    some = [one for one in shared if figures <= terms(one.source.text)] or shared
    best = sorted(range(len(some)), key=lambda place: answer.casefold() not in some[place].source.text.casefold())
    return [some[place] for place in sorted(best[:_MOST])]
