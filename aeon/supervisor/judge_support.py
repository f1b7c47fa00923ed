"""Whether what the sentences of an answer cite supports them: one structured reply, with a control among them.

It is for models that write such an object well; of others, each sentence is asked about by itself.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

from aeon.schema import Calculation, ReplyKind, Standing, Task, Verdict
from aeon.schema.frozen import Frozen, JsonObject, JsonValue
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge_specs import Calibrations
from aeon.supervisor.judge_standing import of_verdict, standing
from aeon.supervisor.judge_verdict import strict_object
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = [
    "SUPPORT",
    "SUPPORT_WORDING",
    "CitedText",
    "Claimed",
    "Support",
    "SupportJudge",
    "control_place",
    "odds_of_support",
]

SUPPORT = "support"
"""The name of this judgment in calibrations."""
_TOKENS, _PER_SENTENCE = 400, 60
_RESERVED, _LEAST_ROOM = 6_000, 1_000
"""Bytes of a prompt for all but the sentences, and the least that these may take."""
_LONGEST_CLAIM, _LONGEST_SENTENCE, _LONGEST_TITLE, _LONGEST_BESIDE = 3_000, 1_000, 100, 2_000
_LIKELY: dict[Verdict, float] = {
    "supported": 0.95, "partial": 0.4, "not_checked": 0.3, "not_found": 0.1, "contradicted": 0.05,
}  # fmt: skip
"""How likely it is that a sentence is supported, for each verdict on it."""
_Said = Literal["supported", "partial", "contradicted", "not_found"]


class CitedText(NamedTuple):
    """What a sentence cites of one source."""

    title: str
    sentences: tuple[str, ...]


class Claimed(NamedTuple):
    """A sentence of an answer with what it cites."""

    text: str
    cites: tuple[CitedText, ...]


class Support(NamedTuple):
    """A verdict on each sentence, with why; what the answer as a whole is; and what the judge is worth."""

    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]
    reply: ReplyKind
    standing: Standing


class _SentenceVerdict(Frozen):
    """Whether what the sentence of this number cites supports it."""

    number: int
    why: str = ""
    verdict: _Said


class _Review(Frozen):
    """What a model says of an answer and its sentences."""

    sentences: tuple[_SentenceVerdict, ...] = ()
    explanation: str = ""
    kind: ReplyKind


class SupportJudge:
    """Asks for a verdict on each sentence of an answer, and for what kind of reply it is.

    ``measured`` holds what was measured, by default on the endpoint itself, then what is shipped.
    """

    def __init__(
        self, supervisor: Supervisor, briefing: Briefing, room: int, measured: Calibrations | None = None
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._room = room
        self._measured = measured

    async def review(
        self, task: Task, claims: Sequence[Claimed], control: Claimed | None = None, missing: Sequence[str] = (),
        calculations: Sequence[Calculation] = (),
    ) -> Support | None:  # fmt: skip
        """The review; ``None`` where the judge is bad: by its measure, or since it finds support for the ``control``.

        ``missing`` is what the answer says is not to be found, ``calculations`` how values of it follow from others.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the judge gave nothing usable.
        """
        worth = standing(await of_verdict(self._supervisor, self._measured, SUPPORT, SUPPORT_WORDING))
        if worth == "bad":
            return None
        place = control_place([one.text for one in claims])
        asked = [*claims[:place], *((control,) if control is not None else ()), *claims[place:]]
        review = await self._reviewed(task, claims, asked, missing, calculations)
        said = _verdicts(review, asked)
        if control is not None and said.pop(place)[0] == "supported":
            return None
        return Support(tuple(verdict for verdict, _ in said), tuple(why for _, why in said), review.kind, worth)

    async def _reviewed(
        self, task: Task, claims: Sequence[Claimed], asked: Sequence[Claimed], missing: Sequence[str],
        calculations: Sequence[Calculation],
    ) -> _Review:  # fmt: skip
        room = max(_LEAST_ROOM, min(self._room, (await self._supervisor.bounds()).prompt_bytes - _RESERVED))
        lines = "\n".join(line for number, one in enumerate(asked, 1) for line in _lines(number, one))
        answer = "\n".join(one.text for one in claims)
        shown = [
            self._briefing.facts(task),
            f"The answer:\n{fence('answer', answer, room // 4)}",
            f"Its sentences, with what they cite:\n{fence('sentences', lines, room * 3 // 4)}",
        ]
        if missing:
            shown.append(f"What it says is not in the sources:\n{_beside('missing', missing)}")
        if made := [f"{one.value} = {one.expression}" for one in calculations if one.expression]:
            shown.append(f"What it computed:\n{_beside('computed', made)}")
        system = self._briefing.instructed(load("aeon.supervisor", "judge_support.md").strip())
        said = await self._supervisor.structured(
            Prompt(system, "\n\n".join(shown)), _Review, schema=_schema(len(asked)),
            max_tokens=_TOKENS + _PER_SENTENCE * len(asked),
        )  # fmt: skip
        return said.value


def odds_of_support(support: Support) -> float:
    """The log-odds that the first sentence is supported, as the verdict on it amounts to."""
    likely = _LIKELY[support.verdicts[0]]
    return math.log(likely / (1 - likely))


def control_place(texts: Sequence[str]) -> int:
    """Where a control stands among sentences: anywhere, from 0, and in the same place whenever it is asked again."""
    return zlib.crc32("\n".join(texts).encode("utf-8", "replace")) % (len(texts) + 1)


def _lines(number: int, claim: Claimed) -> Iterator[str]:
    """A sentence, and below it what it cites, by source."""
    yield f"{number}. {one_line(claim.text, _LONGEST_CLAIM)}"
    for one in claim.cites:
        said = " … ".join(one_line(text, _LONGEST_SENTENCE) for text in one.sentences)
        yield f"   {one_line(one.title, _LONGEST_TITLE)}: {said}"


def _beside(name: str, lines: Sequence[str]) -> str:
    return fence(name, "\n".join(lines), _LONGEST_BESIDE)


def _verdicts(review: _Review, asked: Sequence[Claimed]) -> list[tuple[Verdict, str]]:
    """The verdict on each sentence, with why; none on one that was judged in two ways, not at all, or not whole."""
    verdicts: dict[int, tuple[Verdict, str]] = {}
    for one in review.sentences:
        known = verdicts.get(one.number)
        twice = known is not None and known[0] != one.verdict
        verdicts[one.number] = ("not_checked", "judged in two ways") if twice else (one.verdict, one.why)
    for number, claim in enumerate(asked, 1):
        if len(claim.text) > _LONGEST_CLAIM:
            verdicts[number] = "not_checked", "too long to be judged"
    return [verdicts.get(number, ("not_checked", "")) for number in range(1, len(asked) + 1)]


def _schema(count: int) -> JsonObject:
    numbers: list[JsonValue] = list(range(1, count + 1))
    text: JsonObject = {"type": "string"}
    verdict = strict_object({
        "number": {"type": "integer", "enum": numbers}, "why": text,
        "verdict": {"type": "string", "enum": list(get_args(_Said))},
    })  # fmt: skip
    return strict_object({
        "sentences": {"type": "array", "items": verdict, "maxItems": count}, "explanation": text,
        "kind": {"type": "string", "enum": list(get_args(ReplyKind))},
    })  # fmt: skip


def _wording() -> str:
    """A digest of all that is asked; a calibration holds for one wording only."""
    asked = f"{load('aeon.supervisor', 'judge_support.md')}\n{json.dumps(_schema(1))}"
    return hashlib.sha256(asked.encode("utf-8")).hexdigest()[:12]


SUPPORT_WORDING = _wording()
"""The digest of this judgment's wording."""
