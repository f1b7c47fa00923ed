"""Endpoints and adapters that count wrongly: every run ends in an answer, within its bound or as ``overspent``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from approving import Approving

from aeon.assembly.build import build, resume
from aeon.assembly.runs import replay
from aeon.errors import EndpointFailed, UsageError
from aeon.kernel.passes import MULTIPASS
from aeon.llm.scripted import ALL_JSON
from aeon.runtime.fork import fork
from aeon.runtime.journal import Journal
from aeon.schema import Budget, Capabilities, Config, LLMRequest, LLMResponse, Price, Result, Usage
from aeon.testing.obliging import oblige

pytestmark = pytest.mark.requirement("K15")
TASK = "What is 240 * 0.45?"
DOUBTS = {"reasoning_depth": 5, "ambiguity": 0, "completeness": 0.1, "coherence": 0.1, "consistency": 0.1}
Count = Callable[[Usage], Usage]
PRICE = Price(input=1, output=4)


class Miscounting:
    """A model that never finds an answer good enough, and whose adapter counts each call in its own way."""

    def __init__(self, count: Count, name: str = "miscounting", fails_at: int = 0) -> None:
        self.count, self.name, self.fails_at, self.free = count, name, fails_at, True
        self.requests: list[LLMRequest] = []

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The plainest answer."""
        self.requests.append(request)
        if len(self.requests) == self.fails_at:
            raise EndpointFailed("gone")
        said, properties = oblige(request), (request.json_schema or {}).get("properties")
        for name, value in DOUBTS.items() if isinstance(properties, dict) else ():
            if name in properties:
                said = said.changed(text=json.dumps(json.loads(said.text) | {name: value}))
        return said.changed(usage=self.count(said.usage))

    async def capabilities(self, permit: object = None) -> Capabilities:
        """It takes schemas."""
        return ALL_JSON

    async def aclose(self) -> None:
        """Nothing to let go of."""


def hidden(tokens: int) -> Count:
    """Counts so many tokens of a system prompt that somebody adds on the way."""
    return lambda usage: usage.changed(prompt_tokens=usage.prompt_tokens + tokens)


def run(model: Any, config: Config | None = None, path: Path | None = None) -> Result:
    """A run on this model."""
    kept = {} if path is None else {"journal": lambda _: Journal(path)}
    result = build(model, config=config, **kept).execute(TASK)
    assert isinstance(result, Result) and result.answer.strip()
    return result


def test_an_endpoint_that_counts_more_than_the_whole_run_was_admitted_ends_it_at_once(tmp_path: Path) -> None:
    """One call goes beyond the bound, and none is made after it; the result says so in a sentence."""
    model = Miscounting(lambda usage: usage.changed(prompt_tokens=30_000_000))
    path = tmp_path / "run.jsonl"
    result = run(model, path=path)
    most, reported = result.bound.tokens, result.usage.tokens
    assert result.stop_reason == "overspent" and not result.sufficient and result.assembled
    assert most < reported <= most + 30_000_000 + 100 and len(model.requests) == result.usage.calls
    assert result.detail == f"the endpoint reported {reported:,} tokens where {most:,} were admitted"
    assert replay(Journal.read(path)) == result


@pytest.mark.parametrize("tokens", [2_000, 20_000])
@pytest.mark.parametrize("limits", [{"tokens": 50_000}, {"tokens": 400_000}, {"cost": 0.05}, {"cost": 0.4}])
def test_hidden_prompt_tokens_under_a_budget_end_in_an_answer(limits: dict[str, Any], tokens: int) -> None:
    """What a proxy adds is charged in full and learned: no engine is blamed, and at most one call goes beyond."""
    model = Miscounting(hidden(tokens))
    budget = Budget.model_validate({"cost": None} | limits)
    result = run(model, Config(budget=budget, prices={model.name: PRICE}))
    assert result.stop_reason in ("tokens_exhausted", "cost_exhausted", "ttl_expired", "stalled", "diminishing_returns")
    assert result.usage.calls == len(model.requests) > 0
    assert result.usage.tokens <= result.bound.tokens and result.usage.cost <= (result.bound.cost or 0)
    assert result.usage.prompt_tokens >= tokens * result.usage.calls


def test_a_proxy_with_a_prompt_of_its_own_keeps_no_run_without_a_budget_from_its_end() -> None:
    """A call that is counted with more than it was admitted ends nothing while the whole is far below the bound."""
    honest, proxied = Miscounting(lambda usage: usage), Miscounting(hidden(2_000))
    one, other = run(honest), run(proxied)
    assert (one.stop_reason, one.answer) == (other.stop_reason, other.answer)
    assert one.usage.calls == other.usage.calls and one.usage.surplus == 0 < other.usage.surplus < 2_000


def test_an_honest_run_whose_tokens_are_bytes_is_as_any_other() -> None:
    """No token is shorter than a byte: that is what calls are admitted by."""
    bytewise = Miscounting(lambda usage: usage)
    bytewise.count = lambda _: Usage(
        calls=1,
        prompt_tokens=sum(len(message.content.encode()) for message in bytewise.requests[-1].messages),
        generated_tokens=9,
    )
    result = run(bytewise)
    assert result.usage.surplus == 0 and result.stop_reason != "overspent"


@pytest.mark.parametrize(
    "count",
    [
        lambda usage: Usage(prompt_tokens=usage.prompt_tokens),
        lambda usage: Usage(),
        lambda usage: usage.changed(calls=0, generated_tokens=-5_000),
        lambda usage: usage.changed(calls=-3, prompt_tokens=1.5),
    ],
)
def test_a_call_that_went_out_is_one_at_least(count: Count) -> None:
    """Whatever the adapter says of it: a budget of six calls is six calls."""
    model = Miscounting(count)
    result = run(model, Config(budget=Budget(calls=6)))
    assert result.stop_reason == "calls_exhausted" and result.usage.calls == len(model.requests) <= 6


def test_an_adapter_that_counts_calls_that_nobody_made_ends_its_run() -> None:
    """It is charged what it says."""
    result = run(Miscounting(lambda usage: usage.changed(calls=400)))
    assert result.stop_reason == "overspent" and "calls where" in result.detail
    assert result.usage.calls <= result.bound.calls + 400


def test_the_last_call_of_a_run_is_held_to_the_bound_too() -> None:
    """Its answer is there, and the reason is that more was counted than the run was admitted."""
    model = Approving(["print(240 * 0.45)", "Answer: 108", "The total is 108."])
    said = model.complete

    async def complete(request: LLMRequest) -> LLMResponse:
        answer = await said(request)
        last = answer.text == "The total is 108."
        return answer.changed(usage=answer.usage.changed(prompt_tokens=90_000_000)) if last else answer

    model.complete = complete  # type: ignore[method-assign]
    result = run(model)
    assert (result.answer, result.stop_reason, result.sufficient) == ("The total is 108.", "overspent", False)
    assert not result.assembled


def test_a_run_that_was_broken_off_is_resumed_and_forked_within_what_was_learned(tmp_path: Path) -> None:
    """What the endpoint adds to its prompts is on record: the second life ends as a run of one life does."""
    path, config = tmp_path / "run.jsonl", Config(budget=Budget(tokens=90_000))
    whole = run(Miscounting(hidden(9_000)), config, tmp_path / "whole.jsonl")
    broken = run(Miscounting(hidden(9_000), fails_at=5), config, path)
    assert broken.usage.calls < whole.usage.calls
    result = resume(path, llm=Miscounting(hidden(9_000)))
    assert isinstance(result, Result) and result.stop_reason in ("tokens_exhausted", whole.stop_reason)
    assert (result.usage + result.lost).tokens <= 90_000 and replay(Journal.read(path)) == result
    forked = fork(Journal.read(path), 1, MULTIPASS, config.changed(budget=Budget(tokens=60_000)))
    assert forked.config(Config).budget.tokens == 60_000


def test_a_fork_whose_budget_is_below_what_its_past_took_is_refused_in_a_line(tmp_path: Path) -> None:
    """Its past cannot be undone; one that allows as much as was spent ends at once, for that budget."""
    path = tmp_path / "run.jsonl"
    run(Miscounting(lambda usage: usage), path=path)
    journal = Journal.read(path)
    spent = 0
    for at in sorted(journal.entries):
        spent += journal.entries[at].usage.calls
        if spent >= 4:
            break
    with pytest.raises(UsageError) as caught:
        fork(journal, at + 1, MULTIPASS, Config(budget=Budget(calls=3)))
    assert str(caught.value) == (
        f"--set: the {at + 1} effects that the fork shares took {spent} model calls, and these settings allow 3; "
        "allow more, or fork at an earlier effect"
    )
    assert fork(journal, at + 1, MULTIPASS, Config(budget=Budget(calls=spent))).opened.parent is not None
