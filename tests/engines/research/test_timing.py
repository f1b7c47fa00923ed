"""How long a run may take: the seconds of its tier, stretched for a model that is slower than hosted ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.engines.research.config import LIMITS, ResearchConfig
from aeon.engines.research.timing import stretched, timed
from aeon.llm.local import Local
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.profiles import Profile, Told, path_of, save
from aeon.llm.scripted import Scripted
from aeon.llm.speed import HOSTED, ON_TWO_CORES, Speed, speed_of
from aeon.schema import Budget, Capabilities
from aeon.schema.frozen import JsonObject

pytestmark = pytest.mark.requirement("R2")

ENDPOINT = OpenAICompatible("m", "http://127.0.0.1:9/v1", api_key="none")


def profiled(speed: object, endpoint: OpenAICompatible = ENDPOINT) -> Speed:
    """The speed of an endpoint that was examined and found to be so fast."""
    findings: JsonObject = {"speed": speed}  # type: ignore[dict-item]
    save(
        Profile(
            endpoint=endpoint.place, model=endpoint.name, measured_at="2026-01-01", told=Told(), answered_as="m",
            capabilities=Capabilities(), findings=findings,
        )
    )  # fmt: skip
    return speed_of(endpoint)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Profiles are kept below the test's own folder."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path))


@pytest.mark.parametrize(("tier", "seconds"), [("simple", 60), ("standard", 90), ("deep", 120), ("auto", 120)])
def test_a_hosted_model_has_the_seconds_of_the_tier(tier: str, seconds: float) -> None:
    """Nothing is stretched for it; with auto, those of the widest tier are there."""
    assert timed(ResearchConfig.model_validate({"tier": tier}), Scripted([])).budget.seconds == seconds


def test_a_slower_model_has_more() -> None:
    """As much as its usual calls take longer, and the rounds of the tier count."""
    slow = Speed(prompt=50, generated=25)
    assert stretched(60, 10, slow) == pytest.approx(
        60 + 10 * (1_000 / 50 + 60 / 25 - 1_000 / 2_000 - 60 / 100), abs=0.1
    )
    assert stretched(60, 10, HOSTED) == stretched(60, 10, Speed(10_000, 1_000)) == 60
    calls = {tier: LIMITS[tier].iterations + 5 for tier in LIMITS}
    for tier, limits in LIMITS.items():
        config = timed(ResearchConfig(tier=tier), Local("no-such.gguf"))
        assert config.budget.seconds == stretched(limits.seconds, calls[tier], ON_TWO_CORES) > limits.seconds


def test_a_time_of_ones_own_stays() -> None:
    """It is nobody's tier."""
    own = ResearchConfig(budget=Budget(seconds=7))
    assert timed(own, Local("no-such.gguf")) == own


def test_what_was_measured_counts() -> None:
    """Where a part of it is missing or makes no sense, the usual one stands in."""
    assert speed_of(ENDPOINT) == HOSTED
    assert profiled({"prompt": 400, "generated": 30.5}) == Speed(400, 30.5)
    assert profiled({"prompt": 400}) == Speed(400, HOSTED.generated)
    for odd in ({"prompt": 0, "generated": -1}, {"prompt": "fast"}, None, [], "fast", {"prompt": None}):
        assert profiled(odd) == HOSTED


def test_a_damaged_profile_is_none() -> None:
    """It can be measured again."""
    profiled({"prompt": 1, "generated": 1})
    path_of(ENDPOINT.place, ENDPOINT.name).write_text("{")
    assert speed_of(ENDPOINT) == HOSTED
