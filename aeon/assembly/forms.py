"""How a model works: what was measured of its endpoint, else what it shows."""

from __future__ import annotations

from aeon.schema import WorkForm
from aeon.supervisor.supervisor import Supervisor

__all__ = ["form_of"]


async def form_of(supervisor: Supervisor) -> WorkForm:
    """The work form as measured, else with tools where the endpoint calls them natively.

    Raises:
        AllowanceExhausted: the time is over.
        ModelError: the endpoint gives no answer to what finds that out.
    """
    can = await supervisor.capabilities()
    return can.form or ("tools" if can.tools else "program")
