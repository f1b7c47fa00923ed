"""The page on configuration: its tables are the schema's, and its examples work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
from annotated_types import Ge, Gt, Le
from pydantic import BaseModel

from aeon.schema import Config
from aeon.settings import SETTINGS, load_config
from aeon.settings.environment import NOT_SETTINGS

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")


def in_words(value: object) -> str:
    """A default as the page has it."""
    if value == {}:
        return ""
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
        return {tuple: "each once", dict: "a table"}[get_origin(field.annotation)]
    limits = {type(each): getattr(each, type(each).__name__.lower()) for each in field.metadata}
    ends = f"{limits.get(Ge)}\u2013{limits[Le]}" if Le in limits else f"≥ {limits.get(Ge)}"
    low = f"> {limits[Gt]}" if Gt in limits else ends
    return f"{low} or none" if SETTINGS[path].may_be_none else low


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
    config = load_config(tmp_path / f"aeon.{kind}")
    decide = config.reasoning_engine.decide
    assert (config.max_passes, config.budget.seconds, decide.confidence_threshold) == (4, 60, 0.8)


def test_the_variables_that_are_no_settings_are_named() -> None:
    """The page tells each of them."""
    assert all(f"`AEON_{name}`" in PAGE for name in NOT_SETTINGS)
