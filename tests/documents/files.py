"""Small files of the formats that are read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import docx

__all__ = ["encrypted_pdf", "pdf", "word", "zip_bomb"]


def pdf(pages: Sequence[Sequence[str]], trailer: str = "", extra: Sequence[str] = ()) -> bytes:
    """A PDF file with these lines on its pages."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    ]
    for number, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 9 Tf 12 TL 40 800 Td {shown} ET"
        box = "/MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} /Contents {5 + 2 * number} 0 R >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    data = b"%PDF-1.4\n"
    places: list[int] = []
    for number, content in enumerate([*objects, *extra], 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}"
    end = f"trailer\n<< /Size {len(places) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + (head + end).encode("latin-1")


def encrypted_pdf() -> bytes:
    """A PDF file that no empty password opens."""
    secret = "<" + "41" * 32 + ">"
    count = 3 + 2
    entry = f"<< /Filter /Standard /V 1 /R 2 /O {secret} /U {secret} /P -44 >>"
    return pdf([["Hidden."]], f"/Encrypt {count + 1} 0 R /ID [<00> <00>]", [entry])


def word() -> bytes:
    """A Word file with headings, a list and a table."""
    document = docx.Document()
    document.add_heading("Handbook", 0)
    document.add_heading("Leave", 1)
    document.add_paragraph("Each employee has thirty days of leave.")
    document.add_paragraph("Ask your manager first", style="List Bullet")
    table = document.add_table(2, 2)
    for row, cells in zip(table.rows, (("Name", "Days"), ("Ann", "30")), strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def zip_bomb() -> bytes:
    """A package that grows to more than a hundred times its size."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", b" " * 3_000_000)
    return file.getvalue()
