"""Finding the values of an answer: every notation, and what is no value."""

from __future__ import annotations

import pytest

from aeon.proof.mentions import mentions, values

pytestmark = pytest.mark.requirement("G1", "G2", "G2a")


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("It is 1,234.5 in all", "1234.5", ""),
        ("It is 1.234,5 in all", "1234.5", ""),
        ("It is 1 234,50 in all", "1234.5", ""),
        ("It is 1\N{NARROW NO-BREAK SPACE}234,50 in all", "1234.5", ""),
        ("It is 1'234.50 in all", "1234.5", ""),
        ("It is 12,34,567 in all", "1234567", ""),
        ("It is ١٢٣٤٫٥ in all", "1234.5", ""),
        ("It is १२ in all", "12", ""),
        ("It is 3/4 in all", "0.75", ""),
        ("It is 1½ hours in all", "1.5", "h"),
        ("It is 1/3 in all", "1/3", ""),
        ("It is three weeks in all", "3", "week"),
        ("Es sind zwölf Tage und das ist viel", "12", "day"),
        ("It is thirty euros in all", "30", "EUR"),
        ("It is seventy-one years in all", "71", "year"),
        ("Es sind einundzwanzig Tage und das ist viel", "21", "day"),
        ("Es sind dreißig Euro und das ist viel", "30", "EUR"),
        ("Es sind dreissig Euro und das ist viel", "30", "EUR"),
        ("It is -5 °C in all", "-5", "°C"),
        ("It is −€5 in all", "-5", "EUR"),
        ("It is $1,200 in all", "1200", "USD"),
        ("It is 1.2 million euros in all", "1200000", "EUR"),
        ("It is 19% in all", "19", "%"),
        ("It is 19 per cent in all", "19", "%"),
        ("It is 350 square metres in all", "350", "m²"),
        ("It is 45kg in all", "45", "kg"),
        ("It is 1.5e3 in all", "1500", ""),
        ("the 2nd one", "2", ""),
        ("それは1,040円です", "1040", ""),
        ("価格は１２３４円", "1234", ""),
        ("価格は3万円です", "30000", ""),
        ("약 1.2억 명", "120000000", ""),
        ("ราคา1040บาท", "1040", ""),
    ],
)
def test_a_number_is_read_in_any_notation(text: str, value: str, unit: str) -> None:
    """One number, its exact value and its unit."""
    found = [one for one in mentions(text) if one.kind == "number"]
    assert [(one.forms[0].read.value, one.forms[0].read.unit) for one in found] == [(value, unit)]


def test_an_ambiguous_notation_has_both_readings() -> None:
    """1.234 is one number with a decimal point and another with a thousands separator; 1.5 has one reading only."""
    ambiguous, plain = mentions("either 1.234 or 1.5")
    assert {(form.form, form.read.value) for form in ambiguous.forms} == {("point", "1.234"), ("comma", "1234")}
    assert [form.read.value for form in plain.forms] == ["1.5"]


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("on 2025-04-12 then", {"2025-04-12"}),
        ("on 12.04.2025 then", {"2025-04-12"}),
        ("on 12/04/2025 then", {"2025-04-12", "2025-12-04"}),
        ("on 25/04/2025 then", {"2025-04-25"}),
        ("on 12 April 2025 then", {"2025-04-12"}),
        ("on the 12th of April 2025 then", {"2025-04-12"}),
        ("on April 12, 2025 then", {"2025-04-12"}),
        ("am 3. März 2025 dann", {"2025-03-03"}),
        ("in March 2025 then", {"2025-03-00"}),
        ("on 12 April then", {"0000-04-12"}),
        ("会議は2025年4月12日です", {"2025-04-12"}),
        ("２０２５年４月１２日に", {"2025-04-12"}),
        ("2025年4月に", {"2025-04-00"}),
        ("2025年に", {"2025-00-00"}),
        ("4月12日に", {"0000-04-12"}),
        ("4月に", {"0000-04-00"}),
        ("2025년 4월 12일에", {"2025-04-12"}),
    ],
)
def test_a_date_is_read_in_any_form(text: str, readings: set[str]) -> None:
    """ISO, German, British, American and written dates; a numeric one that can be two days has both readings."""
    (found,) = [one for one in mentions(text) if one.kind != "name"]
    assert (found.kind, {form.read.value for form in found.forms}) == ("date", readings)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("from 1 to 4 October", "0000-10-01/0000-10-04"),
        ("vom 4. bis einschließlich 16. August 2025", "2025-08-04/2025-08-16"),
        ("du 4 au 16 août", "0000-08-04/0000-08-16"),
        ("del 4 al 16 de agosto de 2025", "2025-08-04/2025-08-16"),
        ("on October 1 to 4.", "0000-10-01/0000-10-04"),
        ("the 1st to the 4th of October 2026", "2026-10-01/2026-10-04"),
        ("vom 1.–4. Oktober 2026", "2026-10-01/2026-10-04"),
        ("vom 01.-04.10.2026", "2026-10-01/2026-10-04"),
        ("Oct 1-4, 2026", "2026-10-01/2026-10-04"),
        ("vom 1. bis zum 4. Oktober", "0000-10-01/0000-10-04"),
    ],
)
def test_the_first_and_the_last_of_several_days_are_one_value(text: str, days: str) -> None:
    """In any of the usual forms, with the month said once."""
    assert [one.forms[0].read.value for one in mentions(text) if one.kind != "name"] == [days]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("October 1 to 4 November", ["0000-10-01", "0000-11-04"]),
        ("4 to 1 October", ["4", "0000-10-01"]),
        ("We may 3 to 5 days.", ["3", "5"]),
        ("May 3 to 5 pm", ["0000-05-03", "17:00"]),
        ("October 1 to 4:30", ["0000-10-01", "04:30"]),
        ("30 to 31 June", ["30", "31", "0000-06-00"]),
    ],
)
def test_what_only_looks_like_several_days_of_a_month_is_none(text: str, values: list[str]) -> None:
    """Two months, a span of hours, days that no month has."""
    assert [one.forms[0].read.value for one in mentions(text)] == values


def test_so_many_things_of_a_month_are_no_day() -> None:
    """5 March tickets are five; on 5 March tickets were sold on that day, and so on the 5th."""
    assert [(one.kind, one.forms[0].read.value) for one in mentions("5 March tickets were paid in cash.")] == [
        ("number", "5"),
        ("date", "0000-03-00"),
    ]
    for text in (
        "On 5 March tickets were sold.",
        "the 5th March tickets",
        "It is 5 March as planned.",
        "5 March is it.",
    ):
        assert next(one.text for one in mentions(text) if one.kind == "date").startswith("5"), text


@pytest.mark.parametrize(
    ("text", "value"), [("at 2:30 pm", "14:30"), ("um 14 Uhr", "14:00"), ("at 08:05:30", "08:05:30")]
)
def test_a_time_of_day_is_read(text: str, value: str) -> None:
    """In 12 and 24 hours."""
    assert [(one.kind, one.forms[0].read.value) for one in mentions(text)] == [("time", value)]


@pytest.mark.parametrize(
    ("text", "kind", "whole"),
    [
        ("write to anna.weber@nord.example, please", "address", "anna.weber@nord.example"),
        ("see https://nord.example/a?b=12.", "address", "https://nord.example/a?b=12"),
        ("call +49 30 1234567 now", "address", "+49 30 1234567"),
        ("it says “no refunds after 14 days.” there", "quote", "no refunds after 14 days"),
        ("es heißt „keine Rückgabe“ dort", "quote", "keine Rückgabe"),
        ("ask Anna Weber there", "name", "Anna Weber"),
        ("at the Bank of England there", "name", "Bank of England"),
        ("by J. Smith there", "name", "J. Smith"),
        ("runs version 1.2.3 now", "name", "1.2.3"),
    ],
)
def test_words_are_taken_as_a_whole(text: str, kind: str, whole: str) -> None:
    """Addresses, quotations and names, with the digits in them."""
    assert [(one.kind, one.text) for one in mentions(text)] == [(kind, whole)]


def test_a_capital_letter_that_begins_a_sentence_makes_no_certain_name() -> None:
    """Function words are none at all, other single words are uncertain; two words are a name."""
    found = mentions("The shop opens. Deliveries take long. Anna Weber knows, says Nordholz.")
    assert [(one.text, one.certain) for one in found] == [
        ("Deliveries", False),
        ("Anna Weber", True),
        ("Nordholz", True),
    ]


def test_scripts_without_spaces_hide_no_name_and_make_none() -> None:
    """A name ends where such a script begins; its letters are no capitals. Digits with two scales are left out."""
    assert [one.text for one in mentions("担当はAnna Weberさん、第3回、3万5千円")] == ["Anna Weber", "3"]
    assert [one.text for one in mentions("2025年4月に")] == ["2025年4月"]


def test_signs_before_a_sentence_make_its_first_word_no_name() -> None:
    """Bullets, arrows, emoji; what may be left of a name without the word that begins the sentence is noted."""
    found = mentions("✅ Done.\n→ Call Mr Brown.\n🏛 Ask Weber. She asked Anna Weber.")
    assert [(one.text, one.certain, one.later and one.later.text) for one in found] == [
        ("Done", False, None), ("Call Mr Brown", True, "Mr Brown"), ("Ask Weber", True, None),
        ("Anna Weber", True, None),
    ]  # fmt: skip


def test_a_sign_before_a_space_is_none_of_a_fraction() -> None:
    """In a sum it stands between two."""
    assert [one.text for one in mentions("½ + ½ = 1, or −½")] == ["½", "½", "1", "−½"]


@pytest.mark.parametrize(
    "text",
    [
        "hundreds of euros", "a hundred of them", "nineteen eighty-four", "at seven thirty",
        "an elf sang", "the thirty-first one", "a twenty-four-hour day", "Forty-Niners",
    ],
)  # fmt: skip
def test_a_part_of_a_larger_number_or_another_word_is_no_number(text: str) -> None:
    """What cannot be read whole is not read in part."""
    assert not [one for one in mentions(f"It is {text}") if one.kind == "number"]


@pytest.mark.parametrize("name", ["Fifty Shades of Grey", "Sixty Minutes", "Twelve Angry Men", "Forty Thieves"])
def test_a_number_word_in_a_name_is_no_number(name: str) -> None:
    """The name is taken as a whole."""
    assert [(one.text, one.kind) for one in mentions(f"They saw {name} there")] == [(name, "name")]


def test_german_nouns_are_no_certain_names() -> None:
    """German capitalises every noun, so that a single one says nothing."""
    found = mentions("Die Miete für das Lager ist nicht im Preis und wird von Anna Weber bezahlt.")
    assert [one.text for one in found if one.certain] == ["Anna Weber"]


@pytest.mark.parametrize(
    "text",
    [
        "```\nx = 12\n```",
        "use `x = 12` here",
        "it says so [12]",
        "1. first\n2. second",
        "open 24/7",
    ],
)
def test_what_is_no_value_is_not_found(text: str) -> None:
    """Code, marks of citations, numbers of list items."""
    assert mentions(text) == ()


def test_json_has_values_in_its_strings_and_numbers_only() -> None:
    """Keys are none, escapes are skipped, spans are those of the whole answer."""
    answer = (
        '```json\n{"Total 7": 12.5, "who": "Anna Weber", "when": "2025-04-12", "b": "line\\nOslo 5", "c": true}\n```'
    )
    found = values(answer)
    assert [one.text for one in found] == ["12.5", "Anna Weber", "2025-04-12", "5"]
    assert all(answer[one.start : one.end] == one.text for one in found)


@pytest.mark.parametrize("answer", ["{", "{" * 5000, '"', "", "\x00", "12" * 5000, "1," * 3000, "A " * 3000])
def test_no_answer_breaks_it(answer: str) -> None:
    """Broken JSON, deep nesting, control characters, very long runs: values are spans, or there are none."""
    assert all(answer[one.start : one.end] == one.text for one in values(answer))
