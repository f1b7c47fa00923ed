"""``aeon config``: what holds and where it comes from, and whether a file is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aeon.schema import Config
from aeon.settings import load_config, settings_of

from .conftest import Outcome

SETTINGS = settings_of(Config)

Aeon = Callable[..., Outcome]


def line_of(shown: str, path: str) -> list[str]:
    """The value and the origin that are shown for a setting."""
    (line,) = (each for each in shown.splitlines() if each.split(" ")[0] == path)
    value, _, origin = line.partition("=")[2].partition("#")
    return [value.strip(), origin.strip()]


@pytest.mark.requirement("O5")
def test_every_setting_is_shown_with_its_value_and_origin(
    aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line a setting: its path, its value and whether a default, a file, a variable or a flag set it."""
    file = tmp_path / "aeon.toml"
    file.write_text("max_passes = 2\nprompt_bytes = 5000\nreasoning_engine.refine.strategy = 'PIVOT'\n")
    monkeypatch.setenv("AEON_MAX_PASSES", "3")
    monkeypatch.setenv("AEON_BUDGET__CALLS", "30")
    done = aeon("config", "show", "--config", str(file), "--set", "budget.calls=40")
    assert done.code == 0 and [line.split(" ")[0] for line in done.out.splitlines()] == list(SETTINGS)
    assert line_of(done.out, "output_tokens") == ["1024", "default"]
    assert line_of(done.out, "prompt_bytes") == ["5000", f"file {file}"]
    assert line_of(done.out, "reasoning_engine.refine.strategy") == ['"PIVOT"', f"file {file}"]
    assert line_of(done.out, "max_passes") == ["3", "environment AEON_MAX_PASSES"]
    assert line_of(done.out, "budget.calls") == ["40", "flag"]
    assert line_of(done.out, "budget.tokens") == ['"none"', "default"]


@pytest.mark.requirement("O5")
def test_what_is_shown_is_a_file_of_settings(aeon: Aeon, tmp_path: Path) -> None:
    """The output is TOML that gives the same configuration, absent limits and odd names included."""
    odd = tmp_path / "odd\n\u202ename.toml"
    odd.write_text('max_passes = 2\nbudget.cost = "none"\nreasoning_engine.evaluate.eval_model = "a\\nb\\"\\\\c"\n')
    shown = tmp_path / "shown.toml"
    shown.write_text(aeon("config", "--config", str(odd)).out)
    assert load_config(Config, shown) == load_config(Config, odd) != Config()


def test_the_settings_are_a_json_document(aeon: Aeon) -> None:
    """With --json each path has its value and its origin."""
    found = aeon("config", "show", "--json", "--set", "budget.seconds=9").document
    assert list(found) == list(SETTINGS)
    assert found["budget.seconds"] == {"value": 9.0, "origin": "flag"}
    assert found["budget.tokens"] == {"value": None, "origin": "default"}


def test_the_file_that_the_environment_names_is_shown(
    aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AEON_CONFIG counts here as it does for a run."""
    (tmp_path / "aeon.yaml").write_text("max_passes: 2\n")
    monkeypatch.setenv("AEON_CONFIG", str(tmp_path / "aeon.yaml"))
    assert line_of(aeon("config").out, "max_passes") == ["2", f"file {tmp_path / 'aeon.yaml'}"]


def test_a_right_file_is_said_to_be_right(aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is checked by itself, whatever the environment says."""
    (tmp_path / "aeon.yaml").write_text("reasoning_engine: {decide: {max_iterations: 4}}\n")
    monkeypatch.setenv("AEON_MAX_PASSES", "0")
    assert aeon("config", "check", str(tmp_path / "aeon.yaml")) == (0, f"{tmp_path / 'aeon.yaml'}: ok\n", "")


@pytest.mark.requirement("O5")
@pytest.mark.parametrize(
    ("setting", "path"),
    [
        ("reasoning_engine: {evaluate: {eval_model: NAME}}", "reasoning_engine.evaluate.eval_model"),
        ("reasoning_engine: {refine: {refinement_model: NAME}}", "reasoning_engine.refine.refinement_model"),
        ("roles: {verifier: NAME}", "roles.verifier"),
    ],
)
def test_a_model_that_no_run_could_find_is_a_fault_of_the_file(
    aeon: Aeon, tmp_path: Path, setting: str, path: str
) -> None:
    """Found by the check as by a run, with what to write; one that only lacks a key here is none."""
    file = tmp_path / "aeon.yaml"
    file.write_text(setting.replace("NAME", "claude-3-haiku"))
    aeon("config", "check", str(file)).complains(2, f"{file}: {path}: no model is called", "anthropic:")
    for name in ("'anthropic:claude-3-haiku'", "'http://127.0.0.1:9/v1#m'", "qwen2.5-coder-1.5b"):
        file.write_text(setting.replace("NAME", name))
        assert aeon("config", "check", str(file)).code == 0


@pytest.mark.requirement("O5")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "reasoning_engine:\n  evaluate:\n    weights: {accuracy: 0.9}",
            "evaluate.weights: the weights add up to 1.65",
        ),
        ("reasoning_engine:\n  decide: {confidence_threshold: 1.2}", "confidence_threshold: should be less than or"),
        ("reasoning_engine:\n  refine: {strategy: WIDEN}", "refine.strategy: should be 'EXPAND', 'NARROW'"),
        (
            "reasoning_engine:\n  decide: {max_iteration: 5}",
            "unknown setting; did you mean max_iterations?",
        ),
        ("reasoning_engine:\n  decide: {seeds: 5}", "seeds: unknown setting; did you mean seed?"),
    ],
)
def test_the_first_fault_of_a_file_is_named(aeon: Aeon, tmp_path: Path, text: str, words: str) -> None:
    """One line with the file, the path and what is wrong, and the exit code for wrong input."""
    (tmp_path / "aeon.yaml").write_text(text)
    aeon("config", "check", str(tmp_path / "aeon.yaml")).complains(2, f"{tmp_path / 'aeon.yaml'}: ", words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check",), "check needs a file"),
        (("check", "a.toml", "--set", "max_passes=2"), "check takes only a file"),
        (("check", "/nowhere.toml"), "/nowhere.toml: cannot be read: No such file"),
        (("show", "a.toml"), "aeon config show --config a.toml"),
        (("sho",), "sho"),
        (("show", "--set", "max_pases=2"), "max_pases: unknown setting; did you mean max_passes?"),
        (("show", "--set", "max_passes"), "should look like"),
        (("show", "--set", "max_passes=0"), "max_passes: should be greater than or equal to 1, not 0"),
    ],
)
def test_wrong_use_is_one_line(aeon: Aeon, arguments: tuple[str, ...], words: str) -> None:
    """Each wrong use is one line that says what to do, and exit code 2."""
    aeon("config", *arguments).complains(2, words)


@pytest.mark.requirement("O5")
def test_a_run_takes_settings_from_everywhere(aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run's bound follows from --set before a variable before a file, and a slip ends it before it starts."""
    (tmp_path / "aeon.toml").write_text("budget.calls = 10")
    bound = ("run", "--bound", "--json")
    in_file = ("--config", str(tmp_path / "aeon.toml"))
    assert aeon(*bound, *in_file).document["calls"] == 10
    monkeypatch.setenv("AEON_BUDGET__CALLS", "9")
    assert aeon(*bound, *in_file).document["calls"] == 9
    assert aeon(*bound, *in_file, "--budget-calls", "8").document["calls"] == 8
    assert aeon(*bound, *in_file, "--set", "budget.calls=7").document["calls"] == 7
    assert aeon(*bound, "--set", "budget.calls=7", "--set", "budget.cost=none").document["calls"] == 7
    monkeypatch.setenv("AEON_BUDGET__CALS", "9")
    aeon("run", "--bound").complains(2, "AEON_BUDGET__CALS: budget.cals: unknown setting; did you mean calls?")
