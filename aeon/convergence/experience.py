"""How often answers of a kind were right: recorded runs of a model, counted by how their answers came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from pydantic import Field

from aeon.kernel.table import UNCERTAIN
from aeon.schema import Frozen, Plan, Step

__all__ = ["LEAST_RUNS", "Experience", "Seen", "counted", "kind_of"]

LEAST_RUNS = 8
"""Of fewer runs of a kind nothing is said."""
_PARTS = {"quote": "sentence", "sql": "table", "calculator": "sum"}
_YES = 0.5
_LIKELY, _UNLIKELY = 0.3, 0.1
"""From which likelihood of its program on the model was sure of it, and below which it was not."""


class Seen(Frozen):
    """How many ``runs`` of a kind there were, and how many of them were ``right``."""

    right: int = Field(0, ge=0)
    runs: int = Field(0, ge=0)

    @property
    def probability(self) -> float | None:
        """That the next one is right, by the rule of succession; ``None`` where too few were seen."""
        return round((self.right + 1) / (self.runs + 2), 3) if self.runs >= LEAST_RUNS else None

    def codes(self, least: float) -> tuple[str, ...]:
        """The code of an answer that is too likely to be wrong: less likely to be right than ``least``."""
        return (UNCERTAIN,) if self.probability is not None and self.probability < least else ()


class Experience(Frozen):
    """What was seen of one model, by `kind_of`."""

    kinds: Mapping[str, Seen] = {}

    def of(self, plan: Plan) -> Seen:
        """What was seen of answers that came about as this plan's; see `of_kind`."""
        return self.of_kind(kind_of(plan))

    def of_kind(self, kind: str) -> Seen:
        """What was seen of answers of a kind, as `kind_of` names it.

        Where that is too little, of all of which the same is known for and against them, whatever they rest on.
        """
        exact = self.kinds.get(kind, Seen())
        if exact.runs >= LEAST_RUNS:
            return exact
        notes = kind.partition(", ")[2]
        alike = [seen for name, seen in self.kinds.items() if name.partition(", ")[2] == notes]
        return Seen(right=sum(seen.right for seen in alike), runs=sum(seen.runs for seen in alike))


def kind_of(plan: Plan) -> str:
    """How an answer came about: what its steps rest on, and what is known for or against it.

    ``sentence`` is quoted from a text, ``table`` asked of tables, ``sum`` calculated, ``text`` written, ``absent`` not
    stated; another tool has its own name. Behind commas stand ``agreed`` or ``disagreed`` where several programs were
    run, ``judged right`` or ``judged wrong`` where a judge could tell, and ``sure``, ``fairly sure`` or ``unsure`` by
    how likely the model was to write what was taken.
    """
    done = [step for step in plan.steps if step.status == "complete"]
    parts = sorted({part for step in done for part in _parts(step)})
    return ", ".join([" + ".join(parts) or "nothing", *_derived(plan), *_judged(done), *_sureness(done)])


def _parts(step: Step) -> Iterable[str]:
    if step.output is None:
        return ("absent",)
    return [_PARTS.get(use.tool, use.tool) for use in step.uses if not use.problem] or ("text",)


def _derived(plan: Plan) -> list[str]:
    if plan.agreement is None or not plan.agreement.derivations:
        return []
    return ["agreed"] if plan.agreement.votes > 1 else ["disagreed"] if plan.agreement.disagrees else []


def _judged(done: Iterable[Step]) -> list[str]:
    scores = [step.weight.score for step in done if step.weight is not None and step.weight.score is not None]
    return ["judged right" if min(scores) >= _YES else "judged wrong"] if scores else []


def _sureness(done: Iterable[Step]) -> list[str]:
    likelihood = min((step.likelihood for step in done if step.likelihood is not None), default=None)
    if likelihood is None:
        return []
    return ["sure" if likelihood >= _LIKELY else "unsure" if likelihood < _UNLIKELY else "fairly sure"]


def counted(outcomes: Iterable[tuple[Plan, bool]]) -> dict[str, Seen]:
    """The plans of runs that have ended, each with whether its answer is right, counted by kind."""
    right: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for plan, is_right in outcomes:
        kind = kind_of(plan)
        right[kind] += is_right
        runs[kind] += 1
    return {kind: Seen(right=right[kind], runs=number) for kind, number in sorted(runs.items())}
