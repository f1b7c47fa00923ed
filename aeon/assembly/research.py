"""The research engine's handlers."""

from __future__ import annotations

from functools import partial

from aeon.assembly.forms import form_of
from aeon.assembly.plugin import Plugin, Services
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.program import RESEARCH
from aeon.engines.research.record import Research
from aeon.engines.research.researcher import Researcher
from aeon.engines.research.rules import ResearchSignals
from aeon.engines.research.searcher import Searcher
from aeon.engines.research.timing import timed
from aeon.engines.research.view import VIEW
from aeon.kernel.ports import Handlers
from aeon.tools.registry import ToolRegistry

__all__ = ["PLUGIN", "searches"]


def _handlers(services: Services[ResearchConfig]) -> Handlers:
    supervisor, config = services.supervisor, services.config
    searcher = Searcher(services.tools, config.search_seconds)
    judging = services.of_role("verifier").supervisor
    researcher = Researcher(
        supervisor, judging, services.briefing, searcher, partial(form_of, supervisor), config.output_tokens
    )
    return {
        "find_providers": researcher.providers,
        "plan_queries": researcher.plan,
        "search": searcher.search,
        "pause": searcher.pause,
        "summarise": researcher.summarise,
        "reflect": researcher.reflect,
        "cite": researcher.cite,
    }


def searches(config: ResearchConfig, tools: ToolRegistry) -> str:
    """What is missing where nothing can be searched."""
    found = any(tools.get(name).provider is not None for name in tools.names)
    return "" if found else "something to search: --files DIR, or --tools search=PROVIDER"


PLUGIN: Plugin[ResearchConfig, ResearchSignals, Research] = Plugin(
    RESEARCH, _handlers, view=VIEW, fit=timed, lacks=searches,
    beside={"reflect": ("verifier",), "cite": ("verifier",)}, tiers={"T1": {"check": False}, "T2": {}},
)  # fmt: skip
