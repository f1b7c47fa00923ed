"""The decision table of the multi-pass engine: what its passes signal, and the rows that decide by it."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["DISAGREEMENT", "NOT_STATED", "OF_THE_ANSWER", "TABLE", "UNCERTAIN", "PassSignals"]

DISAGREEMENT = "disagreement"
NOT_STATED = "not_stated"
UNCERTAIN = "uncertain"
"""Codes of an assessment, and the reasons of the rows that they lead to."""


@dataclass(slots=True)
class PassSignals(Signals):
    """What the engine's rows rest on, as of the latest complete pass: ``passes`` of at most ``ttl``.

    ``codes`` are the reason codes of its assessment: among them `NOT_STATED` (what was asked for was looked for, and
    not found), `DISAGREEMENT` (the answer was derived more than once, and never twice the same), `UNCERTAIN` (a judge
    doubts it, or answers that came about like this one were too often wrong). ``unjudged``: all is done, and no
    judgment that counts was made of it. ``grounded``: a tool or a source was used. ``diminishing``: the last passes
    hardly gained anything. ``stalled``: refinement is over and no step can run. ``unfit``: the answer was asked for,
    and has not the form of the task's schema.
    """

    codes: tuple[str, ...] = ()
    unjudged: bool = False
    grounded: bool = True
    converged: bool = False
    confident: bool = False
    passes: int = 0
    ttl: int = 1
    diminishing: bool = False
    stalled: bool = False
    unfit: bool = False

    @property
    def founded(self) -> bool:
        """Whether the answer is complete, and something was there to check it against."""
        return self.converged and self.grounded

    @property
    def assured(self) -> bool:
        """Whether the evaluation is confident, and something was there to check the answer against."""
        return self.confident and self.grounded


# fmt: off
OF_THE_ANSWER = (
    Rule("schema_unmet", "unfit", "no answer that fits the task's schema could be had",
         when="a pass was good enough, but no answer that fits the task's schema could be had from it"),
)
"""Stand before the rows that can be ordered: they say of an answer what these say of a pass."""
TABLE = (
    *OF_THE_ANSWER,
    Rule(NOT_STATED, "codes", "what was asked for, or a part of it, is not in what was searched", "has", NOT_STATED,
         when="what the answer rests on was looked for where it should be, and not found"),
    Rule(DISAGREEMENT, "codes", "the answer was derived in several ways, and each gives another one", "has",
         DISAGREEMENT, when="the answer was derived more than once, and no two derivations give the same"),
    Rule(UNCERTAIN, "codes", "a judge doubts the answer, or answers that came about like it were often wrong", "has",
         UNCERTAIN, when="a judge that was measured doubts what programs gave, and no other way to it is left; or, by "
         "recorded runs of the model, it is right with a probability below 0.75 (configurable)"),
    Rule("unverified", "unjudged", "nothing that counts on this model judged whether the answer is right",
         when="all steps are done, and the judgment could not be made, or was measured to be bad on this model"),
    Rule("converged", "founded", "every criterion is met in pass {s.passes}", sufficient=True,
         when="every criterion of the assessment is met, and a tool or a source was there to check the answer against"),
    Rule("own_knowledge", "converged", "judged complete; no tool or source was used that it could be checked against",
         sufficient=True, when="every criterion of the assessment is met, and the answer is the model's own knowledge"),
    Rule("confident", "assured", "confidence and coverage were high enough in pass {s.passes}", sufficient=True,
         when="confidence ≥ 0.85 and coverage ≥ 0.90 (thresholds configurable)"),
    Rule("ttl_expired", "passes", "all {s.ttl} passes are used", ">=", "$ttl",
         when="all passes are used: as many as the task's profile allows, at most `max_passes`"),
    BUDGET,
    CLARIFICATION,
    Rule("diminishing_returns", "diminishing", "the last passes hardly gained anything",
         when="the mean gain in confidence over the last 3 passes is below 0.05 (both configurable)"),
    Rule("stalled", "stalled", "no step can run, and no refinement would change that",
         when="no step can run after refinement: another pass would see what this one saw"),
)
# fmt: on
