"""Programs, judges and questions as bad as they come: each run ends within its bound and says what happened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from approving import Approving
from assembly.capable import capable

from aeon import Result, build
from aeon.llm.adapter import LLMAdapter
from aeon.llm.scripted import Reply
from aeon.schema import LLMRequest
from tests.second import way_of

pytestmark = [pytest.mark.usefixtures("indexes"), pytest.mark.requirement("W3", "T1", "G4", "K12")]

BOATS = "boat,length_m,price,built\nAlba,9,120.10,1998-05-01\nBora,12,180.20,2004-07-12\nCuma,7,95.30,\n"
QUESTION = "How long is it?"
Says = Mapping[str, str | list[str]]
EACH = "SELECT range FROM range(1000000), boats"
ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t, boats"
PROGRAMS: dict[str, tuple[Says, str, str]] = {
    "print a million rows": (
        {"query": EACH, "program": f'print(sql("{EACH}"))'}, "ttl_expired", "more than 200 rows",
    ),
    "print nothing": ({"query": "", "program": "x = 1"}, "ttl_expired", "it prints nothing"),
    "differ in the order of rows": (
        {"query": ["SELECT boat FROM boats ORDER BY boat", "SELECT boat FROM boats ORDER BY boat DESC"]},
        "converged", "Alba, Bora, Cuma",
    ),
    "differ in the last digit": (
        {"query": ["SELECT sum(price) FROM boats", "SELECT sum(price) + 0.0000000001 FROM boats"]},
        "converged", "395.6",
    ),
    "give NULL": ({"query": "SELECT built FROM boats WHERE boat = 'Cuma'"}, "not_stated", "not stated"),
    "give a date and a text of it": (
        {"query": ["SELECT built FROM boats LIMIT 1", "SELECT CAST(built AS VARCHAR) FROM boats LIMIT 1"]},
        "converged", "1998-05-01",
    ),
    "are all different": (
        {"query": [f"SELECT length_m FROM boats WHERE boat = '{boat}'" for boat in ("Alba", "Bora")],
         "program": 'print(sql("SELECT max(price) FROM boats"))'},
        "disagreement", "9",
    ),
    "are all alike and absurd": (
        {"query": "SELECT 99999 FROM boats LIMIT 1", "program": 'print(sql("SELECT 99999 FROM boats"))'},
        "not_stated", "not stated",
    ),
}  # fmt: skip
QUESTIONS = {
    "one word": "Bora?",
    "2,000 words": "How long is the Bora? " + "It lies at the pier and nobody has taken it out this year. " * 160,
    "a typo in each name": "How lnog is the Broa, and the Clmua?",
    "two questions": "How long is the Bora, and when was the Alba built?",
    "right to left": "\u05de\u05d4 \u05d4\u05d0\u05d5\u05e8\u05da \u05e9\u05dc Bora? \u202e12\u202c",
    "unspaced": "Bora\u6709\u591a\u957f\uff1f",
    "nothing but signs": "???",
}


def model(says: Says) -> Approving:
    """A model that writes these programs, the last one for ever, and likes all that comes of them."""
    left = {way: [texts] if isinstance(texts, str) else [*texts] for way, texts in says.items()}

    def choose(request: LLMRequest) -> Reply:
        texts = left.get(way_of(request), ["not stated"])
        return texts.pop(0) if len(texts) > 1 else texts[0]

    return Approving(choose)


def asked(llm: LLMAdapter, folder: Path, question: str = QUESTION) -> Result:
    """The result over the folder, which ends within its bound."""
    result = build(llm=llm, files=folder).execute(question)
    assert result.bound.calls is not None and result.usage.calls <= result.bound.calls
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three boats."""
    (tmp_path / "boats.csv").write_text(BOATS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("kind", PROGRAMS)
def test_programs_that(kind: str, folder: Path) -> None:
    """The same value in another form is one result; what gives none, or only what was written, is no answer."""
    says, ends, answer = PROGRAMS[kind]
    result = asked(model(says), folder)
    assert (result.stop_reason, result.sufficient) == (ends, ends == "converged"), result.answer
    assert answer in result.answer


def test_a_program_that_never_ends_is_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop is never run at all, a query is interrupted; the answer says so."""
    monkeypatch.setattr("aeon.tools.database._SECONDS", 0.2)
    result = asked(model({"query": ENDLESS, "program": "while True:\n    print(1)"}), folder)
    assert (result.stop_reason, result.sufficient) == ("ttl_expired", False)
    assert "took longer than 0.2 s" in result.answer


@pytest.mark.parametrize("kind", QUESTIONS)
def test_whatever_is_asked(kind: str, folder: Path) -> None:
    """It is asked as it stands, in both forms; a result that a judge likes converges, one that stands nowhere never."""
    question = QUESTIONS[kind]
    query = "SELECT length_m FROM boats WHERE boat = 'Bora'"
    programs = model({"query": query})
    loop = capable("12\n[1]", [("sql", {"query": query})])
    for llm in (programs, loop):
        result = asked(llm, folder, question)
        assert (result.answer, result.stop_reason) == ("12", "converged")
        assert any(question.split()[0] in message.content for message in llm.requests[0].messages)
    assert not asked(model({"query": "", "program": "print(31415)"}), folder, question).sufficient


@pytest.mark.requirement("L4", "L5")
def test_texts_in_four_languages_are_all_seen(folder: Path) -> None:
    """Whatever the language of the question; a value is found in the sentence that has it."""
    texts = {
        "de": "Die Miete der Alba kostet 120 Euro am Tag.", "fr": "La Bora est rouge.",
        "zh": "Cuma\u57284\u53f7\u7801\u5934\u3002",
        "he": "Alba \u05e0\u05de\u05e6\u05d0\u05ea \u05d1\u05e8\u05e6\u05d9\u05e3 7.",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    for question, value in (("Wo liegt die Cuma?", "4"), ("Alba\u591a\u5c11\u94b1\uff1f", "120 Euro")):
        llm = model({"reading": value, "query": "SELECT 'nothing' WHERE false"})
        result = asked(llm, folder, question)
        reading = next(one for one in llm.requests if way_of(one) == "reading")
        shown = "\n".join(message.content for message in reading.messages)
        assert all(text in shown for text in texts.values())
        assert {(claim.text, claim.verdict) for claim in result.claims} == {(value, "supported")}
