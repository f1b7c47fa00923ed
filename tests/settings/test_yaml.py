"""Settings in YAML: the same configuration as in TOML, and none of what YAML has beside plain values."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from aeon.errors import ConfigError
from aeon.schema import Config
from aeon.settings import load, load_config, settings_of, toml

SETTINGS = settings_of(Config)

REFERENCE = """\
reasoning_engine:
  enabled: true

  state_monitor:
    track_confidence: true
    track_coverage: true
    track_cost: true
    confidence_model: weighted_average
    coverage_method: aspect_ratio

  evaluate:
    weights:
      completeness: 0.30
      accuracy: 0.25
      relevance: 0.20
      freshness: 0.15
      coherence: 0.10
    gap_detection: true
    contradiction_detection: true
    min_sources_for_confidence: 3
    strictness: medium

  decide:
    confidence_threshold: 0.85
    coverage_threshold: 0.90
    max_iterations: 10
    cost_budget: 0.50
    diminishing_returns_window: 3
    diminishing_returns_threshold: 0.05

  refine:
    strategy_selection: automatic
    allow_query_rewrite: true
    pivot_after_iterations: 3
"""


def loaded(folder: Path, text: str, name: str = "aeon.yaml") -> Config:
    (folder / name).write_text(text, encoding="utf-8")
    return load_config(Config, folder / name)


@pytest.mark.requirement("O4", "O5")
def test_the_reference_loads_as_it_stands(tmp_path: Path) -> None:
    """Every key of the reference is taken, its two limits are those of the run, and its values are the defaults."""
    config = loaded(tmp_path, REFERENCE)
    assert (config.max_passes, config.budget.cost) == (10, 0.5)
    assert config == Config()
    origins = load(Config, tmp_path / "aeon.yaml").origins
    assert {origins["max_passes"], origins["budget.cost"]} == {f"file {tmp_path / 'aeon.yaml'}"}
    assert sum(origin != "default" for origin in origins.values()) == 24


@pytest.mark.requirement("O5")
def test_yaml_and_toml_give_the_same_configuration(tmp_path: Path) -> None:
    """All settings, none at its default where that can be, are the same out of both, whichever way YAML is written."""
    config = Config.model_validate_json(
        json.dumps(
            {
                "max_passes": 7,
                "budget": {"calls": 40, "tokens": 90000, "seconds": 61.5, "cost": 0.25},
                "convergence": {"completeness": 1, "coherence": 0.5, "consistency": 0},
                "questions": {"unattended": "suspend", "most": 0},
                "reasoning_engine": {
                    "enabled": False,
                    "evaluate": {"eval_model": "2026-01-01", "strictness": "high"},
                    "decide": {"seed": 12, "order": list(reversed(Config().reasoning_engine.decide.order))},
                    "refine": {"strategy": "NARROW", "refinement_model": "yes: # not a comment"},
                },
            }
        )
    )
    tree = config.model_dump(mode="json")

    def lines(tables: dict[str, object], margin: str = "") -> list[str]:
        written: list[str] = []
        for name, value in tables.items():
            if isinstance(value, dict) and value:
                written += [f"{margin}{name}:", *lines(value, f"{margin}  ")]
            else:
                written.append(f"{margin}{name}: {json.dumps(value)}")
        return written

    def value_at(path: str) -> object:
        value: object = tree
        for name in path.split("."):
            assert isinstance(value, dict)
            value = value[name]
        return value

    assert loaded(tmp_path, "\n".join(lines(tree))) == config
    assert loaded(tmp_path, json.dumps(tree), "flow.yml") == config
    assert loaded(tmp_path, "\n".join(f"{path} = {toml(value_at(path))}" for path in SETTINGS), "aeon.toml") == config


@pytest.mark.parametrize("text", ["", "---\n", "# nothing\n", "{}", "null"])
def test_an_empty_file_sets_nothing(tmp_path: Path, text: str) -> None:
    """A file without a setting leaves the defaults."""
    assert loaded(tmp_path, text) == Config()


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5.0), ("+5", 5.0), ("0x10", 16.0), ("0o10", 8.0), ("010", 10.0), ("1e3", 1000.0), (".5", 0.5), ("~", None)],
)
def test_numbers_are_those_of_yaml_1_2(tmp_path: Path, text: str, value: float | None) -> None:
    """A leading zero is no octal number and an exponent needs no point."""
    assert loaded(tmp_path, f"budget: {{seconds: {text}}}").budget.seconds == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max_passes: 2\nbudget: {calls: 3}\nmax_passes: 3", "max_passes: line 3: it stands there twice"),
        ("budget:\n  calls: 3\n  calls: 4", "budget.calls: line 3: it stands there twice"),
        ("a: &a [1]\nb: *a", "a: line 1: anchors and aliases are not accepted"),
        ("budget: &all {calls: 3}", "budget: line 1: anchors and aliases are not accepted"),
        ("<<: *all", "anchors and aliases are not accepted"),
        ("max_passes: !!python/object/apply:os.getcwd []", "max_passes: line 1: the tag "),
        ("max_passes: !!int '5'", "max_passes: line 1: the tag "),
        ("5: 6", "line 1: 5 is not the name of a setting"),
        ("budget:\n  null: 6", "budget: line 2: None is not the name of a setting"),
        ("? [a]\n: 6", "line 1: ['a'] is not the name of a setting"),
        ("budget:\n  cost: .nan", "budget.cost: line 2: .nan is not a value"),
        ("budget: {seconds: -.inf}", "budget.seconds: line 1: -.inf is not a value"),
        ("budget: {seconds: 1e999}", "budget.seconds: inf is not a value"),
        ("max_passes: 2026-01-01", "max_passes: should be a valid integer, not '2026-01-01'"),
        ("max_passes: 1:30", "max_passes: should be a valid integer, not '1:30'"),
        ("max_passes: '5'", "max_passes: should be a valid integer, not '5'"),
        ("reasoning_engine: {enabled: yes}", "reasoning_engine.enabled: should be a valid boolean, not 'yes'"),
        ("reasoning_engine:\n  decide:\n", "reasoning_engine.decide: should be a section"),
        ("- max_passes", "holds no settings"),
        ("max_passes", "holds no settings"),
        ("max_passes: 2\n---\nmax_passes: 3", "line 2: a second document begins"),
        ("budget: {calls: 3", "is not valid YAML: line 1: "),
        ("budget:\n\tcalls: 3", "is not valid YAML: line 2: "),
        ("max_passes: \x07", "is not valid YAML: "),
        ("a: " * 3, "is not valid YAML: line 1: "),
        ("{a: " * 2000 + "1" + "}" * 2000, "it is nested too deeply"),
        ("[" * 100_000, "it is nested too deeply"),
        ("max_passes: 1" + "0" * 4500, "max_passes: inf is not a value"),
        ("budget: {tokns: 5}", "budget.tokns: unknown setting; did you mean tokens?"),
    ],
)
def test_what_settings_are_not_written_in_is_refused(tmp_path: Path, text: str, words: str) -> None:
    """The error is one line with the file, the path where there is one, and what is wrong."""
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'aeon.yaml'}: ") and words in message and "\n" not in message


def test_without_pyyaml_toml_loads_and_yaml_says_what_to_install(tmp_path: Path) -> None:
    """The extra is needed for YAML alone, and importing the package does not load it."""
    (tmp_path / "a.toml").write_text("max_passes = 2")
    (tmp_path / "a.yaml").write_text("max_passes: 2")
    program = f"""
import sys
import aeon
assert "yaml" not in sys.modules
sys.modules["yaml"] = None
from aeon.errors import MissingExtraError
from aeon.schema import Config
from aeon.settings import load_config
assert load_config(Config, {str(tmp_path / "a.toml")!r}).max_passes == 2
try:
    load_config(Config, {str(tmp_path / "a.yaml")!r})
except MissingExtraError as error:
    print(error)
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert "pip install 'aeon-orchestrator[yaml]'" in done.stdout and done.stdout.count("\n") == 1, done
