"""Base URLs: how they are spelled, and that no secret gets past them."""

from __future__ import annotations

import pytest

from aeon.errors import ConfigError, UsageError
from aeon.llm.base_url import plain_url, unsecret
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.select import select

SECRETS = [
    "https://me:secret@host:8443/v1",
    "https://secret@host/v1",
    "https://me:sec#secret@host/v1",
    "https://me:secret/1@host/v1",
    "https://host/v1?key=secret",
    "me:secret@host/v1",
]


@pytest.mark.parametrize(
    ("given", "spelled"),
    [
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
        ("https://Host.Example/API/v1", "https://host.example/API/v1"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1"),
        ("http://host", "http://host"),
    ],
)
def test_a_base_url_has_one_spelling(given: str, spelled: str) -> None:
    """Its path is kept as it is, so that one endpoint has one profile."""
    assert plain_url(given) == spelled


@pytest.mark.parametrize("url", SECRETS)
def test_a_url_with_a_secret_is_refused_without_repeating_it(url: str) -> None:
    """Whether it is given to the adapter, to the selection or in the environment, and wherever the secret stands."""
    for refused in (
        lambda: OpenAICompatible("m", url),
        lambda: select(f"{url}#m", environ={}),
        lambda: select(url, environ={}),
        lambda: select(environ={"AEON_BASE_URL": url, "AEON_MODEL": "m"}),
        lambda: select("openai:m", environ={"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"}),
    ):
        with pytest.raises(UsageError) as caught:
            refused()
        assert "sec" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("url", [SECRETS[0], SECRETS[1], SECRETS[4]])
@pytest.mark.parametrize(
    ("environ", "variable"),
    [({"AEON_BASE_URL": "URL"}, "AEON_API_KEY"), ({"OPENAI_BASE_URL": "URL"}, "OPENAI_API_KEY")],
)
def test_the_refusal_names_the_variable_for_the_key(url: str, environ: dict[str, str], variable: str) -> None:
    """It is the one that is read for this endpoint."""
    with pytest.raises(ConfigError, match=rf"host.* in it, which journals would show; .* {variable}$"):
        select(environ=dict.fromkeys(environ, url))
    with pytest.raises(ConfigError, match="AEON_API_KEY"):
        select(f"{url}#m", environ={})


@pytest.mark.parametrize(
    "url", ["http://[bad/v1", "http://host:port/v1", "http://host:99999/v1", "http:///v1", "http://"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    """It never reaches a client that would fail over it in its own way."""
    with pytest.raises(ConfigError, match=r"the base URL is none: .*http://127.0.0.1:8080/v1"):
        select(f"{url}#m", environ={})


def test_a_model_may_have_an_at_sign_in_its_name() -> None:
    """Only the URL before the # is looked at."""
    assert select("http://host/v1#@cf/meta/llama", environ={}).name == "@cf/meta/llama"
    assert select(environ={"AEON_BASE_URL": "http://host/v1#@cf/meta/llama"}).name == "@cf/meta/llama"


def test_what_stands_before_an_at_sign_is_blotted_out() -> None:
    """A text without one stays as it is."""
    assert unsecret("me:secret@host") == "***@host" and unsecret("gpt-99") == "gpt-99"
