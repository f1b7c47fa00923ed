"""Open tasks of the everyday benchmark: no files needed, with constraints that can be counted."""

from __future__ import annotations

from functools import partial
from random import Random

from everyday_items import Constraint, Draft, Item, drawn

__all__ = ["opened"]

TOPICS = (
    "why bread rises", "how a bicycle pump works", "what a mortgage is", "why leaves turn yellow in autumn",
    "how a thermos flask keeps tea hot", "what inflation means", "how bees make honey", "why ships float",
    "what a sourdough starter is", "how noise-cancelling headphones work",
)  # fmt: skip
LISTS = (
    "things to pack for a weekend at the sea", "questions for a job interview", "ways to save water at home",
    "vegetables that grow in a shady garden", "ideas for a rainy Sunday", "gifts for a colleague who leaves",
)  # fmt: skip
NOTES = (
    ("to a neighbour whose parcel I took in", "parcel"),
    ("to customers because the shop closes early on Friday", "Friday"),
    ("to thank a colleague for covering a shift", "shift"), ("to a plumber to ask for a visit", "leak"),
    ("to invite friends to a birthday picnic", "picnic"),
)  # fmt: skip
OBJECTS = (
    ("an invented café", ("name", "city", "seats")), ("an imaginary book", ("title", "author", "pages")),
    ("a made-up dog", ("name", "breed", "age")), ("a fictional train connection", ("from", "to", "minutes")),
)  # fmt: skip
CODE = (
    ("average", "returns the mean of a list of numbers"), ("is_palindrome", "tells whether a text is a palindrome"),
    ("to_celsius", "converts degrees Fahrenheit to Celsius"), ("count_vowels", "counts the vowels of a text"),
)  # fmt: skip
ONE = (
    "the opposite of 'expand'", "a synonym for 'happy'", "the mood of the sentence 'At last the rain has stopped!'",
    "a word that rhymes with 'light'", "the season that comes after winter",
)  # fmt: skip
COUNT = ("", "one", "two", "three", "four", "five", "six", "seven")


def opened(chance: Random, count: int) -> list[Item]:
    """The open tasks."""
    asked = (_sentences, _list, _words, _object, _code, _word, _note, _lines)
    return drawn([partial(ask, chance) for ask in asked], count)


def _sentences(c: Random) -> Draft:
    topic, n = c.choice(TOPICS), c.randint(2, 4)
    wordings = (
        f"Explain {topic} in exactly {COUNT[n]} sentences.",
        f"In exactly {COUNT[n]} sentences: {topic}?",
        f"Please tell me {topic}, using exactly {COUNT[n]} sentences.",
    )
    return Draft(wordings, constraints=(Constraint("sentences", n),))


def _list(c: Random) -> Draft:
    what, n = c.choice(LISTS), c.randint(3, 7)
    wordings = (
        f"Give me a list of {COUNT[n]} {what}, one per line and nothing else.",
        f"List {COUNT[n]} {what}. One per line, no introduction.",
        f"I need {COUNT[n]} {what}; write only the list, one per line.",
    )
    return Draft(wordings, constraints=(Constraint("lines", n),))


def _words(c: Random) -> Draft:
    topic, n = c.choice(TOPICS), c.choice((20, 25, 30, 40))
    wordings = (
        f"Explain {topic} in at most {n} words.",
        f"In no more than {n} words, {topic}?",
        f"Describe {topic}. Use {n} words at the most.",
    )
    return Draft(wordings, constraints=(Constraint("words", n),))


def _object(c: Random) -> Draft:
    what, keys = c.choice(OBJECTS)
    named = f"{keys[0]}, {keys[1]} and {keys[2]}"
    wordings = (
        f"Describe {what} as a JSON object with the keys {named}.",
        f"Give me {what} as JSON with exactly these keys: {', '.join(keys)}. Only the JSON.",
        f"I need {what} for a test: one JSON object, keys {named}, nothing around it.",
    )
    return Draft(wordings, constraints=(Constraint("json", words=keys),))


def _code(c: Random) -> Draft:
    name, does = c.choice(CODE)
    wordings = (
        f"Write a Python function {name} that {does}. Only the code.",
        f"Python function called {name} that {does}; give me only the code, no explanation.",
        f"Please write {name} in Python: a function that {does}. Reply with the code only.",
    )
    return Draft(wordings, constraints=(Constraint("code", words=(name,)),))


def _word(c: Random) -> Draft:
    what = c.choice(ONE)
    wordings = (f"Give me {what}, in one word.", f"In a single word: {what}?", f"One word only, please: {what}.")
    return Draft(wordings, constraints=(Constraint("one word", 1),))


def _note(c: Random) -> Draft:
    (what, word), n = c.choice(NOTES), c.choice((2, 3))
    wordings = (
        f"Write a short note {what}, in at most {COUNT[n]} sentences. Use the word '{word}'.",
        f"A note {what}, please: no more than {COUNT[n]} sentences, and it must contain the word '{word}'.",
        f"Write {what}: a note of at most {COUNT[n]} sentences with the word '{word}' in it.",
    )
    return Draft(wordings, constraints=(Constraint("most sentences", n), Constraint("holds", words=(word,))))


def _lines(c: Random) -> Draft:
    what, n = c.choice(("the sea", "an old bridge", "the first snow", "a market in the morning")), c.choice((3, 4, 6))
    wordings = (
        f"Write a poem about {what} with exactly {COUNT[n]} lines.",
        f"A poem of exactly {COUNT[n]} lines about {what}, nothing else.",
        f"Please write exactly {COUNT[n]} lines of verse about {what}.",
    )
    return Draft(wordings, constraints=(Constraint("lines", n),))
