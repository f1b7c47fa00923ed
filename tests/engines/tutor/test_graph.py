"""The proof graph: its chain, its exports, and how a game is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.assembly.views import trail
from aeon.engines.tutor.export import from_jsonl, to_jsonl, to_mermaid
from aeon.engines.tutor.graph import broken_at
from aeon.engines.tutor.record import ProofGame
from aeon.engines.tutor.view import VIEW
from aeon.errors import InputFileError
from aeon.observability.lines import plain
from aeon.runtime.journal import Journal
from engines.tutor.playing import LOOK, contains, play, written

pytestmark = pytest.mark.requirement("E4a")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The journal of a game that was won."""
    moves = [LOOK, {"move": "ASSERT", "claim": contains()}, {"move": "RESPOND", "claims": [3]}]
    play(written(tmp_path / "in"), moves, journal=lambda _: Journal(tmp_path / "game.jsonl"))
    return tmp_path / "game.jsonl"


@pytest.fixture
def game(path: Path) -> ProofGame:
    """Its result."""
    result = trail(Journal.read(path)).result
    assert isinstance(result, ProofGame)
    return result


def test_every_change_of_the_graph_is_found(game: ProofGame) -> None:
    """A node that is changed, left out, added, moved, or rests on a later one breaks the chain, where it stands."""
    nodes = game.graph
    assert broken_at(nodes) is None and [node.number for node in nodes] == [1, 2, 3, 4, 5]
    assert [node.kind for node in nodes] == ["observation", "observation", "claim", "verdict", "answer"]
    for place, node in enumerate(nodes):
        other = node.changed(content={**node.content, "verdict": "refuted"})
        assert broken_at([*nodes[:place], other, *nodes[place + 1 :]]) == place + 1
        assert broken_at([*nodes[:place], node.changed(turn=node.turn + 1), *nodes[place + 1 :]]) == place + 1
    assert broken_at([*nodes[:2], *nodes[3:]]) == 3 and broken_at([nodes[1], nodes[0]]) == 1
    assert broken_at([*nodes, nodes[-1]]) == 6
    assert broken_at([*nodes[:2], nodes[2].changed(rests_on=(4,)), *nodes[3:]]) == 3


def test_the_graph_as_json_lines_is_the_graph(game: ProofGame) -> None:
    """A node a line, read back the same; a line that is none is named."""
    text = to_jsonl(game.graph)
    assert text.count("\n") == len(game.graph) and from_jsonl(text) == game.graph
    with pytest.raises(InputFileError, match="line 2: is no node"):
        from_jsonl(text.splitlines()[0] + '\n{"number": 0}\n')


def test_the_picture_leads_from_looks_to_the_answer(game: ProofGame, path: Path) -> None:
    """The flowchart of a run is its proof; what a file says cannot become markup."""
    picture = VIEW.flowchart(trail(Journal.read(path)))
    assert picture == to_mermaid(game.graph)
    for edge in ("n2 --> n4", "n3 --> n4", "n3 --> n5"):
        assert f"    {edge}" in picture
    claim = game.graph[2]
    evil = claim.changed(content={"statement": contains(text='"]; click n1 <b>')})
    assert '"]; click' not in to_mermaid([evil]) and "<b>" not in to_mermaid([evil])


def test_a_game_is_shown_in_words(game: ProofGame, path: Path) -> None:
    """Moves, looks, the answer, and below it the claim with the look that it rests on."""
    ending, report = plain(VIEW.ending(game)), plain(VIEW.report(trail(Journal.read(path))))
    assert "proved: notes/b.txt contains “K7-4417”" in ending and "[2] search “K7-4417” in all files" in ending
    assert "ASSERT notes/b.txt contains “K7-4417”" in report and "PROPOSE search “K7-4417” in all files" in report
    assert "again: search" in report
