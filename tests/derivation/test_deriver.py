"""Deriving a computed answer a second and a third time, and counting what two derivations give."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from aeon.derivation.deriver import Deriver
from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import DeriveAgain
from aeon.proof.alike import alike, numbers_of
from aeon.runtime.ledger import Ledger
from aeon.schema import (
    Agreement,
    Allowance,
    Clarification,
    JsonObject,
    JsonValue,
    Plan,
    Source,
    Step,
    Task,
    ToolCall,
)
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("G4")
TASK = Task(text="6 people share 5700 euros equally after a fifth has been given away. What does each receive?")
RIGHT = "Given away: 5700 / 5 = 1140\nLeft: 5700 - 1140 = 4560\nEach: 4560 / 6 = 760\nAnswer: 760 euros"
THOUGHT = "Let us think.\nTherefore, each receives \\(\\boxed{760}\\) euros."
WRONG = "Each: 5700 / 6 = 950\nAnswer: 950"


def plan(*outputs: JsonValue, tool: str = "calculator") -> Plan:
    """A plan whose steps, done by this tool, gave these outputs as the answer."""
    steps = tuple(
        Step(
            id=f"s{n}", description=f"find {n}", action=ToolCall(tool=tool, arguments={"expression": "5700 / 6"}),
            status="complete", mode="tool", output=output,
        )
        for n, output in enumerate(outputs, 1)
    )  # fmt: skip
    return Plan(steps=steps, answer=tuple(step.id for step in steps))


def derive(replies: Sequence[Reply], made: Plan, most: int = 2, task: Task = TASK) -> tuple[Agreement, Scripted]:
    """What comes of these replies, and the model with what it was asked."""
    model = Scripted(replies)
    return asyncio.run(Deriver(Supervisor(model)).derive(DeriveAgain(task=task, plan=made, most=most))), model


def told(agreement: Agreement) -> list[tuple[str, bool, bool]]:
    """Each derivation with whether it agrees and is taken."""
    return [(one.method, one.agrees, one.taken) for one in agreement.derivations]


def test_a_second_derivation_that_gives_the_same_settles_it() -> None:
    """No third one is made; the plan's answer stays."""
    agreement, model = derive([RIGHT], plan(760))
    assert told(agreement) == [("worked", True, False)] and len(model.requests) == 1
    assert (agreement.votes, agreement.disagrees, agreement.taken) == (2, False, None)
    assert agreement.derivations[0].answer == "760 euros"


def test_where_two_differ_a_third_is_made_and_two_against_one_are_taken() -> None:
    """What the plan gave is set aside, and stays on record."""
    agreement, model = derive([RIGHT, THOUGHT], plan(902.5))
    assert told(agreement) == [("worked", True, True), ("thought", True, False)] and len(model.requests) == 2
    assert agreement.taken is not None and agreement.taken.answer == "760 euros" and agreement.votes == 2


def test_the_same_words_again_are_no_second_vote() -> None:
    """A model that repeats itself has not derived the answer twice: the plan and it still differ."""
    agreement, model = derive([WRONG, WRONG.replace("5700 / 6", "5700  /  6")], plan(760))
    assert told(agreement) == [("worked", False, False), ("thought", False, False)] and len(model.requests) == 2
    assert [one.repeats for one in agreement.derivations] == [False, True]
    assert agreement.taken is None and agreement.disagrees and agreement.votes == 1
    other, _ = derive([WRONG, "Half of it is 1900, so\nAnswer: 950"], plan(760))
    assert [one.repeats for one in other.derivations] == [False, False] and other.taken is not None


def test_a_third_that_agrees_with_the_plan_lets_it_stand() -> None:
    """The second one is the odd one out."""
    agreement, _ = derive([WRONG, THOUGHT], plan(760))
    assert told(agreement) == [("worked", False, False), ("thought", True, False)] and not agreement.disagrees


def test_three_answers_that_all_differ_disagree() -> None:
    """None is taken in the plan's place."""
    agreement, _ = derive([WRONG, THOUGHT], plan(902.5))
    assert told(agreement) == [("worked", False, False), ("thought", False, False)]
    assert agreement.disagrees and agreement.taken is None and agreement.votes == 1


def test_one_derivation_beside_the_plans_is_all_that_is_made_where_no_more_are_allowed() -> None:
    """Then two that differ disagree."""
    agreement, model = derive([WRONG], plan(760), most=1)
    assert agreement.disagrees and len(model.requests) == 1


@pytest.mark.parametrize(
    "made",
    [
        plan("2026-05-14"), plan("Yes"), plan(True), plan(), plan(760, tool="sql"),
        plan(760).changed(steps=(plan(760).steps[0].changed(output=None),)),
    ],
)  # fmt: skip
def test_only_calculated_numbers_are_derived_again(made: Plan) -> None:
    """A date, a word, a query's result: nobody is asked."""
    agreement, model = derive([], made)
    assert agreement == Agreement() and not model.requests and not agreement.disagrees


def test_numbers_of_the_question_that_an_answer_repeats_do_not_make_it_another() -> None:
    """Unless nothing else is left of it."""
    task = Task(text="Hugo is 11 and Odile 14. How old are both together in 7 years?")
    again = ["Answer: 39", "Answer: In 7 years, they will be 39 years old together."]
    agreement, _ = derive(again, plan(32), task=task)
    assert told(agreement) == [("worked", True, True), ("thought", True, False)]
    agreement, _ = derive(["Answer: in 7 years", "Answer: 39"], plan(32), task=task)
    assert [one.agrees for one in agreement.derivations] == [False, False]


def test_what_leaves_out_a_number_of_the_question_gives_way_to_what_does_not() -> None:
    """Where the plan is doubtful: two that leave it out do not outvote one that uses all."""
    task = Task(text="The circle costs 9 euros and the swap 20. What do 7 persons pay for both?")
    short = plan(29).changed(doubts=("use 7 too",))
    whole, less = "Both: 9 + 20 = 29\nAll: 7 * 29 = 203\nAnswer: 203", "Both: 9 + 20 = 29\nAnswer: 29"
    agreement, _ = derive([whole, less], short, task=task)
    assert told(agreement) == [("worked", True, True), ("thought", False, False)] and agreement.disagrees
    agreement, _ = derive([less, whole], short, task=task)
    assert told(agreement) == [("worked", True, False)] and not agreement.disagrees  # two, and nothing better is known
    agreement, _ = derive([whole, whole.replace("Both", "One person")], short, task=task)
    assert told(agreement) == [("worked", True, True), ("thought", True, False)] and not agreement.disagrees
    agreement, _ = derive([less, "no"], short, task=task)
    assert told(agreement) == [("worked", True, False)]
    other = "Both: 9 + 21 = 30\nAnswer: 30"
    agreement, _ = derive([other, whole], short, task=task)
    assert told(agreement) == [("worked", False, False), ("thought", True, True)] and agreement.disagrees
    agreement, _ = derive([whole, less], plan(29), task=task)
    assert told(agreement) == [("worked", False, False), ("thought", True, False)]


def test_hours_that_a_tool_measured_are_not_replaced_by_words() -> None:
    """Two that say otherwise are a disagreement; one that says the same confirms them."""
    made = plan(9.5, tool="hours_between")
    agreement, _ = derive(["Answer: 9 hours", "Answer: 9 hours"], made)
    assert told(agreement) == [("worked", False, False), ("thought", False, False)] and agreement.disagrees
    agreement, _ = derive(["Answer: 9 hours", "Answer: 9.5 hours"], made)
    assert told(agreement) == [("worked", False, False), ("thought", True, False)] and not agreement.disagrees


def test_hours_between_two_times_of_one_sentence_are_not_derived_again() -> None:
    """They are as "from 6:30 to 19:00" says; two of two sentences may be of two things."""
    one, other = (Source(source="a.md", start=n, end=n + 5, text="06:30 to 19:00") for n in (0, 40))

    def made(*sources: Source) -> Plan:
        times = [ran(f"s{n}", "quote", {"value": "06:30"}, "06:30", source) for n, source in enumerate(sources, 1)]
        return Plan(steps=(*times, ran("s9", "hours_between", {"first": "$s1", "last": "$s2"}, 12.5)), answer=("s9",))

    assert derive_from(made(one, one), "Answer: 12")[0] == Agreement()
    assert derive_from(made(one, other), "Answer: 12.5")[0] != Agreement()


def test_a_derivation_without_a_number_counts_for_nothing() -> None:
    """Nor does one that is empty."""
    agreement, model = derive(["I do not know.\nAnswer: unknown", "", ""], plan(760))
    assert agreement == Agreement() and len(model.requests) > 1


def test_a_task_too_long_for_it_is_not_derived_again() -> None:
    """Each token is time."""
    assert derive([], plan(760), task=TASK.changed(context="x" * 4_000))[0] == Agreement()


def test_what_was_said_later_and_the_context_are_told() -> None:
    """The problem is put whole."""
    told_later = TASK.changed(
        context="A fifth is 20 percent.", clarifications=(Clarification(question="Of what?", answer="Of all."),)
    )
    _, model = derive([RIGHT], plan(760), task=told_later)
    said = model.requests[0].messages[-1].content
    assert "A fifth is 20 percent." in said and said.endswith("What does each receive?\nOf what? Of all.")


def test_without_calls_left_nothing_is_derived() -> None:
    """The run goes on with what the plan gave."""
    model = Scripted([])

    async def go() -> Agreement:
        with Ledger(Allowance(calls=0)):
            return await Deriver(Supervisor(model)).derive(DeriveAgain(task=TASK, plan=plan(760), most=2))

    assert asyncio.run(go()) == Agreement() and not model.requests


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("17 full stacks, 5 tiles left over", "17, 5", True),
        ("5 and 17", "17 and 5", True),
        ("73.33", "73.3333", True),
        ("27.50 €", "27,5", True),
        ("1,234.5", "1234.5", True),
        ("12", "12.18", False),
        ("700", "800", False),
        ("902.5", "903", True),
        ("17", "17, 5", False),
        ("17, 5", "17", False),
        ("-3", "3", False),
        ("10 -3", "10, 3", True),
        ("1.2.3", "1.2.3", True),
        ("1.2.3", "1.2", False),
        ("", "", True),
    ],
)
def test_answers_are_alike_in_any_notation(one: str, other: str, same: bool) -> None:
    """The same numbers in whatever order; rounded, where one has fewer places."""
    assert alike(numbers_of(one), numbers_of(other)) is same


SHELVES = Task(text="Which has the higher price per metre, Kastner AG or Zorin Wares, and by how much?")
SHOWN = "Sentences:\n(offers.md)\n1 Kastner AG asks 71 euros per metre.\n2 Zorin Wares asks 74 euros per metre."
LINES = "Kastner AG: 71\nZorin Wares: 74\nDifference: 74 - 71 = 3\nAnswer: Zorin Wares, 3 euros"


def ran(name: str, tool: str, arguments: JsonObject, output: JsonValue, *sources: Source) -> Step:
    """A step that a tool has done."""
    call = ToolCall(tool=tool, arguments=arguments)
    done = Step(id=name, description=name, action=call, status="complete", mode="tool", output=output)
    return done.changed(sources=sources)


def quoting(chosen: str, difference: int, last: str = "choose") -> Plan:
    """A plan that quotes two prices, and gives the dearer one and the difference."""
    places = [Source(source="offers.md", start=n, end=n + 2, text=str(price)) for n, price in enumerate((71, 74))]
    quotes = [ran(f"s{n}", "quote", {"value": int(one.text)}, int(one.text), one) for n, one in enumerate(places, 1)]
    choice: JsonObject = {"condition": "$s1 > $s2", "yes": "Kastner AG", "no": "Zorin Wares"}
    difference_of = ran("s4", "calculator", {"expression": "abs($s1 - $s2)"}, difference)
    return Plan(steps=(*quotes, ran("s3", last, choice, chosen), difference_of), answer=("s3", "s4"))


def derive_from(made: Plan, *replies: Reply, shown: str = SHOWN) -> tuple[Agreement, Scripted]:
    """What comes of these replies where these sentences are there, and the model."""
    model = Scripted(replies)

    async def evidence(question: str) -> str:
        assert question == SHELVES.text
        return shown

    deriver = Deriver(Supervisor(model), evidence)
    return asyncio.run(deriver.derive(DeriveAgain(task=SHELVES, plan=made, most=2))), model


def test_a_sum_of_quoted_values_is_derived_again_from_all_sentences() -> None:
    """The number and the name that was chosen both count."""
    agreement, model = derive_from(quoting("Zorin Wares", 3), LINES)
    assert told(agreement) == [("worked", True, False)]
    assert SHOWN in model.requests[0].messages[-1].content and SHELVES.text in model.requests[0].messages[-1].content


def test_another_name_or_another_number_is_another_answer() -> None:
    """Two derivations of three are taken; where only the name is another, the plan has compared, and they disagree."""
    thought = "So Zorin Wares is dearer.\nAnswer: Zorin Wares is 3 euros dearer than Kastner AG."
    agreement, _ = derive_from(quoting("Zorin Wares", 145), LINES, thought)
    assert told(agreement) == [("worked", True, True), ("thought", True, False)]
    agreement, _ = derive_from(quoting("Kastner AG", 3), LINES, thought)
    assert told(agreement) == [("worked", False, False), ("thought", False, False)] and agreement.disagrees


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [("3 euros", True), ("71, 74 and 3", True), ("74 and 3", True), ("71 and 74", False), ("9 and 3", False)],
)
def test_quoted_numbers_of_the_answer_may_be_left_out(answer: str, agrees: bool) -> None:
    """What was computed must be there."""
    made = quoting("Zorin Wares", 3).changed(answer=("s1", "s4"))
    agreement, _ = derive_from(made, f"Difference: 74 - 71 = 3\nAnswer: {answer}", "no idea")
    assert [one.agrees for one in agreement.derivations] == [agrees]


def test_a_difference_that_is_one_of_the_quoted_values_is_the_same_answer() -> None:
    """40 less 20 is 20, though the plan quotes a 20."""
    places = [Source(source="rules.md", start=n, end=n + 2, text=str(value)) for n, value in enumerate((40, 20))]
    quotes = [ran(f"s{n}", "quote", {"value": int(one.text)}, int(one.text), one) for n, one in enumerate(places, 1)]
    made = Plan(steps=(*quotes, ran("s3", "calculator", {"expression": "$s1 - $s2"}, 20)), answer=("s3",))
    agreement, model = derive_from(made, "Washer: 40\nCutter: 20\nDifference: 40 - 20 = 20\nAnswer: 20 euros")
    assert told(agreement) == [("worked", True, False)] and len(model.requests) == 1
    agreement, _ = derive_from(made, "It is 40.\nAnswer: 40 euros", "no idea")
    assert told(agreement) == [("worked", False, False)]


def test_words_that_only_repeat_what_is_calculated_with_do_not_outvote_the_sum() -> None:
    """They speak against it."""
    made = quoting("Zorin Wares", 145).changed(answer=("s4",))
    agreement, _ = derive_from(made, "It is 74.\nAnswer: 74 euros", "It asks 74 euros.\nAnswer: 74")
    assert told(agreement) == [("worked", False, False), ("thought", False, False)] and agreement.disagrees


def test_a_derivation_that_names_neither_of_two_does_not_count() -> None:
    """Two numbers without a name outvote no answer that has one."""
    agreement, model = derive_from(quoting("Zorin Wares", 3), "Difference: 74 - 71 = 3\nAnswer: 3", "Answer: 3 euros")
    assert agreement == Agreement() and len(model.requests) == 2


@pytest.mark.parametrize(("made", "shown"), [(quoting("Zorin Wares", 3, last="sql"), SHOWN), (quoting("x", 3), SHOWN),
                                             (quoting("Zorin Wares", 3), "")])  # fmt: skip
def test_what_cannot_be_derived_from_sentences_is_not(made: Plan, shown: str) -> None:
    """A query, a name that is neither of two, and no sentences: nobody is asked."""
    agreement, model = derive_from(made, shown=shown)
    assert agreement == Agreement() and not model.requests


@pytest.mark.requirement("G4")
@pytest.mark.parametrize(
    ("task", "expression", "sums", "disagrees"),
    [
        ("14 metres: how many euros cheaper is Kastner AG?", "14 * abs($s1 - $s2)", "74 - 71 = 3", True),
        ("14 metres: how many euros cheaper is Kastner AG?", "14 * abs($s1 - $s2)", "14 * (74 - 71) = 42", False),
        ("How much cheaper was Kastner AG in 2026, in room 4?", "abs($s1 - $s2)", "74 - 71 = 3", False),
    ],
)
def test_words_that_leave_out_a_number_of_the_sum_do_not_outvote_it(
    task: str, expression: str, sums: str, disagrees: bool
) -> None:
    """Fourteen metres are asked for, and both derive what one costs; a year and a room are none to calculate with."""
    made = quoting("Zorin Wares", 42)
    last = ran("s4", "calculator", {"expression": expression}, 42)
    made = made.changed(steps=(*made.steps[:-1], last), answer=("s4",))
    result = sums.rpartition(" ")[2]
    model = Scripted([f"It is less: {sums}\nAnswer: {result} euros", f"So {sums}.\nAnswer: {result}"])
    deriver = Deriver(Supervisor(model), shown)
    agreement = asyncio.run(deriver.derive(DeriveAgain(task=Task(text=task), plan=made, most=2)))
    assert agreement.disagrees is disagrees


async def shown(_: str) -> str:
    """The sentences that are found, whatever the question."""
    return SHOWN
