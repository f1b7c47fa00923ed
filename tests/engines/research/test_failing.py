"""Searches that fail: tried again after pauses, asked of another provider, given up; and the log of them."""

from __future__ import annotations

import pytest
from kernel.world import ENDPOINT_DOWN

from aeon.engines.research.checking import refusal
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.effects import Cite, Pause, Reflect, Search
from aeon.engines.research.program import RESEARCH
from aeon.engines.research.record import Research
from aeon.engines.research.values import Cited, Queries, Reflection
from aeon.schema import Failure, Found, ResultProblem, SearchProblem, Task, Value
from aeon.schema.effects import Effect
from engines.research.world import (
    World,
    failing,
    found,
    once,
    partly,
    problem,
    queries,
    seeking,
)

pytestmark = pytest.mark.requirement("R5")

OUT_OF_TIME = Failure(kind="allowance", message="no time is left", limit="seconds")
NOTHING = Found(provider="shelf")


@pytest.mark.requirement("R5")
def test_a_failed_search_is_tried_again_after_a_pause_in_one_batch() -> None:
    """Three attempts in all, after one and two seconds with jitter, each pause before its search and only it waits."""
    world = World(local=(), web=("web",), search=lambda e, n: problem() if e.query == "one" else found(e.query))
    result = world.research()
    retries = [batch.effects for batch in world.batches if any(isinstance(one, Pause) for one in batch.effects)]
    assert [[type(one).__name__ for one in batch] for batch in retries] == [["Pause", "Search"]] * 2
    assert [(batch[1].attempt, batch[1].after) for batch in retries] == [(2, (0,)), (3, (0,))]  # type: ignore[attr-defined]
    first, second = (batch[0].seconds for batch in retries)  # type: ignore[attr-defined]
    assert 1 <= first < 2 <= second < 3 and first != 1
    assert [(one.attempt, one.then) for one in result.error_log] == [(1, "retried"), (2, "retried"), (3, "given up")]
    assert result.limited and result.sufficient


@pytest.mark.requirement("R5")
def test_several_retries_wait_side_by_side() -> None:
    """Each search behind its own pause."""
    world = World(local=(), web=("web",), search=lambda e, n: problem() if e.attempt == 1 else found(e.query))
    result = world.research()
    (batch,) = (batch.effects for batch in world.batches if any(isinstance(one, Pause) for one in batch.effects))
    assert [one.after for one in batch] == [(), (0,), (), (2,), (), (4,)]
    assert not result.limited and [one.then for one in result.error_log] == ["retried"] * 3


@pytest.mark.requirement("R5")
def test_a_provider_that_asks_to_wait_is_waited_for() -> None:
    """Exactly so long; and not at all if that is longer than anyone waits."""
    world = World(local=(), web=("web",), search=once(problem("rate_limited", wait=7.0), found("a")))
    world.research()
    assert [one.seconds for one in world.effects if isinstance(one, Pause)] == [7.0]
    late = World(local=(), web=("web", "spare"), search=failing("web", kind="rate_limited", wait=900.0))
    result = late.research()
    assert not any(isinstance(one, Pause) for one in late.effects)
    assert {one.then for one in result.error_log} == {"another provider"} and not result.limited


@pytest.mark.requirement("R5")
def test_a_search_that_failed_goes_to_the_next_provider() -> None:
    """Once its attempts are used up, in the order of the providers; a local one has no other."""
    world = World(local=(), web=("web", "spare", "last"), search=failing("web", "spare", retryable=False))
    result = world.research()
    assert [one.provider for one in world.searches if one.query == "one"] == ["web", "spare", "last"]
    assert not result.limited and result.sufficient
    local = World(local=("shelf",), web=("spare",), search=failing("shelf", retryable=False)).research()
    assert {one.then for one in local.error_log} == {"given up"} and local.limited


@pytest.mark.requirement("R5")
def test_a_provider_that_fails_three_times_in_a_row_is_not_asked_any_more() -> None:
    """Not in later rounds, and not for a retry that was due in the same batch."""
    world = World(local=("shelf",), web=("web",), search=failing("web", retryable=False), reflect=seeking, cite=partly)
    result = world.research(max_iters=3, max_queries=9, check=False)
    assert [one.query for one in world.searches if one.provider == "web"] == ["one", "two", "three"]
    assert result.limited and result.stop_reason == "rounds_exhausted"

    def mixed(effect: Effect, n: int) -> Value:
        assert isinstance(effect, Search)
        if effect.provider != "web":
            return found(f"t{n}", provider=effect.provider)
        return problem(retryable=effect.query == "zero")

    plan = Queries(queries=queries("zero", "one", "two", "three"))
    world = World(local=(), web=("web", "spare"), search=mixed, plan_queries=plan)
    result = world.research()
    assert [(one.query, one.attempt) for one in world.searches if one.provider == "web"] == [
        ("zero", 1), ("one", 1), ("two", 1), ("three", 1),
    ]  # fmt: skip
    assert {one.then for one in result.error_log} == {"another provider"}


@pytest.mark.requirement("R5")
def test_a_provider_that_fails_for_half_of_four_queries_is_not_asked_any_more() -> None:
    """Though never three times in a row; two of three are too few to say so."""
    bad = {"two", "four"}
    search = lambda e, n: problem(retryable=False) if e.query in bad and e.provider == "web" else found(f"t{n}")  # noqa: E731
    plan = Queries(queries=queries("one", "two", "three", "four"))
    world = World(web=("web",), search=search, plan_queries=plan, reflect=seeking)
    world.research(max_iters=2)
    assert [one.query for one in world.searches if one.provider == "web"] == ["one", "two", "three", "four"]
    few = World(
        web=("web",), search=search, plan_queries=Queries(queries=queries("two", "one", "four")), reflect=seeking
    )
    few.research(max_iters=2)
    assert "more 0" in [one.query for one in few.searches if one.provider == "web"]


@pytest.mark.requirement("R5")
def test_a_provider_with_a_wrong_setting_is_not_asked_again() -> None:
    """Not in the next round, after one query: the next provider takes its place, and the log has what it said."""
    wrong = failing("web", kind="configuration", retryable=False)
    plan = Queries(queries=queries("one"))
    world = World(local=(), web=("web", "spare"), search=wrong, plan_queries=plan, reflect=seeking, cite=partly)
    result = world.research(max_iters=2, check=False)
    assert [one.query for one in world.searches if one.provider == "web"] == ["one"]
    assert [(one.problem.kind, one.then) for one in result.error_log] == [("configuration", "another provider")]
    assert not result.limited and result.stop_reason == "rounds_exhausted"


@pytest.mark.requirement("R5")
def test_where_settings_alone_keep_all_from_answering_the_run_says_so() -> None:
    """Once, whoever said it, and no model is asked to read nothing; beside a failure it is a failed search."""
    wrong = failing("web", "spare", kind="configuration", retryable=False)
    world = World(local=(), web=("web", "spare"), search=wrong)
    result = world.research()
    assert (result.stop_reason, result.detail) == ("misconfigured", "it said configuration")
    assert not any(isinstance(one, Reflect) for one in world.effects)

    def mixed(effect: Effect, n: int) -> Value:
        assert isinstance(effect, Search)
        return problem("configuration" if effect.provider == "web" else "server", retryable=False)

    assert World(local=(), web=("web", "spare"), search=mixed).research().stop_reason == "search_failed"


@pytest.mark.requirement("R5")
def test_where_no_provider_is_left_the_search_ends() -> None:
    """The answer is made of what there is, and says that the search was limited."""
    world = World(local=(), web=("web",), search=failing("web", retryable=False))
    result = world.research()
    assert (result.stop_reason, result.limited) == ("search_failed", True)
    (cite,) = (effect for effect in world.effects if isinstance(effect, Cite))
    assert cite.limited and cite.searched == ("one", "two", "three")


@pytest.mark.requirement("R3", "R5")
def test_an_answer_tells_what_could_not_be_searched_for() -> None:
    """A query that nobody could search for is none that was searched for; the result has them apart."""
    half = lambda e, n: problem(retryable=False) if e.query == "one" else NOTHING  # noqa: E731
    for search, said, limited in (
        (half, "(searched for: two; three; could not be searched for: one)", True),
        (failing("web", retryable=False), "(could not be searched for: one; two; three)", False),
    ):
        world = World(local=(), web=("web",), search=search, reflect=Reflection())
        result = world.research()
        (cite,) = (effect for effect in world.effects if isinstance(effect, Cite))
        text = refusal(cite).text
        assert said in text and text.startswith("No source" if limited else "Nothing could be searched")
        assert ("partial information" in text) == limited
        assert result.unsearched == cite.unsearched and result.searched == ("one", "two", "three")


@pytest.mark.requirement("R5")
def test_a_search_that_finds_nothing_has_not_failed() -> None:
    """It is no error, is not tried again, and limits nothing."""
    world = World(search=NOTHING, reflect=seeking)
    result = world.research()
    assert not result.limited and not result.error_log and len(world.searches) == len(result.searched)


@pytest.mark.requirement("R5", "R7")
@pytest.mark.parametrize(
    ("reply", "kind", "retryable"),
    [
        (problem("timeout"), "timeout", True),
        (problem("rate_limited", wait=2.0), "rate_limited", True),
        (problem("configuration", retryable=False), "configuration", False),
        (problem("malformed", retryable=False), "malformed", False),
        (Failure(kind="handler", message="ValueError: it broke"), "server", False),
        (OUT_OF_TIME, "server", False),
    ],
)
def test_the_log_has_each_failure_and_what_became_of_it(reply: Value, kind: str, retryable: bool) -> None:
    """Its type, its message, whether it can be retried, when it was, and what was done."""
    world = World(
        web=("web",),
        search=lambda e, n: reply if (e.provider, e.query, e.attempt) == ("web", "one", 1) else found(f"t{n}"),
    )
    result = world.research()
    (record,) = result.error_log
    assert (record.query, record.provider, record.attempt) == ("one", "web", 1)
    assert (record.problem.kind, record.problem.retryable) == (kind, retryable) and record.problem.message
    assert record.then == ("retried" if retryable else "given up") and record.seconds == 3.0


@pytest.mark.requirement("R7")
@pytest.mark.parametrize("phase", ["find_providers", "plan_queries", "reflect", "cite"])
@pytest.mark.parametrize(
    ("reply", "kind", "retryable"),
    [
        (Failure(kind="completion", message="no schema-valid value"), "completion", False),
        (Failure(kind="request", message="no answer within 60 s"), "request", True),
        (Failure(kind="handler", message="ValueError: it broke"), "handler", False),
        (ENDPOINT_DOWN, "endpoint", True),
        (found("a"), "handler", False),
    ],
)
def test_the_log_has_each_phase_that_failed(phase: str, reply: Value, kind: str, retryable: bool) -> None:
    """Its type, its message, whether it can be retried, and when it was; each once, whatever the run does then."""
    result = World(**{phase: reply}).research()
    record = next(one for one in result.error_log if one.phase == phase)
    assert (record.problem.kind, record.problem.retryable, record.then) == (kind, retryable, "done without")
    assert record.problem.message and (record.query, record.provider) == ("", "") and record.seconds > 0
    assert len({one.seconds for one in result.error_log}) == len(result.error_log)
    assert Research.model_validate_json(result.model_dump_json()) == result


@pytest.mark.requirement("R7")
def test_the_log_has_an_answer_that_was_not_made() -> None:
    """Something else stands in its place; that the run was stopped is no error."""
    bare = Cited(text="the harbour [1].", problem="the model declined")
    (record,) = World(cite=bare).research().error_log
    assert (record.phase, record.problem.kind, record.problem.message) == ("cite", "completion", "the model declined")
    assert World(interrupted_at=3).research().error_log == ()


@pytest.mark.requirement("R7")
def test_the_log_has_each_result_that_could_not_be_read() -> None:
    """With its type, and whether the service's own text stands in; such a search has not failed, and limits nothing."""
    bad = SearchProblem(kind="too_large", message="it is larger than is read", retryable=False)
    lost = (ResultProblem(problem=bad, stands_in=True), ResultProblem(problem=bad.changed(kind="forbidden")))

    def search(effect: Effect, n: int) -> Value:
        return found(f"t{n}").changed(problems=lost if n == 1 else ())

    result = World(search=search).research()
    assert [(one.query, one.problem.kind, one.then) for one in result.error_log] == [
        ("two", "too_large", "its result stands in"), ("two", "forbidden", "left out"),
    ]  # fmt: skip
    assert result.sufficient and not result.limited


@pytest.mark.requirement("R5")
def test_the_same_run_pauses_alike_and_another_one_otherwise() -> None:
    """Jitter follows from the run and the query, so that a replay has the same pauses."""

    def pauses(run: str) -> list[float]:
        world = World(local=(), web=("web",), search=failing("web"))
        world.drive(RESEARCH.program(RESEARCH.start(Task(text="Where?"), ResearchConfig(), run)))
        return [one.seconds for one in world.effects if isinstance(one, Pause)]

    assert pauses("run-1") == pauses("run-1") != pauses("run-2")
    assert len(set(pauses("run-1"))) == 6


@pytest.mark.requirement("R5")
def test_a_budget_that_runs_out_between_attempts_ends_the_run() -> None:
    """The pauses and searches that are left are not issued, and what was found is answered from."""
    world = World(web=("web",), search=failing("web"))
    result = world.research(budget={"seconds": 3.6}, reserve={"seconds": 0.2})
    assert result.stop_reason == "seconds_exhausted" and result.answer
    assert not any(isinstance(one, Pause | Reflect) for one in world.effects)
    assert len(result.sources) == 3


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("retryable", [False, True], ids=["fails first", "fails last"])
def test_a_query_that_one_provider_answered_was_searched_for(retryable: bool) -> None:
    """Also where it found nothing, and another one failed before or after it."""
    world = World(
        local=("shelf",), web=("web",), reflect=Reflection(),
        search=lambda e, n: problem(retryable=retryable) if e.provider == "shelf" else NOTHING,
    )  # fmt: skip
    result = world.research()
    assert result.limited and result.unsearched == ()
