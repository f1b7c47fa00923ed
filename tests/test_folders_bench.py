"""The questions over made-up folders: each can be answered right, and no refusal passes for one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

BENCH = str(Path(__file__).parents[1] / "scripts" / "bench")
sys.path.insert(0, BENCH)
try:
    import folders
    from everyday_items import Item, Name, Value, shown
    from everyday_scoring import score
finally:
    sys.path.remove(BENCH)

pytestmark = pytest.mark.requirement("G4")
EVERY = {half: folders.found(half) for half in folders.HALVES}
ITEMS = [item for own in EVERY.values() for items in own.values() for item in items]
REFUSAL = "The files do not say: {} (searched: notes.md)."


def wordings(value: Value) -> list[str]:
    """The ways in which a value may be said."""
    return [value.text, *value.others] if isinstance(value, Name) else [shown(value)]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_a_right_answer_counts_as_right_and_a_refusal_does_not(item: Item) -> None:
    """All expected values, in each wording of one of them; where no file says it, it is the other way round."""
    assert score(item, REFUSAL.format(item.question)).right is (item.kind == "absent")
    first = [wordings(value)[0] for value in item.expected]
    for place, value in enumerate(item.expected):
        for wording in wordings(value):
            said = f"That is {', '.join([*first[:place], wording, *first[place + 1 :]])}."
            assert score(item, said).right, (said, score(item, said).why)


def test_each_folder_has_files_and_its_questions_beside_them() -> None:
    """Not inside, where they would be read; the halves share none, and every kind is asked."""
    names = [path.name for own in EVERY.values() for path in own]
    assert len(names) == len(set(names)) and all(EVERY.values())
    for own in EVERY.values():
        assert {item.kind for items in own.values() for item in items} == {*folders.KINDS}
        for path, items in own.items():
            assert [item.id for item in items] == [f"{path.name}-{number}" for number in range(1, len(items) + 1)]
            assert len(list(path.iterdir())) > 1 and not list(path.glob("*.json*"))


def test_a_question_without_a_value_is_refused() -> None:
    """Only what no file says has none."""
    row = json.loads((folders.FOLDERS / "development" / "sail.jsonl").read_text().splitlines()[0])
    with pytest.raises(ValueError, match="sail-1"):
        folders.item({**row, "expected": []}, "development")
