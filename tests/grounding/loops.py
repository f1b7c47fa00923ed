"""What a model's loop over tools has on record, for tests: a query with rows, a text with sentences."""

from __future__ import annotations

from aeon.documents.sentences import sentences
from aeon.schema import Lines, Plan, Step, ToolLoop, ToolUse

ORDERS = ToolUse(
    id="s1.1",
    tool="sql",
    arguments={"query": "SELECT …"},
    output={
        "columns": ["order_id", "order_date", "weight_kg"],
        "rows": [["O0016", "2025-03-17", 25.2], ["O0022", "2025-03-22", 48.0], ["O0040", "2025-04-11", 33.0]],
        "total": 3,
    },
)
RETURNS = "Customers can return goods within 14 days. We charge a fee of 10 percent, at least 5.00.\n"


def read(name: str, text: str, number: int = 2) -> ToolUse:
    """The use of a tool that showed the sentences of a text."""
    spans = tuple((one.start, one.end) for one in sentences(text))
    lines = Lines(source=name, spans=spans, texts=tuple(text[start:end] for start, end in spans))
    return ToolUse(id=f"s1.{number}", tool="read", arguments={"name": name}, output={"name": name}, lines=(lines,))


def looped(answer: str, *uses: ToolUse, cites: tuple[str, ...] = ()) -> Plan:
    """A plan whose one step is done: a loop that made these calls and ended in the answer."""
    step = Step(
        id="s1", description="find out", action=ToolLoop(), status="complete", mode="tools", output=answer, uses=uses,
        cites=cites,
    )  # fmt: skip
    return Plan(steps=(step,), answer=("s1",))
