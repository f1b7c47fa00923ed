"""The claims of answers that a model gave in a loop over tools, in any language."""

from __future__ import annotations

import pytest

from aeon.documents.sentences import sentences
from aeon.grounding.looped import missing_values
from aeon.grounding.prose import checked_sentences
from aeon.grounding.results import PlanEvidence, spans_of
from aeon.schema import Calculation, Claim, FromSource, FromTask, FromTool, Task, ToolUse

from .loops import ORDERS, RETURNS, looped, read

pytestmark = pytest.mark.requirement("G1", "G2", "G4")
TASK = Task(text="Which orders weigh more than 25 kg?")
USES = (ORDERS, read("returns.txt", RETURNS))


def claims(answer: str, *calculations: tuple[str, str], task: Task = TASK, uses: tuple[ToolUse, ...] = USES,
           cites: tuple[str, ...] = ()) -> list[Claim]:  # fmt: skip
    """The claims of an answer over these uses, with what a judge points out."""
    made = [Calculation(value=value, expression=expression) for value, expression in calculations]
    return list(PlanEvidence(task, looped(answer, *uses, cites=cites)).claims(answer, made))


def verdicts(answer: str, *calculations: tuple[str, str]) -> dict[str, str]:
    """The verdict on each value."""
    return {one.text: one.verdict for one in claims(answer, *calculations)}


def test_a_value_rests_on_the_place_where_it_stands() -> None:
    """In a result, in a sentence of a text, in the task; else nowhere."""
    result, sentence, task, nowhere = claims("O0016 within 14 days, above 25 kg, not 26.")
    (first,) = result.evidence
    assert isinstance(first, FromTool) and (first.step, first.path) == ("s1.1", "/rows/0/0")
    (second,) = sentence.evidence
    assert isinstance(second, FromSource) and RETURNS[second.start : second.end] == "14 days"
    assert isinstance(task.evidence[0], FromTask) and task.support == "task"
    assert (nowhere.support, nowhere.verdict) == ("none", "not_found")
    assert missing_values([result, nowhere, nowhere]) == ("26",)


@pytest.mark.parametrize(
    "answer",
    [
        "O0016 wiegt 25,2 kg, also rund 25 kg; die Gebühr beträgt 10 %, mindestens 5,00.",
        "O0016 (le 17 mars 2025) pèse 25,2 kg ; frais : 10 pour cent, au moins 5,00.",
        "El pedido O0016 (17 de marzo) pesa 25,2 kg; la tasa es del 10 %.",
        "订单O0016（2025年3月17日）重25.2公斤，手续费为10%，最低5.00。",
    ],
)
def test_the_language_of_an_answer_does_not_matter(answer: str) -> None:
    """Nothing is refused for its words; a wrong digit is found in each."""
    assert set(verdicts(answer).values()) == {"supported"}
    assert verdicts(answer.replace("25,2", "26,3").replace("25.2", "26.3"))[
        next(text for text in verdicts(answer.replace("25,2", "26,3").replace("25.2", "26.3")) if "26" in text)
    ] == "not_found"  # fmt: skip


def test_a_day_in_an_unread_language_needs_its_row() -> None:
    """A day of another row, or of none, is no support."""
    assert verdicts("O0040 (11 balandžio)")["11"] == "supported"
    assert verdicts("O0040 (17 balandžio)")["17"] == "not_found"
    assert verdicts("17 commandes")["17"] == "not_found"


def test_names_are_not_looked_up() -> None:
    """Which words are names, nobody can say in every language."""
    assert [one.text for one in claims("Sehr geehrte Frau Weber, O0016 ist da. Viele Grüße, Aeon Sternwarte")] == [
        "O0016"
    ]


def test_the_rows_of_a_cited_result_are_a_value() -> None:
    """Not those of one that the answer does not cite."""
    assert [one.verdict for one in claims("These are 3 orders.")] == ["not_found"]
    for made in (claims("These are 3 orders [1]."), claims("These are 3 orders.", cites=("s1.1",))):
        (place,) = made[0].evidence
        assert isinstance(place, FromTool) and (place.path, made[0].support) == ("rows()", "tool")


def test_what_a_line_cites_is_looked_at_first() -> None:
    """Of two places of a value, the cited one is its evidence."""
    again = read("other.txt", "It is 14 days for all.", 3)
    for mark, source in (("[2.1]", "returns.txt"), ("[3.1]", "other.txt")):
        (one,) = claims(f"It is 14 days {mark}.", uses=(*USES, again))
        assert isinstance(one.evidence[0], FromSource) and one.evidence[0].source == source


def test_a_value_may_be_rounded() -> None:
    """To fewer places, to hundreds of at least three digits, or from a share to a percentage."""
    use = ORDERS.changed(output={"columns": ["share", "sum"], "rows": [[0.238095, 11702.5]], "total": 1})
    plan = looped("", use)
    answer = "23.8 %, 23,8 pour cent, 11.703, 11,700; not 12,000 or 24.1 %"
    made = {one.text: one.verdict for one in PlanEvidence(TASK, plan).claims(answer)}
    assert [text for text, verdict in made.items() if verdict != "supported"] == ["12,000", "24.1 %"]


def test_what_an_equation_states_follows() -> None:
    """With nouns, brackets and other units; a result may be said again. A wrong one is contradicted if it is whole."""
    answer = "48 − 33 = 15. So 15 kg; (48 + 33) / 2 = 40.5 and 25.2 kg = 25,200 g. 33 / 48 × 100 = 68.75 %."
    assert set(verdicts(answer).values()) == {"supported"}
    assert verdicts("48 − 33 = 16")["16"] == "contradicted"
    assert verdicts("10 % of 48 − 33 = 16")["16"] == "not_found"


def test_an_operand_that_stands_nowhere_gives_nothing() -> None:
    """However right the sum is."""
    assert verdicts("47 − 33 = 14.5, 47 - 33 = 14")["47"] == "not_found"
    assert verdicts("90 − 33 = 57")["57"] == "not_found"


@pytest.mark.parametrize(
    ("value", "expression"),
    [
        ("15", "48 - 33"), ("106.2", "sum(1.weight_kg)"), ("35.4", "avg(1.weight_kg)"), ("48", "max(1.weight_kg)"),
        ("3", "rows(1)"), ("3", "rows(s1.1)"), ("33.3 %", "1 - rows(1)"), ("52.5 %", "25.2 / 48"),
        ("5.04", "48 × 10.5%"), ("4.8", "48 * 10 %"), ("15", "33 - 48"), ("53", "ceil(25.2 / 48 * 100)"),
        ("11", "round(33 / 3, 0)"), ("12", "48 / 4"), ("36", "48 - 48 / 4"), ("192", "48 * 4"), ("8", "48 / 6"),
    ],
)  # fmt: skip
def test_a_calculation_of_a_judge_is_done_again(value: str, expression: str) -> None:
    """It makes a value follow if each operand stands, and it gives that value."""
    answer = f"Das ergibt {value} insgesamt."
    (made,) = claims(answer, (value, expression))
    stands = expression not in ("1 - rows(1)", "48 × 10.5%", "48 * 4", "48 / 6")
    assert (made.verdict == "supported") == stands, made.note


LOG = read(
    "log.txt",
    "Der Sturm begann am 14. März 1917 um 21.40 Uhr. Um 23:10 brach der Mast, am 1. Mai 1917 ging es weiter, nach 7 h. "
    "412 kg lagen an Deck, 87 kg im Wasser; jede Kiste hat 500 g.\n",
    1,
)


@pytest.mark.parametrize(
    ("value", "expression", "verdict"),
    [
        ("90 minutes", "23:10 - 21:40", "supported"), ("90 min", "21:40 - 23:10", "supported"),
        ("1.5 hours", "23:10 - 21:40", "supported"), ("1.5 hours", "(23:10 - 21:40) / 60", "supported"),
        ("48 days", "1917-05-01 - 1917-03-14", "supported"), ("48 Tage", "1917-05-01 - 1917-03-14", "supported"),
        ("48 jours", "1917-05-01 - 1917-03-14", "supported"), ("49 days", "1917-05-01 - 1917-03-14", "not_found"),
        ("1350 minutes", "21:40 + 24*60 - 23:10", "supported"), ("90 hours", "23:10 - 21:40", "partial"),
        ("48 weeks", "1917-05-01 - 1917-03-14", "partial"), ("90 minutes", "23:10 - 21:41", "not_found"),
        ("1 day", "1917-05-01 - 1917-04-30", "not_found"), ("325 kg", "412 - 87", "supported"),
        ("325 g", "412 - 87", "partial"), ("325,000 g", "412 - 87", "supported"),
        ("325,000 g", "(412 - 87) * 1000", "supported"),
    ],
)  # fmt: skip
def test_times_dates_and_units_are_calculated_with(value: str, expression: str, verdict: str) -> None:
    """Times of day give minutes, dates days; a value has another unit than its operands if something changes it."""
    (made,) = claims(f"Es sind {value}.", (value, expression), uses=(LOG,))
    assert made.verdict == verdict, made.note


@pytest.mark.parametrize(
    ("expression", "note"),
    [
        ("48 - 34", "34 stands nowhere"), ("48 - 25.2", "it gives 22.8"), ("many", "cannot be computed"),
        ("48 -", "cannot be read"), ("__import__('os')", "cannot be computed"), ("7 + 8", "stands nowhere"),
        ("sum(9.weight_kg)", "cannot be read"), ("60 / 4", "stands nowhere"), ("48 ** 2", "cannot be computed"),
        ("(" * 900 + ")", "cannot be read"), ("9" * 2_000, "too long"),
    ],
)  # fmt: skip
def test_a_calculation_that_does_not_hold_says_why(expression: str, note: str) -> None:
    """The note says what is missing or what it gives."""
    (made,) = claims("It is 15.", ("15", expression))
    assert made.verdict == "not_found" and note in made.note


def test_a_calculation_may_rest_on_another_one() -> None:
    """In whatever order they come."""
    made = claims("15, which is 31.25 % of 48", ("31.25 %", "15 / 48"), ("15", "48 - 33"))
    assert [one.verdict for one in made] == ["supported"] * 3


def test_a_table_that_was_cut_has_no_sum() -> None:
    """Only how many rows there are is known."""
    use = ORDERS.changed(output={**dict(ORDERS.output), "total": 90})  # type: ignore[arg-type, call-overload]
    answer, plan = "90 orders, 106.2 kg", looped("", use)
    made = PlanEvidence(TASK, plan).claims(answer, [Calculation(value="90", expression="rows(1)"),
                                         Calculation(value="106.2", expression="sum(1.weight_kg)")])  # fmt: skip
    assert [one.verdict for one in made] == ["supported", "not_found"]


def test_without_tools_and_context_nothing_is_checked() -> None:
    """With a context it is: what is not in it is not found."""
    assert [one.verdict for one in claims("It was 1931, 25 kg.", uses=())] == ["not_checked", "supported"]
    told = TASK.changed(context="Founded in 1930.")
    assert [one.verdict for one in claims("It was 1931, in 1930.", uses=(), task=told)] == ["not_found", "supported"]
    failed = ORDERS.changed(output=None, problem="no such table")
    assert [one.verdict for one in claims("It was 1931.", uses=(failed,))] == ["not_checked"]


def test_a_sentence_in_any_language_is_as_good_as_its_values() -> None:
    """One that stands word for word in a text is supported, with or without its mark."""
    answer = "We charge a fee of 10 percent, at least 5.00. [2.2]\n订单重99.9公斤。\nDie Gebühr ist 10 %."
    plan = looped(answer, *USES)
    spans = ((one.start, one.end) for one in sentences(answer))
    checks = checked_sentences(answer, spans, PlanEvidence(TASK, plan).claims(answer), spans_of(plan.steps))
    assert [one.verdict for one in checks] == ["supported", "not_found", "not_checked"]
