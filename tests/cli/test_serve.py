"""``aeon serve``: what it refuses before it listens, and what it prints."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
pytestmark = pytest.mark.requirement("V2e", "V2d")


def test_other_machines_need_tokens(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """Another address than this machine's own is refused without a file of tokens, and with one that is no good."""
    for host in ("0.0.0.0", "::", "192.0.2.7"):
        aeon("serve", "--host", host, "--port", "0").complains(2, "--token-file")
    aeon("serve", "--token-file", str(tmp_path / "none")).complains(2, "cannot be read")


def test_what_cannot_be_listened_on_is_one_line(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """A taken port, an address of another machine, a port that is none."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        aeon("serve", "--port", port, "--runs", str(tmp_path / "runs")).complains(2, port, "taken", "--port")
    aeon("serve", "--port", "70000").complains(2, "70000")
    aeon("serve", "--port", "x").complains(2, "--port")


def test_what_runs_are_made_of_is_checked_first(
    aeon: Aeon, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders, collections, settings, tools, the model and the place of the runs: what is wrong is one line."""
    (tmp_path / "a" / "notes").mkdir(parents=True)
    (tmp_path / "b" / "notes").mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    serve = ("serve", "--port", "0", "--runs", str(tmp_path / "runs"))
    aeon(*serve, "--files", str(tmp_path / "nowhere")).complains(2, "nowhere")
    both = ("--files", str(tmp_path / "a" / "notes"), "--files", str(tmp_path / "b" / "notes"))
    aeon(*serve, *both).complains(2, "two collections are called 'notes'", "--collection NAME=")
    aeon(*serve, "--collection", "papers").complains(2, "NAME=PATH")
    aeon(*serve, "--set", "x=1").complains(2, "no option '--set'")
    (tmp_path / "bad.toml").write_text("max_pases = 3")
    aeon(*serve, "--config", str(tmp_path / "bad.toml")).complains(2, "max_pases")
    aeon(*serve, "--tools", "hammer").complains(2, "hammer")
    aeon(*serve, "--search", "nowhere=x").complains(2, "nowhere", "searxng=")
    aeon(*serve, "--search", f"json={tmp_path / 'none.toml'}").complains(2, "none.toml")
    aeon(*serve, "--search", "searxng=http://127.0.0.1:9", "--allow", "x y").complains(2, "x y")
    monkeypatch.setenv("RESEARCH_MAX_ITERS", "many")
    aeon(*serve).complains(2, "RESEARCH_MAX_ITERS")
    monkeypatch.delenv("RESEARCH_MAX_ITERS")
    aeon(*serve, "--model", "nobody").complains(2, "nobody")
    aeon("serve", "--port", "0", "--runs", str(tmp_path / "file")).complains(2, "file", "--runs")


def test_the_extra_that_is_missing_is_named(
    aeon: Aeon, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without FastAPI or uvicorn one line says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    aeon("serve", "--port", "0").complains(2, "pip install 'aeon-orchestrator[server]'")
