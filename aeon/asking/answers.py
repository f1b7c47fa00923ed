"""What a person means who answers a question: an option, also by its number, or words of their own."""

from __future__ import annotations

from aeon.observability.lines import short, visible
from aeon.schema import Question

__all__ = ["meant", "no_option", "options_of"]

_SHOWN = 40


def meant(question: Question, said: str) -> str:
    """The answer that a person means who says so: an option, also by its number; nothing means the default."""
    text = visible(" ".join(said.split()))
    for option in question.options:
        if text.casefold() == option.casefold():
            return option
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= len(question.options):
        return question.options[int(text) - 1]
    return text or question.default


def no_option(question: Question, said: str) -> str:
    """What somebody says who means an option that is not there; empty where it is an answer, or nothing.

    That is a number beyond the options, unless they are numbers themselves. Of a closed question it is all else.
    """
    text = visible(" ".join(said.split()))
    if question.closed:
        return "" if not text or meant(question, text) in question.options else short(text, _SHOWN)
    numbered = text.isascii() and text.isdigit() and not any(option.isdigit() for option in question.options)
    beyond = numbered and question.options and not 1 <= int(text[:9]) <= len(question.options)
    return text[:9] if beyond else ""


def options_of(question: Question) -> str:
    """The options with their numbers."""
    return ", ".join(f"{number} {option}" for number, option in enumerate(question.options, 1))
