"""The same on a Postgres server of the test's own: its workers and the server itself are killed."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli.played_model import served
from equipment import needs

from aeon.durable.jobs import Jobs
from aeon.errors import InputFileError

from .conftest import Place, chaos, place_in, postgres, until
from .services import ROOM, TASK, Service, ended
from .test_limits import test_one_token_cannot_take_the_room_of_others as room_of_a_token
from .test_limits import test_runs_of_one_model_share_its_slots_whatever_their_tools as slots_of_a_model

pytestmark = [
    needs(postgres.binaries(), "Postgres", "apt install postgresql"),
    pytest.mark.xdist_group("postgres"),  # one server for all of them
]


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Postgres]:
    """A server, and a database on it."""
    with postgres.Postgres() as server:
        yield server


@pytest.fixture
def away(server: postgres.Postgres, tmp_path: Path) -> Iterator[Place]:
    """A place on that server."""
    query(server, "CREATE DATABASE away")
    yield from place_in(tmp_path, server.url_of("away"))


def query(server: postgres.Postgres, sql: str) -> None:
    """Carry out a statement as the owner."""
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", server.url, "-c", sql], check=True, capture_output=True)


@pytest.mark.requirement("X5", "X5a", "X5f", "X5g")
def test_runs_end_as_if_nobody_had_killed_their_workers_or_their_database(
    server: postgres.Postgres, tmp_path: Path
) -> None:
    """Every run ends; histories are equal but for times; no post is lost, and none is made twice."""
    query(server, "CREATE DATABASE chaos")
    plan = chaos.Plan(
        server.url_of("chaos"), runs=10, workers=2, every=5, by_posts=True, beat=0.3, patience=3.0, most=120
    )
    found = chaos.chaos(plan, tmp_path, server)
    assert found["kills"] >= 2 and found["restarts"] >= 1, found
    assert found["ended"] == found["replayed"] == found["runs"] == 10
    assert found["same_history"] + found["asked_whether_done"] == 10 and found["other_history"] == []
    assert (found["posts_lost"], found["posts_twice"], found["posts_unwanted"]) == (0, 0, 0)


@pytest.mark.requirement("X5g")
def test_a_worker_waits_for_a_database_that_is_away(server: postgres.Postgres, away: Place) -> None:
    """It says so once, goes on when it is back, and nobody is taken for dead meanwhile."""
    log = away.folder / "workers.log"
    with away.worker(posting=0.1):
        away.submit("one", rounds=5)
        until(lambda: away.posts("one"))
        server.kill()
        until(lambda: "the database does not answer" in log.read_text())
        with pytest.raises(InputFileError, match="Connection refused"):
            Jobs(away.url)
        server.start()
        until(lambda: "the database is back" in log.read_text())
        ended = until(lambda: chaos.answered(away.jobs, away.counts) or away.jobs.get("one").state == "ended", 90)
        assert ended and away.reaches("one", "ended")
    assert away.posts("one") == [1] * 5
    assert log.read_text().count("does not answer") == 1


@pytest.mark.requirement("X5h")
def test_what_a_server_refuses_is_one_line(server: postgres.Postgres) -> None:
    """A database that is not there, a user that is not, and one without the right to make tables."""
    query(server, "CREATE ROLE guest LOGIN")
    query(server, "REVOKE CREATE ON DATABASE postgres FROM PUBLIC, guest")
    for url, words in (
        (server.url_of("nosuch"), 'database "nosuch" does not exist'),
        (server.url_of("postgres", "nobody"), 'role "nobody" does not exist'),
        (server.url_of("postgres", "guest"), "permission denied"),
    ):
        with pytest.raises(InputFileError, match=words) as refused:
            Jobs(url, create=True)
        assert "\n" not in str(refused.value)
    with pytest.raises(InputFileError, match="holds no runs of Aeon"):
        Jobs(server.url_of("postgres", "guest"))


@pytest.mark.requirement("X5i", "X5g", "V2")
def test_a_service_waits_for_a_database_that_is_away(server: postgres.Postgres, tmp_path: Path) -> None:
    """Meanwhile it answers 503; its streams wait and go on, and so does the run; keys and budgets hold at once."""
    query(server, "CREATE DATABASE served")
    tokens = tmp_path / "tokens"
    tokens.write_text("anna-0123456789abcdef name=anna calls=100\n")
    tokens.chmod(0o600)
    anna = {"Authorization": "Bearer anna-0123456789abcdef"}
    gate = threading.Event()
    with served() as model:
        model.was_measured()
        model.before = lambda handler, body: not gate.wait(60)
        service = Service(tmp_path, server.url_of("served"), model.url, "--token-file", str(tokens))
        with ended(service), ThreadPoolExecutor(8) as many:
            body = {"task": TASK, "async": True, "config": {"caps": ROOM}, "budget": {"calls": 60}}
            once = [many.submit(service.post, "/run", body, **anna, **{"Idempotency-Key": "one"}) for _ in range(6)]
            (name,) = {reply.result().json()["id"] for reply in once}
            until(lambda: service.state(name, **anna) == "running", 60)
            stream = many.submit(lambda: service.get(f"/jobs/{name}/events", **anna).text)
            other = [many.submit(service.post, "/run", body, **anna) for _ in range(4)]
            assert {reply.result().status_code for reply in other} == {403}
            server.kill()
            gone = service.get(f"/jobs/{name}", **anna)
            assert gone.status_code == 503 and gone.json()["error"]["type"] == "database_away"
            assert service.post("/run", body, **anna).status_code == 503
            server.start()
            gate.set()
            until(lambda: service.get(f"/jobs/{name}", **anna).json().get("state") == "ended", 90)
            text = stream.result(timeout=60)
    ids = [line for line in text.splitlines() if line.startswith("id: ")]
    assert "event: run_ended" in text and len(ids) == len(set(ids))


@pytest.mark.requirement("X5k")
@pytest.mark.parametrize("check", [slots_of_a_model, room_of_a_token], ids=["slots", "tokens"])
def test_limits_hold_on_a_server(server: postgres.Postgres, tmp_path: Path, check: Callable[[Place], None]) -> None:
    """As on a file."""
    name = f"limits_{tmp_path.name[-8:].replace('-', '_').lower()}"
    query(server, f'CREATE DATABASE "{name}"')
    for place in place_in(tmp_path, server.url_of(name)):
        check(place)
