"""The values that people write."""

from __future__ import annotations

import copy
import pickle

import pytest

from aeon.errors import UsageError
from aeon.schema import LONGEST_TASK, Budget, Config, Task
from aeon.supervisor.judge_specs import judgment, judgments


@pytest.mark.parametrize(("kind", "words"), [(Task, "Task(text=…)"), (Budget, "Budget(calls=…)"), (Config, "Config(")])
def test_fields_without_names_are_refused_with_a_line_that_names_one(kind: type, words: str) -> None:
    """It is what everyone tries first."""
    with pytest.raises(UsageError) as refused:
        kind("x")
    assert words in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("value", [Task(text="x"), Budget(calls=3), Config(brief=True)])
def test_a_value_can_be_copied_and_kept(value: Task | Budget | Config) -> None:
    """As any other."""
    assert copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(value)) == value
    assert type(value).model_validate_json(value.model_dump_json()) == value


def test_what_is_computed_once_of_a_value_is_no_part_of_it() -> None:
    """A copy that differs computes its own; nothing that is written or compared has it."""
    seen, unseen = Task(text="x" * (LONGEST_TASK + 1)), Task(text="x" * (LONGEST_TASK + 1))
    assert [one.part for one in seen.unread] == ["task"]
    assert seen == unseen and hash(seen) == hash(unseen) and repr(seen) == repr(unseen)
    assert seen.model_dump() == unseen.model_dump() and seen.changed(text="x").unread == ()
    question = judgment("completeness").questions[0]
    longer = judgment("completeness").changed(questions=(question,), material="{{results}}")
    assert longer.wording != judgment("completeness").wording == judgments()["completeness"].wording
