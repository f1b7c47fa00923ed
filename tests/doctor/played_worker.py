"""A model at an endpoint that does the tasks of the work forms: well in the forms that it is good at, else badly."""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import count

from approving import approval
from assembly.capable import CAN

from aeon.doctor.form_tasks import FormTask, shipped_tasks
from aeon.errors import EndpointFailed
from aeon.llm.adapter import Permit, freely
from aeon.llm.asking import Form
from aeon.llm.probe import measured
from aeon.llm.profiles import Profile, Told, load, save
from aeon.llm.scripted import Reply, Scripted
from aeon.schema import Capabilities, LLMRequest, LLMResponse, WorkForm

QUERIES = {
    "count": "SELECT COUNT(*) FROM sessions WHERE cloud_percent < 50",
    "filtered sum": "SELECT SUM(hours) FROM sessions WHERE telescope = 'Vega'",
}
_WORKED_EXAMPLES = 8
_ACTION = "Answer with one JSON object and nothing else. To call tools"


class Worker(Scripted):
    """The model; ``native``: its endpoint calls tools natively. After ``dies_after`` requests nothing answers.

    What is saved of it is what its capabilities are, as of any endpoint.
    """

    def __init__(self, *good: WorkForm, native: bool = True, dies_after: int = 1 << 20) -> None:
        super().__init__(self._reply, CAN.changed(tools=native), name="worker")
        self.place = "http://localhost:1/v1"
        self._good: Collection[WorkForm] = good
        self._numbers, self._dies_after = count(1), dies_after

    def examined(self, **speed: float) -> Profile:
        """The profile that an examination would have saved, saved; ``speed`` in tokens per second."""
        profile = Profile(
            endpoint=self.place, model=self.name, measured_at="2031-03-01T08:00:00+00:00", answered_as="worker",
            told=Told(models=("worker",)), capabilities=self._capabilities.changed(measured=True),
            findings={"speed": {**speed}},
        )  # fmt: skip
        save(profile)
        return profile

    @property
    def profile(self) -> Profile:
        """What is saved of it now."""
        found = load(self.place, self.name)
        assert found is not None
        return found

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """As saved, else as given."""
        return await measured(self, permit) or self._capabilities

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """The same in any form."""
        return await self.complete(request)

    async def told(self) -> Told:
        """The one model."""
        return Told(models=("worker",))

    def _reply(self, request: LLMRequest) -> Reply:
        if next(self._numbers) > self._dies_after:
            return EndpointFailed("the model has crashed")
        said = "\n".join(message.content for message in request.messages)
        task = next((one for one in shipped_tasks() if one.text in said), None)
        if task is None:
            return "Hello."
        approved = approval(request, **({"kind": task.stop_reason} if task.stop_reason else {}))
        if approved is not None:
            return approved
        if _ACTION in said:
            return json.dumps({"answer": self._answer("tools", task)})
        if request.tools:
            return self._answer("tools", task)
        return self._program(task) if len(request.messages) >= _WORKED_EXAMPLES else self._answer("program", task)

    def _answer(self, form: WorkForm, task: FormTask) -> str:
        return f"It is {task.expected}." if form in self._good else "It is hard to say."

    def _program(self, task: FormTask) -> str:
        if "program" not in self._good:
            return "print(1)"
        return f'print(sql("{QUERIES[task.name]}"))'
