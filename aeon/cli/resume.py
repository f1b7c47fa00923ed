"""``aeon resume``: continues a saved run; what it has done is taken from its journal."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from aeon.asking.answers import meant, no_option, options_of
from aeon.assembly.build import Unattended, resumption
from aeon.assembly.registry import plugin_of, view_of
from aeon.assembly.setup import Trust, recorded_model, recorded_roles, recorded_tools, setup_of
from aeon.cli.consent import agreed
from aeon.cli.database import jobs_in
from aeon.cli.narration import Past
from aeon.cli.output import print_json, remark
from aeon.cli.proving import Proving, Record, check_apart, check_proof, signs
from aeon.cli.run import roles_of
from aeon.cli.saved import say_torn
from aeon.cli.session import Session, exit_code, spec_of
from aeon.errors import UsageError
from aeon.llm.nobody import Nobody
from aeon.llm.select import select
from aeon.observability.lines import Line, answer_lines, plain
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine, replay, resume_point
from aeon.schema import Conclusion, JsonObject, Question
from aeon.tools.select import Given, opened, server_specs

__all__ = ["command", "proceed", "session_for", "tools_of"]

_KEPT = {"roles": "the models of its roles", "mcp": "its MCP servers"}
"""What a run in a database has to its end."""


def command(options: argparse.Namespace) -> int:
    """Continue the run that ``options.file`` holds, or show how it ended.

    Raises:
        UsageError: an answer to no question, or the run's engine is not installed in this version.
    """
    if options.durable is not None:
        return _queued(options)
    sign = signs(options)
    check_apart(options, check_proof(options))
    journal = Journal.reopen(options.file)
    try:
        say_torn(options.file, journal)
        engine = plugin_of(journal).engine
        point = resume_point(journal, engine)
        answer = _answer(options.answer, point.question)
        record = Record(options.file)
        if point.void is None:
            chosen = recorded_tools(journal.setup) if options.tools is None else options.tools
            given = opened(chosen) if options.proof else ()
            return _over(journal, engine, options.json, Proving(given, record, options.proof, sign))
        trust = agreed(journal, options)
        with session_for(journal, options, options.file, trust) as session:
            tools = tools_of(journal, session, options.tools, options.mcp)
            roles = roles_of(options.roles)
            proved = Proving(tools, record, options.proof, sign)
            return proceed(journal, session, tools, trust, answer, options.unattended, roles, proved)
    finally:
        journal.close()


def _queued(options: argparse.Namespace) -> int:
    """Have a worker continue the run of this id; with another model or other tools, one that has them."""
    if options.proof or options.sign:
        raise UsageError("resume: with --durable, a worker continues the run; leave --proof out")
    with jobs_in(options.durable) as jobs:
        if options.answer is not None:
            job = jobs.answer(options.file, options.answer)
        else:
            job = jobs.resume(options.file, options.unattended, _other(jobs.journal(options.file), options))
    remark(f"waits for a worker with {job.needs}")
    print(job.id)
    return 0


def _other(journal: Journal, options: argparse.Namespace) -> JsonObject | None:
    """What the run is made of from here on, where the options name another model or other tools."""
    _refuse_kept(options)
    if options.model is None and options.tools is None:
        return None
    before = journal.setup
    model = select(options.model if options.model is not None else recorded_model(before))
    spec = spec_of(model, options.model) if options.model is not None else recorded_model(before)
    setup = setup_of(model, spec, recorded_tools(before) if options.tools is None else options.tools)
    kept = ("roles", "offered") if options.tools is None else ("roles",)
    return setup | {name: value for name, value in before.items() if name in kept}


def _refuse_kept(options: argparse.Namespace) -> None:
    """Refuse to change what a run in a database has to its end."""
    if asked := [name for name in _KEPT if getattr(options, name)]:
        raise UsageError(f"resume: with --durable, a run keeps {_KEPT[asked[0]]}; leave --{asked[0]} out")


def session_for(journal: Journal, options: argparse.Namespace, path: str | Path, trust: Trust) -> Session:
    """The session of a run that is continued: on its own model, or the one that the options name.

    Raises:
        UsageError: no such model, or one that cannot be used.
        JournalError: what the journal says of its model cannot be.
    """
    before = journal.setup.get("model_name")
    if journal.config(plugin_of(journal).engine.config).model_tier == "T0":
        return Session(options, None, path, lambda _: Nobody())
    if options.model:
        session = Session(options, options.model, path)
    else:
        session = Session(options, recorded_model(journal.setup), path, trust.select)
    if before and before != session.model.name:
        remark(f"until now the model was {before}, from here on it is {session.model.name}")
    return session


def tools_of(journal: Journal, session: Session, specs: list[str] | None, servers: Sequence[str] = ()) -> list[Given]:
    """The tools of the run, or those that ``specs`` name, and these MCP servers; with folders and servers opened.

    Raises:
        UsageError: tools that only the caller has, or that cannot be used.
        ToolFailed: a server cannot be reached, or does not answer.
    """
    chosen = recorded_tools(journal.setup) if specs is None else specs
    seconds = journal.config(plugin_of(journal).engine.config).budget.seconds
    return session.opened([*chosen, *(one for one in server_specs(servers) if one not in chosen)], seconds)


def proceed(
    journal: Journal,
    session: Session,
    tools: Iterable[Given],
    trust: Trust,
    answer: str | None = None,
    unattended: Unattended = None,
    roles: Mapping[str, str] | None = None,
    proved: Callable[[Conclusion], list[Line]] = lambda result: [],
) -> int:
    """Continue the run of a journal that is open for it, show it, and give the exit code of its end.

    ``proved`` gives lines on what the answer rests on.
    """
    engine = plugin_of(journal).engine
    config = journal.config(engine.config)
    if engine.bound(config).calls:
        had = recorded_roles(journal.setup, config.roles).named
        session.make_ready({**had, **(roles or {})}.values())
    spec = session.spec
    resumed = resumption(
        journal, session.model, tools, session.observers, session.ask, answer, unattended, spec=spec, trust=trust,
        roles=roles,
    )  # fmt: skip
    for change in resumed.changes:
        remark(change)
    session.view.past = Past(len(journal.entries), frozenset(journal.altered))
    return session.conduct(resumed.driver, resumed.execute, proved)


def _answer(text: str | None, question: Question | None) -> str | None:
    """The answer that is meant.

    Raises:
        UsageError: nothing was asked, or nothing is said.
    """
    if text is None:
        return None
    if question is None:
        raise UsageError("--answer: the run waits for no answer: nothing was asked; leave it out")
    if other := no_option(question, text):
        words = "" if question.closed else "; or answer in words"
        raise UsageError(f"--answer: {other} is none of the options, which are: {options_of(question)}{words}")
    if not (answer := meant(question, text)):
        raise UsageError(f"--answer: is empty, and there is no default; the question is: {question.text}")
    return answer


def _over(journal: Journal, engine: AnyEngine, as_json: bool, proving: Proving) -> int:
    """Show how a run ended that has nothing left to do, and prove it if that is wanted."""
    result: Conclusion = replay(journal, engine)
    asyncio.run(journal.end(result))
    remark("the run has ended; nothing was left to do")
    if as_json:
        print_json(result)
    else:
        print(plain([*answer_lines(result), (), *view_of(engine.name).conclusion(result)]))
    if lines := proving(result):
        print(plain(lines), file=sys.stderr if as_json else sys.stdout)
    return exit_code(result)
