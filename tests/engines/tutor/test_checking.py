"""The tutor's check of claims: sound against a second reading of the same files, and exact about its objects."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from aeon.documents.folder import Folder
from aeon.engines.tutor.actions import (
    CountLines,
    Excerpt,
    Hit,
    Imports,
    ListFiles,
    Listing,
    Matches,
    Modules,
    Observation,
    Query,
    ReadLines,
    Search,
    TableValue,
    arguments,
)
from aeon.engines.tutor.checking import Checker, Ruling
from aeon.engines.tutor.looks import Seen
from aeon.engines.tutor.quantities import Constant, CountOf, Tables
from aeon.engines.tutor.statements import (
    Before,
    Contains,
    Count,
    Equals,
    Event,
    Exists,
    Implies,
    ImportsModule,
    Statement,
    ValueIs,
)
from aeon.engines.tutor.times import clock, moment
from aeon.tools.database import Database
from aeon.tools.look import look
from aeon.tools.measuring import TableQuery
from scripts.bench.games_claims import actions, adversarial, claims, folder_of, seen_in, truth

pytestmark = pytest.mark.requirement("E4d")
OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)
TABLES: Tables = {"sales": {"region": "text", "amount": "number", "day": "day", "paid": "truth"}}
WHOLE = Listing(path="", files=("a.txt", "b.log"), whole=True)


def rule(statement: Statement, *seen: Observation, claimed: dict[int, Statement] | None = None) -> Ruling:
    """The verdict on a statement by these observations, whose actions do not matter."""
    every = [Seen(number, ListFiles(path=f"x{number}"), one) for number, one in enumerate(seen, 1)]
    return Checker(every, claimed or {}, TABLES).rule(statement)


@given(st.integers())
@settings(max_examples=60, deadline=None)
def test_no_verdict_is_false(seed: int) -> None:
    """Whatever was looked at and whatever is claimed: what is proved holds of the files, what is refuted does not."""
    chance = Random(seed)
    files = folder_of(chance)
    with tempfile.TemporaryDirectory() as name:
        for path, content in files.items():
            (Path(name) / path).parent.mkdir(exist_ok=True)
            (Path(name) / path).write_bytes(content)
        seen = seen_in(Folder.open(name), actions(chance, 14))
    plain = [one for one in claims(chance, 40) if not isinstance(one, Implies) and not one.fault({})]
    named = dict(enumerate(plain[:4], 1))
    for claim in claims(chance, 40):
        ruling = Checker(seen, named, {}).rule(claim)
        assert ruling.rests_on or ruling.verdict not in ("proved", "refuted")
        if ruling.verdict in ("proved", "refuted"):
            assert truth(claim, files, named) == (ruling.verdict == "proved"), (claim, ruling, seen)


def test_the_bench_of_adversarial_claims_decides_and_errs_never() -> None:
    """A part of the 10,000 claims of the bench: each kind of verdict occurs, a fixed share is about tables."""
    pytest.importorskip("duckdb")
    said = adversarial(400, seed=5)
    assert said.endswith("false verdicts: 0")
    assert all(kind in said for kind in ("proved", "refuted", "undecided", "ill_typed"))
    numbers = {line.partition(":")[0]: int(line.split(": ")[1].split()[0]) for line in said.splitlines()}
    assert numbers["value"] + numbers["equals, of tables"] == 120


def test_a_verdict_is_about_exactly_the_object() -> None:
    """What was seen of one file, line or text says nothing of another one."""
    seen = Excerpt(path="a.txt", lines=((1, "alpha"), (2, "beta")), total=9)
    assert rule(Contains(path="a.txt", text="alph"), seen).verdict == "proved"
    assert rule(Contains(path="a.txt", text="alpha", line=2), seen).verdict == "refuted"
    assert rule(Contains(path="a.txt", text="gamma"), seen).verdict == "undecided"
    assert rule(Contains(path="b.log", text="alpha"), seen).verdict == "undecided"
    assert rule(Contains(path="a.txt", text="Alpha"), seen).verdict == "undecided"
    assert rule(Contains(path="a.txt", text="alpha", line=10), seen).verdict == "refuted"


def test_open_coverage_refutes_nothing() -> None:
    """A cut line, a file that could not be read, a list that is not whole: what is not shown may be there."""
    claim = Contains(path="a.txt", text="omega")
    cut = Excerpt(path="a.txt", lines=((1, "al"),), total=1, cut=(1,))
    unread = Matches(text="omega", path="", unread=("a.txt",), whole=True)
    part = Matches(text="omega", path="", whole=False)
    hidden = Matches(
        text="om", path="a.txt", total=2, counts=(("a.txt", 2),), hits=(Hit(path="a.txt", line=1, text="om"),)
    )
    for seen in (cut, unread, part, hidden.changed(whole=True)):
        assert rule(claim, seen).verdict == "undecided"
    assert rule(claim, Matches(text="omega", path="a.txt", whole=True)).verdict == "refuted"
    assert rule(Exists(path="c"), WHOLE.changed(whole=False)).verdict == "undecided"
    assert rule(Count(text="omega", n=0), unread).verdict == "undecided"
    assert rule(Count(text="omega", path="b.log", n=0), unread).verdict == "proved"


def test_polarity_turns_a_verdict() -> None:
    """What proves a claim refutes its negation; what leaves one open leaves both."""
    for claim, verdict in ((Exists(path="a.txt"), "proved"), (Exists(path="c.txt"), "refuted")):
        other = {"proved": "refuted", "refuted": "proved"}[verdict]
        assert rule(claim, WHOLE).verdict == verdict
        assert rule(claim.changed(polarity=False), WHOLE).verdict == other
    assert rule(Contains(polarity=False, path="a.txt", text="x"), WHOLE).verdict == "undecided"


def test_the_newest_observation_counts() -> None:
    """A file may have changed since an older one; the verdict names the one that it rests on."""
    old, new = (Matches(text="x", path="a.txt", total=n, counts=(("a.txt", n),), whole=True) for n in (2, 3))
    assert rule(Count(text="x", path="a.txt", n=3), old, new) == Ruling(verdict="proved", rests_on=(2,))
    assert rule(Count(text="x", path="a.txt", n=2), old, new) == Ruling(verdict="refuted", rests_on=(2,))


@pytest.mark.parametrize(
    "claim",
    [
        Exists(path=""), Exists(path="/etc/passwd"), Exists(path="a/../b"), Exists(path=".env"), Exists(path="a\\b"),
        Contains(path="a.txt", text="two\nlines"), Contains(path="a.txt", text="\n"), Count(text="a\x0bb", n=1),
        ImportsModule(path="a.txt", module="b"), ImportsModule(path="a.py", module="b c"),
        ValueIs(table="ghost", column="amount", aggregate="sum", value=1.0),
        ValueIs(table="sales", column="ghost", aggregate="sum", value=1.0),
        Before(first=Event(path="b.log", text="x"), second=Event(path="b.log", text="x")),
        Implies(premise=7, conclusion=1), Implies(premise=1, conclusion=2),
    ],
)  # fmt: skip
def test_what_says_nothing_of_a_folder_is_ill_typed(claim: Statement) -> None:
    """Paths that lead nowhere, texts over lines, unknown tables, columns and claims, implications of implications."""
    named: dict[int, Statement] = {1: Exists(path="a.txt"), 2: Implies(premise=1, conclusion=1)}
    ruling = rule(claim, WHOLE, claimed=named)
    assert ruling.verdict == "ill_typed" and ruling.reason and "\n" not in ruling.reason


def test_terms_are_equal_by_value() -> None:
    """Counts and values of tables are compared with each other and with numbers; a text is no number."""
    count = Matches(text="x", path="a.txt", total=2, counts=(("a.txt", 2),), whole=True)
    value = TableValue(table="sales", column="amount", aggregate="sum", value=2.0)
    left, named = CountOf(text="x", path="a.txt"), {"table": "sales", "column": "amount"}
    right = ValueIs(**named, aggregate="sum", value=2.0)  # type: ignore[arg-type]
    assert rule(Equals(left=left, right=right.sides[0]), count, value) == Ruling(verdict="proved", rests_on=(1, 2))
    assert rule(right, value).verdict == "proved"
    assert rule(right.changed(where="region", equals="North"), value).verdict == "undecided"
    assert rule(Equals(left=left, right=Constant(value="2")), count).verdict == "refuted"


def test_an_implication_follows_from_its_claims() -> None:
    """A false premise or a true conclusion proves it, a true premise with a false conclusion refutes it."""
    named: dict[int, Statement] = {
        1: Exists(path="a.txt"), 2: Exists(path="c.txt"), 3: Contains(path="a.txt", text="x"),
    }  # fmt: skip
    verdicts = {(2, 3): "proved", (3, 1): "proved", (1, 2): "refuted", (1, 3): "undecided"}
    for (premise, conclusion), verdict in verdicts.items():
        claim = Implies(premise=premise, conclusion=conclusion)
        assert rule(claim, WHOLE, claimed=named).verdict == verdict


def _log(path: str, *lines: tuple[str, str]) -> list[Observation]:
    """What a search for each of these texts shows in a log."""
    return [
        Matches(
            text=text, path=path, total=1, counts=((path, 1),), hits=(Hit(path=path, line=1, text=line),), whole=True
        )
        for text, line in lines
    ]


def test_two_logs_need_their_clocks() -> None:
    """Within a file the times decide; across files only with what both say of their clocks; a tie decides nothing."""
    first, second = Event(path="a.log", text="up"), Event(path="b.log", text="down")
    seen = [*_log("a.log", ("up", "2026-03-01 10:00:30 up")), *_log("b.log", ("down", "2026-03-01 10:00:10 down"))]
    clocks = [*_log("a.log", ("clock:", "clock: +40 s")), *_log("b.log", ("clock:", "clock: -5.5 s"))]
    claim = Before(first=first, second=second)
    assert rule(claim, *seen).verdict == rule(claim, *seen, clocks[0]).verdict == "undecided"
    assert rule(claim, *seen, *clocks) == Ruling(verdict="proved", rests_on=(1, 2, 3, 4))
    same = [
        one.changed(path="a.log", counts=(("a.log", 1),), hits=tuple(h.changed(path="a.log") for h in one.hits))
        for one in seen
        if isinstance(one, Matches)
    ]
    within = Before(first=first, second=Event(path="a.log", text="down"))
    assert rule(within, *same).verdict == "refuted"
    tie = _log("a.log", ("up", "2026-03-01 10:00:30 up"), ("down", "2026-03-01 10:00:30 down"))
    assert rule(within, *tie).verdict == "undecided"


def test_times_are_read_exactly() -> None:
    """Days, fractions and zones; a leap year; what is no time at the beginning of a line is none."""
    one, other = moment("2024-02-29T23:59:59.5Z x"), moment("[2024-03-01 01:00:00+01:00] x")
    assert one is not None and other is not None and other.microseconds - one.microseconds == 500_000
    assert moment("at 2024-02-29 10:00:00") is None and moment("2024-13-01 10:00:00") is None
    assert moment("10:00:00 x") is None
    assert clock("# clock: -2.25 s") == -2_250_000 and clock("clock: 3 s") is None


def test_a_dare_is_the_look_that_is_still_missing() -> None:
    """An undecided claim names the next look that could decide it, and is open once all were taken."""
    claim = Contains(path="a.txt", text="x")
    search = Search(text="x", path="a.txt")
    assert rule(claim).dare == search
    vain = Matches(text="x", path="a.txt", unread=("a.txt",), whole=True)
    ruling = Checker([Seen(1, search, vain)], {}, {}).rule(claim)
    assert (ruling.verdict, ruling.dare, ruling.exhausted) == ("undecided", None, True)
    order = Before(first=Event(path="a", text="x"), second=Event(path="b", text="y"))
    assert [action.type for action in order.needs()] == ["search"] * 4
    assert rule(ImportsModule(path="e.py", module="f")).dare == Imports(path="e.py")
    assert rule(Count(text="x", n=1)).dare == CountLines(text="x")


def test_every_look_gives_what_the_game_reads(tmp_path: Path) -> None:
    """Each action, over real files and a table, gives an observation of its kind; a table that changed is read anew."""
    pytest.importorskip("duckdb")
    (tmp_path / "a.txt").write_text("x\n" * 50 + "y" * 900 + "x\n")
    (tmp_path / "e.py").write_text("def f():\n    from .g import h\n")
    (tmp_path / "bad.py").write_text("def (")
    table = tmp_path / "sales.csv"
    table.write_text("region,amount\nNorth,1\nSouth,2\n")
    folder = Folder.open(tmp_path)
    call = look(folder, Database.load(folder, ["sales.csv"])).call

    def seen(action: ListFiles | ReadLines | Search | CountLines | Imports) -> Observation:
        return OBSERVATION.validate_python(call(**arguments(action)))

    assert seen(ListFiles()) == Listing(path="", files=("a.txt", "bad.py", "e.py", "sales.csv"), whole=True)
    read, found = seen(ReadLines(path="a.txt", start=45)), seen(Search(text="x"))
    assert isinstance(read, Excerpt) and read.total == 51 and read.cut == (51,) and read.lines[0] == (45, "x")
    assert isinstance(found, Matches) and (found.total, len(found.hits), found.whole) == (51, 12, True)
    assert seen(CountLines(text="x")) == found.changed(hits=())
    assert seen(Imports()) == Modules(path="", files=(("e.py", ("g", "g.h")),), unread=("bad.py",), whole=True)
    query = Query(table="sales", column="amount", aggregate="sum", where="region", equals="North")
    asked = TableQuery(**{name: value for name, value in query.fields().items() if name != "type"})
    assert call(action="query", query=asked)["value"] == 1  # type: ignore[index]
    table.write_text("region,amount\nNorth,5\n")
    assert call(action="query", query=asked)["value"] == 5  # type: ignore[index]
