"""Prompts: files beside their module, rendered strictly, with all foreign text fenced as data.

Text from tools, sources and earlier answers is data. It is put into the user message by :func:`fence`, is never the
template itself, and is never scanned for placeholders.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources

from aeon.errors import ConfigError, InputFileError
from aeon.schema.llm import Message
from aeon.text import printable

__all__ = ["Prompt", "characters", "clean", "cut", "fence", "load", "places", "render"]

_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_DATA_TAG = re.compile(r"<(?=\s*+/?\s*+data\b)", re.IGNORECASE)
_LABEL = re.compile(r"[^\w .:/$#-]+")


@dataclass(frozen=True)
class Prompt:
    """A question to a model: ``system`` says how to work, ``user`` says on what.

    Stable text goes first in each, changing text last, so that an endpoint's prefix cache can serve it. ``examples``
    are questions with the answers that are wanted, put as turns of a conversation before it, or texts that questions
    are put to. ``fixed`` says that everything before ``user`` is the same for many questions, so that an adapter may
    keep it between runs: the program's own text, or all texts of a small folder. So is ``shared``, the start of
    ``user``, if it has one: what the tables of a folder are.
    """

    system: str
    user: str
    examples: tuple[tuple[str, str], ...] = ()
    fixed: bool = False
    shared: str = ""

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The chat messages, always encodable as UTF-8; an empty system text makes no message."""
        system = (Message(role="system", content=clean(self.system)),) if self.system.strip() else ()
        return (*system, *_turns(self.examples), Message(role="user", content=clean(self.user)))

    @property
    def fixed_messages(self) -> int:
        """How many of the first messages are the same whatever is asked."""
        return len(self.messages) - 1 if self.fixed else 0

    @property
    def fixed_part(self) -> tuple[int, int]:
        """How many of the first messages, and of the characters of the next one, are the same for many questions."""
        begins = self.fixed_messages and self.user.startswith(self.shared)
        return self.fixed_messages, len(clean(self.shared)) if begins else 0


@lru_cache(maxsize=64)
def _turns(examples: tuple[tuple[str, str], ...]) -> tuple[Message, ...]:
    """Examples as turns; they are the same in prompt after prompt."""
    return tuple(
        Message(role=role, content=clean(text))
        for question, answer in examples
        for role, text in (("user", question), ("assistant", answer))
    )


def clean(text: str) -> str:
    """``text`` with control characters and lone surrogates replaced by U+FFFD; tab and newlines stay."""
    if text.replace("\n", "").isprintable():  # nothing else of most texts is to be looked at
        return text
    return printable(text).replace("\ufeff", "\ufffd")


def characters(text: str, size: int) -> int:
    """About how many characters of ``text`` go into ``size`` bytes."""
    return max(0, size) * max(1, len(text)) // max(1, len(text.encode("utf-8", "replace")))


def cut(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters; a mark in the middle says how many were left out.

    Where ``limit`` has no room for the mark, the start of the text is kept without one.
    """
    if len(text) <= limit:
        return text
    mark = f"\n[… {len(text)} characters in all, the middle left out …]\n"
    room = limit - len(mark)
    if room <= 0:
        return text[: max(0, limit)]
    head = (room + 1) // 2
    return text[:head] + mark + text[len(text) - (room - head) :]


def fence(label: str, text: str, limit: int) -> str:
    """``text`` as data that cannot end its own fence: ``<data label>`` … ``</data>``.

    At most ``limit`` characters of ``text`` are kept, start and end, with a mark in the middle. Any data tag inside is
    written with ``&lt;``, and what cannot be printed is replaced.
    """
    name = _LABEL.sub("_", label).strip()
    body = _DATA_TAG.sub("&lt;", cut(clean(text), limit))
    return f"<data {name}>\n{body}\n</data>"


@lru_cache(maxsize=256)
def load(package: str, name: str) -> str:
    """The prompt file ``name`` (such as ``plan.md``) that lies in ``package``.

    Raises:
        InputFileError: the package or the file does not exist, or is not UTF-8.
    """
    try:
        return resources.files(package).joinpath(name).read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError, UnicodeDecodeError) as error:
        raise InputFileError(f"prompt {name!r} of {package} cannot be read: {error}") from error


def places(template: str) -> list[str]:
    """The names of the values that ``template`` has places for, in order."""
    return _PLACEHOLDER.findall(template)


def render(template: str, /, **values: str) -> str:
    """``template`` with each ``{{name}}`` replaced by its value, verbatim: values are never scanned again.

    Raises:
        ConfigError: the template names a value that is not given, or a value is given that it does not name.
    """
    parts, names = _parts(template)
    if names != values.keys():
        if missing := sorted(names - values.keys()):
            raise ConfigError(f"prompt template: no value for {', '.join(missing)}")
        raise ConfigError(f"prompt template: it has no place for {', '.join(sorted(values.keys() - names))}")
    filled = [*parts]
    filled[1::2] = [values[name] for name in parts[1::2]]
    return "".join(filled)


@lru_cache(maxsize=256)
def _parts(template: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The texts of a template with the name of a value between each two, and all of these names."""
    parts = tuple(_PLACEHOLDER.split(template))
    return parts, frozenset(parts[1::2])
