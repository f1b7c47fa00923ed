"""A run in figures. All of them follow from its history; nothing is counted for them while it runs."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from aeon.schema.usage import Usage
from aeon.schema.value import Value

__all__ = ["JudgmentCounts", "Statistics"]

_Count = Annotated[int, Field(ge=0)]


class JudgmentCounts(Value):
    """Profiles, checks of plans and results, and assessments: how many were made, and how many were not.

    A model ``made`` some; for those ``not_made`` nobody was asked; others ``failed``. One reply can make two of them.
    """

    made: _Count = 0
    not_made: _Count = 0
    failed: _Count = 0


class Statistics(Value):
    """How much a run did. ``usage`` is what it cost, ``lost`` what was spent beside it on what was broken off.

    ``effects`` are by phase. Of the deltas that planners proposed some were ``applied``, others ``refused``.
    ``questions`` were put, of which so many were ``assumed``. ``degraded`` counts effects whose fallback stood in.
    """

    effects: dict[str, int]
    passes: _Count = 0
    steps: _Count = 0
    usage: Usage = Usage()
    lost: Usage = Usage()
    seconds: Annotated[float, Field(ge=0)] = 0.0
    judgments: JudgmentCounts = JudgmentCounts()
    applied: _Count = 0
    refused: _Count = 0
    questions: _Count = 0
    assumed: _Count = 0
    degraded: _Count = 0
