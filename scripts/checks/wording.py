"""No code reads how a question, a query or an answer is worded: word lists and patterns of words stay out of the host.

A pattern that spells a word out, a collection of words of a language, and a file of nothing but words are each found,
in whatever language. What a machine writes (SQL, URLs, units of a format) is told apart by `TECHNICAL`. What is still
there stands in ``wording.toml`` with how many findings each file has and why; that may only shrink.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scripts.checks.sources import Source, sources

__all__ = ["Finding", "findings", "wording"]

EXEMPT = ("aeon/language/",)
"""Where it is said how values are written, in which language; nothing in it decides."""
DEBTS = Path(__file__).with_name("wording.toml")
_KNOWN: dict[str, Any] = tomllib.loads(DEBTS.read_text(encoding="utf-8"))
TECHNICAL, LANGUAGE = (frozenset(str(_KNOWN[name]).split()) for name in ("technical", "language"))
"""Words of formats, which a pattern may spell out, and the commonest words of four languages."""
FEWEST = 3
"""Words of a language from which on a collection is a list of them."""
WORD_FILE = 20
"""Lines, or texts of a JSON array, of single words from which on a file is a list of them; five times as many words
where lines hold several, with no mark between them."""
_CALLS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
_ESCAPED = re.compile(
    r"\\(?:[pP]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|N\{[^}]*\}|.)|\(\?P?[<=!]?\w*>?|\{\{?\w*\}?\}|\[[^\]]*\]"
)
"""What of a pattern is no text: escapes, names of groups, fields, and sets of characters."""
_SPELT = re.compile(r"[^\W\d_]{3,}")


class Finding:
    """A place where wording is read: a file, a line, and what stands there."""

    def __init__(self, source: Source, node: ast.AST, words: list[str], kind: str) -> None:
        self.file = source.name
        self.line = getattr(node, "lineno", 1)
        self.told = f"{source.name}:{self.line}: {kind}: {', '.join(words[:6])}"


def wording(root: Path) -> list[str]:
    """No lists and no patterns of words outside ``aeon/language``, but for what is on record and may only shrink."""
    allowed: dict[str, Any] = _KNOWN["files"] if root == _own() else {}
    every = findings(root)
    counts = Counter(one.file for one in every) + Counter(word_files(root))
    problems = [one.told for one in every if counts[one.file] > allowed.get(one.file, 0)]
    problems += [f"{name}: a file of words" for name in word_files(root) if counts[name] > allowed.get(name, 0)]
    stale = (name for name, most in allowed.items() if counts[name] < most)
    return problems + [f"{DEBTS.name}: {name} has {counts[name]} now: lower it" for name in stale]


def _own() -> Path:
    return DEBTS.parents[2]


def findings(root: Path) -> list[Finding]:
    """Every pattern that spells words out, and every collection of words, in the code of ``aeon``."""
    every = (source for source in sources(root, "aeon") if not source.name.startswith(EXEMPT))
    return [one for source in every for one in (*_patterns(source), *_lists(source))]


def word_files(root: Path) -> list[str]:
    """Files of the package that hold nothing but words: lines of a text, or texts of a JSON array."""
    found = []
    for path in sorted((root / "aeon").rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix in (".txt", ".json", ".toml", ".md") and not name.startswith(EXEMPT) and _is_words(path):
            found.append(name)
    return found


def _is_words(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    lines = _strings(json.loads(text or "null")) if path.suffix == ".json" else text.split("\n")
    told = list(filter(None, map(str.split, lines)))
    bare = [words for words in told if all(map(str.isalpha, words))]
    single = sum(len(words) == 1 for words in bare)
    most = len(told) / 2
    return (sum(map(len, bare)) >= 5 * WORD_FILE and len(bare) > most) or (single >= WORD_FILE and single > most)


def _strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _patterns(source: Source) -> Iterator[Finding]:
    """Patterns that spell words out."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "regex"), attr=called), args=[pattern, *_]):
                text = _ESCAPED.sub(" ", " ".join(_texts(pattern))) if called in _CALLS else ""
                words = [word for word in _SPELT.findall(text) if word.casefold() not in TECHNICAL]
                if words:
                    yield Finding(source, node, words, "a pattern spells out words")


def _lists(source: Source) -> Iterator[Finding]:
    """Collections of words of a language, also such as are split out of one text."""
    for node in ast.walk(source.tree):
        words = _members(node)
        known = [word for word in words if word.casefold() in LANGUAGE]
        if len({word.casefold() for word in known}) >= FEWEST and 2 * len(known) > len(words):
            yield Finding(source, node, known, "a list of words")


def _members(node: ast.AST) -> list[str]:
    """The texts that a collection holds, or that one text is split into."""
    match node:
        case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items):
            return _constants(items)
        case ast.Dict(keys=keys):
            return _constants(keys)
        case ast.Call(func=ast.Name(id="word_set"), args=[ast.Constant(value=str(text))]):
            return text.split()
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            return text.split()
    return []


def _constants(items: Sequence[ast.expr | None]) -> list[str]:
    return [one.value for one in items if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts of an expression: constants, and those of joined and added ones."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value
