"""Whole runs of a model that works with tools, turn by turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from assembly.capable import CAN, capable, properties

from aeon import Config, Task, build
from aeon.errors import UsageError
from aeon.runtime.events import EffectEnded, Event
from aeon.schema import Capabilities

LOOK = ("sql", {"query": "SELECT boat, price FROM boats ORDER BY price"})
READ = ("read", {"name": "rules.txt"})
ANSWER = "The Bora costs 180 a day.\n[1]"


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """A small folder: a table and a text."""
    (tmp_path / "boats.csv").write_text("boat,length_m,price\nAlba,9,120\nBora,12,180\nCuma,7,95\n")
    (tmp_path / "rules.txt").write_text("Smoking is not allowed on board. The Alba was built in 1998.\n")
    return tmp_path


@pytest.mark.requirement("J1a", "W1")
def test_an_ordinary_run_is_profiled_and_judged_and_all_that_is_on_record(harbour: Path) -> None:
    """One call each for the profile, two turns and the judgment of the answer; plan and its validation take none."""
    spent: dict[str, int] = {}

    def note(event: Event) -> None:
        if isinstance(event, EffectEnded):
            spent[event.effect.phase] = spent.get(event.effect.phase, 0) + event.outcome.usage.calls

    result = build(llm=capable(ANSWER, [LOOK]), files=harbour, observers=[note]).execute(
        "What does the dearest boat cost?"
    )
    assert spent == {
        "profile": 1, "validate_plan": 0, "turn": 2, "use_tool": 0, "validate_results": 1, "assess": 0, "synthesize": 0,
    }  # fmt: skip
    assert (result.answer, result.stop_reason) == ("The Bora costs 180 a day.", "converged")
    assert result.history.preparation.profile.form == "tools"
    assert result.assessment is not None
    assert (result.assessment.form, result.assessment.standing, result.assessment.reply) == (
        "verdict",
        "assumed",
        "answer",
    )
    step = result.history.passes[0].executed[0]
    assert [use.tool for use in step.uses] == ["sql"] and step.cites == ("s1.1",)


@pytest.mark.requirement("L1")
@pytest.mark.parametrize("question", [
    "What does the dearest boat cost?", "Was kostet das teuerste Boot?", "Combien coûte le bateau le plus cher ?",
    "¿Cuánto cuesta el barco más caro?", "最贵的船多少钱?", "Quanto costa la barca più cara?",
])  # fmt: skip
def test_a_question_in_any_language_takes_the_same_way(question: str, harbour: Path) -> None:
    """The same tools are offered and the same things are asked, whatever the words are."""
    model, plain = capable(ANSWER, [LOOK]), capable(ANSWER, [LOOK])
    result = build(llm=model, files=harbour).execute(question)
    build(llm=plain, files=harbour).execute("x")
    assert result.stop_reason == "converged"
    shown = [[message.content.replace(question, "x") for message in one.messages] for one in model.requests]
    assert shown == [[message.content for message in one.messages] for one in plain.requests]
    assert [one.tools for one in model.requests] == [one.tools for one in plain.requests]


@pytest.mark.requirement("L4")
@pytest.mark.parametrize(("names", "offered"), [
    (("boats.csv", "rules.txt"), {"sql", "search", "read", "calculator"}),
    (("boats.csv",), {"sql", "read", "calculator"}), (("rules.txt",), {"search", "read", "calculator"}),
])  # fmt: skip
def test_what_is_offered_follows_from_the_folder(names: tuple[str, ...], offered: set[str], harbour: Path) -> None:
    """Tables can be queried, texts searched and read; no word of the question decides it."""
    for path in harbour.iterdir():
        if path.name not in names:
            path.unlink()
    model = capable("Nothing.")
    build(llm=model, files=harbour).execute("Explain the rules of the house in a poem.")
    assert {tool.name for one in model.requests for tool in one.tools} == offered


@pytest.mark.requirement("W2")
def test_the_form_is_what_the_endpoint_can_unless_it_is_named_or_measured(harbour: Path) -> None:
    """Native tool calls mean turns, and so does a setting; what was measured goes before what was seen."""

    def form(config: Config, capabilities: object) -> object:
        model = capable(ANSWER, [LOOK], capabilities=capabilities)  # type: ignore[arg-type]
        return (
            build(llm=model, files=harbour, config=config)
            .execute("What does the Bora cost?")
            .history.preparation.profile.form
        )

    assert form(Config(), CAN) == "tools"
    assert form(Config(), CAN.changed(tools=False)) == "program"
    assert form(Config(form="program"), CAN) == "program"
    assert form(Config(), CAN.changed(form="program")) == "program"
    assert form(Config(), CAN.changed(tools=False, form="tools")) == "tools"


@pytest.mark.requirement("W5", "L3")
@pytest.mark.parametrize("text", [
    "Subject: Your boat\n\nDear Ms Winter,\n\nthe Bora costs 180 a day.\n\nKind regards",
    "| boat | price |\n|---|---|\n| Bora | 180 |\n| Alba | 120 |",
    "```python\nprices = {'Bora': 180}\n```\nThe Bora costs 180.",
    "1. Bora: 180\n2. Alba: 120\n3. Cuma: 95",
    "Die Bora kostet 180 am Tag; „teuer“ ist das nicht gesagt.",
])  # fmt: skip
def test_a_text_of_any_form_comes_out_as_it_was_written(text: str, harbour: Path) -> None:
    """The host checks the values of it, and changes nothing."""
    result = build(llm=capable(f"{text}\n[1]", [LOOK]), files=harbour).execute("Tell me about the boats.")
    assert result.answer == text


@pytest.mark.requirement("W4")
def test_the_prompts_of_a_simple_question_are_short(harbour: Path) -> None:
    """What there is, the task and the rules: some 4,000 characters in all prompts together, tools aside."""
    model = capable(ANSWER, [LOOK])
    build(llm=model, files=harbour).execute("What does the dearest boat cost?")
    assert len(model.requests) == 4
    assert sum(len(message.content) for one in model.requests for message in one.messages) < 5_000


@pytest.mark.requirement("W6")
def test_instructions_stand_in_every_prompt(harbour: Path) -> None:
    """They are in the system message of each request; too long ones are refused in one line."""
    model = capable(ANSWER, [LOOK])
    build(llm=model, files=harbour, instructions="You are Captain Amber.").execute("What does the Bora cost?")
    assert model.requests and all("You are Captain Amber." in one.messages[0].content for one in model.requests)
    assert {one.messages[0].role for one in model.requests} == {"system"}
    with pytest.raises(UsageError, match="instructions: they have 100,000 bytes"):
        build(llm=model, instructions="x" * 100_000)


@pytest.mark.requirement("J9")
def test_a_criterion_that_is_not_met_or_not_judged_keeps_a_run_from_converging(harbour: Path) -> None:
    """The judge's word on each criterion decides; silence is no yes."""
    task = Task(text="What does the Bora cost?", criteria=("It names the currency.", "It names the boat."))
    met = [{"number": n, "why": "so", "met": "yes"} for n in (1, 2)]
    for criteria, converged in ((met, True), (met[:1], False), ([met[0], met[1] | {"met": "unclear"}], False)):
        result = build(llm=capable(ANSWER, [LOOK], {"criteria": criteria}), files=harbour).execute(task)
        assert result.converged is converged


@pytest.mark.requirement("G4b")
@pytest.mark.parametrize("kind", ["part", "not_stated", "hedge", "refusal"])
def test_what_the_judge_holds_to_be_no_answer_never_converges(kind: str, harbour: Path) -> None:
    """Not with the best of scores."""
    result = build(llm=capable(ANSWER, [LOOK], {"kind": kind}), files=harbour).execute("What does the Bora cost?")
    assert not result.sufficient
    assert result.assessment is not None and kind in result.assessment.reason_codes


@pytest.mark.requirement("G4c")
def test_a_derived_value_is_supported_where_the_judge_says_how_and_the_host_finds_it_right(harbour: Path) -> None:
    """The difference of two prices; a wrong computation of it is none."""
    for expression, verdict in (("180 - 120", "supported"), ("180 - 95", "not_found"), ("200 - 140", "not_found")):
        said = {"calculations": [{"value": "60", "expression": expression}]}
        model = capable("The Bora costs 60 more than the Alba.\n[1]", [LOOK], said)
        result = build(llm=model, files=harbour).execute("How much more does the Bora cost than the Alba?")
        claims = {claim.text: claim.verdict for claim in result.claims}
        assert claims["60"] == verdict
        assert result.converged is (verdict == "supported")


@pytest.mark.requirement("W1", "K11")
def test_calls_that_cannot_be_made_are_told_to_the_model(harbour: Path) -> None:
    """A tool that does not exist and arguments of a wrong type are results that say so; nothing was run."""
    calls = [("fly", {}), ("sql", {"query": 7}), ("sql", {"sql": "SELECT 1"}), LOOK]
    model = capable("The Bora costs 180.\n[4]", calls)
    result = build(llm=model, files=harbour).execute("What does the Bora cost?")
    problems = [use.problem for use in result.history.passes[0].executed[0].uses]
    assert "there is no tool 'fly'" in problems[0] and all(problems[:3]) and not problems[3]
    assert result.converged and result.usage.tool_calls == 1


@pytest.mark.requirement("G4b")
def test_an_answer_without_tool_or_source_is_own_knowledge(tmp_path: Path) -> None:
    """It is good enough where it is judged complete, and never converged."""
    result = build(llm=capable("William Shakespeare wrote it.")).execute("Who wrote Hamlet?")
    assert (result.stop_reason, result.sufficient, result.converged) == ("own_knowledge", True, False)


@pytest.mark.requirement("G4b")
def test_values_that_nobody_looked_up_where_one_could_are_not_own_knowledge(harbour: Path) -> None:
    """The table has the price: a judge's word is not enough for another one. Words alone may be the model's own."""
    result = build(llm=capable("The Bora costs 999 a day."), files=harbour).execute("What does the Bora cost?")
    assert (result.stop_reason, result.sufficient) == ("ttl_expired", False), "it is asked to look once more"
    assert [one.assessment.reason_codes for one in result.history.passes] == [("unsupported",)] * 2
    assert [(claim.text, claim.verdict) for claim in result.claims] == [("999", "not_found")]
    words = build(llm=capable("William Shakespeare."), files=harbour).execute("Who wrote Hamlet?")
    assert (words.stop_reason, words.sufficient) == ("own_knowledge", True)


@pytest.mark.requirement("J8a")
def test_a_judge_that_cannot_be_had_leaves_an_answer_unverified(harbour: Path) -> None:
    """Prose in the place of a verdict: the answer stands, and nothing says that it is right."""
    model = capable(ANSWER, [LOOK])
    said = model._choose
    assert said is not None
    model._choose = lambda request: "I think it is fine." if "completeness" in properties(request) else said(request)
    result = build(llm=model, files=harbour).execute("What does the dearest boat cost?")
    assert (result.answer, result.stop_reason, result.sufficient) == ("The Bora costs 180 a day.", "unverified", False)


@pytest.mark.requirement("W1")
@pytest.mark.parametrize("line", [
    "The boats lie at the quay and wait for the tide.\n", "船停在码头等待潮水的到来和月亮。\n",
])  # fmt: skip
@pytest.mark.parametrize("room", [CAN, CAN.changed(context_tokens=8_192, bytes_per_token=3.0)], ids=["any", "8192"])
def test_long_results_are_cut_to_what_a_prompt_may_hold(room: Capabilities, line: str, harbour: Path) -> None:
    """Eight long texts, in letters of one byte and of three, in a context of any length and in a short one."""
    names = [f"log{number}.txt" for number in range(8)]
    for name in names:
        (harbour / name).write_text(line * (6_000 // len(line)), encoding="utf-8")
    model = capable("They lie at the quay.\n[1]", [("read", {"name": name}) for name in names], capabilities=room)
    result = build(llm=model, files=harbour).execute("What does the dearest boat cost?")
    assert result.stop_reason == "converged", result.history
    most = 48_000 if room == CAN else 8_192 * 3
    sizes = [sum(len(one.content.encode()) for one in request.messages) for request in model.requests]
    assert most // 3 < max(sizes) < most
