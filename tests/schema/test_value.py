"""Tests of the base of small values: valid as a pydantic model is, small as a tuple is."""

import copy
import gc
import json
import pickle
import sys
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, JsonValue, SerializeAsAny, ValidationError

from aeon.schema import Plan, Reasoning, Step, StepResult, ToolLoop, Usage, Value


class Leaf(Value):
    """A value without fields of its own kind."""

    kind: Literal["leaf"] = "leaf"
    size: Annotated[int, Field(ge=0, description="how large it is")] = 1


class Twig(Value):
    """A value that holds others."""

    kind: Literal["twig"] = "twig"
    name: Annotated[str, Field(min_length=1)]
    on_it: tuple[Leaf, ...] = ()
    anything: SerializeAsAny[Value] | None = None


class Span(Value):
    """A value whose fields have to fit together."""

    start: int
    end: int

    def faults(self) -> list[str]:
        """That it ends before it begins."""
        return [f"end: {self.end} is before {self.start}"] if self.end < self.start else []


class Tree(BaseModel):
    """A pydantic model with such values in it."""

    grows: Annotated[Leaf | Twig, Field(discriminator="kind")]


TWIG = Twig(name="one", on_it=(Leaf(), Leaf(size=3)), anything=Leaf(size=2))


@pytest.mark.parametrize(
    ("fields", "where", "said"),
    [
        ({}, ("name",), "Field required"),
        ({"name": ""}, ("name",), "at least 1 character"),
        ({"name": "a", "colour": "green"}, ("colour",), "Extra inputs are not permitted"),
        ({"name": "a", "on_it": [{"size": -1}]}, ("on_it", 0, "size"), "greater than or equal to 0"),
        ({"name": "a", "kind": "leaf"}, ("kind",), "Input should be 'twig'"),
    ],
)
def test_what_is_not_valid_is_refused_with_its_path(
    fields: dict[str, JsonValue], where: tuple[str | int, ...], said: str
) -> None:
    """Both readers refuse the same fields, and say where and why as pydantic does."""
    for read in (lambda: Twig.model_validate(fields), lambda: Twig.model_validate_json(json.dumps(fields))):
        with pytest.raises(ValidationError) as raised:
            read()
        assert raised.value.title == "Twig"
        assert raised.value.errors()[0]["loc"] == where
        assert said in raised.value.errors()[0]["msg"]


def test_fields_that_do_not_fit_together_are_refused() -> None:
    """Whether they come as fields, as JSON or as a value that was made without validation."""
    assert Span.model_validate({"start": 1, "end": 2}) == Span(start=1, end=2)
    for read in (
        lambda: Span.model_validate({"start": 2, "end": 1}),
        lambda: Span.model_validate_json('{"start": 2, "end": 1}'),
        lambda: Span.model_validate(Span(start=2, end=1)),
    ):
        with pytest.raises(ValidationError, match="end: 1 is before 2"):
            read()


def test_a_value_is_read_as_it_was_written() -> None:
    """JSON gives an equal value back; so do copies and pickles; what is the default can be left out."""
    assert Twig.model_validate_json(Twig(name="a", on_it=(Leaf(size=0),)).model_dump_json()).on_it == (Leaf(size=0),)
    assert TWIG.model_dump_json(exclude_defaults=True) == (
        '{"name":"one","on_it":[{},{"size":3}],"anything":{"size":2}}'
    )
    assert TWIG.model_dump(mode="json")["on_it"] == [{"kind": "leaf", "size": 1}, {"kind": "leaf", "size": 3}]
    assert TWIG.model_dump(include={"name", "kind"}, exclude={"kind"}) == {"name": "one"}
    assert copy.deepcopy(TWIG) == TWIG == pickle.loads(pickle.dumps(TWIG))


def test_a_value_cannot_be_changed() -> None:
    """Setting a field is refused; a changed copy is another value, and equal values have one hash."""
    with pytest.raises(AttributeError):
        TWIG.name = "two"  # type: ignore[misc]
    other = TWIG.changed(name="two")
    assert (TWIG.name, other.name, other.on_it) == ("one", "two", TWIG.on_it)
    assert other.changed(name="one") == TWIG
    assert hash(other.changed(name="one")) == hash(TWIG)
    assert Leaf() != Twig(name="leaf")


def test_the_constructor_takes_what_it_is_given() -> None:
    """It validates nothing, and refuses only a field that does not exist."""
    assert (Leaf(size=-1).kind, Leaf(size=-1).size) == ("leaf", -1)
    with pytest.raises(TypeError):
        Leaf(colour="green")


def test_pydantic_models_hold_values() -> None:
    """A field takes a value as it is, or its fields; it is told by its discriminator, and written whole."""
    assert Tree(grows=TWIG).grows is TWIG
    tree = Tree.model_validate({"grows": {"kind": "twig", "name": "b"}})
    assert tree == Tree(grows=Twig(name="b"))
    assert Tree.model_validate_json(tree.model_dump_json()) == tree
    with pytest.raises(ValidationError, match="does not match any of the expected tags"):
        Tree.model_validate({"grows": {"kind": "root"}})


def test_the_schema_says_all_that_is_checked() -> None:
    """Title, description, bounds, defaults, and that no other field is accepted."""
    found = Twig.model_json_schema()
    assert (found["title"], found["required"], found["additionalProperties"]) == ("Twig", ["name"], False)
    assert found["description"] == "A value that holds others."
    assert found["$defs"]["Leaf"]["properties"]["size"] == {
        "default": 1, "description": "how large it is", "minimum": 0, "title": "Size", "type": "integer",
    }  # fmt: skip
    assert [field.required for field in Twig.model_fields.values()] == [False, True, False, False]


def test_a_value_is_small_and_nothing_that_the_collector_looks_at() -> None:
    """It has no dictionary, is not tracked, and takes its fields' pointers and a few words."""
    step = Step(id="s1", description="Add 2 and 2.", action=ToolLoop())
    for value in (step, step.changed(index=2), Usage(), StepResult(output=4), TWIG):
        assert not gc.is_tracked(value)
        assert not hasattr(value, "__dict__")
        assert sys.getsizeof(value) <= 8 * (len(type(value).model_fields) + 3)


texts = st.text(min_size=1, max_size=20)
outputs = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
steps = st.builds(
    Step,
    id=st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True),
    description=texts,
    action=st.builds(Reasoning) | st.builds(ToolLoop),
    dependencies=st.lists(texts, max_size=3).map(tuple),
    index=st.integers(1, 99),
    status=st.sampled_from(["pending", "complete", "failed", "invalid"]),
    output=outputs,
    depth=st.integers(0, 3),
)


@given(st.lists(steps, max_size=4))
def test_any_plan_is_read_as_it_was_written(drawn: list[Step]) -> None:
    """JSON and dictionaries give the plan back that was written."""
    plan = Plan(steps=tuple(drawn))
    assert Plan.model_validate_json(plan.model_dump_json()) == plan
    assert Plan.model_validate(plan.model_dump(mode="json")) == plan
