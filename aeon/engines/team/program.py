"""The team engine: the task is split, specialists answer its parts side by side, the master answers with their answers.

A run's scope says whose it is: they are numbered by the part and by the engine among those of the team.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from aeon.engines.auto.effects import LookAround
from aeon.engines.auto.routes import first
from aeon.engines.auto.values import Surroundings
from aeon.engines.chain.program import handed_on, told, with_answers
from aeon.engines.contractive.effects import Decompose
from aeon.engines.contractive.growth import normalised
from aeon.engines.contractive.values import Parts
from aeon.engines.ensemble.members import (
    Members,
    Said,
    answer_of,
    decision_of,
    effects_of,
    member,
    parts,
    settings_of,
    with_assumptions,
)
from aeon.engines.ensemble.together import together
from aeon.engines.team.config import TeamConfig
from aeon.engines.team.record import Job, Team
from aeon.kernel import budget
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema.conclusion import Conclusion
from aeon.schema.effects import Program
from aeon.schema.judgment import TaskProfile
from aeon.schema.outcome import Answer
from aeon.schema.task import Task
from aeon.schema.usage import Left

__all__ = ["most_calls", "team_of"]

TeamRun = Run[TeamConfig, Signals]
_UNPROFILED = TaskProfile(inferred=False)


def _team(members: Members, run: TeamRun) -> Program[Team]:
    """The whole run. It ends as the master does."""
    jobs: tuple[Job, ...] = ()
    ends: tuple[Conclusion, ...] = ()
    try:
        jobs = yield from _split(run)
        if jobs:
            ends = yield from together(run, _working(members, run, jobs))
            jobs = tuple(_done(job, end) for job, end in zip(jobs, ends, strict=True))
        _take(run, ends)
        run.boundary()
        task = _informed(run.task, jobs, ends)
        end = yield from _run(members, run, (run.config.master, len(jobs)), run.left(), task)
    except Halt as halt:
        answer = Answer(text="\n".join(job.answer for job in jobs if job.handed_on) or "Nobody answered.")
        return _result(run, run.conclude(halt.decision, answer), jobs, ends)
    _take(run, (end,))
    return _result(run, run.conclude(decision_of(end), answer_of(end)), jobs, (*ends, end))


def _split(run: TeamRun) -> Program[tuple[Job, ...]]:
    """The parts of the task with their specialists; none where it cannot be split into two that are about it."""
    config = run.config
    found = yield from run.perform(Decompose(task=run.task, place="1", most=config.parts), Parts())
    questions = _useful(run.task, found, config)
    if len(questions) < 2:
        return ()
    jobs = []
    for place, question in enumerate(questions):
        there = yield from run.perform(LookAround(task=_part(run.task, question)), Surroundings())
        route = first(there, _UNPROFILED, False)
        engine, rule = (config.worker, "") if config.worker else (route.engine, route.name)
        jobs.append(Job(question=question, engine=engine, rule=rule, scope=f"/{_number(run, engine, place) + 1}"))
    return tuple(jobs)


def _useful(task: Task, found: Parts, config: TeamConfig) -> list[str]:
    """The parts that are about the task and are not the task itself, each once, as many as may be."""
    about = (part for part in found.parts if part.relevance is None or part.relevance >= config.relevance)
    questions = dict.fromkeys(normalised(part.question) for part in about)
    return [one for one in questions if one and one != " ".join(task.text.split())][: config.parts]


def _part(task: Task, question: str) -> Task:
    """The task of a worker: its part, with the context of the whole."""
    return Task(text=question, context=task.context, earlier=task.earlier, clarifications=task.clarifications)


def _working(members: Members, run: TeamRun, jobs: Sequence[Job]) -> list[Program[Conclusion]]:
    """The runs of the workers, each with a part of what is left; one part is the master's."""
    names = [*(job.engine for job in jobs), run.config.master]
    wants = [member(members, name).bound(settings_of(members, run.config, name)).calls for name in names]
    shares = parts(run.left(), wants, 0, 2)
    return [
        _run(members, run, (job.engine, place), share, _part(run.task, job.question))
        for place, (job, share) in enumerate(zip(jobs, shares, strict=False))
    ]


def _run(members: Members, run: TeamRun, whose: tuple[str, int], share: Left, task: Task) -> Program[Conclusion]:
    """The run of an engine on its task, numbered by its place in the team."""
    own = settings_of(members, run.config, whose[0])
    run.nested = _number(run, *whose)
    limited = own.changed(budget=budget.share(own.budget, share, 1))
    return (yield from member(members, whose[0]).within(run, limited, task))


def _number(run: TeamRun, engine: str, place: int) -> int:
    """The number before that of this engine's run on the part at this place."""
    engines = run.config.engines
    return place * len(engines) + engines.index(engine)


def _done(job: Job, end: Conclusion) -> Job:
    return job.changed(handed_on=handed_on(end), **Said.by(end).fields())


def _informed(task: Task, jobs: Iterable[Job], ends: Iterable[Conclusion]) -> Task:
    """The task with what workers found."""
    pairs = zip(jobs, ends, strict=True)
    answers = [told(job.engine, end, f"this part of the task: {job.question}") for job, end in pairs if job.handed_on]
    return with_answers(task, answers)


def _take(run: TeamRun, ends: Iterable[Conclusion]) -> None:
    """Take over what went wrong in runs, and what they ask."""
    for end in ends:
        run.degraded += end.degraded
        run.signals.question = run.signals.question or end.question


def _result(run: TeamRun, ended: Conclusion, jobs: tuple[Job, ...], ends: Iterable[Conclusion]) -> Team:
    return Team(**dict(with_assumptions(ended, run.task, ends)), master=run.config.master, jobs=jobs)


def most_calls(members: Members, config: TeamConfig) -> int:
    """The most model calls of a team: the split, the dearest specialist for each part, and the master."""
    calls = {name: member(members, name).bound(settings_of(members, config, name)).calls for name in config.engines}
    looks = config.caps.decompose + config.parts * config.caps.look_around
    return looks + config.parts * max(calls[name] for name in config.specialists) + calls[config.master]


def team_of(members: Members) -> Engine[TeamConfig, Signals, Team]:
    """The team whose master and workers can be any of these engines."""
    return Engine(
        name="team/3",
        config=TeamConfig,
        result=Team,
        signals=Signals,
        effects=(Decompose, LookAround),
        table=(),
        calls=partial(most_calls, members),
        program=partial(_team, members),
        nested=effects_of(members),
    )
