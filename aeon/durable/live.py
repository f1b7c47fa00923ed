"""A run that a worker has: how it is stopped, and what is said of its end."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.durable.values import LifeEnd
from aeon.errors import AeonError, Divergence
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectStarted, Event, RunStarted
from aeon.schema import Conclusion

__all__ = ["Live", "end_of", "reason"]


@dataclass(eq=False)
class Live:
    """A run that this worker has. Asked to stop, it is interrupted once, and asked to stop ``now`` once more.

    The first ends it at its next boundary with an answer of what there is; the second breaks off that, too.
    """

    driver: AsyncDriver | None = None
    stopping: bool = False
    now: bool = False

    def __call__(self, event: Event, /) -> None:
        """Stop what begins, if that was asked for before."""
        if (isinstance(event, RunStarted) and self.stopping) or (isinstance(event, EffectStarted) and self.now):
            self._interrupt()

    def stop(self, now: bool = False) -> None:
        """Ask it to stop at its next boundary, or, if it has not begun, when it begins."""
        if not self.stopping or (now and not self.now):
            self._interrupt()
        self.stopping, self.now = True, self.now or now

    def _interrupt(self) -> None:
        if self.driver is not None:
            self.driver.interrupt()


def end_of(result: Conclusion) -> LifeEnd:
    """How a life ended, as lists show it; the journal has the rest."""
    waits = result.stop_reason == "waiting" and result.question is not None
    broken = result.stop_reason == "failed"
    return LifeEnd(
        state="waiting" if waits else "failed" if broken else "ended",
        stop_reason=result.stop_reason,
        sufficient=result.sufficient,
        detail=result.detail,
        answer=result.answer,
        question=result.question if waits else None,
        usage=result.usage,
        conclusion=Conclusion.model_validate(result.model_dump(mode="json", include=set(Conclusion.model_fields))),
    )


def reason(error: AeonError) -> str:
    """Why a run could not be continued, for whoever reads the list."""
    if isinstance(error, Divergence):
        return f"this version of its engine would continue it otherwise, so that nothing was done: {error}"
    return str(error)
