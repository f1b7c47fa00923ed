"""The report engine: the analyst plans questions, each is researched, the critic holds the draft against its sources.

A round is a search that the analyst asks for, or a draft and its review; a search in the last round is followed by
its draft at once. PASS and WARN end it. Each question is a research run inside this one, whose searches give only the
sources that the mode takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.engines.report import effects as ask
from aeon.engines.report import parts
from aeon.engines.report.config import ReportConfig
from aeon.engines.report.context import Context, failures, first_look, settle
from aeon.engines.report.drafting import Answered, Desk
from aeon.engines.report.grading import judged, reviewed
from aeon.engines.report.markdown import composed, markdown, published
from aeon.engines.report.record import REFUSED, Report, ReportRound, report_item
from aeon.engines.report.rules import TABLE, ReportSignals, most_calls
from aeon.engines.report.sifting import Sieve
from aeon.engines.report.tiers import Ranked
from aeon.engines.report.values import Analysis, Comparison, Composed, Draft, NewQuery, Other, Readings, Review, Side
from aeon.engines.research.effects import FindProviders, Pause, Search
from aeon.engines.research.program import RESEARCH
from aeon.engines.research.record import Research
from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema.conclusion import Decision
from aeon.schema.effects import Program
from aeon.schema.outcome import Answer
from aeon.schema.search import SearchProblem
from aeon.schema.task import Question

__all__ = ["REPORT"]

_AMBIGUOUS = "The query can mean several things. Which one is meant?"
_MOST_CONTEXT = 12
"""Sources that the analyst is shown."""
_LONGEST_QUESTION = 600
_SPENT = ("calls_exhausted", "tokens_exhausted", "cost_exhausted")
"""How research ends for which nothing is left."""
ReportRun = Run[ReportConfig, ReportSignals]


@dataclass(slots=True)
class _Work:
    """What a report run knows. ``review`` is that of the draft as it stands, ``None`` where it has none."""

    run: ReportRun
    desk: Desk
    context: Context
    rounds: list[ReportRound] = field(default_factory=list)
    review: Review | None = None
    dropped: dict[str, Ranked] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    @property
    def last(self) -> bool:
        """Whether the round under way is the last."""
        return len(self.rounds) + 1 >= self.run.config.reasoning.max_iterations

    def found(self) -> tuple[Ranked, ...]:
        """The sources that the query found, each once."""
        return tuple(self.context.sieve.kept.values())

    def problems(self) -> tuple[SearchProblem, ...]:
        """What went wrong in searches, each once."""
        return failures((*self.context.errors, *self.desk.errors))

    def draft(self) -> Draft:
        """The draft as it stands."""
        limited = self.desk.limited or self.context.limited
        dropped = tuple((self.context.sieve.dropped | self.dropped).values())
        return self.desk.draft().changed(limited=limited, problems=self.problems(), dropped=dropped)

    def ended(self, kind: str, analysis: Analysis) -> None:
        """Put a round on record."""
        draft = self.draft()
        kept = draft if kind == "draft" else None
        number = len(self.rounds) + 1
        review = self.review if kept is not None else None
        done = ReportRound(number=number, kind="draft" if kept else "search", analysis=analysis)
        self.rounds.append(done.changed(findings=len(draft.findings), draft=kept, review=review))
        self.run.signals.rounds = number

    def result(self, decision: Decision, whole: Composed) -> Report:
        """The result with its record."""
        run, draft, plain = self.run, self.draft(), self.run.signals.plain
        end = run.conclude(decision, Answer(text=whole.final_report, claims=whole.claims))
        withheld = {"findings": (), "sources": (), "comparisons": ()}
        shown = draft if published(draft, self.review) else draft.changed(**withheld)
        graded = (whole.confidence_level, whole.score)
        one = report_item(end, shown, graded, len(self.rounds), len(self.found()))
        return Report(
            **dict(end),
            query=run.task.text,
            mode=run.config.mode,
            summary=whole.summary,
            draft=shown,
            confidence=whole.confidence_level,
            score=whole.score,
            reasons=self.review.reasons if self.review else (),
            rounds=tuple(self.rounds),
            context=self.context.described(),
            dropped=draft.dropped,
            items=self.context.items() if plain else (one,),
            results=tuple(self.context.passages) if plain else None,
            review=self.review,
            found=len(self.found()),
            limited=draft.limited,
            search_problems=draft.problems,
            unmatched=tuple(key for key in run.config.source_tiers if key not in self.context.sieve.keys | self.keys),
        )


def _report(run: ReportRun) -> Program[Report]:
    """The whole run. Every way out leads through the report of what is there."""
    sieve = Sieve(run.config.mode, run.config.mode_configs, run.config.source_tiers)
    context = Context(run, lambda: run.config.looking(), sieve=sieve)
    work = _Work(run, Desk(run.task.text, run.config.mode), context)
    run.signals.most_rounds = run.config.reasoning.max_iterations
    try:
        yield from first_look(run, work.context)
        work.desk.rankings.update(sieve.kept)
        yield from _clarified(work)
        while True:
            yield from _round(work)
    except Halt as halt:
        decision = halt.decision
    return work.result(decision, (yield from _composed(work, decision)))


def _clarified(work: _Work) -> Program[None]:
    """Ask what is meant, where the query is ambiguous and the configuration wants to know."""
    run, wanted = work.run, work.run.config.clarify
    if wanted == "never":
        return
    readings = yield from run.perform(ask.Clarify(task=run.task, always=wanted == "always"), Readings())
    if len(readings.options) > 1:
        yield from run.ask(Question(text=_AMBIGUOUS, options=readings.options, default=readings.options[0]))


def _round(work: _Work) -> Program[None]:
    """What the analyst says to do: search, or draft and have the draft reviewed."""
    run, signals = work.run, work.run.signals
    instead = _fallback(work)
    analysis = yield from run.perform(_analyse(work), instead)
    dropped = work.desk.drop(analysis.drop)
    searched = analysis.status == "SEARCH_REQUIRED" and bool(analysis.new_queries)
    signals.unchanged = _is_left(work, analysis is not instead, bool(dropped) or searched)
    if signals.unchanged:  # the critic would say the same again
        _settle_empty(work)
        work.ended("draft", analysis)
        run.boundary()
    work.review, signals.status = None, None
    if searched:
        yield from _search(work, analysis.new_queries)
    if searched and not work.last:
        work.ended("search", analysis)
        return
    yield from _reviewed(work)
    work.ended("draft", analysis)
    run.boundary()


def _is_left(work: _Work, heard: bool, changed: bool) -> bool:
    """Whether an analyst who was heard leaves a draft that was reviewed as it is."""
    return work.review is not None and heard and not changed


def _analyse(work: _Work) -> ask.Analyse:
    run, desk = work.run, work.desk
    return ask.Analyse(
        task=run.task,
        round=len(work.rounds) + 1,
        mode=run.config.mode,
        most=run.config.most_questions,
        draft=work.draft(),
        context=work.found()[:_MOST_CONTEXT],
        review=work.review,
        worded=tuple(words for place in desk.answered for words in place.words),
        last=work.last,
    )


def _fallback(work: _Work) -> Analysis:
    """Where the analyst says nothing: at first the query itself is the question, later the draft stands as it is."""
    if not work.desk.questions:
        query = NewQuery(number=1, text=work.run.task.text[:_LONGEST_QUESTION])
        return Analysis(status="SEARCH_REQUIRED", new_queries=(query,))
    return Analysis(status="DRAFT_READY", drop=work.review.rejected if work.review else ())


def _search(work: _Work, queries: Sequence[NewQuery]) -> Program[None]:
    """Research each question that has no finding, one after the other: each leaves what it did not need."""
    desk, groups = work.desk, work.run.config.groups
    desk.questions += [query.text for query in queries if query.number > len(desk.questions)]
    every = itertools.product(queries, groups)
    places = [(query, tier) for query, tier in every if not desk.of(query.number, tier).findings]
    for done, (query, tier) in enumerate(places):
        yield from _researched(work, query, tier, len(places) - done + 1)
    yield from _side_by_side(work, [query.number for query in queries])


def _side_by_side(work: _Work, numbers: Sequence[int]) -> Program[None]:
    """In monitor, compare what the tiers say to the questions."""
    for number in numbers if work.run.config.mode == "monitor" else ():
        places = [work.desk.of(number, tier) for tier in work.run.config.groups]
        sides = [side for place in places for side in _side(work, place)]
        yield from _compared(work, places[0], sides, ())


def _researched(work: _Work, query: NewQuery, tier: int | None, runs: int) -> Program[None]:
    """Put a question to the sources of a tier, or to all; then, what other sources say is compared with it."""
    place = work.desk.of(query.number, tier)
    sieve = yield from _put(work, query, place, tier, runs)
    if tier is None and place.findings:
        cited = frozenset(one.source.source for finding in place.findings for one in finding.citations)
        others = sieve.others(cited, work.run.config.compare_sources)
        yield from _compared(work, place, _side(work, place), others)
        yield from _preferred(work, query, place, runs)


def _preferred(work: _Work, query: NewQuery, place: Answered, runs: int) -> Program[None]:
    """Where sources differ and one of a better tier is among them, the finding is what sources of that tier say."""
    tiers = [side.tier for side in place.sides if side.tier is not None]
    if not tiers or not (place.comparison and place.comparison.differ):
        return
    best = min(tiers)
    if _side(work, place)[0].tier == best:
        return
    before = place.findings
    yield from _put(work, query, place, best, runs)
    place.findings = place.findings or before


def _put(work: _Work, query: NewQuery, place: Answered, only: int | None, runs: int) -> Program[Sieve]:
    """Research a question with its share of what is left, and a share left for the critic.

    A small budget is not divided until nobody can do anything with a share: the first questions get what they need.
    """
    run, config = work.run, work.run.config
    sieve = Sieve(config.mode, config.mode_configs, config.source_tiers, only=only)
    task = run.task.changed(text=query.text, answer_schema=None, criteria=())
    inner = config.inner()
    fair = max(1, min(runs, run.left().calls // (inner.caps.reflect + inner.caps.cite)))
    research = yield from sieve.run(RESEARCH.within(run, inner, task, fair))
    if fair == 1:
        _note_spent(run, research)
    work.dropped.update(sieve.dropped)
    work.keys |= sieve.keys
    work.desk.take(place, research, query.text, sieve)
    return sieve


def _note_spent(run: ReportRun, research: Research) -> None:
    """Where research got all that was left and could do nothing with it, the run has nothing left."""
    if not research.short and research.stop_reason in _SPENT:
        run.denied = run.denied or research.stop_reason


def _side(work: _Work, place: Answered) -> list[Side]:
    """What the sources say in one place, by its first finding; none where there is none."""
    cited = [(one.short, one.citations[0]) for one in place.findings[:1]]
    rankings = work.desk.rankings
    return [
        Side(answer=short, citation=citation, tier=rankings[citation.source.source].tier) for short, citation in cited
    ]


def _compared(work: _Work, place: Answered, known: Sequence[Side], others: Sequence[Other]) -> Program[None]:
    """Find out whether sources give different values."""
    if len(known) + len(others) < 2:
        return
    run = work.run
    effect = ask.Compare(task=run.task, question=place.question, known=tuple(known), others=tuple(others))
    comparison = yield from run.perform(effect, Comparison())
    place.comparison = comparison if len(comparison.sides) > 1 else None


def _reviewed(work: _Work) -> Program[None]:
    """Have the critic hold the draft against its sources."""
    run, draft = work.run, work.draft()
    instead = reviewed(draft, (), run.config.mode_configs)
    effect = ask.Critique(task=run.task, draft=draft, round=len(work.rounds) + 1)
    work.review = yield from run.perform(effect, instead)
    work.desk.judge(judged(draft, work.review.checked).findings)
    run.signals.status, run.signals.empty = work.review.status, not draft.findings
    if work.last:
        _settle_empty(work)


def _settle_empty(work: _Work) -> None:
    """Where nothing was found in any round, find out whether that is for want of sources."""
    run, draft = work.run, work.draft()
    if run.signals.empty:
        dropped = work.context.sieve.dropped | work.dropped
        settle(run, work.context.sieve.kept | work.desk.rankings, dropped, draft.problems if draft.limited else ())


def _composed(work: _Work, decision: Decision) -> Program[Composed]:
    """The report; in its place what was found where only that was wanted, or why there is none."""
    run, draft, context = work.run, work.draft(), work.found()
    if decision.reason in REFUSED:
        return Composed(final_report=markdown("", parts.refusal(decision.reason, decision.detail, draft.problems)))
    if run.signals.plain:
        return Composed(final_report=markdown("", parts.results(work.context.passages, draft)))
    bare, _ = composed(draft, work.review, context)
    effect = ask.Compose(task=run.task, draft=draft, review=work.review, context=context, mode=run.config.mode)
    return (yield from run.final(effect, bare, decision))


REPORT: Engine[ReportConfig, ReportSignals, Report] = Engine(
    name="report/2",
    config=ReportConfig,
    result=Report,
    signals=ReportSignals,
    effects=(FindProviders, Search, Pause, ask.Clarify, ask.Analyse, ask.Compare, ask.Critique, ask.Compose),
    table=TABLE,
    calls=most_calls,
    program=_report,
    final=ask.Compose,
    nested=RESEARCH.effects,
)
