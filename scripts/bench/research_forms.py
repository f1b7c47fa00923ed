"""Forms of answering a question that takes several documents, each with at most six model calls."""

from __future__ import annotations

import re
from collections.abc import Sequence

from research_asking import Answer, Asker
from research_data import Shelf
from research_phrases import candidates, choose, nested
from research_reading import Reading, names, read

from aeon.language.words import stems
from aeon.schema import Passage, Source
from aeon.supervisor.judge_specs import judgment

__all__ = ["chained", "decomposed"]

SPLIT = (
    "Split the question into the simple questions that have to be answered one after the other. Each asks for one "
    "thing. Write #1 for the answer to the first, #2 for the answer to the second. Keep all names of the question. "
    "A question that is simple already stays as it is."
)
SPLITS = (
    ("When was the company that built the Millau Viaduct founded?",
     "Which company built the Millau Viaduct?\nWhen was #1 founded?"),
    ("Who is the mayor of the city where the author of Heidi died?",
     "Who is the author of Heidi?\nIn which city did #1 die?\nWho is the mayor of #2?"),
    ("Are Lake Como and Lake Garda both in Lombardy?",
     "In which region is Lake Como?\nIn which region is Lake Garda?"),
    ("Solo is a 2013 Danish film by a director, who was born in which town?",
     "Who is the director of Solo, the 2013 Danish film?\nIn which town was #1 born?"),
    ("How high is Ben Nevis?", "How high is Ben Nevis?"),
    ("What is the river by the hometown of the singer of Blue Lights named after?",
     "Who is the singer of Blue Lights?\nWhat is the hometown of #1?\nWhat is the river by #2?\n"
     "What is #3 named after?"),
    ("Which writer was born first, Ada Kern or Jon Vale?",
     "When was the writer Ada Kern born?\nWhen was the writer Jon Vale born?"),
)  # fmt: skip
MOST_PARTS = 4
PASSAGES = 4
COMBINE = (
    "Answer the question from the facts alone, with a few words, a name, a date or yes or no, and nothing else. If the "
    "facts do not say it, reply: not stated"
)
_REFERENCE = re.compile(r"#(\d)")


async def split(question: str, asker: Asker) -> list[str]:
    """The simple questions that a question is made of, in order; the question itself if there is only one."""
    reply = await asker.text(SPLIT, question, SPLITS, tokens=100)
    parts = [re.sub(r"^\W*\d\W\s*", "", line).strip() for line in reply.splitlines()]
    parts = [part for part in parts if part][:MOST_PARTS]
    return parts if len(parts) > 1 else [question]


def filled(part: str, answers: Sequence[str]) -> str | None:
    """The question with the answers in the places of their references, ``None`` if one is missing."""
    numbers = [int(number) for number in _REFERENCE.findall(part)]
    if any(number > len(answers) or not answers[number - 1] for number in numbers):
        return None
    return _REFERENCE.sub(lambda match: answers[int(match[1]) - 1], part)


def is_chain(parts: Sequence[str]) -> bool:
    """Whether each part but the first builds on an earlier one, so that the last one's answer is the answer."""
    return all(_REFERENCE.search(part) for part in parts[1:])


async def decomposed(question: str, shelf: Shelf, asker: Asker) -> Answer:
    """Simple questions first, each looked up, its answer put into the next."""
    parts = await split(question, asker)
    steps: list[Reading] = []
    while len(steps) < len(parts):
        asked = filled(parts[len(steps)], [step.answer for step in steps])
        if asked is None:
            break
        steps.append(await read(asked, shelf.search(asked, PASSAGES), asker))
    notes = (*parts, *(f"{step.question} -> {step.answer}" for step in steps))
    passages = _read(steps)
    if len(steps) < len(parts) or not all(step.answer for step in steps):
        return Answer("", (), passages, notes)
    answer = steps[-1].answer
    if not is_chain(parts):
        answer = await combined(question, steps, asker)
    return Answer(answer, _cited(steps), passages, notes)


MOST_HOPS = 2
HOP, FINAL, PLAIN = 3, 3, 5
LEAST_SUPPORT = 0.65
"""P(yes) that the cited sentences show the answer, below which there is none: right ones had .81 and more."""
LEAST_NAMES, LEAST_CITED = 0.3, 0.5
"""Shares of a question's names: in a passage that is read (or two of them), and in the documents of the answer."""


async def chained(question: str, shelf: Shelf, asker: Asker) -> Answer:
    """A description in the question, chosen by the model, is looked up and replaced by its name; then again."""
    steps, asked = await _lookups(question, shelf, asker)
    final = await read(asked, _searched(shelf, asked, FINAL if steps else PLAIN), asker)
    if steps and not final.answer:
        again = await read(question, _searched(shelf, question, PLAIN), asker)
        return await _answer([again], ["again with the question itself"], asker)
    return await _answer([*steps, final], [], asker)


async def _lookups(question: str, shelf: Shelf, asker: Asker) -> tuple[list[Reading], str]:
    """The lookups of what the question describes, and the question with their answers in it."""
    steps = list[Reading]()
    while len(steps) < MOST_HOPS:
        spans = [span for span in candidates(question) if not steps or nested(span)]
        if not spans:
            break
        span = await choose(question, spans, asker)
        step = await read(f"What is the name of {span}?", _searched(shelf, span, HOP), asker)
        if not step.answer or stems(step.answer) <= stems(span) or _named(step) < LEAST_CITED:
            break
        steps.append(step)
        question = question.replace(span, step.answer)
    return steps, question


def _read(steps: Sequence[Reading]) -> tuple[Passage, ...]:
    return tuple(passage for step in steps for passage in step.passages)


async def _answer(steps: Sequence[Reading], notes: Sequence[str], asker: Asker) -> Answer:
    """The answer of the last step, with figures that say how well the sentences bear it."""
    again, notes = bool(notes), (*notes, *(f"{step.question} -> {step.answer}" for step in steps))
    passages, last = _read(steps), steps[-1]
    named = min(_share(steps[0].question, passages) if len(steps) == 1 else 1.0, *map(_named, steps[1:]), 1.0)
    if not last.answer or named < LEAST_CITED:
        return Answer("", (), passages, notes, {"names": named})
    scores = {"names": named, "again": float(again)}
    shown = "\n".join(f"{one.source.removesuffix('.txt')}: {' '.join(one.text.split())}" for one in last.cited)
    claim = f"{last.question} Answer: {last.answer}"
    spec = judgment("evidence_supports")
    scores["support"] = await asker.yes(
        f"{spec.shown({'evidence': shown, 'claim': claim})}\n\n{spec.questions[0].prompt}"
    )
    if scores["support"] < LEAST_SUPPORT:
        return Answer("", (), passages, notes, scores)
    return Answer(last.answer, _cited(steps), passages, notes, scores)


def _named(step: Reading) -> float:
    """The share of the question's names that stand in the documents that its answer was cited from, or all read."""
    places = {one.source for one in step.cited}
    return _share(step.question, [one for one in step.passages if one.source in places])


def _share(question: str, passages: Sequence[Passage]) -> float:
    asked = names(question)
    return len(asked & _stems(passages)) / len(asked) if asked else 1.0


def _stems(passages: Sequence[Passage]) -> frozenset[str]:
    return stems(" ".join(f"{one.text} {one.source}" for one in passages))


def _searched(shelf: Shelf, query: str, most: int) -> list[Passage]:
    """The best passages for a query that hold some of its names; first those whose title stands in it word for word.

    Beside each of these, one passage less of the others is worth reading.
    """
    asked = names(query)
    enough = min(2.0, LEAST_NAMES * len(asked))
    hits = [hit for hit in shelf.search(query, 10) if len(asked & _stems([hit])) >= enough]
    plain = f" {_plain(query)} "
    titled = [hit for hit in hits if f" {_plain_title(shelf, hit)} " in plain]
    others = [hit for hit in hits if hit not in titled]
    return [*titled[:most], *others[: max(1, most - 2 * len(titled))]]


def _plain_title(shelf: Shelf, hit: Passage) -> str:
    return _plain(re.sub(r"\([^)]*\)", "", shelf.title(hit)))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


async def combined(question: str, steps: Sequence[Reading], asker: Asker) -> str:
    """The answer that follows from those to the simple questions."""
    facts = "\n".join(f"{step.question} {step.answer}" for step in steps)
    sentences = "\n".join(" ".join(one.text.split()) for one in _cited(steps))
    reply = await asker.text(COMBINE, f"Facts:\n{sentences}\n{facts}\n\nQuestion: {question}")
    return "" if "not stated" in reply.lower() else reply.splitlines()[0].removesuffix(".").strip()


def _cited(steps: Sequence[Reading]) -> tuple[Source, ...]:
    every = [one for step in steps for one in step.cited]
    return tuple({(one.source, one.start): one for one in every}.values())
