"""The configuration of a run from a file in TOML or YAML, from the environment and from the command line."""

from __future__ import annotations

from aeon.settings.loading import Loaded, load, load_config, merged, with_overrides
from aeon.settings.tree import SETTINGS, Setting
from aeon.settings.values import assignments, toml

__all__ = ["SETTINGS", "Loaded", "Setting", "assignments", "load", "load_config", "merged", "toml", "with_overrides"]
