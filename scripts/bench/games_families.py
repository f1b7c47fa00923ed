"""Ten seeded families of proof games, each with decoys, and with variants that are false or cannot be decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from aeon.engines.tutor.statements import Before, Contains, Count, Exists, ImportsModule, Statement, ValueIs

Variant = Literal["true", "false", "undecidable"]
VARIANTS: tuple[Variant, ...] = ("true", "false", "undecidable")
BINARY = b"\x00\x01\x02 not text"
_WORDS = [
    "amber",
    "basil",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "hazel",
    "iris",
    "juniper",
    "kelp",
    "lotus",
    "maple",
    "nectar",
    "olive",
    "pepper",
]


@dataclass(frozen=True)
class Instance:
    """A question over a folder. ``proves`` says of the claims of an answer, as they were decided, if they prove it.

    ``expected`` and ``decoys`` are what the answer of a plain model must and must not hold; of what cannot be decided
    it must say so.
    """

    family: str
    variant: Variant
    question: str
    files: dict[str, bytes]
    proves: Callable[[Sequence[Statement]], bool]
    expected: tuple[str, ...] = ()
    decoys: tuple[str, ...] = ()
    parts: int = 1

    def is_part(self, claim: Statement) -> bool:
        """Whether a claim belongs to the proof; where nothing can be proved, whether it is what was asked."""
        if isinstance(claim, ImportsModule) and (self.parts > 1 or self.variant == "undecidable"):
            broken = b"broken(:" in self.files.get(claim.path, b"")
            named = claim.module in self.question and claim.path[:-3] in self.question
            return claim.polarity and named and (broken or self.variant == "true")
        return self._is_open(claim) if self.variant == "undecidable" else self.proves([claim])

    def _is_open(self, claim: Statement) -> bool:
        """Whether a claim is one that the binary file, or the clock that is not known, leaves open."""
        none = isinstance(claim, Count) and claim.n == 0 and (not claim.path or self.family == "log")
        return none or isinstance(claim, Before)


def _prose(chance: Random, lines: int) -> list[str]:
    return [f"The {chance.choice(_WORDS)} is near the {chance.choice(_WORDS)}." for _ in range(lines)]


def _file(lines: Sequence[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _names(chance: Random, count: int, folder: str, suffix: str) -> list[str]:
    return [f"{folder}{word}{suffix}" for word in chance.sample(_WORDS, count)]


def _with(lines: list[str], line: str, chance: Random) -> list[str]:
    at = chance.randrange(len(lines) + 1)
    return [*lines[:at], line, *lines[at:]]


def _none_left(text: str) -> Callable[[Sequence[Statement]], bool]:
    """Whether a claim says that no line of any file holds the text."""
    return lambda claims: any(
        isinstance(one, Count) and one.polarity and one.n == 0 and one.path == "" and text in one.text for one in claims
    )


def _never(claims: Sequence[Statement]) -> bool:
    return False


def _held(path: str, text: str) -> Callable[[Sequence[Statement]], bool]:
    return lambda claims: any(
        isinstance(one, Contains) and one.polarity and one.path == path and text in one.text for one in claims
    )


def _placed(chance: Random, variant: Variant, paths: list[str], line: str, decoys: Sequence[str]) -> dict[str, bytes]:
    """Files of prose of which one holds the line, and others the decoys."""
    texts = {path: _prose(chance, chance.randint(4, 9)) for path in paths}
    for path, decoy in zip(paths[1:], decoys, strict=False):
        texts[path] = _with(texts[path], decoy, chance)
    if variant == "true":
        texts[paths[0]] = _with(texts[paths[0]], line, chance)
    files = {path: _file(lines) for path, lines in texts.items()}
    return files | ({"archive.bin": BINARY} if variant == "undecidable" else {})


def needle(chance: Random, variant: Variant) -> Instance:
    """Which of the files holds a token."""
    token, paths = f"TK-{chance.randint(1000, 9999)}", _names(chance, 6, "notes/", ".txt")
    decoys = [f"The old token was {token[:-1]}X.", f"A token looks like TK-{chance.randint(100, 999)}."]
    files = _placed(chance, variant, paths, f"The token is {token} since May.", decoys)
    proves = {"true": _held(paths[0], token), "false": _none_left(token)}.get(variant, _never)
    question = f'Which file holds the token "{token}"?'
    return Instance("needle", variant, question, files, proves, (paths[0].split("/")[1],), tuple(paths[1:3]))


def totals(chance: Random, variant: Variant) -> Instance:
    """The total of a column over the rows of one region."""
    regions = ("North", "South", "East")
    rows = [(chance.choice(regions), chance.choice(_WORDS), chance.randint(5, 90)) for _ in range(14)]
    rows.append(("North", "amber", chance.randint(5, 90)))
    table = _file(["region,product,amount", *(f"{a},{b},{c}" for a, b, c in rows)])
    total = sum(amount for region, _, amount in rows if region == "North")
    other = _file(["region,product,amount", *(f"{a},{b},{c + 3}" for a, b, c in rows)])
    files = {"sales.csv": BINARY if variant == "undecidable" else table, "plan.csv": other}
    asked = f"{total + 10}" if variant == "false" else ""
    question = "What is the total amount of the region North in sales.csv?"
    if asked:
        question = f"Is the total amount of the region North in sales.csv {asked}?"

    def proves(claims: Sequence[Statement]) -> bool:
        return variant != "undecidable" and any(
            isinstance(one, ValueIs) and one.polarity and one.table == "sales" and one.aggregate == "sum"
            and one.equals == "North" and one.value == total for one in claims
        )  # fmt: skip

    expected = ("no",) if variant == "false" else (str(total),)
    return Instance("totals", variant, question, files, proves, expected)


def config(chance: Random, variant: Variant) -> Instance:
    """Which file sets a value that no other sets."""
    paths, key = _names(chance, 5, "conf/", ".ini"), chance.choice(("timeout", "retries", "workers"))
    good, bad = chance.sample(range(10, 90), 2)
    values = {path: bad if path == paths[0] and variant == "true" else good for path in paths}
    files = {
        path: _file([f"[{path.split('/')[1][:-4]}]", f"max_{key}s = {bad}", f"{key} = {value}", "debug = false"])
        for path, value in values.items()
    }
    if variant == "undecidable":
        files[paths[0]] = BINARY
    question = f'Every file in conf sets "{key} = {good}", but one may set "{key} = {bad}". Which one?'
    proves = {"true": _held(paths[0], f"{key} = {bad}"), "false": _none_left(f"{key} = {bad}")}.get(variant, _never)
    return Instance("config", variant, question, files, proves, (paths[0].split("/")[1],), tuple(paths[1:]))


def imports(chance: Random, variant: Variant) -> Instance:
    """Which file really imports a module."""
    paths, module = _names(chance, 5, "app/", ".py"), f"legacy_{chance.choice(('auth', 'mail', 'cache'))}"
    sources = {
        path: ["import json", "", f"def run_{n}():", "    return json.dumps({})"] for n, path in enumerate(paths)
    }
    sources[paths[1]].insert(0, f"# {module} was removed here")
    sources[paths[2]].append(f'NAME = "{module}"')
    if variant == "true":
        sources[paths[0]].insert(1, f"    from {module} import login".strip())
    if variant == "undecidable":
        sources[paths[0]].append("def broken(:")
    asked = f"Which file imports the module {module}?" if variant == "true" else f"Does {paths[0]} import {module}?"

    def proves(claims: Sequence[Statement]) -> bool:
        return variant != "undecidable" and any(
            isinstance(one, ImportsModule) and one.path == paths[0] and one.module == module
            and one.polarity == (variant == "true") for one in claims
        )  # fmt: skip

    files = {path: _file(lines) for path, lines in sources.items()}
    expected = (paths[0].split("/")[1],) if variant == "true" else ("no",)
    return Instance("imports", variant, asked, files, proves, expected, tuple(paths[1:3]) if variant == "true" else ())


def log(chance: Random, variant: Variant) -> Instance:
    """How many lines of one log have a status."""
    status, count = f"status={chance.choice((502, 503, 429))}", chance.randint(3, 11)
    count = 0 if variant == "false" else count
    lines = [f"req={n} {status if n < count else 'status=200'} ms={chance.randint(1, 99)}" for n in range(count + 9)]
    chance.shuffle(lines)
    others = [f"req={n} {status} ms=7" for n in range(4)]
    files = {"gateway.log": BINARY if variant == "undecidable" else _file(lines), "worker.log": _file(others)}

    def proves(claims: Sequence[Statement]) -> bool:
        return variant != "undecidable" and any(
            isinstance(one, Count) and one.polarity and one.path == "gateway.log" and one.text == status
            and one.n == count for one in claims
        )  # fmt: skip

    return Instance("log", variant, f"How many lines of gateway.log have {status}?", files, proves, (str(count),))


def clues(chance: Random, variant: Variant) -> Instance:
    """A code that a first file says where to find."""
    target, other, colour = *_names(chance, 2, "vault/", ".txt"), chance.choice(("BLUE", "GREEN", "RED"))
    code = f"{colour} {chance.randint(1000, 9999)}"
    rest = [f"{one} {chance.randint(1000, 9999)}" for one in ("BLUE", "GREEN", "RED") if one != colour]
    lines = [*rest, code]
    chance.shuffle(lines)
    files = {
        "clue.txt": _file(["Welcome.", f"The code is in {target} on the line with {colour}.", "Good luck."]),
        other: _file([f"{colour} {chance.randint(1000, 9999)}", *rest]),
    }
    if variant != "false":
        files[target] = BINARY if variant == "undecidable" else _file(lines)

    def gone(claims: Sequence[Statement]) -> bool:
        return any(isinstance(one, Exists) and not one.polarity and one.path == target for one in claims)

    proves = {"true": _held(target, code), "false": gone}.get(variant, _never)
    return Instance("clues", variant, "What is the code? Begin with clue.txt.", files, proves, (code[-4:],))


def crash(chance: Random, variant: Variant) -> Instance:
    """The last frame of the traceback that ended a program; an earlier one was handled."""
    origin, handled, middle = _names(chance, 3, "", ".py")
    number = chance.randint(10, 99)
    early = [
        "INFO start", "Traceback (most recent call last):", '  File "main.py", line 4, in start',
        f'  File "{handled}", line {chance.randint(10, 99)}, in fetch', "TimeoutError: slow", "INFO recovered",
    ]  # fmt: skip
    last = [
        "Traceback (most recent call last):", '  File "main.py", line 9, in run',
        f'  File "{middle}", line {chance.randint(10, 99)}, in work', f'  File "{origin}", line {number}, in parse',
        "ValueError: no number", "FATAL the program ended",
    ]  # fmt: skip
    lines = ["INFO start", "INFO done"] if variant == "false" else [*early, *last]
    files = {"app.log": BINARY if variant == "undecidable" else _file(lines), "readme.txt": _file(_prose(chance, 3))}
    proves = {"true": _held("app.log", origin), "false": _no_traceback}.get(variant, _never)
    question = 'In app.log the last "Traceback" ended the program. Which line of app.log names where it was raised?'
    return Instance("crash", variant, question, files, proves, (origin,), (f"is {handled}",))


def _no_traceback(claims: Sequence[Statement]) -> bool:
    return any(isinstance(one, Count) and one.polarity and one.n == 0 and one.text == "Traceback" for one in claims)


def identity(chance: Random, variant: Variant) -> Instance:
    """Which file compares a number by ``is``."""
    paths, number = _names(chance, 5, "lib/", ".py"), chance.choice((1000, 4096, 8192))
    sources = {path: [f"def check_{n}(limit):", f"    return limit == {number}"] for n, path in enumerate(paths)}
    sources[paths[1]] = ["def check(limit):", "    return limit is None", f"# it is not {number}"]
    if variant == "true":
        sources[paths[0]][1] = f"    return limit is {number}"
    files = {path: _file(lines) for path, lines in sources.items()}
    if variant == "undecidable":
        files[paths[0]] = BINARY
    proves = {"true": _held(paths[0], f"is {number}"), "false": _none_left(f"is {number}")}.get(variant, _never)
    question = f'Which file compares with "is {number}" where it should use "=="?'
    return Instance("identity", variant, question, files, proves, (paths[0].split("/")[1],), tuple(paths[1:]))


def cycle(chance: Random, variant: Variant) -> Instance:
    """Whether two modules import each other."""
    first, second, third, other = chance.sample(_WORDS, 4)
    imported = {first: [second, third], second: [other], third: [first], other: [third]}
    imported[second] += [first] if variant == "true" else []
    files = {f"{name}.py": _file([*(f"import {one}" for one in names), ""]) for name, names in imported.items()}
    if variant == "undecidable":
        files[f"{second}.py"] += b"def broken(:\n"

    def proves(claims: Sequence[Statement]) -> bool:
        edges = {(one.path, one.module): one.polarity for one in claims if isinstance(one, ImportsModule)}
        back = edges.get((f"{second}.py", first))
        return back is False if variant == "false" else bool(back and edges.get((f"{first}.py", second)))

    question = f"Do the modules {first} and {second} import each other?"
    said, parts = ("yes", 2) if variant == "true" else ("no", 1)
    return Instance("cycle", variant, question, files, proves, (said,), parts=parts)


def skew(chance: Random, variant: Variant) -> Instance:
    """Which of two events in logs with different clocks came first."""
    start, gap, fast = chance.randint(1000, 40_000), chance.randint(5, 50), chance.randint(100, 900)
    true = {"web.log": start, "db.log": start + gap, "job.log": start + 2 * gap}
    clocks = {"web.log": fast, "db.log": 0, "job.log": -fast}
    texts = {"web.log": "cache cleared", "db.log": "index rebuilt", "job.log": "report sent"}
    files = {}
    for path, at in true.items():
        times = [at + clocks[path] - 60, at + clocks[path], at + clocks[path] + 60]
        lines = [f"clock: {clocks[path]:+d} s", *map(_stamped, times, ("started", texts[path], "stopped"))]
        files[path] = _file(lines[1:] if variant == "undecidable" and path == "db.log" else lines)
    one, other = ("web.log", "db.log") if variant != "false" else ("db.log", "web.log")
    question = f'Did "{texts[one]}" in {one} come before "{texts[other]}" in {other}? The clocks of the logs differ.'

    def proves(claims: Sequence[Statement]) -> bool:
        ordered = [
            one.polarity == (one.first.text == texts["web.log"] and one.second.text == texts["db.log"])
            for one in claims
            if isinstance(one, Before) and {one.first.path, one.second.path} == {"web.log", "db.log"}
        ]
        return variant != "undecidable" and any(ordered)

    return Instance("skew", variant, question, files, proves, ("yes" if variant == "true" else "no",))


def _stamped(seconds: int, text: str) -> str:
    return f"2026-03-01 {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d} {text}"


FAMILIES = {
    made.__name__: made
    for made in (needle, totals, config, imports, log, clues, crash, identity, cycle, skew)
}  # fmt: skip


def instance(family: str, variant: Variant, seed: int) -> Instance:
    """The instance of this family, variant and seed."""
    return FAMILIES[family](Random(f"{family}:{variant}:{seed}"), variant)
