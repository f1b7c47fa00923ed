"""The report engine's handlers: its own, and those of the research that it runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from aeon.assembly import research
from aeon.assembly.forms import form_of
from aeon.assembly.plugin import Plugin, Services
from aeon.engines.report.analyst import Analyst
from aeon.engines.report.clarifier import Clarifier
from aeon.engines.report.comparer import Comparer
from aeon.engines.report.config import ReportConfig
from aeon.engines.report.critic import Critic
from aeon.engines.report.itemsearch import ItemSearch
from aeon.engines.report.program import REPORT
from aeon.engines.report.record import Report
from aeon.engines.report.rules import ReportSignals
from aeon.engines.report.timing import fitted
from aeon.engines.report.view import VIEW
from aeon.engines.report.writer import Writer
from aeon.kernel.ports import Handlers
from aeon.supervisor.judge import Judge
from aeon.tools.finding import finding
from aeon.tools.registry import ToolRegistry

__all__ = ["PLUGIN"]


def _handlers(services: Services[ReportConfig]) -> Handlers:
    config, supervisor, briefing = services.config, services.supervisor, services.briefing
    reasoning, form = config.reasoning, partial(form_of, supervisor)
    clarifier = Clarifier(supervisor, Judge(supervisor), form, config.questions.ambiguity)
    analyst = Analyst(supervisor, briefing, form, reasoning.analyst_timeout * reasoning.factor, config.output_tokens)
    critic = Critic(supervisor, briefing, form, config.mode_configs, reasoning.critic_timeout * reasoning.factor)
    inner = replace(services, config=config.inner(), tools=_with_items(services))  # type: ignore[arg-type]
    return {
        **research.PLUGIN.handlers(inner),  # type: ignore[arg-type]
        "clarify": clarifier.generate_options,
        "analyst": analyst.analyse,
        "compare": Comparer(supervisor, form).compare,
        "critic": critic.critique,
        "compose": Writer(reasoning.writer_timeout * reasoning.factor).compose,
    }


def _with_items(services: Services[ReportConfig]) -> ToolRegistry:
    """The tools of the run, and the search of its items."""
    tools = services.tools
    items = [finding(ItemSearch(services.config.items))] if services.config.items else []
    return ToolRegistry([*map(tools.get, tools.names), *items], tools.output_bytes)


def _lacks(config: ReportConfig, tools: ToolRegistry) -> str:
    return "" if config.items else research.searches(config.inner(), tools)


PLUGIN: Plugin[ReportConfig, ReportSignals, Report] = Plugin(
    REPORT, _handlers, view=VIEW, fit=fitted, beside=research.PLUGIN.beside, lacks=_lacks
)
