"""Reports from end to end: rounds, modes, endings, what is published, and what is not."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from measured import every_judgment

from aeon import Budget, Journal, replay, resume
from aeon.assembly.report import PLUGIN
from aeon.assembly.reports import report
from aeon.assembly.views import trail
from aeon.engines.report.analyst import Analyst
from aeon.engines.report.config import ReasoningSettings, ReportConfig
from aeon.engines.report.critic import Critic
from aeon.engines.report.effects import Analyse, Critique
from aeon.engines.report.record import Report
from aeon.engines.report.values import Analysis, Review
from aeon.errors import EndpointFailed, Malformed, NoValidSourcesError
from aeon.llm.scripted import Scripted
from aeon.schema import Capabilities, Questions

from .played import (
    CAPABLE,
    DESIGNED,
    ITEMS,
    NEWS,
    OFFICIAL,
    OPENED,
    QUERY,
    SMALL,
    SOCIAL,
    TIERS,
    TOLL,
    Played,
)  # fmt: skip

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
    for finding, value in zip(result.findings, ("1932", "Ada Holm", "4 crowns"), strict=True):
        assert finding.verdict == "supported" and value in finding.text
        assert all(value in one.source.text for one in finding.citations)


def test_sources_are_numbered_once_over_all_questions() -> None:
    """Two questions that cite one source share its number; the bibliography holds what is cited, from 1 on."""
    result = run(mode="strict")
    numbers = [one.citations[0].number for one in result.findings]
    assert numbers == [1, 1, 2]
    assert [(one.number, one.source, one.tier) for one in result.sources] == [(1, OFFICIAL, 1), (2, NEWS, 2)]


def test_the_sentences_are_the_analysts_own() -> None:
    """The host adds nothing to them but the numbers of what they cite."""
    prose = "Die Brücke wurde 1932 eröffnet; das steht in der Urkunde [sic]."

    def drafted(whole: dict[str, Any]) -> dict[str, Any]:
        whole["draft"]["sections"][0]["sentences"][0]["text"] = prose
        return whole

    result = run(Played(drafts=[drafted]), mode="strict")
    assert result.findings[0].text == prose
    assert "Die Brücke wurde 1932 eröffnet; das steht in der Urkunde \\[sic\\] [1]." in result.answer


def test_the_critic_sees_each_sentence_with_what_it_cites() -> None:
    """One prompt holds them all, each with the quoted sentence behind the title of its source."""
    played = Played()
    run(played, mode="strict")
    (prompt,) = played.prompts("criticise")
    assert ". On this the sources say 1932.\n   [1] Official record: The Harbour Bridge was opened in 1932." in prompt
    numbers = re.findall(r"^(\d+)\. ", prompt, re.MULTILINE)
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]  # the control is one of them, anywhere


def critic(**said: object) -> Played:
    """A model whose critic says so."""
    return Played(critic=said)


def test_what_the_critic_says_is_in_the_review_and_in_the_report() -> None:
    """Issues, gaps, suggestions and its own words; with WARN the report is published and says why."""
    said = {
        "status": "WARN", "issues": ["the toll may be old"], "logical_gaps": ["no year of the toll"],
        "suggestions": ["look for a newer toll"], "critique": "good but for the toll",
    }  # fmt: skip
    result = run(critic(**said), mode="strict")
    review = result.review
    assert review is not None and (review.status, review.critique) == ("WARN", "good but for the toll")
    assert review.suggestions == ("look for a newer toll",) and review.logical_gaps == ("no year of the toll",)
    assert (review.form, review.standing) == ("verdict", "assumed")
    assert result.stop_reason == "accepted_with_warnings" and "- the toll may be old" in result.answer


def test_the_analyst_revises_what_the_critic_rejects() -> None:
    """It is shown its draft and the review, and its new draft is reviewed again."""

    def without(whole: dict[str, Any]) -> dict[str, Any]:
        del whole["draft"]["sections"][1]
        return whole

    played = Played(doubted=["Ada Holm"], drafts=[dict, without])
    result = run(played, mode="strict")
    assert [one.review.status for one in result.rounds if one.review] == ["REJECT", "WARN"]
    second = played.prompts("draft")[1]
    assert "Your earlier draft:" in second and "“On this the sources say Ada Holm.” is not supported" in second
    assert [one.question for one in result.not_found] == [2] and "Ada Holm" not in result.answer
    assert result.stop_reason == "accepted_with_warnings"


def test_a_rejected_draft_may_need_another_search() -> None:
    """The gap search is a round that really searches, and what it finds can be cited."""
    asked = "How often do they paint the Harbour Bridge?"

    def search(whole: dict[str, Any]) -> dict[str, Any]:
        empty: dict[str, list[object]] = {"sections": [], "not_found": [], "calculations": []}
        queries = [{"question": 0, "text": asked}]
        return {**whole, "status": "SEARCH_REQUIRED", "new_queries": queries, "draft": empty}

    result = run(Played([OPENED], drafts=[search]))
    assert [one.kind for one in result.rounds] == ["search", "search", "draft"]
    assert result.rounds[1].analysis.status == "SEARCH_REQUIRED"
    assert result.draft.questions == (OPENED, asked)
    assert ["5 years" in one.text for one in result.draft.answered(2)] == [True]


def test_a_search_in_the_last_round_is_followed_by_its_draft() -> None:
    """After that no search is left, and the analyst is told so."""

    def search(whole: dict[str, Any]) -> dict[str, Any]:
        return {**whole, "status": "SEARCH_REQUIRED", "new_queries": [{"question": 1, "text": "bridge opening year"}]}

    played = Played(drafts=[search, search], can=CAPABLE)
    result = run(played, mode="strict")
    assert [one.kind for one in result.rounds] == ["search", "search", "draft"]
    assert "No search is left: write the draft." in played.prompts("draft")[-1]
    assert "bridge opening year" in played.prompts("draft")[-1] and result.stop_reason == "accepted"


def test_a_draft_of_a_small_model_is_what_its_research_found() -> None:
    """Its own sentences, each judged by a yes or no; nothing is worded again."""
    played = Played(can=SMALL)
    result = run(played, mode="strict")
    assert [one.text for one in result.findings] == ["It says 1932.", "It says Ada Holm.", "It says 4 crowns."]
    assert not played.prompts("draft") and not played.prompts("criticise")
    assert {one.verdict for one in result.findings} == {"supported"} and result.stop_reason == "accepted"


def test_a_small_model_searches_in_other_words_for_what_has_no_finding() -> None:
    """The search is a round, and the words are the model's."""
    played = Played([OPENED, "What colour has it?"], can=SMALL)
    result = run(played)
    assert [one.kind for one in result.rounds] == ["search", "search", "draft"]
    assert [query.text for query in result.rounds[1].analysis.new_queries] == ["Say, what colour has it?"]
    assert "Say, what colour has it?" in result.not_found[0].searched


def test_rounds_are_limited() -> None:
    """With one round, the search is followed by its draft at once; no round goes beyond the limit."""
    config = ReportConfig(reasoning=ReasoningSettings(max_iterations=1))
    result = run(config=config, mode="strict")
    assert [one.kind for one in result.rounds] == ["draft"]
    assert result.stop_reason == "accepted"


def test_what_is_always_rejected_is_published_with_low_confidence_and_the_reasons() -> None:
    """In discovery the last draft is published, marked, with why; the run is not good enough."""
    result = run(Played(doubted=["say"]), config=ReportConfig(reasoning=ReasoningSettings(max_iterations=2)))
    assert (result.stop_reason, result.sufficient, result.confidence) == ("rejected", False, "Low")
    assert result.score == 0
    assert "## Why this report was rejected" in result.answer
    assert "not supported by what it cites" in result.answer
    assert result.findings and result.reasons


def test_in_strict_a_rejected_draft_is_not_published() -> None:
    """Nothing of it stands in the answer or the result but the reasons; the rounds are on record."""
    result = run(Played(doubted=["say"]), mode="strict")
    assert (result.stop_reason, result.sufficient, result.findings) == ("rejected", False, ())
    assert result.answer.splitlines()[2].startswith("No report:")
    assert result.reasons and any(one.draft is not None for one in result.rounds)
    assert not result.claims


def test_what_the_critic_rejects_as_a_whole_is_rejected() -> None:
    """Also where each sentence is supported."""
    result = run(critic(status="REJECT", issues=["it misses the point"]), mode="strict")
    assert (result.stop_reason, result.findings) == ("rejected", ()) and "it misses the point" in result.answer


def test_what_no_source_says_ends_as_not_stated() -> None:
    """The report says which questions were searched for in which words."""
    played = Played(answers={"nothing": ("x",)})
    result = run(played)
    assert (result.stop_reason, result.sufficient, result.findings) == ("not_stated", False, ())
    assert "The sources do not answer this." in result.answer
    assert OPENED.replace("?", "") in result.answer


def test_an_analyst_that_fails_does_not_leave_the_draft_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next round asks it again; that it failed is on record."""
    analyse, times = Analyst.analyse, iter(range(99))

    async def failing(self: Analyst, effect: Analyse) -> Analysis:
        if next(times) == 2:
            raise Malformed("no", "bad")
        return await analyse(self, effect)

    monkeypatch.setattr(Analyst, "analyse", failing)
    config = ReportConfig.model_validate({"reasoning": {"max_iterations": 10}})
    result = run(Played(doubted=["say"]), config=config)
    assert [one.kind for one in result.rounds] == ["search", "draft", "draft", "draft"]
    assert "analyst" in [one.phase for one in result.degraded]


def test_a_rejected_draft_that_does_not_change_ends_the_report() -> None:
    """The analyst says the same again: neither the critic nor the analyst is asked once more."""
    config = ReportConfig.model_validate({"reasoning": {"max_iterations": 10}})
    journal = Journal()
    result = run(Played(doubted=["say"]), config=config, journal=lambda _: journal)
    assert [one.kind for one in result.rounds] == ["search", "draft", "draft"]
    phases = [done.effect.phase for batch in trail(journal).batches for done in batch]
    assert phases.count("critic") == 1 and phases.count("analyst") == 3
    assert (result.stop_reason, result.review) == ("rejected", result.rounds[1].review)
    assert replay(journal, PLUGIN.engine) == result


def test_a_model_that_answers_nonsense_costs_no_run() -> None:
    """The query itself is the question where no plan can be used; the run ends with what that gives."""
    result = report(QUERY, ITEMS, tiers=TIERS, llm=Scripted(lambda request: "~~~"))
    assert result.draft.questions == (QUERY,)
    assert result.stop_reason in ("not_stated", "unreviewed", "rejected")


def test_a_model_that_fails_ends_the_run_with_what_is_there() -> None:
    """Three failed requests in a row end it; the result says so and holds no finding."""
    result = report(QUERY, ITEMS, tiers=TIERS, llm=Scripted(lambda request: EndpointFailed("it is down")))
    assert (result.stop_reason, result.sufficient) == ("failed", False)
    assert result.answer


def test_a_budget_that_runs_out_gives_the_report_of_what_is_there() -> None:
    """The findings so far are published with low confidence, and the stop reason names the budget."""
    result = run(config=ReportConfig(budget=Budget(calls=16)))
    assert result.stop_reason == "calls_exhausted"
    assert result.usage.calls <= 16 and result.confidence == "Low"
    assert result.findings
    assert "unreviewed: the run ended before" in result.answer


def test_no_run_makes_more_calls_than_its_bound() -> None:
    """The worst run of each mode stays within the bound that is stated before."""
    for mode in ("strict", "discovery", "monitor"):
        config = ReportConfig(mode=mode)
        played = Played(doubted=["say"])
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


@pytest.mark.parametrize("can", [CAPABLE, SMALL], ids=["capable", "small"])
@pytest.mark.requirement("J8")
def test_a_model_that_cannot_criticise_is_named_and_its_report_unreviewed(
    can: Capabilities, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judgment that was measured to be bad asks nothing; the report is published as unreviewed, never as WARN."""
    bad = every_judgment("scripted", "obliging", "played", auroc=0.6)
    monkeypatch.setattr("aeon.supervisor.judge.calibrations", lambda: bad)
    played = Played(can=can)
    result = run(played, mode="strict")
    assert result.review is not None and result.review.status == "UNREVIEWED"
    assert (result.stop_reason, result.sufficient, result.confidence) == ("unreviewed", False, "Low")
    assert {one.verdict for one in result.findings} == {"not_checked"}
    assert "scripted cannot criticise: its judgment was measured to be bad" in result.answer
    assert not played.prompts("criticise")


@pytest.mark.requirement("J8")
def test_a_critic_that_says_yes_to_anything_cannot_criticise() -> None:
    """It finds support for a sentence in what another source says of something else."""

    def yes(user: str) -> object:
        numbers = range(1, user.count("\n   [") + 1)
        sentences = [{"number": number, "why": "", "verdict": "supported"} for number in numbers]
        return {**json.loads(json.dumps(Played._criticise(played, user))), "sentences": sentences}

    played = Played()
    monkey = played.reply
    played.model = Scripted(lambda request: json.dumps(yes(request.messages[-1].content))
                            if "criticise" in request.messages[0].content else monkey(request), CAPABLE)  # fmt: skip
    result = run(played, mode="strict")
    assert result.stop_reason == "unreviewed" and "cannot criticise" in result.reasons[0]


def test_a_critic_that_fails_leaves_an_unreviewed_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says why, and that is on record."""

    async def failing(self: Critic, effect: Critique) -> Review:
        raise Malformed("no", "bad")

    monkeypatch.setattr(Critic, "critique", failing)
    result = run(mode="strict")
    assert (result.stop_reason, result.confidence) == ("unreviewed", "Low") and result.findings
    assert "critic" in [one.phase for one in result.degraded] and "## Unreviewed" in result.answer


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
