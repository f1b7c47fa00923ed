"""Files made to take more than their size lets one think, each as small or as large as is asked for."""

from __future__ import annotations

import io
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = [
    "FILES", "attributes", "bomb", "cells", "formatted_rows", "generated_cells", "nested_forms", "one_line", "write",
]  # fmt: skip

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def _pdf(objects: list[bytes]) -> bytes:
    data, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, table)
    return data + head + b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, len(data))


def _stream(dictionary: bytes, content: bytes) -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (dictionary, len(content), content)


def nested_forms(depth: int) -> bytes:
    """A PDF page that draws a form that draws the next one ten times, so many deep: ten to that power texts."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
        _stream(b"", b"/X Do"),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number in range(depth):
        to_draw = b"/XObject<</X %d 0 R>>" % (7 + number)
        form = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<<%s>>" % to_draw
        objects.append(_stream(form, b"/X Do " * 10))
    last = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F 5 0 R>>>>"
    return _pdf([*objects, _stream(last, b"BT /F 9 Tf 40 700 Td (Some words of a text.) Tj ET")])


def bomb(size: int) -> bytes:
    """A PDF page whose content unpacks to so many bytes: a thousand times what it is packed."""
    shown, blanks = b"BT /F 9 Tf 40 700 Td (Some words of a text.) Tj ET\n", b" " * 1_000_000
    packer, packed, check = zlib.compressobj(9, zlib.DEFLATED, -15), b"\x78\xda", zlib.adler32(shown)
    packed += packer.compress(shown) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(blanks) + packer.flush(zlib.Z_FULL_FLUSH)  # nothing before it counts: it can be repeated
    for _ in range(size // len(blanks)):
        check = zlib.adler32(blanks, check)
    packed += block * (size // len(blanks)) + packer.flush() + check.to_bytes(4, "big")
    return _pdf([
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        _stream(b"/Filter/FlateDecode", packed),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ])  # fmt: skip


def attributes(count: int) -> bytes:
    """A page with one element of so many attributes."""
    return b"<html><body><p %s>Some words of a text.</p></body></html>" % b" ".join(
        b"a%d='%d'" % (n, n) for n in range(count)
    )


def formatted_rows(count: int) -> bytes:
    """A spreadsheet with a small table, and below it so many rows that hold a format and nothing else."""
    row = '<row r="{0}"><c r="A{0}" t="inlineStr"><is><t>{1}</t></is></c><c r="B{0}"><v>{0}</v></c></row>'
    table = "".join(row.format(number, "name" if number == 1 else f"word {number}") for number in range(1, 4))
    empty = (
        f'<row r="{n}" s="1" customFormat="1"><c r="A{n}" s="1"/><c r="B{n}" s="1"/></row>' for n in range(4, 4 + count)
    )
    book = '<sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{_TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{_TYPES}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}">{book}</workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    }  # fmt: skip
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(name, text)
        with package.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'<worksheet xmlns="{_SHEET}"><sheetData>{table}'.encode())
            for line in empty:
                sheet.write(line.encode())
            sheet.write(b"</sheetData></worksheet>")
    return file.getvalue()


def one_line(size: int) -> bytes:
    """A CSV file of a header and one line of so many bytes, all of them cells."""
    return b"name,number\n" + b"word,12," * (size // 8) + b"end\n"


def cells(count: int, size: int) -> bytes:
    """A database with a small table, and one of so many rows with a cell of so many characters each."""
    return _database("body TEXT", count, lambda _: "word " * (size // 5))


def generated_cells(count: int, size: int) -> bytes:
    """The same, where a cell is worked out when it is read: the file is small, whatever the size."""
    return _database(f"n INT, body TEXT AS (hex(zeroblob({size // 2}))) VIRTUAL", count, lambda number: number)


def _database(columns: str, count: int, value: Callable[[int], object]) -> bytes:
    file = sqlite3.connect(":memory:")
    file.execute("CREATE TABLE notes(name TEXT, body TEXT)")
    file.execute("INSERT INTO notes VALUES ('first', 'Some words.')")
    file.execute(f"CREATE TABLE long({columns})")
    file.executemany("INSERT INTO long VALUES (?)", ((value(number),) for number in range(count)))
    data = file.serialize()
    file.close()
    return data


FILES: Mapping[str, Callable[[], bytes]] = {
    "nested.pdf": lambda: nested_forms(9),
    "bomb.pdf": lambda: bomb(3_000_000_000),
    "attributes.html": lambda: attributes(1_000_000),
    "rows.xlsx": lambda: formatted_rows(1_000_000),
    "line.csv": lambda: one_line(300_000_000),
    "cells.db": lambda: cells(500, 900_000),
    "generated.db": lambda: generated_cells(4_700, 900_000),
}
"""The files by name, at the size at which each was found to do harm."""


def write(folder: Path) -> None:
    """Write all of them into a folder."""
    for name, make in FILES.items():
        (folder / name).write_bytes(make())
