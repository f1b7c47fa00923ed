"""Plans: steps as data, and the deltas that change them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.frozen import JsonValue
from aeon.schema.turns import ToolUse, WorkForm
from aeon.schema.value import Value
from aeon.schema.weight import Weight

__all__ = [
    "Action",
    "Agreement",
    "Clarity",
    "Derivation",
    "Passage",
    "Plan",
    "Reasoning",
    "RefinementAction",
    "Source",
    "Step",
    "StepInput",
    "StepMode",
    "StepResult",
    "StepStatus",
    "ToolLoop",
    "Trigger",
    "Writing",
    "fragment",
]

StepStatus = Literal["pending", "running", "complete", "failed", "invalid"]
Clarity = Literal["CLEAR", "PARTIALLY_CLEAR", "BLOCKED"]
StepMode = Literal["tool", "reasoning", "tools", "program"]
LOOKED_UP: tuple[StepMode, ...] = ("tool", "tools", "program")
"""How a step was done that looked something up or computed it."""


class Reasoning(Value):
    """A step done by the model itself."""

    type: Literal["reasoning"] = "reasoning"


class Writing(Value):
    """A text that the model writes as it stands: the answer to ``task``, or a part of it."""

    type: Literal["writing"] = "writing"
    task: Annotated[str, Field(min_length=1)]


class ToolLoop(Value):
    """A step that is found out with tools, in a ``form``.

    A model calls them turn by turn, and sees each result before it goes on; or it writes short programs over them,
    whose results vote.
    """

    type: Literal["tools"] = "tools"
    form: WorkForm = "tools"


@lru_cache(4096)
def fragment(step_id: str) -> str:
    """The fragment that a step belongs to: its id without the version, ``s2`` for ``s2_r1``."""
    name, mark, version = step_id.rpartition("_r")
    return name if mark and version.isdecimal() else step_id


Action = Annotated[Reasoning | Writing | ToolLoop, Field(discriminator="type")]


class Trigger(Value):
    """Why a refinement is asked for. It points at something that exists: a step id, ``plan`` or ``answer``.

    ``detail`` says it in words, ``repair`` what a judge proposes; ``code`` is that of a criterion that is not met.
    """

    kind: Literal["issue", "reason_code", "blocked", "failed_step", "ambiguous"]
    location: str
    detail: str
    repair: str = ""
    code: str = ""


class Source(Value):
    """A sentence of a stored text that a result rests on: characters ``start`` to ``end``, the last not included.

    ``source`` is the path of the text; ``page`` counts from 1 where there are pages.
    """

    source: str
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    text: str
    page: int | None = None
    heading: str = ""


class Passage(Source):
    """A piece of a stored text, as a search gives it; ``sentences`` are spans in the whole text, as is its own.

    Of two scores of one search, the higher is better.
    """

    sentences: tuple[tuple[int, int], ...] = ()
    score: float = 0.0

    def sources(self) -> tuple[Source, ...]:
        """Its sentences."""
        whole = Source(
            source=self.source, start=self.start, end=self.end, text="", page=self.page, heading=self.heading
        )
        spans = [(start, end, self.text[start - self.start : end - self.start]) for start, end in self.sentences]
        return tuple(whole.changed(start=start, end=end, text=text) for start, end, text in spans)


class Step(Value):
    """One step of a plan and where it stands. ``id``, ``index`` (1-based) and ``total`` are given by the host.

    ``incoming_context`` and ``handoff`` are filled when the step is issued. An executed step (complete, failed or
    invalid) never changes again, save that a complete one may become invalid. ``uses``, ``cites``, ``weight`` and
    ``agreement`` are those of its result.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    description: Annotated[str, Field(min_length=1)]
    action: Action = Reasoning()
    dependencies: tuple[str, ...] = ()
    index: Annotated[int, Field(ge=1)] = 1
    total: Annotated[int, Field(ge=1)] = 1
    incoming_context: str = ""
    handoff: str = ""
    status: StepStatus = "pending"
    output: JsonValue = None
    clarity: Clarity = "CLEAR"
    mode: StepMode | None = None
    problem: str = ""
    depth: Annotated[int, Field(ge=0, description="how many subplans it is nested in")] = 0
    likelihood: Annotated[float | None, Field(ge=0, le=1)] = None
    uses: tuple[ToolUse, ...] = ()
    cites: tuple[str, ...] = ()
    weight: Weight | None = None
    agreement: Agreement | None = None

    @property
    def version(self) -> int:
        """Which version of its fragment it is: 0 for ``s2``, 1 for ``s2_r1``."""
        return int(self.id.removeprefix(fragment(self.id)).removeprefix("_r") or 0)

    @property
    def executed(self) -> bool:
        """Whether the step has run to an end, good or bad."""
        return self.status in ("complete", "failed", "invalid")

    @property
    def work(self) -> tuple[str, Action, tuple[str, ...]]:
        """What the step does, apart from its id and its state."""
        return self.description, self.action, self.dependencies

    @property
    def line(self) -> str:
        """What it did and what that gave, word for word."""
        return f"{self.description}: {self.output if isinstance(self.output, str) else json.dumps(self.output)}"

    def anew(self, step_id: str) -> Step:
        """The same work under another id, not yet done."""
        lasting = {"description", "action", "dependencies", "depth"}
        return Step(id=step_id, **{name: getattr(self, name) for name in lasting})

    def given(self, result: StepResult) -> Step:
        """The step after it gave this result: complete, or invalid if it was blocked."""
        status = "invalid" if result.clarity == "BLOCKED" else "complete"
        names = (
            "output",
            "clarity",
            "mode",
            "problem",
            "likelihood",
            "uses",
            "cites",
            "weight",
            "agreement",
        )
        return self.changed(status=status, **{name: getattr(result, name) for name in names})


class StepInput(Value):
    """The output of a step that another one depends on, under its ids.

    ``awaited``: it comes from a step of the same batch, when that is complete.
    """

    names: tuple[str, ...]
    description: str
    output: JsonValue = None
    awaited: bool = False


class Derivation(Value):
    """A way to the answer without the plan: the whole ``text`` of it, and the ``answer`` that it ends in.

    ``agrees``: that is the answer that was taken.
    ``score`` is how likely (0-1) its answer is right, says a judge who was asked.
    """

    method: str
    text: str
    answer: str
    score: Annotated[float | None, Field(ge=0, le=1)] = None
    agrees: bool = False


class Agreement(Value):
    """Derivations of an answer beside the plan's own, in order; none where no second one pays.

    ``ahead``: a judge holds the answer that was taken for much more likely than all others.
    """

    derivations: tuple[Derivation, ...] = ()
    ahead: bool = False

    @property
    def votes(self) -> int:
        """How many derivations, the plan's own among them, give the answer that was taken."""
        return sum(one.agrees for one in self.derivations) + 1

    @property
    def disagrees(self) -> bool:
        """Whether the answer was derived more than once, never twice the same, and no judge puts one ahead."""
        return bool(self.derivations) and self.votes == 1 and not self.ahead


class Plan(Value):
    """Steps in order; what may run when follows from their dependencies.

    ``answer`` are the ids of the steps whose outputs together are the answer, where the planner said which.
    """

    steps: tuple[Step, ...] = ()
    answer: tuple[str, ...] = ()

    @property
    def agreement(self) -> Agreement | None:
        """What other programs gave for the last of the steps that the answer is made of, in its latest version."""
        names = set(map(fragment, self.answer))
        latest = {fragment(step.id): step.agreement for step in self.steps if fragment(step.id) in names}
        return next(reversed(latest.values()), None)

    def find(self, step_id: str) -> Step | None:
        """The step of that id, or ``None``."""
        return next((step for step in self.steps if step.id == step_id), None)

    def pending(self) -> tuple[str, ...]:
        """The ids of the steps that have not run."""
        return tuple(step.id for step in self.steps if step.status == "pending")

    def merge(self, changed: Iterable[Step]) -> Plan:
        """The plan with these steps in the place of those with the same id."""
        by_id = {step.id: step for step in changed}
        return self.changed(steps=tuple(by_id.get(step.id, step) for step in self.steps))

    def numbered(self) -> Plan:
        """The plan with the index and the total of each step as they stand."""
        total = len(self.steps)
        return self.changed(steps=tuple(s.changed(index=n, total=total) for n, s in enumerate(self.steps, 1)))

    def results(self) -> str:
        """The outputs of the complete steps, word for word, one a line."""
        return "\n".join(step.line for step in self.steps if step.status == "complete")


class StepResult(Value):
    """What a step gave. ``mode`` says how: by a tool that an engine called itself, or by reasoning.

    ``tools``: by a model that called tools turn by turn; ``program``: by programs whose results voted. Then ``uses``
    are the calls, and ``cites`` the ids that the output rests on. ``weight`` is what a judge made of what programs
    gave, and ``agreement`` what the others gave.
    An ``output`` of ``None`` is nothing found: ``problem`` says what, and where it was looked for. ``likelihood`` is
    how likely (0-1) the model was to write what was read, or that it is not stated, word for word.
    """

    output: JsonValue
    clarity: Clarity = "CLEAR"
    mode: StepMode = "reasoning"
    problem: Annotated[str, Field(description="what is missing or went wrong, in words")] = ""
    cut: Annotated[bool, Field(description="whether the output was cut at the byte cap")] = False
    likelihood: Annotated[float | None, Field(ge=0, le=1)] = None
    uses: tuple[ToolUse, ...] = ()
    cites: tuple[str, ...] = ()
    weight: Weight | None = None
    agreement: Agreement | None = None


class RefinementAction(Value):
    """One delta. Steps that have run are never edited: REPLACE or MODIFY on one marks it invalid and adds anew.

    ADD puts ``steps`` behind ``target`` (at the end without one). MODIFY and REMOVE take one pending ``target``.
    REPLACE puts ``steps`` in the place of ``target``; without a target it replaces all that has not run.
    """

    type: Literal["ADD", "MODIFY", "REMOVE", "REPLACE"]
    target: str | None = None
    steps: tuple[Step, ...] = ()
    justification: str = ""

    @property
    def fragment(self) -> str:
        """The fragment that its attempts count for: its target's, or ``plan`` without one."""
        return fragment(self.target or "plan")
