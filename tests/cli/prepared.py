"""Begins the command line in a process that is made ready for it: ``prepared.py WHAT ARGUMENTS``, with WHAT as JSON.

It hears Ctrl-C also where the tests run in background; ``terminal`` makes standard input its controlling terminal,
``closed`` are descriptors that the shell closed, ``bytes`` is how long a file may grow. What is made ready between
fork and exec in a process that has threads may wait for ever, so this is a program of its own.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import signal
import sys
import termios

__all__ = ["command"]


def command(*arguments: str, **ready: object) -> list[str]:
    """The command that does so."""
    return [sys.executable, "-S", "-E", __file__, json.dumps(ready), *arguments]


def main() -> None:
    """Make this process ready, and become the command line."""
    ready = json.loads(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if ready.get("terminal"):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    if "bytes" in ready:
        resource.setrlimit(resource.RLIMIT_FSIZE, (ready["bytes"], ready["bytes"]))
    for number in ready.get("closed", ()):
        os.close(number)
    os.execv(sys.executable, [sys.executable, "-m", "aeon.cli.main", *sys.argv[2:]])


if __name__ == "__main__":
    main()
