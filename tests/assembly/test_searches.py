"""A saved run that searched: what its journal names is shown and asked about before anything is sent there."""

from __future__ import annotations

import pytest

from aeon.assembly.research import PLUGIN
from aeon.assembly.setup import Trust, reach
from aeon.engines.research.config import ResearchConfig
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Opening
from aeon.schema import Task
from aeon.tools.select import search_specs

pytestmark = pytest.mark.requirement("R6")


def journal(*tools: str) -> Journal:
    """A journal that names these tools."""
    made = Journal()
    made.opening = Opening(
        execution_id="run",
        engine=PLUGIN.engine.name,
        task=Task(text="Who?"),
        config=ResearchConfig().model_dump(mode="json"),
        setup={"model": None, "model_name": "m", "tools": [*tools]},
    )
    return made


def test_services_and_addresses_of_a_foreign_journal_are_named() -> None:
    """Those of a search and of the own network; a template is the user's own file."""
    specs = search_specs(["searxng=http://10.0.0.9:8888"], ["10.0.0.5:80"])
    found = reach(journal(*specs, "search=json=/a/b.toml"), PLUGIN, Trust())
    assert found.addresses == ("http://10.0.0.9:8888", "http://10.0.0.5:80")
    assert reach(journal(*specs), PLUGIN, Trust(), tools_given=True).addresses == ()


def test_a_service_that_the_user_names_is_no_stranger() -> None:
    """Nor is one of a journal of the user's own."""
    specs = search_specs(["searxng=http://10.0.0.9:8888"])
    named = Trust(named=frozenset({"http://10.0.0.9:8888"}))
    assert reach(journal(*specs), PLUGIN, named).addresses == ()
    assert reach(journal(*specs), PLUGIN, Trust(whole=True)).addresses == ()
