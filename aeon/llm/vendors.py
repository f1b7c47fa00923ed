"""Models named by API: ``anthropic:NAME``, ``gemini:NAME``, ``responses:NAME``; ``@URL`` names another address."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from aeon.errors import ConfigError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.base_url import API_KEY, plain_key, plain_url

__all__ = [
    "ANTHROPIC_BASE_URL", "GEMINI_BASE_URL", "OPENAI_BASE_URL", "VENDORS", "VendorSpec", "address_of", "vendor_model",
]  # fmt: skip

_AT = re.compile(r"@(?=https?://)")


ANTHROPIC_BASE_URL = "https://api.anthropic.com"
GEMINI_BASE_URL = "https://generativelanguage.googleapis.com"
OPENAI_BASE_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class VendorSpec:
    """A vendor: the class of its models, by module, its own address, and the environment variable of its key.

    ``moved`` is the environment variable that gives another address to the vendor and its key, where there is one.
    """

    module: str
    name: str
    base_url: str
    key: str
    moved: str = ""

    def address(self, env: Mapping[str, str]) -> str:
        """Where the vendor's key belongs. Raises `ConfigError`."""
        return plain_url(env.get(self.moved) or self.base_url, self.key)


VENDORS: Mapping[str, VendorSpec] = {
    "anthropic": VendorSpec("aeon.llm.anthropic", "Anthropic", ANTHROPIC_BASE_URL, "ANTHROPIC_API_KEY"),
    "gemini": VendorSpec("aeon.llm.gemini", "Gemini", GEMINI_BASE_URL, "GEMINI_API_KEY"),
    "responses": VendorSpec(
        "aeon.llm.responses", "Responses", OPENAI_BASE_URL, "OPENAI_API_KEY", moved="OPENAI_BASE_URL"
    ),
}


def address_of(model: str, environ: Mapping[str, str] | None = None) -> str:
    """The address of the endpoint that a model's name holds or stands for; empty where it is no such name.

    ``environ`` is by default the process's.

    Raises:
        ConfigError: it holds one that is none, or has a secret in it.
    """
    if model.startswith(("http://", "https://")):
        return plain_url(model.partition("#")[0])
    vendor, _, rest = model.partition(":")
    if vendor not in VENDORS:
        return ""
    _, *urls = _AT.split(rest, maxsplit=1)
    return plain_url(urls[0]) if urls else VENDORS[vendor].address(os.environ if environ is None else environ)


def vendor_model(model: str, env: Mapping[str, str], settings: Mapping[str, object]) -> LLMAdapter:
    """The adapter for a model that is named by one of `VENDORS`, with these settings.

    The vendor's key goes to the vendor's own address alone; `API_KEY` goes to any, and no key is needed elsewhere.

    Raises:
        ConfigError: no model is named, its address is none, or its key is missing or cannot be sent.
    """
    vendor, _, rest = model.partition(":")
    spec = VENDORS[vendor]
    name, url = _AT.split(rest, maxsplit=1)[0], address_of(model, env)
    if not name:
        raise ConfigError(f"which model of {vendor}? write {vendor}:NAME")
    own = url == spec.address(env)
    variable = spec.key if own and spec.key in env else API_KEY
    if own and variable not in env:
        raise ConfigError(f"{vendor}:{name} needs a key; set {spec.key}")
    module = importlib.import_module(spec.module)
    adapter: LLMAdapter = getattr(module, spec.name)(name, url, plain_key(env.get(variable), variable), **settings)
    return adapter
