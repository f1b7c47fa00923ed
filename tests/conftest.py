"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("aeon", deadline=None)  # a busy machine is no failure: nothing here is about time
settings.load_profile("aeon")
