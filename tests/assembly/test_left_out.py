"""Files of a run's folders that were not read, in its result."""

from __future__ import annotations

from pathlib import Path

import pytest
from assembly.capable import capable

from aeon import build, replay
from aeon.observability.lines import conclusion_lines
from aeon.runtime.journal import Journal

pytestmark = pytest.mark.requirement("T3")


def test_a_result_says_which_files_were_not_read(tmp_path: Path) -> None:
    """So does its replay, and the lines on its end; what was read leaves nothing to say."""
    root = tmp_path / "files"
    root.mkdir()
    (root / "boats.csv").write_text("name,metres\nStella,12\n")
    call = ("sql", {"query": "SELECT count(*) FROM boats"})
    whole = build(llm=capable("1\n[1]", [call]), files=root).execute("How many boats are there?")
    assert whole.left_out == ""
    (root / "broken.json").write_text("[1, 2")
    place = tmp_path / "run.jsonl"
    front = build(llm=capable("1\n[1]", [call]), files=root, journal=lambda name: Journal(place))
    result = front.execute("How many boats are there?")
    assert result.left_out.startswith("broken.json (it is no readable table: ")
    assert replay(Journal.read(place)).left_out == result.left_out
    assert any(text.startswith("not read: broken.json") for line in conclusion_lines(result) for text, *_ in line)
