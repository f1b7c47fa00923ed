"""The page on configuration: its tables are the schema's, and its examples work."""

from __future__ import annotations

import re
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest
from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, Field

from aeon.errors import ConfigError
from aeon.schema import Config
from aeon.schema.frozen import Frozen
from aeon.settings import assignments, load_config, settings_of
from aeon.settings.environment import NOT_SETTINGS

SETTINGS = settings_of(Config)

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")


def in_words(value: object) -> str:
    """A default as the page has it."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def span(path: str) -> str:
    """The range of a setting as the page has it."""
    model: type[BaseModel] = Config
    *sections, name = path.split(".")
    for section in sections:
        inner = model.model_fields[section].annotation
        assert isinstance(inner, type) and issubclass(inner, BaseModel)
        model = inner
    field = model.model_fields[name]
    if get_origin(field.annotation) is Literal:
        return ", ".join(get_args(field.annotation))
    if field.annotation in (bool, str):
        return {bool: "true, false", str: "text"}[field.annotation]
    if get_origin(field.annotation) in (tuple, dict):
        return {tuple: "each once", dict: "a table by name"}[get_origin(field.annotation)]
    limits = {type(each): getattr(each, type(each).__name__.lower()) for each in field.metadata}
    ends = f"{limits.get(Ge)}\u2013{limits[Le]}" if Le in limits else f"≥ {limits.get(Ge)}"
    low = f"> {limits[Gt]}" if Gt in limits else ends
    return f"{low} or none" if NoneType in get_args(field.annotation) else low


def rows() -> dict[str, tuple[str, str]]:
    """The default and the range of each setting in the page's tables; a setting may stand there once."""
    found = re.findall(r"^\| `([\w.]+)` \| (.*?) ?\| (.+?) \| .+ \|$", PAGE, re.MULTILINE)
    assert len({path for path, _, _ in found}) == len(found)
    return {path: (default, limits) for path, default, limits in found}


@pytest.mark.requirement("O5")
def test_the_tables_have_every_setting_with_its_default_and_range() -> None:
    """Nothing is missing, made up or out of date."""
    assert rows() == {path: (in_words(setting.default), span(path)) for path, setting in SETTINGS.items()}


@pytest.mark.parametrize("kind", ["toml", "yaml"])
def test_the_examples_load(tmp_path: Path, kind: str) -> None:
    """Both files of the page are settings, and the same ones."""
    (example,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / f"aeon.{kind}").write_text(example)
    config = load_config(Config, tmp_path / f"aeon.{kind}")
    decide = config.reasoning_engine.decide
    assert (config.max_passes, config.budget.seconds, decide.confidence_threshold) == (4, 60, 0.8)


def test_the_variables_that_are_no_settings_are_named() -> None:
    """The page tells each of them."""
    assert all(f"`AEON_{name}`" in PAGE for name in NOT_SETTINGS)


class Price(Frozen):
    """What a model costs, as the page has it."""

    input: float
    output: float = 1.6
    cached: float | None = None


class Priced(Frozen):
    """A model with the table by name of the page."""

    prices: dict[str, Price] = Field({})


def test_the_examples_of_a_table_by_name_work(tmp_path: Path) -> None:
    """Each way of the page to set a price sets it, and the error is the one that it shows."""
    section = PAGE.partition("## Tables by name\n")[2].partition("\n## ")[0]
    price = Priced(prices={"gpt-4.1-mini": Price(input=0.4)})
    flags = re.findall(r"`--set '(.+?)'`", section)
    assert [load_config(Priced, None, assignments(Priced, [flag])) for flag in flags] == [price, price]
    (variable,) = re.findall(r"`AEON_PRICES='(.+?)'`", section)
    assert load_config(Priced, environ={"AEON_PRICES": variable}) == price
    for row, separator in (("TOML", "\n"), ("YAML", "\n  ")):
        (cells,) = re.findall(rf"^\| in {row} \| .*? ?\| (.+) \|$", section, re.MULTILINE)
        file = tmp_path / f"prices.{row.lower()}"
        file.write_text(separator.join(re.findall(r"`(.+?)`", cells)))
        assert load_config(Priced, file) == price
    (error,) = re.findall(r"```\naeon: (.+)\n```", section)
    with pytest.raises(ConfigError, match=f"^{re.escape(error)}$"):
        assignments(Priced, ["prices.gpt-4.1-mini.input=0.4"])


def test_the_example_in_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of the page load a configuration from the file that they name."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "aeon.toml").write_text("max_passes = 4\n")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)
    assert (names["config"].max_passes, names["config"].budget.calls) == (4, 20)
