"""Drafts: what nested research found, put together with one numbering of all its sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from aeon.engines.report.sifting import Sieve
from aeon.engines.report.tiers import Mode, Ranked
from aeon.engines.report.values import Comparison, Draft, Finding, Missing, Side, SourceCited
from aeon.engines.research.record import ErrorRecord, Research, SourceUsed
from aeon.engines.research.values import Citation, Sentence

__all__ = ["Answered", "Desk", "renumbered"]


@dataclass(slots=True)
class Answered:
    """A question put to the sources of one tier, or of all that the mode takes.

    ``queries`` are what was searched for it, ``dropped`` says why a finding does not stand any more.
    """

    number: int
    tier: int | None = None
    findings: list[Finding] = field(default_factory=list)
    comparison: Comparison | None = None
    queries: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    made: int = 0

    def missing(self) -> Missing:
        """That there is no finding on it."""
        return Missing(
            question=self.number,
            searched=tuple(dict.fromkeys(self.queries)),
            dropped=tuple(self.dropped),
            tier=self.tier,
        )


@dataclass(slots=True)
class Desk:
    """All that was found out for a report so far. ``used`` are the sources of the nested runs, by their names.

    ``numbers`` are those of all sources, by their names: two names of one text have one number.
    """

    query: str
    mode: Mode
    questions: list[str] = field(default_factory=list)
    places: dict[tuple[int, int | None], Answered] = field(default_factory=dict)
    used: dict[str, SourceUsed] = field(default_factory=dict)
    rankings: dict[str, Ranked] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    errors: list[ErrorRecord] = field(default_factory=list)
    limited: bool = False

    def of(self, number: int, tier: int | None) -> Answered:
        """The place of a question, made where it is new."""
        return self.places.setdefault((number, tier), Answered(number, tier))

    def take(self, place: Answered, research: Research, sieve: Sieve) -> None:
        """Keep what research found out on a question, and the sources that it saw through the sieve."""
        place.queries += research.searched
        self.errors += research.error_log
        self.limited |= research.limited
        self.used.update({source.source: source for source in research.sources})
        self.rankings.update(sieve.kept)
        place.findings += self._findings(place, research)

    def _findings(self, place: Answered, research: Research) -> Iterator[Finding]:
        """The sentences of the answer that cite something."""
        name = f"q{place.number}" if place.tier is None else f"q{place.number}t{place.tier}"
        for one in (sentence for sentence in research.sentences if sentence.citations):
            place.made += 1
            yield Finding(
                id=f"{name}.{place.made}", question=place.number, text=_plain(research.answer, one), tier=place.tier,
                citations=tuple(map(self.numbered, one.citations)), verdict=one.verdict, score=one.score, why=one.why,
            )  # fmt: skip

    def numbered(self, citation: Citation) -> Citation:
        """The citation by the number that its source has on the desk."""
        name = citation.source.source
        if name not in self.numbers:
            text = self.used[name].text_sha256 if name in self.used else ""
            same = (n for other, n in self.numbers.items() if text and self.used[other].text_sha256 == text)
            self.numbers[name] = next(same, max(self.numbers.values(), default=0) + 1)
            self.used.setdefault(name, SourceUsed(number=1, source=name, title=self.rankings[name].title or name))
        return citation.changed(number=self.numbers[name])

    def sides(self, place: Answered) -> tuple[Side, ...]:
        """What the sources say that are cited in one place, each once, by its longest sentence, which is no title."""
        cited: dict[str, Side] = {}
        for finding in reversed(place.findings):
            for name in dict.fromkeys(one.source.source for one in reversed(finding.citations)):
                own = (one for one in finding.citations if one.source.source == name)
                longest = max(own, key=lambda one: len(one.source.text))
                cited[name] = Side(answer=finding.text, citation=longest, tier=self.rankings[name].tier)
        return tuple(reversed(cited.values()))

    def compared(self, place: Answered, said: Comparison) -> Comparison:
        """What was said of the sources of a question, by the numbers that they have on the desk."""
        sides = tuple(one.changed(citation=self.numbered(one.citation)) for one in said.sides)
        return said.changed(question=place.number, sides=sides)

    def drop(self, names: Iterable[str]) -> bool:
        """Take back findings, and remember what they said; whether any was there."""
        rejected, dropped = frozenset(names), False
        for place in self.places.values():
            gone = [one for one in place.findings if one.id in rejected]
            place.dropped += [f"“{one.text}” is not supported by what it cites" for one in gone]
            place.findings = [one for one in place.findings if one.id not in rejected]
            dropped |= bool(gone)
        return dropped

    def found(self) -> Draft:
        """What research found, as it is: a draft in which the sources have the numbers of the desk."""
        places = sorted(self.places.values(), key=lambda one: one.number)
        names = {number: name for name, number in reversed(self.numbers.items())}
        return Draft(
            query=self.query,
            mode=self.mode,
            questions=tuple(self.questions),
            findings=tuple(one for place in places for one in place.findings),
            sources=tuple(self._source(names[number], number) for number in sorted(names)),
            comparisons=tuple(place.comparison for place in places if place.comparison),
        )

    def completed(self, draft: Draft) -> Draft:
        """The draft with the questions that it leaves open, and its sources numbered as they are cited."""
        there = {(one.question, tier) for one in draft.findings for tier in (None, one.tier)}
        there |= {(one.question, side.tier) for one in draft.comparisons for side in one.sides}
        places = sorted(self.places.values(), key=lambda one: one.number)
        missing = tuple(one.missing() for one in places if (one.number, one.tier) not in there)
        return renumbered(draft.changed(missing=missing, limited=self.limited))

    def _source(self, name: str, number: int) -> SourceCited:
        used, ranking = self.used[name], self.rankings.get(name, Ranked(source=name))
        return SourceCited(
            number=number, source=name, title=used.title or name, tier=ranking.tier, type=ranking.type, site=used.site,
            published=used.published, retrieved=used.retrieved, text_sha256=used.text_sha256,
        )  # fmt: skip


def renumbered(draft: Draft) -> Draft:
    """The draft with the sources that it cites alone, numbered from 1 in the order in which they are cited."""
    cited = dict.fromkeys(one.number for _, one in draft.citations())
    numbers = {old: new for new, old in enumerate(cited, 1)}

    def told(one: Citation) -> Citation:
        return one.changed(number=numbers[one.number])

    return draft.changed(
        findings=tuple(one.changed(citations=tuple(map(told, one.citations))) for one in draft.findings),
        sources=tuple(draft.source(old).changed(number=new) for old, new in numbers.items()),
        comparisons=tuple(
            one.changed(sides=tuple(side.changed(citation=told(side.citation)) for side in one.sides))
            for one in draft.comparisons
        ),
    )


def _plain(answer: str, sentence: Sentence) -> str:
    """A sentence without the numbers of the nested research that the host put into it."""
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in sentence.citations))
    before, _, behind = answer[sentence.start : sentence.end].rpartition(f" {marks}")
    return f"{before}{behind}"
