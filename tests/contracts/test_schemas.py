"""The schemas themselves: valid, complete, and true of what a run writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from kernel.shorten import SHORTEN, ShortenSettings, Words
from kernel.world import World

from aeon.assembly.build import build
from aeon.kernel.passes import MULTIPASS
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Begun, Called, Resumed
from aeon.runtime.sealed import sealed
from aeon.schema import Conclusion, Config, Frozen, JsonObject, Outcome, Settings, Task, TaskProfile, Usage, Value
from aeon.testing.obliging import oblige, plainest
from aeon.testing.samples import samples
from scripts.checks.schemas import CONTRACTS, Contract, contracts_of, schema
from tests.proof.proofs import made

FOLDER = Path(__file__).parents[2] / "contracts"
BY_NAME = {contract.name: contract for contract in CONTRACTS}


def fits(value: Value | Frozen | bytes, name: str) -> None:
    """Fail unless the value, as JSON, is valid against the contract of that name in the folder."""
    contract: JsonObject = json.loads((FOLDER / f"{name}.json").read_text())
    text = value if isinstance(value, bytes) else value.model_dump_json()
    Draft202012Validator(contract).validate(json.loads(text))


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_each_contract_is_a_schema_that_says_what_it_is_of(contract: Contract) -> None:
    """Every file is JSON Schema 2020-12 with an id and a title."""
    made = schema(contract)
    Draft202012Validator.check_schema(made)
    assert made["$id"] == f"{contract.name}.json" and made["title"] == contract.model.__name__


@pytest.mark.requirement("H1")
def test_what_a_run_leaves_behind_fits_the_contracts(tmp_path: Path) -> None:
    """Result, history, task, configuration and every line of the journal are valid against their files."""
    path = tmp_path / "run.jsonl"
    orchestrator = build(llm=Scripted(oblige), journal=lambda _: Journal(path))
    result = orchestrator.execute(Task(text="What is 2 + 2?", criteria=("short",)))
    fits(result, "result")
    fits(result.history, "execution-history")
    fits(result.history.task, "task")
    fits(result.history.configuration, "config")
    assert lines_of(path) == {"opening", "called", "entry", "ended"}


def lines_of(path: Path) -> set[str]:
    """The kinds of the lines of a journal, each of which fits its contract as it stands in the file."""
    kinds = set()
    for line in path.read_bytes().splitlines():
        kind = json.loads(line).get("line", "opening")
        fits(line, f"journal-{kind}")
        kinds.add(kind)
    return kinds


@pytest.mark.parametrize("key", ["", "a key of more than sixteen bytes"])
def test_each_line_has_its_seal_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """With the user's key or without one; a line without a seal, with two or with another field does not fit."""
    path = tmp_path / "run.jsonl"
    if key:
        (tmp_path / "key").write_text(key)
        monkeypatch.setenv("AEON_JOURNAL_KEY", str(tmp_path / "key"))
    build(llm=Scripted(oblige), journal=lambda _: Journal(path)).execute(Task(text="What is 2 + 2?"))
    lines_of(path)
    line = json.loads(path.read_bytes().splitlines()[-1])
    name = "mac" if key else "seal"
    checker = Draft202012Validator(json.loads((FOLDER / "journal-ended.json").read_text()))
    bare = {field: value for field, value in line.items() if field != name}
    for other in (bare, line | {"seal": "0" * 16, "mac": "0" * 32}, line | {"more": 1}, line | {name: "none"}):
        assert not checker.is_valid(other)


@pytest.mark.requirement("G6")
def test_a_proof_that_is_changed_in_shape_does_not_fit_its_contract() -> None:
    """A field left out, one too many, another type, a verdict that there is not."""
    checker = Draft202012Validator(json.loads((FOLDER / "proof.json").read_text()))
    document = json.loads(made("The hall costs 1,040 euros a month."))
    assert checker.is_valid(document)
    for change in ({"version": 2}, {"limits": "none"}, {"more": 1}, {"digest": "0"}, {"journal": {"lines": 1}}):
        assert not checker.is_valid(document | change)
    document["claims"][0]["verdict"] = "proven"
    assert not checker.is_valid(document)


RARE = (Called(number=3, most=Usage(calls=2)), Begun(number=3, tool="mail"), Resumed(void=(3,)))


@pytest.mark.parametrize("line", RARE, ids=lambda line: line.line)
def test_a_line_of_a_journal_that_most_runs_do_not_have_fits_its_contract(line: Frozen) -> None:
    """Calls under way, tools that change the world, and resumptions have a contract each."""
    whole, _ = sealed(line.model_dump_json().encode(), "")
    fits(whole, f"journal-{type(line).__name__.lower()}")


@pytest.mark.requirement("M1")
def test_the_contracts_of_any_engine_follow_from_it() -> None:
    """Its effects, results, configuration and record; what a run of it leaves behind fits them, and the shared ones."""
    schemas = {contract.name: schema(contract) for contract in contracts_of(SHORTEN)}
    names = {"effect-shorten", "effect-ask-user", "result-words", "result-reply", "shorten-settings", "shortened"}
    assert set(schemas) == names
    result = World(shorten=lambda effect, _: Words(text=effect.text[:9])).run_on(SHORTEN, ShortenSettings())
    Draft202012Validator(schemas["shortened"]).validate(json.loads(result.model_dump_json()))
    fits(Conclusion(**{name: getattr(result, name) for name in Conclusion.model_fields}), "conclusion")
    fits(Settings(), "settings")


@pytest.mark.parametrize("phase", MULTIPASS.phases)
def test_sample_effects_fit_the_contracts(phase: str) -> None:
    """What a handler is given is what its contract says."""
    names = {contract.model: contract.name for contract in CONTRACTS}
    for effect in samples(MULTIPASS, phase):
        fits(effect, names[type(effect)])


def test_an_outcome_carries_a_result() -> None:
    """The value of an outcome is one of the results, with its fields."""
    fits(Outcome(value=TaskProfile()), "outcome")
    contract = schema(BY_NAME["outcome"])
    assert not Draft202012Validator(contract).is_valid(
        json.loads(Outcome().model_dump_json()) | {"value": {"no such": "field"}}
    )


def test_a_setting_with_a_typo_does_not_fit_the_configuration() -> None:
    """Unknown fields are refused by the contract as they are by the model."""
    checker = Draft202012Validator(schema(BY_NAME["config"]))
    assert checker.is_valid(json.loads(Config().model_dump_json())) and not checker.is_valid({"max_pases": 3})


@pytest.mark.parametrize("contract", [c for c in CONTRACTS if c.name.startswith("result-")], ids=lambda c: c.name)
def test_the_plainest_value_of_a_result_is_valid(contract: Contract) -> None:
    """What the obliging model would answer for a result's schema fits it, but for patterns."""
    made = schema(contract)
    Draft202012Validator(made).validate(plainest(made))
