"""What is kept of the beginnings of prompts; the tests marked ``tiny`` have a real llama.cpp keep and restore it."""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from played_endpoint import Endpoint, failure, send

from aeon.llm import local_process, prefixes, weights
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.connections import Connections
from aeon.llm.local import Local
from aeon.llm.prefixes import Beginning, Prefixes, PrefixFiles, Recent, identity
from aeon.schema.llm import LLMRequest, LLMResponse
from aeon.supervisor.prompt import Prompt

TINY = CATALOGUE["smollm2-135m"]
RULES = "You are careful and answer in a few words. " * 20
QUESTIONS = ("What is three plus five?", "Name a colour of the sky.", "Write the word apple.", "Is water wet?")


def asking(question: str, rules: str = RULES, **changes: Any) -> LLMRequest:
    prompt = Prompt(rules, question, (("What is two plus two?", "Four"),), fixed=True)
    return LLMRequest(messages=prompt.messages, max_tokens=16, fixed_messages=prompt.fixed_messages, **changes)


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*")) if folder.exists() else []


def stored(files: PrefixFiles, folder: Path, text: str, content: bytes = b"state", used: float = 0.0) -> str:
    """Keep a state of the beginning, last used then; gives its file's name."""
    name, key = files.reserve(), files.key(text)
    assert name is not None
    (folder / name).write_bytes(content)
    files.keep(name, key)
    found = files.find(key)
    assert found is not None
    if used:
        os.utime(folder / found, (used, used))
    return found


def test_a_state_is_found_by_model_and_beginning(tmp_path: Path) -> None:
    """The same model and beginning find it; another beginning, context or version of the weights does not."""
    weights_file = tmp_path / "a.gguf"
    weights_file.write_bytes(b"one")
    files = PrefixFiles(tmp_path / "kept", identity(weights_file, 512))
    name = stored(files, tmp_path / "kept", "beginning")
    assert files.find(files.key("beginning")) == name
    assert files.find(files.key("Beginning")) is None
    other = PrefixFiles(tmp_path / "kept", identity(weights_file, 1024))
    assert other.find(other.key("beginning")) is None
    weights_file.write_bytes(b"three")
    changed = PrefixFiles(tmp_path / "kept", identity(weights_file, 512))
    assert changed.find(changed.key("beginning")) is None
    assert identity(TINY, 512) != identity(CATALOGUE["qwen2.5-coder-1.5b"], 512)


def test_another_llama_cpp_has_other_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The layout of a state is that of one version."""
    files = PrefixFiles(tmp_path, "model")
    before = files.key("beginning")
    monkeypatch.setattr("importlib.metadata.version", lambda _: "0.0.1")
    assert files.key("beginning") != before


@pytest.mark.parametrize("damage", [b"", b"stat", b"stete", b"state and more"])
def test_a_damaged_file_is_removed(tmp_path: Path, damage: bytes) -> None:
    """Cut off, changed or grown: it is not used, and it is gone."""
    files = PrefixFiles(tmp_path, "model")
    (tmp_path / stored(files, tmp_path, "beginning")).write_bytes(damage)
    assert files.find(files.key("beginning")) is None and kept(tmp_path) == []


@pytest.mark.requirement("T3b")
def test_the_files_used_longest_ago_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most so many files; finding one counts as its use."""
    monkeypatch.setattr(prefixes, "MOST_FILES", 3)
    files = PrefixFiles(tmp_path, "model")
    names = [stored(files, tmp_path, f"beginning {number}", used=1000.0 + number) for number in range(3)]
    assert files.find(files.key("beginning 0")) == names[0]
    names.append(stored(files, tmp_path, "beginning 3"))
    assert kept(tmp_path) == sorted([names[0], names[2], names[3]])


def test_the_bytes_of_all_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that leaves no room takes the place of the older ones."""
    monkeypatch.setattr(prefixes, "MOST_BYTES", 10)
    files = PrefixFiles(tmp_path, "model")
    stored(files, tmp_path, "first", b"12345678", used=1000.0)
    second = stored(files, tmp_path, "second", b"1234")
    assert kept(tmp_path) == [second]


def test_what_a_broken_off_process_left_is_removed(tmp_path: Path) -> None:
    """An old unfinished file goes; one that another process may be writing stays."""
    files = PrefixFiles(tmp_path, "model")
    for name, used in (("old.part", 1000.0), ("new.part", None)):
        (tmp_path / name).touch()
        if used:
            os.utime(tmp_path / name, (used, used))
    name = stored(files, tmp_path, "beginning")
    assert kept(tmp_path) == sorted(["new.part", name])


def test_two_processes_keep_one_file(tmp_path: Path) -> None:
    """The later state of the same beginning takes the place of the earlier one."""
    files = PrefixFiles(tmp_path, "model")
    stored(files, tmp_path, "beginning", b"one", used=1000.0)
    later = stored(files, tmp_path, "beginning", b"two")
    assert kept(tmp_path) == [later]


class Slot:
    """A played llama.cpp server with one slot, whose state is its text; ``faults`` are steps by path."""

    def __init__(self, endpoint: Endpoint, folder: Path) -> None:
        self.folder = folder
        self.text = ""
        self.paths: list[str] = []
        self.faults: dict[str, Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]] = {}
        endpoint.play(self.answer)
        self._root = endpoint.root

    def answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        path = handler.path.rpartition("/")[2] if "action" not in handler.path else handler.path.rpartition("=")[2]
        self.paths.append(path)
        (self.faults.get(path) or getattr(self, path.replace("-", "_")))(handler, body)

    def apply_template(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        send(200, {"prompt": " ".join(one["content"] for one in body["messages"]) + " answer:"})(handler, body)

    def completion(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self.text = body["prompt"]
        tokens = len(self.text)
        send(200, {"tokens_evaluated": tokens, "timings": {"prompt_n": tokens}})(handler, body)

    def save(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        (self.folder / body["filename"]).write_text(self.text)
        send(200, {"n_saved": len(self.text)})(handler, body)

    def restore(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self.text = (self.folder / body["filename"]).read_text()
        send(200, {})(handler, body)

    def prepare(self, request: LLMRequest, recent: Recent = Recent(), seconds: float = 60.0) -> Beginning:  # noqa: B008
        files = PrefixFiles(self.folder, "model")

        async def scenario() -> Beginning:
            return await Prefixes(self._root, Connections(self._root, None), files).prepare(request, recent, seconds)

        self.paths.clear()
        return asyncio.run(scenario())


@pytest.fixture
def slot(endpoint: Endpoint, tmp_path: Path) -> Slot:
    """A played server, and a folder for its states."""
    return Slot(endpoint, tmp_path / "kept")


BEGINNING = "rules What is two plus two? Four "


@pytest.mark.requirement("T2d")
def test_what_is_kept_is_out_of_reach_of_others(slot: Slot) -> None:
    """It may hold what was read of a user's texts; a folder that was open before is closed."""
    slot.folder.mkdir(mode=0o755)
    slot.prepare(asking("Who is Ann?", "rules"))
    assert slot.folder.stat().st_mode & 0o777 == 0o700 and kept(slot.folder)


def test_a_beginning_is_read_alone_and_then_restored(slot: Slot) -> None:
    """The first request has it read and kept, without the question; the next is told that nothing had to be read."""
    first = slot.prepare(asking("Who is Ann?", "rules"))
    assert slot.paths == ["apply-template", "completion", "save"] and slot.text == BEGINNING
    assert first.key and first.read_tokens == len(BEGINNING)
    assert [(slot.folder / name).read_text() for name in kept(slot.folder)] == [BEGINNING]
    slot.text = ""
    assert slot.prepare(asking("Who is Bob?", "rules")) == Beginning(first.key)
    assert slot.paths == ["apply-template", "restore"] and slot.text == BEGINNING


TABLES = "t has a, b. "


def about_tables(question: str, tables: str = TABLES) -> LLMRequest:
    """A request whose question stands behind what its tables are."""
    return asking(f"{tables}{question}", "rules").changed(fixed_characters=len(tables))


@pytest.mark.requirement("T3b")
def test_the_start_of_a_question_is_kept_behind_the_instructions(slot: Slot) -> None:
    """Both are, so that other tables go on from the instructions; the tokens of both count as read."""
    first = slot.prepare(about_tables("Who is Ann?"))
    assert {(slot.folder / name).read_text() for name in kept(slot.folder)} == {BEGINNING, BEGINNING + TABLES}
    assert first.read_tokens == len(BEGINNING) + len(BEGINNING + TABLES) and slot.text == BEGINNING + TABLES
    slot.text = ""
    assert slot.prepare(about_tables("Who is Bob?")) == Beginning(first.key) and slot.text == BEGINNING + TABLES
    other = slot.prepare(about_tables("Who is Ann?", "u has c. "))
    assert slot.paths == ["apply-template"] * 2 + ["restore", "completion", "save"] and other.key != first.key
    assert slot.prepare(asking("Who is Ann?", "rules")).key not in (first.key, other.key)
    recent = Recent().then(first.key, about_tables("Who is Ann?"))
    assert recent.has(first.key, "Who is Ann?"), "what is kept is no part of what tells one question from another"


def test_the_beginning_of_the_request_before_is_still_there(slot: Slot) -> None:
    """Nothing is restored over a slot that holds this beginning and perhaps more."""
    before = asking("Who is Ann?", "rules")
    first = slot.prepare(before)
    recent = Recent().then(first.key, before)
    assert slot.prepare(asking("Who is Bob?", "rules"), recent) == Beginning(first.key)
    assert slot.paths == ["apply-template"]


@pytest.mark.requirement("T3b")
def test_a_prompt_like_an_earlier_one_is_left_to_the_server(slot: Slot) -> None:
    """It has the sentences behind the beginning in memory; with others, the beginning is restored.

    What the slot holds is put by before: it is in no file.
    """
    sentences, other = "Ann is nine. " * 30, asking("Is it so?", "judge")
    before = asking(f"{sentences}How old is Ann?", "rules")
    key = slot.prepare(before).key
    judge = slot.prepare(other).key
    recent = Recent().then(key, before).then(judge, other)
    assert slot.prepare(asking(f"{sentences}Who is nine?", "rules"), recent) == Beginning(key)
    assert slot.paths == ["apply-template"]
    assert slot.prepare(asking("Bob is ten. How old is Bob?", "rules"), recent) == Beginning(key)
    assert slot.paths == ["apply-template", "completion", "restore"] and slot.text == BEGINNING
    long = asking("x" * 60_000, "play")
    assert not recent.then("", long).has(key, before.messages[-1].content[:300]), "there was no room for it"
    again = recent.then(judge, asking("Is it not?", "judge"))
    assert len(again.prompts) == 2 and again.has(key, before.messages[-1].content[:300]), "the slot went on with it"


@pytest.mark.requirement("T3b")
def test_a_full_disk_keeps_nothing(slot: Slot) -> None:
    """Half a file is removed; what was read is known all the same."""

    def full(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        (slot.folder / body["filename"]).write_text("ru")
        failure(500, "Unable to save slot")(handler, body)

    slot.faults["save"] = full
    assert slot.prepare(asking("Who is Ann?", "rules")) == Beginning(read_tokens=len(BEGINNING))
    assert kept(slot.folder) == []


def test_a_slot_that_holds_more_is_not_kept(slot: Slot) -> None:
    """A state with other tokens than the beginning's could hold what somebody asked."""
    slot.faults["save"] = send(200, {"n_saved": len(BEGINNING) + 1})
    assert slot.prepare(asking("Who is Ann?", "rules")) == Beginning(read_tokens=len(BEGINNING))
    assert kept(slot.folder) == []


def test_a_state_that_the_server_refuses_is_removed(slot: Slot) -> None:
    """A file that is whole and yet of no use is not tried a second time."""
    slot.prepare(asking("Who is Ann?", "rules"))
    slot.faults["restore"] = failure(400, "Unable to restore slot")
    assert slot.prepare(asking("Who is Ann?", "rules")) == Beginning()
    assert kept(slot.folder) == []


def test_a_server_that_dies_over_it_is_noticed(slot: Slot) -> None:
    """A connection that breaks while a state is restored removes the state, and says that the server may be gone."""
    slot.prepare(asking("Who is Ann?", "rules"))

    def dying(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        raise ConnectionResetError

    slot.faults["restore"] = dying
    assert slot.prepare(asking("Who is Ann?", "rules")) == Beginning(broken=True)
    assert kept(slot.folder) == []


def test_a_folder_that_cannot_be_made_keeps_nothing(slot: Slot) -> None:
    """Where nothing can be written the request goes on at once."""
    slot.folder.write_text("a file")
    assert slot.prepare(asking("Who is Ann?", "rules")) == Beginning()
    assert slot.paths == ["apply-template"]


@pytest.mark.parametrize("answer", [send(200, {}), send(200, {"prompt": "no question"}), failure(404), send(200, "no")])
def test_a_server_that_renders_no_prompt_keeps_nothing(slot: Slot, answer: Any) -> None:
    """What is not understood is left alone."""
    slot.faults["apply-template"] = answer
    assert slot.prepare(asking("Who is Ann?", "rules")) == Beginning()
    assert slot.paths == ["apply-template"]


@pytest.fixture(scope="module")
def models() -> Path:
    """The folder with the tiny model, fetched once."""
    return weights.pull(TINY).parent


@pytest.fixture
def home(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of the test's own, with the models; no server of another test."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path))
    (tmp_path / "models").symlink_to(models)
    monkeypatch.setattr(local_process, "_SHARED", {})
    yield tmp_path


def answered(*requests: LLMRequest, at_once: bool = False, **options: Any) -> list[LLMResponse]:
    """The answers of a server that is started for these requests and stopped after them."""

    async def scenario() -> list[LLMResponse]:
        model = Local(TINY, context_tokens=options.pop("context_tokens", 2048), **options)
        try:
            if at_once:
                return list(await asyncio.gather(*map(model.complete, requests)))
            return [await model.complete(one) for one in requests]
        finally:
            await model.aclose()

    return asyncio.run(scenario())


@pytest.mark.tiny
@pytest.mark.requirement("T3b")
def test_a_second_process_reads_only_the_question(home: Path) -> None:
    """The first server reads everything, the second hardly more than the question; both count the whole prompt."""
    (first,), (second,) = answered(asking(QUESTIONS[0])), answered(asking(QUESTIONS[0]))
    assert len(kept(home / "prefixes")) == 1
    assert first.usage.cached_tokens == 0 and first.usage.calls == 1
    assert second.usage.prompt_tokens == first.usage.prompt_tokens
    assert second.usage.prompt_tokens - second.usage.cached_tokens < 20


@pytest.mark.tiny
@pytest.mark.requirement("T3b")
def test_a_second_process_reads_no_table_again(home: Path) -> None:
    """The start of the question is restored with the instructions; the answers are those without a kept one."""
    tables = "CREATE TABLE shops (city, rent)  -- 3 rows; Brno, Cork, Bari are its cities\n" * 5
    asked = [asking(f"{tables}\nQuestion: {one}").changed(fixed_characters=len(tables)) for one in QUESTIONS[1:3]]
    without = [answer.text for answer in answered(*asked, keep_prefixes=False)]
    (first,), (second,) = answered(asked[0]), answered(asked[1])
    assert [first.text, second.text] == without and first.usage.cached_tokens == 0
    assert len(kept(home / "prefixes")) == 2
    assert second.usage.prompt_tokens - second.usage.cached_tokens < 30
    assert not any("Question" in _text(home / "prefixes" / name) for name in kept(home / "prefixes"))


@pytest.mark.tiny
@pytest.mark.requirement("T3b")
def test_the_answers_are_the_same(home: Path) -> None:
    """With a kept beginning, with a new one and without any, a model at temperature 0 writes the same."""
    without = [answer.text for answer in answered(*map(asking, QUESTIONS), keep_prefixes=False)]
    assert kept(home / "prefixes") == []
    new = [answer.text for answer in answered(*map(asking, QUESTIONS))]
    restored = [answer.text for answer in answered(*map(asking, QUESTIONS))]
    assert without == new == restored and len(set(without)) > 1


@pytest.mark.tiny
@pytest.mark.requirement("T3b")
def test_nothing_of_the_question_is_kept(home: Path) -> None:
    """The tokens in the file are those of the rules and the example, whoever asks and however many at once."""
    requests = [asking(f"My name is Zebedee. {question}") for question in QUESTIONS]
    answered(*requests)
    answered(*[asking("Who is Zebedee?", f"{RULES} Again.")] * 3, at_once=True)
    texts = [_text(home / "prefixes" / name) for name in kept(home / "prefixes")]
    assert texts and not any("Zebedee" in text for text in texts)
    assert all(text.endswith("Four<|im_end|>\n<|im_start|>user\n") for text in texts)


def _text(path: Path) -> str:
    """The text of the tokens in a state's file: after six numbers, of which the last is their count."""
    content = path.read_bytes()
    (count,) = struct.unpack_from("<i", content, 20)
    tokens = list(struct.unpack_from(f"<{count}i", content, 24))

    async def scenario() -> object:
        model = Local(TINY, context_tokens=2048, keep_prefixes=False)
        try:
            await model.complete(asking("Hi"))
            assert model._endpoint is not None
            connections = model._endpoint[1].connections
            url = f"{connections.base_url.removesuffix('/v1')}/detokenize"
            client = await connections.client()
            return await client.post(url, body={"tokens": tokens}, cast_to=object, options=connections.options())
        finally:
            await model.aclose()

    reply = asyncio.run(scenario())
    assert isinstance(reply, dict)
    return str(reply["content"])


@pytest.mark.tiny
@pytest.mark.requirement("T3b")
@pytest.mark.parametrize("damage", ["cut off", "changed"])
def test_a_damaged_file_costs_no_run(home: Path, damage: str) -> None:
    """The answer is the same, and the file is whole again afterwards."""
    expected = answered(asking(QUESTIONS[0]))[0].text
    (name,) = kept(home / "prefixes")
    path = home / "prefixes" / name
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + (b"" if damage == "cut off" else bytes(len(whole) - len(whole) // 2)))
    (answer,) = answered(asking(QUESTIONS[0]))
    assert answer.text == expected and answer.usage.cached_tokens == 0
    assert answered(asking(QUESTIONS[0]))[0].usage.cached_tokens > 0


@pytest.mark.tiny
def test_a_file_that_ends_the_server_costs_no_run(home: Path) -> None:
    """A whole file that llama.cpp cannot survive is removed, and the server is started again."""
    expected = answered(asking(QUESTIONS[0]))[0].text
    (name,) = kept(home / "prefixes")
    path = home / "prefixes" / name
    content = path.read_bytes()[:-1000]
    path.unlink()
    (path.parent / f"{name.partition('-')[0]}-{prefixes._digest(content)}.state").write_bytes(content)
    assert answered(asking(QUESTIONS[0]))[0].text == expected
    assert kept(home / "prefixes") == []


@pytest.mark.tiny
def test_another_context_is_another_state(home: Path) -> None:
    """A server with another context length reads the beginning itself."""
    answered(asking(QUESTIONS[0]))
    (other,) = answered(asking(QUESTIONS[0]), context_tokens=1024)
    assert other.usage.cached_tokens == 0 and len(kept(home / "prefixes")) == 2


@pytest.mark.tiny
def test_a_request_without_a_fixed_beginning_keeps_nothing(home: Path) -> None:
    """Only what is declared to be the program's own text is kept."""
    answered(asking(QUESTIONS[0]).changed(fixed_messages=0))
    assert kept(home / "prefixes") == []
