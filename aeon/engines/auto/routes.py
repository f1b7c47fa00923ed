"""The rules of the router, in their order, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from aeon.engines.auto.values import Surroundings
from aeon.schema.judgment import TaskProfile

__all__ = ["ROUTES", "Basis", "Route", "first", "routes"]

Basis = Literal["figures", "only one that can", "not measured", "default"]
"""What a rule rests on: figures of this project; that no other engine can do it; nothing yet; or it is the default."""
_DEFAULT = "multi-pass"
_DEEP = 4


class Route(NamedTuple):
    """A rule: where it ``holds``, the task goes to the ``engine``; ``when`` says so in words.

    ``reason`` is why, with its figures, and ``basis`` what that is worth.
    """

    name: str
    when: str
    holds: Callable[[Surroundings, TaskProfile], bool]
    engine: str
    basis: Basis
    reason: str


ROUTES: tuple[Route, ...] = (
    Route(
        "tables",
        "there are tables",
        lambda there, profile: there.tables > 0,
        _DEFAULT,
        "figures",
        "6 of 6 questions over tables right, the model alone 0, a program over queries 4",
    ),
    Route(
        "survey",
        "the profile calls the answer broad, and there is something to search",
        lambda there, profile: profile.inferred and profile.output_breadth == "broad" and not there.bare,
        "report",
        "not measured",
        "a report has several questions researched, and a critic",
    ),
    Route(
        "search",
        "there are search providers, and no texts at hand",
        lambda there, profile: bool(there.searches) and not there.texts,
        "research",
        "only one that can",
        "the default engine has no way to search there",
    ),
    Route(
        "texts",
        "there are texts",
        lambda there, profile: there.texts,
        _DEFAULT,
        "figures",
        "one fact of a text 5 of 6 right, in other words 6, two facts 3, absent ones refused 5; "
        "a program over lookups 3, 0, 1, 4",
    ),
    Route(
        "numbers",
        "the task says two numbers or more",
        lambda there, profile: there.numbers > 1,
        _DEFAULT,
        "figures",
        "5 of 6 word problems right, a program alone 3",
    ),
    Route(
        "puzzle",
        "the profile calls the task deep, and there is nothing but the task",
        lambda there, profile: profile.inferred and profile.reasoning_depth >= _DEEP and there.bare,
        "contractive",
        "not measured",
        "it splits what its samples disagree on",
    ),
    Route(
        "default",
        "always",
        lambda there, profile: True,
        _DEFAULT,
        "default",
        "nothing is known of such tasks that speaks for another engine",
    ),
)
"""The first that holds is taken. Those that are not measured count only where the configuration says so."""


def routes(unmeasured: bool) -> tuple[Route, ...]:
    """The rules that count."""
    return tuple(route for route in ROUTES if unmeasured or route.basis != "not measured")


def first(there: Surroundings, profile: TaskProfile, unmeasured: bool) -> Route:
    """The first rule that holds; the last one always does."""
    return next(route for route in routes(unmeasured) if route.holds(there, profile))
