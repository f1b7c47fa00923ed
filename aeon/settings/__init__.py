"""The settings of any pydantic model, from a file in TOML or YAML, from the environment and from the command line."""

from __future__ import annotations

from aeon.settings.loading import Loaded, flat, load, load_config, with_overrides, with_variables
from aeon.settings.notation import toml
from aeon.settings.tree import Setting, settings_of
from aeon.settings.values import assignments, merged

__all__ = [
    "Loaded", "Setting", "assignments", "flat", "load", "load_config", "merged", "settings_of", "toml",
    "with_overrides", "with_variables",
]  # fmt: skip
