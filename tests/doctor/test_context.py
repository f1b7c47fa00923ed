"""The true context length, of endpoints that advertise another one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from doctor.played_liar import Liar
from doctor.test_checkup import adapter

from aeon.doctor.context import Limits, examine_context
from aeon.doctor.examination import Examination
from aeon.doctor.findings import Context
from aeon.errors import EndpointFailed

LIMITS = Limits(longest=8_192)


def measured(liar: Liar, advertised: int | None = 8_192, drift: float | None = 0.0, limits: Limits = LIMITS) -> Context:
    async def run() -> Context:
        endpoint = adapter(liar)
        try:
            return await examine_context(Examination(endpoint), advertised, drift, limits)
        finally:
            await endpoint.aclose()

    return asyncio.run(run())


def close_to(tokens: int | None, true: int) -> bool:
    """Within a tenth below; a few tokens above, where only a part of the password was cut off."""
    return tokens is not None and true * 0.9 <= tokens <= true * 1.02


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("true", [700, 2_000, 4_096, 6_500])
@pytest.mark.parametrize("counts", ["true", "sent"])
def test_a_prompt_that_is_cut_in_silence_is_found(liar: Liar, true: int, counts: Any) -> None:
    """Whatever the endpoint counts, the length is found where the beginning is lost."""
    liar.context, liar.longer, liar.counts = true, "cut", counts
    found = measured(liar)
    assert found.beyond == "cut" and found.contradicted
    assert close_to(found.tokens, true), found


@pytest.mark.requirement("X4")
def test_an_endpoint_that_counts_nothing_is_measured_in_bytes(liar: Liar) -> None:
    """Where the counts are no counts, tokens are taken to be three bytes long, and the bytes come out right."""
    liar.context, liar.longer, liar.counts = 2_000, "cut", "constant"
    found = measured(liar)
    assert found.beyond == "cut" and found.tokens is not None
    assert close_to(round(found.tokens * found.bytes_per_token), 2_000 * 4)


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("how", ["refuse", "fail"])
def test_a_prompt_that_is_refused_is_found(liar: Liar, how: Any) -> None:
    """An endpoint that says no to a longer prompt, or fails at it and lives, has that context."""
    liar.context, liar.longer = 3_000, how
    found = measured(liar)
    assert found.beyond == "refused" and close_to(found.tokens, 3_000)


@pytest.mark.requirement("X4")
def test_an_endpoint_that_dies_of_a_long_prompt_is_dead(liar: Liar) -> None:
    """A failure after which it answers nothing at all is no limit of its context."""
    liar.dies_after = 4
    with pytest.raises(EndpointFailed):
        measured(liar)


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("advertised", [8_192, 1_500, 600])
def test_what_is_advertised_and_true_is_confirmed(liar: Liar, advertised: int) -> None:
    """A prompt as long as advertised is read whole, and the length is what was advertised."""
    liar.context = advertised
    found = measured(liar, advertised)
    assert found.tokens == advertised and found.beyond == "nothing" and not found.stopped


@pytest.mark.requirement("X4")
def test_the_longest_prompt_that_is_tried_is_a_limit(liar: Liar) -> None:
    """More than the limit is neither confirmed nor contradicted."""
    found = measured(liar, 100_000)
    assert found.stopped == "size" and found.tokens == 100_000 and found.seen >= 8_000
    found = measured(liar, None)
    assert found.stopped == "size" and found.tokens == found.seen


@pytest.mark.requirement("X4")
@pytest.mark.parametrize(("limits", "which"), [(Limits(tokens=5_000), "tokens"), (Limits(seconds=0.0), "time")])
def test_measuring_ends_at_its_limits(liar: Liar, limits: Limits, which: str) -> None:
    """Neither more tokens nor more seconds are spent than allowed, and it is said which ended it."""
    found = measured(liar, 32_000, limits=limits)
    assert found.stopped == which and found.seen <= 5_000 and found.tokens == 32_000
    read = sum(len(body["messages"][0]["content"]) // 4 for body in liar.endpoint.bodies[2:])
    assert read <= limits.tokens


@pytest.mark.requirement("X4")
def test_a_model_that_cannot_repeat_a_word_is_measured_by_counts(liar: Liar) -> None:
    """A weak model says nothing about the context: the endpoint's own counts and refusals do."""
    liar.echoes = False
    assert measured(liar, drift=None).tokens == 8_192
    liar.context, liar.longer = 3_000, "cut"
    found = measured(liar, drift=None)
    assert found.beyond == "cut" and not found.echoed and found.tokens is not None
    assert 2_700 <= found.tokens <= 3_000 * 1.03


@pytest.mark.requirement("X4")
def test_probabilities_show_what_a_weak_model_cannot_say(liar: Liar) -> None:
    """Where only the password differs, other probabilities show that it was read."""
    liar.echoes, liar.counts = False, "constant"
    assert measured(liar).tokens == 8_192
    assert measured(liar, drift=None).beyond == "unmeasured"
