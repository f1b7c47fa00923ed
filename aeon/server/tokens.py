"""The tokens of a server's clients: a file of them, kept in memory as hashes alone."""

from __future__ import annotations

import hashlib
import hmac
import re
import stat
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from aeon.errors import InputFileError
from aeon.server.problems import Problem

__all__ = ["NO_ROOMS", "Token", "Tokens"]

_HASHED = re.compile(r"sha256:([0-9a-f]{64})")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_MOST_DIGITS = 15
_SHORTEST = 16
NO_ROOMS: Mapping[str, int | None] = MappingProxyType({})
"""Where no owner has a limit on runs."""
_LARGEST = 1_000_000
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="aeon"'}


class Token(NamedTuple):
    """A token by its SHA-256, whose it is, and until when it holds.

    ``calls`` are the model calls that its runs may make in all, ``runs`` how many of them are under way at once.
    """

    digest: bytes
    owner: str
    expires: datetime | None = None
    calls: int | None = None
    runs: int | None = None


class Tokens:
    """The tokens that open a server. Each line of the file is one, as ``TOKEN`` or ``sha256:HEX``.

    Behind it may stand ``name=WHO``, ``expires=2027-01-31`` (or a date and time in ISO form; UTC where it says no
    zone), ``calls=N``, the model calls that all its runs may make, and ``runs=N``, how many of them are under way at
    once. Empty lines and those that begin with ``#`` do not count. A job belongs to the name.

    Raises:
        InputFileError: a line is no token, one is too short or stands twice; names the line, never the token.
    """

    def __init__(self, lines: list[str], where: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._tokens: list[Token] = []
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.lstrip().startswith("#"):
                self._add(line.split(), f"{where}: line {number}")
        if not self._tokens:
            raise InputFileError(f"{where}: holds no token; make one with: openssl rand -hex 32")

    def _add(self, words: list[str], where: str) -> None:
        hashed = _HASHED.fullmatch(words[0])
        if hashed is None and len(words[0]) < _SHORTEST:
            raise InputFileError(f"{where}: a token has at least {_SHORTEST} characters: openssl rand -hex 32")
        digest = bytes.fromhex(hashed[1]) if hashed else hashlib.sha256(words[0].encode()).digest()
        if any(token.digest == digest for token in self._tokens):
            raise InputFileError(f"{where}: this token stands above already")
        token = Token(digest, digest.hex()[:12])
        for word in words[1:]:
            token = token._replace(**_said(word, where))
        self._tokens.append(token)

    @property
    def has_budgets(self) -> bool:
        """Whether a token says how many model calls its runs may make, or how many runs it may have."""
        return any(token.calls is not None or token.runs is not None for token in self._tokens)

    @property
    def rooms(self) -> dict[str, int | None]:
        """How many runs each owner may have under way; of several tokens with one name, the fewest that one says."""
        rooms: dict[str, int | None] = {}
        for token in self._tokens:
            said = [most for most in (token.runs, rooms.get(token.owner)) if most is not None]
            rooms[token.owner] = min(said, default=None)
        return rooms

    @classmethod
    def read(cls, path: str | Path) -> Tokens:
        """The tokens in a file that nobody else may read.

        Raises:
            InputFileError: it cannot be read, others may read it, or it holds no tokens.
        """
        file = Path(path)
        try:
            status = file.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                raise InputFileError(f"{path}: is no file of tokens")
            if status.st_mode & 0o077:
                raise InputFileError(f"{path}: others may read it; keep it to yourself: chmod 600 {path}")
            text = file.read_text("utf-8")
        except OSError as error:
            raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputFileError(f"{path}: is no UTF-8 text") from None
        return cls(text.splitlines(), str(path))

    def found(self, authorization: str | None) -> Token:
        """The token that a header ``Authorization`` carries. Every token is compared, in constant time.

        Raises:
            Problem: it carries none, a wrong one, or one whose time is over.
        """
        scheme, _, said = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not said.strip():
            raise Problem(401, "unauthorized", "send a token: Authorization: Bearer TOKEN", headers=_CHALLENGE)
        digest = hashlib.sha256(said.strip().encode("utf-8", "surrogateescape")).digest()
        found: Token | None = None
        for token in self._tokens:
            found = token if hmac.compare_digest(token.digest, digest) else found
        if found is None:
            raise Problem(401, "unauthorized", "this token is not known here", headers=_CHALLENGE)
        if found.expires is not None and found.expires <= self._clock():
            raise Problem(401, "expired", "the time of this token is over; ask for a new one", headers=_CHALLENGE)
        return found


def _said(word: str, where: str) -> dict[str, Any]:
    """What a word behind a token says of it."""
    name, _, value = word.partition("=")
    if name == "name" and _NAME.fullmatch(value):
        return {"owner": value}
    if name == "expires":
        return {"expires": _time(value, where)}
    number = _number(value)
    if number is not None and (name == "calls" or (name == "runs" and number)):
        return {name: number}
    known = "name=WHO, expires=YYYY-MM-DD, calls=N and runs=N above 0"
    raise InputFileError(f"{where}: behind a token stand {known}, nothing else")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def _time(text: str, where: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise InputFileError(f"{where}: expires= takes a date such as 2027-01-31") from None
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
