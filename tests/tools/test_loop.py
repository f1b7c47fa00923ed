"""The tools of a loop over a folder: what they give, what they say of wrong names, and how they are offered."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from aeon.errors import ToolArgumentError
from aeon.schema import JsonObject, JsonValue
from aeon.tools import Tool, ToolRegistry, tool
from aeon.tools.files import Files
from aeon.tools.loop import with_long_context
from aeon.tools.rendering import shown
from aeon.tools.select import resolve
from aeon.tools.textparts import lines_of
from aeon.tools.toolspecs import hints, specs

pytestmark = [pytest.mark.requirement("T3"), pytest.mark.usefixtures("indexes")]
TERMS = (
    "# Terms\n\nOrders of 250 or more ship free. Others cost 6.90,\nwherever they go.\n\n## Returns\n\n"
    "- Within 14 days.\n- Opened filters\n  cannot be returned.\n\n```\nif late:\n    refund()\n```\n"
)
SALES = "day,city,revenue\n2024-03-01,Cork,10.50\n2024-04-02,Porto,20\n2024-04-03,Cork,3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two tables and four texts, with names that are hard to write, and a file of no use."""
    root = tmp_path / "data"
    (root / "notes").mkdir(parents=True)
    (root / "sales.csv").write_text(SALES)
    (root / "order.csv").write_text("group,select,Größe\n1,a b,\n2,c,3\n")
    (root / "terms.md").write_text(TERMS)
    (root / "notes" / "Über uns 2024.txt").write_text("Die Firma sitzt in Köln. Sie hat 40 Leute.\n")
    (root / "notes" / "会议.txt").write_text("会议在六月三日。预算是五千元。\n")
    (root / "copy of terms.md").write_text(TERMS)
    (root / "picture.png").write_bytes(b"\x89PNG\x00")
    return root


def use(tools: tuple[Tool, ...] | list[Tool], name: str, /, **arguments: JsonValue) -> JsonValue:
    """What a tool gives within a run's cap."""
    output = asyncio.run(ToolRegistry(tools).call(name, dict(arguments)))
    assert not output.cut
    return output.value


def texts_of(output: JsonValue) -> list[str]:
    """The sentences of an output."""
    return [text for lines in lines_of(output) for text in lines.texts]


def test_a_folder_has_three_tools_and_an_empty_one_says_so(folder: Path, tmp_path: Path) -> None:
    """What is offered follows from what is there."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("A text.")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a.csv").write_text("a\n1\n")
    (tmp_path / "empty").mkdir()
    names = {
        one: [tool.name for tool in Files.open(tmp_path / one).loop_tools]
        for one in ("data", "texts", "tables", "empty")
    }
    assert names == {
        "data": ["sql", "search", "read"], "texts": ["search", "read"], "tables": ["sql", "read"], "empty": ["read"]
    }  # fmt: skip
    nothing = Files.open(tmp_path / "empty")
    assert nothing.material == "The folder holds no tables and no texts."
    with pytest.raises(ToolArgumentError, match="the nearest names are: none"):
        use(nothing.loop_tools, "read", name="a.txt")


def test_a_text_is_read_whole_as_it_is_laid_out(folder: Path) -> None:
    """Every sentence has its number and its span; breaks and indents of the text stay, those in a sentence do not."""
    tools = Files.open(folder).loop_tools
    output = use(tools, "read", name="terms.md")
    (lines,) = lines_of(output)
    stored = Files.open(folder).collection.text(lines.source)
    assert [stored[start:end] for start, end in lines.spans] == list(lines.texts)
    assert "".join("".join(lines.texts).split()) == "".join(stored.split())
    text = shown(output, 3)
    assert text.startswith(
        "(the whole text)\ncopy of terms.md\n[3.1] # Terms\n\n[3.2] Orders of 250 or more ship free. [3.3] "
    )
    assert (
        "[3.3] Others cost 6.90, wherever they go.\n\n[3.4] ## Returns\n\n[3.5] - Within 14 days.\n[3.6] - Op" in text
    )
    assert "    [3.9] refund()\n" in text


@pytest.mark.usefixtures("words_only")
def test_a_long_text_is_read_in_parts(folder: Path) -> None:
    """Each part says where it stands and how to go on; together they are the text, though it has five megabytes."""
    (folder / "long.txt").write_text("".join(f"Line {n} says {'so ' * 30}much.\n\n" for n in range(45_000)))
    tools = Files.open(folder).loop_tools
    output = use(tools, "read", name="long.txt")
    first = texts_of(output)
    assert first[0].startswith("Line 0 ") and 50 < len(first) < 200
    assert shown(output, 1).startswith(
        f"(sentences 1 to {len(first)} of 45,000; the text goes on at start={len(first) + 1})"
    )
    second = texts_of(use(tools, "read", name="long.txt", start=len(first) + 1))
    assert second[0].startswith(f"Line {len(first)} ")
    last = use(tools, "read", name="long.txt", start=45_000)
    assert len(texts_of(last)) == 1 and shown(last, 1).startswith("(sentence 45,000 of 45,000)")
    with pytest.raises(ToolArgumentError, match="45,000 sentences; there is none 45,001"):
        use(tools, "read", name="long.txt", start=45_001)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("terms", "# Terms"),
        (" TERMS.md ", "# Terms"),
        ("copy of terms.md", "# Terms"),
        ("Über uns 2024.txt", "Die Firma sitzt in Köln."),
        ("notes\\über uns 2024.txt", "Die Firma sitzt in Köln."),
        ("会议", "会议在六月三日。"),
    ],
)
def test_a_name_need_not_be_exact(folder: Path, name: str, sentence: str) -> None:
    """Case, folder and suffix may be left out where only one text can be meant; a copy is the same text."""
    assert texts_of(use(Files.open(folder).loop_tools, "read", name=name))[0] == sentence


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trems.md", "nothing is named 'trems.md'; the nearest names are: "),
        ("picture.png", "picture.png cannot be read: no table and no document"),
        ("../../etc/passwd", "nothing is named '../../etc/passwd'"),
        pytest.param("x" * 100_000, "nothing is named 'xxx", id="long"),
        ("", "nothing is named ''"),
    ],
)
def test_a_wrong_name_gives_the_nearest_ones(folder: Path, name: str, message: str) -> None:
    """Or the reason why the file cannot be read."""
    with pytest.raises(ToolArgumentError) as error:
        use(Files.open(folder).loop_tools, "read", name=name)
    assert message in str(error.value) and len(str(error.value)) < 600


@pytest.mark.parametrize("name", ["sales", "sales.csv", "SALES"])
def test_a_table_is_read_by_its_first_rows(folder: Path, name: str) -> None:
    """A model that reads a table instead of asking it sees rows, and how many there are."""
    tools = Files.open(folder).loop_tools
    output = use(tools, "read", name=name)
    assert (
        shown(output, 1)
        == "day | city | revenue\n2024-03-01 | Cork | 10.5\n2024-04-02 | Porto | 20\n2024-04-03 | Cork | 3\n(3 rows)"
    )
    assert shown(use(tools, "read", name=name, start=3), 1).endswith("\n2024-04-03 | Cork | 3\n(1 of 3 rows)")
    assert lines_of(output) == ()


def test_a_search_gives_numbered_sentences_of_the_best_passages(folder: Path) -> None:
    """With the names of the texts that hold the words, and of those that are named so; no sentence comes twice."""
    output = use(Files.open(folder).loop_tools, "search", words="filters returned")
    text, sentences = shown(output, 2), texts_of(output)
    spans = [(lines.source, span) for lines in lines_of(output) for span in lines.spans]
    assert text.startswith("(found in copy of terms.md") and "3 texts searched" in text
    assert any("Opened filters" in one for one in sentences) and len(spans) == len(set(spans))
    assert f"[2.{len(sentences)}]" in text and f"[2.{len(sentences) + 1}]" not in text
    assert "names with these words: notes/会议.txt" in shown(
        use(Files.open(folder).loop_tools, "search", words="会议"), 1
    )


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize("words", ["zebra", "the of and", "' OR \"", "*"])
def test_a_search_that_finds_nothing_says_so(folder: Path, words: str) -> None:
    """And how many texts it searched, and that tables are none of them."""
    output = use(Files.open(folder).loop_tools, "search", words=words)
    assert shown(output, 1) == "(nothing found, 3 texts searched; tables are not searched, sql asks them)"
    assert lines_of(output) == ()


def test_material_says_what_there_is(folder: Path) -> None:
    """Names as a query has to write them, texts of columns that have few, a row, texts by size, what was skipped."""
    material = Files.open(folder).material
    assert (
        't_order("group" BIGINT, "select" VARCHAR (a b | c), Größe BIGINT (some NULL)) 2 rows\n  1 | a b | NULL\n'
        in material
    )
    columns = "day DATE (2024-03-01 to 2024-04-03), city VARCHAR (Cork | Porto), revenue DECIMAL"
    assert f"sales({columns}) 3 rows\n  2024-03-01 | Cork | 10.5" in material
    assert (
        "Texts: copy of terms.md (179 characters), notes/Über uns 2024.txt (43 characters), notes/会议.txt ("
        in material
    )
    assert "\nFiles: 2 tables; 3 documents; skipped: " in material and "picture.png" in material
    assert len(material) < 2_000


def test_texts_of_columns_are_told_where_they_are_few(tmp_path: Path) -> None:
    """Eight at most; and none where tables are so many that rows and texts would fill the prompt."""
    rows = "\n".join(f"{number},state {number % 8},name {number}" for number in range(40))
    (tmp_path / "orders.csv").write_text(f"id,state,customer\n{rows}\n")
    told = "state VARCHAR (state 0 | state 1 | state 2 | state 3 | state 4 | state 5 | state 6 | state 7), customer VAR"
    assert told in Files.open(tmp_path).material
    for number in range(40):
        (tmp_path / f"t{number}.csv").write_text("kind,size\n" + "small,1\nlarge,2\n" * 3)
    assert " | " not in Files.open(tmp_path).material


def test_material_of_a_large_folder_is_cut(tmp_path: Path) -> None:
    """Rows go first, then tables and texts, which are counted."""
    for number in range(150):
        (tmp_path / f"report {number:03}.txt").write_text(f"Report {number}.")
        columns = ",".join(f"column_{number}_{place}" for place in range(6))
        (tmp_path / f"table{number:03}.csv").write_text(f"{columns}\n1,2,3,4,5,6\n")
    material = Files.open(tmp_path).material
    assert "more: search finds them" in material and "more: SHOW TABLES lists them" in material
    assert len(material) < 9_500


def test_a_wide_table_does_not_fill_the_material(tmp_path: Path) -> None:
    """Its columns are counted, and so is a long cell cut."""
    (tmp_path / "wide.csv").write_text(",".join(f"c{n}" for n in range(400)) + "\n" + ",".join(["x" * 500] * 400))
    material = Files.open(tmp_path).material
    assert "more columns: DESCRIBE lists them" in material and len(material) < 4_000


def test_resolve_gives_the_tools_of_a_form(folder: Path) -> None:
    """Without a form all is as it was; with it a folder has its three tools, the others are as they are given."""
    given = ["calculator", f"files={folder}"]
    before = [one.name for one in resolve(given)]
    assert before[:3] == ["calculator", "sql", "lookup"]
    assert [one.name for one in resolve(given, form="tools")] == ["sql", "search", "read", "calculator"]
    assert all(not one.side_effects and one.parallel_safe for one in resolve([f"files={folder}"], form="tools"))


def test_a_users_own_tool_keeps_its_name(folder: Path) -> None:
    """Where it has that of one of the folder's, this one has another."""

    @tool
    def read(path: str) -> str:
        """Read it."""
        return path

    found = resolve([read, f"files={folder}"], form="tools")
    assert [one.name for one in found] == ["sql", "search", "read_files", "read"]
    assert use(found, "read", path="x") == "x"
    with_context = with_long_context(found, "The code is 4711.")
    assert [one.name for one in with_context] == ["sql", "read", "search", "read_files"]
    assert texts_of(use(list(with_context), "read_files", name="context")) == ["The code is 4711."]
    assert [one.name for one in with_long_context([read], "The code is 4711.")] == ["read", "search", "read_context"]


def test_specs_are_what_a_model_is_told(folder: Path) -> None:
    """Name, description and what a call needs of the schema; what there is stands once, in the hints."""
    registry = ToolRegistry(resolve([f"files={folder}"], form="tools"))
    sql, search, read = specs(registry)
    assert (sql.name, search.name, read.name) == ("sql", "search", "read")
    assert sql.parameters["required"] == ["query"] and read.parameters["required"] == ["name"]
    assert all(set(one.parameters) == {"type", "properties", "required"} for one in (sql, search, read))
    assert len(json.dumps([one.model_dump() for one in (sql, search, read)])) < 1_500
    assert hints(registry) == Files.open(folder).material


def test_a_long_context_is_searched_and_read_like_a_text(folder: Path) -> None:
    """Beside those of the folder, or alone; each sentence names the text that it is of."""
    context = "".join(f"Clause {n} is about {'nothing' if n != 77 else 'zebras'}.\n\n" for n in range(200))
    alone = with_long_context((), context)
    both = with_long_context(Files.open(folder).loop_tools, context)
    assert [one.name for one in alone] == ["search", "read"] and [one.name for one in both] == ["sql", "search", "read"]
    for tools in (alone, both):
        found = use(tools, "search", words="zebras")
        assert "Clause 77 is about zebras." in texts_of(found)
        assert {lines.source for lines in lines_of(found) if "Clause 77 is about zebras." in lines.texts} == {"context"}
        assert texts_of(use(tools, "read", name="context", start=78))[0] == "Clause 77 is about zebras."
    assert texts_of(use(both, "read", name="terms"))[0] == "# Terms"
    assert any("Opened filters" in one for one in texts_of(use(both, "search", words="filters")))
    assert f"The task's context is a text of {len(context):,} characters" in hints(ToolRegistry(both))


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain\x1b text", "plain\ufffd text"),
        ({"a": [1, None], "ü": True}, '{"a":[1,null],"ü":true}'),
        (None, "null"),
        ({"parts": "no", "note": 1}, '{"parts":"no","note":1}'),
        ({"columns": ["a"], "rows": [[1, 2]], "total": 1}, '{"columns":["a"],"rows":[[1,2]],"total":1}'),
        ({"columns": ["a b", "c"], "rows": [["x | y", "12"], ["two\nlines", ""], ["NULL", None]], "total": 9},
         'a b | c\n"x | y" | "12"\n"two\\nlines" | ""\n"NULL" | NULL\n(3 of 9 rows)'),
        ({"columns": [], "rows": [], "total": 0}, "\n(0 rows)"),
    ],
)  # fmt: skip
def test_any_output_is_shown(output: JsonValue, text: str) -> None:
    """A text is never taken for a number, for nothing, or for two cells; what is no table or text part is JSON."""
    assert shown(output, 1) == text


def test_what_is_shown_keeps_to_its_bytes() -> None:
    """Text, rows and sentences are cut where they end, and it is said."""
    parts: JsonObject = {"parts": [{"source": "a", "sentences": [[n, n + 1, "ü" * 40, "\n"] for n in range(99)]}]}
    rows: JsonObject = {"columns": ["n"], "rows": [[n] for n in range(99)], "total": 99}
    assert shown("ü" * 900, 1, 101).endswith("… [cut: 1,800 bytes, the first 101 shown]")
    assert shown(rows, 1, 20).endswith("\n5 | \n(6 of 99 rows)".replace(" | ", "")) or "of 99 rows)" in shown(
        rows, 1, 20
    )
    assert shown(parts, 1, 400).endswith("more sentences are not shown]")
    assert len(shown(parts, 1, 400).encode()) < 500


def test_a_sentence_cannot_pass_for_another(tmp_path: Path) -> None:
    """What a text says that looks like a mark stands within its own sentence, on the line of that."""
    (tmp_path / "a.txt").write_text("First of all it says that [1.2] the price\nis 5. The price is 9.\n")
    text = shown(use(Files.open(tmp_path).loop_tools, "read", name="a"), 1)
    assert text.endswith("[1.1] First of all it says that [1.2] the price is 5. [1.2] The price is 9.")
