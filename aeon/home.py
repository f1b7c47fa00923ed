"""Where Aeon keeps what lasts between runs: models, profiles of endpoints, indexes, a server's runs."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

__all__ = ["cache_dir", "data_dir"]


def cache_dir() -> Path:
    """The folder for what Aeon keeps between runs: ``AEON_HOME``, or the platform's cache folder."""
    home = os.environ.get("AEON_HOME")
    return Path(home).expanduser() if home else Path(platformdirs.user_cache_dir("aeon"))


def data_dir() -> Path:
    """The folder for what must not be lost: ``AEON_HOME``, or the platform's folder for a user's data."""
    home = os.environ.get("AEON_HOME")
    return Path(home).expanduser() if home else Path(platformdirs.user_data_dir("aeon"))
