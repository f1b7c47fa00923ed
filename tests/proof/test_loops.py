"""Proofs of answers that a model gave in a loop over tools: built, verified, and broken in one place."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from aeon.documents.sentences import sentences
from aeon.errors import UsageError
from aeon.grounding.prose import checked_sentences
from aeon.grounding.results import PlanEvidence, spans_of
from aeon.language.readings import read as read_as
from aeon.proof.canonical import at_path, output_of
from aeon.proof.document import Derivation, Proof, ProofSource, ProofStep, proof_bytes
from aeon.proof.standalone import verifier
from aeon.proof.verify import Report, verify
from aeon.schema import Calculation, Task
from tests.grounding.loops import ORDERS, RETURNS, looped, read

from .proofs import changed

pytestmark = pytest.mark.requirement("G2", "G6")
TASK = Task(text="How much do the 3 orders weigh?")
ANSWER = (
    "O0016 wiegt 25,2 kg, alle 3 zusammen 106,2 kg [1], im Mittel 35,4 kg.\n"
    "Davon hat O0016 also 23,7 % (48 − 33 = 15; 11.700 nicht). We charge a fee of 10 percent, at least 5.00. [2.2]\n"
)
JUDGED = (
    Calculation(value="106,2", expression="sum(1.weight_kg)"),
    Calculation(value="35,4", expression="avg(1.weight_kg)"),
    Calculation(value="23,7", expression="25.2 / sum(1.weight_kg)"),
)


def made(answer: str = ANSWER, text: str = RETURNS, judged: Sequence[Calculation] = JUDGED) -> bytes:
    """The proof of an answer over a query and a text."""
    uses = (ORDERS, read("returns.txt", text))
    plan = looped(answer, *uses)
    claims = PlanEvidence(TASK, plan).claims(answer, judged)
    spans = ((one.start, one.end) for one in sentences(answer))
    steps = (*(ProofStep(id=use.id, tool=use.tool, arguments=use.arguments, output=use.output) for use in uses),
             ProofStep(id="s1", output=answer))  # fmt: skip
    return proof_bytes(
        Proof(
            task=TASK, answer=answer, claims=claims,
            sentences=checked_sentences(answer, spans, claims, spans_of(plan.steps)),
            sources=(ProofSource(id="returns.txt", text=text, read=((0, len(text)),)),),
            derivations=(Derivation(id="d1", steps=steps),), grounds="calls", names=("returns.txt",),
        )
    )  # fmt: skip


def broken(change: Callable[[Any], object]) -> Report:
    """What the verifier says of the proof after a change, sealed again."""
    return verify(changed(made(), change))


def claim(document: Any, text: str) -> Any:
    """The claim of this text."""
    return next(one for one in document["claims"] if one["text"] == text)


def test_calculations_over_tables_are_done_again(tmp_path: Path) -> None:
    """By the package and by the one file that stands alone; which of them is meant is only recorded."""
    report = verify(made())
    assert (report.code, report.problems) == (0, ())
    assert any("is the one that is meant" in line for line in report.recorded)
    document = json.loads(made())
    assert claim(document, "106,2 kg")["evidence"][0]["path"] == "sum(weight_kg)"
    assert [one["text"] for one in document["claims"] if one["verdict"] == "not_found"] == ["11.700"]
    script, proof = tmp_path / "verify.py", tmp_path / "proof.json"
    script.write_text(verifier(), encoding="utf-8")
    proof.write_bytes(made())
    done = subprocess.run([sys.executable, "-I", "-S", script, proof], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_digit_of_the_answer_counts() -> None:
    """A claim that is changed together with the answer does not follow any more, however it is sealed."""
    document = json.loads(made())
    places = [
        (number, place)
        for number, one in enumerate(document["claims"])
        for place, character in enumerate(one["text"])
        if character.isdigit() and one["kind"] == "number" and one["verdict"] == "supported"
    ]
    assert len(places) > 20
    for number, place in places:

        def forge(proof: Any, number: int = number, place: int = place) -> None:
            at = proof["claims"][number]["start"] + place
            digit = str((int(proof["answer"][at]) + 1) % 10)
            proof["answer"] = proof["answer"][:at] + digit + proof["answer"][at + 1 :]
            for one in proof["claims"]:
                if one["start"] <= at < one["end"]:
                    one["text"] = proof["answer"][one["start"] : one["end"]]
                    mine = read_as(one["text"], one["form"])
                    one["value"], one["unit"] = mine.value, mine.unit

        assert broken(forge).code == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda proof: claim(proof, "106,2 kg")["evidence"][0].update(path="max(weight_kg)"),
        lambda proof: claim(proof, "106,2 kg")["evidence"][0].update(path="rows()"),
        lambda proof: claim(proof, "106,2 kg")["evidence"][0].update(path="sum(order_id)"),
        lambda proof: claim(proof, "106,2 kg")["evidence"][0].update(exact="106.3", value="106.3"),
        lambda proof: claim(proof, "23,7 %")["computation"].update(expression="b / a * 100"),
        lambda proof: claim(proof, "23,7 %")["computation"].update(expression="(a / b) * 1000"),
        lambda proof: claim(proof, "23,7 %")["computation"].update(expression="(a / b) * 99"),
        lambda proof: claim(proof, "23,7 %")["computation"].update(step="somebody"),
        lambda proof: claim(proof, "23,7 %")["computation"].update(result="23.7"),
        lambda proof: claim(proof, "23,7 %")["evidence"].pop(),
        lambda proof: claim(proof, "25,2 kg")["evidence"][0].update(
            start=0, end=1, exact="2", prefix="", suffix="5.2", value="2"
        ),
        lambda proof: proof["derivations"][0]["steps"][0].update(
            output=proof["derivations"][0]["steps"][0]["output"].replace("33.0", "34.0")
        ),
    ],
)
def test_what_was_changed_is_found(change: Callable[[Any], object]) -> None:
    """Another function, column, operand, constant or output than the claim rests on."""
    assert broken(change).code == 1


LOG = "The storm began at 21:40 on 14 March 1917. At 23:10 the mast broke; they went on on 1 May 1917. 412 kg, 87 kg.\n"
LASTED = "The storm lasted 90 minutes, that is 1.5 hours; they went on after 48 days, with 325 kg."
OF_LOG = (
    Calculation(value="90", expression="23:10 - 21:40"), Calculation(value="1.5", expression="23:10 - 21:40"),
    Calculation(value="48", expression="1917-05-01 - 1917-03-14"), Calculation(value="325", expression="412 - 87"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda proof: None, ""),
        (lambda proof: claim(proof, "90 minutes")["evidence"].reverse(), "gives something else"),
        (lambda proof: claim(proof, "48 days")["evidence"][0].update(value="1917-05-02"), "is not '1917-05-02'"),
        (lambda proof: claim(proof, "1.5 hours")["computation"].update(factor="1"), "gives something else"),
        (lambda proof: claim(proof, "1.5 hours")["computation"].update(factor="1/30", result="3"), "do not convert so"),
        (lambda proof: rename(proof, "90 minutes", "90 seconds"), "does not make it supported"),
        (lambda proof: rename(proof, "48 days", "48 hours"), "does not make it supported"),
        (lambda proof: rename(proof, "325 kg", "325 g"), "does not make it supported"),
    ],
)
def test_what_lies_between_times_and_dates_is_done_again(change: Callable[[Any], object], problem: str) -> None:
    """In minutes, in days, or in a unit that these convert to; never in another one as if it were these."""
    report = verify(changed(made(LASTED, LOG, OF_LOG), change))
    assert report.code == bool(problem) and problem in " ".join(report.problems), report.problems


def rename(proof: Any, text: str, other: str) -> None:
    """Say another value in the place of one, as if it were what is meant."""
    one = claim(proof, text)
    proof["answer"] = proof["answer"].replace(text, other)
    one.update(text=other, end=one["start"] + len(other), unit=read_as(other, one["form"]).unit)
    for later in proof["claims"]:
        if later["start"] > one["start"]:
            later.update(start=later["start"] - len(text) + len(other), end=later["end"] - len(text) + len(other))
        if later["kind"] == "sentence":
            said = later["text"].replace(text, other)
            later.update(text=said, end=later["start"] + len(said), value=read_as(said, later["form"]).value)


def test_a_part_of_a_longer_number_supports_nothing() -> None:
    """The 5 of 5.00 is no 5, the 1 of 14 no 1; a part of a date is a number by itself."""

    def forge(proof: Any) -> None:
        one = claim(proof, "15")
        place = RETURNS.index("14 days") + 1
        around = {"prefix": RETURNS[max(0, place - 32) : place], "suffix": RETURNS[place + 1 : place + 33]}
        proof["answer"] = proof["answer"].replace("= 15;", "= 4 ;")
        one |= {"text": "4", "value": "4", "end": one["start"] + 1, "support": "source", "computation": None}
        span = {"type": "source", "id": "returns.txt", "path": "", "start": place, "end": place + 1, "exact": "4"}
        one["evidence"] = [span | around | {"form": "point", "value": "4", "unit": ""}]

    assert any("part of a longer number" in problem for problem in broken(forge).problems)


@pytest.mark.parametrize(
    ("call", "text"),
    [("rows()", "3"), ("sum(a b)", "4.5"), ("avg(a b)", "2.25"), ("min(a b)", "1.5"), ("max(count(*))", "9"),
     ("avg(count(*))", "20/3")],
)  # fmt: skip
def test_what_a_table_comes_to(call: str, text: str) -> None:
    """Exactly; a cell that is null does not count; rows may be lists or objects."""
    lists = {"columns": ["a b", "count(*)"], "rows": [[1.5, 9], [None, 4], ["3", 7]], "total": 3}
    objects = lists | {"rows": [dict(zip(lists["columns"], row, strict=True)) for row in lists["rows"]]}  # type: ignore[call-overload, arg-type]
    for output in (lists, objects):
        assert at_path(output_of(json.dumps(output)), call) == text


@pytest.mark.parametrize(
    ("call", "output"),
    [
        ("rows()", [1, 2]), ("rows()", {"rows": [[1]]}), ("sum(a)", {"columns": ["b"], "rows": [[1]]}),
        ("sum(a)", {"columns": ["a", "a"], "rows": [[1, 2]]}), ("sum(a)", {"columns": ["a"], "rows": [[True]]}),
        ("sum(a)", {"columns": ["a"], "rows": [["x"]]}), ("sum(a)", {"columns": ["a"], "rows": [[]]}),
        ("sum(a)", {"columns": ["a"], "rows": [[1]], "total": 2}),
        ("rows()", {"columns": [], "rows": [[1]], "total": 0}),
        ("avg(a)", {"columns": ["a"], "rows": []}), ("exec(a)", {"columns": ["a"], "rows": [[1]]}),
        ("rows", {"columns": ["a"], "rows": [[1]]}),
    ],
)  # fmt: skip
def test_what_no_table_comes_to(call: str, output: object) -> None:
    """No table, no such column or function, cells that are no numbers, rows that are missing."""
    with pytest.raises(ValueError):
        at_path(output_of(json.dumps(output)), call)


def test_a_claim_on_a_table_that_is_not_there_makes_no_proof() -> None:
    """The file is not written."""
    plan = looped(ANSWER, ORDERS)
    claims = PlanEvidence(TASK, plan).claims(ANSWER, JUDGED)
    with pytest.raises(UsageError, match="not in the proof"):
        proof_bytes(Proof(task=TASK, answer=ANSWER, claims=claims))
