"""Steps a contractive run by hand: each effect is answered by a function, without loop, clock or model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.program import CONTRACTIVE
from aeon.engines.contractive.record import Contractive
from aeon.engines.contractive.values import Classes, Collapsed, Part, Parts, Reviewed, Samples
from aeon.schema import Failure, Outcome, Task, Usage, Value
from aeon.schema.effects import Batch, Effect

__all__ = ["World", "classes", "parts", "samples"]

Said: TypeAlias = Value | Failure | Callable[[Any], Value | Failure]


def samples(*answers: str, unusable: int = 0) -> Samples:
    """These answers."""
    return Samples(answers=answers, unusable=unusable)


def parts(*questions: str, relevance: float | None = 0.9) -> Parts:
    """These sub-questions."""
    return Parts(parts=tuple(Part(question=one, relevance=relevance) for one in questions))


def classes(effect: Any) -> Classes:
    """Classes by equal words."""
    known = list(effect.known)
    places = []
    for answer in effect.answers:
        known += [] if answer in known else [answer]
        places.append(known.index(answer))
    return Classes(places=tuple(places))


def _collapsed(effect: Any) -> Collapsed:
    best = effect.best
    return Collapsed(text=f"It is {best.answer}.", short=best.answer) if best else Collapsed(text="?")


class World:
    """Answers each effect by its phase, or by phase and place, and keeps it. Each costs ``tokens`` and one call."""

    def __init__(self, replies: Mapping[str, Said], tokens: int = 100, **settings: Any) -> None:
        usual: dict[str, Said] = {"classify": classes, "collapse": _collapsed, "decompose": Parts()}
        self.replies = {**usual, "review": Reviewed(), **replies}
        self.tokens = tokens
        self.config = ContractiveConfig.model_validate(settings)
        self.effects: list[Any] = []
        self.batches: list[int] = []
        self.of: defaultdict[str, list[Any]] = defaultdict(list)

    def run(self, task: Task | str = "How much is it?") -> Contractive:
        """The result of a run."""
        whole = task if isinstance(task, Task) else Task(text=task)
        program = CONTRACTIVE.program(CONTRACTIVE.start(whole, self.config, "run"))
        outcomes: tuple[Outcome, ...] | None = None
        while True:
            try:
                request = next(program) if outcomes is None else program.send(outcomes)
            except StopIteration as end:
                result: Contractive = end.value
                return result
            assert isinstance(request, Batch)
            self.batches.append(len(request.effects))
            outcomes = tuple(map(self._outcome, request.effects))

    def _outcome(self, effect: Effect) -> Outcome:
        self.effects.append(effect)
        self.of[effect.phase].append(effect)
        place = getattr(effect, "place", "")
        said = self.replies.get(f"{effect.phase} {place}", self.replies[effect.phase])
        value = said if isinstance(said, Value) else said(effect)  # a failure is a value, too
        usage = Usage(calls=1, prompt_tokens=self.tokens)
        if isinstance(value, Failure):
            return Outcome(failure=value, usage=usage, ended=1.0)
        return Outcome(value=value, usage=usage, ended=1.0)
