"""``aeon inspect``: a saved run as a page of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from server.browser import browser

from .conftest import Outcome, up_to_entry
from .played_model import Model

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost? </script><script>alert(1)</script>"
pytestmark = [pytest.mark.requirement("V3b"), pytest.mark.usefixtures("thorough")]


@pytest.fixture
def saved(aeon: Aeon, model: Model, tmp_path: Path) -> Path:
    """A run that has ended."""
    assert aeon("run", TASK, "--model", model.url, "--save", str(tmp_path / "run.jsonl")).code == 0
    return tmp_path / "run.jsonl"


def test_a_run_is_one_file(aeon: Aeon, saved: Path, tmp_path: Path) -> None:
    """The page holds the run, loads nothing, runs its own script alone, and shows the answer with what it rests on."""
    page = tmp_path / "run.html"
    assert aeon("inspect", str(saved), "--html", str(page)).out.strip() == str(page)
    text = page.read_text()
    assert not re.search(r"(src|href)=\"(?!#|data:,)", text) and "default-src 'none'" in text
    data = re.search(r'<script type="application/json" id="saved">(.*?)</script>', text, re.DOTALL)
    assert data and json.loads(data[1])["events"][0]["data"]["task"]["text"] == TASK
    with browser() as shown:
        shown.goto(page.as_uri())
        shown.wait_for_selector(".answer")
        assert "40.8" in shown.inner_text(".answer") and "</script>" in shown.inner_text("h1")
        shown.click("button.claim")
        assert "17 * 2.4" in shown.inner_text(".evidence") or "40.8" in shown.inner_text(".evidence")
        shown.focus("#place")
        shown.keyboard.press("Home")
        assert shown.query_selector(".answer") is None and shown.query_selector("text=Fork") is None


def test_a_run_that_has_not_ended_is_shown_as_far_as_it_goes(aeon: Aeon, saved: Path, tmp_path: Path) -> None:
    """The effects up to a kill are there, and no answer."""
    part = tmp_path / "part.jsonl"
    part.write_bytes(up_to_entry(saved.read_bytes(), 2))
    assert aeon("inspect", str(part), "--html", str(tmp_path / "part.html")).code == 0
    with browser() as shown:
        shown.goto((tmp_path / "part.html").as_uri())
        assert len(shown.query_selector_all("section:has(> #h-effects) tbody tr")) == 2
        assert shown.query_selector(".answer") is None and shown.is_visible("text=not ended")


def test_what_cannot_be_shown_or_written_is_one_line(aeon: Aeon, saved: Path, tmp_path: Path) -> None:
    """No journal, a damaged one, a page that is there already or cannot be written: nothing is overwritten."""
    (tmp_path / "other").write_text("x")
    aeon("inspect", str(tmp_path / "nowhere")).complains(2, "cannot be read")
    aeon("inspect", str(tmp_path / "other"), "--html", str(tmp_path / "a.html")).complains(2, "no Aeon journal")
    aeon("inspect", str(saved), "--html", str(tmp_path / "other")).complains(2, "exists already")
    aeon("inspect", str(saved), "--html", str(tmp_path / "no" / "a.html")).complains(2, "cannot be written")
    aeon("inspect", str(saved), "--port", "70000").complains(2, "--port")
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(saved.read_bytes().replace(b"40.8", b"99.9"))
    aeon("inspect", str(damaged), "--html", str(tmp_path / "a.html")).complains(1, "damaged")
    assert not (tmp_path / "a.html").exists() and (tmp_path / "other").read_text() == "x"
