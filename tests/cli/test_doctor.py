"""``aeon doctor`` as a person meets it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from doctor.played_liar import Liar
from played_endpoint import failure
from played_endpoint import served as liars

from aeon.doctor.form_tasks import shipped_tasks

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
    """All files below the cache folder, but for what each request notes of its endpoint."""
    home = Path(os.environ["AEON_HOME"])
    return [each for each in home.rglob("*") if each.is_file() and each.parent != home / "probes"]


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
    assert outcome.code == 0 and "cases of 14 judgments: at most" in outcome.err
    told = " ".join(outcome.out.split())
    assert "results" in told and "too poor" in told and "saved in" in told  # one that always says the same
    (path,) = saved()
    assert len(json.loads(path.read_text(encoding="utf-8"))["judgments"]) == 14
    later = aeon("doctor", "--quick", "--model", url(liar))
    assert "as a judge it was measured" in " ".join(later.out.split())
    assert len(json.loads(path.read_text(encoding="utf-8"))["judgments"]) == 14


@pytest.mark.requirement("J8")
def test_bad_cases_are_told_before_anything_is_asked(aeon: Aeon, liar: Liar, tmp_path: Path) -> None:
    """One line, exit code 2."""
    path = tmp_path / "own.jsonl"
    path.write_text('{"judgment": "task_vague", "label": "perhaps", "task": "x"}', encoding="utf-8")
    outcome = aeon("doctor", "--judge", "--cases", str(path), "--model", url(liar))
    assert outcome.code == 2 and "line 1: label" in outcome.err and not liar.endpoint.bodies
    assert aeon("doctor", "--cases", str(path), "--model", url(liar)).code == 2


@pytest.fixture
def few_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks instead of a dozen."""
    monkeypatch.setattr("aeon.cli.doctor_forms.shipped_tasks", lambda: shipped_tasks()[:2])


def profile_of(path: Path) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return kept


@pytest.mark.requirement("W2")
@pytest.mark.usefixtures("few_tasks")
def test_it_measures_the_work_forms_and_keeps_what_it_found(aeon: Aeon, liar: Liar) -> None:
    """The runs and the most calls stand before the first; what was said instead is shown; plain doctor keeps it."""
    assert "not measured (--forms)" in " ".join(aeon("doctor", "--quick", "--model", url(liar)).out.split())
    outcome = aeon("doctor", "--forms", "--model", url(liar))
    assert outcome.code == 0 and "4 runs, at most 101 calls and 16 minutes" in outcome.err
    told = " ".join(outcome.out.split())
    for words in (
        "count en wrong,", "tools 0 of 2 right, 0 of these with a clean verdict;", "Wrong answers", "18 was expected:",
        "Work form: program.", "saved in",
    ):  # fmt: skip
        assert words in told, told
    (path,) = [one for one in saved() if one.parent.name == "profiles"]
    before = profile_of(path)
    assert [one["right"] for one in before["forms"]] == [0, 0] and before["capabilities"]["form"] == "program"
    later = aeon("doctor", "--quick", "--model", url(liar))
    said = "work form: program, measured: 0 of 2 right (tools 0 of 2)"
    assert said in " ".join(later.out.split())
    document = aeon("doctor", "--quick", "--json", "--model", url(liar)).document
    assert document["forms"] == before["forms"] and document["capabilities"]["form"] == "program"
    assert profile_of(path)["forms"] == before["forms"]


@pytest.mark.requirement("W2")
@pytest.mark.usefixtures("few_tasks")
def test_forms_as_a_document(aeon: Aeon, liar: Liar) -> None:
    """``--json`` gives the scores, each run with its answer, and the profile's path."""
    document = aeon("doctor", "--forms", "--json", "--model", url(liar)).document
    assert [(one["form"], one["asked"]) for one in document["findings"]["scores"]] == [("tools", 2), ("program", 2)]
    assert len(document["findings"]["runs"]) == 4 and document["findings"]["form"] == "program"
    assert Path(document["saved"]).is_file() and document["native"] is False


@pytest.mark.requirement("W2")
def test_a_run_takes_the_form_that_was_measured_unless_another_is_named(aeon: Aeon, liar: Liar) -> None:
    """What the profile says counts for a later process; ``--form`` goes before it."""
    aeon("doctor", "--quick", "--model", url(liar))
    (path,) = saved()
    kept = profile_of(path)
    path.write_text(json.dumps(kept | {"capabilities": kept["capabilities"] | {"form": "tools"}}), encoding="utf-8")

    def form(*options: str) -> str:
        document = aeon("run", "What is 2 + 2?", "--model", url(liar), "--json", *options).document
        found: str = document["history"]["preparation"]["profile"]["form"]
        return found

    assert (form(), form("--form", "program")) == ("tools", "program")


@pytest.mark.requirement("W2")
@pytest.mark.usefixtures("few_tasks")
@pytest.mark.parametrize("calls", [0, 4])
def test_an_endpoint_that_dies_while_forms_are_measured(aeon: Aeon, liar: Liar, calls: int) -> None:
    """One line beside what was announced, exit code 1, and no score."""
    aeon("doctor", "--quick", "--model", url(liar))
    (path,) = saved()
    before = profile_of(path)
    liar.dies_after = len(liar.endpoint.bodies) + calls
    outcome = aeon("doctor", "--forms", "--model", url(liar))
    *_, last = outcome.err.splitlines()
    assert outcome.code == 1 and last.startswith("aeon: ") and "crashed" in last and "Traceback" not in outcome.err
    assert calls == 0 or "broke off at the task 'count' in the form program, and nothing of it was saved" in last
    assert profile_of(path) == before


@pytest.mark.requirement("W2")
def test_forms_and_judge_are_two_steps(aeon: Aeon, liar: Liar) -> None:
    """Both at once are refused before anything is asked."""
    aeon("doctor", "--forms", "--judge", "--model", url(liar)).complains(2, "--forms and --judge are two steps")
    assert not liar.endpoint.bodies
