"""The report of a run of any engine: its effects, decisions, answer and costs."""

from __future__ import annotations

import pytest

from aeon.observability.lines import bound_words, conclusion_lines, plain
from aeon.observability.report import effect_lines, report_lines
from aeon.schema import Bound, Conclusion, Usage
from observability.search import trail

pytestmark = pytest.mark.requirement("M1")


def test_the_report_has_everything_in_order() -> None:
    """Task and engine, each effect with what came of it, the decision where it was made, answer, cost and bound."""
    lines = plain(report_lines(trail())).splitlines()
    assert lines[0] == "Run run-1, engine search/1" and lines[1] == "Task: rolls cost 0.45"
    rows = [line for line in lines if line[:3].strip().isdigit()]
    assert [row[:5].split() for row in rows] == [["0"], ["1", "┌"], ["2", "│"], ["3", "└"], ["4"]]
    assert "search for rolls" in rows[0] and '["rolls cost 0.45"]' in rows[0] and rows[0].endswith("1    1.5")
    assert "tool: no network" in rows[1] and "altered: " in rows[2] and "not done when it was saved" in rows[4]
    decided = lines.index("      decide  continue, more to find: rolls cost 0.45")
    assert lines.index(rows[0]) < decided < lines.index(rows[1])
    tail = lines[lines.index("Answer") :]
    assert tail[1] == "  rolls cost 0.45"
    assert "enough found  4 model calls, 48 tokens (8 generated), $0.5, 0.0 s" in tail
    assert "beside that, up to 2 model calls, 10 tokens (0 generated) for what was broken off and done again" in tail
    assert "degraded search: rolls cost 0.45" in tail
    assert tail[-1] == "bound: at most 12 model calls and 1,000 tokens, $2"


def test_each_effect_is_a_line_of_80_columns() -> None:
    """However long a text is, and whatever is in it."""
    lines = plain(effect_lines(trail("x\x1b[2J\n" * 100))).splitlines()
    assert len(lines) == 6 and max(map(len, lines)) <= 80 and "\x1b" not in "".join(lines)


@pytest.mark.parametrize(("cost", "words"), [(None, ", cost not known"), (0.0, ""), (0.25, ", $0.25")])
def test_a_cost_is_shown_only_where_it_is_known(cost: float | None, words: str) -> None:
    """Where a model has no price the bound says so; what is free has none to show."""
    assert bound_words(Bound(calls=1, tokens=5, cost=cost)) == f"at most 1 model call and 5 tokens{words}"


@pytest.mark.parametrize(
    ("sufficient", "reason", "style"), [(True, "a", "good"), (False, "failed", "bad"), (False, "a", "warn")]
)
def test_the_look_of_an_end_follows_from_whether_it_is_good_enough(sufficient: bool, reason: str, style: str) -> None:
    """Not from the names of stop reasons, which are the engine's."""
    end = Conclusion(
        execution_id="1", engine="search/1", answer="a", stop_reason=reason, sufficient=sufficient,
        usage=Usage(), bound=Bound(calls=1, tokens=1),
    )  # fmt: skip
    assert conclusion_lines(end)[0][0].style == style
