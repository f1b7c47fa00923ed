"""Figures of the service for Prometheus."""

from __future__ import annotations

import time
from collections.abc import MutableMapping
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Receive, Scope, Send

from aeon.runtime.events import EffectEnded, Event, Observer, OnRecord, RunEnded, RunStarted

__all__ = ["Metrics"]

M = TypeVar("M", Counter, Histogram)
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800)
_REQUESTS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600)
_ITERATIONS = (1, 2, 3, 5, 8, 13, 21, 34)


class Metrics:
    """The figures of one server. What a resumed run had done before is not counted again."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._figures: dict[tuple[object, tuple[str, ...]], Any] = {}
        by = ("engine",)
        seconds = "research_loop_duration_seconds", "Seconds that the effects of a run took, until it ended"
        self._duration = Histogram(*seconds, by, registry=registry, buckets=_SECONDS)
        passes = "iterations_per_request", "Passes or rounds of a run, of an engine that has them"
        self._iterations = Histogram(*passes, by, registry=registry, buckets=_ITERATIONS)
        self._searches = Counter("search_failures", "Searches that failed", by, registry=registry)
        self._ended = Counter("aeon_runs", "Runs that ended", (*by, "stop_reason"), registry=registry)
        self._calls = Counter("aeon_model_calls", "Model calls", by, registry=registry)
        self._tokens = Counter("aeon_tokens", "Tokens", (*by, "kind"), registry=registry)
        self._cost = Counter("aeon_cost_dollars", "US dollars", by, registry=registry)
        phases = "aeon_effect_seconds", "Seconds that an effect took"
        self._effects = Histogram(*phases, (*by, "phase"), registry=registry, buckets=_SECONDS)
        self._running = Gauge("aeon_runs_running", "Runs that are worked on", registry=registry)
        self._queued = Gauge("aeon_runs_queued", "Runs that wait", registry=registry)
        answers = "aeon_http_seconds", "Seconds until an answer began"
        self._http = Histogram(*answers, ("method", "route", "status"), registry=registry, buckets=_REQUESTS)

    def text(self, running: int, queued: int) -> bytes:
        """All figures in the text format of Prometheus."""
        self._running.set(running)
        self._queued.set(queued)
        return generate_latest(self._registry)

    def observer(self) -> Observer:
        """What counts one run."""
        engine = ""

        def observe(event: Event, /) -> None:
            nonlocal engine
            match event:
                case RunStarted():
                    engine = event.engine
                case EffectEnded(recorded=False):
                    self._effect(engine, event)
                case RunEnded() if event.conclusion.stop_reason != "waiting":
                    self._of(self._ended, engine, event.conclusion.stop_reason).inc()
                    self._of(self._duration, engine).observe(event.conclusion.seconds)

        return OnRecord(observe)

    def concluded(self, engine: str, result: object) -> None:
        """Count the passes or rounds of a run that ended, if its result says how many there were."""
        for name in ("passes", "rounds"):
            done = getattr(result, name, None)
            if isinstance(done, int | tuple):
                self._of(self._iterations, engine).observe(done if isinstance(done, int) else len(done))

    def _of(self, metric: M, *labels: str) -> M:
        """The figure of these labels, kept: to look it up in the metric takes longer than to count."""
        figure: M | None = self._figures.get((metric, labels))
        if figure is None:
            figure = self._figures[metric, labels] = metric.labels(*labels)
        return figure

    def _effect(self, engine: str, event: EffectEnded) -> None:
        outcome, used = event.outcome, event.outcome.usage
        self._of(self._effects, engine, event.effect.phase).observe(outcome.ended - outcome.started)
        self._of(self._calls, engine).inc(used.calls)
        self._of(self._cost, engine).inc(used.cost)
        kinds = {"prompt": used.prompt_tokens, "cached": used.cached_tokens, "generated": used.generated_tokens}
        for kind, tokens in kinds.items():
            self._of(self._tokens, engine, kind).inc(tokens)
        failed = outcome.failure is not None or getattr(outcome.value, "problem", None)
        if event.effect.phase == "search" and failed:
            self._of(self._searches, engine).inc()

    def timed(self, app: ASGIApp) -> ASGIApp:
        """The application, whose answers are timed by their routes."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            began = time.monotonic()

            async def sending(message: MutableMapping[str, Any]) -> None:
                if message["type"] == "http.response.start":
                    route = getattr(scope.get("route"), "path", "other")
                    status = f"{message['status'] // 100}xx"
                    self._of(self._http, scope["method"], route, status).observe(time.monotonic() - began)
                await send(message)

            await app(scope, receive, sending)

        return answer
