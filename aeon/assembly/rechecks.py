"""What the verifier of proofs leaves to Aeon: other files than plain text, questions to tables, runs made again."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from aeon.assembly.proofs import proof_of
from aeon.assembly.runs import replay
from aeon.documents import readers
from aeon.errors import ToolError
from aeon.proof.document import ProofSource, proof_bytes
from aeon.proof.places import Host
from aeon.runtime.journal import Journal
from aeon.schema import JsonValue
from aeon.tools.files import Files
from aeon.tools.tool import Tool

__all__ = ["host"]

_MOST_BYTES = 2**20
"""Bytes of JSON that a tool of the loop gives when it is asked again: more than any run shows."""


def host() -> Host:
    """What this installation can do, with the extras that it has; it reads a folder once, as it is now."""
    return Host(_extract, partial(_again, lru_cache(maxsize=1)(_tools)), _remade)


def _extract(path: Path) -> str:
    return readers.read(path, path.name).text


def _again(tools: Callable[[Path], tuple[Tool, ...]], folder: Path, step: Mapping[str, Any]) -> str:
    """What is wrong with a step: a tool over the folder, that of the loop or that of programs, must give its output."""
    arguments, output = json.loads(step["arguments"]), json.loads(step["output"])
    failed: ToolError | None = None
    for tool in tools(folder):
        if tool.name == step["tool"]:
            try:
                given = json.loads(json.dumps(tool.call(**arguments)))
            except ToolError as error:
                failed = error
                continue
            if _is_same(output, given):
                return "" if _tables(tool, arguments) == step["tables"] else "reads its tables in another way"
            failed = None
    if failed is not None:
        raise failed
    return "gives something else"


def _tables(tool: Tool, arguments: dict[str, Any]) -> JsonValue:
    """How the tables are read that a call asks, as a proof has it."""
    read = tool.tables_read(arguments) if tool.tables_read is not None else ()
    tables: JsonValue = json.loads(json.dumps([one.fields() for one in read]))
    return tables


def _tools(folder: Path) -> tuple[Tool, ...]:
    files = Files.open(folder)
    return (*files.loop_tools_within(_MOST_BYTES), *files.tools)


def _is_same(output: JsonValue, given: JsonValue) -> bool:
    """Whether a tool gave this: of rows in whatever order as many as were shown, of a text its first sentences."""
    match output, given:
        case {"columns": columns, "rows": list(rows), "total": total}, {"rows": list(every)}:
            missing = Counter(map(json.dumps, rows)) - Counter(map(json.dumps, every))
            return (columns, total) == (given["columns"], given["total"]) and not missing  # type: ignore[index, call-overload]
        case {"parts": list(parts)}, {"parts": list(every)}:
            return _sentences(parts) <= _sentences(every)
        case list(), list():
            return Counter(map(json.dumps, output)) == Counter(map(json.dumps, given))
    return output == given


def _sentences(parts: list[JsonValue]) -> set[str]:
    """The sentences of an output of ``read``, each with its text and its place."""
    return {
        json.dumps([part["source"], *one[:3]])  # type: ignore[index, call-overload, misc]
        for part in parts
        for one in part["sentences"]  # type: ignore[index, call-overload, union-attr]
    }


def _remade(lines: bytes, document: Mapping[str, Any]) -> bytes:
    """The proof that a saved run gives; the texts of its sources are those of the proof that is verified.

    Raises:
        AeonError: the run cannot be replayed here, or rests on texts that are not those.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        path.write_bytes(lines)
        texts = {one["id"]: _source(one) for one in document["sources"]}
        return proof_bytes(proof_of(replay(Journal.read(path)), (), path, texts=texts))


def _source(record: Mapping[str, Any]) -> ProofSource:
    named = {name: record[name] for name in ProofSource.model_fields if name != "read"}
    return ProofSource(**named)
