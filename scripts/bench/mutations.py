"""How many changes of right answers the host's checks catch, without a model.

Right answers are made from the everyday benchmark's questions: their expected values in sentences, over what they truly
rest on (paragraphs of the texts, outputs of tools). Each is changed in one place; a change is caught if a claim is not
supported any more, or, for a change of the proof file, if it is not verified. Figures with Wilson's 95 % intervals.

    python scripts/bench/mutations.py [--answers 200] [--seed 11] [--show] [--judge N [--model NAME|URL]]

With ``--judge`` it asks the judge instead whether a text gives an answer, about N questions of fact, each beside the
paragraph that its answer cites: unchanged, with a paragraph that another answer cites, negated, and as a control with
one that no answer cites. What is caught at the shipped cut; the AUROC, also of the difference to the control.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import re
import tempfile
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from everyday_items import EXACT, MONTHS, Date, Item, Name, Number, Value
from everyday_tasks import make
from figures import wilson
from mutations_judge import Sentence, judged, report

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.llm.select import select
from aeon.proof.canonical import canonical, sha256
from aeon.proof.document import Derivation, Proof, ProofSource, ProofStep, proof_bytes
from aeon.proof.verify import verify
from aeon.schema import Claim, JsonValue, Source, Task

Document = dict[str, Any]
UNITS = ("euros", "percent", "days", "weeks", "months", "minutes", "grams", "degrees", "cents", "square metres", "km/h")
OTHER_UNITS = {
    "euros": "dollars", "percent": "euros", "days": "weeks", "weeks": "months", "months": "days", "minutes": "hours",
    "grams": "kilograms", "degrees": "minutes", "cents": "euros", "square metres": "metres", "km/h": "km",
}  # fmt: skip
NAMES = ("Oslo", "Petra Novak", "Cedar Stool", "Bergen Trading", "Viktor Hale")
SENTENCES = ("It comes to {}.", "The answer is {}, as asked.", "For this the files give {}.", "In all that makes {}!")


_KINDS = tuple(kind for kind in EXACT if kind != "reworded")  # that one asks for the answers of "fact" in other words
_SHORTEST = 60
"""Characters of a paragraph that may be cited in the place of another; a shorter one is a heading."""
_NO_UNIT = re.compile(r"(?:rounded )?to (?:the )?cents?|according to the minutes")


class Case(NamedTuple):
    """A right answer and what it rests on; ``values`` are the texts of its values, ``unit`` the unit behind them."""

    answer: str
    task: Task
    outputs: tuple[ToolOutput, ...]
    source: ProofSource | None
    values: tuple[tuple[Value, str], ...]
    unit: str

    def claims(self, answer: str) -> tuple[Claim, ...]:
        """What an answer claims over what the right one rests on."""
        text = self.source.text if self.source else ""
        spans = (Source(source="1", start=0, end=len(text), text=text),) if text else ()
        return claims(answer, self.task, self.outputs, spans)

    def proof(self) -> bytes:
        """The proof file of the right answer."""
        steps = tuple(ProofStep(id=one.step, tool="sql", output=one.output) for one in self.outputs)
        return proof_bytes(
            Proof(
                task=self.task, answer=self.answer, claims=self.claims(self.answer),
                sources=(self.source,) if self.source else (), derivations=(Derivation(id="d1", steps=steps),),
            )
        )  # fmt: skip


def cases(count: int, seed: int) -> list[Case]:
    """As many right answers, from as many seeds as that takes."""
    made: list[Case] = []
    chance = Random(seed)
    while len(made) < count:
        made += _made(seed, chance)[0]
        seed += 1
    return chance.sample(made, count)


def _made(seed: int, chance: Random) -> tuple[list[Case], list[str]]:
    """The right answers to the questions of a seed, and the paragraphs of its texts."""
    with tempfile.TemporaryDirectory() as folder:
        items = [item for item in make(Path(folder), seed) if item.kind in _KINDS]
        texts = {path.name: path.read_text() for path in Path(folder).iterdir() if path.suffix in (".md", ".txt")}
    found = [case for item in items if (case := _case(item, texts, chance)) is not None]
    return found, [part.strip() for name in sorted(texts) for part in texts[name].split("\n\n")]


def sentences(count: int, seed: int) -> list[Sentence]:
    """As many right answers that cite a paragraph and can be negated, with other paragraphs of the same folder."""
    made: list[Sentence] = []
    chance = Random(seed)
    while len(made) < count:
        found, paragraphs = _made(seed, chance)
        cited = {case.source.text.strip() for case in found if case.source}
        made += [one for case in found if (one := _sentence(case, paragraphs, cited, chance)) is not None]
        seed += 1
    return chance.sample(made, count)


def _sentence(case: Case, paragraphs: list[str], cited: set[str], chance: Random) -> Sentence | None:
    negated = negation(case, chance)
    away = {part for part in paragraphs if _is_beside(case, part)}
    swapped, unrelated = sorted(away & cited), sorted(away - cited)
    if case.source is None or negated is None or not (swapped and unrelated):
        return None
    span = case.source.text.strip()
    return Sentence(case.task.text, case.answer, negated, span, chance.choice(swapped), chance.choice(unrelated))


def _is_beside(case: Case, paragraph: str) -> bool:
    """Whether a paragraph has none of the values of a case; a heading does not count."""
    return len(paragraph) >= _SHORTEST and not any(_in(value, paragraph) for value, _ in case.values)


def _case(item: Item, texts: dict[str, str], chance: Random) -> Case | None:
    unit = _unit(item)
    said = [(value, _written(value, chance)) for value in item.expected]
    parts = [text + (unit if isinstance(value, Number) else "") for value, text in said]
    answer = chance.choice(SENTENCES).format(" and ".join(parts))
    if item.kind != "fact":
        output: JsonValue = [{f"v{n}": _output(value) for n, (value, _) in enumerate(said)}]
        return Case(answer, Task(text=item.question), (ToolOutput("s1", output),), None, tuple(said), unit)
    source = _source(item, texts[item.note], unit.strip())
    return Case(answer, Task(text=item.question), (), source, tuple(said), unit) if source else None


def _unit(item: Item) -> str:
    """The unit that a question asks for, with a space before it, if it asks for one number."""
    if sum(isinstance(value, Number) for value in item.expected) != 1:
        return ""
    return next((f" {unit}" for unit in UNITS if unit in _NO_UNIT.sub("", item.question)), "")


def _source(item: Item, text: str, unit: str) -> ProofSource | None:
    """The paragraph of a text that states the values and their unit."""
    for part in text.split("\n\n"):
        if unit in part and all(_in(value, part) for value in item.expected):
            return ProofSource(id="1", text=part, location=item.note, raw_sha256=sha256(text))
    return None


def _in(value: Value, text: str) -> bool:
    match value:
        case Number(value=number):
            return re.search(rf"(?<![\d.]){number}(?![\d.]\d)", text) is not None
        case Name(text=name):
            return name in " ".join(text.split())
        case _:
            return f"{value.value.day} {MONTHS[value.value.month - 1]} {value.value.year}" in " ".join(text.split())


def _output(value: Value) -> JsonValue:
    match value:
        case Number(value=number):
            return int(number) if number == int(number) else float(number)
        case Name(text=name):
            return name
        case _:
            return value.value.isoformat()


def _written(value: Value, chance: Random) -> str:
    """A value as an answer may write it."""
    if isinstance(value, Name):
        return value.text
    if isinstance(value, Date):
        day = value.value
        name = MONTHS[day.month - 1]
        forms = (day.isoformat(), f"{day.day} {name} {day.year}", f"{name} {day.day}, {day.year}", f"{day:%d.%m.%Y}")
        return chance.choice(forms)
    number = value.value if value.decimals is None else _to(value.value, value.decimals)
    text = f"{number:,f}"
    turned = text.translate(str.maketrans(",.", ".,"))
    return chance.choice((text, f"{number:f}", turned, text.replace(",", " ")))


def _to(number: Decimal, places: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def digit(case: Case, chance: Random) -> str | None:
    """One digit of a number is another one."""
    numbers = [text for value, text in case.values if isinstance(value, Number)]
    if not numbers:
        return None
    text = chance.choice(numbers)
    place = chance.choice([n for n, one in enumerate(text) if one.isdigit()])
    other = chance.choice([one for one in "123456789" if one != text[place]])
    return case.answer.replace(text, text[:place] + other + text[place + 1 :], 1)


def name(case: Case, chance: Random) -> str | None:
    """A name is another one."""
    names = [
        text for value, text in case.values if isinstance(value, Name) and text[0].isupper() and text not in MONTHS
    ]
    return case.answer.replace(chance.choice(names), chance.choice(NAMES), 1) if names else None


def unit(case: Case, chance: Random) -> str | None:
    """A unit is another one."""
    return case.answer.replace(case.unit, f" {OTHER_UNITS[case.unit.strip()]}", 1) if case.unit else None


def date(case: Case, chance: Random) -> str | None:
    """A date is another day, month or year."""
    dates = [(value.value, text) for value, text in case.values if isinstance(value, Date)]
    if not dates:
        return None
    day, text = chance.choice(dates)
    other = day + datetime.timedelta(days=chance.choice((1, -1, 10, 31, 365, -365)))
    return case.answer.replace(text, _written(Date(other), chance), 1)


def negation(case: Case, chance: Random) -> str | None:
    """The sentence says the opposite, which only a judge can see."""
    for verb, other in ((" comes ", " does not come "), (" is ", " is not "), (" give ", " do not give ")):
        if verb in case.answer:
            return case.answer.replace(verb, other, 1)
    return None


def _sealed(case: Case, change: Callable[[Document, Document], bool]) -> bytes | None:
    """The proof after a change of its document, with a digest that fits; ``None`` where it has no place for one."""
    document = json.loads(case.proof())
    supported = [claim for claim in document["claims"] if claim["evidence"]]
    if not supported or not change(document, supported[-1]):
        return None
    data = canonical(document | {"digest": "0" * 64}).encode()
    return data.replace(b'"digest":"' + b"0" * 64, b'"digest":"' + sha256(data).encode())


def _drop_source(document: Document, claim: Document) -> bool:
    return bool(document["sources"] and not document["sources"].clear())


def _move_claim(document: Document, claim: Document) -> bool:
    claim["start"] += 1
    return True


def _move_evidence(document: Document, claim: Document) -> bool:
    claim["evidence"][0]["end"] += 1
    return True


def _swap_spans(document: Document, claim: Document) -> bool:
    first = document["claims"][0]
    first["evidence"], claim["evidence"] = claim["evidence"], first["evidence"]
    return bool(first["id"] != claim["id"] and first["value"] != claim["value"])


ANSWERS: dict[str, Callable[[Case, Random], str | None]] = {
    "a digit": digit, "a name": name, "a unit": unit, "a date": date, "a negation": negation,
}  # fmt: skip
FILES: dict[str, Callable[[Document, Document], bool]] = {
    "a source dropped": _drop_source, "a claim's offset": _move_claim, "an evidence's offset": _move_evidence,
    "two spans swapped": _swap_spans,
}  # fmt: skip


def caught(case: Case, answer: str) -> bool:
    """Whether some claim of the answer is not supported."""
    return any(claim.verdict != "supported" for claim in case.claims(answer))


def doubted(case: Case) -> bool:
    """Whether the right answer is not supported, or its proof not verified."""
    return caught(case, case.answer) or verify(case.proof()).code != 0


def main() -> None:
    """Print a line for each kind of change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--show", action="store_true", help="print what was missed, and false alarms")
    parser.add_argument("--judge", type=int, default=0, metavar="N", help="ask the evidence judge about N sentences")
    parser.add_argument("--model", default=None)
    options = parser.parse_args()
    if options.judge:
        asyncio.run(_ask(sentences(options.judge, options.seed), options.model, options.show))
        return
    measure(cases(options.answers, options.seed), Random(options.seed), options.show)


async def _ask(every: list[Sentence], model: str | None, show: bool) -> None:
    llm = select(model)
    try:
        report(*await judged(every, llm), show)
    finally:
        await llm.aclose()


def measure(every: list[Case], chance: Random, show: bool) -> None:
    """Change the answers and their proofs, and print what is caught; ``show`` what is not."""
    alarms = [case.answer for case in every if doubted(case)]
    made = [case for case in every if case.answer not in alarms]  # what is caught unchanged proves nothing
    for kind, mutate in ANSWERS.items():
        changed, missed = _missed(made, mutate, chance)
        _line(kind, changed - len(missed), changed, missed if show and kind != "a negation" else [])
    _files(made)
    _line("false alarms", len(alarms), len(every), alarms if show else [])


def _files(made: list[Case]) -> None:
    """Change the proof files, and print how many are not verified."""
    for kind, change in FILES.items():
        codes = [verify(data).code for data in (_sealed(case, change) for case in made) if data is not None]
        _line(kind, codes.count(1), len(codes), [])


def _missed(made: list[Case], mutate: Callable[[Case, Random], str | None], chance: Random) -> tuple[int, list[str]]:
    """How many answers could be changed that way, and the changed ones that are not caught."""
    pairs = [(case, mutate(case, chance)) for case in made]
    changed = [(case, answer) for case, answer in pairs if answer is not None and answer != case.answer]
    return len(changed), [answer for case, answer in changed if not caught(case, answer)]


def _line(kind: str, count: int, of: int, shown: list[str]) -> None:
    low, high = wilson(count, of)
    print(f"{kind:22} {count:4} of {of:4}  {count / of if of else 0:6.1%}  [{low:.1%}, {high:.1%}]")
    for text in shown:
        print(f"    {text}")


if __name__ == "__main__":
    main()
