"""How fast a model is, as it was measured: tokens per second."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import JsonValue

from aeon.llm.adapter import LLMAdapter
from aeon.llm.examinable import Examinable
from aeon.llm.local import Local
from aeon.llm.profiles import load

__all__ = ["HOSTED", "ON_TWO_CORES", "Speed", "speed_of"]


class Speed(NamedTuple):
    """Tokens per second: of prompts read, and of answers generated."""

    prompt: float
    generated: float

    def seconds(self, prompt: int, generated: int) -> float:
        """How long a call of so many tokens takes."""
        return prompt / self.prompt + generated / self.generated


HOSTED = Speed(prompt=2_000, generated=100)
"""What time limits are written for that name no endpoint."""
ON_TWO_CORES = Speed(prompt=55, generated=26)
"""The embedded model on two cores, for machines on which ``aeon doctor`` was not run."""


def speed_of(adapter: LLMAdapter) -> Speed:
    """The speed in the adapter's saved profile; without one, that of a hosted model, or of the embedded one."""
    usual = ON_TWO_CORES if isinstance(adapter, Local) else HOSTED
    profile = load(adapter.place, adapter.name) if isinstance(adapter, Examinable) else None
    measured = profile.findings.get("speed") if profile is not None else None
    if not isinstance(measured, dict):
        return usual
    return Speed(_number(measured.get("prompt")) or usual.prompt, _number(measured.get("generated")) or usual.generated)


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and value > 0 else None
