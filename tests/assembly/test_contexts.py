"""Contexts that are too long for a prompt: they are searched like a text of a folder, cited, and searched on resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aeon import Journal, Result, Task, build, replay, resume, tool
from aeon.assembly.proofs import proof_of
from aeon.errors import EndpointUnreachable
from aeon.grounding.results import spans_of
from aeon.llm.scripted import Reply, Scripted
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.schema import Source
from aeon.tools.files import Files
from tests.second import agreeing

pytestmark = pytest.mark.usefixtures("indexes")

QUESTION = "What is the price of article A300?"
RECORDS = [{"id": number, "article": f"article A{number}", "price": number + 0.4} for number in range(600)]
LINES = "\n".join(f"The price of article A{number} is {number}.40 euros" for number in range(600))
SHAPES = {
    "lines": LINES,
    "sentences": LINES.replace(" euros\n", " euros. "),
    "keys": "\n".join(f"article A{number}: price {number}.40" for number in range(600)),
    "CSV": "id,article,price\n" + "\n".join(f"{number},article A{number},{number}.40" for number in range(600)),
    "JSON": json.dumps(RECORDS),
    "JSON lines": "\n".join(map(json.dumps, RECORDS)),
    "JSON, indented": json.dumps(RECORDS, indent=2),
}
WRITES = 'print(write("Write a summary."))'
QUOTED: tuple[Reply, ...] = ("price = 300.4\nprint(price)", "The price is 300.4 euros.")


def run(task: Task, *replies: Reply, saved: Path | None = None) -> tuple[Result, Scripted]:
    """A run with the calculator alone."""
    model = agreeing(replies)
    return build(llm=model, journal=lambda _: Journal(saved)).execute(task), model


def quoted(result: Result) -> list[Source]:
    """The sentences that the steps of the first pass rest on."""
    return list(spans_of(result.history.passes[0].executed))


def asked(model: Scripted, number: int = 0) -> str:
    """The last message of a request."""
    return model.requests[number].messages[-1].content


@pytest.mark.parametrize("context", SHAPES.values(), ids=SHAPES)
def test_a_fact_of_its_middle_is_found_and_cited(context: str) -> None:
    """The sentence is cited by its place in the context, and nothing counts as unread."""
    result, model = run(Task(text=QUESTION, context=context), *QUOTED)
    assert result.answer == "The price is 300.4 euros." and result.stop_reason == "converged" and result.unread == ()
    (source,) = quoted(result)
    assert source.source == "context" and "300.4" in source.text
    assert context[source.start : source.end].replace(",", ";") == source.text.replace(",", ";")
    assert len(asked(model)) < 6_000


def test_what_it_does_not_say_is_not_stated() -> None:
    """The answer says what was searched for, and all of the context was."""
    result, _ = run(Task(text="Who is the mayor of Cork?", context=LINES), "print('not stated')")
    assert result.answer == "not stated in what was searched: Who is the mayor of Cork?"
    assert result.stop_reason == "not_stated" and result.unread == ()


def test_a_text_that_is_written_says_what_was_cut() -> None:
    """Its prompt shows start and end of the context."""
    result, model = run(Task(text="Write a summary.", context=LINES), WRITES, "Prices of articles.")
    assert [one.part for one in result.unread] == ["context"] and not result.sufficient
    assert "the middle left out" in asked(model, 1) and LINES[:1_000] in asked(model, 1)


def test_what_rests_on_no_sentence_says_what_was_cut() -> None:
    """A sum of the task's own numbers did not look at the context."""
    result, _ = run(Task(text="What is 17 * 2.40?", context=LINES), "print(17 * 2.40)", "It is 40.8.")
    assert result.answer == "It is 40.8." and [one.part for one in result.unread] == ["context"]


def test_it_is_searched_beside_a_folder(tmp_path: Path) -> None:
    """Values of both are cited, each by the name of its text."""
    (tmp_path / "vat.txt").write_text("The VAT of an article is 19 percent.\n")
    replies = ["print(300.4 * 19 / 100)", "The VAT is 57.076 euros."]
    given, model = Files.open(tmp_path), agreeing(replies)
    task = Task(text="What is the VAT on the price of article A300?", context=LINES)
    result = build(llm=model, tools=["calculator", given]).execute(task)
    assert (
        {source.source for source in quoted(result)} == {"context", "vat.txt"}
        and result.answer == "The VAT is 57.076 euros."
        and result.unread == ()
    )
    assert "(context)" in asked(model) and "(vat.txt)" in asked(model)


def test_the_proof_holds_it_as_a_source() -> None:
    """The verifier finds the value in it."""
    result, _ = run(Task(text=QUESTION, context=SHAPES["CSV"]), QUOTED[0], "The price is 300.4.")
    proof = proof_of(result)
    assert [(one.id, one.location) for one in proof.sources] == [("context", "task://context")]
    report = verify(proof_bytes(proof))
    assert report.code == 0 and [one.verdict for one in proof.claims if one.text == "300.4"] == ["supported"]
    assert [one.type for claim in proof.claims for one in claim.evidence] == ["source"]


def test_a_resumed_run_searches_it_again(tmp_path: Path) -> None:
    """The journal holds the task, and the search is made of that; the history is derived again without a model."""
    saved, task = tmp_path / "run.jsonl", Task(text=QUESTION, context=LINES)
    broken, _ = run(task, EndpointUnreachable("gone"), saved=saved)
    assert broken.stop_reason == "failed"
    result = resume(saved, llm=agreeing(QUOTED))
    assert result.answer == "The price is 300.4 euros." and result.unread == ()
    assert replay(Journal.read(saved)).answer == result.answer


@tool(side_effects=False)
def stock(article: str) -> int:
    """How many pieces of an article are in stock."""
    return len(article)


def test_with_own_tools_it_is_searched_as_well() -> None:
    """One program quotes the context and calls a tool of the user's own."""
    program, said = 'price = 300.4\nprint(price, stock("article A300"))', "It costs 300.4 euros, and 12 are in stock."
    model = agreeing([program, said])
    result = build(llm=model, tools=["calculator", stock]).execute(Task(text=QUESTION, context=LINES))
    assert result.answer == said and result.unread == ()
    assert [one.tool for step in result.history.passes[0].executed for one in step.uses] == ["quote", "stock"]
    assert [source.source for source in quoted(result)] == ["context"]


def test_a_context_that_prompts_show_whole_is_not_searched() -> None:
    """It stands in the prompt as it is."""
    result, model = run(Task(text=QUESTION, context=LINES[-6_000:]), "print(300.4)", "It is 300.4.")
    assert LINES[-6_000:] in asked(model) and "Sentences:" not in asked(model) and result.unread == ()
