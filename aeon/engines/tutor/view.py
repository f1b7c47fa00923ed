"""How proof games are shown: moves and looks in a line each, the answer with the claims that it rests on."""

from __future__ import annotations

from dataclasses import replace

from pydantic import TypeAdapter, ValidationError

from aeon.engines.tutor.actions import Observation
from aeon.engines.tutor.effects import FindTables, JudgedReply, Said, Tables
from aeon.engines.tutor.export import node_words, to_mermaid
from aeon.engines.tutor.moves import Ask, Assert, Illegal, Propose, Reformulate, typed
from aeon.engines.tutor.record import ProofGame
from aeon.engines.tutor.statements import statement_words
from aeon.observability import flowchart
from aeon.observability.lines import Line, Span, counted, outcome_words, short
from aeon.observability.trail import Trail
from aeon.observability.view import View, recording
from aeon.schema import Conclusion, JsonObject, Outcome, StepResult
from aeon.schema.effects import Effect

__all__ = ["VIEW"]

_OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)
_WIDTH = 110


def _title(effect: Effect) -> str:
    return "tables" if isinstance(effect, FindTables) else effect.subject


def _words(outcome: Outcome) -> str:
    match outcome.value:
        case Said(move=said):
            return _move_words(said)
        case Tables(tables=tables):
            return ", ".join(table.name for table in tables) or "none"
        case JudgedReply() as judged:
            return _judged_words(judged)
        case StepResult(output=None, problem=problem) if problem:
            return problem
        case StepResult(output=output) if output is not None:
            return _seen_words(outcome, output)
    return outcome_words(outcome)


def _move_words(said: JsonObject) -> str:
    move = typed(said)
    match move:
        case Illegal(reason=reason):
            return f"no move: {reason}"
        case Propose(action=action):
            return f"PROPOSE {action.words}"
        case Assert(claim=claim) | Ask(claim=claim):
            return f"{move.move} {statement_words(claim)}"
        case Reformulate(statement=statement):
            return f"REFORMULATE {statement_words(statement)}"
    return move.move


def _judged_words(judged: JudgedReply) -> str:
    if judged.answers is None:
        return "not judged: the judge was measured to be bad" if judged.standing == "bad" else "not judged"
    kind = f" ({judged.kind.replace('_', ' ')})" if judged.kind is not None else ""
    return f"{'answers' if judged.answers else 'does not answer'} the task{kind}"


def _seen_words(outcome: Outcome, output: object) -> str:
    try:
        return "; ".join(_OBSERVATION.validate_python(output).shown())
    except ValidationError:
        return outcome_words(outcome)


def _proof(end: Conclusion) -> list[Line]:
    """The score, what the answer was judged to be, and the claims that it cites with what they rest on."""
    if not isinstance(end, ProofGame):
        return []
    head: Line = (Span("proof   ", "dim"), Span(f"score {end.score}, {counted(end.turns, 'turn')}"))
    lines: list[Line] = [head]
    if end.judged is not None:
        lines.append((Span("judged  ", "dim"), Span(_judged_words(end.judged))))
    verdicts = {node.content["claim"]: node for node in end.graph if node.kind == "verdict"}
    for number in end.cited:
        verdict = verdicts.get(number)
        said = str(verdict.content["verdict"]).replace("_", " ") if verdict is not None else ""
        lines.append(
            (Span(f"  [{number}] ", "strong"), Span(short(f"{said}: {node_words(end.graph[number - 1])}", _WIDTH)))
        )
        for rest in verdict.rests_on if verdict is not None else ():
            if rest != number:
                lines.append((Span(f"      [{rest}] {short(node_words(end.graph[rest - 1]), _WIDTH)}", "dim"),))
    return lines


def _flowchart(trail: Trail) -> str:
    end = trail.result
    return to_mermaid(end.graph) if isinstance(end, ProofGame) and end.graph else flowchart.to_mermaid(trail)


VIEW: View = replace(recording(_title, _words, _proof), flowchart=_flowchart)
