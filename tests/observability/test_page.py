"""The notebook page: what it shows, that it is well-formed, and that no text becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon import notebook
from aeon.errors import JournalError
from aeon.observability.page import generic_sections, to_html
from aeon.runtime.journal import Journal
from aeon.schema import Config, Plan, Reasoning, Result, Step, StepResult
from observability.runs import CONVERGED, NOT_YET, evaluation, played
from observability.search import trail

pytestmark = pytest.mark.requirement("H3")

ALLOWED = {
    "div", "style", "span", "h4", "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
}  # fmt: skip
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&lt;]]>\x00\x1b[2J\u202e${7*7}"


class Reader(HTMLParser):
    """Reads HTML as a browser does: its elements with their attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> Reader:
    """The page as read; it is well-formed, and has only elements that do nothing."""
    ElementTree.fromstring(html)
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open and reader.tags <= ALLOWED
    assert reader.attributes <= {"class", "style", "open", "role", "aria-label"}
    assert "url(" not in html and "@import" not in html
    return reader


def run(journal: Journal | None = None, text: str = "the loaves") -> Result:
    """A multi-pass run of two passes in which this text is wherever a model can write."""
    first = Step(id="s1", description=text, action=Reasoning())
    assessments = iter([NOT_YET.changed(evaluation=evaluation(0.25), detected_issues=(text,)), CONVERGED])
    return played(
        Config(),
        journal,
        plan=Plan(steps=(first, Step(id="s2", description="add", dependencies=("s1",)))),
        execute=lambda effect: StepResult(output=text, clarity="BLOCKED" if effect.step.id == "s1" else "CLEAR"),
        assess=lambda effect: next(assessments),
    )


def test_a_multi_pass_run_is_shown_with_its_plan_and_passes() -> None:
    """Answer, stop reason, plan with the state of each step, each pass, its decisions, cost against the bound."""
    result = run()
    page = notebook(result)
    reader = read(page._repr_html_())
    text = "\n".join(reader.text)
    for words in (
        "How much is it?", "the answer", "Plan (2 steps)", "! invalid", "the loaves", "Preparation", "Pass 1",
        "Decisions", "model calls", "at most", f"{result.bound.calls:,}", "not known", result.execution_id,
    ):  # fmt: skip
        assert words in text, words
    assert result.stop_reason.replace("_", " ") in text and "the answer" in repr(page)


def test_a_journal_is_shown_with_its_effects(tmp_path: Path) -> None:
    """Also by its path; what the result shows is there, too."""
    result = run(Journal(tmp_path / "run.jsonl"))
    for shown in (notebook(tmp_path / "run.jsonl"), notebook(Journal.read(tmp_path / "run.jsonl"))):
        text = "\n".join(read(shown.html).text)
        assert "Effects (" in text and "Plan (2 steps)" in text and result.answer in text


def test_a_run_that_has_not_ended_is_not_shown(tmp_path: Path) -> None:
    """It says how to continue it."""
    run(Journal(tmp_path / "run.jsonl"))
    lines = (tmp_path / "run.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run.jsonl").write_bytes(b"".join(lines[:3]))
    with pytest.raises(JournalError, match="aeon resume"):
        notebook(tmp_path / "run.jsonl")


@pytest.mark.requirement("M1")
def test_a_run_of_any_engine_is_shown() -> None:
    """Answer, stop reason, decisions, the engine's record, effects with what came of them, cost against the bound."""
    text = "\n".join(read(to_html(trail(), generic_sections(trail()))).text)
    for words in (
        "enough found", "search/1  run-1", "rolls cost 0.45", "continue, more to find", "Record", '"queries"',
        "Effects (5)", "search for rolls", "tool: no network", "altered: ", "not done when it was saved", "$0.5", "$2",
    ):  # fmt: skip
        assert words in text, words
    other = trail()
    assert other.result is not None
    only = notebook(other.result)
    assert "Record" in "\n".join(read(only.html).text) and "rolls cost 0.45" in repr(only)


def test_hostile_text_is_escaped() -> None:
    """Markup is shown as it was written, control characters as their codes; nothing of it becomes an element."""
    reader = read(notebook(run(text=HOSTILE)).html)
    assert any("<script>alert(1)</script><img src=x onerror=alert(2)>" in text for text in reader.text)
    whole = "".join(reader.text)
    assert "\\x00\\x1b[2J\\u202e" in whole and not set("\x00\x1b\u202e") & set(whole)


@settings(max_examples=50)
@given(st.text(min_size=1))
def test_any_text_gives_a_well_formed_page(text: str) -> None:
    """Whatever Unicode has, lone surrogates and noncharacters included."""
    task_text = text if text.strip() else "x"
    whole = trail(task_text)
    read(to_html(whole, generic_sections(whole)))
