"""``aeon calibrate``: fits how a confidence is to be read to saved runs that are known to be right or wrong."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from aeon.calibration.cases import Case, final_confidence, final_plan
from aeon.cli.recorded import gather, read_labels
from aeon.convergence.calibrated import ConfidenceMap
from aeon.convergence.experience import Seen, counted
from aeon.errors import InputFileError, MissingExtraError
from aeon.multipass.rules import NOT_STATED
from aeon.schema import ExecutionHistory, Result

__all__ = ["command"]

_USE = (
    'it is used with state_monitor.confidence_model = "calibrated" and\n'
    "state_monitor.calibration naming that file, both under reasoning_engine"
)


def command(options: argparse.Namespace) -> int:
    """Fit to ``options.runs`` with ``options.labels``, write the map to ``options.out`` and print what it is worth.

    Raises:
        InputFileError: a path holds no usable run, the labels cannot be used, or the map cannot be written.
        UsageError: there are too few labelled runs, or all are right or all wrong.
        MissingExtraError: scikit-learn is not installed.
    """
    fitting = _fitting()
    runs = gather(options.runs)
    right = read_labels(options.labels, runs)
    judged = [result.history for result in runs.ended.values() if isinstance(result, Result)]  # others have no parts
    cases = list(_cases(judged, right))
    kinds = _kinds(judged, right)
    if not cases and sum(seen.runs for seen in kinds.values()) >= fitting.LEAST:
        return _counts_alone(Path(options.out), kinds)
    fit = fitting.fit(cases)
    _write(Path(options.out), fit.map.changed(kinds=kinds).model_dump_json(indent=2) + "\n")
    unused = len(runs.ended) + len(runs.left_out) - len(cases)
    how = f"{fit.folds}-fold cross-validated" if fit.folds else "too few runs to cross-validate: this flatters it"
    print(f"{len(cases)} runs, {fit.right} right and {fit.wrong} wrong; {unused} left out")
    print(f"  {'':<28}{'before':>7} {'after':>7}")
    print(f"  {'Brier score':<28}{fit.before.brier:>7.3f} {fit.after.brier:>7.3f}  {how}")
    print(f"  {'expected calibration error':<28}{fit.before.error:>7.3f} {fit.after.error:>7.3f}")
    print(f"written to {options.out}; {_USE}")
    return 0


def _cases(histories: Sequence[ExecutionHistory], right: Mapping[str, bool]) -> Iterator[Case]:
    """The labelled runs that have a confidence."""
    for one in histories:
        confidence = final_confidence(one) if one.execution_id in right else None
        if confidence is not None:
            yield Case(confidence, right[one.execution_id])


def _kinds(histories: Sequence[ExecutionHistory], right: Mapping[str, bool]) -> dict[str, Seen]:
    """The labelled runs that gave an answer, counted by how it came about."""
    answered = [one for one in histories if one.execution_id in right and one.conclusion.stop_reason != NOT_STATED]
    return counted((final_plan(one), right[one.execution_id]) for one in answered)


def _counts_alone(path: Path, kinds: dict[str, Seen]) -> int:
    """Write how often answers were right by how they came about, where no run has a confidence to map."""
    runs = sum(seen.runs for seen in kinds.values())
    _write(path, ConfidenceMap(runs=runs, kinds=kinds).model_dump_json(indent=2) + "\n")
    print(f"{runs} runs, none with a confidence; right by how the answer came about:")
    for kind, seen in kinds.items():
        print(f"  {seen.right:>4} of {seen.runs:<4} {kind}")
    print(f"written to {path}; {_USE}")
    return 0


def _fitting() -> ModuleType:
    try:
        return importlib.import_module("aeon.calibration.fit")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sklearn":
            raise
        raise MissingExtraError("calibrating needs scikit-learn: pip install 'aeon-orchestrator[calibrate]'") from None


def _write(path: Path, text: str) -> None:
    """Put the text there at once: whoever reads the file gets what it was or what it is now."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror}") from None
