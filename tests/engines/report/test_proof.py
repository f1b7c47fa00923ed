"""Reports that can be checked: from a run over a folder to its proof, and to ``aeon verify``."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon import Journal
from aeon.assembly.proofs import proof_of
from aeon.assembly.reports import report
from aeon.cli.main import main
from aeon.proof.document import proof_bytes
from aeon.tools.files import Files

from .played import DESIGNED, ITEMS, OPENED, QUERY, TOLL, Played

pytestmark = [
    pytest.mark.requirement("X2", "A3"), pytest.mark.usefixtures("measured", "indexes", "words_only"),
]  # fmt: skip


def test_the_proof_of_a_report_is_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its journal and its folder, names and all; neither a changed proof nor a changed source is."""
    folder, run, file = tmp_path / "papers", tmp_path / "run.jsonl", tmp_path / "p.json"
    folder.mkdir()
    for number, item in enumerate(ITEMS[:2]):
        (folder / f"{number}.md").write_text(f"{item['description']}\n")
    result = report(QUERY, sources=folder, llm=Played([OPENED, DESIGNED, TOLL]).model, journal=lambda _: Journal(run))
    assert "Ada Holm" in result.answer
    proof = proof_of(result, [Files.open(folder)], run)
    assert len([claim for claim in proof.claims if claim.evidence]) >= len(result.findings) > 0
    file.write_bytes(proof_bytes(proof))
    asked = ["verify", str(file), "--journal", str(run), "--sources", str(folder)]
    assert main(asked) == 0, capsys.readouterr().out
    (folder / "0.md").write_text("It burnt down.\n")
    assert main(asked) == 1
    file.write_bytes(proof_bytes(proof).replace(b"opened in 1932", b"opened in 1933"))
    assert main(["verify", str(file)]) == 1
