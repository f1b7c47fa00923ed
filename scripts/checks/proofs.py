"""The JSON Schema of the proof file, made from the fields that the verifier asks for."""

from __future__ import annotations

from typing import get_args

from aeon.proof.canonical import FORMAT, SHAPE, VERSION
from aeon.proof.whole import GROUNDS
from aeon.schema import ClaimKind, JsonObject, JsonValue, SupportType, Verdict

__all__ = ["proof_schema"]

_PLACE: JsonObject = {"minimum": 0}
_HASH: JsonObject = {"pattern": "^[0-9a-f]{64}$"}
_NARROWER: dict[str, JsonObject] = {
    "format": {"const": FORMAT},
    "version": {"const": VERSION},
    "digest": _HASH,
    "grounds.kind": {"enum": [*GROUNDS]},
    "claims.kind": {"enum": [*get_args(ClaimKind)]},
    "claims.verdict": {"enum": [*get_args(Verdict)]},
    "claims.support": {"enum": [*get_args(SupportType)]},
    "claims.checks": {"items": {"enum": ["value", "values", "words", "judge"]}, "maxItems": 1},
    "claims.start": _PLACE,
    "claims.end": _PLACE,
    "claims.evidence.type": {"enum": ["source", "tool", "task", "claim"]},
    "claims.evidence.start": _PLACE,
    "claims.evidence.end": _PLACE,
    "claims.computation.rounding": {"enum": ["half_up", "half_even"]},
    "sources.text_sha256": _HASH,
    "sources.raw_sha256": {"pattern": "^([0-9a-f]{64})?$"},
    "sources.read": {"items": {"items": {"minimum": 0, "type": "integer"}, "maxItems": 2, "minItems": 2}},
    "derivations.steps.sha256": _HASH,
    "journal.sha256": _HASH,
    "journal.lines": _PLACE,
    "coverage.claims": _PLACE,
    "coverage.checked": _PLACE,
    "coverage.supported": _PLACE,
}
"""What a field may hold beside its type, by its path."""
_TYPES = {str: "string", int: "integer", bool: "boolean"}
_ABOUT = (
    "The proof of an answer: what `aeon verify` checks. In the file it is canonical JSON (RFC 8785) without floats; "
    "`digest` is the SHA-256 of the file with zeros in its place. `arguments` and `output` of a step are JSON texts."
)


def proof_schema() -> JsonObject:
    """The schema of the whole document: every field is there, and no other."""
    content = _schema(SHAPE, "")
    return {"title": "Proof", "description": _ABOUT, **content}


def _schema(shape: object, path: str) -> JsonObject:
    """The schema of a part of the document, whose shape is as `SHAPE` has it."""
    if isinstance(shape, tuple):
        either: list[JsonValue] = [_schema(shape[0], path), {"type": "null"}]
        return {"anyOf": either}
    if isinstance(shape, list):
        items: JsonObject = {"type": "array", "items": _schema(shape[0], path)}
        return items | _NARROWER.get(path, {})
    if isinstance(shape, dict):
        fields: JsonObject = {name: _schema(of, f"{path}.{name}".strip(".")) for name, of in shape.items()}
        names: list[JsonValue] = [*shape]
        return {"type": "object", "properties": fields, "required": names, "additionalProperties": False}
    return {"type": _TYPES[shape], **_NARROWER.get(path, {})}  # type: ignore[index]
