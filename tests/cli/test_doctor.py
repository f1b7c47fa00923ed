"""``aeon doctor`` as a person meets it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from doctor.played_liar import Liar
from played_endpoint import failure
from played_endpoint import served as liars

from .conftest import Outcome

Aeon = Callable[..., Outcome]


@pytest.fixture
def liar() -> Iterator[Liar]:
    """A fresh endpoint that does not lie until it is told to."""
    with liars() as endpoint:
        yield Liar(endpoint)


def url(liar: Liar) -> str:
    return f"{liar.endpoint.base_url}#{liar.endpoint.model}"


def saved() -> list[Path]:
    """All files below the cache folder."""
    return [each for each in Path(os.environ["AEON_HOME"]).rglob("*") if each.is_file()]


@pytest.mark.requirement("X4")
def test_it_says_what_it_found_and_what_follows(aeon: Aeon, liar: Liar) -> None:
    """A table of findings, a sentence for each consequence, the cost, and where the profile lies."""
    liar.enforces = False
    liar.context, liar.longer = 2_000, "cut"
    outcome = aeon("doctor", "--model", url(liar))
    assert outcome.code == 0 and not outcome.err
    told = " ".join(outcome.out.split())
    for words in (
        "schemas not enforced", "longer prompts lose their beginning", "of 4,096 advertised: prompts are kept below",
        "What Aeon does", "saved in", "calls",
    ):  # fmt: skip
        assert words in told, told
    assert [each.suffix for each in saved()] == [".json"]


@pytest.mark.requirement("X4")
def test_a_run_reads_what_the_doctor_saved(aeon: Aeon, liar: Liar) -> None:
    """A run on an endpoint that was examined sends no probe."""
    assert aeon("doctor", "--quick", "--model", url(liar)).code == 0
    asked = len(liar.endpoint.bodies)
    aeon("run", "What is 2 + 2?", "--model", url(liar), "--budget-calls", "8")
    later = [str(body["messages"]) for body in liar.endpoint.bodies[asked:]]
    assert later and not any("largest planet" in each or "prime number" in each for each in later)


@pytest.mark.requirement("X4")
def test_as_a_document(aeon: Aeon, liar: Liar) -> None:
    """``--json`` gives findings, capabilities, advice and the profile's path."""
    document = aeon("doctor", "--quick", "--json", "--model", url(liar)).document
    assert document["capabilities"]["json_schema"] is True and document["findings"]["context"] is None
    assert Path(document["saved"]).is_file() and document["advice"]


@pytest.mark.requirement("X4")
def test_quick_keeps_the_context_that_was_measured(aeon: Aeon, liar: Liar) -> None:
    """The context length of an earlier examination stays, and is marked so."""
    liar.context, liar.longer = 2_000, "cut"
    first = aeon("doctor", "--json", "--model", url(liar)).document["findings"]["context"]
    outcome = aeon("doctor", "--quick", "--model", url(liar))
    assert "kept from an earlier examination" in " ".join(outcome.out.split())
    again = aeon("doctor", "--quick", "--json", "--model", url(liar)).document
    assert again["findings"]["context"] == {**first, "earlier": True}
    assert again["capabilities"]["context_tokens"] == first["seen"]


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("calls", [1, 5, 12, 25])
def test_an_endpoint_that_dies_leaves_nothing(aeon: Aeon, liar: Liar, calls: int) -> None:
    """One line, exit code 1, and no file, however far the examination was."""
    liar.dies_after = calls
    aeon("doctor", "--model", url(liar)).complains(1, "broke off at", "nothing was saved", "crashed")
    assert not saved()


@pytest.mark.requirement("X4")
def test_an_endpoint_that_dies_leaves_the_older_profile(aeon: Aeon, liar: Liar) -> None:
    """What was measured before is not lost."""
    aeon("doctor", "--quick", "--model", url(liar))
    (before,) = [each.read_text() for each in saved()]
    liar.dies_after = 30
    aeon("doctor", "--model", url(liar)).complains(1, "nothing was saved")
    assert [each.read_text() for each in saved()] == [before]


@pytest.mark.requirement("X4")
@pytest.mark.parametrize(
    ("status", "words"), [(401, "rejected the API key"), (404, "does not serve this model"), (503, "failed")]
)
def test_an_endpoint_that_cannot_be_asked(aeon: Aeon, liar: Liar, status: int, words: str) -> None:
    """A wrong key, an unknown model and a broken server: one clear line each."""
    liar.endpoint.play(failure(status))
    aeon("doctor", "--model", url(liar)).complains(1, words)
    assert not saved()


@pytest.mark.requirement("X4")
def test_no_endpoint_and_no_such_model(aeon: Aeon) -> None:
    """Nothing listens there, or the name is no model's."""
    aeon("doctor", "--model", "http://127.0.0.1:9/v1#m").complains(1, "cannot reach")
    aeon("doctor", "--model", "nonsense").complains(2, "no model is called 'nonsense'")
    aeon("doctor", "--modle", "x").complains(2, "did you mean --model?")


@pytest.mark.requirement("X4")
def test_a_profile_that_cannot_be_saved(aeon: Aeon, liar: Liar, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder that is a file: one line that names it."""
    home = Path(os.environ["AEON_HOME"])
    home.write_text("")
    aeon("doctor", "--quick", "--model", url(liar)).complains(1, str(home))


@pytest.mark.requirement("J8", "X4")
def test_it_measures_a_judge_and_keeps_what_it_found(aeon: Aeon, liar: Liar) -> None:
    """The most calls stand before the first; the profile has the calibrations, and a later examination keeps them."""
    liar.logprobs = False
    outcome = aeon("doctor", "--judge", "--model", url(liar))
    assert outcome.code == 0 and "cases of 13 judgments: at most" in outcome.err
    told = " ".join(outcome.out.split())
    assert "results" in told and "too poor" in told and "saved in" in told  # one that always says the same
    (path,) = saved()
    assert len(json.loads(path.read_text(encoding="utf-8"))["judgments"]) == 13
    later = aeon("doctor", "--quick", "--model", url(liar))
    assert "as a judge it was measured" in " ".join(later.out.split())
    assert len(json.loads(path.read_text(encoding="utf-8"))["judgments"]) == 13


@pytest.mark.requirement("J8")
def test_bad_cases_are_told_before_anything_is_asked(aeon: Aeon, liar: Liar, tmp_path: Path) -> None:
    """One line, exit code 2."""
    path = tmp_path / "own.jsonl"
    path.write_text('{"judgment": "task_vague", "label": "perhaps", "task": "x"}', encoding="utf-8")
    outcome = aeon("doctor", "--judge", "--cases", str(path), "--model", url(liar))
    assert outcome.code == 2 and "line 1: label" in outcome.err and not liar.endpoint.bodies
    assert aeon("doctor", "--cases", str(path), "--model", url(liar)).code == 2
