"""A run of an engine without a view of its own, as data."""

from __future__ import annotations

from aeon.observability.trail import Done, Trail
from aeon.schema import Bound, Conclusion, Decision, Degradation, Failure, Outcome, Task, Usage, Value
from aeon.schema.effects import EffectOf


class Hits(Value):
    """What a search found."""

    texts: tuple[str, ...]


class Search(EffectOf[Hits]):
    """Which texts are about this?"""

    phase = "search"
    query: str

    @property
    def subject(self) -> str:
        """The query."""
        return f"search for {self.query}"


class Found(Conclusion):
    """The conclusion with the queries."""

    queries: tuple[str, ...] = ()


TASK = Task(text="What do rolls cost?")


def search(query: str, *after: int) -> Search:
    """A search, after others of its batch."""
    return Search(task=TASK, query=query, after=after)


def done(number: int, effect: Search, text: str | None, altered: bool = False) -> Done:
    """An effect that found this text, or failed."""
    failure = None if text is not None else Failure(kind="tool", message="no network")
    value = Hits(texts=(text,)) if text is not None else None
    usage = Usage(calls=1, prompt_tokens=10, generated_tokens=2)
    outcome = Outcome(value=value, failure=failure, usage=usage, started=number, ended=number + 1.5)
    return Done(number, effect, outcome, altered)


def trail(text: str = "rolls cost 0.45", cost: float | None = 2.0) -> Trail:
    """Two batches: one search, then three of which the last waits for the first; ``text`` is wherever text can be."""
    result = Found(
        execution_id="run-1",
        engine="search/1",
        answer=text,
        stop_reason="enough_found",
        detail=text,
        degraded=(Degradation(phase="search", message=text),),
        usage=Usage(calls=4, prompt_tokens=40, generated_tokens=8, cost=0.5),
        lost=Usage(calls=2, prompt_tokens=10),
        bound=Bound(calls=12, tokens=1000, cost=cost),
        queries=(text,),
    )
    return Trail(
        engine="search/1",
        execution_id="run-1",
        task=Task(text=text),
        batches=(
            (done(0, search("rolls"), text),),
            (
                done(1, search("loaves"), None),
                done(2, search(text), "b", altered=True),
                done(3, search("buns", 0), "c"),
            ),
            (Done(4, search("cakes"), None),),
        ),
        decisions=((1, Decision(action="CONTINUE", reason="more_to_find", detail=text)),),
        result=result,
    )
