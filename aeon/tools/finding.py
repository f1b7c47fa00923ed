"""A search provider among the tools of a run: the host's own, which no plan is told of."""

from __future__ import annotations

import re
from dataclasses import replace

from aeon.schema import JsonObject
from aeon.search.provider import Provider
from aeon.tools.tool import Tool, tool

__all__ = ["finding"]


def finding(provider: Provider) -> Tool:
    """Return the tool that searches with a provider: a query goes in, passages come out."""

    @tool(name=f"find_{re.sub(r'[^A-Za-z0-9_]', '_', provider.name)}"[:64], side_effects=False, parallel_safe=True)
    async def find(query: str, most: int = 5) -> JsonObject:
        """Find passages.

        Args:
            query: what to search for
            most: how many passages at most
        """
        found = await provider.search(query, most)
        return found.model_dump(mode="json")

    return replace(find, offered=False, provider=provider)
