"""The analyst: plans the questions of a report, and says what is searched again and what is dropped."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from aeon.engines.report.effects import Analyse
from aeon.engines.report.tiers import Ranked
from aeon.engines.report.timing import limit
from aeon.engines.report.values import Analysis, Draft, NewQuery, Review
from aeon.engines.research.common import stems
from aeon.engines.research.rewording import lines_of, reworded
from aeon.errors import CompletionError
from aeon.schema import Task
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Analyst"]

_PACKAGE = "aeon.engines.report"
_PLAN_TOKENS = 160
_LONGEST_QUERY, _LONGEST_QUESTION, _LONGEST_TITLES = 1_000, 250, 1_500
_LEAST = 2
_ASKING = re.compile(r"\b(?:when|where|whose|whom?|why|how|which)\b|\d+")
_TITLES = fence("titles", "Öresund Bridge\nTraffic figures 2019", 200)
_NO_TITLES = fence("titles", "none", 200)
_PLANNED = (
    (
        f"{_TITLES}\nTopic: the Öresund Bridge\nQuestions: 4",
        "When was the Öresund Bridge opened?\nWho designed the Öresund Bridge?\nHow long is the Öresund Bridge?\n"
        "How many vehicles cross the Öresund Bridge each day?",
    ),
    (
        f"{_NO_TITLES}\nTopic: Is the new tram line in Bergen on schedule, and what does it cost?\nQuestions: 3",
        "Is the new tram line in Bergen on schedule?\nWhat does the new tram line in Bergen cost?\n"
        "When does the new tram line in Bergen open?",
    ),
)


class Analyst:
    """Asks the model for questions alone; what is found on them, and what stands, is not the model's to write."""

    def __init__(self, supervisor: Supervisor, seconds: float) -> None:
        self._supervisor = supervisor
        self._seconds = seconds

    async def analyse(self, effect: Analyse) -> Analysis:
        """The next thing to do: at first a plan, later what the review or the gaps ask for.

        Raises:
            CompletionError: the model gave nothing usable in time.
            ModelError, AllowanceExhausted: it could not be asked.
        """
        async with limit("analyst", self._seconds):
            if not effect.draft.questions:
                return await self.research(effect.task, effect.context, effect.most)
            return await self.revise(effect.draft, effect.review, effect.worded, effect.last)

    async def research(self, task: Task, context: Sequence[Ranked], most: int) -> Analysis:
        """The questions that the report answers, at most so many; the query itself where the model finds none.

        Raises:
            ModelError, AllowanceExhausted: the model could not be asked.
        """
        query = _query(task)
        planned: list[str] = []
        if most > 1:
            titles = "\n".join(one_line(one.title or one.source, 100) for one in context) or "none"
            asked = (
                f"{fence('titles', titles, _LONGEST_TITLES)}\nTopic: {cut(query, _LONGEST_QUERY)}\nQuestions: {most}"
            )
            planned = await self._lines(Prompt(load(_PACKAGE, "plan.md"), asked, _PLANNED, fixed=True), _PLAN_TOKENS)
        questions = _on_topic(query, planned, most)
        return Analysis(
            status="SEARCH_REQUIRED",
            new_queries=tuple(NewQuery(number=number, text=text) for number, text in enumerate(questions, 1)),
            reasoning_chain=f"planned {len(planned)} questions, {len(questions)} of them on the topic",
        )

    async def revise(
        self, draft: Draft, review: Review | None, context: Sequence[str] = (), last: bool = False
    ) -> Analysis:
        """The draft without what the critic rejected; questions without findings are searched in other words.

        ``context`` are the wordings that were searched for. In the ``last`` round a question is searched again only if
        the critic took its findings back.

        Raises:
            ModelError, AllowanceExhausted: the model could not be asked.
        """
        drop = frozenset(review.rejected if review is not None else ())
        gaps = _gaps(draft, drop, last)
        worded = {one.casefold() for one in (*draft.questions, *context)}
        texts = [(number, await reworded(self._supervisor, draft.questions[number - 1], worded)) for number in gaps]
        queries = tuple(NewQuery(number=number, text=text) for number, text in texts if text)
        said = [f"dropped: {', '.join(sorted(drop)) or 'nothing'}"]
        said += [f"questions to search again: {len(gaps)}, worded otherwise: {len(queries)}"]
        return Analysis(
            status="SEARCH_REQUIRED" if queries else "DRAFT_READY",
            new_queries=queries,
            drop=tuple(sorted(drop)),
            reasoning_chain="; ".join(said),
        )

    async def _lines(self, prompt: Prompt, tokens: int) -> list[str]:
        """What the model writes, line by line; nothing where it writes nothing usable."""
        try:
            reply = await self._supervisor.text(prompt, max_tokens=tokens, repairs=0)
        except CompletionError:
            return []
        return lines_of(reply.value)


def _gaps(draft: Draft, drop: Collection[str], last: bool) -> list[int]:
    """The questions that have no finding; in the last round only those that just lost theirs."""
    left = {one.question for one in draft.findings if one.id not in drop}
    lost = {one.question for one in draft.findings if one.id in drop} - left
    if last:
        return sorted(lost)
    return [number for number in range(1, len(draft.questions) + 1) if number not in left]


def _on_topic(query: str, planned: Iterable[str], most: int) -> list[str]:
    """The planned questions that share a word with the query; where there are too few, the query itself comes first.

    Of those that ask the same in words that say nothing ("what is the name of the person who") the first is taken.
    """
    about = stems(query)
    first: dict[object, str] = {}
    for one in planned:
        if stems(one) & about:
            first.setdefault(_matter(one), one)
    questions = [*first.values()]
    if len(questions) < _LEAST:
        whole = one_line(query, _LONGEST_QUESTION)
        questions = [whole, *(one for one in questions if one.casefold() != whole.casefold())]
    return questions[:most]


def _matter(question: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a question is about, and what it asks of it: who, when, how; and its numbers."""
    return stems(question), frozenset(_ASKING.findall(question.casefold()))


def _query(task: Task) -> str:
    """The query with what people said that it means."""
    return "\n".join([task.text, *(one.answer for one in task.clarifications)])
