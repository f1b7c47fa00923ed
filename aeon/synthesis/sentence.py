"""Answers in sentences: the model words them around references, and the host puts the results in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from aeon.documents.plain import word_set
from aeon.documents.words import is_common, stem
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.proof.readings import NUMBER_WORDS
from aeon.schema import JsonValue, Step, Task, ToolCall, Writing
from aeon.supervisor.prompt import Prompt, cut, load
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.denying import denies
from aeon.synthesis.either import about_chosen
from aeon.synthesis.units import is_money, quoted_with_unit, unit_of
from aeon.text import one_line
from aeon.tools.choose import CHOOSE

__all__ = ["Result", "Wording", "bare", "filled", "inside", "results_of", "worded"]

_SENTENCE_TOKENS = 120
_LONGEST_VALUE = 200
_LONGEST_TASK = 1_000
_MOST_RESULTS = 8
_A_TABLE = 7
"""Cells from which on rows are written as a table."""
_DECIMALS = 4
_SMALL, _LARGE = 0.001, 1e15
_NO_CENT = 1e-6
"""What a sum of cents may be off by, as numbers of a computer are."""
UNNAMED = "answer"
"""What a result is called that a program prints without a name."""

_REFERENCE = re.compile(r"\{\s*(r\d+)\s*\}")
_TWICE = re.compile(r"\b([^\W\d_]{3,}(?: [^\W\d_]{3,})?) \1\b", re.IGNORECASE)  # a unit that both have
_DIGIT = re.compile(r"\d")
_PER_CENT = re.compile(r"^ ?%")
_ASKS_FOR_ME = re.compile(r"\b(?:I|my|me)\b")
_SECOND_PERSON = {"i am": "You are", "i was": "You were", "i": "You", "my": "Your"}
_FIRST_PERSON = re.compile(r"(?:I am|I was|I|My)\b(?!')", re.IGNORECASE)
_TO_CENTS = re.compile(r"\bto (?:the (?:nearest )?)?cents?\b", re.IGNORECASE)
_IN_CENTS = re.compile(r"\b(?:in|many) cents\b", re.IGNORECASE)
_CENTS = re.compile(r"(\{r\d+\}) cents?\b", re.IGNORECASE)
"""An amount that is rounded to cents is not one of cents."""
_SIGNS = ("€", "$", "£")
_SIGNED = re.compile(r"^([\d.,]+) (?:euros?|dollars?|pounds?)$")
_WORD = re.compile(r"[^\W\d_]+")
_FIRST = re.compile(r"[A-Z][a-z]*(?!\w)(?! ?[A-Z])")
"""A first word with a capital letter, if the next one has none: "The" of "The red one", and nothing of "The Hague"."""
_FUNCTION_WORDS = word_set("A About After All An At Before By Every For From In No On Only The To Until Up Within Yes")
_TWO_WORDS = re.compile(r"\S+ \S+ (?=\S)")
_ORDINAL = re.compile(r"\d(st|nd|rd|th)$")
_FOLLOW = re.compile(r"(?: [^\W\d_]+)+")
_NUMBER = re.compile(r"(?<![\w{])(?<!\w\.)\.?\d+(?:[.,]\d+)*")
_WHICH = re.compile(
    r"^\s*(?:(?:which|who|whose|what kind)\b|"
    r"what(?:['\u2019]s| is| was| were| are) (?:the|our|my|his|her|their|your|its) (?:single )?"
    r"(?:most \w+|\w+est|best|worst)\b)",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\{\s*(?P<name>r\d+)\s*\} (?P<unit>[^\W\d_]{3,})(?P<of> of (?P<thing>[^\W\d_]+))?")
_WITH_UNIT = re.compile(r"[\d.,]+ ([^\W\d_]{3,}(?: [^\W\d_]+)?)")
_MONEY = frozenset({"euro", "euros", "dollar", "dollars", "pound", "pounds", "cent", "cents"})
_OFTEN = frozenset({"time", "times"})
_AND_HOW = re.compile(r"\bhow\b|\band (?:what|which|who|when|where|by|at|the|its|their)\b", re.IGNORECASE)
_EXAMPLES = (
    (
        "{r1} = 118 (total km)\nQuestion: How many kilometres did Nadia drive in June 2024?",
        "Nadia drove {r1} kilometres in June 2024.",
    ),
    (
        "{r1} = 15 (change)\n{r2} = 1.05 (share)\n"
        "Question: Lena buys 4 pens at 1.25 and pays with 20. How much does she get back, and what is 7% of that?",
        "Lena gets back {r1}, and 7% of that is {r2}.",
    ),
)


class Result(NamedTuple):
    """One value of the answer: the name it is referred to by, what it is, how it is written, and what it is made of.

    ``other`` is the one of two that was not chosen.
    """

    name: str
    label: str
    text: str
    made_of: str = ""
    other: str = ""


def results_of(steps: Sequence[Step], units: bool = True, every: Sequence[Step] = ()) -> tuple[Result, ...]:
    """The values that these steps gave; an object gives one for each of its members.

    With ``units``, a number has the unit that it has in the sentence that it is quoted from, or that the values have
    which it is computed from; ``every`` are the steps that these may be of.
    """
    values = [(step, *pair) for step in steps if step.output is not None for pair in _values(step)]
    texts = [(step, label, _written(step, value, every) if units else _text(value)) for step, label, value in values]
    return tuple(
        Result(f"r{number}", label, text, _made_of(step), _passed_over(step))
        for number, (step, label, text) in enumerate(texts, 1)
    )


def _passed_over(step: Step) -> str:
    """The one of two that a step did not choose, where both are written out."""
    if not isinstance(step.action, ToolCall) or step.action.tool != CHOOSE:
        return ""
    two = [str((step.action.arguments or {}).get(name, "")) for name in ("yes", "no")]
    return (
        next((one for one in two if one != step.output and not one.startswith("$")), "") if step.output in two else ""
    )


def _made_of(step: Step) -> str:
    """The words that a step asks tools for, and those of the sentences that it quotes."""
    arguments = (step.action.arguments or {}) if isinstance(step.action, ToolCall) else {}
    asked = (value.replace("_", " ") for value in arguments.values() if isinstance(value, str))
    return " ".join([*asked, *(source.text for source in step.sources)])


def _written(step: Step, value: JsonValue, every: Sequence[Step]) -> str:
    """A value with its unit, if it has one; an amount of money with its cents."""
    if quoted := quoted_with_unit(step, value):
        return quoted
    if not isinstance(value, int | float) or isinstance(value, bool):
        return _text(value)
    said = f"{value:.2f}" if _has_cents(value) and is_money(step, every) else _text(value)
    return f"{said} {unit_of(step, every)}".strip()


def _has_cents(value: float) -> bool:
    """Whether an amount is no whole one, but whole in cents: 228.3 is 228.30."""
    return round(value, 2) % 1 != 0 and abs(round(value, 2) - value) < _NO_CENT


class Wording(NamedTuple):
    """The results in words; ``problem`` says why they are bare although words were asked for, else it is empty."""

    text: str
    problem: str = ""


async def worded(supervisor: Supervisor, task: Task, results: Sequence[Result]) -> Wording:
    """One sentence or two that answer the task with these results; bare where the model does not find the words.

    Many results, long ones and those of several lines are not asked for: they are bare as they are meant to be. Each
    has one line of the prompt: what follows it on another line could pass for the question.
    """
    if len(results) > _MOST_RESULTS or any(_is_long(result.text) for result in results):
        return Wording(bare(results))
    lines = [f"{{{r.name}}} = {r.text}" + (f" ({r.label})" if r.label else "") for r in results]
    question = "\n".join([*lines, f"Question: {cut(task.text, _LONGEST_TASK)}"])
    prompt = Prompt(load("aeon.synthesis", "sentence.md"), question, _EXAMPLES, fixed=True)
    try:
        reply = await supervisor.text(prompt, max_tokens=_SENTENCE_TOKENS, repairs=0)
    except (CompletionError, AllowanceExhausted) as error:
        return Wording(bare(results), f"no sentence was written: {error}")
    text = filled(reply.value, task, results)
    return Wording(text) if text else Wording(bare(results), f"the sentence cannot be used: {one_line(reply.value)}")


def _is_long(text: str) -> bool:
    return len(text) > _LONGEST_VALUE or len(text.splitlines()) > 1


def filled(sentence: str, task: Task, results: Sequence[Result]) -> str:
    """The sentence with the results in the place of their names; empty where it cannot be used.

    It must be no question, hold every result, name none twice, count nothing with a number that has a unit, hold no
    number but those of the task and of the results, and say "nobody" only where one of these does. Where the task asks
    which one it is, and no more, it need not hold the number that this was chosen by. Of two it names the one that was
    chosen first; where it names the other alone, the one that was chosen takes its place.
    """
    named = _REFERENCE.findall(sentence)
    by_name = {result.name: result.text for result in results}
    sentence = about_chosen(sentence, task.text, [*by_name.values()])
    if len(set(named)) < len(named) or not by_name.keys() >= set(named) or _recounts(sentence, by_name):
        return ""
    text = _with_results(sentence, task, results)
    known = _numbers(" ".join([task.text, *by_name.values()]))
    if "{" in text or text.endswith("?") or not _numbers(text) <= known:
        return ""
    usable = _says_all(text, named, _needed(task, results)) and not _says_otherwise(text, task, results)
    return _addressed(text, task.text) if usable else ""


def _with_results(sentence: str, task: Task, results: Sequence[Result]) -> str:
    """The sentence with the results put in, without what nobody spoke of, and what the prompt has beside a value."""
    if _TO_CENTS.search(task.text) and not _IN_CENTS.search(task.text):
        sentence = _CENTS.sub(r"\1", sentence)
    by_name = {result.name: result.text for result in results}
    text = _TWICE.sub(r"\1", _put(_without_invented(sentence, task, results), by_name)).strip()
    for result in results:
        text = text.replace(f"{result.text} ({result.label})", result.text) if result.label else text
    return text


def _recounts(sentence: str, by_name: Mapping[str, str]) -> bool:
    """Whether the sentence counts with a number that has another unit: 500 grams jars."""
    for match in _COUNTED.finditer(sentence):
        own, said = _WITH_UNIT.fullmatch(by_name[match["name"]]), match["unit"]
        if own and said.endswith("s") and _is_counted(said) and stem(said) not in map(stem, own[1].split()):
            return True
    return False


def _addressed(text: str, question: str) -> str:
    """The sentence said to who asks: what "I pay" is "You pay" in the answer."""
    begun = _FIRST_PERSON.match(text) if _ASKS_FOR_ME.search(question) else None
    return f"{_SECOND_PERSON[begun[0].casefold()]}{text[begun.end() :]}" if begun else text


def _says_all(text: str, named: Sequence[str], needed: Sequence[Result]) -> bool:
    """Whether the sentence holds each result that it needs, by its name or in its own words."""
    return all(result.name in named or _holds(text, result.text) for result in needed)


def _without_invented(sentence: str, task: Task, results: Sequence[Result]) -> str:
    """The sentence without what it counts with a number, where nobody spoke of that: ``{r1} pounds of coal``."""
    numbers = {result.name for result in results if _NUMBER.search(result.text)}
    said = " ".join([task.text, task.background, *(f"{r.label} {r.text} {r.made_of}" for r in results)])
    known = {stem(word) for word in _WORD.findall(said.casefold())}

    def kept(match: re.Match[str]) -> str:
        name, unit, of, thing = match["name"], match["unit"], match["of"] or "", match["thing"] or ""
        if name not in numbers or stem(unit) in known or not _is_counted(unit):
            return match[0]
        return f"{{{name}}}" + ("" if thing and stem(thing) not in known else of)

    return _COUNTED.sub(kept, sentence)


def _is_counted(word: str) -> bool:
    """Whether a word behind a number can be what is counted."""
    return word.casefold() in _MONEY or not (
        is_common(word) or word.casefold() in _OFTEN or word.endswith(("ed", "ing"))
    )


def _needed(task: Task, results: Sequence[Result]) -> Sequence[Result]:
    """The results that must be said: where the task only asks which one, those that are no numbers, if any are."""
    if not _WHICH.search(task.text) or _AND_HOW.search(task.text):
        return results
    return [result for result in results if not _numbers(result.text)] or results


def _put(sentence: str, by_name: Mapping[str, str]) -> str:
    """The sentence with the results in their places; what follows one is left out as far as the result says it too.

    Of "26 days a year", and "days a year of leave" behind its place, comes "26 days a year of leave".
    """
    before, *rest = _REFERENCE.split(sentence)
    text = before
    for name, after in zip(rest[::2], rest[1::2], strict=True):
        value = by_name[name]
        said = _SIGNED.sub(r"\1", value) if text.rstrip().endswith(_SIGNS) else _unsaid(text, value)
        after = _more(value, after)
        text += inside(text, said) + (_PER_CENT.sub("", after) if value.endswith(("percent", "per cent")) else after)
    return text


def _more(value: str, after: str) -> str:
    """What follows a value with a number, without the words that this ends in, or begins with behind its number.

    Nor is "th" said twice behind "16th".
    """
    if (ordinal := _ORDINAL.search(value)) is not None:
        after = re.sub(rf"^{ordinal[1]}(?!\w)", "", after)
    follow = _FOLLOW.match(after)
    if follow is None or not _NUMBER.search(value):
        return after
    own = [word.casefold() for word in _WORD.findall(value)]
    words = follow[0].split()
    said = ([word.casefold() for word in words[:count]] for count in range(len(words), 0, -1))
    same = next((len(some) for some in said if some in (own[: len(some)], own[-len(some) :])), 0)
    return after[sum(len(word) + 1 for word in words[:same]) :]


def _unsaid(text: str, value: str) -> str:
    """A value without the words that the text before it ends in: "by 5 June" behind "by", a sentence behind its start.

    Numbers are kept: room 3 is no part of 3 euros.
    """
    begun = [match.end() for match in re.finditer(r"(?<=\w)(?!\w)", value) if not _DIGIT.search(value[: match.end()])]
    for end in reversed(begun):
        if re.search(rf"(?<!\w){re.escape(value[:end])}\s*$", text, re.IGNORECASE):
            return value[end:].lstrip()
    return value


def inside(text: str, value: str) -> str:
    """A value as it is written behind these words: "Six months" begins a sentence, and is "six months" in one."""
    is_within = bool(text.strip()) and not text.rstrip().endswith((".", ":", "!", "?", '"'))
    first = _FIRST.match(value) if is_within else None
    small = first is not None and (first[0].casefold() in NUMBER_WORDS or first[0] in _FUNCTION_WORDS)
    return value[:1].lower() + value[1:] if small else value


def _says_otherwise(text: str, task: Task, results: Sequence[Result]) -> bool:
    """Whether the sentence says something else than the results, for all that these stand in it."""
    said = f"{task.text} {task.background}"
    return _misnames(text, results) or denies(text, said, [result.text for result in results])


def _misnames(text: str, results: Sequence[Result]) -> bool:
    """Whether the sentence says a result that is no number twice, or names the one of two that was not chosen first.

    Nor may a result that is a sentence stand inside of one that begins as it does.
    """
    said = text.casefold()
    if any(_begins_again(said, result.text.casefold()) for result in results):
        return True
    twice = any(said.count(r.text.casefold()) > 1 for r in results if not _numbers(r.text))
    two = ((r.other.casefold(), r.text.casefold()) for r in results if r.other)
    return twice or any(0 <= said.find(other) < said.find(chosen) for other, chosen in two)


def _begins_again(said: str, result: str) -> bool:
    """Whether a result stands inside of a sentence that has its first two words at the start, too."""
    first = _TWO_WORDS.match(result)
    return first is not None and said.find(result) > 0 and said.startswith(first[0])


def bare(results: Sequence[Result]) -> str:
    """The values alone; more than one with what each of them is."""
    if len(results) == 1:
        return results[0].text
    if any("\n" in result.text for result in results):
        return "\n\n".join(f"{result.label}:\n{result.text}" if result.label else result.text for result in results)
    return "; ".join(f"{result.label}: {result.text}" if result.label else result.text for result in results)


def _values(step: Step) -> list[tuple[str, JsonValue]]:
    label = "" if step.description == UNNAMED or isinstance(step.action, Writing) else step.description
    if isinstance(step.output, dict):
        return [(key.replace("_", " "), value) for key, value in step.output.items()]
    return [(label, step.output)]


def _text(value: JsonValue) -> str:
    """The value as people write it."""
    match value:
        case str():
            return value
        case None | []:
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return _decimal(value)
        case list() if rows := _rows(value):
            return "\n".join(rows)
        case list():
            return _separator(value).join(map(_text, value))
        case dict():
            return ", ".join(f"{key.replace('_', ' ')} {_text(item)}" for key, item in value.items())
        case _:
            return json.dumps(value, ensure_ascii=False)


def _rows(values: Sequence[JsonValue]) -> list[str]:
    """The lines of a table, where the values are rows of several columns, and there are many cells."""
    rows = [value for value in values if isinstance(value, dict)]
    columns = list(rows[0]) if rows else []
    alike = len(rows) == len(values) and all(list(row) == columns for row in rows)
    if not alike or len(columns) < 2 or len(rows) * len(columns) < _A_TABLE:
        return []
    return [_line(columns), _line(["---"] * len(columns)), *(_line(map(_text, row.values())) for row in rows)]


def _line(cells: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(one_line(cell).replace('|', '/') for cell in cells)} |"


def _separator(values: Sequence[JsonValue]) -> str:
    return "; " if any(isinstance(value, list | dict) for value in values) else ", "


def _decimal(value: float) -> str:
    if 0 < abs(value) < _SMALL:
        return f"{value:.{_DECIMALS}g}"
    return f"{round(value, _DECIMALS):f}".rstrip("0").rstrip(".") if abs(value) < _LARGE else repr(value)


def _numbers(text: str) -> set[str]:
    return {number.rstrip(".,").replace(",", "") for number in _NUMBER.findall(text)}


def _holds(text: str, value: str) -> bool:
    if _numbers(value):
        return _numbers(value) <= _numbers(text)
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None
