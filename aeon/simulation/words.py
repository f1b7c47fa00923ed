"""Random values of a JSON Schema, such as a model could write that has understood what it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from aeon.schema import JsonObject, JsonValue

__all__ = ["WRONG", "Words"]

WRONG = "2 + 2 = 5"
"""A sum that results of reasoning state now and then, so that whoever validates them has something to find."""

_SPOKEN = """
    add sum find price width total rolls loaves year river long north of the in per first last mean count tax rate
    shop table entry more less half twice Zürich 12 7.5 340
"""
_WORDS = tuple(_SPOKEN.split())
_USUAL: dict[str, tuple[str, ...]] = {
    "clarity": ("CLEAR",) * 9 + ("PARTIALLY_CLEAR",),
    "verdict": ("yes",) * 7 + ("no",),
    "answer": ("yes",) * 7 + ("no",),
    "ambiguity": ("low", "low", "medium"),
    "kind": ("answer",) * 9 + ("part", "not_stated", "hedge", "refusal"),
}
_SCORES = ("completeness", "coherence", "consistency")
_GOOD = 0.9
"""How often an answer has a full score."""
_BAD: dict[str, tuple[str, ...]] = {
    "clarity": ("CLEAR", "PARTIALLY_CLEAR", "BLOCKED"),
    "verdict": ("yes", "no", "no"),
    "answer": ("yes", "no", "no"),
}


@dataclass(frozen=True)
class Words:
    """Makes values. ``steps`` is how many a plan has at most; steps by the tools ``favoured`` come more often.

    ``bad``: judgments are mostly no; ``unclear``: tasks are ambiguous.
    """

    chance: Random
    steps: int = 4
    favoured: tuple[str, ...] = ()
    bad: bool = False
    unclear: bool = False

    def sentence(self, least: int = 3, most: int = 8) -> str:
        """Some words."""
        return " ".join(self.chance.choices(_WORDS, k=self.chance.randint(least, most)))

    def read(self, text: str) -> str:
        """A short answer out of a text, at times with a mark that cites nothing; ``bad`` ones are of other words."""
        if self.chance.random() < 0.2:
            return "not stated"
        there = text.split() or [""]
        first = self.chance.randrange(len(there))
        answer = self.sentence(1, 3) if self.bad else " ".join(there[first : first + self.chance.randint(1, 3)])
        mark = self.chance.choice(("99.9", "[0]", "1.99", "[1, 2]", "【4】") if self.bad else ("", "", "[1]"))
        return f"{answer} {mark}"

    def program(self, numbers: Sequence[str]) -> str:
        """A short program of sums with some of the ``numbers``; ``bad`` ones do what no step can."""
        lines = []
        operands = [*numbers, "12", "0.5"]
        for number in range(self.chance.randint(1, self.steps)):
            left, right = self.chance.choice(operands), self.chance.choice(operands)
            lines.append(f"v{number} = {left} {self.chance.choice('+-*/')} {right}")
            operands.append(f"v{number}")
        lines.append(
            self.chance.choice(("while True: pass", "print('done')")) if self.bad else f"print({operands[-1]})"
        )
        return "\n".join(lines)

    def value(self, schema: JsonValue, root: JsonObject | None = None, key: str = "", place: str = "") -> JsonValue:
        """A value of the schema; ``key`` is its name, ``place`` the step that it is part of."""
        if not isinstance(schema, dict):
            return self.sentence()
        root = schema if root is None else root
        if isinstance(reference := schema.get("$ref"), str):
            definitions = root.get("$defs")
            named = definitions[reference.rpartition("/")[2]] if isinstance(definitions, dict) else None
            return self.value(named, root, key, place)
        if "const" in schema:
            return schema["const"]
        if isinstance(choices := schema.get("enum"), list):
            return self._choice(choices, key)
        if isinstance(choices := schema.get("anyOf"), list):
            return self.value(self._variant(choices, place), root, key, place)
        return self._of_type(schema, root, key, place)

    def _choice(self, choices: list[JsonValue], key: str) -> JsonValue:
        usual = ("high", "high", "medium") if key == "ambiguity" and self.unclear else _USUAL.get(key, ())
        usual = _BAD.get(key, usual) if self.bad else usual
        return self.chance.choice([choice for choice in usual if choice in choices] or choices)

    def _variant(self, choices: list[JsonValue], place: str) -> JsonValue:
        """One of several shapes: a reference is rare, and can only be to an earlier step."""
        liked = [choice for choice in choices if _tool(choice) in self.favoured]
        if liked and self.chance.random() < 0.7:
            return self.chance.choice(liked)
        if isinstance(first := choices[0], dict) and "pattern" not in first and _refers(choices[-1]):
            return choices[-1] if place[1:] > "1" and self.chance.random() < 0.4 else first
        return self.chance.choice(choices)

    def _of_type(self, schema: JsonObject, root: JsonObject, key: str, place: str) -> JsonValue:
        match schema.get("type"):
            case "object":
                return self._object(schema, root, place)
            case "array":
                return self._array(schema, root, key, place)
            case "integer":
                least, most = schema.get("minimum", 1), schema.get("maximum", 9)
                low, high = (bound if isinstance(bound, int) else 1 for bound in (least, most))
                return self.chance.randint(low, max(low, high))
            case "number":
                return self._number(schema, key)
            case "boolean":
                return self.chance.random() < 0.5
            case "null":
                return None
            case _:
                return self._text(schema, key, place)

    def _array(self, schema: JsonObject, root: JsonObject, key: str, place: str) -> JsonValue:
        """A few values; the steps of a plan, of which the later ones mostly need earlier ones."""
        items = schema.get("items")
        if key == "steps":
            count = self.chance.randint(1, self.steps)
            return [self.value(items, root, key, f"s{number}") for number in range(1, count + 1)]
        if key == "needs" and place:
            return [number for number in range(1, int(place[1:])) if self.chance.random() < 0.6]
        return [self.value(items, root, key, place) for _ in range(self.chance.randint(0, 3))]

    def _number(self, schema: JsonObject, key: str) -> float:
        """Any number, or a share where the schema says that it is one: how ambiguous a task is follows ``unclear``."""
        if schema.get("maximum") != 1:
            return self.chance.randint(0, 400) / 4
        share = self.chance.randint(0, 8) / 8
        if key in _SCORES:
            return 1.0 if not self.bad and self.chance.random() < _GOOD else share
        return share if key != "ambiguity" else 1 - share / 2 if self.unclear else min(share / 2, 7 / 16)

    def _object(self, schema: JsonObject, root: JsonObject, place: str) -> JsonValue:
        properties = schema.get("properties")
        members = properties if isinstance(properties, dict) else {}
        steps = [name for name in members if _is_step(name)]
        if steps:
            most = min(len(steps), self.steps)
            chosen = steps[: min(self.chance.randint(1, most), self.chance.randint(1, most) + 1)]
            names = [name for name in members if name in chosen or name not in steps]
        else:
            names = self._some(members, schema.get("required"))
        return {name: self.value(members[name], root, name, name if _is_step(name) else place) for name in names}

    def _some(self, members: JsonObject, required: JsonValue) -> list[str]:
        """The names that an object must have, and some of the others."""
        names = required if isinstance(required, list) else []
        return [name for name in members if name in names or self.chance.random() < 0.5]

    def _text(self, schema: JsonObject, key: str, place: str) -> str:
        pattern = schema.get("pattern")
        before = int(place[1:]) - 1 if place else 0
        letter = place[:1]
        if pattern == r"^\$s[0-9]{1,2}$":
            return f"$s{self.chance.randint(1, max(1, before))}"
        text = self.sentence()
        if key == "result" and self.chance.random() < 0.2:
            text = f"{WRONG}, {text}"
        if key == "goal":
            text = f"{place} {text}"
        if before and self.chance.random() < 0.3:
            text += f" ${letter}{self.chance.randint(1, before)}"
        longest, least = schema.get("maxLength"), schema.get("minLength")
        text = text[: longest if isinstance(longest, int) else None]
        return text.ljust(least if isinstance(least, int) else 0, "x")


def _is_step(name: str) -> bool:
    return name[:1] in ("s", "n") and name[1:].isdecimal()


def _tool(variant: JsonValue) -> JsonValue:
    properties = variant.get("properties") if isinstance(variant, dict) else None
    tool = properties.get("tool") if isinstance(properties, dict) else None
    return tool.get("const") if isinstance(tool, dict) else None


def _refers(variant: JsonValue) -> bool:
    return isinstance(variant, dict) and variant.get("pattern") == r"^\$s[0-9]{1,2}$"
