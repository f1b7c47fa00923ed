"""Runs of models that work with tools: every call with what came of it, and what the answer rests on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aeon import notebook
from aeon.observability.lines import plain
from aeon.observability.passes.flowchart import to_mermaid
from aeon.observability.passes.lines import step_lines
from aeon.observability.passes.report import history_lines
from aeon.observability.passes.turns import use_line, use_words
from aeon.runtime.journal import Journal
from aeon.schema import (
    Call,
    ConvergenceAssessment,
    JsonValue,
    Lines,
    Refinement,
    RefinementAction,
    Result,
    Step,
    TaskProfile,
    ToolLoop,
    ToolUse,
    Turn,
)

from .runs import CONVERGED, NOT_YET, played
from .test_page import HOSTILE, read

pytestmark = pytest.mark.requirement("H3", "L1")
LOOKED = Call(id="s1.1", tool="search", arguments={"query": "price of rolls"})
LOST = Call(id="s1.2", tool="read", arguments={"source": "gone.md", "from": 3})
AGAIN = Call(id="s1.3", tool="calculator", arguments={"expression": "0.45 * 2"})
SHOWN = Lines(source="shop.md", spans=((0, 4), (5, 9)), texts=("Rolls cost 0.45.", "Open at nine."))
TURNS = (
    Turn(calls=(LOOKED, LOST)),
    Turn(text="It is 0.45.", cites=("s1.1.1",)),
    Turn(calls=(AGAIN,)),
    Turn(text="It is 0.9.", cites=("s1.1.1", "s1.3", "s2.1")),
)


def run(
    journal: Journal | None = None,
    problem: str = "no such file",
    turns: Sequence[Turn] = TURNS,
    assessments: Sequence[ConvergenceAssessment] = (NOT_YET, CONVERGED),
) -> Result:
    """A run of two passes: its step looks and reads, the second version of it computes as well."""
    said, judged = iter(turns), iter(assessments)
    came: dict[str, ToolUse] = {
        use.tool: use
        for use in (
            ToolUse(id="", tool="search", arguments={}, lines=(SHOWN,)),
            ToolUse(id="", tool="read", arguments={}, problem=problem),
            ToolUse(id="", tool="calculator", arguments={}, output=0.9),
        )
    }
    new = Step(id="s1_r1", description="for two rolls", action=ToolLoop())
    return played(
        journal=journal,
        profile=TaskProfile(reasoning_depth=1, ambiguity=0, form="tools"),
        turn=lambda effect: next(said),
        use_tool=lambda effect: came[effect.call.tool].changed(id=effect.call.id, arguments=effect.call.arguments),
        assess=lambda effect: next(judged),
        refine_plan=Refinement(actions=(RefinementAction(type="REPLACE", target="s1", steps=(new,)),)),
    )


def test_a_report_has_every_call_once_with_what_came_of_it_and_what_the_answer_rests_on() -> None:
    """A pass shows the calls that were made in it; those of the step's own are named by their numbers."""
    text = plain(history_lines(run().history))
    first, second = text[text.index("Pass 1") :].split("Pass 2")
    for line in (
        "✓ s1  How much is it?  2 calls", "[1] search price of rolls  2 sentences", "[2] read {",
        "no such file", "= It is 0.45.", "rests on [1.1]",
    ):  # fmt: skip
        assert line in first, line
    assert "✓ s1_r1  for two rolls  1 call\n" in second and "[3] calculator 0.45 * 2  0.9" in second
    assert "rests on [1.1] [3] [s2.1]" in second and "search price of rolls" not in second
    assert max(len(line) for line in text.splitlines() if not line.startswith("  time")) <= 80


def test_a_page_lists_the_calls_and_how_the_steps_came_about() -> None:
    """The plan says which tools a step called, how often, and how many calls came to nothing."""
    shown = read(notebook(run()).html).text
    text = "\n".join(shown)
    assert "Tool calls (3)" in text and "2 calls, 1 in vain: search, read" in text
    assert "3 calls, 1 in vain: search, read, calculator" in text
    assert shown.index("s1.1") < shown.index("s1.2") < shown.index("s1.3")
    for words in ('{"query": "price of rolls"}', "2 sentences", "no such file"):
        assert words in shown, words


def test_a_page_of_a_run_without_calls_has_no_list_of_them() -> None:
    """The step says so itself."""
    text = "\n".join(read(notebook(run(turns=[Turn(text="It is 7.")], assessments=[CONVERGED])).html).text)
    assert "Tool calls" not in text and "no calls" in text and "own knowledge" in text


def test_a_flowchart_says_which_tools_a_step_called() -> None:
    """Both versions of the step, each with its calls."""
    chart = to_mermaid(run().history)
    assert 'step_s1["s1: How much is it#63;<br/>2 calls, 1 in vain: search, read' in chart
    assert "for two rolls<br/>3 calls, 1 in vain: search, read, calculator<br/>= It is 0.9." in chart


def test_turns_and_calls_are_effects_with_what_came_of_them() -> None:
    """A turn has its calls, or its text; a call its id and its tool."""
    journal = Journal()
    run(journal)
    text = "\n".join(read(notebook(journal).html).text)
    for words in ("turn s1", "calls search, read", "call s1.1 search", "2 sentences", "= It is 0.45.", "= It is 0.9."):
        assert words in text, words


def test_what_a_tool_says_stays_text() -> None:
    """Markup and control characters of a tool's result can do nothing to a page or a terminal."""
    result = run(problem=HOSTILE)
    whole = "".join(read(notebook(result).html).text)
    assert "<script>alert(1)</script>" in whole and not set("\x00\x1b\u202e") & set(whole)
    assert not set("\x00\x1b\u202e") & set(plain(history_lines(result.history)))


def test_of_very_many_calls_the_last_are_shown() -> None:
    """A line says how many were before them."""
    uses = tuple(ToolUse(id=f"s1.{n}", tool="look", arguments={"n": n}, output=n) for n in range(1, 31))
    step = Step(id="s1", description="look", action=ToolLoop(), status="complete", output="x", mode="tools", uses=uses)
    text = plain(step_lines(step))
    assert "30 calls" in text and "and 18 calls before these" in text
    assert "[18]" not in text and "[19] look 19  19" not in text and '[19] look {"n": 19}' in text and "[30]" in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"output": {"rows": [[1]], "columns": ["n"]}, "total": 1200}, "1 of 1,200 rows"),
        ({"output": {"rows": [[1], [2]]}}, "2 rows"),
        ({"output": {"rows": [[1]]}, "total": 1}, "1 of 1 row"),
        ({"lines": (SHOWN,)}, "2 sentences"),
        ({"output": "sunny"}, "sunny"),
        ({"output": {"n": 1}}, '{"n": 1}'),
        ({"problem": "no such tool", "output": "x"}, "no such tool"),
    ],
)
def test_what_came_of_a_call_is_told_in_few_words(fields: dict[str, JsonValue], words: str) -> None:
    """Rows and sentences are counted; a problem comes before all."""
    use = ToolUse.model_validate({"id": "s1.2", "tool": "look", "arguments": {"at": "x" * 200}} | fields)
    assert use_words(use) == words
    line = plain([use_line(use, 60)])
    assert line.startswith("[2] look xxx") and line.endswith(words) and len(line) <= 60
