"""Proofs of runs held against their files and their journal, by what Aeon can do beyond its verifier."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeon import Journal, Result, build
from aeon.assembly.proofs import proof_of
from aeon.assembly.rechecks import host
from aeon.llm.scripted import Reply
from aeon.proof.canonical import sha256
from aeon.proof.document import proof_bytes
from aeon.proof.verify import Report, verify
from aeon.tools.files import Files
from tests.proof.proofs import changed
from tests.second import agreeing

pytestmark = [pytest.mark.requirement("G6", "G6b"), pytest.mark.usefixtures("indexes", "words_only")]
SUM = "They have 19 employees."
PROGRAM = "harbour = 12  # 1\nold = 7  # 2\nprint(harbour + old)"
TEXT = "The Harbour shop has 12 employees. The Old Town shop has 7 employees. Mara Linden leads both.\n"
TABLE = "city,units\nCork,4\nPorto,5\n"


@pytest.fixture
def shops(tmp_path: Path) -> Path:
    """A folder with a table and a text."""
    root = tmp_path / "shops"
    root.mkdir()
    (root / "sales.csv").write_text(TABLE)
    (root / "shop.txt").write_text(TEXT)
    return root


def proved(folder: Path, question: str, *replies: Reply) -> tuple[bytes, Path]:
    """The proof of a run over the folder, and its journal."""
    saved, given = folder.parent / "run.jsonl", Files.open(folder)
    llm = agreeing(replies)
    result = build(llm=llm, tools=["calculator", given], journal=lambda _: Journal(saved)).execute(question)
    assert isinstance(result, Result)
    return proof_bytes(proof_of(result, [given], saved)), saved


@pytest.fixture
def of_texts(shops: Path) -> tuple[bytes, Path]:
    """A sum of two numbers of a text."""
    return proved(shops, "How many employees do the Harbour shop and the Old Town shop have?", "19", PROGRAM, SUM)


@pytest.fixture
def of_tables(shops: Path) -> tuple[bytes, Path]:
    """A sum that a query gives."""
    return proved(shops, "How many units are there?", 'print(sql("SELECT SUM(units) FROM sales"))', "9 units.")


def held(data: bytes, folder: Path, journal: Path | None = None) -> Report:
    """What the verifier says with the folder of the sources, and with the journal."""
    return verify(data, journal, folder, host())


@pytest.mark.parametrize("name", ["of_texts", "of_tables"])
def test_a_proof_is_made_again_from_its_journal_and_its_files(
    name: str, shops: Path, request: pytest.FixtureRequest
) -> None:
    """Texts are extracted again, tables asked again, and the run, replayed, gives this very proof."""
    data, journal = request.getfixturevalue(name)
    report = held(data, shops, journal)
    assert (report.code, report.problems) == (0, ()), report.text
    assert "this run, replayed, gives this very proof" in report.verified
    done = "its text is what the file says" if name == "of_texts" else "sql, done again over the folder"
    assert any(done in line for line in report.verified)
    assert not any("done again over" in line or "was not compared" in line for line in report.recorded)


def renamed(document: Any) -> None:
    """The text of the source says another name."""
    (source,) = document["sources"]
    source["text"] = source["text"].replace("Mara Linden", "Mara Lindez")
    source["text_sha256"] = sha256(source["text"])


def multiplied(document: Any) -> None:
    """An operand of the sum is another one, with all that follows from it."""
    for step in document["derivations"][0]["steps"]:
        for field in ("arguments", "output"):
            step[field] = step[field].replace("12", "84").replace("19", "91")
        step["sha256"] = sha256(step["output"])
    said_again(document)


def said_again(document: Any) -> None:
    """The answer says what the operand comes to."""
    document["answer"] = document["answer"].replace("19", "91")
    for claim in document["claims"]:
        for record in (claim, *claim["evidence"]):
            for field in ("text", "value", "exact"):
                record[field] = record.get(field, "").replace("19", "91")
            if record is not claim:
                record["prefix"], record["suffix"] = (record[one].replace("19", "91") for one in ("prefix", "suffix"))
        claim.pop("exact")
        for record in claim["evidence"]:
            record.pop("text")


def with_sentence(document: Any) -> None:
    """The operand with the sentence that it stands in."""
    (source,) = document["sources"]
    source["text"] = source["text"].replace("12", "84")
    source["text_sha256"] = sha256(source["text"])
    multiplied(document)


@pytest.mark.parametrize(
    ("change", "alone", "by_run"),
    [(renamed, 0, 0), (multiplied, 1, 1), (with_sentence, 0, 1)],
    ids=["a name", "an operand", "both"],
)
def test_a_source_or_an_operand_that_was_changed_is_found(
    change: Callable[[Any], object], alone: int, by_run: int, shops: Path, of_texts: tuple[bytes, Path]
) -> None:
    """What is true to itself is found by the files, and where the run read it by the journal."""
    data, journal = of_texts
    forged = changed(data, change)
    assert verify(forged).code == alone, verify(forged).text
    assert held(forged, shops).code == 1 and verify(forged, folder=shops).code == 1
    assert verify(forged, journal, host=host()).code == by_run


@pytest.mark.parametrize("old", ["SUM(units)", "9"])
def test_a_query_or_its_output_that_was_changed_is_found(old: str, shops: Path, of_tables: tuple[bytes, Path]) -> None:
    """The table is asked again; where that is not possible, the report says that it was not."""

    def forge(document: Any) -> None:
        for step in document["derivations"][0]["steps"]:
            name = "arguments" if old == "SUM(units)" else "output"
            step[name] = step[name].replace(old, "MAX(units)" if name == "arguments" else "8")
            step["sha256"] = sha256(step["output"])
        if old == "9":
            document["answer"] = document["answer"].replace("9", "8")
            for claim in document["claims"]:
                for record in (claim, *claim["evidence"]):
                    record.update({name: one.replace("9", "8") for name, one in record.items() if isinstance(one, str)})

    data, journal = of_tables
    forged = changed(data, forge)
    assert any("gives something else" in line for line in held(forged, shops).problems)
    assert any("sql was not done again" in line for line in verify(forged, folder=shops).recorded)
    assert verify(forged, journal).code == 1 and verify(forged, journal, host=host()).code == 1


def test_a_claim_that_says_less_than_its_run_is_found_by_the_journal(of_texts: tuple[bytes, Path]) -> None:
    """A limit that was taken out, a derivation that is not the one taken, a title: the replayed run has others."""
    data, journal = of_texts
    changes: list[Callable[[Any], object]] = [
        lambda d: d["limits"].pop(), lambda d: d["limits"].append("none"),
        lambda d: d["task"].update(context="It is so."), lambda d: d["derivations"][0].update(id="d7"),
    ]  # fmt: skip
    for change in changes:
        report = verify(changed(data, change), journal, host=host())
        assert any("this run gives another proof" in line for line in report.problems), report.text


@pytest.mark.parametrize("suffix", [".pdf", ".docx", ".html"])
def test_what_needs_an_extra_is_never_called_verified_without_it(
    suffix: str, shops: Path, of_texts: tuple[bytes, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The standard library alone says that the text was not compared; a forged text is found where the extra is."""
    data, _ = of_texts
    made = shops / f"shop{suffix}"
    made.write_bytes(TEXT.encode())
    monkeypatch.setattr("aeon.assembly.rechecks.readers.read", lambda path, label: _Read(TEXT))

    def moved(document: Any) -> None:
        text = json.dumps(document).replace("shop.txt", made.name)
        document.update(json.loads(text))

    report = verify(changed(data, moved), folder=shops)
    assert any("its text was not compared with the file: that needs Aeon" in line for line in report.recorded)
    assert not any("its text is what the file says" in line for line in report.verified)
    assert held(changed(data, moved), shops).code == 0
    assert held(changed(data, lambda d: (moved(d), renamed(d))), shops).code == 1


class _Read:
    """What a reader gives."""

    def __init__(self, text: str) -> None:
        self.text = text


def test_a_folder_that_is_gone_or_another_one_is_no_source(shops: Path, of_tables: tuple[bytes, Path]) -> None:
    """One line a step or a source, and not verified."""
    data, _ = of_tables
    (shops / "sales.csv").write_text(TABLE.replace("5", "6"))
    assert any("gives something else" in line for line in held(data, shops).problems)
    shutil.rmtree(shops)
    report = held(data, shops)
    assert report.code == 1 and all("\n" not in line for line in report.problems)
