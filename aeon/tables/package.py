"""The parts of an Office Open XML file, and how they name each other (ECMA-376, part 2)."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Callable, Mapping

from aeon.tables.xmlparts import Attributes, parse
from aeon.text import one_line

__all__ = ["Links", "Package", "targets"]

Links = Mapping[str, tuple[str, str]]
"""The parts that a part names: what each is, and its path, by the name that is used within the part."""


class Package:
    """The parts of a file by their paths, whatever the case of these."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = {name.casefold().lstrip("/"): name for name in archive.namelist()}

    def links(self, path: str = "") -> Links:
        """The parts that a part names, or the file itself."""
        folder, name = posixpath.split(path)
        found: dict[str, tuple[str, str]] = {}

        def start(element: str, attributes: Attributes) -> None:
            if element == "Relationship" and attributes.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attributes["Target"])).lstrip("/")
                found[attributes["Id"]] = (posixpath.basename(attributes["Type"]), target)

        relations = posixpath.join(folder, "_rels", f"{name}.rels")
        if relations.casefold() in self._names:
            self.parse(relations, start)
        return found

    def parse(
        self, path: str, start: Callable[[str, Attributes], None], text: Callable[[str], None] | None = None
    ) -> None:
        """Give each element of a part, and its texts. Raises ``ValueError`` where it is missing or no XML."""
        name = self._names.get(path.casefold())
        if name is None:
            raise ValueError(f"its part {one_line(path, 60)!r} is missing")
        with self._archive.open(name) as file:
            parse(file, start, text)


def targets(links: Links, kind: str) -> list[str]:
    """The paths of the linked parts of a kind."""
    return [target for one, target in links.values() if one == kind]
