"""Scripted models for the bench: one that knows the answers, and can be told to get some wrong; one that doubts all."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from aeon.bench.problems import Problem
from aeon.errors import EndpointUnreachable
from aeon.llm.scripted import Reply, Scripted
from aeon.schema import Capabilities, LLMRequest
from aeon.testing.obliging import oblige, plainest

QUESTION = "Which one do you mean?"
_VALUES: dict[str, object] = {
    "issue": "", "verdict": "approved", "score": 0.9, "questions": [], "answer": "yes", "question": QUESTION,
    "options": ["this", "that"], "default": "this", "ambiguity": 0.0,
}  # fmt: skip


def knowing(
    problems: Sequence[Problem], wrong: Callable[[LLMRequest], bool] = lambda request: False, name: str = "knowing"
) -> Scripted:
    """Answers each question as expected, in the form that it is asked in; where ``wrong`` says so, with 1234567."""
    known = {problem.question.text: problem.question.expected for problem in problems}

    def reply(request: LLMRequest) -> Reply:
        told = request.messages[-1].content
        if request.json_schema is not None:
            return _valid(request)
        if "{r1}" in told:
            return "It is {r1}."
        answer = next((expected for text, expected in known.items() if text in told), "") or QUESTION
        return f"It follows.\nAnswer: {'1234567' if wrong(request) else answer}"

    return Scripted(reply, name=name)


def doubting() -> Scripted:
    """A model that was measured to tell vague tasks, says yes to all that it is asked, and has a question."""
    measured = Capabilities(json_schema=True, json_mode=True, logprobs=True)
    return Scripted(
        lambda request: _valid(request, ambiguity=0.9) if request.json_schema is not None else oblige(request),
        measured,
        name="qwen2.5-coder-1.5b",
    )


def _valid(request: LLMRequest, **said: object) -> str:
    """A value of the schema that is asked for; ``said`` is what some of its properties are."""
    value = plainest(request.json_schema)
    assert isinstance(value, dict)
    known = _VALUES | said
    return json.dumps({key: known.get(key, plain) for key, plain in value.items()})


def down(request: LLMRequest) -> Reply:
    """An endpoint that is not there."""
    return EndpointUnreachable("nobody listens at http://127.0.0.1:9")
