"""``aeon serve --durable`` where nothing can be written: each request says so, and no run that was accepted is lost."""

from __future__ import annotations

import asyncio
import resource
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from cli.played_model import served

from aeon.durable.database import Address, Database
from aeon.llm.scripted import Scripted
from aeon.server.app import application
from aeon.server.durable import DurableService, Work
from aeon.server.equipment import Equipment

from .services import TASK, Service, ended

pytestmark = pytest.mark.requirement("X5g", "X5i", "V2b", "V2d")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the files of another process")
def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path) -> None:
    """What cannot be kept gets 507, what is there is shown; with room again all accepted runs end."""
    with served() as model:
        model.was_measured()
        service = Service(tmp_path, f"sqlite:///{tmp_path / 'runs.sqlite'}", model.url, "--parallel", "1")
        with ended(service):
            done = service.job()
            service.reaches(done, "ended")
            story = service.events(done)
            names = [service.job() for _ in range(3)]
            _, most = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (0, most))
            asked = {"/run": {"task": TASK}, f"/jobs/{done}/fork": {"at": 0}, f"/jobs/{names[2]}/cancel": {}}
            for path, body in asked.items():
                refused = service.post(path, body)
                assert refused.status_code == 507, refused.text
                error = refused.json()["error"]
                assert error["type"] == "storage" and error["retryable"] and "make room" in error["message"]
            assert service.events(done) == story and service.state(names[2]) == "queued"
            assert len(service.get("/jobs").json()["jobs"]) == 4, "nothing was started"
            resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (most, most))
            for name in (*names, service.job()):
                assert service.reaches(name, "ended", "failed")["stop_reason"] == "converged"
            assert len(service.get("/jobs").json()["jobs"]) == 5


def test_a_disk_without_room_takes_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not ready either, and says what to do."""
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
    database = Database(Address.of(f"sqlite:///{tmp_path / 'runs.sqlite'}"), create=True)
    service = DurableService(database, Equipment(Scripted("")), Work(limits=None))

    async def asked() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(app=application(service))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return [await client.post("/run", json={"task": TASK, "async": True}), await client.get("/readyz")]

    try:
        for refused in asyncio.run(asked()):
            assert refused.status_code == 507 and refused.json()["error"]["type"] == "storage"
            assert "make room" in refused.json()["detail"]
    finally:
        asyncio.run(service.close())
