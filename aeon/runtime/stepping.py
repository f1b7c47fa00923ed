"""Stepping a program, whoever answers it: what it may yield, and how it must end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from aeon.errors import AeonError, EngineError
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine, Halt
from aeon.runtime.basis import Basis
from aeon.runtime.remainder import Remainder
from aeon.schema import Conclusion, Outcome, Settings, Task
from aeon.schema.effects import AskUser, Batch, Effect, Note

__all__ = ["Stepper"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)
_MOST_NOTES = 10_000  # in a row, without an effect between them


class Stepper(Generic[C, S, R]):
    """One run's program, held to the rules of programs; ``issued`` counts the effects of the batches so far.

    However a program counts, none of its batches may spend more than is left of the run's bound, the ``remainder``.
    When `batch` gives ``None`` the program has ended, and `held` gives its result.

    Raises:
        EngineError: the program cannot be begun.
    """

    __slots__ = (
        "_basis", "_began", "_engine", "_kinds", "_last", "_most", "_note", "_program", "_result", "issued",
        "remainder",
    )  # fmt: skip

    def __init__(
        self,
        engine: Engine[C, S, R],
        task: Task,
        config: C,
        execution_id: str,
        note: Callable[[Note], None] = lambda note: None,
    ) -> None:
        self._engine = engine
        self._kinds = frozenset((AskUser, *engine.effects, *engine.nested))
        self._most = config.effects
        self._note = note
        self._basis = Basis(task)
        self._last: tuple[Effect, ...] = ()
        self._began = False
        self.issued = 0
        self._result: R | None = None
        try:
            self.remainder = Remainder(engine, config)
            self._program = engine.program(engine.start(task, config, execution_id))
        except Exception as error:
            raise self._raised(error) from error

    def batch(self, outcomes: tuple[Outcome, ...] = ()) -> tuple[Effect, ...] | None:
        """What the program asks for after these outcomes of its last batch; ``None``: it has ended.

        Raises:
            EngineError: it yields, raises or returns what no program may, or it never ends.
        """
        self.remainder.charge(outcomes)
        self._basis.add(self.issued - len(self._last), self._last, outcomes)
        request = self._sent(outcomes)
        notes = 0
        while isinstance(request, Note):
            notes += 1
            if notes > _MOST_NOTES:
                raise self._error(f"never ends: {_MOST_NOTES:,} notes in a row")
            self._note(request)
            request = self._sent(())
        if request is None:
            return None
        if not isinstance(request, Batch) or not isinstance(request.effects, tuple) or not request.effects:
            raise self._error(f"yielded {_shown(request)}, where only a batch of effects or a note may be yielded")
        self._check(request.effects)
        self.issued += len(request.effects)
        self._last = request.effects
        return request.effects

    def _sent(self, outcomes: tuple[Outcome, ...]) -> object:
        """What the program yields next; ``None``, and the result is there, if it ends."""
        try:
            if self._began:
                return self._program.send(outcomes)
            self._began = True
            return next(self._program)
        except StopIteration as end:
            self._result = self._ended(end.value)
            return None
        except Exception as error:
            raise self._raised(error) from error

    def _raised(self, error: Exception) -> AeonError:
        """What the program raised, in one line."""
        if isinstance(error, AeonError):
            return error
        if isinstance(error, Halt):
            return self._error(f"let a Halt through, and must end in an answer ({error.decision.reason})")
        text = " ".join(str(error).split())
        return self._error(f"raised {type(error).__name__}{': ' if text else ''}{text}")

    def _check(self, effects: tuple[Effect, ...]) -> None:
        if self.issued + len(effects) > self._most:
            raise self._error(f"never ends: it asked for more than {self._most:,} effects")
        for place, effect in enumerate(effects):
            if not isinstance(effect, Effect) or type(effect) not in self._kinds:
                raise self._error(f"asked for {_shown(effect)}, which is none of its effects")
            if effect.after and any(not 0 <= at < place for at in effect.after):
                raise self._error(f"asked for '{effect.phase}' after an effect that does not come before it")
        if limit := self.remainder.exceeded(effects):
            raise self._error(f"asked for more {limit} than are left of its bound")

    def held(self) -> R:
        """The result with its answer held against what is on record; of a long answer that takes seconds.

        Raises:
            EngineError: the program has not ended.
        """
        if self._result is None:
            raise self._error("has not ended")
        return self._basis.held(self._result)

    def _ended(self, value: object) -> R:
        if not isinstance(value, self._engine.result) or not value.answer.strip():
            raise self._error(f"ended with {_shown(value)}, not with an answer in a {self._engine.result.__name__}")
        return value

    def _error(self, what: str) -> EngineError:
        return EngineError(f"engine '{self._engine.name}': its program {what}, after {self.issued} effects")


def _shown(value: object) -> str:
    if isinstance(value, Conclusion):
        return f"an empty {type(value).__name__}" if not value.answer.strip() else f"a {type(value).__name__}"
    return f"nothing ({value!r})" if value is None else f"a {type(value).__name__}"
