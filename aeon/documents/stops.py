"""Where sentences end, in English, German and the scripts of East Asia: marks that end one, and full stops that do not.

Abbreviations, initials, ordinals, decimals, dates and addresses hold full stops that end nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aeon.documents.plain import word_set

__all__ = ["stops"]


# Where a sentence can end. Full stops of Chinese and Japanese need no blank behind them.
_STOP = re.compile(
    r"(?<![.!?\u2026\u061f\u06d4\u0964])[.!?\u2026\u061f\u06d4\u0964]++[\"'\u201d\u2019\u00bb)\]}*_]*+(?=\s)|[。\uff01\uff1f]++[\u201d\u2019」』\uff09]*+"
)
_OPENING = re.compile(r"[\s\"'\u201c\u2018\u201e\u00ab\u00bb\u2039(\[{*_¿¡<>-]*")
_LAST_WORDS = re.compile(r"(?:(\S+)\s)?[\"'\u201c\u2018\u201e\u00ab(\[]*(\S*)$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}|[^\W\d_]")
_WORD = re.compile(r"\w*")

_NEVER_LAST = word_set(
    "dr prof mr mrs ms mx messrs st sr jr hr fr frl dipl ing gen col lt capt sgt gov sen rev hon vs cf eg e.g ie "
    "i.e viz al approx ca ff vols figs eq eqs refs chap ed eds bzw vgl evtl ggf inkl exkl zzgl abzgl insb sog z zb "
    "z.b d.h u.a i.d.r o.g s.o s.u v.a i.a abb tab kap str tel geb gest verh abs dept univ assn"
)
_LAST_BEFORE_A_START = word_set("etc usw usf inc ltd co corp llc plc gmbh bros mio mrd")
_STARTS = word_set(
    "the a an in on at it its we he she they you i this that these those there if when while for as but and or "
    "however no not all each every our their his her after before since der die das ein eine es wir er sie ihr ich "
    "dies diese dieser dieses im am auf bei wenn falls für nach vor seit aber und oder jedoch alle jede jeder kein "
    "keine"
)
"""Words that begin a sentence much more often than a name."""
_BEFORE_NUMBER = word_set(
    "no nos p pp art nr vol fig bd s rn tz ziff sec sect ch jan feb mär mar apr jun jul aug sep sept okt oct nov "
    "dez dec mon tue wed thu fri sat sun"
)
_BEFORE_ORDINAL = word_set("am vom zum bis der die das den dem des im ab seit beim jeden")
_AFTER_ORDINAL = word_set(
    "januar jänner februar märz april mai juni juli august september oktober november dezember jahrhundert"
)


def stops(text: str, start: int, end: int) -> Iterator[int]:
    """Give the places within ``text[start:end]`` behind each mark that ends a sentence."""
    for match in _STOP.finditer(text, start, end):
        if _is_stop(text, match, start):
            yield match.end()


def _is_stop(text: str, match: re.Match[str], start: int) -> bool:
    mark = match[0]
    if mark[0] in "。\uff01\uff1f":
        return True
    after = text[match.end() : match.end() + 60]
    after = after[_OPENING.match(after).end() :]  # type: ignore[union-attr] # it matches any text
    if after[:1].islower():
        return False
    if mark[0] != "." or mark[:2] == "..":
        return True
    before = _LAST_WORDS.search(text[max(start, match.start() - 60) : match.start()])
    previous, word = (before[1] or "", before[2]) if before else ("", "")
    return _ends_sentence(previous.lower(), word.lower(), after)


def _ends_sentence(previous: str, word: str, after: str) -> bool:
    """Whether the full stop behind ``word`` ends a sentence and not an abbreviation, an initial or an ordinal."""
    follower = _WORD.match(after)[0].lower()  # type: ignore[index] # it matches any text
    if word in _NEVER_LAST or (word in _BEFORE_NUMBER and after[:1].isdigit()):
        return False
    if word.isdigit() and len(word) <= 3:
        return _ends_number(previous, follower)
    if word in _LAST_BEFORE_A_START or _DOTTED.fullmatch(word):
        return follower in _STARTS and not (len(previous) == 2 and previous[1] == ".")
    return True


def _ends_number(previous: str, follower: str) -> bool:
    """Whether a number before a full stop is no ordinal, as *3. Oktober*, and no mark of an item."""
    return bool(previous) and previous not in _BEFORE_ORDINAL and follower not in _AFTER_ORDINAL
