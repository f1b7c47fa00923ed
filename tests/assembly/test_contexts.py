"""Contexts that are too long for a prompt: they are searched like a text of a folder, cited, and searched on resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aeon import Config, Journal, Result, Task, build, replay, resume, tool
from aeon.assembly.proofs import proof_of
from aeon.errors import EndpointFailed
from aeon.llm.scripted import Reply, Scripted
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.schema import LLMRequest
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
QUOTED: tuple[Reply, ...] = ("price = 300.4\nprint(price)", "The price is {r1} euros.")


def run(task: Task, *replies: Reply, saved: Path | None = None) -> tuple[Result, Scripted]:
    """A run with the calculator alone."""
    model = agreeing(replies)
    return build(llm=model, journal=lambda _: Journal(saved)).execute(task), model


def asked(model: Scripted, number: int = 0) -> str:
    """The last message of a request."""
    return model.requests[number].messages[-1].content


@pytest.mark.parametrize("context", SHAPES.values(), ids=SHAPES)
def test_a_fact_of_its_middle_is_found_and_cited(context: str) -> None:
    """The sentence is cited by its place in the context, and nothing counts as unread."""
    result, model = run(Task(text=QUESTION, context=context), *QUOTED)
    price = "300.40 euros" if "300.40 euros" in context else "300.4"  # as it is written; no unit that nobody spoke of
    assert result.answer == f"The price is {price}." and result.stop_reason == "converged" and result.unread == ()
    (step,) = result.history.passes[0].executed
    (source,) = step.sources
    assert source.source == "context" and "300.4" in source.text
    assert context[source.start : source.end].replace(",", ";") == source.text.replace(",", ";")
    assert len(asked(model)) < 6_000


def test_what_it_does_not_say_is_not_stated() -> None:
    """The answer names what was searched."""
    result, _ = run(Task(text="Who is the mayor of Cork?", context=LINES), "print('not stated')", "not stated")
    assert result.answer == "The context does not say: Who is the mayor of Cork? (searched: context)."
    assert result.stop_reason == "not_stated" and result.unread == ()


def test_a_text_that_is_written_says_what_was_cut() -> None:
    """Its prompt shows start and end of the context."""
    result, model = run(Task(text="Write a summary.", context=LINES), "Prices of articles.", "Prices of articles.")
    assert [one.part for one in result.unread] == ["context"] and not result.sufficient
    assert "the middle left out" in asked(model)


def test_what_rests_on_no_sentence_says_what_was_cut() -> None:
    """A sum of the task's own numbers did not look at the context."""
    result, _ = run(Task(text="What is 17 * 2.40?", context=LINES), "print(17 * 2.40)", "It is {r1}.", "Answer: 40.8")
    assert result.answer == "It is 40.8." and [one.part for one in result.unread] == ["context"]


def test_it_is_searched_beside_a_folder(tmp_path: Path) -> None:
    """Values of both are cited, each by the name of its text."""
    (tmp_path / "vat.txt").write_text("The VAT of an article is 19 percent.\n")
    replies = ["print(300.4 * 19 / 100)", "It needs one fact.", "The VAT is {r1} euros."]
    given, model = Files.open(tmp_path), agreeing(replies)
    task = Task(text="What is the VAT on the price of article A300?", context=LINES)
    result = build(llm=model, tools=["calculator", given]).execute(task)
    cited = {source.source for step in result.history.passes[0].executed for source in step.sources}
    assert cited == {"context", "vat.txt"} and result.answer == "The VAT is 57.076 euros." and result.unread == ()
    assert "(context)" in asked(model) and "(vat.txt)" in asked(model)


def test_the_proof_holds_it_as_a_source() -> None:
    """The verifier finds the value in it."""
    result, _ = run(Task(text=QUESTION, context=SHAPES["CSV"]), QUOTED[0], "The price is {r1}.")
    proof = proof_of(result)
    assert [(one.id, one.location) for one in proof.sources] == [("context", "task://context")]
    report = verify(proof_bytes(proof))
    assert report.code == 0 and [one.verdict for one in proof.claims if one.text == "300.4"] == ["supported"]


def test_a_resumed_run_searches_it_again(tmp_path: Path) -> None:
    """The journal holds the task, and the search is made of that; the history is derived again without a model."""
    saved, task = tmp_path / "run.jsonl", Task(text=QUESTION, context=LINES)
    broken, _ = run(task, EndpointFailed("gone"), saved=saved)
    assert broken.stop_reason == "failed"
    result = resume(saved, llm=agreeing(QUOTED))
    assert result.answer == "The price is 300.40 euros." and result.unread == ()
    assert replay(Journal.read(saved)).answer == result.answer


@tool(side_effects=False)
def stock(article: str) -> int:
    """How many pieces of an article are in stock."""
    return len(article)


def test_with_own_tools_it_is_searched_by_plans_in_steps() -> None:
    """A plan of steps may use both; without `thorough` the context is cut as it was, and that is said."""

    def offers(thorough: bool) -> bool:
        model = Scripted(lambda request: EndpointFailed("gone"))
        orchestrator = build(llm=model, tools=["calculator", stock], config=Config(thorough=thorough))
        assert [one.part for one in orchestrator.execute(Task(text=QUESTION, context=LINES)).unread] == ["context"]
        return any("lookup: Texts: context" in _words(request) for request in model.requests)

    assert offers(thorough=True) and not offers(thorough=False)


def _words(request: LLMRequest) -> str:
    return "\n".join(message.content for message in request.messages)


def test_a_context_that_prompts_show_whole_is_not_searched() -> None:
    """It stands in the prompt as it is."""
    result, model = run(Task(text=QUESTION, context=LINES[-6_000:]), "print(300.4)", "It is {r1}.")
    assert LINES[-6_000:] in asked(model) and "Sentences:" not in asked(model) and result.unread == ()
