"""The sentences that a text is to be written from."""

from __future__ import annotations

import asyncio

import pytest

from aeon.documents.collection import Collection
from aeon.documents.readers import Text
from aeon.errors import ToolFailed
from aeon.schema import Source
from aeon.tools.lookup import lookup, with_context
from aeon.tools.material import material
from aeon.tools.quote import quote
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import every_text, read_sentences, read_texts

pytestmark = pytest.mark.requirement("T2c")
LONG = "\n\n".join(f"# Part {n}\n\n" + " ".join(f"Sentence {n}.{m} is here." for m in range(30)) for n in range(1, 5))


def read(
    texts: dict[str, str], question: str = "", documents: tuple[str, ...] = ()
) -> tuple[object, tuple[Source, ...]]:
    """What the tool says of the sentences that it gives, and these."""
    collection = Collection.of_texts({name: Text(text) for name, text in texts.items()})
    return read_sentences(read_texts(collection).call(question=question, documents=list(documents)))  # type: ignore[arg-type]


def test_a_document_is_read_whole() -> None:
    """With its headings; each sentence has its place in the text."""
    text = "# Rules\n\nDogs stay out. Cats may come in."
    said, sources = read({"rules.md": text, "other.md": "Nothing."}, documents=("rules.md",))
    assert said == "3 of 3 sentences of rules.md"
    assert [one.text for one in sources] == ["# Rules", "Dogs stay out.", "Cats may come in."]
    assert all(text[one.start : one.end] == one.text for one in sources)
    assert material(sources) == "(rules.md)\n# Rules\nDogs stay out.\nCats may come in."


def test_of_a_long_document_each_part_is_read_from_its_beginning() -> None:
    """So many sentences as are shown, of each part alike, and it says of how many."""
    said, sources = read({"long.md": LONG}, documents=("long.md",))
    assert said == "60 of 124 sentences of long.md"
    assert [sum(one.heading == f"Part {n}" for one in sources) for n in range(1, 5)] == [15] * 4


def test_of_a_few_short_texts_all_is_read() -> None:
    """Nothing has to be found then, and nothing is missed."""
    said, _ = read({"a.md": "The roof leaks. It is old.", "b.md": "Bees like clover."}, "the roof")
    assert said == "3 of 3 sentences of a.md, b.md"


def test_of_many_texts_what_is_about_a_question_is_found() -> None:
    """The document of the best passage whole, and other passages that are about it."""
    texts = {f"{n}.md": LONG.replace("Sentence", f"Word{n}") for n in range(3)}
    _, sources = read({**texts, "a.md": "The roof leaks. Ask Per."}, "the roof")
    assert {"The roof leaks.", "Ask Per."} <= {one.text for one in sources} and len(sources) <= 40
    _, sources = read({**texts, "a.md": "The roof leaks. Ask Per."}, "the roof", ("0.md", "1.md"))
    assert {one.source for one in sources} <= {"0.md", "1.md"}


def test_nothing_about_it() -> None:
    """The step fails, and says so; so does a document that is not there."""
    with pytest.raises(ToolFailed, match="no text is about this: zebra"):
        read({}, "zebra")
    with pytest.raises(ToolFailed):
        read({"a.md": "The roof leaks."}, documents=("b.md",))


def test_another_output_has_no_sentences() -> None:
    """What is no output of the tool stays as it is."""
    assert read_sentences([1, 2]) == ([1, 2], ())


def test_a_search_names_its_texts() -> None:
    """Their files; with a long context, that too."""
    collection = Collection.of_texts({"rules.md": Text("# Rules of hire\n\nDogs stay out.")})
    (found,) = [one for one in with_context([lookup(collection), quote(collection)], "Bees like clover. " * 400)
                if one.name == "lookup"]  # fmt: skip
    assert (lookup(collection).texts, found.texts) == (("rules.md",), ("context", "rules.md"))


@pytest.mark.requirement("T2d")
def test_a_question_is_put_to_all_of_a_few_short_texts_or_to_what_is_found() -> None:
    """All of them are the same for every question; what is found is not, and without texts there is nothing."""

    def put(texts: dict[str, str], question: str) -> tuple[int, bool] | None:
        collection = Collection.of_texts({name: Text(text) for name, text in texts.items()})
        found = asyncio.run(every_text(ToolRegistry([read_texts(collection)]), question))
        return found and (len(found.sentences), found.whole)

    assert put({"a.md": "The roof leaks. It is old.", "b.md": "Bees like clover."}, "the roof") == (3, True)
    found = put({"long.md": LONG}, "Sentence 2.4")
    assert found is not None and 0 < found[0] <= 60 and not found[1]
    assert put({}, "the roof") is None
    assert asyncio.run(every_text(ToolRegistry([]), "the roof")) is None


@pytest.mark.requirement("T2d")
def test_beside_a_long_context_no_question_is_put_to_all_texts() -> None:
    """The context is not among them."""
    collection = Collection.of_texts({"a.md": Text("The roof leaks.")})
    tools = with_context([lookup(collection), quote(collection), read_texts(collection)], "Bees like clover. " * 400)
    assert asyncio.run(every_text(ToolRegistry(tools), "the roof")) is None
