"""Looks a question up in passages: reads them, and has a judge say whether what was found answers just this question.

What a small model finds in texts that do not say it is most often about something near: the other bridge, another
Verrin. The judge sees the sentence, the one before it, the one behind it and the title of their source, and tells.
"""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.research.choosing import place_of
from aeon.engines.research.effects import Numbered
from aeon.engines.research.pointing import candidates, pointed, together
from aeon.engines.research.reading import read
from aeon.engines.research.support import answering, headed
from aeon.engines.research.texts import Texts, shown
from aeon.engines.research.values import Finding
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.supervisor import Supervisor

__all__ = ["LIKELY", "Looker", "is_unlikely", "turned_down"]

LIKELY = 0.5
"""Score from which on what is cited answers its question: no other sentence is tried, no question taken apart.

Of 310 questions that were read so, in three passages and then in eight, 146 have an answer from there on, 102 of these
the right one; without their documents 8 of 45.
"""
_SOURCES, _FEW = 3, 5
"""Sources that a first look reads, and passages of them."""
_READ = 8
"""Passages that a second look reads."""
_PLAIN = ("yes", "no")
_TRIED = 3
"""Sentences that have the answer and are judged, the nearest to the question first."""
_LOOK = 1 + _TRIED + 1
"""Calls that a look takes at most: to read, to judge each, and two together."""


class Looker:
    """Reads passages for a question, at most twice: those of few sources first, then more."""

    def __init__(self, supervisor: Supervisor, judge: Judge) -> None:
        self._supervisor = supervisor
        self._judge = judge

    async def judges(self) -> bool:
        """Whether the judge of this model was measured, so that it may decide."""
        return await self._judge.standing(judgment("answers_question")) == "measured"

    async def look(
        self,
        question: str,
        passages: Sequence[Numbered],
        check: bool = True,
        again: bool = True,
        beside: Sequence[Numbered] = (),
        apart: bool = False,
    ) -> Finding:
        """What the passages say to a question, and how likely a judge holds that it answers just this question.

        The first look reads what is there of the first three sources, in a third of the time of the second one, which
        reads the first eight passages, or where these are the same, those that are not of the sources that a judge
        rejected. Both one after the other find more than the second one alone. Of two answers the likelier counts.
        Without ``check`` nobody judges. Without ``again`` there is the second look alone; nor is there one, where the
        question can be taken ``apart``, after a look that gave an answer. A sentence that answers a part of the
        question may be borne out by one of the passages ``beside``, which only the first look may read.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        more = shown([*passages, *beside])
        few = _of_few(passages, beside) if again else passages[:_READ]
        found = await self._found(question, few, more, check)
        others = _others(found, few, passages) if again and not (apart and found.answer) else ()
        if not others or current_ledger().calls_left() < _LOOK:
            return found
        return _likelier(found, await self._found(question, others, more, check))

    async def _found(self, question: str, passages: Sequence[Numbered], more: Texts, check: bool) -> Finding:
        """One look: the answer, and what it rests on."""
        answer, texts = await read(self._supervisor, question, passages)
        found = Finding(question=question, answer=answer)
        # a yes or no may follow from sentences of two documents, neither of which answers alone
        best = await self._best(found, texts, more) if check and answer not in ("", *_PLAIN) else None
        if best is not None:
            return best
        evidence = await pointed(self._supervisor, question, answer, texts) if answer else ()
        if not evidence:
            return Finding(question=question)
        return found.changed(evidence=texts.with_titles(answer, evidence))

    async def _best(self, found: Finding, texts: Texts, more: Texts) -> Finding | None:
        """The finding with the sentence that a judge holds to answer the question best; ``None`` where nobody judges.

        The first that is likely enough counts; the last to be tried are two sentences together.
        """
        judged = await self._judged(_tried(found, texts, more), more)
        if not judged:
            return None
        best = max(judged, key=lambda finding: finding.score or 0)
        if not is_unlikely(best):
            return best
        read = {one.number for one in texts.sentences}
        rejected = dict.fromkeys(cited.number for one in judged for cited in one.evidence if cited.number in read)
        return best.changed(rejected=tuple(rejected))

    async def _judged(self, tried: Sequence[Finding], texts: Texts) -> list[Finding]:
        """Those up to the first that is likely enough, with what a judge says of each."""
        judged: list[Finding] = []
        for one in tried:
            said = await answering(self._judge, headed(texts.around(one.evidence), texts.heads), one.question)
            if said is None:
                break
            judged.append(one.changed(score=said.score))
            if said.score >= LIKELY:
                break
        return judged


def _tried(found: Finding, texts: Texts, more: Texts) -> list[Finding]:
    """The finding with each sentence that it may rest on, the nearest to its question first; then with two together."""
    alone = [(one,) for one in candidates(found.question, found.answer, texts)[:_TRIED]]
    both = together(found.question, found.answer, more.sentences)
    tried = [*alone, both] if both else alone
    return [found.changed(evidence=more.with_titles(found.answer, cited)) for cited in tried]


def _of_few(passages: Sequence[Numbered], beside: Sequence[Numbered]) -> Sequence[Numbered]:
    """What there is of the first sources, best first."""
    sources = list(dict.fromkeys(one.number for one in passages))[:_SOURCES]
    every = {place_of(one): one for one in (*passages, *beside)}
    return [one for one in every.values() if one.number in sources][:_FEW]


def _others(found: Finding, few: Sequence[Numbered], passages: Sequence[Numbered]) -> Sequence[Numbered]:
    """What is read after a look at a few that gave no likely answer: more of them, else all but its sources."""
    if found.answer and not is_unlikely(found):
        return ()
    if {*map(place_of, passages[:_READ])} - {*map(place_of, few)}:
        return passages[:_READ]
    cited = {one.number for one in found.evidence}
    return [one for one in passages if one.number not in cited] if found.answer else ()


def _likelier(found: Finding, other: Finding) -> Finding:
    """The likelier of two looks; a first one whose answer is unlikely only where the second one has none likelier."""
    if not is_unlikely(other) and other.answer:
        return other
    likelier = other if other.answer and (other.score or 0) > (found.score or 0) else found
    return likelier.changed(rejected=tuple(dict.fromkeys((*found.rejected, *other.rejected))))


def is_unlikely(finding: Finding) -> bool:
    """Whether a judge holds that what is cited for a question does not answer it."""
    return finding.score is not None and finding.score < LIKELY


def turned_down(finding: Finding) -> Finding:
    """The finding; one that a judge rejects without its answer, so that nothing follows from it."""
    if not is_unlikely(finding):
        return finding
    return finding.changed(answer="", evidence=(), unlikely=finding.answer, doubted=finding.evidence)
