"""Fresh labelled cases for the judgments that decide something, from templates and a seed.

    python scripts/bench/fresh_cases.py FOLDER [--cases 150] [--seed 1]
    python scripts/bench/judgments.py FOLDER/development FOLDER/closing --forms probability [--fit --held-out closing]

It writes ``JUDGMENT.jsonl`` into the folders ``development`` and ``closing``, each with as many cases, half of them
true. The halves share no template, no name and no place: choose wordings, calibrations and cuts on the first one, and
take figures from the second one alone. Cases of one template are alike: intervals that take them for independent are
rather too narrow.

A line of ``templates/JUDGMENT.jsonl`` is a template. Its ``slots`` are drawn in order: two whole numbers are the ends
of a range, other lists are choices, ``@person`` is a name that the case has not used yet, and ``=n*7`` is computed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

from aeon.proof.expression import evaluate
from aeon.proof.numbers import plain

__all__ = ["HALVES", "JUDGMENTS", "cases", "main", "templates"]

Row = dict[str, Any]
Pattern = Callable[[Random], Row]
HALVES = ("development", "closing")
JUDGMENTS = ("evidence_supports", "task_vague", "completeness", "answers_question", "gives_answer")
TEMPLATES = Path(__file__).with_name("templates")
NAMES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "development": {
        "@person": ("Ines Moreau", "Tomas Beck", "Aiko Tanabe", "Jonah Reed", "Lena Fuchs", "Marek Pavel", "Ada Osei"),
        "@town": ("Ostheim", "Valmora", "Kirkby", "Lund", "Torrea", "Bellac", "Hallen"),
        "@firm": ("Norvik", "Halden & Sons", "Altamar", "Ferro Nord", "Greenline", "Quay Motors"),
    },
    "closing": {
        "@person": ("Rosa Lindt", "Pavel Orlov", "Mei Sato", "Colin Marsh", "Edda Krog", "Nuno Reis", "Zoe Abara"),
        "@town": ("Brannock", "Sallow", "Mirano", "Eskil", "Duvay", "Tarnow", "Welby"),
        "@firm": ("Astrel", "Corbin Brothers", "Lumeno", "Ostara", "Pellworm", "Rivermade"),
    },
}
_TRIES = 60


def templates(judgment: str, half: str) -> list[Row]:
    """The templates of a judgment that belong to a half."""
    lines = (TEMPLATES / f"{judgment}.jsonl").read_text(encoding="utf-8").splitlines()
    return [template for template in map(json.loads, lines) if template["half"] == half]


def cases(judgment: str, half: str, count: int, seed: int) -> list[Row]:
    """So many different cases, every other one true, each pattern in turn.

    Raises:
        ValueError: the templates do not give as many.
    """
    chance = Random(f"{seed} {judgment} {half}")
    sides = [islice(_drawn(judgment, half, label, chance), (count + label) // 2) for label in (True, False)]
    true, false = map(list, sides)
    if len(true) + len(false) < count:
        raise ValueError(f"{judgment}, {half}: there are {len(true)} true and {len(false)} false cases, not {count}")
    mixed = chance.sample([*true, *false], count)
    return [{"id": f"{number:03}", **case} for number, case in enumerate(mixed)]


def _drawn(judgment: str, half: str, label: bool, chance: Random) -> Iterator[Row]:
    """Different cases of a label, until a pattern after the other gives no new one."""
    made = [pattern for one in templates(judgment, half) for pattern in _patterns(one, label)]
    seen: set[str] = set()
    idle = 0
    for pattern in cycle(chance.sample(made, len(made))):
        fresh = (case for case in (pattern(chance) for _ in range(_TRIES)) if json.dumps(case) not in seen)
        if (case := next(fresh, None)) is not None:
            seen.add(json.dumps(case))
            yield case | {"label": label}
        idle = 0 if case is not None else idle + 1
        if idle == len(made):
            return


def _patterns(template: Row, label: bool) -> list[Pattern]:
    """What a template gives of a label: one pattern for each claim, question, question with its answer, or task."""
    if "evidence" in template:
        shapes: list[Row] = [{"claim": claim, "evidence": template["evidence"]} for claim in template[_key(label)]]
    elif "text" in template:
        shapes = [{**_asked(one), "text": template["text"]} for one in template[_key(label)]]
    elif "true" in template:
        shapes = [{"task": template["task"], "results": results} for results in template[_key(label)]]
    else:
        shapes = [{"task": template["task"]}] if template["label"] is label else []
    return [lambda chance, shape=shape: _filled(shape, _slots(template, chance)) for shape in shapes]


def _asked(one: str | Sequence[str]) -> Row:
    """A question, with its answer where the template has one."""
    return {"question": one} if isinstance(one, str) else dict(zip(("question", "answer"), one, strict=True))


def _key(label: bool) -> str:
    return "true" if label else "false"


def _slots(template: Row, chance: Random) -> dict[str, str]:
    """A value for each slot."""
    values: dict[str, str] = {}
    for name, spec in template["slots"].items():
        match spec:
            case [int(low), int(high)]:
                values[name] = str(chance.randint(low, high))
            case str() if spec in NAMES[template["half"]]:
                free = [one for one in NAMES[template["half"]][spec] if one not in values.values()]
                values[name] = chance.choice(free)
            case str():
                expression = re.sub(r"[a-z]\w*", lambda match: values[match[0]], spec.removeprefix("="))
                values[name] = str(plain(evaluate(expression)))
            case _:
                values[name] = chance.choice(spec)
    return values


def _filled(shape: Any, values: Mapping[str, str]) -> Any:  # noqa: ANN401 - any JSON
    """The shape with its slots filled; a result that is a number is one."""
    if isinstance(shape, dict):
        return {key: _filled(value, values) for key, value in shape.items()}
    if isinstance(shape, list):
        return [_number(_filled(value, values)) for value in shape]
    return shape.format_map(values)


def _number(value: Any) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(value) if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value) else value


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the cases of all judgments and both halves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=150, help="of each judgment and half")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    for half in HALVES:
        for judgment in JUDGMENTS:
            try:
                rows = cases(judgment, half, options.cases, options.seed)
            except ValueError as error:
                parser.error(f"{error}; ask for fewer with --cases")
            path = options.folder / half / f"{judgment}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
            print(f"{path}: {len(rows)} cases of {len(templates(judgment, half))} templates")
    return 0


if __name__ == "__main__":
    sys.exit(main())
