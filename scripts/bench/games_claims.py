"""Adversarial claims about folders, judged by the tutor and held against a second reading of the same files."""

from __future__ import annotations

import ast
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pydantic import TypeAdapter

from aeon.documents.folder import Folder
from aeon.engines.tutor.actions import Action, CountLines, Imports, ListFiles, Observation, ReadLines, Search, arguments
from aeon.engines.tutor.checking import Checker
from aeon.engines.tutor.game import DECIDED
from aeon.engines.tutor.looks import Seen
from aeon.engines.tutor.quantities import Constant, CountOf, Tables, ValueOf
from aeon.engines.tutor.statements import (
    Before,
    Contains,
    Count,
    Equals,
    Event,
    Exists,
    Implies,
    ImportsModule,
    Statement,
    ValueIs,
)
from aeon.errors import ToolError
from aeon.tools.database import Database
from aeon.tools.look import look
from aeon.tools.measuring import kinds_of
from scripts.bench.games_tables import holds, queries, table_claims, tables_in, tables_of

_OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)
_PATHS = ("a.txt", "b/a.txt", "b/c.log", "d.log", "e.py", "f.py", "big.bin", "ghost.txt", "../out.txt", ".hidden")
_TEXTS = ("alpha", "alph", "beta", "Beta", "alpha beta", "x", "clock:", "started", "stopped", "", "a\nb", "import")
OF_TABLES = 15
"""Of 50 claims so many are about tables."""
_MODULES = ("e", "f", "json", "b.c", "not a module")


def folder_of(chance: Random) -> dict[str, bytes]:
    """A small folder: texts, logs with clocks, modules, a binary file, long lines."""
    words = ("alpha", "beta", "Beta", "alpha beta", "gamma", "x" * 500 + "alpha", "")
    files: dict[str, bytes] = {}
    for path in ("a.txt", "b/a.txt"):
        lines = [chance.choice(words) for _ in range(chance.choice((0, 1, 5, 60)))]
        files[path] = "\n".join(lines).encode()
    for path in ("b/c.log", "d.log"):
        lines = [f"clock: {chance.choice((-30, 0, 45)):+d} s"] * chance.choice((0, 1, 1, 2))
        events = ["started", "stopped", chance.choice(("started", "alpha"))]
        lines += [f"2026-03-01 10:00:{chance.randint(10, 59)} {event}" for event in events]
        files[path] = "\n".join(lines).encode()
    sources = ("import json\n", "from f import x\n", "def f():\n    import e\n", "# import e\n", "import (\n")
    files |= {path: "".join(chance.sample(sources, 2)).encode() for path in ("e.py", "f.py")}
    return files | ({"big.bin": b"alpha\x00"} if chance.random() < 0.5 else {})


def seen_in(folder: Folder, actions: Sequence[Action], database: Database | None = None) -> list[Seen]:
    """What these looks show, those that can be taken."""
    tool = look(folder, database)
    seen: list[Seen] = []
    for number, action in enumerate(actions, 1):
        prepared = tool.prepare(arguments(action)) if tool.prepare else arguments(action)
        try:
            seen.append(Seen(number, action, _OBSERVATION.validate_python(tool.call(**prepared))))
        except ToolError:
            continue
    return seen


def actions(chance: Random, most: int) -> list[Action]:
    """Looks at random, some at what is not there."""
    paths, texts = ("", *_PATHS), [text for text in _TEXTS if text]
    makers = (
        lambda: ListFiles(path=chance.choice(("", "b/", "z"))),
        lambda: ReadLines(path=chance.choice(_PATHS), start=chance.choice((1, 1, 3, 50))),
        lambda: Search(text=chance.choice(texts), path=chance.choice(paths)),
        lambda: CountLines(text=chance.choice(texts), path=chance.choice(paths)),
        lambda: Imports(path=chance.choice(("", "e.py", "f.py"))),
    )
    return [chance.choice(makers)() for _ in range(chance.randint(0, most))]


def claims(chance: Random, count: int) -> Iterator[Statement]:
    """Claims at random: true, false, about what was not seen, ill-typed; each in both polarities."""
    for _ in range(count):
        text, path, sign = chance.choice(_TEXTS) or "\n", chance.choice(_PATHS), chance.random() < 0.5
        line, n = chance.choice((None, 1, 3, 60)), chance.choice((0, 1, 2, 5, -1))
        logs = [Event(path=chance.choice(("b/c.log", "d.log")), text=chance.choice(_TEXTS) or "x") for _ in range(2)]
        yield chance.choice((
            Exists(path=path, polarity=sign),
            Contains(path=path, text=text, line=line, polarity=sign),
            Contains(path=path, text=text, polarity=sign),
            Count(text=text, path=chance.choice(("", path)), n=n, polarity=sign),
            ImportsModule(path=path, module=chance.choice(_MODULES), polarity=sign),
            Before(first=logs[0], second=logs[1], polarity=sign),
            Equals(left=CountOf(text=text, path=path), right=Constant(value=float(n)), polarity=sign),
            Equals(left=CountOf(text=text), right=CountOf(text="alpha"), polarity=sign),
            Implies(premise=chance.randint(1, 4), conclusion=chance.randint(1, 4), polarity=sign),
        ))  # fmt: skip


def truth(statement: Statement, files: Mapping[str, bytes], named: Mapping[int, Statement]) -> bool | None:
    """Whether a statement holds of the files, read in the plainest way; ``None`` where that is not defined."""
    held = _affirmed(statement, files, named)
    return None if held is None else held == statement.polarity


def _affirmed(statement: Statement, files: Mapping[str, bytes], named: Mapping[int, Statement]) -> bool | None:
    match statement:
        case Exists(path=path):
            return path in files
        case Contains():
            return _contains(statement, files)
        case ImportsModule(path=path, module=module):
            return _imports(files, path, module)
        case Before():
            return _before(statement, files)
        case Implies():
            return _implies(statement, files, named)
        case Count(text=text, path=path, n=n):
            return _same(_count(files, text, path), n)
        case ValueIs() | Equals():
            return holds(statement, files)
    raise TypeError(statement)


def _same(one: float | None, other: float | None) -> bool | None:
    return None if one is None or other is None else one == other


def _contains(claim: Contains, files: Mapping[str, bytes]) -> bool | None:
    lines = _lines(files, claim.path)
    return None if lines is None else any(claim.text in said for n, said in lines if claim.line in (None, n))


def _implies(claim: Implies, files: Mapping[str, bytes], named: Mapping[int, Statement]) -> bool | None:
    first, then = (truth(named[number], files, named) for number in (claim.premise, claim.conclusion))
    if first is False or then is True:
        return True
    return None if None in (first, then) else False


def _before(claim: Before, files: Mapping[str, bytes]) -> bool | None:
    apart = claim.first.path != claim.second.path
    one, other = _when(files, claim.first, apart), _when(files, claim.second, apart)
    return None if one is None or other is None or one == other else one < other


def _lines(files: Mapping[str, bytes], path: str) -> list[tuple[int, str]] | None:
    content = files.get(path, b"")
    return None if b"\x00" in content else list(enumerate(content.decode().split("\n"), 1))


def _count(files: Mapping[str, bytes], text: str, path: str) -> int | None:
    every = [_lines(files, name) for name in files if path in ("", name)]
    return None if None in every else sum(text in line for lines in every for _, line in lines or ())


def _imports(files: Mapping[str, bytes], path: str, module: str) -> bool | None:
    if path not in files:
        return None
    try:
        tree = ast.parse(files[path].decode())
    except SyntaxError:
        return None
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return module in plain | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


def _when(files: Mapping[str, bytes], event: Event, apart: bool) -> float | None:
    """The second of the minute of the one line with this text, by the clock that its log states, if that matters."""
    lines = _with(files, event.path, event.text)
    if len(lines) != 1 or not lines[0].startswith("2026-03-01 10:00:"):
        return None
    stated = _with(files, event.path, "clock:") if apart else ["clock: +0 s"]
    return int(lines[0][17:19]) - int(stated[0].split()[1]) if len(stated) == 1 else None


def _with(files: Mapping[str, bytes], path: str, text: str) -> list[str]:
    return [line for _, line in _lines(files, path) or () if text in line]


@dataclass(frozen=True)
class Trial:
    """A folder, what was seen of it, the claims that others name by number, those that are judged, and looks tried."""

    files: Mapping[str, bytes]
    seen: Sequence[Seen]
    named: Mapping[int, Statement]
    tables: Tables
    claims: Sequence[Statement]
    tried: Sequence[Action]

    def verdict(self, claim: Statement) -> str:
        """What the tutor says of a claim."""
        return Checker(self.seen, self.named, self.tables).rule(claim).verdict

    def errs(self, claim: Statement, verdict: str) -> bool:
        """Whether a verdict is false by the second reading."""
        return verdict in DECIDED and truth(claim, self.files, self.named) != (verdict == "proved")


def trial(chance: Random, of_files: int, of_tables: int) -> Trial:
    """A folder with texts and tables, looks at it, and so many claims about each."""
    files = folder_of(chance) | tables_of(chance)
    about = table_claims(chance, files, of_tables + 2)
    with tempfile.TemporaryDirectory(prefix="claims-") as name:
        for path, content in files.items():
            (Path(name) / path).parent.mkdir(exist_ok=True)
            (Path(name) / path).write_bytes(content)
        folder = Folder.open(name)
        database = Database.load(folder, tables_in(files))
        tried = [*actions(chance, 14), *queries(chance, about)]
        tried = [one for one in tried if seen_in(folder, [one], database)]  # some tables are not plain enough
        seen = seen_in(folder, tried, database)
    named = dict(enumerate([*islice_plain(claims(chance, 40)), *about[:2]][-4:], 1))
    tables = {one.name: kinds_of(one) for one in database.tables}
    return Trial(files, seen, named, tables, [*claims(chance, of_files), *about[2:]], tried)


def adversarial(count: int, seed: int = 0) -> str:
    """Judge so many claims, three of ten about tables: the verdicts by the kind of claim, and how many are false."""
    verdicts: Counter[tuple[str, str]] = Counter()
    false: list[str] = []
    per_folder = 50
    for number in range((count + per_folder - 1) // per_folder):
        one = trial(Random(f"{seed}:{number}"), per_folder - OF_TABLES, OF_TABLES)
        for claim in one.claims:
            verdict = one.verdict(claim)
            verdicts[_kind(claim), verdict] += 1
            if one.errs(claim, verdict):
                false.append(f"{verdict}: {claim}")
    kinds = sorted({kind for kind, _ in verdicts})
    lines = [_counted(kind, {said: n for (of, said), n in verdicts.items() if of == kind}) for kind in kinds]
    whole = sum((Counter({said: n}) for (_, said), n in verdicts.items()), Counter[str]())
    return "\n".join([*lines, f"{_counted('all', whole)}; false verdicts: {len(false)}", *false[:5]])


def _kind(claim: Statement) -> str:
    """The kind of a claim; one that compares aggregates of tables is a kind of its own."""
    of_tables = isinstance(claim, Equals) and any(isinstance(term, ValueOf) for term in claim.sides)
    return "equals, of tables" if of_tables else claim.type


def _counted(kind: str, verdicts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{verdict} {times}" for verdict, times in sorted(verdicts.items()))
    return f"{kind}: {sum(verdicts.values())} claims: {shown}"


def islice_plain(every: Iterator[Statement]) -> list[Statement]:
    """The first four claims that an implication may name."""
    plain = [one for one in every if not isinstance(one, Implies) and not one.fault({})]
    return plain[:4]
