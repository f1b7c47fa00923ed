"""Research by a small model: it reads running texts and answers; yes or no says whether what it cites bears that out.

It is asked for one thing at a time, in the form that it is good at: a sentence, a line, the probability of a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.documents.sentences import sentences
from aeon.documents.telling import nearness
from aeon.engines.research.checking import Checked, Written
from aeon.engines.research.effects import Cite, Numbered, PlanQueries, Reflect, Summarise
from aeon.engines.research.materials import Materials, numbered, running
from aeon.engines.research.values import Citation, Digest, Digests, Drafted, Queries, Query, Reflection
from aeon.errors import AllowanceExhausted, CompletionError, Truncated
from aeon.runtime.ledger import current_ledger
from aeon.schema import ReplyKind, Task, Verdict
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import JudgmentSpec, judgment
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Crisp"]

_PACKAGE = "aeon.engines.research"
_READ = 8
"""Passages that are read at once: of three, answers have an F1 of .46, of eight .55."""
_LONGEST_QUESTION, _LONGEST_QUERY, _LONGEST_SENTENCE, _LONGEST_TITLE = 600, 200, 1_000, 100
_ANSWER_TOKENS, _LINE_TOKENS = 120, 60
_MOST_SENTENCES = 4
_TRIED = 3
"""Sentences that may bear an answer out and are judged, the nearest first."""
_QUERIES = 3
_KEPT = 6
"""Sentences of a source that stand for it where there is no room for all."""
_WHOLE, _PART = "gives_answer", "evidence_supports"
"""The judgments of an answer and of a sentence of one."""
_LIKELY = 0.5
"""Probability from which on what is cited bears a sentence out."""
_NUMBERING = re.compile(r"^[\s\W]*(?:\d+\s*[.):-]\s*)?")
_PARTIAL = 0.25
"""Probability from which on what is cited counts as bearing a sentence out in part."""
_EXAMPLES = (
    (
        "Who looks after the bees at the school?",
        "school beekeeper\napiary keeper name\nperson responsible for the hives",
    ),
    (
        "Warum fuhr die Fähre am Tag des Sturms später?",
        "Fähre Verspätung Sturm Grund\nFährverkehr Unwetter unterbrochen\nAbfahrt der Fähre verschoben",
    ),
)


class Crisp:
    """Asks crisp questions. ``room``: so many bytes of texts go into a prompt."""

    def __init__(self, supervisor: Supervisor, judge: Judge, room: int) -> None:
        self._supervisor = supervisor
        self._judge = judge
        self._room = room

    async def plan(self, effect: PlanQueries) -> Queries:
        """The question itself, and other words that a text may have for it.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        question = effect.task.text[: 3 * _LONGEST_QUERY]
        own = Query(text=question, intent="the task itself")
        if effect.most < 2:
            return Queries(queries=(own,))
        prompt = Prompt(load(_PACKAGE, "queries.md"), question, _EXAMPLES, fixed=True)
        said = await self._supervisor.text(prompt, max_tokens=_LINE_TOKENS, repairs=0)
        others = [Query(text=one, intent="other words that a text may have") for one in _lines(said.value)]
        return Queries(queries=(own, *others[: min(_QUERIES, effect.most - 1)]))

    async def reflect(self, effect: Reflect) -> Reflection:
        """The answer that the best passages give, how likely a judge holds it to be borne out, and what is next.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        shown = running(effect.texts[:_READ], self._room)
        draft = await self._read(effect.task, shown)
        whole: float | None = None
        if effect.check and draft:
            draft, whole = await self._judged(effect.task, draft, shown)
        enough = bool(draft) and (whole is not None and whole >= _LIKELY if effect.check else True)
        queries = () if enough or not effect.most else await self._next(effect, shown)
        gaps = tuple(one.text for one in queries)
        return Reflection(sufficient=enough, confidence=whole, draft=draft, queries=queries, gaps=gaps)

    async def summarise(self, effect: Summarise) -> Digests:
        """The sentences of each source that are nearest to the task; a small model would say what they do not."""
        shown = numbered(effect.texts, self._room)
        digests: list[Digest] = []
        for number in sorted({one.number for one in effect.texts}):
            own = [one.source for one in shown.sentences.values() if one.number == number]
            near = nearness(own, effect.task.text)
            best = sorted(range(len(own)), key=lambda place: -near[place])[:_KEPT]
            digests.append(Digest(number=number, sentences=tuple(own[place] for place in sorted(best))))
        return Digests(digests=tuple(digests))

    async def write(self, effect: Cite, found: Sequence[str] = (), before: Written | None = None) -> Written:
        """The answer that was found while reading; where there is none, what the best passages say.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        if before is not None:  # a second try is no better
            return before
        if effect.draft:
            return Written(effect.draft)
        shown = running(effect.texts[:_READ], self._room)
        draft = await self._read(effect.task, shown)
        return Written((await self._judged(effect.task, draft, shown))[0] if effect.check and draft else draft)

    async def check(self, effect: Cite, written: Written) -> Checked:
        """What the probabilities say that sentences and answer are borne out by what they cite; with a control.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the judge gave nothing usable.
        """
        parts, task, spec = written.parts, effect.task, judgment(_WHOLE)
        shown = running(effect.texts[:_READ], self._room)
        known = [one.score for one in parts if one.score is not None]
        if not parts or len(known) < len(parts):
            return Checked()
        whole = min(known) if len(parts) == 1 else await self._whole(task, parts, shown)
        control = await self._control(task, parts, effect.texts)
        if whole is None or (control is not None and control >= max(whole, _LIKELY)):  # it says yes to anything
            return Checked()
        verdicts = tuple(_verdict(score) for score in known)
        standing = await self._judge.standing(spec)
        reply: ReplyKind = "answer" if whole >= _LIKELY else "not_stated"
        return Checked(verdicts=verdicts, scores=tuple(known), reply=reply, standing=standing)

    async def _control(self, task: Task, parts: Sequence[Drafted], texts: Sequence[Numbered]) -> float | None:
        """How likely a sentence of a source that is not cited is to give the answer; ``None`` without one."""
        cited = {one.number for part in parts for one in part.citations}
        others = (one for one in texts if one.number not in cited and one.passage.sources())
        other = next(others, None)
        if other is None:
            return None
        return await self._gives(task, _said(parts), running([other], self._room).text)

    async def _read(self, task: Task, shown: Materials) -> tuple[Drafted, ...]:
        """What the texts say to the question, each sentence with the one that is nearest to it."""
        if not shown.sentences:
            return ()
        asked = f"{fence('texts', shown.text, 2 * self._room)}\nQuestion: {cut(task.text, _LONGEST_QUESTION)}"
        prompt = Prompt(load(_PACKAGE, "answer.md").strip(), asked)
        try:
            said = (await self._supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0)).value
        except Truncated:  # it goes on and on, which is no answer
            return ()
        texts = [said[one.start : one.end] for one in sentences(said)][:_MOST_SENTENCES]
        return tuple(Drafted(text=one, citations=tuple(_near(one, task, shown)[:1])) for one in texts)

    async def _judged(
        self, task: Task, draft: Sequence[Drafted], shown: Materials
    ) -> tuple[tuple[Drafted, ...], float | None]:
        """The sentences with what bears them out best, and how likely that gives the answer to the question."""
        alone = len(draft) == 1
        parts = tuple([await self._placed(task, one, shown, alone) for one in draft])
        return parts, parts[0].score if alone else await self._whole(task, parts, shown)

    async def _placed(self, task: Task, one: Drafted, shown: Materials, alone: bool) -> Drafted:
        """A sentence with those of the near sentences that bear it out best; the first that is likely counts."""
        best = one
        near = _near(one.text, task, shown)
        for cited in _tried(near) if alone else ((each,) for each in near[:2]):
            told = shown.around(cited)
            score = await (self._gives(task, one.text, told) if alone else self._bears_out(one.text, told))
            if score is not None and score > (best.score or -1.0):
                best = one.changed(citations=cited, score=score)
            if score is None or score >= _LIKELY:
                break
        return best

    async def _whole(self, task: Task, parts: Sequence[Drafted], shown: Materials) -> float | None:
        """How likely all that is cited gives the whole answer."""
        every = tuple({(one.number, one.source.start): one for part in parts for one in part.citations}.values())
        return await self._gives(task, _said(parts), shown.around(every))

    async def _gives(self, task: Task, answer: str, text: str) -> float | None:
        question = cut(task.text, _LONGEST_QUESTION)
        return await self._asked(judgment(_WHOLE), text=text, question=question, answer=answer)

    async def _bears_out(self, claim: str, text: str) -> float | None:
        return await self._asked(judgment(_PART), evidence=text, claim=claim)

    async def _asked(self, spec: JudgmentSpec, **material: str) -> float | None:
        """What a judge says; ``None`` where it was measured to be bad, has no calls, or says nothing usable."""
        if not await self._judge.decides(spec) or current_ledger().calls_left() < await self._judge.most_calls(spec):
            return None
        try:
            return (await self._judge.ask(spec, material)).score
        except (CompletionError, AllowanceExhausted):
            return None

    async def _next(self, effect: Reflect, shown: Materials) -> tuple[Query, ...]:
        """What the model would search for next; nothing that was searched for before."""
        asked = {one.query.casefold() for one in effect.asked}
        near = _near("", effect.task, shown)[:_QUERIES]
        known = fence("texts", shown.around(near), self._room) if near else ""
        lines = "; ".join(one_line(one.query, _LONGEST_QUERY) for one in effect.asked)
        text = f"{known}\nQuestion: {cut(effect.task.text, _LONGEST_QUESTION)}\nSearched for: {lines}".strip()
        try:
            said = await self._supervisor.text(
                Prompt(load(_PACKAGE, "missing.md").strip(), text), max_tokens=_LINE_TOKENS, repairs=0
            )
        except (CompletionError, AllowanceExhausted):
            return ()
        fresh = (one for one in _lines(said.value) if one.casefold() not in asked)
        return tuple(Query(text=one, intent="what is missing") for one in fresh)[: min(1, effect.most)]


def _near(text: str, task: Task, shown: Materials) -> list[Citation]:
    """The sentences that are nearest to a sentence and the question, best first."""
    every = list(shown.sentences.values())
    near = nearness([one.source for one in every], f"{cut(task.text, _LONGEST_QUESTION)} {text}")
    return [every[place] for place in sorted(range(len(every)), key=lambda place: -near[place])[:_TRIED]]


def _tried(near: Sequence[Citation]) -> Iterator[tuple[Citation, ...]]:
    """Each of the sentences, and the first with one of another source: a question may say what two documents say."""
    yield from ((one,) for one in near)
    other = next((one for one in near[1:] if one.number != near[0].number), None)
    if other is not None:
        yield near[0], other


def _said(parts: Sequence[Drafted]) -> str:
    return " ".join(one.text for one in parts)


def _verdict(score: float) -> Verdict:
    if score >= _LIKELY:
        return "supported"
    return "partial" if score >= _PARTIAL else "not_found"


def _lines(said: str) -> list[str]:
    """The lines of a reply without their numbers and marks, each once."""
    lines = (_NUMBERING.sub("", line).strip(" \"'*") for line in said.splitlines())
    return list(dict.fromkeys(one_line(line, _LONGEST_QUERY) for line in lines if line))
