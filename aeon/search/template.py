"""Searching any HTTP service that answers with JSON, by a file that says how to ask it and where its results stand."""

from __future__ import annotations

import json
import os
import re
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pydantic import Field

from aeon.errors import ConfigError
from aeon.schema import Found, SearchProblem
from aeon.schema.frozen import Frozen, JsonValue
from aeon.search.client import LIMITS, Ask, Limits
from aeon.search.guard import AddressRefused, parse
from aeon.search.pages import Pages
from aeon.search.results import Result, found
from aeon.search.service import Service
from aeon.settings import load
from aeon.text import one_line

__all__ = ["Template", "TemplateSearch", "read_template"]

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_POINTER = re.compile(r"(/([^~/]|~[01])*)*")
_HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")
_VALUE = re.compile(r"([A-Za-z]+ )?\$([A-Za-z_][A-Za-z0-9_]*)")
_ABSENT = object()


class Template(Frozen):
    """How a service is asked, and where in its JSON the results stand.

    ``url`` holds ``{query}`` and ``{most}`` where the query and the number of results go; so may the texts of ``body``,
    which is sent as JSON with POST. A header is ``$VARIABLE`` or ``Bearer $VARIABLE``: its value comes from the
    environment. ``results`` is the JSON pointer (RFC 6901) to the list; ``address``, ``title``, ``text`` and ``date``
    are pointers within a result. Without ``pages``, the texts of the results are taken for their pages.
    """

    name: str = Field(default="", description="what records call it; the name of the file if empty")
    url: str = Field(default="", description="the address, with {query} and {most}")
    method: Literal["GET", "POST"] = "GET"
    headers: dict[str, str] = Field(default={}, description="the variables that hold the values of headers")
    body: dict[str, JsonValue] = Field(default={}, description="what POST sends, with {query} and {most}")
    results: str = Field(default="/results", description="the pointer to the list of results")
    address: str = Field(default="/url", description="the pointer to the address of a result")
    title: str = Field(default="/title", description="the pointer to the title of a result")
    text: str = Field(default="/content", description="the pointer to the text of a result")
    date: str = Field(default="", description="the pointer to the date of a result, if there is one")
    pages: bool = Field(default=True, description="whether the pages of the results are read")


class TemplateSearch:
    """Asks the service that a template describes; ``environ`` has the values of its headers.

    Raises:
        ConfigError: the template does not say where the query goes, or is wrong otherwise, or a variable is not set.
        MissingExtraError: the extra that reads pages is not installed, and pages are to be read.
    """

    local = False

    def __init__(
        self,
        template: Template,
        pages: Pages,
        environ: Mapping[str, str] | None = None,
        limits: Limits = LIMITS,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.name = template.name or "json"
        self._template = _checked(template)
        self._pages = pages if template.pages else None
        if template.pages:
            pages.require()
        self._headers = _headers(template, os.environ if environ is None else environ)
        self._service = Service(_filled(template.url, "query", 1), None, limits, tls)

    async def search(self, query: str, most: int) -> Found:
        """Return the passages of the first ``most`` results that fit the query best, best first."""
        if most < 1 or not query.strip():
            return Found(provider=self.name)
        template = self._template
        url = _filled(template.url, query, most)
        headers, content = dict(self._headers), b""
        if template.method == "POST":
            headers["Content-Type"] = "application/json"
            content = json.dumps(_with_values(template.body, query, most)).encode()
        answer = await self._service.ask(Ask(url, template.method, headers, content, stays=True))
        if isinstance(answer, SearchProblem):
            return Found(provider=self.name, problem=answer)
        items = _at(answer, template.results)
        if not isinstance(items, list) and items is not None:
            message = (
                f"the answer of {self._service.place.server} has no list at {template.results or 'its top'}: check "
                f"results in the template {one_line(self.name, 60)}"
            )
            problem = SearchProblem(kind="configuration", message=message, retryable=False)
            return Found(provider=self.name, problem=problem)
        results = (self._result(item) for item in items or [])
        return await found(self.name, query, most, results, self._pages)

    def _result(self, item: JsonValue) -> Result:
        template = self._template
        return Result(
            url=_text(item, template.address),
            title=_text(item, template.title),
            text=_text(item, template.text),
            published=_text(item, template.date) if template.date else "",
        )


def read_template(path: Path | str) -> Template:
    """Return the template in a file; its name is that of the file if it has none.

    Raises:
        InputFileError: the file cannot be read.
        ConfigError: it is not TOML or YAML, or holds a setting that is unknown or wrong.
        MissingExtraError: it is YAML, and PyYAML is not installed.
    """
    template = load(Template, path).config
    try:
        _checked(template)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    return template.changed(name=template.name or Path(path).stem)


def _checked(template: Template) -> Template:
    """The template. Raises ``ConfigError`` where it does not fit together."""
    if template.name != one_line(template.name, 60):
        raise ConfigError("name: it has to be one line of at most 60 characters")
    names = {name for text in (template.url, *_texts(template.body)) for name in _PLACEHOLDER.findall(text)}
    if unknown := sorted(names - {"query", "most"}):
        raise ConfigError(f"there is no placeholder {{{unknown[0]}}}; there are {{query}} and {{most}}")
    _check_server(template.url)
    if "query" not in names:
        raise ConfigError("url: {query} has to stand where the query goes, as in https://example.org/search?q={query}")
    if template.body and template.method != "POST":
        raise ConfigError("body: only the method POST sends one")
    for name in ("results", "address", "title", "text", "date"):
        if not _POINTER.fullmatch(pointer := getattr(template, name)):
            raise ConfigError(f"{name}: {one_line(repr(pointer), 60)} is no JSON pointer, such as /web/results")
    return template


def _check_server(url: str) -> None:
    """Raise ``ConfigError`` if the address is none, or the query could change the server that is asked."""
    try:
        servers = {parse(_filled(url, query, 1)).origin for query in ("a", "b")}
    except AddressRefused as refusal:
        raise ConfigError(f"url: {refusal}") from None
    if len(servers) > 1:
        raise ConfigError("url: {query} cannot stand in the name of the server")


def _headers(template: Template, environ: Mapping[str, str]) -> dict[str, str]:
    """The headers with their values. Raises ``ConfigError``, which never repeats a value."""
    headers = {}
    for name, text in template.headers.items():
        match = _VALUE.fullmatch(text)
        if not _HEADER.fullmatch(name) or name.lower() in ("host", "connection", "content-length", "content-type"):
            raise ConfigError(f"headers: {one_line(name, 60)!r} cannot be set")
        if match is None:
            raise ConfigError(
                f'headers.{name}: write the variable that holds the value, as in "$MY_KEY" or "Bearer $MY_KEY", never '
                "the value"
            )
        value = environ.get(match[2], "")
        if not value:
            raise ConfigError(f"headers.{name}: the variable {match[2]} is not set; export it")
        if not (value.isascii() and value.isprintable()):
            raise ConfigError(f"headers.{name}: {match[2]} holds characters that no header can; copy it anew")
        headers[name] = (match[1] or "") + value
    return headers


def _filled(url: str, query: str, most: int) -> str:
    """The address with its values, percent-encoded."""
    values = {"query": quote(query, safe="", errors="replace"), "most": str(most)}
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), url)


def _with_values(value: JsonValue, query: str, most: int) -> JsonValue:
    """The body with its values; a text that is ``{most}`` becomes a number."""
    match value:
        case "{most}":
            return most
        case str():
            values = {"query": query, "most": str(most)}
            return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), value)
        case dict():
            return {name: _with_values(inner, query, most) for name, inner in value.items()}
        case list():
            return [_with_values(inner, query, most) for inner in value]
    return value


def _texts(value: JsonValue) -> list[str]:
    match value:
        case str():
            return [value]
        case dict():
            return [text for inner in value.values() for text in _texts(inner)]
        case list():
            return [text for inner in value for text in _texts(inner)]
    return []


def _at(value: JsonValue, pointer: str) -> JsonValue | object:
    """What stands at a JSON pointer, `_ABSENT` if nothing does."""
    place: JsonValue = value
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, dict) and name in place:
            place = place[name]
        elif isinstance(place, list) and name.isdecimal() and name.isascii() and int(name[:9]) < len(place):
            place = place[int(name[:9])]
        else:
            return _ABSENT
    return place


def _text(item: JsonValue, pointer: str) -> str:
    """The text at a pointer, or a number as text; "" for anything else."""
    value = _at(item, pointer)
    if isinstance(value, bool):
        return ""
    return str(value) if isinstance(value, str | int | float) else ""
