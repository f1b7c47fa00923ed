"""The contracts as JSON Schema (draft 2020-12), made from the models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from pydantic import BaseModel, JsonValue, TypeAdapter

from aeon.assembly.registry import shipped
from aeon.proof.document import Proof
from aeon.runtime.lines import Begun, Called, Ended, Entry, Opening, Resumed
from aeon.runtime.replay import AnyEngine
from aeon.schema import Conclusion, ExecutionHistory, JsonObject, Outcome, Settings, Task, Value
from aeon.schema.effects import AskUser, Effect
from scripts.checks.proofs import proof_schema

__all__ = ["CONTRACTS", "ENGINES", "Contract", "contracts_of", "schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Contract(NamedTuple):
    """One schema: its file's name, its model, and whether it is for what Aeon writes or for what it accepts."""

    name: str
    model: type[BaseModel] | type[Value]
    mode: Literal["validation", "serialization"]
    description: str


def contracts_of(*engines: AnyEngine) -> tuple[Contract, ...]:
    """What engines ask for and accept: each effect, each result, their configurations and the records of their runs.

    What several of them have in common, such as the question, comes once. Where two models have one name, that of the
    later engine has its package before it.
    """
    effects = tuple(dict.fromkeys(effect for engine in engines for effect in engine.phases.values()))
    found: list[Contract] = []
    for engine in engines:
        own = engine.phases.values()
        found += (_of_effect(effect) for effect in own)
        found += (_of_result(result, effects) for result in _results(own))
        found += (_of_config(engine.config, engines), _of_record(engine.result, engines))
    return tuple(_told_apart(dict.fromkeys(found)))


def _told_apart(contracts: Iterable[Contract]) -> Iterator[Contract]:
    """The contracts, each under a name of its own."""
    names: dict[str, type[BaseModel] | type[Value]] = {}
    for one in contracts:
        kind, dash, word = one.name.partition("-")
        package = one.model.__module__.split(".")[-2]
        taken = names.setdefault(one.name, one.model) is not one.model
        yield one._replace(name=f"{kind}-{package}{dash}{word}") if taken else one


def _kebab(model: type[BaseModel] | type[Value]) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in model.__name__).strip("-")


def _of_effect(effect: type[Effect]) -> Contract:
    description = f"effect of phase `{effect.phase}`, answered with a `{effect.result.__name__}`"
    return Contract(f"effect-{_kebab(effect)}", effect, "serialization", description)


def _of_result(result: type[Value], effects: Iterable[type[Effect]]) -> Contract:
    phases = _listed(effect.phase for effect in effects if effect.result is result)
    return Contract(f"result-{_kebab(result)}", result, "validation", f"what a handler of {phases} returns")


def _of_config(config: type[BaseModel], engines: Iterable[AnyEngine]) -> Contract:
    names = _listed(engine.name for engine in engines if engine.config is config)
    return Contract(_kebab(config), config, "validation", f"every setting of a run on {names}")


def _of_record(record: type[BaseModel], engines: Iterable[AnyEngine]) -> Contract:
    names = _listed(engine.name for engine in engines if engine.result is record)
    return Contract(_kebab(record), record, "serialization", f"what a run on {names} returns")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


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
    Contract("proof", Proof, "serialization", "the proof file of an answer, which `aeon verify` checks"),
)
_LINES = (Opening, Called, Begun, Entry, Resumed, Ended)
"""The lines of a journal; in its file each ends in a seal."""

ENGINES: tuple[AnyEngine, ...] = shipped()
"""The engines of this package: the contracts of all of them are published."""

CONTRACTS: tuple[Contract, ...] = (
    *_OF_EVERY_RUN,
    *contracts_of(*ENGINES),
    Contract("execution-history", ExecutionHistory, "serialization", "the record of a multi-pass run, pass by pass"),
)
"""Every contract of this package, in the order of the table in ``contracts/README.md``."""


def schema(contract: Contract) -> JsonObject:
    """The contract's JSON Schema."""
    if contract.model is Proof:
        content = proof_schema()
    elif contract.model is Outcome:
        content = _of_outcome()
    else:
        content = contract.model.model_json_schema(mode=contract.mode)
    if contract.model in _LINES:
        content = _with_seal(content)
    return {"$schema": DIALECT, "$id": f"{contract.name}.json", **content}


def _with_seal(content: JsonObject) -> JsonObject:
    """The schema of a line as it stands in the file: with a seal, or with one that took the user's key."""
    assert isinstance(content["properties"], dict)
    seals: JsonObject = {
        "seal": {"pattern": "^[0-9a-f]{16}$", "title": "Seal", "type": "string"},
        "mac": {"pattern": "^[0-9a-f]{32}$", "title": "Mac", "type": "string"},
    }
    either: list[JsonValue] = [{"required": ["seal"]}, {"required": ["mac"]}]
    return content | {"properties": content["properties"] | seals, "oneOf": either}


def _of_outcome() -> JsonObject:
    """The schema of an outcome with the results that its value may be; the model says only that it is some value."""
    effects: list[type[Effect]] = [effect for engine in ENGINES for effect in (*engine.effects, *engine.nested)]
    results = _results([*effects, AskUser])
    kinds: tuple[type[Value], ...] = (*results, Outcome)
    places, shared = TypeAdapter.json_schemas([(one, "serialization", TypeAdapter(one)) for one in kinds])
    definitions: dict[str, JsonValue] = shared["$defs"]
    content = definitions.pop(Outcome.__name__)
    assert isinstance(content, dict) and isinstance(content["properties"], dict)
    values: list[JsonValue] = [places[one, "serialization"] for one in results]
    value: JsonValue = {"anyOf": [*values, {"type": "null"}], "default": None}
    return content | {"$defs": definitions, "properties": content["properties"] | {"value": value}}
