"""The analyst: plans the questions of a report, writes the draft from what was found on them, and revises it."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

from pydantic import Field

from aeon.engines.report.effects import Analyse
from aeon.engines.report.tiers import IN_WORDS
from aeon.engines.report.timing import limit
from aeon.engines.report.values import Analysis, Draft, Finding, NewQuery, Review, Status
from aeon.engines.research.materials import Materials
from aeon.engines.research.values import Citation
from aeon.schema import Calculation, WorkForm
from aeon.schema.frozen import Frozen
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import Prompt, characters, cut, fence, load, render
from aeon.supervisor.reading import lines_of
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Analyst", "framed"]

_PACKAGE = "aeon.engines.report"
_PLAN_TOKENS, _LINE_TOKENS = 400, 60
_LONGEST_QUERY, _LONGEST_LINE, _LONGEST_TEXT, _LONGEST_PART = 1_000, 250, 1_000, 4_000
_RESERVED, _LEAST = 3_000, 1_000
"""Bytes of a prompt for its schema and its fences, and the fewest characters that are shown of the sources."""
_PLANNED = (
    (
        f"{fence('titles', 'Öresund Bridge', 200)}\nTopic: the Öresund Bridge\nQuestions: 3",
        "When was the Öresund Bridge opened?\nWho designed the Öresund Bridge?\nHow long is the Öresund Bridge?",
    ),
)


class _Questions(Frozen):
    questions: tuple[str, ...] = Field(min_length=1)


class _Sentence(Frozen):
    text: str = Field(min_length=1)
    citations: tuple[str, ...] = Field(min_length=1)


class _Section(Frozen):
    question: int
    sentences: tuple[_Sentence, ...]


class _Query(Frozen):
    question: int
    text: str = Field(min_length=1)


class _Written(Frozen):
    """The draft of the reference, sentence by sentence, each with the ids that it rests on."""

    sections: tuple[_Section, ...]
    not_found: tuple[str, ...]
    calculations: tuple[Calculation, ...]


class _Answer(Frozen):
    """What the analyst of the reference gives."""

    reasoning_chain: str
    status: Status
    new_queries: tuple[_Query, ...]
    draft: _Written


class Analyst:
    """Asks a model as it works best: a small one plans alone, and its draft is what its research found."""

    def __init__(
        self, supervisor: Supervisor, briefing: Briefing, form: Callable[[], Awaitable[WorkForm]], seconds: float,
        tokens: int,
    ) -> None:  # fmt: skip
        self._supervisor = supervisor
        self._briefing = briefing
        self._form = form
        self._seconds = seconds
        self._tokens = tokens

    async def analyse(self, effect: Analyse) -> Analysis:
        """The next thing to do: at first a plan, later a draft or what is still to be searched.

        Raises:
            CompletionError: the model gave nothing usable in time.
            ModelError, AllowanceExhausted: it could not be asked.
        """
        async with limit("analyst", self._seconds):
            small = await self._form() == "program"
            if effect.found.questions:
                return await (self._searched_again(effect) if small else self._drafted(effect))
            planned = await (self._listed(effect) if small else self._planned(effect)) if effect.most > 1 else ()
            questions = planned or (cut(effect.task.text, _LONGEST_QUERY),)
            queries = tuple(NewQuery(number=n, text=text) for n, text in enumerate(questions[: effect.most], 1))
            said = f"planned {len(planned)} questions"
            return Analysis(status="SEARCH_REQUIRED", new_queries=queries, reasoning_chain=said)

    async def _planned(self, effect: Analyse) -> tuple[str, ...]:
        system = render(load(_PACKAGE, "plan.md"), most=str(effect.most))
        prompt = Prompt(self._briefing.instructed(system), f"{self._briefing.facts(effect.task)}\n\n{_titles(effect)}")
        said = await self._supervisor.structured(prompt, _Questions, max_tokens=_PLAN_TOKENS)
        return tuple(dict.fromkeys(filter(str.strip, said.value.questions)))

    async def _listed(self, effect: Analyse) -> tuple[str, ...]:
        topic = "\n".join([effect.task.text, *(one.answer for one in effect.task.clarifications)])
        asked = f"{_titles(effect)}\nTopic: {cut(topic, _LONGEST_QUERY)}\nQuestions: {effect.most}"
        prompt = Prompt(load(_PACKAGE, "questions.md"), asked, _PLANNED, fixed=True)
        return lines_of(await self._supervisor.said(prompt, max_tokens=_PLAN_TOKENS) or "")

    async def _searched_again(self, effect: Analyse) -> Analysis:
        """What research found as the draft, without what the critic rejected; what has no finding is searched again."""
        drop = effect.review.rejected if effect.review is not None else ()
        left = tuple(one for one in effect.found.findings if one.id not in drop)
        queries = () if effect.last else tuple([one async for one in self._reworded(effect, left)])
        status: Status = "SEARCH_REQUIRED" if queries else "DRAFT_READY"
        return Analysis(status=status, new_queries=queries, draft=effect.found.changed(findings=left), drop=drop)

    async def _reworded(self, effect: Analyse, left: Sequence[Finding]) -> AsyncIterator[NewQuery]:
        """Each question without a finding in other words, where these were not searched for yet."""
        known = {one.question for one in left}
        for number, question in enumerate(effect.found.questions, 1):
            if number not in known:
                prompt = Prompt(load(_PACKAGE, "again.md").strip(), f"Question: {cut(question, _LONGEST_QUERY)}")
                lines = lines_of(await self._supervisor.said(prompt, max_tokens=_LINE_TOKENS) or "")
                if lines and lines[0] not in effect.searched:
                    yield NewQuery(number=number, text=lines[0])

    async def _drafted(self, effect: Analyse) -> Analysis:
        """The draft of the model, or what it still wants to be searched."""
        found = effect.found
        shown = _materials(found)
        parts = [fence("found", "\n".join(_found(found, shown)), 3 * _LONGEST_PART), self._briefing.facts(effect.task)]
        parts.append(IN_WORDS[effect.mode])
        if effect.review is not None and effect.draft is not None:
            parts.append(f"Your earlier draft:\n{fence('draft', _text(effect.draft), _LONGEST_PART)}")
            parts.append(f"What the critic says of it:\n{fence('review', _critique(effect.review), _LONGEST_PART)}")
        parts.append(fence("searched already", "\n".join(effect.searched), _LONGEST_PART // 2))
        parts += ["No search is left: write the draft."] if effect.last else []
        system = self._briefing.instructed(load(_PACKAGE, "draft.md").strip())
        text = await framed(self._supervisor, "sources", shown.text or "(nothing was found)", [system, *parts])
        prompt = Prompt(system, "\n\n".join([text, *parts]))
        said = await self._supervisor.structured(
            prompt, _Answer, max_tokens=self._tokens, check=lambda made: list(_faults(made, effect, shown))
        )
        return _analysis(effect, said.value, shown)


async def framed(supervisor: Supervisor, label: str, text: str, others: Sequence[str]) -> str:
    """The text as data, cut to what a prompt has room for beside the others."""
    left = (await supervisor.bounds()).prompt_bytes - _RESERVED - sum(len(one.encode()) for one in others)
    return fence(label, text, max(_LEAST, characters(text, left)))


def _titles(effect: Analyse) -> str:
    titles = [one_line(one.title or one.source, 100) for one in effect.context]
    return fence("titles", "\n".join(titles) or "none", 1_500)


def _materials(found: Draft) -> Materials:
    """The sentences that research cites, a line each with its id, below the titles of their sources."""
    lines, sentences = list[str](), dict[str, Citation]()
    for source in found.sources:
        spans = {one.source.start: one for _, one in found.citations() if one.number == source.number}
        tier = f"tier {source.tier}" if source.tier is not None else "of no known tier"
        about = ", ".join(filter(None, (tier, source.type, source.published)))
        lines.append(f"[{source.number}] {one_line(source.title, 100)} ({one_line(about, 100)})")
        for place, start in enumerate(sorted(spans), 1):
            sentences[f"{source.number}.{place}"] = spans[start]
            lines.append(f"{source.number}.{place} {one_line(spans[start].source.text, _LONGEST_TEXT)}")
    return Materials("\n".join(lines), sentences)


def _found(found: Draft, shown: Materials) -> Iterator[str]:
    """The questions with what research found on each, and where sources differ."""
    ids = {(one.number, one.source.start): name for name, one in shown.sentences.items()}
    for number, question in enumerate(found.questions, 1):
        yield f"Question {number}: {one_line(question, _LONGEST_LINE)}"
        for one in found.answered(number):
            cited = ", ".join(ids[each.number, each.source.start] for each in one.citations)
            yield f"- {one_line(one.text, _LONGEST_TEXT)} ({cited})"
        for each in (one for one in found.disagreements if one.question == number):
            said = (
                f"{one_line(s.answer, 200)} ({ids[s.citation.number, s.citation.source.start]})" for s in each.sides
            )
            yield f"- sources differ: {'; '.join(said)}"


def _text(draft: Draft) -> str:
    return "\n".join(one.text for one in draft.findings)


def _critique(review: Review) -> str:
    lines = (review.critique, *review.reasons, *review.logical_gaps, *review.suggestions)
    return "\n".join(f"- {one_line(one, 500)}" for one in dict.fromkeys(lines) if one)


def _faults(made: _Answer, effect: Analyse, shown: Materials) -> Iterator[str]:
    """What is wrong with a reply: numbers and ids that nothing has, or neither a draft nor a query."""
    searches = made.status == "SEARCH_REQUIRED"
    if searches and effect.last:
        yield "status: no search is left: give the draft"
    if not (made.new_queries if searches else made.draft.sections or made.draft.not_found):
        yield f"{made.status}: there is none: no query, no section, nothing that is not found"
    yield from _unknown(made, range(1, len(effect.found.questions) + 1), shown)


def _unknown(made: _Answer, questions: range, shown: Materials) -> Iterator[str]:
    """The numbers and ids that nothing has; a query may be for question 0, a new one."""
    asked = {*(one.question for one in made.new_queries), 0} - {0}
    asked |= {one.question for one in made.draft.sections}
    yield from (f"question: there is no question {number}" for number in asked.difference(questions))
    parts = (part for section in made.draft.sections for part in section.sentences)
    ids = {_id(name) for part in parts for name in part.citations}
    for one in ids - shown.sentences.keys():
        yield f"citations: no sentence has the id {one_line(one, 20)!r}; ids stand before the sentences"


def _id(said: str) -> str:
    return said.strip().strip("[]()")


def _analysis(effect: Analyse, made: _Answer, shown: Materials) -> Analysis:
    if made.status == "SEARCH_REQUIRED":
        new = itertools.count(len(effect.found.questions) + 1)
        queries = (NewQuery(number=one.question or next(new), text=one.text) for one in made.new_queries[: effect.most])
        return Analysis(status=made.status, new_queries=tuple(queries), reasoning_chain=made.reasoning_chain)
    findings = tuple(_findings(effect.found, made.draft.sections, shown))
    gaps = tuple(filter(str.strip, made.draft.not_found))
    draft = effect.found.changed(findings=findings, gaps=gaps, calculations=made.draft.calculations)
    return Analysis(status="DRAFT_READY", draft=draft, reasoning_chain=made.reasoning_chain)


def _findings(found: Draft, sections: Sequence[_Section], shown: Materials) -> Iterator[Finding]:
    """The sentences of a draft; one that rests on sources of one compared tier alone has that tier."""
    compared = {one.tier for one in found.findings if one.tier is not None}
    numbers = dict.fromkeys(range(1, len(found.questions) + 1), 0)
    for section in sorted(sections, key=lambda one: one.question):
        for part in section.sentences:
            numbers[section.question] += 1
            citations = shown.cited(map(_id, part.citations))
            tiers = {found.source(one.number).tier for one in citations}
            tier = next(iter(tiers)) if len(tiers) == 1 and tiers <= compared else None
            name = f"q{section.question}.{numbers[section.question]}"
            yield Finding(id=name, question=section.question, text=part.text, citations=citations, tier=tier)
