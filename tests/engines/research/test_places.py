"""Names and addresses that mean the same place."""

from __future__ import annotations

import pytest

from aeon.engines.research.places import place_of

pytestmark = pytest.mark.requirement("A2")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("https://www.example.org:443/news/?a=1#top", "example.org/news"),
        ("https://example.org./", "example.org"),
        ("https://user@Example.org#x", "example.org"),
        ("www.example.org/", "example.org"),
        ("C# Weekly", "c# weekly"),
        ("What?  Magazine", "what? magazine"),
        ("Notes#2", "notes"),
    ],
)
def test_an_address_is_host_and_path_and_a_name_is_itself(name: str, place: str) -> None:
    """Query and fragment are cut off addresses alone; a number tells texts of one name apart, and no places."""
    assert place_of(name) == place
