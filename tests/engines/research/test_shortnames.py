"""Names that are written short in some rows: which of them stand for which."""

from __future__ import annotations

import pytest

from aeon.engines.research.shortnames import is_name, written_out

pytestmark = pytest.mark.requirement("R1")


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
