"""Conversations as clients of OpenAI send them, made into tasks: what is asked, and what was said before.

What the user said before is the context of the task, on which claims may rest; what an assistant answered is not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from fastapi import Request
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from aeon.errors import AeonError
from aeon.proof.renderings import openai
from aeon.schema import JsonObject
from aeon.server.bodies import TaskBody, Wishes, read_json
from aeon.server.history import proof
from aeon.server.problems import Problem
from aeon.server.replies import RunReply
from aeon.server.routing import service_of
from aeon.server.runs import RunRecord
from aeon.supervisor.prompt import cut
from aeon.text import one_line

__all__ = [
    "NOTHING_BEFORE", "Before", "Open", "Said", "answer_text", "citations", "created", "own_of", "received",
    "schema_of", "sources_of", "task_of", "unmet",
]  # fmt: skip

_NONE = Wishes()
_RULES = ("system", "developer")
_ROLES = (*_RULES, "user", "assistant")
_LATER = "What the user asks now is the task; this was said before it."
_ANSWERED = "This was answered before it, and may be wrong."
_GAP = "\n\n"
_MOST_ANSWERED, _ANSWER, _QUESTION = 3_000, 1_200, 160
"""Characters of all earlier answers that are shown, of one of them, and of the question that it answers."""
_MEANINGLESS = frozenset({
    "temperature", "top_p", "seed", "max_tokens", "max_completion_tokens", "max_output_tokens", "presence_penalty",
    "frequency_penalty", "user", "store", "metadata", "stream_options", "parallel_tool_calls", "safety_identifier",
    "prompt_cache_key", "service_tier", "truncation", "reasoning", "reasoning_effort", "verbosity", "include",
})  # fmt: skip
"""Fields that say how one model is sampled, kept or billed: a run has no place for them, and they change no answer."""


class Open(BaseModel):
    """A body of another API. What a run cannot do is refused, what has no meaning for it is left out.

    ``aeon`` has what the other API has no place for.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    aeon: Wishes = Wishes()

    def refuse(self) -> None:
        """Refuse fields that ask for something else than an answer.

        Raises:
            Problem: names them.
        """
        extra = self.model_extra or {}
        asked = {name for name, value in extra.items() if value not in (None, [], {}, False, "none", "auto", "text")}
        if extra.get("n") == 1:
            asked.discard("n")
        if extra.get("modalities") == ["text"]:
            asked.discard("modalities")
        if wrong := sorted(asked - _MEANINGLESS):
            names = one_line(", ".join(wrong), 200)
            raise Problem(400, "unsupported", f"{names}: a run has no place for it; leave it out")


class Said(BaseModel):
    """A message: a text, or parts of which all are texts."""

    model_config = ConfigDict(extra="ignore")

    role: str = "user"
    content: str | list[dict[str, Any]] | None = None
    type: str = "message"

    @property
    def text(self) -> str:
        """Its text.

        Raises:
            Problem: a part is an image, a sound or a file, or the message is of a tool.
        """
        if self.type != "message" or self.role not in _ROLES:
            raise Problem(400, "unsupported", f"messages of {one_line(self.role or self.type, 40)} are not understood")
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        texts = [part.get("text") for part in self.content]
        if not all(isinstance(text, str) for text in texts):
            raise Problem(400, "unsupported", "only texts are understood: no images, sounds or files")
        return "\n".join(map(str, texts))


class Before(NamedTuple):
    """What was said before a task: by the user, and by an assistant."""

    asked: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: Mapping[str, JsonValue]) -> Before:
        """What was said before the task of this request."""
        said = (str(request.get(name) or "").partition(_GAP)[2] for name in ("context", "earlier"))
        return cls(*(tuple(filter(None, (one,))) for one in said))

    def followed_by(self, turns: Iterable[tuple[str, str]]) -> Before:
        """It with these roles and texts behind it."""
        asked, answered, last = [*self.asked], [*self.answered], ""
        for role, text in turns:
            if role == "assistant":
                answered.append(f"{last}assistant: {cut(text, _ANSWER)}")
            else:
                asked.append(f"{role}: {text}")
                last = f"{role}: {one_line(text, _QUESTION)}\n"
        return Before(tuple(asked), tuple(answered))

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a task that hold it: all that the user said, and the end of what was answered."""
        answered = _GAP.join(self.answered)
        kept = answered if len(answered) <= _MOST_ANSWERED else f"…{answered[-_MOST_ANSWERED:]}"
        parts = {"context": (_LATER, self.asked), "earlier": (_ANSWERED, [kept] if kept else [])}
        return {name: _GAP.join([head, *said]) if said else "" for name, (head, said) in parts.items()}


NOTHING_BEFORE = Before()


def received(kind: type[Any], data: bytes) -> Any:  # noqa: ANN401 - a value of that kind
    """The body of a request as a value of that kind. Raises ``Problem`` for what is none."""
    try:
        body = kind.model_validate(read_json(data))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Problem(400, "invalid", one_line(f"{where}: {first['msg']}", 200)) from None
    body.refuse()
    return body


def task_of(
    said: Iterable[Said],
    engine: str,
    schema: JsonObject | None,
    before: Before = NOTHING_BEFORE,
    wishes: Wishes = _NONE,
) -> TaskBody:
    """The task of a conversation: instructions, and what the user said last; what was said before stands beside it.

    Raises:
        Problem: the user said nothing.
    """
    spoken = [(one.role, text) for one in said if (text := one.text.strip())]
    rules = [text for role, text in spoken if role in _RULES]
    turns = [(role, text) for role, text in spoken if role not in _RULES]
    if not turns or turns[-1][0] != "user":
        raise Problem(400, "invalid", "the last message must be the user's, with a text: it is the task")
    task, beside = _GAP.join([*rules, turns[-1][1]]), before.followed_by(turns[:-1]).fields
    try:
        return TaskBody(task=task, answer_schema=schema, engine=engine, **beside, **dict(wishes))
    except ValidationError as error:
        raise Problem(400, "invalid", one_line(error.errors()[0]["msg"], 200)) from None


def schema_of(form: Mapping[str, Any] | None) -> JsonObject | None:
    """The schema that a client wants the answer to fit.

    Raises:
        Problem: the form is none that is known.
    """
    kind = (form or {}).get("type", "text")
    if form is None or kind == "text":
        return None
    if kind == "json_object":
        return {"type": "object"}
    wrapped = form.get("json_schema", form)
    schema = wrapped.get("schema") if isinstance(wrapped, dict) else None
    if kind != "json_schema" or not isinstance(schema, dict):
        raise Problem(400, "unsupported", "the format of an answer is text, json_object or json_schema with a schema")
    return schema


def answer_text(reply: RunReply) -> str:
    """What the client reads: the object as JSON where it asked for one, the question of a run that waits."""
    if reply.value is not None:
        return json.dumps(reply.value, ensure_ascii=False)
    return reply.question.text if reply.question is not None else reply.summary


def unmet(record: RunRecord, reply: RunReply) -> str:
    """What is said instead of an answer in the form that was asked for; empty where there is one, or none was asked.

    A client that takes the content for a value of its schema must not get anything else there.
    """
    if record.request.get("answer_schema") is None or reply.value is not None or reply.summary.strip() == "null":
        return ""
    if reply.question is not None:
        return reply.question.text
    return f"There is no answer in the form that was asked for ({reply.detail or reply.stop_reason}): {reply.summary}"


async def citations(request: Request, record: RunRecord, reply: RunReply) -> tuple[list[JsonValue], str]:
    """The citations of an answer as OpenAI's annotations, from its proof; and why there are none, if there cannot be.

    Offsets are into the answer in words, so an answer as JSON has none.
    """
    service = service_of(request)
    if reply.value is not None or reply.state != "ended":
        return [], ""
    try:
        tools = await asyncio.to_thread(service.equipment.given, sources_of(record))
        async with service.kept(record) as path:
            data = await asyncio.to_thread(proof, path, tools)
        content = (await asyncio.to_thread(openai, data)).content
    except AeonError as error:
        return [], str(error)
    annotations = content["annotations"]
    return (annotations if isinstance(annotations, list) else []), ""


def sources_of(record: RunRecord) -> list[str] | None:
    """The collections that were asked for; ``None``: all."""
    sources = record.request.get("sources")
    return [str(one) for one in sources] if isinstance(sources, list) else None


def own_of(reply: RunReply, problem: str = "") -> JsonObject:
    """What a run says of its answer beyond what the other API has a place for."""
    own: JsonObject = {
        "job": f"/jobs/{reply.id}", "stop_reason": reply.stop_reason, "sufficient": reply.sufficient,
        "detail": reply.detail,
    }  # fmt: skip
    return {**own, "citations": problem} if problem else own


def created(record: RunRecord) -> int:
    """When a run was accepted, in seconds since 1970."""
    return int(datetime.fromisoformat(record.created).timestamp())
