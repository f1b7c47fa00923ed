"""Ed25519 (RFC 8032) with keys in PEM, by the package ``cryptography``, which the extra ``sign`` brings."""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

__all__ = ["fingerprint", "private_key", "public_key", "signature", "stands"]


def private_key(pem: bytes) -> Ed25519PrivateKey:
    """The private key in a PEM file.

    Raises:
        ValueError: it holds none, or one of another kind; says so in words that follow the name of the file.
    """
    try:
        key = load_pem_private_key(pem, password=None)
    except TypeError:
        raise ValueError("is protected by a passphrase; sign with a key file that is not") from None
    except (ValueError, UnsupportedAlgorithm):
        made = "openssl genpkey -algorithm ed25519 -out key.pem"
        raise ValueError(f"holds no private key in PEM that can be read; make one with: {made}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("holds a private key of another kind; an Ed25519 key is needed")
    return key


def public_key(pem: bytes) -> Ed25519PublicKey:
    """The public key in a PEM file. Raises as `private_key`."""
    if b"PRIVATE KEY-----" in pem:
        raise ValueError("holds a private key; name the public one: openssl pkey -in key.pem -pubout -out public.pem")
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError("holds no public key in PEM that can be read") from None
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("holds a public key of another kind; an Ed25519 key is needed")
    return key


def signature(key: Ed25519PrivateKey, data: bytes) -> bytes:
    """The signature of the key over the data: 64 bytes."""
    return key.sign(data)


def stands(key: Ed25519PublicKey, made: bytes, data: bytes) -> bool:
    """Whether a signature is one of the key over the data."""
    try:
        key.verify(made, data)
    except InvalidSignature:
        return False
    return True


def fingerprint(key: Ed25519PublicKey) -> str:
    """The SHA-256 of the public key (its DER form) as hex digits."""
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()
