"""Research by a capable model: each phase is one reply, an object in the schema of the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import get_args

from pydantic import Field

from aeon.engines.research.checking import Checked, Written
from aeon.engines.research.effects import Asked, Cite, PlanQueries, Reflect, Summarise
from aeon.engines.research.materials import Materials, control_of, numbered
from aeon.engines.research.values import Digest, Digests, Drafted, Queries, Query, Reflection, TierName
from aeon.schema import Calculation, Task
from aeon.schema.frozen import Frozen, JsonObject, JsonValue
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge_support import CitedText, Claimed, SupportJudge
from aeon.supervisor.judge_verdict import strict_object
from aeon.supervisor.prompt import Prompt, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Structured"]

_PACKAGE = "aeon.engines.research"
_PLAN_TOKENS, _REFLECT_TOKENS, _SUMMARY_TOKENS = 500, 700, 900
_LONGEST_ASKED, _LONGEST_EARLIER, _LONGEST_FOUND = 3_000, 6_000, 2_000
_TIER = (
    " tier: how much research the task takes: simple (a fact or two), standard, or deep (many sources to hold "
    "against each other)."
)
_TEXT: JsonObject = {"type": "string"}
_TEXTS: JsonObject = {"type": "array", "items": _TEXT}
"""Of any number: an answer is not refused for what it points out too much of."""


class _Planned(Frozen):
    """PlanResponse of the reference, with the tier where that is asked."""

    queries: tuple[Query, ...] = Field(min_length=1)
    tier: TierName | None = None


class _Reflected(Frozen):
    """ReflectionResponse of the reference."""

    sufficient: bool
    confidence: float = Field(ge=0, le=1)
    gaps: tuple[str, ...] = ()
    new_queries: tuple[Query, ...] = ()


class _Part(Frozen):
    """A sentence of an answer, with the ids that it rests on."""

    text: str = Field(min_length=1)
    citations: tuple[str, ...]


class _Synthesised(Frozen):
    """SynthesisResponse of the reference, its answer sentence by sentence: the host writes the bibliography."""

    answer: tuple[_Part, ...] = ()
    not_found: tuple[str, ...] = ()
    calculations: tuple[Calculation, ...] = ()


class _Note(Frozen):
    """What is kept of the source of this number."""

    source: int
    summary: str = ""
    sentences: tuple[str, ...] = ()


class _Notes(Frozen):
    notes: tuple[_Note, ...] = ()


class Structured:
    """Asks for objects. ``room``: so many bytes of texts go into a prompt; ``tokens``: an answer may have so many."""

    def __init__(self, supervisor: Supervisor, judging: Supervisor, briefing: Briefing, room: int, tokens: int) -> None:
        self._supervisor = supervisor
        self._judging = judging
        self._briefing = briefing
        self._room = room
        self._tokens = tokens

    async def plan(self, effect: PlanQueries) -> Queries:
        """The queries of the model, at most as many as are wanted, and the tier where that is asked.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        system = render(load(_PACKAGE, "plan.md"), most=str(effect.most), tier=_TIER * effect.choose_tier)
        properties: dict[str, JsonValue] = {"queries": {**_many(_query(), effect.most), "minItems": 1}}
        if effect.choose_tier:
            properties["tier"] = {"type": "string", "enum": list(get_args(TierName))}
        parts = [*_titled("some of the texts at hand", effect.titles), self._briefing.facts(effect.task)]
        prompt = Prompt(self._briefing.instructed(system), "\n\n".join(parts))
        said = await self._supervisor.structured(
            prompt, _Planned, schema=strict_object(properties), max_tokens=_PLAN_TOKENS
        )
        return Queries(queries=_sound(said.value.queries, effect.most), tier=said.value.tier)

    async def reflect(self, effect: Reflect) -> Reflection:
        """What the model says of what was found.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        further = render(load(_PACKAGE, "reflect_queries.md"), most=str(effect.most)).rstrip() if effect.most else ""
        step = render(load(_PACKAGE, "reflect.md"), queries=further).strip()
        poor = {one.text for one in effect.poor}
        searched = "\n".join(_asked(one, one.query in poor) for one in effect.asked)
        missing = "\n".join(effect.gaps)
        parts = [
            fence("searches", searched, _LONGEST_ASKED),
            *([fence("missing before the last search", missing, _LONGEST_ASKED)] if missing else []),
            *(_titled("some of the texts at hand that no search has shown", effect.titles) if effect.most else ()),
            step,
        ]
        properties: dict[str, JsonValue] = {
            "sufficient": {"type": "boolean"},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "gaps": _TEXTS,
        }
        if effect.most:
            properties["new_queries"] = {"type": "array", "items": _query()}
        said = await self._supervisor.structured(
            self._over(numbered(effect.texts, self._room, effect.digests), effect.task, parts), _Reflected,
            schema=strict_object(properties), max_tokens=_REFLECT_TOKENS,
        )  # fmt: skip
        found = said.value
        return Reflection(
            sufficient=found.sufficient, confidence=found.confidence, gaps=tuple(filter(str.strip, found.gaps)),
            queries=_sound(found.new_queries, effect.most),
        )  # fmt: skip

    async def summarise(self, effect: Summarise) -> Digests:
        """What the model keeps of each source.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        shown = numbered(effect.texts, self._room)
        numbers = sorted({one.number for one in effect.texts})
        note: JsonObject = strict_object({
            "source": {"type": "integer", "enum": list[JsonValue](numbers)}, "summary": _TEXT,
            "sentences": _TEXTS,
        })  # fmt: skip
        prompt = Prompt(
            self._briefing.instructed(load(_PACKAGE, "summarise.md").strip()),
            f"{self._briefing.facts(effect.task)}\n\n{self._shown(shown)}",
        )
        said = await self._supervisor.structured(
            prompt, _Notes, schema=strict_object({"notes": _many(note, len(numbers))}), max_tokens=_SUMMARY_TOKENS
        )
        return Digests(digests=tuple(_digests(said.value.notes, shown)))

    async def write(self, effect: Cite, found: Sequence[str] = (), before: Written | None = None) -> Written:
        """The answer of the model, sentence by sentence; ``found`` is what a check found in the one ``before``.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        shown = numbered(effect.texts, self._room, effect.digests)
        parts = [load(_PACKAGE, "synthesise.md").strip()]
        if before is not None:
            longest = min(_LONGEST_FOUND, self._room // 3)
            amend = render(load(_PACKAGE, "amend.md"), found=fence("found", "\n".join(found), longest))
            earlier = fence("earlier reply", before.reply, min(_LONGEST_EARLIER, self._room // 2))
            parts += [earlier, amend.strip()]
        part = strict_object({"text": _TEXT, "citations": {**_TEXTS, "minItems": 1}})
        calculation = strict_object({"value": _TEXT, "expression": _TEXT})
        properties: dict[str, JsonValue] = {
            "answer": {"type": "array", "items": part}, "not_found": _TEXTS,
            "calculations": {"type": "array", "items": calculation},
        }  # fmt: skip
        said = await self._supervisor.structured(
            self._over(shown, effect.task, parts), _Synthesised, schema=strict_object(properties),
            max_tokens=self._tokens, check=partial(_faults, shown=shown),
        )  # fmt: skip
        made = said.value
        return Written(
            parts=tuple(Drafted(text=one.text, citations=shown.cited(map(_id, one.citations))) for one in _said(made)),
            missing=tuple(filter(str.strip, made.not_found)),
            calculations=tuple(one for one in made.calculations if one.expression.strip()),
            reply=json.dumps(made.model_dump(mode="json"), ensure_ascii=False),
        )

    async def check(self, effect: Cite, written: Written) -> Checked:
        """What the judge says of each sentence, of the answer, and of its value; nothing where it says yes to anything.

        The control is the first sentence over one that the answer does not cite. The value stands last, over all that
        the answer cites.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the judge gave nothing usable.
        """
        titles = {entry.number: entry.document.title or entry.document.source for entry in effect.sources.entries}
        control = control_of(written.parts, effect.texts, effect.digests)
        parts = [*written.parts, *written.valued()]
        said = await SupportJudge(self._judging, self._briefing, self._room).review(
            effect.task, [_claimed(one, titles) for one in parts],
            _claimed(control, titles) if control is not None else None, written.missing, written.calculations,
        )  # fmt: skip
        if said is None:
            return Checked()
        own = len(written.parts)
        return Checked(
            verdicts=said.verdicts[:own], notes=said.notes[:own], reply=said.reply, standing=said.standing,
            value=said.verdicts[own] if len(parts) > own else "not_checked",
        )  # fmt: skip

    def _over(self, shown: Materials, task: Task, parts: Sequence[str]) -> Prompt:
        """A step over the sources: what all of them share stands first, so that an endpoint need not read it again."""
        system = self._briefing.instructed(load(_PACKAGE, "sources.md").strip())
        return Prompt(system, "\n\n".join([self._shown(shown), self._briefing.facts(task), *parts]))

    def _shown(self, materials: Materials) -> str:
        return fence("sources", materials.text or "(nothing was found)", 2 * self._room)


def _claimed(part: Drafted, titles: Mapping[int, str]) -> Claimed:
    """A sentence with what it cites, by source."""
    numbers = dict.fromkeys(one.number for one in part.citations)
    texts = ((n, tuple(one.source.text for one in part.citations if one.number == n)) for n in numbers)
    return Claimed(part.text, tuple(CitedText(titles.get(number, ""), own) for number, own in texts))


def _faults(made: _Synthesised, shown: Materials) -> list[str]:
    """What is wrong with a reply: ids that nothing has, or neither an answer nor what is missing."""
    named = (_id(one) for part in made.answer for one in part.citations)
    unknown = [one for one in dict.fromkeys(named) if one not in shown.sentences]
    if not _said(made) and not any(map(str.strip, made.not_found)):
        return ["answer: it is empty, and not_found says nothing either"]
    return [
        f"citations: no sentence has the id {one_line(one, 20)!r}; ids stand before sentences" for one in unknown[:5]
    ]


def _said(made: _Synthesised) -> list[_Part]:
    """The sentences of an answer that say something."""
    return [one for one in made.answer if one.text.strip()]


def _id(said: str) -> str:
    return said.strip().strip("[]()")


def _digests(notes: Sequence[_Note], shown: Materials) -> Iterator[Digest]:
    for note in {one.source: one for one in notes}.values():
        cited = shown.cited(map(_id, note.sentences))
        kept = tuple(one.source for one in cited if one.number == note.source)
        yield Digest(number=note.source, summary=note.summary, sentences=kept)


def _titled(name: str, titles: Sequence[str]) -> Iterator[str]:
    """Titles of texts as a part of a prompt; nothing without any."""
    if titles:
        yield fence(name, "\n".join(one_line(one, 100) for one in titles), _LONGEST_ASKED)


def _asked(asked: Asked, poor: bool) -> str:
    found = "could not be searched for" if asked.failed else f"{asked.hits} passages, {asked.new} of them new"
    return f"- {one_line(asked.query, 200)}: {found}{', which is little' * poor}"


def _sound(queries: Sequence[Query], most: int) -> tuple[Query, ...]:
    return tuple(one for one in queries if one.text.strip())[:most]


def _query() -> JsonObject:
    return strict_object({"text": _TEXT, "intent": _TEXT})


def _many(items: JsonValue, most: int) -> JsonObject:
    return {"type": "array", "items": items, "maxItems": most}
