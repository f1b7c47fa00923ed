"""What a finished run shows of its claims, and the file that proves them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aeon.assembly.proofs import coverage, proof_of
from aeon.errors import InputFileError
from aeon.observability.lines import Line, Span, visible
from aeon.proof.document import proof_bytes
from aeon.schema import Conclusion, Result, ToolCall
from aeon.tools.select import Given

__all__ = ["Proving"]


class Proving:
    """Finds the claims of an answer; ``given`` are the tools of the run, ``saved`` its journal, ``path`` the proof."""

    def __init__(self, given: Sequence[Given], saved: str | None, path: str | None) -> None:
        self._given = given
        self._saved = saved
        self._path = path

    def __call__(self, result: Conclusion) -> list[Line]:
        """Write the proof where one is wanted; give the line on the values of the answer, if any tool was used.

        Raises:
            InputFileError: the proof cannot be written.
        """
        if not isinstance(result, Result):
            return []
        proof = proof_of(result, self._given, self._saved)
        if self._path is not None:
            _write(Path(self._path), proof_bytes(proof))
        steps = [step for one in result.history.passes for step in one.executed]
        words = coverage(proof.claims) if any(isinstance(step.action, ToolCall) for step in steps) else ""
        lines: list[Line] = [(Span("claims   ", "dim"), Span(visible(words)))] if words else []
        if self._path is not None:
            lines.append((Span("proof    ", "dim"), Span(f"aeon verify {visible(self._path)}")))
        return lines


def _write(path: Path, data: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
    except OSError as error:
        raise InputFileError(f"{path}: the proof cannot be written: {(error.strerror or str(error)).lower()}") from None
