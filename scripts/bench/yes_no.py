"""Questions of yes or no over short texts: which sentence a run answers with, beside the same model shown all texts.

    python scripts/bench/yes_no.py [--half development|closing] [--model NAME|URL] [--system aeon|pasted|both]

``yes_no.jsonl`` has eight texts of our own, four in each half, and 86 questions: some are to be answered by yes, some
by no, mostly in other words than the text's, and some the texts do not answer. A run is right with the sentence that
decides the question, and where none does, if it says that the files do not say it; whether it says yes or no, and
that is so, is counted apart. The model that is shown all texts
of its half, and nothing else, is right with yes, no or "not stated". Figures with Wilson's 95 % intervals.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from figures import wilson

from aeon import Task, build
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

_SAID = re.compile(r"(?:Perhaps )?(yes|no)\b", re.IGNORECASE)
_SET = Path(__file__).with_name("yes_no.jsonl")


class Question(NamedTuple):
    """A question; ``says`` stands in the sentence that decides it, and is empty where none does."""

    text: str
    answer: str
    says: str


class Given(NamedTuple):
    """What a system gave: the answer, whether it said that nothing is stated, whether it stood behind it."""

    answer: str
    refused: bool
    sure: bool
    calls: int
    seconds: float


def read(half: str) -> tuple[dict[str, str], list[Question]]:
    """The texts of a half by the names of their files, and its questions."""
    rows = [json.loads(line) for line in _SET.read_text(encoding="utf-8").splitlines()]
    own = [row for row in rows if row["half"] == half]
    texts = {row["file"]: row["text"] for row in own if "file" in row}
    return texts, [Question(row["question"], row["answer"], row["says"]) for row in own if "question" in row]


def runs(texts: dict[str, str], questions: Sequence[Question], model: str | None) -> Iterator[Given]:
    """What runs over a folder of the texts answer."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        orchestrator = build(model, files=folder)
        for one in questions:
            began = time.monotonic()
            result = orchestrator.execute(Task(text=one.text))
            yield Given(
                result.answer, result.stop_reason == "not_stated", result.sufficient, result.usage.calls,
                time.monotonic() - began,
            )  # fmt: skip


def pasted(texts: dict[str, str], questions: Sequence[Question], model: str | None) -> Iterator[Given]:
    """What the model says that is shown all texts."""
    shown = "\n\n".join(f"({name})\n{text}" for name, text in texts.items())

    async def asked(llm: Supervisor, question: str) -> str:
        prompt = Prompt("", f"{shown}\n\nQuestion: {question}\nAnswer with yes, no or: not stated")
        with Ledger(Allowance(calls=2)):
            return (await llm.text(prompt, max_tokens=8, repairs=0)).value

    with asyncio.Runner() as runner:
        llm = select(model)
        for one in questions:
            began = time.monotonic()
            said = runner.run(asked(Supervisor(llm), one.text)).strip().casefold()
            yield Given(said, "not stated" in said, True, 1, time.monotonic() - began)
        runner.run(llm.aclose())


def right_sentence(one: Question, given: Given) -> bool:
    """Whether a run answers with the sentence that decides the question."""
    return not given.refused and bool(one.says) and one.says in given.answer


def right_word(one: Question, given: Given) -> bool:
    """Whether a model says yes where that is right, and no where that is."""
    return not given.refused and given.answer.startswith(one.answer)


def report(
    name: str, questions: Sequence[Question], all_given: Sequence[Given], right: Callable[[Question, Given], bool]
) -> None:
    """Print how many of the stated ones were right, refused and wrong, of the others refused, and what it took."""
    pairs = list(zip(questions, all_given, strict=True))
    stated, absent = ([pair for pair in pairs if bool(pair[0].says) is so] for so in (True, False))
    sure = [pair for pair in pairs if pair[1].sure]
    good = _count(stated, right)
    low, high = wilson(good, len(stated))
    print(
        f"{name:8}stated {good}/{len(stated)} right [{low:.2f}, {high:.2f}], {_count(stated, _refused)} refused; "
        f"absent {_count(absent, _refused)}/{len(absent)} refused; "
        f"sure {len(sure)}, of these {_count(sure, right)} right; {_concluded(pairs)}; "
        f"{statistics.mean(given.calls for given in all_given):.1f} calls, "
        f"{statistics.median(given.seconds for given in all_given):.1f} s"
    )


def _count(pairs: Sequence[tuple[Question, Given]], right: Callable[[Question, Given], bool]) -> int:
    return sum(right(one, given) for one, given in pairs)


def _concluded(pairs: Sequence[tuple[Question, Given]]) -> str:
    """How many answers begin with yes or no, and of how many that is right."""
    said = [(one, found[1].casefold()) for one, given in pairs if (found := _SAID.match(given.answer))]
    return f"yes or no said in {len(said)}, of these {sum(one.answer == word for one, word in said)} right"


def _refused(_: Question, given: Given) -> bool:
    return given.refused


def main() -> None:
    """Read the command line, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("development", "closing"), default="development")
    parser.add_argument("--model")
    parser.add_argument("--system", choices=("aeon", "pasted", "both"), default="both")
    options = parser.parse_args()
    texts, questions = read(options.half)
    if options.system != "pasted":
        report("Aeon", questions, list(runs(texts, questions, options.model)), right_sentence)
    if options.system != "aeon":
        report("pasted", questions, list(pasted(texts, questions, options.model)), right_word)


if __name__ == "__main__":
    main()
