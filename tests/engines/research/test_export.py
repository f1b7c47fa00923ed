"""A researched answer as a file: each citation leads to the sentence that it cites, shown in its text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from aeon.engines.research.effects import Cite
from aeon.engines.research.export import export_of, to_html, to_markdown
from aeon.engines.research.record import Research
from aeon.engines.research.values import Citation, Cited, Sentence
from aeon.errors import UsageError
from aeon.schema import Claim, Found, Reading, Verdict
from aeon.schema.effects import Effect
from engines.research.world import World, cited, document, found, passage

pytestmark = pytest.mark.requirement("R3")

TASK = "Who built the *mill*, and when?"
MILL = "It stands by the river. It was built in 1883. Ann <b>Lee</b> built it. It has [7] wheels."
FIRST, SECOND = "It was built in 1883 [1].", "Ann Lee built it, by hand [1], as nobody else did [9]."
SPAN = re.compile(r"quote-1-\d+-\d+")


def said(effect: Effect, n: int) -> Cited:
    """Two sentences: one cites the second sentence of the source, the other one the third and the first."""
    assert isinstance(effect, Cite)
    spans = passage("mill.txt", MILL).sources()
    cited = [tuple(Citation(number=1, source=spans[n]) for n in places) for places in ((1,), (2, 0))]
    starts = (0, len(FIRST) + 1)
    sentences = tuple(
        Sentence(start=start, end=start + len(text), citations=one)
        for start, text, one in zip(starts, (FIRST, SECOND), cited, strict=True)
    )
    return Cited(text=f"{FIRST}\n{SECOND}", sentences=sentences)


@pytest.fixture
def result() -> Research:
    """An answer of two sentences that cite three sentences of one source."""
    return World(search=found(mill=MILL), cite=said).research(TASK)


class Page(HTMLParser):
    """What a browser sees: links with their texts, quotes by id with what is marked in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.quotes: dict[str, tuple[str, str]] = {}
        self.tags: set[str] = set()
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what is open."""
        self.tags.add(tag)
        if tag != "meta":
            self._open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close it."""
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """Keep the texts of links and quotes."""
        tags = dict(self._open)
        if href := tags.get("a", {}).get("href"):
            self.links.append((data, href))
        if name := tags.get("blockquote", {}).get("id"):
            whole, marked = self.quotes.get(name, ("", ""))
            self.quotes[name] = (whole + data, marked + data * ("mark" in tags))


def test_a_citation_leads_to_the_very_sentence_in_a_page(result: Research) -> None:
    """Each sentence to its own; what it cites beside that has a link of its own. No other number is a link."""
    page = Page(to_html(result, TASK))
    targets = [href.removeprefix("#") for _, href in page.links]
    assert [page.quotes[one][1] for one in targets] == [
        "It was built in 1883.", "Ann <b>Lee</b> built it.", "It stands by the river.",
    ]  # fmt: skip
    assert [text for text, _ in page.links] == ["[1]", "[1]", "[1.3]"]


def test_a_quote_is_marked_in_the_text_around_it(result: Research) -> None:
    """In a page as in Markdown; a text can become no markup."""
    page = Page(to_html(result, TASK))
    assert {whole for whole, _ in page.quotes.values()} == {MILL} and "b" not in page.tags
    text = to_markdown(result, TASK)
    assert "It stands by the river. <mark>It was built in 1883.</mark> Ann \\<b\\>Lee" in text
    assert "\\[7\\] wheels" in text and text.startswith("# Who built the \\*mill\\*, and when?\n")


def test_a_citation_leads_to_the_very_sentence_in_markdown(result: Research) -> None:
    """Each link has its anchor, just before the quote; a number that nothing stands behind stays text."""
    text = to_markdown(result, TASK)
    answer, _, below = text.partition("## Sources")
    links = re.findall(r"\[\\\[(1[.\d]*)\\\]\]\(#([\w-]+)\)", answer)
    assert [number for number, _ in links] == ["1", "1", "1.3"]
    anchors = re.findall(r'<a id="([\w-]+)"></a>\n\n> [^\n]*<mark>([^\n]*)</mark>', below)
    assert len(anchors) == 3 and dict(anchors)[links[0][1]] == "It was built in 1883."
    assert {target for _, target in links} == {name for name, _ in anchors} and all(map(SPAN.fullmatch, dict(anchors)))
    assert "\\[9\\]" in answer


def test_a_long_text_is_cut_around_the_quote() -> None:
    """What is left out is marked."""
    long = f"{'before. ' * 100}\n\nThe mill was built in 1883.\n\n{'behind. ' * 100}"

    def one(effect: Effect, n: int) -> Cited:
        span = next(source for source in passage("mill.txt", long).sources() if "1883" in source.text)
        sentence = Sentence(start=0, end=8, citations=(Citation(number=1, source=span),))
        return Cited(text="1883 [1].", sentences=(sentence,))

    result = World(search=found(mill=long), cite=one).research(TASK)
    ((whole, marked),) = Page(to_html(result, TASK)).quotes.values()
    assert marked == "The mill was built in 1883." and whole[0] == whole[-1] == "…" and len(whole) < 700


def judged(effect: Effect, n: int) -> Cited:
    """The same two sentences on one line, the first supported in part, the second not by what it cites."""
    plain = said(effect, n)
    verdicts: tuple[Verdict, Verdict] = ("partial", "not_found")
    pairs = zip(plain.sentences, verdicts, strict=True)
    return plain.changed(
        text=f"{FIRST} {SECOND}", sentences=tuple(one.changed(verdict=verdict) for one, verdict in pairs)
    )


def test_a_sentence_that_is_not_wholly_supported_is_marked() -> None:
    """Behind the sentence, in both forms; one that is supported, or that nobody checked, has no mark."""
    result = World(search=found(mill=MILL), cite=judged).research(TASK)
    partly, not_at_all = "supported in part", "not supported by what it cites"
    answer = to_markdown(result, TASK).splitlines()[2]
    assert re.fullmatch(rf"It was .* \*\({partly}\)\* Ann Lee .* as nobody else did .*\. \*\({not_at_all}\)\*", answer)
    page = to_html(result, TASK)
    assert f'<span class="note"> ({partly})</span><span> Ann Lee' in page
    assert f'<span class="note"> ({not_at_all})</span>' in page
    supported = World(search=found(mill=MILL)).research(TASK)
    assert [one.verdict for one in supported.sentences] == ["supported"]
    assert not any("(supported" in text for text in (to_markdown(supported, TASK), to_html(supported, TASK)))


def test_a_value_that_stands_nowhere_is_marked() -> None:
    """Behind its sentence, in both forms."""

    def stray(effect: Effect, n: int) -> Cited:
        reading = Reading(value="30", form="point", unit="m")
        claim = Claim(id="c1", start=0, end=2, text="30 *m*", kind="number", reading=reading, verdict="not_found")
        return cited(effect, n).changed(claims=(claim,))

    result = World(search=found(mill=MILL), cite=stray).research(TASK)
    assert result.stop_reason == "unsupported"
    assert r"*(30 \*m\* stands in nothing that it cites)*" in to_markdown(result, TASK)
    assert "(30 *m* stands in nothing that it cites)</span>" in to_html(result, TASK)


@pytest.mark.parametrize(("heading", "shown"), [("The *mill*", True), ("", False), ("Mills", False)])
def test_a_quote_has_its_page_and_its_heading(heading: str, shown: bool) -> None:
    """As in the terminal; a heading that is the title of the source is not said twice."""
    text = "It was built in 1883."
    one = passage("mill.pdf", text).changed(page=3, heading=heading)
    there = Found(provider="shelf", passages=(one,), documents=(document("mill.pdf", text, "Mills"),))

    def cite(effect: Effect, n: int) -> Cited:
        span = one.sources()[0]
        whole = Sentence(start=0, end=9, citations=(Citation(number=1, source=span),))
        return Cited(text="1883 [1].", sentences=(whole,))

    result = World(search=there, cite=cite).research(TASK)
    place = f"page 3, {heading}, characters 0 to 21" if shown else "page 3, characters 0 to 21"
    assert f">{place}</p>" in to_html(result, TASK)
    assert f"\n\n{place.replace('*', chr(92) + '*')}\n" in to_markdown(result, TASK)


@pytest.mark.parametrize("name", ["a.md", "a.MD", "a.html", "a.htm", "b.c.HTM"])
def test_the_ending_says_the_shape(name: str, result: Research) -> None:
    """Of a page both endings do."""
    text = export_of(name)(result, TASK)
    assert text.startswith("# " if name.lower().endswith("md") else "<!DOCTYPE html>")


@pytest.mark.parametrize("name", ["a", "a.pdf", "a.json", "md"])
def test_another_ending_is_refused(name: str) -> None:
    """The line says which there are."""
    with pytest.raises(UsageError, match=r"\.md or \.html"):
        export_of(name)
