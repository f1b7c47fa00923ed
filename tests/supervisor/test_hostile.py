"""Whatever a model answers, there is a schema-valid value, marked if it was mended, or one typed failure."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aeon import build
from aeon.errors import CompletionError, EmptyCompletion, Malformed
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import Ledger
from aeon.schema.config import Config
from aeon.schema.frozen import Frozen, JsonObject, JsonValue
from aeon.schema.llm import LLMRequest, LLMResponse
from aeon.schema.usage import Allowance, Usage
from aeon.supervisor.mend import mended
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.repair import MAX_TEXT, Parsed, parse
from aeon.supervisor.schema import schema_of
from aeon.supervisor.supervisor import Reply, Supervisor
from aeon.supervisor.valid import MOST_CHECKS
from aeon.testing.obliging import oblige
from supervisor.hostile import CASES, Answer, damaged, hostile_texts, objects, wrapped

PROMPT = Prompt(system="You answer.", user="What do you say?")
SCHEMA = schema_of(Answer)
THOROUGH = Config(thorough=True)
ASK = 256


def asked(*answers: LLMResponse) -> tuple[Reply[Answer] | CompletionError, Usage, Scripted]:
    """What the supervisor makes of the answers, the last one again and again; what it charged; and the model."""
    model = Scripted((*answers, *(answers[-1:] * 9)))

    async def body() -> tuple[Reply[Answer] | CompletionError, Usage]:
        with Ledger(Allowance(calls=10)) as ledger:
            try:
                return await Supervisor(model).structured(PROMPT, Answer, max_tokens=ASK), ledger.spent
            except CompletionError as error:
                return error, ledger.spent

    return *asyncio.run(body()), model


@pytest.mark.requirement("S1", "S2")
@pytest.mark.parametrize("name", CASES)
def test_each_hostile_answer_has_its_outcome(name: str) -> None:
    """Every text of the corpus becomes its value, marked if it was mended, or its failure in one printable line."""
    case = CASES[name]
    outcome, spent, model = asked(LLMResponse(text=case.text, finish_reason=case.finish))
    assert len(model.requests) == spent.calls <= 3
    if case.value is not None:
        assert outcome == Reply(case.value, case.mended, attempts=1, form="verdict")
        assert spent == Usage(calls=1, mended=int(case.mended))
        return
    assert type(outcome) is case.failure and case.reason in str(outcome)
    assert str(outcome).isprintable() and len(str(outcome)) < 2_000
    assert spent.mended == 0


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.failure is Malformed])
def test_what_is_asked_again_is_small_and_clean(name: str) -> None:
    """A hostile answer that is shown to the model again is cut, valid UTF-8 and free of control characters."""
    case = CASES[name]
    *_, model = asked(LLMResponse(text=case.text, finish_reason=case.finish))
    for request in model.requests:
        for message in request.messages:
            assert len(message.content.encode("utf-8")) < 10_000
            assert all(sign.isprintable() or sign in "\n\t\r" for sign in message.content)


@pytest.mark.requirement("S1")
def test_a_mended_repair_is_charged_once() -> None:
    """Only the answer that is accepted counts as mended, and it adds no call of its own."""
    answers = [LLMResponse(text="{'note': 1,}"), LLMResponse(text="{'note': 'a',}"), LLMResponse(text='{"note": "a"}')]
    outcome, spent, _ = asked(*answers)
    assert outcome == Reply(Answer(note="a"), mended=True, attempts=2, form="verdict")
    assert spent == Usage(calls=2, mended=1)


@pytest.mark.requirement("S1")
def test_a_run_says_how_many_values_were_mended() -> None:
    """What was mended in a run stands in its usage, and each in the entry of its journal, beside the calls."""

    def sloppy(request: LLMRequest) -> LLMResponse:
        whole = oblige(request)
        return whole.changed(text=whole.text[:-1] + ",}") if request.json_schema else whole

    journal = Journal()
    result = build(llm=Scripted(sloppy), config=THOROUGH, journal=lambda _: journal).execute("Say 42.")
    assert result.usage.mended == sum(entry.usage.mended for entry in journal.entries.values()) > 0
    neat = build(llm=Scripted(oblige), config=THOROUGH).execute("Say 42.")
    assert neat.usage.changed(mended=result.usage.mended) == result.usage


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("text", ["<think>a</think>", "\x00\x01\x1b", "\u200b\u2060", "</think>", "\ud800", "\x85\xa0"])
def test_a_text_that_nobody_can_read_is_no_answer(text: str) -> None:
    """Plain text of thoughts, control characters or invisible ones only is an empty completion."""
    model = Scripted([text] * 2)
    with pytest.raises(EmptyCompletion):
        asyncio.run(Supervisor(model).text(PROMPT, max_tokens=ASK))


class Left(Frozen):
    """One of two kinds that look the same, so that each level has to be tried twice."""

    k: int
    x: Left | Right | None = None


class Right(Frozen):
    """The other kind."""

    k: int
    x: Left | Right | None = None


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ('{"k": 1, "x": ' * 14 + "1" + "}" * 14, schema_of(Left)),
        (json.dumps([0] * (MOST_CHECKS + 1)), {"type": "array", "items": {"type": "integer"}}),
        (json.dumps([0] * 20_000), {"type": "array", "unevaluatedItems": {"type": "integer"}}),
    ],
    ids=["two ways at each of 14 levels", "many items", "many items, compared with each other"],
)
def test_checking_ends_whatever_the_value(value: str, schema: JsonObject) -> None:
    """A value cannot make its validation long: after so many checks it is refused."""
    with pytest.raises(Malformed, match=f"more than {MOST_CHECKS} checks"):
        parse(value, schema)


@pytest.mark.requirement("S1")
def test_a_value_deeper_than_its_schema_can_be_followed_is_malformed() -> None:
    """Depth that exhausts the stack is the value's fault where the value is deep, never a `RecursionError`."""
    schema: JsonObject = {
        "$ref": "#/$defs/s0",
        "$defs": {f"s{n}": {"allOf": [{"$ref": f"#/$defs/s{n + 1}"}]} for n in range(9)},
    }
    schema["$defs"] |= {"s9": {"items": {"$ref": "#/$defs/s0"}}}  # type: ignore[operator]  # a dict, as written above
    assert parse("[[1]]", schema).value == [[1]]
    with pytest.raises(Malformed, match="nested deeper"):
        parse("[" * 60 + "]" * 60, schema)


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ([1, 1.0], False),
        ([1, True, 0, False], True),
        ([1, "1"], True),
        ([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], False),
        ([[1], 1, "[1]", {"1": 1}, None], True),
    ],
)
def test_items_are_unique_as_json_says(items: list[JsonValue], unique: bool) -> None:
    """``uniqueItems`` tells values apart as JSON Schema does: 1 is 1.0 but not true, and keys have no order."""
    schema: JsonObject = {"uniqueItems": True}
    assert Draft202012Validator(schema).is_valid(items) is unique
    if unique:
        assert parse(json.dumps(items), schema).value == items
    else:
        with pytest.raises(Malformed, match="non-unique"):
            parse(json.dumps(items), schema)


@pytest.mark.requirement("S1")
def test_another_draft_named_by_the_schema_changes_nothing() -> None:
    """A schema that names another draft and refers to itself is checked and counted all the same."""
    schema: JsonObject = {"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#"}, "minItems": 0}
    with pytest.raises(Malformed, match="checks"):
        parse(json.dumps([[0] * (MOST_CHECKS // 2)]), schema)


@pytest.mark.requirement("S1")
@given(st.text(), st.sampled_from([SCHEMA, {}, {"type": "array"}]))
@settings(max_examples=300)
def test_any_text_is_a_value_or_malformed(text: str, schema: JsonObject) -> None:
    """Any text at all gives a value that is valid and encodes as UTF-8, or `Malformed`."""
    for whole in (text, f"{{{text}}}", f'{{"note": "{text}"}}', f"<think>{text}"):
        try:
            value = parse(whole, schema).value
        except Malformed as error:
            assert str(error).isprintable() or not text.isprintable()
        else:
            assert Draft202012Validator(schema).is_valid(value)
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


@pytest.mark.requirement("S1", "S2")
@given(
    st.lists(
        st.tuples(hostile_texts(), st.sampled_from(["stop", "stop", "length", "other", "refusal"])),
        min_size=3,
        max_size=3,
    )
)
@settings(max_examples=400)
def test_whatever_is_answered_the_supervisor_gives_a_value_or_a_typed_failure(answers: list[tuple[str, str]]) -> None:
    """Hostile answers and finish reasons give a valid value out of a whole answer, or a typed failure, in 3 calls."""
    responses = [LLMResponse.model_validate({"text": text, "finish_reason": finish}) for text, finish in answers]
    outcome, spent, model = asked(*responses)
    calls = len(model.requests)
    assert spent.calls == calls <= 3
    if isinstance(outcome, CompletionError):
        assert spent.mended == 0
        str(outcome).encode("utf-8")
        return
    text, finish = answers[calls - 1]
    assert outcome.attempts == calls and finish == "stop"
    assert spent.mended == outcome.mended
    assert outcome.value.model_dump_json(exclude_unset=True).encode("utf-8")
    assert parse(text, SCHEMA) == Parsed(outcome.value.model_dump(mode="json", exclude_unset=True), outcome.mended)


@pytest.mark.requirement("S2")
@given(objects, st.data())
@settings(max_examples=200)
def test_wrapping_changes_nothing(value: dict[str, JsonValue], data: st.DataObject) -> None:
    """A value in a fence, after a thought or in prose is read as it stands, unmended, or refused for its characters."""
    try:
        assert parse(data.draw(wrapped(json.dumps(value))), SCHEMA) == Parsed(value, mended=False)
    except Malformed as error:
        assert "U+" in str(error) or "digits" in str(error)


@pytest.mark.requirement("S2")
@given(hostile_texts())
@settings(max_examples=150)
def test_mending_keeps_every_word(text: str) -> None:
    """Mended text has the letters and digits of the text, in their order, whatever it is."""

    def content(of: str) -> str:
        own = "".join(sign for sign in of if sign.isalnum())
        return own.replace("True", "true").replace("False", "false").replace("None", "null")

    once = mended(text)
    if "\\" not in once:
        assert content(once) == content(text)


@pytest.mark.requirement("S2")
@given(damaged())
@settings(max_examples=300)
def test_what_is_mended_is_what_was_meant(both: tuple[JsonValue, str]) -> None:
    """Where one mark of punctuation is wrong, the value is the one that was written, or the text is refused."""
    value, text = both
    with suppress(Malformed):
        assert parse(text, {}).value == value


@pytest.mark.requirement("S1")
def test_the_longest_text_is_read() -> None:
    """A text of exactly the most characters is no failure of its own."""
    text = '{"note": "' + "a" * (MAX_TEXT - 12) + '"}'
    assert parse(text, SCHEMA).mended is False


@pytest.mark.requirement("S1")
def test_only_the_first_ask_carries_the_whole_prompt() -> None:
    """Asking again adds the last answer and its fault only, however often it was asked."""
    *_, model = asked(LLMResponse(text="{" * 5_000))
    sizes = [_size(request) for request in model.requests]
    assert sizes[1] == sizes[2] < sizes[0] + 5_000


def _size(request: LLMRequest) -> int:
    return sum(len(message.content) for message in request.messages)
