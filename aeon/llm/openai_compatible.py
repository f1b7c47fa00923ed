"""Any endpoint that speaks the OpenAI chat completion protocol: hosted, llama.cpp, vLLM, Ollama and others."""

from __future__ import annotations

from aeon.llm.asking import OPTIONAL_FIELDS, Form, request_body
from aeon.llm.probed import Probed
from aeon.llm.vendors import OPENAI_BASE_URL
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest

__all__ = ["OpenAICompatible"]


class OpenAICompatible(Probed):
    """A model behind an OpenAI-compatible API.

    ``base_url`` is the API's root, such as ``http://127.0.0.1:8080/v1``, by default OpenAI's. ``api_key`` is sent to
    it and nowhere else; no environment variable is read. Retries and deadlines are those of `Endpoint`.
    ``capabilities`` skips probing. ``headers`` and ``body`` are added to each request (`aeon.llm.extras`).

    Token counts are the endpoint's own; a count that cannot be (none for a text, below 0, beyond ten million) is taken
    for none, and that attempt counts as unmetered. Answers are streamed, so that an idle deadline can be held; an
    endpoint whose streams have no counts is asked again without streaming, and from then on only so. One that tells no
    counts at all gives `MalformedResponse`, since no budget could be kept with it. A stream that ends before the
    endpoint said why is a failure, never a short answer.
    """

    default_url = OPENAI_BASE_URL
    optional = OPTIONAL_FIELDS
    shaping = ("response_format",)
    reserved = (
        "model", "messages", "tools", "functions", "stream", "stream_options", "max_tokens", "max_completion_tokens",
        "n", "response_format",
    )  # fmt: skip

    def _path(self, streamed: bool) -> str:
        return "/chat/completions"

    def _body(self, request: LLMRequest, form: Form, omitted: tuple[str, ...]) -> JsonObject:
        return request_body(request, self._model, form, self._habits, omitted)
