"""Chain of thought and self-consistency in the everyday benchmark: what they answer, and how sure they say they are."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from approving import Approving
from played_endpoint import Endpoint, send, served

from aeon.errors import EndpointFailed
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.scripted import Scripted
from aeon.schema import ConfidenceParts, Dimensions, Evaluation, Plan, Step
from tests.wordings import results_of

BENCH = str(Path(__file__).parents[1] / "scripts" / "bench")
sys.path.insert(0, BENCH)
try:
    import everyday
    from everyday_baselines import aeon_answer, weighted
    from everyday_items import Item, number
    from everyday_thoughts import Consistency, Thought, Token, final, meaning, sequence_probability, spent
finally:
    sys.path.remove(BENCH)

pytestmark = pytest.mark.requirement("G4")

ITEM = Item("word-01", "word", "What is 6 times 7?", (number(42),))


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint on a free port."""
    with served() as played:
        yield played


def scored(*tokens: tuple[str, float]) -> dict[str, object]:
    """A whole reply with its tokens."""
    told = [{"token": text, "bytes": list(text.encode()), "logprob": logprob} for text, logprob in tokens]
    text = "".join(text for text, _ in tokens)
    choice = {"index": 0, "message": {"content": text}, "finish_reason": "stop", "logprobs": {"content": told}}
    return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": len(tokens)}}


def test_the_final_answer_is_what_follows_the_last_mark() -> None:
    """Without a mark it is the last line; bold marks around it are none of it."""
    for text, answer in (
        ("6*7 = 42\nAnswer: 42\n", "42"),
        ("**Answer:** 42", "42"),
        ("Answer: 41\nNo.\nAnswer: 42", "42"),
        ("So it is\n42\n", "42"),
        ("Answer:", ""),
        ("", ""),
    ):
        start, end = final(text)
        assert text[start:end] == answer, text


def test_the_probability_is_the_product_over_the_tokens_of_the_answer() -> None:
    """What stands around the answer does not count, nor a mark of the end, nor the words around its figures."""
    text = "é 6*7\nAnswer: 42"
    tokens = [Token(b"\xc3", -9.0), Token(b"\xa9 6*7\nAnswer:", -9.0), Token(b" 4", -0.1), Token(b"2", -0.2)]
    assert sequence_probability(text, tokens, *final(text)) == pytest.approx(math.exp(-0.3), abs=1e-4)
    figures = [Token(b"It is \\[", -9.0), Token(b"4", -0.1), Token(b"2", -0.2), Token(b" \\]", -9.0)]
    assert sequence_probability("It is \\[42 \\]", figures, 0, 12) == pytest.approx(math.exp(-0.3), abs=1e-4)
    words = [Token(b"Kite", -0.3), Token(b" Day", -0.5)]
    assert sequence_probability("Kite Day", words, 0, 8) == pytest.approx(math.exp(-0.8), abs=1e-4)
    more = [*tokens, Token(b"<|end|>", -9.0)]
    assert sequence_probability(text, more, *final(text)) == pytest.approx(math.exp(-0.3), abs=1e-4)
    assert sequence_probability(text, tokens[:-1], *final(text)) is None
    assert sequence_probability("Answer:", [Token(b"Answer:", -1.0)], 7, 7) is None


def test_a_chain_of_thought_says_how_likely_its_answer_is(endpoint: Endpoint, tmp_path: Path) -> None:
    """The endpoint is asked for the tokens' probabilities, and what it counts is what was spent."""
    endpoint.play(send(200, scored(("6*7\n", -3.0), ("Answer:", -0.5), (" 4", -0.25), ("2", -0.25))))
    reply = asyncio.run(Thought()(ITEM, tmp_path, OpenAICompatible("m", endpoint.base_url)))
    assert (reply.answer, reply.probability) == ("42", pytest.approx(math.exp(-0.5), abs=1e-4))
    assert endpoint.bodies[0]["logprobs"] is True and "stream" not in endpoint.bodies[0]
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.generated_tokens) == (1, 9, 4)


def test_a_model_without_probabilities_still_answers(tmp_path: Path) -> None:
    """Then nothing is said of how likely the answer is."""
    reply = asyncio.run(Thought()(ITEM, tmp_path, Scripted(["6*7\nAnswer: 42"])))
    assert (reply.answer, reply.probability) == ("42", None)


def test_what_is_no_completion_is_an_error_of_the_endpoint(endpoint: Endpoint, tmp_path: Path) -> None:
    """A refusal too, so that a measurement goes on with the next question."""
    for step in (send(200, {"choices": []}), send(500, {"error": {"message": "no"}})):
        endpoint.play(step)
        with pytest.raises(EndpointFailed):
            asyncio.run(Thought()(ITEM, tmp_path, OpenAICompatible("m", endpoint.base_url)))


def test_self_consistency_takes_the_most_frequent_answer(tmp_path: Path) -> None:
    """What says the same in other words is the same answer; an empty one has no vote; samples differ by their seed."""
    llm = Scripted(["Answer: 41", "Answer: 42 pieces", "Answer:", "so\nAnswer: 42.0", "Answer: It is **42**"])
    reply = asyncio.run(Consistency()(ITEM, tmp_path, llm))
    assert (reply.answer, reply.probability) == ("42 pieces", 0.75)
    assert [request.seed for request in llm.requests] == [1, 2, 3, 4, 5]
    assert {request.temperature for request in llm.requests} == {0.7}
    nothing = asyncio.run(Consistency(samples=2)(ITEM, tmp_path, Scripted(["Answer:", " "])))
    assert (nothing.answer, nothing.probability) == ("", None)


def test_self_consistency_spends_as_many_tokens_as_aeon(tmp_path: Path) -> None:
    """It goes on until it has, but takes two samples at least and twenty at most."""
    for tokens, samples in ((1.0, 2), (100.0, 5), (1e9, 20)):
        llm = Scripted(lambda _: "Answer: 42")
        reply = asyncio.run(Consistency(tokens={"word": tokens})(ITEM, tmp_path, llm))
        assert len(llm.requests) == samples
        each = reply.usage.tokens / samples
        assert samples in (2, 20) or reply.usage.tokens - each < tokens <= reply.usage.tokens


def test_the_tokens_of_aeon_are_the_median_of_a_kind(tmp_path: Path) -> None:
    """Rows of other systems do not count, and the systems of a run get the figures."""
    rows = [{"system": "aeon", "kind": "word", "prompt": p, "generated": 10} for p in (100, 200, 900)]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, [*rows, rows[0] | {"system": "sql", "prompt": 9_999}])))
    assert spent([path]) == {"word": 210}
    made = everyday.systems(["consistency", "consistency-texts", "thought"], spent([path]))
    assert made == {
        "consistency": Consistency(tokens={"word": 210}),
        "consistency-texts": Consistency(tokens={"word": 210}, passages=True),
        "thought": Thought(),
    }


def test_passages_stand_before_the_question(tmp_path: Path) -> None:
    """The best ones of the texts, for a system that may see them; without a match the question stands alone."""
    (tmp_path / "club.md").write_text("The membership fee is 30 euros.\n\nThe club meets on Mondays.")
    item = Item("fact-01", "fact", "What is the membership fee?", (number(30),))
    for system, seen in ((Thought(passages=True), True), (Thought(), False)):
        llm = Scripted(["Answer: 30"])
        asyncio.run(system(item, tmp_path, llm))
        assert ("30 euros" in llm.requests[0].messages[-1].content) is seen
        assert llm.requests[0].messages[-1].content.endswith("What is the membership fee?")


def test_answers_that_say_the_same_have_one_meaning() -> None:
    """Numbers in any notation and days in any form; other answers by their words."""
    assert meaning("1,234.50 euros") == meaning("It is €1234.5") != meaning("1234")
    assert meaning("5 March 2026") == meaning("2026-03-05") != meaning("2026-03-06")
    assert meaning("The **Kite Day**.") == meaning("the Kite day") != meaning("Book Circle")
    assert meaning("90 in Cork, 80 in Porto") == meaning("80 and 90")
    assert meaning(" * ") == ""


def test_the_confidence_is_the_weighted_mean_of_what_was_measured() -> None:
    """Where an assessment judged nothing, it is that of the parts that the host knows; without parts there is none."""
    plan = Plan(steps=(Step(id="s1", description="x", status="complete", output=42, mode="tool"),))
    parts = ConfidenceParts(source_quality=1.0, citation_density=0.5)
    evaluation = Evaluation(parts=parts, dimensions=Dimensions())
    assert weighted(evaluation, plan) == pytest.approx((0.3 + 0.2 * 0.5) / 0.5 / 3, abs=1e-6), "one source of three"
    assert weighted(evaluation.changed(confidence=0.4), plan) == 0.4
    assert weighted(evaluation.changed(parts=None), plan) is None


def test_a_run_of_aeon_brings_its_weighted_confidence(tmp_path: Path) -> None:
    """Also a short one: what a calculator gave rests on a tool, one source where three are wanted."""
    llm = Approving(lambda request: "It is 42." if results_of(request.messages[-1].content) == "42" else "print(6 * 7)")
    reply = asyncio.run(aeon_answer(ITEM, tmp_path, llm))
    assert (reply.answer, reply.confidence) == ("It is 42.", 0.333333)
