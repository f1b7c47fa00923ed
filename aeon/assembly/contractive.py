"""The contractive engine's handlers."""

from __future__ import annotations

from aeon.assembly.plugin import Plugin, Services
from aeon.engines.contractive.budgeting import budgeted
from aeon.engines.contractive.classifier import Classifier
from aeon.engines.contractive.collapser import Collapser
from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.peer import Peer
from aeon.engines.contractive.program import CONTRACTIVE
from aeon.engines.contractive.record import Contractive
from aeon.engines.contractive.rules import ContractiveSignals
from aeon.engines.contractive.sampler import Sampler
from aeon.engines.contractive.splitter import Splitter
from aeon.engines.contractive.view import VIEW
from aeon.kernel.ports import Handlers

__all__ = ["PLUGIN"]


def _handlers(services: Services[ContractiveConfig]) -> Handlers:
    supervisor = services.supervisor
    return {
        "sample": Sampler(supervisor).sample,
        "classify": Classifier(supervisor).classify,
        "decompose": Splitter(supervisor).split,
        "review": Peer(supervisor).review,
        "collapse": Collapser(supervisor).collapse,
    }


PLUGIN: Plugin[ContractiveConfig, ContractiveSignals, Contractive] = Plugin(
    CONTRACTIVE, _handlers, view=VIEW, fit=budgeted, reads=False, tiers={"T2": {}, "T3": {}}
)
