"""The benchmark of the contractive engine on a scripted model."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from aeon.engines.contractive.config import ContractiveConfig
from aeon.llm.scripted import Scripted
from aeon.schema import LLMRequest
from tests.wordings import results_of

BENCH = Path(__file__).parents[3] / "scripts" / "bench"
sys.path.insert(0, str(BENCH))
try:
    import contractive
finally:
    sys.path.remove(str(BENCH))

pytestmark = pytest.mark.requirement("E3k")


def test_tasks_are_the_same_for_the_same_seed() -> None:
    """And each has one right answer."""
    assert contractive.tasks(7, 5) == contractive.tasks(7, 5) != contractive.tasks(8, 5)
    for family, _, item in contractive.tasks(3, 8):
        if family == "order":
            told = re.findall(r"(\w+) is older than (\w+)\.", item.question)
            oldest = next(a for a, _ in told if a not in {b for _, b in told})
            assert len(told) == 4
            if "the oldest?" in item.question:
                assert item.expected[0].text == oldest


def test_all_methods_are_measured_on_one_task(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The vote takes as many tokens as the tree; the same request is asked once, and counted each time."""
    answers = iter(["Ann", "Ben", "Ann", "Cleo", "Ann", "Ben"] * 40)

    def reply(request: LLMRequest) -> str:
        if results := results_of(request.messages[-1].content):
            return f"It is {results}."
        return '{"questions": []}' if request.json_schema else f"So it is.\nAnswer: {next(answers)}"

    (_, _, item) = contractive.tasks(7, 1)[1]
    model = Scripted(reply)
    remembering = contractive.Remembering(model, contractive.Replies(tmp_path / "replies"))
    row = asyncio.run(contractive.measured(remembering, "order", 0, item, ContractiveConfig()))
    again = contractive.Remembering(Scripted([]), contractive.Replies(tmp_path / "replies"))
    once_more = asyncio.run(contractive.measured(again, "order", 0, item, ContractiveConfig()))
    assert {**once_more, "seconds": 0} == {**row, "seconds": 0}
    methods, tree = row["methods"], row["methods"]["tree"]
    assert set(methods) == set(contractive.METHODS) and set(row["signals"]) == {"4", "8"}
    vote, most = methods["vote, same tokens"], row["samples"] == contractive.MOST
    assert vote["prompt"] + vote["generated"] >= tree["prompt"] + tree["generated"] or most
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    contractive.report(contractive.rows(tmp_path / "rows.jsonl"))
    printed = capsys.readouterr().out
    assert "AUROC" in printed and "vote, same tokens" in printed and "1 tasks" in printed


def test_overlap_of_words_calls_paraphrases_different() -> None:
    """That is what the uncertainty is held against."""
    assert contractive.overlap("it grows", "it grows") == 1 and contractive.overlap("a b", "c d") == 0
    assert contractive.overlap("it opens", "it does not open") < contractive.overlap("it is hot", "it is not hot")


def test_pairs_are_told_apart_by_the_model_alone() -> None:
    """One that always says yes has those right that mean the same; the host decides none of them."""
    assert asyncio.run(contractive.told_apart(Scripted(lambda request: '{"answer": "yes"}'))) == (8, 0)
    assert asyncio.run(contractive.told_apart(Scripted(lambda request: '{"answer": "no"}'))) == (0, 8)
