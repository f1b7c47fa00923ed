"""Searching a service that a file describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from aeon.errors import AeonError, ConfigError, InputFileError
from aeon.schema import Found
from aeon.search.pages import Pages
from aeon.search.template import Template, TemplateSearch, read_template
from search.web import Site, client, page, run, send

TEXT = "The Harbour Bridge was designed by John Bradfield."
QUERY = "Who designed the Harbour Bridge? ü&x=1"


def template(site: Site, **fields: Any) -> Template:
    own = {"url": f"{site.url}/find?q={{query}}&n={{most}}", "name": "library", "pages": False, **fields}
    return Template(**own)


def searched(site: Site, environ: dict[str, str] | None = None, query: str = QUERY, **fields: Any) -> Found:
    search = TemplateSearch(template(site, **fields), Pages(client(site)), environ or {})
    return run(search.search(query, 4))


def test_a_service_is_asked_as_the_template_says(site: Site) -> None:
    """Query and number stand percent-encoded in the address, and the fields come from their pointers."""
    item = {"link": "https://lib.test/1", "names": ["x", "The Bridge"], "a/b": {"t~x": TEXT}, "year": 1932}
    site.pages["/find"] = send(body={"data": {"items": [item]}})
    found = searched(site, results="/data/items", address="/link", title="/names/1", text="/a~1b/t~0x", date="/year")
    assert (found.provider, found.problem, found.notes) == ("library", None, ())
    (passage,), (document,) = found.passages, found.documents
    assert passage.text == TEXT
    assert (document.title, document.published, document.site) == ("The Bridge", "1932", "lib.test")
    assert document.source.startswith("https://lib.test/1#result-")
    assert "q=Who%20designed%20the%20Harbour%20Bridge%3F%20%C3%BC%26x%3D1&n=4" in site.asked[0].path
    assert parse_qs(urlsplit(site.asked[0].path).query) == {"q": [QUERY], "n": ["4"]}


def test_the_pages_of_the_results_are_read_if_wanted(site: Site) -> None:
    """With pages, the text is that of the page."""
    site.pages["/find"] = send(body=[{"url": f"{site.url}/p"}])
    site.pages["/p"] = page(f"{TEXT} It stands.")
    (document,) = searched(site, results="", pages=True).documents
    assert document.source == f"{site.url}/p" and "It stands." in document.text


def test_post_sends_the_body_as_json(site: Site) -> None:
    """Placeholders in the body are filled wherever they stand; a number stays a number."""
    site.pages["/find"] = send(body={"results": []})
    body = {"query": "about {query}", "size": "{most}", "more": [{"q": "{query}"}, True, 2.5]}
    assert searched(site, method="POST", url=f"{site.url}/find", body=body).problem is None
    (asked,) = site.asked
    assert asked.method == "POST" and asked.headers["content-type"] == "application/json"
    assert json.loads(asked.body) == {"query": f"about {QUERY}", "size": 4, "more": [{"q": QUERY}, True, 2.5]}


def test_headers_come_from_the_environment(site: Site) -> None:
    """A header's value is that of a variable, and stands in no error, note or value."""
    site.pages["/find"] = send(401)
    headers = {"Authorization": "Bearer $LIB_KEY", "X-Token": "$LIB_KEY"}
    found = searched(site, {"LIB_KEY": "very-secret"}, headers=headers)
    assert site.asked[0].headers["authorization"] == "Bearer very-secret"
    assert site.asked[0].headers["x-token"] == "very-secret"
    assert found.problem is not None and found.problem.kind == "configuration"
    assert "secret" not in found.model_dump_json()


@pytest.mark.parametrize("fields", [
    {"headers": {"Authorization": "Bearer very-secret"}}, {"headers": {"X": "$NOT_SET"}}, {"headers": {"X": "$BAD"}},
    {"headers": {"Host": "$KEY"}}, {"headers": {"A b": "$KEY"}}, {"headers": {"X": "$KEY $KEY"}},
    {"name": "two\nlines"}, {"url": ""}, {"url": "http://x.test/"}, {"url": "x.test/{query}"}, {"url": "http://{query}.test/"},
    {"url": "http://{query}/"}, {"url": "http://x.test/{querry}?q={query}"}, {"url": "http://u:pw@x.test/{query}"},
    {"body": {"q": "{query}"}}, {"results": "items"}, {"title": "/a~2"}, {"url": "http://x.test:{most}/{query}{}"},
])  # fmt: skip
def test_a_template_that_cannot_work_is_refused(site: Site, fields: dict[str, Any]) -> None:
    """What does not fit together is one line that says what, before anything is asked, and shows no secret."""
    environ = {"KEY": "very-secret", "BAD": "very-secret\nX: y"}
    with pytest.raises(ConfigError) as refusal:
        TemplateSearch(template(site, **fields), Pages(client(site)), environ)
    assert "secret" not in str(refusal.value) and "pw" not in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not site.asked


@pytest.mark.parametrize("answer", [{"hits": []}, {"results": {}}, {"results": "x"}, 5, "x", [], {}])
def test_a_list_that_is_not_there_is_a_matter_of_configuration(site: Site, answer: object) -> None:
    """A pointer that leads to no list is told with its name and place."""
    site.pages["/find"] = send(body=json.dumps(answer).encode(), kind="application/json")
    problem = searched(site).problem
    assert problem is not None
    assert (problem.kind, problem.retryable) == ("configuration", False)
    assert "no list at /results: check results in the template library" in problem.message


def test_no_results_are_no_failure(site: Site) -> None:
    """An empty list and a null are an empty search."""
    for answer in ({"results": []}, {"results": None}):
        site.pages["/find"] = send(body=answer)
        assert searched(site) == Found(provider="library")


def test_odd_results_are_left_out(site: Site) -> None:
    """What is no result, or has no text where one should be, does no harm."""
    items = [5, None, "x", [], {"url": True}, {"url": "https://lib.test/2", "content": ["x"]},
             {"url": "https://lib.test/1", "title": {"a": 1}, "content": TEXT}]  # fmt: skip
    site.pages["/find"] = send(body={"results": items})
    found = searched(site)
    (document,) = found.documents
    assert document.title == "" and document.text == TEXT
    assert any("without an address" in note for note in found.notes)


def test_a_template_is_read_from_a_file(site: Site, tmp_path: Path) -> None:
    """A file says how a service is asked; its name is the file's."""
    file = tmp_path / "library.toml"
    file.write_text(f'''
url = "{site.url}/find?q={{query}}"
results = "/hits"
text = "/body"
pages = false
[headers]
Authorization = "Bearer $LIB_KEY"
''')
    read = read_template(file)
    assert (read.name, read.text, read.pages) == ("library", "/body", False)
    site.pages["/find"] = send(body={"hits": [{"url": "https://lib.test/1", "body": TEXT}]})
    search = TemplateSearch(read, Pages(client()), {"LIB_KEY": "k"})
    assert run(search.search(QUERY, 3)).passages[0].text == TEXT


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("url = ", "is not valid TOML"),
        ('urll = "http://x.test/{query}"', "urll"),
        ('url = "http://x.test/{query}"\nmethod = "PUT"', "method"),
        ('url = "http://x.test/{query}"\npages = "yes"', "pages"),
        ('url = "http://x.test/{query}"\nheaders = "x"', "headers"),
        ('url = "http://x.test/"', "{query}"),
        ("", "url"),
    ],
)
def test_a_wrong_file_is_one_line_with_its_name(tmp_path: Path, text: str, told: str) -> None:
    """Every fault of a file is told in one line that names the file and the setting."""
    file = tmp_path / "library.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as refusal:
        read_template(file)
    assert str(file) in str(refusal.value) and told in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A missing file, and one that is no text, are errors of input."""
    with pytest.raises(InputFileError, match="cannot be read"):
        read_template(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AeonError):
        read_template(tmp_path / "bytes.toml")
