"""How long the supervisor takes over text made to be slow: seconds at a quarter, half and all of the longest text.

python scripts/bench/hostile.py [--largest N]

Time that grows with the text doubles from one column to the next: a last ratio near 2 is linear, near 4 quadratic.
The slowest come first.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from aeon.errors import Malformed
from aeon.supervisor.extract import MAX_TEXT, without_thoughts
from aeon.supervisor.prompt import clean, cut
from aeon.supervisor.repair import parse

REPEATED = {
    "thoughts": ("", "<think></think>", ""),
    "opened thoughts": ("", "<think>", ""),
    "closing tags, one a line": ("", "</think>\n", ""),
    "objects before a closing tag": ("", '{"a": </think>', ""),
    "one object again and again": ("", '{"a":1}', ""),
    "json fences": ("", "```json\n", ""),
    "json fences without an object": ("", "```json\nno\n", ""),
    "fences": ("", "\n```", ""),
    "blank lines": ("", "\t \t \t \n", ""),
    "fences in a text": ('{"a":"', "\\n```json\\n", '"}'),
    "opened objects": ("", "{ ", ""),
    "object starts without an end": ("", "{a ", ""),
    "one long word": ("{", "a", ""),
    "spaces after a word": ("{a", " ", ""),
    "backslashes": ('{"a":"', "\\", ""),
    "quotes": ("{", '"', "}"),
    "escaped quotes, mended": ('{"a":"', '\\"', '",}'),
    "single quotes": ("{", "'a", "}"),
    "typographic texts": ("{“a”:[", "“b”,", "]}"),
    "commas": ("{a:", ",", "}"),
    "colons": ("{a:", "b:", "}"),
    "parentheses": ('{"a":', "(", "}"),
    "comments": ("{a:1 ", "/*x*/", "}"),
    "line breaks in a text": ('{"a":"', "\n", '"}'),
    "objects without commas": ('{"a":[', "{}", "]}"),
    "objects with bare keys": ('{"a":[', "{b:1},", "]}"),
    "one number": ('{"a":0.', "3", ",}"),
    "numbers": ('{"a":[', "1,", "1]}"),
}


def numbered(form: str, size: int) -> str:
    """About ``size`` characters of ``form`` with 0, 1, 2 … put into it."""
    return "".join(form % number for number in range(size // (len(form) + 3)))


def texts(size: int) -> dict[str, str]:
    """The texts, each of at most ``size`` characters."""
    made = {
        name: start + unit * ((size - len(start) - len(end)) // len(unit)) + end
        for name, (start, unit, end) in REPEATED.items()
    }
    keys = numbered('"k%d":1,', size - 40)
    return made | {
        "different objects": numbered('{"a":%d}', size),
        "fenced objects": numbered('```json\n{"a":%d}\n```\n', size),
        "keys, the last one twice": "{" + keys + keys[keys.rindex('"k') : -1] + "}",
    }


def values(size: int) -> dict[str, tuple[str, dict[str, Any]]]:
    """Texts of values, each with the schema that it is slow to hold against."""
    mixed = [number if number % 2 else str(number) for number in range(size // 9)]
    number = {"type": "integer"}
    node: dict[str, Any] = {"properties": {"x": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"type": "null"}]}}}
    deep = min(60, size // 4_000)
    return {
        "different items": (json.dumps(mixed), {"uniqueItems": True}),
        "numbers of one hash": (json.dumps([n * (2**61 - 1) for n in range(size // 26)]), {"uniqueItems": True}),
        "items of neither kind": ("[" + "1," * (size // 2 - 2) + "1]", {"anyOf": [{"items": {"type": "string"}}] * 2}),
        "valid items": ("[" + "1," * (size // 2 - 2) + "1]", {"items": number}),
        "two ways at each level": ('{"x":' * deep + "1" + "}" * deep, node | {"type": "object"}),
        "unevaluated items": ("[" + "1," * (size // 2 - 2) + "1]", {"unevaluatedItems": number}),
    }


def seconds(work: Callable[[], object]) -> float:
    """The least time of three that ``work`` takes, failures included."""
    spent = []
    for _ in range(3):
        began = time.perf_counter()
        with suppress(Malformed):
            work()
        spent.append(time.perf_counter() - began)
    return min(spent)


def works(size: int) -> dict[str, Callable[[], object]]:
    """Everything that is timed, by name."""
    made: dict[str, Callable[[], object]] = {}
    for name, text in texts(size).items():
        made[name] = lambda text=text: parse(text, {})
        made[f"{name}, as plain text"] = lambda text=text: clean(without_thoughts(text))
    for name, (text, schema) in values(size).items():
        made[f"{name}, by schema"] = lambda text=text, schema=schema: parse(text, schema)
    whole = "a" * (size * 250)
    made[f"{250 * MAX_TEXT // 10**6} MB at most"] = lambda: (cut(whole.strip(), 2_000), parse(whole, {}))
    return made


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=MAX_TEXT, help="characters of the longest text")
    largest = parser.parse_args().largest
    columns = [
        {name: seconds(work) for name, work in works(size).items()} for size in (largest // 4, largest // 2, largest)
    ]
    print(f"{'characters':44} {largest // 4:9,} {largest // 2:9,} {largest:9,}   ratios")
    for name in sorted(columns[-1], key=columns[-1].__getitem__, reverse=True):
        quarter, half, whole = (column[name] for column in columns)
        ratios = f"{half / quarter:4.1f} {whole / half:4.1f}"
        print(f"{name:44} {quarter:9.4f} {half:9.4f} {whole:9.4f}   {ratios}")


if __name__ == "__main__":
    main()
