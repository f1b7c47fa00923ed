"""Plans the queries of a run, and reflects on what they found: what is known by now, and what to search next.

A question is read as it stands first; a judge says whether one sentence answers it. If none does, it is taken apart:
the model chooses the description in it that has to be looked up first, the host puts what was found in its place, and
so on; then the question names all that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aeon.adaptive.profiler import Profiler
from aeon.engines.research.choosing import best, is_about, is_found_about, own
from aeon.engines.research.common import content_words, stems
from aeon.engines.research.comparing import compared, sides_of
from aeon.engines.research.effects import Numbered, PlanQueries, Reflect
from aeon.engines.research.errands import folded
from aeon.engines.research.looking import Looker, is_unlikely, turned_down
from aeon.engines.research.naming import names_in
from aeon.engines.research.phrases import descriptions, is_nested, questions
from aeon.engines.research.reading import chosen
from aeon.engines.research.referring import referred
from aeon.engines.research.rewording import reworded
from aeon.engines.research.values import Aim, Finding, Queries, Query, Reflection, TierName
from aeon.engines.research.wording import other_words
from aeon.errors import AllowanceExhausted, CompletionError, ModelError
from aeon.multipass.effects import InferProfile
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.judge import Judge
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Reflector"]

_LONGEST_QUERY = 600
_MOST_FIRST = 5
"""Queries that a search begins with where the model words some of them, so that some are left for what follows."""
_NAME_OF = "What is the name of {}?"
_MOST_HOPS = 2
_LONGEST_NAME = 100
"""Characters of a source that may stand in a question, where nothing marks them as data."""
_APART = 3
"""Calls that it takes to look a description up: to choose it, to read, and to judge."""
_FIRST, _PLAIN = 3, 8
"""Passages that a description is looked up in, or a question that names all it is about; and a plain question."""
_TIERS: tuple[TierName, ...] = ("simple", "simple", "standard", "deep", "deep")
"""The tier for each depth of reasoning, from 1 to 5."""


class Reflector:
    """Finds out what has to be looked up first, and reads what was found."""

    def __init__(self, supervisor: Supervisor, profiler: Profiler, judge: Judge) -> None:
        self._supervisor = supervisor
        self._looker = Looker(supervisor, judge)
        self._profiler = profiler

    async def plan(self, effect: PlanQueries) -> Queries:
        """What is looked up first, and the queries for it, for the task as a whole, and for the names in it.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        question = effect.task.text
        first, *rest = questions(question)
        both = await sides_of(self._supervisor, first)
        if both is not None:
            first, rest = both.sides[0], [both.sides[1], *rest]
        aim = await self._begun(Aim(question=first, rest=tuple(rest), compared=both), effect.check)
        whole = Query(text=question[:_LONGEST_QUERY], intent="the task itself")
        begun = [one for one in _queries(aim) if folded(one.text) != folded(whole.text)]
        tier, others = await self._tier(effect), await self._other_words(aim, effect.most)
        names = [Query(text=name, intent=f"what there is about {name}") for name in names_in(question)]
        queries = [*begun, whole, *others, *names][: _MOST_FIRST if others else effect.most]
        return Queries(queries=tuple(queries), aim=aim, tier=tier)

    async def _other_words(self, aim: Aim, most: int) -> list[Query]:
        """Queries for the question in other words, where so many may be asked that some are left for what follows."""
        if most <= _MOST_FIRST:
            return []
        words = await other_words(self._supervisor, aim.question[:_LONGEST_QUERY])
        return [Query(text=one, intent="other words that a text may have") for one in words]

    async def _begun(self, aim: Aim, check: bool) -> Aim:
        """The aim of a question: read as it stands first, where a judge says whether one sentence answers it."""
        if check and await self._looker.judges():
            return aim.changed(whole=True)
        return aim.changed(span=await self._first(aim.question, 0), whole=False)

    async def _tier(self, effect: PlanQueries) -> TierName | None:
        """How much research the task needs, as the model judges its depth; ``None`` where nobody asks or can say."""
        if not effect.choose_tier or not current_ledger().calls_left():
            return None
        try:
            profile = await self._profiler.infer(InferProfile(task=effect.task))
        except (CompletionError, AllowanceExhausted):
            return None
        return _TIERS[profile.reasoning_depth - 1] if profile.inferred else None

    async def reflect(self, effect: Reflect) -> Reflection:
        """What the passages of the round say to what was looked up, and what is looked up next.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        found_out = await self._found_out(effect)
        return found_out if found_out.answer else await self._widened(found_out, effect)

    async def _widened(self, found_out: Reflection, effect: Reflect) -> Reflection:
        """What was found out, and before its queries the latest one that found too little, in other words.

        A name has no other words, nor has what is other words itself. A request that failed takes nothing from what was
        found out.
        """
        poor = next((one.text for one in reversed(effect.poor) if _is_looked_up(one.text, effect, found_out)), "")
        asked = {one.query.casefold() for one in effect.asked}
        try:
            other = await reworded(self._supervisor, poor, asked) if poor and effect.most else ""
        except ModelError as error:
            if error.fatal:
                raise
            return found_out
        first = (Query(text=other[:_LONGEST_QUERY], intent="other words for what found little"),) if other else ()
        return found_out.changed(queries=(*first, *found_out.queries)[: effect.most])

    async def _found_out(self, effect: Reflect) -> Reflection:
        aim = effect.aim or Aim(question=effect.task.text)
        findings: list[Finding] = []
        if aim.span:
            findings.append(await self._looked_up(aim.span, effect))
            onward = await self._from(aim, effect, findings[-1])
            if onward is not None:
                return onward
            aim = aim.changed(span="")
        if current_ledger().calls_left():
            findings.append(await self._answered(aim, effect))
            if apart := await self._taken_apart(aim, effect, findings[-1]):
                return apart.changed(findings=(turned_down(findings[-1]), *apart.findings))
            aim = aim.changed(whole=False)
        findings = [turned_down(one) for one in findings]
        aim = _with_side(aim, findings)
        if findings and findings[-1].answer and aim.rest:
            return await self._next_question(aim, effect, findings)
        return _settled(aim, effect, findings)

    async def _from(self, aim: Aim, effect: Reflect, found: Finding) -> Reflection | None:
        """What follows from a description that was looked up: the question with it, else one within it."""
        return await (self._onward(aim, effect, found) if found.answer else self._further(aim, effect, found))

    async def _taken_apart(self, aim: Aim, effect: Reflect, read: Finding) -> Reflection | None:
        """The question after its description that has to be looked up first; ``None`` where it has none.

        So it is, too, where the question was read as a whole and answered, or no query or call is left for it.
        """
        is_open = _is_open(aim, read) and current_ledger().calls_left() >= _APART
        span = await self._first(aim.question, 0) if is_open else ""
        return await self._apart(aim, effect, span) if span else None

    async def _further(self, aim: Aim, effect: Reflect, found: Finding) -> Reflection | None:
        """The question after a description within the one that was not found; ``None`` as above."""
        within = await self._first(aim.question, 0, aim.span) if current_ledger().calls_left() >= _APART else ""
        apart = await self._apart(aim, effect, within) if within else None
        return None if apart is None else apart.changed(findings=(found, *apart.findings))

    async def _apart(self, aim: Aim, effect: Reflect, span: str) -> Reflection | None:
        """What is described, at once where the passages that are there say it; else the query for it, if it is new."""
        following = aim.changed(span=span, whole=False)
        found = await self._looked_up(span, effect, again=False)
        if found.answer:
            return await self._onward(following, effect, found)
        asked = {one.query.casefold() for one in effect.asked}
        queries = tuple(one for one in _queries(following) if one.text.casefold() not in asked)[: effect.most]
        return Reflection(findings=(found,), aim=following, gaps=(span,), queries=queries) if queries else None

    async def _looked_up(self, span: str, effect: Reflect, again: bool = True) -> Finding:
        """What is described, if the passages that are about it give it a name that the description does not hold.

        Nor is it a name that says the whole description: "the tower got its clock" is answered by a sentence on that.
        """
        question = _NAME_OF.format(span)
        found = await self._looker.look(question, best(span, _unread(effect, question), _FIRST), effect.check, again)
        said, described = stems(found.answer), stems(span)
        is_name = 0 < len(found.answer) <= _LONGEST_NAME and not said <= described and not described <= said
        is_name = is_name and not is_unlikely(found)
        return found if is_name and is_found_about(found, effect.shown) else found.changed(answer="", evidence=())

    async def _answered(self, aim: Aim, effect: Reflect) -> Finding:
        """The answer to the question itself, if the passages are about it."""
        question = aim.question
        shown = _unread(effect, question)
        names = names_in(effect.task.text)
        passages = best(question, shown, _FIRST) if aim.hops else own(question, shown, _PLAIN, names)
        is_known = any(one.question == question for one in effect.findings)  # it was looked up twice before
        apart = aim.whole and bool(descriptions(question))
        read = await self._looker.look(question, passages, effect.check, not is_known, beside=shown, apart=apart)
        about = is_found_about(read, effect.shown) if aim.hops else is_about(aim.question, effect.shown)
        about = about and not _is_of_hop(aim, effect, read)
        return (read if about else Finding(question=aim.question)).changed(asked=aim.compared is None)

    async def _next_question(self, aim: Aim, effect: Reflect, findings: Sequence[Finding]) -> Reflection:
        """The next question of the task, with what a pronoun means by the last one and its answer in its place."""
        answer = findings[-1].answer
        question = referred(aim.rest[0], aim.question, answer) if len(answer) <= _LONGEST_NAME else aim.rest[0]
        following = await self._begun(aim.changed(question=question, span="", rest=aim.rest[1:], hops=0), effect.check)
        queries = tuple(_queries(following))[: effect.most]
        return Reflection(findings=tuple(findings), aim=following, gaps=(question,), queries=queries)

    async def _first(self, question: str, hops: int, failed: str = "") -> str:
        """The description that has to be looked up first; "" where there is none. Later ones are those by a clause.

        Where one ``failed``, it is one within that, which does not begin with it.
        """
        short = question if len(question) <= _LONGEST_QUERY else ""  # no model is asked to choose from more
        spans = [span for span in descriptions(short) if _may_be_first(span, hops, failed)]
        if not spans or hops >= _MOST_HOPS or not current_ledger().calls_left():
            return ""
        return await chosen(self._supervisor, question, spans)

    async def _onward(self, aim: Aim, effect: Reflect, finding: Finding) -> Reflection:
        """The next aim, with what was found in the place of its description."""
        question = aim.question.replace(aim.span, finding.answer)
        span = await self._first(question, aim.hops + 1)
        following = aim.changed(question=question, span=span, hops=aim.hops + 1)
        queries = tuple(_queries(following))[: effect.most]
        return Reflection(findings=(finding,), aim=following, gaps=(span or question,), queries=queries)


def _is_looked_up(query: str, effect: Reflect, found_out: Reflection) -> bool:
    """Whether a query is for what was looked up by now: the task, a question, or a description."""
    aim, findings = effect.aim, (*effect.findings, *found_out.findings)
    questions = {effect.task.text[:_LONGEST_QUERY], *(one.question[:_LONGEST_QUERY] for one in findings)}
    return query in questions or _NAME_OF.format(query) in questions or (aim is not None and query == aim.question)


def _may_be_first(span: str, hops: int, failed: str) -> bool:
    """Whether a description can be looked up next, after so many hops, or after one that was not found."""
    if failed:
        return span in failed and not failed.startswith(span)
    return not hops or is_nested(span)


def _unread(effect: Reflect, question: str) -> list[Numbered]:
    """The passages but those of the sources in which earlier rounds found nothing that answers the question."""
    rejected = {number for one in effect.findings if one.question == question for number in one.rejected}
    return [one for one in effect.shown if one.number not in rejected]


def _is_of_hop(aim: Aim, effect: Reflect, read: Finding) -> bool:
    """Whether an answer is what was put into the question for a description, and so is in it."""
    said = stems(read.answer)
    hops = (stems(one.answer) for one in effect.findings if one.answer and not one.asked)
    return bool(aim.hops and said) and any(said <= hop for hop in hops)


def _is_open(aim: Aim, finding: Finding) -> bool:
    """Whether a question that was read as it stands has no sentence that a judge holds to answer it all."""
    return aim.whole and (finding.score is None or is_unlikely(finding))


def _with_side(aim: Aim, findings: list[Finding]) -> Aim:
    """The aim with one more side of a comparison, if it was found; after both, this is among the findings, and over."""
    if aim.compared is None or not findings or not findings[-1].answer:
        return aim
    sides = (*aim.sides, findings[-1])
    if len(sides) < len(aim.compared.sides):
        return aim.changed(sides=sides)
    findings.append(compared(aim.compared, *sides))
    return aim.changed(question=aim.compared.question, compared=None, sides=())


def _settled(aim: Aim, effect: Reflect, findings: Sequence[Finding]) -> Reflection:
    """The answer if there is one, else the queries that may still find it."""
    asked = [finding.answer for finding in (*effect.findings, *findings) if finding.asked and finding.answer]
    answer = "; ".join(asked) if findings and findings[-1].answer else ""
    queries = () if answer else tuple(_others(aim, effect))[: effect.most]
    return Reflection(
        sufficient=bool(answer),
        confidence=_confidence([*effect.findings, *findings]) if answer else None,
        answer=answer,
        findings=tuple(findings),
        aim=aim,
        gaps=() if answer else (aim.question,),
        queries=queries,
    )


def _confidence(findings: Sequence[Finding]) -> float | None:
    """The least that a judge gave an answer to the task; ``None`` where it said nothing of one."""
    scores = [one.score for one in findings if one.asked and one.answer]
    known = [one for one in scores if one is not None]
    return min(known) if known and len(known) == len(scores) else None


def _queries(aim: Aim) -> Iterator[Query]:
    """The query for what is looked up next."""
    text = aim.span or aim.question
    yield Query(text=text[:_LONGEST_QUERY], intent="what has to be known first" if aim.span else "what is left to ask")


def _others(aim: Aim, effect: Reflect) -> Iterator[Query]:
    """Other words for a question that was not answered: the names in it, and what it is about without them."""
    for name in dict.fromkeys([*names_in(aim.question), *names_in(effect.task.text)]):
        yield Query(text=name, intent=f"what there is about {name}")
    if words := sorted(content_words(aim.question)):
        yield Query(text=" ".join(words)[:_LONGEST_QUERY], intent="the words of what was not found")
