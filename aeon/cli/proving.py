"""The file that proves the answer of a finished run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aeon.assembly.proofs import proof_of
from aeon.errors import InputFileError
from aeon.observability.lines import Line, Span, visible
from aeon.proof.document import proof_bytes
from aeon.schema import Conclusion
from aeon.tools.select import Given

__all__ = ["Proving"]


class Proving:
    """Writes the proof to ``path``, if one is given: with the tools of the run, and its journal if it is ``saved``."""

    def __init__(self, given: Sequence[Given], saved: str | None, path: str | None) -> None:
        self._given = given
        self._saved = saved
        self._path = path

    def __call__(self, result: Conclusion) -> list[Line]:
        """Write the proof where one is wanted, and say how it is checked.

        Raises:
            InputFileError: the proof cannot be written.
            UsageError: the run has none.
        """
        if self._path is None:
            return []
        _write(Path(self._path), proof_bytes(proof_of(result, self._given, self._saved)))
        return [(Span("proof   ", "dim"), Span(f"aeon verify {visible(self._path)}"))]


def _write(path: Path, data: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
    except OSError as error:
        raise InputFileError(f"{path}: the proof cannot be written: {(error.strerror or str(error)).lower()}") from None
