"""How contractive runs are shown: looks and splits in a line each, and the tree below the answer."""

from __future__ import annotations

from dataclasses import replace

from aeon.engines.contractive.effects import Collapse
from aeon.engines.contractive.export import to_mermaid
from aeon.engines.contractive.record import Contractive, Node, Pruned
from aeon.engines.contractive.reviews import verdict_of
from aeon.engines.contractive.values import Classes, Collapsed, Parts, Reviewed, Samples
from aeon.observability import flowchart
from aeon.observability.lines import Line, Span, counted, outcome_words, short
from aeon.observability.trail import Trail
from aeon.observability.view import View, recording
from aeon.schema import Conclusion, Outcome
from aeon.schema.effects import Effect

__all__ = ["VIEW"]

_QUESTION, _ANSWER = 44, 24


def _title(effect: Effect) -> str:
    return "answer" if isinstance(effect, Collapse) else effect.subject


def _words(outcome: Outcome) -> str:
    match outcome.value:
        case Samples(answers=answers, unusable=unusable):
            return _drawn(answers, unusable)
        case Classes(places=places, asked=asked):
            many = counted(len(set(places)), "meaning")
            return f"{many}, {counted(asked, 'pair')} asked" if asked else many
        case Parts(parts=parts):
            return "; ".join(part.question for part in parts) or "nothing"
        case Reviewed(score=score, issue=issue):
            return _reviewed(score, issue)
        case Collapsed(text=text):
            return text
    return outcome_words(outcome)


def _drawn(answers: tuple[str, ...], unusable: int) -> str:
    return "; ".join(answers) + (f" ({unusable} unusable)" if unusable else "")


def _reviewed(score: float | None, issue: str) -> str:
    said = "no score" if score is None else f"{verdict_of(score).replace('_', ' ')} ({score:.2f})"
    return f"{said}: {issue}" if issue else said


def _tree(end: Conclusion) -> list[Line]:
    """The tree, a line a node, with what was pruned."""
    if not isinstance(end, Contractive) or not end.tree:
        return []
    pruned = sum(len(node.pruned) for node in end.tree)
    head = f"{counted(len(end.tree), 'node')}, {pruned} pruned"
    lines: list[Line] = [(Span("tree ", "dim"), Span(head))]
    for node in end.tree:
        lines.append(_node(node))
        lines += [_pruned(node, one) for one in node.pruned]
    return lines


def _node(node: Node) -> Line:
    mark, style = ("✓", "good") if node.stop in ("agreed", "fixed_point") else ("~", "warn")
    if node.rejected or not node.answer:
        mark, style = "✗", "bad"
    levels = [f"{one.uncertainty:.2f}" for one in node.rounds if one.uncertainty is not None]
    said = f"  {short(node.answer or 'no answer', _ANSWER)}"
    rest = f"  {' → '.join(levels) or '-'} {node.stop.replace('_', ' ')}"
    head = Span(f"  {'  ' * node.place.count('.')}{mark} ", style)
    return (head, Span(short(node.question, _QUESTION)), Span(said, "strong"), Span(rest, "dim"))


def _pruned(node: Node, one: Pruned) -> Line:
    indent = "  " * one.place.count(".")
    level = "" if one.relevance is None else f" {one.relevance:.2f}"
    return (Span(f"  {indent}· {short(one.question, _QUESTION)}  pruned: {one.reason}{level}", "dim"),)


def _flowchart(trail: Trail) -> str:
    result = trail.result
    return to_mermaid(result) if isinstance(result, Contractive) else flowchart.to_mermaid(trail)


VIEW: View = replace(recording(_title, _words, _tree), flowchart=_flowchart)
