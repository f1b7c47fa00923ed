"""How well a model judges, in every form of asking, on labelled cases. Prints a table; raw scores go to a file.

    python scripts/bench/judgments.py CASES_DIR... [--model NAME|URL] [--only JUDGMENT] [--forms probability,samples]
                                      [--limit N] [--out FILE] [--fit [--held-out FOLDER] | --shipped]

A folder holds ``JUDGMENT.jsonl`` for each judgment to measure; a case is a JSON object with ``id``, ``label`` and the
values that the judgment's material names (a list is joined, numbered, by lines; ``results`` are the goals and results
of the steps of a run). ``scripts/bench/cases`` is such a folder; on those in ``cases-tuned`` wordings were chosen.
Scores that ``--out`` holds for the same model, wording and form are not asked for again, so that a broken-off run goes
on where it was.

AUROC does not depend on the calibration. The other figures are those of calibrations fitted to other cases: the cases
of all folders together by 5-fold cross-validation, 20 times; and, of several folders, each under a fit to the others.
With ``--shipped`` they are those of the calibration in the package, which says something only on cases that it was not
fitted to. What stands in square brackets is what a perfectly calibrated judge with the same scores would show on so few
cases: nothing below that can be told. Intervals are 95 % bootstrap. ``--fit`` writes the calibration of every judgment
and form measured, fitted to all cases, into the package; with ``--held-out closing`` it is fitted to those of the other
folders, and its AUROC, by which it may decide, is that on the cases of the folder ``closing``.

Judgments that are measured but used by no run, with their calibrations, are in ``unused.json`` beside this file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judging import (
    accuracy,
    auroc,
    best_accuracy,
    calibration_error,
    debiased_error,
    folds,
    interval,
    perfect,
    platt,
    scaled,
)
from pydantic import Field

from aeon.convergence.engine import material as results
from aeon.errors import CompletionError, ModelError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Plan, Step, Task
from aeon.schema.frozen import Frozen
from aeon.supervisor import judge_specs
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Frame, Judge
from aeon.supervisor.judge_specs import Calibration, Calibrations, JudgmentSpec
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.calculator import calculator
from aeon.tools.registry import ToolRegistry

FORMS = ("probability", "verdict", "samples", "number")
SHIPPED = Path(judge_specs.__file__).with_name("calibrations.json")
UNUSED = Path(__file__).with_name("unused.json")
Row = dict[str, Any]


class Number(Frozen):
    """What the plainest form asks for; it is measured for comparison and used nowhere."""

    score: int = Field(ge=0, le=100)


class Unused(Frozen):
    """Judgments that no run makes, and what was measured of them."""

    judgments: tuple[JudgmentSpec, ...]
    entries: tuple[Calibration, ...]


def unused() -> Unused:
    """The judgments that are measured only."""
    return Unused.model_validate_json(UNUSED.read_bytes())


def specs() -> dict[str, JudgmentSpec]:
    """Every judgment that can be measured."""
    return judge_specs.judgments() | {spec.name: spec for spec in unused().judgments}


def read_cases(path: Path, limit: int | None) -> list[Row]:
    """The labelled cases of one judgment."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][:limit]


def material(spec: JudgmentSpec, case: Row) -> dict[str, str]:
    """The values that the judgment's material names."""
    if "results" in case:
        done = [
            Step(id=f"s{n}", description=goal, status="complete", output=output, mode="tool")
            for n, (goal, output) in enumerate(case["results"], 1)
        ]
        return results(case["task"], Plan(steps=tuple(done)))
    names = re.findall(r"\{\{\s*(\w+)\s*\}\}", spec.material)
    return {name: lines(case[name]) for name in names}


def lines(value: object) -> str:
    """A list as numbered lines, anything else as it is."""
    return "\n".join(f"{n}. {one}" for n, one in enumerate(value, 1)) if isinstance(value, list) else str(value)


def framed(spec: JudgmentSpec, case: Row) -> Frame:
    """What puts a question into a prompt: where a run would brief the model first, with the calculator as its tool."""
    if spec.briefed:
        return Briefing(ToolRegistry([calculator()]).describe()).frame(Task(text=case["task"]))
    return lambda text: Prompt(system="", user=text)


async def ask(llm: LLMAdapter, spec: JudgmentSpec, case: Row, form: str) -> Row:
    """One case in one form: its raw score and what it cost."""
    ledger, began = Ledger(Allowance(calls=1_000)), time.monotonic()
    row: Row = {"judgment": spec.name, "case": case["id"], "set": case["set"], "form": form, "model": llm.name}
    with ledger:
        try:
            raw, answers = await score(llm, spec, case, form)
        except CompletionError as error:
            raw, answers = 0.0, []
            row["failed"] = str(error)
    row |= {"wording": spec.wording, "label": case["label"], "raw": raw, "answers": answers}
    return row | {"tokens": ledger.spent.tokens, "calls": ledger.spent.calls, "seconds": time.monotonic() - began}


async def score(llm: LLMAdapter, spec: JudgmentSpec, case: Row, form: str) -> tuple[float, list[float]]:
    """The mean log-odds of a case, and the answer to each question."""
    supervisor, shown, frame = Supervisor(llm), material(spec, case), framed(spec, case)
    if form != "number":
        judged = await Judge(supervisor, form=form).ask(spec, shown, frame=frame)  # type: ignore[arg-type]
        return judged.raw, [answer.yes for answer in judged.answers]
    question = f"{spec.questions[0].ask} Give a score from 0 (certainly no) to 100 (certainly yes)."
    said = await supervisor.structured(frame(f"{spec.shown(shown)}\n\n{question}"), Number, max_tokens=32)
    return said.value.score / 100 - 0.5, [said.value.score / 100]


async def measure(llm: LLMAdapter, spec: JudgmentSpec, cases: list[Row], form: str, out: Path) -> list[Row]:
    """A row for each case, asked for where the file does not have it yet."""
    key = (llm.name, spec.name, form, spec.wording)
    known = {(row["set"], row["case"]): row for row in stored(out) if key == tuple(row[k] for k in KEY)}
    rows = []
    for case in cases:
        name = (case["set"], case["id"])
        if name not in known:
            try:
                known[name] = await ask(llm, spec, case, form)
            except ModelError:  # one broken connection should not end hours of measuring; a second one does
                known[name] = await ask(llm, spec, case, form)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[name]) + "\n")
        rows.append(known[name])
    return rows


KEY = ("model", "judgment", "form", "wording")


def stored(out: Path) -> Iterable[Row]:
    """The rows of an earlier run; a line that was being written when it ended is left out."""
    for line in out.read_text(encoding="utf-8").splitlines() if out.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            continue


@dataclass(frozen=True)
class Measured:
    """One judgment in one form, asked of all cases."""

    spec: JudgmentSpec
    form: str
    rows: list[Row]

    @property
    def pairs(self) -> list[tuple[float, bool]]:
        """Raw score and label of each case."""
        return pairs_of(self.rows)

    def lines(self, shipped: Calibrations | None) -> Iterable[str]:
        """The rows of the table: all cases, and each folder's under a fit to the others; or under the shipped one."""
        folders = list(dict.fromkeys(row["set"] for row in self.rows))
        parts = [self._split(folder) for folder in folders]
        if shipped is not None:
            found = shipped.find(self.rows[0]["model"], self.spec, self.form)  # type: ignore[arg-type]
            for folder, (mine, _) in zip(folders, parts, strict=True):
                draws = [scaled(pairs_of(mine), found.scale, found.shift)] if found else []
                yield self._line(f"{folder}, as shipped", mine, draws)
            return
        yield self._line("5-fold", self.rows, list(folds(self.pairs)))
        for folder, (mine, others) in zip(folders, parts, strict=True) if len(folders) > 1 else ():
            fitted = [scaled(pairs_of(mine), *platt(pairs_of(others)))]
            yield self._line(f"{folder}, fitted to the others", mine, fitted)

    def _split(self, folder: str) -> tuple[list[Row], list[Row]]:
        """The rows of a folder, and those of the others."""
        mine, others = ([row for row in self.rows if (row["set"] == folder) is same] for same in (True, False))
        return mine, others

    def _line(self, what: str, rows: list[Row], draws: list[list[tuple[float, bool]]]) -> str:
        pairs = pairs_of(rows)
        cells = [self.spec.name, self.form, what, str(len(rows)), f"{auroc(pairs):.2f} ({interval(pairs, auroc)})"]
        if not draws:
            return f"| {' | '.join(cells)} | no calibration is shipped |"
        one = draws[0]
        gap = perfect(one, lambda p: best_accuracy(p) - accuracy(p))
        cells += [
            f"{mean(map(accuracy, draws)):.2f} ({interval(one, accuracy)})",
            f"{mean(map(best_accuracy, draws)):.2f}",
            f"{mean(best_accuracy(d) - accuracy(d) for d in draws):.2f} [{gap:.2f}]",
            f"{mean(map(calibration_error, draws)):.2f} [{perfect(one, calibration_error):.2f}]",
            f"{mean(map(debiased_error, draws)):.2f} [{perfect(one, debiased_error):.2f}]",
            *(f"{mean(row[cost] for row in rows):{form}}" for cost, form in COSTS),
            str(sum("failed" in row for row in rows)),
        ]
        return f"| {' | '.join(cells)} |"

    def questions(self) -> Iterable[str]:
        """How well each question does alone."""
        for number, question in enumerate(self.spec.questions):
            alone = [(row["answers"][number], bool(row["label"])) for row in self.rows if row["answers"]]
            yield f"  {auroc(alone):.2f}  {self.spec.name}: {question.ask}"

    def fitted(self, held_out: str | None = None) -> Calibration:
        """The calibration of all cases; or of those outside a folder, with the AUROC on those in it."""
        inside, outside = self._split(held_out) if held_out else (self.rows, self.rows)
        scale, shift = platt(pairs_of(outside))
        return Calibration.model_validate({
            "model": self.rows[0]["model"], "judgment": self.spec.name, "form": self.form,
            "wording": self.spec.wording, "scale": round(scale, 4), "shift": round(shift, 4),
            "auroc": round(auroc(pairs_of(inside)), 3), "cases": len(inside),
        })  # fmt: skip


COSTS = (("calls", ".1f"), ("tokens", ".0f"), ("seconds", ".1f"))
HEAD = (
    "judgment", "form", "calibration", "cases", "AUROC", "accuracy at the threshold", "at the best cut", "gap",
    "calibration error", "debiased", *(cost for cost, _ in COSTS), "failed",
)  # fmt: skip


def pairs_of(rows: list[Row]) -> list[tuple[float, bool]]:
    """Raw score and label of each case."""
    return [(row["raw"], bool(row["label"])) for row in rows]


def mean(values: Iterable[float]) -> float:
    """The mean."""
    known = list(values)
    return sum(known) / len(known)


def report(measured: list[Measured], model: str, shipped: Calibrations | None) -> None:
    """Print the table, and what each question does alone."""
    print(f"{model} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores, {time.strftime('%d %B %Y')}\n")
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for one in measured:
        print("\n".join(one.lines(shipped)))
    print("\nAUROC of each question alone (probability):")
    for one in measured:
        if one.form == "probability":
            print("\n".join(one.questions()))


def write_fit(measured: list[Measured], held_out: str | None) -> None:
    """Put the new calibrations in the place of those of the same model, judgment and form."""
    new = {(m.rows[0]["model"], m.spec.name, m.form): m.fitted(held_out) for m in measured if m.form != "number"}
    apart = unused()
    names = {spec.name for spec in apart.judgments}
    for path, old, mine in (
        (SHIPPED, Calibrations.model_validate_json(SHIPPED.read_bytes()).entries, False),
        (UNUSED, apart.entries, True),
    ):
        here = {key: entry for key, entry in new.items() if (entry.judgment in names) is mine}
        kept = [entry for entry in old if (entry.model, entry.judgment, entry.form) not in here]
        entries = sorted([*kept, *here.values()], key=lambda e: (e.model, e.judgment, e.form))
        write_entries(path, entries)
    print(f"wrote {len(new)} calibrations")


def write_entries(path: Path, entries: Sequence[Calibration]) -> None:
    """Put these entries, one a line, in the place of those that the file has; what stands before them is kept."""
    before = path.read_text(encoding="utf-8").partition('"entries"')[0]
    body = ",\n  ".join(entry.model_dump_json() for entry in entries)
    path.write_text(f'{before}"entries": [\n  {body}\n]}}\n', encoding="utf-8")


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--model", default=None)
    parser.add_argument("--only", default=None, choices=list(specs()))
    parser.add_argument("--forms", default=",".join(FORMS), help="by default all: %(default)s")
    parser.add_argument("--limit", type=int, default=None, help="at most so many cases of each judgment and folder")
    parser.add_argument("--out", type=Path, default=Path("judgments.jsonl"))
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--held-out", default=None, metavar="FOLDER", help="fit to the others; this one says how good")
    parser.add_argument("--shipped", action="store_true")
    given = parser.parse_args()
    names = {folder.resolve().name for folder in given.cases}
    if given.held_out and (given.held_out not in names or len(names) < 2):
        parser.error(f"--held-out {given.held_out}: name one of several folders, {', '.join(sorted(names))}")
    unknown = set(given.forms.split(",")) - set(FORMS)
    if unknown:
        parser.error(f"no form is called {', '.join(sorted(unknown))}; use some of {', '.join(FORMS)}")
    return given


def gathered(given: argparse.Namespace) -> dict[str, list[Row]]:
    """The cases of each judgment that is to be measured, each with the name of its folder as its set."""
    found: dict[str, list[Row]] = {}
    for name in specs() if given.only is None else [given.only]:
        for folder in given.cases:
            path = folder / f"{name}.jsonl"
            for case in read_cases(path, given.limit) if path.exists() else ():
                found.setdefault(name, []).append(case | {"set": folder.resolve().name})
    return found


async def main() -> None:
    """Measure, report, fit."""
    given = options()
    cases = gathered(given)
    if not cases:
        sys.exit(f"no cases found: a folder should hold JUDGMENT.jsonl for some of {', '.join(specs())}")
    llm = select(given.model)
    measured = []
    try:
        for form in given.forms.split(","):
            for name, mine in cases.items():
                measured.append(Measured(specs()[name], form, await measure(llm, specs()[name], mine, form, given.out)))
    finally:
        await llm.aclose()
    known = Calibrations(entries=(*judge_specs.calibrations().entries, *unused().entries))
    report(measured, llm.name, known if given.shipped else None)
    if given.fit:
        write_fit(measured, given.held_out)


if __name__ == "__main__":
    asyncio.run(main())
