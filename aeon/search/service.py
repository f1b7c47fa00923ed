"""A search service that answers with JSON: asked once, and what goes wrong is put into words."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping

from aeon.documents.plain import decode
from aeon.errors import ConfigError, ToolFailed
from aeon.schema import SearchProblem
from aeon.schema.frozen import JsonValue
from aeon.search.client import LIMITS, Ask, Client, Limits, Reply
from aeon.search.failures import of_status
from aeon.search.guard import AddressRefused, Guard, Place, parse

__all__ = ["Service"]

_HINTS: dict[int | str, str] = {
    400: "it does not take this request: check its parameters",
    401: "it wants a key, or another one: check the headers",
    403: "it does not let this request in: check the key and its rights",
    404: "there is no such address: check the URL",
    405: "it wants another method: check it",
}

_ONE_REQUEST = 400
"""The status that may be about one query alone: another one may be answered."""


class Service:
    """The server at an address that the user named; it may be on this machine, and only it is allowed to be.

    ``hints`` say for a status what to change, "html" for a page where JSON was expected.

    Raises:
        ConfigError: the address is none.
    """

    def __init__(
        self,
        url: str,
        hints: Mapping[int | str, str] | None = None,
        limits: Limits = LIMITS,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        try:
            self.place: Place = parse(url)
        except AddressRefused as refusal:
            raise ConfigError(str(refusal)) from None
        self._hints = {**_HINTS, **(hints or {})}
        self._client = Client(Guard((self.place.entry,)), limits, tls)

    async def ask(self, ask: Ask) -> JsonValue | SearchProblem:
        """Return what the service answers. Makes one attempt and never raises."""
        reply = await self._client.fetch(ask)
        if isinstance(reply, SearchProblem):
            return reply
        where = self.place.server
        if hint := self._hints.get(reply.status):
            message = f"{where} answered with status {reply.status}: {hint}"
            return _refused(message) if reply.status == _ONE_REQUEST else self._wrong(message)
        return of_status(reply.status, where, reply.wait) or self._content(reply, where)

    def _content(self, reply: Reply, where: str) -> JsonValue | SearchProblem:
        if not reply.body.strip():
            return SearchProblem(kind="malformed", message=f"{where} answered with nothing", retryable=True)
        try:
            content: JsonValue = json.loads(decode(reply.body, where, reply.charset))
        except RecursionError:
            return _malformed(f"{where} answered with JSON that is nested too deeply")
        except (ValueError, ToolFailed):
            if reply.content_type == "text/html" or reply.body.lstrip()[:1] == b"<":
                hint = self._hints.get("html", "check the URL and whether it wants a key")
                return self._wrong(f"{where} answered with a page, not with JSON: {hint}")
            return _malformed(f"{where} answered with what is no JSON")
        return content

    def _wrong(self, message: str) -> SearchProblem:
        return SearchProblem(kind="configuration", message=message, retryable=False)


def _refused(message: str) -> SearchProblem:
    return SearchProblem(kind="server", message=message, retryable=False)


def _malformed(message: str) -> SearchProblem:
    return SearchProblem(kind="malformed", message=message, retryable=False)
