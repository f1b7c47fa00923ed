"""Small engines that say what a script has for them: members whose every word is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from aeon.assembly import combining
from aeon.assembly.build import build
from aeon.assembly.plugin import AnyPlugin, Plugin, Services
from aeon.engines.ensemble.record import Ensemble
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals
from aeon.kernel.engine import Engine, Halt, Run
from aeon.kernel.ports import Handlers
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.schema import Answer, Caps, Conclusion, Question, Settings, Task, Value
from aeon.schema.effects import EffectOf, Program

__all__ = ["Cast", "Said", "talker"]

Line: TypeAlias = str | Exception
Script: TypeAlias = Mapping[str, Line]


class Said(Value):
    """What a member says."""

    text: str


class TalkCaps(Caps):
    """One call for a word."""

    say: int = 1


class TalkSettings(Settings):
    """The settings of a talker. ``words`` is how often it speaks, ``asks`` a question that it puts first."""

    words: int = 1
    asks: str = ""
    caps: TalkCaps = TalkCaps()


@dataclass(slots=True)
class TalkSignals(Signals):
    """``done``: it has spoken; ``sure``: the words are good enough; ``absent``: it does not know."""

    done: bool = False
    sure: bool = False
    absent: bool = False


TABLE = (
    Rule("not_stated", "absent", "nobody says"),
    Rule("said", "sure", "it is sure", sufficient=True),
    Rule("doubts", "done", "it is not sure"),
    BUDGET,
    CLARIFICATION,
)


def talker(name: str, cast: Cast) -> AnyPlugin:
    """An engine of that name, with an effect of its own that is called as those of all others are."""

    class Say(EffectOf[Said]):
        phase = "say"

    def program(run: Run[TalkSettings, TalkSignals]) -> Program[Conclusion]:
        said = Said(text="")
        try:
            if run.config.asks:
                yield from run.ask(Question(text=run.config.asks, default="none"))
            for _ in range(run.config.words):
                said = yield from run.perform(Say(task=run.task), Said(text="0?"))
            run.signals.absent = said.text == "-"
            run.signals.done, run.signals.sure = True, "?" not in said.text
            run.boundary()
        except Halt as halt:
            return run.conclude(halt.decision, Answer(text=said.text or "nothing"))
        raise AssertionError("the table ends it")

    def handlers(services: Services[TalkSettings]) -> Handlers:
        async def say(effect: Any) -> Said:
            assert type(effect) is Say  # no other member's effect comes here
            cast.heard.append((name, effect.scope, effect.task.background, getattr(services.adapter, "seed", 0)))
            cast.tasks.append(effect.task)
            line = cast.script[f"{name} {effect.scope}" if f"{name} {effect.scope}" in cast.script else name]
            if isinstance(line, Exception):
                raise line
            if cast.calls:
                reply = await services.supervisor.text(services.briefing.prompt(effect.task, "Speak."), max_tokens=9)
                current_ledger()
                return Said(text=reply.value)
            return Said(text=line)

        return {"say": say}

    engine: Engine[TalkSettings, TalkSignals, Conclusion] = Engine(
        name=f"{name}/1",
        config=TalkSettings,
        result=Conclusion,
        signals=TalkSignals,
        effects=(Say,),
        table=TABLE,
        calls=lambda config: config.words,
        program=program,
    )
    return Plugin(engine, handlers)


@dataclass
class Cast:
    """Talkers a, b, c, … with the lines of a script: by engine, or by engine and scope.

    ``heard`` are the engine, scope, all that is shown beside the task, and seed of each word, in their order, and
    ``tasks`` their tasks. With ``calls`` the model speaks.
    """

    script: Script = field(default_factory=dict)
    model: Scripted = field(default_factory=lambda: Scripted([]))
    calls: bool = False
    heard: list[tuple[str, str, str, int]] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)

    def plugins(self) -> dict[str, AnyPlugin]:
        """The talkers of the script, and three at least."""
        names = dict.fromkeys([*"abc", *(name.partition(" ")[0] for name in self.script)])
        return {name: talker(name, self) for name in names}

    def vote(self, journal: Journal | None = None, task: str | Task = "How much is it?", **settings: Any) -> Ensemble:
        """The result of an ensemble with these settings."""
        result: Ensemble = self.run(combining.ensemble, journal, task, **settings)
        return result

    def run(
        self,
        made: Callable[[Mapping[str, AnyPlugin]], AnyPlugin],
        journal: Journal | None = None,
        task: str | Task = "How much is it?",
        **settings: Any,
    ) -> Any:
        """The result of an engine that runs talkers."""
        plugin = made(self.plugins())
        config = plugin.engine.config.model_validate(settings)
        kept = journal if journal is not None else Journal()
        return build(self.model, (), config, engine=plugin, journal=lambda _: kept).execute(task)
