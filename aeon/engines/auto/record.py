"""The record of a routed run: which rule chose which engine, and by what."""

from __future__ import annotations

from aeon.engines.auto.values import Surroundings
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue
from aeon.schema.judgment import TaskProfile

__all__ = ["Auto"]


class Auto(Conclusion):
    """The result of a routed run: the ending, claims and verdict of the engine that was ``chosen`` by the ``rule``.

    ``basis`` says what the rule rests on. ``profile`` is there only where rules count that need it.
    """

    rule: str = ""
    chosen: str = ""
    basis: str = ""
    reason: str = ""
    surroundings: Surroundings = Surroundings()
    profile: TaskProfile | None = None

    def parts(self) -> dict[str, JsonValue]:
        """The rule with what it rests on."""
        there = self.surroundings.model_dump(mode="json")
        return {"route": {"rule": self.rule, "engine": self.chosen, "basis": self.basis, "surroundings": there}}
