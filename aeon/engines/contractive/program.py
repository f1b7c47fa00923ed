"""The contractive engine: a tree that splits what its samples disagree on, then collapses into one answer.

The tree is a run of the branch engine within this one; here it is judged, and put into words.
"""

from __future__ import annotations

from aeon.engines.contractive import effects as ask
from aeon.engines.contractive.branch import BRANCH
from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.record import Branch, Contractive, Node
from aeon.engines.contractive.rules import TABLE, ContractiveSignals, most_calls
from aeon.engines.contractive.values import Candidate, Collapsed
from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema.conclusion import Decision, Degradation
from aeon.schema.effects import Program

__all__ = ["CONTRACTIVE"]

ContractiveRun = Run[ContractiveConfig, ContractiveSignals]


def _contractive(run: ContractiveRun) -> Program[Contractive]:
    """The whole run. Every way out leads through the answer."""
    branch: Branch | None = None
    try:
        branch = yield from BRANCH.within(run, run.config.branch())
        _judge(run, branch)
        decision = run.decide()
    except Halt as halt:
        decision = halt.decision
    return (yield from _collapsed(run, branch.nodes if branch else (), decision))


def _judge(run: ContractiveRun, branch: Branch) -> None:
    """Show the decision table how the root ended, and take over what went wrong below it."""
    node, signals = branch.node, run.signals
    signals.stop, signals.rejected = node.stop, node.rejected
    signals.doubted = node.best is not None and node.best.verdict == "major_revision"
    if node.stop.endswith("_exhausted"):
        run.denied = node.stop
    run.degraded += branch.degraded


def _collapsed(run: ContractiveRun, tree: tuple[Node, ...], decision: Decision) -> Program[Contractive]:
    """The result: the best answer in words, beside those that contradict it."""
    root = next(iter(tree), Node(place="1", question=run.task.text, stop=decision.reason))
    effect = ask.Collapse(task=run.task, best=root.best, others=root.others, samples=root.samples)
    answer = yield from run.final(effect, _bare(root.best), decision)
    if answer.problem:
        run.degraded.append(Degradation(phase=effect.phase, message=answer.problem))
    ended, unread = run.conclude(decision, answer), run.task.unread
    ended = ended.changed(unread=unread, sufficient=ended.sufficient and not unread)
    return Contractive(
        **dict(ended),
        short=answer.short,
        uncertainty=root.uncertainty,
        contradictions=root.others,
        tree=tree,
    )


def _bare(best: Candidate | None) -> Collapsed:
    """The answer where nobody words it."""
    return Collapsed(text=best.answer, short=best.answer) if best else Collapsed(text="No answer was found.")


CONTRACTIVE: Engine[ContractiveConfig, ContractiveSignals, Contractive] = Engine(
    name="contractive/2",
    config=ContractiveConfig,
    result=Contractive,
    signals=ContractiveSignals,
    effects=(ask.Collapse,),
    table=TABLE,
    calls=most_calls,
    program=_contractive,
    final=ask.Collapse,
    nested=BRANCH.effects,
)
