"""Roles: which model each phase gets, what it is charged, what the journal says of it, and what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from aeon.assembly.build import assemble, build, resume, resumption
from aeon.assembly.plugin import AnyPlugin, Plugin, Services, nothing_missing
from aeon.assembly.registry import plugin
from aeon.assembly.roles import author_of, cast_of, named, phase_roles
from aeon.assembly.runs import fork, replay
from aeon.assembly.setup import Trust, reach, recorded_roles
from aeon.engines.contractive.config import ContractiveConfig
from aeon.errors import UnknownNameError, UsageError
from aeon.kernel.decide import Rule, Signals
from aeon.kernel.engine import Engine, Halt, Run
from aeon.kernel.ports import Handlers
from aeon.llm.scripted import Scripted
from aeon.multipass.effects import AssessConvergence
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import Ledger
from aeon.runtime.lines import Opening
from aeon.schema import (
    Allowance,
    Answer,
    Capabilities,
    Caps,
    Conclusion,
    Config,
    ConvergenceAssessment,
    JsonObject,
    LLMRequest,
    LLMResponse,
    Plan,
    Price,
    Roles,
    SemanticValidationReport,
    Settings,
    Step,
    Task,
)
from aeon.schema.effects import AskUser, EffectOf, Program, Role
from aeon.schema.value import Value
from aeon.server.equipment import refuse_own
from aeon.server.problems import Problem
from aeon.testing.obliging import oblige
from aeon.testing.samples import samples
from aeon.tools.registry import ToolRegistry
from aeon.tools.select import Given

TASK = "What is 240 * 0.45 + 75 * 3.20?"
MULTIPASS = {
    "profile": "planner", "plan": "planner", "validate_plan": "verifier", "refine_plan": "planner",
    "execute": "worker", "turn": "worker", "write": "worker", "run_program": "worker", "weigh": "verifier",
    "validate_results": "verifier", "assess": "verifier", "synthesize": "worker",
}  # fmt: skip
MEASURED = "qwen2.5-coder-1.5b"
CAST = Roles(planner="planner", worker="worker", verifier="verifier", tutor="tutor", peer="peer")


class Models:
    """Scripted models by name, each made once, that oblige; ``asked`` are the names in the order of their requests."""

    def __init__(self, can: Capabilities | None = None) -> None:
        self.can = can or Capabilities(json_schema=True, json_mode=True)
        self.asked: list[str] = []
        self.made: dict[str, Scripted] = {}

    def __call__(self, name: str | None) -> Scripted:
        assert name is not None and name not in self.made, name
        self.made[name] = self.model(name)
        return self.made[name]

    def model(self, name: str) -> Scripted:
        """One of them."""

        def answer(request: LLMRequest) -> LLMResponse:
            self.asked.append(name)
            return oblige(request)

        return Scripted(answer, self.can, name)


def asked_by(brought: AnyPlugin, config: Settings, tools: Sequence[Given]) -> dict[str, set[str]]:
    """The models that handle the sample effects of each phase, where any is asked."""
    models = Models()
    handlers = assemble(models.model("own"), tools, config, plugin=brought, models=models)
    found: dict[str, set[str]] = {}
    for phase in phase_roles(brought):
        if phase not in {effect.phase for effect in brought.engine.effects}:
            continue
        for effect in samples(brought.engine, phase):
            models.asked.clear()
            asyncio.run(_handled(handlers, effect))
            found.setdefault(phase, set()).update(models.asked)
    return {phase: names for phase, names in found.items() if names}


async def _handled(handlers: Handlers, effect: AskUser | Value) -> None:
    with Ledger(Allowance(calls=30), execution_id="run"):
        try:
            await handlers[effect.phase](effect)  # type: ignore[union-attr]
        except Exception as error:  # noqa: BLE001 - only who was asked counts here
            assert str(error)


@pytest.mark.requirement("E5", "E5a")
@pytest.mark.parametrize(
    ("engine", "asked"),
    [
        ("multi-pass", {"planner", "worker", "verifier", "tutor"}),
        ("graph", {"planner", "worker", "verifier", "tutor"}),
        ("loop", {"planner", "worker", "verifier", "tutor"}),
        ("research", {"planner", "worker", "verifier"}),
        ("report", {"planner", "verifier"}),
    ],
)
def test_each_phase_asks_the_models_of_its_roles(engine: str, asked: set[str], tmp_path: Path) -> None:
    """On sample effects of every phase; no model of another role is asked, nor the run's own."""
    brought = plugin(engine)
    roles = phase_roles(brought)
    there = {role for one in roles.values() for role in one}
    config = brought.engine.config(roles=CAST.changed(**{name: "" for name in CAST.named if name not in there}))
    (tmp_path / "notes.txt").write_text("It was built in 1883.\n")
    found = asked_by(brought, config, [] if brought.lacks is nothing_missing else [f"files={tmp_path}"])
    for phase, names in found.items():
        assert names <= set(roles[phase]), phase
    assert set().union(*found.values()) == asked


@pytest.mark.requirement("E5")
def test_the_peer_of_the_contractive_engine_is_a_role() -> None:
    """Each of its phases has one; only reviews go to the peer."""
    brought = plugin("contractive")
    assert phase_roles(brought) == {
        "collapse": ("worker",), "sample": ("worker",), "classify": ("verifier",), "decompose": ("planner",),
        "review": ("peer",),
    }  # fmt: skip
    assert ContractiveConfig(roles=Roles(peer="other")).branch().reviewed


@pytest.mark.requirement("E5a")
def test_the_roles_of_phases_follow_from_their_effects() -> None:
    """Turns and programs ask the tutor beside the worker; phases that ask no model are not in the table.

    So does a step that is done in one effect.
    """
    beside: dict[str, tuple[str, ...]] = {"turn": ("tutor",), "write": ("tutor",)}
    assert phase_roles(plugin("multi-pass")) == {
        phase: (role, *beside.get(phase, ())) for phase, role in MULTIPASS.items()
    }
    assert phase_roles(plugin("graph"))["execute"] == ("worker", "tutor")
    assert {"recall", "look", "note_lesson"} & set(phase_roles(plugin("graph"))) == set()
    assert phase_roles(plugin("research"))["cite"] == ("worker", "verifier")


class Said(Value):
    """What a model said."""

    text: str


class Try(EffectOf[Said]):
    """Try it."""

    phase = "try_it"


class Check(EffectOf[Said]):
    """Check it."""

    phase = "check_it"
    role: Role = "verifier"


class TwoCaps(Caps):
    """A call each."""

    try_it: int = 1
    check_it: int = 1


class TwoConfig(Settings):
    """An engine's settings."""

    caps: TwoCaps = TwoCaps()


@dataclass(slots=True)
class TwoSignals(Signals):
    """Whether both are there."""

    done: bool = False


def two(run: Run[TwoConfig, TwoSignals]) -> Program[Conclusion]:
    """Try, then check."""
    text = ""
    try:
        for effect in (Try(task=run.task), Check(task=run.task)):
            text += (yield from run.perform(effect, Said(text="?"))).text
        run.signals.done = True
        decision = run.decide()
    except Halt as halt:
        decision = halt.decision
    return run.conclude(decision, Answer(text=text))


def two_handlers(services: Services[TwoConfig]) -> Handlers:
    """Both say the name of the model that they were given."""

    async def said(effect: Try | Check) -> Said:
        return Said(text=f"{services.adapter.name} ")

    return {"try_it": said, "check_it": said}


TWO: Plugin[TwoConfig, TwoSignals, Conclusion] = Plugin(
    Engine(
        name="two/1", config=TwoConfig, result=Conclusion, signals=TwoSignals, effects=(Try, Check),
        table=(Rule("done", "done", "done"),), calls=lambda config: 2, program=two,
    ),
    two_handlers,
)  # fmt: skip


@pytest.mark.requirement("E5a")
def test_an_engine_from_outside_has_roles_by_its_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    """An effect that says nothing is the worker's; the handlers are made for each model, and know of no role."""
    models = Models()
    monkeypatch.setattr("aeon.assembly.build.select", lambda name: models(name) if isinstance(name, str) else name)
    own = models.model("own")
    assert build(own, (), engine=TWO, roles={"verifier": "judge"}).execute("x").answer == "own judge "
    assert phase_roles(TWO) == {"try_it": ("worker",), "check_it": ("verifier",)}
    with pytest.raises(UsageError, match="the engine 'two' has no tutor; it has worker, verifier"):
        build(own, (), engine=TWO, roles={"tutor": "judge"})


@pytest.mark.requirement("G4", "E5b")
@pytest.mark.parametrize(
    ("own", "roles", "author"),
    [
        ("a", {}, "a"),
        ("a", {"planner": "b", "worker": "b"}, "b"),
        ("a", {"planner": "b"}, ""),
        ("a", {"verifier": "b"}, "a"),
        ("a", {"tutor": "b"}, ""),
        (None, {}, ""),
        (None, {"planner": "b"}, ""),
    ],
)
def test_the_author_of_a_run_is_the_model_that_planned_and_worked(
    own: str | None, roles: dict[str, str], author: str
) -> None:
    """Where that was more than one, or is not on record, nobody is."""
    cast: JsonObject = {role: {"model_name": name} for role, name in roles.items()}
    assert author_of({"model_name": own, "roles": cast}) == author
    assert author_of({"model_name": own}) == (own or "")


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Models:
    """Models by any name, also for runs that are resumed."""
    made = Models()

    def select(name: object) -> object:
        return (made.made.get(name) or made(name)) if isinstance(name, str) else name

    monkeypatch.setattr("aeon.assembly.build.select", select)
    monkeypatch.setattr("aeon.assembly.setup.select", select)
    return made


@pytest.mark.requirement("E5b", "X1")
def test_all_models_are_charged_to_one_run_at_their_own_prices(models: Models) -> None:
    """The calls of the run are those of its models together; so is its cost, and the bound is the dearest's."""
    prices = {"own": Price(input=1, output=1), "judge": Price(input=10, output=10), "drafter": Price(input=2, output=2)}
    config = Config(prices=prices, thorough=True, roles=Roles(verifier="judge", planner="drafter"))
    orchestrator = build(models.model("own"), config=config)
    result = orchestrator.execute(TASK)
    assert {"drafter", "own"} <= set(models.asked)
    assert result.usage.calls == len(models.asked)
    assert orchestrator.bound.cost == 0.5  # the budget's: at ten dollars a million the tokens would cost more
    cheap = build(models.model("own"), config=config.changed(roles=Roles()))
    unlimited = config.changed(budget=config.budget.changed(cost=None))
    dear = build(models.model("own"), config=unlimited).bound.cost
    alone = build(models.model("own"), config=unlimited.changed(roles=Roles())).bound.cost
    assert cheap.bound.cost == 0.5 and dear is not None and alone is not None and dear == pytest.approx(10 * alone)


@pytest.mark.requirement("E5b")
@pytest.mark.usefixtures("models")
def test_a_role_whose_price_is_not_known_leaves_the_cost_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the run's own model would."""
    monkeypatch.setattr(Scripted, "free", property(lambda self: self.name != "judge"))
    assert build(Models().model("own"), roles={"verifier": "judge"}).bound.cost is None
    assert build(Models().model("own"), roles={"verifier": "same"}).bound.cost == 0


@pytest.mark.requirement("E5b")
def test_roles_that_name_one_model_share_it() -> None:
    """It is made once; ``same`` is the run's own, and so is what is not named."""
    models = Models()
    own = models.model("own")
    cast = cast_of(Config(roles=Roles(planner="big", verifier="big", tutor="same")), own, models).models
    assert cast["planner"] is cast["verifier"] is models.made["big"]
    assert cast["worker"] is cast["tutor"] is cast["peer"] is own


@pytest.mark.requirement("E5b")
def test_handlers_are_made_once_for_a_run_with_one_model() -> None:
    """A run without roles is as it was: every phase has the handlers of one set."""
    made: list[str] = []

    def handlers(services: Services[TwoConfig]) -> Handlers:
        made.append(services.adapter.name)
        return two_handlers(services)

    counted: Plugin[TwoConfig, TwoSignals, Conclusion] = Plugin(TWO.engine, handlers)
    assemble(Models().model("own"), [], TwoConfig(), plugin=counted)
    assert made == ["own"]


@pytest.mark.requirement("E5c")
@pytest.mark.parametrize(
    ("own", "verifier", "worth"), [("unheard", MEASURED, "measured"), (MEASURED, "unheard", "assumed")]
)
def test_a_verifier_has_its_own_calibration_or_none(own: str, verifier: str, worth: str) -> None:
    """One that was measured judges by that, whatever model works; one that was not is assumed, as the record says."""
    models = Models(Capabilities(logprobs=True))
    config = Config(roles=Roles(verifier=verifier))
    handlers = assemble(models.model(own), [], config, plugin=plugin("multi-pass"), models=models)
    step = Step(id="s1", description="say it", status="complete", output="4", mode="reasoning")
    effect = AssessConvergence(
        task=Task(text="What is it?"), plan=Plan(steps=(step,)), report=SemanticValidationReport(),
        thresholds=config.convergence,
    )  # fmt: skip
    assessment = asyncio.run(_answered(handlers, effect))
    assert isinstance(assessment, ConvergenceAssessment)
    assert set(models.asked) <= {verifier}
    assert assessment.completeness is not None and models.asked
    assert assessment.standing == worth


async def _answered(handlers: Handlers, effect: AssessConvergence) -> Value:
    with Ledger(Allowance(calls=30), execution_id="run"):
        return await handlers[effect.phase](effect)


@pytest.mark.requirement("E5c")
def test_what_is_known_of_a_models_answers_counts_where_it_plans_and_works() -> None:
    """Nothing was counted of answers that two models made; a verifier of its own changes nothing about that."""
    own = Models().model("own")
    services = Services.of(Config(), own, ToolRegistry([]))
    other = services.supervisor_for(Models().model("other"))
    assert services.author == services.with_cast({"verifier": other}).author == "own"
    assert services.with_cast({"planner": other, "worker": other}).author == "other"
    assert services.with_cast({"planner": other}).author == services.with_cast({"worker": other}).author == ""
    taught = Services.of(Config(roles=Roles(tutor="other")), own, ToolRegistry([])).with_cast({"tutor": other})
    assert taught.author == ""


def saved(models: Models, path: Path) -> Journal:
    """A run whose verifier is called judge, and whose question waits for its answer, on record."""
    config = Config(thorough=True, roles=Roles(verifier="judge"))
    build(models.model("own"), config=config, journal=lambda _: Journal(path), spec="own").execute(TASK)
    return Journal.read(path)


@pytest.mark.requirement("E5d")
def test_the_journal_names_the_model_of_each_role(models: Models, tmp_path: Path) -> None:
    """What was configured, what was used, and its name; a run without roles says nothing of them. Replay asks none."""
    journal = saved(models, tmp_path / "run")
    assert journal.setup["roles"] == {"verifier": {"configured": "judge", "model": "judge", "model_name": "judge"}}
    models.asked.clear()
    assert replay(journal).stop_reason and models.asked == []
    plain = Journal()
    build(models.model("own"), journal=lambda _: plain).execute(TASK)
    assert "roles" not in plain.setup


@pytest.mark.requirement("E5d")
def test_a_resumed_run_keeps_its_roles_or_gets_others(models: Models, tmp_path: Path) -> None:
    """Another verifier is told in a line, and stays when the run is resumed once more; what it had is not told."""
    path = tmp_path / "run"
    forked = fork(saved(models, tmp_path / "first"), 1, path=path)
    assert resumption(forked, "own").changes == ()
    forked.close()
    first = resumption(Journal.reopen(path), "own", roles={"verifier": "second"})
    assert first.changes == ("until now the verifier was judge, from here on it is second",)
    models.asked.clear()
    first.execute()
    assert "judge" not in models.asked
    again = Journal.read(path)
    assert again.setup["roles"] == {"verifier": {"configured": "judge", "model": "second", "model_name": "second"}}
    assert replay(again).stop_reason
    assert recorded_roles(again.setup, Roles(verifier="judge")).verifier == "second"
    third = again.config(Config).changed(roles=Roles(verifier="third"))
    set_otherwise = resumption(fork(again, 1, third), "own")
    assert set_otherwise.changes == ("until now the verifier was second, from here on it is third",)


@pytest.mark.requirement("E5d", "E5h")
def test_a_role_that_nobody_had_is_not_given_to_a_saved_run(models: Models, tmp_path: Path) -> None:
    """A tutor changes what the run does: that is a fork's."""
    journal = fork(saved(models, tmp_path / "first"), 1)
    with pytest.raises(UsageError, match="the run has no tutor; fork it with --set"):
        resumption(journal, "own", roles={"tutor": "judge"})
    with pytest.raises(UsageError, match="no role 'critic'"):
        resumption(journal, "own", roles={"critic": "judge"})
    with pytest.raises(UsageError, match="no role 'critic'"):
        resume(tmp_path / "first", "own", roles={"critic": "judge"})


@pytest.mark.requirement("E5d")
def test_a_foreign_journal_sends_nothing_to_an_endpoint_that_it_alone_names() -> None:
    """The endpoint of a role is asked about like that of the run; one that the user names is none of a stranger's."""
    url = "http://10.0.0.9:8888/v1#judge"
    journal = Journal()
    journal.opening = Opening(
        execution_id="run", engine=plugin("multi-pass").engine.name, task=Task(text="Who?"),
        config=Config(roles=Roles(verifier=url)).model_dump(mode="json"), setup={"model": None, "tools": []},
    )  # fmt: skip
    assert reach(journal, plugin("multi-pass"), Trust()).addresses == ("http://10.0.0.9:8888/v1",)
    assert reach(journal, plugin("multi-pass"), Trust(), roles_given=("verifier",)).addresses == ()
    with pytest.raises(UsageError, match="add --trust"):
        resumption(journal, Models().model("own"))


@pytest.mark.requirement("E5h")
@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["critic=x"], "there is no role 'critic'; there are planner, worker, verifier, tutor, peer"),
        (["planner=a,planner=b"], "planner is named twice"),
        (["planner=a", "planner=b"], "planner is named twice"),
        (["planner"], "'planner' gives no role a model; write ROLE=MODEL,ROLE=MODEL"),
        (["planner="], "gives no role a model"),
        (["planner=a,"], "'' gives no role a model"),
        (["=a"], "there is no role ''"),
    ],
)
def test_what_gives_no_role_a_model_is_one_line(texts: list[str], said: str) -> None:
    """It says which part is wrong."""
    with pytest.raises(UsageError, match=said.replace("(", "\\(")):
        named(texts)


@pytest.mark.requirement("E5h")
@pytest.mark.parametrize(
    ("roles", "error", "said"),
    [
        ({"critic": "x"}, UsageError, "there is no role 'critic'"),
        ({"planner": 5}, UsageError, "planner: pass a model's name, path or URL as a text, not 5"),
        ({"planner": ""}, UsageError, "planner: pass a model's name"),
        ({"planner": "no-such-model"}, UnknownNameError, "no model is called 'no-such-model'"),
        ({"peer": "same"}, UsageError, "the engine 'multi-pass' has no peer; it has planner, worker, verifier, tutor"),
    ],
)
def test_roles_that_cannot_be_had_are_refused_before_a_run(
    roles: dict[str, str], error: type[Exception], said: str
) -> None:
    """Before anything is asked."""
    with pytest.raises(error, match=said):
        build(Scripted([]), roles=roles)


@pytest.mark.requirement("E5h")
def test_no_client_of_a_server_names_models_for_roles() -> None:
    """It would send what is asked to an address of its own; how much is asked it may say."""
    for role in Roles.model_fields:
        with pytest.raises(Problem, match=f"roles.{role}"):
            refuse_own(Config, {"roles": {role: "http://example.com/v1"}})
    refuse_own(Config, {"model_tier": "T1"})
