"""Reports whose searches fail: tried again, asked of another provider, and told as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.assembly.build import build
from aeon.assembly.reports import report
from aeon.engines.report.config import ReportConfig
from aeon.engines.report.export import export_of
from aeon.engines.report.record import Report
from aeon.errors import NoValidSourcesError
from aeon.schema import Document, Found, Passage, SearchProblem
from aeon.tools.finding import finding

from .played import OPENED, QUERY, Played

pytestmark = [pytest.mark.requirement("A3", "R5"), pytest.mark.usefixtures("measured")]

FORBIDDEN = SearchProblem(kind="configuration", message="first answers 403: allow json in it", retryable=False)
BUSY = SearchProblem(kind="server", message="first answers 500", retryable=True, retry_after=0.0)
TEXT = "The Harbour Bridge was opened in 1932."


class Web:
    """A provider that gives what it is told to, one thing after the other, and the last one from then on."""

    local = False

    def __init__(self, name: str, *replies: SearchProblem | str) -> None:
        self.name = name
        self.replies = list(replies)
        self.queries: list[str] = []

    async def search(self, query: str, most: int) -> Found:
        """The next of its replies; "" is nothing found."""
        self.queries.append(query)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, SearchProblem):
            return Found(provider=self.name, problem=reply)
        source = f"https://{self.name}.example/bridge"
        spans = ((0, len(reply)),)
        passage = Passage(source=source, start=0, end=len(reply), text=reply, sentences=spans, score=1.0)
        document = Document(source=source, title="Bridges", text=reply, text_sha256=f"{self.name}{reply}")
        return Found(provider=self.name, passages=(passage,) * bool(reply), documents=(document,) * bool(reply))


def run(*webs: Web, played: Played | None = None, **settings: object) -> Report:
    """A report over these providers."""
    config = ReportConfig.model_validate(settings)
    tools = [finding(one) for one in webs]
    result: Report = build((played or Played([OPENED])).model, tools, config, engine="report").execute(QUERY)
    return result


def plain(*webs: Web) -> Report:
    """A plain search over them."""
    return run(*webs, reasoning={"enabled": False})


def test_the_first_search_goes_to_the_next_provider_where_one_fails() -> None:
    """As in research; the result has what was found, and names what failed."""
    first, second = Web("first", FORBIDDEN), Web("second", TEXT)
    result = plain(first, second)
    assert (result.stop_reason, result.limited) == ("plain_search", False)
    assert [one["url"] for one in result.items] == ["https://second.example/bridge"]
    assert result.search_problems == (FORBIDDEN,)


def test_the_first_search_is_tried_again() -> None:
    """Three attempts in all; what a later one mended is no problem any more."""
    web = Web("first", BUSY, BUSY, TEXT)
    result = plain(web)
    assert (result.stop_reason, result.search_problems, len(web.queries)) == ("plain_search", (), 3)


@pytest.mark.parametrize("reasoning", [{"enabled": False}, {"enabled": True}])
@pytest.mark.parametrize("mode", ["strict", "discovery", "monitor"])
def test_a_search_that_failed_is_not_told_as_nothing_found(mode: str, reasoning: dict[str, bool]) -> None:
    """The stop reason and the report say that it failed, and why; no model is asked."""
    played = Played([OPENED])
    result = run(Web("first", FORBIDDEN), played=played, mode=mode, reasoning=reasoning)
    assert (result.stop_reason, result.sufficient) == ("search_failed", False)
    assert FORBIDDEN.message in result.detail and FORBIDDEN.message in result.answer
    assert not played.seen


@pytest.mark.parametrize("form", ["md", "html"])
@pytest.mark.parametrize("reasoning", [{"enabled": False}, {"enabled": True}])
def test_what_failed_beside_what_was_found_stands_in_the_report(reasoning: dict[str, bool], form: str) -> None:
    """Under a heading of its own, in each form."""

    class Shelf(Web):
        local = True

    result = run(Shelf("shelf", TEXT), Web("first", FORBIDDEN), reasoning=reasoning)
    assert result.stop_reason in ("plain_search", "accepted", "accepted_with_warnings") and result.limited
    text = export_of(f"x.{form}")(result)
    assert "Searches that failed" in text and FORBIDDEN.message in text


def test_strict_with_nothing_left_is_one_error_whoever_found_it() -> None:
    """The first provider fails, the second has an unknown page: it ends before anything reads it, and names both."""
    played = Played([OPENED])
    result = run(Web("first", FORBIDDEN), Web("second", TEXT), played=played, mode="strict")
    assert result.stop_reason == "no_valid_sources" and not played.seen
    assert "https://second.example/bridge (unknown)" in result.answer
    assert FORBIDDEN.message in result.answer


def test_strict_with_nothing_left_after_the_rounds_is_the_same_error() -> None:
    """The query finds nothing, and all that the questions find is dropped."""
    result = run(Web("first", "", TEXT), mode="strict")
    assert result.stop_reason == "no_valid_sources" and result.rounds
    assert result.answer.startswith("No report: strict takes sources of tier 1 to 2 only")


def test_searches_that_fail_in_the_rounds_are_told_too() -> None:
    """Nothing was found, so that nothing is said of what sources say."""
    result = run(Web("first", "", FORBIDDEN))
    assert result.stop_reason == "search_failed" and FORBIDDEN.message in result.detail


def test_the_error_in_python_names_the_failed_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line with what was dropped and what could not be searched."""
    made = [finding(Web("first", FORBIDDEN)), finding(Web("second", TEXT))]
    monkeypatch.setattr("aeon.assembly.reports.search_specs", lambda search, allow: made)
    with pytest.raises(NoValidSourcesError, match=r"second\.example/bridge \(unknown\).*first answers 403"):
        report(QUERY, search=["x"], mode="strict", llm=Played().model)


@pytest.mark.parametrize("mode", ["strict", "discovery", "monitor"])
def test_an_empty_folder_is_told_at_once(mode: str, tmp_path: Path, words_only: None, indexes: None) -> None:
    """No model is asked, and no critic rejects anything."""
    (tmp_path / "empty.md").write_text("")
    played = Played()
    config = ReportConfig.model_validate({"mode": mode})
    result = report(QUERY, sources=tmp_path, config=config, llm=played.model)
    assert (result.stop_reason, result.answer) == ("nothing_found", "Nothing was found.")
    assert not played.seen
