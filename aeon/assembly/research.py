"""The research engine's handlers."""

from __future__ import annotations

from aeon.adaptive.profiler import Profiler
from aeon.assembly.plugin import Plugin, Services
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.program import RESEARCH
from aeon.engines.research.record import Research
from aeon.engines.research.reflector import Reflector
from aeon.engines.research.rules import ResearchSignals
from aeon.engines.research.searcher import Searcher
from aeon.engines.research.timing import timed
from aeon.engines.research.view import VIEW
from aeon.engines.research.writer import Writer
from aeon.kernel.ports import Handlers
from aeon.supervisor.judge import Judge
from aeon.tools.registry import ToolRegistry

__all__ = ["PLUGIN", "searches"]


def _handlers(services: Services[ResearchConfig]) -> Handlers:
    supervisor = services.supervisor
    searcher = Searcher(services.tools, services.config.search_seconds)
    judge = Judge(services.of_role("verifier").supervisor)
    reflector = Reflector(supervisor, Profiler(supervisor, services.briefing), judge)
    writer = Writer(supervisor, judge)
    return {
        "find_providers": searcher.providers,
        "plan_queries": reflector.plan,
        "search": searcher.search,
        "pause": searcher.pause,
        "reflect": reflector.reflect,
        "cite": writer.cite,
    }


def searches(config: ResearchConfig, tools: ToolRegistry) -> str:
    """What is missing where nothing can be searched."""
    found = any(tools.get(name).provider is not None for name in tools.names)
    return "" if found else "something to search: --files DIR, or --tools search=PROVIDER"


PLUGIN: Plugin[ResearchConfig, ResearchSignals, Research] = Plugin(
    RESEARCH, _handlers, view=VIEW, fit=timed, lacks=searches,
    beside={"reflect": ("verifier",), "cite": ("verifier",)}, tiers={"T1": {"check": False}, "T2": {}},
)  # fmt: skip
