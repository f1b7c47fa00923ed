"""Drafts: what nested research found, put together with one numbering of all its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from aeon.engines.report.sifting import Sieve
from aeon.engines.report.tiers import Mode, Ranked
from aeon.engines.report.values import Comparison, Draft, Finding, Missing, Side, SourceCited
from aeon.engines.research.record import ErrorRecord, Research, SourceUsed
from aeon.engines.research.values import Citation

__all__ = ["Answered", "Desk", "unmarked"]

_MARKS = re.compile(r"(?<!\s)\s*[\[【]\s*\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*+(?:[\]】]|(?=[\[【]|[.!?]?$))")
"""Numbers of citations: those in a text that a model wrote may come from a page, so the host puts in its own."""


@dataclass(slots=True)
class Answered:
    """A question put to the sources of one tier, or of all that the mode takes.

    ``findings`` cite by the numbers of the nested research: a draft gives them its own. ``words`` are the wordings
    that were searched for, ``queries`` what was searched, ``dropped`` says why a finding does not stand any more.
    """

    number: int
    question: str
    tier: int | None = None
    findings: tuple[Finding, ...] = ()
    comparison: Comparison | None = None
    words: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What its findings are named by."""
        return f"q{self.number}" if self.tier is None else f"q{self.number}t{self.tier}"

    def found(self, research: Research, sieve: Sieve) -> Iterator[Finding]:
        """The findings of research on it; sentences that cite nothing are none."""
        for number, one in enumerate(research.sentences if research.short else (), 1):
            text = unmarked(research.answer[one.start : one.end])
            citations = tuple(sieve.in_context(citation) for citation in one.citations)
            if text and citations:
                found = Finding(id=f"{self.name}.{number}", question=self.number, text=text, citations=citations)
                yield found.changed(short=unmarked(research.short), tier=self.tier)

    @property
    def sides(self) -> tuple[Side, ...]:
        """What the sources say that were compared."""
        return self.comparison.sides if self.comparison is not None else ()


@dataclass(slots=True)
class Desk:
    """All that was found out for a report so far. ``used`` are the sources of the nested runs, by their names."""

    query: str
    mode: Mode
    questions: list[str] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    used: dict[str, SourceUsed] = field(default_factory=dict)
    rankings: dict[str, Ranked] = field(default_factory=dict)
    errors: list[ErrorRecord] = field(default_factory=list)
    limited: bool = False

    def of(self, number: int, tier: int | None) -> Answered:
        """The place of a question, made where it is new."""
        there = (one for one in self.answered if (one.number, one.tier) == (number, tier))
        place = next(there, None)
        if place is None:
            place = Answered(number, self.questions[number - 1], tier)
            self.answered.append(place)
        return place

    def take(self, place: Answered, research: Research, wording: str, sieve: Sieve) -> None:
        """Keep what research found out on a question, and the sources that it saw through the sieve."""
        place.words.append(wording)
        place.queries += [query for query in research.searched if query not in place.queries]
        self.errors += research.error_log
        self.limited |= research.limited
        self.used.update({source.source: source for source in research.sources})
        self.rankings.update(sieve.kept)
        place.findings = tuple(place.found(research, sieve))

    def drop(self, names: Iterable[str]) -> bool:
        """Take back findings, and remember what they said; whether any was there."""
        rejected, dropped = frozenset(names), False
        for place in self.answered:
            gone = [one for one in place.findings if one.id in rejected]
            place.dropped += [f"“{one.text}” is not supported by what it cites" for one in gone]
            if gone:
                place.findings = tuple(one for one in place.findings if one.id not in rejected)
                place.comparison, dropped = None, True
        return dropped

    def judge(self, findings: Iterable[Finding]) -> None:
        """Keep the verdicts on findings."""
        verdicts = {one.id: one for one in findings}
        for place in self.answered:
            place.findings = tuple(
                one.changed(verdict=verdicts[one.id].verdict, score=verdicts[one.id].score)
                if one.id in verdicts
                else one
                for one in place.findings
            )

    def draft(self) -> Draft:
        """The draft as it stands, with its sources numbered from 1 in the order in which they are cited."""
        numbers, places = self._numbers(), self._places()
        return Draft(
            query=self.query,
            mode=self.mode,
            questions=tuple(self.questions),
            findings=tuple(_numbered(one, numbers) for place in places for one in place.findings),
            sources=tuple(self._source(name, number) for name, number in _by_number(numbers)),
            comparisons=tuple(_sides(place, numbers) for place in places if place.comparison),
            missing=tuple(_missing(place) for place in places if not place.findings),
            limited=self.limited,
        )

    def _places(self) -> list[Answered]:
        return sorted(self.answered, key=lambda one: one.number)

    def _cited(self) -> Iterator[str]:
        """The names of the sources that are cited, in order, those of findings first."""
        for place in self._places():
            yield from (citation.source.source for one in place.findings for citation in one.citations)
        for place in self._places():
            yield from (side.citation.source.source for side in place.sides)

    def _numbers(self) -> dict[str, int]:
        """The number of each cited source by its name; two names of one text have one number."""
        by_text: dict[str, int] = {}
        numbers: dict[str, int] = {}
        for name in self._cited():
            text = self.used[name].text_sha256 if name in self.used else ""
            numbers[name] = by_text.setdefault(text or name, len(by_text) + 1)
        return numbers

    def _source(self, name: str, number: int) -> SourceCited:
        used = self.used.get(name)
        ranking = self.rankings.get(name, Ranked(source=name))
        title = (used.title if used is not None else ranking.title) or name
        source = SourceCited(number=number, source=name, title=title, tier=ranking.tier, type=ranking.type)
        if used is None:
            return source
        return source.changed(
            site=used.site, published=used.published, retrieved=used.retrieved, text_sha256=used.text_sha256
        )


def unmarked(sentence: str) -> str:
    """A sentence without the numbers of citations in it."""
    text = _MARKS.sub("", sentence).strip()
    return " ".join(text.split())


def _numbered(finding: Finding, numbers: Mapping[str, int]) -> Finding:
    citations = tuple(one.changed(number=numbers[one.source.source]) for one in finding.citations)
    return finding.changed(citations=citations)


def _sides(place: Answered, numbers: Mapping[str, int]) -> Comparison:
    comparison = place.comparison or Comparison()
    sides = tuple(_numbered_side(one, numbers) for one in comparison.sides)
    return comparison.changed(question=place.number, sides=sides)


def _numbered_side(side: Side, numbers: Mapping[str, int]) -> Side:
    citation: Citation = side.citation
    return side.changed(citation=citation.changed(number=numbers[citation.source.source]))


def _by_number(numbers: Mapping[str, int]) -> list[tuple[str, int]]:
    """The first name of each number."""
    first = {number: name for name, number in reversed(list(numbers.items()))}
    return [(first[number], number) for number in sorted(first)]


def _missing(place: Answered) -> Missing:
    return Missing(question=place.number, searched=tuple(place.queries), dropped=tuple(place.dropped), tier=place.tier)
