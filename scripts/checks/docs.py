"""Parts of the docs that are made from the code, and whether they are in step with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import get_args

from aeon.assembly.plugin import AnyPlugin
from aeon.assembly.registry import installed
from aeon.assembly.roles import fitted, phase_roles
from aeon.bench.problems import FAMILIES, problems
from aeon.bench.scenarios import SCENARIOS
from aeon.engines.auto.routes import ROUTES
from aeon.engines.contractive.branch import BRANCH
from aeon.engines.contractive.presets import PRESETS, Limits
from aeon.engines.contractive.program import CONTRACTIVE
from aeon.engines.contractive.rules import BRANCH_TABLE
from aeon.engines.contractive.rules import TABLE as CONTRACTIVE_TABLE
from aeon.engines.ensemble.effects import CompareAnswers
from aeon.engines.ensemble.rules import TABLE as ENSEMBLE_TABLE
from aeon.engines.graph.config import PROFILES, REFLECTIONS
from aeon.engines.graph.program import SHIPPED as GRAPH
from aeon.engines.graph.rules import TABLE as GRAPH_TABLE
from aeon.engines.loop.program import SHIPPED as LOOP
from aeon.engines.report.rules import TABLE as REPORT_TABLE
from aeon.engines.research.rules import TABLE as RESEARCH_TABLE
from aeon.engines.tutor.rules import TABLE as TUTOR_TABLE
from aeon.kernel.decide import Rule, table
from aeon.kernel.table import TABLE
from aeon.llm.nobody import Nobody
from aeon.schema import JsonObject
from aeon.schema.config import ModelTier
from aeon.simulation.faults import KINDS
from aeon.simulation.promises import (
    AUTO_INVARIANTS,
    CHAIN_INVARIANTS,
    CONTRACTIVE_INVARIANTS,
    ENSEMBLE_INVARIANTS,
    GRAPH_INVARIANTS,
    INVARIANTS,
    MULTIPASS_INVARIANTS,
    REPORT_INVARIANTS,
    RESEARCH_INVARIANTS,
    TEAM_INVARIANTS,
    TUTOR_INVARIANTS,
)
from scripts.checks.pictures import (
    STEPS,
    arrow,
    auto_picture,
    chain_picture,
    ending,
    mermaid,
    phases_picture,
    team_picture,
    thresholds,
)

__all__ = ["PAGES", "differences"]

END = "<!-- end -->"


def differences(root: Path) -> list[str]:
    """The tables in the docs that are made from the code are the ones that the code has."""
    pages = {page: (root / page).read_text() for page, _ in TABLES}
    stale = [page for page, text in pages.items() if text != _written(page, text)]
    return [f"{page}: a table differs from the code; run scripts/docs" for page in stale]


def _written(page: str, text: str) -> str:
    """The page with its tables as the code has them."""
    for (of_page, name), made in TABLES.items():
        begin = f"<!-- {name} -->\n"
        if of_page == page:
            head, _, rest = text.partition(begin)
            text = head + begin + made() + END + rest.partition(END)[2]
    return text


def _rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    first, *others = ("| " + " | ".join(cells) + " |\n" for cells in (head, *rows))
    return first + "|" + "---|" * len(head) + "\n" + "".join(others)


def _decisions() -> str:
    return _table(TABLE)


def _contractive() -> str:
    return _table(CONTRACTIVE_TABLE)


def _contractive_picture() -> str:
    """One node of a tree: its effects in their order, and each row of its table that leads out."""
    *phases, last = (effect.phase for effect in BRANCH.effects)
    arrows = [f"{one} --> {other}" for one, other in pairwise([*phases, "children", phases[0]])]
    arrows[1] = arrows[1].replace("-->", "-->|continue|")
    out = [arrow(phases[1], last, ending(rule)) for rule in BRANCH_TABLE if rule.action == "OUTPUT"]
    lines = [*arrows, *out, f"{last} -->|of the root| {CONTRACTIVE.effects[0].phase}"]
    return mermaid(lines)


def _presets() -> str:
    """A column for each preset, a row for each of its numbers."""
    names = [*PRESETS]
    rows = ((f"`{number}`", *(f"{getattr(PRESETS[name], number)}" for name in names)) for number in Limits.model_fields)
    return _rows(("", *(f"`{name}`" for name in names)), rows)


def _ensemble_picture() -> str:
    """The rounds of a vote: members, the comparison, and each row of the table that ends it."""
    compare = CompareAnswers.phase
    ends = [arrow(compare, _end(rule), ending(rule)) for rule in ENSEMBLE_TABLE if rule.action == "OUTPUT"]
    lines = ["begin([task]) -->|as many as can make a majority| members", f"members --> {compare}"]
    lines += [f"{compare} -->|continue: one more| members", *ends]
    return mermaid(lines)


def _end(rule: Rule) -> str:
    """The answer of a member, or all answers."""
    return "taken([answer of a member])" if rule.reason in ("agreed", "doubted") else "shown([all answers])"


def _ensemble() -> str:
    return _table(ENSEMBLE_TABLE)


def _routes() -> str:
    rows = ((f"`{one.name}`", one.when, f"`{one.engine}`", one.basis, one.reason) for one in ROUTES)
    return _rows(("rule", "holds if", "engine", "rests on", "reason"), rows)


def _ensemble_invariants() -> str:
    return _rows(("invariant", "what must hold"), ENSEMBLE_INVARIANTS.items())


def _auto_invariants() -> str:
    return _rows(("invariant", "what must hold"), AUTO_INVARIANTS.items())


def _chain_invariants() -> str:
    return _rows(("invariant", "what must hold"), CHAIN_INVARIANTS.items())


def _team_invariants() -> str:
    return _rows(("invariant", "what must hold"), TEAM_INVARIANTS.items())


def _report() -> str:
    return _table(REPORT_TABLE)


def _research() -> str:
    return _table(RESEARCH_TABLE)


def _tutor() -> str:
    return _table(TUTOR_TABLE)


def _table(rules: Sequence[Rule]) -> str:
    """The rows of an engine and of the machine: what each looks at, what it does, and when that is, in words."""
    rows = [
        (f"`{rule.reason}`", rule.action, f"`{rule.signal}`", rule.relation, _codes(thresholds(rule)), rule.when)
        for rule in table(rules)
    ]
    return _rows(("row", "action", "signal", "relation", "threshold", "when"), rows)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _faults() -> str:
    return _rows(("fault", "what happens"), ((f"`{kind}`", what) for kind, what in KINDS.items()))


def _invariants() -> str:
    return _rows(("invariant", "what must hold"), INVARIANTS.items())


def _contractive_invariants() -> str:
    return _rows(("invariant", "what must hold"), CONTRACTIVE_INVARIANTS.items())


def _research_invariants() -> str:
    return _rows(("invariant", "what must hold"), RESEARCH_INVARIANTS.items())


def _report_invariants() -> str:
    return _rows(("invariant", "what must hold"), REPORT_INVARIANTS.items())


def _tutor_invariants() -> str:
    return _rows(("invariant", "what must hold"), TUTOR_INVARIANTS.items())


def _multipass_invariants() -> str:
    return _rows(("invariant", "what must hold"), MULTIPASS_INVARIANTS.items())


def _graph_invariants() -> str:
    return _rows(("invariant", "what must hold"), GRAPH_INVARIANTS.items())


def _graph_table() -> str:
    return _table(GRAPH_TABLE)


def _graph_picture() -> str:
    return f"```mermaid\n{GRAPH.mermaid()}```\n"


def _loop_picture() -> str:
    return f"```mermaid\n{LOOP.mermaid()}```\n"


def _profiles() -> str:
    rows = ((f"`{name}`", str(one.max_reflections), _yes(one.verbose)) for name, one in PROFILES.items())
    return _rows(("profile", "reflections at most", "keeps what looks showed"), rows)


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _complexities() -> str:
    rows = ((f"`{name}`", str(most)) for name, most in REFLECTIONS.items())
    return _rows(("complexity", "reflections at most"), rows)


def _shipped() -> list[AnyPlugin]:
    return [one.plugin for one in installed() if one.plugin is not None and one.source == "aeon-orchestrator"]


def _phase_roles() -> str:
    """A row for each engine and role that it has, with the phases that ask it."""
    rows = []
    for brought in _shipped():
        by_role: dict[str, list[str]] = {}
        for phase, roles in phase_roles(brought).items():
            for role in roles:
                by_role.setdefault(role, []).append(f"`{phase}`")
        rows += [(f"`{brought.name}`", role, ", ".join(phases)) for role, phases in sorted(by_role.items())]
    return _rows(("engine", "role", "phases"), rows)


def _bound(name: str) -> str:
    """What an engine's runs can spend at most, under its default settings."""
    calls = next(_calls(one, one.engine.config().model_tier) for one in _shipped() if one.name == name)
    yours = f"`aeon run --engine {name} --bound` states yours, and what like runs took"
    return f"At most {calls} model calls under the default settings. {yours}.\n"


def _tiers() -> str:
    """The most model calls of each engine at each tier, under its default settings."""
    tiers: tuple[ModelTier, ...] = get_args(ModelTier)
    return _rows(("engine", *tiers), ((f"`{one.name}`", *(_calls(one, tier) for tier in tiers)) for one in _shipped()))


def _calls(brought: AnyPlugin, tier: ModelTier) -> str:
    if tier not in brought.tiers:
        return "-"
    config = fitted(brought, brought.engine.config().changed(model_tier=tier), Nobody())
    return f"{brought.engine.bound(config).calls:,}"


_PEERS = {
    "none": "", "itself": "the model itself", "another": "`--peer`", "family": "`--peer` of the family, else itself",
}  # fmt: skip


def _scenarios() -> str:
    rows = (
        (f"`{name}`", one.about, one.engine or "-", _settings(one.settings), _PEERS[one.peer])
        for name, one in SCENARIOS.items()
    )
    return _rows(("scenario", "what it is", "engine", "settings", "peer"), rows)


def _settings(settings: JsonObject) -> str:
    return ", ".join(f"`{name}={json.dumps(value).strip(chr(34))}`" for name, value in settings.items())


def _families() -> str:
    """Each family with its first question, of seed 1."""
    first = {one.family: one.question for one in problems([*FAMILIES], 1, 1)}
    rows = ((f"`{name}`", one.about, first[name].text, first[name].expected) for name, one in FAMILIES.items())
    return _rows(("family", "what it asks", "its first question", "answer"), rows)


PAGES = {
    "multi-pass": "docs/multi-pass.md",
    "research": "docs/research.md",
    "report": "docs/report.md",
    "graph": "docs/graph.md",
    "loop": "docs/loop.md",
    "contractive": "docs/contractive.md",
    "tutor": "docs/tutor.md",
    "ensemble": "docs/ensemble.md",
    "auto": "docs/ensemble.md",
    "chain": "docs/ensemble.md",
    "team": "docs/ensemble.md",
}
"""The page of each engine that ships: it has the engine's picture and its bound."""

TABLES: dict[tuple[str, str], Callable[[], str]] = {
    **{(page, f"{name} bound"): partial(_bound, name) for name, page in PAGES.items()},
    **{(PAGES[name], f"{name} picture"): partial(phases_picture, name) for name in STEPS},
    ("docs/ensemble.md", "auto picture"): auto_picture,
    ("docs/ensemble.md", "chain picture"): chain_picture,
    ("docs/ensemble.md", "team picture"): team_picture,
    ("docs/benchmarks.md", "scenarios"): _scenarios,
    ("docs/benchmarks.md", "families"): _families,
    ("docs/contractive.md", "contractive picture"): _contractive_picture,
    ("docs/contractive.md", "contractive table"): _contractive,
    ("docs/contractive.md", "presets"): _presets,
    ("docs/simulation.md", "contractive invariants"): _contractive_invariants,
    ("docs/ensemble.md", "ensemble picture"): _ensemble_picture,
    ("docs/ensemble.md", "ensemble table"): _ensemble,
    ("docs/ensemble.md", "routes"): _routes,
    ("docs/simulation.md", "auto invariants"): _auto_invariants,
    ("docs/simulation.md", "chain invariants"): _chain_invariants,
    ("docs/simulation.md", "ensemble invariants"): _ensemble_invariants,
    ("docs/simulation.md", "team invariants"): _team_invariants,
    ("docs/graph.md", "complexities"): _complexities,
    ("docs/graph.md", "graph picture"): _graph_picture,
    ("docs/graph.md", "graph table"): _graph_table,
    ("docs/graph.md", "profiles"): _profiles,
    ("docs/loop.md", "loop picture"): _loop_picture,
    ("docs/outer-loop.md", "decision table"): _decisions,
    ("docs/report.md", "report table"): _report,
    ("docs/roles.md", "bounds of tiers"): _tiers,
    ("docs/roles.md", "roles of phases"): _phase_roles,
    ("docs/research.md", "research table"): _research,
    ("docs/tutor.md", "tutor table"): _tutor,
    ("docs/simulation.md", "faults"): _faults,
    ("docs/simulation.md", "graph invariants"): _graph_invariants,
    ("docs/simulation.md", "invariants"): _invariants,
    ("docs/simulation.md", "multi-pass invariants"): _multipass_invariants,
    ("docs/simulation.md", "report invariants"): _report_invariants,
    ("docs/simulation.md", "research invariants"): _research_invariants,
    ("docs/simulation.md", "tutor invariants"): _tutor_invariants,
}


def main() -> int:
    """Write the tables into their pages."""
    for page in {page: None for page, _ in TABLES}:
        path = Path.cwd() / page
        path.write_text(_written(page, path.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
