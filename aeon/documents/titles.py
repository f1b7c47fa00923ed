"""The title of a text: its first heading, what the file says of itself, its first line, or the name of the file."""

from __future__ import annotations

import re
from pathlib import PurePath

from aeon.documents.readers import Text
from aeon.text import one_line

__all__ = ["title_of"]

_HEAD = 4_000
"""Characters within which a heading is the title of the whole."""
_LONGEST = 120
_HEADING = re.compile(r"^#{1,6}[ \t]+([^#\s].*)$|^(\S.*)\n(?:={3,}|-{3,})$", re.MULTILINE)
_FIRST_LINE = re.compile(r"\s*(\S.*)\n(\s*\n)?\s*(\S.*)")


def title_of(text: Text, path: str) -> str:
    """Return the title of a text, in one line of up to 120 characters; never empty."""
    head = text.text[:_HEAD]
    heading = _HEADING.search(head)
    named = _plain(heading[1] or heading[2]) if heading else ""
    return named or _plain(text.title) or _first_line(head) or one_line(PurePath(path).name, _LONGEST)


def _first_line(head: str) -> str:
    """The first line, if it stands alone and is no sentence, or ends though there was room for the word behind it."""
    match = _FIRST_LINE.match(head)
    line = match[1].strip() if match else ""
    if match is None or len(line) > _LONGEST or line[-1:] in ".!?;,:":
        return ""
    return _plain(line) if match[2] or _ends_early(line, match[3], head) else ""


def _ends_early(line: str, following: str, head: str) -> bool:
    """Whether a line ends where the first word of the next one, which begins like a sentence, would have fitted."""
    width = max(map(len, head.splitlines()))
    begins = following[0].isupper() or following[0].isdigit()
    return begins and len(line) + 1 + len(following.split()[0]) < width


def _plain(line: str) -> str:
    return one_line(" ".join(line.split()).strip("#*_`: "), _LONGEST)
