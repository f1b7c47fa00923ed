"""Results in a sentence: the model words them, and the host holds every value against what they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.language.literals import stands_as_words
from aeon.proof.alike import numbers_of
from aeon.runtime.ledger import current_ledger
from aeon.schema import Task
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Wording", "worded"]

_TOKENS = 160
_LONGEST_TASK = 1_000
_LONGEST_RESULT = 300
_MOST_LINES = 4
_FIGURES = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
_LONGEST_BASIS = 300
_EXAMPLES = (
    (
        "How many kilometres did Nadia drive in June 2024?",
        "SELECT SUM(km) FROM trips WHERE driver = 'Nadia' AND day BETWEEN '2024-06-01' AND '2024-06-30'",
        "118",
        "Nadia drove 118 kilometres in June 2024.",
    ),
    (
        "Welcher Wagen ist am teuersten, und was kostet er?",
        "SELECT van, price_eur FROM vans ORDER BY price_eur DESC LIMIT 1",
        "Astra, 31000",
        "Am teuersten ist der Astra; er kostet 31000 Euro.",
    ),
    (
        "\u00bfCu\u00e1ndo viene la veterinaria?",
        "The vet, Dr. Adler, comes on Mondays and Thursdays.",
        "on Mondays and Thursdays",
        "La veterinaria viene los lunes y los jueves (on Mondays and Thursdays).",
    ),
    (
        "Who owes us most?",
        "SELECT name, SUM(owed) AS owed FROM bills GROUP BY name ORDER BY owed DESC",
        "Lena, 250.5\nOmar, 12",
        "Lena owes most, 250.5; Omar owes 12.",
    ),
)


class Wording(NamedTuple):
    """A text, and why it is no better one."""

    text: str
    problem: str = ""


async def worded(supervisor: Supervisor, task: Task, results: Sequence[str], basis: str = "") -> Wording:
    """The results in a sentence; as they are where they are many or long, or no sentence has all of them.

    ``basis`` is what they were found by: a query, or the sentences that they were quoted from.

    Every value of the results must stand in the sentence, as it is or as another language writes the number, and every
    figure in it must stand in the results or in the task.
    """
    bare = "\n".join(results)
    if len(bare) > _LONGEST_RESULT or bare.count("\n") >= _MOST_LINES:
        return Wording(bare)
    user = _asked(cut(task.text, _LONGEST_TASK), one_line(basis, _LONGEST_BASIS), bare)
    worked = tuple((_asked(question, found, given), said) for question, found, given, said in _EXAMPLES)
    prompt = Prompt(load("aeon.synthesis", "wording.md").strip(), user, worked, fixed=True)
    wording = await _said(supervisor, prompt, bare, task)
    current_ledger().retell(wording.text)
    return wording


async def _said(supervisor: Supervisor, prompt: Prompt, bare: str, task: Task) -> Wording:
    """What the model says, if that has all of the results; else these."""
    try:
        reply = await supervisor.text(prompt, max_tokens=_TOKENS, repairs=0, tell=True)
    except AllowanceExhausted as error:
        return Wording(bare, str(error))
    except CompletionError:
        return Wording(bare)
    said = " ".join(reply.value.split())
    return Wording(said if _has_all(said, bare, task) else bare)


def _asked(question: str, basis: str, results: str) -> str:
    """The question, and what was found, as data."""
    parts = [fence("found by", basis, _LONGEST_BASIS)] if basis else []
    return "\n".join([*parts, fence("result", results, _LONGEST_RESULT), f"Question: {question}"])


def _has_all(said: str, results: str, task: Task) -> bool:
    """Whether a sentence has each value, a number as any language writes it, and no figure from elsewhere."""
    values = [part.strip() for line in results.splitlines() for part in line.split(", ")]
    numbers = _numbers(said)
    lacking = not all(_number(value) & numbers if _number(value) else stands_as_words(value, said) for value in values)
    known = f"{results} {task.text} {task.background}"
    written, meant = set(_FIGURES.findall(known)), _numbers(known)
    return not lacking and all(one in written or _number(one) & meant for one in _FIGURES.findall(said))


def _numbers(text: str) -> set[Fraction | None]:
    return {one.number for one in numbers_of(text)}


def _number(text: str) -> set[Fraction | None]:
    """The number that a text is; nothing where it is more than that."""
    return _numbers(text) if _NUMBER.fullmatch(text) else set()
