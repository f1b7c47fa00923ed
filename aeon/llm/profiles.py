"""Measurements of endpoints, kept between runs: a file for each endpoint and model, never with a key in it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from aeon.home import cache_dir
from aeon.replacing import put
from aeon.schema.calibration import Calibration
from aeon.schema.form_scores import FormScore
from aeon.schema.frozen import Frozen, JsonObject
from aeon.schema.llm import Capabilities

__all__ = ["Profile", "Told", "agrees", "file_name", "load", "path_of", "save"]


class Told(Frozen):
    """The facts that a server advertises: the models it serves, and the context length in tokens."""

    models: tuple[str, ...] = ()
    context_tokens: int | None = Field(None, ge=1)


class Profile(Frozen):
    """What was measured about one model at one endpoint, and when (UTC).

    ``told`` is what the server said of itself then, ``answered_as`` the model's name in its completions: a profile
    holds only as long as both stay the same. ``findings`` is the whole of what was found, for people. ``judgments`` are
    what labelled cases say of the model as a judge, ``forms`` what tasks say of it in each work form.
    """

    version: Literal[1] = 1
    endpoint: str
    model: str
    measured_at: str
    told: Told
    answered_as: str
    capabilities: Capabilities
    findings: JsonObject = Field(default_factory=dict)
    judgments: tuple[Calibration, ...] = ()
    forms: tuple[FormScore, ...] = ()


def path_of(endpoint: str, model: str) -> Path:
    """Where the profile of this model at this endpoint lies, if there is one."""
    return cache_dir() / "profiles" / file_name(endpoint, model)


def file_name(endpoint: str, model: str) -> str:
    """The name of a file about this model at this endpoint."""
    key = hashlib.sha256(f"{endpoint}\n{model}".encode()).hexdigest()[:24]
    return f"{key}.json"


def load(endpoint: str, model: str) -> Profile | None:
    """The saved profile; ``None`` if there is none, or none that can be read: it can be measured again."""
    try:
        profile = Profile.model_validate_json(path_of(endpoint, model).read_bytes())
    except (OSError, ValidationError):
        return None
    return profile if (profile.endpoint, profile.model) == (endpoint, model) else None


def save(profile: Profile) -> Path:
    """Put the profile in the place of an older one, whole or not at all. Raises `OSError`."""
    path = path_of(profile.endpoint, profile.model)
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, profile.model_dump_json(indent=2) + "\n")
    return path


def agrees(model: str, saved: Told, told: Told) -> bool:
    """Whether a server still says of itself what it said when the ``model`` was measured.

    One that serves other models beside this one may change those.
    """
    same = model in told.models if model in saved.models else told.models == saved.models
    return same and told.context_tokens == saved.context_tokens
