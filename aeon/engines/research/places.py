"""Places that sources lie within: names, hosts and paths, and which of some places a source belongs to."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator

from aeon.schema.search import Document, SourceFilter

__all__ = ["longest", "passes", "place_of"]

_SCHEME = re.compile(r"(?i)^[a-z][a-z0-9+.-]*://")
_AUTHORITY = re.compile(r"^(?:[^/?#]*@)?(?:www\.)?(\[[^\]/]*\]|[^/?#:]*?)\.?(?::\d*)?(?=[/?#]|$)")

_AGAIN = re.compile(r"#\d+$")
"""What tells several texts of one name apart."""


def place_of(name: str) -> str:
    """A name, or an address as host and path, as two that mean the same place are alike; "" for none."""
    text = " ".join(name.split()).casefold()
    if _SCHEME.match(text):
        text = _AUTHORITY.sub(r"\1", _SCHEME.sub("", text)).partition("#")[0].partition("?")[0]
    return _AGAIN.sub("", text.removeprefix("www.")).rstrip("/")


def longest(names: Iterable[str], places: Container[str]) -> str:
    """The longest of these places that one of the names lies within; "" for none."""
    within = (next((one for one in _around(place_of(name)) if one in places), "") for name in names)
    return max(within, key=len, default="")


def _around(place: str) -> Iterator[str]:
    """The place and those that it is below, the longest first; nothing is known of a path that leads up."""
    parts = place.split("/")
    if "\\" in place or ".." in parts:
        return
    for end in range(len(parts), 0, -1):
        if around := "/".join(parts[:end]):
            yield around


def passes(sources: SourceFilter) -> Callable[[Document], bool]:
    """The function that says whether a filter lets a document through, by its name and, where that counts, its site."""
    within = {place_of(one): True for one in sources.places} | {place_of(one): False for one in sources.barred}

    def lets_through(document: Document) -> bool:
        names = (document.source, document.site) if sources.sites else (document.source,)
        return within.get(longest(names, within), sources.others)

    return lets_through
