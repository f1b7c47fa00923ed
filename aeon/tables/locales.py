"""Codes of currencies and names of months in the languages that the locales of Unicode (CLDR) have."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from aeon.tables.extra import extra

__all__ = ["currencies", "months"]

_LANGUAGES = [
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "sv",
    "da",
    "nb",
    "fi",
    "is",
    "pl",
    "cs",
    "sk",
    "sl",
    "hr",
    "hu",
    "ro",
    "bg",
    "ru",
    "uk",
    "el",
    "tr",
    "et",
    "lv",
    "lt",
    "ca",
    "ga",
    "ar",
    "he",
    "fa",
    "hi",
    "bn",
    "th",
    "vi",
    "id",
    "ms",
    "ko",
]


@cache
def currencies() -> frozenset[str]:
    """The codes of currencies: ``EUR``."""
    return frozenset(extra("babel.numbers").list_currencies())


@cache
def months() -> Mapping[str, int]:
    """The number of a month by each of its names, case folded and without a point; names of two months are left out."""
    found: dict[str, set[int]] = {}
    for language in _LANGUAGES:
        months = extra("babel").Locale(language).months
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in months[context][width].items():
                    found.setdefault(_folded(name), set()).add(number)
    return {name: numbers.pop() for name, numbers in found.items() if len(numbers) == 1 and not name.isdecimal()}


def _folded(name: str) -> str:
    return name.casefold().rstrip(".")
