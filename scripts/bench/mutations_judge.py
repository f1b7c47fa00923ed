"""What the evidence judge says of sentences whose cited span, or whose meaning, was changed: see ``mutations.py``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
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

NAME = "evidence_supports"


@dataclass(frozen=True)
class Sentence:
    """A right answer behind its question, the same with its meaning turned, and spans of one folder.

    ``span`` is the one that it cites, ``swapped`` one that another answer cites, ``unrelated`` one that none does.
    """

    claim: str
    negated: str
    span: str
    swapped: str
    unrelated: str


@dataclass(frozen=True)
class Opinion:
    """The judge's log-odds that a claim is supported: by its span, by the swapped one, by the unrelated one.

    ``negated`` and ``negated_unrelated`` are those of the negated claim, by its span and by the unrelated one.
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

    async def odds(claim: str, evidence: str) -> float:
        found = await judge.ask(spec, {"claim": claim, "evidence": evidence})
        held[found.raw] = found.score >= spec.threshold
        return found.raw

    for number, one in enumerate(sentences, 1):
        with Ledger(Allowance(calls=100)):
            opinions.append(
                Opinion(
                    one, await odds(one.claim, one.span), await odds(one.claim, one.swapped),
                    await odds(one.claim, one.unrelated), await odds(one.negated, one.span),
                    await odds(one.negated, one.unrelated),
                )
            )  # fmt: skip
        print(f"{number:4} of {len(sentences)}", end="\r", file=sys.stderr)
    return opinions, held.__getitem__


def report(opinions: Sequence[Opinion], supported: Callable[[float], bool], show: bool = False) -> None:
    """Print how many of each change the judge catches, and how well it tells them from what is unchanged.

    The second AUROC is that of the log-odds less those of the same claim with the unrelated span. ``show`` what it was
    wrong about.
    """
    true = [(one.span, one.span - one.unrelated) for one in opinions]
    changes = {
        "two spans swapped": [(one.swapped, one.swapped - one.unrelated) for one in opinions],
        "a negation": [(one.negated, one.negated - one.negated_unrelated) for one in opinions],
        "an unrelated span": [(one.unrelated, 0.0) for one in opinions],
    }
    print(f"{'change':22} {'caught at the cut':30}  AUROC             less the control")
    for name, changed in changes.items():
        missed = [one for one, (raw, _) in zip(opinions, changed, strict=True) if supported(raw)]
        plain, less = ([*((t[at], True) for t in true), *((c[at], False) for c in changed)] for at in (0, 1))
        ranks = "  ".join(f"{auroc(pairs):.2f} ({interval(pairs, auroc)})" for pairs in (plain, less))
        print(f"{name:22} {_share(len(opinions) - len(missed), len(opinions))}  {ranks}")
        for one in missed if show else ():
            print(f"    {one.sentence.negated if name == 'a negation' else one.sentence.claim}")
    alarms = [one.sentence for one in opinions if not supported(one.span)]
    print(f"{'false alarms':22} {_share(len(alarms), len(opinions))}")
    for sentence in alarms if show else ():
        print(f"    {sentence.claim}  |  {' '.join(sentence.span.split())}")


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count:4} of {of:4}  {count / of:6.1%}  [{low:.0%}, {high:.0%}]"
