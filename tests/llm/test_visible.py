"""What can be told of a reply before it has ended: its answer, and nothing of what a chat template leaks beside it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from aeon.llm import visible
from aeon.llm.marks import MARKS, THOUGHTS, answer_part
from aeon.llm.visible import Visible

pytestmark = pytest.mark.requirement("P3f")
SECRET = "hush"
"""A word that stands in thoughts alone."""
WORDS = ("word ", "some more words, ", "and so on.\n", "a < b [1] ", "x")
LINES = ("\n", " ", "`", "```\n", '"', ".", '{"name": 1}', "final", "assistant\n")


def cut(text: str, sizes: Sequence[int]) -> list[str]:
    """The text in pieces of these sizes, over and over."""
    pieces, at = [], 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    return pieces


def told(pieces: Sequence[str], unopened: bool = False) -> tuple[str, int, str]:
    """What stands told in the end, how often that began anew, and all that was told on the way."""
    part, text, begun, every = Visible(unopened), "", 0, ""
    for piece in pieces:
        more, anew = part.take(piece)
        text = more if anew else text + more
        begun += anew
        every += more
    return text, begun, every


@pytest.mark.parametrize("sizes", [(1,), (3,), (7, 2), (1000,)])
@pytest.mark.parametrize(
    "text",
    [
        "  Plain words, a < b, a[1] and ◁.  \n",
        "\ufeff\n It begins behind a mark of its own.",
        *(f"{begin}{SECRET} [1] <b>\n```{end}\n\nThe answer." for begin, end in THOUGHTS),
        f"<think>{SECRET}</think><think>{SECRET}</think>The answer.",
        f"<think>{SECRET} </reasoning> that never ends",
        f" <think> {SECRET} [TOOL_CALLS] {SECRET} </think> The answer.",
        f"The first part.\n<think>\n{SECRET}\n</think>\nThe answer.",
        "The answer.<|im_end|>",
        "The answer.</s>\n<|im_end|>\n<|im_start|>user\nAnd more?",
        "<|im_start|>assistant\nThe answer.",
        f"<|channel|>analysis<|message|>{SECRET}<|end|><|start|>bot<|channel|>final<|message|>The answer.<|return|>",
        f"<|start|>assistant<|channel|>analysis<|message|>{SECRET}<|end|>",
        'Let me look.\n<tool_call>{"name": "f", "arguments": {"a": [1, "<b>"]}}</tool_call>',
        '[TOOL_CALLS][{"name": "f"}]',
        "Struck <s>out</s> and <s>more</s> of it.",
        "Use `<think>` to think and `</think>` to stop.",
        'Write "</think>" there, or </think> here.',
        '```xml\n<tool_call>{"name": 1}</tool_call>\n</think>\n```\nis an example.',
    ],
)
def test_what_stands_told_is_the_answer_and_no_thought_was_told(text: str, sizes: Sequence[int]) -> None:
    """In pieces of any size, what it speaks of as well; a part of one that comes all at once may wait for its end."""
    text_told, _, every = told(cut(text, sizes))
    assert text_told == answer_part(text) or (sizes == (1000,) and answer_part(text).startswith(text_told))
    assert SECRET not in every


@pytest.mark.parametrize("sizes", [(1,), (5,)])
@pytest.mark.parametrize("mark", ["</think>", "\n</think>\n", "[/THINK]"])
def test_a_thought_whose_beginning_was_never_sent_is_taken_back(mark: str, sizes: Sequence[int]) -> None:
    """Nobody can know before its end comes; of a model that is known to write so nothing of it is told."""
    pieces = cut(f"{SECRET} it is 4.{mark}The answer.", sizes)
    assert told(pieces)[:2] == ("The answer.", 1)
    assert told(pieces, unopened=True) == ("The answer.", 0, "The answer.")
    part = Visible()
    for piece in pieces:
        part.take(piece)
    assert part.unopened and not Visible().unopened


def test_plain_text_is_told_as_it_comes() -> None:
    """Every piece at once, but for the white space that it ends in; also behind marks that turned out to be none."""
    part = Visible()
    assert [part.take(piece)[0] for piece in ("One", " two", "  \n", "three [", "1] <b>", " <s>", "a", "b")] == [
        "One", " two", "", "  \nthree", " [1] <b>", "", " <s>a", "b",
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(300))
def test_no_leading_thought_is_ever_told(seed: int) -> None:
    """Whatever follows it, whole or in pieces, with marks, code and quotes in it."""
    chance = Random(seed)
    begin, end = chance.choice(THOUGHTS)
    inner = "".join(f"{SECRET}{chance.choice((*LINES, *WORDS))}" for _ in range(chance.randint(1, 9)))
    rest = "".join(chance.choice((*MARKS, *LINES, *WORDS)) for _ in range(chance.randint(0, 9)))
    text = f"{chance.choice(('', ' ', chr(10)))}{begin}{inner}{end}{rest}"
    _, _, every = told(cut(text, [chance.randint(1, 9) for _ in range(5)]))
    assert SECRET not in every


@pytest.mark.parametrize(
    "text",
    [
        "plain words " * 10_000,
        "<think>" + "x [a] `b` <c> " * 6_000 + "</think>" + "word " * 6_000,
        "<tool_call>{" + '"a<b": [1], ' * 6_000 + "}</tool_call>",
        "a `b` <s> " * 6_000,
        "</think>\n" * 6_000,
        "```\n" + "</think> a\n" * 6_000 + "```\n",
        "<" * 30_000,
        " " * 30_000,
    ],
    ids=["plain", "thought", "call", "marks", "ends", "code", "signs", "spaces"],
)
def test_a_text_is_read_a_few_times_its_length_at_most(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many marks it has: beyond that the rest is not told while it is written."""
    read = 0

    def counted(whole: str) -> str:
        nonlocal read
        read += len(whole)
        return answer_part(whole)

    monkeypatch.setattr(visible, "answer_part", counted)
    told(cut(text, (4,)))
    assert read <= 100_000 + 10 * len(text)
