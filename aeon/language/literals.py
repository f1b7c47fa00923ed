"""Finds what a text says word for word: quoted strings, addresses, proper names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.language.mention import Mention, mentioned
from aeon.language.unspaced import spaced
from aeon.language.words import COMMON, language_of

__all__ = ["addresses", "is_german", "proper_names", "quotations", "stands_as_words"]

_EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
_URL = r"(?:https?://|www\.)[^\s<>\"'“”»]*[^\s<>\"'“”».,;:!?)\]]"
_PHONES = (
    r"\+\d[\d ()/.-]{6,}\d",
    r"\(?0\d{1,5}\)?[ /-]\d[\d -]{3,}\d",
    r"\d{3}[-.]\d{3}[-.]\d{4}",
    r"\d{3}-\d{4}",
)
_PHONE = rf"(?<![\w.,+-])(?:{'|'.join(_PHONES)})(?![\w-])"
_ADDRESSES = ((re.compile(_EMAIL), "text"), (re.compile(_URL), "text"), (re.compile(_PHONE), "phone"))
_QUOTED = re.compile(
    r"“([^“”]{1,500})[”“]|„([^„“”]{1,500})[“”]|«([^«»]{1,500})»|»([^«»]{1,500})«|‘([^‘’\n]{2,300})’(?!\w)"
    r"|「([^「」]{1,500})」|『([^『』]{1,500})』"
    r"|\"([^\"\n]{1,500})\"|(?<!\w)'([^'\n]{2,300})'(?!\w)"
)
_FIGURES = re.compile(r"(?:(?:(?<!\S)|(?<=[(:=]))[-\u2212])?\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_]\w*(?:[-'’&]\w+)*")
_BETWEEN = re.compile(r"[^\S\n]|\s(?:&|of|of the|von|van|de|der|del|di|la|zu|am)\s")
_BEGINS = re.compile(r"[.!?:;|…\n][\s\"'“„»‘(\[*_#>•\-–—\d.)\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]*$")
"""What stands before a sentence: the end of another, and signs such as bullets and emoji."""
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)


def is_german(text: str) -> bool:
    """Whether a text is German, which capitalises every noun."""
    return language_of(text) == "de"


def stands_as_words(value: str, text: str) -> bool:
    """Whether a value stands in a text, whatever its case, and not within a word or a number.

    Letters of scripts without spaces between words end none.
    """
    found = value.strip().casefold()
    if not found:
        return False
    text = text.casefold()
    letters, numbers = spaced(text), [one.span() for one in _FIGURES.finditer(text)]
    for match in re.finditer(re.escape(found), text):
        before, after = letters[match.start() - 1 : match.start()], letters[match.end() : match.end() + 1]
        within = (before.isalnum() and found[0].isalnum()) or (after.isalnum() and found[-1].isalnum())
        if not within and not _is_part(match.span(), numbers):
            return True
    return False


def _is_part(place: tuple[int, int], numbers: Sequence[tuple[int, int]]) -> bool:
    """Whether what stands at this place is a part of a longer number, as the 5 of 1.5 or of -5."""
    return any(one[0] <= place[0] and place[1] <= one[1] and one != place for one in numbers)


def addresses(text: str) -> Iterator[Mention]:
    """The email addresses, URLs and phone numbers of a text, each as a whole."""
    for pattern, form in _ADDRESSES:
        for match in pattern.finditer(text):
            mention = mentioned("address", match.start(), match[0], [form])
            if mention is not None:
                yield mention


def quotations(text: str) -> Iterator[Mention]:
    """The quoted strings of a text, without their quotation marks and a full stop or comma at their end."""
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        inner = text[start:end].rstrip(" .,;:!?\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}")
        start, inner = start + len(inner) - len(inner.lstrip()), inner.lstrip()
        mention = mentioned("quote", start, inner, ["text"]) if re.search(r"[^\W\d_]", inner) else None
        if mention is not None and mention.forms[0].read.value:
            yield mention


def proper_names(text: str, cell: bool = False) -> Iterator[Mention]:
    """The runs of capitalised words that do not merely begin a sentence.

    A single word that begins one is uncertain, and so is any single word of a German text. A ``cell`` of a table or a
    JSON string begins no sentence.
    """
    headings = [match.span() for match in _HEADING.finditer(text)]
    german = not cell and is_german(text)
    for start, end, begins in _runs(text, cell):
        name = text[start:end]
        if len(name) > 1 and not _within(start, headings):
            mention = mentioned("name", start, name, ["text"])
            if mention is not None:
                later = _later(text, mention) if begins else None
                yield mention._replace(certain=" " in name or not (begins or german), later=later)


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _later(text: str, name: Mention) -> Mention | None:
    """The name without its first word, if two are left: that one may only begin the sentence, as in "Ask Ann Lee"."""
    words = list(_WORD.finditer(text, name.start, name.end))
    return mentioned("name", words[1].start(), text[words[1].start() : name.end], ["text"]) if words[2:] else None


def _runs(text: str, cell: bool) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each run of capitalised words, and whether it begins a sentence; function words are cut off."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        if not match[0][0].isupper():
            continue
        if run and not _joins(text[run[-1].end() : match.start()], run[-1][0]):
            yield from _trimmed(text, run, cell)
            run = []
        run.append(match)
    yield from _trimmed(text, run, cell)


def _joins(gap: str, word: str) -> bool:
    """Whether what stands behind a capitalised word joins it to the next; a full stop does so behind an initial."""
    return _BETWEEN.fullmatch(gap) is not None or (gap == ". " and len(word) < 3)


def _trimmed(text: str, run: list[re.Match[str]], cell: bool) -> Iterator[tuple[int, int, bool]]:
    words, tag = list(run), language_of(text)
    while words and _is_function_word(words[-1][0], tag):
        words = words[:-1]
    while words and _is_function_word(words[0][0], tag):
        words = words[1:]
    if not words:
        return
    start, end = words[0].start(), words[-1].end()
    before = text[max(0, start - 30) : start] if start > 30 else "\n" + text[:start]
    begins = not cell and words[0] is run[0] and _BEGINS.search(before) is not None
    yield start, end - (2 if text[end - 2 : end] in ("'s", "’s") else 0), begins


def _is_function_word(word: str, tag: str) -> bool:
    """Whether a capitalised word is no part of a name in a language; a single letter may be an initial."""
    return len(word) > 1 and word.casefold() in COMMON[tag]
