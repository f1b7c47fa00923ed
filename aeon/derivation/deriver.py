"""Other ways to an answer that was computed: worked in lines, then thought through, until two are alike."""

from __future__ import annotations

import itertools
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import NamedTuple

from aeon.derivation.sums import done_again, in_both, uses_all
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.multipass.effects import DeriveAgain
from aeon.multipass.plans import answer_steps
from aeon.proof.alike import alike, computed, numbers_of, without
from aeon.proof.readings import Read
from aeon.runtime.ledger import current_ledger
from aeon.schema import Agreement, Derivation, JsonValue, Plan, Step, Task, ToolCall
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.choose import CHOOSE
from aeon.tools.quote import QUOTE

__all__ = ["Deriver"]

_HOURS = "hours_between"
_COMPUTING = frozenset({"calculator", _HOURS})
_TOOLS = _COMPUTING | {CHOOSE, QUOTE}
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


class _Answer(NamedTuple):
    """What an answer gives: numbers, in any order, and of each choice between two the one that was made.

    ``beside`` are numbers that it quotes: another answer may say them or not. ``said`` are numbers that it repeats from
    the question, as in "in 7 years both are 39": it may be meant without them. ``doubtful``: it leaves something out.
    ``exact``: it is a time that a tool has measured, which words can confirm or doubt, and not replace. ``repeats``: it
    is the same text as one before it, which confirms nothing.
    """

    numbers: tuple[Read, ...]
    choices: tuple[str, ...] = ()
    beside: tuple[Read, ...] = ()
    said: tuple[Read, ...] = ()
    doubtful: bool = False
    exact: bool = False
    repeats: bool = False

    @property
    def meant(self) -> Iterator[tuple[Read, ...]]:
        """Its numbers, and these without what it repeats."""
        yield self.numbers
        if self.said and (left := without(self.numbers, self.said)):
            yield left

    def beside_of(self, plan: _Answer) -> _Answer:
        """It is doubtful, too, where it only repeats what the plan calculates with."""
        repeats = bool(self.numbers) and bool(plan.beside) and not without(self.numbers, plan.beside)
        return self._replace(doubtful=True) if repeats and not self.is_like(plan) else self

    def is_like(self, other: _Answer) -> bool:
        """Whether both give the same, rounded where one has fewer places."""
        return self.choices == other.choices and self._gives(other)

    def decides_otherwise(self, other: _Answer) -> bool:
        """Whether both give the same numbers, and another one of two things by them."""
        return self.choices != other.choices and self._gives(other)

    def _gives(self, other: _Answer) -> bool:
        """Whether the numbers of both are the same ones, also with what they quote: 40 - 20 gives a 20."""
        pairs = list(itertools.product(self.meant, other.meant))
        bare = [(without(mine, other.beside), without(theirs, self.beside)) for mine, theirs in pairs]
        return any(itertools.starmap(alike, [*pairs, *bare]))


class Deriver:
    """Derives an answer anew, without the plan, and counts which answer two derivations give.

    The model sets the problem up; sums that it states are done again, so that none is outvoted by bad arithmetic.
    ``evidence`` gives the sentences that may answer a question: a plan that quotes some is derived again from all.
    """

    def __init__(self, supervisor: Supervisor, evidence: Callable[[str], Awaitable[str]] | None = None) -> None:
        self._supervisor = supervisor
        self._evidence = evidence

    async def derive(self, effect: DeriveAgain) -> Agreement:
        """What other derivations give, at most as many as asked for; none where the answer was not computed.

        They stop as soon as two of all give the same.
        """
        given = _computed(effect.plan)
        if given is None or len(effect.task.text) + len(effect.task.background) > _LONGEST:
            return Agreement()
        task = await self._told(effect.task) if QUOTE in map(_tool, effect.plan.steps) else effect.task
        if task is None:
            return Agreement()
        derived: list[Derivation] = []
        answers = [given]
        for method in list(_TOKENS)[: effect.most]:
            text = done_again(await self._derived(task, method), f"{task.text} {task.background}")
            answer = _last(text)
            found = _derived(effect, text, answer).beside_of(given)
            if found.numbers and all(found.choices):
                repeats = any(_words(one.text) == _words(text) for one in derived)
                derived.append(Derivation(method=method, text=text.strip(), answer=answer, repeats=repeats))
                answers.append(found._replace(repeats=repeats))
            if _pair(answers):
                break
        return _counted(derived, answers)

    async def _told(self, task: Task) -> Task | None:
        """The task with the sentences that may answer it; ``None`` where nobody can say which."""
        shown = await self._evidence(task.text) if self._evidence else ""
        return task.changed(context="\n".join(filter(None, [task.context, shown]))) if shown else None

    async def _derived(self, task: Task, method: str) -> str:
        """A derivation in the model's words; empty where none can be had."""
        if not current_ledger().calls_left():
            return ""
        context = fence("context", task.background, _LONGEST) + "\n" if task.background else ""
        said = "".join(f"\n{one.question} {one.answer}" for one in task.clarifications)
        examples = _EXAMPLES if method == "worked" else ()
        prompt = Prompt(load("aeon.derivation", f"{method}.md"), f"{context}{task.text}{said}", examples, fixed=True)
        try:
            return (await self._supervisor.text(prompt, max_tokens=_TOKENS[method], repairs=0)).value
        except (CompletionError, AllowanceExhausted):
            return ""


def _words(text: str) -> str:
    """A text whatever the case of its letters and the spaces in it."""
    return "".join(text.casefold().split())


def _last(text: str) -> str:
    """What a derivation ends in: what is behind the mark, else in the last line, there in a box if there is one."""
    _, _, last = text.strip().rpartition("Answer:" if "Answer:" in text else "\n")
    boxed = _BOXED.findall(last)
    return ", ".join(boxed) if boxed else last.strip()


def _derived(effect: DeriveAgain, text: str, answer: str) -> _Answer:
    """What a derivation gives whose text ends in an answer."""
    chosen = tuple(_chosen(answer, two) for two in _options(effect.plan))
    needed = effect.task.text if effect.plan.doubts else _used(effect.plan, effect.task.text)
    lacking = not uses_all(text, needed)
    return _Answer(numbers_of(answer), chosen, said=numbers_of(effect.task.text), doubtful=lacking)


def _used(plan: Plan, task: str) -> str:
    """The numbers of the task that a sum of quoted values is calculated with; none of a plan without quotes."""
    calls = [step.action for step in plan.steps if isinstance(step.action, ToolCall)]
    quotes = any(call.tool == QUOTE for call in calls)
    return in_both(task, " ".join(str(call.arguments) for call in calls if call.tool in _COMPUTING)) if quotes else ""


def _computed(plan: Plan) -> _Answer | None:
    """What the plan gives, if it calculates, with nothing but what it quotes, and at most chooses by that."""
    done = [step for step in plan.steps if step.executed]
    if not {*map(_tool, done)} <= _TOOLS or not _given(done, *_COMPUTING):
        return None
    answers, options = answer_steps(plan), _options(plan)
    numbers, quoted = computed(_given(answers, *_COMPUTING)), _given(answers, QUOTE)
    if not numbers or (quoted and not computed(quoted)):
        return None
    choices = _choices(answers, options)
    if len(choices) != len(options) or _is_of_one_sentence(done, answers):
        return None
    exact = bool(_given(answers, _HOURS))
    return _Answer(numbers, choices, computed(_numbers(done)), doubtful=bool(plan.doubts), exact=exact)


def _is_of_one_sentence(steps: Sequence[Step], answers: Sequence[Step]) -> bool:
    """Whether the answer is the hours between times of one sentence: "from 6:30 to 19:00" leaves nothing to derive."""
    places = {(one.source, one.start) for step in steps for one in step.sources}
    return len(places) == 1 and bool(_given(answers, _HOURS))


def _choices(answers: Sequence[Step], options: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Which of each two the answer has."""
    return tuple(str(output) for two in options for output in _given(answers, CHOOSE) if output in two)


def _numbers(steps: Sequence[Step]) -> list[JsonValue]:
    """The numbers that steps quote."""
    return [output for output in _given(steps, QUOTE) if isinstance(output, int | float)]


def _tool(step: Step) -> str:
    """The tool that a step calls, "" for none."""
    return step.action.tool if isinstance(step.action, ToolCall) else ""


def _given(steps: Sequence[Step], *tools: str) -> list[JsonValue]:
    """What those of the steps gave that call one of the tools."""
    return [step.output for step in steps if _tool(step) in tools]


def _options(plan: Plan) -> list[tuple[str, str]]:
    """The two things of each choice whose outcome is part of the answer, as they were put in."""
    given = {f"${step.id}": str(step.output) for step in plan.steps}
    calls = [step.action for step in answer_steps(plan) if isinstance(step.action, ToolCall)]
    choices = [call.arguments or {} for call in calls if call.tool == CHOOSE]
    named = [(str(choice.get("yes")), str(choice.get("no"))) for choice in choices]
    return [(given.get(yes, yes), given.get(no, no)) for yes, no in named]


def _chosen(answer: str, two: tuple[str, str]) -> str:
    """Which of two an answer names first; "" where it names neither."""
    places = {one: answer.casefold().find(one.casefold()) for one in two}
    return min((one for one in two if places[one] >= 0), key=lambda one: places[one], default="")


def _pair(answers: Sequence[_Answer]) -> tuple[int, int] | None:
    """The places of the first two answers that are alike, of those that leave nothing out if there are any.

    Which of two things it is by numbers that the plan gives too, the plan has compared: words do not outvote that.
    """
    able = [place for place in _able(answers) if not answers[0].decides_otherwise(answers[place])]
    pairs = ((a, b) for b in able for a in able if a < b and (a == 0 or not answers[0].exact))
    return next(((a, b) for a, b in pairs if answers[a].is_like(answers[b])), None)


def _able(answers: Sequence[_Answer]) -> list[int]:
    """The places of the answers that leave nothing out, of all where each does; without those that repeat another."""
    own = [place for place, one in enumerate(answers) if not one.repeats]
    return [place for place in own if not answers[place].doubtful] or own


def _counted(derived: Sequence[Derivation], answers: Sequence[_Answer]) -> Agreement:
    """The derivations with the answer that two give; where none do, the first that leaves nothing out is taken."""
    first = 0 if answers[0].exact else (_pair(answers) or _able(answers))[0]
    return Agreement(
        derivations=tuple(
            one.changed(agrees=answers[first].is_like(answers[number]), taken=number == first)
            for number, one in enumerate(derived, 1)
        )
    )
