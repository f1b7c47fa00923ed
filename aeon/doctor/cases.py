"""Labelled cases for judgments: those that are shipped, and a user's own from a file of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from pydantic import Field, ValidationError

from aeon.errors import InputFileError
from aeon.schema import Frozen, JsonObject, JsonValue, Plan, Step, Task, ToolLoop, ToolUse
from aeon.settings.files import content
from aeon.supervisor.judge_specs import JudgmentSpec, judgments
from aeon.supervisor.judge_support import SUPPORT, CitedText, Claimed
from aeon.supervisor.judge_verdict import RESULTS
from aeon.supervisor.prompt import places

__all__ = ["Case", "cases_of", "read_cases", "shipped_cases"]

_OPTIONAL = ("problems", "recomputed")
_SHIPPED = "cases.jsonl"
_VERDICTS = (RESULTS, SUPPORT)
"""Judgments that are a structured verdict; the others are questions of yes or no."""


class _Use(Frozen):
    """A tool call of a case."""

    tool: str
    arguments: JsonObject = Field(default_factory=dict)
    output: JsonValue = None


class _Cited(Frozen):
    """What a sentence of a case cites of one source."""

    title: str = ""
    sentences: tuple[str, ...] = ()


class _Line(Frozen):
    """What every case has, and what one of a structured verdict has beside it: tool calls, or what is cited."""

    judgment: str
    label: bool
    task: str = ""
    answer: str = ""
    calls: tuple[_Use, ...] = ()
    cites: tuple[_Cited, ...] = ()


class Case(Frozen):
    """A case of a judgment with the right answer.

    It has the ``material`` of a yes or no, a ``plan`` that was worked on, or a sentence that was ``claimed``.
    """

    judgment: str
    label: bool
    task: Task
    material: dict[str, str] = Field(default_factory=dict)
    plan: Plan | None = None
    claimed: Claimed | None = None


def shipped_cases() -> tuple[Case, ...]:
    """The cases of our own, in several languages."""
    return cases_of(resources.files("aeon.doctor").joinpath(_SHIPPED).read_text(encoding="utf-8"), _SHIPPED)


def read_cases(path: str) -> tuple[Case, ...]:
    """The cases of a file: a JSON object a line, with ``judgment``, ``label`` and what the judgment is shown.

    A file that is named after a judgment need not name it in each line.

    Raises:
        InputFileError: it cannot be read, or a line is no case; the text says which and why.
    """
    stem = Path(path).stem
    try:
        text = content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputFileError(f"{path}: is no text in UTF-8") from None
    return cases_of(text, path, stem if stem in judgments() or stem in _VERDICTS else "")


def cases_of(text: str, where: str, named: str = "") -> tuple[Case, ...]:
    """The cases of a text. Raises as `read_cases` does."""
    found = tuple(
        _case(line, f"{where}: line {number}", named)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip()
    )
    if not found:
        raise InputFileError(f"{where}: holds no cases; put a JSON object in each line")
    return found


def _case(line: str, where: str, named: str) -> Case:
    try:
        loaded = json.loads(line)
    except (ValueError, RecursionError):
        raise InputFileError(f"{where}: is no JSON") from None
    if not isinstance(loaded, dict):
        raise InputFileError(f"{where}: is no JSON object")
    fields = {"judgment": named, **loaded} if named else loaded
    known = {name: value for name, value in fields.items() if name in _Line.model_fields and name != "task"}
    try:
        shape = _Line.model_validate(known | {"task": _written(fields.get("task", ""))})
    except ValidationError as error:
        fault = error.errors()[0]
        raise InputFileError(f"{where}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
    if shape.judgment in _VERDICTS:
        return _verdict(shape, where)
    return _question(shape, fields, where)


def _question(shape: _Line, fields: Mapping[str, JsonValue], where: str) -> Case:
    spec = judgments().get(shape.judgment)
    if spec is None:
        names = ", ".join([*_VERDICTS, *judgments()])
        raise InputFileError(f"{where}: no judgment is called {shape.judgment!r}; use one of {names}")
    material = dict.fromkeys(_OPTIONAL, "") | {name: _written(value) for name, value in fields.items()}
    needed = _names(spec)
    asked = {*needed, *(("task",) if spec.briefed else ())} - {*_OPTIONAL}
    if missing := sorted(name for name in asked if not material.get(name, "").strip()):
        raise InputFileError(f"{where}: {', '.join(missing)}: missing; a case of {spec.name} needs it")
    shown = {name: material[name] for name in needed}
    return Case(judgment=spec.name, label=shape.label, task=Task(text=shape.task.strip() or "-"), material=shown)


def _names(spec: JudgmentSpec) -> list[str]:
    """The values that the judgment's material names."""
    return list(dict.fromkeys(places(spec.material)))


def _verdict(shape: _Line, where: str) -> Case:
    missing = [name for name in ("task", "answer") if not getattr(shape, name).strip()]
    if shape.judgment == SUPPORT and not any(one.sentences for one in shape.cites):
        missing.append("cites")
    if missing:
        raise InputFileError(f"{where}: {', '.join(missing)}: missing; a case of {shape.judgment} needs it")
    if shape.judgment == RESULTS:
        return _answer(shape)
    cites = tuple(CitedText(one.title, one.sentences) for one in shape.cites)
    return Case(judgment=SUPPORT, label=shape.label, task=Task(text=shape.task), claimed=Claimed(shape.answer, cites))


def _answer(shape: _Line) -> Case:
    """The case of an answer to which tools were called."""
    uses = tuple(
        ToolUse(id=f"s1.{number}", tool=one.tool, arguments=one.arguments, output=one.output)
        for number, one in enumerate(shape.calls, 1)
    )
    step = Step(
        id="s1", description=shape.task, action=ToolLoop(), status="complete", mode="tools", output=shape.answer,
        uses=uses, cites=tuple(use.id for use in uses),
    )  # fmt: skip
    return Case(judgment=RESULTS, label=shape.label, task=Task(text=shape.task), plan=Plan(steps=(step,)))


def _written(value: JsonValue) -> str:
    """A list as numbered lines, anything else as it is."""
    if isinstance(value, list | tuple):
        return "\n".join(f"{number}. {one}" for number, one in enumerate(value, 1))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
