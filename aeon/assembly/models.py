"""The models of a run: which they are, what they cost, and what keeps one from being used."""

from __future__ import annotations

from collections.abc import Iterable

from aeon.assembly.plugin import AnyPlugin, price_of
from aeon.assembly.roles import Cast, cast_of
from aeon.errors import UsageError
from aeon.llm.adapter import Checkable, LLMAdapter
from aeon.llm.select import select
from aeon.schema import Settings

__all__ = ["check_models", "check_prices", "models_of", "priced"]


def priced(config: Settings, adapter: LLMAdapter, plugin: AnyPlugin, cast: Cast | None = None) -> Settings:
    """The configuration with the prices of just the models that a run on ``adapter`` uses: its bound rests on them.

    ``cast`` are the models of roles, without it as configured.

    Raises:
        UsageError: a model of the configuration does not exist.
    """
    models = models_of(config, adapter, plugin, cast or cast_of(config, adapter, select))
    return config.changed(prices={model.name: price_of(config, model) for model in models})


def models_of(config: Settings, adapter: LLMAdapter, plugin: AnyPlugin, cast: Cast) -> list[LLMAdapter]:
    """The models that a run on ``adapter`` uses."""
    return [adapter, *cast.models.values(), *(select(name) for name in plugin.models(config))]


def check_models(plugin: AnyPlugin, config: Settings, models: Iterable[LLMAdapter]) -> None:
    """Raise why one of the models of a run cannot be used, as far as it is known before anything is fetched or asked.

    Raises:
        MissingExtraError, InputFileError: as `Checkable.check`; not where the run makes no calls.
    """
    if not plugin.engine.bound(config).calls:
        return
    for model in models:
        if isinstance(model, Checkable):
            model.check()


def check_prices(plugin: AnyPlugin, config: Settings, models: Iterable[LLMAdapter]) -> None:
    """Refuse a model without a price for a run whose cost is bounded."""
    if plugin.engine.bound(config).cost is None:
        return
    for model in models:
        if price_of(config, model) is None:
            raise UsageError(f"the run's cost is bounded, but {model.name} has no price; fork the run and set one")
