"""Which field of a request an endpoint's words complain about."""

from __future__ import annotations

import httpx2
import openai
import pytest

from aeon.llm.translation import refused_part

pytestmark = pytest.mark.requirement("P1")

PARTS = ("tools", "text", "temperature", "logprobs")


def refusal(message: str) -> openai.BadRequestError:
    """A 400 with these words alone."""
    response = httpx2.Response(400, request=httpx2.Request("POST", "http://127.0.0.1/v1"))
    return openai.BadRequestError(message, response=response, body={"message": message})


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("This model does not support tools.", "tools"),
        ("Function calling is not enabled", "tools"),
        ("unknown field function_calling", "tools"),
        ("'tool_use' is not available for this model", "tools"),
        ('"auto" tool choice requires --enable-auto-tool-choice', "tools"),
        ("extra fields not permitted: text.format.schema", "text"),
        ("body.text.format: unknown. Use another", "text"),
        ("response_format is not supported", "text"),
        ("Unsupported value: 'temperature' does not support 0.0", "temperature"),
        ("top_logprobs is not allowed", None),
        ("you are out of toolboxes and malfunctioning", None),
        ("context.formats", None),
    ],
)
def test_a_field_is_found_by_its_names_in_the_words_of_an_endpoint(message: str, part: str | None) -> None:
    """By whole names, or by how one begins; a longer word that holds one is none."""
    assert refused_part(refusal(message), PARTS) == part


@pytest.mark.parametrize(("message", "field"), [("thinking.budget is too low", "extra.budget"), ("no Seed here", None)])
def test_a_field_of_the_users_own_is_found_by_its_last_name(message: str, field: str | None) -> None:
    """As it is written: ``own`` are paths with dots."""
    assert refused_part(refusal(message), PARTS, ("extra.budget",)) == field
