"""The name below a letter that is written from files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.execution.signature import unsigned

pytestmark = pytest.mark.requirement("T5")

BODY = "Dear all,\n\nThe dinner is on 18 December."


@pytest.mark.parametrize(
    ("signed", "left"),
    [
        ("Best regards,\nPetra Hofmann", "Best regards,\n[your name]"),
        ("Yours sincerely,\n\nPetra Hofmann\nHofmann Estates", "Yours sincerely,\n[your name]"),
        ("Kind regards, Petra", "Kind regards,\n[your name]"),
        ("**Thanks!**\nPetra", "**Thanks!**\n[your name]"),
        ("Best regards,\n\nP.S. Bring a cake.", "Best regards,\n\nP.S. Bring a cake."),
        ("Mit freundlichen Gr\u00fc\u00dfen\nPetra Hofmann\n", "Mit freundlichen Gr\u00fc\u00dfen\n[your name]"),
        ("Best regards,\n[Your Name]", "Best regards,\n[Your Name]"),
        ("Best regards,", "Best regards,"),
        ("Thank you for your patience.", "Thank you for your patience."),
        ("Thanks to all who came.", "Thanks to all who came."),
        ("Regards,\nElif", "Regards,\nElif"),
    ],
)
def test_a_name_that_nobody_gave_is_left_open(signed: str, left: str) -> None:
    """Elif is named by the task; a sentence that only begins like a closing is no signature."""
    assert unsigned(f"{BODY}\n\n{signed}", "Write an email about the dinner. I am Elif.") == f"{BODY}\n\n{left}"


def test_what_is_no_letter_ends_as_it_does() -> None:
    """Points of a list may be called like the end of a letter."""
    agenda = "- Welcome\nGreetings\nMinutes of the last meeting\nBudget"
    assert unsigned(agenda, "What is on the agenda?") == agenda


@given(st.text(), st.text())
def test_any_text_is_read(text: str, said: str) -> None:
    """What is changed ends with the open place."""
    once = unsigned(text, said)
    assert once == text or once.endswith("\n[your name]")
    assert unsigned(once, said) == once
