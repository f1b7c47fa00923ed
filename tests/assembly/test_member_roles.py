"""Roles within engines that run others: each phase of a member asks the model of its own role."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aeon.assembly.build import assemble, build, resume
from aeon.assembly.registry import plugin
from aeon.engines.contractive.effects import Classify as ByMeaning
from aeon.engines.graph.effects import Classify as ByComplexity
from aeon.errors import UsageError
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Capabilities, LLMRequest, LLMResponse, Roles, Task
from aeon.testing.obliging import oblige

pytestmark = pytest.mark.requirement("E6o", "E5")

THREE = {"planner": "planner", "worker": "worker", "verifier": "verifier"}
CAN = Capabilities(json_schema=True, json_mode=True)


class Models:
    """Scripted models by name; ``asked`` are the name and the last message of each request."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.made: dict[str, Scripted] = {}

    def __call__(self, name: Any) -> Any:
        if not isinstance(name, str):
            return name
        return self.made.setdefault(name, Scripted(lambda request: self._answer(name, request), CAN, name))

    def _answer(self, name: str, request: LLMRequest) -> LLMResponse:
        self.asked.append((name, request.messages[-1].content))
        return oblige(request)

    @property
    def names(self) -> set[str]:
        return {name for name, _ in self.asked}


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Models:
    """Models by any name, also for runs that are resumed."""
    made = Models()
    monkeypatch.setattr("aeon.assembly.build.select", made)
    monkeypatch.setattr("aeon.assembly.setup.select", made)
    return made


def handled(models: Models, handlers: Any, effect: Any) -> set[str]:
    """The models that answer an effect."""
    models.asked.clear()

    async def answer() -> None:
        with Ledger(Allowance(calls=30), execution_id="run"):
            await handlers[effect.phase](effect)

    asyncio.run(answer())
    return models.names


def test_two_members_whose_phases_have_one_name_ask_the_models_of_their_own_roles(models: Models) -> None:
    """To classify is the verifier's in one engine and the planner's in the other."""
    brought = plugin("ensemble")
    config = brought.engine.config(members=("contractive", "graph"), roles=Roles(**THREE))
    handlers = assemble(models("own"), [], config, plugin=brought, models=models)
    task = Task(text="Who wrote it?")
    answers = ("The author is Ann Lee.", "It was written by somebody.")
    assert handled(models, handlers, ByMeaning(task=task, place="1", answers=answers, scope="/1/1")) == {"verifier"}
    assert handled(models, handlers, ByComplexity(task=task, scope="/2")) == {"planner"}


@pytest.mark.parametrize("engine", ["ensemble", "chain", "auto", "team"])
def test_a_whole_run_asks_the_models_of_its_roles_alone(engine: str, models: Models) -> None:
    """The run's own model is asked for nothing, and plans are the planner's in every member."""
    members: dict[str, Any] = {"members": ("loop", "multi-pass")} if engine in ("ensemble", "chain") else {}
    options = {"multi-pass": {"thorough": True}}
    config = plugin(engine).engine.config(**members, options=options, roles=Roles(**THREE))
    result = build(models("own"), (), config, engine=engine).execute("How much is 2 and 3 and 4?")
    assert result.usage.calls == len(models.asked) and {"planner", "worker"} <= models.names <= set(THREE)
    assert {name for name, prompt in models.asked if "Plan this task as few steps" in prompt} == {"planner"}


def test_samples_of_a_member_are_drawn_from_the_models_of_its_roles(models: Models) -> None:
    """Each with its seed; the first as the engine would alone."""
    brought = plugin("ensemble")
    config = brought.engine.config(members=("multi-pass",), samples=3, roles=Roles(worker="worker"))
    asked = build(models("own"), (), config, engine=brought)
    asked.execute("Write a sentence about bridges.")
    seeds = {request.seed for request in models.made["worker"].requests}
    assert len(seeds) > 1


def test_a_tutor_and_a_peer_are_roles_of_the_members_that_have_them(models: Models) -> None:
    """With room in the bound for what they are asked; and a run in which nobody has the role refuses it."""
    chain = plugin("chain")
    plain = chain.engine.config(members=("multi-pass", "contractive"), options={"contractive": {"preset": "fast"}})
    bound = build(models("own"), (), plain, engine=chain).bound.calls
    both = build(models("own"), (), plain, engine=chain, roles={"tutor": "tutor", "peer": "peer"})
    assert both.bound.calls > bound
    both.execute("How much is 2 and 3?")
    assert {"tutor", "peer"} <= models.names
    with pytest.raises(UsageError, match="the engine 'chain' has no peer; it has planner, worker, verifier, tutor"):
        build(models("own"), (), chain.engine.config(members=("loop", "graph")), engine=chain, roles={"peer": "peer"})


@pytest.mark.requirement("E5d")
def test_a_resumed_run_keeps_the_models_of_its_members(models: Models, tmp_path: Any) -> None:
    """The journal names them; one for a role can be named anew."""
    path = tmp_path / "run.jsonl"
    config = plugin("chain").engine.config(members=("loop", "multi-pass"))
    build(models("own"), (), config, engine="chain", roles=THREE, journal=lambda _: Journal(path)).execute("Sum?")
    lines = path.read_bytes().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if b'"line":"entry"' in line)
    path.write_bytes(b"".join(lines[: first + 1]))
    models.asked.clear()
    resume(path, models("own"), (), roles={"worker": "other"})
    assert "other" in models.names and not {"own", "worker"} & models.names
