"""In which form a model works better: measured by whole runs on tasks with known answers, and kept in its profile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from doctor.played_liar import Liar
from doctor.played_worker import Worker
from doctor.test_checkup import examined

from aeon import Config, build
from aeon.cli.doctor_forms import FormReport, measured_forms
from aeon.doctor.advice import advice
from aeon.doctor.checkup import profile_of
from aeon.doctor.form_tasks import FormTask, is_right, shipped_folder, shipped_tasks, tasks_digest
from aeon.doctor.forms import with_forms
from aeon.errors import EndpointFailed
from aeon.proof.figures import values_of_source
from aeon.schema import Bound, Conclusion, WorkForm
from aeon.schema.calibration import Calibration
from aeon.schema.form_scores import FormScore, preferred

pytestmark = pytest.mark.requirement("W2")
TASKS = {task.name: task for task in shipped_tasks()}
FEW = ("count", "filtered sum")


def score(form: WorkForm, right: int, native: bool = True, **changes: object) -> FormScore:
    return FormScore(
        form=form, tasks=tasks_digest(), asked=12, right=right, clean=right, native=native, calls=40, tokens=9_000,
        seconds=80.0,
    ).changed(**changes)  # fmt: skip


def ended(answer: str, stop_reason: str = "converged") -> Conclusion:
    return Conclusion(
        execution_id="1", engine="e", answer=answer, stop_reason=stop_reason, bound=Bound(calls=1, tokens=1),
        sufficient=stop_reason == "converged",
    )  # fmt: skip


def measured(worker: Worker, monkeypatch: pytest.MonkeyPatch, names: Collection[str] = FEW) -> FormReport:
    """What ``aeon doctor --forms`` finds on some of the tasks."""
    monkeypatch.setattr("aeon.cli.doctor_forms.shipped_tasks", lambda: tuple(TASKS[name] for name in names))
    worker.examined()
    return asyncio.run(measured_forms(worker, lambda _: None))


def right(report: FormReport) -> dict[str, int]:
    return {one.form: one.right for one in report.findings.scores}


def form_of(worker: Worker, config: Config | None = None) -> str:
    """The form in which a run of the model works."""
    with shipped_folder() as folder:
        result = build(llm=worker, files=folder, config=config or Config()).execute(TASKS["filtered sum"].text)
    return result.history.preparation.profile.form


def test_the_expected_values_follow_from_the_folder() -> None:
    """Each is computed again by other means than the tasks' file."""
    with shipped_folder() as folder:
        chronicle, rules = ((folder / name).read_text(encoding="utf-8") for name in ("chronik.txt", "house_rules.md"))
        tables = duckdb.connect()
        for name in ("sessions", "telescopes"):
            tables.execute(f"CREATE TABLE {name} AS FROM '{folder / name}.csv'")

        def values(query: str) -> list[str]:
            return [str(value) for row in tables.execute(query).fetchall() for value in row]

        both = "SELECT * FROM sessions JOIN telescopes USING (telescope)"
        free = re.search(r"more\s+than (\d+) percent of cloud is not charged", rules)
        comet = re.search(r"der Sitzung (N-\d+) der Komet Halden", chronicle)
        repaired = re.search(r"die Kuppel; sie wurde (\d{4})\s+repariert", chronicle)
        assert free and comet and repaired and "at the Vega members pay the full hourly" in rules
        fee = values("SELECT hourly_fee FROM telescopes WHERE telescope = 'Vega'")[0]
        clear = values("SELECT session FROM sessions WHERE cloud_percent <= 10")
        expected: dict[str, list[str]] = {
            "count": values("SELECT COUNT(*) FROM sessions WHERE cloud_percent < 50"),
            "filtered sum": values("SELECT SUM(hours) FROM sessions WHERE telescope = 'Vega'"),
            "join": values(f"SELECT SUM(hours) FROM ({both}) WHERE keeper = 'Ruth Amsel'"),
            "rule": values(f"SELECT SUM(hours) FROM sessions WHERE cloud_percent > {free[1]}"),
            "exception": [str(3 * int(fee))],
            "fact": [repaired[1]],
            "two lookups": values(f"SELECT observer FROM sessions WHERE session = '{comet[1]}'"),
            "not there": ["not_stated"],
            "difference": values("SELECT MAX(mirror_cm) - MIN(mirror_cm) FROM telescopes"),
            "maximum": values(
                "SELECT observer, SUM(hours) FROM sessions GROUP BY observer ORDER BY SUM(hours) DESC LIMIT 1"
            ),
            "list": clear,
            "arithmetic": [str(Fraction("17.5") * 48 - 126)],
        }
        assert {name: task.expected.split(", ") for name, task in TASKS.items()} == expected
        assert Fraction(TASKS["exception"].not_numbers[0]) == Fraction(3 * int(fee), 2)
        others = values("SELECT session FROM sessions WHERE cloud_percent > 10")
        assert TASKS["list"].not_names == tuple(others)
        observers = values("SELECT DISTINCT observer FROM sessions ORDER BY observer")
        assert {*TASKS["two lookups"].not_names, *TASKS["two lookups"].names} == {*observers}


def test_who_copies_out_the_folder_is_not_right() -> None:
    """No number that must be computed stands in it, and what is not there has no trace."""
    with shipped_folder() as folder:
        whole = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()))
    stands = {form.read.number for one in values_of_source(whole) for form in one.forms}
    computed = [task for task in TASKS.values() if task.numbers and task.name != "fact"]
    assert len(computed) == 8
    assert all(not stands.issuperset(map(Fraction, task.numbers)) for task in computed)
    assert not re.search(r"phone|telef|\d{5}", whole.casefold())
    assert not any(is_right(task, ended(whole)) for name, task in TASKS.items() if name != "fact")


def test_the_tasks_are_a_dozen_in_several_languages() -> None:
    """Each with something to hold an answer against; the digest names the set and the folder."""
    assert len(TASKS) == 12 and {task.language for task in TASKS.values()} == {"en", "de", "fr", "es", "zh"}
    assert all(task.expected for task in TASKS.values()) and re.fullmatch("[0-9a-f]{12}", tasks_digest())
    names = [name for task in TASKS.values() for name in (*task.names, *task.not_names)]
    assert names and all(map(str.isascii, names)), "names are looked for by their Latin letters and digits"


@pytest.mark.parametrize("answer", [
    "1250", "1,250", "1.250", "1 250", "1\N{NARROW NO-BREAK SPACE}250", "1'250", "**1,250**", "1250.00", "1.250,00 €",
    "€1,250", "„1.250“", "It is “1,250 hours”.", "一共1250小时。", "一共是,1250小时。", "Summe=1250", "| sum | 1250 |",
    "`1250`", "1250 [1]", '{"sum": 1250}', "\N{FULLWIDTH DIGIT ONE}250", "1.25 thousand", "\\boxed{1250}",
])  # fmt: skip
def test_a_number_counts_in_any_notation(answer: str) -> None:
    """Grouped, with decimals, with a unit, in quotes, in another script, beside letters that take no space."""
    task = FormTask(name="t", language="en", text="?", numbers=("1250",))
    assert is_right(task, ended(answer))


@pytest.mark.parametrize("answer", ["12500", "125", "1,25", "0.1250", "x1250y1", "I do not know.", "", "1250-7 N-1250"])
def test_another_number_does_not_count(answer: str) -> None:
    """Not one that only has the same digits in it; what stands alone in a text counts."""
    task = FormTask(name="t", language="en", text="?", numbers=("1250",), not_numbers=("7",))
    assert not is_right(task, ended(answer))


@pytest.mark.parametrize(("answer", "is_so"), [
    ("Yuki Mori", True), ("It was yuki  mori.", True), ("观测者是Yuki Mori。", True), ("**Yuki Mori** (N-215)", True),
    ("Yuki Morison", False), ("Yuki", False), ("Yuki Mori or Ana Lucero", False), ("", False),
])  # fmt: skip
def test_a_name_counts_as_a_whole(answer: str, is_so: bool) -> None:
    """Whatever stands around it; a second name beside it is a guess."""
    assert is_right(TASKS["two lookups"], ended(answer)) is is_so


def test_a_list_has_all_ids_and_no_other() -> None:
    """With hyphens of any kind."""
    ids = TASKS["list"].names
    assert is_right(TASKS["list"], ended("\n".join(f"- {one}" for one in ids)))
    assert is_right(TASKS["list"], ended(", ".join(ids).replace("-", "\N{NON-BREAKING HYPHEN}")))
    assert not is_right(TASKS["list"], ended(", ".join(ids[1:])))
    assert not is_right(TASKS["list"], ended(", ".join((*ids, "N-209"))))


def test_how_a_run_ended_counts_where_nothing_is_stated_and_where_it_was_not_done() -> None:
    """What is not there is right by the stop reason; an answer counts with any but those of a run that was cut off."""
    assert is_right(TASKS["not there"], ended("I found no number.", "not_stated"))
    assert not is_right(TASKS["not there"], ended("I found no number.", "converged"))
    assert is_right(TASKS["count"], ended("18", "unverified"))
    assert not any(is_right(TASKS["count"], ended("18", end)) for end in ("failed", "calls_exhausted"))


def test_more_right_answers_decide_and_at_a_draw_native_calls_do() -> None:
    """``tools`` where calls are native, else ``program``; without scores nothing."""
    assert preferred([score("tools", 5), score("program", 4)]) == "tools"
    assert preferred([score("tools", 4), score("program", 5)]) == "program"
    assert preferred([score("tools", 5), score("program", 5)]) == "tools"
    assert preferred([score("tools", 5, native=False), score("program", 5, native=False)]) == "program"
    assert preferred([]) is None


def test_a_model_that_is_good_with_tools_is_measured_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """All the tasks, by the runs that users make; what is kept says how many calls and tokens they took."""
    worker = Worker("tools")
    report = measured(worker, monkeypatch, TASKS)
    tools, program = report.findings.scores
    assert (report.findings.form, tools.right, tools.asked) == ("tools", 12, 12)
    assert program.right <= 1 and 0 < tools.clean <= 12 and tools.calls > 24 and tools.tokens > 1_000
    assert program.asked == program.right + 1, "one wrong answer is enough to lose to twelve right ones"
    assert worker.profile.forms == (tools, program) and worker.profile.capabilities.form == "tools"
    assert [one.task for one in report.findings.runs] == [*TASKS, *[*TASKS][: program.asked]]


def test_a_model_that_is_good_with_programs_works_by_them_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though its endpoint calls tools; ``--form`` and the setting go before what was measured."""
    worker = Worker("program")
    assert form_of(worker) == "tools"
    assert right(measured(worker, monkeypatch)) == {"tools": 0, "program": 2}
    assert form_of(worker) == "program"
    assert form_of(worker, Config(form="tools")) == "tools"


@pytest.mark.parametrize(("native", "form"), [(True, "tools"), (False, "program")])
def test_at_a_draw_native_calls_decide(native: bool, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equally good; without native calls the turns are JSON actions, and are measured, too."""
    worker = Worker("tools", "program", native=native)
    report = measured(worker, monkeypatch)
    assert right(report) == {"tools": 2, "program": 2} and report.findings.form == form
    assert report.native is native and form_of(worker) == form


def test_json_actions_may_be_better_than_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a run works in turns without native calls."""
    worker = Worker("tools", native=False)
    assert measured(worker, monkeypatch).findings.form == "tools"
    assert form_of(worker) == "tools"


def test_no_more_calls_are_made_than_were_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The most stands before the first request."""
    worker = Worker()
    measured(worker, monkeypatch)
    announced = re.search(
        r"2 tasks in the forms .* 4 runs, at most (\d+) calls and 16 minutes", capsys.readouterr().err
    )
    assert announced and len(worker.requests) <= int(announced[1]) == 1 + 4 * 25


@pytest.mark.parametrize(("read", "written", "minutes"), [(55.0, 26.0, 18), (30.0, 15.0, 33), (2.0, 1.0, 80)])
def test_a_slow_endpoint_gets_more_time(
    read: float, written: float, minutes: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For each of four runs the time of as many tokens at its measured speed, within limits; else time would decide."""
    worker = Worker()
    monkeypatch.setattr(worker, "examined", lambda: Worker.examined(worker, prompt=read, generated=written))
    measured(worker, monkeypatch)
    assert f"calls and {minutes} minutes" in capsys.readouterr().err


@pytest.mark.parametrize("requests", [0, 1, 6, 9])
def test_an_endpoint_that_dies_leaves_no_scores(requests: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One error, wherever the measurement was; the profile is as it was."""
    worker = Worker("tools", "program", dies_after=requests)
    where = "broke off at the task .* nothing of it was saved: .*crashed" if requests else "^the model has crashed"
    with pytest.raises(EndpointFailed, match=where):
        measured(worker, monkeypatch)
    assert worker.profile == worker.examined()


def test_who_breaks_it_off_saves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the second task."""
    worker = Worker("tools")
    before = worker.examined()

    def stage(name: str) -> None:
        if "tools, task 2" in name:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(measured_forms(worker, stage))
    assert worker.profile == before


def test_a_later_examination_keeps_the_scores_of_the_same_endpoint(liar: Liar) -> None:
    """And with them the form; another model, and one that calls tools in another way by now, is not measured."""
    found = examined(liar)
    scores = (score("tools", 11, native=False), score("program", 8, native=False))
    before = with_forms(profile_of(found), scores)
    after = profile_of(found, before)
    assert after.forms == scores and after.capabilities.form == "tools"
    assert profile_of(found, before.changed(answered_as="another")).forms == ()
    native = profile_of(found.changed(tools=True), before)
    assert native.forms == () and native.capabilities.form is None


def test_advice_says_what_was_measured(liar: Liar) -> None:
    """The form with its score and the other's; where nothing was measured, by which option it can be."""
    found = examined(liar)
    assert advice(found)[0].startswith("work form: program, not measured (--forms): ")
    scores = (score("tools", 11), score("program", 8))
    said = advice(found, forms=scores)[0]
    assert said.startswith("work form: tools, measured: 11 of 12 right (program 8 of 12): the work is done in a loop")
    earlier = tuple(one.changed(tasks="0" * 12) for one in scores)
    assert "(program 8 of 12); the tasks are others by now (--forms): " in advice(found, forms=earlier)[0]
    assert advice(found, Config(form="program"), forms=scores)[0].startswith("work form: program, measured: 8 of 12")
    assert "structured verdict" in " ".join(advice(found, forms=scores))


def test_advice_speaks_of_no_judgment_that_is_not_asked_or_does_not_decide(liar: Liar) -> None:
    """At a model tier without a verifier none is asked; a verdict that was measured to be too poor decides nothing."""
    found = examined(liar)
    for tier in ("T0", "T1"):
        said = " ".join(advice(found, Config(model_tier=tier)))
        assert f"no judgment is asked at model tier {tier}" in said and "is judged in one" not in said
    poor = Calibration(
        model=found.model, judgment="results", form="verdict", wording="w", scale=1, shift=0, auroc=0.6, cases=40
    )
    said = " ".join(advice(found, Config(form="tools"), judged=(poor,)))
    assert "measured to be too poor: it decides nothing" in said and "is judged in one" not in said
    good = " ".join(advice(found, Config(form="tools"), judged=(poor.changed(auroc=0.9),)))
    assert "an answer is judged in one structured verdict" in good


def test_the_folder_of_the_tasks_is_shipped() -> None:
    """Two tables and a few texts, beside the tasks and apart from what is expected."""
    with shipped_folder() as folder:
        names = {path.name for path in Path(folder).iterdir()}
    assert names == {"sessions.csv", "telescopes.csv", "house_rules.md", "chronik.txt", "visites.txt"}
