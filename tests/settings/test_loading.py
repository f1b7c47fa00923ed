"""The configuration file: what is in it counts, and what is wrong in it is named by its path."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.errors import ConfigError
from aeon.schema import Config
from aeon.settings import load_config


def test_without_a_file_the_defaults_hold() -> None:
    """No file and no overrides give the default configuration."""
    assert load_config() == Config()


def test_overrides_go_before_the_file(tmp_path: Path) -> None:
    """An override changes its own setting and leaves the rest of its table as the file has it."""
    (tmp_path / "aeon.toml").write_text("max_passes = 2\n[budget]\ntokens = 500\nseconds = 60\n")
    config = load_config(tmp_path / "aeon.toml", {"budget": {"tokens": 900}})
    assert (config.max_passes, config.budget.tokens, config.budget.seconds) == (2, 900, 60)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[budget]\ntokns = 5", "budget.tokns: unknown setting; did you mean tokens?"),
        ("max_pases = 5", "max_pases: unknown setting; did you mean max_passes?"),
        ("[budget]\nzzz = 5", "budget.zzz: unknown setting; there are: calls, tokens, seconds, cost"),
        ("max_passes = 0", "max_passes: should be greater than or equal to 1, not 0"),
        ('max_passes = "5"', "max_passes: should be a valid integer, not '5'"),
        ("max_passes = true", "max_passes: should be a valid integer"),
        ("budget = 5", "budget: should be"),
        ("[budget\n", "is no TOML"),
        ("max_passes = 2\nmax passes = 3", "line 2"),
        ("budget.seconds = inf", "inf is no value"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, words: str) -> None:
    """The error is one line with the file, the path of the setting and what is wrong."""
    (tmp_path / "aeon.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path / "aeon.toml")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'aeon.toml'}: ") and words in message and "\n" not in message
