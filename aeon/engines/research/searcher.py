"""Answers the effects of a research run that need no model: where to search, a search, and a pause."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from functools import partial

from aeon.documents.sentences import sentences
from aeon.engines.research.effects import Pause, Search
from aeon.engines.research.values import Paused, Providers
from aeon.errors import UsageError
from aeon.isolation.aside import aside
from aeon.runtime.ledger import current_ledger
from aeon.schema import Document, Found, Passage, SearchProblem
from aeon.search.provider import Keeping, Provider, Selective
from aeon.text import one_line
from aeon.tools.registry import ToolRegistry
from aeon.tools.watching import watched

__all__ = ["Searcher"]

_MOST_TITLES = 24
"""Titles that are told of what is at hand."""
_WIDER, _MOST = 4, 50
"""How many times as many a provider is asked for that cannot pass over sources, where some may not pass; at most."""


class Searcher:
    """Searches with the providers among some tools."""

    def __init__(self, tools: ToolRegistry, timeout: float) -> None:
        tooled = [(tool.name, tool.provider) for tool in map(tools.get, tools.names)]
        self._providers = {provider.name: provider for _, provider in tooled if provider is not None}
        self._tools = {provider.name: name for name, provider in tooled if provider is not None}
        self._timeout = timeout

    async def providers(self, room: int, whole: int) -> Providers:
        """The names of the providers: those of texts at hand, and those of the web; with what can be read at once."""
        every = self._providers.values()
        titles = [title for one in every if isinstance(one, Keeping) for title in await one.titles(_MOST_TITLES)]
        local, web = _names(one for one in every if one.local), _names(one for one in every if not one.local)
        return Providers(local=local, web=web, room=room, whole=whole, titles=tuple(titles[:_MOST_TITLES]))

    async def search(self, effect: Search) -> Found:
        """What the provider finds; what goes wrong is a problem in the value.

        Raises:
            AllowanceExhausted: the time of the run is over.
            UsageError: there is no such provider.
        """
        provider, ledger = self._providers.get(effect.provider), current_ledger()
        if provider is None:
            raise UsageError(f"no search provider is named {one_line(effect.provider, 64)!r}")
        left = ledger.seconds_left()
        seconds = self._timeout if left is None else min(left, self._timeout)
        async with ledger.tool_call():
            with watched(self._tools[provider.name]):
                return await _found(provider, effect, seconds)

    async def pause(self, effect: Pause) -> Paused:
        """Sleep as long as was asked for, or as the run has time."""
        left = current_ledger().seconds_left()
        seconds = effect.seconds if left is None else min(effect.seconds, left)
        await asyncio.sleep(seconds)
        return Paused(seconds=seconds)


async def _found(provider: Provider, effect: Search, seconds: float) -> Found:
    """What the provider finds in so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            takes = effect.takes()
            found = _fitting(effect, await _asked(provider, effect, takes), takes)
            return _without(await _whole(provider, found, effect.whole) if effect.whole else found, effect.known)
    except TimeoutError:
        message = f"{provider.name}: no answer within {seconds:g} s"
        return Found(provider=provider.name, problem=SearchProblem(kind="timeout", message=message, retryable=True))


async def _asked(provider: Provider, effect: Search, takes: Callable[[Document], bool]) -> Found:
    """What the provider has to choose from: where there is a filter, what passes it and what fits best of all."""
    if effect.only is None:
        return await provider.search(effect.query, effect.most)
    if not isinstance(provider, Selective):
        return await provider.search(effect.query, max(effect.most, min(_MOST, _WIDER * effect.most)))
    every = await provider.search(effect.query, effect.most)
    if every.problem is not None:
        return every
    return _joined(every, await provider.select(effect.query, effect.most, takes))


def _joined(found: Found, more: Found) -> Found:
    """What two searches found, each passage and document once; the problem alone where the second has one."""
    if more.problem is not None:
        return more
    passages = {(one.source, one.start): one for one in (*found.passages, *more.passages)}
    documents = {one.source: one for one in (*found.documents, *more.documents)}
    return found.changed(passages=tuple(passages.values()), documents=tuple(documents.values()))


def _fitting(effect: Search, found: Found, takes: Callable[[Document], bool]) -> Found:
    """The best passages with their documents: as many as are wanted of those that are taken, and of others."""
    documents = {one.source: one for one in found.documents}
    left = {True: effect.most, False: effect.most}
    passages: list[Passage] = []
    for one in found.passages:
        taken = takes(documents.get(one.source, Document(source=one.source)))
        left[taken] -= 1
        passages += [one] if left[taken] >= 0 else []
    chosen = {one.source for one in passages}
    kept = tuple(one for name, one in documents.items() if name in chosen)
    return found.changed(passages=tuple(passages), documents=kept)


async def _whole(provider: Provider, found: Found, longest: int) -> Found:
    """What was found, with all of each text of up to so many characters in the place of its first passage."""
    documents = {one.source: one for one in found.documents}
    passages: dict[tuple[str, int], Passage] = {}
    texts: dict[str, str] = {}
    for one in found.passages:
        if one.source not in texts:
            own = documents[one.source].text if one.source in documents else ""
            texts[one.source] = own or (await provider.text(one.source) if isinstance(provider, Keeping) else "")
        text = texts[one.source]
        is_whole = one.page is None and len(one.text) < len(text) <= longest
        passage = await aside(partial(_all_of, one, text)) if is_whole else one
        passages.setdefault((one.source, passage.start), passage)
    return found.changed(passages=tuple(passages.values()))


def _all_of(passage: Passage, text: str) -> Passage:
    """The passage of a text as all of it."""
    spans = tuple((one.start, one.end) for one in sentences(text))
    return passage.changed(start=0, end=len(text), text=text, sentences=spans)


def _without(found: Found, known: Collection[str]) -> Found:
    """What was found without the texts that are known."""
    documents = (one.changed(text="") if one.text_sha256 in known else one for one in found.documents)
    return found.changed(documents=tuple(documents)) if known else found


def _names(providers: Iterable[Provider]) -> tuple[str, ...]:
    return tuple(one.name for one in providers)
