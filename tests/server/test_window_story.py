"""What the window makes of the events of a run, by its own script without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from assembly.capable import capable
from equipment import needs

import aeon

from .conftest import TASK, Sent, Serve, events_of

pytestmark = [
    pytest.mark.requirement("V3a"),
    needs(shutil.which("node"), "Node", "apt install nodejs"),
]
SCRIPT = Path(aeon.__file__).parent / "server" / "window" / "model.js"
STEPS = """
const story = new Story();
const { events, at } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const event of events) story.take(event);
process.stdout.write(JSON.stringify(story.steps(at)));
"""


def steps(events: list[Sent], at: int | None = None) -> list[dict[str, Any]]:
    """The steps that the window shows of a run of these events, as they were before effect ``at``."""
    told = json.dumps({"events": [event._asdict() for event in events], "at": at})
    script = SCRIPT.read_text() + STEPS
    done = subprocess.run(["node", "-e", script], input=told, capture_output=True, text=True, timeout=60, check=True)
    shown: list[dict[str, Any]] = json.loads(done.stdout)
    return shown


def test_a_step_with_tools_is_followed_turn_by_turn(serve: Serve) -> None:
    """It waits, works while its calls come in, which are counted, and is complete with the text that it ends with."""
    server = serve(capable("It is 40.8.", [("calculator", {"expression": "17 * 2.40"})]))
    name = server.post("/run", {"task": TASK}).json()["id"]
    events = events_of(server.events(name))
    effects = [event for event in events if event.type == "effect_ended"]
    turns = [event.data["number"] for event in effects if event.data["phase"] == "turn"]
    call = next(event for event in effects if event.data["phase"] == "use_tool")
    assert call.data["title"] == "call s1.1 calculator" and "40.8" in call.data["words"]
    shown = [steps(events, at)[0] for at in (turns[0], turns[1], None)]
    assert [(one["id"], one["state"], one["output"]) for one in shown] == [
        ("s1", "pending", ""), ("s1", "running", "1 call"), ("s1", "complete", "= It is 40.8."),
    ]  # fmt: skip


def test_a_call_under_way_is_work_on_its_step(serve: Serve) -> None:
    """Also before any of its turns has come to something."""
    server = serve(capable("It is 40.8.", [("calculator", {"expression": "17 * 2.40"})]))
    name = server.post("/run", {"task": TASK}).json()["id"]
    events = events_of(server.events(name))
    called = next(n for n, one in enumerate(events) if one.type == "effect_ended" and one.data["phase"] == "use_tool")
    begun = Sent("", "effect_started", {key: events[called].data[key] for key in ("number", "phase", "title")})
    assert steps([*events[:called], begun])[0]["state"] == "running"
    ended = [one for one in events[:called] if one.type != "effect_ended" or one.data["phase"] != "turn"]
    turn = Sent("", "effect_started", {"number": begun.data["number"] - 1, "phase": "turn", "title": "turn s1"})
    assert [steps(ended)[0]["state"], steps([*ended, turn])[0]["state"]] == ["pending", "running"]


def test_a_step_by_programs_is_complete_when_the_run_looks_at_its_result(serve: Serve) -> None:
    """It waits, works while programs are written, run and weighed, and is complete with the last result."""
    server = serve()
    name = server.post("/run", {"task": TASK}).json()["id"]
    events = events_of(server.events(name))
    phases = {one.data["phase"]: one.data["number"] for one in events if one.type == "effect_ended"}
    places = (phases["validate_plan"], phases["run_program"] + 1, phases["validate_results"] + 1, None)
    shown = [steps(events, at)[0] for at in places]
    assert [(one["state"], one["output"]) for one in shown] == [
        ("pending", ""), ("running", "= 40.8"), ("complete", "= 40.8"), ("complete", "= 40.8"),
    ]  # fmt: skip
