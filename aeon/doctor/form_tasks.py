"""Tasks with known answers over a small folder of tables and texts; an answer is right by its values alone."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

from aeon.language.mention import Mention
from aeon.proof.figures import figures_in, figures_of_answer
from aeon.schema import Conclusion, Frozen
from aeon.schema.usage import Left

__all__ = ["FormTask", "is_right", "shipped_folder", "shipped_tasks", "tasks_digest"]

_FOLDER, _TASKS = "observatory", "tasks.jsonl"
_UNFINISHED = {"failed", "overspent", *(f"{budget}_exhausted" for budget in Left._fields)}
_DASHES = dict.fromkeys([*range(0x2010, 0x2016), 0x2212], "-")


class FormTask(Frozen):
    """A question and what makes an answer right.

    ``numbers`` and ``names`` must be in the answer, ``not_numbers`` and ``not_names`` must not. With a ``stop_reason``
    it is right where the run ends so. ``sources``: the shipped folder is at hand.
    """

    name: str
    language: str
    text: str
    numbers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    not_numbers: tuple[str, ...] = ()
    not_names: tuple[str, ...] = ()
    stop_reason: str = ""
    sources: bool = True

    @property
    def expected(self) -> str:
        """What is right, for people."""
        return ", ".join(self.names + self.numbers) or self.stop_reason


@cache
def shipped_tasks() -> tuple[FormTask, ...]:
    """The tasks of our own, in several languages."""
    lines = resources.files("aeon.doctor").joinpath(_TASKS).read_text(encoding="utf-8").splitlines()
    return tuple(FormTask.model_validate_json(line) for line in lines)


def shipped_folder() -> AbstractContextManager[Path]:
    """The folder that the tasks are about."""
    return resources.as_file(resources.files("aeon.doctor").joinpath(_FOLDER))


@cache
def tasks_digest() -> str:
    """Names the shipped tasks with their folder: others have another digest."""
    whole = hashlib.sha256("\n".join(task.model_dump_json() for task in shipped_tasks()).encode())
    with shipped_folder() as folder:
        for path in sorted(folder.iterdir()):
            whole.update(f"\n{path.name}\n{path.read_text(encoding='utf-8')}".encode())
    return whole.hexdigest()[:12]


def is_right(task: FormTask, run: Conclusion) -> bool:
    """Whether a run did the task; one that failed or used up its budget did not, whatever it said."""
    if task.stop_reason:
        return run.stop_reason == task.stop_reason
    if run.stop_reason in _UNFINISHED:
        return False
    found, text = set(_numbers(run.answer)), _plain(run.answer)
    return (
        found.issuperset(map(Fraction, task.numbers))
        and found.isdisjoint(map(Fraction, task.not_numbers))
        and all(_holds(text, name) for name in task.names)
        and not any(_holds(text, name) for name in task.not_names)
    )


def _numbers(answer: str) -> Iterator[Fraction]:
    """Every number that the answer holds in digits, in each notation in which it can be read."""
    apart = (f"{char} " if char == "," and not before.isdigit() else char for before, char in pairwise(f" {answer}"))
    for mention in _with_parts(figures_of_answer("".join(apart))):
        yield from (form.read.number for form in mention.forms if form.read.number is not None)


def _with_parts(mentions: Iterable[Mention]) -> Iterator[Mention]:
    """The mentions with what they are made of, and with what stands in quotation marks; of a date, the year alone."""
    for mention in mentions:
        yield mention
        dated = mention.kind == "date"
        yield from (part for part in mention.parts if not dated or any(form.form == "y" for form in part.forms))
        if mention.kind == "quote":
            yield from _with_parts(figures_in(mention.text, cell=False))


def _plain(text: str) -> str:
    """The text without differences of width, case, spaces and dashes."""
    return " ".join(unicodedata.normalize("NFKC", text.translate(_DASHES)).casefold().split())


def _holds(text: str, name: str) -> bool:
    """Whether a plain text has the name, in Latin letters, as a whole; those of other scripts may stand beside it."""
    return f" {_apart(_plain(name))} " in f" {_apart(text)} "


def _apart(text: str) -> str:
    """The Latin letters and digits of a text, with a blank for all between them."""
    return " ".join("".join(char if char.isascii() and char.isalnum() else " " for char in text).split())
