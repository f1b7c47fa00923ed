"""A choice of one of several options: a model can reply with nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.schema import JsonObject
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Choice", "one_of"]

_TOKENS = 80


class Choice(Frozen):
    """What a model replies, and what examples of a prompt show."""

    choice: str


async def one_of(supervisor: Supervisor, prompt: Prompt, options: Sequence[str]) -> str:
    """The option that the model chooses. It is asked once more where it says nothing usable.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    schema: JsonObject = {
        "type": "object",
        "properties": {"choice": {"enum": list(options)}},
        "required": ["choice"],
        "additionalProperties": False,
    }
    reply = await supervisor.structured(prompt, Choice, max_tokens=_TOKENS, schema=schema, repairs=1)
    return reply.value.choice
