"""Saved profiles, and what the adapters and the supervisor make of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from doctor.played_liar import Liar
from doctor.test_checkup import adapter, examined
from played_endpoint import send

from aeon.doctor.checkup import profile_of
from aeon.errors import AllowanceExhausted
from aeon.llm.local import Local
from aeon.llm.profiles import Profile, Told, agrees, load, path_of, save
from aeon.llm.scripted import Scripted
from aeon.schema.llm import Capabilities
from aeon.supervisor.bounds import Bounds, bounds
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

CAN = Capabilities(json_schema=True, context_tokens=4_096, bytes_per_token=3.0, measured=True)


def kept(liar: Liar, **changes: object) -> Profile:
    profile = Profile(
        endpoint=liar.endpoint.base_url, model=liar.endpoint.model, measured_at="2026-11-21T08:00:00+00:00",
        told=Told(models=(liar.endpoint.model,), context_tokens=4_096), answered_as=liar.endpoint.model,
        capabilities=CAN,
    ).changed(**changes)  # fmt: skip
    save(profile)
    return profile


def known(liar: Liar) -> Capabilities:
    return asyncio.run(adapter(liar).capabilities())


@pytest.mark.requirement("X4")
def test_a_measured_endpoint_is_not_probed(liar: Liar) -> None:
    """A later run reads the profile and makes no call."""
    kept(liar)
    assert known(liar) == CAN and not liar.endpoint.bodies


@pytest.mark.requirement("X4")
def test_what_the_doctor_saves_is_what_a_run_reads(liar: Liar) -> None:
    """The findings' capabilities come back from the file."""
    found = examined(liar)
    save(profile_of(found))
    asked = len(liar.endpoint.bodies)
    assert known(liar) == found.capabilities and len(liar.endpoint.bodies) == asked


@pytest.mark.requirement("X4")
@pytest.mark.parametrize(
    "told", [Told(models=("another",), context_tokens=4_096), Told(models=("another",)), Told(models=())]
)
def test_a_profile_of_another_model_is_ignored(liar: Liar, told: Told) -> None:
    """An endpoint that serves something else by now is probed again."""
    kept(liar)
    listed = [{"id": name, "max_model_len": told.context_tokens} for name in told.models]
    liar.endpoint.pages["/v1/models"] = send(200, {"data": listed})
    assert not known(liar).measured and len(liar.endpoint.bodies) == 3


@pytest.mark.requirement("X4")
def test_a_profile_of_another_context_is_ignored(liar: Liar) -> None:
    """A server that was started again with another context length is measured anew."""
    kept(liar)
    liar.advertise(8_192)
    assert not known(liar).measured


@pytest.mark.requirement("X4")
def test_a_server_without_a_list_is_asked_its_name(liar: Liar) -> None:
    """One token tells under which name it answers; another name than then is another model."""
    liar.endpoint.pages.clear()
    kept(liar, told=Told())
    assert known(liar) == CAN and len(liar.endpoint.bodies) == 1
    kept(liar, told=Told(), answered_as="another")
    assert not known(liar).measured


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("content", ["", "{", "null", '{"version": 2}', "\x00", "[" * 5_000])
def test_a_profile_that_cannot_be_read_is_none(liar: Liar, content: str) -> None:
    """A damaged file costs a probe and no run."""
    profile = kept(liar)
    path_of(profile.endpoint, profile.model).write_text(content)
    assert load(profile.endpoint, profile.model) is None
    assert not known(liar).measured


@pytest.mark.requirement("X4")
def test_no_key_is_ever_saved(liar: Liar, tmp_path: Path) -> None:
    """The API key is in no file."""
    found = examined(liar, key="secret")
    assert liar.endpoint.headers[-1]["authorization"] == "Bearer secret"
    save(profile_of(found))
    assert all("secret" not in file.read_text() for file in tmp_path.rglob("*.json"))


@pytest.mark.requirement("X4")
def test_a_profile_is_written_whole_or_not_at_all(liar: Liar, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails in the middle leaves the older profile and no other file."""
    profile = kept(liar)
    path = path_of(profile.endpoint, profile.model)

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OSError, match="No space"):
        save(profile.changed(answered_as="half"))
    assert load(profile.endpoint, profile.model) == profile
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.requirement("X4")
def test_one_model_among_many_may_get_neighbours(liar: Liar) -> None:
    """A hosted endpoint lists another model: the profile of this one still holds."""
    profile = kept(liar)
    assert agrees(profile.model, profile.told, Told(models=("new", liar.endpoint.model), context_tokens=4_096))
    assert not agrees(profile.model, profile.told, Told(models=("new",), context_tokens=4_096))


@pytest.mark.requirement("X4")
def test_a_model_on_this_machine_reads_its_profile_too(tmp_path: Path) -> None:
    """A file's profile holds as long as the file is the same one."""
    file = tmp_path / "some.gguf"
    file.write_bytes(b"12345")
    local = Local(file)
    told = asyncio.run(local.told())
    save(Profile(
        endpoint=local.place, model=local.name, measured_at="2026-11-21T08:00:00+00:00", told=told, answered_as="some",
        capabilities=CAN,
    ))  # fmt: skip
    assert asyncio.run(local.capabilities()) == CAN
    file.write_bytes(b"another")
    assert not asyncio.run(Local(file).capabilities()).measured


@pytest.mark.requirement("X4")
@pytest.mark.parametrize(
    ("can", "expected"),
    [
        (Capabilities(context_tokens=2_048), Bounds(20_000, 1_024)),
        (CAN, Bounds(8_294, 1_024)),
        (CAN.changed(context_tokens=2_000), Bounds(4_050, 500)),
        (CAN.changed(context_tokens=65_536), Bounds(20_000, 1_024)),
    ],
)
def test_a_measured_context_bounds_a_call(can: Capabilities, expected: Bounds) -> None:
    """Prompt and answer fit the context that was measured; one that is only claimed changes nothing."""
    assert bounds(can, 20_000, 1_024) == expected


@pytest.mark.requirement("X4")
def test_no_prompt_is_longer_than_the_measured_context() -> None:
    """The supervisor refuses to send what the endpoint would cut in silence."""
    llm = Scripted(["fine"] * 2, CAN)
    supervisor = Supervisor(llm)
    with pytest.raises(AllowanceExhausted, match="at most 8294 are sent"):
        asyncio.run(supervisor.text(Prompt("", "word " * 2_000), max_tokens=64))
    assert not llm.requests
    asyncio.run(supervisor.text(Prompt("", "word " * 1_000), max_tokens=64))
    assert len(llm.requests) == 1


@pytest.mark.requirement("X4")
def test_a_model_that_thinks_gets_room_for_it() -> None:
    """An answer that thoughts precede may take all the tokens that a call may have."""
    llm = Scripted(["fine"] * 2, CAN.changed(hidden_reasoning=True))
    asyncio.run(Supervisor(llm).text(Prompt("", "hello"), max_tokens=64))
    assert llm.requests[0].max_tokens == 1_024
