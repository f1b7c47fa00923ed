"""A vote under way: who is to be asked next and with what budget, which answers are there, and what they count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.engines.contractive.values import Classes
from aeon.engines.ensemble.config import EnsembleConfig, Seat
from aeon.engines.ensemble.members import Members, Said, answer_of, member, parts, settings_of
from aeon.engines.ensemble.record import Ballot
from aeon.engines.ensemble.rules import NO_ANSWER, EnsembleSignals
from aeon.kernel import budget
from aeon.kernel.engine import Run
from aeon.schema.conclusion import Conclusion
from aeon.schema.effects import Program
from aeon.schema.outcome import Answer

__all__ = ["EnsembleRun", "Poll"]

EnsembleRun = Run[EnsembleConfig, EnsembleSignals]


@dataclass(slots=True)
class Poll:
    """The members that were asked, their answers, and the classes of those that were compared.

    ``fresh`` are the places (from 0) of ballots whose answers were not compared yet. ``asked`` counts the pairs of
    answers that a model was asked about. ``merged`` is the answer that was made of several.
    """

    run: EnsembleRun
    members: Members
    ends: list[Conclusion] = field(default_factory=list)
    ballots: list[Ballot] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    fresh: list[int] = field(default_factory=list)
    rounds: int = 0
    asked: int = 0
    merged: str = ""

    def ask(self) -> list[Program[Conclusion]]:
        """The runs of the members that come next: at first as many as can make a majority, then one."""
        seats, many = self._waiting, 1 if self.ballots else len(self.run.config.seats) // 2 + 1
        config, left = self.run.config, self.run.left()
        own = [settings_of(self.members, config, seat.engine) for seat in seats]
        wants = [member(self.members, seat.engine).bound(one).calls for seat, one in zip(seats, own, strict=True)]
        to_come = max(1, config.rounds - self.rounds)
        shares = parts(left, wants, to_come * config.caps.compare_answers, to_come)
        self.rounds += 1
        return [
            member(self.members, seat.engine).within(self.run, one.changed(budget=budget.share(one.budget, part, 1)))
            for seat, one, part in zip(seats[:many], own, shares, strict=False)
        ]

    @property
    def _waiting(self) -> Sequence[Seat]:
        """The members that were not asked yet."""
        return self.run.config.seats[len(self.ballots) :]

    def take(self, ends: Sequence[Conclusion]) -> None:
        """Put what members said on record; those that gave no answer have no vote."""
        for seat, end in zip(self._waiting, ends, strict=False):
            missing = _missing(end)
            self.fresh += [] if missing else [len(self.ballots)]
            self.run.degraded += end.degraded
            self.ends.append(end)
            self.ballots.append(
                Ballot(
                    member=len(self.ballots) + 1,
                    engine=seat.engine,
                    seed=seat.seed,
                    missing=missing,
                    **Said.by(end).fields(),
                )
            )
            self.run.signals.question = self.run.signals.question or end.question
        self._show()

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that are to be compared; those of members that did not find the answer are one."""
        return tuple(_voted(self.ballots[place]) for place in self.fresh)

    def count(self, found: Classes) -> None:
        """Place the fresh answers; one that nobody placed is in the class of its very words, else alone."""
        self.asked += found.asked
        for number, (place, answer) in enumerate(zip(self.fresh, self.answers, strict=True)):
            of_class = found.places[number] if number < len(found.places) else -1
            if not 0 <= of_class <= len(self.classes):
                of_class = self.classes.index(answer) if answer in self.classes else len(self.classes)
            if of_class == len(self.classes):
                self.classes.append(answer)
            self.ballots[place] = self.ballots[place].changed(place=of_class)
        self.fresh.clear()
        self._show()

    def _show(self) -> None:
        """Show the decision table how the vote stands."""
        signals, votes = self.run.signals, self._votes
        signals.seats, signals.left = len(self.run.config.seats), len(self._waiting) + len(self.fresh)
        signals.cast, signals.most = votes.total(), max(votes.values(), default=0)
        signals.sound = any(ballot.sufficient for ballot in self._ahead)

    @property
    def _votes(self) -> Counter[int]:
        return Counter(ballot.place for ballot in self.ballots if ballot.place is not None)

    @property
    def _ahead(self) -> list[Ballot]:
        """The ballots of the class that has most votes, the first of two that are equal."""
        first = next((place for place, _ in self._votes.most_common(1)), None)
        return [ballot for ballot in self.ballots if ballot.place is not None and ballot.place == first]

    @property
    def taken(self) -> int | None:
        """The member whose answer is that of the majority: the first that ended well, else the first."""
        if not self.run.signals.majority:
            return None
        return next((one.member for one in self._ahead if one.sufficient), self._ahead[0].member)

    @property
    def mergeable(self) -> tuple[str, ...]:
        """What can be merged: of each class the first answer that was good enough by itself, if there are two.

        Where the host alone told the answers apart they are values: of these no two can stand.
        """
        sound = {one.place: one.answer for one in reversed(self.ballots) if one.place is not None and one.sufficient}
        wanted = self.run.config.merge and self.asked > 0 and len(sound) > 1
        return tuple(sound[place] for place in sorted(sound)) if wanted else ()

    def merge(self, text: str) -> None:
        """Take what was made of several answers, if anything was."""
        self.merged, self.run.signals.merged = text, bool(text)

    @property
    def absent(self) -> str:
        """Which members have no vote, and why."""
        every = (f"{ballot.member} ({ballot.engine}: {ballot.missing})" for ballot in self.ballots if ballot.missing)
        return ", ".join(every)

    def answer(self) -> Answer:
        """The answer of the majority as its member gave it, or the merged one; else all answers with their votes."""
        if self.merged:
            return Answer(text=self.merged)
        if self.taken is None:
            return Answer(text="\n".join(["No answer has a majority of the members.", *self._listed()]))
        return answer_of(self.ends[self.taken - 1])

    def _listed(self) -> list[str]:
        lines = []
        for place, answer in enumerate(self.classes):
            voters = [ballot for ballot in self.ballots if ballot.place == place]
            named = ", ".join(f"{one.member} {one.engine}" for one in voters)
            lines.append(f"- {len(voters)} of {len(self.run.config.seats)} ({named}): {voters[0].answer or answer}")
        return [*lines, f"No vote: {self.absent}."] if self.absent else lines


def _missing(end: Conclusion) -> str:
    """Why a member has no vote; "" if it has one."""
    if end.stop_reason in NO_ANSWER:
        return end.stop_reason
    return "" if end.answer.strip() else "no answer"


def _voted(ballot: Ballot) -> str:
    return "not stated" if ballot.stop_reason == "not_stated" else ballot.answer
