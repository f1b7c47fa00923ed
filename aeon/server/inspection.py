"""A saved run in the window: as one page that needs no server, and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from aeon.assembly.proofs import proof_of
from aeon.assembly.runs import engine_of, replay
from aeon.assembly.setup import recorded_tools
from aeon.errors import AeonError
from aeon.proof.document import proof_bytes
from aeon.runtime.journal import Journal
from aeon.runtime.replay import boundaries
from aeon.schema import FromSource
from aeon.server.calls import every_call
from aeon.server.told import recorded
from aeon.tools.lookup import CONTEXT
from aeon.tools.select import Given, opened

__all__ = ["KINDS", "WINDOW", "page_of", "saved_run"]

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
"""The types of the window's files."""
WINDOW = {
    one.name: one.read_text("utf-8")
    for one in sorted(files("aeon.server").joinpath("window").iterdir(), key=lambda one: one.name)
    if one.name.endswith(tuple(KINDS))
}
"""The window's files by name."""
_SCRIPT = re.compile(r'<script defer src="/window/([a-z]+\.js)"></script>\n')
_STYLE = '<link rel="stylesheet" href="/window/window.css">\n'


def saved_run(path: Path | str) -> dict[str, Any]:
    """What the window shows of the run whose journal is at ``path``; ``problem`` says why its proof is not there.

    Raises:
        InputFileError: the file cannot be read or is no journal of this version.
        JournalError: it is damaged, or of another program.
        UsageError: the run's engine is not installed in this version.
    """
    journal = Journal.read(path)
    told = recorded(path).told
    proof, problem = _proof(journal, path) if journal.ended is not None else (None, "")
    return {
        "events": [{"id": str(one.place), "type": one.type, "data": json.loads(one.data)} for one in told],
        "boundaries": [*boundaries(journal, engine_of(journal))],
        "proof": proof,
        "problem": problem,
        "calls": [call.model_dump(mode="json") for call in every_call(Path(path).with_suffix(".calls"))],
    }


def _proof(journal: Journal, path: Path | str) -> tuple[Any, str]:
    """The proof of a run that has ended, as data, or why there is none. Folders are read only if it cites them."""
    try:
        result = replay(journal)
        cited = {one.source for claim in result.claims for one in claim.evidence if isinstance(one, FromSource)}
        given: list[Given] = opened(recorded_tools(journal.setup)) if cited - {CONTEXT} else []
        return json.loads(proof_bytes(proof_of(result, given, path))), ""
    except AeonError as error:
        return None, str(error)


def page_of(saved: dict[str, Any]) -> str:
    """The window with a run in it, as one file: nothing is loaded, and only its own script runs."""
    page, style = WINDOW["index.html"], WINDOW["window.css"]
    script = '"use strict";\n' + "".join(WINDOW[name].replace('"use strict";\n', "") for name in _SCRIPT.findall(page))
    policy = "; ".join((
        "default-src 'none'", f"script-src '{_hash(script)}'", f"style-src '{_hash(style)}'", "img-src data:",
        "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ))  # fmt: skip
    data = json.dumps(saved, ensure_ascii=False).replace("<", "\\u003c")
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
    body = f'<script type="application/json" id="saved">{data}</script>\n<script>{script}</script>\n'
    before, _, after = _SCRIPT.sub("", page).replace(_STYLE, head).replace(' href="#/"', "").rpartition("</body>")
    return f"{before}{body}</body>{after}"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
