"""The answer: text, or an object where the task has a schema for it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pydantic import JsonValue, RootModel

from aeon.documents.sentences import without_mark
from aeon.documents.words import stems
from aeon.multipass.effects import Synthesize
from aeon.multipass.plans import answer_steps
from aeon.proof.readings import NUMBER_WORDS
from aeon.schema import Answer, JsonObject, Plan, Step, Task, ToolCall, Writing
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.sentence import Result, Wording, bare, inside, results_of, worded
from aeon.text import one_line
from aeon.tools.quote import QUOTE

__all__ = ["Synthesizer"]

_LONGEST_RESULTS = 4_000
_LONGEST_TASK = 1_000
_LONGEST_SAID = 300
_SCALARS = ("string", "number", "integer", "boolean", "null")
_VERB = re.compile(r"\w (?:is|are|was|were|has|have|may|must|can|costs?|pays?|needs?|gets?) \w")
_SENTENCE = re.compile(r"(?:(?:Therefore|So|Thus|Hence),? )?((?:\S+ ){4,}\S+[.!])")
"""A derivation's answer that is a sentence of its own, without the word that draws a conclusion."""
_CONCLUDED = re.compile(r"^(Yes|No)\. (?=[^\W\d])")
"""What follows from the sentence behind it, that decides a question of yes or no; "No. 12" is none."""
_LEAST_WORDS = 5
"""Words of a sentence that answers a question."""
_PLACES = re.compile(r"\b(one|two|three|four|[1-4]) decimals?\b", re.IGNORECASE)
_PERHAPS = "Perhaps: "
"""How an answer begins that is doubtful: of such answers in the counts that ship one in five is right."""
_UNCHECKED = "(unchecked, no step was completed) "


class _Anything(RootModel[JsonValue]):
    """Whatever the task's own schema allows."""


class Synthesizer:
    """Writes the answer from the outputs of the complete steps; ``output_tokens`` limits its length.

    ``brief``: the bare values, without a sentence around them.
    """

    def __init__(
        self, supervisor: Supervisor, briefing: Briefing, output_tokens: int = 512, brief: bool = False
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._output_tokens = output_tokens
        self._brief = brief

    async def _from_answers(self, effect: Synthesize) -> Wording:
        """The answer where the planner said which steps give it and all of them have run; else empty.

        A text that was written as the answer is passed on as it is, and so is a derivation's sentence that is taken.
        What is doubtful is no fact, and is not worded as one.
        """
        steps = answer_steps(effect.plan)
        if not steps or any(step.status != "complete" for step in steps):
            return Wording("")
        if ready := _ready(effect, steps, self._brief):
            return Wording(ready)
        results = _results(effect.plan, _in_places(effect.task, steps), units=not self._brief)
        absent = _absent(effect.task, [step for step in steps if step.output is None])
        if not results:
            return Wording(absent)
        said = await self._worded(effect, results)
        return said._replace(text=f"{said.text} {absent}".strip())

    async def _worded(self, effect: Synthesize, results: Sequence[Result]) -> Wording:
        """The results in a sentence, as a guess where they are doubtful; brief, as they are."""
        if self._brief:
            return Wording(bare(results))
        said = await worded(self._supervisor, effect.task, results)
        return said._replace(text=f"{_PERHAPS}{said.text}") if _is_doubtful(effect) else said

    async def synthesize(self, effect: Synthesize) -> Answer:
        """The answer to the effect's task, an object validated against ``answer_schema`` where there is one."""
        if effect.task.answer_schema is None and (answer := await self._from_answers(effect)).text:
            return Answer(text=answer.text, problem=answer.problem)
        question = _question(effect)
        prompt = self._briefing.prompt(effect.task, question)
        if effect.task.answer_schema is None:
            text = await self._supervisor.text(prompt, max_tokens=self._output_tokens)
            return Answer(text=text.value if effect.plan.results() else f"{_UNCHECKED}{text.value}")
        answer_schema = effect.task.answer_schema
        is_bare = answer_schema.get("type") in _SCALARS  # a model is asked for an object or an array, never for less
        schema = _in_object(answer_schema) if is_bare else answer_schema
        reply = await self._supervisor.structured(prompt, _Anything, schema=schema, max_tokens=self._output_tokens)
        value = reply.value.root
        value = value["answer"] if is_bare and isinstance(value, dict) else value
        return Answer(text=json.dumps(value, ensure_ascii=False), value=value)


def _is_doubtful(effect: Synthesize) -> bool:
    """Whether something speaks against a plan, or it was derived otherwise, and the run does not end as sure of it."""
    agreement = effect.plan.agreement
    return bool(effect.caveat and (effect.plan.doubts or (agreement is not None and agreement.disagrees)))


def _is_a_guess(effect: Synthesize, step: Step) -> bool:
    """Whether what a step read, or quotes for a plan, is doubtful."""
    if step.mode == "reading":
        return step.clarity == "PARTIALLY_CLEAR"
    return isinstance(step.action, ToolCall) and step.action.tool == QUOTE and _is_doubtful(effect)


def _guess(effect: Synthesize, steps: Sequence[Step]) -> str:
    """What the only step read or quotes, if that is doubtful, as a guess with its sentence: by it a reader can tell."""
    step = steps[0]
    if len(steps) > 1 or not step.sources or not _is_a_guess(effect, step):
        return ""
    said, read = without_mark(one_line(step.sources[0].text, _LONGEST_SAID)), one_line(str(step.output or ""))
    if not read or _CONCLUDED.sub("", read).rstrip(".") == said.rstrip("."):
        concluded = _CONCLUDED.match(read)
        perhaps = f"Perhaps {concluded[1].lower()}: " if concluded else _PERHAPS
        return f'{perhaps}"{said}"' if read else ""
    own = re.search(re.escape(read), said[1:], re.IGNORECASE)  # as the sentence writes it
    return f'{_PERHAPS}{own[0] if own else inside("It is", read)}. "{said}"'


def _ready(effect: Synthesize, steps: Sequence[Step], brief: bool) -> str:
    """The text of the only step, where it is a guess, was written as the answer or is a sentence; or a derivation's."""
    if not brief and (ready := _guess(effect, steps) or _reply(effect, steps)):
        return ready
    if len(steps) == 1 and (isinstance(steps[0].action, Writing) or _is_sentence(steps[0])):
        return str(steps[0].output)
    if len(steps) == 1 and _is_clause(steps[0]):
        return f"{steps[0].output}."
    return "" if brief else _taken_sentence(effect.plan)


def _reply(effect: Synthesize, steps: Sequence[Step]) -> str:
    """What judges vouch for, where it is a sentence that has half of the question's words: an answer by itself."""
    said, asked = str(steps[0].output), stems(effect.task.text)
    if effect.plan.vouched is None or len(steps) > 1 or len(said.split()) < _LEAST_WORDS or not said[0].isupper():
        return ""
    return f"{said}." if asked and 2 * len(asked & stems(said)) >= len(asked) else ""


def _is_sentence(step: Step) -> bool:
    """Whether a step gave a whole sentence of a text."""
    said = _CONCLUDED.sub("", str(step.output), count=1)
    return said.endswith((".", "!")) and said in [source.text for source in step.sources]


def _is_clause(step: Step) -> bool:
    """Whether a step gave the first part of a sentence, which is one by itself: "A helmet is free; a seat is not"."""
    said = str(step.output)
    begun = any(source.text.startswith((f"{said};", f"{said},")) for source in step.sources)
    return begun and _VERB.search(said) is not None


def _taken_sentence(plan: Plan) -> str:
    """The sentence of a derivation that is taken in the place of what the plan gives; "" where it gives no sentence."""
    taken = plan.agreement.taken if plan.agreement is not None else None
    found = _SENTENCE.fullmatch(taken.answer) if taken is not None else None
    return f"{found[1][:1].upper()}{found[1][1:]}" if found else ""


def _results(plan: Plan, steps: Sequence[Step], units: bool) -> tuple[Result, ...]:
    """What these steps gave, or what another derivation did that is taken in their place."""
    taken = plan.agreement.taken if plan.agreement is not None else None
    return results_of(steps, units, plan.steps) if taken is None else (Result("r1", "", taken.answer),)


def _in_places(task: Task, steps: Sequence[Step]) -> list[Step]:
    """The steps, each number rounded to the decimals that the task asks for, if it does."""
    found = _PLACES.search(task.text)
    if found is None:
        return [*steps]
    places = int(({"one": 1} | NUMBER_WORDS).get(found[1].casefold(), found[1]))
    return [one.changed(output=round(one.output, places)) if isinstance(one.output, float) else one for one in steps]


def _absent(task: Task, steps: Sequence[Step]) -> str:
    """What was looked for and not found, in words."""
    problems = dict.fromkeys(step.problem or f"the files do not say: {task.text}" for step in steps)
    sentences = [f"{problem[:1].upper()}{problem[1:].rstrip('.')}" for problem in problems]
    return " ".join(sentence if sentence.endswith(("?", "!")) else f"{sentence}." for sentence in sentences)


def _in_object(schema: JsonObject) -> JsonObject:
    """A schema for an object whose only member ``answer`` fits the given one."""
    return {"type": "object", "properties": {"answer": schema}, "required": ["answer"], "additionalProperties": False}


def _question(effect: Synthesize) -> str:
    """What to ask for: the answer from the results, with what is missing; without any result, one that says so."""
    results = effect.plan.results()
    if not results:
        return load("aeon.synthesis", "unchecked.md")
    unfinished = any(step.status == "pending" for step in effect.plan.steps)
    caveat = f"The work ended early ({effect.caveat}): say what is missing.\n" if effect.caveat and unfinished else ""
    fenced = fence("results", results, _LONGEST_RESULTS)
    task = cut(effect.task.text, _LONGEST_TASK)
    return render(load("aeon.synthesis", "answer.md"), results=fenced, task=task, caveat=caveat)
