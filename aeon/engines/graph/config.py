"""Every setting of a graph run, and those that it shares with a loop run."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from aeon.engines.graph.values import Complexity
from aeon.schema.config import Caps, Settings

__all__ = ["PROFILES", "REFLECTIONS", "GraphCaps", "GraphConfig", "Profile", "ProfileName", "WorkCaps", "WorkConfig"]

ProfileName = Literal["standard", "developer", "production"]
REFLECTIONS: dict[Complexity, int] = {"BYPASS": 0, "SIMPLE": 0, "MODERATE": 1, "COMPLEX": 3}
"""Reflections that a task of this complexity gets at most."""


class Profile(NamedTuple):
    """What a profile sets: reflections at most, and whether the result keeps what each look showed."""

    max_reflections: int
    verbose: bool


PROFILES: dict[ProfileName, Profile] = {
    "standard": Profile(max_reflections=3, verbose=False),
    "developer": Profile(max_reflections=2, verbose=True),
    "production": Profile(max_reflections=1, verbose=False),
}
"""The profiles of a graph run."""


class WorkCaps(Caps):
    """Model calls that one effect of each phase may make, repairs and retries included."""

    classify: int = Field(default=7, ge=0)
    recall: int = Field(default=0, ge=0)
    plan: int = Field(default=7, ge=0)
    execute: int = Field(default=20, ge=0)
    validate_results: int = Field(default=8, ge=0)
    verify: int = Field(default=2, ge=0)
    synthesize: int = Field(default=3, ge=0)
    note_lesson: int = Field(default=0, ge=0)


class GraphCaps(WorkCaps):
    """The caps of a graph run, which reflects too."""

    choose_look: int = Field(default=2, ge=0)
    look: int = Field(default=0, ge=0)
    reflect: int = Field(default=2, ge=0)


class WorkConfig(Settings):
    """What the configurations of a graph and of a loop run have in common.

    ``verifier`` says who checks the results beside the host: ``measured``, the judgments that were measured on the
    model; ``model``, also the model in the role of a verifier, measured or not. ``experience`` is the file of lessons,
    "" for none; a run with a ``project`` sees the lessons of this project and those of none, and learns for it.
    """

    plan_retries: int = Field(default=2, ge=0, le=20, description="new plans after the first one failed")
    step_seconds: float = Field(default=60.0, gt=0, description="for one step; a tool under way is not cut off")
    plan_steps: int = Field(default=8, ge=1, le=50, description="in a plan")
    total_steps: int = Field(default=24, ge=1, le=200, description="executed over a whole run")
    bypass_threshold: float = Field(default=0.9, ge=0, le=1, description="probability that no tool is needed")
    derivations: int = Field(
        default=3, ge=1, description="in the program form: ways to the answer of a step that are tried at most"
    )
    verifier: Literal["measured", "model"] = "measured"
    experience: str = Field(default="", description="file of lessons; without one, nothing is learnt")
    project: str = Field(default="", max_length=200)
    similarity: float = Field(default=0.7, ge=0, le=1, description="of a lesson's task to this one, at least")
    lessons: int = Field(default=5, ge=1, le=20, description="shown to the planner, at most")
    lesson_days: int = Field(default=180, ge=1, description="after so many days a lesson is dropped")
    caps: WorkCaps = WorkCaps()


class GraphConfig(WorkConfig):
    """The configuration of a graph run; ``max_reflections`` stands before the profile's."""

    profile: ProfileName = "standard"
    max_reflections: int | None = Field(default=None, ge=0, le=20)
    looks: int = Field(default=5, ge=0, le=20, description="of one reflection, at most")
    look_seconds: float = Field(default=30.0, gt=0, description="for one look, which is broken off then")
    caps: GraphCaps = GraphCaps()

    @property
    def reflections(self) -> int:
        """The most reflections of a run."""
        return PROFILES[self.profile].max_reflections if self.max_reflections is None else self.max_reflections
