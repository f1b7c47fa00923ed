"""A risk-coverage curve as a picture: one SVG file without scripts, the same bytes for the same figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

__all__ = ["Line", "picture"]

LEFT, TOP, WIDE, HIGH = 62, 44, 400, 280
LEGEND = LEFT + WIDE + 24
SIZE = (LEGEND + 262, TOP + HIGH + 56)
MOST_POINTS = 100
INKS = (("#0072b2", "#56b4e9"), ("#d55e00", "#ff9a5c"), ("#009e73", "#3fd6a8"), ("#a0478c", "#e79fd0"),
        ("#7a6a00", "#e8d44d"), ("#555555", "#bbbbbb"))  # fmt: skip
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "1 4")


@dataclass(frozen=True)
class Line:
    """A system's curve: the risk (0-1) after each of its runs, the surest first.

    ``mark`` is how many of them it stands by itself, 0 where it has no verdict; ``figure`` stands behind its name.
    """

    name: str
    risks: Sequence[float]
    figure: str = ""
    mark: int = 0


def picture(lines: Sequence[Line], title: str) -> str:
    """The curves with axes and legend; its colours follow the reader's, light or dark.

    Raises:
        ValueError: there are more lines than can be told apart, or a line without a run.
    """
    if not 1 <= len(lines) <= len(INKS) or not all(line.risks for line in lines):
        raise ValueError(f"a picture has one to {len(INKS)} lines, each of at least one run")
    top = max(0.1, math.ceil(max(max(line.risks) for line in lines) * 10 - 1e-9) / 10)
    wide, high = SIZE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img" font-size="13" '
        'font-family="system-ui, sans-serif">',
        f"<title>{escape(title)}</title>",
        f"<style>{_style(len(lines))}</style>",
        f'<rect class="ground" width="{wide}" height="{high}"/>',
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="600">{escape(title)}</text>',
        *_axes(top),
        *(part for number, line in enumerate(lines) for part in _drawn(number, line, top)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _style(count: int) -> str:
    def inks(which: int, text: str, ground: str, grid: str) -> str:
        own = "".join(f".l{n}{{stroke:{ink[which]}}}.d{n}{{fill:{ink[which]}}}" for n, ink in enumerate(INKS[:count]))
        return f"text{{fill:{text}}}.ground{{fill:{ground}}}.grid{{stroke:{grid}}}{own}"

    dark = inks(1, "#e6e6e6", "#16191d", "#3a4048")
    return (
        f"path{{fill:none;stroke-width:2}}{inks(0, '#222', '#fff', '#ddd')}@media(prefers-color-scheme:dark){{{dark}}}"
    )


def _axes(top: float) -> list[str]:
    parts = []
    for tick in range(0, 101, 20):
        x = LEFT + WIDE * tick / 100
        parts.append(f'<path class="grid" d="M{x:.0f} {TOP}v{HIGH}"/>')
        parts.append(f'<text x="{x:.0f}" y="{TOP + HIGH + 18}" text-anchor="middle">{tick} %</text>')
    steps = round(top * 10)
    for tick in range(0, steps + 1, 1 if steps <= 5 else 2):
        y = TOP + HIGH - HIGH * tick / steps
        parts.append(f'<path class="grid" d="M{LEFT} {y:.0f}h{WIDE}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">{tick * 10} %</text>')
    middle, centre = TOP + HIGH // 2, LEFT + WIDE // 2
    parts.append(f'<text x="{centre}" y="{TOP + HIGH + 40}" text-anchor="middle">coverage: the surest answers</text>')
    turned = f'transform="rotate(-90 16 {middle})" text-anchor="middle"'
    parts.append(f'<text x="16" y="{middle}" {turned}>risk: of these, wrong</text>')
    return parts


def _drawn(number: int, line: Line, top: float) -> list[str]:
    """The line, the point that it stands by, and its entry in the legend."""
    dash = f' stroke-dasharray="{DASHES[number]}"' if DASHES[number] else ""
    counted = len(line.risks)
    ends = sorted({math.ceil(counted * part / MOST_POINTS) for part in range(1, MOST_POINTS + 1)} | {line.mark} - {0})
    places = {end: (LEFT + WIDE * end / counted, TOP + HIGH - HIGH * line.risks[end - 1] / top) for end in ends}
    path = "L".join(f"{x:.0f} {y:.1f}" for x, y in places.values())
    y = TOP + 14 + 40 * number
    parts = [
        f'<path class="l{number}"{dash} d="M{path}"/>',
        f'<path class="l{number}"{dash} d="M{LEGEND} {y}h30"/>',
        f'<text x="{LEGEND + 38}" y="{y + 4}">{escape(line.name)}</text>',
        f'<text x="{LEGEND + 38}" y="{y + 20}" font-size="11">{escape(line.figure)}</text>',
    ]
    if line.mark:
        x, at = places[line.mark]
        parts.append(f'<circle class="d{number}" cx="{x:.0f}" cy="{at:.1f}" r="5"/>')
    return parts
