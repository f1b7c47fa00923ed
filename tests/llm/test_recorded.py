"""Cassettes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from played_endpoint import request

from aeon.errors import CassetteMiss, ConfigError, InputFileError
from aeon.llm.recorded import Recorded, request_key
from aeon.llm.scripted import Scripted, calling
from aeon.schema.llm import Capabilities, Message, ToolSpec


def answers(model: Recorded, times: int) -> list[str]:
    return [asyncio.run(model.complete(request())).text for _ in range(times)]


def test_what_was_recorded_is_replayed_in_order(tmp_path: Path) -> None:
    """The same request gives its answers in the order of recording, then the last one again."""
    cassette = tmp_path / "new" / "a.jsonl"
    assert answers(Recorded(cassette, Scripted(["one", "two"])), 2) == ["one", "two"]
    assert answers(Recorded(cassette), 3) == ["one", "two", "two"]


def test_an_inner_model_is_asked_for_what_is_missing_only(tmp_path: Path) -> None:
    """A second recording session replays what there is and adds the rest."""
    cassette = tmp_path / "a.jsonl"
    answers(Recorded(cassette, Scripted(["one"])), 1)
    inner = Scripted(["two"])
    assert answers(Recorded(cassette, inner), 2) == ["one", "two"]
    assert len(inner.requests) == 1


def test_a_miss_is_an_error_that_names_the_hash(tmp_path: Path) -> None:
    """A request that was not recorded is never answered by a live call."""
    cassette = tmp_path / "a.jsonl"
    answers(Recorded(cassette, Scripted(["one"])), 1)
    other = request(seed=5)
    with pytest.raises(CassetteMiss, match=request_key("scripted", other)):
        asyncio.run(Recorded(cassette).complete(other))


def test_the_key_is_of_what_shapes_the_answer() -> None:
    """Model, prompt and seed change the key; deadline and attempts do not."""
    key = request_key("m", request())
    assert key == request_key("m", request(timeout=3, attempts=1))
    assert len({key, request_key("n", request()), request_key("m", request(seed=1))}) == 3


def test_capabilities_are_recorded_too(tmp_path: Path) -> None:
    """Replay needs no model to know what it could do; a cassette without that says so."""
    cassette = tmp_path / "a.jsonl"
    inner = Scripted(["one"], Capabilities(logprobs=True))
    answers(Recorded(cassette, inner), 1)
    with pytest.raises(CassetteMiss, match="record it again"):
        asyncio.run(Recorded(cassette).capabilities())
    asyncio.run(Recorded(cassette, inner).capabilities())
    assert asyncio.run(Recorded(cassette).capabilities()) == Capabilities(logprobs=True)


def test_a_line_that_a_crash_left_unfinished_is_dropped(tmp_path: Path) -> None:
    """The rest of the cassette stays usable, for replay and for recording."""
    cassette = tmp_path / "a.jsonl"
    answers(Recorded(cassette, Scripted(["one"])), 1)
    cassette.write_bytes(cassette.read_bytes() + b'{"model": "scri')
    assert answers(Recorded(cassette, Scripted(["two"])), 2) == ["one", "two"]
    assert answers(Recorded(cassette), 2) == ["one", "two"]


def test_files_that_are_no_cassettes_are_refused(tmp_path: Path) -> None:
    """Missing, empty and foreign files each get an error that names the file, and the line."""
    cassette = tmp_path / "a.jsonl"
    with pytest.raises(InputFileError, match="no cassette"):
        Recorded(cassette)
    cassette.write_text("")
    with pytest.raises(ConfigError, match="no model"):
        Recorded(cassette)
    cassette.write_text("\nhello\n")
    with pytest.raises(InputFileError, match="line 2"):
        Recorded(cassette)


def test_a_cassette_from_before_there_were_tools_stays_valid() -> None:
    """The key of a request without tools and calls is what it was."""
    assert request_key("m", request()) == "0979b4d17011ba9cacdc706ab828298b8a34f32a6618f295d13e24cb6466801f"


def test_tools_and_calls_are_part_of_the_key(tmp_path: Path) -> None:
    """What a model may call and has called shapes its answer; calls are replayed."""
    tool = ToolSpec(name="sql", description="Rows.", parameters={"type": "object"})
    made = calling(("sql", {}))
    called = Message(role="assistant", content="", calls=made.calls)
    with_call = request().changed(messages=(*request().messages, called))
    answered = with_call.changed(messages=(*with_call.messages, Message(role="tool", content="", call_id="call_1")))
    requests = (request(), request(tools=(tool,)), with_call, answered)
    assert len({request_key("m", each) for each in requests}) == 4
    cassette = tmp_path / "a.jsonl"
    asyncio.run(Recorded(cassette, Scripted([made])).complete(requests[1]))
    assert asyncio.run(Recorded(cassette).complete(requests[1])).calls == made.calls
