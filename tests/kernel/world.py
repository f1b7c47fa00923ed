"""A world to run engines in: it answers each effect from a table, and has neither event loop nor clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import accumulate, pairwise
from random import Random
from typing import Any, TypeAlias, TypeVar

from aeon.kernel.engine import Engine
from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.batch import in_order, wave_starts
from aeon.schema import (
    Answer,
    Call,
    Config,
    ConvergenceAssessment,
    Failure,
    Issue,
    Outcome,
    Plan,
    Question,
    Refinement,
    RefinementAction,
    Reply,
    Result,
    SemanticValidationReport,
    Settings,
    Step,
    StepResult,
    Task,
    TaskProfile,
    ToolLoop,
    ToolUse,
    Turn,
    Usage,
    Value,
    fragment,
)
from aeon.schema.effects import Batch, Effect, Note, Program
from aeon.schema.programs import Programs, ProgramText, Ran, Way
from aeon.schema.weight import Weight
from kernel.rehearsal import chosen

R = TypeVar("R")
Said: TypeAlias = Value | Callable[[Effect, int], Value]

ONE_CALL = Usage(calls=1, prompt_tokens=90, generated_tokens=10, cost=0.01)
NOT_YET = ConvergenceAssessment(
    converged=False, completeness=0.5, reason_codes=("completeness",), explanation="half", form="verdict",
    standing="assumed",
)  # fmt: skip
CONVERGED = ConvergenceAssessment(
    converged=True, completeness=1, coherence=1, consistency=1, form="verdict", standing="assumed"
)
BLOCKED = StepResult(output="a half", clarity="BLOCKED", problem="which year is not said")
ENDPOINT_DOWN = Failure(kind="endpoint", message="nobody answers")
TOO_LONG = 3_000  # effects: no run in these tests may need as many


def step(step_id: str, *dependencies: str, **fields: object) -> Step:
    """A pending step."""
    return Step.model_validate({"id": step_id, "description": f"do {step_id}", "dependencies": dependencies} | fields)


def looped(step_id: str, *dependencies: str, **fields: object) -> Step:
    """A pending step that a model does turn by turn."""
    return step(step_id, *dependencies, action=ToolLoop(), **fields)


def programmed(step_id: str, *dependencies: str, **fields: object) -> Step:
    """A pending step that is done by programs."""
    return step(step_id, *dependencies, action=ToolLoop(form="program"), **fields)


def calls(effect: Effect, *tools: str, **fields: object) -> Turn:
    """A turn that calls these tools, each with its place among the calls of the step."""
    first = sum(len(one.turn.calls) for one in effect.exchanges) + 1  # type: ignore[attr-defined]
    name = fragment(effect.step.id)  # type: ignore[attr-defined]
    made = tuple(Call(id=f"{name}.{first + n}", tool=one, arguments={"n": n}) for n, one in enumerate(tools))
    return Turn.model_validate({"calls": made} | fields)


def used(effect: Effect, output: object = 7, **fields: object) -> ToolUse:
    """What came of a call."""
    call = effect.call  # type: ignore[attr-defined]
    return ToolUse.model_validate(
        {"id": call.id, "tool": call.tool, "arguments": call.arguments, "output": output} | fields
    )


def plan(*steps: Step) -> Plan:
    """A numbered plan."""
    return Plan(steps=steps).numbered()


def found(*locations: str) -> SemanticValidationReport:
    """A report with an issue at each location."""
    return SemanticValidationReport(
        issues=tuple(Issue(type="consistency", description=f"{at} is wrong", location=at) for at in locations)
    )


def add(*steps: Step, target: str | None = None) -> Refinement:
    """A refinement that adds steps."""
    return Refinement(actions=(RefinementAction(type="ADD", target=target, steps=steps),))


class World:
    """Answers effects and keeps what happened.

    ``replies`` gives for a phase a value, a ``Failure`` or a function of the effect and of how often this phase was
    asked before. Each effect costs ``cost`` (a usage or a function of the effect) and each wave a made-up second.
    From effect ``interrupted_at`` (counted from 0) on, outcomes say that somebody asked the run to stop. ``changes``
    holds configurations that come with the outcomes of effects.
    """

    def __init__(
        self,
        steps: Iterable[Step] = (step("s1"),),
        cost: Usage | Callable[[Effect], Usage] = ONE_CALL,
        seconds: float = 1.0,
        interrupted_at: int | None = None,
        **replies: Said,
    ) -> None:
        self.cost, self.seconds, self.interrupted_at = cost, seconds, interrupted_at
        self.replies: dict[str, Said] = {
            "profile": TaskProfile(reasoning_depth=3, ambiguity=0.0),
            "plan": Plan(steps=tuple(steps)),
            "validate_plan": SemanticValidationReport(),
            "refine_plan": Refinement(),
            "execute": lambda effect, _: StepResult(output=f"out of {effect.step.id}", mode="tool"),
            "turn": Turn(text="it is 7"),
            "use_tool": lambda effect, _: used(effect),
            "write": Programs(),
            "run_program": Ran(),
            "weigh": Weight(),
            "validate_results": SemanticValidationReport(),
            "assess": CONVERGED,
            "ask": Reply(text="this one"),
            "synthesize": Answer(text="the answer"),
        } | replies
        self.effects: list[Effect] = []
        self.outcomes: list[Outcome] = []
        self.batches: list[Batch] = []
        self.skipped: list[set[str]] = []
        self.notes: list[Note] = []
        self.asked: Counter[str] = Counter()
        self.now = 0.0
        self.changes: dict[int, Config] = {}

    @property
    def phases(self) -> list[str]:
        """The phase of each effect so far."""
        return [effect.phase for effect in self.effects]

    def of(self, phase: str) -> list[Effect]:
        """The effects of one phase so far."""
        return [effect for effect in self.effects if effect.phase == phase]

    @property
    def waves(self) -> list[list[str]]:
        """The ids of the steps that were done at once, wave by wave."""
        waves: list[list[str]] = []
        for batch, skipped in zip(self.batches, self.skipped, strict=True):
            steps = [e.step.id for e in batch.effects if isinstance(e, ExecuteStep)]
            cuts = (0, *wave_starts(batch.effects), len(steps))
            waves += [[i for i in steps[a:b] if i not in skipped] for a, b in pairwise(cuts)]
        return [ids for ids in waves if ids]

    @property
    def spent(self) -> Usage:
        """What all effects so far have cost."""
        return sum((outcome.usage for outcome in self.outcomes), Usage())

    def run(self, config: Config | None = None, task: Task | str = "How much is it?") -> Result:
        """Run a task to its end in this world, on the multi-pass engine."""
        return self.run_on(MULTIPASS, config or Config(), task)

    def run_on(self, engine: Engine[Any, Any, R], config: Settings, task: Task | str = "How much is it?") -> R:
        """Run a task to its end in this world, on any engine."""
        engine = chosen(engine)
        whole = Task(text=task) if isinstance(task, str) else task
        return self.drive(engine.program(engine.start(whole, config, "run-1")))

    def drive(self, running: Program[R]) -> R:
        """Step any program to its end, by hand."""
        try:
            request = next(running)
            while True:
                assert len(self.effects) < TOO_LONG, "the run does not end"
                request = running.send(self.note(request) if isinstance(request, Note) else self.answer_all(request))
        except StopIteration as stop:
            result: R = stop.value
            return result

    def note(self, note: Note) -> tuple[Outcome, ...]:
        """Keep a note; it is answered with nothing."""
        self.notes.append(note)
        return ()

    def answer_all(self, batch: Batch) -> tuple[Outcome, ...]:
        """One outcome per effect, in order."""
        self.batches.append(batch)
        self.skipped.append(set())
        cuts = (0, *wave_starts(batch.effects), len(batch.effects))
        first = len(self.effects)
        waves = {a: range(first + a, first + b) for a, b in pairwise(cuts)}
        started = self.now

        def outcome(place: int, effect: Effect, failure: Failure | None) -> Outcome:
            nonlocal started
            if place in waves:
                started, self.now = self.now, self.now + self.takes(waves[place])
            if failure is not None and isinstance(effect, ExecuteStep):
                self.skipped[-1].add(effect.step.id)
            return self.answer(effect, started, failure)

        _, outcomes = in_order(batch.effects, outcome)
        return tuple(outcome for outcome in outcomes if outcome is not None)

    def takes(self, wave: range) -> float:
        """The seconds of the wave of these effects."""
        return self.seconds

    def end_of_batch(self, number: int) -> int:
        """How many effects there are up to the end of the batch with effect ``number``."""
        ends = accumulate(len(batch.effects) for batch in self.batches)
        return next(end for end in ends if end > number)

    def answer(self, effect: Effect, started: float, skipped: Failure | None = None) -> Outcome:
        """The outcome of one effect."""
        if skipped is not None:
            self.effects.append(effect)
            self.outcomes.append(Outcome(failure=skipped, started=started, ended=started))
            return self.outcomes[-1]
        reply = self.reply(effect)
        self.asked[effect.phase] += 1
        failure = reply if isinstance(reply, Failure) else None
        interrupted = self.interrupted_at is not None and len(self.effects) >= self.interrupted_at
        outcome = Outcome(
            value=None if failure else reply, failure=failure, usage=self.price(effect), started=started,
            ended=self.now, interrupted=interrupted, config=self.changes.get(len(self.effects)),
        )  # fmt: skip
        self.effects.append(effect)
        self.outcomes.append(outcome)
        return outcome

    def reply(self, effect: Effect) -> Value:
        """What this world says to an effect."""
        reply = self.replies[effect.phase]
        return reply if isinstance(reply, Value) else reply(effect, self.asked[effect.phase])

    def price(self, effect: Effect) -> Usage:
        """What an effect costs."""
        return self.cost if isinstance(self.cost, Usage) else self.cost(effect)


class WildWorld(World):
    """Says anything that the types allow, as ``random`` has it, and fails in every way; it obeys its allowances.

    ``greedy`` spends every effect's whole allowance and never converges.
    """

    def __init__(self, random: Random, config: Config, greedy: bool = False) -> None:
        self.random, self.config, self.greedy = random, config, greedy
        super().__init__(cost=self.bill, seconds=random.choice((0.0, 0.5, 3.0)))
        self.interrupted_at = None if greedy else random.choice((None, None, None, random.randrange(12)))

    def bill(self, effect: Effect) -> Usage:
        """As much as the allowance lets an effect spend, or some of it."""
        allowed = effect.allowance
        calls = allowed.calls if self.greedy else self.random.randint(0, allowed.calls)
        most = calls * (self.config.prompt_bytes + self.config.generated_tokens)
        tokens = most if allowed.tokens is None else min(most, allowed.tokens)
        generated = min(tokens, calls * self.config.generated_tokens)
        usage = Usage(calls=calls, prompt_tokens=tokens - generated, generated_tokens=generated)
        prices = [price.of(usage) for price in self.config.prices.values() if price is not None]
        cost = max(prices, default=0.001 * calls)
        return usage.changed(cost=cost if allowed.cost is None else min(cost, allowed.cost))

    def reply(self, effect: Effect) -> Value:
        """Anything that fits the effect, sometimes a failure."""
        if not self.greedy and self.random.random() < 0.1:
            return self.failure(effect)
        return getattr(self, f"say_{effect.phase}")(effect)  # type: ignore[no-any-return]

    def failure(self, effect: Effect) -> Failure:
        """Some failure."""
        odd = {"execute": "unknown", "use_tool": "unknown", "ask": "waiting"}.get(effect.phase, "handler")
        kind = self.random.choice(("allowance", "completion", "completion", "tool", "handler", odd, odd, "endpoint"))
        limit = self.random.choice((None, "calls", "tokens", "seconds", "cost")) if kind == "allowance" else None
        asks = kind == "unknown" and self.random.random() < 0.8
        question = Question(text=f"{effect.phase} {len(self.effects)}: done?") if asks else None
        return Failure(kind=kind, message=f"{kind} went wrong", limit=limit, question=question)

    def say_profile(self, effect: Effect) -> TaskProfile:
        """Some profile; a hard one if greedy."""
        depth = 5 if self.greedy else self.random.randint(1, 5)
        count, form = self.random.choice((1, 3)), self.random.choice((None, "tools", "program"))
        ambiguity = self.random.choice((0.0, 0.4, 1.0))
        return TaskProfile(reasoning_depth=depth, ambiguity=ambiguity, expected_step_count=count, form=form)

    def say_plan(self, effect: Effect) -> Plan:
        """Some plan, not always a sound one."""
        return Plan(steps=self.some_steps("s", self.random.randint(0, 5), []))

    def say_validate_plan(self, effect: Effect) -> SemanticValidationReport:
        """Issues, some of them nowhere."""
        return found(*self.places(effect))

    say_validate_results = say_validate_plan

    def say_refine_plan(self, effect: Effect) -> Refinement:
        """A few deltas, not always sound ones."""
        if effect.may_ask and self.random.random() < 0.2:
            return Refinement(question=Question(text=f"which of {self.random.randint(1, 3)}?", default="the first"))
        return Refinement(actions=tuple(self.delta(effect, n) for n in range(self.random.randint(0, 3))))

    def say_execute(self, effect: Effect) -> StepResult:
        """Some result."""
        clarity = self.random.choice(("CLEAR", "CLEAR", "PARTIALLY_CLEAR", "BLOCKED"))
        return StepResult(output=self.random.choice((None, 1.5, "x", [1, {"a": "ü"}])), clarity=clarity)

    def say_turn(self, effect: Effect) -> Turn:
        """Calls, some that cannot be made and some too many; or a text, or nothing; sometimes both."""
        tools = self.random.choices(("look", "count", "mail"), k=self.random.choice((0, 1, 1, 2, 5)))
        turn = calls(effect, *tools, text=self.random.choice(("", "so it is", "because")))
        wrong = self.random.random() < 0.2
        made = tuple(one.changed(problem="no such tool") if wrong else one for one in turn.calls)
        return turn.changed(calls=made, cites=() if tools else self.random.choice(((), ("s1.1",))))

    def say_use_tool(self, effect: Effect) -> ToolUse:
        """Some output, or a problem."""
        output = self.random.choice((None, 3, "x", [{"ü": 1.5}]))
        return used(effect, output, problem=self.random.choice(("", "", "no")))

    def say_write(self, effect: Effect) -> Programs:
        """Some programs, and whether there are ways left."""
        ways: list[Way] = self.random.choices(("reading", "query", "program"), k=self.random.randint(0, 3))
        programs = tuple(ProgramText(way=way, text="SELECT 7") for way in ways)
        return Programs(programs=programs, more=self.random.random() < 0.5)

    def say_run_program(self, effect: Effect) -> Ran:
        """Values, a text to be written, nothing stated, a problem, or nothing at all."""
        values = self.random.choice(((7,), (7.0,), ("x", None), ([],), ()))
        return Ran(values=values) if values else self.random.choice(
            (Ran(), Ran(writing="a letter"), Ran(absent=True, problem="not there"), Ran(problem="no column"))
        )  # fmt: skip

    def say_weigh(self, effect: Effect) -> Weight:
        """Some score, or none."""
        return Weight(score=self.random.choice((None, 0.0, 0.2, 0.9)))

    def say_assess(self, effect: Effect) -> ConvergenceAssessment:
        """Not yet, mostly."""
        return CONVERGED if not self.greedy and self.random.random() < 0.2 else NOT_YET

    def say_ask(self, effect: Effect) -> Reply:
        """Some reply."""
        return Reply(text=self.random.choice(("this one", "done", "repeat", effect.question.default or "no")))

    def say_synthesize(self, effect: Effect) -> Answer:
        """An answer."""
        return Answer(text="an answer", value={"n": 1})

    def places(self, effect: Effect) -> list[str]:
        """Where something may be wrong."""
        ids = [s.id for s in effect.plan.steps]
        return self.random.choices([*ids, "plan", "answer", "nowhere"], k=self.random.randint(self.greedy, 3))

    def some_steps(self, name: str, count: int, older: list[str]) -> tuple[Step, ...]:
        """Steps that build on older ones and on each other, now and then in a circle or on nothing."""
        ids = [f"{name}{n}" for n in range(count)]
        pool = [*older, *ids, *(["missing"] if self.random.random() < 0.1 else [])]
        steps = []
        for n, i in enumerate(ids):
            older_ones = pool if self.random.random() < 0.1 else [*older, *ids[:n]]
            chosen = self.random.choices(older_ones, k=self.random.randint(0, 2)) if older_ones else []
            kind = self.random.choice((step, step, looped, programmed))
            steps.append(kind(i, *dict.fromkeys(chosen)))
        return tuple(steps)

    def delta(self, effect: Effect, n: int) -> RefinementAction:
        """Some delta."""
        ids = [s.id for s in effect.plan.steps]
        kind = self.random.choice(("ADD", "MODIFY", "REMOVE", "REPLACE", "REPLACE"))
        target = self.random.choice([*ids, None, "nowhere"])
        new = self.some_steps(f"n{self.asked['refine_plan']}_{n}_", self.random.randint(1, 2), ids)
        if kind == "MODIFY" and target:
            new = (step(target, description="do it otherwise"),)
        return RefinementAction(type=kind, target=target, steps=() if kind == "REMOVE" else new)
