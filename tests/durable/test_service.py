"""The service over a database: accepted by one process, executed by another, watched at a third; and killed."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa
from cli.played_model import Model, served

from aeon.cli.main import main
from aeon.durable.jobs import Jobs
from aeon.errors import UsageError
from aeon.server.accepted import Accepted
from aeon.server.runs import RunRecord

from .conftest import Place, errands, until
from .services import OTHER, ROOM, TASK, Program, Service, ended

pytestmark = pytest.mark.requirement("X5i")


class Pair(NamedTuple):
    """Two services on one database: ``works`` is a worker too, ``shows`` is none."""

    model: Model
    folder: Path
    url: str
    works: Service
    shows: Service


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two services for all tests that kill nothing."""
    folder = tmp_path_factory.mktemp("pair")
    url = f"sqlite:///{folder / 'runs.sqlite'}"
    with served() as model:
        model.was_measured()
        works = Service(folder, url, model.url, "--name", "works", "--parallel", "4")
        with ended(works):
            shows = Service(folder, url, model.url, "--no-worker")
            with ended(shows):
                yield Pair(model, folder, url, works, shows)
                assert (works.stop(), shows.stop()) == (0, 0)
                assert "Traceback" not in works.log.read_text()


def places(text: str) -> list[str]:
    """The ids of the events in a stream, in order."""
    return [line.removeprefix("id: ") for line in text.splitlines() if line.startswith("id: ")]


def lasting(text: str) -> str:
    """The events of a stream that have ids, as they came."""
    return "".join(f"{block}\n\n" for block in text.split("\n\n") if block.startswith("id: "))


@pytest.mark.requirement("V2")
def test_a_run_is_worked_on_here_and_shown_there(pair: Pair) -> None:
    """Its answer, events, history and proof are the same at each service, and those of its journal in the database."""
    reply = pair.shows.post("/run", {"task": TASK})
    assert reply.status_code == 200 and reply.json()["summary"] == "The total is 40.8."
    name = reply.json()["id"]
    for page in ("", "/result", "/events", "/history", "/proof"):
        here, there = pair.works.get(f"/jobs/{name}{page}"), pair.shows.get(f"/jobs/{name}{page}")
        assert here.status_code == there.status_code == 200 and here.text == there.text and here.text
    with Jobs(pair.url) as jobs:
        lines = jobs.lines(name)
        assert jobs.get(name).state == "ended" and jobs.get(name).worker == "works"
    numbers = [int(place) for place in places(pair.shows.events(name)) if "." not in place]
    kept = [number for number, line in enumerate(lines) if b'"line":"called"' not in line]
    assert numbers == kept, "ids are the journal's numbers"
    assert main(["verify", name, "--durable", pair.url]) == 0


def test_model_calls_with_prompt_and_reply_are_shown_at_each_service(pair: Pair) -> None:
    """As many as each effect made, and no probe of the endpoint; a fork has those of the past that it shares."""
    task = f"{TASK} Say it in short."
    name = pair.shows.post("/run", {"task": task}).json()["id"]
    made = [body for body in pair.model.bodies if task in json.dumps(body["messages"])]
    effects = pair.shows.get(f"/jobs/{name}/history").json()["effects"]
    shown = []
    for number in range(len(effects)):
        calls = pair.shows.get(f"/jobs/{name}/calls/{number}").json()["calls"]
        assert calls == pair.works.get(f"/jobs/{name}/calls/{number}").json()["calls"]
        assert all(call["number"] == number and call["reply"] and not call["problem"] for call in calls)
        shown += [[message["content"] for message in call["messages"]] for call in calls]
    assert shown == [[message["content"] for message in body["messages"]] for body in made] and len(shown) > 3
    fork = pair.shows.post(f"/jobs/{name}/fork", {"at": 2}).json()["id"]
    pair.shows.reaches(fork, "ended")
    past = [pair.works.get(f"/jobs/{one}/calls/{number}").json() for number in (0, 1) for one in (name, fork)]
    assert past[::2] == past[1::2] and past[0]["calls"]
    assert pair.shows.get(f"/jobs/{name}/calls/999").json()["calls"] == []


@pytest.mark.requirement("V2")
def test_a_stream_says_what_is_under_way_wherever_it_is(pair: Pair) -> None:
    """Without an id, and before its outcome; who only asks a service that does not work sees it, too."""
    gate = threading.Event()
    pair.model.before = lambda handler, body: not gate.wait(30)
    name = pair.shows.job()
    kinds: list[str] = []
    with pair.shows.client.stream("GET", f"/jobs/{name}/events") as stream:
        for line in stream.iter_lines():
            kinds += [line.removeprefix("event: ")] if line.startswith("event: ") else []
            if line == "event: effect_started":
                first = len(kinds)
                gate.set()
            if line.startswith("data: ") and gate.is_set() and len(kinds) == first:
                begun = json.loads(line.removeprefix("data: "))
    pair.model.before = lambda handler, body: False
    assert kinds[:2] == ["run_started", "effect_started"] and kinds[-1] == "run_ended"
    effects = pair.shows.get(f"/jobs/{name}/history").json()["effects"]
    assert begun["phase"] == effects[begun["number"]]["phase"] and begun["title"]
    assert "effect_started" not in pair.shows.events(name), "afterwards nothing is under way"


@pytest.mark.requirement("V2")
def test_a_stream_goes_on_at_another_service_without_loss_or_repetition(pair: Pair) -> None:
    """Cut off behind any event, the rest comes from the other one, while the run works and afterwards."""
    whole = lasting(pair.shows.post("/run", {"task": TASK, "stream": True}).text)
    name = json.loads(whole.split("data: ", 1)[1].splitlines()[0])["execution_id"]
    assert lasting(pair.works.events(name)) == whole
    for place in places(whole):
        first, found, _ = whole.partition(f"id: {place}\n")
        head, _, rest = (found + _).partition("\n\n")
        assert lasting(pair.works.events(name, place)) == rest, (first, head)
    wrong = pair.works.get(f"/jobs/{name}/events", **{"Last-Event-ID": "999"})
    assert wrong.status_code == 409 and "this run has no event 999" in wrong.json()["detail"]


def test_a_fork_is_a_run_of_its_own_and_differs(pair: Pair) -> None:
    """It is worked on like any other; ``diff`` names where they part."""
    name = pair.shows.job()
    pair.shows.reaches(name, "ended")
    effects = pair.shows.get(f"/jobs/{name}/history").json()["effects"]
    at = next(one["number"] for one in effects if one["phase"] == "assess")
    body = {"at": at, "config": {"max_passes": 1}, "value": {"converged": False, "standing": "assumed"}}
    reply = pair.shows.post(f"/jobs/{name}/fork", body, **{"Idempotency-Key": "fork"})
    again = pair.works.post(f"/jobs/{name}/fork", body, **{"Idempotency-Key": "fork"})
    assert reply.status_code == 202 and again.json()["id"] == reply.json()["id"] and reply.json()["parent"] == name
    assert pair.works.reaches(reply.json()["id"], "ended")["stop_reason"] == "ttl_expired"
    assert pair.shows.get(f"/jobs/{name}/diff/{reply.json()['id']}").json()["parting"]["number"] == at


def test_a_question_is_answered_at_any_service_once(pair: Pair) -> None:
    """The run waits without a worker, and its stream ends so; a second answer is refused."""
    usual = dict(pair.model.words)
    pair.model.finds_unclear()
    try:
        name = pair.shows.job(unattended="suspend")
        assert pair.works.reaches(name, "waiting")["question"]["text"] == "Which pens are meant?"
        assert "event: waiting" in pair.shows.events(name)
        assert pair.shows.get(f"/jobs/{name}/result").status_code == 202
        assert pair.shows.post(f"/jobs/{name}/answer", {"answer": "the red ones"}).status_code == 202
        late = pair.works.post(f"/jobs/{name}/answer", {"answer": "the blue ones"})
        assert late.status_code == 409 and "the run waits for no answer" in late.json()["detail"]
        assert pair.works.reaches(name, "ended")["summary"]
    finally:
        pair.model.words = usual
    text = pair.works.events(name)
    assert "the red ones" in text and 'the blue ones"' not in text.partition("run_ended")[2]


def test_a_run_is_cancelled_wherever_it_is(pair: Pair) -> None:
    """One that another process works on, at its next boundary; then it can be resumed; one that is over, not at all."""
    gate = threading.Event()
    pair.model.before = lambda handler, body: not gate.wait(30)
    name = pair.shows.job(config={"caps": ROOM})
    pair.shows.reaches(name, "running")
    with Jobs(pair.url) as jobs:
        before = until(lambda: len(jobs.lines(name)))
        assert pair.shows.post(f"/jobs/{name}/cancel").status_code == 202
        assert pair.shows.post(f"/jobs/{name}/cancel").json()["error"]["type"] in ("stopping", "over")
        until(lambda: len(jobs.lines(name)) > before + 1)
    gate.set()
    assert pair.works.reaches(name, "ended")["stop_reason"] == "interrupted"
    over = pair.works.post(f"/jobs/{name}/cancel")
    assert over.status_code == 409 and "there is nothing to stop" in over.json()["detail"]
    assert pair.shows.post(f"/jobs/{name}/resume").status_code == 202
    assert pair.works.reaches(name, "ended")["stop_reason"] == "converged"
    again = pair.shows.post(f"/jobs/{name}/resume")
    assert again.status_code == 409 and again.json()["error"]["type"] == "not_broken_off"


def test_a_key_that_is_sent_at_once_to_both_begins_one_run(pair: Pair) -> None:
    """So does one that is sent again; another request with it is refused."""
    body, key = {"task": OTHER, "async": True}, {"Idempotency-Key": "once"}
    with ThreadPoolExecutor(8) as many:
        asked = [many.submit(service.post, "/run", body, **key) for service in (pair.works, pair.shows) * 4]
    assert {reply.result().status_code for reply in asked} == {202}
    (name,) = {reply.result().json()["id"] for reply in asked}
    with Jobs(pair.url) as jobs:
        assert [job.id for job in jobs.latest() if job.task == OTHER] == [name]
    other = pair.shows.post("/run", {"task": TASK, "async": True}, **key)
    assert other.status_code == 422 and other.json()["error"]["type"] == "key_reused"
    pair.shows.reaches(name, "ended")


@pytest.mark.requirement("X5c")
def test_a_request_says_how_soon_its_run_begins(pair: Pair) -> None:
    """Its priority is that of the command line, 5 without a word; one that is none is refused at each service."""
    names = {priority: pair.shows.job(**({"priority": priority} if priority else {})) for priority in (1, 9, 0)}
    with Jobs(pair.url) as jobs:
        assert [jobs.get(name).priority for name in names.values()] == [1, 9, 5]
    for name in names.values():
        pair.shows.reaches(name, "ended")
    for service in (pair.works, pair.shows):
        reply = service.post("/run", {"task": TASK, "priority": 10})
        assert reply.status_code == 422 and "priority: Input should be less" in reply.json()["detail"]
    assert "priority" in pair.works.get("/openapi.json").json()["components"]["schemas"]["RunBody"]["properties"]


def test_the_lists_are_the_same_and_in_pages(pair: Pair) -> None:
    """Newest first, by state; an id that is none is said so; what others submitted to the database is not theirs."""
    names = [pair.shows.job() for _ in range(3)]
    for name in names:
        pair.shows.reaches(name, "ended")
    first = pair.works.get("/jobs?most=2").json()
    rest = pair.shows.get(f"/jobs?most=2&before={first['next']}").json()
    assert [job["id"] for job in (*first["jobs"], *rest["jobs"])][:3] == names[::-1]
    assert pair.shows.get("/jobs?state=queued").json()["jobs"] == []
    assert pair.shows.get("/jobs/nosuch").json()["error"]["type"] == "unknown_job"
    main(["submit", TASK, "--durable", pair.url, "--model", pair.model.url])
    assert [job["id"] for job in pair.shows.get("/jobs?most=1").json()["jobs"]] == [names[-1]]


@pytest.mark.requirement("V2")
@pytest.mark.parametrize("victim", ["service", "worker"])
def test_what_is_killed_loses_nothing(tmp_path: Path, victim: str) -> None:
    """A service that works, or the worker of one that does not, is killed while the model works, and begun again.

    The run ends; its stream at the other service goes on, and no event comes twice.
    """
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    with served() as model:
        model.was_measured()
        began = threading.Event()

        def slow(_: Any, body: dict[str, Any]) -> bool:
            if len(model.bodies) >= 3 and not began.is_set():
                began.set()
                model.closed.wait(20)
                return True
            return False

        model.before = slow
        options = ("--name", "one")

        def begin() -> Program:
            if victim == "service":
                return Service(tmp_path, url, model.url, *options)
            return Program(tmp_path, url, model.url, "worker", *options)

        first, shows = begin(), Service(tmp_path, url, model.url, "--no-worker")
        with ended(first, shows):
            name = (first if isinstance(first, Service) else shows).job(config={"caps": ROOM})
            with ThreadPoolExecutor() as other:
                stream = other.submit(shows.events, name)
                until(began.is_set)
                first.kill()
                second = begin()
                with ended(second):
                    text = stream.result(timeout=60)
                    assert shows.reaches(name, "ended")["summary"] == "The total is 40.8."
        assert len(places(text)) == len(set(places(text))) and "event: run_ended" in text
        assert main(["replay", name, "--durable", url]) == 0
        assert "Traceback" not in first.log.read_text()


@pytest.mark.requirement("X5d")
def test_a_question_is_answered_thirty_days_later_when_everything_was_begun_anew(tmp_path: Path) -> None:
    """Service and worker are killed, every time in the database is a month ago: the run goes on from where it asked."""
    file = tmp_path / "runs.sqlite"
    url = f"sqlite:///{file}"
    with served() as model:
        model.finds_unclear()
        first = Service(tmp_path, url, model.url)
        with ended(first):
            name = first.job(unattended="suspend")
            first.reaches(name, "waiting")
            before = first.events(name)
        month = 30 * 24 * 3600
        with sqlite3.connect(file, timeout=30) as database:
            times = ("created_at", "updated_at", "completed_at", "started_at_epoch_ms")
            database.execute(
                f"UPDATE workflow_status SET {', '.join(f'{one} = {one} - {month * 1000}' for one in times)}"
            )
            database.execute("UPDATE operation_outputs SET started_at_epoch_ms = 1, completed_at_epoch_ms = 1")
            created = datetime.now(UTC) - timedelta(seconds=month)
            database.execute("UPDATE aeon_accepted SET created = ?", [created.isoformat(timespec="milliseconds")])
        asked, model.words["clarity"] = len(model.bodies), "CLEAR"
        worker, shows = Program(tmp_path, url, model.url, "worker"), Service(tmp_path, url, model.url, "--no-worker")
        with ended(worker, shows):
            job = shows.get(f"/jobs/{name}").json()
            assert job["state"] == "waiting" and job["created"].startswith(f"{created:%Y-%m-%d}")
            assert shows.post(f"/jobs/{name}/answer", {"answer": "the red ones"}).status_code == 202
            rest = shows.events(name, places(before)[-1])
            assert shows.reaches(name, "ended")["summary"]
            assert lasting(before) + lasting(rest) == lasting(shows.events(name)) and "run_ended" in rest
        assert len(model.bodies) > asked and "the red ones" in json.dumps(model.bodies[asked:])
    assert main(["replay", name, "--durable", url]) == 0


def test_a_token_sees_and_spends_what_is_its_own_at_any_service(tmp_path: Path) -> None:
    """A run is not there for another; what its runs made and may make counts at both services, even at once."""
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    tokens = tmp_path / "tokens"
    tokens.write_text("anna-0123456789abcdef name=anna calls=60\nbert-0123456789abcdef name=bert\n")
    tokens.chmod(0o600)
    anna, bert = ({"Authorization": f"Bearer {who}-0123456789abcdef"} for who in ("anna", "bert"))
    with served() as model:
        model.was_measured()
        works = Service(tmp_path, url, model.url, "--token-file", str(tokens))
        with ended(works):
            shows = Service(tmp_path, url, model.url, "--no-worker", "--token-file", str(tokens))
            with ended(shows):
                name = shows.job(headers=anna, budget={"calls": 40})
                assert works.get(f"/jobs/{name}", **bert).status_code == 404
                assert works.get(f"/jobs/{name}").status_code == 401
                assert works.get("/jobs", **bert).json()["jobs"] == []
                until(lambda: works.state(name, **anna) == "ended", 60)
                body = {"task": TASK, "async": True, "budget": {"calls": 40}}
                with ThreadPoolExecutor(6) as many:
                    asked = [many.submit(one.post, "/run", body, **anna) for one in (works, shows) * 3]
                codes = sorted(reply.result().status_code for reply in asked)
                assert codes == [202, 403, 403, 403, 403, 403], "the first took 40 only until it had ended"
                assert works.post("/run", {"task": TASK, "async": True}, **bert).status_code == 202


@pytest.mark.requirement("X5k")
def test_a_token_has_so_many_runs_at_once_at_any_service(tmp_path: Path) -> None:
    """Accepted at either service, its second run waits until the first has ended; another's does not."""
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    tokens = tmp_path / "tokens"
    tokens.write_text("anna-0123456789abcdef name=anna runs=1\nbert-0123456789abcdef name=bert\n")
    tokens.chmod(0o600)
    anna, bert = ({"Authorization": f"Bearer {who}-0123456789abcdef"} for who in ("anna", "bert"))
    gate = threading.Event()
    with served() as model:
        model.was_measured()
        model.before = lambda handler, body: not gate.wait(30)
        works = Service(tmp_path, url, model.url, "--token-file", str(tokens), "--parallel", "4")
        with ended(works):
            shows = Service(tmp_path, url, model.url, "--no-worker", "--token-file", str(tokens))
            with ended(shows):
                first, second = works.job(headers=anna), shows.job(headers=anna)
                other = shows.job(headers=bert)
                until(lambda: (works.state(first, **anna), works.state(other, **bert)) == ("running", "running"))
                job = works.get(f"/jobs/{second}", **anna).json()
                assert (job["state"], job["position"]) == ("queued", 0)
                gate.set()
                until(lambda: works.state(second, **anna) == "ended", 60)


def test_a_run_and_whose_it_is_are_written_together_or_not_at_all(place: Place) -> None:
    """Where the service ends between the two, there is neither; asked for again with its key, both are there once."""
    accepted, opening = Accepted(place.jobs), errands.opening("one", 1, place.counts.tool)
    record = RunRecord.new("one", "anna", opening.engine, {"task": TASK}, "key", "digest", None)

    def half(within: sa.Connection) -> None:
        place.jobs.submit(opening, owner="anna", within=within)
        raise UsageError("the service ends")

    with pytest.raises(UsageError, match="the service ends"):
        accepted.add(record, None, half)
    assert accepted.get("one") is None and accepted.keyed("anna", "key") is None and place.jobs.latest() == []
    for is_new in (True, False):
        added, new = accepted.add(record, None, lambda within: place.jobs.submit(opening, owner="anna", within=within))
        assert (added.id, added.state, new) == ("one", "queued", is_new)
        record = record._replace(id="two")
    assert [(job.id, job.owner) for job in place.jobs.latest()] == [("one", "anna")]


def test_a_run_reads_the_folders_that_it_names(tmp_path: Path) -> None:
    """A worker with two opens for a run what that was made with, one by a link too; without a word all are there."""
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "prices.txt").write_text(f"A pen of shop {name} costs 2.40 euros.")
    (tmp_path / "link").symlink_to(tmp_path / "two")
    folders = ("--files", str(tmp_path / "one"), "--files", str(tmp_path / "link"))
    with served() as model:
        model.was_measured()
        shows = Service(tmp_path, url, model.url, "--no-worker", *folders)
        worker = Program(tmp_path, url, model.url, "worker", *folders)
        with ended(shows, worker):
            for sources, names in ((["two"], ["two"]), (None, ["one", "two"]), ([], [])):
                name = shows.job(**({"sources": sources} if sources is not None else {}))
                assert shows.reaches(name, "ended")["stop_reason"] == "converged"
                with Jobs(url) as jobs:
                    tools = ",".join(map(str, jobs.journal(name).setup["tools"]))
                found = [one for one in ("one", "two") if f"files={tmp_path / one}" in tools]
                assert found == names and str(tmp_path) not in shows.get(f"/jobs/{name}/history").text
    assert "which this worker has not" not in worker.log.read_text()


def test_options_that_do_not_go_together_are_one_line(
    pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two places for runs, limits without a database, a wrong address, a name that another service has."""
    port = ["serve", "--port", "0", "--model", pair.model.url]
    for options, words in (
        (["--durable", pair.url, "--runs", str(tmp_path)], "two places for runs"),
        (["--limit", "2"], "--limit needs --durable URL"),
        (["--no-worker"], "--no-worker needs --durable URL"),
        (["--durable", "mysql://x/y"], "names no database that can be used"),
        (["--durable", "postgresql://aeon@127.0.0.1:1/runs"], "Connection refused"),
        (["--durable", pair.url, "--name", "works"], "one called 'works' is at work already"),
    ):
        assert main([*port, *options]) == 2
        said = capsys.readouterr().err.strip()
        assert words in said and len(said.splitlines()) <= 2 and "Traceback" not in said, said
