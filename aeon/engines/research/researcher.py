"""Who answers the effects of a research run that take a model: in one object a phase, or by crisp questions."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from aeon.adaptive.profiler import Profiler
from aeon.engines.research.checking import Checked, Written, astray, cited, refusal, unplaced
from aeon.engines.research.crisp import Crisp
from aeon.engines.research.effects import Cite, FindProviders, PlanQueries, Reflect, Summarise
from aeon.engines.research.searcher import Searcher
from aeon.engines.research.structured import Structured
from aeon.engines.research.values import Cited, Digests, Providers, Queries, Reflection, TierName
from aeon.errors import AllowanceExhausted, CompletionError, RequestRefused
from aeon.multipass.effects import InferProfile
from aeon.runtime.ledger import current_ledger
from aeon.schema import JsonValue, Task, WorkForm
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.objects import value_for
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Researcher"]

_SMALL_ROOM, _MOST_ROOM = 9_000, 200_000
"""Bytes of texts in a prompt: with instructions and answer they fit a context of 4,096 tokens; and 50,000 tokens."""
_RESERVED = 6_000
"""Bytes of a prompt for all that is no source."""
_WHOLE = 8
"""A source of up to one of so many parts of the room is read whole."""
_LONGEST_ANSWER = 3_000
_MOST_NAMED = 5
_UNUSABLE = (CompletionError, AllowanceExhausted, RequestRefused)
"""What keeps a call from adding to an answer that is there; an endpoint that fails ends the run, to be resumed."""
_NO_ANSWER = ("not_stated", "refusal")
_TIERS: tuple[TierName, ...] = ("simple", "simple", "standard", "deep", "deep")
"""The tier for each depth of reasoning, from 1 to 5."""


class _Manner(Protocol):
    """How a model is asked."""

    async def plan(self, effect: PlanQueries) -> Queries: ...

    async def reflect(self, effect: Reflect) -> Reflection: ...

    async def write(self, effect: Cite, found: Sequence[str] = (), before: Written | None = None) -> Written: ...

    async def check(self, effect: Cite, written: Written) -> Checked: ...


class Researcher:
    """Asks a model as it works best: ``form`` says whether it is a small one, which writes programs elsewhere.

    ``judging`` is the model that holds answers against their sources, ``output_tokens`` what an answer may have.
    """

    def __init__(
        self, supervisor: Supervisor, judging: Supervisor, briefing: Briefing, searcher: Searcher,
        form: Callable[[], Awaitable[WorkForm]], output_tokens: int = 1_024,
    ) -> None:  # fmt: skip
        self._supervisor = supervisor
        self._judging = judging
        self._briefing = briefing
        self._searcher = searcher
        self._form = form
        self._output_tokens = output_tokens

    async def providers(self, effect: FindProviders) -> Providers:
        """Where can be searched, and how much the model can read at once.

        Raises:
            ModelError, AllowanceExhausted: the endpoint does not say what it can do.
        """
        if await self._form() == "program":
            return await self._searcher.providers(0, 0)
        room = await self._room(effect.task)
        return await self._searcher.providers(room, room // _WHOLE)

    async def plan(self, effect: PlanQueries) -> Queries:
        """The first queries; of a small model the tier is what its profile of the task says.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        manner = await self._manner(effect.task)
        planned = await manner.plan(effect)
        if not effect.choose_tier or planned.tier is not None or not isinstance(manner, Crisp):
            return planned
        return planned.changed(tier=await self._tier(effect.task))

    async def summarise(self, effect: Summarise) -> Digests:
        """What prompts show of sources from now on; errors as for `plan`."""
        return await (await self._structured(effect.task)).summarise(effect)

    async def reflect(self, effect: Reflect) -> Reflection:
        """What the model says of what was found; errors as for `plan`."""
        return await (await self._manner(effect.task)).reflect(effect)

    async def cite(self, effect: Cite) -> Cited:
        """The answer with its citations, or that the sources do not state it, with what was searched for.

        What stands in nothing that its sentence cites is shown to the model, once. Errors as for `plan`.
        """
        if not effect.texts and not effect.digests:
            return refusal(effect)
        manner = await self._manner(effect.task)
        written = await manner.write(effect)
        if not written.parts:
            return refusal(effect, written.missing)
        found = await unplaced(effect, written)
        if found and current_ledger().calls_left() > 1:
            written = await self._amended(manner, effect, found, written)
        answer = await self._finished(manner, effect, written)
        current_ledger().retell(answer.text)
        return answer

    async def _finished(self, manner: _Manner, effect: Cite, written: Written) -> Cited:
        """The answer with what a judge says of it, and with the value that a task with a schema asks for."""
        value, problem = await self._valued(effect, written)
        said = json.dumps(value, ensure_ascii=False) if value is not None else ""
        written = written._replace(value=said)
        checked = await self._checked(manner, effect, written) if effect.check else Checked(value="supported")
        answer = await _told(effect, written, checked)
        if said and checked.value != "supported":
            value, problem = None, f"no judge found the value {said} borne out"
        return answer.changed(value=value if answer.sentences else None, problem=answer.problem or problem)

    async def _valued(self, effect: Cite, written: Written) -> tuple[JsonValue, str]:
        """A value for the task's schema, and why there is none: none could be had, or the answer does not cite it."""
        schema = effect.task.answer_schema
        if schema is None:
            return None, ""
        parts = [
            self._briefing.facts(effect.task),
            fence("answer", "\n".join(one.text for one in written.parts), _LONGEST_ANSWER),
            fence("what it cites", "\n".join(one.source.text for one in written.cited()), _LONGEST_ANSWER),
            load("aeon.engines.research", "value.md").strip(),
        ]
        prompt = Prompt(self._briefing.instructed(""), "\n\n".join(parts))
        try:
            value = await value_for(self._supervisor, prompt, schema, self._output_tokens)
        except _UNUSABLE as error:
            return None, f"no value that fits the task's schema could be had: {error}"
        if stray := await astray(effect, written, value):
            named = ", ".join(repr(one) for one in stray[:_MOST_NAMED])
            return None, f"the value for the task's schema has what the answer does not cite: {named}"
        return value, ""

    async def _amended(self, manner: _Manner, effect: Cite, found: Sequence[str], before: Written) -> Written:
        """The answer once more; as it was where nothing usable comes."""
        try:
            again = await manner.write(effect, found, before)
        except _UNUSABLE:
            return before
        return again if again.parts else before

    async def _checked(self, manner: _Manner, effect: Cite, written: Written) -> Checked:
        """What the judge says; nothing, and why, where it cannot be asked or says nothing usable."""
        if current_ledger().calls_left() < 1:
            return Checked()
        try:
            return await manner.check(effect, written)
        except _UNUSABLE as error:
            return Checked(problem=f"the answer was not judged: {error}")

    async def _tier(self, task: Task) -> TierName | None:
        if not current_ledger().calls_left():
            return None
        try:
            profile = await Profiler(self._supervisor, self._briefing, "program", short=True).infer(
                InferProfile(task=task)
            )
        except (CompletionError, AllowanceExhausted):
            return None
        return _TIERS[profile.reasoning_depth - 1] if profile.inferred else None

    async def _manner(self, task: Task) -> _Manner:
        if await self._form() == "program":
            return Crisp(self._supervisor, Judge(self._judging), self._briefing, _SMALL_ROOM)
        return await self._structured(task)

    async def _structured(self, task: Task) -> Structured:
        room = await self._room(task)
        return Structured(self._supervisor, self._judging, self._briefing, room, self._output_tokens)

    async def _room(self, task: Task) -> int:
        """How many bytes of texts fit a prompt of a capable model beside the task."""
        facts = len(self._briefing.facts(task).encode("utf-8", "replace"))
        most = (await self._supervisor.bounds()).prompt_bytes - facts - _RESERVED
        return max(_SMALL_ROOM // 3, min(most, _MOST_ROOM))


async def _told(effect: Cite, written: Written, checked: Checked) -> Cited:
    """The answer; what a judge takes for none, with no sentence that is supported, is none."""
    if checked.reply not in _NO_ANSWER or "supported" in checked.verdicts:
        return await cited(effect, written, checked)
    nearest = [one for part in written.parts for one in part.citations]
    return refusal(effect, written.missing, nearest).changed(reply=checked.reply, standing=checked.standing)
