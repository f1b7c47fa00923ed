"""The title of a text that is not marked as one."""

from __future__ import annotations

import pytest

from aeon.documents.readers import Text
from aeon.documents.titles import title_of

pytestmark = pytest.mark.requirement("T2")
LONG = "The agreement runs for an indefinite period and may be terminated by either party at any time."


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (f"Contract summary: Office cleaning\n{LONG}", "Contract summary: Office cleaning"),
        (f"Contract summary: Office cleaning\n\nthe {LONG}", "Contract summary: Office cleaning"),
        (f"# Cleaning\n{LONG}", "Cleaning"),
        (f"Minutes of 3 May\n1. Roof. {LONG}", "Minutes of 3 May"),
        (f"Dear Ms Abel,\n{LONG}", "a.txt"),
        (f"It is closed.\n{LONG}", "a.txt"),
        ("The agreement runs for an indefinite\nPeriod of time and may be\nended.", "a.txt"),
        (f"The agreement of which\nit says: {LONG}", "a.txt"),
        ("One line", "a.txt"),
        ("", "a.txt"),
        ("\n\n \n", "a.txt"),
    ],
)
def test_the_first_line_is_the_title_where_it_stands_alone_or_ends_early(text: str, title: str) -> None:
    """No sentence, no salutation, and no line of a text that is wrapped."""
    assert title_of(Text(text), "a.txt") == title
