"""An engine of the tests' own that looks things up, asks which one is meant, and has a model word the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aeon import (
    Answer,
    Caps,
    Conclusion,
    EffectOf,
    Engine,
    Halt,
    Handlers,
    Plugin,
    Program,
    Question,
    Rule,
    Run,
    Services,
    Settings,
    Signals,
    StepResult,
    Value,
)


class Text(Value):
    """The words of a model."""

    text: str


class Look(EffectOf[StepResult]):
    """What does the table say?"""

    phase = "look"
    name: str


class Say(EffectOf[Text]):
    """How is that put into words?"""

    phase = "say"


class LookCaps(Caps):
    """No effect but the last calls a model."""

    look: int = 0
    say: int = 1


class LookSettings(Settings):
    """Which ``names`` are looked up, and whether the run ``asks`` first."""

    caps: LookCaps = LookCaps()
    names: tuple[str, ...] = ("fee",)
    asks: bool = False


@dataclass(slots=True)
class Looked(Signals):
    """Whether an answer is there."""

    said: bool = False


def program(run: Run[LookSettings, Looked]) -> Program[Conclusion]:
    """Look each name up, then say it."""
    answer = "nothing"
    try:
        if run.config.asks:
            yield from run.ask(Question(text="How many guests?", options=("7", "8"), default="7"))
        for name in run.config.names:
            yield from run.perform(Look(task=run.task, name=name), StepResult(output=None))
        said = yield from run.perform(Say(task=run.task), Text(text="none"))
        answer, run.signals.said = said.text, True
        while True:
            run.boundary()
    except Halt as halt:
        return run.conclude(halt.decision, Answer(text=answer))


ENGINE: Engine[LookSettings, Looked, Conclusion] = Engine(
    name="look/1", config=LookSettings, result=Conclusion, signals=Looked, effects=(Look, Say),
    table=(Rule("said", "said", "it is said", sufficient=True),),
    calls=lambda config: 2, program=program,
)  # fmt: skip


def plugin(
    found: dict[str, StepResult], calls: Callable[[], Awaitable[None]] | None = None
) -> Plugin[LookSettings, Looked, Conclusion]:
    """The engine over this table; ``calls`` is what its wording does beside."""

    def handlers(services: Services[LookSettings]) -> Handlers:
        async def look(effect: Look) -> StepResult:
            return found[effect.name]

        async def say(effect: Say) -> Text:
            if calls is not None:
                await calls()
            reply = await services.supervisor.text(services.briefing.prompt(effect.task, "Say it."), max_tokens=40)
            return Text(text=reply.value.strip())

        return {"look": look, "say": say}

    return Plugin(ENGINE, handlers)
