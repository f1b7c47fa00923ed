"""Researched answers that can be checked and taken up: proofs, replays, and runs that die at every entry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from search.web import Site, page, send, serving

from aeon import Journal, research
from aeon.assembly.build import resumption
from aeon.assembly.proofs import proof_of
from aeon.assembly.runs import diff, replay
from aeon.assembly.setup import Trust
from aeon.engines.research.record import Research, SourceUsed
from aeon.errors import UsageError
from aeon.proof.document import Proof, proof_bytes
from aeon.proof.verify import Report, verify
from aeon.proof.whole import problems_of_values
from aeon.schema import JsonObject, JsonValue
from aeon.tools.files import Files
from engines.research.thinker import ENOUGH, Thinker, ids, judging

pytestmark = [pytest.mark.requirement("X2"), pytest.mark.usefixtures("indexes", "words_only")]

QUESTION = "When was the Old Mill built, and who built it?"
MILL = "The Old Mill was built in 1883. It was built by Ann Lee. It stands by the river."
INN = "Red Inn was opened in 1901. Travellers ate there for years."


ANSWER = "The Old Mill was built in 1883 by Ann Lee."


def reader() -> Thinker:
    """A model that asks once more, and then answers from both sentences."""
    return Thinker(_written, judging("1883", "Ann Lee"), ("Old Mill built", "Red Inn"), reflect=_reflected)


def _written(prompt: str, n: int) -> JsonObject:
    found: list[JsonValue] = [*ids(prompt, "1883", "Ann Lee")]
    return {"answer": [{"text": ANSWER, "citations": found}], "not_found": [], "calculations": []}


def _reflected(prompt: str, n: int) -> JsonObject:
    if "- Ann Lee" in prompt:
        return ENOUGH
    more: list[JsonValue] = [{"text": "Ann Lee", "intent": "who built it"}]
    return {"sufficient": False, "confidence": 0.8, "gaps": ["who built it"], "new_queries": more}


@pytest.fixture
def web() -> Iterator[tuple[Site, Site]]:
    """A search service, and the site that its results lead to."""
    with serving() as service, serving() as site:
        places = [("mill", MILL, "Old Mill"), ("inn", INN, "Red Inn"), ("copy", MILL, "Old Mill")]
        for name, text, title in places:
            site.pages[f"/{name}"] = page(text, title)
        items = [{"url": f"{site.url}/{name}", "title": title, "content": text} for name, text, title in places]
        service.pages["/search"] = send(body={"query": "q", "results": items})
        yield service, site


def over_pages(web: tuple[Site, Site], path: Path, model: Thinker | None = None) -> Research:
    """A run over the pages, saved there."""
    service, site = web
    return research(
        QUESTION, search=[f"searxng={service.url}"], allow=[site.entry], llm=model or reader(),
        journal=lambda _: Journal(path),
    )  # fmt: skip


def verified(proof: Proof) -> Report:
    """What the verifier says of the file."""
    return verify(proof_bytes(proof))


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder with two texts."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "mill.txt").write_text(f"{MILL}\n")
    (folder / "inn.txt").write_text(f"{INN}\n")
    return folder


def test_the_proof_of_a_run_over_a_folder_verifies(papers: Path, tmp_path: Path) -> None:
    """Its source is the file with its hash, and each cited span is there."""
    path = tmp_path / "run.jsonl"
    result = research(QUESTION, papers, llm=reader(), journal=lambda _: Journal(path))
    assert result.sufficient and result.answer == "The Old Mill was built in 1883 by Ann Lee [1]."
    proof = proof_of(result, [Files.open(papers)], path)
    (source,) = proof.sources
    assert source.id == "mill.txt" and source.raw_sha256 and MILL in source.text
    report = verified(proof)
    assert report.code == 0, report.text
    (papers / "mill.txt").write_text("It burnt down.\n")
    with pytest.raises(UsageError, match="not there as it was read"):
        proof_of(result, [Files.open(papers)], path)


@pytest.mark.requirement("G2", "R3")
@pytest.mark.parametrize(
    ("text", "answer", "reason"),
    [
        ("Diary of Ann Lee, 1917\n\n2 October. The mill is sold.", "It was sold on 2 October 1917.", "sufficient"),
        ("Tagebuch von Ann Lee, 1917\n\n2. Oktober. Die Mühle ist weg.", "Es war im Oktober 1917.", "sufficient"),
        ("Diary of Ann Lee, 1917\n\n2 October. The mill is sold.", "It was sold on 3 October 1917.", "unsupported"),
        ("Diary of Ann Lee, 1917\n\n2 October 1912. It is sold.", "It was sold on 2 October 1917.", "unsupported"),
    ],
)
def test_a_day_and_its_year_may_stand_apart_in_one_text(text: str, answer: str, reason: str, tmp_path: Path) -> None:
    """The day in a sentence, the year in the title, both cited; a day that has another year is another one."""
    folder, path = tmp_path / "texts", tmp_path / "run.jsonl"
    folder.mkdir()
    (folder / "diary.txt").write_text(text)

    def written(prompt: str, n: int) -> JsonObject:
        cited: list[JsonValue] = [*ids(prompt, "")]
        return {"answer": [{"text": answer, "citations": cited}], "not_found": [], "calculations": []}

    model = Thinker(written, judging("1917"), ("diary",))
    result = research("When was the mill sold?", folder, llm=model, journal=lambda _: Journal(path))
    assert result.stop_reason == reason
    report = verified(proof_of(result, [Files.open(folder)], path))
    assert report.code == 0, report.text


@pytest.mark.requirement("G2", "X2")
def test_a_proof_that_takes_a_day_from_another_year_is_refused(tmp_path: Path) -> None:
    """Its halves are true by themselves: the text has the day, in 1912, and the year, of something else."""
    folder, path = tmp_path / "texts", tmp_path / "run.jsonl"
    folder.mkdir()
    text = "Diary of Ann Lee, 1917\n\n2 October: the mill is sold."
    (folder / "diary.txt").write_text(text)

    def written(prompt: str, n: int) -> JsonObject:
        cited: list[JsonValue] = [*ids(prompt, "")]
        said = "It was sold on 2 October 1917."
        return {"answer": [{"text": said, "citations": cited}], "not_found": [], "calculations": []}

    model = Thinker(written, judging("1917"), ("diary",))
    result = research("When was the mill sold?", folder, llm=model, journal=lambda _: Journal(path))
    proof = proof_of(result, [Files.open(folder)], path)
    assert verified(proof).code == 0
    forged = json.loads(proof_bytes(proof).decode().replace(": the mill is", " 1912: it was"))
    assert list(problems_of_values(json.loads(proof_bytes(proof)))) == []
    assert any("'2 October 1917', are a value and no claim" in one for one in problems_of_values(forged))


def test_the_proof_of_a_run_over_pages_holds_their_texts(web: tuple[Site, Site], tmp_path: Path) -> None:
    """With address, time and hash; it verifies though the site is gone. A copy of a page is no second source."""
    _, site = web
    path = tmp_path / "run.jsonl"
    result = over_pages(web, path)
    assert result.sufficient and len(result.sources) == len({one.text_sha256 for one in result.sources})
    site.pages.clear()
    proof = proof_of(result, (), path)
    (source,) = proof.sources
    assert source.location in (f"{site.url}/mill", f"{site.url}/copy") and source.retrieved and source.raw_sha256
    assert "built by Ann Lee" in source.text and source.extractor
    report = verified(proof)
    assert report.code == 0, report.text
    forged = source.changed(text=source.text.replace("Ann", "Eve"))
    assert verified(proof.changed(sources=(forged,))).code == 1


def test_a_page_that_changes_during_a_run_is_the_source_that_was_read_first(
    web: tuple[Site, Site], tmp_path: Path
) -> None:
    """What is cited is what the proof holds, whatever a later search found there when the run was taken up."""
    _, site = web
    del site.pages["/copy"]
    path, part = tmp_path / "run.jsonl", tmp_path / "part.jsonl"
    over_pages(web, path)
    phases = [entry.phase for _, entry in sorted(Journal.read(path).entries.items())]
    part.write_bytes(up_to(path, phases.index("reflect") + 1))
    site.pages["/mill"] = page("Nothing of the Old Mill is left, which Ann Lee built. Where it was is a road.", "Road")
    result = resumption(Journal.reopen(part), reader(), trust=Trust(whole=True)).execute()
    proof = proof_of(result, (), part)
    assert verified(proof).code == 0 and result.citations
    for source in result.citations:
        text = next(one.text for one in proof.sources if one.id == source.source)
        assert all(text[one.source.start : one.source.end] == one.source.text for one in source.cited)


@pytest.mark.requirement("R1", "R5")
def test_a_replay_needs_neither_model_nor_search(web: tuple[Site, Site], tmp_path: Path) -> None:
    """It gives the same result, byte for byte, and nothing is asked."""
    service, site = web
    path = tmp_path / "run.jsonl"
    result = over_pages(web, path)
    asked = len(service.asked) + len(site.asked)
    assert replay(Journal.read(path)).model_dump_json() == result.model_dump_json()
    assert len(service.asked) + len(site.asked) == asked


def up_to(path: Path, entries: int) -> bytes:
    """The bytes of a journal up to the one with this number of entries: what a kill may leave."""
    lines = path.read_bytes().splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines, 1) if b'"line":"entry"' in line]
    return b"".join(lines[: ends[entries - 1] if entries else 1])


def timeless(result: Research) -> list[SourceUsed]:
    """The sources without the second in which they were read."""
    return [source.changed(retrieved="") for source in result.sources]


@pytest.mark.requirement("R1")
def test_a_run_that_dies_at_any_entry_ends_in_the_same_answer(web: tuple[Site, Site], tmp_path: Path) -> None:
    """And no search that is on record is made again."""
    service, _ = web
    path = tmp_path / "run.jsonl"
    result = over_pages(web, path)
    whole = Journal.read(path)
    searched = [entry for _, entry in sorted(whole.entries.items()) if entry.phase == "search"]
    assert len(searched) > 2 and len(result.rounds) == 2
    for kept in range(len(whole.entries)):
        part = tmp_path / f"part{kept}.jsonl"
        part.write_bytes(up_to(path, kept))
        before = sum(entry.phase == "search" for entry in Journal.read(part).entries.values())
        service.asked.clear()
        trust = Trust(whole=True)
        again = resumption(Journal.reopen(part), reader(), trust=trust).execute()
        assert again.answer == result.answer and timeless(again) == timeless(result), kept
        assert len([one for one in service.asked if urlsplit(one.path).path == "/search"]) == len(searched) - before
        assert replay(Journal.read(part)) == again
        assert diff(whole, Journal.read(part)).parts == ()
