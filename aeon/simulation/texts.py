"""What models write instead of the JSON that they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

__all__ = ["CUT", "FORMS", "spoilt"]

CUT = "cutoffhere"
"""What a text ends in that its token limit cut off, so that it is known wherever it turns up."""

_Spoil = Callable[[str], str]

FORMS: dict[str, _Spoil] = {
    "fence": lambda good: f"```json\n{good}\n```",
    "prose": lambda good: f"Of course! Here it is:\n{good}\nI hope that this helps.",
    "thought": lambda good: f'<think>is it {{"a": 1}}? no</think>{good}',
    "open_thought": lambda good: f"<think>{good}",
    "bom": lambda good: f"\ufeff{good}",
    "trailing_comma": lambda good: good[:-1] + ",}",
    "single_quotes": lambda good: good.replace('"', "'"),
    "bare_keys": lambda good: good.replace('{"', "{", 1).replace('":', ":", 1),
    "python": lambda good: good.replace("null", "None").replace("true", "True") + "  # done",
    "cut": lambda good: good[: len(good) // 2],
    "twice": lambda good: f"{good}\n{good}",
    "in_a_list": lambda good: f"[{good}]",
    "key_twice": lambda good: "{" + 2 * '"reason": "x", ' + good[1:],
    "key_more": lambda good: '{"extra": {"a": [1]}, ' + good[1:],
    "key_less": lambda good: "{" + good[1:].partition(", ")[2] if ", " in good else "{}",
    "wrong_types": lambda good: good.replace('": "', '": ["', 1).replace('",', '"],', 1),
    "invented_tool": lambda good: good.replace('"tool": "', '"tool": "launch_', 1),
    "nan": lambda good: '{"x": NaN, ' + good[1:],
    "infinite": lambda good: '{"x": 1e999, ' + good[1:],
    "digits": lambda good: '{"x": ' + "9" * 5_000 + ", " + good[1:],
    "deep": lambda good: '{"x": ' + "[" * 3_000 + "]" * 3_000 + ", " + good[1:],
    "surrogate": lambda good: good.replace('": "', '": "\\ud800', 1),
    "control": lambda good: good.replace('": "', '": "\\u0000\\u001b[31m', 1),
    "raw_control": lambda good: good.replace('": "', '": "\x00', 1),
    "array": lambda good: "[1, 2, 3]",
    "nothing": lambda good: "{}",
    "words": lambda good: "I would rather talk about the weather.",
    "null": lambda good: "null",
    "half_an_escape": lambda good: good.replace('": "', '": "\\u12', 1),
}
"""The ways to spoil a good text."""


def spoilt(good: str, chance: Random) -> tuple[str, str]:
    """The text, spoilt in one way, and that way's name."""
    name = chance.choice(list(FORMS))
    return FORMS[name](good), name
