"""``aeon run --proof FILE``: the line on the claims of an answer, and the file that proves them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"

pytestmark = pytest.mark.requirement("G6", "G6b")


def test_the_proof_of_a_run_is_written_and_verified(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The run says how many of its values were checked, and how to check the file; ``aeon verify`` does."""
    proof, saved = tmp_path / "p.json", tmp_path / "run.jsonl"
    done = aeon("run", TASK, "--model", model.url, "--thorough", "--proof", str(proof), "--save", str(saved))
    assert "claims  1 of 1 checked, 1 supported" in done.out and f"proof   aeon verify {proof}" in done.out
    checked = aeon("verify", str(proof), "--journal", str(saved))
    assert checked.code == 0 and "step s1: calculator, done again" in checked.out
    saved.write_bytes(saved.read_bytes().replace(b"40.8", b"41.8", 1))
    assert aeon("verify", str(proof), "--journal", str(saved)).code == 1


def test_without_the_option_the_line_stands_alone(aeon: Aeon, model: Model) -> None:
    """Nothing is written, and a run without a tool says that nothing was checked."""
    done = aeon("run", TASK, "--model", model.url, "--thorough")
    assert "claims  1 of 1 checked, 1 supported" in done.out and "aeon verify" not in done.out
    assert "claims  0 of 1 checked, 0 supported" in aeon("run", "Tell me of the sea.", "--model", model.url).out


def test_json_stays_one_document(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The proof is written beside it."""
    done = aeon("run", TASK, "--model", model.url, "--json", "--proof", str(tmp_path / "p.json"))
    assert done.document["answer"] and (tmp_path / "p.json").exists()


def test_a_file_that_exists_is_not_overwritten(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """It is refused before the run."""
    (tmp_path / "p.json").write_text("mine")
    done = aeon("run", TASK, "--model", model.url, "--proof", str(tmp_path / "p.json"))
    done.complains(2, "p.json", "exists already", "name another file")
    assert (tmp_path / "p.json").read_text() == "mine" and not model.bodies


def test_a_proof_that_cannot_be_written_costs_no_answer(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The answer is shown first; then one line says what is wrong."""
    done = aeon("run", TASK, "--model", model.url, "--proof", str(tmp_path / "no" / "p.json"))
    assert "40.8" in done.out and done.code == 2 and "the proof cannot be written" in done.err


def test_an_engine_that_keeps_no_steps_refuses_it(aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names the option and the engine."""
    package = tmp_path / "shortener-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: shortener\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[aeon.engines]\nshorten = cli.shortener:PLUGIN\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    done = aeon("run", TASK, "--engine", "shorten", "--proof", str(tmp_path / "p.json"))
    done.complains(2, "--proof", "'shorten'", "keeps no steps")
