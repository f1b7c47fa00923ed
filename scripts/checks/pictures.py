"""Pictures of the engines for their pages: nodes are phases of the code, endings the rows of its tables.

A test holds the steps of `STEPS` against simulated runs: each is taken by one, and none takes another.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from aeon.assembly.registry import shipped
from aeon.engines.auto.effects import LookAround
from aeon.engines.auto.routes import ROUTES
from aeon.engines.chain.config import ChainConfig
from aeon.engines.contractive.effects import Decompose
from aeon.engines.team.config import TeamConfig
from aeon.kernel.decide import Rule
from aeon.kernel.engine import Engine
from aeon.multipass.effects import InferProfile

__all__ = [
    "STEPS",
    "arrow",
    "auto_picture",
    "chain_picture",
    "ending",
    "mermaid",
    "phases_picture",
    "team_picture",
    "thresholds",
]

Step = tuple[str, str, str]
"""A phase, one that may follow it, and when."""

STEPS: dict[str, tuple[Step, ...]] = {
    "multi-pass": (
        ("profile", "plan", ""),
        ("profile", "validate_plan", "a simple task is its own plan"),
        ("plan", "validate_plan", ""),
        ("validate_plan", "refine_plan", "issues"),
        ("refine_plan", "validate_plan", "changed"),
        ("refine_plan", "refine_plan", "it asked"),
        ("validate_plan", "turn", "with tools"),
        ("validate_plan", "validate_results", "no turn is left"),
        ("refine_plan", "turn", "nothing to validate"),
        ("turn", "use_tool", "it calls"),
        ("use_tool", "turn", ""),
        ("use_tool", "use_tool", "nobody knows whether it was done"),
        ("turn", "turn", "no call can be made"),
        ("turn", "validate_results", "it answers"),
        ("validate_plan", "write", "by programs"),
        ("refine_plan", "write", "nothing to validate"),
        ("write", "run_program", "each of a round"),
        ("write", "validate_results", "nothing was written"),
        ("write", "turn", "nothing more was, and a text is wanted"),
        ("run_program", "weigh", "a result leads"),
        ("run_program", "write", "nothing ran"),
        ("run_program", "turn", "a text is wanted"),
        ("run_program", "validate_results", "nothing ran, and no way is left"),
        ("weigh", "write", "nothing is ahead"),
        ("weigh", "turn", "a text is wanted"),
        ("weigh", "validate_results", "a result is ahead, or no way is left"),
        ("validate_results", "assess", ""),
        ("assess", "refine_plan", "another pass"),
        ("refine_plan", "validate_results", "no round is left"),
    ),
    "research": (
        ("find_providers", "plan_queries", ""),
        ("plan_queries", "search", ""),
        ("search", "search", "more queries, or another provider"),
        ("search", "pause", "a search failed"),
        ("pause", "search", "again"),
        ("pause", "pause", "again, of steps side by side"),
        ("search", "reflect", ""),
        ("reflect", "search", "another round"),
    ),
    "report": (
        ("find_providers", "search", ""),
        ("search", "search", "another provider"),
        ("search", "pause", "a search failed"),
        ("pause", "search", "again"),
        ("search", "analyst", ""),
        ("analyst", "analyst", "SEARCH_REQUIRED, and each question was researched"),
        ("analyst", "compare", "several sources were found"),
        ("compare", "analyst", ""),
        ("analyst", "critic", "DRAFT_READY"),
        ("critic", "analyst", "REJECT"),
    ),
    "tutor": (
        ("find_tables", "act", ""),
        ("act", "player_move", "the first look is the host's"),
        ("player_move", "act", "PROPOSE"),
        ("player_move", "player_move", "another legal move, or a refusal"),
        ("player_move", "recheck", "RESPOND, CHALLENGE"),
        ("recheck", "player_move", "it does not stand"),
        ("recheck", "judge_answer", "the answer stands"),
    ),
}
DECIDES = {"multi-pass": "assess", "research": "reflect", "report": "critic", "tutor": "judge_answer"}
"""The phase after which a run ends where nothing stops it."""


def mermaid(lines: Iterable[str]) -> str:
    """A flowchart as it stands in a page."""
    return "```mermaid\n" + "\n    ".join(["flowchart TD", *lines]) + "\n```\n"


def phases_picture(name: str) -> str:
    """An engine's phases in their order, and what its table can end with."""
    engine: Engine[Any, Any, Any] = next(one for one in shipped() if one.name.partition("/")[0] == name)
    steps = STEPS[name]
    if strange := {phase for one in steps for phase in one[:2]} - engine.phases.keys():
        raise ValueError(f"{name} has no phase {', '.join(sorted(strange))}")
    arrows = [arrow(*one) for one in steps]
    return mermaid([f"begin([task]) --> {steps[0][0]}", *arrows, *_ends(engine, DECIDES[name])])


def _ends(engine: Engine[Any, Any, Any], decides: str) -> list[str]:
    """From the phase that decides to the answer, with the rows of the table that lead there."""
    reasons = "<br/>".join(ending(rule) for rule in engine.table if rule.action == "OUTPUT")
    if engine.final is None:
        return [arrow(decides, "answer", reasons)]
    return [arrow(decides, engine.final.phase, reasons), f"{engine.final.phase} --> answer([answer])"]


def ending(rule: Rule) -> str:
    """A row as an arrow's words: its reason, and what it looks at where that is no flag of the same name."""
    if rule.relation == "holds":
        return rule.reason if rule.signal == rule.reason else f"{rule.reason}: {rule.signal}"
    relation = {">=": "≥"}.get(rule.relation, rule.relation)
    return f"{rule.reason}: {rule.signal} {relation} {' or '.join(thresholds(rule)).removeprefix('$')}"


def thresholds(rule: Rule) -> tuple[str, ...]:
    """What its signal is held against, as it stands in the row: none, a value, another signal, or each of several."""
    if rule.threshold is None:
        return ()
    return tuple(map(str, rule.threshold)) if isinstance(rule.threshold, tuple) else (str(rule.threshold),)


def arrow(one: str, other: str, when: str) -> str:
    """From one node to the other, with the words on it."""
    return f'{one} -->|"{when}"| {other}' if when else f"{one} --> {other}"


def auto_picture() -> str:
    """The rules in their order, each with the engine that it names."""
    look, profile = LookAround.phase, InferProfile.phase
    lines = [
        f"begin([task]) --> {look}",
        arrow(look, profile, "unmeasured=true"),
        f"{look} --> rules",
        f"{profile} --> rules",
    ]
    lines += [f"rules -->|{route.name}| {route.engine}" for route in ROUTES]
    return mermaid(
        [*lines, *(f"{name} --> answer([its answer])" for name in dict.fromkeys(one.engine for one in ROUTES))]
    )


def chain_picture() -> str:
    """The members that a chain has unless others are named."""
    members = ChainConfig().members
    nodes = [f"member_{place}[{name}]" for place, name in enumerate(members, 1)]
    handed = [f"{one} -->|its answer and what it cites| {other}" for one, other in pairwise(nodes)]
    return mermaid([f"begin([task]) --> {nodes[0]}", *handed, f"{nodes[-1]} --> answer([its answer])"])


def team_picture() -> str:
    """The split, the specialists and the master that a team has unless others are named."""
    split, config = Decompose.phase, TeamConfig()
    look, master = LookAround.phase, f"master[master: {config.master}]"
    lines = [f"begin([task]) --> {split}", arrow(split, look, f"2 to {config.parts} parts")]
    lines += [f"{look} -->|a rule for each part| {name}_worker[{name}]" for name in config.specialists]
    lines += [f"{name}_worker -->|answers| {master}" for name in config.specialists]
    return mermaid([*lines, f"{split} -->|no split| {master}", "master --> answer([its answer])"])
