"""A run as self-contained HTML, for notebooks: no script, nothing that is loaded, every text escaped.

The page is built as a tree of elements, so that no text of a model, a tool or a user can become markup.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from aeon.observability.lines import (
    Line,
    Span,
    answer_lines,
    conclusion_lines,
    decision_line,
    degradation_line,
    dollars,
    effect_title,
    outcome_words,
    short,
    visible,
)
from aeon.observability.trail import Done, Trail
from aeon.schema import Conclusion, JsonValue, Outcome
from aeon.schema.effects import Effect

__all__ = ["block", "folded", "generic_sections", "state", "table", "to_html"]

_STYLE = """
.aeon-run { max-width: 66em; overflow-x: auto; line-height: 1.45; font-family: system-ui, sans-serif; font-size: 14px; }
.aeon-run h4 { margin: 1em 0 0.3em; font-size: 1em; }
.aeon-run table { border-collapse: collapse; margin: 0.2em 0; }
.aeon-run th, .aeon-run td { text-align: left; vertical-align: top; padding: 0.15em 1em 0.15em 0; background: none; }
.aeon-run th { font-weight: normal; opacity: 0.65; }
.aeon-run summary { cursor: pointer; margin: 0.3em 0; }
.aeon-lines { font-family: ui-monospace, monospace; font-size: 12.5px; }
.aeon-lines { white-space: pre-wrap; overflow-wrap: break-word; }
.aeon-state { white-space: nowrap; }
.aeon-task { white-space: pre-wrap; overflow-wrap: anywhere; }
.aeon-status { padding: 0.1em 0.7em; border: 1px solid currentColor; border-radius: 1em; margin-right: 0.8em; }
.aeon-answer { border-left: 3px solid #5b8def; padding: 0.3em 0.9em; margin: 0.7em 0; }
.aeon-answer { white-space: pre-wrap; overflow-wrap: anywhere; }
.aeon-bar { width: 10em; height: 0.55em; margin-top: 0.45em; border-radius: 0.3em; background: rgba(128,128,128,0.25); }
.aeon-bar div { height: 100%; border-radius: 0.3em; background: #5b8def; }
.aeon-good { color: #2e7d32; } .aeon-bad { color: #c62828; } .aeon-warn { color: #b26a00; }
.aeon-now { color: #1565c0; } .aeon-dim { opacity: 0.65; } .aeon-strong { font-weight: 600; }
"""
_NO_TEXT = str.maketrans(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))  # what no XML may hold, not even escaped


def to_html(
    trail: Trail,
    sections: Iterable[Element],
    title: Callable[[Effect], str] = effect_title,
    words: Callable[[Outcome], str] = outcome_words,
) -> str:
    """A ``div`` with the run: task, answer, how it ended, cost against the bound; the ``sections``; every effect.

    ``title`` and ``words`` name an effect and what came of it.
    """
    root = Element("div", {"class": "aeon-run"})
    _add(root, "style", _STYLE)
    head = _add(root, "div")
    end = trail.result
    if end is not None:
        look = "good" if end.sufficient else "bad" if end.stop_reason == "failed" else "warn"
        _add(head, "span", end.stop_reason.replace("_", " "), f"aeon-status aeon-{look}")
    _add(head, "span", f"{trail.engine}  {trail.execution_id}", "aeon-dim")
    if trail.task is not None:
        _add(root, "h4", "Task")
        _add(root, "div", trail.task.text, "aeon-task")
    if end is not None:
        root.extend(_ending(end))
    root.extend(sections)
    if trail.batches:
        effects = [done for batch in trail.batches for done in batch]
        root.append(folded(f"Effects ({len(effects)})", [_effects(effects, title, words)]))
    return tostring(root, encoding="unicode", short_empty_elements=False)


def _ending(end: Conclusion) -> list[Element]:
    """The answer, what its reader should know, and the cost beside the bound."""
    answer = Element("div", {"class": "aeon-answer"})
    answer.text = _clean("\n".join(line[-1].text for line in answer_lines(end)))
    heading = _heading("Results so far" if end.stop_reason == "waiting" else "Answer")
    lines = [*conclusion_lines(end), *map(degradation_line, end.degraded)]
    return [heading, answer, block(lines), _heading("Cost"), _costs(end)]


def _costs(end: Conclusion) -> Element:
    """What the run spent, what was lost included, beside the most that it could have."""
    spent, most = end.usage + end.lost, end.bound
    rows: list[tuple[str, str, str, Element]] = [
        ("model calls", f"{spent.calls:,}", f"{most.calls:,}", _bar(spent.calls, most.calls)),
        ("tokens", f"{spent.tokens:,}", f"{most.tokens:,}", _bar(spent.tokens, most.tokens)),
    ]
    if most.cost is None:
        rows.append(("cost", "not known", "not known", _bar(0, 0)))
    else:
        rows.append(("cost", dollars(spent.cost), dollars(most.cost), _bar(spent.cost, most.cost)))
    return table(("", "spent", "at most", ""), rows)


def _bar(part: float, whole: float) -> Element:
    """How much of the whole a part is."""
    percent = min(100.0, 100 * part / whole) if whole else 0.0
    bar = Element("div", {"class": "aeon-bar", "role": "img", "aria-label": f"{percent:.0f} percent"})
    SubElement(bar, "div", {"style": f"width: {percent:.1f}%"})
    return bar


def _effects(effects: Sequence[Done], title: Callable[[Effect], str], worded: Callable[[Outcome], str]) -> Element:
    rows = []
    for done in effects:
        words, calls, seconds = "not done when it was saved", "", ""
        if done.outcome is not None:
            words = f"{'altered: ' if done.altered else ''}{short(worded(done.outcome), 200)}"
            calls, seconds = str(done.outcome.usage.calls), f"{done.outcome.ended - done.outcome.started:.1f}"
        rows.append((done.number, short(title(done.effect), 60), words, calls, seconds))
    return table(("", "effect", "what came of it", "calls", "s"), rows)


def generic_sections(trail: Trail) -> list[Element]:
    """The decisions, and what the engine's result has beside the conclusion, as JSON."""
    sections: list[Element] = []
    if trail.decisions:
        rows = [(number, block([decision_line(decision)])) for number, decision in trail.decisions]
        sections.append(folded("Decisions", [table(("before effect", "decision"), rows)], unfolded=True))
    common = set(Conclusion.model_fields)
    record: dict[str, JsonValue] = trail.result.model_dump(mode="json", exclude=common) if trail.result else {}
    if record:
        lines = Element("div", {"class": "aeon-lines"})
        lines.text = _clean(json.dumps(record, ensure_ascii=False, indent=2))
        sections.append(folded("Record", [lines]))
    return sections


def block(lines: Iterable[Line]) -> Element:
    """Styled lines, one below the other."""
    whole = Element("div", {"class": "aeon-lines"})
    for line in lines:
        row = SubElement(whole, "div")
        if not line:
            row.text = "\u00a0"
        for span in line:
            _add(row, "span", span.text, f"aeon-{span.style}" if span.style else "")
    return whole


def state(span: Span) -> Element:
    """A styled word that stays on one line, for a cell of a table."""
    word = Element("span", {"class": f"aeon-state aeon-{span.style}"})
    word.text = _clean(span.text)
    return word


def table(head: Sequence[str], rows: Iterable[Sequence[str | int | Element]]) -> Element:
    """A table; its cells are texts, numbers or elements."""
    whole = Element("table")
    top = SubElement(SubElement(whole, "thead"), "tr")
    for name in head:
        _add(top, "th", name)
    body = SubElement(whole, "tbody")
    for row in rows:
        line = SubElement(body, "tr")
        for cell in row:
            if isinstance(cell, Element):
                SubElement(line, "td").append(cell)
            else:
                _add(line, "td", str(cell))
    return whole


def folded(summary: str, content: Iterable[Element], unfolded: bool = False) -> Element:
    """A part that is shown when its summary is clicked, or from the start."""
    whole = Element("details", {"open": "open"} if unfolded else {})
    _add(whole, "summary", summary)
    whole.extend(content)
    return whole


def _heading(text: str) -> Element:
    heading = Element("h4")
    heading.text = _clean(text)
    return heading


def _add(parent: Element, tag: str, text: str = "", look: str = "") -> Element:
    child = SubElement(parent, tag, {"class": look} if look else {})
    child.text = _clean(text) if text else None
    return child


def _clean(text: str) -> str:
    """The text without characters that steer anything; what is left is escaped when the tree is written."""
    return visible(text).translate(_NO_TEXT)
