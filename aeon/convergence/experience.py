"""How often answers of a kind were right: recorded runs of a model, counted by how their answers came about."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from pydantic import Field

from aeon.kernel.table import UNCERTAIN
from aeon.schema import Frozen, JsonValue, Plan, Reasoning, Step, ToolCall
from aeon.supervisor.prompt import load

__all__ = ["LEAST_RUNS", "Experience", "Seen", "counted", "kind_of", "shipped"]

LEAST_RUNS = 8
"""Of fewer runs of a kind nothing is said."""

_PARTS = {"quote": "sentence", "sql": "table", "calculator": "sum"}
_OF_FILES = frozenset({"sentence", "table", "reading", "refusal"})
_AGREED, _VOUCHED = "agreed", "vouched"
_SURE, _FAIRLY, _UNSURE = "sure", "fairly sure", "unsure"
_LEVELS = frozenset({_SURE, _FAIRLY, _UNSURE})
_LIKELY, _UNLIKELY = 0.3, 0.1
"""From which likelihood of its program on the model was sure of it, and below which it was not."""
_FOR = frozenset({_AGREED, _VOUCHED, _SURE, _FAIRLY})
"""The notes that speak for an answer; the others speak against it."""
_DATES = ("days_between", "add_days", "weekday")


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
    """What was seen of one model, by `kind_of`; ``fallback`` is what was seen of it elsewhere."""

    kinds: Mapping[str, Seen] = {}
    fallback: Experience | None = None

    def of(self, plan: Plan) -> Seen:
        """What was seen of answers that came about as this plan's; see `of_kind`."""
        return self.of_kind(kind_of(plan))

    def of_kind(self, kind: str) -> Seen:
        """What was seen of answers of a kind, as `kind_of` names it.

        Where that is too little, of all those of which the same is known for or against them; then, where the model was
        unsure, nothing agreed and nobody vouches, of those of which the same is known against them; then of those that
        are alike but for how sure it was; then of those of which the same is known against them, if anything is.
        Answers from files and others are counted apart; only what is known against one counts, where all that is too
        little, whatever it is of. Else it is the fallback's.
        """
        pools = [self._pooled(partial(like, kind)) for like in _ALIKE]
        enough = next((seen for seen in pools if seen.runs >= LEAST_RUNS), None)
        if enough is not None:
            return enough
        return self.fallback.of_kind(kind) if self.fallback is not None else self._pooled(partial(_same_notes, kind))

    def _pooled(self, like: Callable[[str], bool]) -> Seen:
        found = [seen for name, seen in self.kinds.items() if like(name)]
        return Seen(right=sum(seen.right for seen in found), runs=sum(seen.runs for seen in found))


def kind_of(plan: Plan) -> str:
    """How an answer came about: what its steps rest on, and what is known for or against it.

    ``sentence`` is copied from a cited one, ``reading`` read from passages, ``refusal`` not found in them, ``table``
    asked of tables, ``sum`` and ``date`` calculated, ``text`` written, ``reasoning`` reasoned; another tool has its own
    name. Behind a comma stands ``agreed`` or ``disagreed`` where the answer was derived more than once, ``vouched``
    where judges hold that the sentence it is copied from gives it, ``doubtful``
    where the planner or who read it left a doubt, ``mended`` where a call had to be, and ``sure``, ``fairly sure`` or
    ``unsure`` by how likely the model was to write what was read, else the program of the plan, where it is of files:
    long calculations are never likely, and mostly right.
    """
    done = [step for step in plan.steps if step.status == "complete"]
    parts = sorted({*map(_part, done)} - {""})
    return ", ".join([
        " + ".join(parts) or "nothing", *_derived(plan), *_known(plan, done), *_sureness(plan, done, parts),
    ])  # fmt: skip


def _known(plan: Plan, done: Sequence[Step]) -> list[str]:
    """What is known for or against an answer: that it is vouched for, doubts, and calls that were mended."""
    notes = {
        _VOUCHED: plan.vouched is not None,
        "doubtful": bool(plan.doubts) or any(step.mode == "reading" and step.clarity != "CLEAR" for step in done),
        "mended": any(step.mode in ("tool_repaired", "reasoning_fallback") for step in done),
    }
    return [note for note, holds in notes.items() if holds]


def _sureness(plan: Plan, done: Sequence[Step], parts: Sequence[str]) -> list[str]:
    """How sure the model was of what it wrote; nothing where nobody told, or the answer is not of files."""
    likelihood = min((step.likelihood for step in done if step.likelihood is not None), default=plan.likelihood)
    if likelihood is None or _OF_FILES.isdisjoint(parts):
        return []
    return [_SURE if likelihood >= _LIKELY else _UNSURE if likelihood < _UNLIKELY else _FAIRLY]


def _exactly(kind: str, name: str) -> bool:
    return name == kind


def _as_sure(kind: str, name: str) -> bool:
    return _notes(name) == _notes(kind) and _is_like(kind, name)


def _as_unsure(kind: str, name: str) -> bool:
    """Not where another derivation agreed, or judges vouch for it: that tells more."""
    is_alone = _UNSURE in _notes(kind) and _notes(kind).isdisjoint((_AGREED, _VOUCHED))
    return is_alone and _as_doubted(kind, name) and _is_like(kind, name)


def _same(kind: str, name: str) -> bool:
    return _rests_on(name) == _rests_on(kind) and _notes(name) - _LEVELS == _notes(kind) - _LEVELS


def _same_notes(kind: str, name: str) -> bool:
    return _notes(name) - _LEVELS == _notes(kind) - _LEVELS and _is_like(kind, name)


def _as_doubted(kind: str, name: str) -> bool:
    against = _notes(kind) - _FOR
    return bool(against) and _notes(name) >= against


def _as_doubted_and_like(kind: str, name: str) -> bool:
    return _as_doubted(kind, name) and _is_like(kind, name)


_ALIKE: tuple[Callable[[str, str], bool], ...] = (
    _exactly, _as_sure, _as_unsure, _same, _same_notes, _as_doubted_and_like, _as_doubted,
)  # fmt: skip
"""Which kinds are counted with one, the nearest first."""


def _is_like(kind: str, name: str) -> bool:
    """Whether answers of both kinds rest on files, or none of them."""
    return _is_of_files(kind) is _is_of_files(name)


def _rests_on(kind: str) -> frozenset[str]:
    """What answers of a kind rest on."""
    return frozenset(kind.split(", ")[0].split(" + "))


def _is_of_files(kind: str) -> bool:
    """Whether answers of a kind rest on a file."""
    return not _OF_FILES.isdisjoint(_rests_on(kind))


def _notes(kind: str) -> frozenset[str]:
    """What is known for or against answers of a kind."""
    return frozenset(kind.split(", ")[1:])


def _derived(plan: Plan) -> list[str]:
    """What other derivations say, if there are any that are independent."""
    if plan.agreement is None or not plan.agreement.independent:
        return []
    return ["disagreed" if plan.agreement.disagrees else _AGREED]


def _part(step: Step) -> str:
    if not isinstance(step.action, ToolCall):
        return "reasoning" if isinstance(step.action, Reasoning) else "text"
    if step.mode == "reading":
        return "reading" if step.output is not None else "refusal"
    name = step.action.tool
    return "" if name == "choose" else "date" if name in _DATES else _PARTS.get(name, name)


def shipped(model: str) -> Experience:
    """What was counted of a model before it was shipped; empty for one that was not."""
    known: dict[str, JsonValue] = json.loads(load("aeon.convergence", "experience.json"))
    return Experience.model_validate(known.get(model, {}))


def counted(outcomes: Iterable[tuple[Plan, bool]]) -> dict[str, Seen]:
    """The plans of runs that have ended, each with whether its answer is right, counted by kind."""
    right: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for plan, is_right in outcomes:
        kind = kind_of(plan)
        right[kind] += is_right
        runs[kind] += 1
    return {kind: Seen(right=right[kind], runs=number) for kind, number in sorted(runs.items())}
