"""Every engine that ships against its contracts: what its handlers return, and what its runs leave behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from aeon.assembly.build import build
from aeon.assembly.proofs import proof_of
from aeon.assembly.rechecks import host
from aeon.assembly.registry import installed
from aeon.assembly.views import trail
from aeon.engines.contractive.branch import BRANCH
from aeon.engines.contractive.effects import Classify as ByMeaning
from aeon.engines.contractive.program import CONTRACTIVE
from aeon.engines.graph.effects import Classify as ByComplexity
from aeon.engines.graph.program import GRAPH
from aeon.engines.loop.program import LOOP
from aeon.errors import EndpointFailed
from aeon.llm.scripted import Reply, Scripted
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine
from aeon.schema import Capabilities, Frozen, LLMRequest, Value
from aeon.testing.contracts import check_handlers
from aeon.testing.obliging import oblige
from aeon.tools.files import Files
from scripts.checks.schemas import CONTRACTS, ENGINES, contracts_of

from .test_schemas import lines_of

pytestmark = [pytest.mark.requirement("M1"), pytest.mark.usefixtures("indexes", "words_only")]

FOLDER = Path(__file__).parents[2] / "contracts"
BY_MODEL = {contract.model: contract for contract in CONTRACTS}
BY_NAME = {engine.name.partition("/")[0]: engine for engine in ENGINES}
ALONE = {"contractive"}
ENFORCING = Capabilities(json_schema=True, json_mode=True)
TASK = "What is the fee of each guest?"


def nonsense(request: LLMRequest) -> Reply:
    """A model that keeps to nothing."""
    return "]]}[3] 9.9 {r1} \ufffd"


def gone(request: LLMRequest) -> Reply:
    """An endpoint that does not answer."""
    return EndpointFailed("gone")


MODELS: dict[str, Callable[[LLMRequest], Reply]] = {"obliging": oblige, "nonsense": nonsense, "gone": gone}


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A folder with a text and a table."""
    folder = tmp_path / "club"
    folder.mkdir()
    (folder / "fees.md").write_text("The fee of each guest is 12.50 euros. It is due in May.\n")
    (folder / "guests.csv").write_text("name,visits\nAnn,3\nBob,5\n")
    return folder


def orchestrator(name: str, model: Scripted, club: Path, **more: Any) -> Any:
    """What runs the engine of this name on a folder, where it reads any."""
    files: dict[str, Any] = {} if name in ALONE else {"files": club}
    return build(model, (), engine=name, **files, **more)


def test_the_contracts_of_every_engine_that_ships_are_published() -> None:
    """Each under a name of its own; the file of each engine's record and configuration is there."""
    assert set(BY_NAME) == {one.name for one in installed() if one.source == "aeon-orchestrator"}
    names = [contract.name for contract in CONTRACTS]
    assert len(set(names)) == len(names) == len(BY_MODEL)
    for engine in ENGINES:
        wanted = {*engine.effects, *(one.result for one in engine.effects), engine.config, engine.result}
        assert wanted <= set(BY_MODEL)


def test_effects_of_one_name_are_told_apart() -> None:
    """The later engine's has its package in its file's name; among the engine's own contracts it needs none."""
    assert BY_MODEL[ByComplexity].name == "effect-classify"
    assert BY_MODEL[ByMeaning].name == "effect-contractive-classify"
    assert {ByMeaning: "effect-classify"}.items() <= {one.model: one.name for one in contracts_of(CONTRACTIVE)}.items()
    both = {one.name: one.description for one in contracts_of(GRAPH, LOOP)}
    assert both["worked"] == "what a run on `graph/5`, `loop/4` returns"


@pytest.mark.parametrize("can", [ENFORCING, Capabilities()], ids=["enforcing", "bare"])
@pytest.mark.parametrize("said", MODELS)
@pytest.mark.parametrize("name", sorted(set(BY_NAME) - {"multi-pass", "research"}))
def test_the_shipped_handlers_keep_their_contracts(name: str, said: str, can: Capabilities, club: Path) -> None:
    """Whatever the model says, each gives a result that the program can rely on, or a typed failure."""
    handlers = orchestrator(name, Scripted(MODELS[said], can), club).handlers
    engines: tuple[AnyEngine, ...] = (BY_NAME[name], *((BRANCH,) if name == "contractive" else ()))
    for engine in engines:
        assert asyncio.run(check_handlers(engine, handlers)) == []


def fits(value: Value | Frozen, name: str) -> None:
    """Fail unless the value, as JSON, is valid against the contract of that name in the folder."""
    contract = json.loads((FOLDER / f"{name}.json").read_text())
    Draft202012Validator(contract).validate(json.loads(value.model_dump_json()))


def written(journal: Journal, engine: AnyEngine) -> Iterator[tuple[Value | Frozen, str]]:
    """The effects and outcomes of a run, each with the name of its contract."""
    for batch in trail(journal, engine).batches:
        for done in batch:
            yield done.effect, BY_MODEL[type(done.effect)].name
            if done.outcome is not None:
                yield done.outcome, "outcome"


@pytest.mark.parametrize("said", ["obliging", "nonsense"])
@pytest.mark.parametrize("name", BY_NAME)
def test_what_a_run_leaves_behind_fits_the_contracts(name: str, said: str, club: Path) -> None:
    """Effects, outcomes, configuration, record, each line of the journal and the proof are valid against the files."""
    path = club.parent / "run.jsonl"
    made = orchestrator(name, Scripted(MODELS[said]), club, journal=lambda _: Journal(path))
    result = made.execute(TASK)
    assert lines_of(path) >= {"opening", "entry", "ended"}
    proof = proof_bytes(proof_of(result, [Files.open(club)], path))
    Draft202012Validator(json.loads((FOLDER / "proof.json").read_text())).validate(json.loads(proof))
    report = verify(proof, path, club, host())
    assert report.code == 0 and "this run, replayed, gives this very proof" in report.verified, report.text
    journal, engine = Journal.read(path), BY_NAME[name]
    lines = [*written(journal, engine), (result, BY_MODEL[engine.result].name)]
    lines.append((journal.config(engine.config), BY_MODEL[engine.config].name))
    assert len(lines) > 3
    for value, contract in lines:
        fits(value, contract)
