"""What a completion is read as: whether it is whole; a plain text, or how likely each of a few answers is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.errors import EmptyCompletion, Malformed, Refused, Truncated
from aeon.llm.marks import answer_part
from aeon.schema.llm import LLMResponse, TokenProbability
from aeon.supervisor.prompt import clean
from aeon.text import one_line

__all__ = ["lines_of", "plain_text", "shares", "whole"]

_LONGEST_TEXT, _LONGEST_LINE = 200_000, 250
_NUMBERING = re.compile(r"^[\s\W]*(?:\d+\s*[.):-]\s*)?")
_TOKEN_MARKS = " \t\r\n▁Ġ\"'*"


def whole(response: LLMResponse, name: str, may_call: bool = False) -> LLMResponse:
    """``response`` of the model ``name``, if it is a whole answer; one that calls tools, where it may, needs no text.

    Raises:
        Refused: the endpoint says that the model declined.
        Truncated: it was cut off, or it is not known to have ended.
        EmptyCompletion: there is no text.
    """
    if response.finish_reason == "refusal":
        raise Refused(f"{name} declined to answer")
    if response.finish_reason == "length":
        raise Truncated(f"{name} was cut off after {response.usage.generated_tokens} tokens", response.text)
    if response.finish_reason != "stop":
        raise Truncated(f"{name} stopped, and it is not known that its answer had ended", response.text)
    if not response.text.strip("\ufeff \t\r\n\x00") and not (may_call and response.calls):
        raise EmptyCompletion(f"{name} answered nothing")
    return response


def plain_text(response: LLMResponse) -> str:
    """The text of a whole answer, without thoughts and what a chat template leaks beside it.

    Raises:
        Malformed: it is longer than any answer that was asked for can be.
        EmptyCompletion: there is nothing that can be read.
    """
    if len(response.text) > _LONGEST_TEXT:
        raise Malformed(f"$: the answer has {len(response.text)} characters; at most {_LONGEST_TEXT} are read")
    text = answer_part(response.text)
    if not any(map(str.isprintable, "".join(text.split()))):
        raise EmptyCompletion("the model answered nothing that can be read, thoughts aside")
    return clean(text)


def shares(response: LLMResponse, answers: Sequence[str], least: float, name: str) -> tuple[float, ...]:
    """How likely each of these answers is (0-1, together 1), by the first token of what the model ``name`` would say.

    Raises:
        Malformed: none is among the likely tokens, or all together are less likely (0-1) than ``least``.
        Refused: the endpoint says that the model declined.
    """
    if response.finish_reason == "refusal":
        raise Refused(f"{name} declined to answer")
    masses = [_mass(response.first_token, answer) for answer in answers]
    if sum(masses) <= 0 or sum(masses) < least:
        wanted = " nor ".join(map(repr, answers))
        seen = ", ".join(ascii(alternative.token[:20]) for alternative in response.first_token[:5]) or "nothing"
        raise Malformed(f"first token: neither {wanted} is likely; {name} would say {seen}")
    return tuple(mass / sum(masses) for mass in masses)


def _mass(alternatives: Sequence[TokenProbability], answer: str) -> float:
    """The probability of all spellings of ``answer`` among the first-token alternatives."""
    spelling = answer.strip().casefold()
    return sum(one.probability for one in alternatives if one.token.strip(_TOKEN_MARKS).casefold() == spelling)


def lines_of(said: str) -> tuple[str, ...]:
    """The lines of a list that a model wrote, without their numbers and marks, each once."""
    lines = (_NUMBERING.sub("", line).strip(" \"'*") for line in said.splitlines())
    return tuple(dict.fromkeys(one_line(line, _LONGEST_LINE) for line in lines if line))
