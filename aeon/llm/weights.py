"""The cache of model weights: found if whole, fetched if missing, checked by SHA-256, usable offline from then on."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

from filelock import FileLock
from pydantic import ValidationError

from aeon.errors import ChecksumMismatch, DiskFull, DownloadFailed, WeightsError
from aeon.home import cache_dir
from aeon.llm.catalogue import CatalogueEntry, Mirror
from aeon.llm.download import NO_SPACE, Progress, Report, fetch, room_needed, source
from aeon.schema.frozen import Frozen

__all__ = ["Progress", "Report", "find", "path_of", "pull"]


class _Stamp(Frozen):
    """The state of a file when its hash was last computed: bytes, modification time in ns, SHA-256."""

    size: int
    mtime_ns: int
    sha256: str


def path_of(entry: CatalogueEntry) -> Path:
    """Where the entry's weights lie, once they are fetched."""
    return cache_dir() / "models" / entry.file_name


def find(entry: CatalogueEntry) -> Path | None:
    """The path of the entry's verified weights, ``None`` if they are not in the cache.

    The file is hashed once; a stamp beside it remembers the result for as long as its size and time stay the same.
    Raises `ChecksumMismatch` for a file that is not what the catalogue names.
    """
    path = path_of(entry)
    if not path.exists():
        return None
    stamp = _current_stamp(path, entry)
    if stamp.sha256 != entry.sha256:
        raise ChecksumMismatch(
            f"{path} is not {entry.title}: {stamp.size} bytes with SHA-256 {stamp.sha256 or 'not computed'}, expected "
            f"{entry.size} bytes with {entry.sha256}; delete the file and it will be fetched again"
        )
    return path


def pull(entry: CatalogueEntry, progress: Report | None = None) -> Path:
    """The path of the entry's verified weights, fetched from the first mirror that can give them.

    ``progress`` receives the bytes done and in all. Two processes that pull the same file wait for each other. What an
    interrupted pull has brought is kept, and used by the next one. Raises `DownloadFailed` if no mirror could give the
    file, `ChecksumMismatch` if what it gave is not the file, `DiskFull` if there is no room, `WeightsError` if the
    cache cannot be written.
    """
    weights = find(entry)
    if weights is not None:
        return weights
    path = path_of(entry)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f".{path.name}.lock")):
            return find(entry) or _pull(entry, path, progress or (lambda _: None))
    except OSError as error:
        if error.errno in NO_SPACE:
            raise _disk_full(path, entry.size) from None
        raise WeightsError(f"cannot write to {path.parent}: {error}; set AEON_HOME to a folder that can be") from None


def _pull(entry: CatalogueEntry, path: Path, report: Report) -> Path:
    failures: list[str] = []
    wrong = False
    for number, mirror in enumerate(entry.mirrors):
        part = path.with_name(f".{path.name}.{number}.part")
        try:
            _from_mirror(mirror, entry, part, report)
        except (DownloadFailed, ChecksumMismatch) as error:
            wrong = wrong or isinstance(error, ChecksumMismatch)
            failures.append(f"{source(mirror)}: {error}")
            continue
        part.replace(path)
        _write_stamp(path, entry.sha256)
        _clean(path, len(entry.mirrors))
        return path
    reasons = "; ".join(failures)
    if wrong:
        raise ChecksumMismatch(
            f"{entry.title} did not arrive intact: {reasons}; report the mirror, and try again later"
        )
    raise DownloadFailed(
        f"no mirror could give {entry.title}: {reasons}; check the network, the proxy and pip's index, then try again "
        f"(what has arrived is kept), or put the file at {path}"
    )


def _from_mirror(mirror: Mirror, entry: CatalogueEntry, part: Path, report: Report) -> None:
    needed = room_needed(mirror, entry, part)
    if shutil.disk_usage(part.parent).free < needed:
        raise _disk_full(part, needed)
    fetch(mirror, entry, part, report)
    digest = _digest(part)
    if digest != entry.sha256:
        part.unlink()
        part.with_suffix(".joined").unlink(missing_ok=True)
        raise ChecksumMismatch(f"SHA-256 is {digest}, expected {entry.sha256}")


def _disk_full(path: Path, needed: int) -> DiskFull:
    return DiskFull(
        f"no room in {path.parent}: {needed / 1e6:,.0f} MB are needed; free some, or set AEON_HOME to a larger disk"
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _current_stamp(path: Path, entry: CatalogueEntry) -> _Stamp:
    """The file's stamp, computed anew if the file changed; a file of the wrong size is not worth hashing."""
    status = path.stat()
    if status.st_size != entry.size:
        return _Stamp(size=status.st_size, mtime_ns=status.st_mtime_ns, sha256="")
    try:
        stamp = _Stamp.model_validate_json(_stamp_path(path).read_text())
    except (FileNotFoundError, ValidationError):
        stamp = None
    if stamp is not None and (stamp.size, stamp.mtime_ns) == (status.st_size, status.st_mtime_ns):
        return stamp
    return _write_stamp(path, _digest(path))


def _write_stamp(path: Path, digest: str) -> _Stamp:
    """Remember the hash; a cache that is read-only is hashed again next time."""
    status = path.stat()
    stamp = _Stamp(size=status.st_size, mtime_ns=status.st_mtime_ns, sha256=digest)
    fresh = _stamp_path(path).with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        fresh.write_text(stamp.model_dump_json())
        fresh.replace(_stamp_path(path))
    return stamp


def _clean(path: Path, mirrors: int) -> None:
    """Remove what transfers left behind: the parts of mirrors that were tried before, states and wheels."""
    for number in range(mirrors):
        part = path.with_name(f".{path.name}.{number}.part")
        part.unlink(missing_ok=True)
        part.with_suffix(".joined").unlink(missing_ok=True)
        shutil.rmtree(part.with_suffix(".wheels"), ignore_errors=True)
