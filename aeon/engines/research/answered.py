"""The answers to the questions of a task, with what they rest on; as sentences, each with what it cites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aeon.engines.research.effects import Cite
from aeon.engines.research.marking import evidence_of, marked, sought, with_limits
from aeon.engines.research.values import Citation, Cited, Finding, Sentence
from aeon.schema import Verdict

__all__ = ["Part", "Support", "Told", "alone", "cited_text", "told_of", "unworded"]

_VERDICTS: tuple[Verdict, ...] = ("not_found", "not_checked", "partial", "supported")
"""What a judge says of sentences; of several answers in one, the first of these counts."""


class Support(NamedTuple):
    """How likely (0-1) the cited sentences show an answer, ``None`` where nobody can say; and the verdict on that."""

    likely: float | None = None
    verdict: Verdict = "not_checked"


class Told(NamedTuple):
    """An answer to a question of the task, with all that it rests on, and what a judge says of that."""

    finding: Finding
    evidence: tuple[Citation, ...]
    support: Support = Support()


class Part(NamedTuple):
    """A sentence, and the answers that it tells."""

    text: str
    answers: tuple[Told, ...]


def told_of(findings: Sequence[Finding]) -> list[Told]:
    """The answers to the questions of the task, in their order. What was found on the way to one is of its evidence."""
    answers: list[Told] = []
    since = 0
    for place, one in enumerate(findings):
        if one.asked and one.answer:
            answers.append(Told(one, evidence_of(findings[since : place + 1])))
            since = place + 1
    return answers


def cited_text(parts: Sequence[Part]) -> tuple[str, tuple[Sentence, ...]]:
    """The sentences with the numbers of what they cite, each as likely as the least likely of its answers."""
    text, sentences = "", list[Sentence]()
    for part in parts:
        start = len(text) + bool(text)
        evidence = tuple(dict.fromkeys(cited for one in part.answers for cited in one.evidence))
        text = f"{text} {marked(part.text, evidence)}".lstrip()
        likely, verdict = _weakest([one.support for one in part.answers])
        sentences.append(Sentence(start=start, end=len(text), citations=evidence, verdict=verdict, score=likely))
    return text, tuple(sentences)


def alone(answers: Sequence[Told]) -> list[Part]:
    """Each answer alone, behind its question where there are several."""
    if len(answers) == 1:
        return [Part(answers[0].finding.answer, tuple(answers))]
    return [Part(f"{one.finding.question} {one.finding.answer}", (one,)) for one in answers]


def unworded(effect: Cite) -> Cited:
    """What the rounds found out, word for word, with what it rests on; nobody held it against that."""
    answers = told_of(effect.findings) if effect.answer else []
    if not answers or not all(one.evidence for one in answers):
        return Cited(text=with_limits(effect, f"No answer could be made ({sought(effect)})."))
    text, sentences = cited_text(alone(answers))
    short = "; ".join(one.finding.answer for one in answers)
    return Cited(text=with_limits(effect, text), short=short, sentences=sentences)


def _weakest(supports: Sequence[Support]) -> Support:
    likely = [one.likely for one in supports if one.likely is not None]
    verdict = min((one.verdict for one in supports), key=_VERDICTS.index)
    return Support(min(likely) if len(likely) == len(supports) else None, verdict)
