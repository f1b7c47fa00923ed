"""Reasoning models behind strict APIs are examined as they are: no answer that was cut off is held against them."""

from __future__ import annotations

import asyncio

import pytest
from hosted_endpoint import Hosted
from played_endpoint import served

from aeon.doctor.checkup import examine
from aeon.errors import EndpointFailed
from aeon.llm.openai_compatible import OpenAICompatible

pytestmark = pytest.mark.requirement("P1")


@pytest.mark.parametrize("thoughts", [0, 1_500])
def test_what_a_hosted_model_can_do_is_found_however_long_it_thinks(thoughts: int) -> None:
    """Refused fields are left out, and answers that were cut off are asked for again with room for thoughts."""
    with served() as endpoint:
        Hosted(endpoint, thoughts=thoughts)
        found = asyncio.run(examine(OpenAICompatible(endpoint.model, endpoint.base_url), quick=True))
    can = found.capabilities
    assert (can.json_schema, can.json_mode, can.tools, can.deterministic) == (True, True, True, True)
    assert can.hidden_reasoning == (thoughts > 0) and can.measured


def test_a_model_that_thinks_for_longer_than_any_answer_has_room_gets_no_profile() -> None:
    """The examination breaks off, and says why, instead of saving that nothing works."""
    with served() as endpoint:
        Hosted(endpoint, thoughts=9_000)
        with pytest.raises(EndpointFailed, match=r"nothing was saved: .* cut off after 4,096 tokens before"):
            asyncio.run(examine(OpenAICompatible(endpoint.model, endpoint.base_url), quick=True))
