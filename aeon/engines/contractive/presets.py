"""The numbers of each preset, in one table."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aeon.schema.frozen import Written

__all__ = ["PRESETS", "Limits", "PresetName"]

PresetName = Literal["factual", "complex", "math", "exploration", "fast", "deep"]


class Limits(Written):
    """All numbers of a tree.

    ``samples`` answers of at most ``sample_tokens`` are drawn at a node, at this ``temperature``, with ``steps`` worked
    in lines first. From the uncertainty (0-1) ``decompose`` on a node is split, and once split it is settled at
    ``collapse`` or below; a split that lowers it by less than ``gain`` is the last one. A sub-question of a lower
    ``relevance`` (0-1) is pruned. A node is split again, with another prompt, at most ``rebranches`` times. The tree is
    at most ``depth`` levels below its root, a split has at most ``children``, all splits are at most ``loops``, and
    ``parallel`` branches are worked on at once. ``tokens`` are for the whole run, ``branch_tokens`` for one branch.
    """

    depth: int = Field(ge=0, le=8)
    children: int = Field(ge=1, le=20)
    loops: int = Field(ge=0, le=100)
    samples: int = Field(ge=2, le=8)
    temperature: float = Field(gt=0, le=2)
    decompose: float = Field(ge=0, le=1)
    collapse: float = Field(ge=0, le=1)
    gain: float = Field(ge=0, le=1)
    relevance: float = Field(ge=0, le=1)
    rebranches: int = Field(ge=0, le=2)
    parallel: int = Field(ge=1, le=4)
    tokens: int = Field(ge=1_000)
    branch_tokens: int = Field(ge=500)
    sample_tokens: int = Field(ge=8, le=1_024)
    steps: bool


def _limits(*numbers: float, steps: bool) -> Limits:
    names = (
        "depth", "children", "loops", "samples", "temperature", "decompose", "collapse", "gain", "relevance",
        "rebranches", "parallel", "tokens", "branch_tokens", "sample_tokens",
    )  # fmt: skip
    return Limits.model_validate({**dict(zip(names, numbers, strict=True)), "steps": steps})


PRESETS: dict[PresetName, Limits] = {
    #                 depth   loops  temperature collapse relevance parallel branch  sample tokens
    #                    children samples  decompose  gain   rebranches  tokens  tokens
    "factual":     _limits(1, 2, 1,  5, 0.7, 0.75, 0.65, 0.05, 0.15, 0, 4, 16_000,  8_000,  24, steps=False),
    "complex":     _limits(4, 3, 10, 4, 0.7, 0.50, 0.40, 0.05, 0.15, 2, 4, 64_000, 16_000, 240, steps=True),
    "math":        _limits(4, 3, 10, 6, 0.7, 0.40, 0.30, 0.05, 0.15, 2, 4, 64_000, 16_000, 320, steps=True),
    "exploration": _limits(5, 4, 12, 4, 0.9, 0.25, 0.15, 0.05, 0.15, 2, 4, 64_000, 16_000,  80, steps=False),
    "fast":        _limits(1, 2, 1,  3, 0.7, 0.60, 0.55, 0.05, 0.15, 0, 4, 16_000,  8_000, 160, steps=True),
    "deep":        _limits(5, 4, 20, 8, 0.7, 0.50, 0.40, 0.05, 0.15, 2, 4, 64_000, 16_000, 320, steps=True),
}  # fmt: skip
"""What each preset sets. ``complex`` is the default."""
