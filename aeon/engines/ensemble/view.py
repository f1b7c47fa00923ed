"""How ensembles are shown: effects as the engines of their members show them, and the ballots below the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from aeon.engines.contractive.values import Classes
from aeon.engines.ensemble.members import Members
from aeon.engines.ensemble.record import Ballot, Ensemble
from aeon.engines.ensemble.values import Merged
from aeon.observability import flowchart
from aeon.observability.flowchart import CLASSES, escaped
from aeon.observability.lines import Line, Span, counted, outcome_words, short
from aeon.observability.trail import Trail
from aeon.observability.view import View, recording
from aeon.schema import Conclusion, Outcome
from aeon.schema.effects import Effect

__all__ = ["nested_titles", "nested_words", "to_mermaid", "view_of"]

_ANSWER = 60


def nested_titles(members: Members, views: Mapping[str, View]) -> Callable[[Effect], str]:
    """Names an effect as the engine does that it is of, after the scope of its run."""
    by_kind = {kind: views[name].title for name, engine in reversed([*members.items()]) for kind in engine.effects}

    def title(effect: Effect) -> str:
        own = by_kind.get(type(effect))
        return f"{effect.scope.removeprefix('/')} {own(effect) if own else effect.subject}".strip()

    return title


def nested_words(members: Members, views: Mapping[str, View]) -> Callable[[Outcome], str]:
    """Says what came of an effect as the engine does that has such values."""
    every = ((name, kind.result) for name, engine in reversed([*members.items()]) for kind in engine.effects)
    by_kind = {result: views[name].words for name, result in every}

    def words(outcome: Outcome) -> str:
        if isinstance(outcome.value, Merged):
            return outcome.value.text or "they cannot all stand"
        if isinstance(outcome.value, Classes):
            return f"{counted(len(set(outcome.value.places)), 'answer')}, {counted(outcome.value.asked, 'pair')} asked"
        own = by_kind.get(type(outcome.value)) if outcome.value is not None else None
        return (own or outcome_words)(outcome)

    return words


def _ballots(end: Conclusion) -> list[Line]:
    """A line for each member: its vote, its answer, and how its run ended."""
    if not isinstance(end, Ensemble) or not end.ballots:
        return []
    head = f"{counted(len(end.ballots), 'ballot')} of {end.seats}, {counted(len(end.classes), 'answer')}"
    return [(Span("votes ", "dim"), Span(head)), *(_ballot(end, one) for one in end.ballots)]


def _ballot(end: Ensemble, ballot: Ballot) -> Line:
    mark, style = ("✓", "good") if ballot.member == end.taken else ("✗", "bad") if ballot.missing else ("·", "dim")
    vote = "no vote" if ballot.place is None else f"answer {ballot.place + 1}"
    rest = f"  {ballot.stop_reason.replace('_', ' ')}, {counted(ballot.calls, 'call')}"
    name = f"{ballot.member} {_name(ballot)}"
    return (
        Span(f"  {mark} ", style),
        Span(name, "strong"),
        Span(f"  {vote}: {short(ballot.answer, _ANSWER)}"),
        Span(rest, "dim"),
    )


def _name(ballot: Ballot) -> str:
    return f"{ballot.engine} (seed {ballot.seed})" if ballot.seed else ballot.engine


def to_mermaid(result: Ensemble) -> str:
    """A ``flowchart TD``: the members, the class of each answer with its votes, and what was taken."""
    end = f'answer["{escaped(result.stop_reason.replace("_", " "))}<br/>{escaped(short(result.answer, _ANSWER))}"]'
    look = "complete" if result.sufficient else "invalid"
    classes = [f"classDef {name} {CLASSES[name]}" for name in ("complete", "failed", "invalid")]
    return "\n    ".join(["flowchart TD", *_members(result), *_classes(result), f"{end}:::{look}", *classes])


def _members(result: Ensemble) -> Iterator[str]:
    for ballot in result.ballots:
        looks = "failed" if ballot.missing else "complete" if ballot.sufficient else "invalid"
        label = f"{ballot.member}: {_name(ballot)}<br/>{ballot.stop_reason.replace('_', ' ')}"
        yield f'member_{ballot.member}["{"<br/>".join(map(escaped, label.split("<br/>")))}"]:::{looks}'
        yield f"task([task]) --> member_{ballot.member}"
        if ballot.place is not None:
            yield f"member_{ballot.member} --> class_{ballot.place}"


def _classes(result: Ensemble) -> Iterator[str]:
    taken = next((one.place for one in result.ballots if one.member == result.taken), None)
    for place, (answer, votes) in enumerate(zip(result.classes, result.votes, strict=True)):
        label = f"{escaped(short(answer, _ANSWER))}<br/>{escaped(f'{votes} of {result.seats}')}"
        yield f'class_{place}["{label}"]:::{"complete" if place == taken else "invalid"}'
        yield f"class_{place} {'-->' if taken in (None, place) else '-.->'} answer"


def view_of(members: Members, views: Mapping[str, View]) -> View:
    """The view of ensembles of these engines, which have these views."""
    title, words = nested_titles(members, views), nested_words(members, views)

    def drawn(trail: Trail) -> str:
        result = trail.result
        return to_mermaid(result) if isinstance(result, Ensemble) else flowchart.to_mermaid(trail)

    return replace(recording(title, words, _ballots), flowchart=drawn)
