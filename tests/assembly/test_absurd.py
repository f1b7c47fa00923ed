"""What a verdict is worth: an absurd answer never converges, however much the judge likes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from assembly.capable import capable

from aeon import build

QUESTIONS = (
    "Who wrote Hamlet?", "What is 6 times 8?", "How many boats are there?", "Which boat is the longest?",
    "Wie viele Boote gibt es?", "Wer hat den Faust geschrieben?", "Combien de bateaux y a-t-il ?",
    "¿Quién pintó el Guernica?", "长江有多长?", "有多少条船?", "What does a day on the Alba cost?",
    "Write a haiku about rain.", "What is the capital of France?", "Summarise the rules.", "When was the Alba built?",
    "Is smoking allowed on board?", "Explain the rules in two sentences.", "What is the sum of all prices?",
    "Translate 'boat' into German.", "Why is the sky blue?",
)  # fmt: skip


BOATS = "boat,length_m,price\nAlba,9,120\nBora,12,180\nCuma,7,95\n"
ECHOES = (
    ("sql", {"query": "SELECT 42 FROM boats"}), ("sql", {"query": "SELECT 42 AS boats, 'boats'"}),
    ("sql", {"query": "SELECT CAST('42' AS INT) UNION SELECT 42"}), ("calculator", {"expression": "42"}),
    ("calculator", {"expression": " (42) "}),
)  # fmt: skip


@pytest.mark.requirement("G2b", "G4b")
@pytest.mark.parametrize("call", ECHOES, ids=lambda call: str(call[1]))
def test_a_tool_that_gives_42_back_makes_it_no_finding(tmp_path: Path, call: tuple[str, dict[str, str]]) -> None:
    """Whoever wants an invented number vouched for has only to write it into a query."""
    (tmp_path / "boats.csv").write_text(BOATS)
    result = build(llm=capable("42\n[1]", [call]), files=tmp_path).execute("How many boats are there?")
    assert not (result.converged or result.sufficient)
    assert [(claim.text, claim.verdict) for claim in result.claims] == [("42", "not_found")]


@pytest.mark.requirement("G2b", "G4b")
@pytest.mark.parametrize(
    "call",
    [
        ("calculator", {"expression": "84/2"}), ("calculator", {"expression": "84 / 2"}),
        ("calculator", {"expression": "6 * 7"}),
        ("sql", {"query": "SELECT DATE '2026-05-01' AS day, 42, length_m FROM boats"}),
        ("sql", {"query": "SELECT sum(length_m) + 14 FROM boats"}),
    ],
    ids=lambda call: str(call[1]),
)  # fmt: skip
def test_what_is_computed_or_stands_beside_what_is_read_is_a_finding(
    tmp_path: Path, call: tuple[str, dict[str, str]]
) -> None:
    """Whoever computes 42 has it."""
    (tmp_path / "boats.csv").write_text(BOATS)
    result = build(llm=capable("42\n[1]", [call]), files=tmp_path).execute("How many metres are it with the pier?")
    assert [(claim.text, claim.verdict) for claim in result.claims] == [("42", "supported")] and result.sufficient


@pytest.mark.requirement("G4b", "J8a")
def test_42_never_converges(tmp_path: Path) -> None:
    """With a look or without one it is a value that stands nowhere: the folder was there to look in."""
    (tmp_path / "boats.csv").write_text(BOATS)
    (tmp_path / "rules.txt").write_text("Smoking is not allowed on board. The Alba was built in 1998.\n")
    label = {"calculations": [{"value": "42", "expression": ""}]}
    blind = build(llm=capable("42", judged=label), files=tmp_path)
    looking = build(llm=capable("42\n[1]", [("sql", {"query": "SELECT * FROM boats"})], label), files=tmp_path)
    for question in QUESTIONS:
        alone, looked = blind.execute(question), looking.execute(question)
        for result in (alone, looked):
            assert not (result.converged or result.sufficient)
            assert [(claim.text, claim.verdict) for claim in result.claims] == [("42", "not_found")]
