"""The answer of a research run: worded by the model, with the citations put in by the host, and checked by a judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from aeon.engines.research.alike import is_alike, speaks_of_both
from aeon.engines.research.answered import Support, Told, cited_text, told_of
from aeon.engines.research.answers import cited, refusal
from aeon.engines.research.choosing import best, is_about, own
from aeon.engines.research.common import stems
from aeon.engines.research.effects import Cite, Numbered
from aeon.engines.research.looking import LIKELY, Looker, is_unlikely, turned_down
from aeon.engines.research.naming import names_in, unnamed
from aeon.engines.research.phrases import questions
from aeon.engines.research.several import is_either
from aeon.engines.research.support import answering, headed, support_spec, supported
from aeon.engines.research.telling import parts_of
from aeon.engines.research.texts import shown
from aeon.engines.research.values import Citation, Cited, Finding
from aeon.grounding.matching import claims
from aeon.grounding.results import told
from aeon.isolation.aside import aside
from aeon.runtime.ledger import current_ledger
from aeon.schema import Verdict
from aeon.schema.claims import ENDINGS
from aeon.supervisor.judge import Judge, Judged
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.wording import Wording, worded
from aeon.text import one_line

__all__ = ["Writer"]

_LAST = 8
"""Passages that a last look at everything is given."""
_PLAIN = ("yes", "no")
_GIVEN = 0.3
"""Score from which on sentences give a yes or no; or answer a question perhaps, where nothing likelier was found.

Of 74 refusals to 240 questions, 10 have an answer from there to the score of a likely one in eight passages, 8 of them
right; without their documents 2 of 32 have.
"""
_PERHAPS = "Perhaps: "
_BOTH = 2
_OF_BOTH = re.compile(r"\b(?:both|same|either|neither|each other|than)\b", re.IGNORECASE)
_SHORTEST = 40
"""Characters of a sentence that can be a control."""


class Writer:
    """Words answers and says what their sentences rest on."""

    def __init__(self, supervisor: Supervisor, judge: Judge) -> None:
        self._supervisor = supervisor
        self._judge = judge
        self._looker = Looker(supervisor, judge)

    async def cite(self, effect: Cite) -> Cited:
        """The answer with its citations, or that the sources do not state it, with what was searched for.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        if not effect.sources.entries:
            return refusal("No source was found for this", effect)
        is_read = told_of(effect.findings) or (_is_rejected(effect) and not _is_half_read(effect))
        findings = effect.findings if is_read else (*effect.findings, turned_down(await self._last_look(effect)))
        answers = told_of(findings) or told_of(_likeliest(findings))
        if not answers or not all(one.evidence for one in answers):
            return refusal("The sources do not say", effect, _doubted(findings))
        return await self._answered(effect, answers)

    async def _answered(self, effect: Cite, answers: Sequence[Told]) -> Cited:
        """The answer in words, with what its sentences cite, and what a judge says of that."""
        asked = [one.finding for one in answers]
        if effect.check and await self._is_unanswered(effect, asked):
            return refusal("The sources do not say", effect, _doubted((*effect.findings, *asked)))
        missing = unnamed(effect.task.text, _read(effect, answers))
        if effect.check:
            answers = await self._supported(effect, answers, _is_in_part(effect, answers, missing))
        if any(_is_guessed(effect, one) for one in answers):
            return refusal("The sources do not say", effect, _doubted((*effect.findings, *asked)))
        wording = await self._worded(effect, asked, [cited for one in answers for cited in one.evidence])
        text, sentences = cited_text(parts_of(wording.text, [*map(_as_guess, answers)]))
        short = "; ".join(finding.answer for finding in asked)
        whole = await aside(partial(cited, effect, text, short, sentences))
        answer = whole.changed(problem=wording.problem, unnamed=missing)
        current_ledger().retell(answer.text)
        return answer

    async def _is_unanswered(self, effect: Cite, asked: Sequence[Finding]) -> bool:
        """Whether a judge holds that what is cited for a question does not answer it.

        A yes or no may follow from sentences of two documents, neither of which answers alone: there, whether they give
        this answer.
        """
        for one in (side for finding in asked for side in _sides(effect, finding)):
            spans, plain = _shown(effect, one.evidence), one.answer in _PLAIN
            if _is_out(one) or not speaks_of_both(one, spans):
                return True
            judged = await self._answers(effect, one, plain) if one.score is None else None
            if judged is not None and judged.score < (_GIVEN if plain else LIKELY):
                return True
        return False

    async def _answers(self, effect: Cite, finding: Finding, plain: bool) -> Judged | None:
        """What a judge says of the cited sentences: that they answer the question, or give this yes or no to it."""
        text = _told(effect, finding)
        return await (self._judged(text, finding) if plain else answering(self._judge, text, finding.question))

    async def _worded(self, effect: Cite, asked: Sequence[Finding], evidence: Sequence[Citation]) -> Wording:
        """The answers in words; none where these would say what none of the evidence does, or the model has none."""
        if (plain := _said_plainly(effect, asked)) is not None:
            return Wording(plain)
        answers = [one.answer for one in asked]
        wording = await worded(self._supervisor, effect.task, answers)
        if len(answers) > 1 and wording.text == "\n".join(answers):  # in no sentence each stands behind its question
            return Wording("", wording.problem)
        spans = [one.source for one in evidence]
        found = await aside(partial(claims, wording.text, told(effect.task), spans=spans))
        if any(claim.verdict in ENDINGS for claim in found):
            return Wording("")
        return Wording("", wording.problem) if wording.problem else wording

    async def _last_look(self, effect: Cite) -> Finding:
        """What the passages of all sources say that have most words of the task.

        Which of two is more, or whether both are alike, nobody reads: a small model goes by the one that it sees first.
        """
        question = effect.task.text
        if _is_of_two(question):
            return Finding(question=question)
        last = _best_of_all(effect)
        found = await self._looker.look(question, last, effect.check, again=False)
        return found.changed(asked=True) if is_about(question, last) else Finding(question=question)

    async def _supported(self, effect: Cite, answers: Sequence[Told], part: bool) -> list[Told]:
        """The answers with how far what each rests on bears it out: a comparison as far as its weaker side is.

        Where it can but in ``part``, none is supported.

        The control is a sentence of a source that is not cited: where it supports an answer as much, the judge says
        yes to anything. Where there are too few calls for all, nothing is checked.
        """
        judged = [await self._least(effect, one.finding) for one in answers]
        known = [one for one in judged if one is not None]
        if len(known) < len(judged):
            return list(answers)
        other = _unrelated(effect, [cited for one in answers for cited in one.evidence])
        control = await self._judged(other, _sides(effect, answers[-1].finding)[-1]) if other else None
        unknown = bool(other) and control is None
        pairs = zip(answers, known, strict=True)
        return [one._replace(support=_support(said, control, one.finding, unknown, part)) for one, said in pairs]

    async def _least(self, effect: Cite, finding: Finding) -> Judged | None:
        """What the judge says of the least likely side of an answer; ``None`` where it says nothing of one."""
        judged = [await self._judged(_told(effect, one), one) for one in _sides(effect, finding)]
        known = [one for one in judged if one is not None]
        return min(known, key=lambda one: one.score) if len(known) == len(judged) else None

    async def _judged(self, text: str, finding: Finding) -> Judged | None:
        """What the judge says of a text as the source of what was found."""
        return await supported(self._judge, text, finding.question, finding.answer)


def _doubted(findings: Sequence[Finding]) -> Sequence[Citation]:
    """The sentences of the likeliest answer to a question of the task that was turned down."""
    asked = [one for one in findings if one.asked and (one.doubted or one.evidence)]
    best = max(asked, key=lambda one: one.score or 0, default=None)
    return (best.doubted or best.evidence) if best is not None else ()


def _likeliest(findings: Sequence[Finding]) -> list[Finding]:
    """The likeliest answer to the task of those that a judge turned down, where it is likely enough to be told."""
    turned = [one for one in findings if one.asked and one.unlikely and not _is_out(one)]
    turned.sort(key=lambda one: -(one.score or 0))
    return [one.changed(answer=one.unlikely, evidence=one.doubted, unlikely="", doubted=()) for one in turned[:1]]


def _is_out(finding: Finding) -> bool:
    """Whether a judge holds an answer to be so unlikely that it is not told at all."""
    return finding.score is not None and finding.score < _GIVEN


def _is_rejected(effect: Cite) -> bool:
    """Whether a judge rejected what was found for the task, so that reading it once more is in vain."""
    return any(one.asked and is_unlikely(one) for one in effect.findings)


def _best_of_all(effect: Cite) -> list[Numbered]:
    """What is read of all sources at last: what has most words of the task; where it was half read, what was left."""
    question, every = effect.task.text, _passages(effect)
    if _is_half_read(effect):
        return own(question, every, _LAST, names_in(question))
    words = stems(question)
    return best(question, sorted(every, key=lambda one: -len(words & stems(f"{one.title} {one.passage.text}"))), _LAST)


def _is_half_read(effect: Cite) -> bool:
    """Whether only a little was read for the task itself, before it was taken apart in vain."""
    read = [one for one in effect.findings if one.asked and one.question == effect.task.text]
    return len(read) == 1 and bool(read[0].unlikely) and any(not one.asked for one in effect.findings)


def _sides(effect: Cite, finding: Finding) -> list[Finding]:
    """The findings that an answer follows from by comparison; of another one, that itself."""
    if not _is_of_two(finding.question):
        return [finding]
    others = [one for one in effect.findings if one.answer and not one.asked and {*one.evidence} < {*finding.evidence}]
    return others[-2:] if len(others) > 1 else [finding]


def _is_of_two(question: str) -> bool:
    """Whether the host answers a question by what is found of each of two."""
    return is_either(question) or is_alike(question)


def _said_plainly(effect: Cite, asked: Sequence[Finding]) -> str | None:
    """What no model words: that an answer is unlikely, and a yes or no; ``None`` for any other.

    Of two it is said with what it follows from: "No: Alphaville and Apink". A model writes "Ragna Ness was yes older".
    """
    if len(asked) > 1:
        return None
    if is_unlikely(asked[0]):
        return f"{_PERHAPS}{asked[0].answer}"
    if asked[0].answer not in _PLAIN:
        return None
    said = list(dict.fromkeys(one.answer for one in _sides(effect, asked[0]) if one.answer not in _PLAIN))
    return f"{asked[0].answer.capitalize()}{': ' * bool(said)}{' and '.join(said)}"


def _is_in_part(effect: Cite, answers: Sequence[Told], missing: Sequence[str]) -> bool:
    """Whether one is unlikely, they are to fewer questions than the task asks, or what they cite lacks a name of it."""
    is_doubtful = any(is_unlikely(one.finding) for one in answers)
    return is_doubtful or bool(missing) or len(answers) < len(questions(effect.task.text))


def _is_guessed(effect: Cite, told: Told) -> bool:
    """Whether it is a yes or no that was read, and that a sentence of no matter what bears out as much."""
    finding = told.finding
    return finding.answer in _PLAIN and told.support.verdict == "not_found" and _sides(effect, finding) == [finding]


def _as_guess(told: Told) -> Told:
    """An answer that a judge holds to be unlikely as supported in part at most, also where nothing more was asked.

    It is told as "Perhaps: …", and the run ends as what it is by this verdict.
    """
    likely = not is_unlikely(told.finding) or told.support.verdict not in ("supported", "not_checked")
    return told if likely else told._replace(support=told.support._replace(verdict="partial"))


def _is_one_sided(finding: Finding) -> bool:
    """Whether a yes or no is about two together, and what is cited is of one document."""
    sources = {one.number for one in finding.evidence}
    return finding.answer in _PLAIN and len(sources) < _BOTH and _OF_BOTH.search(finding.question) is not None


def _support(judged: Judged, control: Judged | None, finding: Finding, unknown: bool, part: bool) -> Support:
    """What a judge says of an answer; no verdict where it is ``unknown`` what it says of the control."""
    verdict = "not_checked" if unknown else _verdict(judged, control, finding)
    return Support(judged.score, "partial" if part and verdict == "supported" else verdict)


def _verdict(judged: Judged, control: Judged | None, finding: Finding) -> Verdict:
    if control is not None and control.score >= judged.score:
        return "not_found"
    is_whole = judged.score >= support_spec().threshold and not _is_one_sided(finding)
    return "supported" if is_whole else "partial"


def _shown(effect: Cite, cited: Sequence[Citation]) -> str:
    documents = {entry.number: entry.document for entry in effect.sources.entries}
    return headed(cited, {number: one.title or one.source for number, one in documents.items()})


def _told(effect: Cite, finding: Finding) -> str:
    """The cited sentences as a judge is shown them: in their surroundings, of a yes or no alone.

    A value stands in the sentence that is cited; a yes or no might be given by the one beside it, which nobody quotes.
    """
    if finding.answer in _PLAIN:
        return _shown(effect, finding.evidence)
    texts = shown(_passages(effect))
    return headed(texts.around(finding.evidence), texts.heads)


def _passages(effect: Cite) -> list[Numbered]:
    return [
        Numbered(number=entry.number, passage=one, query=entry.query, title=entry.document.title)
        for entry in effect.sources.entries
        for one in entry.passages
    ]


def _read(effect: Cite, answers: Sequence[Told]) -> str:
    """The titles and passages of the sources that the answers cite."""
    numbers = {cited.number for one in answers for cited in one.evidence}
    cited = [one for one in effect.sources.entries if one.number in numbers]
    return "\n".join([*(one.document.title for one in cited), *(said.text for one in cited for said in one.passages)])


def _unrelated(effect: Cite, evidence: Sequence[Citation]) -> str:
    """A sentence of a source that the answer does not cite; "" where every source is cited."""
    cited = {one.number for one in evidence}
    others = (entry for entry in effect.sources.entries if entry.number not in cited)
    spans = (source.text for entry in others for source in entry.passages[0].sources())
    return next((one_line(text, 1_000) for text in spans if len(text) > _SHORTEST), "")
