"""The table of any engine: the machine's rows around its own, one reason each, in an order that can be set."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import UsageError
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals, table
from aeon.schema import Failure, Question
from kernel.deciding import decide


@dataclass
class Light(Signals):
    """Signals of a small engine; ``failed`` is one of its own, and none of the machine's."""

    green: bool = False
    red: bool = False
    failed: str = ""
    waits: int = 0
    most: int = 2
    shown: tuple[str, ...] = ()

    @property
    def dark(self) -> bool:
        """Whether it shows nothing."""
        return not self.green and not self.red


GREEN = Rule("green", "green", "it is green", sufficient=True)
RED = Rule("red", "red", "it is red")
KINDS = ("endpoint", "request", "journal", "unknown", "waiting")
WHICH = Question(text="Which light?")
REASONS = {"endpoint": "failed", "request": "failed", "journal": "failed", "unknown": "unknown_outcome"}


def reasons(rules: tuple[Rule, ...]) -> list[str]:
    return [rule.reason for rule in rules]


ENDS = (["failed", "unknown_outcome", "waiting", "overspent", "interrupted"], ["continue"])


@pytest.mark.requirement("M2", "O4")
def test_an_engines_rows_stand_between_what_nobody_can_overrule_and_the_row_that_always_holds() -> None:
    """Budget and open question come before them, unless the engine puts these two elsewhere."""
    first, last = ENDS
    assert reasons(table((GREEN, RED))) == [*first, "budget", "needs_clarification", "green", "red", *last]
    assert reasons(table((GREEN, BUDGET, CLARIFICATION, RED))) == [
        *first, "green", "budget", "needs_clarification", "red", *last,
    ]  # fmt: skip
    assert reasons(table((GREEN, BUDGET))) == [*first, "needs_clarification", "green", "budget", *last]
    assert reasons(table(())) == [*first, "budget", "needs_clarification", *last]


@pytest.mark.requirement("M2", "O4")
def test_the_order_of_the_movable_rows_is_a_setting() -> None:
    """The rows of the machine that nobody can overrule stay where they are."""
    first, last = ENDS
    order = ("red", "needs_clarification", "green", "budget")
    rules = table((GREEN, RED), order)
    assert reasons(rules) == [*first, *order, *last]
    assert decide(rules, Light(green=True, red=True)).reason == "red"
    assert decide(rules, Light(green=True, red=True, interrupted=True)).reason == "interrupted"


LONG = Rule("long", "waits", "it waits {s.waits} of {s.most} minutes", ">=", "$most")
SHOWN = Rule("shown", "shown", "it showed blue", "has", "blue")
AMONG = Rule("among", "waits", "it waits {s.waits} minutes", "in", (3, 5))
SAYS = Rule("says", "failed", "it says: {s.failed}", "is", "off")
DARK = Rule("dark", "dark", "it is dark")


@pytest.mark.requirement("M2")
@pytest.mark.parametrize(
    ("rule", "there", "missing", "detail"),
    [
        (LONG, {"waits": 2}, {"waits": 1}, "it waits 2 of 2 minutes"),
        (LONG, {"waits": 5, "most": 4}, {"waits": 3, "most": 4}, "it waits 5 of 4 minutes"),
        (SHOWN, {"shown": ("red", "blue")}, {"shown": ("red",)}, "it showed blue"),
        (AMONG, {"waits": 5}, {"waits": 4}, "it waits 5 minutes"),
        (SAYS, {"failed": "off"}, {"failed": "{s.red}"}, "it says: off"),
        (DARK, {}, {"red": True}, "it is dark"),
    ],
    ids=["at least another signal", "that was set", "has", "in", "is", "a property holds"],
)
def test_a_row_decides_by_its_relation_and_says_so_in_words(
    rule: Rule, there: dict[str, object], missing: dict[str, object], detail: str
) -> None:
    """A row is data: a signal, a relation and a threshold; its detail has the signals of this run."""
    decision = decide(table((rule,)), Light(**there))  # type: ignore[arg-type]
    assert (decision.action, decision.reason, decision.detail) == ("OUTPUT", rule.reason, detail)
    assert decide(table((rule,)), Light(**missing)).reason == "continue"  # type: ignore[arg-type]


@pytest.mark.requirement("M2")
def test_what_a_detail_quotes_is_no_template() -> None:
    """Places are those of the row; a signal's text with braces in it stays as it is."""
    rules = table((Rule("quoted", "failed", "it says: {s.failed}"),))
    assert decide(rules, Light(failed="{s.red} {0} {")).detail == "it says: {s.red} {0} {"


@pytest.mark.requirement("M2", "G4")
@pytest.mark.parametrize("kind", ["endpoint", "unknown", "waiting"])
def test_a_signal_of_an_engine_that_is_called_failed_hides_no_failure_of_the_machine(kind: Literal["endpoint"]) -> None:
    """What nobody can overrule rests on signals of its own names."""
    light = Light(failed="no lamp", green=True, failure=Failure(kind=kind, message="down"))
    assert decide(table((GREEN,)), light).detail == "down"


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("name", ["green", "failed", "continue", "budget", "waiting"])
def test_two_rows_for_one_reason_are_refused(name: str) -> None:
    """Also where the other one is the machine's: a stop reason must say which rule held."""
    other = Rule(name, "red", "another one")
    with pytest.raises(UsageError, match=f"two rows for one reason: .*{name}"):
        table((GREEN, other))


@pytest.mark.requirement("M1", "O4")
@pytest.mark.parametrize(
    "order",
    [("green", "red"), ("green", "red", "budget", "needs_clarification", "blue"), ("green",) * 4, ("continue",)],
    ids=["too few", "unknown", "twice", "not movable"],
)
def test_an_order_that_does_not_name_each_row_once_is_refused(order: tuple[str, ...]) -> None:
    """The error lists the rows."""
    with pytest.raises(UsageError, match="must name each row once: budget, needs_clarification, green, red"):
        table((GREEN, RED), order)


SIGNALS = st.builds(
    Light,
    interrupted=st.booleans(), failure=st.sampled_from((None, *(Failure(kind=k, message=k) for k in KINDS))),  # type: ignore[arg-type]
    exhausted=st.sampled_from((None, "tokens_exhausted")), question=st.sampled_from((None, WHICH)),
    unclear=st.booleans(), green=st.booleans(), red=st.booleans(),
)  # fmt: skip


@pytest.mark.requirement("K2", "K13", "M2")
@given(signals=SIGNALS, order=st.permutations(("budget", "needs_clarification", "green", "red")))
def test_any_table_decides_for_any_signals(signals: Light, order: list[str]) -> None:
    """One decision with a reason in words; the run goes on only to continue or to ask."""
    decision = decide(table((GREEN, RED), order), signals)
    assert decision.detail
    actions = {"continue": "CONTINUE", "needs_clarification": "ASK"}
    assert decision.action == actions.get(decision.reason, "OUTPUT")
    assert decision.sufficient == (decision.reason == "green")
    if signals.failure:
        assert decision.reason == REASONS.get(signals.failure.kind, "waiting")


@pytest.mark.requirement("K2")
def test_an_earlier_row_wins() -> None:
    """Where two neighbouring rows hold, the upper one decides."""
    down, lost = Failure(kind="endpoint", message="down"), Failure(kind="unknown", message="lost")
    rows: list[tuple[str, dict[str, object]]] = [
        ("interrupted", {"interrupted": True}),
        ("tokens_exhausted", {"exhausted": "tokens_exhausted"}),
        ("needs_clarification", {"question": WHICH}),
        ("green", {"green": True}),
        ("red", {"red": True}),
        ("continue", {}),
    ]
    for (reason, upper), (_, lower) in pairwise(rows):
        assert decide(table((GREEN, RED)), Light(**(lower | upper))).reason == reason  # type: ignore[arg-type]
    for failure, reason in ((down, "failed"), (lost, "unknown_outcome")):
        assert decide(table((GREEN, RED)), Light(interrupted=True, failure=failure)).reason == reason


@pytest.mark.requirement("O6")
def test_a_decision_to_ask_names_the_question_or_says_that_something_is_unclear() -> None:
    """What a person reads is the question itself where it is known already."""
    assert decide(table(()), Signals(question=WHICH)).detail == "Which light?"
    assert decide(table(()), Signals(unclear=True)).detail == "the task leaves open what is meant"
