"""The window, checked by axe: the list, a run under way and a run that is over, wide, narrow and dark."""

from __future__ import annotations

from typing import Any

import pytest
from equipment import AXE, needs

from aeon.schema import LLMRequest, LLMResponse

from .browser import browser
from .conftest import TASK, Gated, Serve, until

pytestmark = [
    pytest.mark.requirement("V3a"),
    needs(AXE, "axe-core", "npm install --prefix .venv/axe axe-core"),
]
_PLANNED = 2
"""After so many calls a run has its plan, and is at work on the rest."""


class Planning(Gated):
    """A model that answers until there is a plan, and then while its gate is open."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The reply."""
        if len(self.requests) < _PLANNED:
            return await super(Gated, self).complete(request)
        return await super().complete(request)


def complaints(page: Any) -> list[str]:
    """What axe says is wrong with a page."""
    assert AXE is not None
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    return [f"{one['id']}: {node['html']}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing(serve: Serve, scheme: str, width: int) -> None:
    """A run is begun; its page is checked while it works and when it is over, and so is the list."""
    model = Planning()
    server = serve(model)
    with browser(color_scheme=scheme, viewport={"width": width, "height": 800}) as page:
        page.goto(server.url)
        page.fill("#task", TASK)
        page.click("form button.main")
        until(lambda: model.waiting > 0)
        page.wait_for_selector("#state:has-text('working')")
        page.wait_for_selector(".graph g")
        assert complaints(page) == []
        model.gate.set()
        page.wait_for_selector("button.claim")
        assert complaints(page) == []
        page.click("text=Aeon")
        page.wait_for_selector("#runs a")
        assert complaints(page) == []
        page.evaluate("document.querySelector('#task').labels[0].remove()")
        assert any("task" in one for one in complaints(page)), "axe looks at the page"
