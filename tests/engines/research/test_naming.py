"""Names of a task that nothing cited speaks of."""

from __future__ import annotations

import pytest

from aeon.engines.research.naming import unnamed

pytestmark = pytest.mark.requirement("R3a")

METERS = "M45 water meter. Warranty: five years. Water temperature: up to 90 degrees."


@pytest.mark.parametrize(
    ("task", "text", "names"),
    [
        ("How long is the warranty on the meters that Harcombe Water is buying?", METERS, ("Harcombe Water",)),
        ("Who looks after parking at Elmsgate?", "Parking is reserved through reception.", ("Elmsgate",)),
        ("Who looks after parking at Elmsgate?", "Elmsgate site. Parking: Nuala Feeney.", ()),
        ("Where did Noor Siddhanti's PhD supervisor study?", "Noor Siddhanti worked for a man from Ghent.", ()),
        ("What did the Marl Cup cost in Oxley Weir?", "A cup of the club.", ("Marl Cup", "Oxley Weir")),
        ("Who built the Marl Cup and the Marl Cup box?", "nothing", ("Marl Cup",)),
        ("If I've been late, who opens at Elmsgate?", "The porter opens.", ("Elmsgate",)),
        ("Who opens? Thanks.", "The porter opens.", ()),
        ("Who runs the Harbour Clinic? Answer in English, as JSON.", "Harbour Clinic: Ada Holm.", ()),
        ("The Marl Cup is made of silver. Who gave it?", "It was given by a brewer.", ("Marl Cup",)),
        ("How old is Zoë Krämer?", "Zoe Kramer is nine.", ()),
        ("Wie hoch ist die Garantie auf den Zähler im Jahr 1901?", "Fünf Jahre.", ()),
        ("WHO FOUNDED THE CLINIC IN OSLO?", "Ada Holm did.", ()),
        ("Farmers of which valley began a dairy?", "The people of the Lenn did.", ()),
        ("How long is the warranty?", METERS, ()),
    ],
)
def test_names_of_whose_words_the_text_has_half_at_most(task: str, text: str, names: tuple[str, ...]) -> None:
    """Each once; no word that only begins a sentence, nothing of how to answer, and none where capitals tell none."""
    assert unnamed(task, text) == names
