"""A plain model with the looks of the proof game as its tools: it looks, and answers when it likes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from aeon.engines.tutor.actions import Action, Observation, arguments
from aeon.errors import CompletionError, ToolError
from aeon.llm.adapter import LLMAdapter
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.files import files
from aeon.tools.look import LOOK

__all__ = ["answered"]

_SYSTEM = (
    "Find the answer to a question about a folder of files. Each turn, reply with one JSON object. To look: "
    '{"do":{"type":"list","path":""}}, {"do":{"type":"read","path":"a.txt","start":1}}, '
    '{"do":{"type":"search","text":"word","path":""}}, {"do":{"type":"count","text":"word","path":""}}, '
    '{"do":{"type":"imports","path":""}}, '
    '{"do":{"type":"query","table":"t","column":"c","aggregate":"sum","where":"","equals":""}}. '
    'When you know it: {"do":{"type":"answer","text":"…"}}, in one short sentence. If it cannot be told, say so.'
)
_LONGEST, _TOKENS, _KEPT = 1_500, 120, 6
_OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)


class _Answer(Frozen):
    """The answer."""

    type: Literal["answer"] = "answer"
    text: str = Field(max_length=300)


class _Turn(Frozen):
    """One turn of the model."""

    do: Annotated[Action | _Answer, Field(discriminator="type")]


class _Last(Frozen):
    """The last turn, in which nothing is left but to answer."""

    do: _Answer


async def answered(model: LLMAdapter, question: str, folder: Path, turns: int) -> str:
    """What the model says in the end; "" where it says nothing usable. On the last turn it can do nothing but answer.

    Its looks and what they show are turns of a conversation, of which the last few are kept. A look that it has taken
    already is not taken again: it is told so.
    """
    call = next(tool.call for tool in files(folder) if tool.name == LOOK)
    supervisor, past, told = Supervisor(model), list[tuple[str, str]](), f"Question: {question}"
    for _ in range(turns - 1):
        try:
            do = (await supervisor.structured(Prompt(_SYSTEM, told, tuple(past)), _Turn, max_tokens=_TOKENS)).value.do
        except CompletionError:
            return ""
        if isinstance(do, _Answer):
            return do.text
        did = json.dumps({"do": do.fields()})
        seen = "You did that already." if any(did == said for _, said in past) else _seen(call, do)
        past = [*past[:1], *past[1:][-_KEPT:], (told, did)]
        told = f"{seen}\nQuestion: {question}"
    try:
        last = await supervisor.structured(Prompt(_SYSTEM, f"{told}\nAnswer now.", tuple(past)), _Last)
    except CompletionError:
        return ""
    return last.value.do.text


def _seen(call: Callable[..., object], action: Action) -> str:
    try:
        return "\n".join(_OBSERVATION.validate_python(call(**arguments(action))).shown())[:_LONGEST]
    except ToolError as error:
        return str(error)
