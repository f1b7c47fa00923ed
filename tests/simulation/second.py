"""A second engine for the simulation: it writes, counts, posts and asks, with nested runs side by side."""

from __future__ import annotations

from dataclasses import replace

from aeon.assembly.plugin import Plugin, Services
from aeon.kernel.compose import side_by_side
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine, Halt, Run
from aeon.kernel.ports import Handlers
from aeon.runtime.ledger import current_ledger
from aeon.schema import Answer, Caps, Conclusion, Question, Settings, Value
from aeon.schema.effects import EffectOf, Program

__all__ = ["SECOND"]


class Line(Value):
    """A line of text."""

    text: str = "nothing"


class Write(EffectOf[Line]):
    """A line about this, by a model."""

    phase = "write"
    about: str


class Count(EffectOf[Line]):
    """How many words are in this? Without a model."""

    phase = "count"
    text: str


class Post(EffectOf[Line]):
    """Post this, once."""

    phase = "post"
    text: str

    @property
    def subject(self) -> str:
        """It has an id, as a step has."""
        return "post p1"


class Final(EffectOf[Line]):
    """The answer, by a model."""

    phase = "final"
    lines: tuple[str, ...]


class SecondCaps(Caps):
    """Few calls each."""

    write: int = 4
    count: int = 0
    post: int = 0
    final: int = 3


class SecondSettings(Settings):
    """The usual settings."""

    caps: SecondCaps = SecondCaps()


class Lines(Conclusion):
    """What was written, and by which nested runs."""

    lines: tuple[str, ...] = ()
    nested: tuple[Conclusion, ...] = ()


SecondRun = Run[SecondSettings, Signals]


def _lane(run: SecondRun) -> Program[Lines]:
    lines: list[str] = []
    try:
        for about in ("a river", "a loaf"):
            line = yield from run.perform(Write(task=run.task, about=f"{about} of lane {run.scope}"), Line())
            lines.append(line.text)
        decision = run.decide()
    except Halt as halt:
        decision = halt.decision
    return Lines(**dict(run.conclude(decision, Answer(text=lines[-1] if lines else "none"))), lines=tuple(lines))


def _lanes(run: SecondRun, lanes: int) -> Program[tuple[Lines, ...]]:
    """A lane of its own, one after the other: the second has what the first left."""
    first = yield from LANE.within(run, run.config, runs=lanes)
    return (first, (yield from LANE.within(run, run.config, runs=lanes)))


def _second(run: SecondRun) -> Program[Lines]:
    lines: list[str] = []
    nested: tuple[Lines, ...] = ()
    try:
        lines.append((yield from run.perform(Write(task=run.task, about="a tax"), Line())).text)
        lines.append((yield from run.perform(Count(task=run.task, text=lines[0]), Line())).text)
        lines.append((yield from run.ask(Question(text="Which one?", options=("a", "b"), default="a"))).text)
        lanes = yield from side_by_side(_lanes(run, 2), _lanes(run, 2))
        nested = tuple(end for lane in lanes for end in lane)
        run.boundary()
        (outcome,) = yield from run.issue([Post(task=run.task, text=lines[0], allowance=run.allow("post"))])
        if outcome.failure is not None and outcome.failure.kind == "unknown":
            lines.append((yield from run.resolve(outcome)))
        run.boundary()
        decision = run.decide()
    except Halt as halt:
        decision = halt.decision
    effect = Final(task=run.task, lines=tuple(lines))
    answer = yield from run.final(effect, Line(text=" ".join(lines) or "none"), decision)
    return Lines(**dict(run.conclude(decision, Answer(text=answer.text))), lines=tuple(lines), nested=nested)


LANE: Engine[SecondSettings, Signals, Lines] = Engine(
    name="lane/1", config=SecondSettings, result=Lines, signals=Signals, effects=(Write,), table=(),
    calls=lambda config: 2 * config.caps.write, program=_lane,
)  # fmt: skip
ENGINE = replace(
    LANE, name="second/1", effects=(Write, Count, Post, Final), nested=(Write,), final=Final, program=_second,
    calls=lambda config: 6 * config.caps.write + config.caps.final,
)  # fmt: skip


def _handlers(services: Services[SecondSettings]) -> Handlers:
    async def write(effect: Write | Final) -> Line:
        about = effect.about if isinstance(effect, Write) else "; ".join(effect.lines)
        reply = await services.supervisor.text(services.briefing.prompt(effect.task, f"Write: {about}"), max_tokens=64)
        return Line(text=reply.value)

    async def count(effect: Count) -> Line:
        return Line(text=str(len(effect.text.split())))

    async def post(effect: Post) -> Line:
        ledger = current_ledger()
        key, guard = f"{ledger.execution_id}:p1", lambda: ledger.tool_call("post")
        return Line(text=str((await services.tools.call("post", {"text": effect.text}, key, guard=guard)).value))

    return {"write": write, "count": count, "post": post, "final": write}


SECOND = Plugin(ENGINE, _handlers)
