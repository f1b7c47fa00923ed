"""What happens in a run, in words: as lines of styled spans, for the live view, reports and pages.

Text from models, tools and users is shown with its control characters escaped, so that it can do nothing to a terminal.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from aeon.schema import (
    Answer,
    Bound,
    Claim,
    Clarification,
    Conclusion,
    Decision,
    Degradation,
    Expected,
    FromSource,
    FromTask,
    FromTool,
    JsonValue,
    Outcome,
    Question,
    Reply,
    SentenceCheck,
    Support,
    Unread,
    Usage,
)
from aeon.schema.effects import Effect

__all__ = [
    "Line",
    "Span",
    "answer_lines",
    "answer_text",
    "bound_words",
    "claim_lines",
    "clarification_line",
    "conclusion_lines",
    "counted",
    "coverage",
    "decision_line",
    "degradation_line",
    "dollars",
    "effect_title",
    "expected_words",
    "labelled",
    "outcome_words",
    "plain",
    "question_lines",
    "reply_line",
    "short",
    "usage_words",
    "visible",
    "visible_json",
]

_WIDTH = 69
_LONGEST_MESSAGE = 300
_MOST_CLAIMS = 8
_LONGEST_CLAIM, _LONGEST_BASIS = 32, 42
_MARKS = {"supported": ("✓", "good"), "contradicted": ("✗", "bad"), "not_found": ("✗", "bad"), "partial": ("~", "warn")}
_BIDI = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Span(NamedTuple):
    """A piece of a line. ``style`` is a role: good, bad, warn, now, dim, strong, or none."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def plain(lines: Iterable[Line]) -> str:
    """The lines as text without styles."""
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines)


def labelled(label: str, lines: Iterable[Line]) -> list[Line]:
    """The lines beside a label in the margin; all that a line holds starts in the same column."""
    heads = (label if not number else "" for number in range(1_000_000))
    return [(Span(f"  {head:<9}", "dim"), *line) for head, line in zip(heads, lines, strict=False)]


def visible(text: str) -> str:
    """The text with every character that could steer a terminal or turn the reading direction shown as its code."""
    return "".join(c if c in "\n\t" or _harmless(c) else c.encode("unicode_escape").decode() for c in text)


def _harmless(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp") and character not in _BIDI


def visible_json(text: str) -> str:
    """A JSON document with every such character within its strings as the escape that JSON has for it."""
    return "".join(c if c in "\n\t" or _harmless(c) else f"\\u{ord(c):04x}" for c in text)


def short(value: JsonValue, width: int = _WIDTH) -> str:
    """The value on one line of at most ``width`` characters; what was cut is marked."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = visible(" ".join(text[: 8 * width].split()))
    return line if len(line) <= width and len(text) <= 8 * width else line[: max(1, width - 1)].rstrip() + "…"


def effect_title(effect: Effect) -> str:
    """What an effect is about, in a few words; of a nested run, with its scope."""
    return f"{effect.scope} {effect.subject}".strip()


def outcome_words(outcome: Outcome) -> str:
    """What came of an effect: its value without what is the default, or why there is none."""
    if outcome.failure is not None:
        return f"{outcome.failure.kind}: {outcome.failure.message}"
    match outcome.value:
        case None:
            return "nothing"
        case Reply() as reply:
            return plain([reply_line(reply)])
        case Answer() as answer:
            return _text(answer.text if answer.value is None else answer.value)
    fields: dict[str, JsonValue] = json.loads(outcome.value.model_dump_json(exclude_defaults=True))
    return _text(next(iter(fields.values())) if len(fields) == 1 else fields)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def decision_line(decision: Decision) -> Line:
    """What happens next and why."""
    style = "good" if decision.sufficient else "bad" if decision.reason == "failed" else "warn"
    verb = {"CONTINUE": "continue", "ASK": "ask", "OUTPUT": "stop"}[decision.action]
    words = verb if decision.reason == "continue" else f"{verb}, {decision.reason.replace('_', ' ')}"
    detailed = decision.detail and decision.reason not in ("failed", "waiting")
    return (Span(words, style), Span(f": {visible(decision.detail)}" if detailed else ""))


def question_lines(question: Question) -> list[Line]:
    """A question with its options, numbered, and what is assumed where nobody answers."""
    lines: list[Line] = [(Span(visible(" ".join(question.text.split())), "now"),)]
    lines += [(Span(f"  {n}  ", "strong"), Span(short(o, _WIDTH - 8))) for n, o in enumerate(question.options, 1)]
    return lines + ([(Span(f"  default: {short(question.default, _WIDTH - 14)}", "dim"),)] if question.default else [])


def reply_line(reply: Reply) -> Line:
    """What was said to a question."""
    word = "assumed " if reply.assumed else "answered "
    return (Span(word, "warn" if reply.assumed else "dim"), Span(short(reply.text, _WIDTH - 10)))


def degradation_line(degradation: Degradation) -> Line:
    """A judgment that failed, and why."""
    phase = degradation.phase.replace("_", " ")
    return (Span("degraded ", "warn"), Span(f"{phase}: {short(degradation.message, _LONGEST_MESSAGE)}"))


def answer_text(end: Conclusion) -> str:
    """The answer for a terminal, an object laid out over several lines."""
    return visible(end.answer if end.value is None else json.dumps(end.value, ensure_ascii=False, indent=2))


def answer_lines(end: Conclusion) -> list[Line]:
    """The same, indented."""
    return [(Span("  "), Span(line)) for line in answer_text(end).splitlines()]


def conclusion_lines(end: Conclusion, before: str = "", reservations: Iterable[str] = ()) -> list[Line]:
    """How the run ended and what it cost; what a reader of the answer should know; questions.

    ``before`` comes before the costs; ``reservations`` are those that only the engine knows, ``""`` is none.
    """
    style = "good" if end.sufficient else "bad" if end.stop_reason == "failed" else "warn"
    spent = f"{before}{usage_words(end.usage)}, {end.seconds:.1f} s"
    lines: list[Line] = [(Span(end.stop_reason.replace("_", " "), style), Span(f"  {spent}"))]
    cautions = [*_reservations(end), *reservations, *map(_unread_words, end.unread)]
    cautions += _open_words(end.claims)
    cautions += [f"not read: {end.left_out}"] if end.left_out else []
    cautions += [_altered(end), _degraded(end), _lost(end), _surplus(end)]
    lines += [(Span(text, "warn"),) for text in cautions if text]
    lines += [*claim_lines(end.claims), *_sentence_lines(end.sentence_checks)]
    lines += labelled("question", question_lines(end.question)) if end.question else []
    return lines + [clarification_line(one) for one in end.assumptions]


def coverage(claims: Sequence[Claim]) -> str:
    """How many claims of an answer were checked and what came of it, in a line; "" where it has none."""
    if not claims:
        return ""
    verdicts = Counter(claim.verdict for claim in claims)
    checked = len(claims) - verdicts["not_checked"]
    return f"{checked} of {len(claims)} checked, {verdicts['supported']} supported"


def _open_words(claims: Sequence[Claim]) -> list[str]:
    """What is open of the tables that claims rest on, and what to do."""
    doubts = dict.fromkeys(doubt for claim in claims for doubt in claim.doubts)
    return [f"open: {visible(doubt)}; aeon tables FILE --write lets you state it" for doubt in doubts]


def claim_lines(claims: Sequence[Claim]) -> list[Line]:
    """The claims of an answer, each with what it rests on; those that do not stand, and then so many of the others."""
    if not claims:
        return []
    head: Line = (Span("claims  ", "dim"), Span(coverage(claims)))
    checked = [claim for claim in claims if claim.verdict != "not_checked"]
    shown = sorted(checked, key=lambda claim: claim.verdict == "supported")[:_MOST_CLAIMS]
    rest = len(checked) - len(shown)
    more: list[Line] = [(Span(f"  and {rest:,} more", "dim"),)] if rest else []
    return [head, *map(_claim_line, sorted(shown, key=lambda claim: claim.start)), *more]


def _sentence_lines(sentences: Sequence[SentenceCheck]) -> list[Line]:
    """How many sentences of an answer were checked; nothing where all that is unchecked has values that were shown."""
    if not any(one.verdict == "not_checked" and not one.claims for one in sentences):
        return []
    checked = [one for one in sentences if one.verdict != "not_checked"]
    supported = sum(one.verdict == "supported" for one in checked)
    words = f"{len(checked)} of {len(sentences)} checked, {supported} supported"
    return [(Span("sentences  ", "dim"), Span(words))]


def _claim_line(claim: Claim) -> Line:
    mark, style = _MARKS.get(claim.verdict, ("·", "dim"))
    places = ", ".join(dict.fromkeys(map(_place, claim.evidence)))
    rests = places if claim.verdict == "supported" else f"{claim.verdict.replace('_', ' ')}: {claim.note or places}"
    text, rests = short(claim.text, _LONGEST_CLAIM), short(rests, _LONGEST_BASIS)
    return (Span(f"  {mark} ", style), Span(text), Span(f"  {rests}", "dim"))


def _place(support: Support) -> str:
    """Where a claim has its value from, for people."""
    match support:
        case FromTool():
            return f"step {support.step}"
        case FromSource():
            return support.source
        case FromTask():
            return "the task" if support.part == "text" else "the context"
        case _:
            return f"claim {support.claim}"


def usage_words(usage: Usage) -> str:
    """Model calls, tokens and, where there is any, the cost."""
    cost = f", {dollars(usage.cost)}" if usage.cost else ""
    generated = f" ({usage.generated_tokens:,} generated)" if usage.tokens else ""
    return f"{counted(usage.calls, 'model call')}, {counted(usage.tokens, 'token')}{generated}{cost}"


def bound_words(bound: Bound, tokens: bool = True) -> str:
    """The most that a run can spend, with or without the ``tokens``; a run that is free has no cost."""
    most = f"at most {counted(bound.calls, 'model call')}"
    most += f" and {counted(bound.tokens, 'token')}" if tokens else ""
    if bound.cost is None:
        return f"{most}, cost not known"
    return f"{most}, {dollars(bound.cost)}" if bound.cost else most


def expected_words(expected: Expected | None) -> str:
    """What like runs took: the median, and the 90th percentile."""
    if expected is None:
        return "no runs like this yet"
    calls, tokens, cost = expected.calls, expected.tokens, expected.cost
    half = _took_words(calls.median, tokens.median, cost.median)
    most = _took_words(calls.p90, tokens.p90, cost.p90)
    return f"{counted(expected.runs, 'run')} like this: median {half}; 90 % within {most}"


def _took_words(calls: float, tokens: float, cost: float) -> str:
    paid = f", {dollars(cost)}" if cost else ""
    return f"{counted(int(calls), 'call')}, {counted(int(tokens), 'token')}{paid}"


def dollars(amount: float) -> str:
    """An amount of money, to four digits."""
    return f"${amount:,.4g}"


def clarification_line(one: Clarification) -> Line:
    """A question that was asked, and what was answered or assumed."""
    question, answer = short(one.question, 44), short(one.answer or "(nothing)", 40)
    word = Span("assumed: ", "warn") if one.assumed else Span("asked: ")
    return (word, Span(f"{question} → {answer}"))


def _reservations(end: Conclusion) -> tuple[str, str]:
    """Why the answer may not be good enough; an empty text where there is nothing to say."""
    broken = end.stop_reason in ("failed", "waiting")
    unworded = "no model worded this answer: it is made of results as they are" if end.assembled and not broken else ""
    return "" if end.sufficient or broken else visible(end.detail), unworded


_NOTABLE = 100
"""Tokens of a call that its endpoint counts and nobody sent: fewer are a matter of tokenizers."""


def _surplus(end: Conclusion) -> str:
    """That the endpoint counts more than is sent to it, as behind a proxy that adds a prompt of its own."""
    most = (end.usage + end.lost).surplus
    return f"the endpoint reported up to {most:,} tokens a call more than its call can take" if most >= _NOTABLE else ""


def _unread_words(one: Unread) -> str:
    """What the model did not get to read, and what to do."""
    name = "earlier answers'" if one.part == "earlier" else f"{one.part}'s"
    most = f"prompts show {one.shown:,} of the {name} {one.characters:,} characters"
    if one.part == "earlier":
        return f"cut: {most}; say again what the answer needs of them"
    if one.part == "context":
        return f"cut: {most}, and no step that the answer rests on searched it; ask for a fact of it"
    return f"cut: {most}; a folder of files is searched instead: --files DIR"


def _altered(end: Conclusion) -> str:
    """Which outcomes nothing in the world gave."""
    numbers = ", ".join(map(str, end.altered))
    return f"altered: whoever forked the run put in the outcome of effect {numbers}" if numbers else ""


def _degraded(end: Conclusion) -> str:
    """The phases whose judgments failed, but for the failure that ended the run and the answer, which has its line."""
    judged = [one for one in end.degraded if one.phase != "synthesize" and one.message != end.detail]
    phases = Counter(one.phase.replace("_", " ") for one in judged)
    names = ", ".join(name if number == 1 else f"{name} ({number} times)" for name, number in phases.items())
    return f"degraded judgments: {visible(names)}" if names else ""


def _lost(end: Conclusion) -> str:
    """What was spent beside the usage."""
    if not (end.lost.calls or end.lost.tokens or end.lost.cost):
        return ""
    return f"beside that, up to {usage_words(end.lost)} for what was broken off and done again"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 pass``, ``2 passes``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
