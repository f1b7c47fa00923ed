"""How much a piece of work in a process of its own may take."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TypeAlias

try:
    import resource
except ImportError:  # Windows has none: there the parent's clock and the limit on output hold alone
    resource = None  # type: ignore[assignment]

__all__ = ["MEGABYTE", "Limits", "impose", "kept_bytes"]

MEGABYTE = 1024 * 1024

_Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Limits:
    """Bytes of memory, seconds of the processor, and bytes of output, each file that is written counted by itself.

    ``clock`` is how many seconds the work may take by the clock when its process is there, if not as many as a busy
    machine makes of those of the processor; ``files`` how many bytes each file may have, if not as many as the output.
    """

    memory: int
    seconds: float
    output: int
    clock: float | None = None
    files: int | None = None


def impose(limits: Limits) -> None:
    """Hold this process to the limits from now on, as far as the system can.

    Linux counts the memory that can be written to; what a library only reserves is free. macOS ignores the limit on
    memory. Nothing is held where there is no module ``resource``.
    """
    if resource is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    for kind, value in (
        (memory, limits.memory),
        (resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + limits.seconds)),
        (resource.RLIMIT_FSIZE, limits.output if limits.files is None else limits.files),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, _under(value, resource.getrlimit(kind)))


def _under(value: int, now: _Pair) -> _Pair:
    """The soft limit, never above the hard one, which stays: the next file may have more."""
    hard = now[1]
    is_endless = resource is None or hard == resource.RLIM_INFINITY
    return (value if is_endless else min(value, hard), hard)


def kept_bytes() -> int:
    """Bytes of memory that this process holds and could write to, 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[5])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * resource.getpagesize() if resource is not None else 0
