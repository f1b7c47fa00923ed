"""The scenarios of the bench, in one table: which engine, with which settings, reviewed by which peer."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Literal

from aeon.schema import JsonObject

__all__ = ["SCENARIOS", "Peer", "Scenario", "digest", "family_of", "needs_another"]

Peer = Literal["none", "itself", "another", "family"]
"""Who reviews: nobody, the model itself, the other model, or the other one if it is of the family, else itself."""


@dataclass(frozen=True)
class Scenario:
    """How a question is answered. ``engine`` is empty for a direct call; ``settings`` are the engine's."""

    about: str
    engine: str = ""
    settings: JsonObject = field(default_factory=dict)
    peer: Peer = "none"


SCENARIOS: Mapping[str, Scenario] = {
    "S0": Scenario("direct: the question in one call, the result only"),
    "S1": Scenario("fast: no peer, shallow", "contractive", {"preset": "fast"}),
    "S2": Scenario(
        "self-consistency: eight samples and a vote, no tree",
        "contractive",
        {"preset": "fast", "samples": 8, "depth": 0},
    ),
    "S3": Scenario("light peer: a shallow tree, reviewed", "contractive", {"preset": "fast"}, "itself"),
    "S4": Scenario("diverse peer: the same, reviewed by another model", "contractive", {"preset": "fast"}, "another"),
    "S5": Scenario("strong peer: a deep tree, each node reviewed", "contractive", {"preset": "complex"}, "family"),
    "S6": Scenario(
        "safety: asks back where the task is unclear",
        "multi-pass",
        {"thorough": True, "questions": {"unattended": "suspend"}},
    ),
}
"""The scenarios by name. ``itself`` is the model of the run, which as a peer sees no sample."""


def needs_another(scenario: str) -> bool:
    """Whether a scenario cannot be without a second model."""
    return SCENARIOS[scenario].peer == "another"


def digest() -> str:
    """What tells this table from others."""
    return hashlib.sha256(json.dumps({name: astuple(one) for name, one in SCENARIOS.items()}).encode()).hexdigest()[:12]


def family_of(model: str) -> str:
    """The family of a model by its name: ``qwen`` of qwen2.5-coder-1.5b."""
    match = re.search(r"[a-z]+", model.rpartition("/")[2].casefold())
    return match[0] if match else ""
