"""The names of months in ``aeon/language/months.toml``, by language, from the CLDR data that Babel has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from babel import Locale

__all__ = ["FILE", "text"]

FILE = Path(__file__).parents[2] / "aeon" / "language" / "months.toml"
FIRST = "en de fr es it pt nl sv"
"""The languages whose names count where another language has the same name for another month."""
SHORT = ("en", "de")
"""Those whose abbreviations are read too: those of the others are ordinary words elsewhere ("led", "dub", "set")."""
OTHERS = "ru uk bg sr pl cs hr tr el he ar fa ur hi bn ta ro da nb fi hu"
LEAST_LATIN = 4
"""Letters of a name in Latin script, of the others: shorter ones are words of other languages."""
_LATIN = re.compile(r"[a-z\u00e0-\u024f]+")
_HEAD = """# The names of the months from January to December, by the tag of their language, from CLDR by way of Babel.
# scripts/months writes this file.
"""


def text() -> str:
    """The content of the file."""
    lines, known = [_HEAD], dict[str, int]()
    for tag in f"{FIRST} {OTHERS}".split():
        months = [sorted(set(_names(tag, number))) for number in range(1, 13)]
        own = [[name for name in names if known.get(name, number) == number] for number, names in enumerate(months, 1)]
        known.update({name: number for number, names in enumerate(own, 1) for name in names})
        lines.append(f'{tag} = "{"|".join(" ".join(names) for names in own)}"\n')
    return "".join(lines)


def _names(tag: str, number: int) -> Iterator[str]:
    """The names of a month, as they stand in a date and alone."""
    months = Locale.parse(tag).months
    for context in ("format", "stand-alone"):
        for width in ("wide", *(["abbreviated"] if tag in SHORT else [])):
            name = months[context][width][number].rstrip(".").casefold()
            short = tag in OTHERS.split() and _LATIN.fullmatch(name) and len(name) < LEAST_LATIN
            if not short and not re.search(r"[\s\d]", name):
                yield name


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
