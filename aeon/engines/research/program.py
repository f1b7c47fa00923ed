"""The research engine: plan queries, search them all at once, reflect, search what is missing, then cite.

The reflection's new queries are the next ones. Sources are only ever added, and the host numbers them. A search that
fails is tried again, then worded otherwise, then asked of another provider; where none is left, the answer says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from aeon.engines.research import effects as ask
from aeon.engines.research.answered import unworded
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.failing import failed, logged
from aeon.engines.research.record import Research, Round, SourceUsed
from aeon.engines.research.rules import OWN_ENDINGS, TABLE, ResearchSignals, most_calls
from aeon.engines.research.searching import Searches
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Aim, Cited, Finding, Providers, Queries, Query, Reflection, TierName
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
"""Share of the tokens below which prompts show half as many passages."""
ResearchRun = Run[ResearchConfig, ResearchSignals]


@dataclass(slots=True)
class _Inquiry:
    """What a research run knows; ``queries`` are those of the next round."""

    run: ResearchRun
    searches: Searches
    tier: TierName | None = None
    queries: tuple[Query, ...] = ()
    aim: Aim | None = None
    findings: tuple[Finding, ...] = ()
    reflection: Reflection = field(default_factory=Reflection)
    rounds: list[Round] = field(default_factory=list)

    def limit(self) -> None:
        """Show the decision table the limits of the tier."""
        run, limits = self.run, self.run.config.limits(self.tier)
        run.signals.most_rounds, run.signals.most_queries = limits.iterations, limits.queries
        run.signals.most_stale = run.config.stale_rounds
        self.searches.sources = self.searches.sources.changed(most=limits.sources)

    def take(self, reflection: Reflection) -> None:
        """Keep what a reflection found out: findings are only ever added."""
        self.findings += reflection.findings
        self.aim = reflection.aim or self.aim
        self.reflection = reflection.changed(answer=reflection.answer or self.reflection.answer)
        doubtful = reflection.confidence is not None and reflection.confidence < self.run.config.sufficient
        self.run.signals.sufficient = reflection.sufficient and bool(reflection.answer) and not doubtful

    def result(self, decision: Decision, cited: Cited) -> Research:
        """The result with its record."""
        run, searches = self.run, self.searches
        return Research(
            **dict(run.conclude(decision, cited)),
            short=cited.short,
            sentences=cited.sentences,
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
    searches.providers = yield from run.perform(ask.FindProviders(task=run.task), Providers())
    run.signals.nowhere = not searches.there
    own = Queries(queries=(Query(text=run.task.text[:_LONGEST], intent="the task itself"),))
    most = min(_MOST_FIRST, run.config.limits().queries)
    plan = ask.PlanQueries(task=run.task, most=most, choose_tier=run.config.tier == "auto", check=run.config.check)
    planned = yield from run.perform(plan, own)
    inquiry.tier, inquiry.aim = planned.tier or _USUAL, planned.aim
    inquiry.limit()
    inquiry.queries = searches.fresh((planned.queries or own.queries)[:most])


def _round(inquiry: _Inquiry) -> Program[None]:
    """Search, reflect on what is new, and see whether another round is worth it."""
    run, searches, signals = inquiry.run, inquiry.searches, inquiry.run.signals
    inquiry.limit()  # a fork may have moved them
    before = searches.sources
    yield ask.RoundNote(iteration=len(inquiry.rounds) + 1, most=signals.most_rounds, queries=inquiry.queries)
    yield from searches.round(inquiry.queries)
    signals.misconfigured = "" if searches.sources.entries else searches.misconfigured
    run.boundary(midway=True)  # nothing was found, and nobody reads it
    new = searches.sources.passages - before.passages
    reflection = yield from run.perform(_reflect(inquiry, new), Reflection())
    inquiry.take(reflection)
    inquiry.rounds.append(_recorded(inquiry, before))
    learnt = any(finding.answer for finding in reflection.findings)  # it may be out of passages that were there
    signals.stale = 0 if new or learnt else signals.stale + 1
    signals.rounds, signals.queries = len(inquiry.rounds), len(searches.asked)  # only now: the last ones count too
    signals.nowhere = not searches.there
    run.boundary()
    inquiry.queries = searches.fresh(reflection.queries)
    signals.idle = not inquiry.queries
    run.boundary()


def _reflect(inquiry: _Inquiry, new: int) -> ask.Reflect:
    """The question after a round. Of earlier rounds only the findings are shown, and of many passages the best."""
    run, searches = inquiry.run, inquiry.searches
    tokens, left = run.config.budget.tokens, run.left().tokens
    tight = tokens is not None and left is not None and left < _TIGHT * tokens
    most = run.config.most_shown // 2 if tight else run.config.most_shown
    return ask.Reflect(
        task=run.task,
        round=len(inquiry.rounds) + 1,
        asked=tuple(searches.asked.values()),
        shown=tuple(searches.best(most)),
        new=new,
        aim=inquiry.aim,
        findings=inquiry.findings,
        poor=searches.poor(run.config.few_results),
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
        findings=reflection.findings,
        sufficient=reflection.sufficient,
        confidence=reflection.confidence,
        gaps=reflection.gaps,
        compacted=before.passages,
    )


def _cite(inquiry: _Inquiry, decision: Decision) -> Program[tuple[Cited, Decision]]:
    """The answer with its citations, and why the run ended; where no model can word it, what was found out as it is."""
    run, searches = inquiry.run, inquiry.searches
    searched = tuple(one.query for one in searches.asked.values())
    effect = ask.Cite(
        task=run.task,
        sources=searches.sources,
        findings=inquiry.findings,
        answer=inquiry.reflection.answer,
        searched=searched,
        unsearched=searches.unsearched,
        sufficient=run.signals.sufficient,
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
    return cited, _unjudged(run, decision) if cited is instead else _judged(run, cited, decision)


def _unjudged(run: ResearchRun, decision: Decision) -> Decision:
    """The decision where nobody made the answer: it is not good enough, since nobody held it against its sources."""
    if run.signals.failure is not None or run.signals.interrupted:
        return run.decide()
    unheld = Decision(action="OUTPUT", reason="unsupported", detail="the answer was not held against its sources")
    return unheld if decision.sufficient else decision


def _judged(run: ResearchRun, cited: Cited, decision: Decision) -> Decision:
    """The decision once the answer is there: what it says, and whether a judge found it supported, count for more."""
    run.signals.unstated = not cited.short
    checked = [sentence.verdict for sentence in cited.sentences]
    run.signals.partial, run.signals.unnamed = "partial" in checked, cited.unnamed
    run.signals.sufficient |= bool(checked) and all(verdict == "supported" for verdict in checked)
    return run.decide() if run.signals.unstated or run.signals.partial or run.signals.sufficient else decision


RESEARCH: Engine[ResearchConfig, ResearchSignals, Research] = Engine(
    name="research/1",
    config=ResearchConfig,
    result=Research,
    signals=ResearchSignals,
    effects=(ask.FindProviders, ask.PlanQueries, ask.Search, ask.Pause, ask.Reflect, ask.Cite),
    table=TABLE,
    calls=most_calls,
    program=_research,
    final=ask.Cite,
)
