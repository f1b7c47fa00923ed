"""Reading text out of files, sound and broken."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from absent import without
from hypothesis import given
from hypothesis import strategies as st

from aeon.documents import readers
from aeon.documents.collection import Collection
from aeon.documents.docx import docx_text
from aeon.documents.folder import Folder
from aeon.documents.readers import DOCUMENT_SUFFIXES, Text, read, read_bytes
from aeon.errors import MissingExtraError, ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.isolation.limits import MEGABYTE
from aeon.text import printable
from documents.files import encrypted_pdf, pdf, word, zip_bomb
from scripts.bench import hostile_files

pytestmark = pytest.mark.requirement("T2")

PAGE = """<html><head><title>Company pages</title><style>p {color: red}</style></head><body>
<nav><a href="/">Products</a></nav><h1>Handbook</h1><h2>Leave</h2>
<p>Each employee has thirty days of leave, which they take in agreement with their <b>manager</b>.</p>
<ul><li>Ask for leave_days first</li></ul>
<table><tr><th>Name</th><th>Days</th></tr><tr><td>Ann</td><td>30</td></tr></table>
<script>alert("no")</script></body></html>"""


def written(folder: Path, name: str, data: bytes | str) -> Text:
    """The text of a file with these bytes."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read(path, name)


def refusal(folder: Path, name: str, data: bytes | str) -> str:
    """The line with which a file with these bytes is refused."""
    with pytest.raises(ToolFailed) as error:
        written(folder, name, data)
    message = str(error.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    "data",
    [
        "café \u2013 ok".encode(),
        b"\xef\xbb\xbf" + "café \u2013 ok".encode(),
        "café \u2013 ok".encode("utf-16"),
        b"\xfe\xff" + "café \u2013 ok".encode("utf-16-be"),
        "café \u2013 ok".encode("cp1252"),
    ],
)
def test_encodings(tmp_path: Path, data: bytes) -> None:
    """Text is read as UTF-8, as UTF-16 with its mark, or else as Windows text; the mark is left out."""
    assert written(tmp_path, "a.txt", data).text == "café \u2013 ok"


def test_plain_text_is_made_safe(tmp_path: Path) -> None:
    """Line breaks become one kind, and control characters are replaced."""
    assert written(tmp_path, "a.LOG", b"one\r\ntwo\rthree\x0cfour\x1b[0m").text == "one\ntwo\nthree\nfour\ufffd[0m"


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x00\x00\x01", bytes(range(1, 32)) * 9, b"\xff\xfe\x00\x00a\x00\x00\x00"]
)
def test_binary(tmp_path: Path, data: bytes) -> None:
    """Bytes that are no text are refused whatever the file is called."""
    assert refusal(tmp_path, "a.txt", data) == "a.txt is a binary file, not text"


@pytest.mark.parametrize("name", [f"a{suffix}" for suffix in DOCUMENT_SUFFIXES])
def test_empty(tmp_path: Path, name: str) -> None:
    """An empty file is refused in one line, in each format."""
    if name.endswith(("html", "htm")):
        pytest.importorskip("trafilatura", exc_type=ImportError)
    assert refusal(tmp_path, name, b"").startswith(f"{name} ")


def test_unknown_suffix(tmp_path: Path) -> None:
    """A file of another format is refused with the formats that there are."""
    assert "only .txt, .md" in refusal(tmp_path, "a.exe", b"text")


def test_missing(tmp_path: Path) -> None:
    """A file that is gone is refused with the system's reason."""
    with pytest.raises(ToolFailed, match=r"^a\.txt cannot be read: No such file or directory$"):
        read(tmp_path / "a.txt", "a.txt")


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file above the limit is refused with its size, and is not read."""
    assert readers.MOST_BYTES == 64_000_000
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(65_500_000)
    with pytest.raises(ToolFailed, match=r"^a\.txt is too large: 65\.5 MB, at most 64 MB are read$"):
        read(path, "a.txt")


@pytest.mark.parametrize(
    ("name", "extra", "library"),
    [("a.html", "html", "trafilatura"), ("a.pdf", "pdf", "pypdfium2"), ("a.docx", "docx", "docx")],
)
def test_missing_extra(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, name: str, extra: str, library: str
) -> None:
    """Without its extra, a format is refused with the line that installs it."""
    with without(library, tmp_path_factory.mktemp("modules")), pytest.raises(MissingExtraError) as error:
        written(tmp_path, name, b"text")
    assert str(error.value) == f"reading this file needs the extra {extra}: pip install 'aeon-orchestrator[{extra}]'"


def test_broken_extra(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A library that is there but lacks something itself is refused with what it says."""
    code = "raise ImportError('lxml.html.clean is a project of its own')"
    message = r"trafilatura is there but cannot be imported: lxml\.html\.clean is"
    with (
        without("trafilatura", tmp_path_factory.mktemp("modules"), code),
        pytest.raises(MissingExtraError, match=message),
    ):
        written(tmp_path, "a.html", b"text")


class TestHtml:
    """Pages."""

    pytestmark = pytest.mark.requirement("T2")

    @pytest.fixture(autouse=True)
    def trafilatura(self) -> None:
        """Skip if the library cannot be imported."""
        pytest.importorskip("trafilatura", exc_type=ImportError)

    def test_page(self, tmp_path: Path) -> None:
        """Headings, lists and tables of a page are kept, its menus and scripts are not."""
        text = written(tmp_path, "a.html", PAGE).text
        assert text.startswith("# Handbook\n\n## Leave\n\nEach employee has thirty days")
        assert "- Ask for leave_days first" in text
        assert "| Name | Days |" in text
        assert "| Ann | 30 |" in text
        assert "Products" not in text
        assert "alert" not in text

    @pytest.mark.parametrize("frame", ["{}", "<article>{}</article>", "<main>{}</main>", "<div>{}</div>"])
    def test_long_page(self, tmp_path: Path, frame: str) -> None:
        """The main part of a long page keeps its headings and tables; menus are left out if the part is marked."""
        content = "".join(f"<h2>Part {number}</h2><p>{'Some words of this part. ' * 9}</p>" for number in range(9))
        links = "<li><a href='a'>Products</a></li>" * 3
        beside = f"<div class='menu'><ul>{links}</ul></div>", "<div id='footer'>All rights reserved</div>"
        page = f"<body>{beside[0]}{frame.format(content + PAGE[PAGE.index('<table>') :])}{beside[1]}</body>"
        text = written(tmp_path, "a.html", page).text
        assert [line for line in text.split("\n") if line[:1] == "#"] == [f"## Part {number}" for number in range(9)]
        assert "| Ann | 30 |" in text
        assert "Products" not in text or frame in ("{}", "<div>{}</div>")
        assert "rights" not in text

    def test_several_articles(self, tmp_path: Path) -> None:
        """All articles of a page are read, and what stands beside them."""
        page = (
            "<article><h2>One</h2><p>First words.</p></article><article><h2>Two</h2><p>Others.</p></article><p>End.</p>"
        )
        text = written(tmp_path, "a.html", page).text
        assert [line for line in text.split("\n") if line] == ["## One", "First words.", "## Two", "Others.", "End."]

    def test_small_page(self, tmp_path: Path) -> None:
        """Of a small page, all text is taken, under its title."""
        page = "<title>Rates</title><table><tr><td>a<p>b</p><td>c</table><pre>x\n  y</pre><!-- note --> tail"
        lines = ["# Rates", "", "| a b | c |", "", "x", "y", "", "tail"]
        assert written(tmp_path, "a.htm", page).text.split("\n") == lines

    def test_layout_table(self, tmp_path: Path) -> None:
        """A table that holds headings is no table of data."""
        page = "<table><tr><td><h1>One</h1><p>First.</p></td><td><ul><li>item</ul></td></tr></table>"
        lines = ["# One", "First.", "- item"]
        assert [line for line in written(tmp_path, "a.htm", page).text.split("\n") if line] == lines

    def test_charset(self, tmp_path: Path) -> None:
        """The character set that a page names is used, and one that does not exist is not."""
        for name in ("iso-8859-15", "no-such-set"):
            page = f'<meta charset="{name}"><p>Straße und Café</p>'.encode("latin-1")
            assert "Straße und Café" in written(tmp_path, "a.html", page).text

    def test_declared_xml(self, tmp_path: Path) -> None:
        """A page that declares itself as XML with an encoding is read."""
        page = '<?xml version="1.0" encoding="utf-8"?><html><body><p>Some words here.</p></body></html>'
        assert written(tmp_path, "a.html", page).text == "Some words here."

    @pytest.mark.parametrize("page", ["<html><body></body></html>", "<!-- a -->", "<script>x</script>", "<", "   "])
    def test_without_text(self, tmp_path: Path, page: str) -> None:
        """A page that says nothing is refused."""
        if page == "<":
            assert written(tmp_path, "a.html", page).text == "<"
        else:
            assert refusal(tmp_path, "a.html", page) == "a.html holds no text"

    def test_deep(self, tmp_path: Path) -> None:
        """Tags within tags without end do no harm."""
        assert "word" in written(tmp_path, "a.html", "<p>word</p>" + "<div>" * 20_000 + "deep").text

    @given(st.text())
    def test_anything(self, tmp_path_factory: pytest.TempPathFactory, page: str) -> None:
        """Any text is read as a page or refused, and is safe to show."""
        path = tmp_path_factory.getbasetemp() / "any.html"
        path.write_bytes(b"<p>" + page.encode("utf-8", "surrogatepass"))
        try:
            text = read(path, "any.html").text
        except ToolFailed:
            return
        assert text == printable(text)


class TestPdf:
    """Portable documents."""

    pytestmark = pytest.mark.requirement("T2")

    def test_pages(self, tmp_path: Path) -> None:
        """Each page begins at its place in the text."""
        text = written(tmp_path, "a.pdf", pdf([["First page."], [], ["Third page."]]))
        assert len(text.pages) == 3
        assert [text.text[start:].split("\n")[0] for start in text.pages[::2]] == ["First page.", "Third page."]

    def test_paragraphs(self, tmp_path: Path) -> None:
        """The lines of a paragraph are one line, words divided at its end are whole, short lines end a paragraph."""
        lines = [
            "The employees of the company have a right to paid holi-",
            "days, which they take in agreement with their long-",
            "term manager. A long-term manager is one of Miller-",
            "Smith.",
            "Another paragraph begins here, with some more words.",
            "- an item of a list that is as wide as all others are",
        ]
        assert written(tmp_path, "a.pdf", pdf([lines])).text.split("\n\n") == [
            "The employees of the company have a right to paid holidays, which they take in agreement with their "
            "long-term manager. A long-term manager is one of Miller-Smith.",
            "Another paragraph begins here, with some more words.",
            "- an item of a list that is as wide as all others are",
        ]

    def test_across_pages(self, tmp_path: Path) -> None:
        """A sentence that runs across two pages stays one paragraph."""
        assert (
            written(tmp_path, "a.pdf", pdf([["The right to"], ["leave is here."]])).text
            == "The right to\nleave is here."
        )

    def test_scan(self, tmp_path: Path) -> None:
        """A file without text is refused as one that may be a scan."""
        message = refusal(tmp_path, "a.pdf", pdf([[], []]))
        assert message == "a.pdf holds no text (a scan?): it needs text recognition first"

    def test_encrypted(self, tmp_path: Path) -> None:
        """A file with a password is refused as such."""
        assert refusal(tmp_path, "a.pdf", encrypted_pdf()) == "a.pdf is encrypted: a password is needed"

    @pytest.mark.parametrize("data", [b"%PDF-1.4\n", b"not a pdf", b"%PDF-1.4\n" + b"\x00\xff" * 500])
    def test_broken(self, tmp_path: Path, data: bytes) -> None:
        """A broken file is refused in one line."""
        assert refusal(tmp_path, "a.pdf", data).startswith("a.pdf is broken: ")


class TestWord:
    """Word files."""

    pytestmark = pytest.mark.requirement("T2")

    def test_document(self, tmp_path: Path) -> None:
        """Headings, lists and tables become Markdown."""
        text = written(tmp_path, "a.docx", word()).text
        assert [line for line in text.split("\n") if line] == [
            "# Handbook",
            "# Leave",
            "Each employee has thirty days of leave.",
            "- Ask your manager first",
            "Name | Days",
            "Ann | 30",
        ]

    def test_zip_bomb(self, tmp_path: Path) -> None:
        """A package that would grow beyond measure is refused before it is unpacked."""
        message = refusal(tmp_path, "a.docx", zip_bomb())
        assert message.startswith("a.docx is refused: unpacked, its ")
        assert message.endswith("bytes would be 3,000,000")

    def test_too_large_unpacked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A package that is too large when unpacked is refused, whatever its ratio."""
        monkeypatch.setattr("aeon.documents.docx._MOST_UNPACKED", 1_000)
        with pytest.raises(ToolFailed, match=r"^a\.docx is refused: unpacked, its "):
            docx_text(word(), "a.docx")

    @pytest.mark.parametrize("cut", [0, 10, 3_000, -1_000, -30])
    def test_broken(self, tmp_path: Path, cut: int) -> None:
        """A file that was cut off is refused in one line."""
        assert refusal(tmp_path, "a.docx", word()[:cut]).startswith("a.docx is broken: ")

    def test_other_package(self, tmp_path: Path) -> None:
        """A package that is no Word file is refused in one line."""
        broken = word().replace(b"[Content_Types].xml", b"[Content_Tapes].xml")
        assert refusal(tmp_path, "a.docx", broken).startswith("a.docx is broken: ")

    def test_old_format(self, tmp_path: Path) -> None:
        """An encrypted file, or one of an old Word, is refused as such."""
        message = refusal(tmp_path, "a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
        assert message.startswith("a.docx is encrypted or an old Word file")


def test_what_a_server_sent_is_read_by_its_type() -> None:
    """Bytes with a content type are read as the file of that type would be, and another type is refused."""
    assert read_bytes(b"Plain words.", "text/plain", "here").text == "Plain words."
    assert read_bytes("Größe".encode("utf-16"), "text/plain", "here").text == "Größe"
    assert "Words" in read_bytes(b"<p>Words</p>", "text/html", "here").text
    with pytest.raises(ToolFailed, match="here cannot be read: its type is 'image/png'"):
        read_bytes(b"x", "image/png", "here")


class TestHostile:
    """Files that take far more than their size lets one think."""

    pytestmark = pytest.mark.requirement("T2f")

    @pytest.fixture(autouse=True)
    def scarce(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Less memory and time than usual, so that small files take too much."""
        monkeypatch.setattr(readers, "_MEMORY", 160 * MEGABYTE)
        monkeypatch.setattr(readers, "_MEMORY_A_BYTE", 0)
        monkeypatch.setattr(readers, "_SECONDS", 2.0)
        monkeypatch.setattr(readers, "_SECONDS_A_MEGABYTE", 0.0)

    @pytest.mark.parametrize(
        ("name", "make"),
        [
            ("nested.pdf", lambda: hostile_files.nested_forms(9)),
            ("bomb.pdf", lambda: hostile_files.bomb(400_000_000)),
            ("attributes.html", lambda: hostile_files.attributes(300_000)),
        ],
    )
    def test_a_hostile_file_is_one_line(self, tmp_path: Path, name: str, make: Callable[[], bytes]) -> None:
        """A file that takes too much memory or time to read is refused in one line, and the next one is read."""
        message = refusal(tmp_path, name, make())
        assert re.fullmatch(rf"{re.escape(name)} is not read: it took more than (160 MB|2 s) to read", message)
        assert "Some words." in written(tmp_path, "sound.pdf", pdf([["Some words."]])).text

    def test_the_others_of_a_folder_are_read(self, tmp_path: Path) -> None:
        """A folder keeps all that can be read; the file that cannot be is named, and is not tried again."""
        (tmp_path / "a.pdf").write_bytes(hostile_files.nested_forms(9))
        (tmp_path / "b.txt").write_text("The ferry leaves at nine.")
        (tmp_path / "c.pdf").write_bytes(pdf([["The bridge opened in 1931."]]))
        index = tmp_path / "index.sqlite"
        for _ in range(2):
            collection = Collection.of(Folder.open(tmp_path), ["a.pdf", "b.txt", "c.pdf"], index)
            assert collection.documents == ("b.txt", "c.pdf")
            assert collection.skipped == (("a.pdf", "is not read: it took more than 160 MB to read"),)
            collection.close()
            os.utime(tmp_path / "a.pdf", (1e9, 1e9))

    def test_a_time_for_all_files(self, tmp_path: Path) -> None:
        """What is not read when the time is over is named, and is read the next time."""
        (tmp_path / "a.pdf").write_bytes(pdf([["The bridge opened in 1931."]]))
        index, folder = tmp_path / "index.sqlite", Folder.open(tmp_path)
        late = Collection.of(folder, ["a.pdf"], index, deadline=Deadline(0))
        assert late.skipped == (("a.pdf", "is not read: there was no time left to read it"),)
        late.close()
        again = Collection.of(folder, ["a.pdf"], index)
        assert again.documents == ("a.pdf",)
        again.close()
