"""The rules of the game as data, stuck players, and settings that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.gamerules import RULES, Condition, Facts, GameRule
from aeon.engines.tutor.stuck import cycle, in_a_row, is_stuck
from aeon.errors import ConfigError
from aeon.settings import load_config
from engines.tutor.playing import LOOK, contains, play, written

pytestmark = pytest.mark.requirement("E4e")
YAML = """
rules:
  - name: no reading
    tier: 1
    when: {all_of: [{fact: move, one_of: [PROPOSE]}, {fact: turn, at_least: 1}]}
    say: Claim first.
"""


def configured(path: Path, text: str) -> TutorConfig:
    """The configuration of a YAML file of this text."""
    path.write_text(text)
    return load_config(TutorConfig, path, {}, {})


def test_rules_of_a_file_judge_moves(tmp_path: Path) -> None:
    """A YAML file's rules stand in the place of the shipped ones: a look is illegal now, and its text is the reason."""
    config = configured(tmp_path / "game.yaml", YAML).changed(turns=1)
    game = play(written(tmp_path / "in"), [LOOK], config)
    assert [n.content["reason"] for n in game.graph if n.kind == "refusal"] == ["Claim first."]


@pytest.mark.requirement("E4a")
def test_no_rule_makes_an_answer_sound(tmp_path: Path) -> None:
    """Without any rules, an answer by no claim, an undecided one or with another value is refused all the same."""
    moves = [
        {"move": "CHALLENGE", "claim": 99}, {"move": "REFORMULATE", "claim": 99, "statement": contains()},
        {"move": "RESPOND", "claims": [99]}, LOOK, {"move": "ASSERT", "claim": contains(text="zebra")},
        {"move": "RESPOND", "claims": [6]}, {"move": "RESPOND", "claims": [6], "undecidable": True},
    ]  # fmt: skip
    game = play(written(tmp_path), moves, TutorConfig(rules=(), turns=len(moves)))
    assert game.turns == 7 and not game.cited and sum(node.kind == "refusal" for node in game.graph) == 5


@pytest.mark.parametrize(
    ("when", "reason"),
    [
        ("{fact: turn, matches: 3}", "unknown operator 'matches'; there are equals, one_of"),
        ("{fact: turn, equals: 1, at_least: 2}", "a condition has one operator"),
        ("{fact: turn}", "a condition has one operator"),
        ("{equals: 3}", "needs a fact"),
        ("{fact: turn, all_of: []}", "takes no fact"),
        ("{fact: goal, equals: 1}", "fact"),
        ("{any_of: [{fact: turn, eval: 'x'}]}", "unknown operator 'eval'"),
        ("{fact: move, at_least: 3}", "the fact 'move' is one of ASSERT, ASK"),
        ("{fact: owes, at_least: 2}", "the fact 'owes' is true or false: the operator 'at_least' is for numbers"),
        ("{fact: move, equals: JUMP}", "'JUMP' is none"),
        ("{fact: move, one_of: [ASK, 3]}", "3 is none"),
        ("{fact: owes, equals: 1}", "the fact 'owes' is true or false; 1 is none"),
        ("{fact: turn, equals: true}", "the fact 'turn' is a whole number; True is none"),
        ("{fact: move, one_of: []}", "the operator 'one_of' is empty"),
        ("{all_of: []}", "the operator 'all_of' is empty; name what it is of"),
        ("{any_of: [{none_of: []}]}", "the operator 'none_of' is empty"),
    ],
)
def test_a_wrong_rule_is_one_clear_line(tmp_path: Path, when: str, reason: str) -> None:
    """An unknown operator or fact, none or two, one that does not fit its fact or is of nothing; it says where."""
    with pytest.raises(ConfigError) as error:
        configured(tmp_path / "game.yaml", YAML.replace("{all_of", f"{when} # {{all_of"))
    assert "\n" not in str(error.value) and reason in str(error.value) and "rules" in str(error.value)


def test_operators_hold_as_they_say() -> None:
    """Each operator on a fact that fits and one that does not, and combinations of them."""
    facts = Facts(move="ASK", turn=3, stuck=True)
    held = [
        Condition(fact="turn", equals=3), Condition(fact="turn", at_least=3), Condition(fact="turn", at_most=3),
        Condition(fact="move", one_of=("ASK", "ASSERT")), Condition(fact="stuck", equals=True),
        Condition(none_of=(Condition(fact="owes", equals=True),)),
        Condition(any_of=(Condition(fact="turn", equals=9), Condition(fact="turn", equals=3))),
    ]  # fmt: skip
    failed = [
        Condition(fact="turn", equals=4), Condition(fact="turn", at_least=4), Condition(fact="turn", at_most=2),
        Condition(fact="move", one_of=("RESPOND",)),
        Condition(all_of=(Condition(fact="turn", equals=3), Condition(fact="owes", equals=True))),
    ]  # fmt: skip
    assert all(one.holds(facts) for one in held) and not any(one.holds(facts) for one in failed)


def test_a_game_without_hint_cards_does_not_say_that_some_were_given(tmp_path: Path) -> None:
    """Rules without a second tier, or no cards allowed: the end says that there was none to give."""
    for number, config in enumerate((TutorConfig(rules=(RULES[0],)), TutorConfig(hints=0))):
        game = play(written(tmp_path / str(number)), [{"move": "WRITE"}], config)
        assert game.stop_reason == "stuck" and game.hints == ()
        assert game.detail == "the player went in circles, and there was no hint card to give"


def test_stuck_is_the_same_thrice_a_circle_or_four_turns_without_news() -> None:
    """Each sign of a player who is stuck, and the same one step earlier."""
    assert in_a_row("abb") == 2 and not is_stuck("abb", 0) and is_stuck("abbb", 0)
    assert cycle("aba") == 0 and cycle("abab") == 2 and cycle("abcabc") == 3 and cycle("xabcab") == 0
    assert is_stuck("abab", 0) and not is_stuck("ab", 3) and is_stuck("ab", 4)


def test_hint_cards_fit_what_the_player_has(tmp_path: Path) -> None:
    """The card of a player with seen lines says to claim them; of one with a proved claim, to answer; then others."""
    seen = play(written(tmp_path / "one"), [LOOK], TutorConfig(turns=3))
    claimed = play(
        written(tmp_path / "two"), [LOOK, {"move": "ASSERT", "claim": contains(line=2)}], TutorConfig(turns=4)
    )
    assert seen.hints == ("claim what was seen",) and claimed.hints == ("use what is proved",)
    again = play(written(tmp_path / "three"), [LOOK], TutorConfig(turns=5))
    assert again.hints[:2] == ("claim what was seen", "look elsewhere")


def test_the_shipped_rules_have_both_tiers_and_need_no_goal() -> None:
    """Rules of both tiers ship; none of their facts says what would win."""
    assert {rule.tier for rule in RULES} == {1, 2} and len({rule.name for rule in RULES}) == len(RULES)
    assert not {"goal", "expected", "criteria"} & set(Facts.__dataclass_fields__)
    assert GameRule.model_validate(RULES[0].model_dump()) == RULES[0]
