"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import copy
import re
import subprocess
import sys

import pytest

from aeon.patterns import pattern


def test_a_pattern_finds_what_a_compiled_one_finds() -> None:
    """Each time that it is asked, whatever it is asked for."""
    late, compiled = pattern("(?P<word>[a-c]+)", re.IGNORECASE), re.compile("(?P<word>[a-c]+)", re.IGNORECASE)
    for text in ("xABcy", "", "b c"):
        assert [match.span("word") for match in late.finditer(text)] == [
            match.span("word") for match in compiled.finditer(text)
        ]
        assert (late.sub("-", text), late.findall(text)) == (compiled.sub("-", text), compiled.findall(text))
    assert (late.pattern, late.flags, late.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)


def test_it_is_made_when_it_is_first_used() -> None:
    """What is wrong with it shows then; a copy of one that was never used is as good."""
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.search("")
    assert copy.deepcopy(pattern("a")).search("cat")


def test_loading_compiles_no_number_words() -> None:
    """They take longer than most of what a program needs that only builds an engine."""
    code = (
        "import re\nfrom aeon import build\nfrom aeon.language import numerals, readings\n"
        "late = [one for module in (numerals, readings) for one in vars(module).values() if hasattr(one, '_text')]\n"
        "print(len(late), [one._text for one in late if '_compiled' in vars(one)])"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    number, _, compiled = said.partition(" ")
    assert int(number) > 5 and compiled.strip() == "[]"
