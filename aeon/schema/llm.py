"""What is sent to a model and what comes back."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aeon.schema.frozen import Frozen, JsonObject
from aeon.schema.turns import WorkForm
from aeon.schema.usage import Usage

__all__ = [
    "CallRequest", "Capabilities", "FinishReason", "LLMRequest", "LLMResponse", "Message", "TokenProbability",
    "ToolSpec",
]  # fmt: skip

FinishReason = Literal["stop", "length", "refusal", "other"]


class CallRequest(Frozen):
    """A tool call as a model wrote it: ``arguments`` is JSON as far as the model kept to it, ``id`` the endpoint's.

    ``signature`` is what the endpoint wants back with the call, such as its sealed reasoning: nobody else reads it.
    """

    id: str
    name: str
    arguments: str
    signature: str = ""


class ToolSpec(Frozen):
    """A tool as a model is told of it; ``parameters`` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: JsonObject


class Message(Frozen):
    """One chat message.

    An assistant's may hold ``calls``; each of them is answered by a message of the role ``tool`` with its ``call_id``.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[CallRequest, ...] = ()
    call_id: str = ""


class LLMRequest(Frozen):
    """One completion to ask for.

    ``json_schema`` asks for a value of that schema: enforced where the endpoint can, else described in the prompt by
    the supervisor. ``top_logprobs`` > 0 asks for the probabilities of that many first-token alternatives.
    ``timeout`` is the total deadline in seconds, ``None`` for the adapter's own. ``attempts`` is how many attempts may
    be made in all, the first included; each one counts as a call. The first ``fixed_messages`` are the same whatever a
    user asks, and so are the first ``fixed_characters`` of the message behind them, as long as the files are: an
    adapter may keep what a model has read of them, out of reach of others.
    ``likelihood`` asks how likely the model was to write what it wrote. ``tools`` are those that the model may call in
    its answer, natively; an endpoint that cannot refuses them (`RequestRefused`).
    """

    messages: tuple[Message, ...] = Field(min_length=1)
    max_tokens: int = Field(default=512, ge=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int = 0
    json_schema: JsonObject | None = None
    json_mode: bool = False
    top_logprobs: int = Field(default=0, ge=0, le=20)
    likelihood: bool = False
    timeout: float | None = Field(default=None, gt=0)
    attempts: int = Field(default=3, ge=1)
    fixed_messages: int = Field(default=0, ge=0)
    fixed_characters: int = Field(default=0, ge=0)
    tools: tuple[ToolSpec, ...] = ()


class TokenProbability(Frozen):
    """One alternative for the first generated token; ``probability`` is in 0-1."""

    token: str
    probability: float = Field(ge=0, le=1)


class LLMResponse(Frozen):
    """One completion. ``usage`` counts the calls of every attempt, retries included, and the tokens of the last.

    ``unmetered`` is how many attempts before it the endpoint may have worked on, without a word on their tokens;
    ``metered`` says that it told those of the last one.
    Only with the ``finish_reason`` ``stop`` is the text known to be whole; with ``other`` nobody knows why it ends.
    ``thought`` says that the endpoint reasoned beside the text, where nobody sees it or in a field of its own.
    ``likelihood`` is the sequence probability (Malinin & Gales, 2021): the product of the probabilities (0-1) of the
    tokens, those of white space alone left out; ``None`` where it was not asked for, or the endpoint does not tell.
    ``calls`` are the tool calls that the model asks for, in its order; then ``text`` may be empty.
    """

    text: str
    calls: tuple[CallRequest, ...] = ()
    finish_reason: FinishReason = "stop"
    usage: Usage = Usage(calls=1)
    first_token: tuple[TokenProbability, ...] = ()
    model: str = ""
    thought: bool = False
    likelihood: float | None = Field(default=None, ge=0, le=1)
    unmetered: int = Field(default=0, ge=0)
    metered: bool = True


class Capabilities(Frozen):
    """What an endpoint can really do, as probed, not as advertised.

    ``context_tokens`` is the context length in tokens, ``None`` if the endpoint does not tell. The rest is known only
    where it was ``measured`` at length: whether answers are preceded by reasoning that nobody asked for; whether the
    same request gets the same answer at temperature 0; how many requests are worked on at once; and how many bytes a
    token has, which is told only where the context was measured to end at ``context_tokens``.
    ``thought_tokens`` are the most that it was seen to need for an answer with its thoughts, if that is many.
    ``tools``: it calls tools natively. ``form`` is the work form that did better in ``doctor``'s tasks.
    """

    json_schema: bool = False
    json_mode: bool = False
    logprobs: bool = False
    context_tokens: int | None = Field(default=None, ge=1)
    hidden_reasoning: bool = False
    thought_tokens: int = Field(default=0, ge=0)
    deterministic: bool | None = None
    parallel: int | None = Field(default=None, ge=1)
    bytes_per_token: float | None = Field(default=None, gt=0)
    measured: bool = False
    tools: bool = False
    form: WorkForm | None = None
