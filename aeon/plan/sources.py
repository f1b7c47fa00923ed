"""What a task is about, by what the tables and the texts know of its words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from aeon.documents.meaning import akin
from aeon.documents.plain import word_set
from aeon.documents.words import content_words, stem, stems, without_modal
from aeon.errors import ToolError
from aeon.plan.evidence import Evidence
from aeon.plan.wanted import asked_for, counted, counts_in_german, done, kinds, things
from aeon.schema import LONGEST_TASK, JsonObject, JsonValue, Plan, ToolCall
from aeon.supervisor.form import asks_form
from aeon.supervisor.prompt import cut
from aeon.supervisor.questions import is_thing, presumes, uncounted
from aeon.tools.quote import QUOTE, quoted
from aeon.tools.references import substitute
from aeon.tools.registry import ToolRegistry
from aeon.tools.tableinfo import Named, TableInfo, identifier

__all__ = ["LOOKUP", "SQL", "About", "Sources"]

SQL = "sql"
LOOKUP = "lookup"
_I = re.IGNORECASE
_MOST_UNKNOWN = 4
_TO_WRITE = re.compile(
    r"(?:^|[.!?:;,\n]\s*|\b(?:and|then|please|you|you to|me to|us to|kindly)\s+)"
    r"(?:explain(?! (?:(?:to )?(?:me|us) )?(?:how (?:many|much|long|often|far|old)|when|who|which|where)\b)|"
    r"describe|write|list(?! price)|suggest|draft|compose|translate|summari[sz]e|rewrite|rephrase|propose|"
    r"invent|create|code)\b|\b(?:poem|haiku|limerick|essay)s?\b",
    _I,
)
"""What asks for a text: the verb where it is the person's own wish, and no list or code that somebody has."""
_FACT = re.compile(r"\?|^\s*(?:who|what|when|where|which|whose|how|is|are|was|were|do|does|did|has|have|can)\b", _I)
_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-]*\d)")
_COMPUTED = word_set(
    "revenue revenues turnover sales income takings earnings costs spending expenses expense quantity quantities "
    "altogether total together overall all list lists sum number "
    "balance gap spread range increase decrease growth rise fall drop change trend median ratio rank result results"
)
"""What a question may ask for that no file has by its name, since it is computed."""
_IN_YEAR = re.compile(r"\b(?:in|of|for|during)\s+(?:[A-Z][a-z]+\s+)?((?:19|20)\d\d)\b(?!-)")
_AMOUNT_OF = re.compile(
    r"\bhow (?:much|many|long|far|fast|old)\b|\b(?:costs?|pays?|price|in all|altogether|in total|on average|left)\b", _I
)
_HOW_OR_WHAT = re.compile(r"\b(?:how|what)\b", _I)
_IN_ALL = re.compile(
    r"\b(?:in all|over all|of all|for all|all (?:our|the|its|my)|total|altogether|together|overall)\b", _I
)
_HOW_OFTEN = re.compile(r"\b(?:most|least|how) (?:often|frequently)\b", _I)
_LONGEST = word_set("longest")
_OF_TIME = frozenset(map(stem, ("time", "day", "date", "week", "month", "year")))
_SINCE = re.compile(r"(?:^|[_\W])(?:joined|since|hired|started|entered|employed|moved)(?:[_\W]|$)", _I)
_THERE_LONGEST = re.compile(
    r"\b(?:been|with us|here|there|worked|lived|served|sung|played|stayed|employed|member)\b[^.?!]*\blongest\b|"
    r"\blongest[- ](?:serving|standing)\b",
    _I,
)
"""Since when somebody is there, rather than how long something is."""
_A_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_MONTHS = word_set(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_DEALT = word_set("pay pays paid spend spends spent earn earns earned owe owes owed buy buys bought")
"""What is done with money: tables have it as bills and wages, and no question is about the word."""
_PER_SPAN = re.compile(r"\b(?:per|a|each|every) (day|week|month|quarter|year)\b", _I)
_MEASURED_IN = (
    (word_set("length lengths duration long lasts"), word_set("seconds minutes hours days weeks months years nights")),
    (
        word_set("length height width distance depth size long high wide deep tall tallest deepest widest"),
        word_set("metres meters m km cm height depth width"),
    ),
    (
        word_set("weight weights heavy weigh weighs heaviest lightest"),
        word_set("kg kilograms grams g tonnes tons weight"),
    ),
    (word_set("fastest slowest quickest"), word_set("speed time seconds minutes hours days kmh")),
    (word_set("dearest expensive costly"), word_set("price cost costs fee fees rate amount euros euro eur dollars")),
    (word_set("hottest coldest warmest"), word_set("temperature degrees celsius")),
    (word_set("best worst"), word_set("rating score points stars grade mark rank")),
    (word_set("area size large"), word_set("m2 sqm ha hectares")),
    (word_set("age ages old youngest"), word_set("age born birthday birth")),
)
"""Words for what is measured, each with units and columns in which it is: one of minutes holds a length."""
_NO_THING = re.compile(r"(?:ed|ing)$|^(?:tables?|files?|data|columns?|texts?|documents?|lists?)$", _I)
_MOST = re.compile(
    r"(?!forest|interest|request|harvest|contest|protest|conquest|inquest|arrest|digest)(?:[^\W\d_]{3,}est|worst)$", _I
)
_MOST_SO = re.compile(
    r"\b(?:most|least)\s+(?![^\W\d_]*ment\b)([^\W\d_]+(?:ive|ful|ous|able|ible|ent|ant|al|ar|ult|ic|ing|ed))\b", _I
)
"""The hardest, the most popular: what it is that is most, a table tells by its order."""
_QUOTED = re.compile(r"(?<!\w)'[^'\n]+'(?!\w)|\"[^\"\n]+\"|\u201c[^\u201d\n]+\u201d|\u201e[^\u201c\n]+\u201c")
_OURS = re.compile(r"\b(?:my|our|we|us)\b", _I)
_OFF = re.compile(r"(?:%|\bper ?cent|\d) off\b", _I)
_OFF_WORDS = word_set("discount discounts rebate reduction reductions")
_OF_FORM = word_set(
    "sentence sentences word words line lines bullet bullets point points paragraph paragraphs json text short brief "
    "explain describe write list suggest draft compose translate summarise summarize rewrite rephrase propose invent "
    "create poem code answer reply"
)


@dataclass(frozen=True)
class About:
    """What a text is about: a folder's tables, its texts, both or neither.

    ``tables`` and ``texts`` are words that only these know, ``both`` those that both do, ``named`` are values of
    columns that the text names, ``unknown`` words that no file has. ``mostly``: whether the tables or one passage know
    more than half of its words. ``of_rows``: it asks which or how many rows of a table, for all of them or of those
    with a value, together, or for those of a day.
    ``of_columns``: it asks how many there are, and names a column. ``akin`` are unknown words that mean much the same
    as a word of the sentences or a column, ``near`` words of the texts alone that do as the name of a table: what was
    delivered, where there are deliveries. ``begun`` is the column that says since when, where it asks who is there
    longest.
    """

    text: str
    evidence: Evidence
    tables: frozenset[str]
    texts: frozenset[str]
    both: frozenset[str]
    unknown: frozenset[str]
    named: tuple[Named, ...]
    mostly: bool
    of_rows: bool = False
    of_columns: bool = False
    akin: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    begun: str = ""

    def notes(self, functions: Collection[str]) -> str:
        """What a prompt with these functions is told of its words: values of the tables, and those that no file has."""
        named = ", ".join(one.condition for one in self.named) if SQL in functions else ""
        lacking = ", ".join(sorted(self.unknown - self.akin - {*self.unmeasured})[:_MOST_UNKNOWN])
        first = f"longest: the first by {self.begun}" if self.begun and SQL in functions else ""
        told = (f"named: {named}" if named else "", first, f"no file has: {lacking}" if lacking else "")
        return "; ".join(filter(None, told))

    @property
    def may_be_of_tables(self) -> bool:
        """Whether the tables may answer it: they alone have a word of it, or nobody has one of what it sums up."""
        of_both = self.both and (self.of_rows or self.of_columns or not self.texts)
        of_nobody = not (self.texts or self.both) and _IN_ALL.search(self.text)
        return bool(self.tables or of_both or of_nobody or self.begun)

    @property
    def unknown_things(self) -> tuple[str, ...]:
        """The words that no file has and that stand where a question names what it is about: the tray, in Oslo."""
        if not self.is_question:
            return ()
        asked = (what for kind, what in kinds(self.text) if self._is_new(kind) and self._is_new(what))
        said = [*things(self.text), *_IN_YEAR.findall(self.text), *asked]
        unknown = self.unknown - done(self.text)
        unknown -= {word.casefold() for word in _MOST_SO.findall(self.text)}
        return tuple(word for word in said if word.casefold() in unknown and _is_noun(word))

    @property
    def unknown_asked(self) -> str:
        """What it asks for, or the number of, where no file has a word for that: an alarm's code; else ""."""
        words = [*asked_for(self.text), self.counted if is_thing(self.counted) else ""]
        return next((word for word in words if word.casefold() in self.unknown - self.akin and _is_noun(word)), "")

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """The superlatives that no file has a word for, nor one of much the same meaning."""
        most = {word.casefold() for word in _MOST_SO.findall(self.text)}
        return tuple(word for word in sorted(self.unknown - self.akin) if word in most or _MOST.match(word))

    def _is_new(self, word: str) -> bool:
        """Whether no file has a word, nor is it computed; so it is of none."""
        return not word or (word.casefold() in self.unknown and word.casefold() not in _COMPUTED)

    @property
    def counted(self) -> str:
        """What it asks the number of; "" where it asks for no number, or only says how many more."""
        return counted(self.text)

    @property
    def uncounted(self) -> str:
        """What it asks the number of, where no table knows of it, nor of what is said of it.

        Only the texts do, or in another language nobody.
        """
        word = self.counted
        foreign = word in self.unknown and counts_in_german(self.text)
        return word if not self.of_columns and (word in self.texts or foreign) else ""

    @property
    def is_question(self) -> bool:
        """Whether it asks for a fact, rather than for something to be written."""
        return bool(_FACT.search(self.text)) and not _TO_WRITE.search(self.text)

    @property
    def is_writing(self) -> bool:
        """Whether it asks for a text that has nothing to do with the files."""
        return bool(_TO_WRITE.search(self.text) or asks_form(self.text)) and not self.mostly and not self.is_own

    @property
    def is_own(self) -> bool:
        """Whether it speaks of what somebody has: our rules, my notes."""
        return bool(_OURS.search(self.text))

    @property
    def is_sum(self) -> bool:
        """Whether it brings the numbers that it is about, and has nothing to do with the files."""
        return len(_NUMBER.findall(self.text)) > 1 and not self.mostly

    @property
    def is_computed(self) -> bool:
        """Whether it asks what so and so many come to: the price of three tickets, the time for two rounds."""
        return bool(uncounted(self.text, "") and _HOW_OR_WHAT.search(self.text))

    @property
    def asks_sum(self) -> bool:
        """Whether it asks what comes of its own numbers: a price, how many, how much in all."""
        return self.is_sum and self.is_question and bool(_AMOUNT_OF.search(self.text))

    @property
    def needed(self) -> tuple[str, ...]:
        """The sources that know words of it which no other knows.

        Months stand in texts as well as in tables, and so does that somebody pays, or does it per month; what is
        counted by a column need not be known to the tables, nor what is done most often.
        """
        if self.of_rows and _HOW_OFTEN.search(self.text):
            return (SQL,)
        spans = {span.casefold() for span in _PER_SPAN.findall(self.text)}
        texts = self.texts - self.near - _DEALT - spans - ({self.counted} if self.of_columns else set())
        return tuple(name for name, own in ((SQL, self.tables - _MONTHS), (LOOKUP, texts)) if own)


def _taken_off(unknown: frozenset[str], text: str) -> frozenset[str]:
    """Those of the words that a text means which has "10% off"."""
    return unknown & _OFF_WORDS if _OFF.search(text) else frozenset()


def _rows(text: str) -> frozenset[str]:
    """The stems of what a text asks the number of, or which of it, but for times."""
    return frozenset(stem(what) for what in (counted(text), *(what for _, what in kinds(text)))) - _OF_TIME


def _is_noun(word: str) -> bool:
    """Whether a word may be the name of a thing: no verb, no superlative, and no word for the files themselves."""
    return not (_NO_THING.search(word) or _MOST.match(word))


def _is_text(named: Named) -> bool:
    """Whether what is named is a text in a column, not a month or a year."""
    return named.condition.endswith("'")


def _since(tables: Sequence[TableInfo]) -> str:
    """The one column that says since when somebody is there, as a query writes it; "" for none or several."""
    since = [name for table in tables for name, _ in table.columns if _SINCE.search(name)]
    return identifier(since[0], frozenset()) if len(since) == 1 else ""


class Sources:
    """The tables and the texts that a run may ask; ``tables`` are what is known of the tables."""

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools
        self.names = tuple(name for name in (SQL, LOOKUP) if name in tools.names and tools.get(name).knows)
        self.tables = tools.get(SQL).tables if SQL in self.names else ()
        self._tables = stems(" ".join(table.name for table in self.tables))
        self._names = " ".join(table.name.replace("_", " ") for table in self.tables)
        self._words = " ".join(name.replace("_", " ") for table in self.tables for name, _ in table.columns)
        self._columns = stems(self._words)
        self._since = _since(self.tables)
        self._units = frozenset(self._words.casefold().split())

    async def about(self, text: str) -> About:
        """What a text is about, with the sentences that may answer it."""
        evidence = await self._evidence(text)
        words = content_words(without_modal(text))
        by_table, by_text = self._known(SQL, words), self._known(LOOKUP, words)
        names = self._tools.get(SQL).names if SQL in self.names else None
        own = frozenset(word for word in content_words(_QUOTED.sub(" ", text)) if word.isalpha()) - _OF_FORM
        most = max(len(own & by_table), evidence.shared(frozenset(map(stem, own))))
        named = names(without_modal(text)) if names else ()
        begun = self._since if _THERE_LONGEST.search(text) else ""
        unknown = self._unknown_of(text, words - by_table - by_text) - (_LONGEST if begun else frozenset())
        return About(
            text=text,
            evidence=evidence,
            tables=by_table - by_text,
            texts=by_text - by_table,
            both=by_table & by_text,
            unknown=unknown,
            named=named,
            mostly=most * 2 > len(own),
            of_rows=self._is_of_rows(text, any(map(_is_text, named))),
            of_columns=bool(counted(text) and self._columns & stems(text)),
            near=akin(by_text - by_table, self._names),
            begun=begun,
            akin=akin(unknown, f"{evidence.text} {self._words}") | _taken_off(unknown, evidence.text),
        )

    def _is_of_rows(self, text: str, named: bool) -> bool:
        """Whether a text asks for rows of a table: which, how many, all, those with a value, how often, or of a day."""
        if _A_DAY.search(text) and named and any(table.days for table in self.tables):
            return True
        if _HOW_OFTEN.search(text) and (self._tables | self._columns) & stems(text):
            return True
        together = _IN_ALL.search(text) and (named or self._tables & stems(text))
        return bool(together or _rows(text) & self._tables)

    def _unknown_of(self, text: str, words: frozenset[str]) -> frozenset[str]:
        """Those of the words that count as unknown: none without files, of numbers only years that it is about."""
        years = _IN_YEAR.findall(text)
        money = _COMPUTED if self.tables else frozenset[str]()
        told = frozenset(word for what, units in _MEASURED_IN for word in what if units & self._units)
        named = (word for word in words - money - told if (word.isalpha() and word not in _DEALT) or word in years)
        return frozenset(named) if self.names else frozenset()

    def functions(self, about: About) -> tuple[str, ...]:
        """The sources that may answer, by the words that they know; none for a sum of its own numbers."""
        if about.is_sum:
            return ()
        tables = self.tables and about.may_be_of_tables
        texts = LOOKUP in self.names and (about.texts or not about.tables)
        return (*((SQL,) if tables else ()), *((LOOKUP,) if texts else ()))

    def unknown(self, words: frozenset[str]) -> frozenset[str]:
        """Those of the words that no file has."""
        return words - self._known(SQL, words) - self._known(LOOKUP, words)

    async def values(self, queries: Sequence[JsonObject]) -> list[tuple[JsonObject, JsonValue]]:
        """These queries with what they give, as far as they can run."""
        found: list[tuple[JsonObject, JsonValue]] = []
        for arguments in queries:
            with suppress(ToolError):
                found.append((arguments, (await self._tools.call(SQL, arguments)).value))
        return found

    async def shown(self, text: str) -> str:
        """The sentences of the texts that may answer a question, as a prompt is told of them; empty where none are."""
        return (await self._evidence(text)).shown

    async def outcome(self, plan: Plan) -> list[JsonValue]:
        """What a plan gives whose steps are all calls of tools without side effects; nothing if a step fails."""
        given: dict[str, JsonValue] = {}
        for step in plan.steps:
            action = step.action
            if not isinstance(action, ToolCall) or self._tools.get(action.tool).side_effects:
                return []
            try:
                found = await self._tools.call(action.tool, substitute(action.arguments or {}, given))
            except ToolError:
                return []
            given[step.id] = quoted(found.value)[0] if action.tool == QUOTE else found.value
        return [given[step_id] for step_id in plan.answer if given[step_id] is not None]

    async def lacks(self, plan: Plan, question: str) -> bool:
        """Whether the tables have no row of what a question presumes to be there, and there are texts."""
        return LOOKUP in self.names and presumes(question) and await self.outcome(plan) == [[]]

    async def _evidence(self, text: str) -> Evidence:
        if LOOKUP not in self.names:
            return Evidence()
        question = cut(text, LONGEST_TASK)
        return Evidence((await self._tools.call(LOOKUP, {"question": question})).value, question)

    def _known(self, tool: str, words: frozenset[str]) -> frozenset[str]:
        knows = self._tools.get(tool).knows if tool in self.names else None
        return words & knows(words) if knows else frozenset()
