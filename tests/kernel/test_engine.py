"""An engine is checked when it is defined: what it lacks is one clear line, before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aeon.errors import UsageError
from aeon.kernel.decide import Rule
from aeon.kernel.engine import Engine
from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import ExecuteStep, Synthesize
from aeon.schema import Budget, Caps, Settings, Task
from aeon.schema.effects import AskUser, EffectOf
from kernel.shorten import SHORTEN, Shorten, ShortenSettings, Words


class Cut(EffectOf[Words]):
    """Another effect under the same name."""

    phase = "shorten"


class Stretch(EffectOf[Words]):
    """An effect that the caps of the engine do not know."""

    phase = "stretch"


TWICE = Rule("short", "stuck", "never")


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("name", ["shorten", "Shorten/1", "shorten/0", "shorten/one", "short en/1", "", "shorten/1/2"])
def test_a_name_without_a_word_and_a_version_is_refused(name: str) -> None:
    """The version tells journals of one program from those of another."""
    with pytest.raises(UsageError, match="its name must look like 'search/1': a word and a version"):
        replace(SHORTEN, name=name)


@pytest.mark.requirement("M1")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"effects": (Shorten, Cut)}, "engine 'shorten/1': two effects are called 'shorten'"),
        ({"nested": (Cut,)}, "engine 'shorten/1': two effects are called 'shorten'"),
        ({"effects": (Shorten, Stretch)}, "engine 'shorten/1': Caps1 has no field for the phase 'stretch'"),
        ({"config": Settings}, "engine 'shorten/1': Caps has no field for the phase 'shorten'"),
        ({"table": (*SHORTEN.table, TWICE)}, "two rows for one reason"),
        ({"table": (Rule("gone", "lost", "it is gone"),)}, "engine 'shorten/1': its row 'gone' names no signal 'lost'"),
        ({"table": (Rule("many", "short", "so many", ">=", "$most"),)}, "its row 'many' names no signal 'most'"),
        ({"table": (Rule("few", "short", "only {s.left}"),)}, "its row 'few' names no signal 'left'"),
        ({"order": lambda config: ("short",)}, "must name each row once"),
        ({"final": Stretch}, "engine 'shorten/1': its final effect is none of its effects"),
    ],
    ids=[
        "clash",
        "clash with a nested one",
        "no cap",
        "no caps",
        "one reason twice",
        "no signal",
        "no threshold",
        "no such place",
        "order",
        "final",
    ],
)
def test_a_definition_that_cannot_work_is_refused(changes: dict[str, Any], message: str) -> None:
    """One line that says what is wrong with which engine."""
    with pytest.raises(UsageError, match=message):
        replace(SHORTEN, **changes)


@pytest.mark.requirement("M3", "E6a")
def test_two_engines_within_one_may_call_their_effects_alike() -> None:
    """Their scopes tell them apart; only an effect of the engine's own needs a name of its own."""
    both = replace(SHORTEN, effects=(), final=None, nested=(Shorten, Cut))
    assert both.phases["shorten"] is Shorten


@pytest.mark.requirement("M1", "K12")
def test_the_caps_know_their_phases_and_a_question_and_nothing_else() -> None:
    """A phase that they do not know is an error, never a cap of 0; a person is asked without a model."""
    assert (ShortenSettings().caps.of("shorten"), Caps().of("ask")) == (1, 0)
    for phase in ("stretch", "of", "model_fields", ""):
        with pytest.raises(KeyError, match=f"the caps say nothing of the phase '{phase}'"):
            ShortenSettings().caps.of(phase)
    run = SHORTEN.start(Task(text="Shorten it."), ShortenSettings(), "run-1")
    with pytest.raises(KeyError, match="'stretch'"):
        run.allow("stretch")


@pytest.mark.requirement("M1", "M3")
def test_the_phases_of_an_engine_are_its_own_those_of_nested_engines_and_the_question() -> None:
    """What a run may issue, and nothing else; an effect that both share is one."""
    assert SHORTEN.phases == {"ask": AskUser, "shorten": Shorten}
    outer = replace(SHORTEN, nested=(*MULTIPASS.effects, Shorten))
    assert outer.phases == {"ask": AskUser, "shorten": Shorten} | {e.phase: e for e in MULTIPASS.effects}


@pytest.mark.requirement("M1")
def test_a_missing_handler_is_named_and_a_question_needs_none() -> None:
    """Nothing is spent before somebody notices."""
    SHORTEN.check({"shorten": None})
    with pytest.raises(UsageError, match=r"engine 'shorten/1': no handler answers shorten$"):
        SHORTEN.check({"ask": None})
    with pytest.raises(UsageError, match="no handler answers profile, plan, validate_plan"):
        MULTIPASS.check(())


@pytest.mark.requirement("K12", "M2")
@pytest.mark.parametrize(("budget", "calls"), [(Budget(), 8), (Budget(calls=5), 5), (Budget(calls=50), 8)])
def test_the_bound_follows_from_the_configuration_alone(budget: Budget, calls: int) -> None:
    """The engine says how many calls it makes; the machine makes tokens of them, and caps both by the budget."""
    config = ShortenSettings(budget=budget)
    assert SHORTEN.bound(config).calls == calls
    assert SHORTEN.bound(config).tokens == calls * (config.prompt_bytes + config.generated_tokens)


@pytest.mark.requirement("K12")
@pytest.mark.parametrize(("final", "kept"), [(None, 0), (Shorten, 1)])
def test_the_calls_of_the_final_effect_are_kept_back(final: type[Shorten] | None, kept: int) -> None:
    """An engine without one keeps no calls back."""
    run = replace(SHORTEN, final=final).start(Task(text="Shorten it."), ShortenSettings(), "run-1")
    assert (run.left().calls, run.left(final=True).calls) == (8 - kept, 8)


@pytest.mark.requirement("M1")
def test_the_multi_pass_engine_is_one_engine_among_others() -> None:
    """It is a value with the same fields: its final effect is the synthesis, its steps are effects."""
    engine: Engine[Any, Any, Any] = MULTIPASS
    assert (engine.name, engine.final, ExecuteStep in engine.effects) == ("multi-pass/6", Synthesize, True)
    made: Callable[..., Any] = engine.config
    assert engine.bound(made()).calls > 0
