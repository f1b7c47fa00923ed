"""What the benchmark of whole runs reads out of an answer, and its intervals."""

from __future__ import annotations

import asyncio
import importlib.util
import math
import random
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from aeon.llm.scripted import Scripted
from aeon.schema import Capabilities, LLMRequest, LLMResponse, TokenProbability

BENCH = Path(__file__).parents[1] / "scripts" / "bench"


def script(name: str) -> ModuleType:
    """A script of the benchmarks, which are no package."""
    path = BENCH / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"bench_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reading, figures = script("reading"), script("figures")
sys.path.insert(0, str(BENCH))
try:
    import mutations
    import mutations_judge
finally:
    sys.path.remove(str(BENCH))


@pytest.mark.parametrize(
    ("said", "expected", "found"),
    [
        ("4 - 1 - 7 = -4", "-4", "-4"),
        ("10-7 is 3.", "3", "3"),
        ("The total is 1,234.50 euros, so **1,234.5**.", "1234.5", "1234.5"),
        ("12 legs and 4 more.\nAnswer: 16 legs", "16", "16"),
        ("Answer: 12\nNo, wait.\nFinal Answer: $13.00$", "13", "13"),
        ("\\boxed{\\frac{138}{583}}", "138/583", "138/583"),
        ("So it is \\(\\boxed{\\dfrac{495}{859}}\\).", "$\\dfrac{495}{859}$", "495/859"),
        ("It is 138 / 583", "138/583", "138/583"),
        ("Monday is wrong; it was a friday.", "Friday", "Friday"),
        ("Answer: Yes, it was.", "Yes", "Yes"),
        ("Sarah is the mother-in-law of Elizabeth.", "mother-in-law", "mother-in-law"),
        ("x \u2212 2 gives \u22125", "-5", "-5"),
        ("I do not know.", "7", "I do not know"),
        ("", "7", ""),
    ],
)
def test_an_answer_is_read_tolerantly(said: str, expected: str, found: str) -> None:
    """The last thing of the expected kind is the answer, whatever stands around it."""
    assert reading.read(said, expected) == found


def test_intervals_are_those_of_the_books() -> None:
    """Wilson's interval for 8 of 10, and a difference that is the same on every task."""
    low, high = figures.wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert figures.paired([0.5] * 7) == (0.5, 0.5, 0.5)


@pytest.mark.requirement("G2")
def test_the_host_catches_what_is_changed_in_right_answers() -> None:
    """Of right answers none is doubted; a changed digit, name, unit or date is caught, a moved offset not verified."""
    cases, chance = mutations.cases(40, 5), random.Random(5)
    assert not any(mutations.caught(case, case.answer) for case in cases)
    for kind in ("a digit", "a name", "a unit", "a date"):
        answers = [(case, mutations.ANSWERS[kind](case, chance)) for case in cases]
        missed = [answer for case, answer in answers if answer and not mutations.caught(case, answer)]
        assert len(missed) <= 1, (kind, missed)


@pytest.mark.requirement("G2")
def test_sentences_for_the_judge_cite_what_bears_them_out() -> None:
    """The cited span has every figure of the answer; the swapped and the unrelated one have none of its values."""
    sentences = mutations.sentences(40, 5)
    assert sentences == mutations.sentences(40, 5) and len({(one.question, one.answer) for one in sentences}) == 40
    for one in sentences:
        assert len({one.span, one.swapped, one.unrelated}) == 3 and " not " in one.negated != one.answer
    numbers = [(one, match[1]) for one in sentences if (match := re.match(r"\D*?(\d{2,3})(?: \w+)?[.,!]", one.answer))]
    assert len(numbers) >= 10
    for one, number in numbers:
        assert number in one.span
        assert not re.search(rf"\b{number}\b", one.swapped) and not re.search(rf"\b{number}\b", one.unrelated)


def credulous(request: LLMRequest) -> LLMResponse:
    """A judge that believes every answer over the right evidence, negated or not."""
    likely = 0.9 if "right" in request.messages[-1].content.partition("Question:")[0] else 0.1
    said = (TokenProbability(token="Yes", probability=likely), TokenProbability(token="No", probability=1 - likely))
    return LLMResponse(text="Yes", first_token=said)


@pytest.mark.requirement("G2")
def test_the_judge_is_asked_about_each_change(capsys: pytest.CaptureFixture[str]) -> None:
    """One that looks at the span alone catches what is swapped and unrelated, no negation, and gives no false alarm."""
    sentences = [
        mutations_judge.Sentence("What is it?", f"It is {n}.", f"It is not {n}.", "right", "other", "none")
        for n in range(4)
    ]
    llm = Scripted(credulous, Capabilities(logprobs=True))
    opinions, supported = asyncio.run(mutations_judge.judged(sentences, llm))
    assert len(llm.requests) == 20 and opinions[0].span == pytest.approx(math.log(9))
    mutations_judge.report(opinions, supported, show=True)
    lines = {line[:22].strip(): line for line in capsys.readouterr().out.splitlines()}
    assert "4 of    4  100.0%" in lines["two spans swapped"] and "1.00" in lines["two spans swapped"]
    assert "0 of    4    0.0%" in lines["a negation"] and "0.50" in lines["a negation"]
    assert "4 of    4" in lines["an unrelated span"] and "0 of    4" in lines["false alarms"]
    assert "It is not 3." in lines
