"""Search providers by name, as the command line takes them: ``searxng=http://127.0.0.1:8888``, ``json=FILE.toml``.

A package brings others under the entry points ``aeon.search``: each is a callable that takes the text behind the equals
sign ("" if there is none) and the `Pages` of the run, and returns a `Provider`.
"""

from __future__ import annotations

import difflib
import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from aeon.errors import AeonError, UnknownNameError, UsageError
from aeon.search.provider import Provider
from aeon.text import one_line

if TYPE_CHECKING:
    from aeon.search.pages import Pages

__all__ = ["GROUP", "Maker", "available", "opened", "portable"]

GROUP = "aeon.search"

Maker: TypeAlias = "Callable[[str, Pages], Provider]"
"""Makes a provider out of what stands behind the equals sign; an ``AeonError`` says what is wrong with it."""

_SHIPPED = {"searxng": "http://127.0.0.1:8888", "json": "FILE.toml"}
"""The shipped providers, each with what may stand behind the equals sign."""


def available() -> tuple[str, ...]:
    """What may stand in a specification: the shipped providers first, then those of packages by name."""
    others = sorted({point.name for point in entry_points(group=GROUP)} - set(_SHIPPED))
    return (*(f"{name}={argument}" for name, argument in _SHIPPED.items()), *others)


def opened(
    specs: Iterable[str], allow: Iterable[str] = (), environ: Mapping[str, str] | None = None
) -> tuple[Provider, ...]:
    """Return the providers of some specifications, in their order; nothing is fetched yet.

    They share the pages of one run. ``allow`` are the addresses beside the public ones that pages may be fetched from,
    as for `Guard`; that of a provider itself is allowed for its own requests only. ``environ`` has the keys.

    Raises:
        UnknownNameError: no provider has such a name; names those that there are.
        UsageError: a specification lacks its value, or stands there twice, or its provider cannot be used.
        ConfigError: an address or a file's setting is wrong.
        InputFileError: a file cannot be read.
        MissingExtraError: the extra that reads pages is not installed.
    """
    listed = list(specs) if not isinstance(specs, str) else [specs]
    if not listed:
        return ()
    shipped = importlib.import_module("aeon.search.shipped")  # it brings an HTTP client, which few runs need
    pages = shipped.pages_of(allow)
    providers: list[Provider] = []
    numbers: Counter[str] = Counter()
    for spec in listed:
        name, argument = _split(spec)
        if listed.count(spec) > 1:
            raise UsageError(f"the search {one_line(spec, 80)} is given twice")
        numbers[name] += 1
        label = name if numbers[name] == 1 else f"{name}-{numbers[name]}"
        provider = (
            shipped.provider(name, argument, label, pages, environ)
            if name in _SHIPPED
            else _loaded(name)(argument, pages)
        )
        if any(other.name == provider.name for other in providers):
            raise UsageError(f"two searches are named {one_line(provider.name, 60)!r}: give one another name")
        providers.append(provider)
    return tuple(providers)


def portable(spec: str) -> str:
    """The specification with the path of its file made absolute, so that it holds in another working directory too.

    Raises as `opened` for one that is none.
    """
    name, argument = _split(spec)
    return f"json={Path(argument).expanduser().resolve()}" if name == "json" else spec.strip()


def _split(spec: object) -> tuple[str, str]:
    """Name and argument. Raises ``UsageError`` or ``UnknownNameError``."""
    if not isinstance(spec, str):
        raise UsageError(f"search: pass texts such as 'searxng={_SHIPPED['searxng']}', not {one_line(repr(spec), 60)}")
    name, _, argument = spec.strip().partition("=")
    names = [*_SHIPPED, *(point.name for point in entry_points(group=GROUP))]
    if name not in names:
        close = difflib.get_close_matches(name, names, n=1)
        guess = f"; did you mean {close[0]}?" if close else ""
        raise UnknownNameError(f"no search is named {one_line(name, 64)!r}; there are: {', '.join(available())}{guess}")
    if name in _SHIPPED and not argument.strip():
        raise UsageError(f"the search {name} needs a value, as in {name}={_SHIPPED[name]}")
    return name, argument.strip()


def _loaded(name: str) -> Maker:
    """What makes the provider of a package. Raises ``UsageError`` where it cannot be used."""
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    sources = ", ".join(sorted(_source(point) for point in points))
    if len(points) > 1:
        raise UsageError(f"{len(points)} packages bring a search of the name {name}: {sources}; uninstall all but one")
    try:
        maker: object = points[0].load()
    except AeonError as error:
        raise UsageError(f"the search {name} of {sources} cannot be used: {error}") from None
    except Exception as error:  # noqa: BLE001 - another package's import may raise anything: it is named
        said = one_line(f"{type(error).__name__}: {error}", 160)
        raise UsageError(f"the search {name} of {sources} cannot be loaded: {said}") from None
    if not callable(maker):
        raise UsageError(f"the search {name} of {sources} is a {type(maker).__name__}, not what makes a provider")

    def make(argument: str, pages: Pages) -> Provider:
        try:
            provider = maker(argument, pages)
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            said = one_line(f"{type(error).__name__}: {error}", 160)
            raise UsageError(f"the search {name} of {sources} cannot be used: {said}") from None
        if not isinstance(provider, Provider) or not isinstance(provider.name, str):
            raise UsageError(f"the search {name} of {sources} makes no provider: it needs a name, local and search")
        return provider

    return make


def _source(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value
