"""What a chat template leaks into a model's text: marks of thoughts, turns, channels and calls. Pure, one table.

The marks are tokens of templates (ChatML, Llama, Gemma, Mistral, DeepSeek, Cohere, OpenAI's harmony and others), which
a server should have taken out. An answer may speak of them, too: what stands in a code fence or in backticks stays, and
so does a closing mark in quotes or with a space on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = [
    "CALLS",
    "HARMONY",
    "MARKS",
    "ROLE_STARTS",
    "THOUGHTS",
    "answer_part",
    "calls_in",
    "closing_of",
    "final_message",
    "is_spoken_of",
    "starts_with_thought",
    "without_code",
]  # fmt: skip

_BAR = "\uff5c"
"""The wide bar of DeepSeek's marks."""

THOUGHTS: Sequence[tuple[str, str]] = (
    *((f"<{name}>", f"</{name}>") for name in ("think", "thinking", "thought", "reasoning", "seed:think")),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
)
"""What begins and ends a thought."""

CALLS: Sequence[tuple[str, str]] = (
    ("<tool_call>", "</tool_call>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<function_calls>", "</function_calls>"),
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    (f"<{_BAR}tool▁calls▁begin{_BAR}>", f"<{_BAR}tool▁calls▁end{_BAR}>"),
    ("<|START_ACTION|>", "<|END_ACTION|>"),
    ("[TOOL_CALLS]", "[/TOOL_CALLS]"),
    ("<|python_tag|>", "<|eom_id|>"),
)
"""What begins and ends the calls of tools in a text."""

_ENDS = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<|return|>", "<|call|>",
    "</s>", "<eos>", "<end_of_turn>", f"<{_BAR}end▁of▁sentence{_BAR}>", "<|eot|>", "<|END_OF_TURN_TOKEN|>",
    "<|END_RESPONSE|>", "<|end_of_solution|>",
)  # fmt: skip
_STARTS = (
    "<s>", "<bos>", "<|begin_of_text|>", f"<{_BAR}begin▁of▁sentence{_BAR}>", f"<{_BAR}Assistant{_BAR}>",
    f"<{_BAR}User{_BAR}>", "<|assistant|>", "<|user|>", "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>",
    "<|START_RESPONSE|>", "<|begin_of_solution|>",
)  # fmt: skip
ROLE_STARTS = ("<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|start|>")
"""Marks that the name of a role follows."""

HARMONY = ("<|channel|>", "<|constrain|>", "<|message|>", "<|start|>")
"""The marks of harmony: a channel, what its text is constrained to, the text, and whose turn it is."""

MARKS: Sequence[str] = tuple(
    dict.fromkeys((*(one for pair in (*THOUGHTS, *CALLS) for one in pair), *_ENDS, *_STARTS, *ROLE_STARTS, *HARMONY))
)
"""All of them."""


def _any(marks: Sequence[str]) -> str:
    return "|".join(map(re.escape, marks))


_ANY_MARK = re.compile("[<[◁]")
"""What every mark begins with."""
_OPENING = re.compile(_any([opening for opening, _ in THOUGHTS]), re.IGNORECASE)
_LEADING = re.compile(rf"\s*+({_OPENING.pattern})", re.IGNORECASE)
_CLOSING = re.compile(_any([closing for _, closing in THOUGHTS]), re.IGNORECASE)
_LINE = re.compile(rf"^[ \t]*(?:{_any([closing for _, closing in THOUGHTS])})[ \t]*$", re.IGNORECASE | re.MULTILINE)
_BEGUN = re.compile(rf"\s*+(?:(?:{_any(ROLE_STARTS)})\w*(?:<\|end_header_id\|>|<\|message\|>|\n|\Z)|{_any(_STARTS)})")
_ENDED = re.compile(rf"(?:{_any(_ENDS)})(?:\s*(?:{_any(_ENDS)}))*\s*")
_NEXT = re.compile(rf"\Z|{_any((*ROLE_STARTS, *_STARTS))}")
_CALL = re.compile(rf"({_any([opening for opening, _ in CALLS])})(?=\s*[\[{{<]|\s*\w+\s*[\[{{<])")
_OPEN, _CONSTRAINT, _TEXT, _TURN = map(re.escape, HARMONY)
_CHANNEL = re.compile(rf"{_OPEN}([^<]*)(?:{_CONSTRAINT}[^<]*)?{_TEXT}")
_CHANNELS = re.compile(rf"\s*(?:{_TURN}\w*)?{_OPEN}")
_AFTER_TEXT = ("<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>")
_MESSAGE_END = re.compile(_any(_AFTER_TEXT))
_RECIPIENT = re.escape("=functions.")
_CALLED = re.compile(rf"{_RECIPIENT}([\w-]+)")
_FINAL = "final"
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_QUOTES = {*"\"'\u201c\u201d\u201e\u2018\u2019\xab\xbb"}
_SPACES = {" ", "\t"}
_FILLER = "\0"


def answer_part(text: str) -> str:
    """Plain text without what precedes and follows the answer: thoughts, other channels, turns, calls.

    It is empty where there is nothing else. Marks that the answer speaks of stay.
    """
    if _ANY_MARK.search(text) is None:
        return text.lstrip("\ufeff").strip()
    body = _begun(final_message(text.lstrip("\ufeff")))
    body = _begun(_ended(_past_thoughts(body)))
    kept, position = [], 0
    for start, end in _call_spans(body):
        kept.append(body[position:start])
        position = end
    return "".join([*kept, body[position:]]).strip()


def calls_in(text: str) -> list[str]:
    """What stands in the marks of calls of tools, in order, outside of code and thoughts."""
    body = text.lstrip("\ufeff")
    if _CHANNELS.match(body):
        return [*_channel_calls(body)]
    body = _past_thoughts(_begun(body))
    marks = [mark for pair in CALLS for mark in pair]
    spans = (body[start:end] for start, end in _call_spans(body))
    return [re.sub(_any(marks), "", span).strip() for span in spans]


def _channel_calls(text: str) -> Iterator[str]:
    """The calls among messages in channels, each as JSON as far as its arguments are."""
    for channel in _CHANNEL.finditer(text):
        name = _CALLED.search(channel[1])
        if name is not None:
            end = _MESSAGE_END.search(text, channel.end())
            arguments = text[channel.end() : end.start() if end else len(text)].strip()
            yield f'{{"name": "{name[1]}", "arguments": {arguments or "{}"}}}'


def starts_with_thought(text: str) -> bool:
    """Whether the text begins with a thought, or in a channel for one."""
    body = text.lstrip()
    channel = _CHANNEL.search(body) if _CHANNELS.match(body) else None
    return bool(_OPENING.match(body)) or (channel is not None and channel[1].strip() != _FINAL)


def closing_of(opening: str) -> str:
    """The mark that ends the thought that this one begins, in lower case."""
    return next(closing.lower() for begun, closing in THOUGHTS if begun.lower() == opening.lower())


def final_message(text: str) -> str:
    """Of a text in channels the last message for the user, empty if there is none; any other text as it is."""
    if not _CHANNELS.match(text) and not _is_cut_in(text):
        return text
    messages = [(channel[1].split()[:1], channel.end()) for channel in _CHANNEL.finditer(without_code(text))]
    finals = [start for name, start in messages if name == [_FINAL]]
    if not finals:
        return ""
    end = _MESSAGE_END.search(text, finals[-1])
    return text[finals[-1] : end.start() if end else len(text)]


def _is_cut_in(text: str) -> bool:
    """Whether a text goes on in the channel for the user, though the beginning of the first one is gone."""
    masked = without_code(text)
    start = masked.find(f"<|start|>assistant<|channel|>{_FINAL}<|message|>")
    return start > 0


def _begun(text: str) -> str:
    """The text without the beginning of its turn."""
    position = 0
    while begun := _BEGUN.match(text, position):
        if begun.end() == position:
            break
        position = begun.end()
    return text[position:]


def _ended(text: str) -> str:
    """The text up to the mark that ends its turn: behind it nothing stands, or the next turn."""
    ends = (end for end in _ENDED.finditer(without_code(text)) if _NEXT.match(text, end.end()))
    end = next(ends, None)
    return text[: end.start()] if end else text


def _past_thoughts(text: str) -> str:
    """What follows the thoughts: closed ones, one that never ends, and one whose beginning was never sent."""
    position = 0
    while opening := _LEADING.match(text, position):
        closing = re.compile(re.escape(closing_of(opening[1])), re.IGNORECASE).search(text, opening.end())
        position = closing.end() if closing else len(text)
    orphan = _orphan(text, position)
    return text[orphan:] if orphan is not None else text[position:]


def _orphan(text: str, position: int) -> int | None:
    """Where a closing mark ends whose opening one was never sent."""
    masked = without_code(text)
    line = _LINE.search(masked, position)
    if line is not None:
        return line.end()
    closing = next(filter(None, (_unspoken(masked, mark) for mark in _CLOSING.finditer(masked, position))), None)
    opening = _OPENING.search(masked, position)
    if closing is None or (opening is not None and opening.start() < closing.start()):
        return None
    return closing.end()


def _unspoken(text: str, mark: re.Match[str]) -> re.Match[str] | None:
    """The mark, unless the text speaks of it."""
    spoken_of = is_spoken_of(text[max(0, mark.start() - 1) : mark.start()], text[mark.end() : mark.end() + 1])
    return None if spoken_of else mark


def is_spoken_of(before: str, after: str) -> bool:
    """Whether a text speaks of a mark that stands between these characters: in quotes, or as a word between spaces."""
    around = {before, after}
    return around <= _QUOTES or around <= _SPACES


def _call_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where calls stand, with their marks; one that is not closed goes to the end."""
    masked, position = without_code(text), 0
    while opening := _CALL.search(masked, position):
        closing = dict(CALLS)[opening[1]]
        end = text.find(closing, opening.end())
        position = end + len(closing) if end >= 0 else len(text)
        yield opening.start(), position


def without_code(text: str) -> str:
    """The text with its code filled in, so that no mark is found in it."""
    return _CODE.sub(lambda code: _FILLER * len(code[0]), text)
