"""The option ``--proof FILE``: the line on the claims of an answer, and the file that proves them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"

pytestmark = pytest.mark.requirement("G6", "G6b")


def test_the_proof_of_a_run_is_written_and_verified(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The run says how many of its values were checked, and how to check the file; ``aeon verify`` does."""
    proof, saved = tmp_path / "p.json", tmp_path / "run.jsonl"
    done = aeon("run", TASK, "--model", model.url, "--thorough", "--proof", str(proof), "--save", str(saved))
    assert "claims  1 of 1 checked, 1 supported" in done.shown and f"proof   aeon verify {proof}" in done.shown
    checked = aeon("verify", str(proof), "--journal", str(saved))
    assert checked.code == 0 and "step s1.1: calculator, done again" in checked.out
    saved.write_bytes(saved.read_bytes().replace(b"40.8", b"41.8", 1))
    assert aeon("verify", str(proof), "--journal", str(saved)).code == 1


def test_without_the_option_the_line_stands_alone(aeon: Aeon, model: Model) -> None:
    """Nothing is written, and a run without a tool says that nothing was checked."""
    done = aeon("run", TASK, "--model", model.url, "--thorough")
    assert "claims  1 of 1 checked, 1 supported" in done.shown and "aeon verify" not in done.shown
    model.words["program"] = 'print(write("Tell me of the sea."))'
    assert "claims  0 of 1 checked, 0 supported" in aeon("run", "Tell me of the sea.", "--model", model.url).shown


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
    """The answer is shown first; then one line says what is wrong: its folder went away during the run."""
    folder = tmp_path / "no"
    folder.mkdir()

    def gone(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        return False

    model.before = gone
    done = aeon("run", TASK, "--model", model.url, "--proof", str(folder / "p.json"))
    assert "40.8" in done.shown and done.code == 2 and "the proof cannot be written" in done.err


def test_the_proof_of_another_engine(aeon: Aeon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From its journal, saved or not: its answer with what the task says of it."""
    package = tmp_path / "shortener-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: shortener\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[aeon.engines]\nshorten = cli.shortener:PLUGIN\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    run = ("run", "17 pens at 2.40 euros", "--engine", "shorten", "--proof")
    done = aeon(*run, str(tmp_path / "p.json"))
    assert "claims  1 of 1 checked, 1 supported" in done.shown and done.code == 0
    saved = str(tmp_path / "run.jsonl")
    assert aeon(*run, str(tmp_path / "q.json"), "--save", saved).code == 0
    for proof, more in (("p.json", ()), ("q.json", ("--journal", saved))):
        checked = aeon("verify", str(tmp_path / proof), *more)
        assert checked.code == 0 and "2 claims: 1 checked, 1 supported" in checked.out
        assert "1 sentence: spans, evidence and verdicts (1 not_checked)" in checked.out


@pytest.fixture
def keys(tmp_path: Path) -> tuple[str, str]:
    """The files of a private key and of its public one."""
    key = Ed25519PrivateKey.generate()
    private, public = tmp_path / "key.pem", tmp_path / "public.pem"
    private.touch(0o600)
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return str(private), str(public)


@pytest.mark.requirement("G6d")
def test_a_proof_is_signed_and_the_signature_is_checked(
    aeon: Aeon, model: Model, tmp_path: Path, keys: tuple[str, str]
) -> None:
    """Beside the proof; with the public key ``aeon verify`` says that it stands, and refuses another file."""
    proof, (private, public) = tmp_path / "p.json", keys
    done = aeon("run", TASK, "--model", model.url, "--proof", str(proof), "--sign", private)
    assert done.code == 0 and f"signed  {proof}.sig" in done.shown
    assert "verified: the signature, by the public key" in aeon("verify", str(proof), "--public-key", public).out
    assert "only recorded: the signature 'p.json.sig'" in aeon("verify", str(proof)).out
    Path(f"{proof}.sig").write_bytes(b"\0" * 64)
    again = aeon("verify", str(proof), "--public-key", public)
    assert (again.code, again.out) == (
        1,
        "not verified: its signature 'p.json.sig' is none of this key over this file\n",
    )
    aeon("verify", str(proof), "--public-key", private).complains(2, "holds a private key")


@pytest.mark.requirement("G6d")
def test_what_cannot_be_signed_is_refused_before_the_run(
    aeon: Aeon, model: Model, tmp_path: Path, keys: tuple[str, str]
) -> None:
    """No proof to sign, a key that others can read, a signature that is there already, one file for two things."""
    proof, private = str(tmp_path / "p.json"), keys[0]
    run = ("run", TASK, "--model", model.url, "--sign", private)
    aeon(*run).complains(2, "--sign", "--proof")
    aeon(*run, "--proof", proof, "--save", f"{proof}.sig").complains(2, "--save and --proof")
    Path(f"{proof}.sig").write_text("mine")
    aeon(*run, "--proof", proof).complains(2, "p.json.sig", "a signature is never overwritten")
    Path(private).chmod(0o644)
    aeon(*run, "--proof", str(tmp_path / "q.json")).complains(2, "chmod 600")
    assert not model.bodies


@pytest.mark.requirement("G6", "X3")
def test_the_answer_of_a_continued_run_is_proven(
    aeon: Aeon, model: Model, tmp_path: Path, keys: tuple[str, str]
) -> None:
    """As that of a new run is, with its signature; and so is that of a saved run that has ended, at any time."""
    saved, (private, public) = str(tmp_path / "run.jsonl"), keys
    model.finds_unclear()
    run = ("run", TASK, "--model", model.url, "--thorough", "--unattended", "suspend", "--save", saved)
    assert aeon(*run).code == 4
    done = aeon("resume", saved, "--answer", "1", "--proof", str(tmp_path / "p.json"), "--sign", private)
    assert f"proof   aeon verify {tmp_path / 'p.json'}" in done.shown and "p.json.sig" in done.shown, done
    again = aeon("resume", saved, "--proof", str(tmp_path / "q.json"))
    assert f"proof   aeon verify {tmp_path / 'q.json'}" in again.shown
    for name, more in (("p.json", ("--public-key", public)), ("q.json", ())):
        checked = aeon("verify", str(tmp_path / name), "--journal", saved, *more)
        assert checked.code == 0 and "step s1.1: calculator, done again" in checked.out
    other = ("--tools", "calculater", "--proof", str(tmp_path / "s.json"))
    aeon("resume", saved, *other).complains(2, "did you mean calculator")
    shown = aeon("resume", saved, "--json", "--proof", str(tmp_path / "r.json"))
    assert shown.document["answer"] and "aeon verify" in shown.err and (tmp_path / "r.json").exists()


@pytest.mark.requirement("G6")
def test_what_cannot_be_proven_is_refused_before_a_run_is_continued(aeon: Aeon, tmp_path: Path) -> None:
    """A file that is there already, one that is the log, a signature without a proof, a run that a worker continues."""
    (tmp_path / "p.json").write_text("mine")
    resume = ("resume", str(tmp_path / "none.jsonl"))
    aeon(*resume, "--proof", str(tmp_path / "p.json")).complains(2, "p.json", "exists already")
    new = str(tmp_path / "new")
    aeon(*resume, "--proof", new, "--log", new).complains(2, "resume: --log and --proof name the same file", "name two")
    aeon(*resume, "--sign", "key.pem").complains(2, "resume: --sign", "--proof")
    durable = ("--durable", "sqlite:///none.db", "--proof", str(tmp_path / "q.json"))
    aeon(*resume, *durable).complains(2, "with --durable", "leave --proof out")
