"""Replies of the Responses API as the public reference says: the items of an output, their events, whole replies."""

from __future__ import annotations

from typing import Any

from played_endpoint import Step, send, sse

COUNTS = {
    "input_tokens": 14,
    "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 0},
    "output_tokens": 3,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 17,
}
Item = dict[str, Any]


def message(*parts: str, refusal: str = "", scores: list[dict[str, Any]] | None = None) -> Item:
    """A message whose text comes in these parts."""
    content: list[dict[str, Any]] = []
    if parts:
        content.append({"type": "output_text", "text": "".join(parts), "annotations": [], "logprobs": scores or []})
    if refusal:
        content.append({"type": "refusal", "refusal": refusal})
    return {
        "type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content, "_": parts,
    }  # fmt: skip


def call(name: str, *parts: str, id: str = "call_1") -> Item:
    """A call whose arguments come in these parts."""
    return {
        "type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": "".join(parts),
        "status": "completed", "_": parts,
    }  # fmt: skip


def thought(sealed: str | None = "c2VhbGVk", **more: Any) -> Item:
    """A reasoning item, sealed where the request asked for that."""
    return {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": sealed, "status": None, **more}


def bare(item: Item) -> Item:
    """An item as it goes over the wire."""
    return {name: value for name, value in item.items() if name != "_"}


def response(*items: Item, status: str = "completed", **more: Any) -> dict[str, Any]:
    """A whole reply."""
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-x-2030", "status": status, "error": None,
        "incomplete_details": None, "output": [bare(item) for item in items], "usage": COUNTS, "instructions": None,
        "tools": [], "metadata": None, **more,
    }  # fmt: skip


def happened(number: int, item: Item) -> list[dict[str, Any]]:
    """The events of one item of the output."""
    at = {"output_index": number, "item_id": item["id"]}
    begun = {**bare(item), "status": "in_progress"}
    begun |= {"content": []} if item["type"] == "message" else {}
    begun |= {"arguments": ""} if item["type"] == "function_call" else {}
    inner: list[dict[str, Any]] = []
    if item["type"] == "message":
        part = {"content_index": 0, **at}
        inner.append({"type": "response.content_part.added", "part": {"type": "output_text", "text": ""}, **part})
        scores = iter(next((one.get("logprobs") or [] for one in item["content"]), []))
        for text in item["_"]:
            scored = [score for score in [next(scores, None)] if score]
            inner.append({"type": "response.output_text.delta", "delta": text, "logprobs": scored, **part})
        for one in item["content"]:
            if one["type"] == "refusal":
                inner.append({"type": "response.refusal.delta", "delta": one["refusal"], **part})
        inner.append({"type": "response.output_text.done", "text": "".join(item["_"]), "logprobs": [], **part})
    if item["type"] == "function_call":
        inner += [{"type": "response.function_call_arguments.delta", "delta": one, **at} for one in item["_"]]
        inner.append({"type": "response.function_call_arguments.done", "arguments": item["arguments"], **at})
    return [
        {"type": "response.output_item.added", "output_index": number, "item": begun},
        *inner,
        {"type": "response.output_item.done", "output_index": number, "item": bare(item)},
    ]


def events(*items: Item, end: str = "completed", **more: Any) -> list[dict[str, Any]]:
    """All events of a reply."""
    begun = response(status="in_progress", usage=None)
    return [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        *(event for number, item in enumerate(items) for event in happened(number, item)),
        {"type": f"response.{end}", "response": response(*items, status=end, **more)},
    ]


def reply(*items: Item, end: str = "completed", pause: float = 0.0, **more: Any) -> Step:
    """A streamed reply."""
    return sse(*events(*items, end=end, **more), pause=pause)


def whole(*items: Item, **more: Any) -> Step:
    """A reply that is not streamed."""
    return send(200, response(*items, **more))


def hello() -> Step:
    """A greeting."""
    return reply(message("hel", "lo"))


def failure(status: int, message: str = "no", param: str | None = None, **headers: str) -> Step:
    """A refusal or a failure."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return send(status, {"error": error}, **headers)
