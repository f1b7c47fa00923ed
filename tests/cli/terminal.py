"""The command line at a terminal of its own: what is typed goes in, what stands on the screen comes out."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time

from .prepared import command

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A process of the command line whose standard streams are one pseudo-terminal."""

    def __init__(self, *arguments: str, **environ: str) -> None:
        self._own, theirs = pty.openpty()
        env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "COLUMNS": "100"} | environ
        self.process = subprocess.Popen(
            command(*arguments, terminal=True), stdin=theirs, stdout=theirs, stderr=theirs, env=env,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self._raw = b""
        self.screen = ""

    def until(self, words: str) -> None:
        """Read until these words stand on the screen, wherever its lines end."""
        deadline = time.monotonic() + 20
        while words not in self.screen and words not in " ".join(self.screen.split()):
            assert time.monotonic() < deadline, self.screen
            if not self._read(0.05):
                assert self.process.poll() is None, self.screen

    def types(self, text: str) -> None:
        """Type something; the character 3 is Ctrl-C, and 4 is Ctrl-D."""
        os.write(self._own, text.encode())

    def ended(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + 20
        while self._read(0.05) or self.process.poll() is None:
            assert time.monotonic() < deadline, self.screen
        os.close(self._own)
        return self.process.wait()

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._own], [], [], seconds)
        try:
            more = os.read(self._own, 65536) if ready else b""
        except OSError:  # its other end is closed
            more = b""
        self._raw += more
        self.screen = _ESCAPES.sub("", self._raw.decode("utf-8", "replace"))
        return bool(more)
