"""The whole examination, of endpoints that lie."""

from __future__ import annotations

import asyncio

import pytest
from doctor.played_liar import Liar
from played_endpoint import failure

from aeon.doctor.advice import advice
from aeon.doctor.checkup import examine, profile_of
from aeon.doctor.findings import Findings
from aeon.doctor.report import rows
from aeon.errors import AeonError, EndpointFailed, EndpointRejected, ModelNotFound
from aeon.llm.openai_compatible import OpenAICompatible


def adapter(liar: Liar, key: str | None = None) -> OpenAICompatible:
    return OpenAICompatible(liar.endpoint.model, liar.endpoint.base_url, key)


def examined(liar: Liar, quick: bool = True, key: str | None = None) -> Findings:
    async def run() -> Findings:
        endpoint = adapter(liar, key)
        try:
            return await examine(endpoint, quick=quick)
        finally:
            await endpoint.aclose()

    return asyncio.run(run())


def told(found: Findings) -> str:
    """All that a person reads."""
    return "\n".join([*(" ".join(row) for row in rows(found)), *advice(found)])


@pytest.mark.requirement("X4")
def test_an_honest_endpoint_is_found_honest(liar: Liar) -> None:
    """What it claims is what is found, and a run uses all of it."""
    found = examined(liar, quick=False)
    can = found.capabilities
    assert (can.json_schema, can.json_mode, can.logprobs, can.hidden_reasoning, can.deterministic) == (
        True, True, True, False, True,
    )  # fmt: skip
    assert can.context_tokens == 4_096 and can.measured and can.bytes_per_token is None
    assert "prompts of up to 48,000 bytes are sent, as configured" in told(found)
    assert "schemas are enforced: answers are asked for with the schema" in told(found)
    assert "scored by the probability of the first token" in told(found)


@pytest.mark.requirement("X4")
def test_a_schema_that_is_accepted_and_ignored_is_found(liar: Liar) -> None:
    """No hostile prompt is answered in the schema's shape, so it is put into the prompt from then on."""
    liar.enforces = False
    found = examined(liar)
    assert not found.capabilities.json_schema and found.schemas.held == 0
    assert "schemas are not enforced: the schema is put into the prompt, in JSON mode" in told(found)


@pytest.mark.requirement("X4")
def test_a_refused_schema_is_told_from_an_ignored_one(liar: Liar) -> None:
    """An endpoint that says no to schemas is not called a liar."""
    honest = liar.step
    refuse = failure(400, "response_format: json_schema is not supported")
    liar.endpoint.play(lambda handler, body: (refuse if "json_schema" in str(body) else honest)(handler, body))
    found = examined(liar)
    assert found.schemas.refused and not found.schemas.enforced
    assert "schemas are refused" in told(found)


@pytest.mark.requirement("X4")
def test_probabilities_that_are_not_told_are_missed(liar: Liar) -> None:
    """Judgments are asked in another form then."""
    liar.logprobs = False
    found = examined(liar)
    assert not found.capabilities.logprobs
    assert "no probabilities: an answer is judged in one structured verdict" in told(found)
    liar.enforces = liar.json_mode = False
    assert "an answer is judged in one structured verdict" in told(examined(liar))


@pytest.mark.requirement("X4")
@pytest.mark.parametrize(("how", "words"), [("tags", "in tags"), ("field", "beside"), ("unseen", "beside")])
def test_hidden_reasoning_is_found(liar: Liar, how: str, words: str) -> None:
    """Thoughts are found in tags, in a field of their own, and where only their tokens are counted."""
    liar.thinks = how  # type: ignore[assignment]
    found = examined(liar)
    assert found.capabilities.hidden_reasoning and words in told(found)
    assert "thoughts are cut off before an answer is read" in told(found)


@pytest.mark.requirement("X4")
def test_the_first_token_of_a_thought_is_no_answer(liar: Liar) -> None:
    """Probabilities of a model that thinks first are told, and of no use."""
    liar.thinks = "tags"
    found = examined(liar)
    assert found.probabilities.told and not found.capabilities.logprobs
    assert "probabilities are of no use here" in told(found)


@pytest.mark.requirement("X4")
def test_other_answers_to_the_same_request_are_found(liar: Liar) -> None:
    """An endpoint that answers otherwise at temperature 0 is said to, with how far probabilities moved."""
    liar.whims = 0.05
    found = examined(liar)
    assert found.capabilities.deterministic is False
    assert found.repeats.drift is not None and found.repeats.drift > 0.01
    assert "never by asking again" in told(found) and "probability moved by" in told(found)


@pytest.mark.requirement("X4")
def test_parallel_slots_are_told_by_the_time(liar: Liar) -> None:
    """Requests at once take as long as one where they are worked on at once, and as long as all where they wait."""
    liar.seconds = 0.15
    assert (examined(liar).capabilities.parallel or 0) >= 2
    liar.one_at_a_time(0.15)
    found = examined(liar)
    assert found.capabilities.parallel == 1 and "one request at a time" in told(found)


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("calls", [1, 4, 7, 12, 20])
def test_an_endpoint_that_dies_is_said_to(liar: Liar, calls: int) -> None:
    """The error names the part of the examination, and says that nothing was saved."""
    liar.dies_after = calls
    with pytest.raises(EndpointFailed, match=r"the examination broke off at .*, and nothing was saved: .*crashed"):
        examined(liar, quick=False)


@pytest.mark.requirement("X4")
@pytest.mark.parametrize(("status", "error"), [(401, EndpointRejected), (404, ModelNotFound)])
def test_what_cannot_be_asked_is_no_examination(liar: Liar, status: int, error: type[AeonError]) -> None:
    """A wrong key or model is the error that it is anywhere else."""
    liar.endpoint.play(failure(status))
    with pytest.raises(error) as caught:
        examined(liar)
    assert "examination" not in str(caught.value)


@pytest.mark.requirement("X4")
def test_a_profile_says_what_was_found_and_when(liar: Liar) -> None:
    """The profile holds the capabilities, the findings, and what the server said of itself."""
    found = examined(liar)
    profile = profile_of(found)
    assert profile.capabilities == found.capabilities and Findings.model_validate(profile.findings) == found
    assert profile.told.models == (liar.endpoint.model,) and profile.measured_at.endswith("+00:00")
