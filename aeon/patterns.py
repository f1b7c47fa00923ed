"""Regular expressions that are compiled when they are first used.

Those of number words and names of months take longer to compile than many a module takes to load, and no program that
only builds an engine uses them.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import cast

__all__ = ["pattern"]


def pattern(text: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """What ``re.compile`` gives, made when it is first used: so it also raises what that raises only then."""
    return cast("re.Pattern[str]", _Late(text, flags))


class _Late:
    """Passes everything on to the pattern; what was asked for once, such as ``finditer``, is kept."""

    def __init__(self, text: str, flags: re.RegexFlag) -> None:
        self._text, self._flags = text, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self.__dict__[name] = getattr(self._compiled, name)
        return found
