"""The research engine: the model plans queries, they are searched all at once, it reflects, and at last it answers.

The reflection's new queries are the next ones. Sources are only ever added, and the host numbers them. What is too long
to be read at once is summarised first. A search that fails is tried again, then worded otherwise, then asked of another
provider; where none is left, the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aeon.engines.research import effects as ask
from aeon.engines.research.citing import unworded
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.failing import failed, logged
from aeon.engines.research.record import Research, Round, SourceUsed
from aeon.engines.research.rules import OWN_ENDINGS, TABLE, ResearchSignals, most_calls
from aeon.engines.research.searching import Searches
from aeon.engines.research.sizes import size_of
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Cited, Digests, Queries, Query, Reflection, TierName
from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema.conclusion import Decision, Degradation
from aeon.schema.effects import Program

__all__ = ["RESEARCH"]

_MOST_FIRST = 6
"""Queries that a search begins with, at most."""
_LONGEST = 600
"""Characters of a task that are searched for as they stand."""
_USUAL: TierName = "standard"
_TIGHT = 0.25
"""Share of the tokens below which prompts show half as much."""
_NO_ANSWER = ("not_stated", "hedge", "refusal")
ResearchRun = Run[ResearchConfig, ResearchSignals]


@dataclass(slots=True)
class _Inquiry:
    """What a research run knows; ``queries`` are those of the next round."""

    run: ResearchRun
    searches: Searches
    tier: TierName | None = None
    queries: tuple[Query, ...] = ()
    reflection: Reflection = field(default_factory=Reflection)
    likeliest: Reflection = field(default_factory=Reflection)
    rounds: list[Round] = field(default_factory=list)

    def limit(self) -> None:
        """Show the decision table the limits of the tier."""
        run, limits = self.run, self.run.config.limits(self.tier)
        run.signals.most_rounds, run.signals.most_queries = limits.iterations, limits.queries
        run.signals.most_stale = run.config.stale_rounds
        self.searches.sources = self.searches.sources.changed(most=limits.sources)

    def take(self, reflection: Reflection) -> None:
        """Keep what a reflection says, and of all of them the answer that is likeliest."""
        self.reflection = reflection
        if reflection.draft and (reflection.confidence or 0.0) >= (self.likeliest.confidence or 0.0):
            self.likeliest = reflection
        doubtful = reflection.confidence is not None and reflection.confidence < self.run.config.sufficient
        self.run.signals.sufficient = reflection.sufficient and bool(self.searches.sources.entries) and not doubtful

    @property
    def room(self) -> int:
        """How many bytes of texts a prompt may show: half as many where few tokens are left."""
        tokens, left, room = self.run.config.budget.tokens, self.run.left().tokens, self.searches.providers.room
        return room // 2 if tokens is not None and left is not None and left < _TIGHT * tokens else room

    def result(self, decision: Decision, cited: Cited) -> Research:
        """The result with its record."""
        run, searches = self.run, self.searches
        return Research(
            **dict(run.conclude(decision, cited)),
            sentences=cited.sentences,
            reply=cited.reply,
            missing=cited.missing,
            standing=cited.standing,
            sources=tuple(SourceUsed.of(entry, cited.sentences) for entry in searches.sources.entries),
            rounds=tuple(self.rounds),
            tier=(self.tier or _USUAL) if run.config.tier == "auto" else run.config.tier,
            searched=tuple(one.query for one in searches.asked.values()),
            unsearched=searches.unsearched,
            limited=searches.limited,
            error_log=tuple(searches.errors),
        )


def _research(run: ResearchRun) -> Program[Research]:
    """The whole run. Every way out leads through the answer with its citations, or a refusal."""
    searches = Searches(run, lambda: run.config)
    return (yield from logged(_inquired(_Inquiry(run, searches)), searches.errors))


def _inquired(inquiry: _Inquiry) -> Program[Research]:
    inquiry.limit()
    try:
        yield from _begin(inquiry)
        while True:
            yield from _round(inquiry)
    except Halt as halt:
        decision = halt.decision
    cited, decision = yield from _cite(inquiry, decision)
    return inquiry.result(decision, cited)


def _begin(inquiry: _Inquiry) -> Program[None]:
    """Find out where to search, and with which queries to begin."""
    run, searches = inquiry.run, inquiry.searches
    run.signals.unexamined = yield from searches.find()
    run.signals.nowhere = not searches.there
    own = Queries(queries=(Query(text=run.task.text[:_LONGEST], intent="the task itself"),))
    most = min(_MOST_FIRST, run.config.limits().queries)
    titles = searches.providers.titles
    plan = ask.PlanQueries(task=run.task, most=most, choose_tier=run.config.tier == "auto", titles=titles)
    planned = yield from run.perform(plan, own)
    inquiry.tier = planned.tier or _USUAL
    inquiry.limit()
    inquiry.queries = searches.fresh((planned.queries or own.queries)[:most])


def _round(inquiry: _Inquiry) -> Program[None]:
    """Search, reflect on all that was found, and see whether another round is worth it."""
    run, searches, signals = inquiry.run, inquiry.searches, inquiry.run.signals
    inquiry.limit()  # a fork may have moved them
    before = searches.sources
    yield ask.RoundNote(iteration=len(inquiry.rounds) + 1, most=signals.most_rounds, queries=inquiry.queries)
    yield from searches.search(inquiry.queries)
    signals.misconfigured = "" if searches.sources.entries else searches.misconfigured
    run.boundary(midway=True)  # nothing was found, and nobody reads it
    yield from _summarised(inquiry, before)
    new = searches.sources.passages - before.passages
    reflection = Reflection()
    if searches.left or not run.config.check:  # else the answer is next anyway, and it will be judged
        reflection = yield from run.perform(_reflect(inquiry, new), reflection)
    inquiry.take(reflection)
    inquiry.rounds.append(_recorded(inquiry, before))
    signals.stale = 0 if new else signals.stale + 1
    signals.rounds, signals.queries = len(inquiry.rounds), len(searches.asked)  # only now: the last ones count too
    signals.nowhere = not searches.there
    run.boundary()
    inquiry.queries = searches.fresh(reflection.queries)
    signals.idle = not inquiry.queries
    run.boundary()


def _summarised(inquiry: _Inquiry, before: Sources) -> Program[None]:
    """Have sources summarised until what is found can be read at once, those of earlier rounds first.

    Where that fails, the texts stay: prompts then show those that come first.
    """
    run, searches, instead = inquiry.run, inquiry.searches, Digests()
    for _ in range(run.config.most_summaries if inquiry.room else 0):
        texts = searches.texts()
        if not texts or size_of(texts, searches.digests.values()) <= inquiry.room:
            return
        batch = tuple(_batch(texts, inquiry.room, len(before.entries)))
        made = yield from run.perform(ask.Summarise(task=run.task, texts=batch), instead)
        if made is instead:
            return
        searches.condense(batch, made.digests)


def _batch(texts: Sequence[ask.Numbered], room: int, earlier: int) -> Iterator[ask.Numbered]:
    """The passages of whole sources that fit a prompt, at least of one: the ``earlier`` ones first, then the last."""
    ranks = {number: rank for rank, number in enumerate(dict.fromkeys(one.number for one in texts))}
    order = sorted(ranks, key=lambda number: (number > earlier, -ranks[number]))
    for place, number in enumerate(order):
        own = [one for one in texts if one.number == number]
        room -= size_of(own)
        if place and room < 0:
            return
        yield from own


def _reflect(inquiry: _Inquiry, new: int) -> ask.Reflect:
    """The question after a round."""
    run, searches = inquiry.run, inquiry.searches
    known = {entry.document.title or entry.document.source for entry in searches.sources.entries}
    return ask.Reflect(
        task=run.task,
        round=len(inquiry.rounds) + 1,
        asked=tuple(searches.asked.values()),
        texts=searches.texts(),
        digests=tuple(searches.digests.values()),
        new=new,
        gaps=inquiry.reflection.gaps,
        poor=searches.poor(run.config.few_results),
        titles=tuple(title for title in searches.providers.titles if title not in known),
        most=searches.left,
        check=run.config.check,
    )


def _recorded(inquiry: _Inquiry, before: Sources) -> Round:
    sources, reflection = inquiry.searches.sources, inquiry.reflection
    return Round(
        number=len(inquiry.rounds) + 1,
        queries=inquiry.queries,
        passages=sources.passages - before.passages,
        sources=len(sources.entries) - len(before.entries),
        sufficient=reflection.sufficient,
        confidence=reflection.confidence,
        gaps=reflection.gaps,
        summarised=tuple(sorted(inquiry.searches.digests)),
    )


def _cite(inquiry: _Inquiry, decision: Decision) -> Program[tuple[Cited, Decision]]:
    """The answer with its citations, and why the run ended; where no model can write it, what was read as it is."""
    run, searches = inquiry.run, inquiry.searches
    effect = ask.Cite(
        task=run.task,
        sources=searches.sources,
        texts=searches.texts(),
        digests=tuple(searches.digests.values()),
        draft=inquiry.likeliest.draft,
        searched=tuple(one.query for one in searches.asked.values()),
        unsearched=searches.unsearched,
        limited=searches.limited,
        check=run.config.check,
    )
    instead = unworded(effect)
    cited = yield from run.final(effect, instead, decision)
    if cited.problem:
        run.degraded.append(Degradation(phase=effect.phase, message=cited.problem))
        searches.errors.append(failed(effect.phase, "completion", cited.problem, run.elapsed))
    if decision.reason not in OWN_ENDINGS:
        return cited, decision
    return cited, _unmade(run, decision) if cited is instead else _made(run, cited, decision)


def _unmade(run: ResearchRun, decision: Decision) -> Decision:
    """The decision where nobody made the answer: it is not good enough, since nobody held it against its sources."""
    if run.signals.failure is not None or run.signals.interrupted:
        return run.decide()
    unheld = Decision(action="OUTPUT", reason="unverified", detail="the answer was not held against its sources")
    return unheld if decision.sufficient else decision


def _made(run: ResearchRun, cited: Cited, decision: Decision) -> Decision:
    """The decision once the answer is there: what it is, and whether a judge found it supported, count for more."""
    signals, verdicts = run.signals, {sentence.verdict for sentence in cited.sentences}
    signals.unstated = not cited.sentences or cited.reply in _NO_ANSWER
    signals.partial, signals.incomplete = "partial" in verdicts, cited.reply == "part"
    signals.unfit = not signals.unstated and cited.lacks_value(run.task)
    if run.config.check:
        signals.unjudged = cited.reply is None or "not_checked" in verdicts
        signals.sufficient = cited.reply == "answer" and verdicts == {"supported"}
    found = (signals.unstated, signals.partial, signals.incomplete, signals.unjudged, signals.unfit, signals.sufficient)
    return run.decide() if any(found) else decision


RESEARCH: Engine[ResearchConfig, ResearchSignals, Research] = Engine(
    name="research/2",
    config=ResearchConfig,
    result=Research,
    signals=ResearchSignals,
    effects=(
        ask.FindProviders, ask.PlanQueries, ask.Search, ask.Pause, ask.Summarise, ask.Reflect, ask.Cite,
    ),
    table=TABLE,
    calls=most_calls,
    program=_research,
    final=ask.Cite,
)  # fmt: skip
