"""Of what a chat template leaks nothing becomes the answer, and an answer that speaks of it stays whole."""

from __future__ import annotations

import time

import pytest

from aeon.llm.marks import answer_part, calls_in, starts_with_thought

pytestmark = pytest.mark.requirement("S2")

ANSWER = "The kettle is green."
BAR = "\uff5c"

LEAKS = {
    "harmony": f"<|channel|>analysis<|message|>Red?<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "harmony, its end": f"<|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
    "harmony, its beginning gone": f"Red?<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|end|>",
    "harmony, constrained": f"<|channel|>final <|constrain|>text<|message|>{ANSWER}",
    "closing within a line": f"One sentence is wanted.</think>{ANSWER}",
    "closing at an end": f"One sentence is wanted.</think>\n\n{ANSWER}",
    "closing at a beginning": f"Hm.\n</think>{ANSWER}",
    "closing in a line": f"Hm.\n </think>\n{ANSWER}",
    "closing first": f"</think>{ANSWER}",
    "a quoted answer behind it": f'"Green" is meant.</think>{ANSWER}',
    "brackets": f"[THINK]Hm.[/THINK]{ANSWER}",
    "brackets that only close": f"Hm.[/THINK]{ANSWER}",
    "triangles": f"◁think▷Hm.◁/think▷{ANSWER}",
    "named": f"<seed:think>Hm.</seed:think>{ANSWER}",
    "long names": f"<|begin_of_thought|>Hm.<|end_of_thought|><|begin_of_solution|>{ANSWER}<|end_of_solution|>",
    "loud": f"<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
    "thought after thought": f"<think>a</think><think>b</think>\n{ANSWER}",
    "code in a thought": f"<think>```x</think>{ANSWER}",
    "end of a turn": f"{ANSWER}<|im_end|>",
    "ends of turns": f"{ANSWER}<|eot_id|>\n</s> <eos>\n",
    "wide bars": f"{ANSWER}<{BAR}end▁of▁sentence{BAR}>",
    "the next turn": f"{ANSWER}<|im_end|>\n<|im_start|>user\nAnd red?<|im_end|>",
    "its own turn": f"<|im_start|>assistant\n{ANSWER}<|im_end|>",
    "headers": f"<|start_header_id|>assistant<|end_header_id|>\n\n{ANSWER}<|eot_id|>",
    "a call beside it": f'{ANSWER}\n<tool_call>{{"name": "look", "arguments": {{}}}}</tool_call>',
    "a call that never ends": f'{ANSWER}\n<tool_call>\n{{"name": "look", "argum',
    "calls in brackets": f'{ANSWER}[TOOL_CALLS][{{"name": "look", "arguments": {{}}}}]',
    "a call of functions": f"{ANSWER}\n<tool_call>\n<function=look>\n</function>\n</tool_call>",
}


@pytest.mark.parametrize("name", LEAKS)
def test_what_a_template_leaks_is_no_answer(name: str) -> None:
    """Thoughts, other channels, turns and calls go; the answer stays as it is."""
    assert answer_part(LEAKS[name]) == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>analysis<|message|>Red?<|end|>",
        "<think>Hm.",
        "[THINK]Hm.[/THINK]",
        "<|im_end|>",
        '<tool_call>{"name": "look", "arguments": {}}</tool_call>',
    ],
)
def test_where_nothing_else_is_said_nothing_is(text: str) -> None:
    """It is empty, and will be asked for again."""
    assert answer_part(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Use the <think> tag.",
        "A thought stands between <think> and </think>, as in <think>hm</think>.",
        "A thought ends with the </think> tag, and then comes the answer.",
        "A thought ends with `</think>`, and a turn with `<|im_end|>`.",
        'A thought ends with "</think>".',
        "A thought ends with \u201c</think>\u201d, they say.",
        "The template writes <|im_start|>user and <|im_end|> around each turn, and [THINK] before a thought.",
        "Calls stand in <tool_call> tags.",
        "For example:\n```\n<think>\nhm\n</think>\nyes<|im_end|>\n```\nThat is all.",
        "```\n<|channel|>analysis<|message|>Red?<|end|><|start|>assistant<|channel|>final<|message|>x\n```",
        'So:\n```xml\n<tool_call>{"name": "look", "arguments": {}}</tool_call>\n```\nis a call.',
        "`[TOOL_CALLS][{}]` is Mistral's.",
        "The channel <|channel|>final<|message|> holds what is for the user.",
        "a < b and <b>c</b>",
    ],
)
def test_an_answer_that_speaks_of_marks_stays(text: str) -> None:
    """In code, in quotes, as a word, or as a pair."""
    assert answer_part(text) == text


def test_calls_are_read_out_of_their_marks() -> None:
    """In order, outside of code and thoughts, and as channels name them."""
    text = '<think><tool_call>{"a": 0}</tool_call></think>x <tool_call>\n{"a": 1}\n</tool_call> <tool_call>{"a": 2}'
    assert calls_in(text) == ['{"a": 1}', '{"a": 2}']
    assert calls_in('`<tool_call>{"a": 1}</tool_call>`') == [] == calls_in(ANSWER)
    channel = '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"a": 1}<|call|>'
    assert calls_in(channel) == ['{"name": "look", "arguments": {"a": 1}}']


def test_a_thought_at_the_beginning_is_seen() -> None:
    """Whatever its mark; a channel for the user is none."""
    assert all(map(starts_with_thought, ("<think>", " [THINK]x", "<|channel|>analysis<|message|>x")))
    assert not any(map(starts_with_thought, ("x <think>", "<|channel|>final<|message|>x", "")))


@pytest.mark.parametrize(
    "text",
    [
        mark * (200_000 // len(mark))
        for mark in (
            "<think>", "</think>", "<s>", "<|im_end|>", "<|im_end|>x", "<tool_call>{", "`", "```", "``` ", " ", "\n",
            "<|channel|>", "<|channel|>final<|message|>", "[THINK]a[/THINK]", "<|im_start|>",
        )
    ],
)  # fmt: skip
def test_reading_takes_time_in_proportion(text: str) -> None:
    """However many marks there are."""
    start = time.process_time()
    for read in (answer_part, calls_in, starts_with_thought):
        read(text)
    assert time.process_time() - start < 3
