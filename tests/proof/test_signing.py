"""Signatures on proofs: made, checked, refused; and what is said where nobody checks them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from aeon.errors import InputFileError, MissingExtraError
from aeon.proof.signing import signed_by, signer
from aeon.proof.standalone import verifier
from aeon.proof.verify import verify_file

from .proofs import medium, small

pytestmark = pytest.mark.requirement("G6", "G6d")


def private(path: Path, key: Any = None, password: bytes | None = None, mode: int = 0o600) -> Path:
    """The file of a private key, new if none is given."""
    locked = BestAvailableEncryption(password) if password else NoEncryption()
    path.write_bytes((key or Ed25519PrivateKey.generate()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, locked))
    path.chmod(mode)
    return path


def public(path: Path, key: Any) -> Path:
    """The file of the public key of a private one."""
    path.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return path


@pytest.fixture
def key() -> Ed25519PrivateKey:
    """The same one in every run."""
    return Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


@pytest.fixture
def proof(tmp_path: Path, key: Ed25519PrivateKey) -> Path:
    """A proof with its signature beside it."""
    path = tmp_path / "proof.json"
    path.write_bytes(medium())
    Path(f"{path}.sig").write_bytes(signer(private(tmp_path / "key.pem", key))(path.read_bytes()))
    return path


def test_a_signature_is_checked_by_the_public_key(proof: Path, key: Ed25519PrivateKey, tmp_path: Path) -> None:
    """The proof stays as it is, byte for byte; the report names the key by its hash."""
    assert proof.read_bytes() == medium() and Path(f"{proof}.sig").stat().st_size == 64
    report = verify_file(proof, key=signed_by(public(tmp_path / "public.pem", key)))
    assert report.code == 0 and report.verified[-1].startswith("the signature, by the public key ")
    assert len(report.verified[-1].rpartition(" ")[2]) == 64
    assert not any("signature" in line for line in report.recorded)


def test_without_a_key_it_is_recorded_not_verified(proof: Path, tmp_path: Path) -> None:
    """The verifier of the standard library says so too; a proof without a signature says nothing of one."""
    report = verify_file(proof)
    assert (
        report.code == 0
        and report.recorded[-1] == "the signature 'proof.json.sig'; aeon verify --public-key FILE checks it"
    )
    script = tmp_path / "verify.py"
    script.write_text(verifier(), encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "-S", script, proof], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, report.text)
    Path(f"{proof}.sig").unlink()
    assert not any("signature" in line for line in verify_file(proof).recorded)


def test_another_key_over_another_file_or_none(proof: Path, key: Ed25519PrivateKey, tmp_path: Path) -> None:
    """Each is one problem and exit code 1: a proof that is to be signed and is not, is not verified."""
    mine = signed_by(public(tmp_path / "public.pem", key))
    other = signed_by(public(tmp_path / "other.pem", Ed25519PrivateKey.generate()))
    report = verify_file(proof, key=other)
    assert (report.code, report.problems) == (1, ("its signature 'proof.json.sig' is none of this key over this file",))
    proof.write_bytes(small())
    assert verify_file(proof, key=mine).code == 1
    proof.write_bytes(medium())
    assert verify_file(proof, key=mine).code == 0
    Path(f"{proof}.sig").unlink()
    (problem,) = verify_file(proof, key=mine).problems
    assert "'proof.json.sig' cannot be read" in problem


def test_every_single_byte_change_of_the_signature_is_refused(
    proof: Path, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    """Each byte in the place of each other one; so is a signature that is cut short, or longer."""
    mine, place = signed_by(public(tmp_path / "public.pem", key)), Path(f"{proof}.sig")
    made, data = place.read_bytes(), proof.read_bytes()
    assert mine.stands(made, data)
    others = (made[:at] + bytes([byte]) + made[at + 1 :] for at in range(64) for byte in range(256) if byte != made[at])
    assert not any(mine.stands(other, data) for other in others)
    for other in (b"", made[:63], made + b"\n", made * 2):
        place.write_bytes(other)
        assert verify_file(proof, key=mine).problems == ("its signature 'proof.json.sig' is none of 64 bytes",)


def test_a_changed_proof_with_a_fitting_digest_is_found_out(
    proof: Path, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    """The signature covers every byte; without it, a whole new proof is verified."""
    mine = signed_by(public(tmp_path / "public.pem", key))
    proof.write_bytes(small("It is 5 euros, and no more."))
    assert verify_file(proof).code == 0 and verify_file(proof, key=mine).code == 1
    proof.write_bytes(b"nothing")
    report = verify_file(proof, key=mine)
    assert report.code == 2 and len(report.problems) == 2


def test_openssl_checks_it_too(proof: Path, key: Ed25519PrivateKey, tmp_path: Path) -> None:
    """The file beside the proof is what other tools make and read."""
    openssl = shutil.which("openssl")
    if openssl is None or b"3." not in subprocess.run([openssl, "version"], capture_output=True, check=True).stdout:
        pytest.skip("there is no OpenSSL 3 here")
    public(tmp_path / "public.pem", key)
    command = [openssl, "pkeyutl", "-verify", "-pubin", "-inkey", tmp_path / "public.pem", "-rawin", "-in", proof]
    done = subprocess.run([*command, "-sigfile", f"{proof}.sig"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Verified Successfully" in done.stdout


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_key_that_others_can_read_signs_nothing(tmp_path: Path, mode: int) -> None:
    """As with ssh; the line says how to close it."""
    path = private(tmp_path / "key.pem", mode=mode)
    with pytest.raises(InputFileError, match=r"others on this machine can read this private key; .*chmod 600"):
        signer(path)


def test_keys_that_cannot_be_used_get_one_line(tmp_path: Path, key: Ed25519PrivateKey) -> None:
    """Of another kind, locked, public where a private one is needed, no key at all, no file."""
    made = tmp_path / "key.pem"
    others = [
        ec.generate_private_key(ec.SECP256R1()),
        ed448.Ed448PrivateKey.generate(),
        x25519.X25519PrivateKey.generate(),
    ]
    private_ones = [(private(tmp_path / f"{n}.pem", one), "of another kind") for n, one in enumerate(others)]
    private_ones += [(private(tmp_path / "locked.pem", password=b"secret"), "passphrase")]
    open_key = public(tmp_path / "public.pem", key)
    open_key.chmod(0o600)
    (tmp_path / "empty").touch(0o600)
    torn = tmp_path / "torn.pem"
    torn.write_bytes(private(made, key).read_bytes()[:40])
    torn.chmod(0o600)
    private_ones += [(one, "openssl genpkey") for one in (open_key, tmp_path / "empty", torn)]
    private_ones += [(tmp_path / "none", "cannot be read"), (tmp_path, "no file that holds a key")]
    for path, words in private_ones:
        with pytest.raises(InputFileError) as caught:
            signer(path)
        assert words in str(caught.value) and str(path) in str(caught.value) and "\n" not in str(caught.value)
    public_ones = [(public(tmp_path / f"{n}.pub", one), "of another kind") for n, one in enumerate(others)]
    public_ones += [(made, "holds a private key"), (tmp_path / "empty", "no public key"), (tmp_path / "none", "read")]
    for path, words in public_ones:
        with pytest.raises(InputFileError) as caught:
            signed_by(path)
        assert words in str(caught.value) and "\n" not in str(caught.value)


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before the key is read."""
    monkeypatch.delitem(sys.modules, "aeon.proof.ed25519", raising=False)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    for call in (signer, signed_by):
        with pytest.raises(MissingExtraError, match=r"pip install 'aeon-orchestrator\[sign\]'"):
            call(tmp_path / "none")
