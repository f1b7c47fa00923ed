"""The scenarios and engines of the bench, and the baselines beside them, on a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import get_args

import pytest
from bench.knowing import QUESTION, doubting, down, knowing

from aeon.assembly.registry import plugin
from aeon.bench.measuring import measure
from aeon.bench.problems import Problem, problems
from aeon.bench.remembering import Remembering, Replies
from aeon.bench.rows import Opening, Record, Row
from aeon.bench.scenarios import SCENARIOS, Peer, digest, family_of
from aeon.bench.systems import THOUGHT, Models, check, peer_of, systems, task_of
from aeon.bench.voting import MOST, Voter, enough
from aeon.errors import EndpointFailed, EndpointUnreachable, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.scripted import Scripted

SUMS = problems(["sums"], 2, 1)


def models(llm: LLMAdapter, peer: LLMAdapter | None = None) -> Models:
    """The models of a bench."""
    return Models(Remembering(llm), Remembering(peer) if peer is not None else None)


def measured(
    asked: Sequence[Problem], own: Models, scenarios: Sequence[str] = (), engines: Sequence[str] = ()
) -> dict[str, Row]:
    """The rows of the first question, by system."""
    record = Record(Opening(model=own.model.name, seed=1, scenarios=digest()))
    chosen = systems(scenarios, engines, own)
    asyncio.run(measure(asked, chosen, own, Replies(), record))
    found = ((name, record.row(asked[0].family, asked[0].number, name)) for name in chosen)
    return {name: row for name, row in found if row is not None}


@pytest.mark.requirement("E8", "E8a")
def test_every_scenario_answers() -> None:
    """Each with what it is for: one call, a vote of eight, a peer that approves; none fails."""
    rows = measured(SUMS[:1], models(knowing(SUMS), knowing(SUMS, name="other")), [*SCENARIOS])
    assert [*rows] == [THOUGHT, *SCENARIOS] and not any(row.error for row in rows.values())
    assert all(row.right and row.coverage == 1 and row.tokens for row in rows.values())
    assert rows["S0"].calls == 1 and (rows["S1"].nodes, rows["S1"].split, rows["S1"].reviewed) == (1, 0, 0)
    assert rows["S2"].calls >= 8 and rows["S2"].nodes == 1
    assert all((rows[name].reviewed, rows[name].approved) == (1, 1) for name in ("S3", "S4", "S5"))
    assert rows["S6"].nodes == 0


@pytest.mark.requirement("E8a")
def test_each_scenario_has_the_peer_that_it_says() -> None:
    """S3 the model itself, S4 the other one, S5 the other one only if it is of the family."""
    stranger = models(knowing([], name="qwen2.5-coder-1.5b"), knowing([], name="smollm2-135m"))
    cousin = models(knowing([], name="qwen2.5-coder-1.5b"), knowing([], name="Qwen/Qwen3-8B"))
    assert [peer_of(name, stranger) for name in ("S1", "S3", "S4", "S5")] == [
        "", "qwen2.5-coder-1.5b", "smollm2-135m", "qwen2.5-coder-1.5b",
    ]  # fmt: skip
    assert peer_of("S5", cousin) == "Qwen/Qwen3-8B"
    assert (family_of("smollm2-135m"), family_of("org/Llama-3.1"), family_of("7")) == ("smollm", "llama", "")
    assert {one.peer for one in SCENARIOS.values()} == {*get_args(Peer)}


@pytest.mark.requirement("E8a")
def test_settings_of_the_table_are_settings_of_its_engine() -> None:
    """A misspelt one would not be taken."""
    for one in SCENARIOS.values():
        if one.engine:
            plugin(one.engine).engine.config.model_validate(one.settings)


@pytest.mark.requirement("E8a")
def test_a_model_that_finds_a_task_unclear_is_asked_back_by_s6() -> None:
    """The run waits for an answer, which counts as right for an unclear task."""
    unclear = problems(["unclear"], 2, 1)[1:]
    row = measured(unclear, models(doubting()), ["S6"])["S6"]
    assert row.asked and row.right and row.stop == "waiting" and row.answer == QUESTION
    clear = measured(SUMS[:1], models(doubting()), ["S6"])["S6"]
    assert clear.asked and clear.right is False


@pytest.mark.requirement("E8e")
def test_engines_stand_beside_the_scenarios() -> None:
    """Any that answers from the task alone."""
    rows = measured(SUMS[:1], models(knowing(SUMS)), (), ["loop", "multi-pass", "contractive"])
    assert [*rows] == [THOUGHT, "loop", "multi-pass", "contractive"]
    assert all(row.stop and not row.error for name, row in rows.items() if name != THOUGHT)


@pytest.mark.requirement("E8e", "E8h")
@pytest.mark.parametrize("name", ["research", "report", "tutor/3", "nobody"])
def test_an_engine_that_cannot_answer_these_questions_is_refused(name: str) -> None:
    """In one line that names it, before a model is asked."""
    with pytest.raises(UsageError, match=name.partition("/")[0]):
        check([], [name], False)


@pytest.mark.requirement("E8d")
def test_a_vote_has_at_least_the_tokens_of_what_it_is_beside() -> None:
    """And not a sample more than that takes, up to the most there are; then it says that it is short."""
    voter, task = Voter(Remembering(knowing(SUMS))), task_of(SUMS[0].question)
    one = asyncio.run(voter.vote_at(task, 0))
    several = asyncio.run(voter.vote_at(task, 2.5 * one.usage.tokens))
    capped = asyncio.run(voter.vote_at(task, 1_000 * one.usage.tokens))
    assert (one.samples, one.short, one.answer) == (1, False, SUMS[0].question.expected)
    assert several.samples == 3 and several.usage.tokens >= 2.5 * one.usage.tokens and not several.short
    assert (capped.samples, capped.short) == (MOST, True)
    assert not enough(1, 90, 100) and enough(2, 110, 100) and enough(MOST, 0, 100) and not enough(1, 9, 0, least=2)


@pytest.mark.requirement("E8d")
def test_the_vote_beside_a_row_is_that_of_its_tokens() -> None:
    """Its answer is judged like the row's own: where two of three samples are wrong, so is the vote."""
    seeds = {1: False, 2: True, 3: True}
    own = models(knowing(SUMS, lambda request: request.temperature > 0 and seeds.get(request.seed, True)))
    rows = measured(SUMS[:1], own, ["S0", "S1"])
    assert rows[THOUGHT].right and rows[THOUGHT].consistency is None
    for name in ("S0", "S1"):
        vote = rows[name].consistency
        assert vote is not None and vote.prompt + vote.generated >= rows[name].tokens
    assert rows["S0"].right and not rows["S1"].right
    beside = rows["S1"].consistency
    assert beside is not None and beside.samples >= 3 and beside.right is False and beside.answer == "1234567"


@pytest.mark.requirement("E8b", "E8d")
def test_questions_of_keywords_have_whole_answers_and_no_vote() -> None:
    """The sentence of an engine counts; a chain of thought, which ends in a short answer, has no row."""
    words = problems(["keywords"], 1, 1)
    said = "The moon's gravity makes the tides."
    rows = measured(words, models(Scripted(lambda request: f"Answer: {said}")), ["S0", "S1"])
    assert [*rows] == ["S0", "S1"] and rows["S1"].answer == said.removesuffix(".")
    assert all(row.coverage == 1 and row.right is None and row.consistency is None for row in rows.values())


@pytest.mark.requirement("E8g")
def test_a_peer_that_dies_is_an_error_of_its_rows_alone() -> None:
    """The bench goes on with the next system and the next question."""
    rows = measured(SUMS[:1], models(knowing(SUMS), Scripted(down, name="other")), ["S4", "S0"])
    assert "other" in rows["S4"].error and not rows["S4"].answer
    assert rows["S0"].right and not rows["S0"].error


@pytest.mark.requirement("E8g")
def test_a_model_that_cannot_be_used_ends_the_bench() -> None:
    """With its own error, and no row; one request that fails is only a row."""
    with pytest.raises(EndpointUnreachable):
        measured(SUMS, models(Scripted(down)), ["S0"])
    refuses = Scripted([EndpointFailed("500"), "42.80", *["Answer: 42.80"] * 9])
    rows = measured(SUMS[:1], models(refuses), ["S0"])
    assert "EndpointFailed: 500" in rows[THOUGHT].error and rows["S0"].right


def test_a_reply_is_asked_for_once() -> None:
    """It is counted each time; one that was cut off by its limit is no reply to a request with another limit."""
    inner = knowing(SUMS)
    replies = Replies()
    llm = Remembering(inner, replies)
    voter, task = Voter(llm), task_of(SUMS[0].question)
    first = asyncio.run(voter.vote(task, 2))
    asked = len(inner.requests)
    assert asyncio.run(voter.vote(task, 2)) == first and len(inner.requests) == asked and first.usage.calls == 2
