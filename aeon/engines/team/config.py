"""Every setting of a team."""

from __future__ import annotations

from pydantic import Field, field_validator

from aeon.engines.auto.routes import routes
from aeon.engines.ensemble.members import CombiningSettings, single
from aeon.schema.config import Caps

__all__ = ["TeamCaps", "TeamConfig"]


class TeamCaps(Caps):
    """Model calls that one effect of each phase may make, repairs and retries included."""

    decompose: int = Field(default=5, ge=0)
    look_around: int = Field(default=0, ge=0)


class TeamConfig(CombiningSettings):
    """The configuration of a team.

    The task is split into at most so many ``parts``. Each goes to the specialist that the rules of the router name for
    it, or to the ``worker`` where one is named; the ``master`` answers the task with what they say.
    """

    master: str = Field(default="multi-pass", min_length=1, description="the engine that answers the task")
    worker: str = Field(default="", description="one engine for all parts; without one, a specialist for each")
    parts: int = Field(default=3, ge=2, le=6, description="of a task, at most")
    relevance: float = Field(default=0.15, ge=0, le=1, description="of a part to the task, at least")
    caps: TeamCaps = TeamCaps()

    @field_validator("master", "worker")
    @classmethod
    def _answers_itself(cls, name: str) -> str:
        single([name])
        return name

    def setting_of(self, name: str) -> str:
        """The setting that names this engine; a specialist is one in the place of a worker."""
        return "master" if name == self.master else "worker"

    @property
    def specialists(self) -> tuple[str, ...]:
        """The engines that a part can go to."""
        return (self.worker,) if self.worker else tuple(dict.fromkeys(route.engine for route in routes(False)))

    @property
    def engines(self) -> tuple[str, ...]:
        """All engines of the team, each once."""
        return tuple(dict.fromkeys((self.master, *self.specialists)))
