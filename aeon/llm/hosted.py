"""What the adapters of all APIs are made with, and what is remembered of an endpoint for them."""

from __future__ import annotations

from collections.abc import Mapping

from aeon.llm.asking import Habits
from aeon.llm.connections import Connections
from aeon.llm.endpoint import Endpoint
from aeon.llm.probe_records import Memory, recall
from aeon.schema.llm import Capabilities

__all__ = ["Hosted"]


class Hosted(Endpoint):
    """A model behind an API over HTTP; see `Endpoint` for retries and deadlines.

    ``base_url`` is the API's root, by default the vendor's own. ``api_key`` is sent to it and nowhere else; no
    environment variable is read. ``capabilities`` are taken as they are, and nobody is asked for them. ``headers`` and
    ``body`` are added to each request (`aeon.llm.extras`).
    """

    default_url = ""
    """The API's root where none is named."""
    key_header = ""
    """The header that the key goes into; as a bearer token without one."""
    own_headers: Mapping[str, str] = {}
    """What the API wants with every request."""

    def __init__(  # noqa: PLR0913 - each is a setting of its own to the caller
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        retries: int = 2,
        timeout: float = 120.0,
        idle_timeout: float = 60.0,
        capabilities: Capabilities | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> None:
        connections = Connections(base_url or self.default_url, api_key, self.key_header, self.own_headers, headers)
        super().__init__(model, connections, retries, timeout, idle_timeout, body)
        self._capabilities = capabilities
        self._own = Memory(self.place, model, kept=False) if capabilities is not None else None

    @property
    def _memory(self) -> Memory:
        """What is known of the endpoint; where its capabilities were given, of this adapter's alone."""
        return self._own or recall(self.place, self._model)

    @property
    def _habits(self) -> Habits:
        return self._memory.habits
