"""A text that is written from sentences that were read, and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from aeon.documents.binding import bound
from aeon.documents.sentences import sentences
from aeon.documents.telling import nearness
from aeon.errors import AllowanceExhausted, CompletionError, ModelError, Truncated
from aeon.execution.signature import unsigned
from aeon.execution.writing import write_text
from aeon.grounding.citations import cited_claims
from aeon.grounding.results import told
from aeon.proof.inference import bare
from aeon.runtime.ledger import current_ledger
from aeon.schema import Source, StepResult, Task
from aeon.schema.claims import ENDINGS
from aeon.supervisor.form import form_faults, items
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.stated import as_written
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line
from aeon.tools.material import material

__all__ = ["write_grounded"]

_LONGEST = 12_000
_LONGEST_FAULT = 80
_MOST_FAULTS = 4
_MOST_QUOTED = 8


async def write_grounded(
    supervisor: Supervisor, task: Task, sources: Sequence[Source], parts: Sequence[str], max_tokens: int
) -> StepResult:
    """The text that a task asks for, from these sentences; ``parts`` is what else its prompt says, the task among it.

    What is wrong with it, or stands in none of them, is named once, and the better of two texts taken. What a text says
    twice stands there once. One that was cut off is partly clear, and so are the sentences that have most to do with
    the task, which are given where the model writes nothing usable. Who sends a letter no file says: where the task has
    no name for it, its place is left open. Times of day are written as the sentences write them.

    Raises:
        ModelError: the model could not be asked for the first text.
    """
    shown = fence("sentences", material(sources), _LONGEST)
    prompt = Prompt(load("aeon.execution", "texts.md"), "\n\n".join([shown, *parts]), fixed=True)
    try:
        first = await _written(supervisor, prompt, task, sources, max_tokens)
    except (CompletionError, AllowanceExhausted) as error:
        return _quoted(task, sources, str(error))
    faults = _faults(first, task, sources)
    if not faults or current_ledger().calls_left() < 1:
        return first
    mind = f"{prompt.user}\n\n(Mind: {'; '.join(one_line(fault, _LONGEST_FAULT) for fault in faults[:_MOST_FAULTS])})"
    try:
        second = await _written(supervisor, replace(prompt, user=mind), task, sources, max_tokens)
    except (CompletionError, AllowanceExhausted, ModelError):
        return first
    return second if len(_faults(second, task, sources)) < len(faults) else first


async def _written(
    supervisor: Supervisor, prompt: Prompt, task: Task, sources: Sequence[Source], max_tokens: int
) -> StepResult:
    """A text; of one that was cut off the whole sentences, without those that it went on repeating."""
    try:
        text = await write_text(supervisor, prompt, task.text, max_tokens, repairs=0)
        text = as_written(unsigned(_once(text), f"{task.text} {task.context}"), material(sources))
        return StepResult(output=text, mode="reading")
    except Truncated as error:
        whole = _ended(error.text)
        text = _once(whole)
        if not text:
            raise
        if text != whole:  # it would have gone on saying so for ever
            return StepResult(output=text, mode="reading")
        return StepResult(output=text, mode="reading", clarity="PARTIALLY_CLEAR", problem=str(error))


def _quoted(task: Task, sources: Sequence[Source], problem: str) -> StepResult:
    """The sentences that have most to do with a task, as a list; partly clear, since nobody wrote what it asks for."""
    near = nearness(sources, task.text)
    best = sorted(sorted(range(len(sources)), key=lambda place: -near[place])[:_MOST_QUOTED])
    text = "\n".join(f"- {one_line(sources[place].text)}" for place in best)
    problem = f"no text was written, so these are sentences of the files: {problem}"
    return StepResult(output=text, mode="reading", clarity="PARTIALLY_CLEAR", problem=problem)


def _ended(text: str) -> str:
    """A text that was cut off without its last sentence."""
    every = sentences(text)
    return text[: every[-1].start].strip() if every else ""


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


def _faults(written: StepResult, task: Task, sources: Sequence[Source]) -> list[str]:
    """Which sentences and values of a text rest on nothing, and what is wrong with its form, unless that is a number.

    So many sentences or points have been asked for twice before.
    """
    text = str(written.output)
    found = cited_claims(text, told(task), bound(text, task.text, sources))
    lost = [f"no sentence says this, so leave it out: {claim.text}" for claim in found if claim.verdict in ENDINGS]
    return [*(() if items(task.text) else form_faults(task.text, text)), *lost]
