"""Choosing a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from played_endpoint import Endpoint, failure, send

from aeon.errors import AeonError, ConfigError, EndpointRejected, EndpointUnreachable, InputFileError, UnknownNameError
from aeon.llm.anthropic import Anthropic
from aeon.llm.catalogue import CATALOGUE, DEFAULT_MODEL, lookup
from aeon.llm.gemini import Gemini
from aeon.llm.local import Local
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.responses import Responses
from aeon.llm.scripted import Scripted
from aeon.llm.select import select
from aeon.llm.vendors import ANTHROPIC_BASE_URL, GEMINI_BASE_URL, OPENAI_BASE_URL

URL = "http://127.0.0.1:9/v1"


def where(model: str | None, **environ: str) -> tuple[str, str, str | None]:
    adapter = select(model, environ=environ)
    assert isinstance(adapter, OpenAICompatible)
    return adapter.name, adapter.base_url, adapter._api_key


def test_an_adapter_is_given_back() -> None:
    """What is an adapter already needs no choice."""
    model = Scripted([])
    assert select(model) is model


def test_without_configuration_the_local_model_is_used() -> None:
    """No argument and no setting means the default of the catalogue; nothing is loaded yet."""
    adapter = select(environ={})
    assert isinstance(adapter, Local) and adapter.name == DEFAULT_MODEL and adapter.pid is None


def test_a_local_model_is_named_or_pointed_at(tmp_path: Path) -> None:
    """A name of the catalogue or a GGUF file gives that model, whatever the environment says."""
    file = tmp_path / "mine.gguf"
    file.touch()
    assert select("smollm2-135m", environ={"AEON_BASE_URL": URL}).name == "smollm2-135m"
    assert select(str(file), environ={}).name == "mine"


@pytest.mark.requirement("T3b")
def test_what_a_local_model_keeps_of_prompts_can_be_switched_off() -> None:
    """AEON_KEEP_PREFIXES is on or off, and nothing else."""
    kept = [select(environ={"AEON_KEEP_PREFIXES": value}) for value in ("", "on", "off")]
    assert [isinstance(model, Local) and model._keep_prefixes for model in kept] == [True, True, False]
    with pytest.raises(ConfigError, match="AEON_KEEP_PREFIXES: write on or off, not 'no'"):
        select(environ={"AEON_KEEP_PREFIXES": "no"})


@pytest.mark.parametrize(
    ("model", "environ", "expected"),
    [
        (f"{URL}#m", {}, ("m", URL, None)),
        (f"{URL}#m", {"AEON_API_KEY": "k"}, ("m", URL, "k")),
        (f"{URL}#m", {"OPENAI_API_KEY": "k"}, ("m", URL, None)),
        (f"{OPENAI_BASE_URL}#m", {"OPENAI_API_KEY": "k"}, ("m", OPENAI_BASE_URL, "k")),
        ("openai:m", {"OPENAI_API_KEY": "k"}, ("m", OPENAI_BASE_URL, "k")),
        (None, {"AEON_BASE_URL": URL, "AEON_MODEL": "m", "OPENAI_API_KEY": "k"}, ("m", URL, None)),
        (None, {"AEON_MODEL": f"{URL}#m", "OPENAI_BASE_URL": "http://other/v1"}, ("m", URL, None)),
        (None, {"OPENAI_BASE_URL": URL, "OPENAI_MODEL": "m", "OPENAI_API_KEY": "k"}, ("m", URL, "k")),
        (None, {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}, ("m", OPENAI_BASE_URL, "k")),
        (None, {"AEON_BASE_URL": "", "OPENAI_BASE_URL": URL, "OPENAI_MODEL": "m"}, ("m", URL, None)),
    ],
)
def test_argument_then_aeon_then_openai(
    model: str | None, environ: dict[str, str], expected: tuple[str, str, str | None]
) -> None:
    """The first that is set decides, and a key goes only to the endpoint it is meant for."""
    assert where(model, **environ) == expected


def test_an_endpoint_with_one_model_is_asked_for_it(endpoint: Endpoint) -> None:
    """The model's name may be left out where there is no choice."""
    endpoint.pages["/v1/models"] = send(200, {"data": [{"id": "only"}]})
    assert where(endpoint.base_url)[0] == "only"


@pytest.mark.parametrize(
    ("page", "error", "text"),
    [
        (send(200, {"data": [{"id": "a"}, {"id": "b"}]}), ConfigError, "2 models: a, b"),
        (send(200, "<html>"), ConfigError, "does not list"),
        (failure(401), EndpointRejected, "set a valid key"),
    ],
)
def test_a_choice_is_the_users(endpoint: Endpoint, page: object, error: type[AeonError], text: str) -> None:
    """Several models, or none told, is an error that says how to name one."""
    endpoint.pages["/v1/models"] = page  # type: ignore[assignment]
    with pytest.raises(error, match=text):
        select(endpoint.base_url, environ={})


@pytest.mark.parametrize(
    ("model", "environ", "error", "text"),
    [
        ("gpt-unknown", {}, UnknownNameError, "qwen2.5-coder-1.5b, smollm2-135m"),
        ("gpt-unknown", {}, UnknownNameError, "openai:, anthropic:, gemini:, responses:$"),
        ("missing.gguf", {}, InputFileError, "missing.gguf"),
        ("openai:m", {}, ConfigError, "OPENAI_API_KEY"),
        (None, {"AEON_BASE_URL": "localhost:8080"}, ConfigError, "localhost:8080"),
        ("http://127.0.0.1:1/v1", {}, EndpointUnreachable, "cannot reach"),
    ],
)
def test_what_cannot_be_used_is_never_replaced(
    model: str | None, environ: dict[str, str], error: type[AeonError], text: str
) -> None:
    """A wrong choice is an error that says what to do, not a reason for another provider."""
    with pytest.raises(error, match=text):
        select(model, environ=environ)


@pytest.mark.parametrize(
    ("model", "environ", "expected"),
    [
        ("anthropic:m", {"ANTHROPIC_API_KEY": "k", "AEON_API_KEY": "o"}, ("m", ANTHROPIC_BASE_URL, "k")),
        ("anthropic:m", {"AEON_API_KEY": "k"}, ("m", ANTHROPIC_BASE_URL, "k")),
        ("gemini:m", {"GEMINI_API_KEY": "k"}, ("m", GEMINI_BASE_URL, "k")),
        ("anthropic:m@http://127.0.0.1:9/", {"AEON_API_KEY": "k"}, ("m", "http://127.0.0.1:9", "k")),
        ("anthropic:m@2030@http://127.0.0.1:9", {"ANTHROPIC_API_KEY": "k"}, ("m@2030", "http://127.0.0.1:9", None)),
        ("gemini:m@https://gate/x", {"GEMINI_API_KEY": "k"}, ("m", "https://gate/x", None)),
        (None, {"AEON_MODEL": "gemini:m", "GEMINI_API_KEY": "k"}, ("m", GEMINI_BASE_URL, "k")),
        ("responses:m", {"OPENAI_API_KEY": "k", "AEON_API_KEY": "o"}, ("m", OPENAI_BASE_URL, "k")),
        ("responses:m", {"AEON_API_KEY": "k"}, ("m", OPENAI_BASE_URL, "k")),
        ("responses:m", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": URL}, ("m", URL, "k")),
        (f"responses:m@{URL}", {"OPENAI_API_KEY": "k"}, ("m", URL, None)),
        (f"responses:m@{URL}", {"OPENAI_API_KEY": "k", "AEON_API_KEY": "o"}, ("m", URL, "o")),
        (f"responses:m@{OPENAI_BASE_URL}", {"OPENAI_API_KEY": "k"}, ("m", OPENAI_BASE_URL, "k")),
        (f"responses:m@{OPENAI_BASE_URL}", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": URL, "AEON_API_KEY": "o"},
         ("m", OPENAI_BASE_URL, "o")),
    ],
)  # fmt: skip
def test_a_vendors_key_goes_to_the_vendor_alone(
    model: str | None, environ: dict[str, str], expected: tuple[str, str, str | None]
) -> None:
    """AEON_API_KEY goes to an address that is named; OPENAI_BASE_URL moves OpenAI's key and its address together."""
    adapter = select(model, environ=environ)
    assert isinstance(adapter, Anthropic | Gemini | Responses) and not adapter.free
    assert (adapter.name, adapter.base_url, adapter._api_key) == expected


@pytest.mark.parametrize(
    ("model", "environ", "text"),
    [
        ("anthropic:m", {"GEMINI_API_KEY": "k"}, "anthropic:m needs a key; set ANTHROPIC_API_KEY"),
        ("gemini:m", {}, "gemini:m needs a key; set GEMINI_API_KEY"),
        ("gemini:", {"GEMINI_API_KEY": "k"}, "gemini:NAME"),
        ("responses:m", {"GEMINI_API_KEY": "k"}, "responses:m needs a key; set OPENAI_API_KEY"),
        ("responses:@http://127.0.0.1:9/v1", {}, "responses:NAME"),
        ("responses:m@http://user:word@gate/v1", {}, "has a user or a password"),
        ("gemini:m", {"GEMINI_API_KEY": "k\n"}, "GEMINI_API_KEY"),
        ("gemini:m@https://user:word@gate", {}, "has a user or a password"),
    ],
)
def test_a_vendors_model_without_what_it_needs_is_one_line(model: str, environ: dict[str, str], text: str) -> None:
    """It says what to set, and no request is made."""
    with pytest.raises(ConfigError, match=text) as caught:
        select(model, environ=environ)
    assert "word" not in str(caught.value).replace("password", "") and "\n" not in str(caught.value)


def test_the_catalogue_is_complete() -> None:
    """Every entry can be looked up by its name, is free to use, and has somewhere to come from."""
    assert DEFAULT_MODEL in CATALOGUE
    for name, entry in CATALOGUE.items():
        assert lookup(name) is entry and entry.licence == "Apache-2.0" and entry.mirrors
    with pytest.raises(UnknownNameError, match="smollm2-135m"):
        lookup("nothing")
