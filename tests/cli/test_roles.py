"""``--roles`` and ``--model-tier``: models of their own for roles, how much is asked of them, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon import Journal

from .conftest import Outcome, up_to_entry
from .played_model import Model

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"
WRITE = "Write one sentence about pens."
WAYS = {"program": "short Python program", "worked": "Solve the problem step by step"}
"""What each way of a program is asked for with."""

REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "an unknown role": (("--roles", "critic=x"), "there is no role 'critic'"),
    "an unknown model": (("--roles", "planner=nobody"), "no model is called 'nobody'"),
    "a role twice": (("--roles", "planner=a", "--roles", "planner=b"), "planner is named twice"),
    "no model": (("--roles", "planner"), "write ROLE=MODEL"),
    "nothing": (("--roles", ""), "is empty"),
    "a role that the engine has not": (("--engine", "loop", "--roles", "peer=same"), "the engine 'loop' has no peer"),
    "an unknown role in a setting": (("--set", "roles.critic=x"), "roles.critic: unknown setting"),
    "an unknown tier": (("--model-tier", "T9"), "--model-tier"),
    "a tier that the engine has not": (("--engine", "tutor", "--model-tier", "T0"), "has no T0; it has T2"),
    "a role that the tier does not ask": (("--model-tier", "T1", "--roles", "tutor=same"), "T1 asks no tutor"),
    "a model beside T0": (("--model-tier", "T0", "--model", "smollm2-135m"), "T0 asks no model; leave it out"),
}


@pytest.mark.requirement("E5h")
@pytest.mark.parametrize("wrong", REFUSED)
def test_roles_and_tiers_that_cannot_be_had_are_one_line(aeon: Aeon, model: Model, wrong: str) -> None:
    """Before anything is asked, with exit code 2."""
    options, said = REFUSED[wrong]
    aeon("run", TASK, *options).complains(2, said)
    assert model.bodies == []


@pytest.mark.requirement("E5", "E5d")
def test_a_run_with_a_tutor_of_its_own_is_shown_and_continued_on_another(
    aeon: Aeon, model: Model, tmp_path: Path
) -> None:
    """Each endpoint gets its own requests; what the run was made of is in its journal, and a change is one line."""
    saved, cut = tmp_path / "saved", tmp_path / "cut"
    tutor = f"{model.root}/v1#teacher"
    done = aeon("run", WRITE, "--roles", f"tutor={tutor}", "--save", str(saved))
    assert done.code == 0, done
    wrote = {ways: [one["model"] for one in model.bodies if words in json.dumps(one)] for ways, words in WAYS.items()}
    assert wrote == {"program": ["played"], "worked": ["teacher"]}
    values = [one.value for _, one in sorted(Journal.read(saved).entries.items()) if one.phase == "write"]
    assert [program["author"] for value in values for program in value["programs"]] == ["", "teacher"]  # type: ignore[index, call-overload, union-attr]
    assert "Models: tutor teacher, all others played" in aeon("history", str(saved)).out
    cut.write_bytes(up_to_entry(saved.read_bytes(), 2))
    done = aeon("resume", str(cut), "--roles", f"tutor={model.root}/v1#other")
    assert done.code == 0 and "aeon: until now the tutor was teacher, from here on it is other" in done.err
    entry = Journal.read(cut).setup["roles"]
    assert entry == {"tutor": {"configured": tutor, "model": f"{model.root}/v1#other", "model_name": "other"}}
    assert aeon("replay", str(cut)).code == 0


@pytest.mark.requirement("E5d")
def test_a_foreign_runs_tutor_is_asked_about_like_its_model(
    aeon: Aeon, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a terminal it is refused, in a line that names the endpoint; a role that the user names is none."""
    saved, cut = tmp_path / "saved", tmp_path / "cut"
    aeon("run", WRITE, "--roles", f"tutor={model.root}/v1#teacher", "--save", str(saved), "--model", model.url)
    cut.write_bytes(up_to_entry(saved.read_bytes(), 2))
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.delenv("AEON_MODEL")
    aeon("resume", str(cut), "--model", model.url).complains(2, f"goes to {model.root}/v1", "--trust")


@pytest.mark.requirement("E5g")
def test_the_bound_of_a_tier_is_stated_and_t0_needs_no_endpoint(aeon: Aeon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked for: a calculation is done where there is no model at all."""
    monkeypatch.setenv("AEON_MODEL", "http://127.0.0.1:9/v1#dead")
    assert aeon("run", "--bound", "--model-tier", "T0").out.startswith("no run can spend more than 0 model calls")
    low, usual = (aeon("run", "--bound", "--json", "--model-tier", tier).document["calls"] for tier in ("T1", "T2"))
    assert low < usual
    done = aeon("run", "15% of 2,480?", "--model-tier", "T0", "--json")
    assert done.code == 0 and done.document["answer"] == "372" and done.document["usage"]["calls"] == 0
    done = aeon("run", "Who was Ada?", "--model-tier", "T0")
    assert done.code == 1 and "this task needs one" in done.err
