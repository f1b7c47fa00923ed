"""Programs that run: each call of a tool is made and kept, so that what they print can be followed to its source."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise

from aeon.errors import AeonError, ToolArgumentError, ToolError
from aeon.isolation.aside import aside, read_aside
from aeon.language.readings import Read
from aeon.multipass.effects import RunProgram
from aeon.programs.calls import Calls, Text
from aeon.programs.prompts import Asked
from aeon.programs.quotes import NOT_STATED, place_of
from aeon.programs.reader import CALCULATOR
from aeon.programs.reading import Read as ReadProgram
from aeon.programs.reading import read_program
from aeon.programs.short import placed, read
from aeon.programs.sources import SQL, Sources
from aeon.programs.writer import asked
from aeon.proof.alike import numbers_of
from aeon.proof.expression import evaluate
from aeon.proof.figures import figures_in
from aeon.runtime.ledger import current_ledger
from aeon.schema import JsonObject, JsonValue, Source, ToolUse
from aeon.schema.programs import Ran
from aeon.schema.turns import Call, Lines
from aeon.supervisor.judge import Judge
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line
from aeon.tools.operands import operands
from aeon.tools.quote import QUOTE, quoted
from aeon.tools.references import substitute
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import READ_TEXTS, every_text, read_sentences

__all__ = ["ProgramRunner"]

_LONGEST_PROBLEM = 300
_ANSWER = re.compile(r"^[^\S\n*_]*[*_]*Answer:[*_]*\s*(.+)", re.MULTILINE)
"""What the prompt for a worked answer has it end in."""


class ProgramRunner:
    """Runs programs: on tools that change nothing, in the order in which they call them."""

    def __init__(self, supervisor: Supervisor, tools: ToolRegistry) -> None:
        self._tools = tools
        self._sources = Sources(tools)
        self._judge = Judge(supervisor, samples=0)

    async def run(self, effect: RunProgram) -> Ran:
        """What the program gives; what keeps it from giving anything is a problem that the model can be told."""
        question = await asked(effect.task, effect.step.description, effect.inputs, self._sources)
        name, text = effect.step.id, effect.program.text
        match effect.program.way:
            case "reading":
                return await self._read(text, question, name)
            case "worked" | "thought":
                return await read_aside(text, partial(_worked, text))
            case "given":
                return await self._given(text, question, name)
        return await self._programmed(text, question, name)

    async def _programmed(self, text: str, question: Asked, name: str) -> Ran:
        if _is_absent(text):
            return Ran(absent=True, problem=self._searched(question.goal))
        reading = partial(read_program, text, self._tools, question.found, question.said, question.goal)
        found = await (aside(reading) if SQL in self._tools.names else read_aside(text, reading))  # a query is tried
        if found.fault:
            return Ran(problem=one_line(found.fault, _LONGEST_PROBLEM))
        if found.writing:
            return await self._to_write(found, question, name)
        if found.said and all(map(_says_nothing, found.said)):
            return Ran(absent=True, problem=self._searched(question.goal))
        if found.said:
            return Ran(values=found.said)
        return await self._called(found.calls, question, name)

    async def _given(self, text: str, question: Asked, name: str) -> Ran:
        call = Call(id="s1", **json.loads(text))
        return await self._called(Calls((call,), (call.id,)), question, name, is_task=True)

    async def _called(self, calls: Calls, question: Asked, name: str, is_task: bool = False) -> Ran:
        """What calls give, each made once those are that it refers to; where they are the task, whatever they ask."""
        made = await self._made(calls, question, name, is_task)
        if isinstance(made, Ran):
            return made
        given = {one.id: use.output for one, use in zip(calls.made, made, strict=True)}
        values = tuple(given[one] for one in calls.printed if not _is_nothing(given[one]))
        if not values:
            return Ran(absent=True, uses=tuple(made), problem=self._searched(question.goal))
        return Ran(values=values, uses=tuple(made), cites=tuple(_cites(calls, made)))

    async def _made(self, calls: Calls, question: Asked, name: str, is_task: bool = False) -> list[ToolUse] | Ran:
        """The calls that were made, in order; or how they came to nothing."""
        uses: list[ToolUse] = []
        given: dict[str, JsonValue] = {}
        for number, one in enumerate(calls.made, 1):
            if isinstance(one, Text):
                return Ran(problem="a text is written alone", uses=tuple(uses))
            try:
                known = operands(one.arguments, given) if one.tool == CALCULATOR else given
                arguments = substitute(one.arguments, known)
                if one.tool == SQL and not is_task and not await self._reads_table(arguments):
                    return Ran(absent=True, problem=self._searched(question.goal), uses=tuple(uses))
                use = await self._use(f"{name}.{number}", one.tool, arguments)
            except ToolError as error:
                return Ran(problem=one_line(f"{one.tool}: {error}", _LONGEST_PROBLEM), uses=tuple(uses))
            uses.append(use)
            given[one.id] = use.output
        return uses

    async def _reads_table(self, arguments: JsonObject) -> bool:
        """Whether a query gives something that a table has: else it finds nothing out, whatever it selects."""
        reads = self._tools.get(SQL).reads
        return reads is None or await aside(partial(reads, str(arguments.get("query", ""))))

    async def _use(self, name: str, tool: str, arguments: JsonObject) -> ToolUse:
        """What a tool gives; of a quotation the value, with its sentence.

        Raises:
            ToolError: the tool refused the arguments, failed, or took too long.
        """
        ledger = current_ledger()
        key = _key(f"{ledger.execution_id}:{name}", tool, arguments)
        output = await self._tools.call(tool, arguments, key, guard=lambda: ledger.tool_call(""))
        value, sentences = quoted(output.value) if tool == QUOTE else (output.value, ())
        return ToolUse(id=name, tool=tool, arguments=arguments, output=value, cut=output.cut, lines=_lines(sentences))

    async def _read(self, text: str, question: Asked, name: str) -> Ran:
        """A short answer of texts as a quotation of the sentence that it stands in, or that gives it, says a judge."""
        texts = await every_text(self._tools, question.goal)
        short = await aside(partial(read, text, question.goal, texts.sentences)) if texts is not None else None
        if texts is None or short is None or not short.answer:
            return Ran(absent=True, problem=self._searched(question.goal))
        short = await placed(short, question.goal, self._judge, texts.sentences)
        if short.source is None:
            return Ran(values=(short.answer,), near=_lines([short.nearest] if short.nearest is not None else []))
        try:
            use = await self._use(f"{name}.1", QUOTE, place_of(short.answer, short.source))
        except ToolError as error:
            return Ran(problem=one_line(f"{QUOTE}: {error}", _LONGEST_PROBLEM))
        return Ran(values=(short.answer,), uses=(use,), cites=(f"{use.id}.1",))

    async def _to_write(self, found: ReadProgram, question: Asked, name: str) -> Ran:
        """What a text is to be written from: what the program looked up for it, and the sentences of the texts."""
        made = await self._made(found.calls, question, name)
        if isinstance(made, Ran):
            return made
        given = {one.id: use.output for one, use in zip(found.calls.made, made, strict=True)}
        try:
            writing = str(substitute({"task": found.writing}, given)["task"])
            if READ_TEXTS in self._tools.names:
                asked_for: JsonObject = {"question": question.goal, "documents": []}
                use = await self._use(f"{name}.{len(made) + 1}", READ_TEXTS, asked_for)
                made.append(use.changed(lines=_lines(read_sentences(use.output)[1])))
        except ToolArgumentError:  # a result that is too long to stand in the task; the writer sees it all the same
            writing = question.goal
        except ToolError:  # no text is about it
            pass
        return Ran(writing=writing, uses=tuple(made))

    def _searched(self, goal: str) -> str:
        """What is told of a question that nothing answers."""
        return f"not stated in what was searched: {one_line(goal, _LONGEST_PROBLEM)}"


def _is_absent(program: str) -> bool:
    """Whether a program only prints what its prompt asks for where nothing states the answer."""
    said = program.strip().removeprefix("print(").removesuffix(")").strip("\"' ")
    return said == NOT_STATED


def _is_nothing(value: JsonValue) -> bool:
    """Whether a value is nothing: none, no rows, or rows of nothing."""
    match value:
        case list():
            return all(map(_is_nothing, value))
        case dict():
            return all(map(_is_nothing, value.values()))
        case str():
            return not value.strip()
    return value is None


def _says_nothing(value: JsonValue) -> bool:
    """Whether a value that a program prints as it stands is nothing, or what the prompt asks for in such a case."""
    return _is_nothing(value) or (isinstance(value, str) and value.strip().casefold() == NOT_STATED)


def _worked(text: str) -> Ran:
    """The numbers of a worked answer, or its words where it has none; the host computes what its lines set up.

    One that goes on with a result that is none does not add up.
    """
    computed: dict[Fraction | None, Fraction] = {}
    for expression, said in _sums(text):
        if computed.keys() & {one.number for one in numbers_of(expression)}:
            return Ran(problem=f"this does not add up: {one_line(expression, _LONGEST_PROBLEM)}")
        given = _value(expression)
        computed |= {said.number: given} if given is not None and _differs(given, said) else {}
    found = _ANSWER.search(text)
    last = found[1].strip() if found else ""
    if not last:
        return Ran(problem="no answer stands at its end")
    return Ran(values=tuple(_exact(computed.get(number, number)) for number in _numbers(last)) or (last,))


def _numbers(text: str) -> list[Fraction]:
    """The numbers of a text that begins with one and has no other values, each of which can be read in one way."""
    found = figures_in(text)
    numbers = [one.forms[0].read.number for one in found if one.kind == "number" and len(one.forms) == 1]
    plain = [number for number in numbers if number is not None]
    return plain if found and found[0].start == 0 and len(plain) == len(found) else []


def _exact(number: Fraction) -> JsonValue:
    return int(number) if number.denominator == 1 else float(number)


def _sums(text: str) -> Iterator[tuple[str, Read]]:
    """What is set up in a worked answer, each with the number that it is said to give."""
    for line in text.splitlines():
        for left, right in pairwise(side.strip() for side in line.rpartition(":")[2].split("=")):
            said = numbers_of(right)
            if len(said) == 1 and said[0].number is not None and not any(map(str.isalpha, left)):
                share = said[0].number / 100 if "%" in right else said[0].number
                places = (said[0].places or 0) + 2 * ("%" in right)
                yield left, said[0]._replace(number=share, places=places)


def _value(expression: str) -> Fraction | None:
    """What an expression gives; ``None`` of what is none."""
    try:
        return Fraction(str(evaluate(expression)))
    except (AeonError, ValueError):
        return None


def _differs(given: Fraction, said: Read) -> bool:
    """Whether a number is another one than the one that is said, as that is rounded."""
    return said.number is not None and abs(given - said.number) > Fraction(1, 2 * 10 ** (said.places or 0))


def _cites(calls: Calls, uses: Sequence[ToolUse]) -> list[str]:
    """The ids of the sentences that a program quotes, and of the results that it prints."""
    printed = [use for one, use in zip(calls.made, uses, strict=True) if one.id in calls.printed]
    return [*(f"{use.id}.1" for use in uses if use.lines), *(use.id for use in printed if not use.lines)]


def _key(name: str, tool: str, arguments: JsonObject) -> str:
    """The idempotency key of a call: the same where it is made again, and another one for any other call."""
    asked = json.dumps([tool, arguments], ensure_ascii=False, sort_keys=True)
    return f"{name}:{hashlib.sha256(asked.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _lines(sentences: Sequence[Source]) -> tuple[Lines, ...]:
    """Sentences as a tool shows them, each text's together."""
    by_source: dict[str, list[Source]] = {}
    for one in sentences:
        by_source.setdefault(one.source, []).append(one)
    return tuple(
        Lines(source=name, spans=tuple((one.start, one.end) for one in some), texts=tuple(one.text for one in some))
        for name, some in by_source.items()
    )
