"""The record of a proof in the shapes that clients know: annotations of OpenAI, citations of Cohere and Anthropic, W3C.

All offsets count Unicode code points from 0, the end not included, as Python slices do. The W3C Recommendation asks for
code points; the vendors name no unit, and their Python clients slice. JavaScript counts UTF-16 units instead: there,
cut with ``Array.from(text).slice(start, end).join("")``.

A citation says that a value stands in its source. So only supported claims become one, and only in a shape that has a
place for what they rest on; `Rendering.left_out` counts the others.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from aeon.errors import UsageError
from aeon.proof.canonical import QUOTED, load
from aeon.proof.verify import verify
from aeon.schema import JsonObject, JsonValue

__all__ = ["SHAPES", "Rendering", "anthropic", "cohere", "openai", "w3c"]

_Record = Mapping[str, Any]
_NAMES = {"task": "values of the task", "tool": "results of tools", "inference": "results of computations"}
_LOOSE = "values that are not supported"


class Rendering(NamedTuple):
    """A proof in another shape: its JSON, and how many claims of which kind that shape has no place for."""

    content: JsonObject
    left_out: dict[str, int]


def openai(proof: bytes) -> Rendering:
    """The proof as an ``output_text`` of the Responses API with its annotations.

    A source with a web address is a ``url_citation`` over the span of the claim (``start_index``, ``end_index``). Any
    other is a ``file_citation``, whose one ``index`` is the place behind the claim.

    Raises:
        UsageError: the proof is not verified.
    """
    document = _verified(proof)
    sources = _sources(document)
    annotations: list[JsonValue] = [
        _annotation(claim, sources[one["id"]]) for claim in _cited(document, "source") for one in _places(claim)
    ]
    content: JsonObject = {"type": "output_text", "text": document["answer"], "annotations": annotations}
    return Rendering(content, _left_out(document, "source"))


def cohere(proof: bytes) -> Rendering:
    """The proof as an assistant's message of the Chat API v2 with its citations.

    ``start`` and ``end`` are those of the claim. A source is a ``document`` with the quote and what stands around it; a
    step is a ``tool`` with its output, under ``output`` where that is no object.

    Raises:
        UsageError: the proof is not verified.
    """
    document = _verified(proof)
    sources = _sources(document)
    steps = {step["id"]: step for one in document["derivations"] for step in one["steps"]}
    citations: list[JsonValue] = []
    for claim in _cited(document, "source", "tool"):
        of_documents = [_document(sources[one["id"]], one) for one in _places(claim)]
        of_tools = [_tool(steps[name]) for name in dict.fromkeys(one["id"] for one in _places(claim, "tool"))]
        citations.append({
            "start": claim["start"], "end": claim["end"], "text": claim["text"],
            "sources": [*of_documents, *of_tools], "content_index": 0, "type": "TEXT_CONTENT",
        })  # fmt: skip
    content: JsonObject = {
        "role": "assistant", "content": [{"type": "text", "text": document["answer"]}], "citations": citations,
    }  # fmt: skip
    return Rendering(content, _left_out(document, "source", "tool"))


def anthropic(proof: bytes) -> Rendering:
    """The proof as an assistant's message of the Messages API: text blocks that together are the answer.

    The block of a claim has its citations (``char_location``). ``document_index`` counts the sources of the proof from
    0, and the offsets are those of the quote in the text of its source.

    Raises:
        UsageError: the proof is not verified.
    """
    document = _verified(proof)
    order = {source["id"]: (index, source) for index, source in enumerate(document["sources"])}
    blocks: list[JsonValue] = []
    at, answer = 0, document["answer"]
    inside = 0
    for claim in _cited(document, "source"):
        if claim["start"] < at:  # a block has the citations of one claim; a judged sentence may hold values
            inside += 1
            continue
        blocks += [_block(answer[at : claim["start"]])] if at < claim["start"] else []
        blocks.append(_block(claim["text"], [_char_location(*order[one["id"]], one) for one in _places(claim)]))
        at = claim["end"]
    blocks += [_block(answer[at:])] if at < len(answer) else []
    left_out = _left_out(document, "source") | ({"claims over others": inside} if inside else {})
    return Rendering({"role": "assistant", "content": blocks}, left_out)


def w3c(proof: bytes) -> Rendering:
    """The proof as a collection of Web Annotations: each links a span of the answer with the span that it rests on.

    Each span has a ``TextPositionSelector`` and a ``TextQuoteSelector``. The answer, and a source without a location,
    are named by UUIDs that follow from the digest of the proof.

    Raises:
        UsageError: the proof is not verified.
    """
    document = _verified(proof)
    sources, answer = _sources(document), document["answer"]
    items: list[JsonValue] = []
    for claim in _cited(document, "source"):
        for number, one in enumerate(_places(claim), 1):
            items.append({
                "id": _urn(document, f"{claim['id']}/{number}"), "type": "Annotation", "motivation": "linking",
                "body": _segment(_iri(document, sources[one["id"]]), one),
                "target": _segment(_urn(document, "answer"), _quote(answer, claim["start"], claim["end"])),
            })  # fmt: skip
    content: JsonObject = {
        "@context": "http://www.w3.org/ns/anno.jsonld", "id": _urn(document, "annotations"),
        "type": "AnnotationCollection", "total": len(items),
        "first": {"id": _urn(document, "page"), "type": "AnnotationPage", "startIndex": 0, "items": items},
    }  # fmt: skip
    return Rendering(content, _left_out(document, "source"))


SHAPES: dict[str, Callable[[bytes], Rendering]] = {
    "openai": openai, "cohere": cohere, "anthropic": anthropic, "w3c": w3c,
}  # fmt: skip


def _verified(proof: bytes) -> _Record:
    """The document of a proof file that is verified; any other would make citations of what does not stand there."""
    report = verify(proof)
    if report.problems:
        raise UsageError(f"the proof is not verified, so it is not rendered: {report.problems[0]}")
    return load(proof)


def _sources(document: _Record) -> dict[str, _Record]:
    return {source["id"]: source for source in document["sources"]}


def _cited(document: _Record, *types: str) -> Iterator[_Record]:
    """The supported claims that rest on one of these types, in the order of the answer."""
    claims = [one for one in document["claims"] if one["verdict"] == "supported" and one["support"] in types]
    yield from sorted(claims, key=lambda claim: (claim["start"], -claim["end"]))


def _left_out(document: _Record, *types: str) -> dict[str, int]:
    """How many claims are no citation, by why."""
    held = {id(claim) for claim in _cited(document, *types)}
    stated = (one for one in document["claims"] if one["kind"] != "sentence" or one["verdict"] == "supported")
    others = [claim for claim in stated if id(claim) not in held]
    return dict(Counter(_NAMES[one["support"]] if one["verdict"] == "supported" else _LOOSE for one in others))


def _places(claim: _Record, type_: str = "source") -> list[_Record]:
    """The evidence of a claim that is of this type: where its value stands, and where its unit does."""
    return [one for one in claim["evidence"] if one["type"] == type_]


def _annotation(claim: _Record, source: _Record) -> JsonObject:
    if source["location"].startswith(("http://", "https://")):
        return {
            "type": "url_citation", "start_index": claim["start"], "end_index": claim["end"],
            "title": _title(source), "url": source["location"],
        }  # fmt: skip
    name = source["location"] or _title(source)
    return {"type": "file_citation", "file_id": source["id"], "filename": name, "index": claim["end"]}


def _title(source: _Record) -> str:
    return str(source["title"] or source["id"])


def _document(source: _Record, one: _Record) -> JsonObject:
    snippet = f"{one['prefix']}{one['exact']}{one['suffix']}"
    data: JsonObject = {"id": source["id"], "title": _title(source), "snippet": snippet}
    return {"type": "document", "id": source["id"], "document": data}


def _tool(step: _Record) -> JsonObject:
    output: JsonValue = json.loads(step["output"])
    return {
        "type": "tool", "id": step["id"], "tool_output": output if isinstance(output, dict) else {"output": output},
    }  # fmt: skip


def _block(text: str, citations: list[JsonValue] | None = None) -> JsonObject:
    return {"type": "text", "text": text, "citations": citations}


def _char_location(index: int, source: _Record, one: _Record) -> JsonObject:
    return {
        "type": "char_location", "cited_text": one["exact"], "document_index": index,
        "document_title": source["title"] or None, "start_char_index": one["start"], "end_char_index": one["end"],
        "file_id": None,
    }  # fmt: skip


def _quote(text: str, start: int, end: int) -> _Record:
    """A span of the answer with what stands around it, as the proof has those of sources."""
    around = {"prefix": text[max(0, start - QUOTED) : start], "suffix": text[end : end + QUOTED]}
    return {"start": start, "end": end, "exact": text[start:end], **around}


def _segment(source: str, one: _Record) -> JsonObject:
    position: JsonObject = {"type": "TextPositionSelector", "start": one["start"], "end": one["end"]}
    words: JsonObject = {name: one[name] for name in ("exact", "prefix", "suffix")}
    selectors: list[JsonValue] = [position, {"type": "TextQuoteSelector", **words}]
    return {"type": "SpecificResource", "source": source, "selector": selectors}


def _iri(document: _Record, source: _Record) -> str:
    """What names a source: its address, its place below the folder as a relative reference, or a UUID."""
    location = source["location"]
    if location.startswith(("http://", "https://")):
        return str(location)
    return quote(location) if location else _urn(document, f"source/{source['id']}")


def _urn(document: _Record, name: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{document['digest']}/{name}").urn
