"""A proof graph as JSON lines, and as a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import TypeAdapter, ValidationError

from aeon.engines.tutor.actions import Action
from aeon.engines.tutor.graph import Node
from aeon.engines.tutor.statements import Statement, statement_words
from aeon.errors import InputFileError
from aeon.observability.lines import short

__all__ = ["from_jsonl", "node_words", "statement_of", "to_jsonl", "to_mermaid"]

_ACTION: TypeAdapter[Action] = TypeAdapter(Action)
_STATEMENT: TypeAdapter[Statement] = TypeAdapter(Statement)
_SHAPES = {"observation": "[({})]", "claim": "[{}]", "verdict": "{{{{{}}}}}", "answer": "([{}])"}
_WIDTH = 80


def to_jsonl(nodes: Iterable[Node]) -> str:
    """One node a line, in order: what `graph.broken_at` needs to verify the chain."""
    return "".join(f"{node.model_dump_json()}\n" for node in nodes)


def from_jsonl(text: str) -> tuple[Node, ...]:
    """The nodes of such lines.

    Raises:
        InputFileError: a line is no node; names it.
    """
    nodes: list[Node] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            nodes.append(Node.model_validate_json(line))
        except ValidationError:
            raise InputFileError(f"line {number}: is no node of a proof graph") from None
    return tuple(nodes)


def node_words(node: Node) -> str:
    """What a node says, in words."""
    content = node.content
    match node.kind:
        case "observation":
            return _ACTION.validate_python(content["action"]).words
        case "claim":
            return statement_words(_STATEMENT.validate_python(content["statement"]))
        case "verdict":
            return str(content["verdict"]).replace("_", " ")
    return str(content.get("answer") or content.get("reason") or content.get("say") or "")


def to_mermaid(nodes: Sequence[Node]) -> str:
    """The proof as a flowchart: what was seen leads to verdicts on claims, and these to the answer.

    Refusals and hint cards prove nothing and are left out.
    """
    return "\n".join(["flowchart TD", *(f"    {line}" for node in nodes for line in _drawn(node))])


def _drawn(node: Node) -> Iterator[str]:
    if node.kind not in _SHAPES:
        return
    words = short(node_words(node), _WIDTH).replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;")
    yield f"n{node.number}" + _SHAPES[node.kind].format(f'"{node.number} {words}"')
    yield from (f"n{number} --> n{node.number}" for number in node.rests_on)


def statement_of(node: Node) -> Statement:
    """The statement of a claim's node.

    Raises:
        pydantic.ValidationError: it is no claim.
    """
    return _STATEMENT.validate_python(node.content.get("statement"))
