"""Whatever a server answers, a search ends in a value."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.documents.readers import CONTENT_TYPES
from aeon.schema import Found, SearchProblem
from aeon.search.pages import Page, Pages
from aeon.search.searxng import SearXNG
from search.web import client, names, run, send, serving

_WORDS = st.sampled_from(
    ["bridge", "\ud800", "http://127.0.0.1:1/a", "http://x.test/b", "javascript:1", "", "\x00", "//", "[1]"]
)
_NAMES = st.sampled_from(["results", "url", "title", "content", "publishedDate", "unresponsive_engines", "x"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_NAMES, inner, max_size=5),
    max_leaves=20,
)
_RESULT = st.dictionaries(_NAMES, _WORDS | _JSON, max_size=5)
_NAMED = ["Content-Type", "Content-Encoding", "Retry-After", "Location", "Date", "Set-Cookie", "Content-Range"]
_SIGNS = "gzip, deflate;text/html*='\"charset=0123456789:GMTutf-8/.%\\[]@#?"
_HEADERS = st.dictionaries(
    st.sampled_from(_NAMED), st.text(_SIGNS, max_size=40) | _WORDS.filter(str.isprintable), max_size=4
)
_PIECES = [
    b"<", b">", b"<p>", b"</p>", b"<!--", b"<![CDATA[", b"&#0;", b"&#xd800;", b"<?xml", b"<meta charset=", b"utf-16",
    b"'", b"x", b"%PDF-1.4", b"\xff",
]  # fmt: skip
_BYTES = st.binary(max_size=300) | st.lists(st.sampled_from(_PIECES)).map(b"".join)


@settings(max_examples=60)
@given(st.one_of(_JSON, st.fixed_dictionaries({"results": st.lists(_RESULT, max_size=4)})))
def test_any_json_of_a_service_gives_a_value(answer: Any) -> None:
    """Whatever JSON a SearXNG sends, the search is a value that can be written down."""
    with serving() as site:
        site.pages["/search"] = send(body=answer)
        found = run(SearXNG(site.url, Pages(client(resolver=names()))).search("Which bridge?", 3))
    assert Found.model_validate_json(found.model_dump_json()) == found
    assert found.problem is None or not found.passages
    for passage in found.passages:
        (document,) = (document for document in found.documents if document.source == passage.source)
        assert document.text[passage.start : passage.end] == passage.text
    assert all("\n" not in note for note in found.notes)


@settings(max_examples=60)
@given(st.sampled_from([200, 204, 206, 300, 301, 302, 304, 404, 429, 503, 599]), _HEADERS, st.binary(max_size=200))
def test_any_response_gives_a_page_or_a_problem(status: int, headers: dict[str, str], body: bytes) -> None:
    """Whatever status, headers and bytes a server sends, the fetch is a page or a problem in one line."""
    with serving() as site:
        site.pages["/"] = send(status, body, **headers)
        (hit,) = run(Pages(client(site, resolver=names())).get([f"{site.url}/"]))
    assert isinstance(hit, Page) or (isinstance(hit, SearchProblem) and hit.message and "\n" not in hit.message)


@settings(max_examples=60)
@given(st.sampled_from(sorted(CONTENT_TYPES)), _BYTES)
def test_any_bytes_of_a_page_give_a_page_or_a_problem(kind: str, body: bytes) -> None:
    """Whatever bytes come as whatever type, the page is a text that can be written down, or a problem."""
    with serving() as site:
        site.pages["/"] = send(200, body, kind)
        (hit,) = run(Pages(client(site, resolver=names())).get([f"{site.url}/"]))
    if isinstance(hit, Page):
        assert hit.document.text.encode() and hit.document.model_dump_json().encode()
    else:
        assert hit.kind in ("malformed", "configuration")
