"""Proof games from end to end: how they are won, lost and ended, on players that need no model."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.assembly.runs import replay
from aeon.documents.folder import Folder
from aeon.engines.tutor.actions import ListFiles, Listing
from aeon.engines.tutor.board import board_lines
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.effects import PlayerMove
from aeon.engines.tutor.game import Game
from aeon.engines.tutor.graph import broken_at
from aeon.engines.tutor.moves import Assert
from aeon.engines.tutor.referee import answered
from aeon.engines.tutor.statements import Exists
from aeon.errors import ToolFailed, UsageError
from aeon.runtime.journal import Journal
from aeon.schema import JsonObject
from aeon.tools.look import look
from engines.tutor.playing import LOOK, contains, play, written

pytestmark = pytest.mark.requirement("E4")
ASSERT: JsonObject = {"move": "ASSERT", "claim": contains()}
CLAIM = 3
RESPOND: JsonObject = {"move": "RESPOND", "claims": [CLAIM], "answer": "notes/b.txt"}


def refusals(moves: list[JsonObject], folder: Path) -> list[str]:
    """Why moves were refused in a game of as many turns."""
    game = play(folder, moves, TutorConfig(turns=len(moves)))
    return [str(node.content["reason"]) for node in game.graph if node.kind == "refusal"]


@pytest.mark.requirement("E4a", "X3")
def test_a_look_a_claim_and_an_answer_win(tmp_path: Path) -> None:
    """The answer is a proved claim, its looks are taken again, and the journal gives the game once more."""
    path = tmp_path / "game.jsonl"
    game = play(written(tmp_path / "in"), [LOOK, ASSERT, RESPOND], journal=lambda _: Journal(path))
    assert (game.stop_reason, game.sufficient, game.cited) == ("proved", True, (CLAIM,))
    assert game.answer == "notes/b.txt: notes/b.txt contains “K7-4417”."
    assert [claim.verdict for claim in game.claims] and all(one.verdict == "supported" for one in game.claims)
    assert "recheck" in {entry.phase for entry in Journal.read(path).entries.values()}
    assert replay(Journal.read(path)) == game and broken_at(game.graph) is None


@pytest.mark.requirement("E4a")
def test_an_answer_needs_its_observations_again(tmp_path: Path) -> None:
    """A file that changed after it was seen takes the proof with it, and the verdict falls."""
    folder = written(tmp_path)

    def moves(effect: PlayerMove) -> JsonObject:
        if effect.turn == 3:
            (folder / "notes" / "b.txt").write_text("hello\n")
        return [LOOK, ASSERT, RESPOND][min(effect.turn, 3) - 1]

    game = play(folder, moves, TutorConfig(turns=4))
    verdicts = [node.content["verdict"] for node in game.graph if node.kind == "verdict"]
    assert not game.sufficient and not game.cited
    assert verdicts == ["proved", "refuted"]
    assert [node.kind for node in game.graph][-1] == "refusal"  # what is not so gives no value


@pytest.mark.requirement("E4c")
def test_undecided_leaves_truth_or_dare(tmp_path: Path) -> None:
    """After a claim that nothing covers, every move is refused but another claim in its place or a look."""
    other: JsonObject = {"move": "ASSERT", "claim": contains(text="hello")}
    ask: JsonObject = {"move": "ASK", "claim": contains()}
    moves: list[JsonObject] = [{"move": "ASSERT", "claim": contains()}, other, ask, RESPOND]
    assert all("REFORMULATE it, or PROPOSE" in reason for reason in refusals(moves, written(tmp_path)))
    assert len(refusals(moves, written(tmp_path))) == 3
    truth: JsonObject = {"move": "REFORMULATE", "claim": 2, "statement": {"type": "exists", "path": "a.txt"}}
    for way_out in (truth, LOOK):
        assert refusals([moves[0], way_out, ask], written(tmp_path)) == []


@pytest.mark.requirement("E4c")
def test_a_dare_decides_the_claim_that_awaits_it(tmp_path: Path) -> None:
    """A look that covers the undecided claim proves it there and then, by that look."""
    game = play(written(tmp_path), [ASSERT, LOOK, {"move": "RESPOND", "claims": [2]}])
    assert game.sufficient and game.cited == (2,)
    last = [node for node in game.graph if node.kind == "verdict"][-1]
    assert last.content["verdict"] == "proved" and last.rests_on == (2, 4)


@pytest.mark.requirement("E4a")
def test_what_cannot_be_seen_is_answered_as_that(tmp_path: Path) -> None:
    """With a binary file among those that are searched, that no line holds a text is open, and may be answered so."""
    folder = written(tmp_path)
    (folder / "c.bin").write_bytes(b"\x00K7")
    none: JsonObject = {"move": "ASSERT", "claim": {"type": "count", "text": "Z9", "n": 0}}
    count: JsonObject = {"move": "PROPOSE", "action": {"type": "count", "text": "Z9"}}
    said: JsonObject = {"move": "RESPOND", "claims": [2], "undecidable": True}
    game = play(folder, [none, count, said])
    assert (game.stop_reason, game.sufficient) == ("undecidable", False)
    assert game.answer == "The files do not say whether no lines of all files contain “Z9”."


@pytest.mark.requirement("E4a")
def test_an_answer_stands_in_its_claims(tmp_path: Path) -> None:
    """A value that no cited claim holds, part of a number, and a claim that is not decided are no answer."""
    folder = written(tmp_path)
    wrong: list[JsonObject] = [{**RESPOND, "answer": said} for said in ("a.txt", "441", "no")]
    reasons = refusals([LOOK, ASSERT, *wrong, {"move": "RESPOND", "claims": [99]}], folder)
    assert reasons == ["The answer stands in none of its claims."] * 3 + ["An answer cites claims that are decided."]
    assert play(folder, [LOOK, ASSERT, {**RESPOND, "answer": "yes"}]).sufficient


@pytest.mark.requirement("E4e")
def test_a_player_that_repeats_itself_is_given_cards_and_stopped(tmp_path: Path) -> None:
    """The same look scores once; from the third time on there are hint cards, at most five, and then the end."""
    game = play(written(tmp_path), [LOOK], TutorConfig(turns=50))
    assert game.stop_reason == "stuck" and len(game.hints) == 5 and game.turns == 8
    assert game.detail == "the player went in circles, and no hint card is left"
    assert game.score == 1
    assert sum(node.kind == "observation" for node in game.graph) == 2


@pytest.mark.requirement("E4b")
def test_a_write_is_no_move(tmp_path: Path) -> None:
    """Actions that change something, shell strings, unknown fields and paths outside the folder are refused."""
    folder = written(tmp_path / "in")
    (tmp_path / "secret.txt").write_text("K7-4417")
    actions: list[JsonObject] = [
        {"type": "write", "path": "a.txt", "text": "x"}, {"type": "shell", "command": "rm -rf ."},
        {"type": "read", "path": "a.txt", "command": "rm"}, {"type": "read", "path": "../secret.txt"},
        {"type": "read", "path": "/etc/passwd"},
    ]  # fmt: skip
    reasons = refusals([{"move": "PROPOSE", "action": action} for action in actions], folder)
    assert len(reasons) == len(actions)
    assert "does not match any of the expected tags: 'list', 'read', 'search'" in reasons[0]
    assert reasons[3] == reasons[4] == "There is no such file; choose a listed one."
    assert (folder / "a.txt").read_text() == "the old key was K7-4418\n"


@pytest.mark.requirement("E4b")
def test_the_negation_of_what_is_proved_is_refused(tmp_path: Path) -> None:
    """It is a contradiction, also as a reformulation; the claim stands."""
    negated: JsonObject = {"move": "ASSERT", "claim": contains(polarity=False)}
    assert refusals([LOOK, ASSERT, negated], written(tmp_path)) == ["The opposite is proved already."]


@pytest.mark.requirement("E4b", "K12")
def test_ten_thousand_claims_stay_bounded(tmp_path: Path) -> None:
    """In one move they are no move; one by one each gets a typed verdict, and the chain of them all is whole."""
    folder = written(tmp_path)
    heap: JsonObject = {"move": "ASSERT", "claim": [contains()] * 10_000}
    assert refusals([heap], folder) == ["a move is one claim or one action, at most 4,000 characters"]

    game = Game(TutorConfig())
    game.observe(ListFiles(), Listing(path="", files=("a.txt",), whole=True))
    for number in range(10_000):
        game.turn += 1
        answered(game, Assert(claim=Exists(path=f"file{number}.txt")))
        assert len(board_lines(game)) <= 20 and len(game.lines()) <= 6
    verdicts = [node.content["verdict"] for node in game.nodes if node.kind == "verdict"]
    assert verdicts == ["refuted"] * 10_000 and broken_at(game.nodes) is None
    assert game.score == 10_000 * game.config.points.refuted


@pytest.mark.requirement("E4b")
def test_a_challenge_looks_again(tmp_path: Path) -> None:
    """A claim that holds stands; one whose file has changed falls, and that scores."""
    folder = written(tmp_path)
    challenge: JsonObject = {"move": "CHALLENGE", "claim": CLAIM}
    stands = play(folder, [LOOK, ASSERT, challenge], TutorConfig(turns=3))

    def moves(effect: PlayerMove) -> JsonObject:
        if effect.turn == 3:
            (folder / "notes" / "b.txt").write_text("hello\n")
        return [LOOK, ASSERT, challenge][effect.turn - 1]

    falls = play(folder, moves, TutorConfig(turns=3))
    assert falls.score == stands.score + 2
    assert [n.content["verdict"] for n in falls.graph if n.kind == "verdict"] == ["proved", "refuted"]


@pytest.mark.requirement("E4a")
def test_without_a_folder_there_is_nothing_to_see(tmp_path: Path) -> None:
    """No folder is refused before the game; an empty one ends it before a model is asked."""
    with pytest.raises(UsageError, match=r"^the engine 'tutor' needs a folder to look at: --files DIR$"):
        play(None, [LOOK])
    empty = play(tmp_path, [LOOK])
    assert (empty.stop_reason, empty.detail) == ("nothing_to_see", "the folder holds no file")
    assert empty.usage.calls == 0


@pytest.mark.requirement("E4b")
def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    """Links that lead outside, hidden files and paths with dots are not there for any look."""
    folder = written(tmp_path / "in")
    (tmp_path / "secret.txt").write_text("K7-4417 secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "links").symlink_to(tmp_path)
    (folder / ".hidden").write_text("K7-4417 hidden")
    call = look(Folder.open(folder), None).call
    for path in ("link.txt", "links/secret.txt", "../secret.txt", str(tmp_path / "secret.txt"), ".hidden"):
        with pytest.raises(ToolFailed, match="there is no file"):
            call(action="read", path=path)
        with pytest.raises(ToolFailed, match="there is no file"):
            call(action="search", path=path, text="K7")
    found = call(action="search", text="K7-4417")
    assert isinstance(found, dict) and found["counts"] == [["notes/b.txt", 1]]


def offered(folder: Path, task: str, *moves: JsonObject) -> list[list[str]]:
    """What a player is offered in each turn who makes these moves."""
    menus: list[list[str]] = []

    def move(effect: PlayerMove) -> JsonObject:
        menus.append([option.label for option in effect.options])
        return moves[effect.turn - 1]

    play(folder, move, TutorConfig(turns=len(moves)), task=task)
    return menus


@pytest.mark.requirement("E4")
def test_of_one_line_what_it_says_is_offered_first_and_of_several_how_many_they_are(tmp_path: Path) -> None:
    """In the files that the task names before all; each claim that is decided is offered as an answer."""
    folder = written(tmp_path, a_log="status=502\nok 7\nstatus=502\n", b_log="status=502\n")
    search: JsonObject = {"move": "PROPOSE", "action": {"type": "search", "text": "status=502"}}
    claim: JsonObject = {"move": "ASSERT", "claim": {"type": "contains", "path": "a.log", "text": "status", "line": 1}}
    _, found, claimed = offered(folder, "How many lines of a.log have status=502?", search, claim, claim)
    assert found[:2] == [
        f"claim: {n} lines of {where} contain “status=502”" for n, where in ((2, "a.log"), (3, "all files"))
    ]
    assert sum(label.startswith("claim: line ") for label in found) == 3
    assert claimed[0] == "answer: line 1 of a.log contains “status”."
    one: JsonObject = {"move": "PROPOSE", "action": {"type": "search", "text": "ok 7"}}
    _, found = offered(folder, 'Which file has "ok 7"?', one, one)
    assert found[0] == "claim: line 2 of a.log contains “ok 7”"


@pytest.mark.requirement("E4g", "L1", "L5")
@pytest.mark.parametrize(
    "task",
    [
        'How many lines of a.log have "status=502"?', 'Wie viele Zeilen von a.log haben "status=502"?',
        'Combien de lignes de a.log ont "status=502"?', 'a.log "status=502" 有多少行?',
    ],
)  # fmt: skip
def test_a_menu_does_not_depend_on_the_language_of_the_task(tmp_path: Path, task: str) -> None:
    """What is quoted and named is looked at, and what was seen is offered as claims, whatever the words around it."""
    folder = written(tmp_path, a_log="status=502\nok\nstatus=502\n")
    search: JsonObject = {"move": "PROPOSE", "action": {"type": "search", "text": "status=502"}}
    first, found = offered(folder, task, search, search)
    assert first[:2] == ["search “status=502” in all files", "read a.log from line 1"]
    assert found[0] == "claim: 2 lines of a.log contain “status=502”"


@pytest.mark.requirement("E4")
def test_of_a_column_that_is_named_every_aggregate_is_offered(tmp_path: Path) -> None:
    """Of the rows that the task names before all rows; the model chooses."""
    pytest.importorskip("duckdb")
    folder = written(tmp_path, sales_csv="region,amount\nNorth,3\nSouth,4\n")
    (menu,) = offered(folder, "Quel est le amount de North ?", LOOK)
    assert menu[:5] == [
        f"compute {words} of amount in sales where region is North"
        for words in ("the sum", "the average", "the least", "the greatest", "the number")
    ]


@pytest.mark.requirement("E4")
def test_a_file_that_is_named_is_read_before_plain_words_are_searched_for(tmp_path: Path) -> None:
    """What a task quotes is searched for before that, and other files are read at last."""
    folder = written(tmp_path, a_log="one\n", b_txt="two\n")
    (menu,) = offered(folder, 'Which program does a.log name beside "one"?', LOOK)
    kinds = ["search “one”", "read a.log", "search “program”", "read b.txt"]
    places = [next(n for n, label in enumerate(menu) if label.startswith(kind)) for kind in kinds]
    assert places == sorted(places)
