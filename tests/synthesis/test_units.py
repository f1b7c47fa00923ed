"""The unit of what is computed."""

from __future__ import annotations

import pytest

from aeon.schema import JsonValue, Source, Step, ToolCall
from aeon.synthesis.sentence import results_of
from aeon.synthesis.units import unit_of

pytestmark = pytest.mark.requirement("G7")


def quote(name: str, value: float, text: str) -> Step:
    """A step that quotes a number of a sentence."""
    source = Source(source="a.txt", start=0, end=len(text), text=text)
    call = ToolCall(tool="quote", arguments={"value": value, "source": "a.txt", "start": 0, "end": len(text)})
    done = Step(id=name, description=name, action=call, status="complete", mode="tool", output=value)
    return done.changed(sources=(source,))


def call(tool: str, argument: str, text: str, output: JsonValue = 7) -> Step:
    """The step with the answer."""
    action = ToolCall(tool=tool, arguments={argument: text})
    return Step(id="s9", description="answer", action=action, status="complete", mode="tool", output=output)


QUOTES = (
    quote("s1", 186000, "The yard in Brenn asks for 186,000 euros."),
    quote("s2", 211500, "The yard in Oster asks for 211,500 euros."),
    quote("s3", 20, "A return ticket costs 20 % less."),
    quote("s4", 12, "The walk takes 12 minutes."),
    quote("s5", 1, "A stamp costs 1 euro."),
    quote("s6", 4, "There are 4."),
    quote("w1", 4, "A token is good for four minutes."),
)


@pytest.mark.parametrize(
    ("expression", "unit"),
    [
        ("$s2 - $s1", "euros"),
        ("abs($s2 - $s1)", "euros"),
        ("round(-$s2 * 3, 2)", "euros"),
        ("3 * $s5 + $s1", "euros"),
        ("$s1 * (1 - $s3 / 100)", "euros"),
        ("$s1 / 4", "euros"),
        ("$w1 * 3", "minutes"),
        ("max($s1, $s2)", "euros"),
        ("$s1 + $s4", ""),
        ("$s1 * $s2", ""),
        ("$s1 / $s2", ""),
        ("$s1 + 5", ""),
        ("$s6 + $s6", ""),
        ("$s1 ** 2", ""),
        ("$s8 + $s1", ""),
        ("sqrt($s1)", ""),
        ("$s1 +", ""),
    ],
)
def test_a_sum_has_the_unit_of_its_values(expression: str, unit: str) -> None:
    """Where all have the same, or one alone has any; else nobody can tell."""
    assert unit_of(call("calculator", "expression", expression), QUOTES) == unit


def test_a_sum_of_a_sum_has_it_too() -> None:
    """Through each step between."""
    first = call("calculator", "expression", "$s2 - $s1").changed(id="s7")
    assert unit_of(call("calculator", "expression", "$s7 * 2"), (*QUOTES, first)) == "euros"


@pytest.mark.parametrize(
    ("query", "unit"),
    [
        ("SELECT SUM(takings_eur) FROM sailings", "euros"),
        ("SELECT ROUND(AVG(s.delay_min), 2) AS mean FROM sailings AS s", "minutes"),
        ("SELECT length_m FROM vessels", "metres"),
        ("SELECT MIN(temperature_min) FROM days", ""),
        ("SELECT COUNT(takings_eur) FROM sailings", ""),
        ("SELECT SUM(takings_eur) / SUM(passengers) FROM sailings", ""),
        ("SELECT route, SUM(takings_eur) FROM sailings", ""),
        ("SELECT SUM(passengers) FROM sailings", ""),
        ("SELECT km FROM trips", ""),
        ('SELECT "Jar (g)" FROM sales', "grams"),
        ('SELECT SUM("Price (EUR)") FROM sales', "euros"),
        ('SELECT MAX(s."Fed (kg)") FROM sales AS s', "kilograms"),
        ('SELECT AVG("Deposit €") FROM sales', "euros"),
        ('SELECT MIN("£ per bed") FROM rooms', "pounds"),
        ('SELECT SUM("Bill [in GBP]") FROM bills', "pounds"),
        ('SELECT "Size (S, M, L)" FROM shirts', ""),
        ("SELECT price_per_kg FROM prices", ""),
        ('SELECT COUNT("Jar (g)") FROM sales', ""),
    ],
)
def test_a_column_has_the_unit_that_its_name_ends_in(query: str, unit: str) -> None:
    """Where it alone is asked for."""
    assert unit_of(call("sql", "query", query), ()) == unit


def test_a_result_has_its_unit_behind_it() -> None:
    """A text has none, and none is put behind a bare value."""
    step = call("calculator", "expression", "$s2 - $s1", 25500)
    assert [one.text for one in results_of([step], every=QUOTES)] == ["25500 euros"]
    assert [one.text for one in results_of([step], units=False, every=QUOTES)] == ["25500"]
    named = call("sql", "query", "SELECT takings_eur FROM sailings", "none")
    assert [one.text for one in results_of([named])] == ["none"]


@pytest.mark.parametrize(
    ("query", "value", "said"),
    [
        ('SELECT SUM("Amt EUR") FROM bills', 228.3, "228.30"),
        ("SELECT SUM(takings_eur) FROM sailings", 228.3, "228.30 euros"),
        ('SELECT SUM("Amt EUR") FROM bills', 230.0, "230"),
        ('SELECT SUM("Amt EUR") FROM bills', 12, "12"),
        ('SELECT AVG("Amt EUR") FROM bills', 0.0355, "0.0355"),
        ('SELECT SUM("Weight kg") FROM sacks', 2.5, "2.5"),
        ("SELECT SUM(amount) FROM bills", 76.1 * 3, "228.30"),
    ],
)
def test_an_amount_of_money_has_its_cents(query: str, value: float, said: str) -> None:
    """Whole ones have none, and what is less than a cent is said as it is; other numbers have no zeros behind them."""
    assert [one.text for one in results_of([call("sql", "query", query, value)])] == [said]
