"""Streams of a run's events: of one that is under way, and of one that is over, from its journal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence

from aeon.schema import JsonObject
from aeon.server.host import Host
from aeon.server.problems import Problem
from aeon.server.runs import RunRecord
from aeon.server.told import Place, Told, unkept

__all__ = ["last_of", "place_of", "stream_of"]


def place_of(last_event_id: str | None, after: str | None) -> Place | None:
    """The event after which a client wants to go on; the header counts before the parameter.

    Raises:
        Problem: it is no id of an event.
    """
    said = last_event_id if last_event_id is not None else after
    if said is None or not said.strip():
        return None
    place = Place.read(said)
    if place is None:
        raise Problem(400, "invalid_event_id", "an event's id is a number such as 7, or 7.1; leave it out for all")
    return place


async def stream_of(service: Host, record: RunRecord, after: Place | None) -> AsyncIterator[bytes] | None:
    """What a stream of the run's events sends, from the one behind ``after`` on; ``None`` where nothing is left.

    Raises:
        Problem: ``after`` is no event of this run.
        AeonError: its journal cannot be read.
    """
    going = service.follow(record, after)  # first: a run that ends meanwhile is followed to its end
    told = await service.told(record)
    if going is None and not told and record.state in ("ended", "waiting"):
        raise Problem(410, "gone", "the journal of the run was taken away; what is left of it: /jobs/{id}/result")
    _check(told, after)
    return _hidden(service, going) if going is not None else _over(service, record, told, after)


def _over(service: Host, record: RunRecord, told: Sequence[Told], after: Place | None) -> AsyncIterator[bytes] | None:
    """The stream of a run that does no more."""
    parts = [one.frame for one in told if after is None or one.place > after]
    parts += [last] if (last := last_of(record)) else []
    return _hidden(service, _each(iter(parts))) if parts else None


def _check(told: Sequence[Told], after: Place | None) -> None:
    if after is not None and not any(one.place == after for one in told):
        latest = f"its latest is {told[-1].place}" if told else "it has none yet"
        raise Problem(409, "unknown_event", f"this run has no event {after}; {latest}; leave the id out for all")


def last_of(record: RunRecord) -> bytes:
    """The event that ends the stream of a run that does no more; of one that ended, its own last one does."""
    data: JsonObject = {"id": record.id}
    match record.state:
        case "waiting":
            question = (record.conclusion or {}).get("question")
            return unkept("waiting", {**data, "question": question})
        case "failed":
            return unkept("failed", {**data, "error": record.error})
        case "cancelled":
            return unkept("cancelled", data)
    return b""


async def _each(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def _hidden(service: Host, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for part in parts:
        yield service.hide(part.decode()).encode()
