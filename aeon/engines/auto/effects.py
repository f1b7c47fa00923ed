"""What the router asks for before it chooses."""

from __future__ import annotations

from aeon.engines.auto.values import Surroundings
from aeon.schema.effects import EffectOf

__all__ = ["LookAround"]


class LookAround(EffectOf[Surroundings]):
    """What is there to answer the task with?"""

    phase = "look_around"
