"""Tasks and questions to try handlers with: plain ones, and those at the edges of what people may ask."""

from __future__ import annotations

from aeon.schema import JsonObject, Question, Reply, Task

__all__ = ["ANSWERED", "LONG", "LONG_TEXT", "OBJECT", "PLAIN", "QUESTIONS", "TASKS", "UNICODE"]

_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"total": {"type": "number"}},
    "required": ["total"],
    "additionalProperties": False,
}
LONG_TEXT = "One of very many words. " * 4_000

PLAIN = Task(text="A bakery sells 240 rolls at 0.45 and 75 loaves at 3.20. What does it take in?")
UNICODE = Task(text='Was heißt „日本語“ — 🍞 \u202e ​x̂ ?\n```\n{"a": 1}\n```', context="\u2028 ${x} {{y}} <task>")
LONG = Task(text="Say in a sentence what this is about.\n" + LONG_TEXT, context=LONG_TEXT)
OBJECT = Task(text=PLAIN.text, answer_schema=_SCHEMA, criteria=("The answer is in euros.",))
ANSWERED = PLAIN.clarified(Question(text="Which day?"), Reply(text="Monday"))
TASKS = (PLAIN, UNICODE, LONG, OBJECT)

QUESTIONS = (
    Question(text="Which year?", options=("2025", "2026"), default="2026"),
    Question(text="Which bakery?", default="the one on the corner"),
    Question(text="step s1 (send the mail): mail did not return. Was it done?", options=("done", "repeat", "stop")),
    Question(text="Was heißt „日本語“ 🍞 \u202e ${x}?\n```", options=("ü", ""), default="\u2028"),
)
