"""Whether the claims of a proof are those of its answer: each value and each sentence. Standard library alone.

The values are found again by the same code that the claims were made with, so none can be left out or added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from aeon.language.mention import Mention
from aeon.proof.canonical import output_of
from aeon.proof.equations import equations, with_constants
from aeon.proof.figures import figures_of_answer, halves, values_of_source
from aeon.proof.marks import CITATION
from aeon.proof.mentions import values
from aeon.proof.stated import Stated, record_of, taken_steps

__all__ = ["GROUNDS", "LABEL", "problems_of_sentences", "problems_of_values", "uncovered", "values_of"]

LABEL = "judged to count, to label or to assume, and to state nothing"
"""The note on a value that a judge holds to be no statement."""
GROUNDS = ("calls", "outputs", "sentences")
"""How the values of an answer were found and looked up: in calls of tools, in outputs, or each in what it cites."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_CLOSING = "\"'“”’»«)]*_】"
_NO_END = ",;:،、-–—"
_LONG = 300
"""Characters from which on a sentence may be cut at a blank."""
_STANDS = ("supported", "partial", "contradicted")
_Pair = tuple[Mention, Mapping[str, Any]]
"""A value, and its claim."""


def _use_numbers(steps: Sequence[Mapping[str, Any]]) -> set[int]:
    """The numbers by which an answer may cite the calls among these steps."""
    names = (str(step["id"]).rpartition(".")[2] for step in steps if step["tool"])
    return {int(name) for name in names if name.isdecimal() and len(name) < 10}


def values_of(document: Mapping[str, Any], claims: Sequence[Mapping[str, Any]]) -> tuple[Mention, ...]:
    """The values of the answer of a proof, in order; ``claims`` has its sentences, where each is read by itself."""
    answer, kind = document["answer"], document["grounds"]["kind"]
    if kind == "calls":
        return figures_of_answer(answer, _use_numbers(taken_steps(document)), document["grounds"]["names"])
    if kind == "outputs":
        return values(answer)
    spans = [(one["start"], one["end"]) for one in claims if one["kind"] == "sentence"]
    return tuple(mention.moved(start) for start, end in spans for mention in figures_of_answer(answer[start:end]))


def problems_of_values(document: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the claims as those of all values of the answer, and with verdicts that rest on nothing."""
    yield from _problems_of_names(document)
    found = _Found(document)
    yield from found.problems
    for mention, claim in found.pairs:
        if (problem := _problem_of(claim, mention, document, found.record)) is not None:
            yield f"claim {claim['id']}: {problem}"


def _problems_of_names(document: Mapping[str, Any]) -> Iterator[str]:
    """Names of sources that no step names: what an answer says would be no value by them."""
    said = {one[field] for one in document["sources"] for field in ("id", "location")}
    for step in (step for one in document["derivations"] for step in one["steps"]):
        for text in (step["arguments"], step["output"]):
            try:
                said.update(_sources_in(output_of(text)))
            except ValueError:  # that is a problem of its own
                continue
    for name in document["grounds"]["names"]:
        if name not in said:
            yield f"{name[:40]!r} is said to be the name of a source, and no step read one of that name"


def _sources_in(value: object) -> Iterator[str]:
    """What a JSON value names as a source, anywhere in it."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            yield str(one.get("source"))
            stack += one.values()
        elif isinstance(one, list):
            stack += one


class _Found:
    """The values that were found, those that have a claim each with it, and what is wrong with the others."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.record: Stated = record_of(document)
        self.pairs: list[_Pair] = []
        self._cited = _cited_by(document["claims"])
        self._claims = [one for one in document["claims"] if one["kind"] != "sentence"]
        self._by_span = {(one["start"], one["end"]): one for one in self._claims}
        loose = [one for one in values_of(document, document["claims"]) if not self._take(one)]
        self._loose = [one for one in loose if one.certain or self.record.has(one)]
        self._free = self._constants(document["answer"]) if document["grounds"]["kind"] != "outputs" else set()

    @property
    def problems(self) -> Iterator[str]:
        """Claims of no value, and values without a claim."""
        taken = {id(claim) for _, claim in self.pairs}
        for one in self._claims:
            if id(one) not in taken:
                yield f"claim {one['id']}: no value of the answer stands there"
        for mention in self._loose:
            if (mention.start, mention.end) not in self._free:
                place = f"characters {mention.start} to {mention.end} of the answer"
                yield f"{place}, {mention.text[:40]!r}, are a value and no claim"

    def _take(self, mention: Mention) -> bool:
        """Whether a value has its claim: as a whole, without a word that begins the sentence, or all its parts have."""
        whole = self._held([mention])
        later = [mention.later] if mention.later else []
        parts = [] if whole else self._held(later) or self._halved(mention) or self._held(mention.parts)
        self.pairs += whole or (parts if _stand(parts) else [])
        return bool(whole or (parts and _stand(parts)))

    def _held(self, mentions: Sequence[Mention]) -> list[_Pair]:
        """These values with their claims, if each has one."""
        pairs = [(one, self._by_span.get((one.start, one.end))) for one in mentions]
        held = [(one, claim) for one, claim in pairs if claim is not None and _is_of(claim, one)]
        return held if len(held) == len(pairs) else []

    def _halved(self, mention: Mention) -> list[_Pair]:
        """A date as its day and its year, if the claims of both rest on one text, where the day has no year."""
        held = self._held(halves(mention))
        places = [one for _, claim in held for one in claim["evidence"]]
        texts = {(one["type"], one["id"], one["path"]) for one in places}
        return held if len(texts) == 1 and _is_without_year(places[0], self._cited) else []

    def _constants(self, answer: str) -> set[tuple[int, int]]:
        """The values without a claim that only change units in an equation of the answer that holds."""
        loose: list[tuple[Mention, None]] = [(one, None) for one in self._loose]
        every = sorted([*self.pairs, *loose], key=_place)
        mentions = [one for one, _ in every]
        free: set[tuple[int, int]] = set()
        for equation in equations(answer, mentions):
            constants = [place for place in equation.operands if every[place][1] is None]
            result = every[equation.result][1]
            holds = result is not None and result["verdict"] == "supported"
            if holds and with_constants(equation, mentions, constants):
                free.update((mentions[place].start, mentions[place].end) for place in constants)
        return free


def _cited_by(claims: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What the sentences of an answer cite."""
    return [place for one in claims if one["kind"] == "sentence" for place in one["evidence"]]


def _is_without_year(place: Mapping[str, Any], cited: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the sentence that is cited for a day says no year with it."""
    own = (one for one in cited if one["id"] == place["id"] and one["start"] <= place["start"] < one["end"])
    around = next(own, place)
    at = place["start"] - around["start"]
    found = (one for one in values_of_source(around["exact"], cell=False) if one.start <= at < one.end)
    return any(form.read.value.startswith("0000-") for one in found for form in one.forms)


def _place(one: tuple[Mention, Any]) -> tuple[int, int]:
    return one[0].start, one[0].end


def _is_of(claim: Mapping[str, Any], mention: Mention) -> bool:
    """Whether a claim reads a value as it can be read."""
    kind = "date" if claim["form"] == "y" else mention.kind
    return claim["kind"] == kind and any(one.form == claim["form"] for one in mention.forms)


def _stand(held: Sequence[_Pair]) -> bool:
    """Whether what a value was taken apart into stands: else it is one value, which stands nowhere."""
    return all(claim["verdict"] in _STANDS for _, claim in held)


def _problem_of(claim: Mapping[str, Any], mention: Mention, document: Mapping[str, Any], record: Stated) -> str | None:
    """What is wrong with the verdict on a value that rests on nothing; ``None`` if nothing is."""
    if claim["verdict"] not in ("not_found", "not_checked"):
        return None
    if document["grounds"]["kind"] != "sentences":
        if not _may_be(claim["verdict"], claim["checks"], document["grounds"]["checked"]):
            return f"the run does not allow the verdict {claim['verdict']}"
        return _hidden(mention, record)
    around = [one for one in document["claims"] if _is_around(one, claim)]
    if claim["checks"]:
        cited = [(one["exact"], False) for sentence in around[:1] for one in sentence["evidence"]]
        return _hidden(mention, record, Stated(cited, values_of_source))
    return "it is of a sentence that cites, and nobody checked it" if any(map(_is_cited, around)) else None


def _hidden(mention: Mention, *records: Stated) -> str | None:
    """What is wrong with a value that is said to stand nowhere."""
    if not mention.certain:
        return "what may be no value is a claim only where it stands"
    stands = any(record.has(mention) for record in records)
    return "it stands in the record, and is said to stand nowhere" if stands else None


def _may_be(verdict: str, checks: Sequence[str], checked: bool) -> bool:
    """Whether a value can have this verdict in a run that looked something up, or did not."""
    if checks == ["judge"]:
        return checked and verdict == "not_checked"
    return checks == ["value"] and verdict == ("not_found" if checked else "not_checked")


def _is_around(sentence: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    return bool(sentence["kind"] == "sentence" and sentence["start"] <= claim["start"] < sentence["end"])


def _is_cited(sentence: Mapping[str, Any]) -> bool:
    """Whether a sentence is one that an engine wrote from sources."""
    return bool(sentence["evidence"]) or sentence["checks"] in (["judge"], ["words"])


def uncovered(answer: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The lines of an answer, or what is left of them, that are in none of these spans and have a letter or a digit.

    Marks of citations between sentences are none.
    """
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(answer)]
    for first, last in zip(ends, starts, strict=True):
        gap = CITATION.sub(lambda mark: " " * len(mark[0]), answer[first : max(first, last)])
        for line in re.finditer(r"[^\n]+", gap):
            text = line[0].strip()
            if any(map(str.isalnum, text)):
                start = first + line.start() + line[0].index(text)
                yield start, start + len(text)


def problems_of_sentences(answer: str, claims: Sequence[Mapping[str, Any]], cited: bool) -> Iterator[str]:
    """What is wrong with claims, in order, as those of all sentences of an answer.

    ``cited``: its sentences are those that an engine wrote from sources, with text of its own between them. Any other
    sentence ends as one does, or with its line.
    """
    spans = [(one["start"], one["end"]) for one in claims]
    yield from (f"characters {a} to {b} of the answer are in no sentence" for a, b in uncovered(answer, spans))
    cut = _cut(answer, spans)
    yield from (f"claim {one['id']}: it is no whole sentence of the answer" for one in claims if one["start"] in cut)
    for before, one in pairwise(claims):
        if (not cited or one["checks"] == ["words"]) and not _is_apart(answer, before, one):
            yield f"claim {one['id']}: it is a part of the sentence before it"


def _cut(answer: str, spans: Sequence[tuple[int, int]]) -> set[int]:
    """Where those of the spans begin that are no whole sentences."""
    ends, starts = {end for _, end in spans}, {start for start, _ in spans}
    return {start for start, end in spans if not _is_whole(answer, start, end, ends, starts)}


def _is_whole(answer: str, start: int, end: int, ends: set[int], starts: set[int]) -> bool:
    """Whether a span has no blanks at its ends and no blank line in it, and nothing beside it belongs to it."""
    text = answer[start:end]
    trimmed = text == text.strip() and _BLANK_LINE.search(text) is None
    return trimmed and _begins(answer, start, ends) and _ends(answer, end, starts)


def _is_apart(answer: str, before: Mapping[str, Any], one: Mapping[str, Any]) -> bool:
    """Whether a sentence does not go on with the one before it."""
    said = answer[before["start"] : before["end"]]
    return "\n" in answer[before["end"] : one["start"]] or _ends_so(said) or len(said) > _LONG


def _begins(answer: str, start: int, ends: set[int]) -> bool:
    """Whether nothing stands before a sentence that belongs to it."""
    return start in ends or not answer[:start][-1:].strip() or answer[start - 1] in "]】"


def _ends(answer: str, end: int, starts: set[int]) -> bool:
    """Whether nothing stands behind a sentence that belongs to it."""
    return end in starts or not answer[end : end + 1].strip() or CITATION.match(answer, end) is not None


def _ends_so(text: str) -> bool:
    """Whether a text ends as a sentence does: in a mark that is no comma, colon or dash."""
    last = text.rstrip().rstrip(_CLOSING)[-1:] or text[-1:]
    return not last.isalnum() and not last.isspace() and last not in _NO_END
