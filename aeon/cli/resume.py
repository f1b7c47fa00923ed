"""``aeon resume``: a saved run is gone on with; what it has done is taken from its journal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from aeon.assembly.build import Unattended, resumption
from aeon.cli.output import print_json
from aeon.cli.prompt import meant
from aeon.cli.session import Session, exit_code
from aeon.cli.saved import say_torn
from aeon.errors import UsageError
from aeon.observability.lines import answer_lines, conclusion_lines, plain
from aeon.runtime.journal import Journal
from aeon.runtime.replay import replay, standing
from aeon.schema import Question, Result

__all__ = ["command", "go_on", "session_for"]


def command(options: argparse.Namespace) -> int:
    """Go on with the run that ``options.file`` holds, or show how it ended."""
    journal = Journal.reopen(options.file)
    try:
        say_torn(options.file, journal)
        found = standing(journal)
        answer = _answer(options.answer, found.question)
        if found.void is None:
            return _over(journal, options.json)
        with session_for(journal, options, options.file) as session:
            return go_on(journal, session, options.tools, answer, options.unattended)
    finally:
        journal.close()


def session_for(journal: Journal, options: argparse.Namespace, path: str | Path) -> Session:
    """The session of a run that is taken up: on its own model, or the one that the options name.

    Raises:
        UsageError: no such model, or one that cannot be used.
    """
    setup = journal.opened.setup
    recorded, before = setup.get("model"), setup.get("model_name")
    session = Session(options, options.model or (recorded if isinstance(recorded, str) else None), path)
    if before and before != session.model.name:
        print(f"aeon: until now the model was {before}, from here on it is {session.model.name}", file=sys.stderr)
    return session


def go_on(
    journal: Journal, session: Session, tools: str | None, answer: str | None = None, unattended: Unattended = None
) -> int:
    """Take up the run of a journal that is open for it, show it, and give the exit code of its end."""
    given = None if tools is None else [tools]
    session.make_ready()
    again = resumption(journal, session.model, given, session.observers, session.ask, answer, unattended)
    session.view.take_up(len(journal.entries))
    return session.conduct(again.driver, again.execute)


def _answer(said: str | None, question: Question | None) -> str | None:
    """The answer that is meant.

    Raises:
        UsageError: nothing was asked, or nothing is said.
    """
    if said is None:
        return None
    if question is None:
        raise UsageError("--answer: the run waits for no answer: nothing was asked; leave it out")
    if not (answer := meant(question, said)):
        raise UsageError(f"--answer: is empty, and there is no default; the question is: {question.text}")
    return answer


def _over(journal: Journal, as_json: bool) -> int:
    """Show how a run ended that has nothing left to do."""
    result: Result = replay(journal)
    journal.end(result)
    print("aeon: the run has ended; nothing was left to do", file=sys.stderr)
    if as_json:
        print_json(result)
    else:
        print(plain([*answer_lines(result), (), *conclusion_lines(result)]))
    return exit_code(result)
