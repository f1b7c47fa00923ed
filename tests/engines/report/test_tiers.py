"""Source tiers: what a source is, what each mode takes, and what a file of tiers says that cannot be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aeon.assembly.reports import report
from aeon.engines.report.config import ReportConfig
from aeon.engines.report.tiers import ITEMS as OWN
from aeon.engines.report.tiers import Mode, ModeConfigs, SourceTier, ranked, usable
from aeon.errors import ConfigError, NoValidSourcesError, UsageError
from aeon.schema import Document
from aeon.settings import load_config

from .played import DESIGNED, ITEMS, NEWS, OFFICIAL, OPENED, QUERY, SOCIAL, TIERS, UNKNOWN, Played

pytestmark = [pytest.mark.requirement("A2"), pytest.mark.usefixtures("measured")]
KEYS = {
    "中央社": SourceTier(tier=1, type="official"),
    "gov.example": SourceTier(tier=1, type="government"),
    "gov.example/forum": SourceTier(tier=5, type="social"),
    "https://news.example/world/": SourceTier(tier=2, type="news"),
    "records/official": SourceTier(tier=1, type="official"),
}


@pytest.mark.parametrize(
    ("source", "tier"),
    [
        ("https://gov.example/a/b", 1),
        ("http://www.GOV.example:8080", 1),
        ("https://gov.example/forum/1", 5),
        ("https://gov.example/forums", 1),
        ("https://news.example/world/1?x=2#y", 2),
        ("https://news.example/sport", None),
        ("records/official/bridge.md", 1),
        ("records/officially.md", None),
        ("https://gov.example@evil.example/", None),
        ("https://evil.example/gov.example/", None),
        ("https://evil.gov.example.org/", None),
        ("https://sub.gov.example/", None),
        ("https://gov.example\\@evil.example/", None),
        ("records/official/../social/x.md", None),
    ],
)
def test_the_tier_of_a_source_follows_from_its_host_and_path(source: str, tier: int | None) -> None:
    """The longest key that the address lies within counts; what only looks like it is unknown."""
    assert ranked(Document(source=source), "collection", KEYS).tier == tier


def test_whose_site_it_is_counts_for_items_alone() -> None:
    """A caller says whose an item is; a page of the web that says so of itself stays unknown."""
    document = Document(source="https://evil.example/1", site="中央社")
    assert ranked(document, OWN, KEYS).tier == 1
    assert ranked(document, "searxng", KEYS).tier is None


@pytest.mark.parametrize(
    ("mode", "taken"), [("strict", {1, 2}), ("discovery", {1, 2, 3, 4, 5, None}), ("monitor", {1, 2, 3, 4, 5, None})]
)
def test_each_mode_takes_its_tiers(mode: str, taken: set[int | None]) -> None:
    """Strict drops tiers above 2 and unknown sources; the other modes keep all."""
    tiers = [1, 2, 3, 4, 5, None]
    assert {tier for tier in tiers if usable(tier, mode, ModeConfigs())} == taken  # type: ignore[arg-type]


def test_strict_never_shows_a_model_what_it_drops() -> None:
    """No prompt holds a word of a source of tier 5 or of an unknown one, and neither does the report."""
    played = Played()
    result = report(QUERY, ITEMS, tiers=TIERS, mode="strict", llm=played.model)
    assert not [text for _, text in played.seen if "1935" in text or "green" in text]
    assert "1935" not in result.answer
    assert {one.source for one in result.dropped} == {SOCIAL, UNKNOWN}
    assert {item["url"] for item in result.context} == {OFFICIAL, NEWS}


def test_discovery_keeps_all_and_warns_of_low_tiers() -> None:
    """A source of tier 5 that is cited stands in the warnings, under its tier in the bibliography."""
    result = report(QUERY, ITEMS, tiers=TIERS, mode="discovery", llm=Played().model)
    assert any("bridge thread is tier 5 (social)" in reason for reason in result.reasons)
    assert "### Tier 5" in result.answer and not result.dropped
    assert result.stop_reason == "accepted_with_warnings"


def test_where_sources_differ_the_analyst_is_told_both_with_their_tiers() -> None:
    """Also what the answer of the research does not cite; both values stand in the report, the better tier first."""
    played = Played([OPENED], answers={"opened": ("1935", "1932")})
    result = report(QUERY, ITEMS, tiers=TIERS, mode="discovery", llm=played.model)
    (prompt,) = played.prompts("draft")
    assert "opened in 1932" in prompt and "(tier 1, official)" in prompt and "sources differ: " in prompt
    (difference,) = result.disagreements
    assert {side.answer for side in difference.sides} == {"1932", "1935"}
    listed = [line for line in result.answer.splitlines() if line.startswith("- 193")]
    assert listed == ["- 1932 [2] *(tier 1)*", "- 1935 [1] *(tier 5)*"]


def test_monitor_sets_the_tiers_side_by_side() -> None:
    """Each question is put to the sources of both tiers; the report says of each where they differ."""
    result = report(QUERY, ITEMS, tiers=TIERS, mode="monitor", llm=Played().model)
    _, _, beside = result.answer.partition("## Side by side\n\n")
    first, second = (f"### {question}\n\n" for question in (OPENED, DESIGNED))
    assert f"{first}- Tier 1: 1932 [1]\n- Tier 5: 1935 [2]\n- differ\n" in beside
    assert re.search(f"{re.escape(second)}- Tier 1: .*Ada Holm.*\n- Tier 5: nothing\n- cannot be compared\n", beside)


def test_monitor_keeps_unknown_sources() -> None:
    """They are among the sources that the query found, and nothing is said to be dropped."""
    result = report(QUERY, ITEMS, tiers=TIERS, mode="monitor", llm=Played().model)
    assert UNKNOWN in {item["url"] for item in result.context} and not result.dropped


def test_the_tiers_that_monitor_compares_are_configured() -> None:
    """With tiers 1 and 2, what tier 5 says is not in the report."""
    modes = {"monitor": {"compare_tiers": [1, 2]}}
    config = ReportConfig.model_validate({"mode": "monitor", "mode_configs": modes})
    result = report(QUERY, ITEMS, tiers=TIERS, config=config, llm=Played().model)
    assert {source.tier for source in result.sources} == {1, 2}


def test_items_are_enriched_with_their_tier() -> None:
    """The description begins with tier and type; the metadata say whose it is."""
    result = report(QUERY, ITEMS, tiers=TIERS, mode="discovery", llm=Played().model)
    by_url = {str(item["url"]): item for item in result.context}
    assert str(by_url[OFFICIAL]["description"]).startswith("[Tier 1 | official] ")
    metadata = {"tier": 5, "type": "social", "original_source": "ChatBoard"}
    assert by_url[SOCIAL]["_reasoning_metadata"] == metadata
    assert str(by_url[UNKNOWN]["description"]).startswith("[Tier unknown | unknown] ")


def test_strict_with_nothing_left_names_what_it_dropped(tmp_path: Path, words_only: None, indexes: None) -> None:
    """The same holds for a folder, where it is known only after the search; no model is asked."""
    (tmp_path / "chat.md").write_text("The Harbour Bridge was opened in 1935, they say.")
    played = Played()
    with pytest.raises(NoValidSourcesError, match=r"strict takes sources of tier 1 to 2 only.*chat\.md \(unknown\)"):
        report(QUERY, sources=tmp_path, mode="strict", tiers=TIERS, llm=played.model)
    assert not played.seen


def test_a_folder_has_the_tier_of_its_path(tmp_path: Path, words_only: None, indexes: None) -> None:
    """A file below a folder that has a tier is of that tier."""
    for folder, year in (("official", "1932"), ("chat", "1935")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bridge.md").write_text(f"# Bridges\n\nThe Harbour Bridge was opened in {year}.\n")
    tiers = {"official": {"tier": 1, "type": "official"}, "chat": {"tier": 5}}
    result = report(QUERY, sources=tmp_path, mode="strict", tiers=tiers, llm=Played().model)
    assert [(one.source, one.tier) for one in result.sources] == [("official/bridge.md", 1)]


def many(folder: Path) -> None:
    """Seventy files of nobody's that fit the query better than the one of tier 1 that answers it."""
    for number in range(70):
        (folder / "blog").mkdir(exist_ok=True)
        said = "The Harbour Bridge: opening of the Harbour Bridge, designer of the Harbour Bridge, toll. "
        (folder / "blog" / f"{number}.md").write_text(f"{said} Walk {number} begins at it.\n")
    (folder / "official").mkdir()
    (folder / "official" / "b.md").write_text("In the records of the port it says: the bridge was opened in 1932.\n")


@pytest.mark.parametrize("mode", ["strict", "monitor"])
def test_sources_that_fit_better_hide_none_of_the_mode(
    mode: Mode, tmp_path: Path, words_only: None, indexes: None
) -> None:
    """The tier is looked at within the search: what the mode rests on is found however much else there is."""
    many(tmp_path)
    tiers = {"official": {"tier": 1}}
    result = report(QUERY, sources=tmp_path, mode=mode, tiers=tiers, llm=Played([OPENED]).model)
    (finding,) = result.findings
    assert result.draft.source(finding.citations[0].number).source == "official/b.md" and "1932" in finding.text
    if mode == "strict":
        assert {one.source.partition("/")[0] for one in result.dropped} == {"blog"}


def test_items_that_fit_better_hide_none_of_the_mode() -> None:
    """The same holds for items, by the site that the caller gives them."""
    said = "The Harbour Bridge: opening of the Harbour Bridge, designer of the Harbour Bridge, toll."
    others = [{"url": f"https://blog.example/{n}", "site": "Blog", "description": f"{said} {n}"} for n in range(70)]
    result = report(QUERY, [*others, ITEMS[0]], tiers=TIERS, mode="strict", llm=Played().model)
    assert {source.source for source in result.sources} == {OFFICIAL}


def test_the_configuration_of_the_reference_is_read(tmp_path: Path) -> None:
    """Its file, with tiers, modes and times, is a configuration as it stands."""
    file = tmp_path / "tiers.yaml"
    file.write_text(
        "reasoning:\n  enabled: true\n  max_iterations: 3\n  analyst_timeout: 60\n  critic_timeout: 30\n"
        "  writer_timeout: 45\n\nsource_tiers:\n  # Tier 1\n"
        '  "中央社": {tier: 1, type: "official"}\n  "PTT": {tier: 5, type: "social"}\n\n'
        "mode_configs:\n  strict:\n    max_tier: 2\n  discovery:\n    max_tier: 5\n"
        "  monitor:\n    compare_tiers: [1, 5]\n",
        encoding="utf-8",
    )
    config = load_config(ReportConfig, file)
    assert config.source_tiers["中央社"] == SourceTier(tier=1, type="official")
    assert (config.reasoning.critic_timeout, config.mode_configs.monitor.compare_tiers) == (30, (1, 5))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("source_tiers: {PTT: {teir: 5}}", "source_tiers.PTT.teir"),
        ("source_tiers: {PTT: {tier: 6}}", "source_tiers.PTT.tier"),
        ("source_tiers: {PTT: 5}", "source_tiers.PTT"),
        ("source_tier: {PTT: {tier: 5}}", "source_tier"),
        ("mode_configs: {strict: {max_teir: 2}}", "mode_configs.strict.max_teir"),
        ("mode_configs: {monitor: {compare_tiers: [1]}}", "mode_configs.monitor.compare_tiers"),
        ("mode_configs: {monitor: {compare_tiers: [1, 1]}}", "not 1 twice"),
        ("source_tiers: {official: {tier: 1}, Official: {tier: 5}}", "'official' and 'Official' are the same source"),
        ("source_tiers: {gov.example: {tier: 1}, 'https://www.gov.example/': {tier: 5}}", "are the same source"),
        ("source_tiers: {'': {tier: 1}}", "'' names no source"),
        ("source_tiers: {' / ': {tier: 1}}", "names no source"),
        ("reasoning: {max_iterations: 0}", "reasoning.max_iterations"),
        ("mode: strickt", "mode"),
        ("source_tiers: [", "tiers.yaml"),
    ],
)
def test_a_slip_in_the_file_is_one_line_that_names_the_key(tmp_path: Path, text: str, named: str) -> None:
    """Nothing is guessed, and nothing runs."""
    file = tmp_path / "tiers.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        report(QUERY, ITEMS, tiers=file, llm=Played().model)
    assert named in str(caught.value) and "\n" not in str(caught.value)


def test_an_unknown_mode_names_those_that_there_are() -> None:
    """One line, before anything runs."""
    with pytest.raises(UsageError, match=r"mode: 'strickt' is none; there are strict, discovery, monitor"):
        report(QUERY, ITEMS, tiers=TIERS, mode="strickt", llm=Played().model)  # type: ignore[arg-type]
