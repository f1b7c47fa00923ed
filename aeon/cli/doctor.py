"""``aeon doctor``: measures what an endpoint really does, says what follows from it, and saves it for later runs."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import textwrap
from pathlib import Path

from aeon.cli.doctor_forms import measured_forms, show_forms
from aeon.cli.doctor_judge import judged, show_judge
from aeon.cli.examining import stage_on
from aeon.cli.output import print_json
from aeon.cli.progress import fetch_weights
from aeon.doctor.advice import advice
from aeon.doctor.cases import Case, read_cases, shipped_cases
from aeon.doctor.checkup import examine, profile_of
from aeon.doctor.findings import Context, Findings
from aeon.doctor.report import Report, rows, title
from aeon.errors import UsageError
from aeon.llm.examinable import Examinable
from aeon.llm.profiles import agrees, load, save
from aeon.llm.select import select
from aeon.observability.lines import visible

__all__ = ["command"]

_WIDEST = 110


def command(options: argparse.Namespace) -> int:
    """Examine the endpoint, or measure one thing about its model; show and save what was found."""
    cases = _cases(options)
    model = select(options.model)
    if not isinstance(model, Examinable):
        raise UsageError(f"doctor: {model.name} is no endpoint that can be examined")
    fetch_weights(model)
    if options.judge:
        return show_judge(asyncio.run(judged(model, cases, stage_on(sys.stderr))), options.json)
    if options.forms:
        return show_forms(asyncio.run(measured_forms(model, stage_on(sys.stderr))), options.json)
    return _examine(model, options)


def _cases(options: argparse.Namespace) -> tuple[Case, ...]:
    """The labelled cases to judge. Raises ``UsageError`` for options that do not go together."""
    if options.cases and not options.judge:
        raise UsageError("doctor: --cases goes with --judge")
    if options.forms and options.judge:
        raise UsageError("doctor: --forms and --judge are two steps; name one after the other")
    if not options.judge:
        return ()
    return (*shipped_cases(), *(read_cases(options.cases) if options.cases else ()))


def _examine(model: Examinable, options: argparse.Namespace) -> int:
    findings = asyncio.run(_examined(model, options.quick))
    profile = profile_of(findings, load(findings.endpoint, findings.model))
    path = save(profile)
    sentences = advice(findings, judged=profile.judgments, forms=profile.forms)
    if options.json:
        print_json(Report(
            findings=findings, forms=profile.forms, capabilities=profile.capabilities, advice=sentences,
            saved=str(path),
        ))  # fmt: skip
    else:
        _show(findings, sentences, path)
    return 0


async def _examined(model: Examinable, quick: bool) -> Findings:
    stage = stage_on(sys.stderr)
    try:
        findings = await examine(model, stage, quick)
    finally:
        stage("")
        await model.aclose()
    return findings.changed(context=_earlier(findings)) if quick else findings


def _earlier(findings: Findings) -> Context | None:
    """The context length of an earlier examination that still holds."""
    profile = load(findings.endpoint, findings.model)
    if (
        profile is None
        or not agrees(profile.model, profile.told, findings.told)
        or profile.answered_as != findings.answered_as
    ):
        return None
    context = Findings.model_validate(profile.findings).context
    return context.changed(earlier=True) if context is not None else None


def _show(findings: Findings, sentences: tuple[str, ...], path: Path) -> None:
    table = rows(findings)
    name, verdict = (max(len(row[column]) for row in table) for column in (0, 1))
    width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
    print(visible(title(findings)), end="\n\n")
    for row in table:
        begin = f"  {row.name:{name}}  {row.verdict:{verdict}}  "
        text = textwrap.fill(row.detail, width, initial_indent=begin, subsequent_indent=" " * len(begin))
        print(text or begin.rstrip())
    print("\nWhat Aeon does")
    for sentence in sentences:
        print(textwrap.fill(sentence, width, initial_indent="  - ", subsequent_indent="    "))
    spent = findings.spent
    tokens = f"{spent.prompt_tokens + spent.generated_tokens:,} tokens ({spent.generated_tokens:,} generated)"
    print(f"\n{spent.calls} calls, {tokens}, {findings.seconds:.1f} s; saved in {path}")
