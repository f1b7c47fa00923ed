"""Searching the web through a SearXNG, the metasearch engine that anyone can run."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from urllib.parse import urlencode

from aeon.errors import ConfigError
from aeon.schema import Found, SearchProblem
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.search.client import LIMITS, Ask, Limits
from aeon.search.pages import Pages
from aeon.search.results import Result, found
from aeon.search.service import Service
from aeon.text import one_line

__all__ = ["SearXNG"]

_FORMATS = "add json to search.formats in its settings.yml and start it again"
_HINTS: dict[int | str, str] = {
    400: "it does not take this query",
    403: _FORMATS,
    404: "there is no SearXNG: give the address of its start page",
    "html": _FORMATS,
}


class SearXNG:
    """Asks the SearXNG at ``url`` and reads the pages that its results lead to.

    Raises:
        ConfigError: ``url`` is no address of a server.
        MissingExtraError: the extra that reads pages is not installed.
    """

    local = False

    def __init__(
        self,
        url: str,
        pages: Pages,
        name: str = "searxng",
        limits: Limits = LIMITS,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        pages.require()
        self.name = name
        self._pages = pages
        self._service = Service(url, _HINTS, limits, tls)
        place = self._service.place
        if place.url.query:
            raise ConfigError(f"the address of the SearXNG at {place.server} has a query in it; leave it out")
        self._address = f"{str(place).rstrip('/').removesuffix('/search')}/search"

    async def search(self, query: str, most: int) -> Found:
        """Return the passages of the first ``most`` results that fit the query best, best first."""
        if most < 1 or not query.strip():
            return Found(provider=self.name)
        url = f"{self._address}?{urlencode({'q': query, 'format': 'json'}, errors='replace')}"
        content = await self._service.ask(Ask(url, stays=True))
        if isinstance(content, SearchProblem):
            return Found(provider=self.name, problem=_explained(content))
        if not isinstance(content, dict) or not isinstance(items := content.get("results"), list):
            message = f"{self._service.place.server} answered with JSON that has no list of results"
            problem = SearchProblem(kind="malformed", message=message, retryable=False)
            return Found(provider=self.name, problem=problem)
        silent = one_line(", ".join(_silent(content)), 200)
        if silent and not items:
            message = f"no engine of {self._service.place.server} answered: {silent}"
            return Found(provider=self.name, problem=_of_engines(message))
        problems = [_of_engines(f"engines that did not answer: {silent}")] if silent else []
        results = (_result(item) for item in items)
        return await found(self.name, query, most, results, self._pages, problems)


def _explained(problem: SearchProblem) -> SearchProblem:
    """The problem; of a limit, with what lifts it where the SearXNG is one's own."""
    if problem.kind != "rate_limited":
        return problem
    hint = "if it always does, its limiter refuses programs: set server.limiter to false in its settings.yml"
    return problem.changed(message=f"{problem.message}; {hint}")


def _of_engines(message: str) -> SearchProblem:
    return SearchProblem(kind="server", message=message, retryable=True)


def _result(item: JsonValue) -> Result:
    fields = item if isinstance(item, dict) else {}
    texts = {name: _text(fields, key) for name, key in _FIELDS.items()}
    return Result(**texts)


_FIELDS = {"url": "url", "title": "title", "text": "content", "published": "publishedDate"}


def _text(fields: JsonObject, key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _silent(content: JsonObject) -> Iterator[str]:
    """The engines that gave nothing, each with the reason."""
    engines = content.get("unresponsive_engines")
    for engine in engines if isinstance(engines, list) else []:
        if isinstance(engine, list):
            yield ": ".join(part for part in engine if isinstance(part, str))
