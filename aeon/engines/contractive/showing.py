"""How a question is shown to a model: its context and the answers to its parts as data, the question last."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.contractive.values import Solved
from aeon.schema import Task
from aeon.supervisor.prompt import cut, fence
from aeon.text import one_line

__all__ = ["shown"]

_CONTEXT, _QUESTION, _SOLVED, _ONE = 6_000, 6_000, 2_000, 200


def shown(task: Task, solved: Sequence[Solved] = ()) -> str:
    """The question of a task behind what may be relied on."""
    parts = [fence("background", task.background, _CONTEXT)] if task.background else []
    parts += [fence("answers to parts of it, which may be wrong", _told(solved), _SOLVED)] if solved else []
    said = "".join(f"\n{one.question} {one.answer}" for one in task.clarifications)
    return "\n".join([*parts, f"Question: {cut(task.text, _QUESTION)}{said}"])


def _told(solved: Sequence[Solved]) -> str:
    return "\n".join(f"{one_line(one.question, _ONE)} {_either(one)}" for one in solved)


def _either(one: Solved) -> str:
    """The answer; where others contradict it, all of them."""
    answers = [one_line(answer, _ONE) for answer in (one.answer, *one.others)]
    return answers[0] if len(answers) == 1 else f"{' or '.join(answers)} (not sure which)"
