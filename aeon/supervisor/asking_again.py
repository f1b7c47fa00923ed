"""What a model is told when its answer cannot be used, and how the failure reads when it never could. Pure."""

from __future__ import annotations

from aeon.errors import CompletionError, EmptyCompletion, Truncated
from aeon.llm.marks import answer_part
from aeon.schema.llm import Capabilities, LLMResponse, Message
from aeon.schema.usage import NOTHING, Usage
from aeon.supervisor.calls import Ask
from aeon.supervisor.prompt import clean, cut
from aeon.supervisor.thoughts import Room, thinks

__all__ = ["again", "explained", "first", "following", "roomier", "with_attempts", "with_note"]

_LONGEST_OWN_TEXT = 2000
_LONGEST_ERRORS = 1000
_SHORTER = "Your last answer was cut off because it was too long. Give a shorter answer, complete from start to end."
_ANSWER = "Your last answer was empty. Give the answer now."
_CORRECTED = "Give the whole answer again, corrected."


def roomier(max_tokens: int, context: int | None) -> int:
    """Twice ``max_tokens``, but at most half of the endpoint's context where that is known."""
    doubled = max_tokens * 2
    return doubled if context is None else max(max_tokens + 1, min(doubled, context // 2))


def explained(error: CompletionError, response: LLMResponse, can: Capabilities) -> CompletionError:
    """The error; of an answer that was cut off for its thoughts another one, which says what gives it more room."""
    if not isinstance(error, Truncated) or not thinks(response, can):
        return error
    share = "most of them" if answer_part(response.text) else "all of them"
    return Truncated(f"{error}, {share} thoughts; a larger thought_tokens gives it more room", error.text)


def first(ask: Ask, most: int, needed: int, room: Room) -> Ask:
    """The request as it is asked first: with the tokens that thoughts need above ``most``, if it has them."""
    left = room.left(ask.most_prompt_tokens, NOTHING)
    return ask.widened(left) if most < needed < left else ask


def following(
    ask: Ask, current: Ask, response: LLMResponse, error: CompletionError, can: Capabilities, room: Room, spent: Usage
) -> Ask | None:
    """The request after an unusable answer to ``current``; ``None`` where it would end the same.

    An answer that thoughts kept from its end may take what the calls before it, which took ``spent``, have left.
    """
    if not isinstance(error, Truncated):
        return again(ask, response.text, error, current.max_tokens)
    if not thinks(response, can):
        most = roomier(ask.max_tokens, can.context_tokens)
        return None if current.max_tokens == most else again(ask, response.text, error, most)
    same = again(ask, response.text, error, ask.max_tokens) if answer_part(response.text) else ask
    left = room.left(same.most_prompt_tokens, spent)
    return same.widened(left) if left > response.usage.generated_tokens else None


def again(ask: Ask, answer: str, error: CompletionError, tokens: int) -> Ask:
    """The request after an unusable answer: always the first ask and the last fault, so that it cannot grow."""
    if isinstance(error, Truncated):
        return ask.changed(with_note(ask.messages, _SHORTER), tokens)
    if isinstance(error, EmptyCompletion):
        return ask.changed(with_note(ask.messages, _ANSWER), tokens)
    own = clean(cut(answer.strip(), _LONGEST_OWN_TEXT))
    faults = cut(clean(str(error)), _LONGEST_ERRORS)
    if not own:
        return ask.changed(with_note(ask.messages, f"Your last answer cannot be used: {faults}\n{_CORRECTED}"), tokens)
    own_message = Message(role="assistant", content=own)
    correction = Message(role="user", content=f"That answer cannot be used: {faults}\n{_CORRECTED}")
    return ask.changed((*ask.messages, own_message, correction), tokens)


def with_note(messages: tuple[Message, ...], note: str) -> tuple[Message, ...]:
    """``messages`` with ``note`` at the end of the last one: roles must alternate for many chat templates.

    A tool's result stays as it is: the note is a message behind it.
    """
    last = messages[-1]
    if last.role == "tool":
        return (*messages, Message(role="user", content=note))
    return (*messages[:-1], last.changed(content=f"{last.content}\n\n{note}"))


def with_attempts(error: CompletionError, attempts: int) -> CompletionError:
    """The same error, which says how often it was asked; of a text that was cut off with what there was of it."""
    line = clean(" ".join(cut(str(error), _LONGEST_ERRORS).split()))
    line = line if attempts == 1 else f"{line} (after {attempts} attempts)"
    return Truncated(line, error.text) if isinstance(error, Truncated) else type(error)(line)
