"""Research in one call: `research`, `run_research`, and the variables that stand before a tier."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from search.web import send, serving

from aeon import build, report, research, run_research
from aeon.assembly import inquiries
from aeon.assembly.inquiries import response
from aeon.assembly.registry import plugin
from aeon.assembly.roles import fitted
from aeon.engines.research.config import ResearchConfig, Retries
from aeon.errors import ConfigError, RequestRefused, UsageError
from aeon.llm.scripted import Scripted
from aeon.runtime.events import RunStarted
from aeon.schema import JsonObject, LLMRequest, LLMResponse, Task
from aeon.settings import flat, load, load_config, with_variables
from engines.research.small import Small
from engines.research.thinker import Thinker, judging, writing

pytestmark = [pytest.mark.requirement("R2"), pytest.mark.usefixtures("indexes", "words_only")]

QUESTION = "When was the Old Mill built?"
MILL = "# The Old Mill\n\nThe Old Mill was built in 1883. It stands by the river.\n"
INN = "# Red Inn\n\nRed Inn was opened in 1901. Travellers ate there.\n"


@pytest.fixture
def papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two texts, and no settings from outside."""
    for name in ("ITERS", "QUERIES", "SOURCES", "EXECUTION_TIME_S"):
        monkeypatch.delenv(f"RESEARCH_MAX_{name}", raising=False)
    monkeypatch.delenv("RESEARCH_TOKEN_BUDGET", raising=False)
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "mill.md").write_text(MILL)
    (folder / "inn.md").write_text(INN)
    return folder


ANSWER = "The Old Mill was built in 1883."


def reader(**more: Any) -> Thinker:
    """A model that finds the year of the mill."""
    return Thinker(writing((ANSWER, "1883")), judging("1883"), ("Old Mill built",), **more)


def baffled(*queries: str) -> Thinker:
    """A model that finds nothing, and searches for these beside the question."""
    return Thinker(writing(("", "what nothing says")), judging(), queries or (QUESTION, "Old Mill"), reflect=NOTHING)


SIMPLE: JsonObject = {"queries": [{"text": "Old Mill", "intent": ""}], "tier": "simple"}
NOTHING: JsonObject = {"sufficient": False, "confidence": 0.9, "gaps": [], "new_queries": []}


@pytest.mark.requirement("R1", "R3")
def test_a_question_over_a_folder_is_answered_with_its_source(papers: Path) -> None:
    """The answer, its number, and the quoted sentence in the file."""
    result = research(QUESTION, papers, llm=reader())
    assert (result.sufficient, result.stop_reason, result.tier) == (True, "sufficient", "standard")
    (source,) = result.citations
    assert result.answer == f"The Old Mill was built in 1883 [{source.number}]."
    assert source.source == "mill.md" and source.text_sha256
    assert [one.source.text for one in source.cited] == ["The Old Mill was built in 1883."]


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    "question", ["Who owns the castle?", "Wann wurde die Mühle gebaut?", "水車はいつ建てられましたか"]
)
def test_what_no_source_states_is_refused(papers: Path, question: str) -> None:
    """Also a question in another language: it names what was searched, and is not good enough."""
    result = research(question, papers, llm=baffled(question))
    assert (result.sufficient, result.stop_reason, result.citations) == (False, "not_stated", ())
    assert f"searched for: {question}" in result.answer
    small = research(question, papers, llm=Small("I do not know."))
    assert (small.sufficient, small.stop_reason, small.citations) == (False, "not_stated", ())
    assert question in small.answer and "searched for: " in small.answer


def test_the_tier_is_that_of_the_call_else_that_of_the_settings(papers: Path) -> None:
    """And ``auto`` has the model choose."""
    assert research(QUESTION, papers, tier="deep", llm=reader()).tier == "deep"
    assert research(QUESTION, papers, llm=reader(), config=ResearchConfig(tier="simple")).tier == "simple"
    assert research(QUESTION, papers, tier="auto", llm=reader(plan=SIMPLE)).tier == "simple"
    assert (
        research(QUESTION, papers, tier="auto", llm=Small(ANSWER, {"1883": 0.9}, "old mill", depth=1)).tier == "simple"
    )
    with pytest.raises(UsageError, match="tier"):
        research(QUESTION, papers, tier="enormous", llm=reader())


@pytest.mark.parametrize("sources", [(), "missing", ["", ""], 5])
def test_a_place_that_is_none_is_refused_before_the_model_is_asked(papers: Path, sources: Any) -> None:
    """One line says so."""
    model = reader()
    with pytest.raises(UsageError) as refused:
        research(QUESTION, sources, llm=model)
    assert len(str(refused.value).splitlines()) == 1 and not model.requests


@pytest.mark.parametrize("search", ["searxng=http://127.0.0.1:9", ["nowhere=x"], ["searxng="], [""]])
def test_a_search_that_is_none_is_refused(search: Any) -> None:
    """A list of them is wanted; a name that is not installed is said."""
    with pytest.raises(UsageError) as refused:
        research(QUESTION, search=search, llm=reader())
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.requirement("R5")
def test_a_service_with_a_wrong_setting_is_an_error_that_says_what_to_change(papers: Path) -> None:
    """Where there is nothing else to search; beside a folder the question is answered."""
    with serving() as service:
        service.pages["/search"] = send(403, "forbidden")
        search = [f"searxng={service.url}"]
        with pytest.raises(ConfigError, match=r"403: add json to search\.formats"):
            research(QUESTION, search=search, llm=reader())
        result = research(QUESTION, papers, search=search, llm=reader())
    assert result.sufficient and result.limited and {one.problem.kind for one in result.error_log} == {"configuration"}


@pytest.mark.parametrize("task", ["", "  ", Task(text=QUESTION)])
def test_a_question_is_a_text_or_a_task(papers: Path, task: Any) -> None:
    """An empty one is refused."""
    if isinstance(task, Task):
        assert research(task, papers, llm=reader()).sufficient
        return
    with pytest.raises(UsageError, match="empty"):
        research(task, papers, llm=reader())


def test_the_reference_call_gives_summary_sources_and_whether_it_ended_early(papers: Path) -> None:
    """Under the names of the reference."""
    answer = run_research(
        QUESTION, max_iters=2, max_queries=4, max_sources=3, max_execution_time_s=30, sources=papers, llm=reader()
    )
    (source,) = answer.sources
    assert answer.summary == f"The Old Mill was built in 1883 {source.id}." and not answer.insufficient_termination
    assert (source.type, source.location, source.title) == ("file", "mill.md", "The Old Mill")
    refused = run_research("Who owns the castle?", sources=papers, llm=baffled())
    assert refused.insufficient_termination and refused.sources == () and refused.confidence is None


def test_the_reference_call_takes_what_research_takes(papers: Path) -> None:
    """A configuration, in which its limits are put, and the reference's name of the tier."""
    config = ResearchConfig(most_results=1, max_queries=5)
    answer = run_research("Who owns Old Mill of Ann Lee?", max_queries=2, sources=papers, llm=baffled(), config=config)
    assert answer.summary.count(";") == 1
    events: list[Any] = []
    run_research(QUESTION, complexity_tier="simple", sources=papers, llm=reader(), observers=[events.append])
    assert [event.config.model_dump()["tier"] for event in events if isinstance(event, RunStarted)] == ["simple"]
    with pytest.raises(UsageError, match="two names of one setting"):
        run_research(QUESTION, complexity_tier="simple", tier="deep", sources=papers, llm=reader())


@pytest.mark.requirement("R2", "R7")
def test_the_reference_call_works_with_its_own_arguments_alone(papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It searches what the environment names, else where a SearXNG usually is; where nobody is, the answer says so."""
    limits: dict[str, Any] = {"max_iters": 1, "max_queries": 1, "max_sources": 3, "max_execution_time_s": 30}
    with serving() as service:
        page = {"url": f"{service.url}/mill", "title": "Mill", "content": "The Old Mill was built in 1883."}
        service.pages["/search"] = send(200, json.dumps({"results": [page]}), "application/json")
        monkeypatch.setenv("RESEARCH_SEARCH", f"searxng={service.url}")
        answer = run_research(QUESTION, llm=reader(), **limits)
    assert "1883" in answer.summary and answer.metadata.model == reader().name and answer.metadata.token_count > 0
    assert datetime.fromisoformat(answer.metadata.timestamp).tzinfo is not None
    monkeypatch.delenv("RESEARCH_SEARCH")
    monkeypatch.setattr(inquiries, "_USUAL", "searxng=http://127.0.0.1:9")
    nothing = run_research(QUESTION, llm=reader(), config=ResearchConfig(retries=Retries(base=0)), **limits)
    assert nothing.insufficient_termination and nothing.sources == ()
    assert nothing.summary.startswith("Nothing could be searched, so this is open")


@pytest.mark.parametrize("call", [research, run_research, report])
@pytest.mark.parametrize("name", ["complexity", "tools", "engine", "max_depth"])
def test_an_option_that_there_is_not_is_named(papers: Path, call: Any, name: str) -> None:
    """With those that there are; no model is asked."""
    model = reader()
    with pytest.raises(UsageError, match=rf"no option is named {name}; there are .*journal"):
        call(QUESTION, sources=papers, llm=model, **{name: 1})
    assert not model.requests


@pytest.mark.usefixtures("measured")
def test_the_confidence_is_that_of_the_judge(papers: Path) -> None:
    """Where one was asked."""
    result = research(QUESTION, papers, llm=Small(ANSWER, {"1883": 0.9}))
    assert response(result, "reader").confidence == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize(
    ("variable", "value", "path"),
    [
        ("RESEARCH_MAX_ITERS", 3, "max_iters"),
        ("RESEARCH_MAX_QUERIES", 7, "max_queries"),
        ("RESEARCH_MAX_SOURCES", 9, "max_sources"),
        ("RESEARCH_MAX_EXECUTION_TIME_S", 2.5, "budget.seconds"),
        ("RESEARCH_TOKEN_BUDGET", 5_000, "budget.tokens"),
    ],
)
def test_each_variable_stands_before_the_tier(variable: str, value: float, path: str) -> None:
    """It sets one setting, and an empty one sets none; ``AEON_…`` for all engines, and a file, count for less."""
    loaded = load(ResearchConfig, environ={variable: f" {value} ", f"AEON_{path.upper().replace('.', '__')}": "1"})
    assert flat(loaded.config) == flat(ResearchConfig()) | {path: value}
    assert loaded.origins[path] == f"environment {variable}"
    assert with_variables(ResearchConfig(), {variable: " "}) == ResearchConfig()


def test_variables_are_put_together() -> None:
    """Two of one section as well; what the call sets stands before them."""
    both = {"RESEARCH_TOKEN_BUDGET": "9", "RESEARCH_MAX_EXECUTION_TIME_S": "5", "RESEARCH_MAX_ITERS": "1"}
    config = with_variables(ResearchConfig(), both)
    assert (config.budget.seconds, config.budget.tokens, config.max_iters) == (5.0, 9, 1)
    config = load_config(ResearchConfig, None, {"budget": {"tokens": 50}}, both)
    assert (config.budget.seconds, config.budget.tokens, config.max_iters) == (5.0, 50, 1)


def test_a_variable_holds_wherever_research_runs(papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an engine that is built, and as a member; a configuration and the options of a member stand before it."""
    monkeypatch.setenv("RESEARCH_MAX_ITERS", "1")
    monkeypatch.setenv("RESEARCH_MAX_EXECUTION_TIME_S", "50")
    built = build(reader(), files=papers, engine="research").config
    assert (built.max_iters, built.budget.seconds) == (1, 50)
    assert build(reader(), files=papers, engine="research", config=ResearchConfig()).config.max_iters is None
    chain = build(reader(), files=papers, engine="chain").config
    own = chain.options["research"]
    assert (own["max_iters"], own["budget"]) == (1, {"seconds": 50.0})
    asked = plugin("chain").engine.config(options={"research": {"max_iters": 4}})
    assert fitted(plugin("chain"), asked, reader()).options["research"]["max_iters"] == 4
    monkeypatch.setenv("RESEARCH_MAX_ITERS", "abc")
    for engine in ("research", "chain", "auto"):
        with pytest.raises(ConfigError, match=r"^RESEARCH_MAX_ITERS: 'abc' is not a whole number above 0$"):
            build(reader(), files=papers, engine=engine)
    build(reader(), files=papers)  # no research


@pytest.mark.parametrize("variable", ["RESEARCH_MAX_ITERS", "RESEARCH_MAX_EXECUTION_TIME_S"])
@pytest.mark.parametrize(
    "text",
    ["0", "-1", "many", "1e999", "nan", "inf", "1,5", "9" * 5_000, "\x1b[2J", "1_0", "\uff11", "\u0661", "+1", "0x1"],
)
def test_a_variable_that_is_no_number_above_0_is_named(variable: str, text: str) -> None:
    """In one line, with what it is."""
    with pytest.raises(ConfigError, match=rf"^{variable}: .* is not a (whole )?number above 0$") as refused:
        with_variables(ResearchConfig(), {variable: text})
    assert len(str(refused.value)) < 120 and "\x1b" not in str(refused.value)


def test_a_variable_beyond_the_limits_is_named(papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the setting that it stands for, which nobody wrote."""
    monkeypatch.setenv("RESEARCH_MAX_ITERS", "101")
    with pytest.raises(
        ConfigError, match=r"^RESEARCH_MAX_ITERS: should be less than or equal to 100, not 101$"
    ) as refused:
        research(QUESTION, papers, llm=reader())
    assert len(str(refused.value).splitlines()) == 1


def test_a_variable_limits_a_run_and_an_argument_counts_for_more(papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So does a configuration."""
    monkeypatch.setenv("RESEARCH_MAX_QUERIES", "1")
    assert len(research(QUESTION, papers, llm=baffled()).searched) == 1
    assert len(research("Who owns Old Mill of Ann Lee?", papers, llm=baffled(), config=ResearchConfig()).searched) > 1
    more = run_research("Who owns Old Mill of Ann Lee?", max_queries=2, sources=papers, llm=baffled())
    assert more.summary.count(";") == 1


@pytest.mark.requirement("R4")
@pytest.mark.parametrize(
    ("script", "count"),
    [("The mill number {n} was built by hand. ", 15), ("古い水車{n}は川のそばに建てられました、", 45)],
)
def test_twenty_sources_fit_a_context_of_4096_tokens(papers: Path, script: str, count: int) -> None:
    """No request is longer, at a token for three bytes, in any script; and all sources are there at the end."""
    for n in range(22):
        text = "".join(script.format(n=f"{n}-{m}") for m in range(count))
        (papers / f"t{n}.md").write_text(f"# Text {n}\n\n{text}\n")
    asked = script.format(n=" ").strip(" 、.")

    def limited(request: LLMRequest) -> LLMResponse | RequestRefused | str:
        size = sum(len(message.content.encode()) for message in request.messages) / 3
        if size + request.max_tokens > 4_096:
            return RequestRefused(f"{size:.0f} tokens are too many")
        if request.json_schema is not None:
            return json.dumps({"reason": "it does not say so", "verdict": "no"})
        return "It is not said."

    model = Scripted(limited)
    result = research(
        f"Who built {asked}?", papers, tier="deep", llm=model, config=ResearchConfig(most_results=25, max_sources=40)
    )
    assert len(result.sources) >= 20 and not result.degraded and result.stop_reason == "not_stated"
    read = [request for request in model.requests if "<data texts>" in request.messages[-1].content]
    assert read and all("number" in one.messages[-1].content or "水車" in one.messages[-1].content for one in read)
