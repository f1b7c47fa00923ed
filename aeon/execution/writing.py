"""A text that a step asks for, in the form that it asks for as far as that can be counted."""

from __future__ import annotations

from pydantic import RootModel

from aeon.errors import AllowanceExhausted, CompletionError, Truncated
from aeon.schema import JsonObject
from aeon.supervisor.form import Items, form_faults, items
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

__all__ = ["write_text"]

_LONGEST_ITEM = 400
_MOST_ITEMS = 40


class _Parts(RootModel[list[str]]):
    """The sentences, lines or points of a text."""


async def write_text(supervisor: Supervisor, prompt: Prompt, task: str, max_tokens: int, repairs: int = 1) -> str:
    """The text that ``prompt`` asks for; asked for once more where its form is not the one that ``task`` asks for.

    Where the task wants so many sentences, lines or points, the second text is asked for as a list of so many: a small
    model that miscounts once does so again, and one that was cut off does not end. If that fails too, the first text is
    taken as it is. With ``repairs`` of 0 any other text is taken as it comes.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    wanted = items(task)
    if wanted is None or not 1 < wanted.number <= _MOST_ITEMS:
        asked = supervisor.text(
            prompt, max_tokens=max_tokens, repairs=repairs, check=lambda text: form_faults(task, text)
        )
        return (await asked).value
    try:
        first = (await supervisor.text(prompt, max_tokens=max_tokens, repairs=0)).value
    except Truncated:  # so many would have fitted
        return wanted.joined(await _parts(supervisor, prompt, wanted, max_tokens))
    faults = form_faults(task, first)
    if not faults:
        return first
    try:
        second = wanted.joined(await _parts(supervisor, prompt, wanted, max_tokens))
    except (CompletionError, AllowanceExhausted):
        return first
    return second if len(form_faults(task, second)) < len(faults) else first


async def _parts(supervisor: Supervisor, prompt: Prompt, wanted: Items, max_tokens: int) -> list[str]:
    schema: JsonObject = {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": _LONGEST_ITEM},
        "minItems": wanted.number,
        "maxItems": wanted.number,
    }
    user = f"{prompt.user}\n\nReply with a JSON array of {wanted.number} strings: the {wanted.unit}."
    asked = Prompt(prompt.system, user)
    return (await supervisor.structured(asked, _Parts, schema=schema, max_tokens=max_tokens, repairs=0)).value.root
