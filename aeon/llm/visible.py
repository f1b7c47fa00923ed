"""What of a reply that is still being written is surely its answer, by the same marks as `aeon.llm.marks.answer_part`.

Text flows through at once until a mark of a chat template may begin. What may be one is held back until it is whole;
then the text is read again, and flows on from where the answer does. A text is read again so often that this costs a
few times its length at most; what follows in one with more marks than that is not told before its end.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from aeon.llm.marks import CALLS, HARMONY, MARKS, ROLE_STARTS, THOUGHTS, answer_part, is_spoken_of, without_code

__all__ = ["Visible"]

_LONGEST = max(map(len, MARKS))
_PARTS = frozenset(mark[:size].lower() for mark in MARKS for size in range(1, len(mark)))
_MARK = re.compile("|".join(map(re.escape, sorted(MARKS, key=len, reverse=True))), re.IGNORECASE)
_FIRST = re.compile(f"[{re.escape(''.join(sorted({mark[0] for mark in MARKS})))}]")
_FENCE, _TICK = "```", "`"
_ENDS_OF_CODE = (_FENCE, _TICK, "\n")
_CODE_ENDS, _LINE_ENDS, _NEVER = re.compile(_FENCE), re.compile(f"{_TICK}|\n"), re.compile("(?!)")
_THOUGHTS = {opening.lower(): closing for opening, closing in THOUGHTS}
_CLOSINGS = frozenset(closing.lower() for closing in _THOUGHTS.values())
_CLOSING = re.compile("|".join(map(re.escape, _CLOSINGS)), re.IGNORECASE)
_CHANNEL, _CONSTRAINT, _MESSAGE, _ = HARMONY
_REPLACING = frozenset((*_THOUGHTS, *_CLOSINGS, *ROLE_STARTS, *HARMONY))
"""Marks behind which an answer may begin, so that what stands before them is none."""
_UNFINISHED = {
    **{opening.lower(): re.compile(r"\s*\w*\s*\Z") for opening, _ in CALLS},
    **{opening: re.compile(r"\w*\Z") for opening in ROLE_STARTS},
}
"""What follows a mark of this kind while it does not show yet what it is; another one, white space."""
_SPACE = re.compile(r"\s*\Z")
_LONGEST_LOOK = 4_000
"""Characters behind a mark in which it shows what it is, and of white space that are held back."""
_FLOWS = "\ue000"
"""Stands for what will follow, to find out whether that is the answer's: no mark, no space, no letter."""
_FREE, _TIMES = 100_000, 8
"""How much may be read again: so many characters, and so many times the length of the text."""


class _Mark(NamedTuple):
    """A mark that stands in the text: itself, in lower case, and where it begins and ends."""

    name: str
    start: int
    end: int


class Visible:
    """Takes the pieces of one reply and gives what can be told of its answer.

    ``unopened``: the reply began in a thought whose opening mark was not sent, as some chat templates have it. Nobody
    can know that before the closing mark comes; of a model that is known to do so, nothing is told before it.
    """

    __slots__ = ("_begins", "_behind", "_held", "_last", "_length", "_raw", "_reread", "_told", "_until", "unopened")

    def __init__(self, unopened: bool = False) -> None:
        self.unopened = False
        self._raw: list[str] = []
        self._length = 0
        self._told: list[str] = []
        self._reread = 0
        self._begins = 0  # where the last thought ends that was closed
        self._held = ""  # at the end of a text that flows: white space, and what may be a mark
        self._last: _Mark | None = None  # what keeps the text from flowing
        self._behind = ""  # what stands behind that, as far as it is still looked at
        self._until: re.Pattern[str] | None = None  # what has to come before the text can flow again
        if unopened:
            self._last, self._until = _Mark(next(iter(_THOUGHTS)), 0, 0), _CLOSING

    def take(self, piece: str) -> tuple[str, bool]:
        """What can be told with this piece; and whether it stands in the place of all that was told before."""
        self._raw.append(piece)
        self._length += len(piece)
        if self._last is None:
            return self._flowing(self._held + piece)
        self._behind += piece
        return self._looked()

    def _flowing(self, text: str) -> tuple[str, bool]:
        """Tell a text that flows, up to where a mark may begin."""
        at = _FIRST.search(text)
        while at is not None:
            if mark := _MARK.match(text, at.start()):
                seen = "" if mark[0].lower() in _REPLACING else self._told_of(text, at.start())
                self._held = ""
                self._stop(mark, text)
                more, anew = self._looked()
                return (more, True) if anew else (seen + more, False)
            if len(text) - at.start() < _LONGEST and text[at.start() :].lower() in _PARTS:
                return self._told_of(text, at.start()), False
            at = _FIRST.search(text, at.end())
        return self._told_of(text, len(text)), False

    def _told_of(self, text: str, end: int) -> str:
        """The text up to there, without the white space around it, which is held back with what follows."""
        seen = text[:end]
        seen = seen if self._told else seen.lstrip("\ufeff").lstrip()
        start, bare = end - len(seen), seen.rstrip()
        seen = bare if len(seen) - len(bare) < _LONGEST_LOOK else seen
        self._held = text[start + len(seen) :]
        if seen:
            self._told.append(seen)
        return seen

    def _stop(self, mark: re.Match[str], text: str) -> None:
        """Tell nothing more: a mark stands there, and it is looked at what follows it. ``text`` is the end of all."""
        start = self._length - len(text)
        self._last = _Mark(mark[0].lower(), start + mark.start(), start + mark.end())
        self._behind = text[mark.end() :]
        self._until = re.compile(re.escape(_MESSAGE)) if self._last.name in (_CHANNEL, _CONSTRAINT) else None

    def _looked(self) -> tuple[str, bool]:
        """Look at what stands behind the last mark: other marks, and what shows what it is."""
        while (mark := self._next()) is not None:
            closes = self._until is not None and self._last is not None and self._last.name in _THOUGHTS
            end = self._length - len(self._behind) + mark.end()
            self._begins = end if closes else self._begins
            self._stop(mark, self._behind)
        if self._until is not None or not self._is_shown():
            return "", False
        return self._read_again()

    def _next(self) -> re.Match[str] | None:
        """The next mark behind the last one; of a thought, what ends it."""
        assert self._last is not None
        if self._until is None and self._last.name in _THOUGHTS and self._behind and self._hides(self._last):
            self._until = re.compile(re.escape(_THOUGHTS[self._last.name]), re.IGNORECASE)
        wanted = self._until or _MARK
        found = wanted.search(self._behind)
        if found is None and self._until is not None:
            self._behind = self._behind[-_LONGEST:]
        return found

    def _hides(self, mark: _Mark) -> bool:
        """Whether a mark that begins a thought does so, and is not one that the text speaks of."""
        text = self._whole()
        spoken_of = is_spoken_of(text[mark.start - 1 : mark.start], text[mark.end : mark.end + 1])
        return not (spoken_of or self._is_fenced(text, mark) or self._is_quoted(text, mark))

    def _is_shown(self) -> bool:
        """Whether what stands behind the last mark shows what that is, and no mark may have begun there."""
        assert self._last is not None
        behind = self._behind
        if len(behind) > _LONGEST_LOOK or self._last.name == _FENCE:
            return True
        end = behind[1 - _LONGEST :]
        parts = (end[at.start() :].lower() in _PARTS for at in _FIRST.finditer(end))
        return not any(parts) and _UNFINISHED.get(self._last.name, _SPACE).match(behind) is None

    def _read_again(self) -> tuple[str, bool]:
        """What can be told now that the last mark shows what it is; the text flows, if what follows is the answer's."""
        assert self._last is not None
        self._until = self._wait()
        if self._until is not None:
            return self._looked()
        answer = answer_part(self._whole() + _FLOWS)
        if not answer.endswith(_FLOWS):
            self._until = _MARK
            return "", False
        name, self._last = self._last.name, None
        answer, told = answer.removesuffix(_FLOWS), "".join(self._told)
        seen = answer.rstrip()
        self._held = answer[len(seen) :]
        is_next = seen.startswith(told)
        self.unopened |= name in _CLOSINGS and not is_next
        self._told = [seen]
        return (seen[len(told) :], False) if is_next else (seen, True)

    def _wait(self) -> re.Pattern[str] | None:
        """What has to come before the text can be read: the end of the code that the mark stands in."""
        assert self._last is not None
        if self._reread > _FREE + _TIMES * self._length:
            return _NEVER
        if self._last.name in _ENDS_OF_CODE or self._last.end == self._begins:
            return None
        text = self._whole()
        if self._is_fenced(text, self._last):
            return _CODE_ENDS
        return _LINE_ENDS if self._is_quoted(text, self._last) else None

    def _is_fenced(self, text: str, mark: _Mark) -> bool:
        """Whether a mark stands in a code block that is not closed yet."""
        return 0 <= without_code(text[self._begins :]).find(_FENCE) < mark.start - self._begins

    def _is_quoted(self, text: str, mark: _Mark) -> bool:
        """Whether a mark stands behind a backtick that begins code within its line."""
        line = max(self._begins, text.rfind("\n", 0, mark.start) + 1)
        return bool(without_code(text[line : mark.start]).count(_TICK) % 2)

    def _whole(self) -> str:
        """All that was written, read once more."""
        self._reread += self._length
        self._raw = ["".join(self._raw)]
        return self._raw[0]
