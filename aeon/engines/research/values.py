"""What the effects of a research run give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.claims import Verdict
from aeon.schema.judgment import ReplyKind, Standing
from aeon.schema.outcome import Answer
from aeon.schema.plan import Source
from aeon.schema.value import Value

__all__ = [
    "Citation",
    "Cited",
    "Digest",
    "Digests",
    "Drafted",
    "Paused",
    "Providers",
    "Queries",
    "Query",
    "Reflection",
    "Sentence",
    "TierName",
]

TierName = Literal["simple", "standard", "deep"]


class Providers(Value):
    """Where a run can search, by name. Each query goes to every ``local`` one, and to one of the ``web``, in order.

    ``room``: so many bytes of texts fit into a prompt of the model that reads them; 0 for one that reads the best
    passages and no summaries. ``whole``: it reads whole sources
    of up to so many characters; 0 for one that reads passages. ``titles`` are some of what is at hand.
    """

    local: tuple[str, ...] = ()
    web: tuple[str, ...] = ()
    room: Annotated[int, Field(ge=0)] = 9_000
    whole: Annotated[int, Field(ge=0)] = 0
    titles: tuple[str, ...] = ()


class Query(Value):
    """What is searched for, and what for."""

    text: Annotated[str, Field(min_length=1)]
    intent: str = ""


class Citation(Value):
    """A sentence of a source. ``number`` is the source's, from 1: what stands in the answer as ``[2]``."""

    number: Annotated[int, Field(ge=1)]
    source: Source


class Drafted(Value):
    """A sentence of an answer, and the sentences that it rests on.

    ``score`` is how likely a judge holds that these bear it out, where it was asked before the answer was written, and
    ``answers`` how likely that what is near to them answers the task at all.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    answers: Annotated[float, Field(ge=0, le=1)] | None = None


class Digest(Value):
    """What prompts show of a source whose text is too long for them: a ``summary``, and the sentences that matter.

    Both are as the model chose; the text itself stands behind the number of the source. ``title`` is the source's, and
    ``about`` where and when it was published.
    """

    number: Annotated[int, Field(ge=1)]
    title: str = ""
    about: str = ""
    summary: str = ""
    sentences: tuple[Source, ...] = ()


class Digests(Value):
    """The digests of some sources; one that has nothing to do with the task has neither summary nor sentences."""

    digests: tuple[Digest, ...] = ()


class Queries(Value):
    """The first queries of a run; ``tier`` is how much research it takes, if that was asked."""

    queries: tuple[Query, ...] = ()
    tier: TierName | None = None


class Reflection(Value):
    """What the model says after a round: whether what was found is ``sufficient``, and how sure it is of that (0-1).

    ``gaps`` are what is missing, in its words; ``queries`` are the next ones. ``draft`` is the answer that a small
    model gave while it read, empty where it gave none.
    """

    sufficient: bool = False
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    gaps: tuple[str, ...] = ()
    queries: tuple[Query, ...] = ()
    draft: tuple[Drafted, ...] = ()


class Sentence(Value):
    """A sentence of the answer: characters ``start`` to ``end`` of its text, and the sentences that it cites.

    ``verdict`` is what a judge says of these: that they support it, or not; ``why`` in its words. ``score`` is the
    probability of that, where it tells one.
    """

    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    citations: tuple[Citation, ...] = ()
    verdict: Verdict = "not_checked"
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    why: str = ""


class Cited(Answer):
    """The answer with its citations. ``reply`` is what a judge says that it is: an answer, a part of one, or none.

    It is ``None`` where nobody judged. ``missing`` is what the sources do not say, as whoever wrote the answer says.
    ``standing`` is what that judge is worth.
    """

    sentences: tuple[Sentence, ...] = ()
    reply: ReplyKind | None = None
    missing: tuple[str, ...] = ()
    standing: Standing = "none"


class Paused(Value):
    """So many seconds have passed."""

    seconds: float = 0.0
