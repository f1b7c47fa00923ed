"""Runs over HTTP: answers, jobs, streams, questions, forks, proofs."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from aeon.llm.scripted import Scripted
from aeon.proof.verify import verify
from aeon.schema import LLMRequest, LLMResponse
from aeon.server.equipment import Equipment
from aeon.server.service import Limits
from aeon.tools.files import Files
from scripts.bench.hostile_files import nested_forms

from .conftest import (
    PRICE,
    PRICES,
    TASK,
    WORDS_TASK,
    Gated,
    Serve,
    Server,
    complains,
    events_of,
    lasting,
    played,
    until,
)

ENDS = "drop the words of this text from either end"


@pytest.mark.requirement("T2f")
def test_a_hostile_file_does_not_end_the_service(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a file that takes all memory to read is served without it, and so are its runs."""
    monkeypatch.setattr("aeon.documents.readers._MEMORY", 160 * 1024**2)
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "forms.pdf").write_bytes(nested_forms(9))
    (shop / "prices.txt").write_text("A pen costs 2.40.")
    server = serve(folders={"shop": shop})
    assert server.over(server.job(sources=["shop"]))["state"] == "ended"
    found = server.post("/search", {"query": "pen", "collection": "shop"}).json()
    assert [one["source"] for one in found["passages"]] == ["prices.txt"]


@pytest.mark.requirement("T2f")
def test_who_asks_for_other_files_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one folder is read, the files of another are given at once."""
    read, opened = threading.Event(), Files.open

    def slow(paths: list[Path]) -> Files:
        if paths[0].name == "slow":
            read.wait(20)
        return opened(paths)

    for name in ("slow", "quick"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(Files, "open", slow)
    equipment = Equipment(Scripted(played), folders={name: tmp_path / name for name in ("slow", "quick")})
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(equipment.files, ("slow",))
        assert equipment.files(("quick",)).folder.root.name == "quick"
        assert not waiting.done()
        read.set()
        assert waiting.result() is equipment.files(("slow",))


@pytest.mark.requirement("V1")
def test_a_task_is_answered(serve: Serve) -> None:
    """The answer stands under ``summary``, with its sources, its claims, why it ended and what it cost."""
    server = serve()
    reply = server.post("/run", {"task": TASK})
    assert reply.status_code == 200, reply.text
    body = reply.json()
    assert "40.8" in body["summary"] and body["sources"] == []
    assert body["state"] == "ended" and body["engine"].startswith("multi-pass/")
    assert [claim["text"] for claim in body["claims"] if claim["support"] == "tool"] == ["40.8"]
    assert 0 < body["usage"]["calls"] <= body["bound"]["calls"]
    assert reply.headers["location"] == f"/jobs/{body['id']}"


@pytest.mark.requirement("V1")
def test_an_answer_names_the_texts_that_it_rests_on(priced: Server) -> None:
    """A cited text is a source with the spans that claims rest on."""
    reply = priced.post("/run", {"task": PRICE, "sources": ["shop"]}).json()
    assert reply["summary"] == "The price is 300.40 euros."
    (source,) = reply["sources"]
    cited = [PRICES[span["start"] : span["end"]] for span in source["spans"]]
    assert source["title"] == "prices.txt" and cited and all("300.40" in text for text in cited)
    data = priced.get(f"/jobs/{reply['id']}/proof").content
    assert verify(data).code == 0 and json.loads(data)["sources"][0]["id"] == "prices.txt"


@pytest.mark.requirement("R7", "V1")
def test_an_answer_says_when_it_was_made_by_which_model_and_with_how_many_tokens(serve: Serve) -> None:
    """As the reference has it; the tokens are those of the run."""
    reply = serve().post("/run", {"task": TASK}).json()
    made, usage = reply["metadata"], reply["usage"]
    assert made["token_count"] == usage["prompt_tokens"] + usage["generated_tokens"] > 0
    assert made["model"] == "scripted" and datetime.fromisoformat(made["timestamp"]).tzinfo is not None


@pytest.mark.requirement("V1")
def test_collections_go_by_their_names(serve: Serve, tmp_path: Path) -> None:
    """``sources`` and ``/search`` choose among the collections that the server was started with."""
    folder, other = tmp_path / "shop", tmp_path / "other"
    for one, text in ((folder, "The Harbour shop sells 17 pens for 40.80 euros each day."), (other, "Nothing here.")):
        one.mkdir()
        (one / "notes.txt").write_text(text)
    server = serve(folders={"shop": folder, "other": other})
    found = server.post("/search", {"query": "Harbour shop pens", "collection": "shop"}).json()["passages"]
    assert [(one["source"], "17 pens" in one["text"]) for one in found] == [("notes.txt", True)]
    assert server.post("/search", {"query": "Harbour shop pens", "collection": "other"}).json()["passages"] == []
    assert server.post("/search", {"query": "Harbour"}).json()["passages"][0]["source"] == "shop/notes.txt"
    complains(server.post("/search", {"query": "x", "collection": "/etc"}), 422, "unknown_collection", "shop, other")
    complains(server.post("/search", {"query": ""}), 422, "invalid", "query")
    complains(server.post("/run", {"task": TASK, "sources": ["attic"]}), 422, "unknown_collection", "shop, other")
    assert server.post("/run", {"task": TASK, "sources": ["shop"]}).status_code == 200
    complains(serve().post("/search", {"query": "x"}), 409, "no_collection", "--files")


@pytest.mark.requirement("V1", "M1")
def test_any_installed_engine_works(serve: Serve) -> None:
    """An engine of another package runs by its name, with its own settings; what is wrong with them is said."""
    server = serve()
    names = ["multi-pass", "research", "report", "graph", "loop", "contractive", "tutor"]
    names += ["ensemble", "auto", "chain", "team", "shorten"]
    assert [one["name"] for one in server.get("/engines").json()] == names
    reply = server.post("/run", {"task": WORDS_TASK, "engine": "shorten", "config": {"longest": 8}})
    assert (reply.json()["summary"], reply.json()["stop_reason"]) == ("one two", "short")
    wrong = server.post("/run", {"task": TASK, "engine": "shorten", "config": {"longer": 8}})
    complains(wrong, 422, "invalid", "longer: unknown setting", "did you mean longest")
    complains(server.post("/run", {"task": TASK, "engine": "short"}), 422, "unknown_engine", "multi-pass", "shorten")


@pytest.mark.requirement("V1")
def test_settings_are_those_of_the_command_line(serve: Serve) -> None:
    """Budget, settings, an answer schema and criteria reach the run; wrong ones are refused before it starts."""
    server = serve()
    schema = {"type": "object", "properties": {"planet": {"type": "string"}}, "required": ["planet"]}
    body = {"task": TASK, "budget": {"calls": 30}, "config": {"max_passes": 2}, "answer_schema": schema}
    assert server.post("/run", body).json()["bound"]["calls"] == 30
    request = server.get(f"/jobs/{server.get('/jobs').json()['jobs'][0]['id']}/history").json()
    assert request["task"]["answer_schema"] == schema
    assert request["record"]["configuration"]["max_passes"] == 2
    for wrong, words in (
        ({"budget": {"calls": 0}}, "budget.calls"),
        ({"config": {"max_passes": "5"}}, "max_passes"),
        ({"config": {"reasoning_engine": {"evaluate": {"eval_model": "http://x.example"}}}}, "who starts the server"),
        ({"config": {"reasoning_engine": {"state_monitor": {"calibration": "/etc/passwd"}}}}, "who starts"),
        ({"config": {"prices": {"scripted": {"input": 0, "output": 0}}}}, "who starts"),
        ({"answer_schema": {"type": 5}}, "schema"),
        ({"tier": "deep"}, "has no tiers"),
        ({"task": "  "}, "the task is empty"),
    ):
        complains(server.post("/run", {"task": TASK, **wrong}), 422, "invalid", words)
    assert len(server.get("/jobs").json()["jobs"]) == 1


@pytest.mark.requirement("V1")
def test_the_simple_way_is_one_pass(serve: Serve) -> None:
    """``/run-simple`` bounds a run by one pass; the server's own limit refuses what could be more."""
    server = serve()
    simple = server.post("/run-simple", {"task": TASK}).json()
    whole = server.post("/estimate", {"task": TASK}).json()
    assert simple["bound"]["calls"] < whole["calls"]
    limited = serve(most_calls=100)
    complains(limited.post("/run", {"task": TASK}), 422, "over_limit", "944 model calls", '"calls": 100')
    assert limited.post("/run", {"task": TASK, "budget": {"calls": 100}}).status_code == 200


@pytest.mark.requirement("V1b")
def test_the_bound_is_told_without_a_start(serve: Serve) -> None:
    """``/estimate`` gives what the run states as its bound, and starts nothing."""
    server = serve()
    estimate = server.post("/estimate", {"task": TASK, "budget": {"calls": 40}}).json()
    assert server.get("/jobs").json()["jobs"] == []
    assert server.post("/run", {"task": TASK, "budget": {"calls": 40}}).json()["bound"] == estimate


@pytest.mark.requirement("V1a")
def test_a_job_is_polled_and_listed(serve: Serve) -> None:
    """202 names the job; those that wait say how many are before them; the list is paged, newest first."""
    model = Gated()
    server = serve(model, Limits(parallel=1, queue=3))
    names = [server.job() for _ in range(4)]
    until(lambda: model.waiting == 1)
    states = [(job["state"], job["position"]) for job in map(lambda n: server.get(f"/jobs/{n}").json(), names)]
    assert states == [("running", None), ("queued", 0), ("queued", 1), ("queued", 2)]
    full = server.post("/run", {"task": TASK, "async": True})
    complains(full, 503, "queue_full", "3 runs wait")
    assert full.headers["retry-after"] and full.json()["error"]["retryable"]
    assert server.get(f"/jobs/{names[1]}/result").status_code == 202
    first = server.get("/jobs?most=3").json()
    assert [job["id"] for job in first["jobs"]] == names[:0:-1]
    assert [job["id"] for job in server.get(f"/jobs?before={first['next']}").json()["jobs"]] == names[:1]
    assert [job["id"] for job in server.get("/jobs?state=running").json()["jobs"]] == names[:1]
    model.gate.set()
    assert all(server.over(name)["summary"] for name in names)
    assert server.get(f"/jobs/{names[0]}/result").json()["summary"] == server.over(names[0])["summary"]


@pytest.mark.requirement("V1a", "V2a")
def test_runs_are_cancelled(serve: Serve) -> None:
    """A queued one is over at once, one under way ends at its next boundary; a second time, or later, is refused."""
    model = Gated()
    server = serve(model, Limits(parallel=1))
    running, queued = server.job(), server.job()
    until(lambda: model.waiting == 1)
    assert server.post(f"/jobs/{queued}/cancel").status_code == 202
    assert server.get(f"/jobs/{queued}").json()["state"] == "cancelled"
    assert [one.type for one in events_of(server.events(queued))] == ["cancelled"]
    complains(server.get(f"/jobs/{queued}/history"), 410, "gone")
    complains(server.get(f"/jobs/{queued}/result"), 409, "cancelled")
    assert server.post(f"/jobs/{running}/cancel").status_code == 202
    complains(server.post(f"/jobs/{running}/cancel"), 409, "stopping", '{"now": true}')
    assert server.post(f"/jobs/{running}/cancel", {"now": True}).status_code == 202
    assert server.over(running)["stop_reason"] == "interrupted"
    for name in (running, queued):
        complains(server.post(f"/jobs/{name}/cancel"), 409, "over", "nothing to stop")
    model.gate.set()
    assert server.post(f"/jobs/{running}/resume").status_code == 202
    assert server.over(running)["stop_reason"] == "converged"
    complains(server.post(f"/jobs/{running}/resume"), 409, "not_broken_off")


@pytest.mark.requirement("V1a")
def test_runs_wait_by_priority_then_by_age_also_after_a_restart(serve: Serve) -> None:
    """The lowest number is first, whatever came before; what is none is refused, and nothing is begun."""
    model = Gated()
    server = serve(model, Limits(parallel=1))
    running = server.job(priority=9)
    until(lambda: model.waiting == 1)
    names = [server.job(**({"priority": one} if one else {})) for one in (9, None, 5, 1)]
    assert [server.get(f"/jobs/{name}").json()["position"] for name in names] == [3, 1, 2, 0]
    for wrong in (0, 10, "1", 1.5):
        complains(server.post("/run", {"task": TASK, "priority": wrong}), 422, "invalid", "priority: Input should be")
    assert len(server.get("/jobs").json()["jobs"]) == 5
    again = serve(model, Limits(parallel=1))
    until(lambda: model.waiting == 1)
    assert again.get(f"/jobs/{names[3]}").json()["state"] == "running", "of all that waited, the first"
    order = (names[1], names[2], running, names[0])
    assert [again.get(f"/jobs/{name}").json()["position"] for name in order] == [0, 1, 2, 3]
    model.gate.set()
    assert all(again.over(name)["summary"] for name in names)


@pytest.mark.requirement("V1a", "V2a")
def test_a_question_waits_for_its_answer(serve: Serve) -> None:
    """The stream ends with the question; an answer continues the run, and the stream goes on where it was."""
    server = serve()
    body = {"task": ENDS, "engine": "shorten", "unattended": "suspend"}
    reply = server.post("/run", body)
    assert reply.status_code == 202 and reply.json()["question"]["text"] == "Which end?"
    name = reply.json()["id"]
    first = server.events(name)
    assert [one.type for one in events_of(first)][-1] == "waiting"
    assert events_of(first)[-1].data["question"]["options"] == ["front", "back"]
    complains(server.post(f"/jobs/{name}/answer", {"answer": "3"}), 422, "no_option", "1 front, 2 back")
    assert server.get(f"/jobs/{name}").json()["state"] == "waiting"
    assert server.post(f"/jobs/{name}/answer", {"answer": "1"}).status_code == 202
    job = server.over(name)
    assert (job["state"], job["summary"], job["question"]) == ("ended", "either end", None)
    place = events_of(lasting(first))[-1].id
    assert lasting(first) + server.events(name, place) == lasting(server.events(name))
    complains(server.post(f"/jobs/{name}/answer", {"answer": "1"}), 409, "no_question", "ended")


@pytest.mark.requirement("V1a")
def test_a_question_that_nobody_answers_can_be_cancelled(serve: Serve) -> None:
    """A run that waits is over when it is cancelled; where nobody is asked, its default is assumed."""
    server = serve()
    name = server.post("/run", {"task": ENDS, "engine": "shorten", "unattended": "suspend"}).json()["id"]
    assert server.post(f"/jobs/{name}/cancel").json()["state"] == "cancelled"
    assumed = server.post("/run", {"task": ENDS, "engine": "shorten"}).json()
    assert [one["answer"] for one in assumed["assumptions"]] == ["back"]


@pytest.mark.requirement("V1a", "V2d")
def test_a_question_is_answered_once(serve: Serve) -> None:
    """Of answers and a cancel that come at once, one counts, and the others are told so; the run goes on once."""
    server = serve()
    body = {"task": f"slowly {ENDS}", "engine": "shorten", "unattended": "suspend"}
    name = server.post("/run", body).json()["id"]
    sent = [*(("answer", {"answer": answer}) for answer in ("front", "back", "1")), ("cancel", {})]
    with ThreadPoolExecutor(4) as pool:
        replies = [*pool.map(lambda one: server.post(f"/jobs/{name}/{one[0]}", one[1]), sent)]
    answers = [reply for (what, _), reply in zip(sent, replies, strict=True) if what == "answer"]
    assert sorted(reply.status_code for reply in answers)[-2:] == [409, 409]
    job = server.over(name)
    assert job["state"] in ("ended", "cancelled")
    told = [event for event in events_of(server.events(name)) if event.type == "effect_ended"]
    assert len({event.data["number"] for event in told}) == len(told)


@pytest.mark.requirement("V1b")
def test_the_proof_of_an_answer_verifies(serve: Serve, tmp_path: Path) -> None:
    """The proof is the file that ``aeon verify`` takes; there is none before the end."""
    model = Gated()
    server = serve(model)
    name = server.job()
    until(lambda: model.waiting == 1)
    complains(server.get(f"/jobs/{name}/proof"), 409, "not_ended")
    model.gate.set()
    server.over(name)
    data = server.get(f"/jobs/{name}/proof").content
    report = verify(data)
    assert report.code == 0, report
    assert json.loads(data)["coverage"]["supported"] > 0


@pytest.mark.requirement("V1b")
def test_a_run_is_forked_and_compared(serve: Serve) -> None:
    """A fork shares the past and has another future; the difference names where they part."""
    server = serve()
    body = {"task": WORDS_TASK, "engine": "shorten", "config": {"longest": 16}}
    name = server.post("/run", body).json()["id"]
    history = server.get(f"/jobs/{name}/history").json()
    assert history["ended"] and 2 in history["boundaries"]
    assert [one["title"] for one in history["effects"]][:2] == ["shorten", "count"]
    reply = server.post(f"/jobs/{name}/fork", {"at": 2, "config": {"longest": 8}})
    assert reply.status_code == 202 and reply.json()["parent"] == name
    fork = server.over(reply.json()["id"])
    assert (fork["summary"], server.over(name)["summary"]) == ("one two", "one two three")
    difference = server.get(f"/jobs/{name}/diff/{fork['id']}").json()
    assert not difference["same"] and difference["settings_from"] == 2
    told = events_of(server.events(fork["id"]))
    assert told[0].data["parent"] == {"execution_id": name, "at": 2}
    altered = server.post(f"/jobs/{name}/fork", {"at": 99, "value": {"text": "x"}})
    complains(altered, 422, "invalid", "is no boundary")
    assert len(server.get("/jobs").json()["jobs"]) == 2


@pytest.mark.requirement("V2d")
def test_a_dead_endpoint_is_told_in_the_answer(serve: Serve) -> None:
    """A run whose model cannot be used ends as failed, says why, and can be resumed when it is back."""
    from aeon.errors import EndpointUnreachable  # noqa: PLC0415 - only here

    dead = [True]

    def reply(request: LLMRequest) -> LLMResponse | EndpointUnreachable:
        return EndpointUnreachable("the endpoint is not there") if dead[0] else played(request)

    server = serve(Scripted(reply))
    ended = server.post("/run", {"task": TASK}).json()
    assert (ended["stop_reason"], ended["sufficient"]) == ("failed", False)
    dead[0] = False
    assert server.post(f"/jobs/{ended['id']}/resume").status_code == 202
    assert server.over(ended["id"])["stop_reason"] == "converged"
