"""The APIs of OpenAI, by the client of OpenAI."""

from __future__ import annotations

import json

import openai
import pytest

from aeon.llm.scripted import Scripted
from aeon.schema import LLMRequest, LLMResponse

from .conftest import PRICE, TASK, WORDS_TASK, Gated, Serve, Server, complains, played, until

pytestmark = pytest.mark.requirement("V3")
SCHEMA = {"type": "object", "properties": {"planet": {"type": "string"}}, "required": ["planet"]}


def client_of(server: Server) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)


def test_a_chat_is_answered(serve: Serve) -> None:
    """An engine is a model; the last message of the user is the task; what was said before it stands beside it."""
    server = serve()
    with client_of(server) as client:
        names = ["multi-pass", "research", "report", "graph", "loop", "contractive", "tutor"]
        names += ["ensemble", "auto", "chain", "team", "shorten"]
        assert [model.id for model in client.models.list()] == names
        said = client.chat.completions.create(
            model="multi-pass",
            messages=[
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "I sell pens."},
                {"role": "assistant", "content": "Good."},
                {"role": "user", "content": [{"type": "text", "text": TASK}]},
            ],
            temperature=0.3,
            max_tokens=50,
        )
    assert "40.8" in (said.choices[0].message.content or "") and said.choices[0].finish_reason == "stop"
    assert said.usage is not None and said.usage.total_tokens > 0
    job = server.get(f"/jobs/{said.id.removeprefix('chatcmpl-')}/history").json()
    assert job["task"]["text"] == f"Be brief.\n\n{TASK}"
    assert job["task"]["context"].endswith("before it.\n\nuser: I sell pens.")
    assert job["task"]["earlier"].endswith("be wrong.\n\nuser: I sell pens.\nassistant: Good.")


def test_an_earlier_answer_proves_nothing(serve: Serve) -> None:
    """What an assistant said stands beside the context, and a value that is said again stays unproved."""
    said = "The total is 40.8 euros for pens of 99 cents."

    def reply(request: LLMRequest) -> LLMResponse:
        structured = request.json_schema is not None or request.top_logprobs
        return played(request) if structured else played(request).changed(text=said)

    server = serve(Scripted(reply))
    with client_of(server) as client:
        messages = [
            {"role": "user", "content": "Write one sentence about pens of 99 cents."},
            {"role": "assistant", "content": said},
            {"role": "user", "content": "And again, please."},
        ]
        chat = client.chat.completions.create(model="multi-pass", messages=messages)  # type: ignore[arg-type]
        first = client.responses.create(model="multi-pass", input=messages[0]["content"])
        second = client.responses.create(model="multi-pass", input="And again, please.", previous_response_id=first.id)
    for name in (chat.id.removeprefix("chatcmpl-"), second.id.removeprefix("resp_")):
        claims = server.get(f"/jobs/{name}/result").json()["claims"]
        verdicts = {claim["text"].split()[0]: claim["verdict"] for claim in claims}
        assert verdicts["99"] == "supported" and verdicts["40.8"] != "supported", verdicts


def test_a_chat_is_streamed(serve: Serve) -> None:
    """The pieces are the answer; the usage comes last if it is asked for."""
    with client_of(serve()) as client:
        messages = [{"role": "user", "content": WORDS_TASK}]
        chunks = [*client.chat.completions.create(
            model="shorten", messages=messages, stream=True, stream_options={"include_usage": True}  # type: ignore[arg-type]
        )]  # fmt: skip
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "one two" and chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None


def test_an_answer_in_a_form(serve: Serve) -> None:
    """``response_format`` and ``text.format`` with a schema give its JSON, in both APIs."""

    def reply(request: LLMRequest) -> LLMResponse:
        text = json.dumps({"planet": "Jupiter"})
        wanted = request.json_schema and "planet" in json.dumps(request.json_schema)
        return played(request).changed(text=text) if wanted else played(request)

    form = {"type": "json_schema", "json_schema": {"name": "planet", "schema": SCHEMA}}
    with client_of(serve(Scripted(reply))) as client:
        chat = client.chat.completions.create(
            model="multi-pass", messages=[{"role": "user", "content": "Which is the largest planet?"}],
            response_format=form,  # type: ignore[arg-type]
        )  # fmt: skip
        response = client.responses.create(
            model="multi-pass", input="Which is the largest planet?",
            text={"format": {"type": "json_schema", "name": "planet", "schema": SCHEMA}},
        )  # fmt: skip
    assert json.loads(chat.choices[0].message.content or "") == {"planet": "Jupiter"}
    assert json.loads(response.output_text) == {"planet": "Jupiter"}


def test_an_answer_that_is_not_in_its_form_is_a_refusal(serve: Serve) -> None:
    """A client that reads the content as its schema gets none, but the reason, in both APIs, streamed or not."""

    def reply(request: LLMRequest) -> LLMResponse:
        wanted = request.json_schema and "planet" in json.dumps(request.json_schema)
        return played(request).changed(text="Jupiter, of course.") if wanted else played(request)

    form = {"type": "json_schema", "json_schema": {"name": "planet", "schema": SCHEMA}}
    asked: dict[str, object] = {"model": "multi-pass", "response_format": form}
    asked["messages"] = [{"role": "user", "content": "Which is the largest planet?"}]
    text = {"format": {"type": "json_schema", "name": "planet", "schema": SCHEMA}}
    with client_of(serve(Scripted(reply))) as client:
        chat = client.chat.completions.create(**asked)  # type: ignore[call-overload]
        chunks = [*client.chat.completions.create(**asked, stream=True)]  # type: ignore[call-overload]
        response = client.responses.create(model="multi-pass", input="Which planet is largest?", text=text)  # type: ignore[arg-type]
        events = [*client.responses.retrieve(response.id, stream=True)]
    message = chat.choices[0].message
    assert message.content is None and "in the form that was asked for" in message.refusal
    assert chat.model_extra["aeon"]["stop_reason"] == "schema_unmet"
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "in the form" in "".join(delta.refusal or "" for delta in deltas) and not any(d.content for d in deltas)
    part = response.output[0].content[0]  # type: ignore[union-attr]
    assert part.type == "refusal" and "in the form" in part.refusal and response.output_text == ""
    assert {"response.refusal.delta", "response.refusal.done"} <= {event.type for event in events}


def test_a_response_goes_on_from_another(serve: Serve) -> None:
    """Instructions and the previous response reach the run; what was asked for is in the response."""
    server = serve()
    with client_of(server) as client:
        first = client.responses.create(model="shorten", input=WORDS_TASK, metadata={"a": "b"})
        assert (first.output_text, first.status, first.metadata) == ("one two", "completed", {"a": "b"})
        second = client.responses.create(
            model="multi-pass", input=TASK, instructions="Be brief.", previous_response_id=first.id
        )
        assert "40.8" in second.output_text and second.instructions == "Be brief."
    task = server.get(f"/jobs/{second.id.removeprefix('resp_')}/history").json()["task"]
    assert task["context"].endswith(f"before it.\n\nuser: {WORDS_TASK}")
    assert task["earlier"].endswith(f"user: {WORDS_TASK}\nassistant: one two")


def test_a_response_in_the_background(serve: Serve) -> None:
    """It is polled and stopped, and its stream goes on from a sequence number: together the same events."""
    model = Gated()
    server = serve(model)
    with client_of(server) as client:
        begun = client.responses.create(model="multi-pass", input=TASK, background=True)
        assert begun.status in ("queued", "in_progress") and begun.background
        until(lambda: client.responses.retrieve(begun.id).status == "in_progress")
        model.gate.set()
        until(lambda: client.responses.retrieve(begun.id).status == "completed")
        whole = [*client.responses.retrieve(begun.id, stream=True)]
        assert [event.sequence_number for event in whole] == list(range(len(whole)))
        for cut in range(len(whole)):
            rest = [*client.responses.retrieve(begun.id, stream=True, starting_after=cut)]
            assert rest == whole[cut + 1 :]
        future = server.get(f"/v1/responses/{begun.id}?stream=true&starting_after={len(whole)}")
        complains(future, 409, "unknown_event", f"its latest is {len(whole) - 1}")
        model.gate.clear()
        stopped = client.responses.create(model="multi-pass", input=TASK, background=True)
        until(lambda: model.waiting == 1)
        assert client.responses.cancel(stopped.id).status == "cancelled"


def test_a_response_is_streamed_with_its_citations(priced: Server) -> None:
    """The client puts the events together to the same response; what the answer cites is an annotation."""
    with client_of(priced) as client, client.responses.stream(model="multi-pass", input=PRICE) as stream:
        events = [event.type for event in stream]
        response = stream.get_final_response()
    assert events[0] == "response.created" and events[-1] == "response.completed"
    assert "response.output_text.annotation.added" in events
    assert response.output_text == "The price is 300.40 euros."
    (citation,) = response.output[0].content[0].annotations  # type: ignore[union-attr]
    assert (citation.type, citation.filename) == ("file_citation", "prices.txt")  # type: ignore[union-attr]
    assert response.output_text[: citation.index].endswith("300.40 euros")  # type: ignore[union-attr]


def test_what_a_run_cannot_do_is_refused(serve: Serve) -> None:
    """Tools, several answers, images, an unknown model: the client's own errors, which say what is wrong."""
    server = serve()
    with client_of(server) as client:
        messages = [{"role": "user", "content": TASK}]
        tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
        for wrong in ({"tools": [tool]}, {"n": 2}, {"logprobs": True}, {"response_format": {"type": "grammar"}}):
            with pytest.raises(openai.BadRequestError, match=r"leave it out|the format"):
                client.chat.completions.create(model="multi-pass", messages=messages, **wrong)  # type: ignore[call-overload]
        image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]}]
        with pytest.raises(openai.BadRequestError, match="only texts"):
            client.chat.completions.create(model="multi-pass", messages=image)  # type: ignore[arg-type]
        with pytest.raises(openai.UnprocessableEntityError, match="not installed"):
            client.chat.completions.create(model="gpt-6-luna", messages=messages)  # type: ignore[arg-type]
        with pytest.raises(openai.NotFoundError, match="no job"):
            client.responses.retrieve("resp_nothing")
    for body in ({"model": "shorten", "messages": []}, {"model": "shorten", "messages": "x"}, {"messages": messages}):
        complains(server.post("/v1/chat/completions", body), 400, "invalid")
    for said in ([{"role": "user", "content": " "}], [{"role": "assistant", "content": "x"}]):
        complains(server.post("/v1/chat/completions", {"model": "shorten", "messages": said}), 400, "invalid", "task")
    complains(server.client.post("/v1/responses", content=b"[" * 5000), 400, "invalid_json", "too deeply")
    assert server.get("/jobs").json()["jobs"] == []
