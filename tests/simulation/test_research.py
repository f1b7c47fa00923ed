"""The research engine in simulated worlds: it holds, and what breaks one of its promises is noticed by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aeon.assembly.plugin import Plugin, Services
from aeon.assembly.research import PLUGIN
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.effects import Cite
from aeon.engines.research.program import RESEARCH
from aeon.engines.research.record import Research
from aeon.engines.research.rules import ResearchSignals
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Citation, Cited
from aeon.kernel.engine import Run
from aeon.kernel.ports import Handlers
from aeon.schema import Found
from aeon.schema.effects import Program
from aeon.simulation.check import check
from aeon.simulation.crowd import simulate
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts

pytestmark = pytest.mark.requirement("R1", "R3", "K13")

SEEDS = 200
MOST_SEEDS = 60


@pytest.mark.requirement("R2", "R5", "X3")
def test_the_research_engine_holds_in_hundreds_of_seeds() -> None:
    """Crashes, interrupts, searches that fail in every way, budgets that run out: with every way to end."""
    tally = simulate(range(SEEDS), engine="research")
    assert tally.failures == []
    assert {"sufficient", "nothing_new", "not_stated", "unsupported", "calls_exhausted"} <= set(tally.reasons)
    fired = {kind for kind, times in tally.fired.items() if times}
    assert {"crash_each", "interrupt", "outage", "tool_fails", "tool_hangs", "tool_output"} <= fired


def ended(change: Callable[[Research], Research]) -> Parts:
    """Parts whose program ends in another result."""

    def program(run: Run[ResearchConfig, ResearchSignals]) -> Program[Research]:
        return change((yield from RESEARCH.program(run)))

    return Parts(Plugin(replace(RESEARCH, program=program), PLUGIN.handlers, fit=PLUGIN.fit))


def citing(change: Callable[[Citation], Citation]) -> Parts:
    """Parts whose answers cite otherwise."""

    def handlers(services: Services[ResearchConfig]) -> Handlers:
        made = PLUGIN.handlers(services)

        async def cite(effect: Cite) -> Cited:
            answer: Any = await made["cite"](effect)
            sentences = (one.changed(citations=tuple(map(change, one.citations))) for one in answer.sentences)
            return answer.changed(sentences=tuple(sentences))  # type: ignore[no-any-return]

        return {**made, "cite": cite}

    return Parts(Plugin(RESEARCH, handlers, fit=PLUGIN.fit))


def _moved(citation: Citation) -> Citation:
    source = citation.source
    return citation.changed(source=source.changed(start=source.start + 1, end=source.end + 1))


def _reworded(citation: Citation) -> Citation:
    return citation.changed(source=citation.source.changed(text=f"{citation.source.text} indeed"))


def _invented(citation: Citation) -> Citation:
    return citation.changed(number=99)


def _repeated(result: Research) -> Research:
    return result.changed(sources=tuple(one.changed(number=1) for one in result.sources))


def _lost(result: Research) -> Research:
    return result.changed(sources=result.sources[:-1])


def _uncited(result: Research) -> Research:
    return result.changed(sentences=())


def _unasked(result: Research) -> Research:
    return result.changed(searched=(*result.searched[:-1], "something else"))


def _too_many(result: Research) -> Research:
    return result.changed(searched=tuple(f"q{n}" for n in range(11)))


def _too_often(result: Research) -> Research:
    return result.changed(rounds=result.rounds * 6)


PLANTED: dict[str, tuple[Parts, str]] = {
    "repeats a number": (ended(_repeated), "sources only grow"),
    "loses a source": (ended(_lost), "sources only grow"),
    "moves a span by one": (citing(_moved), "every span is its quote"),
    "words a quote": (citing(_reworded), "every span is its quote"),
    "invents a number": (citing(_invented), "every cited id exists"),
    "cites nothing": (ended(_uncited), "a good answer cites"),
    "asks too many queries": (ended(_too_many), "rounds and queries within the tier"),
    "makes too many rounds": (ended(_too_often), "rounds and queries within the tier"),
    "names what nobody searched": (ended(_unasked), "what is named was searched"),
}


def noticed(parts: Parts, invariant: str) -> bool:
    """Whether one of the seeds breaks the invariant."""
    with Life(parts) as life:
        reports = (check(scenario(seed, "none"), life) for seed in range(MOST_SEEDS))
        return any(problem.invariant == invariant for report in reports for problem in report.problems)


@pytest.mark.parametrize("name", PLANTED)
def test_a_broken_promise_is_noticed_by_its_name(name: str) -> None:
    """Within a few seeds, without any other trouble."""
    assert noticed(*PLANTED[name])


def test_a_source_that_moves_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shipped code puts what is new before what is there."""
    added = Sources.added

    def before(self: Sources, query: str, found: Found) -> Sources:
        grown = added(self, query, found)
        return grown.changed(entries=grown.entries[::-1])

    monkeypatch.setattr(Sources, "added", before)
    assert noticed(Parts(PLUGIN), "sources only grow")


def test_a_text_under_two_numbers_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shipped code does not look at the texts."""

    def anew(self: Sources, document: Any) -> Any:
        return next((one for one in self.entries if one.document.source == document.source), None)

    monkeypatch.setattr(Sources, "_known", anew)
    assert noticed(Parts(PLUGIN), "sources only grow")
