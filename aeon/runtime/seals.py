"""The seals of a journal's lines: what shows an edit, and with a key who can have made it."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aeon.errors import ConfigError

__all__ = ["KEY_VARIABLE", "Sealer", "sealer"]

KEY_VARIABLE = "AEON_JOURNAL_KEY"
_SHORTEST_KEY, _LONGEST_KEY = 16, 4096


class Sealer(NamedTuple):
    """What seals lines: without a ``key`` a plain digest, which anybody can make, else an HMAC with SHA-256."""

    key: bytes = b""

    @property
    def name(self) -> str:
        """The field of a line that holds its seal."""
        return "mac" if self.key else "seal"

    def seal(self, line: bytes, before: str) -> str:
        """The hex digits over a line and the seal of the line before: 16, with a key 32."""
        if self.key:
            return hmac.new(self.key, before.encode() + line, hashlib.sha256).hexdigest()[:32]
        return hashlib.sha256(before.encode() + line).hexdigest()[:16]


def sealer(environ: Mapping[str, str] | None = None) -> Sealer:
    """The sealer with the key in the file that the variable ``AEON_JOURNAL_KEY`` names, or without one.

    Raises:
        ConfigError: the file cannot be read, or holds no key of 16 to 4096 bytes.
    """
    path = (os.environ if environ is None else environ).get(KEY_VARIABLE, "")
    if not path:
        return Sealer()
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ConfigError(f"{KEY_VARIABLE}: {path} is no file")
        with Path(path).open("rb") as file:
            key = file.read(_LONGEST_KEY + 3).rstrip(b"\r\n")
    except OSError as error:
        raise ConfigError(f"{KEY_VARIABLE}: {path} cannot be read: {error.strerror}") from None
    if not _SHORTEST_KEY <= len(key) <= _LONGEST_KEY:
        size = f"{_SHORTEST_KEY} to {_LONGEST_KEY} bytes"
        raise ConfigError(f"{KEY_VARIABLE}: {path} holds no key of {size}; make one with: openssl rand -hex 32")
    return Sealer(key)
