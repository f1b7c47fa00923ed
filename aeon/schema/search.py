"""What a search gives: passages of stored texts, and which texts they are of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.plan import Passage
from aeon.schema.value import Value

__all__ = ["Document", "Found", "ResultProblem", "SearchProblem", "SearchProblemKind", "SourceFilter"]

SearchProblemKind = Literal[
    "timeout", "unreachable", "rate_limited", "server", "malformed", "too_large", "forbidden", "configuration"
]


class Document(Value):
    """A stored text that passages are spans of. ``source`` is what they name it by: a path, or the address of a page.

    ``text`` is the whole text where nothing else keeps it, as of a page of the web; empty where a collection does.
    ``retrieved`` is when the text was read, as a date and time in ISO form (UTC), ``extractor`` what made the text out
    of the bytes with the hash ``raw_sha256``; ``site`` is whose page it is, and ``published`` its date, if known.
    ``cut`` is how many characters were left out at the end of a text that is too long.
    """

    source: str
    title: str = ""
    site: str = ""
    text: str = ""
    published: str = ""
    retrieved: str = ""
    extractor: str = ""
    raw_sha256: str = ""
    text_sha256: str = ""
    cut: Annotated[int, Field(ge=0)] = 0


class SearchProblem(Value):
    """Why a search gave nothing: what happened, and whether the same search may succeed later.

    ``retry_after``: seconds that the provider asks to wait, if it says so. A ``configuration`` problem stays until
    somebody changes a setting; its message says which.
    """

    kind: SearchProblemKind
    message: str
    retryable: bool
    retry_after: Annotated[float, Field(ge=0)] | None = None


class ResultProblem(Value):
    """Why a single result, or a part of a service, could not be used.

    ``stands_in``: the service's own text of the result was taken instead.
    """

    problem: SearchProblem
    stands_in: bool = False


class Found(Value):
    """What a provider found for one query: passages, best first, and the documents that they are of.

    ``problem``: the search failed; then nothing else is there. A search without a problem that found nothing is empty,
    not failed. ``problems`` are those of single results; ``notes`` are lines about them, and about what was cut or did
    not fit.
    """

    provider: str
    passages: tuple[Passage, ...] = ()
    documents: tuple[Document, ...] = ()
    problem: SearchProblem | None = None
    problems: tuple[ResultProblem, ...] = ()
    notes: tuple[str, ...] = ()


class SourceFilter(Value):
    """Which sources a search must find, however many others fit better.

    ``places`` pass and ``barred`` do not: names, hosts and paths that sources lie within, of which the longest counts.
    ``others``: whether sources pass that lie in none. ``sites``: the site that a document names counts like its name.
    """

    places: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    others: bool = False
    sites: bool = False
