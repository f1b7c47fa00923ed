"""The report engine: the analyst plans questions, each is researched; it drafts, and the critic reviews the draft.

A round is a search that the analyst asks for, or a draft and its review; a search in the last round is followed by
its draft at once. PASS, WARN and UNREVIEWED end it. Each question is a research run inside this one, whose searches
give only the sources that the mode takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.engines.report import effects as ask
from aeon.engines.report.config import ReportConfig
from aeon.engines.report.context import Context, failures, first_look, settle
from aeon.engines.report.drafting import Answered, Desk
from aeon.engines.report.grading import judged, reviewed, unreviewed
from aeon.engines.report.markdown import composed, published, refusal, results
from aeon.engines.report.record import REFUSED, Report, ReportRound, report_item
from aeon.engines.report.rules import TABLE, ReportSignals, most_calls
from aeon.engines.report.sifting import Sieve
from aeon.engines.report.tiers import Ranked
from aeon.engines.report.values import Analysis, Comparison, Composed, Draft, NewQuery, Readings, Review, Side
from aeon.engines.research.effects import FindProviders, Pause, Search
from aeon.engines.research.program import RESEARCH
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
    """What a report run knows. ``written`` is the analyst's draft, ``None`` where what was found is all there is.

    ``review`` is that of the draft as it stands, ``None`` where it has none.
    """

    run: ReportRun
    desk: Desk
    context: Context
    rounds: list[ReportRound] = field(default_factory=list)
    written: Draft | None = None
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

    def draft(self) -> Draft:
        """The draft as it stands."""
        draft = self.desk.completed(self.written or self.desk.found())
        limited = draft.limited or self.context.limited
        dropped = tuple((self.context.sieve.dropped | self.dropped).values())
        return draft.changed(limited=limited, problems=self.problems(), dropped=dropped)

    def problems(self) -> tuple[SearchProblem, ...]:
        """What went wrong in searches, each once."""
        return failures((*self.context.errors, *self.desk.errors))

    def ended(self, analysis: Analysis, drafted: bool) -> None:
        """Put a round on record."""
        number = self.run.signals.rounds = len(self.rounds) + 1
        draft, review = (self.draft(), self.review) if drafted else (None, None)
        done = ReportRound(number=number, kind="search", analysis=analysis.changed(draft=None))
        self.rounds.append(done.changed(kind="draft", draft=draft, review=review) if drafted else done)

    def result(self, decision: Decision, whole: Composed) -> Report:
        """The result with its record."""
        run, draft, plain = self.run, self.draft(), self.run.signals.plain
        end = run.conclude(decision, Answer(text=whole.final_report, claims=whole.claims))
        withheld = {"findings": (), "sources": (), "comparisons": ()}
        shown = draft if published(draft, self.review) else draft.changed(**withheld)
        graded, found = (whole.confidence_level, whole.score), len(self.found())
        one = report_item(end, shown, graded, len(self.rounds), found)
        keys = self.context.sieve.keys | self.keys
        return Report(
            **dict(end), query=run.task.text, mode=run.config.mode, draft=shown, confidence=graded[0], score=graded[1],
            rounds=tuple(self.rounds), context=self.context.described(), dropped=draft.dropped,
            items=self.context.items() if plain else (one,), results=tuple(self.context.passages) if plain else None,
            review=self.review, found=found, limited=draft.limited, search_problems=draft.problems,
            unmatched=tuple(key for key in run.config.source_tiers if key not in keys),
        )  # fmt: skip


def _report(run: ReportRun) -> Program[Report]:
    """The whole run. Every way out leads through the report of what is there."""
    sieve = Sieve(run.config.mode, run.config.mode_configs, run.config.source_tiers)
    work = _Work(run, Desk(run.task.text, run.config.mode), Context(run, lambda: run.config.looking(), sieve=sieve))
    run.signals.most_rounds = run.config.reasoning.max_iterations
    try:
        yield from first_look(run, work.context)
        work.desk.rankings.update(sieve.kept)
        yield from _clarified(run)
        while True:
            yield from _round(work)
    except Halt as halt:
        decision = halt.decision
    return work.result(decision, (yield from _composed(work, decision)))


def _clarified(run: ReportRun) -> Program[None]:
    """Ask what is meant, where the query is ambiguous and the configuration wants to know."""
    if run.config.clarify == "never":
        return
    always = run.config.clarify == "always"
    readings = yield from run.perform(ask.Clarify(task=run.task, always=always), Readings())
    if len(readings.options) > 1:
        yield from run.ask(Question(text=_AMBIGUOUS, options=readings.options, default=readings.options[0]))


def _round(work: _Work) -> Program[None]:
    """What the analyst says to do: search, or have its draft reviewed; in the last round both."""
    before = work.written or work.desk.found()
    analysis, heard = yield from _analysed(work)
    if analysis.status == "SEARCH_REQUIRED":
        yield from _search(work, analysis.new_queries)
        if not work.last:
            work.ended(analysis, drafted=False)
            return
        analysis, _ = yield from _analysed(work, last=True)
        heard = False  # of what was found now
    yield from _drafted(work, before, heard)
    work.ended(analysis, drafted=True)
    work.run.boundary()


def _drafted(work: _Work, before: Draft, heard: bool) -> Program[None]:
    """Have the draft reviewed, unless an analyst who was heard left it as it was: the critic would say the same."""
    after = work.written or work.desk.found()
    work.run.signals.unchanged = work.review is not None and heard and _texts(after) == _texts(before)
    if work.run.signals.unchanged:
        work.written = before
    else:
        yield from _reviewed(work)
    if work.run.signals.unchanged or work.last:
        _settle_empty(work)


def _texts(draft: Draft) -> list[str]:
    return [one.text for one in draft.findings]


def _analysed(work: _Work, last: bool = False) -> Program[tuple[Analysis, bool]]:
    """What the analyst says, and whether it said anything; its draft stands from then on."""
    run, desk = work.run, work.desk
    effect = ask.Analyse(
        task=run.task, round=len(work.rounds) + 1, mode=run.config.mode, most=run.config.most_questions,
        found=desk.found(), context=work.found()[:_MOST_CONTEXT], draft=work.written, review=work.review,
        searched=tuple(dict.fromkeys(one for place in desk.places.values() for one in place.queries)), last=last,
    )  # fmt: skip
    instead = _fallback(work)
    analysis = yield from run.perform(effect, instead)
    if desk.drop(analysis.drop):
        work.written = work.review = run.signals.status = None
    if analysis.status == "DRAFT_READY" and analysis.draft is not None:
        work.written = analysis.draft
    return analysis, analysis is not instead


def _fallback(work: _Work) -> Analysis:
    """Where the analyst says nothing: at first the query itself is the question, later the draft stands as it is."""
    if not work.desk.questions:
        query = NewQuery(number=1, text=work.run.task.text[:_LONGEST_QUESTION])
        return Analysis(status="SEARCH_REQUIRED", new_queries=(query,))
    return Analysis(status="DRAFT_READY", draft=work.written or work.desk.found())


def _search(work: _Work, queries: Sequence[NewQuery]) -> Program[None]:
    """Research each query, one after the other, since each leaves what it did not need; then compare what was found."""
    desk, groups = work.desk, work.run.config.groups
    desk.questions += [one.text for one in queries if one.number > len(desk.questions)]
    places = [(one, desk.of(one.number, tier)) for one, tier in itertools.product(queries, groups)]
    sieves: dict[int, Sieve] = {}
    for done, (query, place) in enumerate(places):
        sieves[query.number] = yield from _researched(work, query, place, len(places) - done + 1)
    for number, sieve in sieves.items():
        yield from _compared(work, [desk.of(number, tier) for tier in groups], sieve)


def _researched(work: _Work, query: NewQuery, place: Answered, runs: int) -> Program[Sieve]:
    """Research a question with its share of what is left, and a share left for the critic.

    A small budget is not divided until nobody can do anything with a share: the first questions get what they need.
    What a model that writes no draft is to say is checked at once: its answers are the draft.
    """
    run, config = work.run, work.run.config
    sieve = Sieve(config.mode, config.mode_configs, config.source_tiers, only=place.tier)
    task = run.task.changed(text=query.text, answer_schema=None, criteria=())
    inner = config.inner(checked=not work.context.providers.whole)
    fair = max(1, min(runs, run.left().calls // (inner.caps.reflect + inner.caps.cite)))
    research = yield from sieve.run(RESEARCH.within(run, inner, task, fair))
    if fair == 1 and not research.sentences and research.stop_reason in _SPENT:
        run.denied = run.denied or research.stop_reason
    work.dropped.update(sieve.dropped)
    work.keys |= sieve.keys
    work.desk.take(place, research, sieve)
    return sieve


def _compared(work: _Work, places: Sequence[Answered], sieve: Sieve) -> Program[None]:
    """Find out whether sources give different values: those of two tiers, or those cited and others that were found."""
    desk, place, monitors = work.desk, places[0], len(places) > 1
    sides = _sides(desk, places)
    cited = frozenset(one.citation.source.source for one in sides)
    others = sieve.others(cited, work.run.config.compare_sources)
    question = desk.questions[place.number - 1]
    effect = ask.Compare(task=work.run.task, question=question, sides=sides, others=others)
    said = Comparison()
    if sides and len(sides) + len(others) > 1:
        said = yield from work.run.perform(effect, said)
    place.comparison = desk.compared(place, said) if len(said.sides) > 1 and (said.differ or monitors) else None


def _sides(desk: Desk, places: Sequence[Answered]) -> tuple[Side, ...]:
    """What is said to a question: the first side of each tier where tiers are compared, else every side."""
    most = 1 if len(places) > 1 else None
    return tuple(side for one in places for side in desk.sides(one)[:most])


def _reviewed(work: _Work) -> Program[None]:
    """Have the critic review the draft."""
    run, draft = work.run, work.draft()
    effect = ask.Critique(task=run.task, draft=draft, round=len(work.rounds) + 1)
    instead = Review(status="UNREVIEWED")
    work.review, run.signals.status = None, None
    review = yield from run.perform(effect, instead)
    if review is instead:
        why = f"the critic gave no usable critique ({run.degraded[-1].message})"
        review = reviewed(draft, unreviewed(why), run.config.mode_configs)
    work.review = review
    work.written = judged(draft, review.checked)
    run.signals.status, run.signals.empty, run.signals.critique = review.status, not draft.findings, review.critique


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
        return Composed(final_report=refusal(decision.reason, decision.detail, draft.problems))
    if run.signals.plain:
        return Composed(final_report=results(work.context.passages, draft))
    bare, _ = composed(draft, work.review, context)
    effect = ask.Compose(task=run.task, draft=draft, review=work.review, context=context, mode=run.config.mode)
    return (yield from run.final(effect, bare, decision))


REPORT: Engine[ReportConfig, ReportSignals, Report] = Engine(
    name="report/3",
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
