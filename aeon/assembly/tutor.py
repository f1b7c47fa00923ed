"""The Interpreter-Tutor's handlers: a model that plays, and what looks at the folder for it."""

from __future__ import annotations

from aeon.assembly.plugin import Plugin, Services
from aeon.engines.tutor.answer_judge import AnswerJudge
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.observer import Observer
from aeon.engines.tutor.player import Player
from aeon.engines.tutor.program import TUTOR
from aeon.engines.tutor.record import ProofGame
from aeon.engines.tutor.rules import TutorSignals
from aeon.engines.tutor.view import VIEW
from aeon.kernel.ports import Handlers
from aeon.tools.look import LOOK
from aeon.tools.registry import ToolRegistry

__all__ = ["PLUGIN"]


def _handlers(services: Services[TutorConfig]) -> Handlers:
    observer = Observer(services.tools)
    return {
        "find_tables": observer.tables,
        "player_move": Player(services.supervisor).move,
        "act": observer.act,
        "recheck": observer.recheck,
        "judge_answer": AnswerJudge(services.supervisor, services.briefing).judge,
    }


def _lacks(config: TutorConfig, tools: ToolRegistry) -> str:
    return "" if LOOK in tools.names else "a folder to look at: --files DIR"


PLUGIN: Plugin[TutorConfig, TutorSignals, ProofGame] = Plugin(TUTOR, _handlers, view=VIEW, lacks=_lacks)
