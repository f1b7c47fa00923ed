"""What the database holds of a run beside its journal: what each of its lives is to do, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from pydantic import Field

from aeon.assembly.roles import model_names
from aeon.runtime.lines import Entry, Opening
from aeon.schema import Conclusion, Frozen, JsonObject, Question, Usage

__all__ = [
    "DEFAULT_PRIORITY", "END_STATES", "JobRecord", "JobState", "Life", "LifeEnd", "Order", "Schedule", "needs",
    "role_models", "workflow_id",
]  # fmt: skip

JobState: TypeAlias = Literal["queued", "running", "waiting", "ended", "failed", "cancelled"]
END_STATES: tuple[JobState, ...] = ("ended", "failed", "cancelled")
DEFAULT_PRIORITY = 5
"""Of the runs that wait, those with the lowest priority go first: 1 to 9."""


class Life(Frozen):
    """The input of a workflow: one life of the run ``run``, the first, or one after a question or an ending.

    ``opening`` begins the journal of a new run, and ``entries`` are the past that a fork shares. ``answer`` answers the
    question that the run waits for; ``unattended`` says what becomes of others.
    """

    version: Literal[1] = 1
    run: str
    number: int = Field(ge=1)
    opening: Opening | None = None
    entries: tuple[Entry, ...] = ()
    answer: str | None = None
    unattended: Literal["assume", "suspend"] | None = None


class Order(NamedTuple):
    """How a run is queued: its ``task`` as lists show it, for which workers, before whom, and whose it is."""

    task: str
    queue: str
    priority: int
    owner: str


class LifeEnd(Frozen):
    """The output of a workflow: how the life ended, with the usage of the run up to there.

    The ``conclusion`` is all that every engine says of an end; the rest is for lists. ``given_up``: the run ended its
    process again and again, so that it is not taken up any more, and its journal has no end.
    """

    state: JobState
    stop_reason: str = ""
    sufficient: bool = False
    detail: str = ""
    answer: str = ""
    question: Question | None = None
    usage: Usage | None = None
    conclusion: Conclusion | None = None
    given_up: Literal[True] | None = None


class JobRecord(NamedTuple):
    """A run as a list shows it, by its latest life. ``worker`` has it, or had it last; ``needs`` are its queue.

    ``created`` and ``rested``, since when nobody works on it, are in seconds since 1970.
    """

    id: str
    life: int
    state: JobState
    task: str
    needs: str
    priority: int
    created: float
    worker: str | None
    stopping: bool
    end: LifeEnd | None
    detail: str
    owner: str
    rested: float | None

    @property
    def engine(self) -> str:
        """The name and the version of its engine."""
        return self.needs.partition(" ")[0]


def workflow_id(run: str, life: int) -> str:
    """The id of the workflow of a life; two that are begun at once have one id, so that only one of them is."""
    return f"{run}:{life}"


class Schedule(Frozen):
    """A run at each of its times, of which ``begun`` of ``times`` were begun, the ``latest`` last."""

    name: str
    every: str
    zone: str
    times: int
    begun: int
    latest: str | None
    task: str
    needs: str


def needs(engine: str, setup: JsonObject, models: Sequence[str] | None = None) -> str:
    """What a worker must have for a run: engine in its version, model, tools, models of roles. It names a queue.

    A worker listens to the queues of what it has, and so never sees a run that it could not continue. ``models`` are
    those of roles, without it the ones of the ``setup``. What MCP servers offer is a hash: tools that are described
    otherwise are others.
    """
    tools = setup.get("tools")
    named = [str(tool) for tool in tools] if isinstance(tools, Sequence) and not isinstance(tools, str) else []
    others = ",".join(role_models(setup) if models is None else sorted(models))
    parts = [engine, str(setup.get("model_name")), ",".join(named) or "-"]
    parts += [f"offered={setup['offered']}"] if "offered" in setup else []
    return " ".join([*parts, *([f"roles={others}"] if others else [])])


def role_models(setup: JsonObject) -> list[str]:
    """The names of the models that roles of a run have beside the run's own."""
    own = setup.get("model_name")
    return sorted({name for role, name in model_names(setup).items() if role and name != own})
