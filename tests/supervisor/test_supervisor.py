"""The supervisor asks again with the errors, gives up with a typed failure, and stays within the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.errors import (
    AeonError,
    AllowanceExhausted,
    CompletionError,
    DownloadFailed,
    EmptyCompletion,
    EndpointFailed,
    EndpointRejected,
    EndpointTimeout,
    Malformed,
    MissingExtraError,
    ModelError,
    RateLimited,
    Refused,
    Truncated,
)
from aeon.llm.adapter import Permit, freely
from aeon.llm.scripted import Scripted
from aeon.llm.spending import prompt_bytes
from aeon.runtime.ledger import Ledger
from aeon.schema.frozen import Frozen
from aeon.schema.llm import Capabilities, FinishReason, LLMRequest, LLMResponse, TokenProbability
from aeon.schema.usage import Allowance, Price, Usage
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Reply, Supervisor

T = TypeVar("T")
PROMPT = Prompt(system="You pick a tool.", user="Which tool?")
GOOD = '{"tool": "search", "count": 2}'
BAD = '{"tool": "search", "count": "two"}'
PLAIN = Capabilities()
ENFORCING = Capabilities(json_schema=True, json_mode=True, logprobs=True, context_tokens=8192)


class Pick(Frozen):
    """What the model is asked for."""

    tool: str
    count: int


def said(text: str = "", finish: FinishReason = "stop", /, **first: float) -> LLMResponse:
    """One scripted answer that used ten and five tokens; ``first`` gives first-token probabilities."""
    alternatives = tuple(TokenProbability(token=token, probability=value) for token, value in first.items())
    usage = Usage(calls=1, prompt_tokens=10, generated_tokens=5)
    return LLMResponse(text=text, finish_reason=finish, first_token=alternatives, usage=usage)


def playing(*answers: LLMResponse | AeonError, can: Capabilities = PLAIN) -> Scripted:
    """A model that gives its answers in order, the last one again and again."""
    return Scripted((*answers, *(answers[-1:] * 9)), can)


def under(allowance: Allowance, work: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T | AeonError, Ledger]:
    """What ``work`` gave or raised under a ledger, and the ledger."""

    async def body() -> tuple[T | AeonError, Ledger]:
        with Ledger(allowance) as ledger:
            try:
                return await work(), ledger
            except AeonError as error:
                return error, ledger

    return asyncio.run(body())


def pick(llm: Scripted, **options: Any) -> tuple[Any, Ledger]:
    """Ask ``llm`` for a `Pick` under a roomy ledger."""
    return under(Allowance(calls=10), lambda: Supervisor(llm).structured(PROMPT, Pick, **options))


def test_a_good_answer_takes_one_call() -> None:
    """A valid answer is returned as it is, and charged."""
    llm = playing(said(GOOD))
    reply, ledger = pick(llm)
    assert (reply.value, reply.mended, reply.attempts, reply.form) == (
        Pick(tool="search", count=2),
        False,
        1,
        "verdict",
    )
    assert ledger.spent == Usage(calls=1, prompt_tokens=10, generated_tokens=5)


def test_a_mended_answer_is_marked() -> None:
    """An answer whose syntax was mended says so."""
    assert pick(playing(said("{'tool': 'search', 'count': 2}")))[0].mended is True


def test_the_schema_is_enforced_where_the_endpoint_can() -> None:
    """An endpoint that enforces schemas gets the schema, and the prompt stays as it is."""
    llm = playing(said(GOOD), can=ENFORCING)
    pick(llm)
    request = llm.requests[0]
    assert request.json_schema is not None and request.json_mode is False
    assert request.messages == PROMPT.messages


@pytest.mark.parametrize("json_mode", [True, False])
def test_the_schema_is_described_where_the_endpoint_cannot(json_mode: bool) -> None:
    """Elsewhere the last message describes the schema, and JSON mode is used if there is one."""
    llm = playing(said(GOOD), can=Capabilities(json_mode=json_mode))
    pick(llm)
    request = llm.requests[0]
    assert request.json_schema is None and request.json_mode is json_mode
    assert [message.role for message in request.messages] == ["system", "user"]
    assert '"count":{"type":"integer"}' in request.messages[-1].content


def test_a_wrong_answer_is_asked_again_with_its_errors() -> None:
    """The second ask shows the model its own answer and the path of the fault; both calls are charged."""
    llm = playing(said(BAD), said(GOOD))
    reply, ledger = pick(llm)
    assert reply.attempts == 2 and ledger.spent.calls == 2
    *base, own, correction = llm.requests[1].messages
    assert tuple(base) == llm.requests[0].messages
    assert (own.role, own.content) == ("assistant", BAD)
    assert correction.role == "user" and "$.count" in correction.content


def test_a_check_by_the_host_is_an_error_like_any_other() -> None:
    """A valid object that the host's check rejects is asked again with the check's text, then fails with it."""
    llm = playing(said(GOOD))
    failure, ledger = pick(llm, check=lambda value: [f"$.tool: no tool is called {value.tool!r}"])
    assert isinstance(failure, Malformed) and "no tool is called 'search'" in str(failure)
    assert "no tool is called" in llm.requests[1].messages[-1].content
    assert ledger.spent.calls == 3


def test_a_given_schema_replaces_the_models_own() -> None:
    """A narrower schema, such as an enum of known tools, is what the answer must fit."""
    schema = {"type": "object", "properties": {"tool": {"enum": ["shell"]}}, "required": ["tool", "count"]}
    failure, _ = pick(playing(said(GOOD)), schema=schema)
    assert isinstance(failure, Malformed) and "$.tool" in str(failure)


def test_a_schema_wider_than_the_model_does_not_let_a_wrong_value_through() -> None:
    """What the schema allows but the model does not is told with its path."""
    failure, _ = pick(playing(said(BAD)), schema={"type": "object"})
    assert isinstance(failure, Malformed) and "$.count" in str(failure)


@pytest.mark.parametrize(
    ("answer", "kind", "calls"),
    [
        (said(BAD), Malformed, 3),
        (said("I'm sorry, I cannot help with that."), Malformed, 3),
        (said(""), EmptyCompletion, 3),
        (said(" \n\t"), EmptyCompletion, 3),
        (said(GOOD, "length"), Truncated, 2),
        (said("", "length"), Truncated, 2),
        (said("", "refusal"), Refused, 1),
        (said(GOOD, "refusal"), Refused, 1),
    ],
)
def test_a_model_that_never_gets_it_right_ends_in_a_typed_failure(
    answer: LLMResponse, kind: type[CompletionError], calls: int
) -> None:
    """Each kind of unusable answer has its own error and its own number of calls, each charged."""
    failure, ledger = pick(playing(answer))
    assert type(failure) is kind
    assert ledger.spent.calls == calls
    assert "\n" not in str(failure)


def test_a_cut_off_answer_is_asked_again_once_with_more_room() -> None:
    """A truncated answer is never read, even when it parses; the next ask has twice the tokens."""
    llm = playing(said(GOOD, "length"), said('{"tool": "other", "count": 1}'))
    reply, _ = pick(llm, max_tokens=100)
    assert reply.value.tool == "other"
    assert [request.max_tokens for request in llm.requests] == [100, 200]
    assert [message.role for message in llm.requests[1].messages] == ["system", "user"]
    assert "shorter" in llm.requests[1].messages[-1].content


@pytest.mark.requirement("S1")
def test_an_answer_that_ended_for_an_unknown_reason_is_asked_again() -> None:
    """It may be a part only, so that it is never read, neither as an object nor as a text."""
    llm = playing(said(GOOD, "other"), said('{"tool": "other", "count": 1}'))
    assert pick(llm)[0].value.tool == "other"
    half = playing(said("Half", "other"))
    failure, _ = under(Allowance(calls=9), lambda: Supervisor(half).text(PROMPT, max_tokens=9))
    assert type(failure) is Truncated


def thinking(most: int, **options: Any) -> tuple[Scripted, Supervisor]:
    """A model that thinks for so many tokens before it answers, and its supervisor."""

    def reply(request: LLMRequest) -> LLMResponse:
        is_cut = request.max_tokens < most
        usage = Usage(calls=1, prompt_tokens=10, generated_tokens=min(most, request.max_tokens))
        return LLMResponse(
            text="<think>Hm" if is_cut else "<think>Hm</think>It is 42.",
            finish_reason="length" if is_cut else "stop",
            usage=usage,
        )

    llm = Scripted(reply, options.pop("can", Capabilities(hidden_reasoning=True)))
    return llm, Supervisor(llm, thought_tokens=4_096, **options)


@pytest.mark.requirement("S1", "K12")
@pytest.mark.parametrize(("thoughts", "calls"), [(1_000, 1), (8_000, 2), (30_000, 2)])
@pytest.mark.parametrize("repairs", [0, 1])
def test_thoughts_that_are_cut_off_get_what_the_calls_before_left(thoughts: int, calls: int, repairs: int) -> None:
    """Once, also where nothing else is asked again; the calls together stay within the bound of as many."""
    llm, supervisor = thinking(thoughts)
    for known in (False, True):
        before = len(llm.requests)
        reply, ledger = under(Allowance(calls=9), lambda: supervisor.text(PROMPT, max_tokens=300, repairs=repairs))
        assert isinstance(reply, Reply) and reply.value == "It is 42."
        taken = len(llm.requests) - before
        assert taken == (1 if known and thoughts < 20_000 else calls), "what one call has room for is remembered"
        assert ledger.spent.tokens <= taken * (20_000 + 1_024 + 4_096) and ledger.spent.calls == taken
        assert all(request.attempts == 1 for request in llm.requests if request.max_tokens > 5_120)


@pytest.mark.requirement("S1", "K12")
@pytest.mark.parametrize(
    ("allowance", "options"),
    [
        (Allowance(calls=9), {"can": Capabilities(hidden_reasoning=True, context_tokens=16_384)}),
        (Allowance(calls=9, tokens=20_000), {}),
        (Allowance(calls=1), {}),
        (Allowance(calls=9), {"price": Price(input=0.0, output=10.0)}),
    ],
)
def test_thoughts_beyond_context_or_budget_are_one_clear_line(allowance: Allowance, options: dict[str, Any]) -> None:
    """It names the setting that gives them more room; nothing beyond the limit is asked for."""
    llm, supervisor = thinking(30_000, **options)
    error, ledger = under(allowance, lambda: supervisor.text(PROMPT, max_tokens=300))
    assert isinstance(error, Truncated) and "a larger thought_tokens gives it more room" in str(error)
    assert len(llm.requests) <= 2 and ledger.spent.tokens <= (allowance.tokens or 2 * 25_120)
    if "price" in options:
        assert ledger.spent.cost <= ledger.spent.calls * 5_120 * 10.0 / 1_000_000
    assert all(request.max_tokens <= 16_384 for request in llm.requests) or "can" not in options


@pytest.mark.requirement("P1")
def test_a_model_that_thinks_now_and_then_gets_room_too() -> None:
    """A probe saw no thoughts; the first answer that is cut off within them shows it."""
    llm, supervisor = thinking(8_000, can=Capabilities())
    reply, _ = under(Allowance(calls=9), lambda: supervisor.text(PROMPT, max_tokens=300))
    assert isinstance(reply, Reply) and reply.value == "It is 42." and len(llm.requests) == 2


def test_more_room_stays_within_the_context() -> None:
    """Twice the tokens, but never more than half of the context that the endpoint told."""
    llm = playing(said("", "length"), said(GOOD), can=Capabilities(context_tokens=300))
    pick(llm, max_tokens=100)
    assert [request.max_tokens for request in llm.requests] == [100, 150]


def test_re_asks_do_not_grow() -> None:
    """A long wrong answer comes back to the model cut, and only the last one."""
    llm = playing(said("no " * 10_000), said("never " * 10_000), said(GOOD))
    reply, _ = pick(llm)
    assert reply.attempts == 3
    assert len(llm.requests[2].messages) == 4 and len(llm.requests[2].messages[2].content) <= 2000
    assert "no no" not in llm.requests[2].messages[2].content


def test_repairs_can_be_switched_off() -> None:
    """With no repairs there is one call."""
    llm = playing(said(BAD))
    failure, ledger = under(Allowance(calls=9), lambda: Supervisor(llm, repairs=0).structured(PROMPT, Pick))
    assert isinstance(failure, Malformed) and ledger.spent.calls == 1


def test_capabilities_are_asked_once() -> None:
    """A supervisor asks what the endpoint can do once, however much it is used."""
    probes = 0

    class Probed(Scripted):
        async def capabilities(self, permit: Permit = freely) -> Capabilities:
            nonlocal probes
            probes += 1
            return PLAIN

    supervisor = Supervisor(Probed([GOOD, GOOD]))

    async def twice() -> None:
        await supervisor.structured(PROMPT, Pick)
        await supervisor.structured(PROMPT, Pick)

    asyncio.run(twice())
    assert probes == 1


def text(llm: Scripted) -> tuple[Any, Ledger]:
    """Ask ``llm`` for plain text."""
    return under(Allowance(calls=10), lambda: Supervisor(llm).text(PROMPT, max_tokens=50))


def test_plain_text_comes_without_thoughts() -> None:
    """Thinking before the answer is left out; what the answer says about tags stays."""
    reply, _ = text(playing(said("<think>hm\nhm</think>\n\nUse the <think> tag.")))
    assert (reply.value, reply.form, reply.attempts) == ("Use the <think> tag.", "none", 1)


@pytest.mark.requirement("G4")
@pytest.mark.parametrize("told", [True, False])
def test_how_likely_a_text_is_is_asked_where_the_endpoint_tells(told: bool) -> None:
    """And only where it is wanted."""
    llm = Scripted([said("x").changed(likelihood=0.25)] * 2, Capabilities(logprobs=told))
    reply, _ = under(Allowance(calls=10), lambda: Supervisor(llm).text(PROMPT, max_tokens=50, likelihood=True))
    text(llm)
    assert reply.likelihood == 0.25 and [one.likelihood for one in llm.requests] == [told, False]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (said("half an ans", "length"), Truncated),
        (said("  "), EmptyCompletion),
        (said("<think>and so"), EmptyCompletion),
    ],
)
def test_unusable_text_is_asked_again_once(answer: LLMResponse, kind: type[CompletionError]) -> None:
    """Truncated or empty text gets one more chance and then fails, never passing as an answer."""
    failure, ledger = text(playing(answer))
    assert type(failure) is kind and ledger.spent.calls == 2
    reply, _ = text(playing(answer, said("whole")))
    assert (reply.value, reply.attempts) == ("whole", 2)


def test_text_is_always_encodable() -> None:
    """Surrogates and control characters in an answer are replaced."""
    assert text(playing(said("a\ud800b\x1b[0m\tc")))[0].value == "a\ufffdb\ufffd[0m\tc"


def ask(llm: Scripted) -> tuple[Any, Ledger]:
    """Ask ``llm`` a yes/no question."""
    return under(Allowance(calls=10), lambda: Supervisor(llm).probability(PROMPT))


def test_probability_adds_up_the_spellings() -> None:
    """All spellings of yes and no among the alternatives count, and nothing else does."""
    llm = playing(said("Yes", "length", **{"Yes": 0.5, " yes": 0.1, "NO": 0.2, "Maybe": 0.2}), can=ENFORCING)
    reply, ledger = ask(llm)
    assert reply == pytest.approx(0.75)
    assert (llm.requests[0].max_tokens, llm.requests[0].top_logprobs) == (1, 10)
    assert ledger.spent.calls == 1


def test_several_answers_share_what_is_theirs() -> None:
    """Each has its share, in their order, together 1; what is none of them counts for none."""
    numbers = tuple(str(number) for number in range(1, 10))
    llm = playing(said("3", **{"3": 0.5, " 1": 0.25, "x": 0.2, "10": 0.05}), can=ENFORCING)
    likely, ledger = under(Allowance(calls=10), lambda: Supervisor(llm).probabilities(PROMPT, numbers))
    assert likely == pytest.approx((1 / 3, 0, 2 / 3, 0, 0, 0, 0, 0, 0)) and ledger.spent.calls == 1
    assert llm.requests[0].top_logprobs == 18


@pytest.mark.parametrize("answer", [said("Well", Well=0.9), said("Yes"), said("Yes", Yes=0.0)])
def test_probability_without_either_word_is_malformed(answer: LLMResponse) -> None:
    """Where neither word is likely there is no number to give."""
    failure, _ = ask(playing(answer, can=ENFORCING))
    assert isinstance(failure, Malformed) and "first token" in str(failure)


def test_a_refused_probability_is_a_refusal() -> None:
    """A refusal is no probability, whatever the tokens say."""
    assert isinstance(ask(playing(said("", "refusal", Yes=1.0), can=ENFORCING))[0], Refused)


def test_a_failed_call_is_charged_with_all_its_attempts() -> None:
    """When the endpoint gives up, each attempt it made is charged, and it is not asked again."""
    error = RateLimited("too much at once")
    error.attempts = 3
    failure, ledger = pick(playing(error))
    assert isinstance(failure, ModelError) and ledger.spent == Usage(calls=3)


def most_of_a_call(llm: Scripted, attempts: int) -> Usage:
    """The most that so many attempts of the last request can have used: a token is at least a byte."""
    request = llm.requests[-1]
    prompt = prompt_bytes(request.messages) + 16 * len(request.messages) + 64
    return Usage(
        calls=attempts,
        prompt_tokens=attempts * prompt,
        generated_tokens=attempts * request.max_tokens,
        estimated=attempts,
    )


@pytest.mark.requirement("K12")
def test_an_attempt_that_the_endpoint_did_not_count_costs_the_most_it_can() -> None:
    """It may have worked on the request until the deadline, whether it was asked again with success or not."""
    error = EndpointTimeout("no answer")
    error.attempts, error.unmetered = 3, 2
    llm = playing(error)
    _, ledger = pick(llm)
    assert ledger.spent == most_of_a_call(llm, 2).changed(calls=3)
    llm = playing(LLMResponse(text=GOOD, usage=Usage(calls=2, prompt_tokens=10, generated_tokens=5), unmetered=1))
    _, ledger = pick(llm)
    assert ledger.spent == most_of_a_call(llm, 1) + Usage(calls=1, prompt_tokens=10, generated_tokens=5)


@pytest.mark.requirement("K12")
@pytest.mark.parametrize("error", [MissingExtraError("no llama.cpp"), DownloadFailed("no mirror")])
def test_a_model_that_was_never_called_costs_nothing(error: AeonError) -> None:
    """What keeps a model from being made ready comes before any call."""
    failure, ledger = pick(playing(error))
    assert failure is error and ledger.spent == Usage() and ledger.calls_left() == 10


@pytest.mark.requirement("K12", "O4")
def test_the_cost_follows_from_tokens_and_price() -> None:
    """Cached tokens have a price of their own, every attempt counts, and what the adapter says does not."""
    usage = Usage(calls=1, prompt_tokens=1_000, cached_tokens=400, generated_tokens=200, cost=99.0)
    llm = playing(LLMResponse(text=BAD, usage=usage), LLMResponse(text=GOOD, usage=usage))
    price = Price(input=2, cached=0.5, output=8)
    _, ledger = under(Allowance(calls=9), lambda: Supervisor(llm, price=price).structured(PROMPT, Pick))
    assert ledger.spent.cost == pytest.approx(2 * (600 * 2 + 400 * 0.5 + 200 * 8) / 1e6)
    _, free = under(Allowance(calls=9), lambda: Supervisor(llm).structured(PROMPT, Pick))
    assert free.spent.cost == 0


@pytest.mark.requirement("K12", "O4")
def test_a_call_is_made_as_large_as_the_money_that_is_left() -> None:
    """First the answer is shortened, down to 64 tokens, and the attempts become fewer; then no call is made."""
    llm = playing(said("fine"))
    prompt = Prompt(system="", user="x" * 20)  # at most 100 tokens
    price = Price(input=1_000, output=10_000)

    def asked(dollars: float) -> AeonError | Reply[str]:
        supervisor = Supervisor(llm, price=price, output_tokens=5_000)
        return under(Allowance(calls=9, cost=dollars), lambda: supervisor.text(prompt, max_tokens=100))[0]

    assert isinstance(asked(2.5), Reply) and isinstance(asked(0.9), Reply)
    assert [(request.max_tokens, request.attempts) for request in llm.requests] == [(100, 2), (79, 1)]
    failure = asked(0.7)
    assert isinstance(failure, AllowanceExhausted) and failure.limit == "cost" and len(llm.requests) == 2


@pytest.mark.requirement("K12")
def test_attempts_become_fewer_where_not_all_of_them_fit() -> None:
    """A call of 164 tokens fits twice into 400."""
    llm = playing(said("fine"))
    prompt = Prompt(system="", user="x" * 20)
    under(Allowance(calls=9, tokens=400), lambda: Supervisor(llm).text(prompt, max_tokens=64))
    assert llm.requests[0].attempts == 2


class Probed(Scripted):
    """A model whose abilities take four calls to find out."""

    def __init__(self, *answers: LLMResponse, error: AeonError | None = None) -> None:
        super().__init__(answers, ENFORCING)
        self.probed = 0
        self.error = error

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """Make the calls, the first of which fails where an error is to be raised."""
        async with permit(Usage(calls=4, prompt_tokens=400, generated_tokens=400)) as used:
            used(Usage(calls=1, prompt_tokens=50, generated_tokens=9))
            self.probed += 1
            if self.error:
                raise self.error
            used(Usage(calls=2, prompt_tokens=60, generated_tokens=9))
        return ENFORCING


@pytest.mark.requirement("K12", "X1")
def test_finding_out_what_an_endpoint_can_do_is_charged() -> None:
    """The effect that comes first pays, with what it cost, and no other one does."""
    llm = Probed(said(GOOD), said(GOOD))
    supervisor = Supervisor(llm, price=Price(input=1_000, output=1_000))
    _, first = under(Allowance(calls=5, cost=5), lambda: supervisor.structured(PROMPT, Pick))
    assert (first.spent.calls, first.spent.tokens) == (4, 128 + 15)
    assert first.spent.cost == pytest.approx((128 + 15) / 1_000)
    _, second = under(Allowance(calls=5), lambda: supervisor.structured(PROMPT, Pick))
    assert second.spent.calls == 1 and llm.probed == 1


@pytest.mark.requirement("K12", "X1")
@pytest.mark.parametrize(
    "allowance", [Allowance(calls=4), Allowance(calls=9, tokens=790), Allowance(calls=9, cost=0.7)]
)
def test_probes_that_do_not_fit_are_not_made(allowance: Allowance) -> None:
    """The endpoint is asked in the plainest way, which every endpoint can; with more room it is probed after all."""
    llm = Probed(said(GOOD), said(GOOD))
    supervisor = Supervisor(llm, price=Price(input=1_000, output=1_000))
    reply, ledger = under(allowance, lambda: supervisor.structured(PROMPT, Pick, max_tokens=64))
    assert isinstance(reply, Reply) and llm.probed == 0 and ledger.spent.calls == 1
    assert llm.requests[0].json_schema is None and "count" in llm.requests[0].messages[-1].content
    under(Allowance(calls=5), lambda: supervisor.structured(PROMPT, Pick))
    assert llm.probed == 1 and llm.requests[1].json_schema is not None


@pytest.mark.requirement("K12")
def test_probes_are_no_larger_than_any_call_may_be() -> None:
    """The bound on tokens and cost rests on the largest call, so none is made beyond it."""
    llm = Probed(said(GOOD))
    under(Allowance(calls=9), lambda: Supervisor(llm, output_tokens=99).structured(PROMPT, Pick))
    assert llm.probed == 0


@pytest.mark.requirement("K12")
def test_a_probe_that_fails_is_charged() -> None:
    """What it reported before counts."""
    failure, ledger = under(
        Allowance(calls=9), lambda: Supervisor(Probed(error=EndpointRejected("no key"))).structured(PROMPT, Pick)
    )
    assert isinstance(failure, EndpointRejected)
    assert ledger.spent == Usage(calls=1, prompt_tokens=50, generated_tokens=9) and ledger.calls_left() == 8


@pytest.mark.requirement("K9", "K12")
def test_a_probe_ends_with_the_time_of_the_effect() -> None:
    """Nobody knows how far it came, so the most that it can have used is charged."""

    class Silent(Scripted):
        async def capabilities(self, permit: Permit = freely) -> Capabilities:
            async with permit(Usage(calls=4, prompt_tokens=400, generated_tokens=400)):
                await asyncio.sleep(60)
            return PLAIN

    failure, ledger = under(Allowance(calls=9, seconds=0.01), lambda: Supervisor(Silent([])).structured(PROMPT, Pick))
    assert isinstance(failure, AllowanceExhausted) and failure.limit == "seconds"
    assert ledger.spent == Usage(calls=4, prompt_tokens=400, generated_tokens=400)


def test_an_adapter_that_raises_what_it_should_have_translated_is_charged() -> None:
    """Its calls count at their most, and the failure is the endpoint's: three of them end a run."""

    class Broken(Scripted):
        ready = False

        async def capabilities(self, permit: Permit = freely) -> Capabilities:
            async with permit(Usage(calls=4, prompt_tokens=400, generated_tokens=400)):
                if self.ready:
                    return PLAIN
                raise RecursionError("too\ndeep")

        async def complete(self, request: LLMRequest) -> LLMResponse:
            raise OverflowError("too large")

    llm = Broken([])
    failure, ledger = under(Allowance(calls=9), lambda: Supervisor(llm).structured(PROMPT, Pick))
    assert isinstance(failure, EndpointFailed) and "raised RecursionError: too deep; mend" in str(failure)
    assert ledger.spent.calls == 4
    llm.ready = True
    failure, ledger = under(Allowance(calls=9), lambda: Supervisor(llm).structured(PROMPT, Pick))
    assert isinstance(failure, EndpointFailed) and "raised OverflowError" in str(failure)
    assert ledger.spent.calls == 3 and ledger.spent.tokens > 0


@pytest.mark.parametrize("seconds", [None, 0.01])
def test_an_endpoint_that_did_not_say_what_it_can_do_is_not_asked_again_in_a_run(seconds: float | None) -> None:
    """Whether it failed or ran out of time: the run goes on in the plainest way; another run asks once more."""

    class Mute(Scripted):
        probed = 0

        async def capabilities(self, permit: Permit = freely) -> Capabilities:
            self.probed += 1
            if seconds is not None:
                await asyncio.sleep(60)
            raise EndpointTimeout("it takes too long")

    llm = Mute([said(GOOD)] * 3, ENFORCING)
    supervisor = Supervisor(llm)

    async def asked(run: str, least: float | None = None) -> Reply[Pick] | AeonError:
        with Ledger(Allowance(calls=9, seconds=least), execution_id=run):
            try:
                return await supervisor.structured(PROMPT, Pick)
            except AeonError as error:
                return error

    assert isinstance(asyncio.run(asked("one", seconds)), AllowanceExhausted if seconds else EndpointTimeout)
    for _ in range(2):
        assert isinstance(asyncio.run(asked("one")), Reply)
        assert llm.probed == 1 and llm.requests[-1].json_schema is None
    assert isinstance(asyncio.run(asked("two", seconds)), AeonError) and llm.probed == 2


def test_without_token_probabilities_no_call_is_made() -> None:
    """An endpoint that tells none cannot be asked for one."""
    llm = playing(said("Yes"))
    assert isinstance(ask(llm)[0], Malformed) and not llm.requests


@pytest.mark.requirement("K12")
def test_a_cancelled_call_is_charged() -> None:
    """Nobody knows how far it came, so the most that was admitted is charged: every attempt, at its largest."""

    class Slow(Scripted):
        async def complete(self, request: LLMRequest) -> LLMResponse:
            self.requests.append(request)
            await asyncio.sleep(60)
            return said(GOOD)

    llm = Slow([], PLAIN)

    async def body() -> Ledger:
        with Ledger(Allowance(calls=5)) as ledger:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(Supervisor(llm).structured(PROMPT, Pick), 0.01)
            return ledger

    assert asyncio.run(body()).spent == most_of_a_call(llm, 3)


def test_a_call_gets_the_time_and_attempts_that_are_left() -> None:
    """The deadline and the attempts of a call never go beyond the ledger's."""
    llm = playing(said(BAD))
    failure, ledger = under(Allowance(calls=2, seconds=30), lambda: Supervisor(llm).structured(PROMPT, Pick))
    assert isinstance(failure, AllowanceExhausted) and failure.limit == "calls" and ledger.spent.calls == 2
    assert [request.attempts for request in llm.requests] == [2, 1]
    assert all(request.timeout is not None and 0 < request.timeout <= 30 for request in llm.requests)


def test_no_time_means_no_call() -> None:
    """After the deadline nothing is asked."""
    llm = playing(said(GOOD))
    failure, _ = under(Allowance(calls=2, seconds=0), lambda: Supervisor(llm).structured(PROMPT, Pick))
    assert isinstance(failure, AllowanceExhausted) and failure.limit == "seconds" and not llm.requests


def test_a_prompt_that_is_too_long_is_not_sent() -> None:
    """A prompt beyond the supervisor's limit is refused before any call."""
    llm = playing(said(GOOD))
    long = Prompt(system="", user="é" * 250)
    failure, _ = under(Allowance(calls=2), lambda: Supervisor(llm, prompt_bytes=400).text(long, max_tokens=5))
    assert isinstance(failure, AllowanceExhausted) and str(failure).startswith("prompt: ") and not llm.requests


def test_the_answer_is_shortened_to_the_tokens_that_are_left() -> None:
    """With less left than asked for, but at least 64, the call is made with what is left."""
    prompt = Prompt(system="", user="x" * 20)
    llm = playing(said("fine"))
    reply, _ = under(Allowance(calls=1, tokens=200), lambda: Supervisor(llm).text(prompt, max_tokens=5000))
    assert not isinstance(reply, AeonError)
    assert llm.requests[0].max_tokens == 200 - (20 + 16 + 64)
    failure, _ = under(Allowance(calls=1, tokens=163), lambda: Supervisor(llm).text(prompt, max_tokens=5000))
    assert isinstance(failure, AllowanceExhausted) and failure.limit == "tokens"
    assert len(llm.requests) == 1


def test_an_enforced_schema_counts_as_prompt() -> None:
    """Some endpoints put the schema into the prompt, so its bytes are part of the bound."""
    llm = playing(said(GOOD), can=ENFORCING)
    roomy = 16 * 2 + 64 + sum(len(message.content) for message in PROMPT.messages) + 64
    failure, _ = under(Allowance(calls=1, tokens=roomy), lambda: Supervisor(llm).structured(PROMPT, Pick))
    assert isinstance(failure, AllowanceExhausted) and failure.limit == "tokens"


_ANSWERS = st.sampled_from([GOOD, BAD, "", "no", "{'tool': 'a', 'count': 1}", '{"tool":', "x" * 5000])
_FINISHES: st.SearchStrategy[FinishReason] = st.sampled_from(["stop", "length", "refusal", "other"])


class Greedy(Scripted):
    """A model that uses every token it may: as many as the prompt has bytes, and all of ``max_tokens``."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """Answer as scripted and bill the most."""
        answer = await super().complete(request)
        prompt = sum(len(message.content.encode()) for message in request.messages)
        usage = Usage(calls=1, prompt_tokens=prompt, generated_tokens=request.max_tokens)
        return answer.changed(usage=usage)


@given(st.lists(st.tuples(_ANSWERS, _FINISHES), min_size=1, max_size=4), st.integers(0, 4), st.integers(0, 6000))
@settings(max_examples=200, deadline=None)
def test_the_ledger_is_never_exceeded(answers: Sequence[tuple[str, FinishReason]], calls: int, tokens: int) -> None:
    """Whatever a greedy model answers, calls and tokens stay within the allowance and every call is charged."""
    llm = Greedy([said(*answers[min(number, len(answers) - 1)]) for number in range(4)])
    allowance = Allowance(calls=calls, tokens=tokens)
    result, ledger = under(allowance, lambda: Supervisor(llm).structured(PROMPT, Pick))
    assert ledger.spent.calls == len(llm.requests) <= min(calls, 3)
    assert ledger.spent.tokens <= tokens
    assert isinstance(result, CompletionError | AllowanceExhausted | Reply)
