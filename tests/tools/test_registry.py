"""Finding, describing, checking and calling tools."""

from __future__ import annotations

import asyncio
import datetime
import json
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.errors import (
    ConfigError,
    OutcomeUnknown,
    ToolArgumentError,
    ToolError,
    ToolFailed,
    ToolTimeout,
    UnknownNameError,
)
from aeon.tools import Tool, ToolOutput, ToolRegistry, tool


def given_back(value, *, output_bytes: int = 16_384, **options) -> ToolOutput:  # type: ignore[no-untyped-def]
    """Call a tool that returns the value."""
    one = Tool("give", "Give.", {"type": "object"}, lambda: value() if callable(value) else value, **options)
    return asyncio.run(ToolRegistry([one], output_bytes).call("give", {}))


@tool(side_effects=False, parallel_safe=True, hint="first\nsecond")
def add(a: int, b: int = 0) -> int:
    """Add two numbers.

    Args:
        a: the first one
        b: the second one
    """
    return a + b


def test_names_and_get() -> None:
    """A registry knows its tools by name, in order."""
    registry = ToolRegistry([add])
    assert registry.names == ("add",)
    assert registry.get("add") is add


def test_unknown_name_lists_the_known_and_suggests_one() -> None:
    """A misspelt name gets the list and the nearest name."""
    with pytest.raises(UnknownNameError, match=r"'ad'.*the tools are: add; did you mean add\?"):
        ToolRegistry([add]).get("ad")


def test_duplicate_names_are_refused() -> None:
    """Two tools of one name cannot be told apart."""
    with pytest.raises(ConfigError, match="add"):
        ToolRegistry([add, add])


def test_describe_is_one_line_then_details() -> None:
    """The listing for prompts shows signature, description and parameter texts; hints are data, and come apart."""
    assert ToolRegistry([add]).describe() == (
        "add(a: integer, b?: integer) - Add two numbers.\n    a: the first one\n    b: the second one"
    )
    assert ToolRegistry([add]).material() == "add: first\nsecond"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "arguments: 'a' is a required property"),
        ({"a": "1"}, "a: '1' is not of type 'integer'"),
        ({"a": 1, "c": 2}, "arguments: Additional properties are not allowed ('c' was unexpected)"),
        ([], "arguments: [] is not of type 'object'"),
        ({"a": float("nan")}, "arguments: nan is no JSON number"),
        pytest.param({"a": 10**5000}, "arguments: an integer of more than 4,200 digits", id="huge"),
    ],
)
def test_check_names_the_path(arguments, text) -> None:  # type: ignore[no-untyped-def]
    """Arguments that do not fit are described in short texts, and nothing is run."""
    assert ToolRegistry([add]).check("add", arguments) == [text]


def test_check_accepts_what_fits() -> None:
    """Nothing is said of arguments that fit."""
    assert ToolRegistry([add]).check("add", {"a": 1}) == []


def test_check_of_a_deep_value_is_one_text() -> None:
    """A value nested beyond reason is a problem, not a crash."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert ToolRegistry([add]).check("add", {"a": deep}) == ["arguments: nested deeper than 64 levels"]  # type: ignore[dict-item]
    while deep:  # taken apart by hand: freeing it in one go recurses
        deep = deep.pop()  # type: ignore[assignment]


def test_check_can_leave_references_open() -> None:
    """A plan's arguments may hold a reference where the schema wants a number."""
    registry = ToolRegistry([add])
    assert registry.check("add", {"a": "$s1"}, references=True) == []
    assert registry.check("add", {"a": "$s1 + 1"}, references=True) == ["a: '$s1 + 1' is not of type 'integer'"]
    assert registry.check("add", {"a": "$s1"}) == ["a: '$s1' is not of type 'integer'"]


def test_check_also_says_what_conversion_refuses() -> None:
    """A text that is no date is refused before the call."""
    from_date = tool(_weekday)
    assert ToolRegistry([from_date]).check("_weekday", {"day": "soon"})
    with pytest.raises(ToolArgumentError):
        asyncio.run(ToolRegistry([from_date]).call("_weekday", {"day": "soon"}))


def _weekday(day: datetime.date) -> int:
    """Tell the weekday."""
    return day.weekday()


def test_wrong_arguments_never_reach_the_tool() -> None:
    """No tool runs before its arguments are valid."""
    ran: list[int] = []

    @tool
    def note(n: int) -> None:
        """Note a number."""
        ran.append(n)

    with pytest.raises(ToolArgumentError, match="note: n: "):
        asyncio.run(ToolRegistry([note]).call("note", {"n": "x"}))
    assert ran == []


def test_sync_and_async_tools_give_their_value() -> None:
    """Both kinds of function are called alike."""

    @tool
    async def double(n: int) -> int:
        """Double a number."""
        await asyncio.sleep(0)
        return 2 * n

    async def both() -> list[object]:
        registry = ToolRegistry([add, double])
        return [(await registry.call("add", {"a": 1, "b": 2})).value, (await registry.call("double", {"n": 4})).value]

    assert asyncio.run(both()) == [3, 8]


def test_the_host_fills_the_key() -> None:
    """It comes from the host, not from the arguments."""

    @tool
    def pay(amount: int, *, idempotency_key: str) -> str:
        """Pay."""
        return f"{amount} {idempotency_key}"

    output = asyncio.run(ToolRegistry([pay]).call("pay", {"amount": 3}, "run-1/s2"))
    assert output.value == "3 run-1/s2"


class _Rude(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize("error", [ValueError("bad\nthing"), KeyError("k"), SystemExit(3), StopIteration(), _Rude()])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_whatever_a_tool_raises_is_tool_failed_on_one_line(error, asynchronous) -> None:  # type: ignore[no-untyped-def]
    """A tool's exception becomes one line with its type; a call to exit does not end the run."""

    def fail() -> None:
        raise error

    async def afail() -> None:
        raise error

    one = Tool("boom", "Fail.", {"type": "object"}, afail if asynchronous else fail)
    with pytest.raises(ToolFailed, match=r"^boom: ") as caught:
        asyncio.run(ToolRegistry([one]).call("boom", {}))
    assert "\n" not in str(caught.value)


@pytest.mark.requirement("K11")
@pytest.mark.parametrize(("side_effects", "error"), [(False, ToolTimeout), (True, OutcomeUnknown)])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_hung_tool_times_out(asynchronous: bool, side_effects: bool, error: type[ToolError]) -> None:
    """A tool that never returns is a timeout, of unknown outcome if it changes the world; the loop goes on and ends."""
    release = threading.Event()

    def hang() -> None:
        release.wait()

    async def ahang() -> None:
        await asyncio.Event().wait()

    call = ahang if asynchronous else hang
    one = Tool("hang", "Hang.", {"type": "object"}, call, timeout=0.2, side_effects=side_effects)
    try:
        with pytest.raises(error, match=r"hang did not return within 0\.2 s"):
            asyncio.run(ToolRegistry([one]).call("hang", {}))
        assert all(t.daemon for t in threading.enumerate() if t.name == "tool-hang")
    finally:
        release.set()


def test_coroutine_from_a_plain_function_is_refused() -> None:
    """A coroutine that nobody would await is a clear failure."""

    async def inner() -> int:
        return 1

    with pytest.raises(ToolFailed, match="async def"):
        given_back(lambda: inner())


def test_unsafe_tools_run_one_at_a_time_and_safe_ones_together() -> None:
    """Only tools that say they are parallel safe overlap."""

    def peak(parallel_safe: bool) -> int:
        running = most = 0

        async def work() -> None:
            nonlocal running, most
            running += 1
            most = max(most, running)
            for _ in range(5):
                await asyncio.sleep(0)
            running -= 1

        one = Tool("work", "Work.", {"type": "object"}, work, parallel_safe=parallel_safe)

        async def three() -> None:
            registry = ToolRegistry([one])
            await asyncio.gather(*(registry.call("work", {}) for _ in range(3)))

        asyncio.run(three())
        return most

    assert peak(False) == 1
    assert peak(True) == 3


def test_one_registry_serves_many_loops() -> None:
    """The lock of one loop does not break the next."""
    one = Tool("one", "One.", {"type": "object"}, lambda: 1)
    registry = ToolRegistry([one])
    assert [asyncio.run(registry.call("one", {})).value for _ in range(2)] == [1, 1]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"caf\xc3\xa9", "café"),
        ((1, 2), [1, 2]),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (Path("a") / "b", "a/b"),
        (complex(1, 2), "1+2j"),
        ({1: "x"}, {"1": "x"}),
        ("a\x1b[31m\x00\tb\n", "a\ufffd[31m\ufffd\tb\n"),
        ("\ud800", "\ufffd"),
        (["\ud800", {"a\x07": "\x7f"}], ["\ufffd", {"a\ufffd": "\ufffd"}]),
        (None, None),
    ],
)
def test_values_become_clean_json(value, expected) -> None:  # type: ignore[no-untyped-def]
    """Whatever comes back is a JSON value that can be stored as UTF-8."""
    output = given_back(lambda: value)
    assert output.value == expected
    json.dumps(output.value, ensure_ascii=False).encode()


def _deep() -> list[object]:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    return deep


def _cycle() -> list[object]:
    cycle: list[object] = []
    cycle.append(cycle)
    return cycle


@pytest.mark.parametrize(
    "value", [b"\xff\xfe", float("nan"), [float("inf")], _deep, _cycle, lambda: 10**5000, [b"\xff"]]
)
def test_what_has_no_json_form_is_tool_failed(value) -> None:  # type: ignore[no-untyped-def]
    """NaN, binary bytes, cycles and the like are typed failures."""
    with pytest.raises(ToolFailed, match=r"^give: "):
        given_back(value)


def nested(levels: int) -> object:
    """A list in a dictionary in a list, so many levels deep."""
    value: object = 1
    for level in range(levels):
        value = {"a": value} if level % 2 else [value]
    return value


def test_a_result_may_be_nested_as_deep_as_an_argument() -> None:
    """A result that goes into the arguments of a later step is kept whole."""
    assert given_back(nested(64)).value == nested(64)


@pytest.mark.parametrize("levels", [65, 195, 199])
@pytest.mark.parametrize("output_bytes", [100, 16_384])
def test_a_result_that_is_nested_deeper_is_a_tool_error(levels: int, output_bytes: int) -> None:
    """It says how deep a result may be; the cap on bytes makes no difference."""
    with pytest.raises(ToolFailed, match=r"^give: the result is nested deeper than 64 levels; return less at once$"):
        given_back(lambda: nested(levels), output_bytes=output_bytes)


def test_result_above_the_cap_is_cut_and_marked() -> None:
    """A 50 MB text is cut at the cap and says so."""
    output = given_back("a" * 50_000_000)
    assert output.cut
    assert output.value == "a" * 16_384 + "… [cut: 50,000,000 bytes, the first 16,384 shown]"


def test_a_cut_never_splits_a_character() -> None:
    """A character that does not fit whole is left out."""
    assert given_back("éé", output_bytes=3).value == "é… [cut: 4 bytes, the first 3 shown]"


def test_large_structure_becomes_cut_text() -> None:
    """A list above the cap is shown as the beginning of its JSON text."""
    output = given_back(list(range(100)), output_bytes=10)
    assert output.cut
    assert str(output.value).startswith("[0, 1, 2, … [cut: ")


def test_result_at_the_cap_is_whole() -> None:
    """A result of exactly the cap is not cut."""
    assert given_back("abc", output_bytes=3).cut is False


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(), st.lists))
@settings(max_examples=100, deadline=None)
def test_any_value_is_clean_json_or_a_tool_error(value) -> None:  # type: ignore[no-untyped-def]
    """No return value gets past the registry unclean, and none raises outside the error tree."""
    try:
        output = given_back(lambda: value, output_bytes=200)
    except ToolError:
        return
    json.dumps(output.value, ensure_ascii=False, allow_nan=False).encode()


def test_seconds_are_reported() -> None:
    """The output says how long the call took."""
    assert given_back(lambda: time.sleep(0.01)).seconds >= 0.009


def test_a_cancelled_call_cancels_its_task() -> None:
    """Cancelling a call stops an async tool and leaves the registry usable."""
    seen: list[str] = []
    began = asyncio.Event()

    @tool
    async def wait() -> None:
        """Wait to be cancelled."""
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def main() -> object:
        registry = ToolRegistry([wait, add])
        call = asyncio.create_task(registry.call("wait", {}))
        await began.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return (await registry.call("add", {"a": 1})).value

    assert asyncio.run(main()) == 1
    assert seen == ["cancelled"]
