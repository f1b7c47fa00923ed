"""Texts in scripts that put no spaces between words: their letters end a number or a name that they stand beside."""

from __future__ import annotations

import re

__all__ = ["DATE_SIGNS", "LETTERS", "is_unspaced", "spaced"]

DATE_SIGNS = "年月日년월일"
"""What Chinese, Japanese and Korean write behind the figures of a year, a month and a day."""
_SCALES = "千万萬億亿兆천만억조"
LETTERS = (
    "\u0e00-\u0e4f\u0e80-\u0ecf\u1000-\u103f\u1780-\u17df\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f"
)
"""The letters of such scripts, as a regular expression has them between brackets."""
_LETTER = re.compile(f"[{LETTERS}]")
_COMPOSED = re.compile(rf"(?<!\d)(?<!\d[.,])\d++(?:[.,]\d++)*[{_SCALES}][\d{_SCALES}]+")
"""A number of several parts, such as 3万5千, which is not read."""
_SIGN = "|"


def is_unspaced(text: str) -> bool:
    """Whether a text has a letter of such a script."""
    return _LETTER.search(text) is not None


def spaced(text: str, kept: str = "") -> str:
    """The text, as long as it was, with a sign in the place of each letter of such a script (Chinese, Thai, …).

    A scale such as 万 stays behind its figures, and so do the letters that are ``kept``.
    """
    if text.isascii():
        return text
    simple = _COMPOSED.sub(lambda match: _SIGN * len(match[0]), text)
    letters = re.compile(rf"(?<!\d)[{LETTERS}]|(?<=\d)(?![{_SCALES}{kept}])[{LETTERS}]")
    return letters.sub(_SIGN, simple)
