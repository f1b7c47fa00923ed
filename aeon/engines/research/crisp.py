"""Research by a small model: it reads running texts and answers; yes or no says whether these bear that out.

It is asked for one thing at a time, in the form that it is good at: a sentence, a line, the probability of a yes.
"""

from __future__ import annotations

from collections.abc import Sequence

from aeon.documents.sentences import sentences
from aeon.documents.telling import nearness
from aeon.engines.research.checking import Checked, Written
from aeon.engines.research.effects import Cite, PlanQueries, Reflect
from aeon.engines.research.materials import Materials, control_of, running
from aeon.engines.research.sizes import LONGEST_TITLE
from aeon.engines.research.values import Citation, Drafted, Queries, Query, Reflection
from aeon.errors import AllowanceExhausted, CompletionError, Truncated
from aeon.proof.figures import values_of_source
from aeon.runtime.ledger import current_ledger
from aeon.schema import Task, Verdict
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import JudgmentSpec, judgment
from aeon.supervisor.judge_standing import least
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.reading import lines_of
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Crisp"]

_PACKAGE = "aeon.engines.research"
_READ = 8
"""Passages that are read at once: of three, answers have an F1 of .46, of eight .55.

Among the first eight passages for a question are all its documents for 88 of 100, among sixteen for 97 (four sets).
"""
_LONGEST_QUESTION, _LONGEST_QUERY = 600, 200
_ANSWER_TOKENS, _LINE_TOKENS, _QUERY_TOKENS = 240, 60, 120
_MOST_SENTENCES = 4
_LEAST_CALLS = 4
"""Calls that a reading takes with its judgments, and the query behind it."""
_MOST_CITED = 3
"""Sentences that one of an answer rests on."""
_QUERIES = 3
_ANSWERS, _GIVES = "answers_question", "gives_answer"
"""The judgments of what an answer rests on: whether it answers the question, and whether it gives this answer."""
_LIKELY = 0.5
"""Probability from which on a judge says yes.

Of 32 readings of questions with known answers, in five languages (9 right, 9 wrong, 14 without their documents), both
say yes to 4, all right; the lower of both tells right ones from others with an AUROC of .93.
"""
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
_AS_A_WHOLE = "judged with the other sentences as a whole, which this judge was not measured on"
_TITLES = 12


def _titled(titles: Sequence[str], question: str) -> str:
    """A question behind titles of the texts that it is asked of."""
    lines = "\n".join(one_line(one, LONGEST_TITLE) for one in titles)
    return f"{fence('titles', lines, _TITLES * (LONGEST_TITLE + 1))}\n\nQuestion: {question}"


_TRANSLATED = tuple(
    (_titled(titles, question), translated)
    for titles, question, translated in (
        (("La panadería de Luz", "Actas del gremio, 1950"), "¿Quién compró el horno?", "¿Quién compró el horno?"),
        (
            ("The School Bees, 2011", "Minutes of the Parents' Council"),
            "Wer kümmert sich um die Bienen der Schule?",
            "Who looks after the bees of the school?",
        ),
        (
            ("Harbour Office Notices", "Tide Tables for 1931", "Lettre du pilote"),
            "Why was the harbour closed in March, and who had asked for it?",
            "Why was the harbour closed in March, and who had asked for it?",
        ),
        (
            ("Fährbericht Oktober", "Sturmschäden am Anleger"),
            "Why did the ferry leave later on the day of the storm?",
            "Warum fuhr die Fähre am Tag des Sturms später?",
        ),
        (
            ("How We Built the Mill", "A Letter from Vara"),
            "What became of the miller's sons after the fire?",
            "What became of the miller's sons after the fire?",
        ),
    )
)
"""More questions stay than are translated: with as many of each, the model translates what it need not."""


class Crisp:
    """Asks crisp questions. ``room``: so many bytes of texts go into a prompt."""

    def __init__(self, supervisor: Supervisor, judge: Judge, briefing: Briefing, room: int) -> None:
        self._supervisor = supervisor
        self._judge = judge
        self._briefing = briefing
        self._room = room

    async def plan(self, effect: PlanQueries) -> Queries:
        """The question itself, and in the language of the texts at hand, or other words that a text may have for it.

        Of 24 questions, 7 in another language than what answers them, the best eight passages then have all documents
        for 16, by the question alone for 13, and with three queries of the model for 11.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        question = effect.task.text[: 3 * _LONGEST_QUERY]
        own = Query(text=question, intent="the task itself")
        if effect.most < 2:
            return Queries(queries=(own,))
        if effect.titles:
            step = -(-len(effect.titles) // _TITLES)
            shown = _titled(effect.titles[::step], question)
            prompt = Prompt(load(_PACKAGE, "translate.md"), shown, _TRANSLATED, fixed=True)
            line = " ".join(await self._lines(prompt, _QUERY_TOKENS))[: 3 * _LONGEST_QUERY]
            translated = Query(text=line, intent="the task in the language of the texts")
            return Queries(queries=(own, translated) if translated.text else (own,))
        said = await self._lines(Prompt(load(_PACKAGE, "queries.md"), question, _EXAMPLES, fixed=True), _LINE_TOKENS)
        others = [Query(text=one, intent="other words that a text may have") for one in said]
        return Queries(queries=(own, *others[: min(_QUERIES, effect.most - 1)]))

    async def _lines(self, prompt: Prompt, tokens: int) -> tuple[str, ...]:
        """What the model says, line by line."""
        return lines_of((await self._supervisor.text(prompt, max_tokens=tokens, repairs=0)).value)

    async def reflect(self, effect: Reflect) -> Reflection:
        """The answer that the best passages give, how likely a judge holds it to be borne out, and what is next.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        shown = running(effect.texts[:_READ], self._room)
        draft, enough = await self._best(effect, shown)
        likely = draft[0].score if draft else None
        queries = () if enough or not effect.most else await self._next(effect, shown)
        gaps = tuple(one.text for one in queries)
        return Reflection(sufficient=enough, confidence=likely, draft=draft, queries=queries, gaps=gaps)

    async def _best(self, effect: Reflect, shown: Materials) -> tuple[tuple[Drafted, ...], bool]:
        """The likeliest answer, and whether it is enough: where the best passages give none, the next ones are read.

        In later rounds only the best ones are: of the next ones most were read before.
        """
        best = await self._read(effect.task, shown, effect.check)
        behind = effect.texts[_READ : 2 * _READ] if effect.round == 1 else ()
        if behind and not _is_settled(best) and current_ledger().calls_left() >= _LEAST_CALLS:
            more = await self._read(effect.task, running(behind, self._room), effect.check)
            best = max(best, more, key=_score)
        return best, bool(best) and (not effect.check or _score(best) >= _LIKELY)

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
        return Written(await self._read(effect.task, shown, effect.check))

    async def check(self, effect: Cite, written: Written) -> Checked:
        """What the probability says that the answer is right; nothing where the judge says yes to anything.

        An answer of several sentences is supported in part at most: it is judged as a whole, and the judge was measured
        on answers of one. Of two fresh open questions that it held to be answered so, neither was.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the judge gave nothing usable.
        """
        first = written.parts[0] if written.parts else Drafted(text="")
        if first.score is None or first.answers is None:
            return Checked()
        if first.score >= _LIKELY and await self._control(effect, written.parts) >= _LIKELY:
            return Checked()  # it says yes to anything
        standing = least([await self._judge.standing(judgment(name)) for name in (_ANSWERS, _GIVES)])
        count = len(written.parts)
        return Checked(
            verdicts=(_verdict(first.score, first.answers, count),) * count, scores=(first.score,) * count,
            notes=(_AS_A_WHOLE if count > 1 else "",) * count, standing=standing,
            reply="answer" if first.answers >= _LIKELY else "not_stated",
            value="supported" if await self._valued(effect.task, written) >= _LIKELY else "not_found",
        )  # fmt: skip

    async def _valued(self, task: Task, written: Written) -> float:
        """How likely what the answer cites gives its value; 0 without one."""
        if not written.value:
            return 0.0
        text = "\n".join(one.source.text for one in written.cited())
        return await self._gives(task, written.value, text) or 0.0

    async def _control(self, effect: Cite, parts: Sequence[Drafted]) -> float:
        """How likely a sentence that is not cited is to give the answer; 0 without one."""
        control = control_of(parts, effect.texts)
        if control is None:
            return 0.0
        (other,) = control.citations
        title = next(one.title for one in effect.texts if one.number == other.number)
        text = f"{one_line(title, _LONGEST_QUERY)}: {other.source.text}"
        return await self._gives(effect.task, _said(parts), text) or 0.0

    async def _read(self, task: Task, shown: Materials, check: bool) -> tuple[Drafted, ...]:
        """What the texts say to the question, each sentence with what it rests on, and how likely it is right."""
        if not shown.sentences:
            return ()
        asked = f"{fence('texts', shown.text, 2 * self._room)}\nQuestion: {self._question(task)}"
        prompt = Prompt(self._briefing.instructed(load(_PACKAGE, "answer.md").strip()), asked)
        try:
            said = (await self._supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0)).value
        except Truncated:  # it goes on and on, which is no answer
            return ()
        texts = [said[one.start : one.end] for one in sentences(said)][:_MOST_SENTENCES]
        draft = tuple(Drafted(text=one, citations=_cited(one, task, shown)) for one in texts)
        return await self._judged(task, draft, shown) if check and draft else draft

    async def _judged(self, task: Task, draft: tuple[Drafted, ...], shown: Materials) -> tuple[Drafted, ...]:
        """An answer with how likely the passages that it rests on answer the task, and give it.

        Where it does not answer the task, what it gives is not asked.
        """
        text = shown.within(one for part in draft for one in part.citations)
        answers = await self._asked(judgment(_ANSWERS), text=text, question=self._question(task))
        gives = None if answers is not None and answers < _LIKELY else await self._gives(task, _said(draft), text)
        likely = min((one for one in (answers, gives) if one is not None), default=None)
        return tuple(one.changed(score=likely, answers=likely if answers is None else answers) for one in draft)

    async def _gives(self, task: Task, answer: str, text: str) -> float | None:
        return await self._asked(judgment(_GIVES), text=text, question=self._question(task), answer=answer)

    def _question(self, task: Task) -> str:
        """The task with its context and what was clarified."""
        return self._briefing.facts(task, _LONGEST_QUESTION).removeprefix("TASK: ")

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
        near = shown.within(_nearest("", effect.task, shown)[:1])
        known = fence("texts", near, self._room) if near else ""
        lines = "; ".join(one_line(one.query, _LONGEST_QUERY) for one in effect.asked)
        text = f"{known}\nQuestion: {self._question(effect.task)}\nSearched for: {lines}".strip()
        try:
            said = await self._lines(Prompt(load(_PACKAGE, "missing.md").strip(), text), _LINE_TOKENS)
        except (CompletionError, AllowanceExhausted):
            return ()
        fresh = (one for one in said if one.casefold() not in asked)
        return tuple(Query(text=one, intent="what is missing") for one in fresh)[: min(1, effect.most)]


def _nearest(text: str, task: Task, shown: Materials) -> list[Citation]:
    """The sentences in the order of how near they are to a text and the question."""
    every = list(shown.sentences.values())
    near = nearness([one.source for one in every], f"{cut(task.text, _LONGEST_QUESTION)} {text}")
    return [every[place] for place in sorted(range(len(every)), key=lambda place: -near[place])]


def _cited(text: str, task: Task, shown: Materials) -> tuple[Citation, ...]:
    """The nearest sentences that have the values of an answer which its question has not; of none, the nearest one."""
    wanted, cited = _values(text) - _values(task.text), list[Citation]()
    ordered = _nearest(text, task, shown)
    for one in ordered if wanted else ():
        if having := wanted & _values(one.source.text):
            cited.append(one)
            wanted -= having
    return tuple(cited[:_MOST_CITED] or ordered[:1])


def _values(text: str) -> set[str]:
    return {form.read.value for mention in values_of_source(text, cell=False) for form in mention.forms}


def _said(parts: Sequence[Drafted]) -> str:
    return " ".join(one.text for one in parts)


def _score(draft: Sequence[Drafted]) -> float:
    """How likely an answer is; less than nothing without one."""
    return (draft[0].score or 0.0) if draft else -1.0


def _is_settled(draft: Sequence[Drafted]) -> bool:
    """Whether an answer is as likely as it has to be, or nobody can say how likely it is."""
    return bool(draft) and (draft[0].score is None or _score(draft) >= _LIKELY)


def _verdict(score: float, answers: float, count: int) -> Verdict:
    if score >= _LIKELY and count == 1:
        return "supported"
    return "partial" if answers >= _LIKELY else "not_found"
