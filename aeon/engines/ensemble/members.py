"""Engines as members of another run: found by name, with settings that keep its bound, and parts of its budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, TypeAlias

from pydantic import Field

from aeon.errors import UnknownNameError
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine
from aeon.schema.conclusion import Conclusion, Decision
from aeon.schema.config import Reserve, Settings
from aeon.schema.effects import Effect
from aeon.schema.frozen import JsonValue
from aeon.schema.history import Result
from aeon.schema.outcome import Answer
from aeon.schema.task import Task
from aeon.schema.usage import Left
from aeon.schema.value import Value

__all__ = [
    "COMBINING",
    "CombiningSettings",
    "Member",
    "Members",
    "Said",
    "answer_of",
    "dealt",
    "decision_of",
    "effects_of",
    "member",
    "parts",
    "settings_of",
    "single",
    "with_assumptions",
]  # fmt: skip

COMBINING = ("ensemble", "auto", "chain", "team")
"""The engines that run others; none of them is a member."""

Member: TypeAlias = Engine[Settings, Signals, Conclusion]
Members: TypeAlias = Mapping[str, Member]
"""The engines that can be members, by their names without versions."""


class CombiningSettings(Settings):
    """What the configurations of all engines that run others have: ``options`` are settings of members, by engine."""

    options: dict[str, dict[str, JsonValue]] = Field(default={}, description="settings of members, by engine")
    reserve: Reserve = Reserve(tokens=0.1, seconds=0.1, cost=0.1)

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that may run in it, each once."""
        raise NotImplementedError

    def setting_of(self, name: str) -> str:
        """The setting that names this engine."""
        return "members"


class Said(Value):
    """What a member said, how it ended, and what that took."""

    answer: str = ""
    stop_reason: str = ""
    sufficient: bool = False
    calls: Annotated[int, Field(ge=0)] = 0
    tokens: Annotated[int, Field(ge=0)] = 0

    @staticmethod
    def by(end: Conclusion) -> Said:
        """What the member said whose run ended so."""
        return Said(
            answer=end.answer, stop_reason=end.stop_reason, sufficient=end.sufficient,
            calls=end.usage.calls, tokens=end.usage.tokens,
        )  # fmt: skip


def single(names: Iterable[str]) -> None:
    """Refuse engines that run others. Raises ``ValueError``."""
    if combining := [name for name in names if name in COMBINING]:
        raise ValueError(f"'{combining[0]}' runs engines itself; name engines that answer by themselves")


def member(members: Members, name: str, setting: str = "members") -> Member:
    """The engine of that name, which this ``setting`` has.

    Raises:
        UnknownNameError: there is none; names the setting and those that there are.
    """
    if name not in members:
        raise UnknownNameError(f"{setting}: no engine is called '{name}'; there are {', '.join(members)}")
    return members[name]


def settings_of(members: Members, config: CombiningSettings, name: str) -> Settings:
    """The settings of a member: its own, but for those on which the bound of the whole rests.

    An engine's default limit on the cost is one for whole runs: a member has one only where its options set it.

    Raises:
        UnknownNameError: there is no such engine.
    """
    options = config.options.get(name, {})
    engine, limits = member(members, name, config.setting_of(name)), options.get("budget")
    own = engine.config.model_validate(options)
    costs = isinstance(limits, dict) and "cost" in limits
    return own.changed(
        budget=own.budget if costs else own.budget.changed(cost=None),
        prices=config.prices,
        questions=config.questions,
        effects=config.effects,
        roles=config.roles,
        prompt_bytes=min(own.prompt_bytes, config.prompt_bytes),
        output_tokens=min(own.output_tokens, config.output_tokens),
        tool_output_bytes=min(own.tool_output_bytes, config.tool_output_bytes),
    )


def effects_of(members: Members) -> tuple[type[Effect], ...]:
    """What members may ask for, and what is nested in them."""
    every = (effect for one in members.values() for effect in (*one.effects, *one.nested))
    return tuple(dict.fromkeys(every))


def answer_of(end: Conclusion) -> Answer:
    """A member's answer with its claims; those of a plan name its steps, so that the host finds others."""
    return Answer(text=end.answer, value=end.value, claims=() if isinstance(end, Result) else end.claims)


def decision_of(end: Conclusion) -> Decision:
    """The decision to end as a member did."""
    return Decision(action="OUTPUT", reason=end.stop_reason, detail=end.detail, sufficient=end.sufficient)


def with_assumptions(ended: Conclusion, task: Task, ends: Iterable[Conclusion]) -> Conclusion:
    """The end of a run with what its members assumed, and what of the task no prompt showed."""
    assumed = dict.fromkeys(one for end in ends for one in end.assumptions)
    return ended.changed(unread=task.unread, assumptions=(*ended.assumptions, *assumed))


def dealt(whole: int, wants: Sequence[int]) -> tuple[int, ...]:
    """Parts of a whole: each gets what it wants, or an equal part of what is left by those that want less."""
    given = [0] * len(wants)
    order = sorted(range(len(wants)), key=wants.__getitem__)
    for done, at in enumerate(order):
        given[at] = min(wants[at], whole // (len(wants) - done))
        whole -= given[at]
    return tuple(given)


def parts(left: Left, wants: Sequence[int], kept_calls: int, rounds: int) -> tuple[Left, ...]:
    """What each of the members that are still to run may spend, if they want at most so many calls each.

    They run in so many ``rounds``, one after the other. ``kept_calls`` of what is left are for other effects. Together
    the parts are never more than what is left.
    """
    many = len(wants)
    tokens = None if left.tokens is None else left.tokens // many
    seconds = None if left.seconds is None else left.seconds / rounds
    cost = None if left.cost is None else left.cost / many
    calls = dealt(max(0, left.calls - kept_calls), wants)
    return tuple(Left(calls=most, tokens=tokens, seconds=seconds, cost=cost) for most in calls)
