"""Signatures on proof files: 64 bytes beside the file, which OpenSSL checks too. Needs the extra ``sign``."""

from __future__ import annotations

import importlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from aeon.errors import InputFileError, MissingExtraError
from aeon.proof.verify import SignedBy

__all__ = ["signed_by", "signer"]

_LARGEST = 2**16


def signer(path: Path | str) -> Callable[[bytes], bytes]:
    """What signs a proof file with the private key in a PEM file: gives the 64 bytes for the file ``PROOF.sig``.

    Raises:
        InputFileError: the key cannot be read or used, or is open to others on this machine.
        MissingExtraError: the extra ``sign`` is not installed.
    """
    ed25519 = _ed25519()
    pem = _content(path, private=True)
    try:
        key = ed25519.private_key(pem)
    except ValueError as error:
        raise InputFileError(f"{path}: {error}") from None
    return lambda data: bytes(ed25519.signature(key, data))


def signed_by(path: Path | str) -> SignedBy:
    """What checks signatures by the public key in a PEM file, for `verify_file`. Raises as `signer`."""
    ed25519 = _ed25519()
    try:
        key = ed25519.public_key(_content(path))
    except ValueError as error:
        raise InputFileError(f"{path}: {error}") from None
    return SignedBy(ed25519.fingerprint(key), lambda made, data: bool(ed25519.stands(key, made, data)))


def _ed25519() -> ModuleType:
    try:
        return importlib.import_module("aeon.proof.ed25519")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "cryptography":
            raise
        needed = "pip install 'aeon-orchestrator[sign]'"
        raise MissingExtraError(f"signatures need the package cryptography: {needed}") from None


def _content(path: Path | str, private: bool = False) -> bytes:
    """What stands in the file of a key. Like ssh, a private key that others can read is not used."""
    try:
        state = os.stat(path)
        if not stat.S_ISREG(state.st_mode):
            raise InputFileError(f"{path}: is no file that holds a key")
        if private and os.name == "posix" and state.st_mode & 0o077:
            raise InputFileError(
                f"{path}: others on this machine can read this private key; close it: chmod 600 {path}"
            )
        with Path(path).open("rb") as file:
            return file.read(_LARGEST)
    except OSError as error:
        raise InputFileError(f"{path}: the key cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValueError:
        raise InputFileError(f"{path!r}: names no file") from None
