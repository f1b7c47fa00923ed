"""The player: what it is shown, what it may say, and what becomes of what it says."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from aeon.assembly.build import assemble, build
from aeon.assembly.tutor import PLUGIN
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.moves import Illegal, typed
from aeon.engines.tutor.player import preferred
from aeon.engines.tutor.program import TUTOR
from aeon.engines.tutor.record import ProofGame
from aeon.llm.scripted import Scripted
from aeon.schema import Capabilities, LLMRequest, LLMResponse, Task, TokenProbability, Usage
from aeon.testing.contracts import check_handlers
from aeon.testing.obliging import oblige
from aeon.tools.files import Files
from engines.tutor.playing import LOOK, written

pytestmark = pytest.mark.requirement("E4f")
SECRET = "the answer names notes/b.txt in line two"


def test_what_would_win_never_reaches_a_player(tmp_path: Path) -> None:
    """No prompt holds a criterion of the task, a rule, or what moves score; the menu is what can be done."""
    asked: list[LLMRequest] = []

    def reply(request: LLMRequest) -> LLMResponse:
        asked.append(request)
        chooses = "move" in str(request.json_schema)
        return LLMResponse(text='{"move": 1}' if chooses else '{"explanation": "", "kind": "answer"}')

    task = Task(text='Which file holds "K7-4417"?', criteria=(SECRET,))
    game: ProofGame = build(Scripted(reply), (), engine="tutor", files=written(tmp_path)).execute(task)
    *moves, judged = ["".join(message.content for message in request.messages) for request in asked]
    prompts = "".join(moves)
    assert game.sufficient and len(moves) == 3 and SECRET in judged and "search “K7-4417” in all files" in prompts
    for hidden in (SECRET, "points", "score", "Points", *(rule.name for rule in TutorConfig().rules)):
        assert hidden not in prompts


def test_the_verdict_is_the_same_whoever_plays(tmp_path: Path) -> None:
    """The same moves give the same graph, from a menu, as JSON, or from a stronger model of another name."""
    claim = {"type": "contains", "path": "notes/b.txt", "text": "key K7-4417 here", "line": 2}
    moves = [LOOK, {"move": "ASSERT", "claim": claim}, {"move": "RESPOND", "claims": [3]}]
    task, folder = 'Which file holds "K7-4417"?', written(tmp_path)
    by_menu: ProofGame = build(
        Scripted(lambda request: LLMResponse(text='{"move": 1}')), (), engine="tutor", files=folder
    ).execute(task)
    free: ProofGame = build(
        Scripted([json.dumps(move) for move in moves]), (), TutorConfig(form="free"), engine="tutor", files=folder
    ).execute(task)
    assert by_menu.graph == free.graph and by_menu.answer == free.answer


def test_only_an_offered_number_is_a_choice(tmp_path: Path) -> None:
    """The schema of a menu has its numbers and nothing else; prose gets one more try, and is then an illegal move."""
    asked: list[LLMRequest] = []

    def reply(request: LLMRequest) -> LLMResponse:
        asked.append(request)
        return LLMResponse(text="I would read it all.")

    config = TutorConfig(turns=2)
    game: ProofGame = build(Scripted(reply), (), config, engine="tutor", files=written(tmp_path)).execute("Which?")
    assert game.stop_reason == "turns_exhausted" and len(asked) == 4 and game.degraded[0].phase == "player_move"
    assert asked[0].json_schema is not None
    check = Draft202012Validator(asked[0].json_schema)
    assert check.is_valid({"move": 1}) and not check.is_valid({"move": 99}) and not check.is_valid({"move": "rm -rf"})


@pytest.mark.parametrize(
    ("likely", "place"),
    [((0.3, 0.7), 0), ((0.05, 0.95), 1), ((0.6, 0.4), 0), ((1.0,), 0), ((0.0, 0.02, 0.9, 0.08), 2)],
)
def test_a_move_out_of_the_order_takes_a_model_that_is_sure(likely: tuple[float, ...], place: int) -> None:
    """Else it is the first one that is offered."""
    assert preferred(likely) == place


def test_where_a_model_tells_how_likely_moves_are_one_token_is_asked_for(tmp_path: Path) -> None:
    """The numbers are told apart by it; the reply itself does not count."""
    asked: list[LLMRequest] = []

    def reply(request: LLMRequest) -> LLMResponse:
        asked.append(request)
        odds = {"2": 0.5, " 1": 0.3, "Yes": 0.1}
        words = tuple(TokenProbability(token=token, probability=likely) for token, likely in odds.items())
        return LLMResponse(text="7", usage=Usage(calls=1, prompt_tokens=9, generated_tokens=1), first_token=words)

    model = Scripted(reply, Capabilities(json_schema=True, logprobs=True))
    game: ProofGame = build(model, (), engine="tutor", files=written(tmp_path)).execute('Which file holds "K7-4417"?')
    assert game.sufficient and "notes/b.txt" in game.answer and len(asked) == 4
    assert {(request.max_tokens, request.top_logprobs >= 10, request.json_schema) for request in asked} == {
        (1, True, None)
    }


def test_a_model_that_would_say_something_else_than_a_number_writes_one(tmp_path: Path) -> None:
    """Its leaning towards a number that it would not say is no choice."""
    asked: list[LLMRequest] = []

    def reply(request: LLMRequest) -> LLMResponse:
        asked.append(request)
        odds = {"The": 0.99, "3": 0.004, "Yes": 0.004}
        words = tuple(TokenProbability(token=token, probability=likely) for token, likely in odds.items())
        usage = Usage(calls=1, prompt_tokens=9, generated_tokens=1)
        return LLMResponse(text='{"move": 1}', usage=usage, first_token=words if request.top_logprobs else ())

    model = Scripted(reply, Capabilities(json_schema=True, logprobs=True))
    game: ProofGame = build(model, (), engine="tutor", files=written(tmp_path)).execute('Which file holds "K7-4417"?')
    assert game.sufficient and [request.json_schema is None for request in asked] == [*(True, False) * 3, True]


def test_what_is_no_move_has_a_reason_in_one_line() -> None:
    """Unknown moves, missing fields, numbers that are none, texts that are too long."""
    wrong = [
        {}, {"move": "DELETE"}, {"move": ["ASSERT"]}, {"move": "ASSERT"}, {"move": "ASSERT", "claim": "a.txt exists"},
        {"move": "ASSERT", "claim": {"type": "contains", "path": "a", "text": "x" * 500}},
        {"move": "ASSERT", "claim": {"type": "count", "text": "x", "n": 10**30}},
        {"move": "RESPOND", "claims": []}, {"move": "RESPOND", "claims": [1], "why": "because"},
        {"move": "PROPOSE", "action": {"type": "read", "path": "a", "start": 0}},
        {"move": "ASSERT", "claim": {"type": "value", "table": "t", "column": "c", "aggregate": "median", "value": 1}},
    ]  # fmt: skip
    for said in wrong:
        move = typed(said)  # type: ignore[arg-type]
        assert isinstance(move, Illegal) and move.reason and "\n" not in move.reason


def test_handlers_keep_to_their_contract(tmp_path: Path) -> None:
    """Every handler of the engine gives what its program relies on."""
    handlers = assemble(Scripted(oblige), [Files.open(written(tmp_path))], TutorConfig(), plugin=PLUGIN)
    assert asyncio.run(check_handlers(TUTOR, handlers)) == []


@pytest.mark.embedded
@pytest.mark.requirement("E4g")
def test_the_embedded_model_plays_to_a_typed_end(tmp_path: Path) -> None:
    """The shipped small model finds a token in a folder, claims it and answers with the claim."""
    folder = written(tmp_path)
    game: ProofGame = build(None, (), TutorConfig(turns=8), engine="tutor", files=folder).execute(
        'Which file holds the token "K7-4417"?'
    )
    assert game.usage.calls <= game.bound.calls and game.stop_reason in {rule.reason for rule in TUTOR.table}
    assert not game.sufficient or "notes/b.txt" in game.answer
