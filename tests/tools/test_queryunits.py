"""The units of what a query gives."""

from __future__ import annotations

import pytest

from aeon.documents.folder import Folder
from aeon.tools.database import Database
from aeon.tools.rendering import shown

pytestmark = pytest.mark.requirement("T6b")

FILES = {
    "parcels.csv": "town;weight;fee;n\nOslo;12 kg;€ 3,50;1\nRome;500 g;€ 2,00;2\nBern;1 kg;€ 1,00;3\n",
    "trips.csv": "town,way,weight\nOslo,3 km,4 t\nRome,5 km,6 t\n",
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Parcels in kilograms and euros, trips in kilometres and tonnes."""
    root = tmp_path_factory.mktemp("units")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    return Database.load(Folder(root), [*FILES])


@pytest.mark.parametrize(
    ("query", "units"),
    [
        ("SELECT sum(weight) FROM parcels", {"sum(weight)": "kg"}),
        ("SELECT avg(fee) AS mean, max(p.weight) AS most FROM parcels p", {"mean": "€", "most": "kg"}),
        ("SELECT town, round(min(weight), 1) AS least FROM parcels GROUP BY 1", {"least": "kg"}),
        ("SELECT sum(fee) - min(fee) AS rest, sum(weight)::DOUBLE AS w FROM parcels", {"rest": "€", "w": "kg"}),
        ("FROM parcels", {"weight": "kg", "fee": "€"}),
        ("SELECT way, fee FROM parcels JOIN trips USING (town)", {"way": "km", "fee": "€"}),
        ("SELECT sum(weight * fee) AS a, count(weight) AS b, sum(fee) / sum(weight) AS c FROM parcels", {}),
        ("SELECT weight + fee AS a, weight * 2 AS b, n FROM parcels", {}),
        ("SELECT * REPLACE (weight * 2 AS weight) FROM parcels", {}),
        ("WITH x AS (SELECT fee * weight AS fee FROM parcels) SELECT fee FROM x", {}),
        ("WITH parcels AS (SELECT way AS fee FROM trips) SELECT fee FROM parcels", {}),
        ("SELECT fee FROM (SELECT weight AS fee FROM parcels)", {}),
        ("SELECT fee FROM parcels UNION ALL SELECT weight FROM parcels", {}),
        ("SELECT p.weight, t.way FROM parcels p, trips t", {"way": "km"}),
    ],
)
def test_a_result_has_the_units_of_its_columns(tables: Database, query: str, units: dict[str, str]) -> None:
    """Where they follow from the tables, whatever the columns are called; a product, a count and a mix have none."""
    assert tables.plain_query(query, 10_000).get("units", {}) == units


def test_the_model_is_told(tables: Database) -> None:
    """Below the rows, so that the columns keep their names."""
    text = shown(tables.plain_query("SELECT sum(weight) AS w, count(*) AS n FROM parcels", 10_000), 1)
    assert text == "w | n\n13.5 | 3\n(1 row; w in kg)"
