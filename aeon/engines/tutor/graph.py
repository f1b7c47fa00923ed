"""The proof-carrying graph: what was seen, claimed and decided, only ever added to, each node chained to the last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.frozen import JsonObject
from aeon.schema.value import Value

__all__ = ["Node", "NodeKind", "broken_at", "chained"]

NodeKind = Literal["observation", "claim", "verdict", "refusal", "hint", "answer"]


class Node(Value):
    """One entry. ``number`` counts from 1; ``rests_on`` are earlier nodes; ``turn`` is 0 before the first one.

    ``hash`` is the SHA-256 of the node and of the hash before it, as 64 hexadecimal digits.
    """

    number: Annotated[int, Field(ge=1)]
    turn: Annotated[int, Field(ge=0)]
    kind: NodeKind
    content: JsonObject
    rests_on: tuple[int, ...] = ()
    hash: str = ""


def chained(node: Node, before: str) -> Node:
    """The node with its hash, after the hash of the node before it; "" before the first one."""
    fields = {name: value for name, value in node.fields().items() if name != "hash"}
    text = json.dumps({**fields, "before": before}, sort_keys=True, separators=(",", ":"))
    return node.changed(hash=hashlib.sha256(text.encode()).hexdigest())


def broken_at(nodes: Sequence[Node]) -> int | None:
    """The place (from 1) of the first node that is not as it was added; ``None`` where the chain is whole.

    A node that was changed, left out, added or moved breaks it; so does one that rests on a later one. Nodes that are
    missing at the end do not: compare the last hash with one that is known.
    """
    before = ""
    for place, node in enumerate(nodes, 1):
        rests_earlier = all(0 < number < place for number in node.rests_on)
        if node.number != place or not rests_earlier or chained(node, before) != node:
            return place
        before = node.hash
    return None
