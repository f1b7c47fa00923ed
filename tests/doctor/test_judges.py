"""How good a model is as a judge: measured on labelled cases, kept in the profile of its endpoint."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from aeon.doctor.cases import cases_of, read_cases, shipped_cases
from aeon.doctor.examination import Examination
from aeon.doctor.judges import JudgeFindings, examine_judge, grouped, most_calls
from aeon.doctor.shapes import examine_tools
from aeon.errors import EndpointFailed, InputFileError, UsageError
from aeon.llm.asking import Form
from aeon.llm.profiles import Told
from aeon.llm.scripted import Reply, Scripted
from aeon.schema.llm import CallRequest, Capabilities, LLMRequest, LLMResponse, TokenProbability
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.judge_support import SUPPORT, SUPPORT_WORDING
from aeon.supervisor.judge_verdict import RESULTS, RESULTS_WORDING

pytestmark = pytest.mark.requirement("J8", "X4")
SCORING = Capabilities(json_schema=True, json_mode=True, logprobs=True)
CAPABLE = Capabilities(json_schema=True, json_mode=True)
SUPPORTED = {case.claimed.text for case in shipped_cases() if case.claimed is not None and case.label}
RIGHT = {str(case.plan.steps[0].output) for case in shipped_cases() if case.plan is not None and case.label}


def likely(yes: float) -> LLMResponse:
    """An answer whose first token is Yes with this probability."""
    first = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
    return LLMResponse(text="Yes", first_token=first)


def reviewed(request: LLMRequest, right: bool) -> str:
    """A review that takes the answer for right, or for a guess."""
    score = 1.0 if right else 0.3
    return json.dumps({
        "explanation": "so it is", "kind": "answer" if right else "hedge", "issues": [], "completeness": score,
        "coherence": score, "consistency": score,
    })  # fmt: skip


def knowing(request: LLMRequest) -> Reply:
    """A judge that knows which answers are right."""
    said = request.messages[-1].content.partition("<data answer>\n")[2].partition("\n</data>")[0]
    return reviewed(request, said in RIGHT)


def measured(model: Scripted, *names: str) -> JudgeFindings:
    """What was found of the model on the shipped cases of these judgments."""
    return asyncio.run(examine_judge(model, grouped([one for one in shipped_cases() if one.judgment in names])))


def test_the_shipped_cases_are_some_of_each_judgment_in_several_languages() -> None:
    """Twenty to forty of each, with both labels, and every one is of a judgment that there is."""
    cases = shipped_cases()
    counts = Counter(case.judgment for case in cases)
    assert {RESULTS, "task_vague", "plan_leads", "result_right", "completeness", "criterion"} <= counts.keys()
    assert all(20 <= count <= 40 for count in counts.values())
    assert all(0.3 <= sum(one.label for one in some) / len(some) <= 0.7 for some in grouped(cases).values())
    texts = " ".join(case.task.text for case in cases)
    assert all(word in texts for word in ("Wer ", "Quelle", "¿", "茶馆"))


def test_a_good_judge_of_answers_is_measured_to_be_one() -> None:
    """In the structured form in which a run asks it, with what the host makes of the reply."""
    (found,) = measured(Scripted(knowing, CAPABLE), RESULTS).calibrations
    assert (found.judgment, found.form, found.auroc, found.standing) == (RESULTS, "verdict", 1.0, "measured")
    assert found.wording == RESULTS_WORDING and found.odds(9) > 0 > found.odds(-5)


def test_a_judge_that_approves_of_everything_is_measured_to_be_bad() -> None:
    """Even odds for every pair."""
    (found,) = measured(Scripted(lambda request: reviewed(request, True), CAPABLE), RESULTS).calibrations
    assert (found.auroc, found.standing) == (0.5, "bad")


def supporting(request: LLMRequest) -> Reply:
    """A judge that knows which sentences are supported."""
    said = request.messages[-1].content.partition("<data answer>\n")[2].partition("\n</data>")[0]
    verdict = "supported" if said in SUPPORTED else "not_found"
    return json.dumps({
        "sentences": [{"number": 1, "why": "", "verdict": verdict}], "explanation": "", "kind": "answer",
    })  # fmt: skip


def test_a_judge_of_support_is_measured_in_the_form_that_research_asks_for() -> None:
    """A good one is, and what is measured of it is of the wording of today; one that says yes to all is bad."""
    (good,) = measured(Scripted(supporting, CAPABLE), SUPPORT).calibrations
    assert (good.judgment, good.form, good.auroc, good.standing) == (SUPPORT, "verdict", 1.0, "measured")
    assert good.wording == SUPPORT_WORDING
    yes = json.dumps({
        "sentences": [{"number": 1, "why": "", "verdict": "supported"}], "explanation": "", "kind": "answer",
    })  # fmt: skip
    (bad,) = measured(Scripted(lambda _: yes, CAPABLE), SUPPORT).calibrations
    assert (bad.auroc, bad.standing) == (0.5, "bad")


def test_a_yes_or_no_is_measured_in_the_form_that_the_endpoint_can_do() -> None:
    """By probability where it tells any; the calibration is of the judgment's wording."""
    vague = {case.material["task"] for case in shipped_cases() if case.judgment == "task_vague" and case.label}
    model = Scripted(lambda r: likely(0.8 if any(t in r.messages[-1].content for t in vague) else 0.6), SCORING)
    (found,) = measured(model, "task_vague").calibrations
    assert (found.form, found.auroc, found.cases) == ("probability", 1.0, 24)
    assert found.wording == judgment("task_vague").wording


def test_what_gets_no_usable_answer_counts_for_neither_side() -> None:
    """A judge that talks instead is as good as chance, and how often it did is told."""
    model = Scripted(lambda _: "I would rather not say.", CAPABLE)
    found = measured(model, "task_vague")
    assert found.calibrations[0].auroc == 0.5 and found.unanswered == {"task_vague": 24}


def test_an_endpoint_that_fails_ends_it() -> None:
    """The error says at which judgment; nothing is made up."""
    with pytest.raises(EndpointFailed, match="broke off at task_vague"):
        measured(Scripted([]), "task_vague")


def test_the_most_calls_are_known_before() -> None:
    """No more are made."""
    groups = grouped([one for one in shipped_cases() if one.judgment in ("task_vague", RESULTS)])
    model = Scripted(lambda _: "Hm.", CAPABLE)
    most = asyncio.run(most_calls(model, groups))
    assert most == 24 * 2 + 36 * 3
    asyncio.run(examine_judge(model, groups))
    assert len(model.requests) == most


def test_cases_of_a_user_are_read(tmp_path: Path) -> None:
    """A file that is named after a judgment need not name it; fields that nobody needs do not matter."""
    path = tmp_path / "plan_leads.jsonl"
    path.write_text('{"id": 7, "task": "1 + 1", "plan": ["Add them.", "Say it."], "label": true}\n\n', encoding="utf-8")
    (case,) = read_cases(str(path))
    assert case.material["plan"] == "1. Add them.\n2. Say it." and case.label


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "holds no cases"),
        ("Yes.", "line 1: is no JSON"),
        ("[1]", "line 1: is no JSON object"),
        ('{"judgment": "task_vague", "task": "x"}', "line 1: label: Field required"),
        ('{"label": true}', "line 1: judgment: Field required"),
        ('\n{"judgment": "task_vage", "label": true}', "line 2: no judgment is called 'task_vage'; use one of results"),
        ('{"judgment": "gives_answer", "label": true, "text": "x"}', "line 1: answer, question: missing"),
        ('{"judgment": "plan_leads", "label": true, "plan": "x"}', "line 1: task: missing"),
        ('{"judgment": "results", "label": true, "task": "x"}', "line 1: answer: missing"),
        ('{"judgment": "results", "label": true, "task": "x", "answer": "y", "calls": 3}', "line 1: calls: "),
        ('{"judgment": "support", "label": true, "task": "x", "answer": "y"}', "line 1: cites: missing"),
    ],
)
def test_a_bad_file_gets_one_line(text: str, fault: str, tmp_path: Path) -> None:
    """It says which file, which line, and what is wrong with it."""
    path = tmp_path / "cases.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        read_cases(str(path))
    assert fault in str(caught.value) and str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_is_no_text_or_is_not_there_gets_one_line(tmp_path: Path) -> None:
    """No traceback."""
    path = tmp_path / "cases.jsonl"
    with pytest.raises(InputFileError, match="cannot be read"):
        read_cases(str(path))
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputFileError, match="no text in UTF-8"):
        read_cases(str(path))


def test_cases_of_one_kind_tell_nothing() -> None:
    """All true: there is no pair to rank."""
    with pytest.raises(UsageError, match="are all true"):
        grouped(cases_of('{"judgment": "task_vague", "label": true, "task": "x"}', "here"))


class Calling:
    """An endpoint that answers a request for tools like this."""

    name, place = "calling", "http://localhost:1"

    def __init__(self, response: LLMResponse) -> None:
        self.response = response

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """The same, whatever is asked."""
        assert request.tools and form == "text"
        return self.response

    async def told(self) -> Told:
        """Nothing."""
        return Told()

    async def aclose(self) -> None:
        """Nothing to let go of."""


@pytest.mark.parametrize(
    ("name", "arguments", "native"),
    [("note_word", '{"word": "Jupiter"}', True), ("note", '{"word": "x"}', False), ("note_word", '{"w": 1}', False)],
)
def test_tool_calls_are_native_where_the_answer_shows_one(name: str, arguments: str, native: bool) -> None:
    """Of the tool that there is, with arguments that fit; text about it is none."""
    call = CallRequest(id="1", name=name, arguments=arguments)
    for calls, found in (((call,), native), ((), False)):
        response = LLMResponse(text=f"{name}({arguments})", calls=calls)
        assert asyncio.run(examine_tools(Examination(Calling(response)))) is found
