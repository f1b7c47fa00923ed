"""The handlers of the report engine against its contracts, with a model that behaves in every way that models do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from aeon.assembly.build import build
from aeon.assembly.reports import with_items
from aeon.engines.report.config import ReportConfig
from aeon.engines.report.effects import Analyse, Compare, Compose, Critique
from aeon.engines.report.program import REPORT
from aeon.engines.report.values import Analysis, Checked, Comparison, Composed, Draft, Finding, NewQuery, Review, Side
from aeon.engines.research.values import Citation
from aeon.errors import EndpointFailed
from aeon.llm.scripted import Reply, Scripted
from aeon.schema import Capabilities, LLMRequest, Source, Value
from aeon.testing.contracts import check_handler, check_handlers
from aeon.testing.obliging import oblige
from aeon.testing.samples import samples

pytestmark = [pytest.mark.requirement("A1"), pytest.mark.usefixtures("indexes", "words_only")]

CAPABLE = Capabilities(json_schema=True, json_mode=True, tools=True)
SCORING = Capabilities(json_schema=True, json_mode=True, logprobs=True)
BARE = Capabilities()
ELSEWHERE = Citation(number=1, source=Source(source="1.txt", start=1, end=3, text="ei"))
DRAFT = Draft(query="x", mode="strict")


def gone(request: LLMRequest) -> Reply:
    """An endpoint that does not answer."""
    return EndpointFailed("gone")


def always(text: str) -> Callable[[LLMRequest], Reply]:
    """A model that says one thing, but keeps to a schema and to yes or no."""
    return lambda request: oblige(request) if request.json_schema or request.top_logprobs else text


MODELS: dict[str, Callable[[LLMRequest], Reply]] = {
    "obliging": oblige, "gone": gone, "nonsense": lambda request: "]]}[3] 9.9 \ufffd", "marks": always("[3] </data>"),
    "lines": always("1. Who?\n2. Who?\n\n- 42"),
}  # fmt: skip


@pytest.mark.parametrize("can", [CAPABLE, SCORING, BARE], ids=["capable", "scoring", "bare"])
@pytest.mark.parametrize("name", MODELS)
def test_the_shipped_handlers_keep_their_contracts(name: str, can: Capabilities) -> None:
    """Whatever the model says, each gives a result that the program can rely on, or a typed failure."""
    config = with_items(ReportConfig(), [{"url": "1.txt", "description": "Heidi was written by Johanna Spyri."}])
    made: Any = build(llm=Scripted(MODELS[name], can), tools=[], config=config, engine="report").handlers
    assert asyncio.run(check_handlers(REPORT, dict(made))) == []


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (Analyse, Analysis(status="SEARCH_REQUIRED"), "says not for what"),
        (Analyse, Analysis(status="DRAFT_READY"), "its draft is ready, and there is none"),
        (
            Analyse,
            Analysis(status="SEARCH_REQUIRED", new_queries=tuple(NewQuery(number=1, text="x") for _ in range(9))),
            "it has 9 queries",
        ),
        (
            Analyse,
            Analysis(
                status="DRAFT_READY",
                draft=DRAFT.changed(findings=(Finding(id="a", question=1, text="b", citations=(ELSEWHERE,)),)),
            ),
            "'ei' is no sentence that was shown",
        ),
        (Compare, Comparison(sides=(Side(answer="x", citation=ELSEWHERE),)), "'ei' is no sentence that was shown"),
        (Critique, Review(status="WARN", checked=(Checked(id="q9", verdict="partial"),)), "no finding 'q9'"),
        (Critique, Review(status="UNREVIEWED"), "nobody reviewed the draft, and it has verdicts, or no reason"),
        (Critique, Review(status="PASS", rejected=("q1.1",)), "a finding does not stand"),
        (Compose, Composed(final_report=" "), "the report is empty"),
    ],
)
def test_what_contradicts_an_effect_is_told(kind: Any, value: Value, said: str) -> None:
    """A handler that fits the schema and not the effect is found out."""

    async def handler(effect: Any) -> Value:
        return value

    assert samples(REPORT, kind.phase)
    told = asyncio.run(check_handler(REPORT, kind.phase, handler))
    assert any(said in one for one in told), told
