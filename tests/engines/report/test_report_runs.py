"""Reports from end to end: rounds, modes, endings, what is published, and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from measured import every_judgment

from aeon import Budget, Journal, replay, resume
from aeon.assembly.report import PLUGIN
from aeon.assembly.reports import report
from aeon.assembly.views import trail
from aeon.engines.report.analyst import Analyst
from aeon.engines.report.config import ReasoningSettings, ReportConfig
from aeon.engines.report.record import Report
from aeon.engines.report.values import Analysis
from aeon.errors import EndpointFailed, Malformed, NoValidSourcesError
from aeon.llm.scripted import Scripted
from aeon.schema import Questions

from .played import DESIGNED, ITEMS, NEWS, OFFICIAL, OPENED, QUERY, SOCIAL, TIERS, TOLL, Played

pytestmark = [pytest.mark.requirement("A1"), pytest.mark.usefixtures("measured")]


def run(played: Played | None = None, config: ReportConfig | None = None, **options: Any) -> Report:
    """A report on the items with a played model."""
    played = played or Played()
    options = {"items": ITEMS, "tiers": TIERS, **options}
    return report(QUERY, llm=played.model, config=config or ReportConfig(), **options)


def test_a_report_has_a_finding_with_citations_for_each_question() -> None:
    """The plan is searched, the draft passes, and each finding cites the sentence that it rests on."""
    result = run(mode="strict")
    assert (result.stop_reason, result.sufficient) == ("accepted", True)
    assert [one.kind for one in result.rounds] == ["search", "draft"]
    assert result.draft.questions == (OPENED, DESIGNED, TOLL)
    assert [one.short for one in result.findings] == ["1932", "Ada Holm", "4 crowns"]
    for finding in result.findings:
        assert finding.verdict == "supported"
        assert all(finding.short in one.source.text for one in finding.citations)


def test_sources_are_numbered_once_over_all_questions() -> None:
    """Two questions that cite one source share its number; the bibliography holds what is cited, from 1 on."""
    result = run(mode="strict")
    numbers = [one.citations[0].number for one in result.findings]
    assert numbers == [1, 1, 2]
    assert [(one.number, one.source, one.tier) for one in result.sources] == [(1, OFFICIAL, 1), (2, NEWS, 2)]


def test_a_quote_that_points_back_has_the_sentence_before_it() -> None:
    """“It was designed by …” is quoted with the sentence that says what it is, as it stands in the text."""
    result = run(mode="strict")
    (quote,) = [one.source for one in result.findings[1].citations]
    assert quote.text.startswith("The Harbour Bridge was opened in 1932. It was designed")
    text = f"{ITEMS[0]['name']}\n\n{ITEMS[0]['description']}"
    assert text[quote.start : quote.end] == quote.text


def test_the_critic_sees_each_answer_with_what_it_cites() -> None:
    """Its prompt holds what was found, its question and the quoted sentence behind the title of its source."""
    played = Played()
    run(played, mode="strict")
    shown = [prompt for prompt in played.prompts("judge") if "1932" in prompt.partition("\nAnswer:")[2]]
    assert any("Official record: The Harbour Bridge was opened in 1932." in prompt for prompt in shown)


def test_a_finding_that_is_rejected_is_dropped_and_searched_in_other_words() -> None:
    """The critic rejects, the analyst revises, the gap search is a round, and a report without the finding follows."""
    other = "Which engineer made the Harbour Bridge?"
    played = Played(doubted=["Ada Holm"], rewords={DESIGNED: other})
    result = run(played, mode="strict")
    assert [one.review.status for one in result.rounds if one.review] == ["REJECT", "WARN"]
    last = result.rounds[-1]
    assert last.analysis.drop == ("q2.1",)
    assert [(one.number, one.text) for one in last.analysis.new_queries] == [(2, other)]
    assert [one.question for one in result.not_found] == [2]
    assert other in result.not_found[0].searched
    assert "Ada Holm" in result.not_found[0].dropped[0]
    assert "Ada Holm" not in result.summary
    assert result.stop_reason == "accepted_with_warnings"


def test_a_gap_is_searched_in_a_round_of_its_own() -> None:
    """A question without an answer is worded otherwise; the search counts as a round, and its finding is kept."""
    asked = "What colour has the Harbour Bridge?"
    other = "How often do they paint the Harbour Bridge?"
    played = Played([OPENED, asked], rewords={asked: other})
    result = run(played)
    assert [one.kind for one in result.rounds] == ["search", "search", "draft"]
    assert result.rounds[1].analysis.status == "SEARCH_REQUIRED"
    assert [one.short for one in result.draft.answered(2)] == ["5 years"]


def test_rounds_are_limited() -> None:
    """With one round, the search is followed by its draft at once; no round goes beyond the limit."""
    config = ReportConfig(reasoning=ReasoningSettings(max_iterations=1))
    result = run(config=config, mode="strict")
    assert [one.kind for one in result.rounds] == ["draft"]
    assert result.stop_reason == "accepted"


def test_what_is_always_rejected_is_published_with_low_confidence_and_the_reasons() -> None:
    """In discovery the last draft is published, marked, with why; the run is not good enough."""
    doubted = ["1932", "1935", "Ada Holm", "4 crowns"]
    played = Played(doubted=doubted, rewords={one: f"Say, {one.lower()}" for one in (OPENED, DESIGNED, TOLL)})
    result = run(played)
    assert (result.stop_reason, result.sufficient, result.confidence) == ("rejected", False, "Low")
    assert result.score == 0
    assert "## Why this report was rejected" in result.answer
    assert "not supported by what it cites" in result.answer
    assert result.findings and result.reasons


def test_in_strict_a_rejected_draft_is_not_published() -> None:
    """Nothing of it stands in the answer or the result but the reasons; the rounds are on record."""
    doubted = ["1932", "Ada Holm", "4 crowns"]
    played = Played(doubted=doubted, rewords={one: f"Say, {one.lower()}" for one in (OPENED, DESIGNED, TOLL)})
    result = run(played, mode="strict")
    assert (result.stop_reason, result.sufficient, result.findings) == ("rejected", False, ())
    assert result.answer.splitlines()[2].startswith("No report:")
    assert result.reasons and result.rounds[-1].draft is not None
    assert not result.claims


def test_what_no_source_says_ends_as_not_stated() -> None:
    """The report says which questions were searched for in which words."""
    played = Played(answers={"nothing": ("x",)})
    result = run(played)
    assert (result.stop_reason, result.sufficient, result.findings) == ("not_stated", False, ())
    assert "The sources do not answer this." in result.answer
    assert OPENED.replace("?", "") in result.answer


def test_an_analyst_that_fails_does_not_leave_the_draft_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next round asks it again; that it failed is on record."""
    revise, times = Analyst.revise, iter(range(99))

    async def failing(self: Analyst, *args: Any) -> Analysis:
        if next(times) == 1:
            raise Malformed("no", "bad")
        return await revise(self, *args)

    monkeypatch.setattr(Analyst, "revise", failing)
    config = ReportConfig.model_validate({"reasoning": {"max_iterations": 10}})
    result = run(Played(answers={"nothing": ("x",)}), config=config)
    assert [one.kind for one in result.rounds] == ["search", "draft", "draft", "draft"]
    assert "analyst" in [one.phase for one in result.degraded]


def test_a_rejected_draft_that_does_not_change_ends_the_report() -> None:
    """The analyst has no other words and nothing to drop: the critic and further rounds are not asked again."""
    config = ReportConfig.model_validate({"reasoning": {"max_iterations": 10}})
    journal, asked = Journal(), Played(answers={"nothing": ("x",)})
    result = run(asked, config=config, journal=lambda _: journal)
    assert [one.kind for one in result.rounds] == ["search", "draft", "draft"]
    phases = [done.effect.phase for batch in trail(journal).batches for done in batch]
    assert phases.count("critic") == 1 and phases.count("analyst") == 3
    assert len(asked.prompts("reword")) == 6
    assert (result.stop_reason, result.review) == ("not_stated", result.rounds[1].review)
    assert replay(journal, PLUGIN.engine) == result


def test_a_model_that_answers_nonsense_costs_no_run() -> None:
    """The query itself is the question where no plan can be used; the run ends with what that gives."""
    result = report(QUERY, ITEMS, tiers=TIERS, llm=Scripted(lambda request: "~~~"))
    assert result.draft.questions == (QUERY,)
    assert result.stop_reason in ("not_stated", "accepted_with_warnings", "rejected")


def test_a_model_that_fails_ends_the_run_with_what_is_there() -> None:
    """Three failed requests in a row end it; the result says so and holds no finding."""
    result = report(QUERY, ITEMS, tiers=TIERS, llm=Scripted(lambda request: EndpointFailed("it is down")))
    assert (result.stop_reason, result.sufficient) == ("failed", False)
    assert result.answer


def test_a_budget_that_runs_out_gives_the_report_of_what_is_there() -> None:
    """The findings so far are published with low confidence, and the stop reason names the budget."""
    result = run(config=ReportConfig(budget=Budget(calls=14)))
    assert result.stop_reason == "calls_exhausted"
    assert result.usage.calls <= 14 and result.confidence == "Low"
    assert result.findings
    assert "nobody reviewed this draft" in result.answer


def test_no_run_makes_more_calls_than_its_bound() -> None:
    """The worst run of each mode stays within the bound that is stated before."""
    for mode in ("strict", "discovery", "monitor"):
        config = ReportConfig(mode=mode)
        played = Played(doubted=["1932", "1935", "Ada Holm", "4 crowns"])
        result = run(played, config=config)
        assert result.usage.calls <= result.bound.calls


def test_disagreements_between_sources_are_shown_with_both_quotes() -> None:
    """Two sources give different years: both stand in the report, each with its citation and its tier."""
    result = run(mode="discovery")
    (one,) = result.disagreements
    assert sorted((side.answer, side.tier) for side in one.sides) == [("1932", 1), ("1935", 5)]
    assert "Sources give different values:" in result.answer
    for side in one.sides:
        assert result.draft.source(side.citation.number).source in (OFFICIAL, SOCIAL)


def test_a_replay_gives_the_same_report_and_asks_no_model() -> None:
    """The journal determines the report, nested research included."""
    journal = Journal()
    result = run(journal=lambda execution_id: journal)
    assert replay(journal, PLUGIN.engine) == result


def test_an_interrupted_report_is_resumed_to_the_same_result(tmp_path: Any) -> None:
    """Broken off at any place, the run continues from its journal, items included, without asking anything twice."""
    whole = tmp_path / "whole.jsonl"
    expected = run(mode="strict", journal=lambda execution_id: Journal(whole))
    lines = whole.read_bytes().splitlines(keepends=True)
    for kept in range(2, len(lines) - 1, 7):
        path = tmp_path / f"{kept}.jsonl"
        path.write_bytes(b"".join(lines[:kept]))
        result = resume(path, Played().model)
        assert (result.answer, result.items[0]["score"]) == (expected.answer, expected.items[0]["score"])


def test_nested_searches_are_in_the_journal_with_what_the_mode_dropped() -> None:
    """Searches of the nested runs are effects of this run; what they found is on record before it is sifted."""
    journal = Journal()
    result = run(mode="strict", journal=lambda execution_id: journal)
    effects = [done for batch in trail(journal).batches for done in batch]
    nested = [done for done in effects if done.effect.phase == "search" and done.effect.scope]
    assert len({done.effect.scope for done in nested}) == 3
    found = {one.source for done in nested for one in done.outcome.value.passages}  # type: ignore[union-attr]
    assert SOCIAL in found and SOCIAL in {one.source for one in result.dropped}


def test_the_query_is_asked_about_where_that_is_switched_on() -> None:
    """The options are put to the person, and the answer is what the analyst plans for."""
    played = Played()
    asked: list[tuple[str, ...]] = []

    async def answer(question: Any) -> str:
        asked.append(question.options)
        return str(question.options[1])

    run(played, config=ReportConfig(clarify="always"), ask=answer)
    assert asked == [("What is the Harbour Bridge of Larsund?", "What is the Harbour Bridge of Ostend?")]
    assert "What is the Harbour Bridge of Ostend?" in played.prompts("plan")[0]


def test_a_judgment_that_was_not_measured_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``measured``, no options are made where nobody measured the judge of ambiguity; by default nothing is."""
    monkeypatch.undo()
    played = Played()
    config = ReportConfig(clarify="measured", questions=Questions(ambiguity=0))
    run(played, config=config)
    assert not played.prompts("readings")
    run(played)
    assert not played.prompts("readings")


def test_by_a_bad_judge_nothing_counts_as_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The findings are published as not checked, with a warning and at most half the score."""
    bad = every_judgment("scripted", "obliging", "played", auroc=0.6)
    monkeypatch.setattr("aeon.supervisor.judge.calibrations", lambda: bad)
    result = run(mode="strict")
    assert {one.verdict for one in result.findings} == {"not_checked"}
    assert (result.stop_reason, result.confidence) == ("accepted_with_warnings", "Medium")
    assert result.score <= 50


def test_no_source_of_the_mode_is_an_error_that_names_what_was_dropped() -> None:
    """Before anything is asked where only items are given; the line says what to do."""
    with pytest.raises(NoValidSourcesError, match=r"strict takes .*ChatBoard \(tier 5, social\).*discovery"):
        run(items=[ITEMS[2]], mode="strict")


@pytest.mark.requirement("A3")
def test_a_plain_search_that_finds_nothing_says_so() -> None:
    """It is no success, and no item is made up."""
    config = ReportConfig(reasoning=ReasoningSettings(enabled=False))
    result = report("Quagga zebras", ITEMS, config=config, llm=Scripted([]))
    assert (result.stop_reason, result.sufficient, result.items) == ("nothing_found", False, ())
    assert result.answer == "Nothing was found."


def test_a_run_that_failed_does_not_say_what_sources_lack() -> None:
    """Nobody looked, so the report says that it ended before."""
    result = report(QUERY, ITEMS, tiers=TIERS, llm=Scripted(lambda request: EndpointFailed("it is down")))
    assert "Nothing was found before the run ended." in result.answer
    assert "do not answer" not in result.answer
