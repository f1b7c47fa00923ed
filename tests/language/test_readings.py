"""Values as they are written in many languages: days with the names of months, numbers in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.language.readings import MONTHS, read
from aeon.proof.figures import figures_of_answer
from aeon.proof.mentions import mentions
from aeon.schema import Task
from scripts.checks.sources import sources

pytestmark = pytest.mark.requirement("L2", "G2")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Отчёт от 15 апреля 2025 г. готов.", "2025-04-15"), ("في ١٥ أبريل ٢٠٢٥ كان", "2025-04-15"),
        ("यह 15 अप्रैल 2025 को था", "2025-04-15"), ("यह १५ अप्रैल २०२५ को था", "2025-04-15"),
        ("Dnia 15 kwietnia 2025 r.", "2025-04-15"), ("15 Nisan 2025 tarihinde", "2025-04-15"),
        ("Στις 15 Απριλίου 2025 έγινε", "2025-04-15"), ("15 квітня 2025 року", "2025-04-15"),
        ("on 15 april 2025", "2025-04-15"), ("am 15. april 2025", "2025-04-15"), ("15 апреля", "0000-04-15"),
        ("апрель 2025", "2025-04-00"), ("2025年4月15日", "2025-04-15"), ("15 APRIL 2025", "2025-04-15"),
    ],
)  # fmt: skip
def test_days_are_read_by_the_months_of_many_languages(text: str, day: str) -> None:
    """In any script and case, by both ways to find values; the same day in English is what they rest on."""
    for found in (mentions(text), figures_of_answer(text)):
        assert [form.read.value for one in found for form in one.forms if one.kind == "date"] == [day]
    (claim,) = (
        one for one in claims(text, Task(text="When?"), [ToolOutput("s1", "15 April 2025")]) if one.kind == "date"
    )
    assert claim.verdict == "supported"
    wrong = claims(text, Task(text="When?"), [ToolOutput("s1", "16 May 2024")])
    assert [one.verdict for one in wrong if one.kind == "date"] == ["not_found"]


def test_a_month_in_small_letters_is_a_claim_where_it_stands() -> None:
    """Alone it may be another word."""
    for text in ("It opens in april.", "Ouvert en avril.", "в апреле и апрель"):
        (month,) = (one for one in mentions(text) if one.kind == "date")
        assert not month.certain and month.forms[0].read.value == "0000-04-00"
    assert [one.text for one in claims("In april.", Task(text="When?"), [ToolOutput("s1", "2 April 2025")])] == [
        "april"
    ]
    assert claims("In april.", Task(text="When?"), [ToolOutput("s1", "2 May 2025")]) == ()


@pytest.mark.parametrize(
    ("signs", "number"),
    [
        ("三十五", 35), ("十二", 12), ("两百", 200), ("一百零五", 105), ("二百五十", 250), ("一千零一", 1001),
        ("三万五千", 35_000), ("一亿二千万", 120_000_000), ("两万亿", 2 * 10**12), ("二〇二五", 2025), ("兩萬", 20_000),
    ],
)  # fmt: skip
def test_chinese_numbers_are_read(signs: str, number: int) -> None:
    """Each is a claim where its number stands, and none where it may be a part of a word."""
    assert read(signs, "han").number == number
    said = f"共有{signs}名员工。"
    for found in (mentions(said), figures_of_answer(said)):
        assert [(one.text, one.certain) for one in found] == [(signs, False)]
    assert [one.verdict for one in claims(said, Task(text="?"), [ToolOutput("s1", number)])] == ["supported"]
    assert claims(said, Task(text="?"), [ToolOutput("s1", number + 1)]) == ()


@pytest.mark.parametrize("signs", ["三百五", "一千二"])
def test_a_chinese_number_that_may_be_two_is_none(signs: str) -> None:
    """Said so it leaves a scale out."""
    with pytest.raises(ValueError):
        read(signs, "han")


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("hundertfünfzig", 150), ("zweihundert", 200), ("einhundertundeins", 101), ("tausendeins", 1001),
        ("Zwölftausend", 12_000), ("neunzehnhundertvierundachtzig", 1984), ("zweitausenddreissig", 2030),
        ("dreihunderttausend", 300_000), ("dreitausendzweihundertvierundzwanzig", 3224),
    ],
)  # fmt: skip
def test_large_german_numbers_are_read_whole(word: str, number: int) -> None:
    """In German text alone; "hundert" and "tausend" by themselves may just be many."""
    said = f"Es sind {word} Euro für die Gäste."
    (one,) = (one for one in mentions(said) if one.kind == "number")
    assert (one.text, one.forms[0].read.number, one.forms[0].read.unit) == (f"{word} Euro", number, "EUR")
    assert not [one for one in mentions("Es sind tausend Gäste, und hundert sind hier.") if one.kind == "number"]


def test_the_package_stays_small() -> None:
    """At most a thousand lines; its tables are data."""
    root = Path(__file__).parents[2]
    texts = [one.text for one in sources(root, "aeon") if one.name.startswith("aeon/language/")]
    assert 0 < sum(len(text.splitlines()) for text in texts) <= 1000


def test_the_months_are_those_of_cldr() -> None:
    """The table is what its script makes of Babel's data; no name stands for two months."""
    months = pytest.importorskip("scripts.checks.months", exc_type=ImportError)
    assert months.FILE.read_text(encoding="utf-8") == months.text()
    assert {*MONTHS.values()} == {*range(1, 13)} and len(MONTHS) > 300
