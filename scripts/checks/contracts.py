"""The folder ``contracts/``: JSON Schemas written from the models, and whether they are in step with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from scripts.checks.schemas import CONTRACTS, Contract, schema

__all__ = ["differences"]

FOLDER = "contracts"
INTRODUCTION = """# Contracts

These JSON Schemas (draft 2020-12) describe everything that crosses a boundary: what a program asks for, what may come
back, and what a run leaves behind. `scripts/contracts` writes them from the models, and the checks fail when a file
here differs from its model. Do not edit them by hand.

A handler answers one phase of an engine. It takes the phase's effect and returns the result that belongs to it. Test
your handlers against their contracts:

```python
import asyncio
from aeon.kernel.passes import MULTIPASS
from aeon.testing.contracts import check_handler

violations = asyncio.run(check_handler(MULTIPASS, "assess", my_handler))
assert not violations, violations
```

`check_handlers(engine, handlers)` checks all handlers of an engine at once, and that none is missing. Both work for an
engine of your own: sample effects and schemas follow from the engine. Where no sample follows from a schema (a field
with a pattern, say), pass an effect.

All engines of this package are here. Where two effects or results have one name, the file of the later engine's has its
package in its name, such as `effect-graph-reflect.json`.

Each handler gets several sample effects. What it returns must fit the schema, and for the multi-pass engine also make
sense: a plan has no cycle, an issue points at a step that exists, an assessment agrees with its scores. A handler that
cannot answer raises an `aeon.errors.AeonError`; any other exception is a violation.

| file | what it describes |
|---|---|
"""


def differences(root: Path) -> list[str]:
    """The contracts are the ones that the models make."""
    files = _files()
    folder = root / FOLDER
    there = {path.name: path.read_text() for path in folder.glob("*") if path.is_file()}
    problems = [f"{FOLDER}/{name}:1: is missing" for name in files.keys() - there.keys()]
    problems += [f"{FOLDER}/{name}:1: belongs to no model" for name in there.keys() - files.keys()]
    for name in files.keys() & there.keys():
        if files[name] != there[name]:
            problems.append(f"{FOLDER}/{name}:{_first_difference(files[name], there[name])}: differs from its model")
    return sorted(problems) + ["run scripts/contracts and commit what it writes"] * bool(problems)


def _files() -> dict[str, str]:
    """Every file of the folder, by name."""
    files = {f"{contract.name}.json": _text(contract) for contract in CONTRACTS}
    rows = "".join(f"| [{c.name}.json]({c.name}.json) | {c.description} |\n" for c in CONTRACTS)
    return files | {"README.md": INTRODUCTION + rows}


def _text(contract: Contract) -> str:
    return json.dumps(schema(contract), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def _first_difference(model: str, there: str) -> int:
    pairs = zip(model.splitlines(), there.splitlines(), strict=False)
    alike = next((number for number, (a, b) in enumerate(pairs, 1) if a != b), None)
    return alike or 1 + min(len(model.splitlines()), len(there.splitlines()))


def main(arguments: list[str]) -> int:
    """Write the folder; with ``--check`` only say what differs."""
    root = Path.cwd()
    if arguments not in ([], ["--check"]):
        print("usage: scripts/contracts [--check]", file=sys.stderr)
        return 2
    if arguments == ["--check"]:
        problems = differences(root)
        print("\n".join(problems) or "the contracts are in step with the models")
        return 1 if problems else 0
    files = _files()
    folder = root / FOLDER
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*"):
        if path.is_file() and path.name not in files:
            path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)
    print(f"wrote {len(files)} files to {FOLDER}/")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
