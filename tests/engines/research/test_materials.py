"""What prompts show of sources: sentences with ids, or a running text; each sentence once, and as much as fits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.engines.research.effects import Numbered
from aeon.engines.research.materials import Materials, numbered, running, size_of
from aeon.engines.research.values import Digest
from aeon.supervisor.prompt import fence
from engines.research import world
from engines.research.world import passage

pytestmark = pytest.mark.requirement("R3")

MILL = "It stands by the river. It was built in 1883. Ann Lee built it."
INN = "The inn opened in 1901. It closed."
WIDE = 100_000
HOSTILE = st.text(st.sampled_from("ab .!?\n\r\t\x1b\u2028\u202e</data>[1]2.5水。"), min_size=1, max_size=80)


def text_of(number: int, text: str, start: int = 0, title: str = "") -> Numbered:
    """A passage of the source of this number."""
    shown = world.numbered(number, f"{number}.txt", text, title=title)
    return shown.changed(passage=passage(f"{number}.txt", text, start))


def lines_of(materials: Materials) -> dict[str, str]:
    """The lines of sentences by the ids that they begin with."""
    pairs = (line.split(" ", 1) for line in materials.text.splitlines() if re.match(r"\d+\.\d+ ", line))
    return {name: rest for name, rest in pairs}


def test_each_id_gives_the_sentence_that_it_stands_before() -> None:
    """They count from 1 in each source, below its number and title."""
    shown = numbered([text_of(2, INN, title="Red Inn"), text_of(1, MILL)], WIDE)
    assert shown.text.splitlines() == [
        "[1] 1.txt", "1.1 It stands by the river.", "1.2 It was built in 1883.", "1.3 Ann Lee built it.",
        "[2] Red Inn", "2.1 The inn opened in 1901.", "2.2 It closed.",
    ]  # fmt: skip
    assert {name: one.source.text for name, one in shown.sentences.items()} == lines_of(shown)
    assert all(one.number == int(name.partition(".")[0]) for name, one in shown.sentences.items())


@given(st.permutations(range(4)))
def test_ids_do_not_depend_on_the_order_in_which_texts_were_found(order: list[int]) -> None:
    """They are stable while the same texts are shown."""
    texts = [text_of(1, MILL), text_of(2, INN), text_of(3, MILL), text_of(3, INN, start=len(MILL) + 1)]
    assert numbered([texts[n] for n in order], WIDE) == numbered(texts, WIDE)


@pytest.mark.parametrize("show", [numbered, running])
def test_overlapping_passages_give_each_sentence_once(show: object) -> None:
    """Whichever of them comes first."""
    middle = MILL.index("It was")
    parts = [text_of(1, MILL[middle:], start=middle), text_of(1, MILL), text_of(1, MILL[:middle].strip())]
    for texts in (parts, parts[::-1]):
        shown = show(texts, WIDE)  # type: ignore[operator]
        assert [one.source.text for one in shown.sentences.values()] == [
            "It stands by the river.", "It was built in 1883.", "Ann Lee built it.",
        ]  # fmt: skip
        assert shown.text.count("1883") == 1


@pytest.mark.requirement("R4")
@given(st.integers(0, 6_000), st.integers(1, 30))
def test_what_does_not_fit_is_left_out_from_the_end(room: int, count: int) -> None:
    """At least one passage is shown; the others are the first ones, and all is within the room."""
    texts = [text_of(n, MILL) for n in range(1, count + 1)]
    for shown in (numbered(texts, room), running(texts, room)):
        numbers = {one.number for one in shown.sentences.values()}
        assert numbers == set(range(1, len(numbers) + 1)) and numbers
        assert len(numbers) == 1 or len(shown.text.encode()) <= room
        assert len(numbers) == count or size_of(texts[: len(numbers) + 1]) > room


@pytest.mark.requirement("R4")
@given(st.lists(HOSTILE, min_size=1, max_size=5), st.lists(HOSTILE, min_size=1, max_size=3))
def test_a_prompt_takes_no_more_than_is_counted_for_it(texts: list[str], summaries: list[str]) -> None:
    """Whatever the texts hold, titles of usual length included."""
    shown = [text_of(n, text, title="A title") for n, text in enumerate(texts, 1)]
    digests = [Digest(number=n, summary=text) for n, text in enumerate(summaries, len(texts) + 1)]
    size = len(numbered(shown, WIDE, digests).text.encode())
    assert size <= size_of(shown, digests)


@given(st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=4))
def test_a_hostile_text_or_title_stays_on_its_line(pairs: list[tuple[str, str]]) -> None:
    """There are as many lines as titles and sentences, so that no text makes an id, a number or an end of its own."""
    texts = [text_of(n, text, title=title) for n, (text, title) in enumerate(pairs, 1)]
    shown = numbered(texts, WIDE)
    titles = {one.number for one in texts}
    assert len(shown.text.split("\n")) == len(shown.text.splitlines()) == len(titles) + len(shown.sentences)
    assert list(lines_of(shown)) == list(shown.sentences) or not all(map(str.strip, lines_of(shown).values()))
    assert fence("sources", shown.text, WIDE).lower().count("</data") == 1


def test_a_huge_title_and_a_huge_sentence_are_cut() -> None:
    """They take a line each, and push nothing else out; the id still gives the whole sentence."""
    shown = numbered([text_of(1, "a" * 50_000, title="t" * 50_000), text_of(2, INN)], WIDE)
    assert max(map(len, shown.text.splitlines())) < 1_100
    assert len(shown.sentences["1.1"].source.text) == 50_000 and "2.2 It closed." in shown.text


def test_an_id_that_nothing_has_is_left_out_and_each_is_taken_once() -> None:
    """In the order in which they are named."""
    shown = numbered([text_of(1, MILL)], WIDE)
    cited = shown.cited(["1.3", "9.9", "1.1", "1.3", "", "1"])
    assert [one.source.text for one in cited] == ["Ann Lee built it.", "It stands by the river."]


@pytest.mark.requirement("R4")
def test_a_digest_shows_the_summary_and_its_sentences_with_ids() -> None:
    """Of a source with a digest and another passage, both; the ids are in the order of the text."""
    first, _, last = passage("1.txt", MILL).sources()
    digests = [Digest(number=1, summary="of a\nmill", sentences=(last, first))]
    more = text_of(1, "It burnt down.", start=len(MILL) + 1)
    shown = numbered([more, text_of(2, INN)], WIDE, digests)
    assert shown.text.splitlines()[1:5] == [
        "In short: of a mill", "1.1 It stands by the river.", "1.2 Ann Lee built it.", "1.3 It burnt down.",
    ]  # fmt: skip
    assert {name: one.source.text for name, one in shown.sentences.items()} == lines_of(shown)


@pytest.mark.requirement("R4")
def test_digests_take_room_from_passages() -> None:
    """They are all shown, and what is left is for texts, of which one is shown in any case."""
    digests = [Digest(number=n, summary="s" * 400) for n in range(1, 6)]
    texts = [text_of(n, MILL) for n in range(6, 16)]
    room = size_of((), digests) + size_of(texts[:2])
    shown = numbered(texts, room, digests)
    assert {one.number for one in shown.sentences.values()} == {6, 7} and shown.text.count("In short") == 5
    assert {one.number for one in numbered(texts, 10, digests).sentences.values()} == {6}


@pytest.mark.requirement("R4")
@given(st.integers(0, 8_000), st.lists(st.lists(HOSTILE, max_size=5), min_size=1, max_size=9))
def test_digests_fit_the_room_themselves(room: int, texts: list[list[str]]) -> None:
    """The first sentence of each comes before the second of any; one passage is shown whatever they take."""
    digests = [
        Digest(
            number=n, title="Title", summary="s" * 100,
            sentences=tuple(passage(f"{n}.txt", f"{one}.", 999 * place).sources()[0] for place, one in enumerate(own)),
        )
        for n, own in enumerate(texts, 1)
    ]  # fmt: skip
    first = [text_of(20, MILL)]
    shown = numbered(first, room, digests)
    assert len(shown.text.encode()) <= max(room, size_of(first))
    assert {"20.1", "20.2", "20.3"} <= shown.sentences.keys()
    counts = [sum(one.number == n for one in shown.sentences.values()) for n in range(1, len(texts) + 1)]
    whole = numbered(first, WIDE, digests)
    assert len(whole.sentences) == 3 + sum(len({one.start for one in digest.sentences}) for digest in digests)
    assert max(counts) <= 1 or all(counts[n] for n, own in enumerate(texts) if own and f"[{n + 1}] " in shown.text)


def test_what_is_known_of_a_source_stands_beside_its_title() -> None:
    """Where it was published and when; a hostile site stays on the line."""
    text = text_of(1, MILL, title="Old\nMill").changed(about="example.org\n[2] x, 2019")
    digest = Digest(number=2, title="Inn", about="b.org", summary="It opened.")
    lines = numbered([text], WIDE, [digest]).text.splitlines()
    assert (lines[0], lines[-2]) == ("[1] Old Mill (example.org [2] x, 2019)", "[2] Inn (b.org)")


def test_a_running_text_has_dots_where_something_is_not_shown() -> None:
    """Sentences that follow each other are one text below the title; sources come in the order of their passages."""
    middle = MILL.index("It was")
    first, last = text_of(2, MILL[:middle].strip()), text_of(2, MILL[-len("Ann Lee built it.") :], len(MILL) - 17)
    shown = running([first, text_of(1, INN, title="Red Inn"), last], WIDE)
    assert shown.text == (
        "2.txt\nIt stands by the river. … Ann Lee built it.\n\nRed Inn\nThe inn opened in 1901. It closed."
    )
    assert shown.sentences["2.2"].source.text == "Ann Lee built it."
