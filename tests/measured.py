"""Measurements that say that a model can make every judgment, so that tests can see what the judgments decide."""

from __future__ import annotations

from typing import get_args

from aeon.supervisor.judge import Asked
from aeon.supervisor.judge_specs import Calibration, Calibrations, judgments

__all__ = ["every_judgment"]


def every_judgment(*models: str) -> Calibrations:
    """Perfect measurements of all shipped judgments in every form, which leave the scores as they are."""
    return Calibrations(
        entries=tuple(
            Calibration(
                model=model, judgment=spec.name, form=form, wording=spec.wording, scale=1, shift=0, auroc=1, cases=60
            )
            for model in models for spec in judgments().values() for form in get_args(Asked)
        )
    )  # fmt: skip
