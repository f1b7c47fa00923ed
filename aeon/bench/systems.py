"""What answers the questions of the bench: a direct call, chain of thought, the scenarios, and engines by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from aeon.assembly.build import assemble
from aeon.assembly.plugin import AnyPlugin, price_of
from aeon.assembly.registry import plugin
from aeon.assembly.roles import cast_of, fitted
from aeon.bench.question import Question
from aeon.bench.remembering import Remembering
from aeon.bench.scenarios import SCENARIOS, family_of, needs_another
from aeon.bench.voting import Voter
from aeon.engines.contractive.record import Contractive
from aeon.engines.contractive.showing import shown
from aeon.errors import UsageError
from aeon.kernel.orchestrator import Orchestrator
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Conclusion, Settings, Task, Usage
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

__all__ = ["DIRECT", "THOUGHT", "Models", "Reply", "System", "check", "peer_of", "systems", "task_of"]

DIRECT = "Do exactly what is asked, and say nothing else. Answer a question with the result only."
THOUGHT = "thought"
"""The name of chain of thought among the systems."""
_LONGEST = 500
_NEED_SOURCES = ("research", "report", "tutor")
"""Engines that answer from sources, of which these questions have none."""


@dataclass(frozen=True)
class Reply:
    """An answer and what it cost.

    ``short`` is the bare answer where the system tells it from its sentence. ``asked``: it is a question back. Of a
    tree there are ``nodes``, and those that were ``split``; of a peer, the answers that were ``reviewed``, and those
    ``approved``. ``problem`` says why the reply does not count.
    """

    answer: str
    usage: Usage
    stop: str = ""
    short: str = ""
    asked: bool = False
    nodes: int = 0
    split: int = 0
    reviewed: int = 0
    approved: int = 0
    problem: str = ""


System: TypeAlias = Callable[[Question], Awaitable[Reply]]


@dataclass(frozen=True)
class Models:
    """The model that answers, and the other one that may review."""

    model: Remembering
    peer: Remembering | None = None

    def named(self, name: str) -> LLMAdapter:
        """The one of this name; one that is neither is selected. Raises ``UsageError`` if there is none."""
        known = (one for one in (self.model, self.peer) if one is not None and one.name == name)
        return next(known, None) or select(name)

    async def aclose(self) -> None:
        """End both."""
        for one in (self.model, self.peer):
            if one is not None:
                await one.aclose()


def check(scenarios: Iterable[str], engines: Iterable[str], has_peer: bool) -> None:
    """Refuse what cannot be measured, before any model is loaded.

    Raises:
        UsageError: an engine is not installed, or answers from sources; or a scenario lacks its peer.
    """
    for name in scenarios:
        if needs_another(name) and not has_peer:
            raise UsageError(f"bench: {name} needs a second model as its peer: name one with --peer")
    for name in engines:
        if plugin(name).name in _NEED_SOURCES:
            raise UsageError(f"bench: the engine '{name}' answers from sources, and these questions have none")


def systems(scenarios: Iterable[str], engines: Iterable[str], models: Models) -> Mapping[str, System]:
    """The systems by name: chain of thought, scenarios, engines. Raises as `check`."""
    scenarios, engines = [*scenarios], [*engines]
    check(scenarios, engines, models.peer is not None)
    made: dict[str, System] = {THOUGHT: _Thought(Voter(models.model))}
    made |= {name: _scenario(name, models) for name in scenarios}
    return made | {name: _Engine(plugin(name), plugin(name).engine.config(), models) for name in engines}


def _scenario(name: str, models: Models) -> System:
    scenario = SCENARIOS[name]
    if not scenario.engine:
        return _Direct(models.model)
    brought, peer = plugin(scenario.engine), peer_of(name, models)
    settings = scenario.settings | ({"roles": {"peer": peer}} if peer else {})
    return _Engine(brought, brought.engine.config.model_validate(settings), models)


def peer_of(scenario: str, models: Models) -> str:
    """The name of the model that reviews in a scenario; "" where none does, or there is no such model."""
    own, other = models.model.name, models.peer.name if models.peer is not None else ""
    match SCENARIOS[scenario].peer:
        case "none":
            return ""
        case "itself":
            return own
        case "another":
            return other
        case "family":
            return other if family_of(other) == family_of(own) else own


def task_of(question: Question) -> Task:
    """The question as a task."""
    return Task(text=question.text, context=question.context)


@dataclass(frozen=True)
class _Direct:
    """The question in one call."""

    llm: LLMAdapter

    async def __call__(self, question: Question) -> Reply:
        with Ledger(Allowance(calls=10)) as ledger:
            prompt = Prompt(DIRECT, shown(task_of(question)))
            said = await Supervisor(self.llm).text(prompt, max_tokens=_LONGEST)
            return Reply(said.value.strip(), ledger.spent)


@dataclass(frozen=True)
class _Thought:
    """One sample of a vote."""

    voter: Voter

    async def __call__(self, question: Question) -> Reply:
        vote = await self.voter.vote(task_of(question), 1)
        return Reply(vote.answer, vote.usage)


@dataclass(frozen=True)
class _Engine:
    """A run of an engine."""

    brought: AnyPlugin
    config: Settings
    models: Models

    async def __call__(self, question: Question) -> Reply:
        models, tools = self.models, ("calculator",) if self.brought.reads else ()
        cast = cast_of(self.config, models.model, models.named)
        used = [models.model, *cast.models.values(), *map(models.named, self.brought.models(self.config))]
        priced = self.config.changed(prices={one.name: price_of(self.config, one) for one in used})
        config = fitted(self.brought, priced, models.model)
        handlers = assemble(models.model, tools, config, plugin=self.brought, models=models.named, cast=cast)
        orchestrator = Orchestrator(self.brought.engine, handlers, AsyncDriver(), config)
        return _reply(await orchestrator.aexecute(task_of(question)))


def _reply(result: Conclusion) -> Reply:
    """What a run answered. One that failed, or whose peer gave no review, does not count."""
    asked = result.stop_reason == "waiting" or bool(result.assumptions)
    answer = result.question.text if result.question is not None else result.answer
    reply = Reply(answer, result.usage, result.stop_reason, asked=asked, problem=_problem(result))
    return _with_tree(reply, result) if isinstance(result, Contractive) else reply


def _problem(result: Conclusion) -> str:
    if result.stop_reason == "failed":
        return result.detail
    return next((one.message for one in result.degraded if one.phase == "review"), "")


def _with_tree(reply: Reply, result: Contractive) -> Reply:
    """The same with the bare answer of a tree, and what there is to say of its nodes."""
    reviews = [one.verdict for node in result.tree for one in node.candidates if one.peer is not None]
    return replace(
        reply,
        short=result.short,
        nodes=len(result.tree),
        split=sum(node.splits > 0 for node in result.tree),
        reviewed=len(reviews),
        approved=reviews.count("approved"),
    )
