"""Measurements of a model as a judge, for tests of what a measured judgment, or a bad one, decides."""

from __future__ import annotations

from typing import get_args

from aeon.supervisor.judge import Asked
from aeon.supervisor.judge_specs import Calibration, Calibrations, judgments

__all__ = ["every_judgment"]


def every_judgment(*models: str, auroc: float = 1) -> Calibrations:
    """Measurements of all shipped judgments in every form, by default perfect ones, which leave scores as they are."""
    return Calibrations(
        entries=tuple(
            Calibration(
                model=model, judgment=spec.name, form=form, wording=spec.wording, scale=1, shift=0, auroc=auroc,
                cases=60,
            )
            for model in models for spec in judgments().values() for form in get_args(Asked)
        )
    )  # fmt: skip
