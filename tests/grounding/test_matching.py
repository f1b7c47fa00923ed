"""What each value of an answer rests on."""

from __future__ import annotations

import pytest

from aeon.grounding.grounds import Grounds, ToolOutput
from aeon.grounding.matching import claims
from aeon.language.readings import read
from aeon.schema import Claim, FromSource, FromTask, FromTool, Source, Task

pytestmark = pytest.mark.requirement("G1", "G2")

TEXT = (
    "The hall of 350 square metres is let until 28 May 2029. The rent is 1,040 euros a month, 45 cents a day extra. "
    "Anna Weber looks after it, anna@nord.example. It opens at 14:30 for 90 minutes, 2.5 km away; 1.234 units."
)
TASK = Task(text="What does the Harbour shop pay, and what is 19% VAT of that?", context="Oslo has 12 shops.")
SPANS = (Source(source="lease.md", start=100, end=100 + len(TEXT), text=TEXT),)


def of(answer: str, *outputs: object, stated: dict[str, str] | None = None) -> tuple[Claim, ...]:
    tools = [ToolOutput(f"s{n}", output) for n, output in enumerate(outputs, 1)]  # type: ignore[arg-type]
    return claims(answer, TASK, tools, SPANS, stated)


@pytest.mark.parametrize(
    ("answer", "support"),
    [
        ("it is 1.040,00 € now", "source"),
        ("it is 1040 now", "source"),
        ("until 28.05.2029 then", "source"),
        ("until May 2029 then", "source"),
        ("it is 350 m² there", "source"),
        ("ask Anna Weber there", "source"),
        ("ask “looks after it” there", "source"),
        ("write to ANNA@nord.example there", "source"),
        ("at 2:30 pm there", "source"),
        ("it is 1.5 hours there", "source"),
        ("it is 2,500 m there", "source"),
        ("it is 0.45 euros there", "source"),
        ("it has 1.234 there", "source"),
        ("it has 1,234 there", "source"),
        ("it is 19 per cent then", "task"),
        ("it is 0.19 then", "task"),
        ("in Oslo then", "task"),
        ("it is 66.12 then", "tool"),
        ("it is 66.1 then", "tool"),
        ("it is 66 % then", "tool"),
    ],
)
def test_a_value_is_supported_where_it_stands(answer: str, support: str) -> None:
    """In another notation, another unit that converts, rounded to the written places, or as it is."""
    (claim,) = of(answer, {"vat": 66.12, "share": 0.66})
    assert (claim.support, claim.verdict) == (support, "supported")
    assert answer[claim.start : claim.end] == claim.text


@pytest.mark.parametrize(
    "answer",
    [
        "it is 1,041 euros now", "it is 1,040 dollars now", "until 29 May 2029 then", "it is 350 km² there",
        "ask Anna Keller there", "ask “looks before it” there", "write to anna@sud.example there", "at 2:31 pm there",
        "it is 1.6 hours there", "it is 67 then", "it is 66.13 then", "in Bergen then", "it has 12,34 there",
    ],
)  # fmt: skip
def test_a_value_that_stands_nowhere_rests_on_nothing(answer: str) -> None:
    """One digit, one name, one unit away."""
    (claim,) = of(answer, {"vat": 66.12})
    assert (claim.support, claim.verdict, claim.evidence) == ("none", "not_found", ())


def _of_days(answer: str, *outputs: object) -> tuple[str, int]:
    tools = [ToolOutput(f"s{n}", output) for n, output in enumerate(outputs, 1)]  # type: ignore[arg-type]
    (claim,) = claims(answer, Task(text="When is the fair?"), tools)
    return claim.verdict, len(claim.evidence)


@pytest.mark.parametrize("answer", ["1-4 October", "October 1 to 4", "the 1st to the 4th of October"])
def test_several_days_stand_as_such_or_by_their_first_and_last(answer: str) -> None:
    """In another form; or in two places, one for each end; one day of them is no more than that."""
    assert _of_days(answer, "It is from 1 until 4 October 2026.") == ("supported", 1)
    assert _of_days(answer, {"from": "2026-10-01", "to": "2026-10-04"}) == ("supported", 2)
    for other in ("It is from 1 to 5 October.", "It begins on 1 October.", {"from": "2026-10-02", "to": "2026-10-04"}):
        assert _of_days(answer, other) == ("not_found", 0), other


def test_the_first_and_the_last_of_several_days_are_known_and_no_others() -> None:
    """What is open from 1 to 4 October opens on 1 October; that it is open on the 2nd is an inference."""
    said = "It is open from 1 to 4 October 2026."
    for answer in ("on 1 October", "until 4 October 2026", "in October"):
        assert _of_days(answer, said) == ("supported", 1), answer
    for answer in ("on 2 October", "until 4 October 2025", "from 1 to 4 October 2025"):
        assert _of_days(answer, said) == ("not_found", 0), answer


def test_evidence_names_the_very_characters() -> None:
    """A span of the stored text, a step and the pointer in its output, a span of the task."""
    source, tool, task = of("it is 1,040 euros, 66.12 and 19 %", [{"a/b": 5, "vat": 66.12}])
    (one,) = source.evidence
    assert isinstance(one, FromSource)
    assert TEXT[one.start - 100 : one.end - 100] == "1,040 euros"
    (two,) = tool.evidence
    assert isinstance(two, FromTool)
    assert (two.step, two.path, two.start, two.end) == ("s1", "/0/vat", 0, 5)
    (three,) = task.evidence
    assert isinstance(three, FromTask)
    assert TASK.text[three.start : three.end] == "19%"


@pytest.mark.requirement("G2a")
def test_the_reading_that_was_taken_is_recorded() -> None:
    """5.678 matches either value, and the claim says which."""
    assert [of("it has 5.678", output)[0].reading.value for output in (5.678, 5678)] == ["5.678", "5678"]


def test_rounding_and_changes_of_unit_are_recorded() -> None:
    """The factor, the exact result, the places and the kind of rounding."""
    (claim,) = of("it is 1.2 hours", "71 minutes")
    assert claim.computation is not None
    assert (claim.computation.factor, claim.computation.places) == ("1/60", 1)
    assert claim.computation.result == "71/60"
    half_even = of("it is 0.12", 0.125)[0].computation
    assert half_even is not None
    assert half_even.rounding == "half_even"


def test_a_unit_that_stands_nowhere_makes_a_claim_partial() -> None:
    """An output of a tool has no unit: that it is euros must stand somewhere, that it is dollars does not."""
    euros, dollars = of("it is 77 euros or 77 dollars", 77)
    assert (euros.verdict, len(euros.evidence), dollars.verdict) == ("supported", 2, "partial")


@pytest.mark.parametrize("column", ["price_eur", "price_EUR", "load_kwh", "load_mwh", "price_Usd"])
def test_a_unit_in_the_name_of_a_column_may_be_in_any_case(column: str) -> None:
    """Names of columns are mostly in lower case, and so are their units."""
    (claim,) = of("it is 77", {"columns": [column], "rows": [[77]]})
    assert (claim.verdict, claim.support) == ("supported", "tool")


def test_a_unit_of_a_column_makes_its_values_amounts() -> None:
    """What stands in a column of euros are euros, however the column writes them."""
    (claim,) = of("it is 77 euros", {"columns": ["price_eur"], "rows": [[77]]})
    assert (claim.verdict, len(claim.evidence)) == ("supported", 2)


@pytest.mark.requirement("T6b")
def test_the_unit_that_a_query_gives_with_its_values_is_theirs() -> None:
    """A weight of so many kilograms rests on the value and on the unit, of a query of a column of kilograms."""
    table = {"columns": ["w", "f"], "rows": [[13.5, 6.5]]}
    (bare,) = of("it is 13.5 kg", table)
    told = of("it is 13.5 kg and $6.50", {**table, "units": {"w": "kg", "f": "$"}})
    assert bare.verdict == "partial"
    assert [(claim.verdict, len(claim.evidence)) for claim in told] == [("supported", 2)] * 2


def test_a_computation_that_a_step_states_makes_its_result_known() -> None:
    """If all operands are known and the arithmetic is right; what a step merely says is not known."""
    stated = {"s9": "So 350 + 1,040 = 1,390, and 350 + 7 = 357, and 350 * 2 = 800, and it is 555."}
    right, *others = of("it is 1,390 or 357 or 800 or 555", stated=stated)
    assert (right.support, right.verdict) == ("inference", "supported")
    assert right.computation is not None
    assert (right.computation.expression, right.computation.step) == ("a + b", "s9")
    assert {claim.verdict for claim in others} == {"not_found"}


def test_a_computation_that_the_answer_states_is_done_again() -> None:
    """A right result rests on the claims before it; a wrong one is contradicted, with the right one in the note."""
    *_, right = of("350 + 1,040 = 1,390")
    assert [one.type for one in right.evidence] == ["claim", "claim"]
    assert (right.support, right.verdict) == ("inference", "supported")
    *_, wrong = of("350 + 1,040 = 1,400")
    assert (wrong.verdict, wrong.note) == ("contradicted", "it is 1390")


def test_an_uncertain_name_is_a_claim_only_where_it_stands() -> None:
    """A single word that begins a sentence may be an ordinary one."""
    assert [claim.text for claim in of("Oslo is large. Deliveries take long.")] == ["Oslo"]


@pytest.mark.requirement("G2a")
def test_a_thousand_numbers_take_time_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the numbers take at most about twice the look-ups, and none is a walk over all that is known."""
    looked: list[str] = []
    exact = Grounds.exact
    monkeypatch.setattr(Grounds, "exact", lambda self, value, unit: (looked.append(value), exact(self, value, unit))[1])

    def lookups(count: int) -> int:
        looked.clear()
        answer = ", ".join(f"{n * 7 + 0.5}" for n in range(count))
        assert len(claims(answer, TASK, [ToolOutput("s1", [n * 7 + 0.5 for n in range(count)])])) == count
        return len(looked)

    assert lookups(1000) <= 2.2 * lookups(500) <= 500 * 10


def test_a_reading_gives_the_value_again() -> None:
    """What a claim records can be read again from its text."""
    for claim in of(f"{TEXT} It is 66.1 in Oslo, 1.5 hours.", 66.12):
        again = read(claim.text, claim.reading.form)
        assert (again.value, again.unit) == (claim.reading.value, claim.reading.unit)


def test_a_chain_of_sums_that_a_step_states_is_one_computation_over_what_it_began_with() -> None:
    """Each part of it is on record, so that it can be done again; a link that was rounded ends the chain."""
    worked = "Net: 348 - 48 = 300\nVAT: 300 * 19% = 57\nIn all: 57 + 350 = 407"
    (claim,) = of("it is 407 now", {"a": 348, "b": 48}, stated={"worked": worked})
    assert (claim.support, claim.verdict) == ("inference", "supported")
    assert claim.computation is not None and claim.computation.expression == "((a - b) * (c / 100)) + d"
    assert [type(one).__name__ for one in claim.evidence[:4]] == ["FromTool", "FromTool", "FromTask", "FromSource"]
    rounded = "Each: 348 / 48 = 7\nTwice: 7 + 348 = 355"
    (lost,) = of("it is 355 now", {"a": 348, "b": 48}, stated={"worked": rounded})
    assert lost.verdict == "not_found"


def test_a_name_behind_the_first_word_of_a_sentence_is_found() -> None:
    """Only where that alone stands there; a name that is wrong stays whole, and so does one that stands there whole."""
    text = "Anna Weber looks after it, with Sir Peter Brown."
    spans = (Source(source="1", start=0, end=len(text), text=text),)

    def said(answer: str) -> list[tuple[str, str]]:
        return [(one.text, one.verdict) for one in claims(answer, Task(text="?"), (), spans)]

    assert said("Contact Anna Weber at once.") == [("Anna Weber", "supported")]
    assert said("Contact Maria Weber at once.") == [("Contact Maria Weber", "not_found")]
    assert said("Sir Peter Brown knows. Maria Weber too.") == [
        ("Sir Peter Brown", "supported"), ("Maria Weber", "not_found"),
    ]  # fmt: skip
