"""The file that proves the answer of a finished run, and its signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from aeon.assembly.proofs import proof_of
from aeon.errors import InputFileError
from aeon.observability.lines import Line, Span, visible
from aeon.proof.document import proof_bytes
from aeon.proof.verify import SIGNATURE
from aeon.schema import Conclusion
from aeon.tools.select import Given

__all__ = ["Proving"]


class Proving:
    """Writes the proof to ``path``, if one is given: with the tools of the run, and its journal if it is ``saved``.

    ``sign`` makes its signature, which is written beside it.
    """

    def __init__(
        self, given: Sequence[Given], saved: str | None, path: str | None, sign: Callable[[bytes], bytes] | None = None
    ) -> None:
        self._given = given
        self._saved = saved
        self._path = path
        self._sign = sign

    def __call__(self, result: Conclusion) -> list[Line]:
        """Write the proof where one is wanted, and say how it is checked.

        Raises:
            InputFileError: the proof or its signature cannot be written.
            UsageError: the run has none.
        """
        if self._path is None:
            return []
        data = proof_bytes(proof_of(result, self._given, self._saved))
        _write(Path(self._path), data, "proof")
        lines: list[Line] = [(Span("proof   ", "dim"), Span(f"aeon verify {visible(self._path)}"))]
        if self._sign is not None:
            path = f"{self._path}{SIGNATURE}"
            _write(Path(path), self._sign(data), "signature")
            lines.append((Span("signed  ", "dim"), Span(visible(path))))
        return lines


def _write(path: Path, data: bytes, what: str) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise InputFileError(f"{path}: the {what} cannot be written: {why}") from None
