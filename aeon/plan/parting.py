"""A question of several facts: split into questions of one fact each, which are put to the texts one by one.

A small model that reads two facts at once takes the wrong one of several, or leaves a number of the question out; asked
for each alone it seldom does.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from aeon.documents.words import is_common
from aeon.plan.bytexts import ByTexts
from aeon.plan.evidence import Evidence, in_words, stated_numbers
from aeon.plan.measures import measured, value_of
from aeon.plan.program import unfenced
from aeon.plan.prompts import Asked
from aeon.plan.several import LESS, MORE, is_compared, is_of_several
from aeon.plan.sources import LOOKUP, Sources
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_TASK, JsonValue
from aeon.supervisor.prompt import Prompt, cut, load
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Parting", "Parts", "Split", "chosen", "confirms", "doubts_of", "parted", "split"]

_TOKENS = 150
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What reading a text as Python may raise."""
_MOST_FACTS = 4
_CALLS = 3
"""Those of a part that judges vouch for: nobody is asked about one of a question where there are too few for all."""
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
_FACT = re.compile(r"^\s*(?P<name>[a-z]\w*)\s*=\s*(?P<question>[^\n]+\?)\s*$", re.MULTILINE)
_FORMULA = re.compile(r"^\s*(?P<formula>print\(.+\))\s*$", re.MULTILINE)
_CITED = re.compile(r"#\s*(\d{1,3}(?:\s*,\s*\d{1,3})*)\s*$")
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


class Parts(NamedTuple):
    """The program that combines what was read of each part, and the sentences that it cites.

    ``vouched`` is the lowest score of the judges of the parts, ``None`` where one of them has none, or the program
    calculates with a number that nobody said; ``likelihood`` that of the least likely part.
    """

    program: str
    evidence: Evidence
    vouched: float | None = None
    likelihood: float | None = None


class _Part(NamedTuple):
    """What was read of a part, as the line of a program, with the sentences so far; ``unit`` is that of a `Measure`."""

    line: str
    evidence: Evidence
    vouched: float | None = None
    likelihood: float | None = None
    unit: str | None = None


class Parting:
    """Splits questions and puts the parts to the texts.

    ``written`` gives the program that a model writes for a part, which is asked for where it was not read in the whole
    ``texts``, or these are not asked.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        sources: Sources,
        written: Callable[[Asked], Awaitable[str]],
        texts: ByTexts | None = None,
    ) -> None:
        self._supervisor = supervisor
        self._sources = sources
        self._written = written
        self._texts = texts

    @property
    def reads(self) -> bool:
        """Whether parts are read in whole texts."""
        return self._texts is not None

    async def parts(self, asked: Asked) -> Parts | None:
        """The program that combines what the sentences say to each part.

        ``None`` where the question has one fact alone, a part has no single value, or there are too few calls left.
        """
        question = asked.about.text
        if current_ledger().calls_left() <= 2 or (found := await self._split(question)) is None:
            return None
        read = await self._all_read(found, asked) if len(found.questions) < current_ledger().calls_left() else None
        if read is None:
            return None
        formula = chosen(found, question)
        vouched = None if _is_strange(formula, question) else _vouched(read)
        lines = "\n".join([*(one.line for one in read), formula])
        return Parts(lines, read[-1].evidence, vouched, _least([one.likelihood for one in read]))

    async def _all_read(self, found: Split, asked: Asked) -> list[_Part] | None:
        """What is read of every part; ``None`` as soon as one has no single value."""
        shelf = await self._texts.shelf(asked.about.text) if self._texts is not None else None
        evidence, read = asked.about.evidence, list[_Part]()
        judged = current_ledger().calls_left() >= _CALLS * len(found.questions)
        for name, part in found.questions.items():
            one = await self._read(shelf, name, part, evidence, judged) or await self._line(name, part, asked, evidence)
            if one is None:
                return None
            read.append(one)
            evidence = one.evidence
        return read

    async def _read(
        self, shelf: Shelf | None, name: str, question: str, evidence: Evidence, judged: bool
    ) -> _Part | None:
        """What the model reads of a part in whole texts; ``None`` where that is no single value of a sentence."""
        short = await self._texts.part(shelf, question, judged) if self._texts is not None and shelf else None
        found = measured(short.answer, short.source.text) if short is not None and short.source is not None else None
        if short is None or short.source is None or found is None:
            return None
        more, number = evidence.including(short.source)
        return _Part(f"{name} = {found.value}  # {number}", more, short.vouched, short.likelihood, found.unit)

    async def _split(self, question: str) -> Split | None:
        """The parts of a question; ``None`` where it has none, or the model names none."""
        return await parted(self._supervisor, question)

    async def _line(self, name: str, question: str, asked: Asked, evidence: Evidence) -> _Part | None:
        """What a program says to a part, with the sentence it names; ``None`` where that is no single value."""
        about = replace(await self._sources.about(question), evidence=asked.about.evidence)
        task = asked.task.changed(text=question)
        part = replace(asked, task=task, about=about, functions=(LOOKUP,), fault="", likelihoods=[])
        printed, cited = _printed(await self._written(part))
        value = value_of(printed)
        return _Part(f"{name} = {value}  # {cited}", evidence) if value and cited else None


async def parted(supervisor: Supervisor, question: str) -> Split | None:
    """The parts that the model names of a question; ``None`` where it names none.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    prompt = Prompt(load("aeon.plan", "split.md"), cut(question, LONGEST_TASK), _EXAMPLES, fixed=True)
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


def confirms(given: Sequence[JsonValue], parts: Sequence[JsonValue]) -> bool:
    """Whether what a program gives has the numbers of what the parts do, and names nothing else.

    How they are signed is the formula's matter, and it need not say which one it is.
    """
    names = {name.casefold() for name in given if isinstance(name, str)}
    same = bool(_sizes(parts)) and _sizes(given) == _sizes(parts)
    return same and names <= {name.casefold() for name in parts if isinstance(name, str)}


def doubts_of(question: str, given: Sequence[JsonValue]) -> tuple[str, ...]:
    """The doubt about what a question compares, where nothing lies between the two: both may be of one sentence."""
    is_one = is_compared(question) or is_of_several(question)
    return ("there is no difference: look at both sentences again",) if is_one and 0 in _sizes(given) else ()


def _sizes(values: Sequence[JsonValue]) -> list[float]:
    return sorted(round(abs(one), 6) for one in values if isinstance(one, int | float) and not isinstance(one, bool))


def _vouched(read: Sequence[_Part]) -> float | None:
    """The lowest score of several parts; ``None`` where one has none, or they do not count the same."""
    units = {one.unit for one in read}
    return _least([one.vouched for one in read]) if len(read) > 1 and len(units) == 1 and None not in units else None


def _least(scores: Sequence[float | None]) -> float | None:
    """The lowest of the scores; ``None`` where one is missing."""
    known = [score for score in scores if score is not None]
    return min(known) if len(known) == len(scores) else None


def _is_strange(formula: str, question: str) -> bool:
    """Whether a formula has a number that the question does not say, or lacks one that it says in words."""
    constants = [one.value for one in ast.walk(ast.parse(formula)) if isinstance(one, ast.Constant)]
    written = [one for one in constants if not isinstance(one, str)]
    if any(isinstance(one, bool) or not isinstance(one, int | float) or not math.isfinite(one) for one in written):
        return True
    used, spelt = {Fraction(str(one)) for one in written}, in_words(question)
    return not spelt <= used <= {*stated_numbers(question), *spelt}


def _printed(program: str) -> tuple[str, str]:
    """The one value that a program prints as it stands, and the numbers of the sentences that it names."""
    text = unfenced(program).strip()
    lines = text.splitlines() or [""]
    cited = _CITED.findall(lines[-1]) or _CITED.findall(lines[0])
    try:
        *before, last = ast.parse(text).body or [ast.Pass()]
    except _UNREADABLE:
        return "", ""
    match last:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[printed])):
            return _constant(printed, before), cited[0] if cited else ""
    return "", ""


def _constant(printed: ast.expr, before: Sequence[ast.stmt]) -> str:
    """The constant that is printed, be it by the name that it was given before; "" for anything else."""
    values = {ast.unparse(one.targets[0]): one.value for one in before if isinstance(one, ast.Assign)}
    meant = values.get(printed.id, printed) if isinstance(printed, ast.Name) else printed
    return str(meant.value) if isinstance(meant, ast.Constant) else ""
