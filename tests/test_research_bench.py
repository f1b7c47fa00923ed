"""The research benchmark: how answers and citations are judged, and what is on record."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from engines.research.small import Small

from aeon.llm.scripted import Scripted
from aeon.schema import Capabilities, LLMRequest, LLMResponse, TokenProbability

BENCH = str(Path(__file__).parents[1] / "scripts" / "bench")
sys.path.insert(0, BENCH)
try:
    from research import Bench, Record
    from research_asking import Answer, Asker
    from research_data import Shelf, load, shelf, texts, unpack
    from research_engine import engine
    from research_figures import citations
    from research_scoring import broken, cited_right, exact, f1, invented, is_covered
finally:
    sys.path.remove(BENCH)

DOCUMENTS = {
    "clonbrook.txt": "Clonbrook\n\nClonbrook is a village on the Atlantic coast of Guyana. It has 900 people.\n",
    "guyana.txt": "Guyana\n\nGuyana is a country in South America. Its first president was Arthur Chung, a judge.\n",
    "suriname.txt": "Suriname\n\nSuriname is a country in South America. Its first president was Johan Ferrier.\n",
}
QUESTION = "Who was the first president of the country where Clonbrook is?"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A set of two questions and three documents, as the benchmark reads them."""
    folder = tmp_path / "data" / "small"
    folder.mkdir(parents=True)
    asked = [
        {"id": str(number), "question": QUESTION, "answer": "Arthur Chung", "aliases": ["Chung"],
         "supporting_docs": ["clonbrook.txt", "guyana.txt"]}
        for number in range(2)
    ]  # fmt: skip
    docs = [{"name": name, "text": text} for name, text in DOCUMENTS.items()]
    for name, lines in (("questions", asked), ("docs", docs)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return folder.parent


def opened(data: Path, taken_away: bool) -> Shelf:
    folder = data.parent / "files"
    unpack(data, "small", folder)
    return shelf(folder, data.parent / "index.sqlite", load(data, "small", 1)[0], taken_away)


def answering(request: LLMRequest) -> LLMResponse:
    """A model that reads rightly, and says yes where the text has the president."""
    asked = request.messages[-1].content
    if request.top_logprobs:
        yes = 0.95 if "Arthur Chung, a judge" in asked else 0.02
        words = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
        return LLMResponse(text="Yes", first_token=words)
    return LLMResponse(text="Its first president was Arthur Chung.")


CAN = Capabilities(json_schema=True, json_mode=True, logprobs=True)


def test_answers_are_judged_by_the_rules_of_squad() -> None:
    """Case, articles and punctuation do not count, the closest alias does, and yes is never half right."""
    assert exact("The Arthur Chung.", ("Guyana", "arthur chung"))
    assert f1("Johan Chung", ("Arthur Chung", "Chung")) == pytest.approx(2 / 3)
    assert f1("yes it is", ("yes",)) == 0
    assert f1("", ("Chung",)) == 0


def test_citations_are_counted_with_their_denominators() -> None:
    """Two spans of one supporting document are two right citations, but one cited document."""
    assert cited_right(["a.txt", "a.txt", "c.txt"], ["a.txt", "b.txt"]) == (2, 3, 1, 2)


def test_an_answer_is_covered_where_all_its_documents_are_cited() -> None:
    """One of two is not enough, others beside them do no harm, and without citations nothing is covered."""
    assert is_covered(["b.txt", "c.txt", "a.txt"], ["a.txt", "b.txt"])
    assert not is_covered(["a.txt", "a.txt"], ["a.txt", "b.txt"])
    assert not is_covered([], ["a.txt"])
    assert not is_covered([], [])


def test_an_id_is_invented_where_nothing_has_it() -> None:
    """A document that was not read, and a number that the source list has not, each time that it is cited."""
    assert invented(["a.txt", "b.txt"], ["a.txt", "b.txt"], [1, 2, 1], [1, 2, 3]) == (0, 5)
    assert invented(["a.txt", "x.txt"], ["a.txt"], [1, 9, 9], [1, 2]) == (3, 5)
    assert invented(["a.txt"], ["a.txt"], (), ()) == (0, 1)


@pytest.mark.parametrize(
    ("span", "wrong"),
    [
        (("a.txt", 0, 3, "One"), 0),
        (("a.txt", 0, 4, "One"), 1),
        (("a.txt", 0, 3, "Two"), 1),
        (("a.txt", 5, 99, "two."), 1),
        (("a.txt", -4, 9, "two."), 1),
        (("a.txt", 3, 3, ""), 1),
        (("x.txt", 0, 3, "One"), 1),
    ],
)
def test_a_span_is_broken_where_its_text_has_not_its_quote(span: tuple[str, int, int, str], wrong: int) -> None:
    """Beside its quote, past the end of the text, before its beginning, empty, or of no text."""
    assert broken([span], {"a.txt": "One, two."}) == wrong


def recorded(data: Path, path: Path) -> Record:
    """The record of the small set in a file."""
    return Record(path, "scripted", load(data, "small", 1), {"small": texts(data, "small")})


def test_the_ceiling_is_asked_beside_the_others(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run has the single call, the call over the supporting documents and another form, with all figures."""
    folder = data.parent / "files"
    unpack(data, "small", folder)
    record = recorded(data, data.parent / "out.jsonl")
    systems = ("bm25", "supported", "aeon")
    bench = Bench(Scripted(answering, CAN), folder, record)
    asyncio.run(bench.measure(load(data, "small", 1)[0], {"whole": systems, "taken": ("aeon",)}))
    capsys.readouterr()
    citations(record.rows, ["small"], systems)
    lines = {line.split()[1]: line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("small")}
    assert list(lines) == list(systems)
    assert lines["supported"][2:7] == ["0/1", "[0.00,0.79]", "0/1", "0/0", "0/0"]
    assert lines["aeon"][2:5] == ["0/1", "[0.00,0.79]", "1/1"]
    assert [of.partition("/")[0] for of in lines["aeon"][5:7]] == ["0", "0"] != lines["aeon"][5:7]
    assert [row["found"] for row in record.rows if row["system"] == "supported"] == [2]


def test_a_file_of_before_has_all_figures(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row without numbers of citations is read; what it has is counted anew, and tokens by questions and answers."""
    path = data.parent / "old.jsonl"
    row = {
        "model": "scripted", "set": "small", "half": "development", "system": "aeon", "variant": "whole",
        "question": QUESTION, "expected": ["Arthur Chung"], "notes": [], "replies": [], "calls": 2, "prompt": 1500,
        "cached": 0, "generated": 30, "seconds": 1.0,
    }  # fmt: skip
    quote = "It has 900 people."
    start = DOCUMENTS["clonbrook.txt"].index(quote)
    answers = [
        {"id": "0", "answer": "Arthur Chung", "read": ["clonbrook.txt"], "scores": {"support": 0.9},
         "cited": [["clonbrook.txt", start, start + len(quote), quote], ["guyana.txt", 0, 6, "Guiana"]]},
        {"id": "1", "answer": "", "read": [], "cited": [], "scores": {}},
    ]  # fmt: skip
    path.write_text("".join(json.dumps({**row, **one}) + "\n" for one in answers), encoding="utf-8")
    citations(recorded(data, path).rows, ["small"], ["aeon"])
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.split()[2:7] == ["1/1", "[0.21,1.00]", "1/1", "1/2", "1/2"]
    assert line.split()[7:] == ["1,500,", "30", "of", "2", "3,000,", "60", "of", "1"]


def _names(answer: Answer) -> list[str]:
    """The documents that were read, each once, in the order in which they were found."""
    return list(dict.fromkeys(passage.source for passage in answer.read))


def test_the_numbers_that_the_engine_cites_by_are_recorded(data: Path) -> None:
    """Those in the text of the answer and those of its citations, beside the numbers of its source list."""
    documents = opened(data, taken_away=False)
    model = Small("Its first president was Arthur Chung.", {"Arthur Chung": 0.9}, "president Guyana")
    answer: Answer = asyncio.run(engine("Who was the first president of Guyana?", documents, Asker(model)))
    documents.close()
    (number,) = {place for place, name in enumerate(_names(answer), 1) if name == "guyana.txt"}
    assert answer.text == "Its first president was Arthur Chung."
    assert answer.marks == (number, number)
    assert number in answer.listed


def test_halves_are_drawn_by_the_seed(data: Path) -> None:
    """Every question belongs to one half, the same for the same seed."""
    halves = [one.half for one in load(data, "small", 1)]
    assert sorted(halves) == ["closing", "development"]
    assert halves == [one.half for one in load(data, "small", 1)]


def test_a_missing_set_is_said_in_a_line(tmp_path: Path) -> None:
    """A data folder without the set ends with what to do."""
    with pytest.raises(SystemExit, match=r"there is no .*questions\.jsonl: --data names the folder"):
        load(tmp_path, "hotpot", 1)
