"""A short answer read out of passages, with the sentences that it rests on; or that they do not say it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import TypeAdapter

from aeon.documents.relations import denied, no_superlative, other_clause, other_kind, other_subject
from aeon.documents.telling import numbered, telling
from aeon.documents.words import content_words, special_kinds, stem, stems
from aeon.execution.deciding import HOUSE, deciding
from aeon.schema import LONGEST_TASK, JsonValue, Passage, Source, StepResult
from aeon.supervisor.answers import AnswerJudge, speaks_of_before
from aeon.supervisor.judge import Judge
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.questions import asks_yes_no
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.short_answers import MOST_SENTENCES, bare, is_absent, is_same
from aeon.supervisor.stated import is_stated
from aeon.supervisor.supervisor import Reply, Supervisor
from aeon.text import one_line
from aeon.tools.lookup import CONTEXT
from aeon.tools.material import Material

__all__ = ["absent_from", "is_strange", "read_answer", "turned_down"]

_ANSWER_TOKENS = 60
_LONGEST_QUESTION = 600
_LONGEST_NEAREST = 300
_LONGEST_PASSAGES = 6_000
_CITED = re.compile(r"[\[(]\s*(?:sentences?\s*)?(\d{1,3}(?:\s*(?:,|and|-)\s*\d{1,3})*)\s*[\])]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MOST_NAMED, _FIRST_NAMED = 4, 3
_MORE = re.compile(r" and [\d,]+ more$")
_HOUSE = fence("sentences", HOUSE, _LONGEST_PASSAGES)
_EXAMPLES = (
    (f"{_HOUSE}\nQuestion: How old is the dog?", "9 years [2]"),
    (f"{_HOUSE}\nQuestion: What does a check-up cost?", "not stated"),
    (f"{_HOUSE}\nQuestion: When does the surgery open?", "8:30 on weekdays [3]"),
    (f"{_HOUSE}\nQuestion: Who looks after the fence?", "Jana Kolar [5]"),
    (f"{_HOUSE}\nQuestion: When was Rex born?", "not stated"),
    (f"{_HOUSE}\nQuestion: How much do I pay when my dog gets its injection?", "38 euros [4]"),
)
"""Most are answered, some in other words than the question's: with more refusals, or told which words no sentence has,
a small model refuses what is stated in other words. What it takes for the answer is judged."""
_LEAST_GIVEN = 0.2
"""The score from which on an answer is given that only one of two readings has."""
_LEAST_AGREED = 0.1
"""The same, where both have it."""
_LEAST_FOUND = 0.5
"""The same, where the other one says that it is not stated."""
_PASSAGES = TypeAdapter(list[Passage])


async def read_answer(
    supervisor: Supervisor, question: str, task: str, found: JsonValue, searched: str, twice: bool = True
) -> StepResult:
    """What the passages that were ``found`` say to the question; nothing where they do not say it.

    The question is a part of the ``task``. ``searched`` names what was searched. An answer with a number or with words
    that stand in none of the sentences is none. ``twice``: it is held against a plain reading of more sentences. What
    both give is the answer; one whose sentences seem to speak of something else, or do not answer the whole task, says
    a judge, is partly clear, and so is the likelier of two that differ; what hardly answers the question is none. A
    sentence that was turned down so is named as the nearest one.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    absent = absent_from(searched, question)
    sources = telling(_PASSAGES.validate_python(found), task)
    if not sources:
        return absent
    if asks_yes_no(task):
        return await deciding(supervisor, task, sources) or absent
    more = telling(_PASSAGES.validate_python(found), task, MOST_SENTENCES)
    return await _read(supervisor, question, task, sources, more if twice else (), absent)


def absent_from(searched: str, question: str) -> StepResult:
    """What is given where nothing that was searched says it."""
    who = "context does" if searched == CONTEXT else "files do"
    problem = f"the {who} not say: {question} (searched: {_few(searched)})"
    return StepResult(output=None, clarity="PARTIALLY_CLEAR", mode="reading", problem=problem)


async def _read(
    supervisor: Supervisor,
    question: str,
    task: str,
    sources: Sequence[Source],
    more: Sequence[Source],
    absent: StepResult,
) -> StepResult:
    """The short answer that the sentences give; what is ``absent`` where they do not say it."""
    prompt = _prompt(question, task, sources)
    reply = await supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0, likelihood=True)
    answer = bare(reply.value)
    if is_absent(answer):
        found = await _found(supervisor, question, task, more)
        return found or absent.changed(likelihood=reply.likelihood)
    cited = _cited(reply.value, answer, sources)
    read = StepResult(output=answer, mode="reading", sources=cited, likelihood=reply.likelihood)
    stated = is_stated(question, answer, cited, sources)
    if question == task:
        taken = await _twice(supervisor, question, read if stated else None, sources, more)
    else:
        taken = None if not stated or is_strange(question, answer, cited, sources) else read
    return taken or turned_down(absent, cited[0] if stated or _CITED.search(reply.value) else None)


async def _found(supervisor: Supervisor, question: str, task: str, more: Sequence[Source]) -> StepResult | None:
    """What a second reading finds though the first one says that it is not stated, where a judge thinks so, too.

    ``None`` for a part of a task.
    """
    reply = await _read_again(supervisor, question, more) if question == task else None
    second = _second(question, reply, more)
    return await _better(supervisor, question, [(second, more)], _LEAST_FOUND) if second else None


async def _twice(
    supervisor: Supervisor,
    question: str,
    read: StepResult | None,
    sources: Sequence[Source],
    more: Sequence[Source],
) -> StepResult | None:
    """The answer that a second reading gives, too, or the likelier of two; ``None`` where neither is one."""
    reply = await _read_again(supervisor, question, more)
    second = _second(question, reply, more)
    if read is not None and (reply is None or (second and is_same(question, str(read.output), str(second.output)))):
        doubtful = await _is_doubtful(supervisor, question, read, sources)
        return await _better(supervisor, question, [(read, sources)], _LEAST_AGREED) if doubtful else read
    candidates = [(one, every) for one, every in ((read, sources), (second, more)) if one is not None]
    doubted = read.changed(clarity="PARTIALLY_CLEAR", problem="a second reading does not say so") if read else None
    return await _better(supervisor, question, candidates, _LEAST_GIVEN, doubted)


async def _read_again(supervisor: Supervisor, question: str, sources: Sequence[Source]) -> Reply[str] | None:
    return await Shelf(supervisor, Material(tuple(sources), whole=False)).second(question)


def _second(question: str, reply: Reply[str] | None, sources: Sequence[Source]) -> StepResult | None:
    """What a plain reading of sentences gives; ``None`` where that stands in none of them."""
    answer = bare(reply.value) if reply is not None else ""
    if reply is None or is_absent(answer):
        return None
    cited = _cited(reply.value, answer, sources)
    is_one = is_stated(question, answer, cited, sources)
    return StepResult(output=answer, mode="reading", sources=cited, likelihood=reply.likelihood) if is_one else None


async def _is_doubtful(supervisor: Supervisor, question: str, read: StepResult, sources: Sequence[Source]) -> bool:
    """Whether the sentences seem to speak of something else, or do not answer the whole question, says a judge."""
    if is_strange(question, str(read.output), read.sources, sources):
        return True
    return await AnswerJudge(Judge(supervisor, samples=0)).doubted(question, read.sources, sources) is not None


async def _better(
    supervisor: Supervisor,
    question: str,
    read: Sequence[tuple[StepResult, Sequence[Source]]],
    least: float,
    unjudged: StepResult | None = None,
) -> StepResult | None:
    """The one of the answers that its sentences, of those it was read from, rather give, says a judge.

    ``None`` where no score is the ``least``, and what is ``unjudged`` where there is no judge, or no call for it.
    """
    judge = AnswerJudge(Judge(supervisor, samples=0))
    if not read or not await judge.able(len(read)):
        return unjudged
    scores = [await judge.given(question, str(one.output), one.sources, every) for one, every in read]
    best = max(scores)
    if best < least:
        return None
    taken = read[scores.index(best)][0]
    doubt = f"the text may not answer exactly this: judged {best:.2f}"
    others = [one_line(str(one.output), _LONGEST_NEAREST) for one, _ in read if one is not taken]
    problem = "; read once more, it is: ".join([doubt, *others])
    return taken.changed(clarity="PARTIALLY_CLEAR", problem=problem)


def turned_down(absent: StepResult, source: Source | None) -> StepResult:
    """What is absent, with the sentence that was taken for an answer and is none: who asked can tell, or reads on."""
    if source is None:
        return absent
    said = one_line(source.text, _LONGEST_NEAREST)
    nearest = f'{absent.problem}; the nearest sentence: "{said}" ({one_line(source.source)})'
    return absent.changed(problem=nearest, sources=(source,))


def _prompt(question: str, task: str, sources: Sequence[Source]) -> Prompt:
    """The question below the numbered sentences."""
    part = f"\n(to find out: {cut(task, _LONGEST_QUESTION)})" if question != task else ""
    asked = f"{_question(chr(10).join(numbered(sources)), question)}{part}"
    return Prompt(load("aeon.execution", "read.md"), asked, _EXAMPLES, fixed=True)


def _question(sentences: str, question: str) -> str:
    """The question below the sentences."""
    return f"{fence('sentences', sentences, _LONGEST_PASSAGES)}\nQuestion: {cut(question, LONGEST_TASK)}"


def is_strange(question: str, answer: str, cited: Sequence[Source], sources: Sequence[Source]) -> bool:
    """Whether the sentences speak of something else than the question, as far as the host can see."""
    if special_kinds(question, _lacking(question, sources), _text(cited)):
        return True
    return any(_misses(question, answer, source, sources) for source in cited)


def _misses(question: str, answer: str, cited: Source, sources: Sequence[Source]) -> bool:
    """Whether a sentence seems to speak of something else."""
    before = [one.text for one in sources if one.source == cited.source and one.start <= cited.start]
    looks = (other_clause, denied)
    if any(look(question, cited.text, answer) for look in looks) or no_superlative(question, cited.text):
        return True
    if other_subject(question, before):
        return True
    return bool(other_kind(question, f"{cited.heading} {cited.text}", (one.text for one in sources)))


def _few(names: str) -> str:
    """The first three of more than four names, and how many more there are."""
    listed, _, more = names.partition(" and ") if _MORE.search(names) else (names, "", "")
    every = listed.split(", ")
    if len(every) <= _MOST_NAMED:
        return names
    rest = len(every) - _FIRST_NAMED + (int(more.split()[0].replace(",", "")) if more else 0)
    return f"{', '.join(every[:_FIRST_NAMED])} and {rest:,} more"


def _lacking(question: str, sources: Sequence[Source]) -> list[str]:
    there = stems(f"{_text(sources)} {' '.join(source.source for source in sources)}")
    return sorted(word for word in content_words(question) if word.isalpha() and stem(word) not in there)


def _text(sources: Sequence[Source]) -> str:
    return " ".join(f"{source.heading} {source.text}" for source in sources)


def _cited(reply: str, answer: str, sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sentences that the reply names; where it names none that are there, the first that holds most of it."""
    numbers = [int(number) for match in _CITED.finditer(reply) for number in re.findall(r"\d+", match[1])]
    named = tuple(sources[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(sources))
    if named:
        return _counted_right(answer, named, sources)
    return (max(sources, key=lambda source: len(_parts(answer) & _parts(source.text))),)


def _parts(text: str) -> frozenset[str]:
    """The words that say what a text is about, and its numbers."""
    return stems(text) | {*_NUMBER.findall(text)}


def _counted_right(answer: str, named: tuple[Source, ...], sources: Sequence[Source]) -> tuple[Source, ...]:
    """Those named, with the one before that has the answer; where they have nothing of it, one that has it whole."""
    if before := _spoken_of(answer, named, sources):
        return (*before, *named)
    if _parts(answer) & _parts(_text(named)):
        return named
    whole = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
    return next(((source,) for source in sources if whole.search(source.text)), named)


def _spoken_of(answer: str, named: Sequence[Source], sources: Sequence[Source]) -> list[Source]:
    """The sentence before one that only speaks of "her", where the answer stands in that one alone."""
    before = sources[sources.index(named[0]) - 1] if sources.index(named[0]) else named[0]
    spoken = speaks_of_before(named[0]) and before.source == named[0].source and before not in named
    return [before] if spoken and stems(answer) & stems(before.text) - stems(_text(named)) else []
