"""Proofs for tests: made by the host, or broken in one place with a digest that fits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.proof.canonical import canonical, sha256
from aeon.proof.document import Derivation, JournalRoot, Proof, ProofSource, ProofStep, proof_bytes
from aeon.schema import Source, Task

TEXT = "The rent is 1,040 euros a month. Anna Weber looks after the “hall”, since 1 March 2023."
TASK = Task(text="What does the hall cost in 2 months?", context="Heating is 12 % more.")
STEPS = (
    ProofStep(
        id="s1", tool="quote", arguments={"value": 1040, "source": "lease.md", "start": 0, "end": 32}, output=1040
    ),
    ProofStep(id="s2", tool="calculator", arguments={"expression": "1040 * 2"}, output=2080),
    ProofStep(id="s3", tool="calculator", arguments={"expression": "(2080 + 1) / 3"}, output=693.6666666666666),
    ProofStep(id="s4", tool="sql", arguments={"query": "…"}, output=[{"n": 7, "d": 0.5}]),
)


def made(answer: str, text: str = TEXT, journal: JournalRoot | None = None, raw: bytes | None = None) -> bytes:
    """The proof of an answer over the text and the steps."""
    outputs = [ToolOutput(step.id, step.output) for step in STEPS]
    spans = (Source(source="1", start=0, end=len(text), text=text),)
    source = ProofSource(id="1", text=text, title="Lease", location="lease.md", raw_sha256=sha256(raw or text.encode()))
    return proof_bytes(
        Proof(
            task=TASK, answer=answer, claims=claims(answer, TASK, outputs, spans), sources=(source,),
            derivations=(Derivation(id="d1", steps=STEPS),), limits=("sentences were not judged",), journal=journal,
        )
    )  # fmt: skip


def medium() -> bytes:
    """A proof with one source, one step and a claim on each."""
    task, step = (
        Task(text="What is 5 * 2?"),
        ProofStep(id="s1", tool="calculator", arguments={"expression": "5*2"}, output=10),
    )
    source = ProofSource(id="1", text="Ask Anna Weber.")
    spans = (Source(source="1", start=0, end=15, text=source.text),)
    answer = "It is 10, says Anna Weber."
    found = claims(answer, task, [ToolOutput("s1", 10)], spans)
    derivations = (Derivation(id="d1", steps=(step,)),)
    return proof_bytes(Proof(task=task, answer=answer, claims=found, sources=(source,), derivations=derivations))


def value(document: Any, number: int) -> Any:
    """A claim of the document that is a value, by its place among these."""
    return [one for one in document["claims"] if one["kind"] != "sentence"][number]


def small(answer: str = "It is 5 euros.") -> bytes:
    """A proof without sources and steps."""
    task = Task(text="5 euros?")
    return proof_bytes(Proof(task=task, answer=answer, claims=claims(answer, task)))


def sealed(document: Any) -> bytes:
    """A document as a proof file whose digest fits, whatever it says."""
    data = canonical(document | {"digest": "0" * 64}).encode()
    return data.replace(b'"digest":"' + b"0" * 64, b'"digest":"' + sha256(data).encode())


def resealed(data: bytes) -> bytes:
    """The bytes of a proof that were changed, with a digest that fits."""
    zeros = re.sub(rb'"digest":"[0-9a-f]{64}"', b'"digest":"' + b"0" * 64 + b'"', data)
    return zeros.replace(b'"digest":"' + b"0" * 64, b'"digest":"' + sha256(zeros).encode())


def changed(data: bytes, change: Callable[[Any], object]) -> bytes:
    """The proof after a change, with a digest that fits."""
    document = json.loads(data)
    change(document)
    return sealed(document)
