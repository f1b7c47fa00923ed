"""What some tests need beside Python: where it is, and what to say where it is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

__all__ = ["AXE", "CHROMIUM", "MISSING", "SCHEMATHESIS", "needs"]

MISSING = "missing here: "
"""How the reason of a test begins that is skipped for want of something."""
_ROOT = Path(__file__).parent.parent


def _found(*names: str) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


CHROMIUM = _found("chromium", "chromium-browser", "google-chrome")
SCHEMATHESIS = _found("schemathesis", str(_ROOT / ".venv" / "bin" / "schemathesis"))
_AXE = _ROOT / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
AXE = _AXE if _AXE.exists() else None


def needs(what: object, name: str, how: str) -> pytest.MarkDecorator:
    """The mark of tests that are skipped unless ``what`` is there. The reason says its ``name``, ``how`` to get it."""
    return pytest.mark.skipif(not what, reason=f"{MISSING}{name} ({how})")
