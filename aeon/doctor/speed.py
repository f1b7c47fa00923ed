"""Tokens per second, and whether requests that are made at once are worked on at once."""

from __future__ import annotations

from aeon.doctor.examination import Examination, plain
from aeon.doctor.findings import Speed
from aeon.errors import EndpointTimeout, RateLimited

__all__ = ["examine_speed"]

AT_ONCE = 4
_LONG = 64
_SHORT = 24
_LEAST = 8
_STORY = "Tell a long story about a heron that wants to see the mountains, with all that happens on the way."


async def examine_speed(exam: Examination) -> Speed:
    """How fast prompts are read and answers written, and the gain of parallel requests. Raises `ModelError`."""
    ships = (f"Ship {number} brought {number * 37 % 91} crates of tea to quay {number % 7}." for number in range(40))
    seconds, (response,) = await exam.timed(plain(f"{' '.join(ships)}\n\nWhich quay is the busiest?", 1))
    fresh = response.usage.prompt_tokens - response.usage.cached_tokens
    prompt = fresh / seconds if fresh >= _LEAST else None
    return Speed(prompt=prompt, generated=await _writing_rate(exam), at_once=AT_ONCE, speed_up=await _speed_up(exam))


async def _writing_rate(exam: Examination) -> float | None:
    """Tokens written per second: what a long answer takes longer than one of a single token."""
    await exam.ask(plain(_STORY, 1))  # so that neither of the two that are timed has to read the prompt
    short, (one,) = await exam.timed(plain(_STORY, 1))
    long, (many,) = await exam.timed(plain(_STORY, _LONG))
    written = many.usage.generated_tokens - one.usage.generated_tokens
    return written / (long - short) if written >= _LEAST and long > short else None


async def _speed_up(exam: Examination) -> float:
    """The time of some requests one after the other, divided by their time at once."""
    first, second, *others = [
        plain(f"Tell a short story about a {animal}.", _SHORT)
        for animal in ("heron", "hedgehog", "badger", "beaver", "swallow", "salmon")
    ]
    one, _ = await exam.timed(first)
    other, _ = await exam.timed(second)
    try:
        together, _ = await exam.timed(*others)
    except (RateLimited, EndpointTimeout):  # it does not take that many at once
        return 1.0
    return AT_ONCE * (one + other) / 2 / together
