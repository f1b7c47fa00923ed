"""A model behind one of OpenAI's protocols, which many servers speak in part: what an endpoint can do is probed."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.llm.adapter import Permit, freely
from aeon.llm.asking import Form, forms
from aeon.llm.hosted import Hosted
from aeon.llm.probe import OMITTED, measured, probe, told
from aeon.llm.profiles import Told
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse

__all__ = ["Probed"]


class Probed(Hosted):
    """What the adapters of OpenAI's protocols share; see `Endpoint` for retries and deadlines.

    ``capabilities`` skips probing.
    """

    check_url = "check that the base URL ends in the API's root, such as /v1"

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
        of a request it refuses. What answers that were cut off did not settle is not kept.

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
        if self._memory.thought_tokens > self._capabilities.thought_tokens:
            self._capabilities = self._capabilities.changed(
                hidden_reasoning=True, thought_tokens=self._memory.thought_tokens
            )
        return self._capabilities

    async def _probed(self, permit: Permit) -> Capabilities:
        """What probes find, or found before."""
        memory = self._memory
        if memory.capabilities is None or not memory.confirmed:
            facts = await self.told()
            memory.confirm(facts)
            if memory.capabilities is None:
                probes = await probe(self._ask_for_little, permit)
                found = probes.capabilities.changed(context_tokens=facts.context_tokens)
                if not probes.settled:
                    return found
                memory.found(found, facts)
        assert memory.capabilities is not None
        return memory.capabilities

    async def _ask_for_little(self, request: LLMRequest, form: Form) -> LLMResponse:
        return await self._converse(request, (form,), OMITTED)

    async def _converse(
        self, request: LLMRequest, ways: tuple[Form, ...], omitted: tuple[str, ...] = ()
    ) -> LLMResponse:
        response = await super()._converse(request, ways, omitted)
        self._memory.answered(response.model)
        self._memory.thought(response)
        return response

    def _refusable(self, body: JsonObject) -> Sequence[str]:
        return [name for name in self.optional if name in body]

    def _remember(self, way: Form) -> None:
        self._habits.took(way)
        self._memory.keep()

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """One completion in exactly this form, whatever is known of the endpoint. Raises `ModelError`."""
        return await self._converse(request, (form,))

    async def told(self) -> Told:
        """The models and the context length that the server advertises."""
        return await told(self._connections, self._model)
