"""Questions that take several documents: forms of answering them with one model, side by side. Writes JSON lines.

    python scripts/bench/research.py [--data DIR --sets hotpot,musique] [--half development|closing]
                                     [--sample N] [--skip N] [--systems bm25,supported,…] [--taken bm25,…] [--seed N]
                                     [--model NAME|URL] [--out FILE] [--resume] [--table] [--show-wrong SYSTEM]

``papers`` holds fifteen sets that were made up by who saw no code, of 24 questions but for the last, six of 40 texts:
an invented ``region`` and ``firm``, asked in words near those of the texts, a ``coast``, an ``institute``, a
``monastery`` in its valley, and a rowing ``club``, asked in people's own words, four of 22 texts, ``puppets``, a
``hospital``, a ``ferry`` and a ``school``, mostly of one document, two of 24, a ``railway`` and an ``orchard``, whose
texts say nearly the same of several things, and two of 24 in several languages, a ``brewery`` and an ``observatory``:
half of their questions are open, and have the ``points`` of a complete answer, by which somebody reads what comes;
and a ``zoo``, 24 texts and 32 questions of one or two texts in five languages, in words far from those of the texts.
``DIR`` holds others, a folder for each set with ``questions.jsonl`` (id, question, answer, aliases, supporting_docs)
and ``docs.jsonl`` (name, text). Half of the questions, drawn by the seed, are for development, the others for one
closing measurement. The systems take turns on each question, so that a noisy machine meets all alike. ``supported``,
one call over the supporting documents, is the ceiling. The systems of ``--taken`` are asked once more without the
supporting documents in the collection; then the right answer is a refusal.
``--out`` holds a line for each answer, written at once; ``--resume`` goes on with such a file, ``--table`` only prints
what it holds, as `research_figures.table` and `research_figures.citations` say.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from machine import machine, said
from research_asking import Answer, Asker, Counted
from research_baselines import one_call, supported
from research_data import Question, Shelf, load, shelf, texts, unpack
from research_engine import engine
from research_figures import Row, citations, judged, table, wrong

from aeon.errors import AeonError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select

PAPERS = Path(__file__).with_name("papers")
System: TypeAlias = Callable[[str, Shelf, Asker], Awaitable[Answer]]

SYSTEMS: dict[str, System] = {
    "bm25": one_call, "supported": supported, "aeon": engine,
}  # fmt: skip


class Record:
    """The lines of the output file that belong to these questions and this model.

    ``documents`` are the texts of each set by their names. What a line is worth is found out again when it is read, so
    that a file has the figures of today whenever it was written.
    """

    def __init__(
        self, path: Path, model: str, questions: Sequence[Question], documents: Mapping[str, Mapping[str, str]]
    ) -> None:
        self._path, self._model, self._documents = path, model, documents
        self._questions = {one.id: one for one in questions}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        rows = [row for row in map(json.loads, lines) if row["model"] == model and row["id"] in self._questions]
        self.rows: list[Row] = [{**row, **self._judged(row, self._questions[row["id"]])} for row in rows]

    def has(self, question: Question, system: str, variant: str) -> bool:
        """Whether the system has answered the question."""
        key = (question.id, system, variant)
        return any((row["id"], row["system"], row["variant"]) == key for row in self.rows)

    def add(self, question: Question, system: str, variant: str, answer: Answer, counted: Counted) -> Row:
        """Write a line at once."""
        spent = counted.usage
        row: Row = {
            "model": self._model, "set": question.collection, "half": question.half, "id": question.id,
            "system": system, "variant": variant, "question": question.text, "expected": list(question.answers),
            "answer": answer.text, "cited": [[one.source, one.start, one.end, one.text] for one in answer.cited],
            "read": list(dict.fromkeys(one.source for one in answer.read)), "notes": list(answer.notes),
            "scores": answer.scores, "marks": list(answer.marks), "listed": list(answer.listed),
            "calls": spent.calls, "prompt": spent.prompt_tokens, "cached": spent.cached_tokens,
            "generated": spent.generated_tokens, "seconds": round(counted.seconds, 2), "replies": counted.replies,
        }  # fmt: skip
        row.update(self._judged(row, question))
        self.rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return row

    def _judged(self, row: Row, question: Question) -> Row:
        return judged(row, question, self._documents[question.collection])


class Bench:
    """The systems on the questions of one set, whose documents lie in a folder of their own."""

    def __init__(self, llm: LLMAdapter, folder: Path, record: Record) -> None:
        self._llm, self._folder, self._record = llm, folder, record

    async def measure(self, question: Question, variants: Mapping[str, Sequence[str]]) -> None:
        """One question with every system, as far as it is not on record."""
        for variant, systems in variants.items():
            missing = [one for one in systems if one and not self._record.has(question, one, variant)]
            if not missing:
                continue
            documents = shelf(self._folder, self._folder.parent / f"{question.collection}.sqlite", question,
                              taken_away=variant == "taken")  # fmt: skip
            for system in missing:
                self._say(await self._asked(question, system, variant, documents))
            documents.close()

    async def _asked(self, question: Question, system: str, variant: str, documents: Shelf) -> Row:
        counted = Counted(self._llm)
        try:
            answer = await SYSTEMS[system](question.text, documents, Asker(counted))
        except AeonError as error:
            answer = Answer("", notes=(f"{type(error).__name__}: {error}",))
        return self._record.add(question, system, variant, answer, counted)

    @staticmethod
    def _say(row: Row) -> None:
        head = f"{row['set']:8} {row['system']:12} {row['variant']:6} F1 {row['f1']:.2f} {row['seconds']:6.1f} s"
        print(f"{head}  {row['question'][:60]!r} -> {row['answer'][:60]!r}", flush=True)


def questions(options: argparse.Namespace) -> list[Question]:
    """The questions that the options name, the sets in turn."""
    chosen: list[list[Question]] = []
    for name in options.sets.split(","):
        own = [one for one in load(options.data, name, options.seed) if options.half in ("", one.half)]
        chosen.append(own[options.skip :][: options.sample or None])
    most = max(map(len, chosen), default=0)
    return [own[i] for i in range(most) for own in chosen if i < len(own)]


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=PAPERS)
    parser.add_argument("--sets", default="region,firm")
    parser.add_argument("--half", choices=("development", "closing"), default="")
    parser.add_argument("--sample", type=int, default=0, help="at most so many questions of a set")
    parser.add_argument("--skip", type=int, default=0, help="so many questions of a set, asked before, are left out")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--taken", default=",".join(name for name in SYSTEMS if name != "supported"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("research.jsonl"))
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--show-wrong", default="", metavar="SYSTEM")
    options = parser.parse_args()
    named = f"{options.systems},{options.taken}".split(",")
    unknown = [name for name in named if name and name not in SYSTEMS]
    if unknown:
        parser.error(f"no system is called {', '.join(unknown)}: use {', '.join(SYSTEMS)}")
    if options.out.exists() and not (options.resume or options.table):
        parser.error(f"{options.out} exists: go on with it by --resume, print it by --table, or name another")
    return options


async def run(options: argparse.Namespace, llm: LLMAdapter, record: Record, asked: Sequence[Question]) -> None:
    """Measure all questions."""
    variants = {"whole": options.systems.split(","), "taken": options.taken.split(",")}
    with tempfile.TemporaryDirectory(prefix="research-") as base:
        for name in options.sets.split(","):
            unpack(options.data, name, Path(base, name))
        try:
            for question in asked:
                bench = Bench(llm, Path(base, question.collection), record)
                await bench.measure(question, variants)
        finally:
            await llm.aclose()


def main() -> None:
    """Measure and print."""
    options = arguments()
    llm = select(options.model)
    asked = questions(options)
    documents = {name: texts(options.data, name) for name in options.sets.split(",")}
    record = Record(options.out, llm.name, asked, documents)
    if not options.table:
        print(said(machine()))
        asyncio.run(run(options, llm, record, asked))
    table(record.rows, options.sets.split(","), options.systems.split(","))
    citations(record.rows, options.sets.split(","), options.systems.split(","))
    if options.show_wrong:
        wrong(record.rows, options.show_wrong)


if __name__ == "__main__":
    main()
