"""The story of a run of any engine, event by event: which lines each event adds to what the user sees."""

from __future__ import annotations

from typing import NamedTuple

from aeon.assembly.registry import view_of
from aeon.observability.lines import (
    Line,
    Span,
    bound_words,
    counted,
    decision_line,
    expected_words,
    labelled,
    question_lines,
    reply_line,
    short,
    visible,
)
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Noted, RunEnded, RunStarted, TextDelta
from aeon.schema import Outcome, Reply
from aeon.schema.effects import AskUser, Effect, Note

__all__ = ["Narrator", "Past"]

_WIDTH = 69


class Past(NamedTuple):
    """What a resumed run did before: how many ``effects``, and which of them were ``altered`` by whoever forked it."""

    effects: int
    altered: frozenset[int] = frozenset()


class Narrator:
    """Gives the lines for each event of one run, in order: one for each effect that has its outcome.

    ``model`` is the model's name, ``past`` is ``None`` for a new run. ``asks``: a question is put to a person as soon
    as it is shown. The result holds the end, which is shown elsewhere.
    """

    def __init__(self, engine: str, model: str, asks: bool = False, past: Past | None = None) -> None:
        self.asks = asks
        self.past = past
        self._model = model
        self._altered = past.altered if past is not None else frozenset()
        self._view = view_of(engine)

    def lines(self, event: Event) -> list[Line]:
        """What is new with this event; often nothing."""
        match event:
            case RunStarted():
                return self._started(event)
            case EffectStarted():
                return [*self._resumed(), *self.before(event.effect), *self._question(event.effect)]
            case EffectEnded(recorded=True):
                altered = self._alteration(event) if event.number in self._altered else []
                return [*self.before(event.effect), *altered, *self.recalled(event.effect, event.outcome)]
            case EffectEnded():
                return self.ended(event.effect, event.outcome)
            case Noted():
                return self.noted(event.note)
            case TextDelta():  # shown where a line moves
                return []
            case RunEnded():
                return self._resumed()

    def doing(self, effect: Effect) -> str:
        """What is being done while this effect is under way."""
        return short(self._view.title(effect), 50)

    def before(self, effect: Effect) -> list[Line]:
        """What comes before the first lines of an effect."""
        return []

    def recalled(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """What an effect of the past came to."""
        return self.ended(effect, outcome)

    def ended(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """What an effect came to."""
        if isinstance(effect, AskUser):
            return self._answered(effect, outcome)
        seconds = f"{outcome.ended - outcome.started:.1f} s"
        title = short(self._view.title(effect), 24)
        head = (Span("  "), Span(f"{title:<9}", "strong"), Span(f"  {seconds}  ", "dim"))
        words = short(self._view.words(outcome), _WIDTH - len(title) - len(seconds))
        return [(*head, Span(words, "warn" if outcome.failure else ""))]

    def noted(self, note: Note) -> list[Line]:
        """What a note says; a question is shown where it is put."""
        if note.decision is None or note.decision.action == "ASK" or self.past is not None:
            return []
        return labelled("decide", [decision_line(note.decision)])

    def _started(self, event: RunStarted) -> list[Line]:
        first, *rest = visible(event.task.text).splitlines()
        task: list[Line] = [(Span(first, "strong"),), *((Span(line, "strong"),) for line in rest)]
        limited = event.config.budget.tokens is not None
        bound = bound_words(event.bound, tokens=limited)
        most = f"{self._model}, {bound}" if event.bound.calls else "no model is called"
        usual: list[Line] = [(Span(expected_words(event.bound.expected), "dim"),)] if event.bound.expected else []
        return [*task, (Span(most, "dim"),), *usual, ()]

    def _resumed(self) -> list[Line]:
        """Where the past ends and the new begins."""
        if self.past is None:
            return []
        done, self.past = self.past.effects, None
        where = f"after {counted(done, 'effect')}" if done else "at its beginning"
        return [(), (Span(f"Resumed {where}", "strong"),)]

    def _alteration(self, event: EffectEnded) -> list[Line]:
        """An outcome that is not what the world gave."""
        words = f"{self._view.title(event.effect)}: {self._view.words(event.outcome)}"
        return labelled("altered", [(Span(short(words), "warn"),)])

    def _question(self, effect: Effect) -> list[Line]:
        """The question that is about to be put to a person."""
        if not (self.asks and isinstance(effect, AskUser)):
            return []
        undecided = effect.question.changed(default="")  # the prompt shows it
        return labelled("question", question_lines(undecided))

    def _answered(self, effect: AskUser, outcome: Outcome) -> list[Line]:
        """A question in one line, unless it stands there already, and what was said to it."""
        if not isinstance(outcome.value, Reply):
            return []
        if self.asks and self.past is None:
            return labelled("", [reply_line(outcome.value)])
        return labelled("question", [(Span(short(effect.question.text)),), reply_line(outcome.value)])
