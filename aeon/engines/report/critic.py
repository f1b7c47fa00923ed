"""The critic: holds each sentence against what it cites, and the draft against its task and its mode."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Literal

from aeon.engines.report.analyst import framed
from aeon.engines.report.effects import Critique
from aeon.engines.report.grading import reviewed, unreviewed
from aeon.engines.report.tiers import IN_WORDS, ModeConfigs
from aeon.engines.report.timing import limit
from aeon.engines.report.values import Checked, Draft, Finding, Review
from aeon.engines.research.values import Citation
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.schema import Task, Verdict, WorkForm
from aeon.schema.frozen import Frozen
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.judge_support import control_place
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["Critic"]

_SUPPORT = "evidence_supports"
_LIKELY, _PARTIAL = 0.5, 0.25
"""Probabilities from which on what is cited counts as supporting a sentence, and as doing so in part."""
_TOKENS, _PER_SENTENCE = 800, 60
_LONGEST, _LONGEST_TITLE = 1_000, 100


class _SentenceVerdict(Frozen):
    number: int
    why: str
    verdict: Literal["supported", "partial", "contradicted", "not_found"]


class _Criticised(Frozen):
    """What the critic of the reference gives, with a verdict on each sentence."""

    sentences: tuple[_SentenceVerdict, ...]
    issues: tuple[str, ...]
    logical_gaps: tuple[str, ...]
    suggestions: tuple[str, ...]
    mode_compliance: Literal["compliant", "violated"]
    critique: str
    status: Literal["PASS", "WARN", "REJECT"]


class Critic:
    """Asks a capable model for a critique, a small one for a yes or no to each sentence that nobody judged yet.

    A model whose judgment was measured to be bad, or that says yes to anything, cannot criticise.
    """

    def __init__(
        self, supervisor: Supervisor, briefing: Briefing, form: Callable[[], Awaitable[WorkForm]], modes: ModeConfigs,
        seconds: float,
    ) -> None:  # fmt: skip
        self._supervisor = supervisor
        self._briefing = briefing
        self._judge = Judge(supervisor)
        self._form = form
        self._modes = modes
        self._seconds = seconds

    async def critique(self, effect: Critique) -> Review:
        """The review of the effect's draft; UNREVIEWED where the model cannot criticise, which it names.

        Raises:
            CompletionError: the model gave nothing usable in time.
            ModelError, AllowanceExhausted: it could not be asked.
        """
        draft = effect.draft
        async with limit("critic", self._seconds):
            if not draft.findings:
                said = Review(status="PASS")
            elif not await self._judge.decides(judgment(_SUPPORT)):
                said = self._unable("its judgment was measured to be bad")
            elif await self._form() == "program":
                said = await self._judged(draft)
            else:
                said = await self._criticised(effect.task, draft)
        return reviewed(draft, said, self._modes)

    def _unable(self, why: str) -> Review:
        return unreviewed(f"{self._supervisor.llm.name} cannot criticise: {why}")

    async def _criticised(self, task: Task, draft: Draft) -> Review:
        """The critique of the model. The control is the first sentence over one that another question rests on."""
        place = control_place([one.text for one in draft.findings])
        control = tuple(_control(draft, draft.findings[0]))
        parts = (*draft.findings[:place], *control, *draft.findings[place:])
        made = await self._asked(task, draft, parts)
        verdicts = {one.number: one for one in made.sentences}
        said = verdicts.pop(place + 1, None) if control else None
        if said is not None and said.verdict == "supported":
            return self._unable("it finds support for a sentence in a source that says nothing of it")
        own = [(one, verdicts[n]) for n, one in enumerate(parts, 1) if n in verdicts]
        if not own:
            return self._unable("it says nothing of any sentence")
        checked = (Checked(id=one.id, verdict=each.verdict, why=each.why) for one, each in own)
        return Review(
            status=made.status, critique=made.critique, reasons=made.issues, suggestions=made.suggestions,
            mode_compliance=made.mode_compliance, logical_gaps=made.logical_gaps, checked=tuple(checked),
            form="verdict", standing="assumed",
        )  # fmt: skip

    async def _asked(self, task: Task, draft: Draft, parts: Sequence[Finding]) -> _Criticised:
        """What the model says of these sentences, and of the draft."""
        system = self._briefing.instructed(load("aeon.engines.report", "critic.md").strip())
        about = [self._briefing.facts(task), *self._about(draft)]
        lines = (
            f"{n}. {one_line(one.text, _LONGEST)}\n{_evidence(draft, one.citations)}" for n, one in enumerate(parts, 1)
        )
        shown = await framed(self._supervisor, "sentences", "\n".join(lines), [system, *about])
        prompt = Prompt(system, "\n\n".join([*about, f"The sentences, with what they cite:\n{shown}"]))
        most = _TOKENS + _PER_SENTENCE * len(parts)
        return (await self._supervisor.structured(prompt, _Criticised, max_tokens=most)).value

    def _about(self, draft: Draft) -> Iterator[str]:
        """The mode, the tiers, the questions, and what the draft says was not found."""
        yield IN_WORDS[draft.mode]
        tiers = (f"[{one.number}] {one.type} tier {one.tier or 'unknown'}" for one in draft.sources)
        yield fence("tiers of the sources", "\n".join(tiers), 2_000)
        yield fence("questions", "\n".join(one_line(one, _LONGEST) for one in draft.questions), 2_000)
        gaps = [*draft.gaps, *(draft.questions[one.question - 1] for one in draft.missing)]
        yield f"What it says was not found:\n{fence('missing', chr(10).join(gaps) or 'nothing', 2_000)}"

    async def _judged(self, draft: Draft) -> Review:
        """The verdicts that follow from the probabilities of a yes to each sentence that has none yet."""
        known = [(one, score) async for one, score in self._scores(draft)]
        if not known and all(one.verdict == "not_checked" for one in draft.findings):
            return self._unable("there was no usable answer to whether a sentence is supported")
        if known and not await self._discerns(draft, *known[0]):
            return self._unable("it finds as much support in a source that says nothing of a sentence")
        checked = tuple(Checked(id=one.id, verdict=_verdict(score), score=score) for one, score in known)
        standing = await self._judge.standing(judgment(_SUPPORT))
        return Review(status="PASS", checked=checked, form=await self._judge.form(), standing=standing)

    async def _scores(self, draft: Draft) -> AsyncIterator[tuple[Finding, float]]:
        for one in draft.findings:
            if one.verdict == "not_checked" and (score := await self._score(draft, one)) is not None:
                yield one, score

    async def _discerns(self, draft: Draft, finding: Finding, score: float) -> bool:
        """Whether it finds less support for a finding in what another question rests on."""
        controls = [await self._score(draft, one) for one in _control(draft, finding)]
        return all(one is None or one < score for one in controls)

    async def _score(self, draft: Draft, finding: Finding) -> float | None:
        """How likely what a finding cites shows what it says; ``None`` where the judge has no usable answer."""
        spec = judgment(_SUPPORT)
        if not finding.citations or current_ledger().calls_left() < await self._judge.most_calls(spec):
            return None
        material = {"evidence": _evidence(draft, finding.citations), "claim": finding.text}
        try:
            return (await self._judge.ask(spec, material)).score
        except (CompletionError, AllowanceExhausted):
            return None


def _control(draft: Draft, first: Finding) -> Iterator[Finding]:
    """A sentence as one that cites what another question rests on, of a source that it does not cite."""
    own = {one.number for one in first.citations}
    others = (each for one in draft.findings if one.question != first.question for each in one.citations)
    yield from (first.changed(citations=(one,)) for one in [o for o in others if o.number not in own][:1])


def _evidence(draft: Draft, citations: Sequence[Citation]) -> str:
    """The sentences that are cited, each behind the title of its source."""
    titles = {one.number: one for one in draft.sources}
    return "\n".join(
        f"   [{one.number}] {one_line(titles[one.number].title, _LONGEST_TITLE)}: {one_line(one.source.text, _LONGEST)}"
        for one in citations
    )


def _verdict(score: float) -> Verdict:
    return "supported" if score >= _LIKELY else "partial" if score >= _PARTIAL else "not_found"
