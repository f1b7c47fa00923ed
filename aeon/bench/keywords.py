"""Thirty fixed questions that are scored by the keywords of their answers."""

from __future__ import annotations

from aeon.bench.question import Question

__all__ = ["KEYWORD_TASKS"]


def _task(text: str, *keywords: str) -> Question:
    return Question(f"{text} Answer in one or two sentences.", keywords=keywords)


KEYWORD_TASKS = (
    _task("Why does the sea rise and fall twice a day?", "moon", "gravity|gravitational", "tide|tides|tidal"),
    _task("Why is the sky blue by day?", "scatter|scatters|scattered|scattering", "light|sunlight", "blue"),
    _task("How does a plant make its food?", "photosynthesis", "light|sunlight", "water", "carbon dioxide|CO2"),
    _task("Why does ice float on water?", "density|dense", "less|lower", "water"),
    _task("What does the heart do?", "pump|pumps", "blood", "body|lungs|oxygen"),
    _task("Why are there seasons?", "tilt|tilted|tilts", "axis", "sun|sunlight"),
    _task("What happens in an eclipse of the moon?", "earth", "between", "shadow"),
    _task("How does soap take fat off a plate?", "fat|grease|oil", "water", "molecules|molecule|emulsify|emulsifies"),
    _task(
        "Why does bread dough rise?", "yeast", "gas|carbon dioxide|CO2", "sugar|sugars|ferment|fermentation|ferments"
    ),
    _task("What is the use of a vaccine?", "immune", "antibodies|immunity|protect|protection", "disease|infection"),
    _task("Why does metal rust?", "iron", "oxygen", "water|moisture"),
    _task(
        "How does a refrigerator cool its inside?", "heat", "refrigerant|coolant|gas", "compressor|evaporates|evaporate"
    ),
    _task(
        "What does a database index do?",
        "search|query|queries|lookup|find",
        "faster|speed|speeds|quickly",
        "table|column|rows",
    ),
    _task("What is the difference between a list and a set in Python?", "order|ordered", "duplicate|duplicates|unique"),
    _task("What is recursion in a program?", "function", "itself", "base"),
    _task(
        "Why is a password hashed before it is stored?",
        "hash|hashed|hashing",
        "stolen|breach|attacker|leak|leaked",
        "original|plain|plaintext|reverse|reversed",
    ),
    _task(
        "What does a compiler do?", "source|code", "machine|executable|binary", "translate|translates|convert|converts"
    ),
    _task("What is a deadlock?", "wait|waiting|waits", "resource|resources|lock|locks", "each other|another|other"),
    _task(
        "What does HTTPS add to HTTP?",
        "encrypt|encrypts|encryption|encrypted",
        "TLS|SSL",
        "secure|security|certificate",
    ),
    _task("What is a unit test for?", "function|unit|code", "correct|correctly|expected|works", "test|tests"),
    _task("What is inflation?", "price|prices", "rise|increase|increases|rises", "money|purchasing"),
    _task("What is compound interest?", "interest", "principal", "earned|accumulated|previous|interest on"),
    _task("Why do firms insure themselves?", "risk|risks", "loss|losses|damage", "premium|pay|financial"),
    _task("What is a mortgage?", "loan", "house|home|property", "bank|lender|security|collateral"),
    _task("What does a court of appeal do?", "decision|decisions|judgment|ruling", "lower", "review|reviews"),
    _task(
        "Why was the printing press important?",
        "books|book",
        "spread|knowledge|ideas",
        "cheaper|quickly|mass|wider|widely",
    ),
    _task(
        "What was the industrial revolution?",
        "machine|machines|machinery",
        "factory|factories",
        "steam|production|manufacturing",
    ),
    _task(
        "What does a conductor do in an orchestra?",
        "tempo|time|beat",
        "musicians|orchestra|players",
        "lead|leads|guide|guides|direct|directs",
    ),
    _task(
        "How does a bee help an apple tree?",
        "pollen",
        "flower|flowers|blossom|blossoms",
        "fruit|apples|fertilise|fertilize|pollinate|pollinates|pollination",
    ),
    _task(
        "Why is a map of the world never quite right?",
        "flat",
        "sphere|round|globe|curved|spherical",
        "distort|distorts|distorted|distortion",
    ),
)
"""The questions, always in this order."""
