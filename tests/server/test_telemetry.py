"""What the service tells of itself: spans, figures, a line a phase, health and readiness."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engines.research.thinker import Thinker, judging, writing
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from played_endpoint import served, whole

from aeon.errors import EndpointTimeout, ToolFailed
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.scripted import Scripted
from aeon.runtime.events import RunStarted
from aeon.schema import Bound, Config, Found, SearchProblem, Task
from aeon.server import conventions as names
from aeon.server.phases import phase_log
from aeon.server.tracing import Continued, Traced, Tracing
from aeon.tools import ToolRegistry, tool
from aeon.tools.finding import finding

from .conftest import TASK, WORDS_TASK, Gated, Serve, Server, complains, played, until

pytestmark = pytest.mark.requirement("V4")
_EXPORTER = InMemorySpanExporter()
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """Where finished spans are."""
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(_EXPORTER))
        trace.set_tracer_provider(provider)
    _EXPORTER.clear()
    yield _EXPORTER
    _EXPORTER.clear()


def traced(serve: Serve, model: Scripted) -> Server:
    return serve(model, observers=[Tracing], around=Traced, application={"around": Continued})


def _top(spans: InMemorySpanExporter) -> str:
    """The span that is above all finished ones of the run's request, those of the framework among them."""
    every = {span.context.span_id: span for span in spans.get_finished_spans() if span.context}
    above = next((span.parent for span in every.values() if span.name.startswith("invoke_agent")), None)
    while above is not None and above.span_id in every:
        above = every[above.span_id].parent
    return f"{above.span_id:016x}" if above is not None else ""


def test_a_run_is_a_trace(serve: Serve, spans: InMemorySpanExporter) -> None:
    """The run continues the trace of the request; effects are below it, and the model calls below their effects."""
    server = traced(serve, Scripted(played))
    reply = server.post("/run", {"task": TASK}, traceparent=PARENT).json()
    until(lambda: _top(spans) == PARENT.split("-")[2])  # the framework's own span may end after the reply
    every = {span.context.span_id: span for span in spans.get_finished_spans() if span.context}
    assert {f"{span.context.trace_id:032x}" for span in every.values() if span.context} == {PARENT.split("-")[1]}
    run = next(span for span in every.values() if span.name == f"invoke_agent {reply['engine']}")
    assert run.attributes is not None and run.attributes["aeon.stop_reason"] == "converged"
    assert run.attributes[names.CONVERSATION] == reply["id"]
    chats = [span for span in every.values() if span.name == "chat scripted"]
    assert len(chats) == reply["usage"]["calls"] > 1
    for chat in chats:
        assert chat.parent is not None and chat.attributes is not None
        effect = every[chat.parent.span_id]
        assert effect.name.startswith("effect ") and effect.parent is not None
        assert every[effect.parent.span_id] is run
        assert (chat.attributes[names.OPERATION], chat.attributes[names.INPUT_TOKENS]) == ("chat", 20)
    assert not any(TASK in str(span.attributes) for span in every.values())


@pytest.mark.usefixtures("indexes", "words_only")
def test_a_tool_call_is_a_span(serve: Serve, spans: InMemorySpanExporter, tmp_path: Path) -> None:
    """By the tool's name, below the effect that called it; a search is one; a call that fails has its error's type."""
    (tmp_path / "mill.md").write_text("The Old Mill was built in 1883.\n")
    traced(serve, Scripted(played)).post("/run", {"task": TASK})
    model = Thinker(writing(("The Old Mill was built in 1883.", "1883")), judging("1883"), ("Old Mill built",))
    server = serve(model, folders={"shelf": tmp_path}, observers=[Tracing], around=Traced)
    server.post("/run", {"task": "When was the Old Mill built?", "engine": "research"})
    until(lambda: sum(span.name.startswith("invoke_agent") for span in spans.get_finished_spans()) == 2)
    every = {span.context.span_id: span for span in spans.get_finished_spans() if span.context}
    called = {span.name: span for span in every.values() if span.name.startswith("execute_tool")}
    assert {"execute_tool calculator", "execute_tool find_collection"} <= called.keys()
    for name, phase in (("calculator", "run_program"), ("find_collection", "search")):
        span = called[f"execute_tool {name}"]
        assert span.attributes is not None and span.parent is not None
        assert (span.attributes[names.OPERATION], span.attributes[names.TOOL_NAME]) == ("execute_tool", name)
        assert every[span.parent.span_id].name == f"effect {phase}"
        assert names.ERROR_TYPE not in span.attributes


def test_a_tool_that_fails_is_marked(spans: InMemorySpanExporter) -> None:
    """Its span has the type of the error; who calls it gets the error as it is."""

    @tool(side_effects=False)
    def broken() -> str:
        """Fail."""
        raise RuntimeError("secret")

    async def call() -> None:
        most = Bound(calls=1, tokens=1)
        Tracing()(RunStarted(line=0, execution_id="r", engine="e/1", task=Task(text=TASK), config=Config(), bound=most))
        with pytest.raises(ToolFailed):
            await ToolRegistry([broken]).call("broken", {})

    asyncio.run(call())
    (span,) = spans.get_finished_spans()
    assert (span.attributes or {})[names.ERROR_TYPE] == "ToolFailed" and span.status.status_code is StatusCode.ERROR
    assert "secret" not in str(span.to_json())


def test_an_endpoint_is_told_the_trace(serve: Serve, spans: InMemorySpanExporter) -> None:
    """Each request names the span of its call in ``traceparent``, without baggage; without telemetry, none does."""
    with served() as endpoint:
        endpoint.play(whole("40.8"))
        server = traced(serve, OpenAICompatible("m", endpoint.base_url))  # type: ignore[arg-type]
        reply = server.post("/run", {"task": TASK}, traceparent=PARENT, baggage="user=me").json()
        assert reply["usage"]["calls"] > 0, reply
        until(lambda: any(span.name.startswith("invoke_agent") for span in spans.get_finished_spans()))
        told = [headers["traceparent"] for headers in endpoint.headers if "traceparent" in headers]
        chats = [span.context for span in spans.get_finished_spans() if span.name == "chat m" and span.context]
        assert told and {one.split("-")[2] for one in told} <= {f"{one.span_id:016x}" for one in chats}
        assert {one.split("-")[1] for one in told} == {PARENT.split("-")[1]}
        assert not any("baggage" in headers for headers in endpoint.headers)
        endpoint.headers.clear()
        serve(OpenAICompatible("m", endpoint.base_url)).post("/run", {"task": TASK}, traceparent=PARENT)
        assert endpoint.headers and not any("traceparent" in headers for headers in endpoint.headers)


def test_what_failed_is_marked_in_its_span(serve: Serve, spans: InMemorySpanExporter) -> None:
    """A call that fails has its error's type, and so has the effect that came to nothing by it."""
    server = traced(serve, Scripted(lambda request: EndpointTimeout("too slow")))
    server.post("/run", {"task": TASK})
    until(lambda: any(span.name.startswith("invoke_agent") for span in spans.get_finished_spans()))
    failed = [span for span in spans.get_finished_spans() if span.status.status_code is StatusCode.ERROR]
    assert {"EndpointTimeout", "request"} <= {str((span.attributes or {})[names.ERROR_TYPE]) for span in failed}


def test_the_names_are_those_of_the_conventions() -> None:
    """Every name for generative AI is one that the conventions have."""
    conventions = pytest.importorskip("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
    known = {value for name, value in vars(conventions).items() if name.isupper()}
    own = {value for name, value in vars(names).items() if name.isupper() and str(value).startswith("gen_ai.")}
    assert own and own <= known


def test_prometheus_gets_figures(serve: Serve) -> None:
    """Runs by how they ended, their time, passes, calls, tokens, the queue and how long answers take."""
    model = Gated()
    server = serve(model)
    name = server.job()
    until(lambda: model.waiting == 1)
    assert "aeon_runs_running 1.0" in server.get("/metrics").text
    model.gate.set()
    server.over(name)
    server.post("/run", {"task": WORDS_TASK, "engine": "shorten"})
    usage = server.get(f"/jobs/{name}/result").json()["usage"]
    text = server.get("/metrics").text
    for line in (
        'aeon_runs_total{engine="multi-pass/6",stop_reason="converged"} 1.0',
        'aeon_runs_total{engine="shorten/1",stop_reason="short"} 1.0',
        'research_loop_duration_seconds_count{engine="multi-pass/6"} 1.0',
        'iterations_per_request_sum{engine="multi-pass/6"} 1.0',
        f'aeon_model_calls_total{{engine="multi-pass/6"}} {usage["calls"]}.0',
        f'aeon_tokens_total{{engine="multi-pass/6",kind="prompt"}} {usage["prompt_tokens"]}.0',
        "aeon_runs_running 0.0",
        "aeon_runs_queued 0.0",
        'aeon_http_seconds_count{method="GET",route="/jobs/{name}/result",status="2xx"} 1.0',
    ):
        assert line in text, line
    assert "# TYPE search_failures_total counter" in text or "# TYPE search_failures counter" in text


def test_each_phase_is_a_line_of_the_log(serve: Serve) -> None:
    """It says which, in which iteration, what is left of the tokens, and how much was found."""
    file = io.StringIO()
    server = serve(Scripted(played), observers=[phase_log(file)])
    name = server.post("/run", {"task": TASK, "budget": {"tokens": 100_000}}).json()["id"]
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert lines[0]["event"] == "run_started" and lines[-1]["event"] == "run_ended"
    phases = [line for line in lines if line["event"] == "phase"]
    assert {"plan", "write", "run_program", "synthesize"} <= {line["phase"] for line in phases}
    left = [line["token_budget"] for line in phases]
    assert left == sorted(left, reverse=True) and left[-1] == 100_000 - phases[-1]["tokens"] < 100_000
    assert {line["run"] for line in lines} == {name} and all("iteration" in line for line in phases)
    assert TASK not in file.getvalue() and re.fullmatch(r"\d{4}-.*Z", lines[0]["timestamp"])


class Down:
    """A provider on the web that is never there."""

    name, local = "web", False

    async def search(self, query: str, most: int) -> Found:
        """No passages, and why."""
        problem = SearchProblem(kind="server", message="down", retryable=False)
        return Found(provider=self.name, problem=problem)


@pytest.mark.requirement("R7")
@pytest.mark.usefixtures("indexes", "words_only")
def test_research_has_its_figures_and_its_lines(serve: Serve, tmp_path: Path) -> None:
    """Searches that failed are counted, so are its rounds; each phase is a line that says in which round it was."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "mill.md").write_text("The Old Mill was built in 1883. It stands by the river.\n")
    file = io.StringIO()
    model = Thinker(writing(("The Old Mill was built in 1883.", "1883")), judging("1883"), ("Old Mill built",))
    server = serve(model, tools=[finding(Down())], folders={"shelf": shelf}, observers=[phase_log(file)])
    question = {"task": "When was the Old Mill built?", "engine": "research"}
    reply = server.post("/run", question).json()
    assert "1883" in reply["summary"], reply
    lines = [line for line in map(json.loads, file.getvalue().splitlines()) if line["event"] == "phase"]
    phases = [line["phase"] for line in lines]
    assert phases[:2] == ["find_providers", "plan_queries"] and phases[-1] == "cite"
    searches = [line for line in lines if line["phase"] == "search"]
    assert {line["iteration"] for line in searches} == set(range(1, phases.count("reflect") + 1))
    assert max(line["search_results"] for line in searches) > 0
    failed = sum(event["outcome"]["value"]["problem"] is not None for event in _searches(server, reply["id"]))
    assert failed > 0
    text = server.get("/metrics").text
    for line in (
        f'search_failures_total{{engine="research/2"}} {failed}.0',
        f'iterations_per_request_sum{{engine="research/2"}} {phases.count("reflect")}.0',
        'research_loop_duration_seconds_count{engine="research/2"} 1.0',
    ):
        assert line in text, text


def _searches(server: Server, name: str) -> list[Any]:
    effects = server.get(f"/jobs/{name}/history").json()["effects"]
    return [one for one in effects if one["phase"] == "search"]


def test_health_and_readiness(serve: Serve) -> None:
    """It is healthy as soon as it answers, and ready when runs can start; then it says how much there is to do."""
    model = Gated()
    server = serve(model)
    server.service.ready = False
    assert server.get("/healthz").json()["status"] == "ok"
    complains(server.get("/readyz"), 503, "not_ready", "being loaded")
    server.service.ready = True
    server.job()
    until(lambda: model.waiting == 1)
    assert server.get("/readyz").json() == {"status": "ready", "running": 1, "queued": 0}
    model.gate.set()
