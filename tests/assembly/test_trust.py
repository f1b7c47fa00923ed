"""Which models of vendors a journal may name, and which keys they get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from aeon.assembly.setup import Trust
from aeon.errors import UsageError
from aeon.llm.anthropic import Anthropic
from aeon.llm.responses import Responses
from aeon.llm.vendors import ANTHROPIC_BASE_URL, OPENAI_BASE_URL
from aeon.runtime.journal import Journal

KEYS = {"AEON_API_KEY": "a", "ANTHROPIC_API_KEY": "b", "GEMINI_API_KEY": "c"}
HERE = "http://127.0.0.1:9"


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """The user has all of them."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    return KEYS


def sent(trust: Trust, model: str) -> str | None:
    adapter = trust.select(model)
    assert isinstance(adapter, Anthropic)
    return adapter._api_key


def test_an_address_beside_a_vendor_is_one_that_the_journal_names(keys: Mapping[str, str]) -> None:
    """It is refused, or gets no key where it is only let in; where the user names it, it gets the key for it."""
    model = f"anthropic:m@{HERE}"
    with pytest.raises(UsageError, match=f"--trust {HERE}"):
        Trust.of(Journal()).select(model)
    assert sent(replace(Trust.of(Journal()), allowed=frozenset({HERE})), model) is None
    assert sent(Trust.of(Journal(), [HERE]), model) == sent(Trust().naming([model]), model) == "a"


def test_a_vendor_is_the_users_own_where_the_user_has_its_key(
    keys: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key for any endpoint goes to none that only a journal names."""
    assert sent(Trust.of(Journal()), "anthropic:m") == "b"
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(UsageError, match=f"--trust {ANTHROPIC_BASE_URL}"):
        Trust.of(Journal()).select("anthropic:m")
    assert sent(Trust.of(Journal(), [ANTHROPIC_BASE_URL]), "anthropic:m") == "a"


def test_openai_belongs_to_the_user_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address of its key is trusted, and no other: neither OpenAI's own, once the environment moved it."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "d")
    mine = Trust.of(Journal()).select("responses:m")
    assert isinstance(mine, Responses) and (mine.base_url, mine._api_key) == (OPENAI_BASE_URL, "d")
    monkeypatch.setenv("OPENAI_BASE_URL", HERE)
    moved = Trust.of(Journal()).select("responses:m")
    assert isinstance(moved, Responses) and (moved.base_url, moved._api_key) == (HERE, "d")
    with pytest.raises(UsageError, match=f"--trust {OPENAI_BASE_URL}"):
        Trust.of(Journal()).select(f"responses:m@{OPENAI_BASE_URL}")


@pytest.mark.requirement("P1", "P1b")
def test_what_is_added_to_requests_goes_to_no_endpoint_that_only_a_journal_names(
    keys: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headers may be secrets: an endpoint that is only let in gets neither them nor the body."""
    monkeypatch.setenv("AEON_HEADERS", '{"X-Gate": "secret"}')
    monkeypatch.setenv("AEON_BODY", '{"user": "me"}')
    model = f"anthropic:m@{HERE}"
    stranger = replace(Trust.of(Journal()), allowed=frozenset({HERE})).select(model)
    named = Trust.of(Journal(), [HERE]).select(model)
    assert isinstance(stranger, Anthropic) and isinstance(named, Anthropic)
    assert (stranger.connections.secrets, stranger._added) == ((), {})
    assert (named.connections.secrets, named._added) == (("secret", "a"), {"user": "me"})
