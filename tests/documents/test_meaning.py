"""Words that mean much the same as a word of a text."""

from __future__ import annotations

import pytest

from aeon.documents.meaning import akin

pytestmark = pytest.mark.requirement("T2")
TEXT = "The house burned down in 1944. The box office is closed in August. Tickets cost 12 euros. Trams stop here."


@pytest.mark.parametrize(
    ("word", "known"), [("fire", True), ("fee", True), ("shut", True), ("telephone", False), ("bus", False)]
)
def test_a_word_is_known_by_its_meaning(word: str, known: bool) -> None:
    """What is said in other words is said; what is only of the same field is not."""
    assert akin({word}, TEXT) == ({word} if known else set())


def test_nothing_is_akin_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither without words nor without the extra that knows meanings."""
    assert akin((), TEXT) == akin({"fire"}, "12 %") == frozenset()
    monkeypatch.setattr("aeon.documents.meaning.embedder", lambda: None)
    assert akin({"fire"}, TEXT) == frozenset()
