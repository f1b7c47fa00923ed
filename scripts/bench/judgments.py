"""How well a model judges, in every form of asking, on labelled cases. Prints a table; raw scores go to a file.

    python scripts/bench/judgments.py CASES_DIR [--model NAME|URL] [--only JUDGMENT] [--forms probability,samples]
                                      [--limit N] [--out FILE] [--fit | --shipped]

``CASES_DIR`` holds ``JUDGMENT.jsonl`` for each judgment to measure; a case is a JSON object with ``id``, ``label`` and
the values that the judgment's material names (a list is joined, numbered, by lines). Scores that ``--out`` holds for
the same model, wording and form are not asked for again, so that a broken-off run goes on where it was.

AUROC does not depend on the calibration. Accuracy at 0.5 and expected calibration error (10 bins) are those of a
calibration fitted on the other half of the cases (``crossed``), or with ``--shipped`` of the one in the package, which
says something only on cases that it was not fitted on. ``floor`` is the calibration error that a perfectly calibrated
judge with the same scores would show on so few cases. Intervals are 95 % bootstrap. ``--fit`` writes the calibration
of every judgment and form measured, fitted on all cases, into the package.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import platform
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from aeon.errors import CompletionError, ModelError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger, charging
from aeon.schema import Allowance
from aeon.schema.frozen import Frozen
from aeon.supervisor import judge_specs
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import Calibration, Calibrations, JudgmentSpec
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

FORMS = ("probability", "verdict", "samples", "number")
FITTED = Path(judge_specs.__file__).with_name("calibrations.json")
RESAMPLES = 1_000
BINS = 10
Row = dict[str, Any]
Pairs = Sequence[tuple[float, bool]]


class Number(Frozen):
    """What the plainest form asks for; it is measured for comparison and used nowhere."""

    score: int = Field(ge=0, le=100)


def read_cases(path: Path, limit: int | None) -> list[Row]:
    """The labelled cases of one judgment."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][:limit]


def material(spec: JudgmentSpec, case: Row) -> dict[str, str]:
    """The values that the judgment's material names."""
    names = re.findall(r"\{\{\s*(\w+)\s*\}\}", spec.material)
    return {name: lines(case[name]) for name in names}


def lines(value: object) -> str:
    """A list as numbered lines, anything else as it is."""
    return "\n".join(f"{n}. {one}" for n, one in enumerate(value, 1)) if isinstance(value, list) else str(value)


async def ask(llm: LLMAdapter, spec: JudgmentSpec, case: Row, form: str) -> Row:
    """One case in one form: its raw score and what it cost."""
    ledger, began = Ledger(Allowance(calls=1_000)), time.monotonic()
    row: Row = {"judgment": spec.name, "case": case["id"], "form": form, "model": llm.name, "wording": spec.wording}
    with charging(ledger):
        try:
            raw, answers = await score(llm, spec, case, form)
        except CompletionError as error:
            raw, answers = 0.0, []
            row["failed"] = str(error)
    row |= {"label": case["label"], "raw": raw, "answers": answers}
    return row | {"tokens": ledger.spent.tokens, "calls": ledger.spent.calls, "seconds": time.monotonic() - began}


async def score(llm: LLMAdapter, spec: JudgmentSpec, case: Row, form: str) -> tuple[float, list[float]]:
    """The mean log-odds of a case, and the answer to each question."""
    supervisor, shown = Supervisor(llm), material(spec, case)
    if form != "number":
        judged = await Judge(supervisor, form=form).ask(spec, shown)  # type: ignore[arg-type]
        return judged.raw, [answer.yes for answer in judged.answers]
    text = spec.shown(shown)
    question = f"{spec.questions[0].ask} Give a score from 0 (certainly no) to 100 (certainly yes)."
    said = await supervisor.structured(Prompt(system="", user=f"{text}\n\n{question}"), Number, max_tokens=32)
    return said.value.score / 100 - 0.5, [said.value.score / 100]


async def measure(llm: LLMAdapter, spec: JudgmentSpec, cases: list[Row], form: str, out: Path) -> list[Row]:
    """A row for each case, asked for where the file does not have it yet."""
    key = (llm.name, spec.name, form, spec.wording)
    known = {row["case"]: row for row in stored(out) if key == tuple(row[k] for k in KEY)}
    rows = []
    for case in cases:
        if case["id"] not in known:
            try:
                known[case["id"]] = await ask(llm, spec, case, form)
            except ModelError:  # one broken connection should not end hours of measuring; a second one does
                known[case["id"]] = await ask(llm, spec, case, form)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[case["id"]]) + "\n")
        rows.append(known[case["id"]])
    return rows


KEY = ("model", "judgment", "form", "wording")


def stored(out: Path) -> Iterable[Row]:
    """The rows of an earlier run; a line that was being written when it ended is left out."""
    for line in out.read_text(encoding="utf-8").splitlines() if out.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def auroc(pairs: Pairs) -> float:
    """The probability that a true case scores above a false one (ties count half)."""
    true, false = [s for s, label in pairs if label], [s for s, label in pairs if not label]
    if not true or not false:
        return math.nan
    return sum((a > b) + 0.5 * (a == b) for a in true for b in false) / (len(true) * len(false))


def accuracy(pairs: Pairs, cut: float) -> float:
    """The share of cases on the right side of ``cut``."""
    return sum((s >= cut) == label for s, label in pairs) / len(pairs)


def best_accuracy(pairs: Pairs) -> float:
    """The accuracy at the best cut there is, chosen with the labels in view."""
    return max(accuracy(pairs, cut) for cut in [*(s for s, _ in pairs), math.inf])


def calibration_error(pairs: Pairs) -> float:
    """The expected calibration error over ten bins of equal width."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for s, label in pairs:
        bins[min(int(s * BINS), BINS - 1)].append((s, label))
    return sum(abs(sum(s for s, _ in b) - sum(label for _, label in b)) for b in bins) / len(pairs)


def floor(pairs: Pairs) -> float:
    """The mean calibration error of a judge whose scores are exactly the probabilities of its labels."""
    chance = random.Random(0)
    draws = ([(s, chance.random() < s) for s, _ in pairs] for _ in range(200))
    return sum(map(calibration_error, draws)) / 200


def interval(pairs: Pairs, of: Callable[[Pairs], float]) -> str:
    """The 95 % bootstrap interval of a figure."""
    chance = random.Random(0)
    draws = (of(chance.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    found = sorted(value for value in draws if not math.isnan(value))
    return f"{found[int(0.025 * len(found))]:.2f}-{found[int(0.975 * len(found))]:.2f}" if found else "-"


def platt(pairs: Pairs) -> tuple[float, float]:
    """Scale and shift by Newton's method, with Platt's smoothed targets, so that no sample makes it certain."""
    true = sum(label for _, label in pairs)
    targets = (1 / (len(pairs) - true + 2), (true + 1) / (true + 2))
    a, b = 0.0, 0.0
    for _ in range(100):
        ga = gb = 0.0
        haa = hbb = 1e-6
        hab = 0.0
        for s, label in pairs:
            p = 1 / (1 + math.exp(-max(-50.0, min(50.0, a * s + b))))
            ga, gb = ga + (p - targets[label]) * s, gb + p - targets[label]
            w = p * (1 - p)
            haa, hab, hbb = haa + w * s * s, hab + w * s, hbb + w
        det = haa * hbb - hab * hab
        da, db = (hbb * ga - hab * gb) / det, (haa * gb - hab * ga) / det
        step = min(1.0, 5 / (abs(da) + abs(db) + 1e-9))
        a, b = a - step * da, b - step * db
        if abs(da) + abs(db) < 1e-9:
            break
    return a, b


def scaled(pairs: Pairs, scale: float, shift: float) -> list[tuple[float, bool]]:
    """The calibrated scores."""
    return [(1 / (1 + math.exp(-max(-50.0, min(50.0, scale * s + shift)))), label) for s, label in pairs]


def crossed(pairs: Pairs) -> list[tuple[float, bool]]:
    """Each half's scores under the calibration fitted on the other half."""
    half = len(pairs) // 2
    first, second = pairs[:half], pairs[half:]
    return [*scaled(first, *platt(second)), *scaled(second, *platt(first))]


@dataclass(frozen=True)
class Measured:
    """One judgment in one form, asked of all cases."""

    spec: JudgmentSpec
    form: str
    rows: list[Row]

    @property
    def pairs(self) -> list[tuple[float, bool]]:
        """Raw score and label of each case."""
        return [(row["raw"], bool(row["label"])) for row in self.rows]

    def line(self, shipped: Calibrations | None) -> str:
        """A row of the table."""
        pairs, half = self.pairs, len(self.rows) // 2
        found = shipped.find(self.rows[0]["model"], self.spec, self.form) if shipped else None  # type: ignore[arg-type]
        if shipped and found is None:
            return f"| {self.spec.name} | {self.form} | {len(pairs)} | no calibration is shipped |"
        calibrated = scaled(pairs, found.scale, found.shift) if found else crossed(pairs)
        cells = [
            self.spec.name, self.form, str(len(pairs)), f"{auroc(pairs):.2f} ({interval(pairs, auroc)})",
            f"{auroc(pairs[:half]):.2f} / {auroc(pairs[half:]):.2f}",
            f"{accuracy(calibrated, 0.5):.2f} ({interval(calibrated, lambda p: accuracy(p, 0.5))})",
            f"{best_accuracy(calibrated):.2f}",
            f"{calibration_error(calibrated):.2f} ({interval(calibrated, calibration_error)})",
            f"{floor(calibrated):.2f}",
            self.mean("calls", ".1f"), self.mean("tokens", ".0f"), self.mean("seconds", ".1f"),
            str(sum("failed" in row for row in self.rows)),
        ]  # fmt: skip
        return f"| {' | '.join(cells)} |"

    def mean(self, name: str, form: str) -> str:
        """The mean of a cost per case."""
        return format(sum(row[name] for row in self.rows) / len(self.rows), form)

    def questions(self) -> Iterable[str]:
        """How well each question does alone."""
        for number, question in enumerate(self.spec.questions):
            alone = [(row["answers"][number], bool(row["label"])) for row in self.rows if row["answers"]]
            yield f"  {auroc(alone):.2f}  {self.spec.name}: {question.ask}"

    def fitted(self) -> Calibration:
        """The calibration of all cases."""
        scale, shift = platt(self.pairs)
        return Calibration.model_validate({
            "model": self.rows[0]["model"], "judgment": self.spec.name, "form": self.form,
            "wording": self.spec.wording, "scale": round(scale, 4), "shift": round(shift, 4),
            "auroc": round(auroc(self.pairs), 3), "cases": len(self.rows),
        })  # fmt: skip


HEAD = (
    "judgment", "form", "cases", "AUROC", "halves", "accuracy at 0.5", "at the best cut", "calibration error", "floor",
    "calls", "tokens", "seconds", "failed",
)  # fmt: skip


def report(measured: list[Measured], model: str, shipped: Calibrations | None) -> None:
    """Print the table, and what each question does alone."""
    print(f"{model} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores, {time.strftime('%d %B %Y')}; "
          f"calibration {'shipped' if shipped else 'crossed'}\n")  # fmt: skip
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for one in measured:
        print(one.line(shipped))
    print("\nAUROC of each question alone (probability):")
    for one in measured:
        if one.form == "probability":
            print("\n".join(one.questions()))


def write_fit(measured: list[Measured]) -> None:
    """Put the new calibrations in the place of those of the same model, judgment and form."""
    new = {(m.rows[0]["model"], m.spec.name, m.form): m.fitted() for m in measured if m.form != "number"}
    old = Calibrations.model_validate_json(FITTED.read_text(encoding="utf-8")).entries
    kept = [entry for entry in old if (entry.model, entry.judgment, entry.form) not in new]
    entries = sorted([*kept, *new.values()], key=lambda e: (e.model, e.judgment, e.form))
    body = ",\n  ".join(entry.model_dump_json() for entry in entries)
    FITTED.write_text(f'{{"entries": [\n  {body}\n]}}\n', encoding="utf-8")
    print(f"wrote {len(new)} calibrations to {FITTED}")


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--model", default=None)
    parser.add_argument("--only", default=None, choices=list(judge_specs.judgments()))
    parser.add_argument("--forms", default=",".join(FORMS), help="by default all: %(default)s")
    parser.add_argument("--limit", type=int, default=None, help="at most so many cases of each judgment")
    parser.add_argument("--out", type=Path, default=Path("judgments.jsonl"))
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--shipped", action="store_true")
    given = parser.parse_args()
    unknown = set(given.forms.split(",")) - set(FORMS)
    if unknown:
        parser.error(f"no form is called {', '.join(sorted(unknown))}; use some of {', '.join(FORMS)}")
    return given


async def main() -> None:
    """Measure, report, fit."""
    given = options()
    llm = select(given.model)
    measured = []
    try:
        for form in given.forms.split(","):
            for name, spec in judge_specs.judgments().items():
                path = given.cases / f"{name}.jsonl"
                if given.only in (None, name) and path.exists():
                    rows = await measure(llm, spec, read_cases(path, given.limit), form, given.out)
                    measured.append(Measured(spec, form, rows))
    finally:
        await llm.aclose()
    if not measured:
        sys.exit(
            f"no cases found: {given.cases} should hold JUDGMENT.jsonl for some of {', '.join(judge_specs.judgments())}"
        )
    report(measured, llm.name, judge_specs.calibrations() if given.shipped else None)
    if given.fit:
        write_fit(measured)


if __name__ == "__main__":
    asyncio.run(main())
