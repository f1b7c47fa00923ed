"""A text that is written from sentences that were read, and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from aeon.documents.binding import bound
from aeon.documents.sentences import sentences
from aeon.documents.telling import nearness
from aeon.errors import AllowanceExhausted, CompletionError, ModelError
from aeon.execution.writing import write_text
from aeon.grounding.citations import cited_claims
from aeon.grounding.results import told
from aeon.kernel.decide import ENDINGS
from aeon.proof.inference import bare
from aeon.runtime.ledger import current_ledger
from aeon.schema import Source, StepResult, Task
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line
from aeon.tools.texts import material

__all__ = ["write_grounded"]

_LONGEST = 12_000
_LONGEST_FAULT = 80
_MOST_FAULTS = 4
_MOST_QUOTED = 8


async def write_grounded(
    supervisor: Supervisor, task: Task, sources: Sequence[Source], parts: Sequence[str], max_tokens: int
) -> StepResult:
    """The text that a task asks for, from these sentences; ``parts`` is what else its prompt says, the task among it.

    What stands in none of them is named once, and the better of two texts taken; what a text says twice stands there
    once. Where the model gives nothing usable, it is the sentences themselves that have most to do with the task.

    Raises:
        ModelError: the model could not be asked for the first text.
    """
    shown = fence("sentences", material(sources), _LONGEST)
    prompt = Prompt(load("aeon.execution", "texts.md"), "\n\n".join([shown, *parts]), fixed=True)
    try:
        first = _once(await write_text(supervisor, prompt, task.text, max_tokens))
    except (CompletionError, AllowanceExhausted) as error:
        return _quoted(task, sources, str(error))
    faults = _unfounded(first, task, sources)
    if not faults or current_ledger().calls_left() < 1:
        return StepResult(output=first, mode="reading")
    named = "; ".join(one_line(fault, _LONGEST_FAULT) for fault in faults[:_MOST_FAULTS])
    mind = f"{prompt.user}\n\n(Mind: no sentence says this, so leave it out: {named})"
    try:
        second = _once(await write_text(supervisor, replace(prompt, user=mind), task.text, max_tokens))
    except (CompletionError, AllowanceExhausted, ModelError):
        second = first
    better = len(_unfounded(second, task, sources)) < len(faults)
    return StepResult(output=second if better else first, mode="reading")


def _quoted(task: Task, sources: Sequence[Source], problem: str) -> StepResult:
    """The sentences that have most to do with a task, as a list; partly clear, since nobody wrote what it asks for."""
    near = nearness(sources, task.text)
    best = sorted(sorted(range(len(sources)), key=lambda place: -near[place])[:_MOST_QUOTED])
    text = "\n".join(f"- {one_line(sources[place].text)}" for place in best)
    problem = f"no text was written, so these are sentences of the files: {problem}"
    return StepResult(output=text, mode="reading", clarity="PARTIALLY_CLEAR", problem=problem)


def _once(text: str) -> str:
    """A text without the sentences that it has said before."""
    said: set[str] = set()
    spans: list[tuple[int, int]] = []
    for one in sentences(text):
        own = bare(text[one.start : one.end])
        if own in said:
            spans.append((one.start, one.end))
        said.add(own)
    for start, end in reversed(spans):
        text = text[:start].rstrip(" ") + text[end:]
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _unfounded(text: str, task: Task, sources: Sequence[Source]) -> list[str]:
    """The sentences and values of a text that rest on nothing."""
    found = cited_claims(text, told(task), bound(text, task.text, sources))
    return [claim.text for claim in found if claim.verdict in ENDINGS]
