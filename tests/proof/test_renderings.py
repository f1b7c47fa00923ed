"""A proof in the shapes that clients know: their models take it, its offsets cut the same words, nothing is faked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from openai.types.responses import ResponseOutputText
from pydantic import BaseModel, ConfigDict, Field

from aeon.cli.saved_options import SHAPES as OFFERED
from aeon.errors import UsageError
from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.proof.document import Derivation, Proof, ProofSource, ProofStep, proof_bytes
from aeon.proof.renderings import SHAPES, Rendering, anthropic, cohere, openai, w3c
from aeon.schema import Claim, FromSource, Reading, Source, Task

from .proofs import TEXT, changed, made, small

pytestmark = pytest.mark.requirement("G6", "G6c")

ANSWER = "🏛 Anna Weber knows: 1,040 euros a month, 2,080 in all, 1,040 + 2,080 = 3,120. It is 12 % and 99."


class _Closed(BaseModel):
    """A shape as its API's reference has it: every field that is given is one of it."""

    model_config = ConfigDict(extra="forbid")


class CohereTool(_Closed):
    type: Literal["tool"]
    id: str
    tool_output: dict[str, Any]


class CohereDocument(_Closed):
    type: Literal["document"]
    id: str
    document: dict[str, Any]


class CohereCitation(_Closed):
    start: int
    end: int
    text: str
    sources: list[Annotated[CohereTool | CohereDocument, Field(discriminator="type")]] = Field(min_length=1)
    content_index: int
    type: Literal["TEXT_CONTENT"]


class CohereText(_Closed):
    type: Literal["text"]
    text: str


class CohereMessage(_Closed):
    role: Literal["assistant"]
    content: list[CohereText]
    citations: list[CohereCitation]


class CharLocation(_Closed):
    type: Literal["char_location"]
    cited_text: str
    document_index: int
    document_title: str | None
    start_char_index: int
    end_char_index: int
    file_id: str | None


class TextBlock(_Closed):
    type: Literal["text"]
    text: str = Field(min_length=1)
    citations: list[CharLocation] | None


class AnthropicMessage(_Closed):
    role: Literal["assistant"]
    content: list[TextBlock]


class PositionSelector(_Closed):
    type: Literal["TextPositionSelector"]
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class QuoteSelector(_Closed):
    type: Literal["TextQuoteSelector"]
    exact: str
    prefix: str
    suffix: str


class SpecificResource(_Closed):
    type: Literal["SpecificResource"]
    source: str = Field(min_length=1)
    selector: tuple[PositionSelector, QuoteSelector]


class Annotation(_Closed):
    id: str
    type: Literal["Annotation"]
    motivation: Literal["linking"]
    body: SpecificResource
    target: SpecificResource


class Page(_Closed):
    id: str
    type: Literal["AnnotationPage"]
    startIndex: int
    items: list[Annotation]


class Collection(_Closed):
    context: Literal["http://www.w3.org/ns/anno.jsonld"] = Field(alias="@context")
    id: str
    type: Literal["AnnotationCollection"]
    total: int
    first: Page


def at(location: str, title: str = "Lease") -> bytes:
    """A proof of a name that stands in a source at this place."""
    answer, text = "🏛: Anna Weber.", "🏛🏛 Anna Weber looks after it."
    spans = (Source(source="1", start=0, end=len(text), text=text),)
    source = ProofSource(id="1", text=text, title=title, location=location)
    task = Task(text="Whom?")
    return proof_bytes(Proof(task=task, answer=answer, claims=claims(answer, task, (), spans), sources=(source,)))


def test_openai_names_the_file_behind_the_claim() -> None:
    """The client's own model takes it; the index is the place behind the words, in code points."""
    rendering = openai(made(ANSWER))
    block = ResponseOutputText.model_validate(rendering.content)
    assert block.model_dump(exclude_none=True) == rendering.content
    cited = []
    for citation in block.annotations:
        assert citation.type == "file_citation" and (citation.file_id, citation.filename) == ("1", "lease.md")
        cited.append(block.text[: citation.index])
    assert cited == ["🏛 Anna Weber", "🏛 Anna Weber knows: 1,040 euros"]


def test_openai_has_the_span_of_what_rests_on_a_web_page() -> None:
    """Its start and end cut the claim out of the text, though a character beyond the first plane stands before it."""
    block = ResponseOutputText.model_validate(openai(at("https://example.com/a b")).content)
    (citation,) = block.annotations
    assert citation.type == "url_citation" and (citation.url, citation.title) == ("https://example.com/a b", "Lease")
    assert block.text[citation.start_index : citation.end_index] == "Anna Weber"


def test_cohere_has_documents_and_tools() -> None:
    """A value of a text cites its document, one of a step the step with its output."""
    rendering = cohere(made(ANSWER))
    message = CohereMessage.model_validate(rendering.content)
    text = message.content[0].text
    assert all(text[one.start : one.end] == one.text for one in message.citations)
    cited = {one.text: one.sources[0] for one in message.citations}
    assert list(cited) == ["Anna Weber", "1,040 euros", "2,080", "1,040"]
    assert isinstance(named := cited["Anna Weber"], CohereDocument)
    assert named.document["title"] == "Lease" and named.document["snippet"] in TEXT
    assert cited["2,080"] == CohereTool(type="tool", id="s2", tool_output={"output": 2080})


def test_an_object_is_the_output_of_a_tool_as_it_is() -> None:
    """Only what is no object needs a name."""
    output, task = {"total": 7.5}, Task(text="?")
    steps = (ProofStep(id="s1", tool="sql", arguments={}, output=output),)
    found = claims("It is 7.5.", task, [ToolOutput("s1", output)])
    derivations = (Derivation(id="d1", steps=steps),)
    content = cohere(proof_bytes(Proof(task=task, answer="It is 7.5.", claims=found, derivations=derivations))).content
    assert CohereMessage.model_validate(content).citations[0].sources[0].model_dump()["tool_output"] == output


def test_anthropic_cuts_the_answer_into_blocks() -> None:
    """Together they are the answer; a citation's offsets cut its words out of the source."""
    message = AnthropicMessage.model_validate(anthropic(made(ANSWER)).content)
    assert "".join(block.text for block in message.content) == ANSWER
    cited = {block.text: citation for block in message.content for citation in block.citations or ()}
    assert list(cited) == ["Anna Weber", "1,040 euros"]
    for words, citation in cited.items():
        assert TEXT[citation.start_char_index : citation.end_char_index] == citation.cited_text == words
        assert (citation.document_index, citation.document_title) == (0, "Lease")


def test_w3c_links_two_spans() -> None:
    """Position and quote of both say the same; a place below the folder is a relative reference, none a UUID."""
    for location, iri in (("a b/lease.md", "a%20b/lease.md"), ("https://x.example/a", "https://x.example/a")):
        collection = Collection.model_validate(w3c(at(location)).content)
        (annotation,) = collection.first.items
        assert (collection.total, annotation.body.source) == (1, iri)
        assert annotation.target.source.startswith("urn:uuid:") and annotation.id != collection.id
        body, target = (annotation.body, "🏛🏛 Anna Weber looks after it."), (annotation.target, "🏛: Anna Weber.")
        for resource, text in (body, target):
            position, quote = resource.selector
            assert text[position.start : position.end] == quote.exact == "Anna Weber"
            assert f"{quote.prefix}{quote.exact}{quote.suffix}" == text
    unnamed = Collection.model_validate(w3c(at("")).content).first.items[0]
    assert unnamed.body.source.startswith("urn:uuid:") and w3c(at("")) == w3c(at(""))


@pytest.mark.parametrize("shape", [openai, anthropic, w3c])
def test_what_a_shape_cannot_hold_is_counted(shape: Callable[[bytes], Rendering]) -> None:
    """Tool results, computations, values of the task and those that rest on nothing: left out, never faked."""
    left_out = {
        "results of tools": 3, "results of computations": 1, "values of the task": 1,
        "values that are not supported": 1,
    }  # fmt: skip
    assert shape(made(ANSWER)).left_out == left_out
    assert cohere(made(ANSWER)).left_out == {name: n for name, n in left_out.items() if name != "results of tools"}
    assert shape(at("lease.md")).left_out == {}


def test_a_block_has_the_citations_of_one_claim() -> None:
    """A judged sentence with a value in it: the sentence has the block, the value is counted."""
    text, reading = "She knows 12 of it.", Reading(value="she knows 12 of it.", form="text")
    spans = (Source(source="1", start=0, end=len(text), text=text),)
    task = Task(text="?")
    value = claims(f"Yes: {text}", task, (), spans)[0]
    evidence = FromSource(source="1", start=0, end=len(text), reading=reading)
    sentence = Claim(
        id="s", start=5, end=24, text=text, kind="sentence", reading=reading, support="source",
        evidence=(evidence,), verdict="supported",
    )  # fmt: skip
    source = ProofSource(id="1", text=text)
    whole = Proof(task=task, answer=f"Yes: {text}", claims=(sentence, value), sources=(source,))
    proof = proof_bytes(whole.changed(grounds="sentences"))
    rendering = anthropic(proof)
    message = AnthropicMessage.model_validate(rendering.content)
    assert "".join(block.text for block in message.content) == f"Yes: {text}"
    assert rendering.left_out == {"claims over others": 1}
    assert len(ResponseOutputText.model_validate(openai(proof).content).annotations) == 2


@pytest.mark.parametrize("shape", SHAPES.values())
def test_only_a_proof_that_is_verified_is_rendered(shape: Callable[[bytes], Rendering]) -> None:
    """A digest that fits is not enough: an offset that was moved would cite other words."""
    moved = changed(made(ANSWER), lambda d: d["claims"][0].update(start=d["claims"][0]["start"] + 1))
    for data in (moved, made(ANSWER)[:-1], b""):
        with pytest.raises(UsageError, match=r"^the proof is not verified, so it is not rendered: "):
            shape(data)


@pytest.mark.parametrize("shape", SHAPES.values())
def test_an_answer_without_sources_has_no_citations(shape: Callable[[bytes], Rendering]) -> None:
    """Neither has an empty one."""
    assert shape(small()).left_out == {"values of the task": 1}
    assert "cit" not in str(shape(small("")).content.get("annotations", ""))


def test_the_command_line_offers_every_shape() -> None:
    """It names them without loading them."""
    assert tuple(SHAPES) == OFFERED
