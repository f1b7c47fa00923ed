"""The folder of a simulated world, which is looked at and never changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from aeon.documents.folder import Folder
from aeon.errors import ToolArgumentError
from aeon.schema import JsonValue
from aeon.simulation.clock import QUANTUM
from aeon.simulation.tools import ORDERS
from aeon.simulation.words import Words
from aeon.simulation.world import World
from aeon.tools.look import look
from aeon.tools.tool import Tool

__all__ = ["Glass"]

_FILES = 5
_LONG = 1_000.0
_OUTPUTS: tuple[JsonValue, ...] = (ORDERS, {"type": "listing"}, {"type": "matches", "hits": [ORDERS]}, 12, None)


@dataclass(frozen=True)
class _Texts(Folder):
    """Texts as files."""

    texts: tuple[tuple[str, str], ...] = ()

    def walk(self) -> Iterator[tuple[str, int]]:
        """Give the path and the size of each text."""
        yield from ((name, len(text.encode())) for name, text in self.texts)

    def content(self, name: str, limit: int) -> str:
        """Return a text."""
        return dict(self.texts)[name][:limit]


class Glass:
    """The tool that looks, made once; ``world`` is the one that it is in now."""

    def __init__(self, world: World) -> None:
        self.world = world
        plain = look(_Texts(Path("world")), None)
        self.tools: tuple[Tool, ...] = (replace(plain, call=self._look),)

    async def _look(self, **arguments: object) -> object:
        """Take a look at the texts of the world; where it fails, each attempt at a look fails alike."""
        with self.world.using("look", together=True, timeout=self.tools[0].timeout):
            chance = self.world.scenario.chance(f"look:{sorted(arguments.items(), key=str)}")
            await asyncio.sleep(QUANTUM)
            if self.world.fails("tool_refuses", chance, 0.2):
                raise ToolArgumentError("there is no such file")
            if self.world.fails("tool_hangs", chance, 0.1):
                await asyncio.sleep(_LONG)
            if self.world.fails("tool_fails", chance, 0.2):
                raise chance.choice((ValueError, KeyError, RuntimeError))("it broke")
            if self.world.fails("tool_output", chance, 0.3):
                return chance.choice(_OUTPUTS)
            plain = look(_Texts(Path("world"), self._texts()), None)
            return plain.call(**arguments)

    def _texts(self) -> tuple[tuple[str, str], ...]:
        """The texts of the world: the same in all its processes."""
        chance = self.world.scenario.chance("folder")
        lines = [f"case {number}: {Words(chance).sentence()}" for number in range(3 * _FILES)]
        lines[0] = f"case 0: {ORDERS}"
        chance.shuffle(lines)
        return tuple((f"text{n}.txt", "\n".join(lines[3 * n : 3 * n + 3])) for n in range(_FILES))
