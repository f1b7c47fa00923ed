"""A browser for tests: the system's Chromium, without a window, which notes every complaint."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from equipment import CHROMIUM, MISSING
from playwright.sync_api import sync_playwright


@contextlib.contextmanager
def browser(**how: Any) -> Iterator[Any]:
    """A page of a fresh browser; at its end there must be no error in its console."""
    if CHROMIUM is None:
        pytest.skip(f"{MISSING}Chromium (apt install chromium)")
    complaints: list[str] = []
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = chromium.new_context(**how).new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        try:
            yield page
            assert not complaints, complaints
        finally:
            chromium.close()
