"""What can go wrong in a simulated run, and the scenario that a seed stands for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random

from aeon.errors import UsageError

__all__ = ["CRASHES", "KINDS", "TROUBLES", "Scenario", "scenario"]

KINDS: dict[str, str] = {
    "bad_judgment": "the model says no, sees faults and is blocked more often than not",
    "malformed": "the model's text is fenced, mended, torn, of another schema, or hostile",
    "truncated": "a completion is cut off by its token limit",
    "refused": "the model declines",
    "empty": "the model answers nothing",
    "retried": "the endpoint answers only after a second attempt, which is charged",
    "endpoint_dead": "the endpoint fails on some requests, whenever they are made",
    "endpoint_slow": "the endpoint takes minutes, or longer than it is given",
    "dense": "the endpoint's tokenizer makes a token of each byte, so that calls take nearly what was admitted",
    "hidden_prompt": "the endpoint puts tokens of its own before each prompt, up to more than a whole call may take",
    "over_reported": "the endpoint reports far more tokens than a call can take",
    "under_reported": "the endpoint reports no calls, or nothing at all",
    "probed": "what the endpoint can do is found out by calls, in each process anew",
    "tool_fails": "a tool raises, before or after it has done its work",
    "tool_hangs": "a tool does not return",
    "tool_refuses": "a tool finds its arguments wrong although they fit its schema",
    "tool_output": "a tool gives NaN, bytes, surrogates, too much, or orders for the model",
    "budget_calls": "the budget of model calls runs out",
    "budget_tokens": "the budget of tokens runs out",
    "budget_seconds": "the time runs out",
    "budget_cost": "the money runs out",
    "question_answered": "the run asks and is answered at once",
    "question_assumed": "the run asks and nobody is there",
    "question_suspended": "the run asks, is suspended, and is answered in another process",
    "outage": "the endpoint cannot be used at all until the run is resumed",
    "interrupt": "the run is asked to stop, and is resumed",
    "stream_left": "who reads the run's events leaves them halfway, and so the run, or stops it, and reads on",
    "clock_jump": "the clock jumps by years while the run is under way",
    "clock_moved": "the run is resumed on a machine whose clock is years away",
    "crash_before": "the process dies before a line of the journal is written",
    "crash_after": "the process dies when a line of the journal is on disk",
    "crash_torn": "the process dies in the middle of a line of the journal",
    "crash_begun": "the process dies after the journal says that a tool begins, before it does",
    "crash_called": "the process dies when a tool has done its work, before the journal says so",
    "crash_each": "the process dies after line upon line of the journal, eight times at most",
    "handed_over": "the process stands still, another one continues the run, and then the first goes on",
    "disk_full": "no line of the journal can be written from one on, until the run is resumed",
    "twice_answered": "the answer to a question is delivered twice",
    "twice_resumed": "a run that has ended is resumed once more",
    "line_twice": "a line is delivered twice into the journal",
    "line_edited": "a byte of the journal is changed",
}
"""The kinds of fault, and what each does."""

TROUBLES = frozenset(list(KINDS)[list(KINDS).index("question_suspended") :])
"""The kinds that come from outside: a run must end as it would have without them."""

CRASHES = tuple(kind for kind in KINDS if kind.startswith("crash"))
"""The kinds in which a process dies."""

_NEEDS = {"twice_answered": "question_suspended", "clock_moved": "crash_after"}
_ALSO = 0.07
_COSTLY = {"crash_each"}
_MOST_STEPS, _MOST_PASSES = 3, 3


@dataclass(frozen=True)
class Scenario:
    """One simulated run: everything in it follows from these values alone."""

    seed: int
    faults: frozenset[str] = field(default_factory=frozenset)
    steps: int = _MOST_STEPS
    passes: int = _MOST_PASSES

    def chance(self, about: str) -> Random:
        """Random numbers of their own for one thing, so that a fault that is left out changes nothing else."""
        return Random(f"{self.seed}:{about}")

    @cached_property
    def spec(self) -> str:
        """The faults as the command line takes them, with the sizes where they are not the usual ones."""
        sizes = [f"steps={self.steps}"] * (self.steps != _MOST_STEPS)
        sizes += [f"passes={self.passes}"] * (self.passes != _MOST_PASSES)
        return ",".join([*(kind for kind in KINDS if kind in self.faults), *sizes]) or "none"

    @property
    def command(self) -> str:
        """The command that runs this scenario again."""
        return f"aeon simulate --seeds 1 --from {self.seed} --faults {self.spec}"


def scenario(seed: int, faults: str | None = None) -> Scenario:
    """The scenario of a seed: with ``faults``, such as ``crash_after,steps=2``, exactly those, else its own.

    Of the seeds without ``faults``, each features one kind in turn, and has each other one now and then.

    Raises:
        UsageError: ``faults`` names no kind, or a size that is no number above 0.
    """
    if faults is not None:
        return _given(Scenario(seed), faults.split(","))
    chance = Random(f"{seed}:faults")
    names = list(KINDS)
    also = {name for name in names if chance.random() < _ALSO} - _COSTLY
    chosen = also | {names[seed % len(names)]}
    return Scenario(seed, _with_needs(chosen))


def _given(plain: Scenario, words: Iterable[str]) -> Scenario:
    kinds: set[str] = set()
    for word in (each.strip() for each in words):
        name, _, number = word.partition("=")
        if word in KINDS:
            kinds.add(word)
        elif name in ("steps", "passes") and number.isdecimal() and int(number):
            size = int(number)
            plain = replace(plain, steps=size) if name == "steps" else replace(plain, passes=size)
        elif word not in ("none", ""):
            raise UsageError(f"--faults: {word!r} is no kind of fault; there are {', '.join(KINDS)}, steps=N, passes=N")
    return replace(plain, faults=_with_needs(kinds))


def _with_needs(kinds: set[str]) -> frozenset[str]:
    return frozenset(kinds | {_NEEDS[kind] for kind in kinds if kind in _NEEDS})
