"""Tiers of model use: what each asks of models, its bound, and what contradicts it."""

from __future__ import annotations

from pathlib import Path

import pytest
from assembly.capable import capable, properties

from aeon.assembly.build import build, resume
from aeon.assembly.plugin import Plugin
from aeon.assembly.registry import installed, plugin
from aeon.assembly.roles import fitted, phase_roles
from aeon.errors import UsageError
from aeon.llm.scripted import Scripted
from aeon.runtime.events import EffectEnded, Event
from aeon.runtime.journal import Journal
from aeon.schema import Config, LLMRequest, LLMResponse, ModelTier, Roles, Settings
from aeon.testing.obliging import oblige

pytestmark = pytest.mark.requirement("E5g")

TASK = "What do 17 pens at 2.40 and 3 rulers at 1.10 cost?"
SHIPPED = [one.plugin for one in installed() if one.plugin is not None and one.source == "aeon-orchestrator"]


def at(tier: ModelTier, engine: str = "multi-pass", **fields: object) -> Settings:
    """The configuration of a run at a tier, before it is fitted."""
    kind = plugin(engine).engine.config
    return kind().changed(model_tier=tier, **fields)


def answers(request: LLMRequest) -> LLMResponse | str:
    """Writes a program that computes the answer; else obliges."""
    if "Python program" in request.messages[0].content:
        return "total = 17 * 2.40 + 3 * 1.10\nprint(total)"
    return oblige(request)


@pytest.mark.requirement("K12")
def test_at_t0_no_model_is_asked_and_none_is_needed(tmp_path: Path) -> None:
    """The bound is no call at all; the answer is the host's, with its claims. It is replayed and resumed as any."""
    model, path = Scripted([]), tmp_path / "run"
    orchestrator = build(model, config=Config(model_tier="T0"), journal=lambda _: Journal(path))
    assert (orchestrator.bound.calls, orchestrator.bound.tokens, orchestrator.bound.cost) == (0, 0, 0)
    result = orchestrator.execute("15% of 2,480")
    assert (result.answer, result.stop_reason, result.sufficient) == ("372", "converged", True)
    assert [claim.verdict for claim in result.claims] == ["supported"]
    assert (result.usage.calls, model.requests, result.degraded) == (0, [], ())
    assert Journal.read(path).setup["model_name"] == "none"
    assert resume(path).answer == "372"


def test_at_t0_a_task_that_needs_a_model_ends_with_a_line_that_says_so() -> None:
    """No answer is invented."""
    result = build(config=Config(model_tier="T0")).execute("Who was Ada Lovelace?")
    assert (result.stop_reason, result.sufficient, result.usage.calls) == ("failed", False, 0)
    assert "this task needs one" in result.detail
    assert "Ada" not in result.answer


@pytest.mark.parametrize("engine", ["multi-pass", "graph", "loop"])
def test_at_t1_no_phase_of_the_verifier_asks_a_model(engine: str) -> None:
    """Planner and worker are asked; the bound is lower by all that the verifier might have cost."""
    asked: dict[str, int] = {}

    def note(event: Event) -> None:
        if isinstance(event, EffectEnded):
            asked[event.effect.phase] = asked.get(event.effect.phase, 0) + event.outcome.usage.calls

    usual = build(Scripted(answers), engine=engine).bound.calls
    orchestrator = build(Scripted(answers), config=at("T1", engine), observers=[note], engine=engine)
    result = orchestrator.execute(TASK)
    assert result.answer
    assert 0 < result.usage.calls <= orchestrator.bound.calls < usual
    roles = phase_roles(plugin(engine))
    assert {phase for phase, calls in asked.items() if calls and roles[phase][0] == "verifier"} == set()
    assert any(calls and roles[phase][0] == "planner" for phase, calls in asked.items())


@pytest.mark.requirement("E5", "J8a")
def test_at_t1_a_model_that_works_with_tools_is_not_judged() -> None:
    """There is no model to judge: nothing fails, nobody is asked, and the answer is unverified."""
    model = capable("It is 41.", [("calculator", {"expression": "17 * 2 + 7"})])
    result = build(model, config=Config(model_tier="T1")).execute("What is 17 * 2 + 7?")
    assert (result.answer, result.stop_reason, result.degraded) == ("It is 41.", "unverified", ())
    assert not any("completeness" in properties(request) for request in model.requests)


@pytest.mark.parametrize("engine", ["multi-pass", "graph", "loop"])
def test_at_t3_there_is_a_tutor_and_all_derivations(engine: str) -> None:
    """The run's own model is the tutor, unless another one is named; the model verifies where the engine has that."""
    config = build(Scripted(answers), config=at("T3", engine, derivations=1), engine=engine).config
    assert (config.roles.tutor, config.derivations) == ("same", 3)
    assert getattr(config, "verifier", "model") == "model"
    named = fitted(plugin(engine), at("T3", engine, roles=Roles(tutor="other")), Scripted([]))
    assert named.roles.tutor == "other"


def test_at_t3_the_contractive_engine_has_a_peer() -> None:
    """Its answers are reviewed by the run's own model."""
    config = build(Scripted([]), config=at("T3", "contractive"), tools=(), engine="contractive").config
    assert config.roles.peer == "same" and config.branch().reviewed


@pytest.mark.requirement("X1")
@pytest.mark.parametrize("brought", SHIPPED, ids=[one.name for one in SHIPPED])
def test_a_higher_tier_has_no_lower_bound(brought: Plugin[Settings, object, object]) -> None:  # type: ignore[type-var]
    """Each tier that an engine has is stated before the run."""
    bounds = [
        brought.engine.bound(fitted(brought, brought.engine.config().changed(model_tier=tier), Scripted([]))).calls
        for tier in ("T0", "T1", "T2", "T3")
        if tier in brought.tiers
    ]
    assert bounds == sorted(bounds) and len(bounds) >= 1
    assert "T2" in brought.tiers


def test_the_calls_of_a_step_that_were_set_hold_with_a_tutor_too() -> None:
    """The tutor then has what is left of them."""
    caps = Config().caps.changed(execute=3)
    config = fitted(plugin("multi-pass"), Config(caps=caps, roles=Roles(tutor="same")), Scripted([]))
    assert config.caps.execute == 3


@pytest.mark.requirement("E5h")
@pytest.mark.parametrize(
    ("engine", "tier", "roles", "said"),
    [
        ("loop", "T0", {}, "model_tier: the engine 'loop' has no T0; it has T1, T2, T3"),
        ("tutor", "T3", {}, "the engine 'tutor' has no T3; it has T2"),
        ("multi-pass", "T0", {"planner": "same"}, "roles: planner: T0 asks no planner; leave it out, or use T2 or T3"),
        ("multi-pass", "T1", {"verifier": "same"}, "roles: verifier: T1 asks no verifier"),
        ("multi-pass", "T1", {"tutor": "same"}, "roles: tutor: T1 asks no tutor"),
    ],
)
def test_tiers_and_roles_that_contradict_each_other_are_one_line(
    engine: str, tier: ModelTier, roles: dict[str, str], said: str
) -> None:
    """Before anything runs."""
    with pytest.raises(UsageError, match=said):
        build(Scripted([]), tools=(), config=at(tier, engine), engine=engine, roles=roles)
