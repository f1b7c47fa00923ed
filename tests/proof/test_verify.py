"""What is verified in a proof file, and everything that is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeon.errors import UsageError
from aeon.proof.canonical import MOST_BYTES, canonical, sha256
from aeon.proof.document import JournalRoot, Proof, ProofSource, journal_root, proof_bytes
from aeon.proof.standalone import verifier
from aeon.proof.verify import Report, verify, verify_file
from aeon.schema import Claim, FromSource, Reading, Task

from .proofs import TEXT, changed, made, medium, resealed, sealed, small, value

pytestmark = pytest.mark.requirement("G6", "G6a")

ANSWER = (
    "The hall costs 1,040 euros a month, 2,080 euros in all; 693.7 each. Anna Weber knows, 350 + 1 = 351. It is 99."
)


def broken(change: Callable[[Any], object]) -> Report:
    return verify(changed(made(ANSWER), change))


def test_a_proof_is_verified_and_says_what_is_only_recorded() -> None:
    """Hashes, steps done again, values; the output of a query is recorded."""
    report = verify(made(ANSWER))
    assert (report.code, report.problems) == (0, ())
    assert sum("done again" in line for line in report.verified) == 3
    assert any("s4 (sql)" in line for line in report.recorded)
    assert "not_found" in report.text


def test_the_file_is_canonical() -> None:
    """Keys by their UTF-16 code units, the shortest escapes, no spaces, no floats; the same for the same proof."""
    assert (
        canonical({"\U0001f600": 1, "\ufb33": 2, "a": '\x07\n"é\u2028'})
        == '{"a":"\\u0007\\n\\"é\u2028","\U0001f600":1,"\ufb33":2}'
    )
    assert made(ANSWER) == made(ANSWER)
    assert canonical(json.loads(made(ANSWER))).encode() == made(ANSWER)


@pytest.mark.parametrize("data", [small(), small("Nothing is known."), medium()])
def test_every_single_byte_change_is_refused(data: bytes) -> None:
    """Each byte in the place of each other one: all that there are."""
    assert verify(data).code == 0
    changes = ((place, byte) for place in range(len(data)) for byte in range(256) if byte != data[place])
    others = ((at, byte) for at, byte in changes if verify(data[:at] + bytes([byte]) + data[at + 1 :]).code == 0)
    assert list(others) == []


@pytest.mark.parametrize("place", [0, 1, 100, -2, -1])
def test_a_byte_more_or_less_is_refused(place: int) -> None:
    """Cut short, lengthened, or with one byte left out."""
    data = made(ANSWER)
    for other in (data[:place], data[:place] + data[place:][1:], data[:place] + b" " + data[place:], data + b"\n"):
        assert verify(other).code in (1, 2)


CHANGES: dict[str, Callable[[Any], object]] = {
    "an offset moved": lambda d: value(d, 0).update(start=value(d, 0)["start"] + 1),
    "a span beyond the answer": lambda d: value(d, -1).update(end=10**6),
    "an empty span": lambda d: value(d, 0).update(end=value(d, 0)["start"]),
    "a negative offset": lambda d: value(d, 0).update(start=-5),
    "overlapping spans": lambda d: d["claims"].insert(1, value(d, 0) | {"id": "c99"}),
    "an id twice": lambda d: value(d, 1).update(id="c1"),
    "an empty id": lambda d: d["sources"][0].update(id=""),
    "the answer": lambda d: d.update(answer=d["answer"].replace("1,040", "1,041")),
    "the answer and the claim": lambda d: (
        d.update(answer=d["answer"].replace("1,040", "1,041")), value(d, 0).update(text="1,041 euros"),
    ),
    "the claim's value too": lambda d: (
        d.update(answer=d["answer"].replace("1,040", "1,041")),
        value(d, 0).update(text="1,041 euros", value="1041"),
    ),
    "a source's text": lambda d: d["sources"][0].update(text=TEXT.replace("1,040", "1,041")),
    "a source's text and hash": lambda d: d["sources"][0].update(
        text=TEXT.replace("1,040", "1,041"), text_sha256=sha256(TEXT.replace("1,040", "1,041"))
    ),
    "a source dropped": lambda d: d["sources"].clear(),
    "an unknown source": lambda d: value(d, 3)["evidence"][0].update(id="2"),
    "an unknown kind of evidence": lambda d: value(d, 0)["evidence"][0].update(type="web"),
    "an evidence's offset": lambda d: value(d, 3)["evidence"][0].update(start=1),
    "an evidence's offsets beyond the text": lambda d: value(d, 3)["evidence"][0].update(start=900, end=905),
    "a prefix": lambda d: value(d, 3)["evidence"][0].update(prefix="x"),
    "a suffix": lambda d: value(d, 3)["evidence"][0].update(suffix="x"),
    "a quote": lambda d: value(d, 3)["evidence"][0].update(exact="Anna Weber "),
    "evidence of another value": lambda d: value(d, 0).update(evidence=value(d, 3)["evidence"], support="source"),
    "evidence left out": lambda d: value(d, 0).update(evidence=[], support="none"),
    "a supported value without evidence": lambda d: value(d, -1).update(verdict="supported"),
    "a supported value hidden": lambda d: value(d, 0).update(verdict="not_found"),
    "an unknown verdict": lambda d: value(d, 0).update(verdict="proven"),
    "another support": lambda d: value(d, 0).update(support="task"),
    "a computation's result": lambda d: value(d, 2)["computation"].update(result="693.7"),
    "a computation's expression": lambda d: value(d, 2)["computation"].update(expression="a * 2"),
    "a computation's factor": lambda d: value(d, 2)["computation"].update(factor="2", result="1387.3333333333332"),
    "a computation's places": lambda d: value(d, 2)["computation"].update(places=0),
    "an output": lambda d: d["derivations"][0]["steps"][1].update(output="2081"),
    "an output and its hash": lambda d: d["derivations"][0]["steps"][1].update(output="2081", sha256=sha256("2081")),
    "an output that is no JSON": lambda d: d["derivations"][0]["steps"][3].update(output="[", sha256=sha256("[")),
    "a step dropped": lambda d: d["derivations"][0]["steps"].pop(1),
    "arguments": lambda d: d["derivations"][0]["steps"][1].update(arguments='{"expression":"1040 * 3"}'),
    "a quotation's place": lambda d: d["derivations"][0]["steps"][0].update(
        arguments='{"value":1040,"source":"lease.md","start":0,"end":9999}'
    ),
    "a constant in a computation": lambda d: value(d, 2)["computation"].update(expression="a * 1"),
    "a step of no tool": lambda d: d["derivations"][0]["steps"][1].update(tool=""),
    "no derivation taken": lambda d: d["derivations"][0].update(taken=False),
    "the coverage": lambda d: d["coverage"].update(supported=99),
    "a claim dropped": lambda d: d["claims"].pop(),
    "a field left out": lambda d: d.pop("limits"),
    "a field too many": lambda d: d.update(more=1),
    "a number as text": lambda d: value(d, 0).update(start="15"),
    "a truth value as number": lambda d: value(d, 0).update(start=True),
    "a number too large": lambda d: d["coverage"].update(claims=2**60),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_refused_though_the_digest_fits(name: str) -> None:
    """Everything that the file says is checked, not its digest alone; the report is one line a problem."""
    report = broken(CHANGES[name])
    assert report.code == 1, report
    assert all(problem and "\n" not in problem for problem in report.problems)


def test_a_judged_sentence_is_recorded_not_verified() -> None:
    """Its evidence is looked up; its verdict is a model's. One that nobody judged has none."""
    reading = Reading(value=TEXT[:31].casefold(), form="text")
    evidence = FromSource(source="1", start=0, end=31, reading=reading)
    claim = Claim(
        id="c1", start=0, end=15, text="It costs money.", kind="sentence", support="source", evidence=(evidence,),
        verdict="supported", reading=Reading(value="it costs money.", form="text"),
    )  # fmt: skip
    source = ProofSource(id="1", text=TEXT)
    proof = Proof(task=Task(text="Why?"), answer="It costs money.", claims=(claim,), sources=(source,))
    data = proof_bytes(proof.changed(grounds="sentences"))
    report = verify(data)
    assert report.code == 0
    assert any("verdicts of a model" in line and "c1" in line for line in report.recorded)
    assert not any("1 value" in line for line in report.verified)
    assert verify(changed(data, lambda d: d["claims"][0].update(checks=[]))).code == 1


def test_a_claim_cannot_rest_on_itself() -> None:
    """Nor on one that is not supported."""
    data = made("2 + 2,080 = 2,082 it is")
    assert verify(data).code == 0

    def circle(document: Any) -> None:
        last = value(document, 2)
        for one in last["evidence"]:
            one.update(id=last["id"], exact=last["text"], start=0, end=len(last["text"]), value="2082", unit="")
        last["computation"].update(expression="a + b - a", result="2082")

    report = verify(changed(data, circle))
    loose = changed(data, lambda d: value(d, 0).update(verdict="partial"))
    assert "claim c3: it rests on a claim that is not supported" in verify(loose).problems
    assert report.problems == ("claim c3: it rests on itself",)


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", 2, "no JSON"),
        (b"{}", 2, "no proof file"),
        (b"[1]", 2, "no proof file"),
        (b"\xff\xfe", 2, "no UTF-8"),
        (b"[" * 100_000, 2, "nested too deeply"),
        (b'{"a":1,"a":1}', 1, "one key twice"),
        (b'{"a":1.5}', 1, "integers only"),
        (b'{"a":NaN}', 1, "integers only"),
        (b'{"a":' + b"9" * 5000 + b"}", 2, "no JSON"),
        (b'{"a":"\\ud800"}', 1, "half a character"),
        (sealed(json.loads(small()) | {"version": 5}), 2, "version 5"),
        (small().replace(b'"version":4', b'"version":5'), 2, "version 5"),
        (small()[:-20], 1, "cut short"),
        (json.dumps(json.loads(small()), indent=1).encode(), 1, "canonical"),
        (small().replace(b'"answer"', b'"answer":"","answer"'), 1, "changed"),
    ],
)  # fmt: skip
def test_what_is_no_proof_gets_one_line(data: bytes, code: int, words: str) -> None:
    """Never an exception, and never "verified"."""
    report = verify(data)
    assert (report.code, len(report.problems), report.verified) == (code, 1, ())
    assert words in report.problems[0] and "\n" not in report.text


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """A gigabyte, a folder, a file that is not there: one line and exit code 2."""
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(2**30)
    assert "at most" in verify_file(huge).problems[0]
    assert [verify_file(path).code for path in (huge, tmp_path, tmp_path / "none")] == [2, 2, 2]


def test_a_source_that_is_too_large_makes_no_proof() -> None:
    """So does half a character; each is one line."""
    for text in ("x" * (MOST_BYTES + 1), "\ud800"):
        with pytest.raises(UsageError) as caught:
            proof_bytes(Proof(task=Task(text="?"), answer="", sources=(ProofSource(id="1", text=text),)))
        assert "\n" not in str(caught.value)


def test_a_claim_on_what_is_not_in_the_proof_makes_no_proof() -> None:
    """It is named."""
    reading = Reading(value="5", form="point")
    evidence = FromSource(source="9", start=0, end=1, reading=reading)
    claim = Claim(
        id="c1", start=0, end=1, text="5", kind="number", reading=reading, support="source", evidence=(evidence,)
    )
    with pytest.raises(UsageError, match="source '9'"):
        proof_bytes(Proof(task=Task(text="?"), answer="5", claims=(claim,)))


def test_the_journal_must_be_the_one_of_the_proof(tmp_path: Path) -> None:
    """One that has grown since is the same; an edited, a shorter, another one and none are not."""
    journal = tmp_path / "run.jsonl"
    journal.write_bytes(b'{"a":1}\n{"b":2}\n{"torn')
    root = journal_root(journal)
    assert root == JournalRoot(lines=2, sha256=sha256(b'{"a":1}\n{"b":2}\n'))
    data = made(ANSWER, journal=root)
    assert verify(data, journal=journal).code == 0
    journal.write_bytes(b'{"a":1}\n{"b":2}\n{"c":3}\n')
    assert verify(data, journal=journal).code == 0
    for other in (b'{"a":1}\n{"b":3}\n', b'{"a":1}\n', b""):
        journal.write_bytes(other)
        assert verify(data, journal=journal).problems == ("the journal is not the one that this proof was made from",)
    assert verify(data, journal=tmp_path / "none").code == 1
    assert verify(made(ANSWER), journal=journal).code == 1


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device that never ends")
def test_what_has_no_end_is_read_no_further_than_a_proof_is_long(tmp_path: Path) -> None:
    """A device says that it has no bytes, and gives them for ever: it is neither a proof nor the journal of one."""
    assert verify_file("/dev/zero") == Report(2, (f"it is too large: a proof has at most {MOST_BYTES:,} bytes",))
    journal = tmp_path / "run.jsonl"
    journal.write_bytes(b'{"a":1}\n')
    data = made(ANSWER, journal=journal_root(journal))
    assert verify(data, journal=Path("/dev/zero")).problems == ("the journal cannot be read: it is no file",)


def test_a_source_that_changed_on_disk_is_named(tmp_path: Path) -> None:
    """Compared by the hash of its file; a place outside the folder is not looked at."""
    (tmp_path / "lease.md").write_text(TEXT, encoding="utf-8")
    data = made(ANSWER)
    assert verify(data, folder=tmp_path).code == 0
    (tmp_path / "lease.md").write_text(TEXT + " ")
    assert verify(data, folder=tmp_path).problems == ("source 1: the file 'lease.md' changed since",)
    (tmp_path / "lease.md").unlink()
    assert "cannot be read" in verify(data, folder=tmp_path).problems[0]
    outside = changed(data, lambda d: d["sources"][0].update(location="../../etc/passwd"))
    report = verify(outside, folder=tmp_path)
    assert any("no file below the folder" in line for line in report.recorded)


def test_a_source_that_is_no_file_is_recorded(tmp_path: Path) -> None:
    """Without a place there is nothing to compare, without a hash of the file its text; a pipe is never waited for."""
    for change in ({"location": ""}, {"location": "."}):
        report = verify(changed(made(ANSWER), lambda d, change=change: d["sources"][0].update(change)), folder=tmp_path)
        assert report.code == 0 and any(line.startswith("source 1: ") for line in report.recorded)
    (tmp_path / "lease.md").write_text(TEXT)
    report = verify(changed(made(ANSWER), lambda d: d["sources"][0].update(raw_sha256="")), folder=tmp_path)
    assert report.code == 0 and "source 1: the proof has no hash of its file" in report.recorded
    assert "source 1: its text is what the file says, made out of it again" in report.verified
    (tmp_path / "lease.md").unlink()
    os.mkfifo(tmp_path / "lease.md")
    assert verify(made(ANSWER), folder=tmp_path).problems == ("source 1: the file 'lease.md' cannot be read",)


def test_a_large_source_is_compared_piece_by_piece(tmp_path: Path) -> None:
    """A gigabyte takes no gigabyte of memory: it changed, and that is all."""
    with (tmp_path / "lease.md").open("wb") as file:
        file.truncate(2**30)
    tracemalloc.start()
    try:
        report = verify(made(ANSWER), folder=tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    finally:
        tracemalloc.stop()
    assert report.problems == ("source 1: the file 'lease.md' changed since",)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"claims":2', '"claims":2.0', "integers only"),
        ('"claims":2', '"claims":2e0', "integers only"),
        ('"claims":2', '"claims":-1', "coverage"),
        ('"claims":2', '"claims":-0', "canonical form"),
        ('"claims":2', '"claims":2,"claims":1', "one key twice"),
        ('"limits":[]', '"limits":[],"limits":[]', "one key twice"),
        ('"text":"5 euros?"', '"text":"5 euros?\\ud800"', "half a character"),
        ('"limits":[]', '"limits":["\\u0041"]', "canonical form"),
    ],
)
def test_what_only_looks_like_a_proof_is_refused_though_its_digest_fits(old: str, new: str, words: str) -> None:
    """Floats, other ways to write an integer or a text, a key twice, half a character: each is one line."""
    text = small().decode()
    assert text.count(old) == 1
    report = verify(resealed(text.replace(old, new).encode()))
    assert (report.code, len(report.problems)) == (1, 1) and words in report.problems[0]


@pytest.mark.parametrize(
    "evidence", [{"type": "tool", "id": "s9"}, {"type": "claim", "id": "c9"}, {"type": "task", "id": "title"}]
)
def test_evidence_in_what_is_not_there_is_refused(evidence: dict[str, str]) -> None:
    """An unknown step, claim or part of the task."""
    report = broken(lambda d: value(d, 3)["evidence"][0].update(evidence))
    assert any("which is not there" in problem for problem in report.problems)


def test_a_journal_that_is_none_is_refused(tmp_path: Path) -> None:
    """A folder, a file of bytes, one that ends within a line: none is the one of the proof."""
    data = made(ANSWER, journal=JournalRoot(lines=2, sha256=sha256(b'{"a":1}\n{"b":2}\n')))
    (tmp_path / "bytes").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "torn").write_bytes(b'{"a":1}\n{"b":2}')
    for name in ("", "bytes", "torn"):
        assert verify(data, journal=tmp_path / name).code == 1


@pytest.mark.requirement("G2", "G2a")
@pytest.mark.parametrize(
    ("answer", "claimed"),
    [
        ("الإيجار ١٬٠٤٠ يورو منذ ٠١/٠٣/٢٠٢٣", ["١٬٠٤٠", "٠١/٠٣/٢٠٢٣"]),
        ("Die Halle kostet 1.040,00 Euro seit dem 1.3.2023.", ["1.040,00 Euro", "1.3.2023"]),
        ("賃料は1,040円、2023年3月1日から、担当はAnna Weberさん。", ["1,040", "2023年3月1日", "Anna Weber"]),
        ("임대료는 1,040유로, 2023년 3월 1일부터", ["1,040", "2023년 3월 1일"]),
        ('{"rent": 1040, "since": "2023-03-01", "who": "Anna Weber"}', ["1040", "2023-03-01", "Anna Weber"]),
        ("```python\nrent = 99\n```\nIt is 1,040 euros.", ["1,040 euros"]),
    ],
)
def test_answers_in_other_scripts_and_forms_are_proved(answer: str, claimed: list[str]) -> None:
    """Each value stands in the English text, and the verifier reads it again; a wrong figure is none of them."""
    document = json.loads(made(answer))
    found = [(one["text"], one["verdict"]) for one in document["claims"] if one["kind"] != "sentence"]
    assert found == [(text, "supported") for text in claimed]
    report = verify(made(answer))
    assert (report.code, report.problems) == (0, ())


@pytest.mark.requirement("G2", "G2a")
@pytest.mark.parametrize("text", ["It is on from 1 to 4 October.", "It begins on 1 October and ends on October 4."])
def test_several_days_are_proved_and_others_are_not(text: str) -> None:
    """By the same days, or by the first and the last; a proof that says another day of the text is refused."""
    document = json.loads(made("From October 1 to 4.", f"{TEXT} {text}"))
    sentence, claim = document["claims"]
    assert (claim["verdict"], claim["value"]) == ("supported", "0000-10-01/0000-10-04")
    assert verify(made("From October 1 to 4.", f"{TEXT} {text}")).code == 0
    claim["text"], claim["value"] = "October 1 to 5", "0000-10-01/0000-10-05"
    sentence["text"], sentence["value"] = "From October 1 to 5.", "from october 1 to 5."
    report = verify(sealed({**document, "answer": "From October 1 to 5."}))
    assert report.code == 1 and any("supported" in problem for problem in report.problems), report.problems


@pytest.mark.requirement("G2a")
def test_an_answer_with_a_thousand_numbers_is_proved() -> None:
    """Every one of them is a claim; those that stand nowhere are counted."""
    answer = ", ".join(f"{number}.5" for number in range(1000, 2000)) + ", and 1040."
    report = verify(made(answer))
    assert report.code == 0 and any("1001 values" in line and "1000 not_found" in line for line in report.verified)


@pytest.mark.requirement("X2")
def test_the_verifier_is_one_file_of_the_standard_library(tmp_path: Path) -> None:
    """Copied out and run by itself, without site packages, it says the same with the same exit codes."""
    script, proof = tmp_path / "verify.py", tmp_path / "proof.json"
    script.write_text(verifier(), encoding="utf-8")
    quoted = made("She looks after the “old hall (east)”.", f"{TEXT} The old hall (east) is let.")
    assert verify(quoted).code == 0
    for data in (made(ANSWER), quoted, made(ANSWER).replace(b"euros", b"pesos"), b"nothing"):
        proof.write_bytes(data)
        done = subprocess.run(
            [sys.executable, "-I", "-S", script, proof], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        report = verify(data)
        assert (done.returncode, done.stderr) == (report.code, "")
        assert done.stdout.strip() == report.text
