"""An examination as a table and as a document."""

from __future__ import annotations

from typing import NamedTuple

from aeon.doctor.advice import length_of
from aeon.doctor.findings import Beyond, Context, Findings, Repeats, Speed
from aeon.schema.form_scores import FormScore
from aeon.schema.frozen import Frozen
from aeon.schema.llm import Capabilities

__all__ = ["Report", "Row", "rows", "title"]

_WHERE = {"nowhere": "none", "tags": "in tags before the answer", "beside": "beside the answer"}
_BEYOND: dict[Beyond, str] = {
    "nothing": "a prompt of that length is read whole",
    "refused": "longer prompts are refused",
    "cut": "longer prompts lose their beginning, and the endpoint does not say so",
    "forgotten": "the beginning of longer prompts makes no difference to the answer",
    "unmeasured": "the model cannot repeat a word from a short prompt, and there are no other signs",
}


class Report(Frozen):
    """The findings, how well the model works in each form, the advice that follows, and where the profile lies."""

    findings: Findings
    forms: tuple[FormScore, ...] = ()
    capabilities: Capabilities
    advice: tuple[str, ...]
    saved: str


class Row(NamedTuple):
    """One line of the table: what, how it is, and by what that was seen."""

    name: str
    verdict: str
    detail: str


def title(findings: Findings) -> str:
    """Which model at which endpoint; the name it answers under, if that is another one."""
    if findings.endpoint.startswith("local:"):
        return f"{findings.model} on this machine"
    alias = f" (it answers as {findings.answered_as})" if findings.answered_as not in ("", findings.model) else ""
    return f"{findings.model}{alias} at {findings.endpoint}"


def rows(findings: Findings) -> list[Row]:
    """The findings as a table."""
    schemas, mode, probabilities = findings.schemas, findings.json_mode, findings.probabilities
    held = "refused" if schemas.refused else f"{schemas.held} of {schemas.asked} held against hostile prompts"
    mode_held = "also against a hostile prompt" if mode.enforced else "but only if the prompt asks for JSON too"
    first = "the first token is the answer" if probabilities.answers else "but the first token is not the answer"
    return [
        Row("schemas", "enforced" if schemas.enforced else "not enforced", held),
        Row("tool calls", "native" if findings.tools else "none", ""),
        Row("JSON mode", "works" if mode.works else "does not work", mode_held if mode.works else ""),
        Row(
            "probabilities", "told" if probabilities.told else "not told",
            f"{probabilities.alternatives} alternatives; {first}" if probabilities.told else "",
        ),
        Row("hidden reasoning", _WHERE[findings.thoughts.where], ""),
        _repeats(findings.repeats),
        _context(findings.context, findings.told.context_tokens),
        _parallel(findings.speed),
        Row("speed", _rates(findings.speed), "tokens a second"),
    ]  # fmt: skip


def _repeats(seen: Repeats) -> Row:
    cases = {"again": seen.again, "after a shared beginning": seen.after_shared, "after another": seen.after_other}
    other = [name for name, same in cases.items() if not same]
    cache = "with a prompt cache" if seen.cached else "no prompt cache told"
    drift = "" if seen.drift is None else f"; probabilities within {seen.drift:.2g}"
    verdict = "other answers" if other else "same answers"
    return Row("temperature 0", verdict, f"{', '.join(other or cases)}; {cache}{drift}")


def _context(context: Context | None, advertised: int | None) -> Row:
    if context is None:
        return Row("context", "not measured", f"{advertised:,} tokens advertised" if advertised else "none advertised")
    if context.beyond == "unmeasured":
        return Row("context", "not measurable", _BEYOND["unmeasured"])
    earlier = "" if context.echoed else "; by the endpoint's own count: the model cannot repeat a word from so far back"
    earlier += "; kept from an earlier examination" if context.earlier else ""
    verdict = length_of(context).removeprefix("context ")
    if context.stopped:
        why = f"measuring ended at its limit of {context.stopped}"
        seen = f"{context.seen:,} tokens were read whole" if context.beyond == "nothing" else _BEYOND[context.beyond]
        return Row("context", verdict, f"{seen}; {why}{earlier}")
    return Row("context", verdict, f"{_BEYOND[context.beyond]}{earlier}")


def _parallel(speed: Speed) -> Row:
    verdict = "one at a time" if speed.parallel == 1 else f"{speed.parallel} at once"
    gain = f"{speed.at_once} requests at once are {speed.speed_up:.1f} times as fast as in turn"
    return Row("parallel", verdict, gain)


def _rates(speed: Speed) -> str:
    parts = (("read", speed.prompt), ("written", speed.generated))
    return ", ".join(f"{rate:,.0f} {what}" if rate is not None else f"? {what}" for what, rate in parts)
