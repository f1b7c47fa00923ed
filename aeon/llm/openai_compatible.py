"""Any endpoint that speaks the OpenAI chat completion protocol: hosted, llama.cpp, vLLM, Ollama and others."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.llm.adapter import Permit, freely
from aeon.llm.asking import OPTIONAL_FIELDS, Form, Habits, forms, request_body
from aeon.llm.connections import Connections
from aeon.llm.endpoint import Endpoint
from aeon.llm.probe import OMITTED, measured, probe, told
from aeon.llm.probe_records import Memory, recall
from aeon.llm.profiles import Told
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse

__all__ = ["OPENAI_BASE_URL", "OpenAICompatible"]

OPENAI_BASE_URL = "https://api.openai.com/v1"


class OpenAICompatible(Endpoint):
    """A model behind an OpenAI-compatible API.

    ``base_url`` is the API's root, such as ``http://127.0.0.1:8080/v1``, by default OpenAI's. ``api_key`` is sent to
    it and nowhere else; no environment variable is read. Retries and deadlines are those of `Endpoint`.
    ``capabilities`` skips probing.

    Token counts are the endpoint's own; a count that cannot be (none for a text, below 0, beyond ten million) is taken
    for none, and that attempt counts as unmetered. Answers are streamed, so that an idle deadline can be held; an
    endpoint whose streams have no counts is asked again without streaming, and from then on only so. One that tells no
    counts at all gives `MalformedResponse`, since no budget could be kept with it. A stream that ends before the
    endpoint said why is a failure, never a short answer.
    """

    optional = OPTIONAL_FIELDS
    shaping = ("response_format",)
    check_url = "check that the base URL ends in the API's root, such as /v1"

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        retries: int = 2,
        timeout: float = 120.0,
        idle_timeout: float = 60.0,
        capabilities: Capabilities | None = None,
    ) -> None:
        super().__init__(model, Connections(base_url or OPENAI_BASE_URL, api_key), retries, timeout, idle_timeout)
        self._capabilities = capabilities
        self._own = Memory(self._base_url, model, kept=False) if capabilities is not None else None

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion; see `LLMAdapter.complete`. Raises `ModelError`."""
        # a run never asks for more than it knows, so that it is probed under its own permit
        capabilities = Capabilities()
        if request.json_schema is not None or request.json_mode or request.top_logprobs or request.likelihood:
            capabilities = await self.capabilities()
        if not capabilities.logprobs:
            request = request.changed(top_logprobs=0, likelihood=False)
        return await self._converse(request, forms(request, capabilities, self._habits))

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What the endpoint can do: as measured by ``aeon doctor``, else by a few tiny calls on first use.

        What these found is kept on disk for 30 days, as long as the server says the same of itself; so is which fields
        of a request it refuses.

        Raises `ModelError`, and `AllowanceExhausted` where ``permit`` does not allow the calls.
        """
        async with self._connections.lock():
            if self._capabilities is None:
                self._capabilities = await measured(self, permit) or await self._probed(permit)
        left_out = self._habits.left_out
        if "tools" in left_out and self._capabilities.tools:
            self._capabilities = self._capabilities.changed(tools=False)
        if "logprobs" in left_out and self._capabilities.logprobs:
            self._capabilities = self._capabilities.changed(logprobs=False)
        return self._capabilities

    async def _probed(self, permit: Permit) -> Capabilities:
        """What probes find, or found before."""
        memory = self._memory
        if memory.capabilities is None or not memory.confirmed:
            facts = await self.told()
            memory.confirm(facts)
            if memory.capabilities is None:
                found = await probe(self._ask_for_little, permit)
                memory.found(found.changed(context_tokens=facts.context_tokens), facts)
        assert memory.capabilities is not None
        return memory.capabilities

    async def _ask_for_little(self, request: LLMRequest, form: Form) -> LLMResponse:
        return await self._converse(request, (form,), OMITTED)

    @property
    def _memory(self) -> Memory:
        """What is known of the endpoint; where its capabilities were given, of this adapter's alone."""
        return self._own or recall(self._base_url, self._model)

    @property
    def _habits(self) -> Habits:
        return self._memory.habits

    def _refusable(self, body: JsonObject) -> Sequence[str]:
        return [name for name in self.optional if name in body]

    def _remember(self, way: Form) -> None:
        if way == "strict_schema":
            self._habits.strict = True
        self._memory.keep()

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """One completion in exactly this form, whatever is known of the endpoint. Raises `ModelError`."""
        return await self._converse(request, (form,))

    async def told(self) -> Told:
        """The models and the context length that the server advertises."""
        return await told(self._connections, self._model)

    def _path(self, streamed: bool) -> str:
        return "/chat/completions"

    def _body(self, request: LLMRequest, form: Form, omitted: tuple[str, ...]) -> JsonObject:
        return request_body(request, self._model, form, self._habits, omitted)
