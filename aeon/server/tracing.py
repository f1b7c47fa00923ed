"""Spans of runs, effects, model calls and tool calls, through the API of OpenTelemetry. Needs the extra ``telemetry``.

Where the spans go is up to who starts the server, with the SDK: without it they go nowhere. They hold no text of a run.
A request to a model's endpoint names its span (W3C trace context), so that the endpoint can continue the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import Token
from typing import Any

from opentelemetry import context, propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue
from starlette.types import ASGIApp, Receive, Scope, Send

from aeon.errors import AeonError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.around import Around
from aeon.llm.carried import carrying
from aeon.runtime.events import EffectEnded, EffectStarted, Event, RunEnded, RunStarted
from aeon.schema import LLMRequest, LLMResponse
from aeon.server import conventions as names
from aeon.tools.watching import watch

__all__ = ["Continued", "Traced", "Tracing", "tracer"]

_PROVIDER = "aeon"
_FUNCTION = "function"
_W3C = TraceContextTextMapPropagator()
"""What endpoints are told: the trace, and no baggage, which may hold anything."""


def tracer() -> Tracer:
    """The tracer of the service."""
    return trace.get_tracer("aeon.server", schema_url=names.SCHEMA_URL)


@contextmanager
def _spanned(by: Tracer, title: str, kind: SpanKind, attributes: Mapping[str, AttributeValue]) -> Iterator[Span]:
    """A span around what is done while it is entered; an error of that is its error, by its type alone."""
    with by.start_as_current_span(
        title, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except AeonError as error:
            span.set_attribute(names.ERROR_TYPE, type(error).__name__)
            span.set_status(Status(StatusCode.ERROR))
            raise


class Continued:
    """Lets the requests of ``app`` continue the trace that their headers name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope.get("headers", ())}
        token = context.attach(propagate.extract(headers))
        try:
            await self._app(scope, receive, send)
        finally:
            context.detach(token)


class Tracing:
    """Observes one run: a span for it, and one below that for each effect that is done."""

    def __init__(self) -> None:
        self._tracer = tracer()
        self._run: Span | None = None
        self._effects: dict[int, tuple[Span, Token[context.Context]]] = {}

    def __call__(self, event: Event, /) -> None:
        """Begin or end a span."""
        match event:
            case RunStarted():
                attributes: dict[str, Any] = {
                    names.OPERATION: names.INVOKE_AGENT, names.PROVIDER: _PROVIDER, names.AGENT_NAME: event.engine,
                    names.CONVERSATION: event.execution_id, "aeon.bound.calls": event.bound.calls,
                }  # fmt: skip
                self._run = self._tracer.start_span(f"{names.INVOKE_AGENT} {event.engine}", attributes=attributes)
                watch(self._called)
            case EffectStarted():
                self._begin(event)
            case EffectEnded():
                self._end(event)
            case RunEnded() if self._run is not None:
                used = event.conclusion.usage + event.conclusion.lost
                self._run.set_attributes({
                    "aeon.stop_reason": event.conclusion.stop_reason, "aeon.sufficient": event.conclusion.sufficient,
                    names.INPUT_TOKENS: used.prompt_tokens, names.OUTPUT_TOKENS: used.generated_tokens,
                })  # fmt: skip
                self._run.end()

    @contextmanager
    def _called(self, tool: str) -> Iterator[None]:
        """A span for a call of a tool, which is below its effect."""
        attributes = {names.OPERATION: names.EXECUTE_TOOL, names.TOOL_NAME: tool, names.TOOL_TYPE: _FUNCTION}
        with _spanned(self._tracer, f"{names.EXECUTE_TOOL} {tool}", SpanKind.INTERNAL, attributes):
            yield

    def _begin(self, event: EffectStarted) -> None:
        """Begin the span of an effect; what is called in its task is below it."""
        if self._run is None:
            return
        above = trace.set_span_in_context(self._run)
        attributes: dict[str, Any] = {"aeon.effect.number": event.number, "aeon.effect.phase": event.effect.phase}
        span = self._tracer.start_span(f"effect {event.effect.phase}", above, attributes=attributes)
        self._effects[event.number] = (span, context.attach(trace.set_span_in_context(span)))

    def _end(self, event: EffectEnded) -> None:
        span, token = self._effects.pop(event.number, (None, None))
        if span is None or token is None:
            return
        failure = event.outcome.failure
        if failure is not None:
            span.set_attribute(names.ERROR_TYPE, failure.kind)
            span.set_status(Status(StatusCode.ERROR))
        span.end()
        context.detach(token)


class Traced(Around):
    """A model whose calls are spans."""

    def __init__(self, model: LLMAdapter) -> None:
        super().__init__(model)
        self._tracer = tracer()

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion. Raises as the model does."""
        attributes: dict[str, Any] = {
            names.OPERATION: names.CHAT, names.PROVIDER: _PROVIDER, names.MODEL: self.name,
            names.MAX_TOKENS: request.max_tokens, names.TEMPERATURE: request.temperature,
        }  # fmt: skip
        with _spanned(self._tracer, f"{names.CHAT} {self.name}", SpanKind.CLIENT, attributes) as span:
            headers: dict[str, str] = {}
            _W3C.inject(headers)
            with carrying(headers):
                response = await self.model.complete(request)
            span.set_attributes({
                names.RESPONSE_MODEL: response.model or self.name, names.FINISH_REASONS: [response.finish_reason],
                names.INPUT_TOKENS: response.usage.prompt_tokens, names.OUTPUT_TOKENS: response.usage.generated_tokens,
                names.CACHED_TOKENS: response.usage.cached_tokens,
            })  # fmt: skip
            return response
