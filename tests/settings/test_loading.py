"""Settings from a file, the environment and overrides: what is set counts, and what is wrong is named by its path."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from aeon.errors import ConfigError, InputFileError
from aeon.schema import Config
from aeon.settings import Setting, assignments, load, load_config, settings_of, toml, with_overrides

SETTINGS = settings_of(Config)

ENGINE = "reasoning_engine."


def at(config: Config, path: str) -> Any:
    value: Any = config
    for name in path.split("."):
        value = getattr(value, name)
    return value


def others(setting: Setting) -> list[Any]:
    """Three values that the setting can have, none of them its default."""
    kind = next(each for each in (*get_args(setting.type), setting.type) if each is not type(None))
    if get_origin(setting.type) is Literal:
        return ([each for each in get_args(setting.type) if each != setting.default] * 3)[:3]
    if setting.type is bool:
        return [not setting.default] * 3
    if get_origin(setting.type) is tuple:
        return [(*setting.default[n:], *setting.default[:n]) for n in (1, 2, 3)]
    if setting.type is str:
        return ["one", "two", "three"]
    if kind is float:
        return [0.62, 0.63, 0.64]
    return [(setting.default or 100) + n for n in (1, 2, 3)]


def settings_with(path: str, value: Any) -> dict[str, Any]:
    """The setting and, where it is a weight, another weight that makes up for it."""
    given = {path: value}
    if ".weights." in path:
        section = path.rpartition(".")[0]
        weights = {each: s.default for each, s in SETTINGS.items() if each.startswith(section) and each != path}
        last, *rest = weights
        given |= {each: 0.0 for each in rest} | {last: 1 - value}
    return given


def variable(path: str) -> str:
    return f"AEON_{path.upper().replace('.', '__')}"


def test_without_a_file_the_defaults_hold() -> None:
    """No file, no variables and no overrides give the default configuration, each value with the origin default."""
    assert load_config(Config) == Config()
    assert dict(load(Config).origins) == dict.fromkeys(SETTINGS, "default")


def test_every_leaf_of_the_configuration_is_a_setting() -> None:
    """The settings are the leaves of the schema, with their defaults."""

    def leaves(tree: dict[str, Any], above: str = "") -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in tree.items():
            path = f"{above}{name}"
            found |= leaves(value, f"{path}.") if isinstance(value, dict) and value else {path: value}
        return found

    assert leaves(Config().model_dump()) == {path: setting.default for path, setting in SETTINGS.items()}


@pytest.mark.requirement("O5")
@pytest.mark.parametrize("path", [path for path, setting in SETTINGS.items() if setting.default != {}])
@pytest.mark.parametrize("kind", ["toml", "yaml"])
def test_a_flag_goes_before_a_variable_before_a_file_before_the_default(tmp_path: Path, path: str, kind: str) -> None:
    """Every setting can be set in every way, the nearest way wins, and the origin says which it was."""
    in_file, in_environment, in_flag = others(SETTINGS[path])
    file = tmp_path / f"aeon.{kind}"
    lines = [f"{each} = {toml(value)}" for each, value in settings_with(path, in_file).items()]
    file.write_text("\n".join(lines if kind == "toml" else [as_yaml(line) for line in merged_lines(lines)]))
    environ = {variable(each): toml(value) for each, value in settings_with(path, in_environment).items()}
    flags = assignments(Config, [f"{each}={toml(value)}" for each, value in settings_with(path, in_flag).items()])

    def found(*arguments: Any) -> tuple[Any, str]:
        loaded = load(Config, *arguments)
        return at(loaded.config, path), loaded.origins[path]

    assert found() == (SETTINGS[path].default, "default")
    assert found(file) == (in_file, f"file {file}")
    assert found(None, None, environ) == (in_environment, f"environment {variable(path)}")
    assert found(file, None, environ) == (in_environment, f"environment {variable(path)}")
    assert found(file, flags) == (in_flag, "flag")
    assert found(file, flags, environ) == (in_flag, "flag")


def merged_lines(lines: list[str]) -> list[str]:
    """Dotted assignments as nested lines of YAML; a section that two of them share is written once."""
    written: list[str] = []
    open_sections: list[str] = []
    for line in sorted(lines):
        path, _, value = line.partition(" = ")
        *sections, name = path.split(".")
        shared = 0
        while shared < min(len(sections), len(open_sections)) and sections[shared] == open_sections[shared]:
            shared += 1
        written += [f"{'  ' * n}{sections[n]}:" for n in range(shared, len(sections))]
        written.append(f"{'  ' * len(sections)}{name}: {value}")
        open_sections = sections
    return written


def as_yaml(line: str) -> str:
    return line.replace('"none"', "null")


def test_a_file_named_in_the_environment_is_read_where_no_other_is_given(tmp_path: Path) -> None:
    """AEON_CONFIG names the file of settings; one given beside it goes before it."""
    (tmp_path / "a.toml").write_text("max_passes = 2")
    (tmp_path / "b.toml").write_text("max_passes = 3")
    environ = {"AEON_CONFIG": str(tmp_path / "a.toml")}
    assert load_config(Config, environ=environ).max_passes == 2
    assert load_config(Config, tmp_path / "b.toml", environ=environ).max_passes == 3
    assert load_config(Config, environ={"AEON_CONFIG": ""}) == Config()
    with pytest.raises(InputFileError, match=r"gone\.toml: cannot be read"):
        load_config(Config, environ={"AEON_CONFIG": str(tmp_path / "gone.toml")})


def test_overrides_go_before_the_file(tmp_path: Path) -> None:
    """An override changes its own setting and leaves the rest of its table as the file has it."""
    (tmp_path / "aeon.toml").write_text("max_passes = 2\n[budget]\ntokens = 500\nseconds = 60\n")
    config = load_config(Config, tmp_path / "aeon.toml", {"budget": {"tokens": 900}})
    assert (config.max_passes, config.budget.tokens, config.budget.seconds) == (2, 900, 60)


def test_overrides_go_over_a_configuration() -> None:
    """A configuration that is there already can be changed setting by setting."""
    config = load_config(Config, None, {"max_passes": 2})
    changed = with_overrides(config, assignments(Config, ["budget.calls=20", f"{ENGINE}decide.cost_budget=0.3"]))
    assert (changed.max_passes, changed.budget.calls, changed.budget.cost) == (2, 20, 0.3)
    assert with_overrides(changed, {"budget": {"cost": "none"}}).budget.cost is None


@pytest.mark.requirement("O5")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[budget]\ntokns = 5", "budget.tokns: unknown setting; did you mean tokens?"),
        ("max_pases = 5", "max_pases: unknown setting; did you mean max_passes?"),
        ("[budget]\nzzz = 5", "budget.zzz: unknown setting; there are: calls, tokens, seconds, cost"),
        ("[decide]\nseed = 5", "decide: unknown setting; did you mean reasoning_engine.decide?"),
        ("max_passes = 0", "max_passes: should be greater than or equal to 1, not 0"),
        ('max_passes = "5"', "max_passes: should be a valid integer, not '5'"),
        ("max_passes = true", "max_passes: should be a valid integer, not true"),
        ("max_passes.x = 5", "max_passes: should be a valid integer"),
        ("max_passes = [5]", "max_passes: should be a valid integer"),
        ("max_passes = 2020-01-01", "max_passes: should be a valid integer"),
        ("budget = 5", "budget: should be a section with settings of its own, not 5"),
        ("reasoning_engine.decide = [[1]]", "reasoning_engine.decide: should be a section"),
        ("[budget\n", "is not valid TOML"),
        ("max_passes = 2\nmax passes = 3", "line 2"),
        ("max_passes = 2\nmax_passes = 3", "is not valid TOML: Cannot overwrite a value"),
        ("budget.seconds = inf", "budget.seconds: inf is not a value"),
        ("budget.seconds = 1e999", "budget.seconds: inf is not a value"),
        ("budget.cost = nan", "budget.cost: nan is not a value"),
        (f"budget.seconds = 1{'0' * 400}", "budget.seconds: should be a valid number"),
        (f"max_passes = 1{'0' * 5000}", "is not valid TOML"),
        (f"x = {'[' * 5000}", "nested too deeply"),
        (
            "reasoning_engine.evaluate.weights.accuracy = 0.9",
            "reasoning_engine.evaluate.weights: the weights add up to 1.65, not to 1",
        ),
        (
            "reasoning_engine.decide.confidence_threshold = 1.5",
            "reasoning_engine.decide.confidence_threshold: should be less than or equal to 1, not 1.5",
        ),
        (
            "reasoning_engine.decide.coverage_threshold = -0.1",
            "reasoning_engine.decide.coverage_threshold: should be greater than or equal to 0, not -0.1",
        ),
        (
            'reasoning_engine.refine.strategy = "WIDEN"',
            "reasoning_engine.refine.strategy: should be 'EXPAND', 'NARROW', 'PIVOT' or 'DEEPEN', not 'WIDEN'",
        ),
        ('reasoning_engine.decide.order = ["stalled"]', "reasoning_engine.decide.order: every row must"),
        ("reasoning_engine.decide.order = 5", "reasoning_engine.decide.order: should be a list, not 5"),
        ("reasoning_engine.decide.max_iterations = 0", "reasoning_engine.decide.max_iterations: should be greater"),
        (
            "max_passes = 3\nreasoning_engine.decide.max_iterations = 3",
            "reasoning_engine.decide.max_iterations and max_passes are the same setting; keep one",
        ),
        (
            "budget.cost = 3\nreasoning_engine.decide.cost_budget = 3",
            "reasoning_engine.decide.cost_budget and budget.cost are the same setting; keep one",
        ),
        ("budget = 3\nreasoning_engine.decide.cost_budget = 3", "budget: should be a section"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, words: str) -> None:
    """The error is one line with the file, the path of the setting and what is wrong."""
    (tmp_path / "aeon.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(Config, tmp_path / "aeon.toml")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'aeon.toml'}: ") and words in message and "\n" not in message


@pytest.mark.parametrize("content", [b"\xff\xfe", b"max_passes = '\xff'"])
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    """Bytes that are no UTF-8 are said to be none."""
    (tmp_path / "aeon.toml").write_bytes(content)
    with pytest.raises(InputFileError, match="is not UTF-8 text"):
        load_config(Config, tmp_path / "aeon.toml")


def test_a_folder_is_no_file_of_settings(tmp_path: Path) -> None:
    """A folder in the place of a file is refused with its name."""
    with pytest.raises(InputFileError, match="Is a directory"):
        load_config(Config, tmp_path)
