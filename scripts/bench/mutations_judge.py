"""What the judge of answers says of sentences whose cited span, or whose meaning, was changed: see ``mutations.py``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from figures import wilson
from judging import auroc, interval

from aeon.llm.adapter import LLMAdapter
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Opinion", "Sentence", "judged", "report"]

NAME = "gives_answer"


@dataclass(frozen=True)
class Sentence:
    """A right answer to a question, the same with its meaning turned, and spans of one folder.

    ``span`` is the one that it cites, ``swapped`` one that another answer cites, ``unrelated`` one that none does.
    """

    question: str
    answer: str
    negated: str
    span: str
    swapped: str
    unrelated: str


@dataclass(frozen=True)
class Opinion:
    """The judge's log-odds that an answer is given: by its span, by the swapped one, by the unrelated one.

    ``negated`` and ``negated_unrelated`` are those of the negated answer, by its span and by the unrelated one.
    """

    sentence: Sentence
    span: float
    swapped: float
    unrelated: float
    negated: float
    negated_unrelated: float


async def judged(sentences: Sequence[Sentence], llm: LLMAdapter) -> tuple[list[Opinion], Callable[[float], bool]]:
    """The opinions, asked for as a run asks, and whether the shipped calibration takes log-odds for support."""
    spec, judge, opinions = judgment(NAME), Judge(Supervisor(llm), samples=0), list[Opinion]()
    held: dict[float, bool] = {}

    async def odds(question: str, answer: str, text: str) -> float:
        found = await judge.ask(spec, {"text": text, "question": question, "answer": answer})
        held[found.raw] = found.score >= spec.threshold
        return found.raw

    for number, one in enumerate(sentences, 1):
        with Ledger(Allowance(calls=100)):
            asked = (
                (one.answer, one.span), (one.answer, one.swapped), (one.answer, one.unrelated),
                (one.negated, one.span), (one.negated, one.unrelated),
            )  # fmt: skip
            opinions.append(Opinion(one, *[await odds(one.question, answer, text) for answer, text in asked]))
        print(f"{number:4} of {len(sentences)}", end="\r", file=sys.stderr)
    return opinions, held.__getitem__


def report(opinions: Sequence[Opinion], supported: Callable[[float], bool], show: bool = False) -> None:
    """Print how many of each change the judge catches, and how well it tells them from what is unchanged.

    The second AUROC is that of the log-odds less those of the same claim with the unrelated span. ``show`` what it was
    wrong about.
    """
    print(f"{'change':22} {'caught at the cut':30}  AUROC             less the control")
    for name, changed in CHANGES.items():
        missed = [one for one in opinions if supported(changed(one)[0])]
        share = _share(len(opinions) - len(missed), len(opinions))
        print(f"{name:22} {share}  {_ranks(opinions, changed)}")
        _list([one.sentence.negated if name == "a negation" else one.sentence.answer for one in missed], show)
    alarms = [one.sentence for one in opinions if not supported(one.span)]
    print(f"{'false alarms':22} {_share(len(alarms), len(opinions))}")
    _list([f"{one.question} {one.answer}  |  {' '.join(one.span.split())}" for one in alarms], show)


CHANGES: Mapping[str, Callable[[Opinion], tuple[float, float]]] = {
    "two spans swapped": lambda one: (one.swapped, one.swapped - one.unrelated),
    "a negation": lambda one: (one.negated, one.negated - one.negated_unrelated),
    "an unrelated span": lambda one: (one.unrelated, 0.0),
}
"""The log-odds of each change, alone and less those with the unrelated span."""


def _ranks(opinions: Sequence[Opinion], changed: Callable[[Opinion], tuple[float, float]]) -> str:
    false = [changed(one) for one in opinions]
    true = [(one.span, one.span - one.unrelated) for one in opinions]
    both = [[*((odds[at], True) for odds in true), *((odds[at], False) for odds in false)] for at in (0, 1)]
    return "  ".join(f"{auroc(pairs):.2f} ({interval(pairs, auroc)})" for pairs in both)


def _list(texts: Sequence[str], show: bool) -> None:
    for text in texts if show else ():
        print(f"    {text}")


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count:4} of {of:4}  {count / of:6.1%}  [{low:.0%}, {high:.0%}]"
