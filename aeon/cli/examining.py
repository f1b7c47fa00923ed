"""What the steps of ``aeon doctor`` share: what they show while they examine, and the profile that they add to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TextIO

from aeon.doctor.checkup import examine, profile_of
from aeon.llm.adapter import LLMAdapter
from aeon.llm.examinable import Examinable
from aeon.llm.profiles import Profile, agrees, load, save

__all__ = ["ExaminableModel", "latest", "profile_for", "stage_on"]


class ExaminableModel(LLMAdapter, Examinable, Protocol):
    """A model whose endpoint can be examined."""


def stage_on(stream: TextIO) -> Callable[[str], None]:
    """Shows on a terminal what is examined now; an empty name takes the line away."""

    def stage(name: str) -> None:
        if stream.isatty():
            said = f"examining {name} …" if name else ""
            print(f"\r\x1b[K{said}", end="", file=stream, flush=True)

    return stage


async def profile_for(model: Examinable, stage: Callable[[str], None]) -> Profile:
    """The profile of the endpoint, if it still holds; else that of a quick examination, saved for later."""
    known = load(model.place, model.name)
    if known is not None and agrees(known.model, known.told, await model.told()):
        return known
    fresh = profile_of(await examine(model, stage, quick=True))
    save(fresh)
    return fresh


def latest(profile: Profile) -> Profile:
    """The profile as it is saved by now: another step may have added to it meanwhile."""
    saved = load(profile.endpoint, profile.model)
    return saved if saved is not None and saved.measured_at == profile.measured_at else profile
