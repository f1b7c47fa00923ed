"""Where sentences begin and end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.documents.sentences import heading_of, label_of, sentences

pytestmark = pytest.mark.requirement("T2")

PIECES = [
    "Dr. ", "No. 5", "z. B. ", "3.5 ", "\n", "\n\n", "# Title\n", "Title\n=====\n", "- item\n", "1. ", "| a | b |\n",
    "|---|---|\n", "key: value\n", "```\n", "A. ", "End. ", "Is it? ", "\"No!\" ", "https://a.b/c ", "。", "\t", "\r",
    "\u2028", "x" * 600 + " ", "y" * 1_200, "2024-01-01 10:00 ", "4.2 Leave\n\n",
]  # fmt: skip


def units(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[start:end] for start, end, _ in sentences(text)]


@given(st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5))).map("".join)))
def test_spans(text: str) -> None:
    """The spans are in order, disjoint, trimmed, never empty nor too long, and cover all that is not blank."""
    last = 0
    for start, end, _ in sentences(text):
        assert last <= start < end
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        assert end - start <= 1_000
        last = end
    assert not text[last:].strip()


@pytest.mark.parametrize(
    "parts",
    [
        ["One ends here.", "Another follows!", "Does it?", "“It does.”", "Yes."],
        ["Dr. Smith met J. R. Jones on Jan. 5, 2024 at 3.5 km.", "He said no.", "See No. 5 and p. 7."],
        ["Fruit, e.g. Apples, i.e. Food, cost $3.50 etc. in Rome.", "Visit https://a.b/c?d=1.", "Bye."],
        ["Vitamin C.", "It helps.", "The U.S. Senate met at 5 p.m. in May.", "It paid."],
        ["Das gilt z. B. Für Äpfel, d. h. Obst.", "Am 3. Oktober 1990 kam es so.", "Wir haben 30.", "Nr. 5 auch."],
        ["Am 2. Mai war es so weit.", "Die Firma XY GmbH zahlt bzw. Haftet."],
        ["Le rendez-vous est à 8 h 30.", "La clé est chez Mme Roy.", "C'est tout !"],
        ["El Sr. Ruiz paga 3,50 euros.", "¿Quién abre?", "¿Y quién es la Sra. Gil?"],
        ["On 12.05.2024 it rained.", "On 2024-05-12 too.", '"Really?" he asked.', "Yes."],
    ],
)
def test_running_text(parts: list[str]) -> None:
    """Abbreviations, initials, decimals, dates and addresses end no sentence, on one line or several."""
    if "Acme Inc. The firm pays." in parts:
        parts = [*parts[:-1], "Acme Inc.", "The firm pays."]
    if "Well… Yes." in parts:
        parts = [*parts[:-1], "Well…", "Yes."]
    assert units(" ".join(parts)) == parts
    assert units("\n".join(parts)) == parts


def test_wrapped_lines() -> None:
    """A sentence goes on over line breaks, even before a number, and not over a blank line."""
    assert units("It was on the\n3 of May. We\nleft\n\nThen.") == ["It was on the\n3 of May.", "We\nleft", "Then."]


PRICES = "Prices, in pounds\nApples      2.20 a kg\nPears       2.60 a kg\nJuice       3.60 a bottle, 9.50 the box"
HOURS = "Open until Christmas Eve\nFriday and Saturday 9.00 to 17.30\nSunday 10.00 to 16.00"
LETTER = (
    "The boiler will be serviced on Tuesday between ten and twelve by Ruth\nNagle, who has a key. Someone has to be "
    "at home\nThank you\nRuth"
)
RULES = (
    "* Everything in the kitty list is split by five, except that drinks are not shared at all. Cat things are split "
    "between Priya and Owen only."
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (PRICES, PRICES.split("\n")),
        (HOURS, HOURS.split("\n")),
        (LETTER, [LETTER[: LETTER.index(" Someone")], "Someone has to be at home", "Thank you", "Ruth"]),
        ("Bring a coat,\nBoots and a hat\nbut no umbrella", ["Bring a coat,\nBoots and a hat\nbut no umbrella"]),
        ("So it goes on\nAnd on in each\nOf these lines", ["So it goes on\nAnd on in each\nOf these lines"]),
    ],
)
def test_a_line_that_had_room_for_more_ends_there(text: str, parts: list[str]) -> None:
    """Prices and times line by line are no paragraph; a line that is full, or whose next one is small, is."""
    assert units(text) == parts


def test_the_sentences_of_a_long_item_are_units() -> None:
    """What is short stays with the rest of its item, which says what it is about."""
    assert units(RULES) == [RULES[:90], RULES[91:]]
    assert units("* Spare key: with Mrs Brennan. If you lose yours, ask her.") == [
        "* Spare key: with Mrs Brennan. If you lose yours, ask her."
    ]
    long = (
        "Squads: nine players at most, of whom five are on court at a time, four and a keeper. Flat soles only, no "
        "studs, no bare feet."
    )
    assert units(f"Where: the hall\n{long}") == ["Where: the hall", long[:85], long[86:]]


def test_lists() -> None:
    """Each item of a list is one unit with its further lines."""
    assert units("To do:\n- Buy. Sell.\n  Go.\n* Rest\n1. Eat\n2) Sleep\n• Run") == [
        "To do:",
        "- Buy. Sell.\n  Go.",
        "* Rest",
        "1. Eat",
        "2) Sleep",
        "• Run",
    ]


def test_tables() -> None:
    """Each row of a table is one unit; the rule below the head belongs to it."""
    assert units("| A | B |\n|---|---|\n| 1. X | 2 |\n\nc | d\n1 | 2\nText.") == [
        "| A | B |\n|---|---|",
        "| 1. X | 2 |",
        "c | d",
        "1 | 2",
        "Text.",
    ]


def test_a_line_with_dots_up_to_its_price_is_one_sentence() -> None:
    """The price belongs to what stands before it, not to the next line."""
    lines = [
        "First visit (45 minutes) ............ EUR 68",
        "Home visit, on top of the treatment . EUR 18",
        "Hire of a riding hat ................  2.50 euro a time",
        "Introduction . . . . . 4",
    ]
    assert units("Prices\n" + "\n".join(lines)) == ["Prices", *lines]
    prose = "We had meant to leave for the coast on the first boat ... at 9\nin the morning, but it rained."
    log = "2024-05-01 10:00:00 Loading ...... done 100%\n  with three warnings"
    assert units(prose) == [prose] and units(log) == [log]
    assert units("Well... I paid 20. So it was.") == ["Well... I paid 20.", "So it was."]


def test_keys() -> None:
    """Each line of keys and values is one unit, but a colon in running text is no key."""
    assert units("Name: Bob\nAge: 5. Years\n\nThe rule is: no\none may. Go.") == [
        "Name: Bob",
        "Age: 5. Years",
        "The rule is: no\none may.",
        "Go.",
    ]


def test_logs() -> None:
    """Each line of a log that begins with a time is one unit."""
    assert units("2024-01-01 10:00:01 ERR a. B\n  at x\n2024-01-01T10:01 b") == [
        "2024-01-01 10:00:01 ERR a. B\n  at x",
        "2024-01-01T10:01 b",
    ]


def test_headings() -> None:
    """A heading is a unit, and in force until the next one."""
    text = "Before.\n\n# One #\nText.\n\nTwo\n---\nMore.\n\n3.1 Sick leave\n\nText.\n\nGENERAL TERMS\n\nEnd."
    assert [(text[start:end], heading) for start, end, heading in sentences(text)] == [
        ("Before.", ""),
        ("# One #", "One"),
        ("Text.", "One"),
        ("Two\n---", "Two"),
        ("More.", "Two"),
        ("3.1 Sick leave", "3.1 Sick leave"),
        ("Text.", "3.1 Sick leave"),
        ("GENERAL TERMS", "GENERAL TERMS"),
        ("End.", "GENERAL TERMS"),
    ]


def test_bold_lines_are_headings_and_bold_words_a_label() -> None:
    """A label is that of its paragraph alone, and stands with its first sentence."""
    text = "**Noise**\n* Quiet from ten.\n\n**Safety.** Nobody climbs alone. Ring Delia.\n\nGo **on**."
    assert [(text[start:end], heading) for start, end, heading in sentences(text)] == [
        ("**Noise**", "Noise"),
        ("* Quiet from ten.", "Noise"),
        ("**Safety.** Nobody climbs alone.", "Safety"),
        ("Ring Delia.", "Safety"),
        ("Go **on**.", "Noise"),
    ]


@pytest.mark.parametrize(
    ("sentence", "title", "label"),
    [
        ("# Leave", "Leave", ""),
        ("__Bins__:", "Bins", ""),
        ("Prices\n------", "Prices", ""),
        ("**Safety.** Nobody climbs.", "", "Safety"),
        ("Safety first.", "", ""),
        ("* **Noise**", "", ""),
        ("", "", ""),
    ],
)
def test_a_sentence_is_a_heading_or_has_a_label(sentence: str, title: str, label: str) -> None:
    """As it is marked, and as it stands in its text."""
    assert (heading_of(sentence), label_of(sentence)) == (title, label)


@pytest.mark.parametrize("line", ["§ 4 Liability", "2.10.1 Hotels", "PART ONE"])
def test_titles(line: str) -> None:
    """A line that stands alone is a heading if it is numbered or in capitals."""
    assert [sentence.heading for sentence in sentences(f"{line}\n\nText.")] == [line, line]


@pytest.mark.parametrize(
    "line",
    ["3.50 EUR", "12.5 percent", "12.05.2024", "NAME: BOB", "A-17", "USA", "PART ONE.", "Text", "2.1 Hotels\nmore"],
)
def test_no_titles(line: str) -> None:
    """Amounts, dates, keys and whole sentences are no headings, nor are the lines of a paragraph."""
    assert {sentence.heading for sentence in sentences(f"{line}\n\nText.")} == {""}


def test_code() -> None:
    """Within a fence, each line is one unit and none is a heading."""
    text = "```\n# no heading\nx = 1. Y\n```\nText."
    assert units(text) == ["```", "# no heading", "x = 1. Y", "```", "Text."]
    assert {heading for _, _, heading in sentences(text)} == {""}


def test_east_asia() -> None:
    """Chinese and Japanese sentences end without a blank behind them."""
    assert units("これはペンです。「本です\uff01」はい。") == ["これはペンです。", "「本です\uff01」", "はい。"]


@pytest.mark.parametrize("text", ["." * 100_000, "|" * 100_000, "#" * 100_000, "a b " * 25_000, "\"'" * 50_000])
def test_odd_text_is_no_trap(text: str) -> None:
    """Text that is no language is cut to length."""
    assert "".join("".join(units(text)).split()) == "".join(text.split())
