"""What a report is given back as: Markdown, HTML, Items, logs; and what it is given."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from aeon import Journal, replay
from aeon.assembly.report import PLUGIN
from aeon.assembly.reports import report
from aeon.engines.report.config import ReasoningSettings, ReportConfig
from aeon.engines.report.html import to_html
from aeon.engines.report.items import ITEM_KEYS
from aeon.engines.report.logs import folder_name, write_logs
from aeon.engines.report.record import Report
from aeon.errors import UsageError
from aeon.llm.scripted import Scripted
from aeon.schema import JsonObject

from .played import ITEMS, QUERY, TIERS, Played

pytestmark = [pytest.mark.requirement("A3"), pytest.mark.usefixtures("measured")]


@pytest.fixture
def result() -> Report:
    """A report in discovery, in which sources differ."""
    return report(QUERY, ITEMS, tiers=TIERS, mode="discovery", llm=Played().model)


def test_the_report_is_one_item_with_the_keys_of_the_reference(result: Report) -> None:
    """Exactly these keys, and in the schema object the mode, the rounds, the sources and the confidence."""
    (item,) = result.items
    assert tuple(item) == ITEM_KEYS
    assert (item["@type"], item["score"], item["description"]) == ("Item", result.score, result.answer)
    schema = item["schema_object"]
    assert isinstance(schema, dict)
    assert (schema["mode"], schema["iterations"], schema["confidence"]) == ("discovery", 2, result.confidence)
    assert schema["sources_used"] == [source.source for source in result.sources]
    assert schema["total_sources_analyzed"] == len(ITEMS)
    json.dumps(result.items)


def test_switched_off_it_is_a_plain_search() -> None:
    """The results of the search are the Items; no model is asked, and the bound says so."""
    played = Played()
    config = ReportConfig(reasoning=ReasoningSettings(enabled=False))
    result = report(QUERY, ITEMS, tiers=TIERS, config=config, llm=played.model)
    assert (result.stop_reason, result.sufficient, result.usage.calls, result.bound.calls) == (
        "plain_search",
        True,
        0,
        0,
    )
    assert not played.seen
    assert all(tuple(item) == ITEM_KEYS for item in result.items)
    assert {item["url"] for item in result.items} == {item["url"] for item in ITEMS}
    assert max(int(str(item["score"])) for item in result.items) == 100


def test_an_item_that_is_found_is_given_back_with_its_own_values(tmp_path: Path) -> None:
    """Each value but the score is its own, in whole and once, with its tier in the context; so a journal has it."""
    said = " ".join(f"The Harbour Bridge was opened {number} times, says walker {number}." for number in range(40))
    given: JsonObject = {
        "@type": "Item", "url": "https://a.example/x", "name": "The bridge", "site": "Port", "score": 3,
        "siteUrl": "https://portal.example", "description": said, "schema_object": {"@type": "Article", "pages": [1]},
    }  # fmt: skip
    config = ReportConfig(reasoning=ReasoningSettings(enabled=False))
    path = tmp_path / "run.jsonl"
    found = report(
        QUERY, [given], tiers=TIERS, config=config, llm=Scripted([]), journal=lambda execution_id: Journal(path)
    )
    (item,) = found.items
    assert item == {**given, "score": 100} and tuple(item) == ITEM_KEYS
    (enriched,) = found.context
    assert (enriched["siteUrl"], enriched["schema_object"]) == (given["siteUrl"], given["schema_object"])
    assert enriched["description"] == f"[Tier unknown | unknown] {said}"
    again = replay(Journal.read(path), PLUGIN.engine)
    assert again == found


def test_claims_of_the_report_stand_where_they_say(result: Report) -> None:
    """Each sentence of summary and sections is a claim on its characters of the answer, with its evidence."""
    sentences = [claim for claim in result.claims if claim.kind == "sentence"]
    assert len(sentences) == 2 * len(result.findings)
    for claim in result.claims:
        assert result.answer[claim.start : claim.end] == claim.text
    assert all(claim.evidence and claim.verdict == "supported" for claim in sentences)


def test_marks_of_a_page_are_no_marks_of_the_report(result: Report) -> None:
    """What looks like a citation or like HTML in a source is escaped where it is quoted."""
    assert "cite [3]" not in result.answer and "<b>" not in result.answer
    assert "cite \\[3\\]" in result.answer


class _Page(HTMLParser):
    """Collects the tags, ids and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.add(tag)
        values = dict(attrs)
        self.ids += [values["id"]] if values.get("id") else []  # type: ignore[list-item]
        self.links += [values["href"]] if values.get("href") else []  # type: ignore[list-item]


def test_in_html_a_citation_links_to_its_quote(result: Report) -> None:
    """The page loads nothing, runs nothing, and every link leads to a quoted span in it."""
    page = _Page()
    text = to_html(result)
    page.feed(text)
    assert page.links and set(page.links) <= {f"#{one}" for one in page.ids}
    assert len(set(page.ids)) == len(page.ids)
    assert not page.tags & {"script", "b", "img", "link", "iframe"}
    assert "&lt;b&gt;now&lt;/b&gt;" in text


def test_what_is_not_published_is_not_in_the_html() -> None:
    """In strict, a rejected draft gives a page with the reasons."""
    doubted = ["1932", "Ada Holm", "4 crowns"]
    result = report(QUERY, ITEMS, tiers=TIERS, mode="strict", llm=Played(doubted=doubted).model)
    text = to_html(result)
    assert "No report:" in text and "<blockquote" not in text


def test_iterations_are_logged_with_a_summary(result: Report, tmp_path: Path) -> None:
    """A file for each agent of each round, in a folder of the query."""
    assert write_logs(tmp_path, result, "bridge") == ""
    folder = tmp_path / "iterations" / "bridge"
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "iteration_1_analyst.json", "iteration_2_analyst.json", "iteration_2_critic.json", "session_summary.json",
    }  # fmt: skip
    first = json.loads((folder / "iteration_1_analyst.json").read_text())
    assert first["output"]["status"] == "SEARCH_REQUIRED" and len(first["output"]["new_queries"]) == 3
    critic = json.loads((folder / "iteration_2_critic.json").read_text())
    assert set(critic["output"]) == {"status", "critique", "suggestions", "mode_compliance", "logical_gaps"}
    summary = json.loads((folder / "session_summary.json").read_text())
    assert (summary["total_iterations"], summary["final_status"]) == (2, result.stop_reason)


def test_report_writes_the_logs_of_a_folder_that_is_given(tmp_path: Path) -> None:
    """The folder is named by the run's id."""
    result = report(QUERY, ITEMS, tiers=TIERS, logs=tmp_path, llm=Played().model)
    assert (tmp_path / "iterations" / result.execution_id / "session_summary.json").exists()


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "", "ü" * 300, "con\x00"])
def test_no_id_leads_out_of_the_folder(name: str, result: Report, tmp_path: Path) -> None:
    """Whatever the id is, the logs are written below the folder."""
    assert write_logs(tmp_path / "logs", result, name) == ""
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]
    safe = folder_name(name)
    assert safe and "/" not in safe and safe not in (".", "..")


def test_logs_that_cannot_be_written_cost_no_report(result: Report, tmp_path: Path) -> None:
    """It is one line that says where and why."""
    (tmp_path / "iterations").write_text("a file")
    said = write_logs(tmp_path, result)
    assert said.startswith("the iteration log could not be written to") and "\n" not in said


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([{"url": "x"}], "number 1 cannot be used: an item needs a 'description'"),
        ([*ITEMS, {"description": "text"}], "number 5 cannot be used: an item needs a 'url' or a 'name'"),
        ([{"url": 5, "description": "text"}], "number 1 cannot be used: url: "),
        (["text"], "number 1 cannot be used: "),
        ("text", "pass a list of items"),
        ({"url": "x"}, "pass a list of items"),
        (None, "pass a list of items"),
        (5, "pass a list of items"),
    ],
)
def test_items_that_cannot_be_used_are_one_line(items: object, said: str) -> None:
    """It says which item, and what is missing."""
    with pytest.raises(UsageError) as caught:
        report(QUERY, items, llm=Played().model)  # type: ignore[arg-type]
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_an_empty_query_and_nothing_to_report_on_are_refused() -> None:
    """Each is one line that says what to do."""
    with pytest.raises(UsageError, match="empty"):
        report("  ", ITEMS, llm=Played().model)
    with pytest.raises(UsageError, match="name what to report on"):
        report(QUERY, llm=Played().model)


def test_items_of_one_address_are_both_kept() -> None:
    """The same text counts once; another text under the address is a source of its own."""
    other: JsonObject = {**ITEMS[0], "description": "Drivers pay 4 crowns on the Harbour Bridge of the port."}
    result = report(QUERY, [ITEMS[0], ITEMS[0], other], llm=Played().model)
    assert {source.source for source in result.sources} == {ITEMS[0]["url"], f"{ITEMS[0]['url']}#2"}


def test_five_hundred_items_are_searched() -> None:
    """The ones that matter are found among them, and prompts hold a few."""
    many = [
        {"url": f"https://x.example/{n}", "description": f"The tower number {n} has {n} steps."} for n in range(496)
    ]
    played = Played()
    result = report(QUERY, [*many, *ITEMS], tiers=TIERS, mode="strict", llm=played.model)
    assert [one.short for one in result.findings] == ["1932", "Ada Holm", "4 crowns"]
    assert max(len(text) for _, text in played.seen) < 20_000
