"""The loop's ``sql``: a query runs exactly as it is written, and only what it may be is checked."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from aeon.documents.collection import Collection
from aeon.documents.folder import Folder
from aeon.errors import ToolArgumentError, ToolFailed
from aeon.schema import JsonValue
from aeon.tools import ToolRegistry, database
from aeon.tools.database import Database
from aeon.tools.files import Files
from aeon.tools.rendering import shown

pytestmark = pytest.mark.requirement("T1")

CLINIC = {
    "patients.csv": (
        "id,name,city,born,weight\n1,Ada Ruiz,Porto,1980-02-29,61.5\n2,BRUNO Sá,porto,1975-07-01,88\n"
        "3,Chloé Day,Cork,2001-12-31,\n4,ann O'Hara,Cork,1999-01-01,70.25\n"
    ),
    "visits.csv": (
        "visit,patient,day,kind,cost\n1,1,2025-01-10,Check,80\n2,1,2025-02-11,check,120.50\n3,2,2025-02-20,X-ray,200\n"
        "4,3,2025-03-01,Check,80\n5,3,2025-03-31,Vaccine,35\n6,9,2025-03-31,Check,80\n"
    ),
}
DEPOT = {
    "parts.csv": (
        "sku,label,grp,price,stock\nA-1,Bolt_M8,screw,0.10,900\nA-2,bolt M10,screw,0.25,\nB-1,100% Glue,chem,4,7\n"
    ),
    "moves.csv": (
        "sku,at,delta\nA-1,2025-05-01 08:00:00,100\nA-1,2025-05-02 09:30:00,-40\nB-1,2025-05-02 10:00:00,5\n"
        "A-1,2025-06-01 00:00:00,-10\n"
    ),
}


def load(root: Path, files: dict[str, str]) -> Database:
    """A database of these files."""
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    return Database.load(Folder.open(root), list(files))


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Patients and their visits."""
    return load(tmp_path_factory.mktemp("clinic"), CLINIC)


@pytest.fixture(scope="module")
def depot(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Parts and how they moved."""
    return load(tmp_path_factory.mktemp("depot"), DEPOT)


def rows(source: Database, query: str) -> list[JsonValue]:
    """The rows that a query gives."""
    found = source.plain_query(query, 16_384)["rows"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT name FROM patients WHERE city = 'Porto'", [["Ada Ruiz"]]),
        ("SELECT name FROM patients WHERE city = 'PORTO'", []),
        ("SELECT name FROM patients WHERE name LIKE 'b%'", []),
        ("SELECT name FROM patients WHERE name ILIKE 'b%'", [["BRUNO Sá"]]),
        ("SELECT city, count(*) FROM patients GROUP BY city ORDER BY city", [["Cork", 2], ["Porto", 1], ["porto", 1]]),
        ("SELECT count(DISTINCT kind), count(DISTINCT lower(kind)) FROM visits", [[4, 3]]),
        ("SELECT name FROM patients ORDER BY name", [["Ada Ruiz"], ["BRUNO Sá"], ["Chloé Day"], ["ann O'Hara"]]),
        (
            "WITH spent AS (SELECT patient, sum(cost) AS total FROM visits GROUP BY 1)"
            " SELECT p.name, total FROM patients p LEFT JOIN spent s ON s.patient = p.id ORDER BY p.id",
            [["Ada Ruiz", 200.5], ["BRUNO Sá", 200], ["Chloé Day", 115], ["ann O'Hara", None]],
        ),
        (
            "SELECT visit, sum(cost) OVER (PARTITION BY patient ORDER BY day) FROM visits WHERE patient = 1 ORDER BY 1",
            [[1, 80], [2, 200.5]],
        ),
        ("SELECT name FROM patients p WHERE NOT EXISTS (SELECT 1 FROM visits WHERE patient = p.id)", [["ann O'Hara"]]),
        ("SELECT patient FROM visits EXCEPT SELECT id FROM patients", [[9]]),
        (
            "SELECT date_trunc('month', day) AS m, count(*) FROM visits GROUP BY m ORDER BY m",
            [["2025-01-01 00:00:00", 1], ["2025-02-01 00:00:00", 2], ["2025-03-01 00:00:00", 3]],
        ),
        ("SELECT date_diff('day', min(day), max(day)), max(born) FROM visits, patients", [[80, "2001-12-31"]]),
        ("SELECT avg(weight), 1 / 0 FROM patients", [[73.25, None]]),
        ("PIVOT visits ON kind IN ('Check', 'check') USING count(*) GROUP BY patient ORDER BY patient",
         [[1, 1, 1], [2, 0, 0], [3, 1, 0], [9, 1, 0]]),
        ("PIVOT (SELECT city FROM patients) ON city USING count(*)", [[2, 1, 1]]),
        ("FROM patients SELECT id WHERE weight IS NULL; -- those not weighed", [[3]]),
    ],
)  # fmt: skip
def test_a_clinic_is_asked_as_plain_duckdb(clinic: Database, query: str, expected: list[JsonValue]) -> None:
    """Texts differ by case, and rows are what DuckDB gives over the same files."""
    assert rows(clinic, query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT sku FROM parts WHERE label LIKE '%\\_M%' ESCAPE '\\'", [["A-1"]]),
        ("SELECT upper(left(label, 4)), length(label), split_part(sku, '-', 1) FROM parts WHERE sku = 'A-2'",
         [["BOLT", 8, "A"]]),
        ("SELECT sku FROM parts WHERE label LIKE '100\\%%' ESCAPE '\\'", [["B-1"]]),
        ("SELECT sum(price * stock) FROM parts", [[118]]),
        ("SELECT sku, sum(delta) FROM moves GROUP BY ALL HAVING sum(delta) > 10", [["A-1", 50]]),
        ("SELECT 'a' AS k UNION ALL SELECT 'A' UNION SELECT 'a' ORDER BY k", [["A"], ["a"]]),
        ("SELECT max(\"at\"), strftime(min(\"at\"), '%d.%m.%Y') FROM moves", [["2025-06-01 00:00:00", "01.05.2025"]]),
        ("SELECT grp, list(sku ORDER BY sku) FROM parts GROUP BY grp ORDER BY grp",
         [["chem", ["B-1"]], ["screw", ["A-1", "A-2"]]]),
        ("SELECT price FROM parts ORDER BY price DESC LIMIT 1 OFFSET 1", [[0.25]]),
        ("SELECT column_name, column_type FROM (DESCRIBE moves)",
         [["sku", "VARCHAR"], ["at", "TIMESTAMP"], ["delta", "BIGINT"]]),
        ("SHOW TABLES", [["moves"], ["parts"]]),
        ("SELECT min FROM (SUMMARIZE moves) WHERE column_name = 'delta'", [["-40"]]),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT sum(i) FROM n", [[10]]),
    ],
)  # fmt: skip
def test_a_depot_is_asked_as_plain_duckdb(depot: Database, query: str, expected: list[JsonValue]) -> None:
    """Patterns, strings, lists, unions, and what describes the tables themselves."""
    assert rows(depot, query) == expected


def test_the_other_way_to_ask_stays_as_it_is(clinic: Database) -> None:
    """A session of its own decides about case: the same tables are asked without it elsewhere, before and after."""
    query = "SELECT count(*) FROM patients WHERE city = 'PORTO'"
    assert [clinic.query(query), rows(clinic, query), clinic.query(query)] == [2, [[0]], 2]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT 1; SELECT 2", "2 statements"),
        ("INSERT INTO patients VALUES (9, 'x', 'y', NULL, NULL)", "not INSERT"),
        ("COPY patients TO '/tmp/aeon_out.csv'", "not COPY"),
        ("ATTACH '/tmp/aeon.db'", "not ATTACH"),
        ("SET default_collation = 'NOCASE'", "not SET"),
        ("CREATE TEMP TABLE x AS SELECT 1", "not CREATE"),
        ("WITH x AS (INSERT INTO visits SELECT * FROM visits RETURNING *) SELECT * FROM x", "not INSERT"),
        ("SELECT * FROM read_csv('/etc/passwd')", "read_csv() is not allowed"),
        ("PIVOT \"read_csv\" ('/etc/passwd') ON a USING count(*)", "read_csv() is not allowed"),
        ("SELECT * FROM '/etc/passwd'", "does not exist"),
        ("SELECT * FROM 'out.csv'", "file system operations are disabled"),
        ("SELECT * FROM duckdb_settings()", "duckdb_settings() is not allowed"),
        ("SELECT * FROM query('SELECT 1')", "query() is not allowed"),
        ("", "0 statements"),
        pytest.param("SELECT '" + "x" * 1_000_000 + "'", "1,000,009 characters; 50,000 are allowed", id="long"),
        ("SELECT '\ud800'", "no text"),
        ("SELECT '\x00'", "NUL"),
        pytest.param("SELECT " + "(" * 20_000 + "1" + ")" * 20_000, "depth", id="deep"),
        ("SELECT ?", "parameters"),
    ],
)  # fmt: skip
def test_what_is_no_single_query_that_reads_is_refused(clinic: Database, query: str, message: str) -> None:
    """The reason is told in a line; nothing is run."""
    with pytest.raises(ToolArgumentError, match=re.escape(message)) as refused:
        clinic.plain_query(query, 16_384)
    assert len(str(refused.value)) <= 400 and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("SELECT nam FROM patients", ['"nam" not found', 'Candidate bindings: "name"', "(line 1, at: nam FROM"]),
        ("SELECT 1\nFROM patint", ["name patint", "(line 2, at: patint)", "tables are: patients, visits"]),
        ("SELECT sum(name) FROM patients", ["No function matches", "sum(VARCHAR)"]),
        ("SELECT name FROM patients WHERE born = 'x'", ["Conversion Error", '"x"']),
        ("SELEC 1", ["syntax error at or near", "at: SELEC 1"]),
        ("SELECT 5 % 0", ["Division by zero"]),
    ],
)  # fmt: skip
def test_an_error_is_duckdbs_own(clinic: Database, query: str, parts: list[str]) -> None:
    """With the candidates that it names, and the place, which a picture below the line cannot show in one line."""
    with pytest.raises(ToolArgumentError) as error:
        clinic.plain_query(query, 16_384)
    assert all(part in str(error.value) for part in parts), str(error.value)
    assert len(str(error.value)) <= 400


def test_a_long_query_of_many_terms_is_run(clinic: Database) -> None:
    """Nesting that DuckDB takes is no reason to refuse it."""
    assert rows(clinic, "SELECT " + "+".join(["1"] * 900)) == [[900]]


def test_ten_million_rows_are_counted_and_a_hundred_shown(clinic: Database) -> None:
    """The query has no limit of its own added; DuckDB counts what is not fetched."""
    result = clinic.plain_query("SELECT range AS n, range * 1.5 AS x FROM range(10_000_000)", 16_384)
    assert result["total"] == 10_000_000
    assert isinstance(result["rows"], list) and len(result["rows"]) == 100
    assert shown(result, 1).endswith("\n99 | 148.5\n(100 of 10,000,000 rows)")


def test_more_rows_than_can_be_counted_are_so_many_at_least(clinic: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is shown all the same."""
    monkeypatch.setattr(database, "_SECONDS", 1.5)
    query = "SELECT a.range FROM range(1_000_000) a, range(1_000_000) b WHERE hash(a.range + b.range) % 3 = 1"
    result = clinic.plain_query(query, 16_384)
    assert result["more"] is True and result["total"] == 20_101
    assert "of more than 20,101 rows)" in shown(result, 1)


def test_a_query_that_runs_for_ever_is_stopped(clinic: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the limit of time; other queries go on."""
    monkeypatch.setattr(database, "_SECONDS", 0.5)
    with pytest.raises(ToolFailed, match=r"stopped after 0\.5 s"):
        clinic.plain_query("SELECT sum(hash(a.range + b.range)) FROM range(10_000_000) a, range(1_000_000) b", 16_384)
    assert rows(clinic, "SELECT 1") == [[1]]


def test_values_are_safe_to_keep_and_exact(clinic: Database) -> None:
    """Days are ISO, decimals exact, bytes are escaped, and what is no number is null and marked."""
    query = (
        "SELECT 'inf'::DOUBLE, 'nan'::DOUBLE, '\\xAA\\x00b'::BLOB, 1.10::DECIMAL(9,2), 12345678901234567890.123456789,"
        " 0.1::DOUBLE + 0.2, NULL, TRUE, TIME '10:30:00', {'a': [1, NULL]}, DATE '12000-01-01'"
    )
    result = clinic.plain_query(query, 16_384)
    exact = "12345678901234567890.123456789"
    expected = [None, None, "\\xAA\\x00b", 1.1, exact, 0.3, None, True, "10:30:00", {"a": [1, None]}, "12000-01-01"]
    assert result["rows"] == [expected]
    assert result["not_finite"] == [[0, 0, "inf"], [0, 1, "nan"]]
    json.dumps(result, allow_nan=False)
    line = 'inf | nan | \\xAA\\x00b | 1.1 | "12345678901234567890.123456789" | 0.3 | NULL | true | 10:30:00'
    assert line in shown(result, 1)


@pytest.mark.requirement("G2b")
@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("SELECT 42, -1.5, DATE '2026-05-01', NULL FROM patients", True),
        ("SELECT 'a' FROM patients UNION ALL SELECT 'b'", True),
        ("SELECT 1, city FROM patients", None),
        ("SELECT 'a' UNION ALL SELECT city FROM patients", None),
        ("SELECT 6 * 7", None),
        ("SELECT COLUMNS(*)::VARCHAR FROM patients", None),
        ("FROM patients", None),
        ("PIVOT patients ON city USING count(*)", None),
    ],
)
def test_what_a_query_only_writes_is_said(clinic: Database, query: str, written: bool | None) -> None:
    """Where all that it selects are literals."""
    result = clinic.plain_query(query, 16_384)
    assert result.get("written") is written
    assert ("; written in the query, read from no table)" in shown(result, 1)) is bool(written)


def test_output_keeps_to_its_bytes(clinic: Database) -> None:
    """Rows are left out first; of one row that is too long, the cells are cut, and so many columns are refused."""
    long = clinic.plain_query("SELECT repeat('x', 1000) AS a, repeat('y', 1000) AS b FROM range(50)", 8_000)
    assert long["total"] == 50 and isinstance(long["rows"], list) and len(long["rows"]) == 3
    wide = ", ".join(["repeat('x', 1000)"] * 20)
    cut = clinic.plain_query(f"SELECT {wide}", 12_000)
    assert cut["cut"] is True and "[cut: 1,000 characters]" in json.dumps(cut)
    for result, most in ((long, 8_000), (cut, 12_000)):
        assert len(json.dumps(result, ensure_ascii=False).encode()) <= most
    with pytest.raises(ToolFailed, match="5,000 columns"):
        clinic.plain_query(f"SELECT {', '.join(map(str, range(5_000)))}", 8_000)


def test_many_threads_ask_at_once(clinic: Database) -> None:
    """Each in a session of its own."""
    tools = ToolRegistry(Files(Folder(Path()), clinic, _none(), ()).loop_tools)

    async def ask() -> list[JsonValue]:
        calls = (tools.call("sql", {"query": f"SELECT {n}, city FROM patients WHERE id = 2"}) for n in range(40))
        return [output.value for output in await asyncio.gather(*calls)]

    found = asyncio.run(ask())
    assert [one["rows"] for one in found if isinstance(one, dict)] == [[[n, "porto"]] for n in range(40)]


def _none() -> Collection:
    return Collection.of_texts({})
