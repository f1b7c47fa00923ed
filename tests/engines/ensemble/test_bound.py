"""The bound of the whole, the parts of members, and what is refused before anything is asked."""

from __future__ import annotations

from typing import Any

import pytest

from aeon.assembly import combining
from aeon.assembly.build import build
from aeon.assembly.registry import plugin
from aeon.engines.ensemble.members import dealt, parts, settings_of
from aeon.errors import AeonError, ConfigError, UnknownNameError, UsageError
from aeon.kernel.engine import Engine
from aeon.llm.scripted import Scripted
from aeon.schema.usage import Left
from engines.ensemble.world import Cast

pytestmark = pytest.mark.requirement("E6", "E6b")


def calls(engine: str, **settings: Any) -> int:
    """The calls of the bound of an installed engine."""
    one: Engine[Any, Any, Any] = plugin(engine).engine
    return one.bound(one.config(**settings)).calls


def test_the_bound_is_the_sum_of_the_members_and_the_comparisons() -> None:
    """Of three members two are asked at once and then one: two comparisons, one that is kept back, and the merge."""
    assert calls("ensemble") == 3 * calls("multi-pass") + 3 * 12 + 3
    several = calls("ensemble", members=("loop", "graph", "loop"), caps={"compare_answers": 5})
    assert several == 2 * calls("loop") + calls("graph") + 3 * 5 + 3


def test_the_bound_of_the_others() -> None:
    """A chain takes what its members take, a team a split too; the router what the dearest of its engines takes."""
    assert calls("chain", members=("loop", "graph")) == calls("loop") + calls("graph")
    assert calls("team", parts=2, worker="loop") == 5 + 2 * calls("loop") + calls("multi-pass")
    assert calls("team") == 5 + 3 * max(calls("multi-pass"), calls("research")) + calls("multi-pass")
    assert calls("auto") == max(calls("multi-pass"), calls("research"))
    assert calls("auto", unmeasured=True) == max(map(calls, ("multi-pass", "research", "report", "contractive"))) + 6


def test_a_members_own_limits_count_in_the_bound() -> None:
    """One that may make fewer calls makes the whole cheaper."""
    limited = calls("ensemble", members=("loop",), options={"loop": {"budget": {"calls": 10}}})
    assert limited == 3 * 10 + 3 * 12 + 3


@pytest.mark.parametrize(("limit", "kept"), [({}, None), ({"budget": {"cost": 0.5}}, 0.5)])
def test_a_limit_on_the_cost_of_a_member_is_one_that_was_set(limit: dict[str, Any], kept: float | None) -> None:
    """The default of whole runs is none of a member's; one that is set counts, though it is as high as the default."""
    members = {"a": Cast({"a": "1"}).plugins()["a"].engine}
    brought = combining.ensemble(Cast({"a": "1"}).plugins())
    config = build(Scripted([]), (), brought.engine.config(members=("a",), options={"a": limit}), engine=brought).config
    assert settings_of(members, config, "a").budget.cost == kept


@pytest.mark.parametrize(
    ("whole", "wants", "given"),
    [(10, (5, 5), (5, 5)), (10, (2, 20), (2, 8)), (9, (20, 20, 20), (3, 3, 3)), (100, (1, 2), (1, 2)), (0, (4,), (0,))],
)
def test_nobody_goes_without_for_one_that_needs_less(
    whole: int, wants: tuple[int, ...], given: tuple[int, ...]
) -> None:
    """What small members leave is for the large ones."""
    assert dealt(whole, wants) == given


def test_the_parts_are_together_no_more_than_what_is_left() -> None:
    """Members of one round share the time; tokens and money are for all that are still to come."""
    left = Left(calls=31, tokens=1_000, seconds=60.0, cost=0.3)
    each = parts(left, (5, 50, 50), kept_calls=4, rounds=2)
    assert [part.calls for part in each] == [5, 11, 11]
    assert {(part.tokens, part.seconds, round(part.cost or 0, 6)) for part in each} == {(333, 30.0, 0.1)}


@pytest.mark.requirement("E6b", "K12")
def test_no_budget_is_exceeded_however_much_members_want() -> None:
    """Talkers that would speak fifty times get five calls each; what they say is compared all the same."""
    options = {name: {"words": 50} for name in "abc"}
    cast = Cast({"a": "1", "b": "1", "c": "1"}, Scripted(lambda request: "1"), calls=True)
    settings = {"caps": {"compare_answers": 2}, "budget": {"calls": 21}}
    result = cast.vote(members=("a", "b", "c"), options=options, **settings)
    assert result.bound.calls == 21 and result.usage.calls <= 15
    assert {ballot.missing for ballot in result.ballots} == {"calls_exhausted"}
    assert all(ballot.calls <= 5 for ballot in result.ballots)


@pytest.mark.requirement("E6i")
@pytest.mark.parametrize(
    ("engine", "settings", "message"),
    [
        ("ensemble", {"members": ("lop",)}, "members: no engine is called 'lop'; there are multi-pass, research, "),
        ("chain", {"members": ("loop", "lop")}, "members: no engine is called 'lop'; there are multi-pass, research, "),
        ("ensemble", {"budget": {"calls": 20}}, "budget.calls: 20 are too few for 3 members and what brings them"),
        ("ensemble", {"budget": {"tokens": 900}}, "budget.tokens: 900 are too few for 3 members and what brings them"),
        ("chain", {"members": ("loop", "loop"), "budget": {"calls": 3}}, "budget.calls: 3 are too few for 2 members; "),
        ("ensemble", {"options": {"loop": {}}}, "options: 'loop' is no member; the members are multi-pass"),
        (
            "ensemble",
            {"members": ("loop",), "options": {"loop": {"plan_retrys": 1}}},
            "options.loop.plan_retrys: unknown setting; did you mean plan_retries?",
        ),
        (
            "auto",
            {"options": {"multi-pass": {"max_passes": 0}}},
            "options.multi-pass.max_passes: should be greater than or equal to 1, not 0",
        ),
        (
            "ensemble",
            {"options": {"multi-pass": {"roles": {"tutor": "same"}}}},
            "options.multi-pass.roles: a member has none of its own; leave it out",
        ),
        ("ensemble", {"members": ("loop", "tutor")}, "members: 'tutor' needs a folder to look at: --files DIR; or "),
        ("chain", {}, "members: 'research' needs something to search: --files DIR, or --tools search=PROVIDER; or "),
        ("ensemble", {"members": ("loop", "report")}, "members: 'report' needs something to search: "),
    ],
)
def test_what_cannot_work_is_one_line_before_anything_is_asked(
    engine: str, settings: dict[str, Any], message: str
) -> None:
    """It says what is wrong and what to do."""
    brought = plugin(engine)
    config = brought.engine.config.model_validate(settings)
    with pytest.raises(AeonError) as caught:
        build(Scripted([]), ("calculator",), config, engine=brought)
    assert isinstance(caught.value, UsageError | ConfigError | UnknownNameError)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


@pytest.mark.requirement("E6i")
def test_a_member_that_uses_no_files_is_refused_where_there_are_some(tmp_path: Any) -> None:
    """Its vote would be a guess."""
    (tmp_path / "a.txt").write_text("The bridge was opened in 1911.")
    brought = plugin("ensemble")
    config = brought.engine.config(members=("loop", "contractive"))
    with pytest.raises(UsageError, match="'contractive' uses the task and its context alone, and there are files"):
        build(Scripted([]), (), config, engine=brought, files=tmp_path)


@pytest.mark.requirement("E6i")
@pytest.mark.parametrize("engine", ["ensemble", "chain"])
@pytest.mark.parametrize("name", ["ensemble", "auto", "chain", "team"])
def test_engines_that_run_others_are_no_members(engine: str, name: str) -> None:
    """An ensemble of ensembles would multiply what nobody measured."""
    with pytest.raises(ValueError, match=f"'{name}' runs engines itself; name engines that answer by themselves"):
        plugin(engine).engine.config(members=("loop", name))


@pytest.mark.requirement("E6a", "E6i")
def test_settings_of_members_are_on_record_and_keep_the_bound() -> None:
    """What fits the model is in the configuration, and no member takes longer prompts than the whole allows."""
    brought = combining.ensemble(Cast({"a": "1"}).plugins())
    config = brought.engine.config(
        members=("a",), prompt_bytes=2_000, options={"a": {"prompt_bytes": 90_000, "words": 2}}
    )
    orchestrator = build(Scripted([]), (), config, engine=brought)
    assert orchestrator.config.options["a"] == {"prompt_bytes": 90_000, "words": 2}
    assert orchestrator.bound.tokens == orchestrator.bound.calls * (2_000 + config.generated_tokens)
