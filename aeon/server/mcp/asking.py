"""What a run asks, as the protocol puts it to the person at the client, and what they said."""

from __future__ import annotations

from typing import Any

from mcp.server import ServerRequestContext
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from aeon.schema import JsonObject
from aeon.server.mcp.shapes import Asked

__all__ = ["KEY", "can_be_asked", "coming_again", "request_of", "said"]

KEY = "answer"
"""The field of a form that holds the answer."""


def can_be_asked(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether there is a person at the client to whom a form can be shown."""
    able = context.session.client_capabilities
    forms = able.elicitation if able is not None else None
    return forms is not None and (forms.form is not None or forms.url is None)


def request_of(asked: Asked, meta: JsonObject | None = None) -> ElicitRequest:
    """A question as a request for a form, with this ``_meta``."""
    fields: dict[str, Any] = {"_meta": meta} if meta is not None else {}
    return ElicitRequest(params=ElicitRequestFormParams(message=asked.text, requested_schema=_form(asked), **fields))


def coming_again(run: str, asked: Asked) -> InputRequiredResult:
    """What a call ends with that is to come again with an answer; its state is the run."""
    return InputRequiredResult(input_requests={KEY: request_of(asked)}, request_state=run)


def said(answered: ElicitResult | None) -> str | None:
    """What the person at the client said; ``None`` where they said nothing."""
    if answered is None or answered.action != "accept":
        return None
    text = (answered.content or {}).get(KEY)
    return text if isinstance(text, str) else None


def _form(asked: Asked) -> JsonObject:
    """The schema of an answer: one of the options where nothing else is one."""
    shape: JsonObject = {"type": "string", "title": "Answer"}
    if asked.options and not asked.default:
        shape["enum"] = [*asked.options]
    elif asked.options:
        shape["description"] = f"such as {', '.join(asked.options)}; assumed where nothing is said: {asked.default}"
    return {"type": "object", "properties": {KEY: shape}, "required": [KEY]}
