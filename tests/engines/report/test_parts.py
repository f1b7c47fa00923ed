"""The parts of a report, in each form that it is written in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from aeon import Budget
from aeon.assembly.build import build
from aeon.assembly.reports import report, with_items
from aeon.engines.report.config import ReasoningSettings, ReportConfig
from aeon.engines.report.export import export_of
from aeon.engines.report.markdown import composed
from aeon.engines.report.record import Report
from aeon.llm.scripted import Scripted

from .played import DESIGNED, ITEMS, OPENED, QUERY, SOCIAL, TIERS, TOLL, UNKNOWN, Played

pytestmark = [pytest.mark.requirement("A3"), pytest.mark.usefixtures("measured")]

DROPPED = (f"bridge thread, {SOCIAL} (tier 5, social)", f"Walks, {UNKNOWN} (unknown)")
NOTHING = {"nothing": ("x",)}


def discovery() -> Report:
    """A report in which sources differ."""
    return report(QUERY, ITEMS, tiers=TIERS, llm=Played().model)


def monitor() -> Report:
    """A report of two tiers, one of which says nothing on two questions."""
    return report(QUERY, ITEMS, tiers=TIERS, mode="monitor", llm=Played().model)


def rejected(mode: str = "discovery") -> Report:
    """A report that the critic rejects to the end."""
    config = ReportConfig.model_validate({"mode": mode})
    return report(QUERY, ITEMS, tiers=TIERS, config=config, llm=Played(doubted=["say"]).model)


def withheld() -> Report:
    """The same in strict."""
    return rejected("strict")


def not_stated(mode: str = "strict") -> Report:
    """A report whose sources say nothing on any question."""
    config = ReportConfig.model_validate({"mode": mode})
    return report(QUERY, ITEMS, tiers=TIERS, config=config, llm=Played(answers=NOTHING).model)


def not_stated_anywhere() -> Report:
    """The same in discovery."""
    return not_stated("discovery")


def strict() -> Report:
    """A report in strict that is published; two of the sources are dropped."""
    return report(QUERY, ITEMS, tiers=TIERS, mode="strict", llm=Played().model)


def withheld_in_part() -> Report:
    """A draft in strict that the critic rejects in the only round, and in which a question has no finding."""
    config = ReportConfig.model_validate({"mode": "strict", "reasoning": {"max_iterations": 1}})
    played = Played(answers={"opened": ("1932",)}, doubted=["say"])
    return report(QUERY, ITEMS, tiers=TIERS, config=config, llm=played.model)


def ended() -> Report:
    """A report whose budget ended before the critic."""
    return report(QUERY, ITEMS, tiers=TIERS, config=ReportConfig(budget=Budget(calls=16)), llm=Played().model)


def unreviewed() -> Report:
    """A report whose critic says yes to anything."""
    every = [{"number": number, "why": "", "verdict": "supported"} for number in range(1, 5)]
    return report(QUERY, ITEMS, tiers=TIERS, mode="strict", llm=Played(critic={"sentences": every}).model)


def limited() -> Report:
    """A report for which not every search could be done."""
    result = report(QUERY, ITEMS, tiers=TIERS, llm=Played(answers=NOTHING).model)
    draft = result.draft.changed(limited=True)
    return result.changed(draft=draft, answer=composed(draft, result.review, ())[0].final_report)


def paged() -> Report:
    """A report that cites a page under a heading."""
    result = discovery()
    first = result.draft.findings[0]
    cited = tuple(one.changed(source=one.source.changed(page=7, heading="The opening")) for one in first.citations)
    draft = result.draft.changed(findings=(first.changed(citations=cited), *result.draft.findings[1:]))
    return result.changed(draft=draft, answer=composed(draft, result.review, ())[0].final_report)


def barred() -> Report:
    """Strict, with nothing left."""
    config = with_items(ReportConfig(mode="strict"), ITEMS)
    result: Report = build(Played().model, [], config, engine="report").execute(QUERY)
    return result


def plain(query: str = QUERY) -> Report:
    """The search alone."""
    config = ReportConfig(reasoning=ReasoningSettings(enabled=False))
    return report(query, ITEMS, tiers=TIERS, config=config, llm=Scripted([]))


def plain_strict() -> Report:
    """The search alone, in strict."""
    config = ReportConfig(mode="strict", reasoning=ReasoningSettings(enabled=False))
    return report(QUERY, ITEMS, tiers=TIERS, config=config, llm=Scripted([]))


def plain_nothing() -> Report:
    """The search alone, which finds nothing."""
    return plain("Quagga zebras")


class _Text(HTMLParser):
    """Collects the texts of a page, those of its style left out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note whether a style begins."""
        self.style = tag == "style"

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.texts += [] if self.style else [data]


def words(result: Report, form: str) -> str:
    """The words of a report in a form, without marks and spaces between them."""
    text = export_of(f"x.{form}")(result)
    if form == "html":
        page = _Text()
        page.feed(text)
        text = " ".join(page.texts)
    return bare(text)


def bare(text: str) -> str:
    """The letters and digits of a text."""
    return re.sub(r"[\W_]", "", text).casefold()


PARTS: list[tuple[Callable[[], Report], tuple[str, ...]]] = [
    (discovery, (QUERY, "Mode: discovery. Confidence: ", "Sources cited: 3, found for the query: 4.")),
    (discovery, (OPENED, "On this the sources say 1932 [1].")),
    (discovery, ("Warnings", "bridge thread is tier 5 (social)")),
    (discovery, ("Sources give different values:", "1932 [1] (tier 1)", "1935 [3] (tier 5)")),
    (discovery, ("Sources", "Tier 1", "[1] Official record (official), https://port.example/bridge")),
    (discovery, ("“The Harbour Bridge was opened in 1932.”", "“It was designed by the engineer Ada Holm.”")),
    (paged, ("page 7, The opening",)),
    (monitor, ("Side by side", "Tier 1: 1932 [1]", "Tier 5: 1935 [2]", "differ", "cannot be compared")),
    (monitor, ("What was not found", f"{DESIGNED} Not found in tier 5 (searched for: ", "not found in tier 1")),
    (rejected, ("Why this report was rejected", "” is not supported by", "(not supported by what it cites)")),
    (withheld, ("No report: the critic rejected the draft", "is not supported by what it cites")),
    (not_stated, ("No report: the sources do not answer this.",)),
    (not_stated, ("What was not found", f"{TOLL} Not found (searched for: {TOLL}; ")),
    (not_stated_anywhere, ("Why there are no findings", "What was not found", f"{TOLL} Not found (searched for: ")),
    (withheld_in_part, ("No report: the critic rejected", "What was not found", f"{TOLL} Not found (searched for: ")),
    (ended, ("Warnings", "unreviewed: the run ended before anybody could review this draft")),
    (unreviewed, ("Unreviewed", "scripted cannot criticise: ", "say 1932 [1].")),
    (limited, ("The sources do not answer this. Search capabilities were limited;",)),
    (limited, ("What was not found", f"{OPENED} Not found (searched for: ")),
    *((made, ("Sources that were dropped for their tier", *DROPPED)) for made in (strict, not_stated, plain_strict)),
    (withheld_in_part, DROPPED),
    (barred, ("No report: strict takes sources of tier 1 to 2 only, and none was found; dropped: ",)),
    (plain, tuple(str(item["description"]) for item in ITEMS)),
    (plain_nothing, ("Nothing was found.",)),
]


@pytest.mark.parametrize("form", ["md", "html"])
@pytest.mark.parametrize(("made", "texts"), PARTS, ids=[f"{made.__name__}-{texts[0]}" for made, texts in PARTS])
def test_each_form_has_each_part(made: Callable[[], Report], texts: tuple[str, ...], form: str) -> None:
    """What one form says, the other says as well."""
    said = words(made(), form)
    assert not [text for text in texts if bare(text) not in said], said


@pytest.mark.parametrize("form", ["md", "html"])
def test_what_no_source_says_is_not_told_as_rejected(form: str) -> None:
    """An empty draft is no draft that the critic rejected, in strict and in discovery."""
    for mode in ("strict", "discovery"):
        result = not_stated(mode)
        assert result.stop_reason == "not_stated" and "rejected" not in words(result, form)


@pytest.mark.requirement("A2")
def test_nothing_is_said_to_be_dropped_where_all_is_taken() -> None:
    """Neither in Markdown nor in the result; in strict the JSON names what was dropped, in the draft too."""
    assert "dropped for their tier" not in discovery().answer
    whole = json.loads(export_of("x.json")(strict()))
    assert [(one["source"], one["tier"]) for one in whole["dropped"]] == [(SOCIAL, 5), (UNKNOWN, None)]
    assert whole["draft"]["dropped"] == whole["dropped"]


@pytest.mark.parametrize("form", ["md", "html"])
def test_a_question_whose_findings_were_rejected_is_not_counted_as_answered(form: str) -> None:
    """What the summary leaves out answers nothing; of a published report all that stands counts."""
    result = rejected()
    assert result.review is not None and len(result.review.rejected) == len(result.draft.findings)
    assert bare(f"Questions answered: 0 of {len(result.draft.questions)}.") in words(result, form)
    assert bare("Questions answered: 3 of 3.") in words(discovery(), form)


@pytest.mark.parametrize(("text", "shown"), [("1931.", "1931 [1]."), ("- 7!", "\\- 7 [1]!"), ("a_b", "a\\_b [1]")])
def test_a_citation_stands_behind_a_finding_that_is_escaped(text: str, shown: str) -> None:
    """The full stop is taken off before the escaping: a year with one begins a list in Markdown."""
    result = discovery()
    first = result.draft.findings[0]
    (one, *_) = first.citations
    draft = result.draft.changed(findings=(first.changed(text=text, citations=(one.changed(number=1),)),))
    assert shown in composed(draft, result.review, ())[0].final_report
