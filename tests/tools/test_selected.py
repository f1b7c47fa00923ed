"""What a query selects: something that is read, or only what stands in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.errors import ToolArgumentError
from aeon.tools.database import Database
from aeon.tools.selected import finds, is_written

pytestmark = pytest.mark.requirement("W3", "G2b")


@pytest.fixture
def boats(tmp_path: Path) -> Database:
    """Two boats."""
    (tmp_path / "boats.csv").write_text("boat,length_m\nAlba,9\nBora,12\n")
    return Database.load(Folder(tmp_path), ["boats.csv"])


@pytest.mark.parametrize(
    ("query", "reads"),
    [
        ("SELECT length_m FROM boats", True),
        ("SELECT * FROM boats", True),
        ("FROM boats", True),
        ("SELECT count(*) FROM boats", True),
        ("SELECT 1 + count(*) FROM boats", True),
        ("SELECT CASE WHEN length_m > 9 THEN 'long' ELSE 'short' END FROM boats", True),
        ("SELECT row_number() OVER () FROM boats", True),
        ("SELECT (SELECT max(length_m) FROM boats)", True),
        ("SELECT 42 FROM boats UNION ALL SELECT length_m FROM boats", True),
        ("WITH one AS (SELECT * FROM boats) SELECT boat FROM one", True),
        ("SELECT 42 FROM boats", False),
        ("SELECT SUM(1) FROM boats", True),
        ("SELECT 'yes' FROM boats WHERE length_m > 9", True),
        (f"SELECT length_m{'+ 1' * 300} FROM boats", True),
        (f"SELECT 42{'+ 1' * 300} FROM boats", False),
        ("SELECT 6 * 7, 'yes' FROM boats", False),
        ("SELECT 42 FROM boats UNION ALL SELECT 43 FROM boats", False),
        ("SELECT 42", False),
        ("WITH one AS (SELECT 42 AS n) SELECT n FROM one", False),
    ],
)
def test_a_query_reads_where_something_that_it_selects_does(boats: Database, query: str, reads: bool) -> None:
    """A table in FROM is not enough."""
    assert boats.reads(query) is reads


def test_what_is_no_query_is_refused(boats: Database) -> None:
    """As it is when it runs."""
    with pytest.raises(ToolArgumentError):
        boats.reads("DROP TABLE boats")


@pytest.mark.parametrize("tree", [None, 7, [], {}, {"node": None}])
def test_a_tree_of_another_form_says_nothing(tree: object) -> None:
    """Another version of DuckDB writes it otherwise: then nothing is held against a query."""
    assert is_written(tree) is False  # type: ignore[arg-type]
    assert finds(tree) is True  # type: ignore[arg-type]
