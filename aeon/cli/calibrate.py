"""``aeon calibrate``: how often answers were right, and how a confidence is to be read, from labelled runs."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from aeon.calibration.cases import Case, final_confidence, final_plan
from aeon.cli.recorded import gather, read_labels
from aeon.convergence.calibrated import ConfidenceMap, home_of
from aeon.convergence.experience import LEAST_RUNS, Seen, counted
from aeon.errors import InputFileError, MissingExtraError, UsageError
from aeon.kernel.table import NOT_STATED
from aeon.replacing import put
from aeon.schema import ExecutionHistory, Result

__all__ = ["command"]

_USE = (
    'it is used with state_monitor.confidence_model = "calibrated" and\n'
    "state_monitor.calibration naming that file, both under reasoning_engine"
)


def command(options: argparse.Namespace) -> int:
    """Fit to ``options.runs`` with ``options.labels``, write the map to ``options.out`` and print what it is worth.

    Without ``options.out``, write the counts of each model where later runs of it find them.

    Raises:
        InputFileError: a path holds no usable run, the labels cannot be used, or the map cannot be written.
        UsageError: there are too few labelled runs, or all are right or all wrong; or no model has enough of them.
        MissingExtraError: scikit-learn is not installed.
    """
    if options.out is None:
        return _at_home(options)
    fitting = _fitting()
    runs = gather(options.runs)
    right = read_labels(options.labels, runs)
    judged = [result.history for result in runs.ended.values() if isinstance(result, Result)]  # others have no parts
    cases = list(_cases(judged, right))
    kinds = _kinds(judged, right)
    if not cases and _total(kinds) >= fitting.LEAST:
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
    runs = _total(kinds)
    _write(path, ConfidenceMap(runs=runs, kinds=kinds).model_dump_json(indent=2) + "\n")
    _tell(f"{runs} runs, none with a confidence; right by how the answer came about:", kinds)
    print(f"written to {path}; {_USE}")
    return 0


def _at_home(options: argparse.Namespace) -> int:
    """Write how often answers were right for each model that has enough labelled runs; say how many are left out."""
    runs = gather(options.runs)
    right = read_labels(options.labels, runs)
    histories: dict[str, list[ExecutionHistory]] = {}
    for path, result in runs.ended.items():
        if isinstance(result, Result):
            histories.setdefault(runs.models[path], []).append(result.history)
    every = {model: _kinds(made, right) for model, made in histories.items()}
    counts = {model: kinds for model, kinds in every.items() if model and _total(kinds) >= LEAST_RUNS}
    if not counts:
        raise UsageError(_too_few(every))
    for model, kinds in counts.items():
        _keep(model, kinds)
    unused = len(runs.ended) + len(runs.left_out) - sum(map(_total, counts.values()))
    if unused:
        print(f"{unused} left out: without a label or an answer, or of a model with too few runs")
    return 0


def _keep(model: str, kinds: dict[str, Seen]) -> None:
    """Put the counts of a model in the place of older ones."""
    path, runs = home_of(model), _total(kinds)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputFileError(f"{path.parent}: cannot be written: {error.strerror}") from None
    _write(path, ConfidenceMap(runs=runs, kinds=kinds, model=model).model_dump_json(indent=2) + "\n")
    _tell(f"{runs} runs of {model}; right by how the answer came about:", kinds)
    print(f"written to {path}; later runs of this model use it before what is shipped")


def _too_few(every: Mapping[str, dict[str, Seen]]) -> str:
    """What is wrong with runs of which no model has enough."""
    found = [f"{_total(kinds)} of {model}" for model, kinds in every.items() if model and kinds]
    if unknown := _total(every.get("", {})):
        found.append(f"{unknown} that name no single model, which takes --out FILE")
    return f"too few labelled runs with an answer: {', '.join(found) or 'none'}; it takes {LEAST_RUNS} of one model"


def _total(kinds: Mapping[str, Seen]) -> int:
    return sum(seen.runs for seen in kinds.values())


def _tell(heading: str, kinds: Mapping[str, Seen]) -> None:
    print(heading)
    for kind, seen in kinds.items():
        print(f"  {seen.right:>4} of {seen.runs:<4} {kind}")


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
        put(path, text)
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror}") from None
