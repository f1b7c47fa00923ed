"""Research and reports over HTTP: tiers, collections by name, numbers of sources, and the APIs of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openai
import pytest
from engines.research.thinker import Thinker, judging, writing

from aeon.documents.collecting import collect
from aeon.proof.verify import verify

from .browser import browser
from .conftest import TASK, Serve, Server, complains, events_of, lasting
from .test_agui import ran

pytestmark = [pytest.mark.requirement("V1"), pytest.mark.usefixtures("indexes", "words_only")]

QUESTION = "When was the Old Mill built?"
INN = "# Red Inn\n\nRed Inn was opened in 1901. The Old Mill was built by others.\n"
MILL = "# The Old Mill\n\nThe Old Mill was built in 1883. It stands by the river.\n"
ASKED: dict[str, Any] = {"task": QUESTION, "engine": "research", "sources": ["papers"]}


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_ITERS", "MAX_QUERIES", "MAX_SOURCES", "MAX_EXECUTION_TIME_S", "TOKEN_BUDGET"):
        monkeypatch.delenv(f"RESEARCH_{name}", raising=False)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A collection in a file: two texts, of which the second answers."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a-inn.md").write_text(INN)
    (folder / "mill.md").write_text(MILL)
    collect(folder, tmp_path / "papers.aeon")
    return tmp_path / "papers.aeon"


def reader() -> Thinker:
    """A model that finds the year of the mill."""
    return Thinker(writing(("The Old Mill was built in 1883.", "1883")), judging("1883"), ("Old Mill built", "Red Inn"))


@pytest.fixture
def server(serve: Serve, papers: Path) -> Server:
    """A server with the collection, on that model."""
    return serve(reader(), folders={"papers": papers})


@pytest.mark.requirement("R1", "R3")
def test_a_collection_is_researched_by_its_name(server: Server) -> None:
    """The number in the answer is that of its source, whose spans are those of the text; the proof verifies."""
    reply = server.post("/run", {**ASKED, "tier": "simple"}).json()
    (source,) = reply["sources"]
    assert reply["summary"] == f"The Old Mill was built in 1883 [{source['id']}]." and reply["sufficient"]
    assert source["title"] == "texts/mill.md"
    assert {MILL[span["start"] : span["end"]] for span in source["spans"]} >= {"The Old Mill was built in 1883."}
    proof = server.get(f"/jobs/{reply['id']}/proof").content
    assert verify(proof).code == 0 and json.loads(proof)["sources"][0]["id"] == "texts/mill.md"
    history = server.get(f"/jobs/{reply['id']}/history").json()
    assert history["record"]["tier"] == "simple"
    phases = {effect["phase"] for effect in history["effects"]}
    assert {"find_providers", "plan_queries", "search", "reflect", "cite"} <= phases


def test_a_source_keeps_its_number(serve: Serve, tmp_path: Path) -> None:
    """An answer that cites the second source alone says [2], and so does the list of its sources."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "first.md").write_text("When was the Old Mill built? The Old Mill was built: when?\n")
    (folder / "mill.md").write_text(MILL)
    reply = serve(reader(), folders={"papers": folder}).post("/run", ASKED).json()
    assert [source["id"] for source in reply["sources"]] == [2] and "[2]" in reply["summary"], reply


@pytest.mark.requirement("T2")
def test_collections_stand_beside_folders(serve: Serve, papers: Path, tmp_path: Path) -> None:
    """Files in a folder, and several collections: a run has those that it names, without names all of them."""
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "mill.txt").write_text("The Old Mill is on sale in the shop as a picture.")
    collect(shop, tmp_path / "more.aeon")
    server = serve(reader(), folders={"papers": papers, "shop": shop, "more": tmp_path / "more.aeon"})
    found = server.post("/search", {"query": "Old Mill", "most": 9}).json()["passages"]
    names = {one["source"].partition("/")[0] for one in found}
    assert names == {"papers", "shop", "more"}
    alone = server.post("/search", {"query": "Old Mill", "collection": "papers"}).json()["passages"]
    assert {one["source"] for one in alone} == {"texts/mill.md", "texts/a-inn.md"}
    for sources, title in ((["papers"], "texts/mill.md"), (["papers", "shop"], "papers/texts/mill.md")):
        reply = server.post("/run", {**ASKED, "sources": sources}).json()
        assert [one["title"] for one in reply["sources"]] == [title], reply
        assert verify(server.get(f"/jobs/{reply['id']}/proof").content).code == 0


@pytest.mark.requirement("R2", "V1b")
def test_a_tier_says_how_much_research(serve: Serve, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound follows it, also that of a report; the simple way is its simple tier; then the server's limits."""
    server = serve(reader(), folders={"papers": papers})

    def bound(path: str = "/estimate", **body: Any) -> int:
        reply = server.post(path, {**ASKED, **body})
        assert reply.status_code == 200, reply.text
        return int(reply.json()["calls"] if path == "/estimate" else reply.json()["bound"]["calls"])

    calls = [bound(tier=tier) for tier in ("simple", "standard", "deep")]
    assert calls == sorted({*calls}) and bound() == calls[1]
    assert bound(engine="report", tier="deep") > bound(engine="report")
    assert bound("/run-simple") == calls[0] and bound("/run", tier="simple") == calls[0]
    monkeypatch.setenv("RESEARCH_MAX_ITERS", "1")
    server = serve(reader(), folders={"papers": papers})
    assert bound() < calls[0]
    assert bound(config={"max_iters": 5}) == calls[1]


@pytest.mark.requirement("R2")
def test_a_request_may_use_the_names_of_the_reference(server: Server) -> None:
    """They set the same as a tier, a budget and settings do, and stand before variables of the environment."""

    def bound(path: str = "/estimate", **body: Any) -> dict[str, Any]:
        reply = server.post(path, {**ASKED, **body})
        assert reply.status_code == 200, reply.text
        made: dict[str, Any] = reply.json()
        return made if path == "/estimate" else made["bound"]

    for fields, same in (
        ({"complexity_tier": "simple"}, {"tier": "simple"}),
        ({"max_iters": 1}, {"config": {"max_iters": 1}}),
        ({"max_iters": 1, "config": {"max_iters": 1}}, {"config": {"max_iters": 1}}),
        ({"token_budget": 5_000}, {"budget": {"tokens": 5_000}}),
        ({"token_budget": 5_000, "budget": {"tokens": 5_000, "calls": 9}}, {"budget": {"tokens": 5_000, "calls": 9}}),
    ):
        assert bound(**fields) == bound(**same) != bound(), fields
    assert bound("/run-simple", complexity_tier="deep") == bound(tier="deep")

    def counts(**body: Any) -> tuple[str, int, int]:
        reply = server.post("/run", {**ASKED, "task": "Who owns the Old Mill of Ann Lee?", **body})
        record = server.get(f"/jobs/{reply.json()['id']}/history").json()["record"]
        return record["tier"], len(record["searched"]), len(record["sources"])

    usual = counts()
    limited = counts(complexity_tier="deep", max_queries=1, max_sources=1, max_execution_time_s=50)
    assert usual[1] > 1 and usual[2] > 1 and limited == ("deep", 1, 1)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"engine": "multi-pass", "max_iters": 1}, ("max_iters: is for the engine 'research'", '"engine": "research"')),
        ({"engine": "report", "complexity_tier": "deep"}, ("complexity_tier: is for the engine 'research'",)),
        ({"complexity_tier": "simple", "tier": "deep"}, ("complexity_tier: says otherwise than tier", "leave one out")),
        ({"max_execution_time_s": 5, "budget": {"seconds": 6}}, ("max_execution_time_s", "budget.seconds")),
        ({"max_iters": 1, "config": {"max_iters": 9}}, ("max_iters: says otherwise than config.max_iters",)),
        ({"complexity_tier": "simple", "config": {"tier": "deep"}}, ("complexity_tier", "config.tier")),
        ({"token_budget": 9_000, "config": {"budget": {"tokens": 5_000}}}, ("token_budget", "config.budget.tokens")),
        ({"complexity_tier": "huge"}, ("complexity_tier", "simple", "deep")),
        ({"max_iters": 0}, ("max_iters",)),
        ({"max_iters": 101}, ("max_iters", "100")),
        ({"max_iters": "many"}, ("max_iters",)),
        ({"max_execution_time_s": -1}, ("max_execution_time_s",)),
    ],
)
def test_a_name_of_the_reference_that_cannot_be_meant_is_refused(
    server: Server, body: dict[str, Any], words: tuple[str, ...]
) -> None:
    """With the field that is wrong, before anything is done."""
    for path in ("/run", "/estimate"):
        complains(server.post(path, {**ASKED, "sources": None, **body}), 422, "invalid", *words)


@pytest.mark.requirement("V1b", "V2")
def test_research_is_streamed_and_forked(server: Server) -> None:
    """Live and later the same events; a fork shares the searches of its past."""
    live = server.post("/run", {**ASKED, "stream": True})
    name = live.headers["location"].removeprefix("/jobs/")
    assert lasting(live.text) == server.events(name)
    told = events_of(live.text)
    assert {"search", "reflect", "cite"} <= {one.data["phase"] for one in told if one.type == "effect_ended"}
    at = server.get(f"/jobs/{name}/history").json()["boundaries"][-1]
    fork = server.over(server.post(f"/jobs/{name}/fork", {"at": at, "config": {"check": False}}).json()["id"])
    assert fork["state"] == "ended" and fork["parent"] == name
    assert server.get(f"/jobs/{name}/diff/{fork['id']}").status_code == 200


@pytest.mark.requirement("V2d")
def test_what_cannot_be_researched_is_refused(server: Server, serve: Serve, tmp_path: Path) -> None:
    """An unknown tier or collection, a path, nothing to search, sources for an engine that reads none."""
    for path in ("/run", "/estimate", "/run-simple"):
        complains(server.post(path, {**ASKED, "tier": "huge"}), 422, "invalid", "simple", "deep", "huge")
        for name in ("attic", "/etc", "../papers", str(tmp_path)):
            there = server.post(path, {**ASKED, "sources": [name]})
            assert there.status_code == 422 and there.json()["detail"].endswith("; there are: papers"), there.text
        complains(server.post(path, {**ASKED, "sources": []}), 422, "nothing_to_search", "papers")
        complains(server.post(path, {**ASKED, "engine": "contractive"}), 422, "invalid", "sources", "contractive")
    assert server.post("/estimate", {"task": TASK, "engine": "contractive"}).status_code == 200
    assert server.get("/jobs").json()["jobs"] == []
    bare = serve(reader())
    for engine in ("research", "report"):
        wrong = bare.post("/run", {"task": QUESTION, "engine": engine})
        complains(wrong, 422, "nothing_to_search", engine, "--collection NAME=PATH")
    searching = serve(reader(), tools=["search=searxng=http://127.0.0.1:9"])
    assert searching.post("/estimate", {"task": QUESTION, "engine": "research"}).status_code == 200


@pytest.mark.requirement("V3")
def test_clients_of_openai_research(server: Server) -> None:
    """``aeon`` names tier and sources; citations are annotations of the numbered answer."""
    asked: dict[str, Any] = {"aeon": {"tier": "simple", "sources": ["papers"], "budget": {"calls": 14}}}
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        response = client.responses.create(model="research", input=QUESTION, extra_body=asked)
        chat = client.chat.completions.create(
            model="research", messages=[{"role": "user", "content": QUESTION}], extra_body=asked
        )
        with pytest.raises(openai.UnprocessableEntityError, match="attic"):
            client.responses.create(model="research", input=QUESTION, extra_body={"aeon": {"sources": ["attic"]}})
        for wrong in ({"sources": "papers"}, {"teir": "simple"}, "simple"):
            with pytest.raises(openai.BadRequestError, match="aeon"):
                client.responses.create(model="research", input=QUESTION, extra_body={"aeon": wrong})
    assert response.output_text == chat.choices[0].message.content == "The Old Mill was built in 1883 [1]."
    cited = response.output[0].content[0].annotations  # type: ignore[union-attr,index]
    assert {one.filename for one in cited} == {"texts/mill.md"}  # type: ignore[union-attr]
    job = server.get(f"/jobs/{chat.id.removeprefix('chatcmpl-')}/result").json()
    assert job["bound"]["calls"] == 14


@pytest.mark.requirement("V3c")
def test_an_agent_researches(server: Server) -> None:
    """``forwardedProps.aeon`` names tier and sources."""
    asking = [{"id": "m1", "role": "user", "content": QUESTION}]
    wishes = {"tier": "simple", "sources": ["papers"]}
    events = ran(server, "research", messages=asking, forwardedProps={"aeon": wishes, "other": 1})
    assert [event["delta"] for event in events if "delta" in event] == ["The Old Mill was built in 1883 [1]."]
    body = {"threadId": "t", "runId": "r", "messages": asking, "forwardedProps": {"aeon": {"sources": ["attic"]}}}
    complains(server.post("/agui/research", body), 422, "unknown_collection", "papers")


@pytest.mark.requirement("V3a")
def test_the_window_researches(server: Server) -> None:
    """The form takes a tier and collections; a sentence shows its values, and each the characters that it rests on."""
    with browser(viewport={"width": 900, "height": 700}) as page:
        page.goto(server.url)
        page.fill("#task", QUESTION)
        assert not page.is_visible("#tier")
        page.select_option("#engine", "research")
        assert page.eval_on_selector_all("#tier option", "all => all.map(one => one.textContent)")[2:] == [
            "simple", "standard", "deep"
        ]  # fmt: skip
        page.select_option("#tier", "simple")
        assert page.is_checked("fieldset input[value=papers]")
        page.click("form button.main")
        page.wait_for_selector("button.claim")
        page.wait_for_selector("#place")
        page.click("button.claim")
        page.wait_for_selector(".source mark")
        assert page.inner_text(".source mark") == "The Old Mill was built in 1883."
        page.click("button.within:has-text('1883')")
        page.wait_for_selector("button.within[aria-pressed=true]")
        assert page.inner_text(".source mark") == "1883"
        assert page.get_attribute("button.claim", "aria-expanded") == "true"
    (job,) = server.get("/jobs").json()["jobs"]
    assert server.get(f"/jobs/{job['id']}/history").json()["record"]["tier"] == "simple"


def test_what_can_be_asked_for_is_listed(server: Server) -> None:
    """The names of collections, and the tiers of each engine."""
    assert server.get("/collections").json() == {"collections": ["papers"]}
    tiers = {one["name"]: one["tiers"] for one in server.get("/engines").json()}
    assert tiers["research"] == ["auto", "simple", "standard", "deep"]
    assert tiers["report"] == ["simple", "standard", "deep"] and tiers["loop"] == []
