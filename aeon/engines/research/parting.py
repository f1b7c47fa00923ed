"""A comparison: split by the model into questions of one fact each, and the line that says what follows from them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aeon.engines.research.common import is_common
from aeon.engines.research.several import LESS, MORE
from aeon.programs.parse import unfenced
from aeon.schema import LONGEST_TASK
from aeon.supervisor.prompt import Prompt, cut, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Split", "chosen", "parted", "split"]

_TOKENS = 150
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What reading a text as Python may raise."""
_MOST_FACTS = 4
_EXAMPLES = (
    (
        "How many euros more is a day ticket for the pool than one for the museum?",
        "a = What does a day ticket for the pool cost?\nb = What does a ticket for the museum cost?\nprint(a - b)",
    ),
    (
        "What do 4 of us pay for the boat trip and the tasting together?",
        "a = What does the boat trip cost for one person?\nb = What does the tasting cost for one person?\n"
        "print(4 * (a + b))",
    ),
    (
        "Entry to the cave plus the tower for 3 adults?",
        "a = What is the entry to the cave for one adult?\nb = What is the entry to the tower for one adult?\n"
        "print(3 * (a + b))",
    ),
    (
        "Which has the longer warranty, the Corva or the Lind, and by how much?",
        "a = How long is the warranty of the Corva?\nb = How long is the warranty of the Lind?\n"
        'print("Corva" if a > b else "Lind", abs(a - b))',
    ),
    (
        "How many days are there between the first and the last day of the fair?",
        "a = When is the first day of the fair?\nb = When is the last day of the fair?\nprint(days_between(a, b))",
    ),
    (
        "We need 30 metres of rope. What do we save at Holm & Co compared with Rigby?",
        "a = What does a metre of rope cost at Holm & Co?\nb = What does a metre of rope cost at Rigby?\n"
        "print(30 * (b - a))",
    ),
    (
        "Is the concert or the lecture earlier, and by how many days?",
        "a = When is the concert?\nb = When is the lecture?\n"
        'print("concert" if a < b else "lecture", days_between(a, b))',
    ),
)
_FACT = re.compile(r"^[^\S\n]*(?P<name>[a-z]\w*)\s*=\s*(?P<question>[^\n]+\?)\s*$", re.MULTILINE)
_FORMULA = re.compile(r"^[^\S\n]*(?P<formula>print\(.+\))\s*$", re.MULTILINE)
_WHICH = re.compile(r"\b(?:which|who|whose|whom|or|whether|compare)\b", re.IGNORECASE)

_AMOUNT = re.compile(
    r"\bhow\b|\bby what\b|\bdifferen|\bwhat (?:is|are) (?:their|both)\b|\band (?:when|what)\b", re.IGNORECASE
)
"""What asks how far two are apart."""
_AGE = re.compile(r"\b(?:old|young|new)er\b", re.IGNORECASE)
_WHEN = re.compile(r"\W*(?:when|(?:in )?(?:what|which) year|on (?:what|which) (?:day|date))\b", re.IGNORECASE)


class Split(NamedTuple):
    """The questions by their names, and the line that prints what follows from their answers."""

    questions: dict[str, str]
    formula: str


async def parted(supervisor: Supervisor, question: str) -> Split | None:
    """The parts that the model names of a question; ``None`` where it names none.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    prompt = Prompt(load("aeon.engines.research", "split.md"), cut(question, LONGEST_TASK), _EXAMPLES, fixed=True)
    reply = await supervisor.said(prompt, max_tokens=_TOKENS)
    return split(reply) if reply is not None else None


def split(reply: str) -> Split | None:
    """The parts that a reply names; ``None`` where it is no split into facts that its formula uses."""
    text = unfenced(reply)
    questions = {found["name"]: found["question"].strip() for found in _FACT.finditer(text)}
    formulas = [found["formula"] for found in _FORMULA.finditer(text)]
    if not 0 < len(questions) <= _MOST_FACTS or len(formulas) != 1:
        return None
    try:
        names = {node.id for node in ast.walk(ast.parse(formulas[0], mode="eval")) if isinstance(node, ast.Name)}
    except _UNREADABLE:
        return None
    return Split(questions, formulas[0]) if questions.keys() <= names else None


def chosen(parts: Split, question: str) -> str:
    """The formula, which says which one it is where the question asks for that, and of two the one it asks for.

    A small model puts the names of two, and the sign between them, the wrong way round at times. Where each name stands
    in one of the questions, and the question says "higher" or "earlier", the host knows both. What lies between them is
    left out where nobody asks for that.
    """
    call = ast.parse(parts.formula, mode="eval").body
    if not isinstance(call, ast.Call):
        return parts.formula
    call.args = [_directed(argument, parts.questions, question) for argument in _wanted(call.args, question)]
    return ast.unparse(call)


def _wanted(printed: Sequence[ast.expr], question: str) -> list[ast.expr]:
    """Which of two it is where the question asks for that alone; what lies between them where it asks for no more."""
    which: list[ast.expr] = [one for one in printed if isinstance(one, ast.IfExp)]
    others = [one for one in printed if not isinstance(one, ast.IfExp)]
    if others and not _WHICH.search(question):
        return others
    return which if which and not _AMOUNT.search(question) else list(printed)


def _directed(argument: ast.expr, questions: Mapping[str, str], question: str) -> ast.expr:
    """A choice of two named ones by their values, as the question asks for it; anything else as it is."""
    match argument:
        case ast.IfExp(
            test=ast.Compare(left=ast.Name(id=one), comparators=[ast.Name(id=other)]),
            body=ast.Constant(value=str(yes)),
            orelse=ast.Constant(value=str(no)),
        ) if {one, other} <= questions.keys():
            sign = _sign(question, (questions[one], questions[other]))
            own = [name for name in (yes, no) if _is_in(name, questions[one]) and not _is_in(name, questions[other])]
            if len(own) != 1 or not sign:
                return argument
            first, second = (_whole(name, question) for name in ((yes, no) if own[0] == yes else (no, yes)))
            code = f"{first!r} if {one} {sign} {other} else {second!r}"
            return ast.parse(code, mode="eval").body
    return argument


def _sign(question: str, sides: Sequence[str]) -> str:
    """How the first of two compares if it is the one that is asked for; "" where the question does not tell.

    What is older was there earlier, if the sides ask since when.
    """
    more, less = bool(MORE.search(question)), bool(LESS.search(question))
    if _AGE.search(question) and all(map(_WHEN.match, sides)):
        more, less = less, more
    return "" if more == less else ">" if more else "<"


def _whole(name: str, question: str) -> str:
    """The name with the word that stands right before it in the question, where that is part of it: till printer."""
    found = re.search(rf"([^\W\d_]+) {re.escape(name)}\b", question, re.IGNORECASE)
    return found[0] if found and not is_common(found[1]) and len(found[1]) > 1 else name


def _is_in(name: str, question: str) -> bool:
    return name.casefold() in question.casefold()
