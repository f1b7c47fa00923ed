"""Settings in YAML: mappings, lists and plain values as YAML 1.2 reads them, no more. Needs the extra ``yaml``.

Anchors, aliases, tags and several documents are refused: they are not needed for settings, and some of them are traps.
A date stays text, and so do ``yes`` and ``on``: the type of the setting then says what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from aeon.errors import ConfigError
from aeon.settings.notation import Path, dotted

__all__ = ["tables"]

_WORDS: dict[str, object] = dict.fromkeys(("", "~", "null", "Null", "NULL")) | {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WHOLE = re.compile(r"[-+]?[0-9]{1,4000}")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def tables(text: str) -> dict[str, object]:
    """The mapping that the text holds; an empty text holds an empty one.

    Raises:
        ConfigError: it is not valid YAML, or holds more than plain settings; names the path and the line.
    """
    try:
        return _document(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        line = f"line {at.line + 1}: " if at else ""
        raise ConfigError(f"is not valid YAML: {line}{error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"is not valid YAML: {' '.join(str(error).split())}") from None


def _document(events: Iterator[yaml.Event]) -> dict[str, object]:
    """The one document; each event is judged as it comes, so that what is nested without end is not read to its end."""
    next(events)  # the stream starts
    if not isinstance(next(events), yaml.DocumentStartEvent):
        return {}
    read = _value(next(events), events, ())
    next(events)  # the document ends
    if isinstance(more := next(events), yaml.DocumentStartEvent):
        raise _refusal(more, (), "a second document begins; settings stand in one")
    if read is None:
        return {}
    if not isinstance(read, dict):
        raise ConfigError("holds no settings: a file of settings has lines such as max_passes: 5")
    return read


def _value(event: yaml.Event, events: Iterator[yaml.Event], path: Path) -> object:
    """The value that begins with this event; its other events are taken from ``events``."""
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
        raise _refusal(event, path, "anchors and aliases are not accepted: write the value out")
    if getattr(event, "tag", None) is not None:
        raise _refusal(event, path, f"the tag {getattr(event, 'tag', '')} is not accepted")
    if isinstance(event, yaml.MappingStartEvent):
        return _mapping(events, path)
    if isinstance(event, yaml.SequenceStartEvent):
        return _list(events, path)
    assert isinstance(event, yaml.ScalarEvent)
    return event.value if event.style else _plain(event, path)


def _mapping(events: Iterator[yaml.Event], path: Path) -> dict[str, object]:
    read: dict[str, object] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key = _value(event, events, path)
        if not isinstance(key, str):
            raise _refusal(event, path, f"{key!r} is not the name of a setting")
        if key in read:
            raise _refusal(event, (*path, key), "it stands there twice")
        read[key] = _value(next(events), events, (*path, key))
    return read


def _list(events: Iterator[yaml.Event], path: Path) -> list[object]:
    read: list[object] = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        read.append(_value(event, events, (*path, str(len(read)))))
    return read


def _plain(event: yaml.ScalarEvent, path: Path) -> object:
    """A scalar without quotes, by the rules of the core schema of YAML 1.2."""
    text: str = event.value
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    if _NUMBER.fullmatch(text):
        return float(text)
    if _SPECIAL.fullmatch(text):
        raise _refusal(event, path, f"{text} is not a value that a setting can have")
    return text


def _refusal(event: yaml.Event, path: Path, why: str) -> ConfigError:
    line = f"line {event.start_mark.line + 1}: " if event.start_mark else ""
    return ConfigError(f"{f'{dotted(path)}: ' if path else ''}{line}{why}")
