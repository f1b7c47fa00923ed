"""The result of a graph or loop run, with its record: where it was, what it planned, saw, verified and learnt from."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.graph.builder import Visited
from aeon.engines.graph.config import PROFILES, GraphConfig, WorkConfig
from aeon.engines.graph.values import Complexity, Reflected, Verdict, Work
from aeon.schema.conclusion import Conclusion
from aeon.schema.experience import Lesson, Pattern
from aeon.schema.frozen import JsonValue
from aeon.schema.plan import Plan

__all__ = ["Worked"]


class Worked(Conclusion):
    """The result of a graph or loop run.

    ``path`` are the nodes in the order in which they were visited. ``plans`` are all plans, the last one is that of the
    answer. ``verdicts`` are the verifier's, ``reflections`` those that a failure led to. ``lessons`` are those that the
    plans were shown, each with the run that it is of, and so are ``patterns``.
    """

    complexity: Complexity = "MODERATE"
    path: tuple[Visited, ...] = ()
    plans: tuple[Plan, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    reflections: tuple[Reflected, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    patterns: tuple[Pattern, ...] = ()

    @classmethod
    def of(cls, ended: Conclusion, state: Work, path: Sequence[Visited], config: WorkConfig) -> Worked:
        """The result of a run that ended like this, in this state, on this way."""
        verbose = isinstance(config, GraphConfig) and PROFILES[config.profile].verbose
        return cls(
            **dict(ended),
            complexity=state.complexity,
            path=tuple(path),
            plans=(*state.plans, state.plan),
            verdicts=state.verdicts,
            reflections=tuple(one if verbose else _short(one) for one in state.reflections),
            lessons=state.lessons,
            patterns=state.patterns,
        )

    def parts(self) -> dict[str, JsonValue]:
        """Plans, verdicts and reflections, each under its name."""
        plans = {f"plan {n}": one.model_dump(mode="json") for n, one in enumerate(self.plans, 1)}
        verdicts = {f"verdict {n}": one.model_dump(mode="json") for n, one in enumerate(self.verdicts, 1)}
        looks = {f"reflection {n}": one.model_dump(mode="json") for n, one in enumerate(self.reflections, 1)}
        return {**plans, **verdicts, **looks}


def _short(reflected: Reflected) -> Reflected:
    """The same without what each look showed: the journal has that."""
    return reflected.changed(looks=tuple(one.changed(showed="") for one in reflected.looks))
