"""The bench of proof games: its families can be won in every variant, and its grades are honest."""

from __future__ import annotations

import argparse
import json

import pytest

from aeon.llm.scripted import Scripted
from scripts.bench.games import interval, played
from scripts.bench.games_families import FAMILIES, VARIANTS, instance

pytestmark = pytest.mark.requirement("E4g")
OPTIONS = argparse.Namespace(turns=14, form="menu", attempts=1, show=False)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_variant_of_a_family_can_be_won(family: str) -> None:
    """A player who knows what proves the answer finds the moves to it among those that are offered, and is right."""
    for variant in VARIANTS:
        assert played("oracle", instance(family, variant, 1), None, OPTIONS, 1) == "right", variant


def test_a_player_that_only_reads_is_wrong() -> None:
    """Reading every file and answering with what comes first proves something, and not what was asked."""
    grades = [played("dump", instance(family, "true", 2), None, OPTIONS, 2) for family in ("log", "config", "imports")]
    assert "right" not in grades


def test_the_plain_model_with_the_tools_of_the_game_is_graded_by_what_it_says() -> None:
    """It looks, is told once what it has seen already, and answers: right if it names the file; else it is wrong."""
    one = instance("needle", "true", 2)
    (token,) = [word.strip('"?') for word in one.question.split() if word.startswith('"')]
    search = json.dumps({"do": {"type": "search", "text": token, "path": ""}})
    answers = [json.dumps({"do": {"type": "answer", "text": text}}) for text in (one.expected[0], "It is somewhere.")]
    asked = Scripted([search, search, answers[0]])
    assert played("tools", one, asked, OPTIONS, 1) == "right"
    shown = [request.messages[-1].content for request in asked.requests]
    assert one.expected[0] in shown[1] and shown[2].startswith("You did that already.")
    assert played("tools", one, Scripted([search, answers[1]]), OPTIONS, 1) == "wrong"


def test_instances_follow_from_their_seed() -> None:
    """The same seed gives the same files and question; another one gives others."""
    for family in FAMILIES:
        one, same, other = (instance(family, "true", seed) for seed in (1, 1, 2))
        assert (one.files, one.question) == (same.files, same.question) and one.files != other.files


def test_a_share_has_its_interval() -> None:
    """Wilson's interval, in whole percent."""
    assert interval(8, 10) == "8/10 = 80 % (49-94)" and interval(0, 0) == "-"
