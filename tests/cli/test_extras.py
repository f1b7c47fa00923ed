"""Headers and fields of the body from the environment, as the command line takes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .played_model import Model

pytestmark = pytest.mark.requirement("P1", "P1b")
Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"
SECRET = "tok-9f8e7d6c"


@pytest.mark.parametrize(
    ("variable", "written", "words"),
    [
        ("AEON_BODY", "{", ("AEON_BODY is not JSON", "line 1")),
        ("AEON_BODY", "[1]", ("AEON_BODY is no JSON object",)),
        ("AEON_BODY", '{"max_tokens": 9}', ("AEON_BODY", "max_tokens", "leave it out")),
        ("AEON_HEADERS", f'{{"A": "{SECRET}"', ("AEON_HEADERS is not JSON",)),
        ("AEON_HEADERS", f'{{"Host": "{SECRET}"}}', ("AEON_HEADERS", "Host", "leave it out")),
        ("AEON_HEADERS", f'{{"X-A": "{SECRET}\\n"}}', ("AEON_HEADERS", "the value of X-A")),
    ],
)
def test_a_wrong_setting_is_one_line_and_exit_code_2(
    aeon: Aeon, model: Model, monkeypatch: pytest.MonkeyPatch, variable: str, written: str, words: tuple[str, ...]
) -> None:
    """No model is asked, and no value of a header is repeated."""
    monkeypatch.setenv(variable, written)
    done = aeon("run", TASK, "--model", model.url)
    done.complains(2, *words)
    assert done.out == "" and SECRET not in done.err and not model.bodies


def test_values_of_headers_are_in_no_output_and_no_journal(
    aeon: Aeon, model: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The body goes with every request; the run, its journal and what is kept of the endpoint hold no header."""
    monkeypatch.setenv("AEON_HEADERS", f'{{"Authorization": "Bearer {SECRET}"}}')
    monkeypatch.setenv("AEON_BODY", '{"provider": {"order": ["x"]}}')
    done = aeon("run", TASK, "--model", model.url, "--save", str(tmp_path / "saved"), "--json")
    assert done.code in (0, 3) and model.bodies
    assert all(body["provider"] == {"order": ["x"]} for body in model.bodies)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) >= 2 and not any(SECRET.encode() in path.read_bytes() for path in kept)
    assert SECRET not in done.out + done.err
