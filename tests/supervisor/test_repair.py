"""Hostile model text goes in; a schema-valid value or one typed failure comes out."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aeon.errors import ConfigError, Malformed
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.supervisor.repair import MAX_DEPTH, MAX_TEXT, Parsed, extract_json, parse

ANY: JsonObject = {"type": "object"}
STEP: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tool", "count"],
    "properties": {
        "tool": {"type": "string"},
        "count": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
GOOD = '{"tool": "search", "count": 2}'
VALUE: JsonObject = {"tool": "search", "count": 2}

READABLE = {
    "plain": (GOOD, False),
    "surrounded by space": (f"\n\n  {GOOD}\n", False),
    "fenced": (f"```json\n{GOOD}\n```", False),
    "fenced without a name": (f"```\n{GOOD}\n```", False),
    "fence never closed": (f"```json\n{GOOD}", False),
    "prose around": (f"Sure! Here it is:\n{GOOD}\nLet me know.", False),
    "prose with brackets around": (f"As [draft] says {{so}}:\n{GOOD}\nSee {{above}}.", False),
    "prose and fence": (f"Here:\n\n```json\n{GOOD}\n```\nDone.", False),
    "json fence after a code fence": (f"```python\nd = {{'a': 1}}\n```\n```json\n{GOOD}\n```", False),
    "thought first": (f'<think>maybe {{"tool": 1}}</think>{GOOD}', False),
    "thought that only closes": (f'I could use {{"tool": 1}}\n</think>\n\n{GOOD}', False),
    "two thoughts": (f"<think>a</think>\n<thinking>b</thinking>{GOOD}", False),
    "said twice": (f"{GOOD}\n\n{GOOD}", False),
    "byte order mark": ("\ufeff" + GOOD, False),
    "trailing comma": ('{"tool": "search", "count": 2,}', True),
    "single quotes": ("{'tool': 'search', 'count': 2}", True),
    "typographic quotes": ("{“tool”: “search”, “count”: 2}", True),
    "bare keys": ('{tool: "search", count: 2}', True),
    "missing comma": ('{"tool": "search" "count": 2}', True),
}


@pytest.mark.parametrize("name", READABLE)
def test_a_whole_object_is_found_whatever_surrounds_it(name: str) -> None:
    """One whole object is read, and only a changed syntax marks it as mended."""
    text, mended = READABLE[name]
    assert parse(text, STEP) == Parsed(VALUE, mended)


UNUSABLE = {
    "nothing": ("", "no JSON object"),
    "refusal in prose": ("I'm sorry, I cannot help with that.", "no JSON object"),
    "half a word": ("tru", "no JSON object"),
    "a text": ('"search"', "no JSON object"),
    "thought never closed": (f"<think>{GOOD}", "no JSON object"),
    "cut in a string": ('{"tool": "sea', "not closed"),
    "cut after a value": ('{"tool": "search", "count": 2', "not closed"),
    "cut in a fence": ('```json\n{"tool": "search", "count": 2\n```', "not closed"),
    "wrong bracket": ('{"tool": "search", "count": 2]', "closed by ']'"),
    "two objects": (GOOD + '{"tool": "shell", "count": 2}', "2 different"),
    "two fences": (f'```json\n{GOOD}\n```\n```json\n{{"tool": "shell", "count": 1}}\n```', "2 different"),
    "duplicate key": ('{"tool": "search", "count": 1, "count": 2}', "'count' stands more than once"),
    "duplicate key, deep": ('{"tool": "search", "count": {"a": 1, "a": 1}}', "'a' stands more than once"),
    "NaN": ('{"tool": "search", "count": NaN}', "NaN"),
    "Infinity": ('{"tool": "search", "count": -Infinity}', "Infinity"),
    "1e999": ('{"tool": "search", "count": 1e999}', "beyond the range"),
    "5,000 digits": ('{"tool": "search", "count": ' + "9" * 5000 + "}", "5000 digits"),
    "10,000 deep": ('{"tool":' * 10_000, "nested deeper"),
    "10,000 deep and closed": ('{"tool":' * 10_000 + "1" + "}" * 10_000, "nested deeper"),
    "10,000 arrays": ("[" * 10_000, "nested deeper"),
    "lone surrogate": ('{"tool": "\ud800", "count": 2}', "U+D800"),
    "escaped lone surrogate": ('{"tool": "\\ud800", "count": 2}', "U+D800"),
    "control character": ('{"tool": "\x00", "count": 2}', "U+0000"),
    "escaped control character": ('{"tool": "\\u001b[31m", "count": 2}', "U+001B"),
    "5 MB": ("x" * 5_000_000, "5000000 characters"),
    "bare word": ('{"tool": tru, "count": 2}', "not valid JSON"),
    "mended NaN": ('{"tool": NaN, "count": 2,}', "NaN"),
    "duplicate bare keys": ("{tool: 'a', count: 1, count: 2}", "'count' stands more than once"),
    "missing value": ('{"tool": , "count": 2}', "not valid JSON"),
    "ellipsis": ('{"tool": "search", "count": 2, "tags": ["a", ...]}', "not valid JSON"),
    "dropped string": ('{"tool": "search" "shell", "count": 2}', "not valid JSON"),
    "comment": ('{"tool": "search", // or shell\n"count": 2}', "not valid JSON"),
    "wrong type": ('{"tool": "search", "count": "2"}', "$.count: '2' is not of type 'integer'"),
    "wrong type, deep": ('{"tool": "search", "count": 2, "tags": ["a", 1]}', "$.tags[1]: 1 is not of type 'string'"),
    "missing field": ('{"tool": "search"}', "$: 'count' is a required property"),
    "extra field": ('{"tool": "search", "count": 2, "sudo": true}', "'sudo' was unexpected"),
    "an array": (f'[{GOOD}, {{"tool": "shell", "count": 1}}]', "is not of type 'object'"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_anything_else_is_malformed_and_says_why(name: str) -> None:
    """Every unusable text ends in one printable line that begins with the path of a fault."""
    text, reason = UNUSABLE[name]
    with pytest.raises(Malformed) as caught:
        parse(text, STEP)
    line = str(caught.value)
    assert reason in line
    assert line.startswith("$") and "\n" not in line and line.isprintable() and len(line) < 2000


def test_a_mended_value_is_validated_again() -> None:
    """Mending does not excuse a wrong type."""
    with pytest.raises(Malformed, match=r"\$\.count"):
        parse("{'tool': 'search', 'count': 'two',}", STEP)


def test_strings_keep_what_looks_like_structure() -> None:
    """Fences, thoughts and brackets inside a string belong to the string."""
    text = "```py\nx = {}\n``` </think> <think> }]"
    assert parse(json.dumps({"tool": text, "count": 2}), STEP).value == {"tool": text, "count": 2}
    assert parse(f"Here: {json.dumps({'tool': text, 'count': 2})}", STEP).value == {"tool": text, "count": 2}


def test_a_raw_newline_inside_a_string_is_kept_and_marked() -> None:
    """A line break that a model forgot to escape is part of the text."""
    assert parse('{"tool": "a\nb", "count": 2}', STEP) == Parsed({"tool": "a\nb", "count": 2}, mended=True)


def test_depth_is_read_up_to_the_limit() -> None:
    """A value at the limit is read, one level more is refused."""
    deep = '{"a":' * (MAX_DEPTH - 1) + "{}" + "}" * (MAX_DEPTH - 1)
    assert parse(deep, ANY).mended is False
    with pytest.raises(Malformed, match="nested deeper"):
        parse(f'{{"a":{deep}}}', ANY)


def test_an_array_can_be_asked_for() -> None:
    """Where the answer starts with an array, the array is the value."""
    assert parse("[1, 2]", {"type": "array"}).value == [1, 2]
    assert extract_json("```json\n[{}]\n```") == "[{}]"


@pytest.mark.parametrize("schema", [{"type": "no such type"}, {"$ref": "https://example.org/s.json"}, {"$ref": "#"}])
def test_a_bad_schema_is_the_callers_fault(schema: JsonObject) -> None:
    """A schema that is invalid, remote or endless is a `ConfigError`, and nothing is fetched for it."""
    with pytest.raises(ConfigError, match="schema"):
        parse("{}", schema)


@pytest.mark.parametrize(
    "text",
    [
        "<think></think>" * 13_000,
        '{"a": </think>' * 13_000,
        '{"a":1}' * 28_000,
        "```json\n" * 24_000,
        "\n```" * 49_000,
        '{"a":"' + "\\" * 190_000,
        "{ " * 99_000,
        "{" + "'a" * 20_000 + "}",
        '{"a": [' + '"b" c,' * 8_000 + "]}",
        '{"a": [' + "1 " * 24_000 + "]}",
        '{"a": ' + "“" * 190_000 + "}",
        "{" + "'\\" * 95_000 + "}",
        "{" + "'\\“\\" * 47_000 + "}",
    ],
)
def test_text_made_to_be_slow_ends_like_any_other(text: str) -> None:
    """Text made to be slow is read or refused, some of it in hours if each quote looked for its end."""
    assert len(text) <= MAX_TEXT
    with suppress(Malformed):
        parse(text, ANY)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda child: st.lists(child, max_size=4) | st.dictionaries(st.text(), child, max_size=4),
    max_leaves=12,
)
_SYNTAX = """{"tool":~"search"~, "count": 2~}~{~[~]~,~:~'~"~\\~\\ud83d"""
_WORDS = """NaN~1e999~-~0x~null~True~...~/*~```~<think>~</think>~ ~“~”"""
_PIECES = st.sampled_from(
    [*_SYNTAX.split("~"), *_WORDS.split("~"), "// c\n", "```json\n", "\n", "\ud800", "\x00", "\ufeff"]
)
_HOSTILE = st.lists(_PIECES | st.text(max_size=4), max_size=24).map("".join)


@given(st.text() | _HOSTILE | _HOSTILE.map(lambda inner: f"{{{inner}}}"), st.sampled_from([ANY, STEP, {}]))
@settings(max_examples=600, deadline=None)
@example('{"tool": "\\ud83d" "\\ude00", "count": 2,}', STEP)
def test_any_text_gives_a_valid_value_or_malformed(text: str, schema: JsonObject) -> None:
    """For any text there is a schema-valid, UTF-8-encodable value or `Malformed`, and never another exception."""
    try:
        value = parse(text, schema).value
    except Malformed as error:
        assert "\n" not in str(error)
        str(error).encode("utf-8")
        return
    Draft202012Validator(schema).validate(value)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


@given(st.dictionaries(st.text(), _JSON, max_size=4))
@settings(max_examples=300, deadline=None)
def test_valid_json_is_never_changed(value: JsonObject) -> None:
    """Any object that JSON can say is read as it was written, or refused for a control character."""
    text = json.dumps(value)
    try:
        parsed = parse(f"Here you are:\n```json\n{text}\n```", ANY)
    except Malformed as error:
        assert "U+" in str(error)
        return
    assert parsed == Parsed(value, mended=False)


@given(st.dictionaries(st.text(max_size=8), _JSON, min_size=1, max_size=4), st.data())
@settings(max_examples=300, deadline=None)
def test_a_cut_object_is_never_taken_as_whole(value: JsonObject, data: st.DataObject) -> None:
    """Whatever an object's text is cut down to, it is refused."""
    text = json.dumps(value)
    with pytest.raises(Malformed):
        parse(text[: data.draw(st.integers(0, len(text) - 1))], {})


BOOKED: JsonObject = {
    "type": "object",
    "properties": {
        "shop": {"type": "string"},
        "rating": {"enum": ["low", "medium", "high"]},
        "amount": {"type": "integer"},
        "note": {"type": ["string", "null"]},
    },
    "required": ["shop", "rating", "amount", "note"],
    "additionalProperties": False,
}
SALE: dict[str, JsonValue] = {"shop": "Pier", "rating": "high", "amount": 1200, "note": None}
TEXT = json.dumps(SALE)


@pytest.mark.requirement("S2")
@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>\n{json.dumps({'name': 'final_answer', 'arguments': SALE})}\n</tool_call>",
        json.dumps({"name": "final_answer", "parameters": TEXT}),
        json.dumps({"id": "1", "type": "function", "function": {"name": "answer", "arguments": TEXT}}),
        json.dumps([{"name": "final_answer", "arguments": SALE}]),
        json.dumps({"answer": SALE}),
        json.dumps({"answer": TEXT}),
        json.dumps({"response": {"answer": [SALE]}}),
        json.dumps([SALE]),
        json.dumps(TEXT),
        f"Here it is:\n```json\n{json.dumps({'result': SALE})}\n```",
        TEXT.replace("high", "High"),
        json.dumps({"answer": {**SALE, "rating": "HIGH"}}),
        f"<|channel|>analysis<|message|>{{}}<|end|><|start|>assistant<|channel|>final<|message|>[{TEXT}]<|return|>",
    ],
)
def test_a_right_object_in_an_envelope_is_used(text: str) -> None:
    """It is taken out, held against the schema, and marked as mended."""
    assert parse(text, BOOKED) == Parsed(SALE, mended=True)


@pytest.mark.requirement("S2")
@pytest.mark.parametrize(
    "value",
    [
        {"answer": {**SALE, "amount": "1200"}},
        {"answer": SALE, "note": "and more"},
        [SALE, SALE],
        {**SALE, "rating": "highest"},
        {"a": {"b": {"c": {"d": {"e": SALE}}}}},
        {"name": "final_answer", "arguments": "Pier"},
    ],
)
def test_an_envelope_cures_nothing_else(value: JsonValue) -> None:
    """What does not fit without it is asked for again; so is what would lose something."""
    with pytest.raises(Malformed):
        parse(json.dumps(value), BOOKED)


@pytest.mark.requirement("S2")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, {"answer": SALE}),
        ({"type": "array"}, [SALE]),
        ({"type": "object", "properties": {"answer": {}}}, {"answer": TEXT}),
        ({"type": "object", "properties": {"name": {}, "arguments": {}}}, {"name": "x", "arguments": {"a": 1}}),
        ({"properties": {"a": {"anyOf": [{"enum": ["x"]}, {"type": "string"}]}}}, {"a": "X"}),
    ],
)
def test_what_fits_as_it_is_is_no_envelope(schema: JsonObject, value: JsonValue) -> None:
    """A schema that wants the outer value gets it, as it was written."""
    assert parse(json.dumps(value), schema) == Parsed(value, mended=False)


@pytest.mark.requirement("S2")
def test_the_case_of_a_member_is_put_right_at_every_depth() -> None:
    """Within lists, unions and definitions; where two members differ by case alone, nothing is guessed."""
    schema: JsonObject = {
        "$defs": {"K": {"enum": ["red", "Blue"]}},
        "properties": {"all": {"items": {"$ref": "#/$defs/K"}}, "one": {"anyOf": [{"const": "x"}, {"type": "null"}]}},
    }
    assert parse('{"all": ["RED", "blue"], "one": "X"}', schema).value == {"all": ["red", "Blue"], "one": "x"}
    with pytest.raises(Malformed):
        parse('{"a": "AB"}', {"properties": {"a": {"enum": ["ab", "Ab"]}}})
