"""``aeon verify``: exit codes, the report, the verifier as a file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon.grounding.matching import claims
from aeon.proof.document import Proof, proof_bytes
from aeon.schema import Task

from .conftest import Outcome

Aeon = Callable[..., Outcome]

pytestmark = pytest.mark.requirement("G6", "X2")


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    """The proof of an answer with a value of the task and one that stands nowhere."""
    task = Task(text="Is it 5 euros?")
    path = tmp_path / "proof.json"
    path.write_bytes(proof_bytes(Proof(task=task, answer="5 or 6", claims=claims("5 or 6", task))))
    return path


def test_a_proof_is_verified(aeon: Aeon, proof: Path) -> None:
    """Exit code 0, and what was verified of what."""
    done = aeon("verify", str(proof))
    assert (done.code, done.err) == (0, "")
    assert "3 claims: 3 checked, 1 supported" in done.out


def test_a_changed_proof_is_not(aeon: Aeon, proof: Path) -> None:
    """Exit code 1 and one line; as JSON, the problems."""
    proof.write_bytes(proof.read_bytes().replace(b"5 or 6", b"6 or 5"))
    done = aeon("verify", str(proof))
    assert (done.code, done.out.count("\n")) == (1, 1)
    assert done.out.startswith("not verified: it was changed")
    assert len(aeon("verify", str(proof), "--json").document["problems"]) == 1


def test_what_is_no_proof_has_exit_code_2(aeon: Aeon, tmp_path: Path) -> None:
    """Another file, a missing one, none at all."""
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert [aeon("verify", str(path)).code for path in (other, tmp_path / "none")] == [2, 2]
    aeon("verify").complains(2, "name a proof file")


def test_the_verifier_can_be_taken_along(aeon: Aeon, proof: Path, tmp_path: Path) -> None:
    """Written once, never over a file that is there; it verifies the same proof by itself."""
    script = tmp_path / "verify.py"
    assert aeon("verify", "--write-verifier", str(script)).code == 0
    done = subprocess.run([sys.executable, "-I", "-S", script, proof], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, aeon("verify", str(proof)).out)
    aeon("verify", "--write-verifier", str(script)).complains(2, "cannot be written")


@pytest.mark.requirement("G6c")
@pytest.mark.parametrize("shape", ["openai", "cohere", "anthropic", "w3c"])
def test_a_proof_is_shown_as_clients_know_it(aeon: Aeon, proof: Path, shape: str) -> None:
    """One JSON document on standard output; what it has no place for is one line beside it."""
    done = aeon("verify", str(proof), "--as", shape)
    assert done.code == 0 and done.document
    assert done.err == "aeon: not in this shape: 1 values of the task, 1 values that are not supported\n"


@pytest.mark.requirement("G6c")
def test_what_is_not_verified_is_not_shown(aeon: Aeon, proof: Path) -> None:
    """Nothing on standard output, and the exit code of the verifier; two kinds of output are refused."""
    proof.write_bytes(proof.read_bytes()[:-1])
    done = aeon("verify", str(proof), "--as", "w3c")
    assert done.out == ""
    done.complains(1, "not verified", "cut short")
    aeon("verify", str(proof), "--as", "w3c", "--json").complains(2, "--as and --json")
    aeon("verify", str(proof), "--as", "word").complains(2, "--as", "word")
