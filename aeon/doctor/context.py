"""The true context length: the longest prompt whose beginning reaches the model.

A prompt begins with a password, goes on with notes that nobody needs, and ends with the question for the password.
Where the answer lacks it, a small model may have forgotten it, so a second prompt that differs in nothing but the
password decides: does the endpoint count fewer tokens than were sent, does the model repeat the other password, do the
probabilities differ? A model that cannot repeat the password of even a short prompt is measured by the endpoint's count
alone. Longer prompts go on where shorter ones end, so that an endpoint with a prompt cache reads each note once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from aeon.doctor.examination import Examination, plain
from aeon.doctor.findings import Beyond, Context, Limit
from aeon.doctor.repeats import difference
from aeon.errors import EndpointFailed, EndpointTimeout, EndpointUnreachable, MalformedResponse, RequestRefused
from aeon.schema.llm import LLMRequest, LLMResponse

__all__ = ["Limits", "examine_context"]

_PASSWORDS = ("heron-4827", "tulip-9153")
_ANSWER = 12
_ALTERNATIVES = 10
_MARGIN = 32
_FIRST = 1_024
_FEW, _MORE = 4, 20
_BYTES_PER_TOKEN = 3.0
_SHORT = 0.97
_LEAST_DIFFERENCE = 1e-4
_NOISE = 4.0


@dataclass(frozen=True)
class Limits:
    """When measuring ends: the longest prompt (tokens), the tokens read in all, and the seconds."""

    longest: int = 32_768
    tokens: int = 131_072
    seconds: float = 300.0


class _LimitReached(Exception):
    """A limit was reached."""

    def __init__(self, which: Limit) -> None:
        super().__init__(which)
        self.which: Limit = which


@dataclass(frozen=True)
class _Ruler:
    """How many tokens a prompt with so many notes has.

    ``counted`` says whether the endpoint's counts can be relied on, ``echoes`` whether the model repeats the password
    of a short prompt.
    """

    base: float
    per_note: float
    counted: bool
    bytes_per_token: float
    echoes: bool

    def notes(self, tokens: int) -> int:
        return max(0, int((tokens - self.base) / self.per_note))

    def tokens(self, notes: int) -> int:
        return round(self.base + notes * self.per_note)


async def examine_context(
    exam: Examination, advertised: int | None, drift: float | None, limits: Limits | None = None
) -> Context:
    """The true context length, found by doubling and then by bisection within the limits.

    ``drift`` is by how much the probabilities of the same request differ, ``None`` if the endpoint tells none or cannot
    be compared. Raises `ModelError`.
    """
    search = _Search(exam, await _calibrate(exam), drift, limits or Limits())
    stopped: Limit = ""
    try:
        await search.run(advertised)
    except _LimitReached as reached:
        stopped = reached.which
    seen, beyond = search.seen, search.beyond
    if beyond == "forgotten" and not seen:
        beyond = "unmeasured"
    if beyond == "nothing" and not stopped:
        confirmed = advertised is not None and advertised <= search.limits.longest
        seen, stopped = (advertised or seen, "") if confirmed else (seen, "size")
    return Context(
        seen=seen, advertised=advertised, beyond=beyond, stopped=stopped, echoed=search.ruler.echoes,
        bytes_per_token=search.ruler.bytes_per_token,
    )  # fmt: skip


class _Search:
    """Looks for the longest prompt that is seen whole: ``seen`` so far, and ``beyond`` is what lies after it."""

    def __init__(self, exam: Examination, ruler: _Ruler, drift: float | None, limits: Limits) -> None:
        self.ruler = ruler
        self.limits = limits
        self.seen = 0
        self.beyond: Beyond = "nothing"
        self._exam = exam
        self._drift = drift
        self._ends = exam.clock() + limits.seconds
        self._tokens = 0
        self._counted = 0

    async def run(self, advertised: int | None) -> None:
        """Double until something is lost or the end is reached, then halve what is left between."""
        ceiling = min(advertised or self.limits.longest, self.limits.longest) - _ANSWER - _MARGIN
        size, whole, lost = min(_FIRST, ceiling), 0, 0
        while not lost:
            notes = self.ruler.notes(size)
            whole, lost = (notes, 0) if await self._whole(notes) else (whole, notes)
            if size >= ceiling:
                break
            size = min(2 * size, ceiling)
        while lost - whole > max(1, lost // 32):
            middle = (whole + lost) // 2
            whole, lost = (middle, lost) if await self._whole(middle) else (whole, middle)

    async def _whole(self, notes: int) -> bool:
        """Whether the beginning of a prompt with so many notes reaches the model."""
        outcome = await self._look(notes)
        if outcome != "nothing":
            self.beyond = outcome
            return False
        tokens = self.ruler.tokens(notes)
        self.seen = min(tokens, self._counted) if self.ruler.counted else tokens
        return True

    async def _look(self, notes: int) -> Beyond:
        first = await self._ask(_PASSWORDS[0], notes)
        if first is None:
            return "refused"
        if _repeats_password(first, _PASSWORDS[0]) and not self._short(first, notes):
            self._refine(first, notes)
            return "nothing"
        second = await self._ask(_PASSWORDS[1], notes)
        if second is None:
            return "refused"
        if self._short(first, notes) and self._short(second, notes):
            return "cut"
        if _repeats_password(second, _PASSWORDS[1]) or self._apart(first, second):
            return "nothing"
        return self._without_signs(first, notes)

    def _without_signs(self, first: LLMResponse, notes: int) -> Beyond:
        """What to make of a prompt whose beginning left no trace in the answers."""
        if self.ruler.echoes:
            return "cut" if self._drift == 0 else "forgotten"
        if not self.ruler.counted:
            return "forgotten"
        self._refine(first, notes)
        return "nothing"

    def _apart(self, first: LLMResponse, second: LLMResponse) -> bool:
        """Whether the probabilities differ by more than those of the same request do."""
        if self._drift is None:
            return False
        return difference(first, second) > max(_LEAST_DIFFERENCE, _NOISE * self._drift)

    def _refine(self, response: LLMResponse, notes: int) -> None:
        """Measure the notes by a longer prompt that was read whole."""
        per_note = (response.usage.prompt_tokens - self.ruler.base) / max(notes, 1)
        if self.ruler.counted and notes > _MORE and per_note > 0:
            self.ruler = replace(self.ruler, per_note=per_note)

    def _short(self, response: LLMResponse, notes: int) -> bool:
        """Whether the endpoint counts clearly fewer tokens than were sent."""
        return self.ruler.counted and response.usage.prompt_tokens < _SHORT * self.ruler.tokens(notes)

    async def _ask(self, password: str, notes: int) -> LLMResponse | None:
        """The answer to a prompt with so many notes; ``None`` if the endpoint refuses a prompt of that length."""
        left = self._ends - self._exam.clock()
        if left <= 0:
            raise _LimitReached("time")
        if self._tokens + self.ruler.tokens(notes) > self.limits.tokens:
            raise _LimitReached("tokens")
        scored = _ALTERNATIVES if self._drift is not None else 0
        request = plain(_prompt(password, notes), _ANSWER, scored, timeout=left).changed(attempts=1)
        response = await self._outcome(request)
        if response is not None:
            self._counted = response.usage.prompt_tokens
            self._tokens += self.ruler.tokens(notes) - min(response.usage.cached_tokens, self.ruler.tokens(notes))
        return response

    async def _outcome(self, request: LLMRequest) -> LLMResponse | None:
        try:
            return await self._exam.ask(request)
        except EndpointTimeout:
            raise _LimitReached("time") from None
        except (EndpointFailed, EndpointUnreachable, MalformedResponse):
            await self._exam.ask(plain("Hello.", 1))  # raises if it is dead; else it only could not take this prompt
            return None
        except RequestRefused:
            return None


async def _calibrate(exam: Examination) -> _Ruler:
    """How many tokens a note has, as the endpoint counts in two short prompts."""
    few = (await exam.ask(plain(_prompt(_PASSWORDS[1], _FEW), 1))).usage.prompt_tokens
    response = await exam.ask(plain(_prompt(_PASSWORDS[1], _MORE), _ANSWER))
    more, echoes = response.usage.prompt_tokens, _repeats_password(response, _PASSWORDS[1])
    sizes = [len(_prompt(_PASSWORDS[1], notes).encode()) for notes in (_FEW, _MORE)]
    per_note = (more - few) / (_MORE - _FEW)
    rate = (sizes[1] - sizes[0]) / (more - few) if more > few else 0.0
    if not 1.0 <= rate <= 12.0:  # these are no counts of tokens
        per_note = (sizes[1] - sizes[0]) / (_MORE - _FEW) / _BYTES_PER_TOKEN
        return _Ruler(sizes[0] / _BYTES_PER_TOKEN - _FEW * per_note, per_note, False, _BYTES_PER_TOKEN, echoes)
    return _Ruler(few - _FEW * per_note, per_note, True, rate, echoes)


def _prompt(password: str, notes: int) -> str:
    shelves = "\n".join(
        f'Note {number:04}: shelf {10 + number * 37 % 89} holds {{"boxes": {10 + number * 53 % 89}}}, to be counted.'
        for number in range(notes)
    )
    begin = f"The password is {password}. Keep it in mind: it will be asked for at the end.\n\nNotes of the store:\n"
    end = "What is the password that was given at the very beginning? Answer with the password only."
    return f"{begin}{shelves}\n\n{end}"


def _repeats_password(response: LLMResponse, password: str) -> bool:
    return password.rpartition("-")[2] in response.text
