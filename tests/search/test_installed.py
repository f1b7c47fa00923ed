"""Search providers by their specifications, those of other packages too."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from aeon.errors import AeonError, ConfigError, InputFileError, UnknownNameError, UsageError
from aeon.schema import Found
from aeon.search import installed
from aeon.search.installed import GROUP, available, opened, portable
from aeon.search.pages import Pages
from aeon.search.provider import Provider
from search.web import Site, page, run, send

HERE = "search.test_installed"


class Archive:
    """A provider of another package."""

    local = False

    def __init__(self, argument: str, pages: Pages) -> None:
        if argument == "bad":
            raise ConfigError("the archive 'bad' is not known")
        if argument == "worse":
            raise RuntimeError("two\nlines")
        self.name = "archive"
        self.argument = argument
        self.pages = pages

    async def search(self, query: str, most: int) -> Found:
        return Found(provider=self.name)


class Nameless:
    """Lacks a name."""

    def __init__(self, argument: str, pages: Pages) -> None:
        pass


NOTHING = 5


@pytest.fixture(autouse=True)
def _packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that bring providers, some of them broken."""
    places = [("archive", "Archive"), ("nameless", "Nameless"), ("number", "NOTHING"), ("gone", "Missing"),
              ("twice", "Archive"), ("twice", "Nameless")]  # fmt: skip
    points = [EntryPoint(name, f"{HERE}:{attribute}", GROUP) for name, attribute in places]
    monkeypatch.setattr(installed, "entry_points", lambda group: points if group == GROUP else [])


def test_the_shipped_providers_are_opened(site: Site, tmp_path: Path) -> None:
    """A SearXNG and a template are opened by name, in the order given, and share their pages."""
    file = tmp_path / "library.toml"
    file.write_text(f'url = "{site.url}/find?q={{query}}"')
    providers = opened([f"searxng={site.url}", f"json={file}"], [site.entry], {})
    assert [provider.name for provider in providers] == ["searxng", "library"]
    site.pages["/search"] = site.pages["/find"] = send(body={"results": [{"url": f"{site.url}/p"}]})
    site.pages["/p"] = page("A bridge.")
    for provider in providers:
        assert isinstance(provider, Provider)
        assert len(run(provider.search("bridge", 3)).passages) == 1
    assert site.paths().count("/p") == 1


def test_two_of_a_kind_have_two_names() -> None:
    """Two SearXNGs are told apart by a number."""
    providers = opened(["searxng=http://127.0.0.1:1", "searxng=http://127.0.0.1:2"])
    assert [provider.name for provider in providers] == ["searxng", "searxng-2"]


def test_no_provider_is_opened_for_nothing() -> None:
    """Without a specification there is none, and nothing is needed."""
    assert opened([]) == ()


def test_providers_of_packages_are_opened() -> None:
    """A package's provider gets what stands behind the equals sign, and the pages of the run."""
    (provider,) = opened(["archive=main=1"])
    assert isinstance(provider, Archive)
    assert provider.argument == "main=1" and isinstance(provider.pages, Pages)
    (plain,) = opened(["archive"])
    assert isinstance(plain, Archive) and plain.argument == ""
    assert available() == ("searxng=http://127.0.0.1:8888", "json=FILE.toml", "archive", "gone", "nameless", "number",
                           "twice")  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "error", "told"),
    [
        ("searx=http://x.test", UnknownNameError, "did you mean searxng?"),
        (
            "http://127.0.0.1:8888",
            UnknownNameError,
            "there are: searxng=http://127.0.0.1:8888, json=FILE.toml, archive",
        ),
        ("", UnknownNameError, "there are: "),
        ("searxng", UsageError, "needs a value, as in searxng=http://127.0.0.1:8888"),
        ("searxng=", UsageError, "needs a value"),
        ("json", UsageError, "needs a value, as in json=FILE.toml"),
        ("searxng=localhost:8888", ConfigError, "only addresses with http:// or https://"),
        ("json=/nowhere/x.toml", InputFileError, "/nowhere/x.toml"),
        ("archive=bad", ConfigError, "the archive 'bad' is not known"),
        ("archive=worse", UsageError, "cannot be used: RuntimeError: two lines"),
        ("nameless", UsageError, "makes no provider: it needs a name, local and search"),
        ("number", UsageError, "is a int, not what makes a provider"),
        ("gone", UsageError, "cannot be loaded: AttributeError"),
        ("twice", UsageError, "2 packages bring a search of the name twice"),
        (5, UsageError, "pass texts such as"),
    ],
)
def test_what_cannot_be_opened_is_one_line(spec: object, error: type[AeonError], told: str) -> None:
    """Every wrong specification is told in one line that says what to do."""
    with pytest.raises(error) as refusal:
        opened([spec])  # type: ignore[list-item]
    assert told in str(refusal.value) and "\n" not in str(refusal.value)


def test_one_specification_twice_is_refused() -> None:
    """The same search twice, or two of one name, would ask everything twice."""
    with pytest.raises(UsageError, match="given twice"):
        opened(["archive", "archive"])
    with pytest.raises(UsageError, match="two searches are named 'archive'"):
        opened(["archive=1", "archive=2"])


def test_a_wrong_entry_of_what_is_allowed_is_told() -> None:
    """What cannot be allowed is an error before anything is fetched."""
    with pytest.raises(ConfigError, match="cannot be allowed"):
        opened(["searxng=http://127.0.0.1:1"], ["http://x.test/"])


def test_a_specification_holds_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of a template is written with its whole path; everything else stays as it is."""
    monkeypatch.chdir(tmp_path)
    assert portable("json=library.toml") == f"json={tmp_path / 'library.toml'}"
    assert portable("searxng=http://127.0.0.1:1") == "searxng=http://127.0.0.1:1"
    assert portable("archive=x") == "archive=x"
