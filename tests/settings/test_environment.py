"""Settings in environment variables: which count, which are slips, and which are somebody else's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import aeon
from aeon.errors import ConfigError
from aeon.schema import Config, Price
from aeon.settings import SETTINGS, assignments, load, load_config
from aeon.settings.environment import NOT_SETTINGS


@pytest.mark.requirement("O5")
def test_a_variable_names_the_path_of_a_setting() -> None:
    """Two underscores part the levels; values are read by the type of their setting."""
    config = load_config(
        environ={
            "AEON_MAX_PASSES": "4",
            "AEON_BUDGET__CALLS": "20",
            "AEON_REASONING_ENGINE__EVALUATE__EVAL_MODEL": "7",
            "AEON_DECIDE__CONFIDENCE_THRESHOLD": "0.8",
            "AEON_STATE_MONITOR__TRACK_TIME": "false",
            "AEON_REFINE__STRATEGY": "PIVOT",
        }
    )
    engine = config.reasoning_engine
    assert (config.max_passes, config.budget.calls, engine.evaluate.eval_model) == (4, 20, "7")
    assert (engine.decide.confidence_threshold, engine.refine.strategy) == (0.8, "PIVOT")
    assert engine.state_monitor.track_time is False


def test_the_names_of_the_reference_count_too() -> None:
    """The reference's limits set those of Aeon, and the origin is the variable as it was given."""
    loaded = load(environ={"AEON_DECIDE__MAX_ITERATIONS": "4", "AEON_REASONING_ENGINE__DECIDE__COST_BUDGET": "0.2"})
    assert (loaded.config.max_passes, loaded.config.budget.cost) == (4, 0.2)
    assert loaded.origins["max_passes"] == "environment AEON_DECIDE__MAX_ITERATIONS"


@pytest.mark.requirement("O4")
def test_prices_come_from_a_file_the_environment_and_a_flag(tmp_path: Path) -> None:
    """Each source adds its models, the nearest wins for one model, and a model's name may have dots in it."""
    (tmp_path / "aeon.toml").write_text('[prices."gpt-4.1"]\ninput = 2\noutput = 8\ncached = 0.5\n')
    environ = {"AEON_PRICES": '{"gpt-4.1" = {input = 3}, small = {input = 0, output = 0}}'}
    loaded = load(tmp_path / "aeon.toml", assignments(["prices.a/b:free.input=1", "prices.a/b:free.output=2"]), environ)
    assert loaded.config.prices == {
        "gpt-4.1": Price(input=3, output=8, cached=0.5),
        "small": Price(input=0, output=0),
        "a/b:free": Price(input=1, output=2),
    }
    assert loaded.origins["prices"] == "flag"


@pytest.mark.parametrize("variable", [f"AEON_{name}" for name in NOT_SETTINGS if name != "CONFIG"])
def test_what_is_no_setting_is_left_alone(variable: str) -> None:
    """Variables that say where things lie or which model to use set nothing here."""
    assert load_config(environ={variable: "5"}) == Config()


@pytest.mark.parametrize(
    "variable", ["AEON_", "AEON_UNRELATED", "AEON_CLUSTER__NODE", "PATH", "MAX_PASSES", "aeon_max"]
)
def test_what_resembles_no_setting_is_somebody_elses(variable: str) -> None:
    """A name that no setting is close to is ignored, whatever it holds."""
    assert load_config(environ={variable: "what?"}) == Config()


def test_an_empty_variable_sets_nothing() -> None:
    """A variable that is set to nothing is as good as not set."""
    assert load_config(environ={"AEON_MAX_PASSES": "", "AEON_BUDGET__CALS": ""}) == Config()


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"AEON_MAX_PASSES": "0"}, "AEON_MAX_PASSES: max_passes: should be greater than or equal to 1, not 0"),
        ({"AEON_MAX_PASSES": "many"}, "AEON_MAX_PASSES: max_passes: should be a valid integer, not 'many'"),
        ({"AEON_BUDGET__COST": "inf"}, "AEON_BUDGET__COST: budget.cost: inf is no value"),
        ({"AEON_BUDGET__CALS": "5"}, "AEON_BUDGET__CALS: budget.cals: unknown setting; did you mean calls?"),
        ({"AEON_DECIDE__X": "5"}, "AEON_DECIDE__X: reasoning_engine.decide.x: unknown setting; there are: "),
        ({"AEON_PRICES__GPT": "5"}, "AEON_PRICES__GPT: AEON_PRICES takes the whole table, such as {"),
        ({"AEON_PRICES": '{m = {input = 1}}'}, "AEON_PRICES: prices.m.output: field required"),
        ({"AEON_BUDGET": "5"}, "AEON_BUDGET: budget is a section"),
        ({"AEON_DECIDE": "5"}, "AEON_DECIDE: reasoning_engine.decide is a section"),
        ({"AEON_BUDGET_CALLS": "5"}, "AEON_BUDGET_CALLS: unknown variable; did you mean AEON_BUDGET__CALLS?"),
        ({"AEON_MAX_PASES": "5"}, "AEON_MAX_PASES: unknown variable; did you mean AEON_MAX_PASSES?"),
        ({"AEON_max_passes": "5"}, "AEON_max_passes: unknown variable; did you mean AEON_MAX_PASSES?"),
        ({"AEON_CONFG": "5"}, "AEON_CONFG: unknown variable; did you mean AEON_CONFIG?"),
        (
            {"AEON_EVALUATE__WEIGHTS__ACCURACY": "0.9"},
            "AEON_EVALUATE__WEIGHTS__ACCURACY: reasoning_engine.evaluate.weights: the weights add up to 1.65, not to 1",
        ),
        (
            {"AEON_DECIDE__MAX_ITERATIONS": "3", "AEON_MAX_PASSES": "3"},
            "AEON_DECIDE__MAX_ITERATIONS and AEON_MAX_PASSES set the same setting, max_passes; keep one",
        ),
        (
            {"AEON_DECIDE__SEED": "3", "AEON_REASONING_ENGINE__DECIDE__SEED": "3"},
            "AEON_DECIDE__SEED and AEON_REASONING_ENGINE__DECIDE__SEED set the same setting",
        ),
    ],
)
def test_a_slip_is_named(environ: dict[str, str], words: str) -> None:
    """The error is one line that begins with the variable and says what was meant or what is wrong."""
    with pytest.raises(ConfigError) as caught:
        load_config(environ=environ)
    assert str(caught.value).startswith(words) and "\n" not in str(caught.value)


def test_every_variable_that_the_program_reads_is_known() -> None:
    """A name in the source is a setting or among those that are none; else it would be taken for a slip."""
    sources = Path(aeon.__file__).parent.rglob("*.py")
    named = {name for source in sources for name in re.findall(r"\bAEON_([A-Z_]*[A-Z])\b", source.read_text("utf-8"))}
    assert named <= {*NOT_SETTINGS, *(path.upper().replace(".", "__") for path in SETTINGS)}
