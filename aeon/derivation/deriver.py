"""Other ways to an answer that was computed: worked in lines, then thought through, until two are alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.derivation.sums import done_again
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.multipass.effects import DeriveAgain
from aeon.multipass.plans import answer_steps
from aeon.proof.alike import alike, computed, numbers_of
from aeon.proof.readings import Read
from aeon.runtime.ledger import current_ledger
from aeon.schema import Agreement, Derivation, Plan, Task, ToolCall
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Deriver"]

_CALCULATOR = "calculator"
_LONGEST = 3_000
_TOKENS = {"worked": 250, "thought": 700}
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_EXAMPLES = (
    (
        "A jacket of 80 euros is 15% off. Ben has a voucher of 10 euros. What does he pay, and what does he save?",
        "What is off: 80 * 15 / 100 = 12\nThe price: 80 - 12 = 68\nHe pays: 68 - 10 = 58\nHe saves: 80 - 58 = 22\n"
        "Answer: 58 and 22",
    ),
    (
        "A tank of 90 litres is one third full. A tap gives 12 litres a minute. How long does it take to fill it?",
        "What is in it: 90 / 3 = 30\nWhat is missing: 90 - 30 = 60\nMinutes: 60 / 12 = 5\nAnswer: 5 minutes",
    ),
    (
        "Mia is 4 years older than Tom. Together they are 30. How old is Mia?",
        "Twice the age of Tom: 30 - 4 = 26\nTom: 26 / 2 = 13\nMia: 13 + 4 = 17\nAnswer: 17",
    ),
)


class Deriver:
    """Derives an answer anew, without the plan, and counts which answer two derivations give.

    The model sets the problem up; sums that it states are done again, so that none is outvoted by bad arithmetic.
    """

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def derive(self, effect: DeriveAgain) -> Agreement:
        """What other derivations give, at most as many as asked for; none where not just numbers were computed.

        They stop as soon as two of all give the same.
        """
        given = _computed(effect.plan)
        if not given or len(effect.task.text) + len(effect.task.context) > _LONGEST:
            return Agreement()
        derived: list[Derivation] = []
        answers = [given]
        for method in list(_TOKENS)[: effect.most]:
            text = done_again(await self._derived(effect.task, method), effect.task.text)
            answer = _last(text)
            if numbers := numbers_of(answer):
                derived.append(Derivation(method=method, text=text.strip(), answer=answer))
                answers.append(numbers)
            if _pair(answers):
                break
        return _counted(derived, answers)

    async def _derived(self, task: Task, method: str) -> str:
        """A derivation in the model's words; empty where none can be had."""
        if not current_ledger().calls_left():
            return ""
        context = fence("context", task.context, _LONGEST) + "\n" if task.context else ""
        said = "".join(f"\n{one.question} {one.answer}" for one in task.clarifications)
        examples = _EXAMPLES if method == "worked" else ()
        prompt = Prompt(load("aeon.derivation", f"{method}.md"), f"{context}{task.text}{said}", examples, fixed=True)
        try:
            return (await self._supervisor.text(prompt, max_tokens=_TOKENS[method], repairs=0)).value
        except (CompletionError, AllowanceExhausted):
            return ""


def _last(text: str) -> str:
    """What a derivation ends in: what is behind the mark, else in the last line, there in a box if there is one."""
    _, _, last = text.strip().rpartition("Answer:" if "Answer:" in text else "\n")
    boxed = _BOXED.findall(last)
    return ", ".join(boxed) if boxed else last.strip()


def _computed(plan: Plan) -> tuple[Read, ...]:
    """The numbers that the plan gives, if it has nothing but calculations."""
    done = [step for step in plan.steps if step.executed]
    if not all(isinstance(step.action, ToolCall) and step.action.tool == _CALCULATOR for step in done):
        return ()
    return computed([step.output for step in answer_steps(plan)])


def _pair(answers: Sequence[Sequence[Read]]) -> tuple[int, int] | None:
    """The places of the first two answers that are alike."""
    pairs = ((a, b) for b in range(len(answers)) for a in range(b))
    return next(((a, b) for a, b in pairs if alike(answers[a], answers[b])), None)


def _counted(derived: Sequence[Derivation], answers: Sequence[Sequence[Read]]) -> Agreement:
    """The derivations with the answer that two give; where none do, that of the plan stays."""
    first = (_pair(answers) or (0, 0))[0]
    return Agreement(
        derivations=tuple(
            one.changed(agrees=alike(answers[first], answers[number]), taken=number == first)
            for number, one in enumerate(derived, 1)
        )
    )
