"""Journals that somebody else may have written: where they may send a run, and what their seals show."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from aeon import Journal, resume
from aeon.errors import AeonError, UsageError
from aeon.runtime.sealed import sealed

from .conftest import Outcome, up_to_entry
from .played_model import Model, served
from .terminal import Terminal

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"
KEY = "k-of-the-user"


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    """An endpoint that only a journal names, and which notes the keys that it is sent; the user has a key."""
    with served() as played:
        played.keys: set[str | None] = set()  # type: ignore[misc]

        def note(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> bool:
            played.keys.add(handler.headers["Authorization"])  # type: ignore[attr-defined]
            return False

        played.before = note
        yield played


def rewritten(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> Path:
    """The journal with some lines changed and all seals made anew, as anybody can."""
    lines = [json.loads(text) for text in path.read_bytes().splitlines()]
    for one in lines:
        del one["seal"]
    change(lines)
    seal, whole = "", b""
    for one in lines:
        data, seal = sealed(json.dumps(one, separators=(",", ":")).encode(), seal)
        whole += data
    path.write_bytes(whole)
    return path


@pytest.fixture
def foreign(aeon: Aeon, stranger: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal of an unfinished run that names the stranger's endpoint and a folder of the user."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.txt").write_text("The code of the safe is 4711.")
    saved = tmp_path / "saved"
    tools = ("--tools", f"calculator,files={tmp_path / 'private'}")
    done = aeon("run", TASK, "--model", stranger.url, "--save", str(saved), *tools, "--thorough")
    assert done.code in (0, 3), done
    saved.write_bytes(up_to_entry(saved.read_bytes(), 2))
    stranger.bodies.clear()
    stranger.listings = 0
    stranger.keys.clear()  # type: ignore[attr-defined]
    monkeypatch.setenv("AEON_API_KEY", KEY)
    return saved


@pytest.mark.parametrize("command", [("resume",), ("fork", "--at", "1")], ids=["resume", "fork"])
def test_nothing_goes_where_only_the_journal_says(
    aeon: Aeon, stranger: Model, foreign: Path, command: tuple[str, ...]
) -> None:
    """Where nobody can be asked, one line names the endpoint and the folder, and nothing is sent or written."""
    before = foreign.read_bytes()
    done = aeon(*command, str(foreign))
    done.complains(2, f"{stranger.root}/v1", str(foreign.parent / "private"), f"--trust {stranger.root}/v1", "--model")
    assert (stranger.bodies, stranger.listings) == ([], 0)
    assert foreign.read_bytes() == before and not list(foreign.parent.glob("saved.fork*"))


def test_an_address_that_the_user_names_gets_the_key(aeon: Aeon, stranger: Model, foreign: Path) -> None:
    """With ``--trust URL`` the run continues there, and so it does with ``--model`` of the same address."""
    assert aeon("resume", str(foreign), "--trust", f"{stranger.root}/v1/").code in (0, 3)
    assert stranger.bodies and stranger.keys == {f"Bearer {KEY}"}  # type: ignore[attr-defined]


def test_trust_in_one_address_is_none_in_another(aeon: Aeon, stranger: Model, foreign: Path) -> None:
    """The flag names the address that it is for."""
    aeon("resume", str(foreign), "--trust", "https://api.example.com/v1").complains(2, f"{stranger.root}/v1")
    assert stranger.bodies == []


@pytest.mark.parametrize(("typed", "code"), [("n\n", 2), ("\n", 2), ("y\n", 0)])
def test_at_a_terminal_the_user_is_asked(stranger: Model, foreign: Path, typed: str, code: int) -> None:
    """Address and folder stand on the screen; only a yes continues, and no key is sent to who was only let in so."""
    terminal = Terminal("resume", str(foreign))
    terminal.until("[y/N]")
    for words in (f"endpoint {stranger.root}/v1", f"folder   {foreign.parent / 'private'}", "--trust URL"):
        assert words in terminal.screen.replace("\r\n", "\n")
    assert stranger.bodies == []
    terminal.types(typed)
    assert (terminal.ended() == 2) is (code == 2), terminal.screen
    assert bool(stranger.bodies) is (code == 0)
    assert stranger.keys <= {None}  # type: ignore[attr-defined]


@pytest.mark.parametrize("setting", ["evaluate.eval_model", "refine.refinement_model"])
def test_a_model_of_the_journals_configuration_is_no_way_around(
    aeon: Aeon, model: Model, stranger: Model, tmp_path: Path, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run on the user's own model whose settings name another endpoint is refused in the same way."""
    saved = tmp_path / "mine"
    assert aeon("run", TASK, "--model", model.url, "--save", str(saved), "--thorough").code == 0
    saved.write_bytes(up_to_entry(saved.read_bytes(), 2))
    section, _, name = setting.partition(".")

    def point_elsewhere(lines: list[dict[str, Any]]) -> None:
        lines[0]["config"]["reasoning_engine"][section][name] = stranger.url

    rewritten(saved, point_elsewhere)
    monkeypatch.setenv("AEON_API_KEY", KEY)
    aeon("resume", str(saved)).complains(2, f"{stranger.root}/v1")
    with pytest.raises(UsageError, match="--trust"):
        resume(saved)
    assert stranger.bodies == []


def test_a_program_names_whom_it_trusts(stranger: Model, foreign: Path) -> None:
    """``resume`` refuses, too, and ``trust`` names the address; a model that is given needs none."""
    with pytest.raises(UsageError, match=f"{stranger.root}/v1"):
        resume(foreign)
    assert stranger.bodies == []
    assert resume(foreign, trust=[f"{stranger.root}/v1"]).answer
    assert stranger.keys == {f"Bearer {KEY}"}  # type: ignore[attr-defined]


@pytest.mark.parametrize("told", [5, ["a"], {"url": "x"}, True])
def test_a_model_that_is_no_text_is_refused(aeon: Aeon, foreign: Path, told: object) -> None:
    """It is not taken for no model at all, in whose place the local one would be fetched."""
    rewritten(foreign, lambda lines: lines[0]["setup"].update(model=told))
    aeon("resume", str(foreign)).complains(1, "model is", "--model")
    aeon("fork", str(foreign), "--at", "1").complains(1, "model is", "--model")
    rewritten(foreign, lambda lines: lines[0]["setup"].update(model=None, tools=5))
    aeon("resume", str(foreign), "--model", "http://127.0.0.1:9/v1#m").complains(1, "tools", "--tools")


def test_other_model_and_tools_are_on_record(aeon: Aeon, model: Model, foreign: Path) -> None:
    """What ``resume`` was told stands in the journal: the next life is on that model, with those tools."""
    model.fails(401)
    assert aeon("resume", str(foreign), "--model", model.url, "--tools", "calculator").code == 1
    setup = Journal.read(foreign).setup
    assert (setup["model"], setup["model_name"], setup["tools"]) == (model.url, "played", ["calculator"])
    model.before = lambda handler, body: False
    assert aeon("resume", str(foreign)).code in (0, 3)


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the user's key for journals."""
    path = tmp_path / "key"
    path.write_text("a key of thirty-two characters..\n")
    monkeypatch.setenv("AEON_JOURNAL_KEY", str(path))
    return path


def test_a_journal_that_is_sealed_with_a_key_is_the_users_own(
    aeon: Aeon, stranger: Model, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is replayed and resumed without a question, key for the endpoint included; without its key, it is refused."""
    saved = tmp_path / "mine"
    assert aeon("run", TASK, "--model", stranger.url, "--save", str(saved), "--thorough").code == 0
    assert b'"mac":"' in saved.read_bytes() and b'"seal":"' not in saved.read_bytes()
    assert aeon("replay", str(saved)).code == 0
    saved.write_bytes(up_to_entry(saved.read_bytes(), 2))
    monkeypatch.setenv("AEON_API_KEY", KEY)
    forked = aeon("fork", str(saved), "--at", "1")
    assert forked.code == 0 and aeon("replay", f"{saved}.fork1").code == 0
    assert aeon("resume", str(saved)).code == 0
    assert f"Bearer {KEY}" in stranger.keys  # type: ignore[attr-defined]
    key.write_text("another key of thirty-two letters\n")
    aeon("history", str(saved)).complains(1, "line 1 is damaged")
    monkeypatch.delenv("AEON_JOURNAL_KEY")
    aeon("history", str(saved)).complains(2, "sealed with a key", "AEON_JOURNAL_KEY")


def test_a_journal_without_the_key_is_not_taken_for_the_users(aeon: Aeon, foreign: Path, key: Path) -> None:
    """Who has set a key reads no journal whose seals anybody can make: nor one made to look keyed."""
    for command in (("history",), ("resume",), ("replay",), ("fork", "--at", "0")):
        aeon(*command, str(foreign)).complains(2, "not sealed with your key", "unset AEON_JOURNAL_KEY")
    foreign.write_bytes(foreign.read_bytes().replace(b'"seal":"', b'"mac":"'))
    aeon("history", str(foreign)).complains(1, "line 1 is damaged")


@pytest.mark.parametrize("content", [None, "", "short", "x" * 5_000])
def test_a_key_that_is_none_is_refused(
    aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    """A file that is not there or holds no key of a usable length seals nothing."""
    if content is not None:
        (tmp_path / "key").write_text(content)
    monkeypatch.setenv("AEON_JOURNAL_KEY", str(tmp_path / "key"))
    with pytest.raises(AeonError, match="AEON_JOURNAL_KEY"):
        Journal(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()
