"""How a run adapts to the findings, in a user's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aeon.doctor.findings import Context, Findings, Repeats
from aeon.doctor.form_tasks import tasks_digest
from aeon.schema.calibration import Calibration
from aeon.schema.config import Config
from aeon.schema.form_scores import FormScore, preferred
from aeon.schema.turns import WorkForm
from aeon.supervisor.bounds import bounds
from aeon.supervisor.judge import form_for
from aeon.supervisor.judge_verdict import RESULTS

__all__ = ["advice", "length_of", "work_form"]

_VERDICT = "an answer is judged in one structured verdict: kind, issues, criteria and scores"
_POOR = "the structured verdict on answers was measured to be too poor: it decides nothing, and they end unverified"
_UNASKED = "no judgment is asked at model tier {tier}: the host alone checks"
_UNJUDGED = ("T0", "T1")
"""Model tiers at which nobody plays the verifier."""
_SEEN = 0.001
"""A difference of probabilities that is worth a word."""


def advice(
    findings: Findings,
    config: Config | None = None,
    judged: Sequence[Calibration] = (),
    forms: Sequence[FormScore] = (),
) -> tuple[str, ...]:
    """One sentence for each way in which a run adapts to this endpoint.

    ``judged`` is what the model is worth as a judge, ``forms`` how well it works in each form.
    """
    return tuple(_sentences(findings, config or Config(), judged, forms))


def work_form(findings: Findings, config: Config, forms: Sequence[FormScore] = ()) -> WorkForm:
    """How the model works: as configured, else as measured, else with tools where it calls them natively."""
    if config.form != "auto":
        return config.form
    return preferred(forms) or ("tools" if findings.tools else "program")


def _sentences(
    findings: Findings, config: Config, judged: Sequence[Calibration], forms: Sequence[FormScore]
) -> Iterator[str]:
    form = work_form(findings, config, forms)
    yield f"work form: {form}, {_measured(form, forms)}: {_work(form, findings)}"
    yield _shape(findings)
    yield _judgments(findings, config, form, judged)
    yield _worth(judged)
    if findings.thoughts.where != "nowhere":
        room = bounds(findings.capabilities, config.prompt_bytes, config.output_tokens).output_tokens
        yield (
            "the model thinks before it answers: thoughts are cut off before an answer is read, and each answer may be "
            f"{room:,} tokens long, thoughts included"
        )
    yield from _unsteady(findings.repeats)
    yield _context(findings, config)
    yield _parallel(findings)


def _unsteady(seen: Repeats) -> Iterator[str]:
    if not seen.deterministic:
        yield "the same request can get another answer: a run is repeated from its journal, never by asking again"
    if seen.drift is not None and seen.drift >= _SEEN:
        yield (
            f"the same question's probability moved by {seen.drift:.2g}: a judgment that near its threshold can fall "
            "either way"
        )


def _measured(form: WorkForm, forms: Sequence[FormScore]) -> str:
    """What is known of how the model works in this form, and in the other one."""
    if not forms:
        return "not measured (--forms)"
    own = next((f"{one.right} of {one.asked} right" for one in forms if one.form == form), "")
    others = ", ".join(f"{one.form} {one.right} of {one.asked}" for one in forms if one.form != form)
    outdated = any(one.tasks != tasks_digest() for one in forms)
    return f"measured: {own} ({others})" + ("; the tasks are others by now (--forms)" if outdated else "")


def _work(form: WorkForm, findings: Findings) -> str:
    if form == "program":
        return "the work is done by short programs over the tools (--form tools has it call them one by one)"
    how = "native tool calls" if findings.tools else "one JSON action a turn"
    return f"the work is done in a loop of turns with {how}, and each result is seen before the next call"


def _worth(judged: Sequence[Calibration]) -> str:
    if not judged:
        return "as a judge it was not measured: its judgments decide, and results say that they are assumed (--judge)"
    bad = [one.judgment for one in judged if not one.decides]
    good = len(judged) - len(bad)
    poor = f"; too poor to decide: {', '.join(bad)}" if bad else ""
    return f"as a judge it was measured: {good} of {len(judged)} judgments decide{poor}"


def _shape(findings: Findings) -> str:
    if findings.schemas.enforced:
        return "schemas are enforced: answers are asked for with the schema"
    why = "refused" if findings.schemas.refused else "not enforced"
    mode = ", in JSON mode" if findings.json_mode.works else ""
    return (
        f"schemas are {why}: the schema is put into the prompt{mode}; each answer is mended where that is safe, "
        "checked, and asked for again with what was wrong"
    )


def _judgments(findings: Findings, config: Config, work: WorkForm, judged: Sequence[Calibration]) -> str:
    """How judgments are asked in a run like this one; that none is, or that the one that would be is too poor."""
    if config.model_tier in _UNJUDGED:
        return _UNASKED.format(tier=config.model_tier)
    poor = any(one.judgment == RESULTS and one.form == "verdict" and not one.decides for one in judged)
    verdict = _POOR if poor else _VERDICT
    if work == "tools":
        return verdict
    if form_for(findings.capabilities) == "probability":
        return "probabilities are told: yes/no judgments are scored by the probability of the first token"
    why = "probabilities are of no use here" if findings.probabilities.told else "no probabilities"
    return f"{why}: {verdict}"


def _context(findings: Findings, config: Config) -> str:
    context = findings.context
    if context is None:
        advertised = findings.told.context_tokens
        length = "unknown" if advertised is None else f"taken to be {advertised:,} tokens, as advertised"
        return f"context not measured: its length is {length}; prompts of up to {config.prompt_bytes:,} bytes are sent"
    if context.tokens is None:
        return f"context could not be measured: prompts of up to {config.prompt_bytes:,} bytes are sent"
    most = bounds(findings.capabilities, config.prompt_bytes, config.output_tokens)
    if most == (config.prompt_bytes, config.output_tokens):
        return f"{length_of(context)}: prompts of up to {most.prompt_bytes:,} bytes are sent, as configured"
    limits = f"prompts are kept below {most.prompt_bytes:,} bytes and answers below {most.output_tokens:,} tokens"
    return f"{length_of(context)}: {limits}, so that both fit"


def length_of(context: Context) -> str:
    """The context length that is worked with, beside the one that is advertised."""
    tokens = f"context {context.tokens:,}" if context.tokens is not None else "context unknown"
    if context.advertised is None:
        return f"{tokens} (none advertised)"
    return tokens if context.tokens == context.advertised else f"{tokens} of {context.advertised:,} advertised"


def _parallel(findings: Findings) -> str:
    if findings.speed.parallel == 1:
        return "one request at a time: steps that are worked on at once wait for each other, within their time limits"
    return f"{findings.speed.parallel} requests at once: steps that do not need each other are worked on at once"
