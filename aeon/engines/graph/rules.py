"""When a graph or loop run ends and why: its rows of the decision table, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.engines.graph.config import GraphConfig, WorkConfig
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["TABLE", "WorkSignals", "graph_calls", "loop_calls", "most_plans"]


@dataclass(slots=True)
class WorkSignals(Signals):
    """What the rows rest on; all false until the run comes to its response.

    ``absent``: a step looked for what is the answer, and did not find it. ``failed`` says which steps could not be
    done, ``rejected`` what the verifier has against the results, ``""`` if nothing. ``verified``: the verifier said
    yes. ``written``: the task was a text to be written, or needed no tool. ``done``: the walk is over.
    """

    absent: bool = False
    failed: str = ""
    rejected: str = ""
    verified: bool = False
    written: bool = False
    done: bool = False


TABLE: tuple[Rule, ...] = (
    Rule(
        "partial",
        "failed",
        "{s.failed}",
        when="a step could not be done, and no new plan is left: the answer says what is missing",
    ),
    Rule(
        "rejected",
        "rejected",
        "{s.rejected}",
        when="the verifier said no, and no new plan is left",
    ),
    Rule(
        "not_stated",
        "absent",
        "what was asked for, or a part of it, is not in what was searched",
        when="a step that gives the answer looked for it where it should be, and did not find it",
    ),
    Rule(
        "verified",
        "verified",
        "every step was done, and the results were checked",
        sufficient=True,
        when="every step was done, and the verifier said yes",
    ),
    Rule(
        "answered",
        "written",
        "the answer was written as it was asked for",
        sufficient=True,
        when="the task needed no tool, or was a text to be written",
    ),
    Rule(
        "unverified",
        "done",
        "every step was done, and nothing could check the results",
        when="every step was done, and no judgment that counts on the model could check the results",
    ),
    BUDGET,
    CLARIFICATION,
)


def loop_calls(config: WorkConfig) -> int:
    """The most model calls of a loop run: it plans, and verifies, once and once for each retry."""
    return _calls(config, config.plan_retries + 1)


def most_plans(config: GraphConfig) -> int:
    """The most plans of a graph run: the first, and one for each retry or, if they are more, for each reflection."""
    return max(config.plan_retries, config.reflections) + 1


def graph_calls(config: GraphConfig) -> int:
    """The most model calls of a graph run: also a direct try, and reflections, each with its looks."""
    caps = config.caps
    return _calls(config, most_plans(config) + 1) + config.reflections * (
        config.looks * (caps.choose_look + caps.look) + caps.reflect
    )


def _calls(config: WorkConfig, plans: int) -> int:
    """The calls of so many plans with their verification; a step whose tool's outcome is unknown may be done again."""
    caps = config.caps
    verified = caps.validate_results + caps.verify
    steps = (config.total_steps + config.questions.most) * caps.execute
    return caps.classify + caps.recall + plans * (caps.plan + verified) + steps + caps.synthesize + caps.note_lesson
