"""Which model a run uses: the explicit argument, else the environment, else the local one. Never a silent change."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path

from aeon.errors import ConfigError, InputFileError, UnknownNameError, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.base_url import API_KEY, plain_key, plain_url, unsecret
from aeon.llm.catalogue import CATALOGUE, DEFAULT_MODEL, CatalogueEntry
from aeon.llm.download import Report
from aeon.llm.extras import extras
from aeon.llm.vendors import OPENAI_BASE_URL, VENDORS, vendor_model
from aeon.text import one_line

__all__ = ["check_name", "select"]

OPENAI_PREFIX = "openai:"
IDLE_TIMEOUT = "AEON_IDLE_TIMEOUT"
KEEP_PREFIXES = "AEON_KEEP_PREFIXES"
_MOST_SECONDS = 86_400


def select(
    model: str | LLMAdapter | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    progress: Report | None = None,
) -> LLMAdapter:
    """The adapter for ``model``, or the one that the environment names, or the local default model.

    ``model`` is an adapter (given back as it is), a name of the catalogue, a path that ends in ``.gguf``, a URL such as
    ``http://127.0.0.1:8080/v1`` or ``http://127.0.0.1:8080/v1#model-name``, or ``openai:``, ``responses:``,
    ``anthropic:`` or ``gemini:`` with a model's name; one of the last three may end in ``@URL``, for another address.
    Without it: ``AEON_BASE_URL`` with ``AEON_MODEL`` and ``AEON_API_KEY``; ``AEON_MODEL`` alone, in any of those forms;
    ``OPENAI_BASE_URL`` or ``OPENAI_API_KEY``, with ``OPENAI_MODEL``; the local default. An endpoint without a model's
    name is asked, once and blocking for seconds at most, for the only model it serves. ``AEON_KEEP_PREFIXES=off`` has a
    local model keep nothing of its prompts on disk. ``AEON_IDLE_TIMEOUT`` is how many seconds an endpoint may send
    nothing, by default 60. ``AEON_HEADERS`` and ``AEON_BODY``, JSON objects, are added to each request to an endpoint
    (`aeon.llm.extras`); the local model takes neither. ``environ`` is by default the process's; ``progress`` receives
    the progress of fetching a local model, which happens on first use.

    A URL with a user, a password or a query in it is refused: a key comes from the environment.

    Raises `UsageError`, `UnknownNameError`, `InputFileError`, `ConfigError`, and `ModelError` if the endpoint cannot be
    asked.
    """
    if model is not None and not isinstance(model, str):
        return _adapter(model)
    env = {name: value for name, value in (os.environ if environ is None else environ).items() if value}
    return _by_name(model, env, progress) if model else _from_environment(env, progress)


def _adapter(model: LLMAdapter) -> LLMAdapter:
    if isinstance(model, type) or not all(hasattr(model, name) for name in ("name", "complete")):
        raise UsageError(
            f"llm: pass an adapter, or as a text the name of a model, a path that ends in .gguf or a URL, not "
            f"{one_line(repr(model), 60)}"
        )
    return model


def _from_environment(env: Mapping[str, str], progress: Report | None) -> LLMAdapter:
    if "AEON_BASE_URL" in env:
        return _endpoint(env["AEON_BASE_URL"], env.get("AEON_MODEL"), env, env.get("AEON_API_KEY"))
    if "AEON_MODEL" in env:
        return _by_name(env["AEON_MODEL"], env, progress)
    if "OPENAI_BASE_URL" in env or "OPENAI_API_KEY" in env:
        url = env.get("OPENAI_BASE_URL", OPENAI_BASE_URL)
        return _endpoint(url, env.get("OPENAI_MODEL"), env, env.get("OPENAI_API_KEY"), "OPENAI_API_KEY")
    return _local(CATALOGUE[DEFAULT_MODEL], env, progress)


def _by_name(model: str, env: Mapping[str, str], progress: Report | None) -> LLMAdapter:
    if model in CATALOGUE:
        return _local(CATALOGUE[model], env, progress)
    if model.startswith(("http://", "https://")):
        return _endpoint(model, None, env, *_key_for(model.partition("#")[0], env))
    if model.startswith(OPENAI_PREFIX):
        return _openai(model.removeprefix(OPENAI_PREFIX), env)
    if model.partition(":")[0] in VENDORS:
        return vendor_model(model, env, _settings(env))
    if model.endswith(".gguf"):
        path = Path(model).expanduser()
        if not path.is_file():
            raise InputFileError(f"there is no model file at {path}")
        return _local(path, env, progress)
    raise _unknown(model)


def check_name(model: str) -> None:
    """Refuse a text that names no model in any form that `select` knows; nothing is asked, fetched or opened.

    Raises:
        UnknownNameError: says what a name may be.
    """
    is_place = model.startswith(("http://", "https://")) or model.endswith(".gguf")
    if not (is_place or model in CATALOGUE or model.partition(":")[0] in (OPENAI_PREFIX.rstrip(":"), *VENDORS)):
        raise _unknown(model)


def _unknown(model: str) -> UnknownNameError:
    prefixes = ", ".join(f"{name}:" for name in ("openai", *VENDORS))
    return UnknownNameError(
        f"no model is called {unsecret(model)!r}; use one of {', '.join(CATALOGUE)}, a path that ends in .gguf, "
        f"a URL such as http://127.0.0.1:8080/v1#model-name, or a model's name behind one of {prefixes}"
    )


def _key_for(url: str, env: Mapping[str, str]) -> tuple[str | None, str]:
    """The key to send there, and where it comes from: OpenAI's own only to where the environment says it belongs."""
    own = env.get("OPENAI_BASE_URL", OPENAI_BASE_URL).rstrip("/")
    if API_KEY not in env and "OPENAI_API_KEY" in env and url.rstrip("/") == own:
        return env["OPENAI_API_KEY"], "OPENAI_API_KEY"
    return env.get(API_KEY), API_KEY


def _openai(name: str, env: Mapping[str, str]) -> LLMAdapter:
    variable = API_KEY if API_KEY in env and "OPENAI_API_KEY" not in env else "OPENAI_API_KEY"
    if variable not in env:
        raise ConfigError(f"{OPENAI_PREFIX}{name} needs a key; set OPENAI_API_KEY")
    return _endpoint(env.get("OPENAI_BASE_URL", OPENAI_BASE_URL), name, env, env[variable], variable)


def _endpoint(
    url: str, name: str | None, env: Mapping[str, str], key: str | None, variable: str = API_KEY
) -> LLMAdapter:
    """The adapter for an endpoint; the URL may end in ``#model-name``, and ``variable`` is where the key comes from."""
    root, _, in_url = url.partition("#")
    url, name, key = plain_url(root, variable), name or in_url or None, plain_key(key, variable)
    settings = _settings(env)
    # imported when it is needed: the SDK takes a second, which a run with another model should not pay
    if name is None:
        name = importlib.import_module("aeon.llm.listing").only_model(url, key, settings.get("headers"))
    module = importlib.import_module("aeon.llm.openai_compatible")
    adapter: LLMAdapter = module.OpenAICompatible(name, url, key, **settings)
    return adapter


def _settings(env: Mapping[str, str]) -> Mapping[str, object]:
    """What the environment sets of every endpoint, as arguments of its adapter. Raises `ConfigError`."""
    waits = {"idle_timeout": _seconds(env[IDLE_TIMEOUT])} if IDLE_TIMEOUT in env else {}
    return {**waits, **extras(env)}


def _seconds(written: str) -> float:
    """How long an endpoint may send nothing. Raises `ConfigError`."""
    try:
        seconds = float(written)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MOST_SECONDS:
        raise ConfigError(
            f"{IDLE_TIMEOUT}: write a number of seconds above 0, at most {_MOST_SECONDS:,}, "
            f"not {one_line(written, 60)!r}"
        )
    return seconds


def _local(model: CatalogueEntry | Path, env: Mapping[str, str], progress: Report | None) -> LLMAdapter:
    keep = env.get(KEEP_PREFIXES, "on")
    if keep not in ("on", "off"):
        raise ConfigError(f"{KEEP_PREFIXES}: write on or off, not {keep!r}")
    module = importlib.import_module("aeon.llm.local")
    adapter: LLMAdapter = module.Local(model, progress=progress, keep_prefixes=keep == "on")
    return adapter
