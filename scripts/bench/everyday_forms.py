"""Whether an answer to an open task keeps to a constraint that can be counted. What it says is not judged."""

from __future__ import annotations

import ast
import json
import re

from everyday_items import Constraint

__all__ = ["broken", "sentences", "unfenced"]

REFUSAL = re.compile(
    r"^.{0,100}(?:\bI(?:'m| am) (?:sorry, but|unable)|\bI (?:cannot|can't) (?:help|assist|answer|provide|do|find)"
    r"|\bas an AI\b|\bnot stated\b)",
    re.IGNORECASE | re.DOTALL,
)
SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|mr|mrs|ms|dr|vs|approx|a\.m|p\.m|no)\.", re.IGNORECASE)
FENCED = re.compile(r"```[\w+-]*\n(.*?)\n?```", re.DOTALL)


def broken(constraint: Constraint, answer: str) -> str:
    """What the answer breaks of the constraint; empty if it keeps to it."""
    text = answer.strip()
    if REFUSAL.search(text.replace("\u2019", "'")):
        return "refuses"
    what, count = constraint.what, constraint.count
    if what in ("json", "code"):
        return (_json if what == "json" else _code)(text, constraint.words)
    if what == "holds":
        missing = [word for word in constraint.words if word.casefold() not in text.casefold()]
        return f"without {', '.join(missing)}" if missing else ""
    found = {"sentences": sentences, "most sentences": sentences, "lines": _lines}.get(what, _words)(text)
    kept = found <= count if what in ("most sentences", "words") else found == count
    return "" if kept else f"{found} for {what} {count}"


def sentences(text: str) -> int:
    """How many sentences a text has; what ends without a full stop is one too."""
    rest = SHORT.sub(lambda match: match[0].replace(".", ""), text)
    parts = re.split(r"[.!?]+[\"')\]”]*(?:\s+|$)", rest)
    return sum(1 for part in parts if re.search(r"\w", part))


def _words(text: str) -> int:
    return len(re.findall(r"\w+(?:['\u2019.-]\w+)*", text))


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if re.search(r"\w", line))


def unfenced(text: str) -> str:
    """The text inside a fence, if there is nothing around it; else the text."""
    match = FENCED.fullmatch(text.strip())
    return match[1] if match else text


def _json(text: str, keys: tuple[str, ...]) -> str:
    try:
        value = json.loads(unfenced(text))
    except ValueError:
        return "is no JSON"
    if not isinstance(value, dict):
        return "is no JSON object"
    return "" if set(value) == set(keys) else f"has the keys {', '.join(value)}"


def _code(text: str, names: tuple[str, ...]) -> str:
    try:
        tree = ast.parse(unfenced(text))
    except (SyntaxError, ValueError):
        return "is not only code"
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    missing = [name for name in names if name not in defined]
    return f"does not define {', '.join(missing)}" if missing else ""
