"""What models answer at their worst, each with what has to become of it; and ways to make a good answer worse."""

from __future__ import annotations

import json
from dataclasses import dataclass

from hypothesis import strategies as st

from aeon.errors import CompletionError, EmptyCompletion, Malformed, Refused, Truncated
from aeon.schema.frozen import Frozen, JsonValue
from aeon.schema.llm import FinishReason

__all__ = ["CASES", "Answer", "Case", "damaged", "hostile_texts", "objects", "wrapped"]


class Answer(Frozen):
    """What the model is asked for."""

    note: str
    count: int = 0
    more: JsonValue = None


@dataclass(frozen=True)
class Case:
    """A completion, and either the value that it holds or the failure that it is, with what its reason says."""

    text: str
    value: Answer | None = None
    mended: bool = False
    failure: type[CompletionError] = Malformed
    reason: str = ""
    finish: FinishReason = "stop"


GOOD = '{"note": "a", "count": 1}'
OTHER = '{"note": "b", "count": 2}'
VALUE = Answer(note="a", count=1)


def _read(text: str, value: Answer = VALUE) -> Case:
    return Case(text, value)


def _mended(text: str, value: Answer = VALUE) -> Case:
    return Case(text, value, mended=True)


def _bad(text: str, reason: str) -> Case:
    return Case(text, reason=reason)


def _noted(note: str) -> Answer:
    return Answer(note=note)


def _deep(levels: int) -> str:
    return '{"note": "a", "more": ' + "[" * levels + "]" * levels + "}"


CASES = {
    # thoughts
    "thoughts, one in another's words": _read(f"<think>so </thinking> {OTHER}</think>\n{GOOD}"),
    "32 thoughts": _read("<think>a</think>" * 32 + GOOD),
    "33 thoughts, the last with an object": _bad("<think>a</think>" * 32 + f"<think>{GOOD}</think>", "32 thoughts"),
    "thought inside the object": _bad('{<think>x</think>"note": "a"}', "no JSON object"),
    "thought without an end": _bad(f"<think>{GOOD}", "no JSON object"),
    "only thought": _bad("<think>so</think>", "no JSON object"),
    "tags in a text": _read(json.dumps({"note": "<think>no</think>", "count": 0}), _noted("<think>no</think>")),
    # fences
    "fence in a text": _read('```json\n{"note": "```json\\n{}\\n```"}\n```', _noted("```json\n{}\n```")),
    "raw fence in a text": _mended('```json\n{"note": "\n```\n{}\n"}\n```', _noted("\n```\n{}\n")),
    "raw JSON fence in a text": _mended('```json\n{"note": "\n```json\n{}\n"}\n```', _noted("\n```json\n{}\n")),
    "second object after a raw fence": _bad(f'```json\n{{"note": "\n```\n"}}\n{GOOD}\n```', "2 different"),
    "two objects in one fence": _bad(f"```json\n{GOOD}\n{OTHER}\n```", "2 different"),
    "two fences": _bad(f"```json\n{GOOD}\n```\nor\n```json\n{OTHER}\n```", "2 different"),
    "one object in two fences": _read(f"```json\n{GOOD}\n```\nAgain:\n```json\n{GOOD}\n```"),
    "empty fence": _bad("```json\n```", "no JSON object"),
    # how many
    "two objects": _bad(f"{GOOD}\n{OTHER}", "2 different"),
    "two arrays": _bad("[1], [2]", "2 different"),
    "none": _bad("There is no answer to that.", "no JSON object"),
    "a bare text": _bad('"a"', "no JSON object"),
    # what is left of a larger value
    "the outer bracket is missing": _bad(f'"more": {GOOD}', "part of another"),
    "closed twice": _bad(GOOD + "}", "part of another"),
    "closed too early": _bad('{"note": "a"}, "count": 1}', "part of another"),
    "goes on after its end": _bad('{"note": "a"} "count": 1', "part of another"),
    "cut off": _bad('{"note": "a", "count": 1', "not closed"),
    "cut off in a text": _bad('{"note": "a', "not closed"),
    "cut off in a mended object": _bad("{'note': 'a', 'more': {'b': 1}", "not closed"),
    # mended: one reading only
    "comma too many": _mended('{"note": "a", "count": 1,}'),
    "comma left out": _mended('{"note": "a"\n "count": 1}'),
    "comma left out between objects": _mended(
        '{"note": "", "more": [{"b": 1} {"b": 2}]}', Answer(note="", more=[{"b": 1}, {"b": 2}])
    ),
    "single quotes": _mended("{'note': 'a', 'count': 1}"),
    "single quotes around others": _mended("""{'note': 'say "a"'}""", _noted('say "a"')),
    "escaped apostrophe": _mended("""{'note': 'don\\'t'}""", _noted("don't")),
    "typographic quotes": _mended("{“note”: “a”, “count”: 1}"),
    "bare keys": _mended("{note: 'a', count: 1}"),
    "Python's names": _mended(
        '{"note": "None", "more": [True, False, None]}', Answer(note="None", more=[True, False, None])
    ),
    "raw line break": _mended('{"note": "a\nb"}', _noted("a\nb")),
    # not mended: more than one reading
    "apostrophe in single quotes": _bad("{'note': 'don't'}", "not valid JSON"),
    "quotes in a text": _bad('{"note": "say "a" now"}', "not valid JSON"),
    "two texts for one": _bad('{"note": "a" "b"}', "not valid JSON"),
    "sum of texts": _bad('{"note": "a" + "b"}', "not valid JSON"),
    "a key without a colon": _bad('{"note" "a"}', "not valid JSON"),
    "a key without a value": _bad('{"note": , "count": 1}', "not valid JSON"),
    "an item left out": _bad('{"note": "a", "more": [1,,2]}', "not valid JSON"),
    "numbers side by side": _bad('{"note": "a", "more": [1 000]}', "not valid JSON"),
    "decimal comma": _bad('{"note": "a", "count": 1,5}', "not valid JSON"),
    "pair in an array": _bad('{"note": "a", "more": ["b": 1]}', "not valid JSON"),
    "bare text": _bad("{note: a}", "not valid JSON"),
    "comma left out before a bare key": _bad('{"note": "a" count: 1}', "not valid JSON"),
    "comment": _bad('{"note": "a" /* or b */, "count": 1}', "not valid JSON"),
    "ellipsis": _bad('{"note": "a", "more": [1, ...]}', "not valid JSON"),
    "wrong escape": _bad('{"note": "\\d"}', "not valid JSON"),
    # numbers
    "NaN": _bad('{"note": "a", "more": NaN}', "NaN"),
    "minus infinity": _bad('{"note": "a", "more": -Infinity}', "Infinity"),
    "NaN in a mended object": _bad("{'note': 'a', 'more': NaN}", "NaN"),
    "1e999": _bad('{"note": "a", "more": 1e999}', "beyond the range"),
    "1e999 in a mended object": _bad('{"note": "a", "more": [-1e999,]}', "beyond the range"),
    "5,000 digits": _bad('{"note": "a", "count": ' + "9" * 5_000 + "}", "5000 digits"),
    "5,000 digits in a mended object": _bad("{'note': 'a', 'count': " + "9" * 5_000 + "}", "5000 digits"),
    "100,000 decimals": _read(
        '{"note": "a", "more": 0.' + "3" * 100_000 + "}", Answer(note="a", more=0.3333333333333333)
    ),
    # keys
    "key twice": _bad('{"note": "a", "note": "b"}', "'note' stands more than once"),
    "key twice, one escaped": _bad('{"note": "a", "n\\u006fte": "b"}', "'note' stands more than once"),
    "key twice in a mended object": _bad("{'note': 'a', 'note': 'b'}", "'note' stands more than once"),
    # characters
    "lone surrogate": _bad('{"note": "\ud800"}', "U+D800"),
    "escaped lone surrogate": _bad('{"note": "\\udfff"}', "U+DFFF"),
    "surrogate in a key": _bad('{"note": "a", "more": {"\\ud800": 1}}', "U+D800"),
    "surrogate in a mended object": _bad("{'note': '\\ud800'}", "U+D800"),
    "surrogates as a pair": _read('{"note": "\\ud83d\\ude00"}', _noted("😀")),
    "NUL": _bad('{"note": "\x00"}', "U+0000"),
    "escape sequence": _bad('{"note": "\\u001b[2J"}', "U+001B"),
    "C1 control character": _bad('{"note": "\x9b2J"}', "U+009B"),
    # sizes
    "60 deep": _read(_deep(60), Answer(note="a", more=json.loads("[" * 60 + "]" * 60))),
    "64 deep": _bad(_deep(64), "deeper than 64"),
    "100,000 deep": _bad(_deep(90_000), "deeper than 64"),
    "opened 100,000 times": _bad('{"note":' + "[" * 100_000, "deeper than 64"),
    "200,001 characters": _bad('{"note": "' + "a" * 199_989 + '"}', "200001 characters"),
    "50 MB": _bad("a" * 50_000_000, "50000000 characters"),
    # against the schema
    "mended and still wrong": _bad("{'note': 'a', 'count': 'one',}", "$.count"),
    "mended and incomplete": _bad("{'count': 1,}", "'note' is a required property"),
    "an unknown field": _bad('{"note": "a", "sudo": true}', "'sudo' was unexpected"),
    # no answer at all
    "empty": Case("", failure=EmptyCompletion, reason="answered nothing"),
    "space": Case(" \n\t\ufeff\x00", failure=EmptyCompletion, reason="answered nothing"),
    "refusal": Case(GOOD, failure=Refused, reason="declined", finish="refusal"),
    "truncated": Case('{"note": "a"', failure=Truncated, reason="cut off", finish="length"),
    "truncated, though it parses": Case(GOOD, failure=Truncated, reason="cut off", finish="length"),
    "ended for no known reason, though it parses": Case(GOOD, failure=Truncated, reason="not known", finish="other"),
    "truncated to nothing": Case("", failure=Truncated, reason="cut off", finish="length"),
}

_LEAF = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
_VALUE = st.recursive(
    _LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
objects = st.fixed_dictionaries({"note": st.text(max_size=8)}, optional={"count": st.integers(), "more": _VALUE})
"""Values of the schema of `Answer`."""

_PIECES = st.sampled_from(
    [
        *"{}[]:,\"'“”\\;",
        *(
            "```",
            "```json\n",
            "<think>",
            "</think>",
            "\n",
            "NaN",
            "1e999",
            "True",
            "//",
            "...",
            '"note":',
            '{"note": "b"}',
        ),
        *("\\ud800", "\ud800", "\x00", "\x1b", "\ufeff", "9" * 400, "[" * 70, "}" * 70),
    ]
)


@st.composite
def hostile_texts(draw: st.DrawFn) -> str:
    """The text of an `Answer`, a few times cut, doubled, added to or wrapped."""
    text = json.dumps(draw(objects), ensure_ascii=draw(st.booleans()))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        change = draw(st.sampled_from(["cut", "double", "insert", "replace", "end", "quotes", "wrap"]))
        if change == "wrap":
            text = draw(wrapped(text))
        elif change == "quotes":
            text = text.replace('"', "'")
        elif change == "end":
            text = text[:start]
        elif change == "double":
            text = text[:end] + text[start:]
        else:
            piece = "" if change == "cut" else draw(_PIECES)
            text = text[:start] + piece + text[start if change == "insert" else end :]
    return text


@st.composite
def damaged(draw: st.DrawFn) -> tuple[JsonValue, str]:
    """A value of plain words, and its JSON with one mark of punctuation dropped or doubled, or other quotes."""
    word = st.sampled_from(["a", "b2", "true", "two words"])
    value = draw(
        st.recursive(
            word | st.integers(-9, 99) | st.booleans() | st.none(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(word, inner, max_size=3),
            max_leaves=6,
        ).map(lambda inner: {"note": "a", "more": inner})
    )
    text = json.dumps(value)
    at = draw(st.sampled_from([at for at, sign in enumerate(text) if sign in '{}[]:,"']))
    ways = [text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:], text.replace('"', "'")]
    return value, draw(st.sampled_from(ways))


def wrapped(text: str) -> st.SearchStrategy[str]:
    """``text`` as models wrap an answer: in a fence, after a thought, in prose."""
    before = st.sampled_from(["", "Sure!\n", "<think>Hm, {}.</think>\n", "Here: ", "As [1] says:\n"])
    ways = st.sampled_from(["{}", "```json\n{}\n```", "```\n{}\n```", "{}\nAnything else?"])
    return st.tuples(before, ways).map(lambda both: both[0] + both[1].replace("{}", text, 1))
