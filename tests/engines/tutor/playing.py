"""A folder to play in, and players that say what they are told to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from aeon.assembly.build import build
from aeon.assembly.plugin import AnyPlugin, Services
from aeon.assembly.tutor import PLUGIN
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.effects import PlayerMove, Said
from aeon.engines.tutor.record import ProofGame
from aeon.kernel.ports import Handlers
from aeon.llm.adapter import LLMAdapter
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.schema import JsonObject, LLMRequest, LLMResponse

__all__ = ["LOOK", "contains", "judge", "play", "player", "written"]

LOOK: JsonObject = {"move": "PROPOSE", "action": {"type": "search", "text": "K7-4417"}}


def written(folder: Path, **files: str) -> Path:
    """A folder with two notes, or with these files; ``__`` in a name is a slash, ``_`` before the end a dot."""
    texts = files or {"a_txt": "the old key was K7-4418\n", "notes__b_txt": "hello\nkey K7-4417 here\n"}
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def contains(path: str = "notes/b.txt", text: str = "K7-4417", **more: object) -> JsonObject:
    """The claim that a file contains a text."""
    return {"type": "contains", "path": path, "text": text, **more}  # type: ignore[dict-item]


def player(moves: Iterable[JsonObject] | Callable[[PlayerMove], JsonObject]) -> AnyPlugin:
    """The engine with a player that makes these moves in turn, the last one again and again."""
    said = list(moves) if not callable(moves) else []

    async def move(effect: PlayerMove) -> Said:
        if callable(moves):
            return Said(move=moves(effect))
        return Said(move=said.pop(0) if len(said) > 1 else said[0])

    def handlers(services: Services[TutorConfig]) -> Handlers:
        return {**PLUGIN.handlers(services), "player_move": move}

    return replace(PLUGIN, handlers=handlers)


def judge(kind: str = "answer") -> Scripted:
    """A model that takes every answer for one of this kind."""

    def reply(request: LLMRequest) -> LLMResponse:
        return LLMResponse(text=f'{{"explanation": "It is.", "kind": "{kind}"}}')

    return Scripted(reply)


def play(
    folder: Path | None,
    moves: Iterable[JsonObject] | Callable[[PlayerMove], JsonObject],
    config: TutorConfig | None = None,
    task: str = "Which file holds the key?",
    journal: Callable[[str], Journal] = lambda _: Journal(),
    model: LLMAdapter | None = None,
) -> ProofGame:
    """A game of such a player over a folder; the ``model``, which judges its answer, takes it for one by default."""
    files = () if folder is None else folder
    engine = player(moves)
    game: ProofGame = build(model or judge(), (), config, engine=engine, files=files, journal=journal).execute(task)
    return game
