"""How much to read at once for a question, and what to believe of it. Writes JSON lines.

    python scripts/bench/research_readings.py [--data DIR --sets region,firm] [--half development|closing] [--sample N]
                                              [--forms few,three,five,eight] [--variants whole,taken] [--seed N]
                                              [--model NAME|URL] [--out FILE] [--table]

A form reads the best passages for a question in one call, as research does: three, five or eight of them, or what there
is of the first three sources (``few``). Then a judge says how likely it is that a sentence with the answer, among its
neighbours, answers the question: the likeliest of two, and of two together. ``taken``: without the documents that
support the question, so that every answer is wrong.
The table has for each form the answers that are right (F1 from .6 on), wrong, and not given, from each score on; and
for two forms one after the other, as a look and a second one where that finds nothing likely. ``--out`` is gone on
with where it exists; ``--table`` only prints what it holds.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from figures import wilson
from machine import machine, said
from research_data import Question, Shelf, load, shelf, unpack
from research_figures import interval
from research_scoring import exact, f1

from aeon.engines.research.choosing import own
from aeon.engines.research.effects import Numbered
from aeon.engines.research.looking import LIKELY
from aeon.engines.research.naming import names_in
from aeon.engines.research.pointing import candidates, together
from aeon.engines.research.reading import read
from aeon.engines.research.support import answering, headed
from aeon.engines.research.texts import shown
from aeon.engines.research.wording import other_words
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.supervisor.judge import Judge
from aeon.supervisor.supervisor import Supervisor

PAPERS = Path(__file__).with_name("papers")
RIGHT, MOST, OTHERS, TRIED = 0.6, 10, 5, 2
SCORES = (0.5, 0.3, 0.0)
Row = dict[str, Any]
Form = Callable[[Sequence[Numbered]], Sequence[Numbered]]


def few(hits: Sequence[Numbered]) -> Sequence[Numbered]:
    """What there is of the first three sources."""
    first = list(dict.fromkeys(one.number for one in hits))[:3]
    return [one for one in hits if one.number in first]


FORMS: Mapping[str, Form] = {
    "few": few, "three": lambda hits: hits[:3], "five": lambda hits: hits[:5], "eight": lambda hits: hits[:8],
}  # fmt: skip


async def found(question: str, opened: Shelf, supervisor: Supervisor) -> list[Numbered]:
    """The best passages, as research begins: for the question itself, then for other words."""
    queries = [question, *await other_words(supervisor, question)]
    numbers: dict[str, int] = {}
    hits: list[Numbered] = []
    for query in queries:
        for passage in opened.search(query, MOST if query == question else OTHERS):
            number = numbers.setdefault(passage.source, len(numbers) + 1)
            hits.append(Numbered(number=number, passage=passage, query=query, title=opened.title(passage)))
    return own(question, hits, MOST, names_in(question))


async def reading(question: str, passages: Sequence[Numbered], hits: Sequence[Numbered], llm: LLMAdapter) -> Row:
    """What the passages say, and the highest score of a sentence with that."""
    answer, _ = await read(Supervisor(llm), question, passages)
    texts, judge = shown(hits), Judge(Supervisor(llm))
    both = together(question, answer, texts.sentences)
    tried = [(one,) for one in candidates(question, answer, texts)[:TRIED]] if answer else []
    spans = [*tried, *([both] if both and answer else [])]
    judged = [await answering(judge, headed(texts.around(one), texts.heads), question) for one in spans]
    return {"answer": answer, "score": max((one.score for one in judged if one is not None), default=0.0)}


async def asked(question: Question, variant: str, opened: Shelf, forms: Sequence[str], llm: LLMAdapter) -> Row:
    """The line of a question."""
    hits = await found(question.text, opened, Supervisor(llm))
    readings = {form: await reading(question.text, FORMS[form](hits), hits, llm) for form in forms}
    return {"set": question.collection, "id": question.id, "half": question.half, "variant": variant,
            "question": question.text, "expected": list(question.answers), "documents": len(question.supporting),
            "readings": readings}  # fmt: skip


def is_right(answer: str, row: Row) -> bool:
    """Whether an answer is right; none is where the documents were taken away."""
    expected = tuple(row["expected"])
    return bool(answer) and row["variant"] == "whole" and (exact(answer, expected) or f1(answer, expected) >= RIGHT)


def looked(row: Row, forms: Sequence[str]) -> Row:
    """The first reading that is likely enough, else the likeliest."""
    readings = [row["readings"][form] for form in forms]
    likely = (one for one in readings if one["answer"] and one["score"] >= LIKELY)
    best: Row = next(likely, max(readings, key=lambda one: (bool(one["answer"]), one["score"])))
    return best


def line(rows: Sequence[Row], forms: Sequence[str]) -> str:
    """The figures of one form, or of some one after the other."""
    whole, taken = ([row for row in rows if row["variant"] == which] for which in ("whole", "taken"))
    told = (f"{_worth(whole, forms, least)}  {_refused(taken, forms, least):>19}" for least in SCORES)
    return "  ".join([f"{' then '.join(forms):20}{len(whole):4}", *told])


def _given(row: Row, forms: Sequence[str], least: float) -> str:
    """The answer that is told from a score on, "" for none."""
    best = looked(row, forms)
    return best["answer"] if best["score"] >= least else ""


def _worth(rows: Sequence[Row], forms: Sequence[str], least: float) -> str:
    answers = [(_given(row, forms, least), row) for row in rows]
    worth = [f1(answer, tuple(row["expected"])) if answer else 0.0 for answer, row in answers] or [0.0]
    right, given = sum(is_right(*one) for one in answers), sum(bool(answer) for answer, _ in answers)
    low, high = interval(worth, statistics.mean)
    counts = f"{right}/{given - right}/{len(rows) - given}"
    return f"{statistics.mean(worth):.3f} [{low:.2f},{high:.2f}] {counts:>11}"


def _refused(rows: Sequence[Row], forms: Sequence[str], least: float) -> str:
    return _share(sum(not _given(row, forms, least) for row in rows), len(rows)) if rows else ""


def _share(right: int, of: int) -> str:
    low, high = wilson(right, of)
    return f"{right}/{of} [{low:.2f},{high:.2f}]"


def table(rows: Sequence[Row], forms: Sequence[str]) -> None:
    """Print all figures, of questions of one document and of several."""
    one, several = ([row for row in rows if (row["documents"] > 1) == more] for more in (False, True))
    pairs = [[form, "eight"] for form in forms if form != "eight"] if "eight" in forms else []
    for name, some in (("all", rows), ("one document", one), ("several", several)):
        print(f"\n{name}: F1, right/wrong/none, refused without documents; from scores of {SCORES} on")
        for shown_forms in [*([form] for form in forms), *pairs]:
            print(line(some, shown_forms))


def wanted(options: argparse.Namespace) -> list[Question]:
    """The questions that the options name, the sets in turn."""
    named = (load(options.data, name, options.seed) for name in options.sets.split(","))
    halves = [[one for one in some if options.half in ("", one.half)] for some in named]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*halves))
    return [one for one in turns if one is not None][: options.sample or None]


async def run(options: argparse.Namespace, llm: LLMAdapter, rows: list[Row]) -> None:
    """Ask what is not on record."""
    done = {(row["set"], row["id"], row["variant"]) for row in rows}
    every = itertools.product(wanted(options), options.variants.split(","))
    missing = [(one, variant) for one, variant in every if (one.collection, one.id, variant) not in done]
    with tempfile.TemporaryDirectory(prefix="readings-") as base, options.out.open("a", encoding="utf-8") as file:
        for name in options.sets.split(","):
            unpack(options.data, name, Path(base, name))
        for question, variant in missing:
            folder = Path(base, question.collection)
            opened = shelf(folder, folder.with_suffix(".sqlite"), question, taken_away=variant == "taken")
            rows.append(await asked(question, variant, opened, options.forms.split(","), llm))
            opened.close()
            file.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
            file.flush()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=PAPERS)
    parser.add_argument("--sets", default="region,firm")
    parser.add_argument("--half", choices=("development", "closing"), default="")
    parser.add_argument("--sample", type=int, default=0, help="at most so many questions")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--variants", default="whole,taken")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("readings.jsonl"))
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if unknown := [form for form in options.forms.split(",") if form not in FORMS]:
        parser.error(f"no form is called {', '.join(unknown)}: use {', '.join(FORMS)}")
    lines = options.out.read_text(encoding="utf-8").splitlines() if options.out.exists() else []
    rows: list[Row] = [json.loads(one) for one in lines]
    if not options.table:
        llm = select(options.model)
        print(said(machine()))
        asyncio.run(run(options, llm, rows))
    held = [form for form in options.forms.split(",") if all(form in row["readings"] for row in rows)]
    table(rows, held)


if __name__ == "__main__":
    main()
