"""The search providers of this package, and the pages of a run; loaded where something is to be searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from aeon.search.client import Client
from aeon.search.guard import Guard
from aeon.search.pages import Pages
from aeon.search.provider import Provider
from aeon.search.searxng import SearXNG
from aeon.search.template import TemplateSearch, read_template

__all__ = ["pages_of", "provider"]


def pages_of(allow: Iterable[str]) -> Pages:
    """The pages of one run; ``allow`` as for `Guard`. Raises ``ConfigError`` for what is no address."""
    return Pages(Client(Guard(allow)))


def provider(name: str, argument: str, label: str, pages: Pages, environ: Mapping[str, str] | None) -> Provider:
    """The provider ``searxng`` at an address, or ``json`` as a file has it.

    Raises:
        ConfigError: an address or a file's setting is wrong.
        InputFileError: a file cannot be read.
        MissingExtraError: the extra that reads pages is not installed.
    """
    if name == "searxng":
        return SearXNG(argument, pages, label)
    return TemplateSearch(read_template(Path(argument).expanduser()), pages, environ)
