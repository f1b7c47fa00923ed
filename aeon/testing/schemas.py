"""The contracts as JSON Schema (draft 2020-12), made from the models at run time."""

from __future__ import annotations

from typing import Literal, NamedTuple

from jsonschema import Draft202012Validator
from pydantic import BaseModel, JsonValue

from aeon.kernel.effects import AskUser, Effect
from aeon.multipass.effects import (
    AssessConvergence,
    DraftPlan,
    ExecuteStep,
    InferProfile,
    RefinePlan,
    Synthesize,
    ValidatePlan,
    ValidateResults,
)
from aeon.runtime.journal import Begun, Ended, Entry, Opening, Resumed
from aeon.schema import Config, ExecutionHistory, JsonObject, Outcome, Phase, Result, Task, Value

__all__ = ["CONTRACTS", "EFFECTS", "RESULTS", "Contract", "faults", "schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

EFFECTS: dict[Phase, type[Effect]] = {
    effect.phase: effect
    for effect in (
        InferProfile, DraftPlan, ValidatePlan, RefinePlan, ExecuteStep, ValidateResults, AssessConvergence, AskUser,
        Synthesize,
    )
}  # fmt: skip
"""What a handler of each phase is given."""

RESULTS: tuple[type[Value], ...] = tuple(dict.fromkeys(effect.result for effect in EFFECTS.values()))
"""What handlers return."""


class Contract(NamedTuple):
    """One schema: its file's name, its model, and whether it is for what Aeon writes or for what it accepts."""

    name: str
    model: type[BaseModel] | type[Value]
    mode: Literal["validation", "serialization"]
    description: str


def _kebab(model: type[BaseModel] | type[Value]) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in model.__name__).strip("-")


def _of_effect(effect: type[Effect]) -> Contract:
    says = f"effect of phase `{effect.phase}`, answered with a `{effect.result.__name__}`"
    return Contract(f"effect-{_kebab(effect)}", effect, "serialization", says)


def _of_result(result: type[Value]) -> Contract:
    phases = ", ".join(f"`{phase}`" for phase, effect in EFFECTS.items() if effect.result is result)
    return Contract(f"result-{_kebab(result)}", result, "validation", f"what a handler of {phases} returns")


CONTRACTS: tuple[Contract, ...] = (
    *(_of_effect(effect) for effect in EFFECTS.values()),
    *(_of_result(result) for result in RESULTS),
    Contract("task", Task, "validation", "what a user asks for"),
    Contract("config", Config, "validation", "every setting of a run"),
    Contract("outcome", Outcome, "serialization", "the answer to an effect: a value or a typed failure, and its cost"),
    Contract("execution-history", ExecutionHistory, "serialization", "the record of a run: passes, decisions, deltas"),
    Contract("result", Result, "serialization", "what a run returns: the conclusion and its history"),
    Contract("journal-opening", Opening, "serialization", "the first line of a journal"),
    Contract("journal-entry", Entry, "serialization", "a line of a journal: one effect and its outcome"),
    Contract("journal-begun", Begun, "serialization", "a line of a journal: a tool is about to change the world"),
    Contract("journal-resumed", Resumed, "serialization", "a line of a journal: the run is taken up again"),
    Contract("journal-ended", Ended, "serialization", "a line of a journal: the run has ended"),
)
"""Every contract, in the order of the table in ``contracts/README.md``."""


def schema(contract: Contract) -> JsonObject:
    """The contract's JSON Schema."""
    made: JsonObject = contract.model.model_json_schema(mode=contract.mode)
    if contract.model is Outcome:
        made = _with_values(made)
    return {"$schema": DIALECT, "$id": f"{contract.name}.json", **made}


def faults(value: Value) -> list[str]:
    """Where a value, as JSON, does not fit the schema of its own type."""
    checker = Draft202012Validator(type(value).model_json_schema(mode="validation"))
    errors = checker.iter_errors(value.model_dump(mode="json"))
    return [f"{'/'.join(map(str, error.absolute_path)) or 'value'}: {error.message}" for error in errors]


def _with_values(made: JsonObject) -> JsonObject:
    """The schema of an outcome with the results that its value may be; the model says only that it is some value."""
    values: list[JsonValue] = []
    definitions: dict[str, JsonValue] = {}
    for result in RESULTS:
        own = result.model_json_schema(mode="serialization")
        definitions |= own.pop("$defs", {}) | {result.__name__: own}
        values.append({"$ref": f"#/$defs/{result.__name__}"})
    known, properties = made.get("$defs"), made.get("properties")
    if isinstance(known, dict) and isinstance(properties, dict):
        definitions |= {name: each for name, each in known.items() if name != "Value"}
        properties = properties | {"value": {"anyOf": [*values, {"type": "null"}], "default": None}}
    return made | {"$defs": definitions, "properties": properties}
