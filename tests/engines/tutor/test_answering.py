"""Whether a proved claim answers the question: a model judges that, and nothing else of a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.assembly.runs import fork, replay
from aeon.assembly.tutor import PLUGIN
from aeon.engines.tutor.config import TutorCaps, TutorConfig
from aeon.errors import Malformed
from aeon.llm.adapter import LLMAdapter
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.schema import (
    Capabilities,
    JsonObject,
    LLMRequest,
    LLMResponse,
    Task,
    TokenProbability,
    Usage,
)
from engines.tutor.playing import LOOK, contains, judge, play, written

pytestmark = pytest.mark.requirement("E4")
MAYOR = "Who is the mayor?"
NONE: JsonObject = {"type": "count", "text": "mayor", "n": 0}
SEARCH: JsonObject = {"move": "PROPOSE", "action": {"type": "search", "text": "mayor"}}
ASSERT: JsonObject = {"move": "ASSERT", "claim": NONE}
MOVES: list[JsonObject] = [SEARCH, ASSERT, {"move": "RESPOND", "claims": [3]}]
KEY: list[JsonObject] = [LOOK, {"move": "ASSERT", "claim": contains()}, {"move": "RESPOND", "claims": [3]}]


def leaning(yes: float) -> Scripted:
    """A model that tells how likely it says Yes."""

    def reply(request: LLMRequest) -> LLMResponse:
        words = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
        usage = Usage(calls=1, prompt_tokens=9, generated_tokens=1)
        return LLMResponse(text="?", usage=usage, first_token=words)

    return Scripted(reply, Capabilities(json_schema=True, logprobs=True))


@pytest.mark.parametrize("model", [judge("not_stated"), judge("part"), judge("hedge"), judge("refusal"), leaning(0.1)])
def test_a_proved_claim_beside_the_question_proves_no_answer(tmp_path: Path, model: LLMAdapter) -> None:
    """That no line holds the word is proved, and says nothing of who it is."""
    game = play(written(tmp_path), MOVES, task=MAYOR, model=model)
    assert (game.stop_reason, game.sufficient) == ("not_proved", False)
    assert game.answer == "no lines of all files contain “mayor”." and game.cited == (3,)
    assert [node.content["verdict"] for node in game.graph if node.kind == "verdict"] == ["proved"]


@pytest.mark.parametrize("model", [judge(), leaning(0.9)])
def test_a_proved_claim_that_answers_converges(tmp_path: Path, model: LLMAdapter) -> None:
    """By a schema's kind, or by how likely a model says Yes."""
    game = play(written(tmp_path), KEY, model=model)
    assert (game.stop_reason, game.sufficient) == ("proved", True)
    assert game.judged is not None and game.judged.answers is True


def _broken(request: LLMRequest) -> LLMResponse:
    raise Malformed("it says nothing")


@pytest.mark.parametrize(
    ("model", "config"),
    [
        (Scripted(lambda request: LLMResponse(text="Certainly!")), TutorConfig()),
        (Scripted(_broken), TutorConfig()),
        (judge(), TutorConfig(caps=TutorCaps(judge_answer=0))),
    ],
)
def test_an_answer_that_nobody_could_judge_is_unverified(
    tmp_path: Path, model: LLMAdapter, config: TutorConfig
) -> None:
    """A model that says nothing usable, no calls for it: the claim is proved, the run has not converged."""
    game = play(written(tmp_path), KEY, config, model=model)
    assert (game.stop_reason, game.sufficient, game.cited) == ("unverified", False, (3,))
    assert game.judged is None or game.judged.answers is None


def test_a_judge_that_was_measured_to_be_bad_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not asked, and the answer is unverified."""

    async def bad(self: object, spec: object) -> str:
        return "bad"

    monkeypatch.setattr("aeon.supervisor.judge.Judge.standing", bad)
    game = play(written(tmp_path), KEY, model=judge())
    assert (game.stop_reason, game.usage.calls) == ("unverified", 0)
    assert game.judged is not None and game.judged.standing == "bad"


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (judge(), "undecidable"), (judge("not_stated"), "undecidable"), (leaning(0.9), "undecidable"),
        (judge("refusal"), "not_proved"), (leaning(0.1), "not_proved"), (Scripted(_broken), "unverified"),
    ],
)  # fmt: skip
def test_that_a_claim_is_open_is_judged_too(tmp_path: Path, model: LLMAdapter, reason: str) -> None:
    """Whether the claim is what the question is about; good enough it never is."""
    folder = written(tmp_path)
    (folder / "c.bin").write_bytes(b"\x00K7")
    none: JsonObject = {"move": "ASSERT", "claim": {"type": "count", "text": "Z9", "n": 0}}
    count: JsonObject = {"move": "PROPOSE", "action": {"type": "count", "text": "Z9"}}
    said: JsonObject = {"move": "RESPOND", "claims": [2], "undecidable": True}
    game = play(folder, [none, count, said], task="Is there no Z9?", model=model)
    assert (game.stop_reason, game.sufficient) == (reason, False)


def test_the_proof_is_the_same_whoever_judges(tmp_path: Path) -> None:
    """Verdicts, graph, score and answer do not depend on the judge; only how the run ends does."""
    folder = written(tmp_path)
    models: tuple[LLMAdapter, ...] = (judge(), judge("part"), Scripted(_broken))
    games = [play(folder, KEY, model=model) for model in models]
    first, *others = [(game.graph, game.answer, game.cited, game.score) for game in games]
    assert others == [first, first]
    assert [game.stop_reason for game in games] == ["proved", "not_proved", "unverified"]


def test_the_judge_sees_the_task_and_the_claims_and_no_more(tmp_path: Path) -> None:
    """Task, criteria, answer and claims; in the role of a verifier, whose model may be another one."""
    asked: list[LLMRequest] = []

    def reply(request: LLMRequest) -> LLMResponse:
        asked.append(request)
        return LLMResponse(text='{"explanation": "It names the file.", "kind": "answer"}')

    task = Task(text="Which file holds the key?", criteria=("it is one file",))
    game = play(written(tmp_path), KEY, task=task, model=Scripted(reply))
    (request,) = asked
    prompt = "\n".join(message.content for message in request.messages)
    assert game.sufficient and request.json_schema is not None
    for shown in (task.text, task.criteria[0], "notes/b.txt contains “K7-4417”"):
        assert shown in prompt
    assert "hello" not in prompt and PLUGIN.engine.phases["judge_answer"].model_fields["role"].default == "verifier"


def test_a_judged_game_is_replayed_and_forked(tmp_path: Path) -> None:
    """Without a model, to the same end; from the judgment on another judge may say otherwise."""
    path = tmp_path / "game.jsonl"
    game = play(written(tmp_path / "in"), KEY, model=judge("part"), journal=lambda _: Journal(path))
    journal = Journal.read(path)
    assert replay(journal) == game and game.stop_reason == "not_proved"
    (number,) = [number for number, entry in journal.entries.items() if entry.phase == "judge_answer"]
    assert number == max(journal.entries)
    forked = fork(journal, number, value={"answers": True})
    other = replay(forked)
    assert (other.stop_reason, other.graph) == ("proved", game.graph)


def test_the_bound_has_the_calls_of_the_judge() -> None:
    """They come once, beside those of the turns."""
    config = TutorConfig()
    least = config.changed(caps=config.caps.changed(judge_answer=0))
    assert PLUGIN.engine.calls(config) == PLUGIN.engine.calls(least) + config.caps.judge_answer
