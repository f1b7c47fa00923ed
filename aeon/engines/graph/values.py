"""What the effects of a graph or loop run give, and what its state is made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.experience import Lesson, Pattern
from aeon.schema.plan import Plan, StepResult
from aeon.schema.value import Value

__all__ = [
    "Choice",
    "Classified",
    "Complexity",
    "Done",
    "Look",
    "LookAction",
    "Looked",
    "Reflected",
    "Reflection",
    "Verdict",
    "Work",
]

Complexity = Literal["BYPASS", "SIMPLE", "MODERATE", "COMPLEX"]
LookAction = Literal["list", "read", "search", "query"]


class Classified(Value):
    """How complex a task is; ``sure`` is the probability (0-1) that it needs no tool, where that was asked."""

    complexity: Complexity = "MODERATE"
    sure: Annotated[float, Field(ge=0, le=1)] | None = None


class Look(Value):
    """A look at the world that changes nothing: list the files, read one, search for words, or query the tables."""

    action: LookAction
    argument: str = ""


class Choice(Value):
    """The next look; ``None``: what was seen is enough, or there is nothing to look at."""

    look: Look | None = None


class Looked(Value):
    """A look, and what it showed; ``problem`` says why it showed nothing."""

    look: Look
    showed: str = ""
    problem: str = ""


class Reflection(Value):
    """Why the work failed, and what a new plan should do otherwise; both "" where nobody could say."""

    cause: str = ""
    advice: str = ""


class Reflected(Value):
    """A reflection with the failure that was observed before it, and the looks that were taken."""

    failure: str
    looks: tuple[Looked, ...] = ()
    reflection: Reflection = Reflection()


class Verdict(Value):
    """What a verifier says of the results, and why. ``undecided``: nothing speaks against them, nothing checked them.

    ``by`` names what it rests on: failed ``steps``, what ``tools`` gave, several ``derivations``, a measured
    ``judge``, or the ``model`` in the role of a verifier.
    """

    says: Literal["yes", "no", "undecided"] = "undecided"
    reason: str = ""
    by: Literal["", "steps", "tools", "derivations", "judge", "model"] = ""


class Done(Value):
    """A step that was executed: ``key`` is its tool with the arguments as called. Without a ``result``, it failed."""

    key: str
    result: StepResult | None = None
    problem: str = ""


class Work(Value):
    """The state of a graph or loop run.

    ``plan`` is the one under way, ``plans`` are the ones before it. ``done`` is the work that was done, by whatever
    plan, in ``executed`` steps. ``problems`` are for the next plan. ``fresh``: the latest plan did something that no
    earlier one had done. ``reflections_left`` begins with what the complexity allows. ``plans_left`` are those that the
    retries allow; a reflection brings a plan of its own.
    """

    complexity: Complexity = "MODERATE"
    lessons: tuple[Lesson, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    plan: Plan = Plan()
    plans: tuple[Plan, ...] = ()
    done: tuple[Done, ...] = ()
    executed: int = 0
    problems: tuple[str, ...] = ()
    fresh: bool = True
    reflections: tuple[Reflected, ...] = ()
    reflections_left: int = 0
    plans_left: int = 0
    verdict: Verdict = Verdict()
    verdicts: tuple[Verdict, ...] = ()
