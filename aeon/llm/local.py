"""The embedded model: llama.cpp in a child process, so that a native crash does not take the run down."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeAlias, TypeVar

from aeon.errors import AeonError, EndpointFailed, EndpointUnreachable
from aeon.llm.adapter import Permit, freely
from aeon.llm.asking import Form
from aeon.llm.catalogue import CatalogueEntry
from aeon.llm.local_process import Address, ServerProcess, check, shared_process
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.prefixes import Beginning, Prefixes, PrefixFiles, Recent, identity
from aeon.llm.probe import measured
from aeon.llm.profiles import Told
from aeon.llm.weights import Report, path_of, pull
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse

__all__ = ["Local"]

T = TypeVar("T")
Call: TypeAlias = Callable[[OpenAICompatible, LLMRequest], Awaitable[LLMResponse]]

_LEAST_SECONDS = 0.001


class Local:
    """A model file on this machine, or an entry of the catalogue, which is fetched on first use.

    ``context_tokens`` is the context length, at most what the entry's model was trained for. ``timeout`` is the
    deadline of a whole call in seconds; calls wait for each other, so it covers the queue too. ``progress`` receives
    the progress of the fetching. The server starts with the first call and is shared with every other `Local` of the
    same file. With ``keep_prefixes``, what it has read of the fixed beginnings of prompts is kept in Aeon's cache
    folder, so that later processes need not read them again; see `aeon.llm.prefixes`.
    """

    def __init__(
        self,
        model: str | Path | CatalogueEntry,
        context_tokens: int = 8192,
        timeout: float = 600.0,
        progress: Report | None = None,
        keep_prefixes: bool = True,
    ) -> None:
        self._model = model if isinstance(model, CatalogueEntry) else Path(model).expanduser()
        limit = model.context_tokens if isinstance(model, CatalogueEntry) else context_tokens
        self._context = min(context_tokens, limit)
        self._timeout = timeout
        self._progress = progress
        self._keep_prefixes = keep_prefixes
        self._lock = threading.Lock()
        self._process: ServerProcess | None = None
        self._endpoint: tuple[int, OpenAICompatible] | None = None

    @property
    def name(self) -> str:
        """The catalogue's name for the model, or the file's name without its suffix."""
        return self._model.name if isinstance(self._model, CatalogueEntry) else self._model.stem

    @property
    def pid(self) -> int | None:
        """The server's process id, ``None`` if it does not run."""
        return self._process.pid if self._process is not None else None

    def __repr__(self) -> str:
        return f"Local({self.name!r}, context_tokens={self._context})"

    @property
    def free(self) -> bool:
        """A model on this machine costs nothing."""
        return True

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What llama.cpp can do: as measured by ``aeon doctor``, else known without asking."""
        usual = Capabilities(json_schema=True, json_mode=True, logprobs=True, context_tokens=self._context)
        return await measured(self, permit) or usual

    @property
    def place(self) -> str:
        """What tells this model from others: its file and the context length."""
        file = "catalogue" if isinstance(self._model, CatalogueEntry) else str(self._model.resolve())
        return f"local:{self._context}:{file}"

    async def told(self) -> Told:
        """Which file it is, and the context length that the server is started with."""
        if isinstance(self._model, CatalogueEntry):
            identity = self._model.sha256
        else:
            identity = f"{self._model.stat().st_size} bytes" if self._model.is_file() else "no file"
        return Told(models=(identity,), context_tokens=self._context)

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion; see `LLMAdapter.complete`.

        If the server dies meanwhile, raises `EndpointFailed`, which names its log; the next call starts it again.
        Raises also `ServerBroken`, `WeightsError`, `MissingExtraError` and `InputFileError` when it cannot be started.
        """
        return await self.through(request, lambda endpoint, timed: endpoint.complete(timed))

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """One completion in exactly this form; raises what `complete` does."""
        return await self.through(request, lambda endpoint, timed: endpoint.ask(timed, form))

    async def through(self, request: LLMRequest, call: Call) -> LLMResponse:
        """What ``call`` gets from the running server, within what is left of the request's deadline."""
        process = await _in_thread(self._ready)
        with process.calling():
            clock = asyncio.get_running_loop().time
            address, began = await _in_thread(process.address), clock()
            await _in_thread(process.wait)
            beginning = await self._begin(process, address, request)
            if beginning.broken and await _in_thread(lambda: process.died(address.generation)):
                address = await _in_thread(process.address)
            left = (request.timeout or self._timeout) - (clock() - began)
            response = await self._called(process, address, request.changed(timeout=max(left, _LEAST_SECONDS)), call)
        usage = response.usage
        return response.changed(usage=usage.changed(cached_tokens=max(0, usage.cached_tokens - beginning.read_tokens)))

    async def _begin(self, process: ServerProcess, address: Address, request: LLMRequest) -> Beginning:
        """Put the request's fixed beginning before the server, where that is wanted and nobody else uses it."""
        if not self._keep_prefixes or not request.fixed_messages:
            process.recent = process.recent.then("", request)
            return Beginning()
        with process.alone() as alone:
            recent, process.recent = process.recent, Recent()
            if not alone:
                return Beginning()
            connections = self._client(address).connections
            files = PrefixFiles(process.states, identity(self._model, self._context))
            prefixes = Prefixes(address.base_url.removesuffix("/v1"), connections, files)
            beginning = await prefixes.prepare(request, recent, request.timeout or self._timeout)
            process.recent = Recent() if beginning.broken else recent.then(beginning.key, request)
            return beginning

    async def _called(self, process: ServerProcess, address: Address, request: LLMRequest, call: Call) -> LLMResponse:
        try:
            response = await call(self._client(address), request)
        except (EndpointFailed, EndpointUnreachable) as error:
            if not await _in_thread(lambda: process.died(address.generation)):
                raise
            raise EndpointFailed(
                f"the local model server of {self.name} died during the call; see {process.log_path}; "
                "the next call starts it again"
            ) from error
        process.succeeded()
        return response

    def check(self) -> None:
        """Raise `MissingExtraError` without llama.cpp, `InputFileError` without the file; weights may be missing."""
        check(None if isinstance(self._model, CatalogueEntry) else self._model)

    def load(self) -> None:
        """Start the server with the model in it, unless it runs; takes seconds then.

        Raises `ServerBroken`, `WeightsError`, `MissingExtraError` and `InputFileError` when it cannot be started.
        """
        self._ready().address()

    def begin_loading(self) -> None:
        """Start as `load` does, without waiting for it, if the weights are there; `load` says what goes wrong."""
        if isinstance(self._model, Path) or path_of(self._model).exists():
            threading.Thread(target=self._try_to_load, name="aeon-loading", daemon=True).start()

    def _try_to_load(self) -> None:
        with contextlib.suppress(AeonError):
            self._ready().address()

    async def aclose(self) -> None:
        """Close the connection, and stop the server unless another `Local` uses it."""
        if self._endpoint is not None:
            await self._endpoint[1].aclose()
            self._endpoint = None
        process, self._process = self._process, None
        if process is not None:
            await _in_thread(process.release)

    def _ready(self) -> ServerProcess:
        with self._lock:
            if self._process is None:
                self.check()
                path = pull(self._model, self._progress) if isinstance(self._model, CatalogueEntry) else self._model
                self._process = shared_process(path, self._context)
                self._process.acquire()
            return self._process

    def _client(self, address: Address) -> OpenAICompatible:
        if self._endpoint is None or self._endpoint[0] != address.generation:
            capabilities = Capabilities(json_schema=True, json_mode=True, logprobs=True, context_tokens=self._context)
            client = OpenAICompatible(
                self.name,
                address.base_url,
                address.api_key,
                retries=0,
                timeout=self._timeout,
                idle_timeout=self._timeout,
                capabilities=capabilities,
            )
            self._endpoint = (address.generation, client)
        return self._endpoint[1]


async def _in_thread(work: Callable[[], T]) -> T:
    """Run blocking work off the event loop, in a thread that does not keep an interrupted program from ending."""
    done: Future[T] = Future()

    def run() -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 # handed to the waiting caller, whatever it is
            done.set_exception(error)

    threading.Thread(target=run, name="aeon-local", daemon=True).start()
    return await asyncio.wrap_future(done)
