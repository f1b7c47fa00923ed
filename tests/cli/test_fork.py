"""``aeon replay``, ``aeon fork`` and ``aeon diff``: runs derived again, given other futures, and compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon import Config, Journal, notebook
from aeon.schema import Usage

from .conftest import Outcome, up_to_entry
from .played_model import Model

pytestmark = pytest.mark.usefixtures("thorough")

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"


@pytest.fixture
def saved(aeon: Aeon, model: Model, tmp_path: Path) -> Path:
    """The journal of a run that converged."""
    assert aeon("run", TASK, "--model", model.url, "--save", str(tmp_path / "run.jsonl")).code == 0
    model.bodies.clear()
    return tmp_path / "run.jsonl"


@pytest.mark.requirement("H3", "X3")
def test_a_replay_is_bit_identical_and_asks_no_model(aeon: Aeon, model: Model, saved: Path) -> None:
    """It says how many effects it replayed, the digest of the history, and how the run ended."""
    done = aeon("replay", str(saved))
    assert (done.code, done.err) == (0, "") and not model.bodies
    effects = len(Journal.read(saved).entries)
    assert f"replayed {effects} effects, bit-identical: " in done.shown and "converged  1 pass" in done.shown
    found = aeon("replay", str(saved), "--json").document
    assert found["effects"] == effects and found["compared"] and found["digest"] in done.shown


@pytest.mark.requirement("H3", "X3")
def test_a_run_that_has_not_ended_is_replayed_as_far_as_it_goes(aeon: Aeon, saved: Path) -> None:
    """It says how far that is, and how to continue."""
    saved.write_bytes(up_to_entry(saved.read_bytes(), 3))
    done = aeon("replay", str(saved))
    assert done.code == 0 and "replayed 3 effects" in done.shown and f"aeon resume {saved}" in done.err
    assert aeon("replay", str(saved), "--json").document["stop_reason"] is None


@pytest.mark.requirement("H3", "X3")
def test_the_first_divergence_is_named(aeon: Aeon, saved: Path) -> None:
    """Where the program asks for something else than was recorded, it is exit code 1 and the entry's number."""
    journal = Journal.read(saved)
    with_other = saved.with_name("other")
    every = sorted(journal.entries.items())
    entries = [entry if number != 2 else entry.changed(fingerprint="0" * 16) for number, entry in every]
    Journal.written(journal.opened, entries, with_other).close()
    aeon("replay", str(with_other)).complains(1, "entry 2", "validate_plan")


@pytest.mark.requirement("H3")
def test_every_effect_has_its_line_and_its_number(aeon: Aeon, saved: Path) -> None:
    """Number, phase, what came of it in short, model calls and seconds."""
    done = aeon("history", str(saved), "--format", "effects")
    lines = done.out.splitlines()
    assert len(lines) == 1 + len(Journal.read(saved).entries)
    assert max(map(len, lines)) <= 80
    for number, words in ((0, "profile"), (1, "1 step: What do 17 pens"), (3, "write s1"), (9, "converged 1.00")):
        assert lines[number + 1].lstrip().startswith(str(number)) and words in lines[number + 1]


@pytest.mark.requirement("H3")
def test_a_fork_has_the_same_past_and_another_future(aeon: Aeon, model: Model, saved: Path) -> None:
    """Only what comes after is asked for; the new run is saved under the first free name, the old one untouched."""
    before = saved.read_bytes()
    done = aeon("fork", str(saved), "--at", "8", "--set", "convergence.completeness=0.5", "--set", "max_passes=2")
    assert done.code == 0 and "Resumed after 8 effects" in done.shown
    assert len(done.errors) == 1 and "run.fork1.jsonl" in done.errors[0]
    forked = Journal.read(saved.with_name("run.fork1.jsonl"))
    config = forked.config(Config)
    assert config.convergence.completeness == 0.5 and config.max_passes == 2
    assert forked.opened.parent is not None and forked.opened.parent.at == 8
    old = Journal.read(saved)
    assert [forked.entries[n].value for n in range(8)] == [old.entries[n].value for n in range(8)]
    assert saved.read_bytes() == before
    assert aeon("fork", str(saved), "--at", "0", "--json").code == 0
    assert saved.with_name("run.fork2.jsonl").exists()


@pytest.mark.requirement("H3")
def test_a_fork_can_give_an_effect_another_outcome(aeon: Aeon, saved: Path) -> None:
    """What the program gave is what was given; a diff names it as the first divergence."""
    other = str(saved.with_name("other"))
    done = aeon("fork", str(saved), "--at", "4", "--value", '{"values": [41]}', "--save", other)
    assert done.code == 3 and "= 41" in done.shown and other in done.err
    assert "disagreement  1 pass" in done.shown and "0 supported" in done.shown  # the other way still gives 40.8
    assert "altered  run program program of step s1: = 41" in done.shown
    found = aeon("diff", str(saved), other)
    assert found.code == 1 and "effect 4, run program, program of step s1" in found.out
    assert "value.values.0: 40.8 | 41" in found.out
    assert "altered in b: the outcome of effect 4" in found.out
    assert "altered: = 41" in aeon("history", other, "--format", "effects").out
    assert aeon("replay", other).code == 0


@pytest.mark.requirement("H3")
def test_every_view_of_a_fork_says_what_was_put_in(aeon: Aeon, saved: Path) -> None:
    """Report, record, replay, their JSON, the page and a fork of the fork name it; the digest is of the rest."""
    other, third = (str(saved.with_name(name)) for name in ("other", "third"))
    mark = "altered: whoever forked the run put in the outcome of effect 4"
    document = aeon("fork", str(saved), "--at", "4", "--value", '{"values": [41]}', "--save", other, "--json").document
    assert document["altered"] == [4] and document["history"]["conclusion"]["altered"] == [4]
    replayed = aeon("replay", other)
    assert replayed.code == 0 and "bit-identical, 1 of them altered: " in replayed.out and mark in replayed.out
    assert aeon("replay", other, "--json").document["altered"] == [4]
    assert mark in aeon("history", other).out
    assert aeon("history", other, "--format", "json").document["conclusion"]["altered"] == [4]
    assert mark in notebook(other)._repr_html_()
    assert mark in aeon("resume", other).shown
    assert mark in aeon("fork", other, "--at", "9", "--save", third).shown
    assert aeon("resume", third, "--json").document["altered"] == [4]
    assert "altered" not in aeon("history", str(saved)).out


@pytest.mark.requirement("H3")
def test_the_limit_on_passes_of_a_fork_decides_from_there_on(aeon: Aeon, saved: Path) -> None:
    """Also where the task's profile was judged before, under the limit of that time."""
    value = {"converged": False, "completeness": 0.6, "standing": "assumed"}
    done = aeon("fork", str(saved), "--at", "9", "--set", "max_passes=1", "--value", json.dumps(value))
    assert done.code == 3 and "ttl expired  1 pass" in done.shown and "all 1 passes are used" in done.shown


@pytest.mark.requirement("H3", "J8")
def test_an_assessment_that_is_put_in_counts_as_a_judgment_only_where_it_says_what_it_is_worth(
    aeon: Aeon, saved: Path
) -> None:
    """Without a standing it is one that nobody made: a run does not converge on it."""
    done = aeon("fork", str(saved), "--at", "9", "--value", json.dumps({"converged": True, "completeness": 1}))
    assert done.code == 3 and "unverified  1 pass" in done.shown


WRONG: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "a lone surrogate": (("--at", "3", "--value", r'{"output": "\ud800"}'), ("--value", "lone surrogate")),
    "a key with one": (("--at", "3", "--value", r'{"output": {"\udc00": 1}}'), ("--value", "lone surrogate")),
    "not a number": (("--at", "3", "--value", '{"output": NaN}'), ("--value", "finite")),
    "a number without end": (("--at", "3", "--value", '{"output": 1e999}'), ("--value", "finite")),
    "out of range": (("--at", "99"), ("--at 99", "there are 0 to 11")),
    "no number": (("--at", "-1"), ("--at", "'-1'")),
    "left out": ((), ("--at",)),
    "an unknown setting": (("--at", "1", "--set", "convergence.completness=1"), ("convergence.completness", "did you")),
    "a setting out of range": (("--at", "1", "--set", "convergence.completeness=7"), ("convergence.completeness", "7")),
    "a setting of another type": (("--at", "1", "--set", "max_passes=many"), ("max_passes", "'many'")),
    "no setting": (("--at", "1", "--set", "max_passes"), ("max_passes", "should look like")),
    "a setting below a value": (("--at", "1", "--set", "max_passes=1", "--set", "max_passes.x=1"), ("max_passes",)),
    "no JSON": (("--at", "1", "--value", "{"), ("--value", "no JSON")),
    "no outcome": (("--at", "1", "--value", "null"), ("--value", "null")),
    "another outcome's": (("--at", "1", "--value", '{"nonsense": 1}'), ("--value", "no Plan")),
    "no effect for it": (("--at", "11", "--value", "{}"), ("--at 11",)),
    "no model": (("--at", "1", "--model", "gpt-9"), ("'gpt-9'",)),
    "no tool": (("--at", "1", "--tools", "calclator"), ("'calclator'", "did you mean calculator?")),
    "an existing file": (("--at", "1", "--save", "SAVED"), ("exists already",)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_fork_is_one_line_and_leaves_nothing(aeon: Aeon, model: Model, saved: Path, name: str) -> None:
    """Exit code 2, no file made, no model asked."""
    arguments, words = WRONG[name]
    done = aeon("fork", str(saved), *(str(saved) if word == "SAVED" else word for word in arguments))
    done.complains(2, *words)
    assert done.out == "" and not model.bodies and list(saved.parent.glob("*.jsonl")) == [saved]


@pytest.mark.requirement("H3", "X3")
def test_the_same_run_twice_does_not_differ(aeon: Aeon, model: Model, saved: Path) -> None:
    """Times and ids are no difference: exit code 0 and one line; no model is asked."""
    once, again = str(saved.with_name("once")), str(saved.with_name("again"))
    for path in (once, again):
        aeon("run", TASK, "--model", model.url, "--save", path)
    model.bodies.clear()
    done = aeon("diff", once, again)
    assert (done.code, done.err) == (0, "") and done.out.startswith("the same: 11 effects, converged")
    assert aeon("diff", once, again, "--json").document["same"] and not model.bodies


@pytest.mark.requirement("H3")
def test_what_an_effect_cost_is_a_divergence_only_where_nothing_else_is(aeon: Aeon, model: Model, saved: Path) -> None:
    """A run that pays for probes of its endpoint costs more: that is found, but it does not hide where runs part."""
    model.words["expression"] = "17 * 2.50"
    aeon("run", TASK, "--model", model.url, "--save", str(saved.with_name("other")))
    for name, where in ((saved.name, "effect 0, profile"), ("other", "effect 3, write, programs for step s1")):
        journal, dearer = Journal.read(saved.with_name(name)), saved.with_name(f"dearer {name}")
        first, *entries = (entry for _, entry in sorted(journal.entries.items()))
        more = first.changed(usage=first.usage + Usage(calls=3))
        Journal.written(journal.opened, [more, *entries], dearer).close()
        done = aeon("diff", str(saved), str(dearer))
        assert done.code == 1 and f"first divergence: {where}: the same was asked for" in done.shown


@pytest.mark.requirement("H3", "X3")
def test_a_difference_is_told_pass_by_pass(aeon: Aeon, model: Model, saved: Path) -> None:
    """Other settings, the first divergence, what differs of each pass, how both ended; as JSON all of it."""
    other = str(saved.with_name("other"))
    model.words["expression"] = "17 * 2.50"
    aeon("run", TASK, "--model", model.url, "--save", other, "--budget-calls", "30")
    done = aeon("diff", str(saved), other)
    assert (done.code, done.err) == (1, "")
    for words in (
        "other settings:", "budget.calls: nothing | 30", "first divergence: effect 3, write", "17 * 2.5",
        "Pass 1", "executed.s1.output: 40.8 | 42.5", "End",
    ):  # fmt: skip
        assert words in done.shown
    found = aeon("diff", str(saved), other, "--json").document
    assert (found["same"], found["settings_from"], found["parting"]["number"]) == (False, 0, 3)
    assert {"path", "a", "b", "only"} == set(found["parting"]["differing"][0])


@pytest.mark.requirement("H3")
def test_a_run_that_broke_off_is_compared_as_far_as_it_goes(aeon: Aeon, saved: Path) -> None:
    """The first effect that only one run has is the divergence."""
    part = saved.with_name("part")
    part.write_bytes(up_to_entry(saved.read_bytes(), 3))
    done = aeon("diff", str(part), str(saved))
    where = "effect 3, write, programs for step s1"
    assert done.code == 1 and f"first divergence: {where}: only b has it" in done.shown
    assert "not ended yet" in done.shown


@pytest.mark.requirement("X1")
def test_the_bound_names_calls_tokens_and_cost(aeon: Aeon, tmp_path: Path) -> None:
    """Before anything is spent, from the settings alone."""
    (tmp_path / "c.toml").write_text("[budget]\ncost = 0.5\n[prices.m]\ninput = 3\noutput = 9\n")
    arguments = ("run", "--bound", "--config", str(tmp_path / "c.toml"), "--model", "http://127.0.0.1:1/v1#m")
    done = aeon(*arguments, "--budget-tokens", "9000000")
    assert done.code == 0 and "9,000,000 tokens and $0.5\n" in done.shown
    assert set(json.loads(aeon("run", "--bound", "--json").out)) == {"calls", "tokens", "cost", "expected"}
