"""Claims about tables: sound and complete against a second reading without a database, or ill-typed."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.engines.tutor.actions import TableValue
from aeon.engines.tutor.checking import Checker, Ruling
from aeon.engines.tutor.looks import Seen
from aeon.engines.tutor.moves import Assert, typed
from aeon.engines.tutor.quantities import Constant, Tables, ValueOf
from aeon.engines.tutor.statements import Equals, Implies, Statement, ValueIs
from scripts.bench.games_claims import trial, truth

pytestmark = pytest.mark.requirement("E4d")
TABLES: Tables = {"sales": {"region": "text", "amount": "number", "code": "text", "day": "day", "paid": "truth"}}
SUM = ValueIs(table="sales", column="amount", aggregate="sum", value=5)


def rule(claim: Statement, *seen: TableValue) -> Ruling:
    """The verdict on a claim by what these queries gave, in order."""
    every = [Seen(number, one_query(one), one) for number, one in enumerate(seen, 1)]
    return Checker(every, {}, TABLES).rule(claim)


def one_query(seen: TableValue) -> object:
    """The look that gives a value; of the same aggregate."""
    return ValueOf(table=seen.table, column=seen.column, aggregate=seen.aggregate).needs()[0]


def gave(value: float | str | None, column: str = "amount", aggregate: str = "sum", within: float = 0.0) -> TableValue:
    """What a query gave."""
    return TableValue(table="sales", column=column, aggregate=aggregate, value=value, within=within)  # type: ignore[arg-type]


@given(st.integers())
@settings(max_examples=10, deadline=None)
def test_no_verdict_on_a_table_is_false_and_what_was_looked_at_is_decided(seed: int) -> None:
    """Whatever the cells are: a verdict is that of the second reading, and is given wherever that has one."""
    pytest.importorskip("duckdb")
    one = trial(Random(seed), 0, 30)
    for claim in one.claims:
        verdict, holds = one.verdict(claim), truth(claim, one.files, one.named)
        assert not one.errs(claim, verdict), (claim, one.files)
        if holds is not None and {*one.tried}.issuperset(claim.needs()):
            assert verdict in ("proved", "refuted"), (claim, one.files)


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        ({"column": "code", "aggregate": "min"}, "'code' holds texts, which have no least: ask for count"),
        ({"column": "code", "aggregate": "max"}, "no greatest"), ({"column": "code", "aggregate": "sum"}, "no sum"),
        ({"column": "day", "aggregate": "avg"}, "'day' holds days, which have no average: ask for min or max or count"),
        ({"column": "paid", "aggregate": "max"}, "no greatest"), ({"column": "Amount"}, "it has region, amount, code"),
        ({"column": ""}, "no column"), ({"equals": "North"}, "name the column that is 'North'"),
        ({"where": "region"}, "what 'region' is must be a text"), ({"where": "region", "equals": " x"}, "spaces"),
        ({"where": "amount", "equals": "1,200"}, "a number such as 12 or -1.5, not '1,200'"),
        ({"where": "amount", "equals": "nan"}, "a number such as"),
        ({"where": "paid", "equals": "yes"}, "true or false"),
        ({"where": "day", "equals": "01.02.2025"}, "a day such as 2025-03-31"),
        ({"column": "day", "aggregate": "min", "value": "01.02.2025"}, "write a day as 2025-03-31"),
    ],
)  # fmt: skip
def test_what_no_table_can_say_is_ill_typed(of: dict[str, str], reason: str) -> None:
    """Texts have no least one, whatever their letters; a value that its column cannot have chooses no rows."""
    claim = SUM.changed(**of)
    ruling = rule(claim, gave("-3", "code", "min"))
    assert ruling.verdict == "ill_typed" and reason in ruling.reason and "\n" not in ruling.reason
    assert rule(Equals(left=claim.sides[0], right=claim.sides[1])).verdict == "ill_typed"


def test_whole_numbers_and_decimals_are_compared_exactly() -> None:
    """A number that differs in its last digit is another one, however long; only averages have a margin."""
    for value in (10**12, 10**17 + 1, 0.0000000001):
        assert rule(SUM.changed(value=value), gave(value)).verdict == "proved"
    for value, claimed in ((10**12, 10**12 + 1), (10**17 + 1, 10**17), (0.0, 1e-10), (10**17 + 1, float(10**17 + 1))):
        assert rule(SUM.changed(value=claimed), gave(value)).verdict == "refuted"
    mean = ValueIs(table="sales", column="amount", aggregate="avg", value=10 / 3)
    seen = gave(3.33333333333, "amount", "avg", 3.4e-11)
    assert rule(mean, seen).verdict == "proved"
    assert rule(mean.changed(value=3.3333333), seen).verdict == "refuted"


def test_a_long_number_is_kept_and_worded_to_its_last_digit() -> None:
    """As it is put and read back: as a float, or in twelve digits, it would be another number."""
    said = SUM.fields() | {"type": "value", "value": 10**17 + 1}
    move = typed({"move": "ASSERT", "claim": said})
    assert isinstance(move, Assert) and isinstance(move.claim, ValueIs)
    assert move.claim.affirmed.endswith("is 100000000000000001")
    assert SUM.changed(value=1234567890123.25).affirmed.endswith("is 1234567890123.25")
    assert SUM.changed(value=12.0).affirmed.endswith("is 12") and SUM.changed(value=1e300).affirmed.endswith("1e+300")


def test_a_value_that_is_gone_does_not_stand_any_more() -> None:
    """A newer look that finds no row with a value leaves the claim open; the older one is not asked."""
    assert rule(SUM, gave(5)).verdict == "proved"
    assert rule(SUM, gave(5), gave(None)).verdict == "undecided"
    assert rule(SUM.changed(polarity=False), gave(5), gave(None)).verdict == "undecided"


def test_days_are_the_same_in_any_notation_of_theirs() -> None:
    """A day with midnight is that day; a number is none."""
    claim = ValueIs(table="sales", column="day", aggregate="min", value="2025-03-01")
    seen = gave("2025-03-01", "day", "min")
    assert rule(claim, seen).verdict == rule(claim.changed(value="2025-03-01T00:00"), seen).verdict == "proved"
    assert rule(claim.changed(value="2025-03-02"), seen).verdict == "refuted"
    assert rule(Equals(left=claim.sides[0], right=Constant(value=5)), seen).verdict == "refuted"


def test_nothing_follows_from_what_is_ill_typed() -> None:
    """An implication of such a claim is ill-typed: it would hold by a premise that is neither true nor false."""
    wrong = ValueIs(table="sales", column="day", aggregate="min", value="01.02.2025")
    seen = gave("2025-02-01", "day", "min")
    checker = Checker([Seen(1, one_query(seen), seen)], {1: wrong, 2: SUM}, TABLES)
    for claim in (Implies(premise=1, conclusion=2), Implies(premise=2, conclusion=1)):
        ruling = checker.rule(claim)
        assert ruling.verdict == "ill_typed" and ruling.reason.startswith("claim 1 is ill-typed: write a day")
