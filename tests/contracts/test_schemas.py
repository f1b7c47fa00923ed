"""The schemas themselves: valid, complete, and true of what a run writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from aeon.assembly.build import build
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Entry, Journal
from aeon.schema import Config, Value, JsonObject, Outcome, Task, TaskProfile
from aeon.testing.obliging import oblige, plainest
from aeon.testing.samples import samples
from aeon.testing.schemas import CONTRACTS, EFFECTS, Contract, schema

FOLDER = Path(__file__).parents[2] / "contracts"
BY_NAME = {contract.name: contract for contract in CONTRACTS}


def fits(value: Value, name: str) -> None:
    """Fail unless the value, as JSON, is valid against the contract of that name in the folder."""
    contract: JsonObject = json.loads((FOLDER / f"{name}.json").read_text())
    Draft202012Validator(contract).validate(json.loads(value.model_dump_json()))


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_each_contract_is_a_schema_that_says_what_it_is_of(contract: Contract) -> None:
    """Every file is JSON Schema 2020-12 with an id and a title."""
    made = schema(contract)
    Draft202012Validator.check_schema(made)
    assert made["$id"] == f"{contract.name}.json" and made["title"] == contract.model.__name__


@pytest.mark.requirement("H1")
def test_what_a_run_leaves_behind_fits_the_contracts() -> None:
    """Result, history, task, configuration and every line of the journal are valid against their files."""
    journals: list[Journal] = []

    def journal() -> Journal:
        journals.append(Journal())
        return journals[-1]

    result = build(llm=Scripted(oblige), journal=journal).execute(Task(text="What is 2 + 2?", criteria=("short",)))
    fits(result, "result")
    fits(result.history, "execution-history")
    fits(result.history.task, "task")
    fits(result.history.configuration, "config")
    (written,) = journals
    assert written.opening is not None and written.entries
    fits(written.opening, "journal-opening")
    for entry in written.entries.values():
        assert isinstance(entry, Entry)
        fits(entry, "journal-entry")


@pytest.mark.parametrize("phase", EFFECTS)
def test_sample_effects_fit_the_contracts(phase: str) -> None:
    """What a handler is given is what its contract says."""
    names = {contract.model: contract.name for contract in CONTRACTS}
    for effect in samples(phase):  # type: ignore[arg-type]
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
