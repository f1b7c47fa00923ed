"""Every setting of the router."""

from __future__ import annotations

from pydantic import Field

from aeon.engines.auto.routes import routes
from aeon.engines.ensemble.members import CombiningSettings
from aeon.schema.config import Caps

__all__ = ["AutoCaps", "AutoConfig"]


class AutoCaps(Caps):
    """Model calls that one effect of each phase may make, repairs and retries included."""

    look_around: int = Field(default=0, ge=0)
    profile: int = Field(default=6, ge=0)


class AutoConfig(CombiningSettings):
    """The configuration of the router. With ``unmeasured``, rules count too whose gain was not measured.

    Some of these ask for the profile of the task, which takes a model call.
    """

    unmeasured: bool = Field(default=False, description="also follow rules whose gain was not measured")
    caps: AutoCaps = AutoCaps()

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that a rule can name, each once. Their places, from 1 on, are the scopes of their runs."""
        return tuple(dict.fromkeys(route.engine for route in routes(self.unmeasured)))
