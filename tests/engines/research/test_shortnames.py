"""Names that are written short in some rows: which of them stand for which."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.engines.research.shortnames import is_name, written_out
from aeon.tools.files import Files

pytestmark = pytest.mark.requirement("T1")


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (("Ines Locke", "I. Locke"), {"I. Locke": "Ines Locke"}),
        (("Ines Locke", "I.Locke"), {"I.Locke": "Ines Locke"}),
        (("Ines Locke", "Ines L."), {"Ines L.": "Ines Locke"}),
        (("Mrs Adebola Finch", "Mrs A. Finch"), {"Mrs A. Finch": "Mrs Adebola Finch"}),
        (("Ana Maria de Souza", "A. Maria de Souza"), {"A. Maria de Souza": "Ana Maria de Souza"}),
        (("Änne Groß", "Ä. Groß"), {"Ä. Groß": "Änne Groß"}),
        (("Ines Locke", "Ian Locke", "I. Locke"), {}),
        (("Ines Locke", "I. Lock"), {}),
        (("Ines Locke", "J. Locke"), {}),
        (("Mrs Adebola Finch", "A. Finch"), {}),
        (("Mr Brown", "M. Brown"), {}),
        (("Alpha Team", "A Team", "Group Alpha", "Group A"), {}),
        (("I. Locke",), {}),
        ((), {}),
    ],
)
def test_a_short_name_stands_for_the_only_one_that_it_can_stand_for(
    cells: tuple[str, ...], read: dict[str, str]
) -> None:
    """One initial with its point, the same title, the rest as it is; of two possible ones for none."""
    assert written_out(cells) == read


def test_most_cells_are_no_names() -> None:
    """Nothing is kept of them."""
    assert not any(map(is_name, ("", "12.50", "2024-03-01", "Bo", "a b", "X" * 50 + " Y"))) and is_name("I. Locke")


def test_rows_of_a_short_name_count_and_it_is_told(tmp_path: Path) -> None:
    """The table has one person; what was found says who was read as whom."""
    rows = "who,what,eur\nHilde Farrow,music,64.80\nHilde Farrow,cello,48\nH. Farrow,strings,37.40\nA. Lund,tea,2\n"
    (tmp_path / "costs.csv").write_text(rows, encoding="utf-8")
    files = Files.open(tmp_path)
    assert files.database is not None
    assert "costs: H. Farrow is read as Hilde Farrow (who)" in files.found and "Lund" not in files.found
    total = files.database.query("SELECT SUM(eur) FROM costs WHERE who = 'Hilde Farrow'")
    assert total == pytest.approx(150.2)


def test_many_short_names_are_counted(tmp_path: Path) -> None:
    """The first four are named."""
    names = ("Ada Berg", "Bea Cole", "Cid Dorn", "Dan Eck", "Eva Falk", "Fay Gold")
    rows = "\n".join(["who", *names, *(f"{name[0]}. {name.split()[1]}" for name in names)])
    (tmp_path / "list.csv").write_text(f"{rows}\n", encoding="utf-8")
    assert "D. Eck is read as Dan Eck (who), 2 more" in Files.open(tmp_path).found
