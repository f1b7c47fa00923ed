"""The contracts as JSON Schema (draft 2020-12), made from the models at run time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from jsonschema import Draft202012Validator
from pydantic import BaseModel, JsonValue

from aeon.engines.research.program import RESEARCH
from aeon.kernel.effects import AskUser, Effect
from aeon.multipass.program import MULTIPASS
from aeon.runtime.lines import Begun, Called, Ended, Entry, Opening, Resumed
from aeon.runtime.replay import AnyEngine
from aeon.schema import Conclusion, ExecutionHistory, JsonObject, Outcome, Settings, Task, Value

__all__ = ["CONTRACTS", "ENGINES", "Contract", "contracts_of", "faults", "schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Contract(NamedTuple):
    """One schema: its file's name, its model, and whether it is for what Aeon writes or for what it accepts."""

    name: str
    model: type[BaseModel] | type[Value]
    mode: Literal["validation", "serialization"]
    description: str


def contracts_of(engine: AnyEngine) -> tuple[Contract, ...]:
    """What an engine asks for and accepts: each effect, each result, its configuration and the record of its runs."""
    effects = engine.phases.values()
    return (
        *(_of_effect(effect) for effect in effects),
        *(_of_result(result, effects) for result in _results(effects)),
        Contract(_kebab(engine.config), engine.config, "validation", f"every setting of a run on `{engine.name}`"),
        Contract(_kebab(engine.result), engine.result, "serialization", f"what a run on `{engine.name}` returns"),
    )


def _kebab(model: type[BaseModel] | type[Value]) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in model.__name__).strip("-")


def _of_effect(effect: type[Effect]) -> Contract:
    description = f"effect of phase `{effect.phase}`, answered with a `{effect.result.__name__}`"
    return Contract(f"effect-{_kebab(effect)}", effect, "serialization", description)


def _of_result(result: type[Value], effects: Iterable[type[Effect]]) -> Contract:
    phases = ", ".join(f"`{effect.phase}`" for effect in effects if effect.result is result)
    return Contract(f"result-{_kebab(result)}", result, "validation", f"what a handler of {phases} returns")


def _results(effects: Iterable[type[Effect]]) -> tuple[type[Value], ...]:
    """What handlers of these effects return, each kind once."""
    return tuple(dict.fromkeys(effect.result for effect in effects))


_OF_EVERY_RUN = (
    Contract("task", Task, "validation", "what a user asks for"),
    Contract("settings", Settings, "validation", "the settings that every engine's configuration has"),
    Contract("outcome", Outcome, "serialization", "the answer to an effect: a value or a typed failure, and its cost"),
    Contract("conclusion", Conclusion, "serialization", "how a run ended, whatever engine ran it"),
    Contract("journal-opening", Opening, "serialization", "the first line of a journal: engine, task, configuration"),
    Contract("journal-called", Called, "serialization", "a line of a journal: a model is about to be called"),
    Contract("journal-begun", Begun, "serialization", "a line of a journal: a tool is about to change the world"),
    Contract("journal-entry", Entry, "serialization", "a line of a journal: one effect and its outcome"),
    Contract("journal-resumed", Resumed, "serialization", "a line of a journal: the run is resumed"),
    Contract("journal-ended", Ended, "serialization", "a line of a journal: the run has ended"),
)

ENGINES: tuple[AnyEngine, ...] = (MULTIPASS, RESEARCH)
"""The engines of this package whose contracts are published."""


def _of_engines() -> tuple[Contract, ...]:
    """The contracts of all of them; what several have in common, such as the question, comes once."""
    return tuple(dict.fromkeys(contract for engine in ENGINES for contract in contracts_of(engine)))


CONTRACTS: tuple[Contract, ...] = (
    *_OF_EVERY_RUN,
    *_of_engines(),
    Contract("execution-history", ExecutionHistory, "serialization", "the record of a multi-pass run, pass by pass"),
)
"""Every contract of this package, in the order of the table in ``contracts/README.md``."""


def schema(contract: Contract) -> JsonObject:
    """The contract's JSON Schema."""
    content: JsonObject = contract.model.model_json_schema(mode=contract.mode)
    if contract.model is Outcome:
        content = _with_values(content)
    return {"$schema": DIALECT, "$id": f"{contract.name}.json", **content}


def faults(value: Value) -> list[str]:
    """Where a value, as JSON, does not fit the schema of its own type."""
    checker = Draft202012Validator(type(value).model_json_schema(mode="validation"))
    errors = checker.iter_errors(value.model_dump(mode="json"))
    return [f"{'/'.join(map(str, error.absolute_path)) or 'value'}: {error.message}" for error in errors]


def _with_values(content: JsonObject) -> JsonObject:
    """The schema of an outcome with the results that its value may be; the model says only that it is some value."""
    values: list[JsonValue] = []
    definitions: dict[str, JsonValue] = {}
    for result in _results((*(effect for engine in ENGINES for effect in engine.effects), AskUser)):
        own = result.model_json_schema(mode="serialization")
        definitions |= own.pop("$defs", {}) | {result.__name__: own}
        values.append({"$ref": f"#/$defs/{result.__name__}"})
    own_definitions, properties = content.get("$defs"), content.get("properties")
    if isinstance(own_definitions, dict) and isinstance(properties, dict):
        definitions |= {name: value for name, value in own_definitions.items() if name != "Value"}
        properties = properties | {"value": {"anyOf": [*values, {"type": "null"}], "default": None}}
    return content | {"$defs": definitions, "properties": properties}
