"""The gate that keeps words out of the host: it finds patterns and lists of words, and lets what is no language be."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.checks.wording import findings, word_files, wording

pytestmark = pytest.mark.requirement("L1")

ROOT = Path(__file__).parents[1]


def tree(where: Path, text: str, name: str = "aeon/plan/doubts.py") -> Path:
    """A tree with one file."""
    path = where / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return where


@pytest.mark.parametrize(
    "text",
    [
        'import re\n_ASKS = re.compile(r"\\bhow (?:many|much)\\b")\n',
        'import re\n_WHO = re.compile(rf"(?:{1}|whose) \\w+")\n',
        'import re\n\ndef f(t):\n    return re.search(r"\\b(?:is|are|were) owed\\b", t)\n',
        'import re\n_F = re.compile("wie viele|combien")\n',
        'import re\n_Z = re.compile("多少钱")\n',
        '_STOPS = frozenset({"the", "of", "and"})\n',
        '_MONTHS = ("january", "february", "march", "april")\n',
        '_WORDS = "der die das und oder nicht".split()\n',
        '_DAYS = {"lunes": 1, "para": 2, "con": 3, "sin": 4}\n',
        '_FEW = word_set("a an the no never")\n',
    ],
)
def test_words_of_a_language_are_found(tmp_path: Path, text: str) -> None:
    """In a pattern, also a joined one, and in a collection of any kind; as they stood in the host before."""
    assert len(findings(tree(tmp_path, text))) == 1
    assert wording(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        'import re\n_ID = re.compile(r"(?P<name>[a-z]\\w*)_r(\\d+)")\n',
        'import re\n_SQL = re.compile(r"\\(*\\s*(?:select|with)\\b", re.IGNORECASE)\n',
        '_KINDS = frozenset({"tool", "reading", "reasoning"})\n',
        '_FIELDS = ("id", "question", "answer")\n',
        'def told(n: int) -> str:\n    """How many there are, and of which."""\n    return f"there are {n} of them"\n',
    ],
)
def test_what_is_no_language_is_let_be(tmp_path: Path, text: str) -> None:
    """Names, formats, SQL, and what a person is told."""
    assert findings(tree(tmp_path, text)) == []
    assert wording(tmp_path) == []


def test_how_values_are_written_has_a_place_of_its_own(tmp_path: Path) -> None:
    """There words may stand."""
    assert wording(tree(tmp_path, '_M = ("january", "february", "march")\n', "aeon/language/days.py")) == []


@pytest.mark.parametrize("name", ["aeon/documents/stops.txt", "aeon/documents/stops.json", "aeon/plan/words.md"])
def test_a_file_of_words_is_found(tmp_path: Path, name: str) -> None:
    """One a line, or an array of them."""
    words = [f"{first}{second}" for first in "abcde" for second in "vwxyz"]
    text = "[" + ", ".join(f'"{word}"' for word in words) + "]" if name.endswith(".json") else "\n".join(words)
    assert word_files(tree(tmp_path, text, name)) == [name]


def test_a_file_with_several_words_a_line_is_found(tmp_path: Path) -> None:
    """A hundred, with no mark between them."""
    line = " ".join(f"{first}{second}" for first in "abcd" for second in "vwxyz")
    name = "aeon/documents/common.txt"
    assert word_files(tree(tmp_path, "\n".join([line] * 5), name)) == [name]
    assert word_files(tree(tmp_path, "\n".join([line] * 4), name)) == []


def test_a_prompt_is_no_list(tmp_path: Path) -> None:
    """It has sentences."""
    assert word_files(tree(tmp_path, "A prompt is a text.\nIt has sentences.\n", "aeon/plan/how.md")) == []


def test_what_is_left_may_only_shrink() -> None:
    """The tree has what is on record, file by file, and nothing else."""
    assert wording(ROOT) == []
