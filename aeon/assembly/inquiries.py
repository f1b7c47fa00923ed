"""Research in one call: `research`, and `run_research` with the names of the reference."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field

from aeon.assembly.arguments import check_options
from aeon.assembly.build import build
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.record import Research
from aeon.errors import ConfigError, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.schema import Task
from aeon.schema.frozen import Frozen
from aeon.schema.response import ResponseMetadata
from aeon.settings import load_config, with_overrides
from aeon.text import one_line
from aeon.tools.select import folder_specs, search_specs

__all__ = ["AgentResponse", "AgentSource", "research", "response", "run_research"]

Tier = Literal["auto", "simple", "standard", "deep"]
_SEARCH = "RESEARCH_SEARCH"
"""The variable that names what `run_research` searches where its call does not, as ``--search`` takes it."""
_USUAL = "searxng=http://127.0.0.1:8888"
"""What is searched where neither says anything."""


class AgentSource(Frozen):
    """A source that the answer cites."""

    id: str = Field(description="as it stands in the summary: [1]")
    title: str
    type: Literal["file", "page"]
    location: str


class AgentResponse(Frozen):
    """What `run_research` returns: the answer, the sources that it cites, and whether the search had to stop early."""

    summary: str
    sources: tuple[AgentSource, ...]
    insufficient_termination: bool
    confidence: float | None = None
    metadata: ResponseMetadata


def research(
    question: str | Task,
    sources: str | Path | Iterable[str | Path] = (),
    tier: Tier | None = None,
    search: Iterable[str] = (),
    allow: Iterable[str] = (),
    llm: LLMAdapter | str | None = None,
    config: ResearchConfig | None = None,
    **build_options: Any,  # noqa: ANN401 - what `build` takes
) -> Research:
    """Search, read, and answer with citations.

    ``sources`` are folders and collection files to search; ``search`` are providers such as
    ``"searxng=http://127.0.0.1:8888"``, and ``allow`` are addresses of the own network that pages may be fetched from,
    such as ``"10.0.0.5:8080"``. One of ``sources`` and ``search`` is needed. ``tier`` says how much research.
    ``config`` stands before variables of the environment; ``build_options`` are those of `build`, such as ``journal``
    or ``observers``.

    Raises:
        ConfigError: every provider answers that a setting is wrong; says which.
        UsageError: a source, a provider, an option or a setting does not exist or cannot be used.
    """
    check_options("research", build_options, build, research)
    settings = config or load_config(ResearchConfig, environ=os.environ)
    if tier not in (None, *get_args(Tier)):
        raise UsageError(f"research: {one_line(repr(tier), 40)} is no tier; choose one of {', '.join(get_args(Tier))}")
    settings = settings.changed(tier=tier) if tier is not None else settings
    tools = [*folder_specs(sources), *search_specs(search, allow)]
    if not tools:
        raise UsageError("research: name where to search: sources='papers', or search=['searxng=http://…:8888']")
    result: Research = build(llm, tools, settings, engine="research", **build_options).execute(question)
    if result.stop_reason == "misconfigured":
        raise ConfigError(result.detail)
    return result


def run_research(
    task: str,
    *,
    max_iters: int | None = None,
    max_queries: int | None = None,
    max_sources: int | None = None,
    max_execution_time_s: float | None = None,
    complexity_tier: Tier | None = None,
    llm: LLMAdapter | str | None = None,
    config: ResearchConfig | None = None,
    **options: Any,  # noqa: ANN401 - what `research` takes
) -> AgentResponse:
    """The same with the names and the answer of the reference: a summary and its sources.

    ``complexity_tier`` is the reference's name of ``tier``. Beside its names it takes those of `research`. Without
    ``sources`` and ``search`` it searches what the variable ``RESEARCH_SEARCH`` names, else a SearXNG at its usual
    address on this machine; where nothing can be searched, the summary says so. The limits stand before those of
    ``config``.

    Raises:
        ConfigError, UsageError: as `research`, or both names of the tier are given.
    """
    if complexity_tier is not None and options.setdefault("tier", complexity_tier) != complexity_tier:
        raise UsageError("run_research: tier and complexity_tier are two names of one setting; give one of them")
    check_options("run_research", options, build, research)
    limits = {"max_iters": max_iters, "max_queries": max_queries, "max_sources": max_sources}
    chosen: dict[str, object] = {name: value for name, value in limits.items() if value is not None}
    if max_execution_time_s is not None:
        chosen["budget"] = {"seconds": max_execution_time_s}
    settings = config or load_config(ResearchConfig, environ=os.environ)
    if not (options.get("sources") or options.get("search")):
        options["search"] = os.environ.get(_SEARCH, "").split() or [_USUAL]
    adapter = select(llm)
    result = research(task, llm=adapter, config=with_overrides(settings, chosen), **options)
    return response(result, adapter.name)


def response(result: Research, model: str) -> AgentResponse:
    """The answer of the reference, made by the ``model`` of this name: only the sources that it cites are in it."""
    scores = [sentence.score for sentence in result.sentences if sentence.score is not None]
    return AgentResponse(
        summary=result.answer,
        sources=tuple(
            AgentSource(
                id=f"[{one.number}]",
                title=one.title,
                type="page" if "://" in one.source else "file",
                location=one.source,
            )
            for one in result.citations
        ),
        insufficient_termination=not result.sufficient,
        confidence=min(scores) if scores else None,
        metadata=ResponseMetadata(
            timestamp=datetime.now(UTC).isoformat(timespec="seconds"), model=model,
            token_count=(result.usage + result.lost).tokens,
        ),
    )  # fmt: skip
