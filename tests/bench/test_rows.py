"""The file of answers, the replies beside it, and the figures that rows come to."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from bench.knowing import knowing

from aeon.bench.problems import problems
from aeon.bench.remembering import Remembering, Replies
from aeon.bench.rows import Consistency, Opening, Record, Row
from aeon.bench.summary import ALL, Difference, summary
from aeon.bench.systems import THOUGHT, task_of
from aeon.bench.tables import answered, lines
from aeon.bench.voting import Voter
from aeon.errors import InputFileError
from aeon.llm.scripted import Scripted
from aeon.schema import LLMRequest, LLMResponse, Message, Usage

OPENING = Opening(model="m", seed=1, scenarios="t")


def row(number: int = 1, system: str = "S1", **fields: object) -> Row:
    """A row with an answer."""
    return Row.model_validate(
        {"family": "sums", "number": number, "system": system, "question": "?", "answer": "3", "right": True} | fields
    )


@pytest.mark.requirement("E8f")
def test_a_file_has_its_rows_again_without_a_torn_one(tmp_path: Path) -> None:
    """A line that was being written when the process was killed is cut off, and more can follow."""
    path = tmp_path / "rows.jsonl"
    record = Record(OPENING, path)
    record.add(row(1))
    with path.open("a") as file:
        file.write('{"family":"su')
    again = Record(OPENING, path, resume=True)
    assert again.row("sums", 1, "S1") == row(1) and again.row("sums", 2, "S1") is None
    again.add(row(2))
    assert Record(OPENING, path, resume=True).row("sums", 2, "S1") == row(2)


@pytest.mark.requirement("E8f")
def test_a_later_row_takes_the_place_of_one_that_failed(tmp_path: Path) -> None:
    """Both stay in the file."""
    record = Record(OPENING, tmp_path / "rows.jsonl")
    record.add(row(error="the peer is down"))
    record.add(row())
    again = Record(OPENING, tmp_path / "rows.jsonl", resume=True).row("sums", 1, "S1")
    assert again is not None and not again.error


@pytest.mark.requirement("E8f", "E8h")
@pytest.mark.parametrize(
    ("other", "words"),
    [
        (OPENING.changed(model="n"), "model m, not n"),
        (OPENING.changed(peer="p"), "peer none, not p"),
        (OPENING.changed(seed=2), "seed 1, not 2"),
        (OPENING.changed(scenarios="u"), "scenarios t, not u"),
        (OPENING.changed(bench="engines/2"), "bench engines/1, not engines/2"),
    ],
)
def test_a_file_of_another_run_is_refused(tmp_path: Path, other: Opening, words: str) -> None:
    """In one line that says what differs; nothing is written to it."""
    path = tmp_path / "rows.jsonl"
    Record(OPENING, path).add(row())
    before = path.read_bytes()
    with pytest.raises(InputFileError, match=words):
        Record(other, path, resume=True)
    with pytest.raises(InputFileError, match="exists already"):
        Record(OPENING, path)
    assert path.read_bytes() == before


@pytest.mark.requirement("E8h")
@pytest.mark.parametrize(
    "text", ["[1]\n", "{}\n", "a report\n", f'{OPENING.model_dump_json()}\n{{"family":1}}\n', "\xff"]
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    """It names the file and, of a file that begins well, the line."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(text.encode("latin-1") + (b"\n" if text == "\xff" else b""))
    with pytest.raises(InputFileError, match=r"rows\.jsonl"):
        Record(OPENING, path, resume=True)


@pytest.mark.requirement("E8f")
def test_replies_are_there_for_a_later_process(tmp_path: Path) -> None:
    """The same requests are not asked again, and each counts as a call all the same; a torn line is cut off."""
    path, asked = tmp_path / "rows.jsonl.replies", problems(["sums"], 1, 1)
    voter = Voter(Remembering(knowing(asked), Replies(path)))
    first = asyncio.run(voter.vote(task_of(asked[0].question), 3))
    with path.open("a") as file:
        file.write('{"key":')
    later = Replies(path)
    again = Voter(Remembering(Scripted([], name="knowing"), later))
    assert asyncio.run(again.vote(task_of(asked[0].question), 3)) == first
    assert first.usage.calls == 3 and later.saved >= 0
    path.write_text("[]\n")
    with pytest.raises(InputFileError, match="line 1"):
        Replies(path)


@pytest.mark.requirement("E8f")
def test_a_reply_that_its_limit_cut_off_is_none_to_another_limit() -> None:
    """One that ended by itself is; and models do not answer for each other."""
    usage = Usage(calls=1, prompt_tokens=3, generated_tokens=8)
    long, short = LLMResponse(text="a b", finish_reason="length", usage=usage), LLMResponse(text="c", usage=usage)
    replies = Replies()
    llm = Remembering(Scripted([long, short]), replies)
    request = LLMRequest(messages=(Message(role="user", content="?"),), max_tokens=8)
    assert asyncio.run(llm.complete(request)) == long == asyncio.run(llm.complete(request))
    for limit in (40, 9):
        assert asyncio.run(llm.complete(request.changed(max_tokens=limit))) == short
    other = Remembering(Scripted(["d"], name="other"), replies)
    assert asyncio.run(other.complete(request)).text == "d"


def consistency(right: bool, samples: int = 2, short: bool = False) -> Consistency:
    """A vote."""
    return Consistency(answer="3", right=right, samples=samples, prompt=1, generated=1, short=short)


ROWS = (
    row(1, THOUGHT, coverage=1.0, calls=1, prompt=150, generated=50),
    row(2, THOUGHT, right=False, coverage=0.0, calls=1, prompt=250, generated=50),
    row(1, "S3", coverage=1.0, calls=4, prompt=700, generated=100, seconds=4.0, nodes=3, split=1, reviewed=4,
        approved=1, consistency=consistency(True, 4)),
    row(2, "S3", coverage=0.5, calls=2, prompt=1_000, generated=200, seconds=2.0, nodes=1,
        consistency=consistency(False, 20, True)),
    row(3, "S3", error="the peer is down", seconds=9.0),
)  # fmt: skip


@pytest.mark.requirement("E8c")
def test_figures_by_hand() -> None:
    """Each metric of the scenario with a tree and a peer; what chain of thought has not is absent."""
    thought, own = summary(ROWS, ["sums"], [THOUGHT, "S3"])
    assert (own.answers, own.errors, own.right, own.judged) == (2, 1, 2, 2)
    assert own.coverage == pytest.approx(0.75) and own.efficiency == pytest.approx(1_500 / 2_000)
    assert own.decomposition == pytest.approx(1 / 4) and own.agreement == pytest.approx(1 / 4)
    assert (own.seconds, own.calls, own.prompt, own.generated) == (3.0, 3.0, 850.0, 150.0)
    assert (own.consistency_right, own.samples, own.short) == (1, 12.0, 1)
    assert own.to_thought is not None and own.to_thought.mean == 0.5 == (own.to_consistency or own.to_thought).mean
    assert thought.decomposition is thought.agreement is thought.to_consistency is thought.to_thought is None
    assert 0 < own.low < 1 == own.high


@pytest.mark.requirement("E8c")
def test_all_families_stand_together_where_there_are_several() -> None:
    """Answers that nobody can judge count for the keywords alone."""
    words = row(1, "S3", right=None, coverage=0.0, prompt=100, generated=0).changed(family="keywords")
    one, other, every = summary([*ROWS, words], ["sums", "keywords"], ["S3"])
    assert (one.family, other.family, every.family) == ("sums", "keywords", ALL)
    assert (other.judged, other.to_consistency, every.judged, every.answers) == (0, None, 2, 3)
    assert every.coverage == pytest.approx(0.5)


@pytest.mark.requirement("E8d")
def test_what_is_shown_is_said_in_a_sentence() -> None:
    """Better, worse, or not shown: where the interval holds 0, or there are too few pairs."""
    many = [row(n, "S1", right=n < 9, consistency=consistency(n < 4)) for n in range(12)]
    worse = [row(n, "S2", right=n < 4, consistency=consistency(n < 9, short=n == 0)) for n in range(12)]
    same = [row(n, "S3", right=n < 4, consistency=consistency(n < 4)) for n in range(12)]
    few = [row(n, "S4", consistency=consistency(False)) for n in range(4)]
    told = "\n".join(lines(summary([*many, *worse, *same, *few], ["sums"], ["S1", "S2", "S3", "S4"])))
    assert "sums: S1 beats self-consistency at equal tokens (on 12 questions)" in told
    assert "S2 is worse than self-consistency at equal tokens (on 12 questions; on 1 questions the most" in told
    assert "S3 is not shown to beat" in told and "S4 is not shown to beat" in told
    assert Difference(pairs=9, mean=0.1, low=0.0, high=0.3).shown == "not shown"


@pytest.mark.requirement("E8c", "E8g")
def test_a_row_is_a_line() -> None:
    """With its cost, and its answer or what went wrong."""
    assert answered(ROWS[2]).split() == ["sums-01", "S3", "4", "calls", "800", "tokens", "4.0", "s", "right", "3"]
    assert answered(ROWS[4]).endswith("error: the peer is down")
    table = [*lines(summary(ROWS, ["sums"], [THOUGHT, "S3"]))]
    assert "2 of 2 (1 failed)" in table[2] and "25%" in table[2] and table[1].split()[-6:-4] == ["-", "-"]
