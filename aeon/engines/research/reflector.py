"""Plans the queries of a run, and reflects on what they found: what is known by now, and what to search next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.documents.words import content_words
from aeon.engines.research.effects import Numbered, PlanQueries, Reflect
from aeon.engines.research.reading import combined, found_out, split
from aeon.engines.research.values import Finding, Queries, Query, Reflection
from aeon.grounding.mentions import mentions
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Reflector"]

_REFERENCE = re.compile(r"#(\d)")
_LONGEST_QUERY = 600
_PASSAGES = 4
"""Passages that a question is read from."""


class Reflector:
    """Takes a question apart, and puts together what was found out of its parts."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def plan(self, effect: PlanQueries) -> Queries:
        """The parts of the task, and queries for those that can be searched at once; and for the task as a whole.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        question = effect.task.text
        parts = await split(self._supervisor, question)
        ready = [
            Query(text=part[:_LONGEST_QUERY], intent=f"part {number} of the task")
            for number, part in enumerate(parts, 1)
            if len(parts) > 1 and not _REFERENCE.search(part)
        ]
        whole = Query(text=question[:_LONGEST_QUERY], intent="the task itself")
        names = [Query(text=name, intent=f"what there is about {name}") for name in _names(question)]
        return Queries(queries=tuple([*ready, whole, *names][: effect.most]), parts=tuple(parts))

    async def reflect(self, effect: Reflect) -> Reflection:
        """What the passages of the round say to the parts that can be answered now, and which queries come next.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        parts = effect.parts or (effect.task.text,)
        known = {finding.part: finding for finding in effect.findings if finding.answer}
        new: list[Finding] = []
        for number, question in _open(parts, known):
            if current_ledger().calls_left() < 2:
                break
            passages = _for(question, effect.shown)
            new.append(await found_out(self._supervisor, question, passages, number))
        known |= {finding.part: finding for finding in new if finding.answer}
        answer = await self._answer(effect, parts, known)
        queries = () if answer else tuple(_next(parts, known, effect))
        missing = tuple(question for _, question in _open(parts, known))
        return Reflection(
            sufficient=bool(answer), answer=answer, findings=tuple(new), gaps=missing, queries=queries[: effect.most]
        )

    async def _answer(self, effect: Reflect, parts: Sequence[str], known: dict[int | None, Finding]) -> str:
        """The answer to the task; "" where a part of it is not known."""
        if len(known) < len(parts):
            return ""
        if all(_REFERENCE.search(part) for part in parts[1:]):
            return known[len(parts)].answer
        return await combined(self._supervisor, effect.task.text, [known[n] for n in range(1, len(parts) + 1)])


def _open(parts: Sequence[str], known: dict[int | None, Finding]) -> Iterator[tuple[int, str]]:
    """The parts that have no answer and can be asked now: with answers in the places of their references."""
    for number, part in enumerate(parts, 1):
        references = [int(one) for one in _REFERENCE.findall(part)]
        if number not in known and all(one in known for one in references):
            yield number, _REFERENCE.sub(lambda match: known[int(match[1])].answer, part)


def _next(parts: Sequence[str], known: dict[int | None, Finding], effect: Reflect) -> Iterator[Query]:
    """What to search next: the parts that can be asked only now; for those that were not answered, their names."""
    asked = {one.query.casefold() for one in effect.asked}
    for number, question in _open(parts, known):
        if question.casefold() not in asked:
            yield Query(text=question[:_LONGEST_QUERY], intent=f"part {number} of the task")
        else:
            yield from (Query(text=name, intent=f"what there is about {name}") for name in _names(question))
            yield Query(text=" ".join(sorted(content_words(question))), intent=f"other words for part {number}")


def _for(question: str, shown: Sequence[Numbered]) -> list[Numbered]:
    """The passages that were found for this question; else those of all queries, the best of each first."""
    own = [one for one in shown if one.query.casefold() == question[:_LONGEST_QUERY].casefold()]
    ranked: dict[str, int] = {}
    others = []
    for one in shown:
        rank = ranked[one.query] = ranked.get(one.query, 0) + 1
        others.append((rank, one))
    rest = [one for _, one in sorted(others, key=lambda pair: pair[0])]
    distinct = {(one.number, one.passage.start): one for one in [*own, *rest]}
    return list(distinct.values())[:_PASSAGES]


def _names(text: str) -> list[str]:
    """The proper names of a text, each once."""
    return list(dict.fromkeys(one.text for one in mentions(text) if one.kind == "name"))
