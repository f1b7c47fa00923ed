"""The proof file as bytes: one canonical JSON document (RFC 8785) without floats. Standard library alone."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from aeon.proof.tables import of_table

__all__ = [
    "FORMAT", "MOST_BYTES", "QUOTED", "SHAPE", "VERSION", "ProofError", "at_path", "canonical", "digest_of",
    "is_number", "load", "output_of", "sha256",
]  # fmt: skip

FORMAT = "aeon-proof"
VERSION = 4
QUOTED = 32
"""Characters of a quote's prefix and suffix."""
MOST_BYTES = 64 * 2**20
_DIGEST = re.compile(rb'"digest":"([0-9a-f]{64})"')
_VERSION = re.compile(rb'"version":(\d+)')
_SAFE = 2**53 - 1
"""Integers beyond this are not the same in every JSON reader (RFC 7493)."""

_MAYBE = type(None)
_QUOTE = {
    "type": str, "id": str, "path": str, "start": int, "end": int, "exact": str, "prefix": str, "suffix": str,
    "form": str, "value": str, "unit": str,
}  # fmt: skip
_COMPUTATION = {
    "expression": str, "factor": str, "result": str, "places": (int, _MAYBE), "rounding": str, "step": str,
}  # fmt: skip
_CLAIM = {
    "id": str, "start": int, "end": int, "text": str, "kind": str, "form": str, "value": str, "unit": str,
    "support": str, "evidence": [_QUOTE], "computation": (_COMPUTATION, _MAYBE), "checks": [str], "verdict": str,
    "note": str,
}  # fmt: skip
_SOURCE = {
    "id": str, "title": str, "location": str, "retrieved": str, "extractor": str, "raw_sha256": str,
    "text_sha256": str, "text": str, "read": [[int]],
}  # fmt: skip
_TABLE = {"table": str, "source": str, "told": [str], "open": [str]}
_STEP = {"id": str, "tool": str, "arguments": str, "output": str, "sha256": str, "tables": [_TABLE]}
SHAPE = {
    "format": str, "version": int, "task": {"text": str, "context": str}, "answer": str, "sources": [_SOURCE],
    "grounds": {"kind": str, "checked": bool, "names": [str]},
    "derivations": [{"id": str, "taken": bool, "steps": [_STEP]}], "claims": [_CLAIM],
    "coverage": {"claims": int, "checked": int, "supported": int}, "limits": [str],
    "journal": ({"lines": int, "sha256": str}, _MAYBE), "digest": str,
}  # fmt: skip
"""The fields of a proof file, all of them there, with their types; a tuple is what may also be null."""


class ProofError(ValueError):
    """A proof file that cannot be verified at all; ``code`` is 2 where it is none, else 1."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def canonical(value: object) -> str:
    """A JSON value without floats in its canonical form."""
    return json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _ordered(value: object) -> object:
    """The value with its keys in the order of their UTF-16 code units."""
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value, key=lambda key: str(key).encode("utf-16-be"))}
    return [_ordered(one) for one in value] if isinstance(value, list) else value


def sha256(data: bytes | str) -> str:
    """The SHA-256 of bytes, or of a text in UTF-8, as 64 hex digits."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def digest_of(data: bytes) -> tuple[str, str]:
    """The digest that a proof file states, and the one that it has: its SHA-256 with the stated digits as zeros.

    Both are "" where it states none, or two. In the canonical form no text of the file can look like the field.
    """
    stated = _DIGEST.findall(data)
    if len(stated) != 1:
        return "", ""
    return stated[0].decode(), sha256(data.replace(b'"digest":"' + stated[0], b'"digest":"' + b"0" * 64))


def load(data: bytes) -> dict[str, Any]:
    """The document in a proof file whose digest, canonical form and shape are right.

    Raises:
        ProofError: it is no proof file, or not as it was written.
    """
    stated, real = digest_of(data)
    if stated != real:
        version = _VERSION.search(data)
        if version and int(version[1][:9]) != VERSION:
            raise _other_version(int(version[1][:9]))
        raise ProofError(1, "it was changed or cut short: its digest is not the one that it states")
    document = _parsed(data)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ProofError(2, f'it is no proof file: it has no "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise _other_version(document.get("version"))
    if fault := _misshapen(document, SHAPE, ""):
        raise ProofError(1, fault)
    if not stated or canonical(document).encode() != data:
        raise ProofError(1, "it is not in its canonical form, so it was changed after it was written")
    return document


def _other_version(version: object) -> ProofError:
    shown = version if type(version) is int else "unknown"
    older = "; make it again: aeon resume RUN --proof FILE" if type(version) is int and version < VERSION else ""
    return ProofError(2, f"it is a proof of version {shown}; this verifier reads version {VERSION}{older}")


def _parsed(data: bytes) -> object:
    try:
        document = json.loads(data.decode(), object_pairs_hook=_once, parse_float=_refused, parse_constant=_refused)
        canonical(document).encode()
    except UnicodeDecodeError as error:
        raise ProofError(2, f"it is no JSON: byte {error.start} is no UTF-8") from None
    except UnicodeEncodeError:
        raise ProofError(1, "it has half a character (a lone surrogate)") from None
    except RecursionError:
        raise ProofError(2, "it is nested too deeply") from None
    except ProofError:
        raise
    except ValueError as error:
        raise ProofError(2, f"it is no JSON: {error}") from None
    return document


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys are all different."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ProofError(1, "it has one key twice in an object")
    return found


def _refused(text: str) -> object:
    raise ProofError(1, f"it has the number {text[:40]}; a proof has integers only")


def _misshapen(value: object, shape: object, place: str) -> str:
    """What is wrong with the shape of a value, in words; "" if nothing is."""
    if isinstance(shape, tuple):
        return "" if value is None else _misshapen(value, shape[0], place)
    if isinstance(shape, list):
        return _items_misshapen(value, shape[0], place)
    if isinstance(shape, dict):
        return _fields_misshapen(value, shape, place)
    if type(value) is not shape:
        return f"{place or 'it'} is not what it must be"
    return f"{place} is too large a number" if isinstance(value, int) and abs(value) > _SAFE else ""


def _items_misshapen(value: object, shape: object, place: str) -> str:
    if not isinstance(value, list):
        return f"{place} is no list"
    return next(filter(None, (_misshapen(one, shape, f"{place}[{n}]") for n, one in enumerate(value))), "")


def _fields_misshapen(value: object, shape: dict[str, object], place: str) -> str:
    if not isinstance(value, dict):
        return f"{place} is no object"
    if value.keys() != shape.keys():
        names = sorted(value.keys() ^ shape.keys())
        return f"{place or 'it'} lacks the field {names[0][:40]!r}, or should not have it"
    return next(
        filter(None, (_misshapen(value[name], of, f"{place}.{name}".strip(".")) for name, of in shape.items())), ""
    )


class _Written(str):
    """A number of a JSON text, as it is written there."""

    __slots__ = ()


def output_of(text: str) -> object:
    """The JSON in the text of an output, with its numbers as texts.

    Raises:
        ValueError: it is none, has a key twice in an object, or a number that is none.
    """
    try:
        return json.loads(
            text, parse_int=_Written, parse_float=_Written, parse_constant=_refused, object_pairs_hook=_once
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def is_number(value: object) -> bool:
    """Whether a value that `output_of` gave is a number."""
    return isinstance(value, _Written)


def at_path(output: object, path: str) -> str:
    """The text at a JSON pointer (RFC 6901) in an output as `output_of` gives it; of a table also ``rows()`` and such.

    Raises:
        ValueError: there is none.
    """
    if path and not path.startswith("/"):
        return of_table(output, path)
    for part in path.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(output, dict) and key in output:
            output = output[key]
        elif isinstance(output, list) and key.isdecimal() and int(key[:9]) < len(output):
            output = output[int(key[:9])]
        else:
            raise ValueError(f"the output has no place {path[:60]!r}")
    if not isinstance(output, str):
        raise ValueError(f"at {path[:60]!r} the output has neither a text nor a number")
    return output
