"""What a program leaves out of what its task says: reasons to have it written once more, though it could run."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Iterator, Sequence, Set
from fractions import Fraction

from aeon.documents.words import stem, stems
from aeon.plan.evidence import in_words, stated_numbers
from aeon.plan.queries import figures_of, gives_one_column, names_one_thing, query_of
from aeon.plan.ranks import unranked
from aeon.plan.reader import CALCULATOR
from aeon.plan.sources import LOOKUP, SQL
from aeon.proof.readings import NUMBER_WORDS
from aeon.schema import Action, Plan, Step, ToolCall
from aeon.tools.quote import QUOTE
from aeon.tools.tableinfo import Named

__all__ = ["doubts"]

_I = re.IGNORECASE
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTH = re.compile(rf"\b(?:{'|'.join(name for name in _MONTHS if name != 'may')})\b|(?-i:\bMay\b)", _I)
_CALENDAR = re.compile(r"month|date|day|strftime|extract|\d{4}-\d\d", _I)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_QUARTER = re.compile(r"\bquarter|\bhalf\b", _I)
_DIGITS = re.compile(r"\d+")
_FIGURE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_LIMIT = r"(?:(?:more|less|fewer) than|below|above|over|under|at (?:least|most)|up to|exceed(?:s|ing))"
_CONDITION = re.compile(rf"\b{_LIMIT} \d", _I)
_AMOUNT = re.compile(rf"(?:\b{_LIMIT} )?(?<![\w.,])\d(?:[\d.,]*\d)?(?: ?%| per ?cent\b)?", _I)
_RULE = re.compile(r"[^\n]+?(?:[.!?](?=\s)|\n|$)")
_TEXT = re.compile(r"'[^']*'")
_NUMBER = re.compile(
    r"(?<![\w.,:/-])\d+(?:\.\d+)?(?![\w.,:/-]*\d)(?!\w)"
    r"(?!\s*(?:%|decimals?\b|cents?\b|(?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)))",
    _I,
)
_SPELT = re.compile(
    r"(?<!the )(?<!these )(?<!those )(?<!last )(?<!first )(?<!next )(?<!past )(?<!all )(?<!of )(?<!which )(?<!in )"
    r"(?<![\w-])(?P<number>three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty) [a-z]+s\b",
    _I,
)
_OF_MONEY = re.compile(r"\b(?:costs?|pays?|price|charged?|owe|bill|how much)\b", _I)
_TOGETHER = re.compile(
    r"\b(?:together|altogether|in all|in total|on top|including|"
    r"(?:deposit|discount|tax|vat|postage|shipping|delivery|everything) included)\b",
    _I,
)
_PER_CENT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(?:%|per ?cent\b)", _I)
_SHARE = re.compile(r"(?<!\d)100\b|\b[01]?\.\d")
_EITHER = re.compile(
    r"\bwhich (?:one|of (?:the|these) two)\b|\bor\b[^.?!:]*:|"
    r"\b(?:which|who|whether|is|are|was|does|do|did|will)\b[^.?!]*\bor\b",
    _I,
)
_TWO_PARTS = re.compile(r"[,;]? and (?:who|whom|whose|what|which|where|when|how|by how)\b", _I)
_AND_WHO = re.compile(
    r"\b(?:which|what (?!is\b|was\b|are\b|were\b|do\b|does\b|did\b))[^?.!]*\band (?:who|whom|whose)\b", _I
)
"""Asks for a thing and somebody; beside a figure alone, the first name is that of somebody."""
_WHAT_MAY_BE = re.compile(
    r"\bhow (?:many|much|long|often|late|old|far|fast)\b[^?.!]*\b(?:may(?! 20)|allowed|permitted)\b", _I
)
_OF_LIMITS = re.compile(r"max_|maximum|\bmost_|limit|capacity|allow|permit|seats|places|quota|may_", _I)
_BY_HOW_MUCH = re.compile(r"\bby how (?:much|many)\b", _I)
_LIMITED = re.compile(r"\b[a-z_]\w*\s*(?:<=|>=|<>|!=|=|<|>)\s*(?P<number>\d+(?:\.\d+)?)(?![\w.])", _I)
_WORD = re.compile(r"[^\W\d_]+")
_DOZEN = re.compile(r"\b(?:dozens?|adults?|weekdays?|weekends?|teen\w*|half|once|twice)\b", _I)
"""Words with a number in them that they do not say."""
_UNITS_OF_TIME = (Fraction(60), Fraction(1, 60), Fraction(24), Fraction(7), Fraction(1, 7))
_MORE = (
    r"(?:(?:short|long|high|low|cheap|dear|earli|lat|old|young|bigg|small|larg|heavi|light|fast|slow)e?r|more|less|"
    r"fewer)"
)
_COMPARED = re.compile(
    rf"\b(?:which|who|what)\b[^.?!]*\b{_MORE}\b|"
    rf"\b(?:is|are|was|were|do|does|did|has|have)\b[^.?!]*\bor\b[^.?!]*\b{_MORE}\b",
    _I,
)
_CHANGED = re.compile(
    r"\b(?:once|after|with|including|if|when|less|minus|plus)\b[^.?!]{0,200}\b"
    r"(?P<what>increase|rise|rebate|discount|surcharge|reduction|mark-?up)\b",
    _I,
)
_OPEN = re.compile(r"\b(?:since|from|after|before|until|till|between|to|by|through)\b", _I)
_DAY_OF_MONTH = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?[A-Z]|\b[A-Z]\w+ (?:the )?\d{1,2}(?!\d)|"
    r"(?i:\b(?:first|last|end|beginning|begin|day|\w+days?|when|date)\b)"
)
"""Where a question may be for one day of a month."""
_ONE_DAY = re.compile(r"(?<![<>!])=\s*(?:DATE\s*)?'\d{4}-\d\d-\d\d'", _I)
_BEGIN = re.compile(r">=?\s*\\?'?\d{4}-\d\d|>=?\s*DATE", _I)
_END = re.compile(r"<|\bBETWEEN\b|\bMONTH\w*\(|\bEXTRACT\(|\bSTRFTIME\(|\bDATE_(?:PART|TRUNC)\(", _I)
_DENIED = re.compile(
    r"\b(?:(?<!\bor )not|never|nobody|no longer|without)\b"
    r"(?! (?:more|less|fewer|only|before|after|until|later|earlier|counting|including))"
    r"|n[\u2019']t\b",
    _I,
)
_DENIES = re.compile(
    r"!=|<|\b(?:NOT|EXCEPT|NULL|false)\b|'(?:n|no|nein|not|none|never|un|in|ir|off)\b|'(?:un|no|in|mis)[^']*'|= 0\b", _I
)
_WHERE = re.compile(r"\bWHERE\b(.*)", _I | re.DOTALL)
_OF_DATES = re.compile(r"\b(?:MONTH|YEAR|QUARTER|DAY\w*)\([^()]*\)\s*=\s*\d+", _I)
_NOTHING = re.compile(r"\b(?P<what>(?:SUM|AVG|COUNT|MIN|MAX)\([^()]*\))\s*-\s*(?P=what)(?!\s*FILTER)", _I)


def doubts(plan: Plan, question: str, named: Sequence[Named], needed: Sequence[str], stated: str) -> str:
    """What is doubtful about a plan for a question, in a few words for the model; "" where nothing is.

    ``named`` are the values of columns that the question names, ``needed`` the tools that know words of
    it which no other knows. ``stated`` are the sentences that the program could copy from, one below the other.
    """
    calls = [step.action for step in plan.steps if isinstance(step.action, ToolCall)]
    if not calls:
        return ""
    used = {call.tool for call in calls}
    said = json.dumps([call.arguments for call in calls], ensure_ascii=False)
    answers = [step for step in plan.steps if step.id in plan.answer]
    found = itertools.chain(
        _numbers_left_out(question, said),
        _spelt_left_out(question, said, stated),
        itertools.chain(_left_out(question, said, named), _rules_left_out(calls, stated)) if SQL in used else (),
        _sources_left_out(used, needed, _copies(calls, stated_numbers(stated) - stated_numbers(question))),
        _misread(question, said),
        _undecided(question, answers),
        _half_answered(question, answers),
        _difference_left_out(question, calls),
        _alike(calls),
        _change_left_out(question, calls, said) if SQL in used else (),
        _not_what_may_be(question, said, used, stated),
        _denial_left_out(question, answers, named),
        _rest_left_out(question, answers, stated),
        _limits_unsaid(calls, question, stated, named),
        unranked(question, answers),
    )
    return next(found, "")


def _numbers_left_out(question: str, said: str) -> Iterator[str]:
    in_texts = " ".join(_TEXT.findall(said))
    there = stated_numbers(_TEXT.sub("", said)) | {Fraction(digits) for digits in _DIGITS.findall(in_texts)}
    for number in _NUMBER.findall(question):
        if not stated_numbers(number) & there:
            yield f"use {number} too"
    for share in _PER_CENT.finditer(question):
        if share[1] != "100" and not stated_numbers(share[0]) & there:
            yield f"use {share[0]} too"


def _spelt_left_out(question: str, said: str, stated: str) -> Iterator[str]:
    """Numbers in words, where money is asked for: three hours, of which no sentence speaks."""
    known = {word.casefold() for word in _WORD.findall(f"{said} {stated}")}
    there = _figures(said)
    for found in _SPELT.finditer(question) if _OF_MONEY.search(question) else ():
        number = found["number"].casefold()
        if number not in known and Fraction(NUMBER_WORDS[number]) not in there:
            yield f"use {found[0]} too"


def _copies(calls: Sequence[ToolCall], numbers: frozenset[Fraction]) -> bool:
    """Whether a call calculates with a number of the sentences; one in a date, or of a month, is none."""
    return any((_calculated(call) - {0, 1}) & numbers for call in calls)


def _figures(said: str) -> set[Fraction]:
    """The numbers of what is said, other than in a text such as a date."""
    return {Fraction(number) for number in _FIGURE.findall(_TEXT.sub("", said))}


def _sources_left_out(used: Set[str], needed: Sequence[str], copied: bool) -> Iterator[str]:
    if SQL in needed and SQL not in used:
        yield "ask the tables too, with sql(...)"
    if LOOKUP in needed and not used & {LOOKUP, QUOTE} and not copied:
        yield "use the numbers of the sentences too"


def _rules_left_out(calls: Sequence[ToolCall], stated: str) -> Iterator[str]:
    """What stands in a rule that a program copies a number from, and not in the program: its limit, or its amount."""
    there = {number for call in calls for number in _calculated(call)}
    for rule in _RULE.findall(stated):
        if _CONDITION.search(rule) and stated_numbers(rule) & there - {0, 1}:
            lost = (part for part in _AMOUNT.findall(rule) if not stated_numbers(part) & there)
            yield from (f"use {part.strip()!r} of the rule too: CASE WHEN ... THEN ... ELSE ... END" for part in lost)


def _calculated(call: ToolCall) -> Set[Fraction]:
    """The numbers that a call calculates with."""
    arguments = call.arguments or {}
    if call.tool == SQL:
        return figures_of(str(arguments.get("query")))
    return _figures(json.dumps(arguments, ensure_ascii=False))


def _misread(question: str, said: str) -> Iterator[str]:
    """What is computed with other numbers than were meant."""
    for found in _PER_CENT.finditer(question):
        if re.search(rf"(?<![\d.]){re.escape(found[1])}(?![\d.])", said) and not _SHARE.search(said):
            yield f"{found[0]} is {found[1]} / 100"
    if nothing := _NOTHING.search(said):
        yield f"{nothing[0]} is always 0"


def _undecided(question: str, answers: Sequence[Step]) -> Iterator[str]:
    """Whether the answer to a question for one of two things names neither, both, or one without comparing."""
    actions = [step.action for step in answers]
    if _COMPARED.search(question) and not _finds_out(actions) and _texts(actions):
        yield "compare the two values, with ... if ... else ..."
    if _EITHER.search(question) and not _finds_out(actions) and len(_texts(actions)) != 1:
        yield "print which one it is too, with ... if ... else ..."


def _not_what_may_be(question: str, said: str, used: Collection[str], stated: str) -> Iterator[str]:
    """Whether rows of what was are taken for what is allowed, though no column speaks of that and there are texts."""
    if used == {SQL} and stated and _WHAT_MAY_BE.search(question) and not _OF_LIMITS.search(said):
        yield "rows do not say what is allowed: use the sentences"


def _half_answered(question: str, answers: Sequence[Step]) -> Iterator[str]:
    """Whether a question with two parts gets one value."""
    actions = [step.action for step in answers]
    if len(actions) != 1 or not _TWO_PARTS.search(question) or not isinstance(actions[0], ToolCall):
        return
    if actions[0].tool in (QUOTE, CALCULATOR) or gives_one_column(query_of(answers[0])):
        yield "it asks two things: print the answers to both parts of the question"
    elif _AND_WHO.search(question) and names_one_thing(query_of(answers[0])):
        yield "it also asks who: select the name, too"


def _difference_left_out(question: str, calls: Sequence[ToolCall]) -> Iterator[str]:
    """Whether a question by how much gets no difference of what the tables have."""
    queries = [str((call.arguments or {}).get("query")) for call in calls if call.tool == SQL]
    sums = [str((call.arguments or {}).get("expression")) for call in calls if call.tool == CALCULATOR]
    if queries and _BY_HOW_MUCH.search(question) and "-" not in _TEXT.sub("", " ".join([*queries, *sums])):
        yield "print the difference, too"


def _rest_left_out(question: str, answers: Sequence[Step], stated: str) -> Iterator[str]:
    """Whether money for several things together is one price, of a sentence that says nothing of together."""
    together = _TOGETHER.search(question) if _OF_MONEY.search(question) else None
    said = stated_numbers(_copied(answers[0])) if together and len(answers) == 1 else frozenset()
    its = [line for line in stated.splitlines() if said & stated_numbers(line)]
    if together and its and not any(map(_TOGETHER.search, its)):
        yield f"it asks for what comes {together[0].casefold()}: add the parts up"


def _copied(step: Step) -> str:
    """The value that a step copies from a sentence; "" where it copies none."""
    action = step.action
    return str((action.arguments or {}).get("value")) if isinstance(action, ToolCall) and action.tool == QUOTE else ""


def _denial_left_out(question: str, answers: Sequence[Step], named: Sequence[Named]) -> Iterator[str]:
    """Whether a question says not, and the query of its answer has no condition that could mean that."""
    queries = [query_of(step) for step in answers]
    if len(queries) != 1 or not queries[0] or not _DENIED.search(question) or _DENIES.search(queries[0]):
        return
    where = _WHERE.search(queries[0])
    rest = _OF_DATES.sub("", where[1]) if where else ""
    for one in named:
        rest = rest.replace(one.condition, "")
    if not re.search(r"[=<>]|\bLIKE\b", rest, _I):
        yield "the question says not: use a condition that means it"


def _alike(calls: Sequence[ToolCall]) -> Iterator[str]:
    """Whether a program that calculates asks the tables the same twice."""
    queries = [str((call.arguments or {}).get("query")) for call in calls if call.tool == SQL]
    if len({*queries}) < len(queries) and any(call.tool == CALCULATOR for call in calls):
        yield "both queries are the same"


def _change_left_out(question: str, calls: Sequence[ToolCall], said: str) -> Iterator[str]:
    """A price with the rise in it, where a program only asks for the price."""
    change = _CHANGED.search(question)
    if change and stem(change["what"]) not in stems(said) and not any(_calculated(call) - {0, 1} for call in calls):
        yield f"use the {change['what'].casefold()} too"


def _limits_unsaid(calls: Sequence[ToolCall], question: str, sentences: str, named: Sequence[Named]) -> Iterator[str]:
    """Conditions of queries with a number that nobody spoke of, in digits or in words; years are looked at apart."""
    if _DOZEN.search(question):
        return
    known, meant = _spoken_of(f"{question}\n{sentences}"), {one.condition for one in named}
    queries = (_TEXT.sub("''", str((call.arguments or {}).get("query"))) for call in calls if call.tool == SQL)
    for limit in itertools.chain.from_iterable(map(_LIMITED.finditer, queries)):
        own = limit[0] in meant or _YEAR.fullmatch(limit["number"])
        if not own and Fraction(limit["number"]) not in known:
            yield f"nobody spoke of {limit[0]}"


def _spoken_of(said: str) -> Set[Fraction]:
    """The numbers that are said, in digits or in words, also in another unit of time; none and one are always."""
    stated = stated_numbers(said) | in_words(said) | {Fraction(1)}
    return stated | {one * unit for one in stated for unit in _UNITS_OF_TIME} | {Fraction(0)}


def _texts(answers: Sequence[Action]) -> list[ToolCall]:
    """The texts that an answer quotes."""
    calls = [action for action in answers if isinstance(action, ToolCall) and action.tool == QUOTE]
    return [call for call in calls if isinstance((call.arguments or {}).get("value"), str)]


def _finds_out(answers: Sequence[Action]) -> bool:
    """Whether a choice, a query or the model finds a part of an answer out; quotations and numbers do not."""
    return any(not isinstance(one, ToolCall) or one.tool not in (QUOTE, CALCULATOR, "days_between") for one in answers)


def _left_out(question: str, said: str, named: Sequence[Named]) -> Iterator[str]:
    """What the question names and the queries do not."""
    there = stems(said)
    for one in named:
        is_text = one.condition.endswith("'")
        if is_text and not stems(one.value) <= there and one.value.casefold() not in said.casefold():
            yield f"use {one.condition} too"
    figures = {int(digits) for digits in _DIGITS.findall(said)}
    yield from _months_left_out(question, said, figures)
    yield from _days_left_out(question, said)
    yield from (f"use {year} too" for year in _YEAR.findall(question) if int(year) not in figures)


def _days_left_out(question: str, said: str) -> Iterator[str]:
    """The days of a month that is asked about, of which the queries take one."""
    month = _MONTH.search(question)
    if month and not _DAY_OF_MONTH.search(question) and _ONE_DAY.search(said):
        yield f"{month[0]} has more than one day: use BETWEEN"


def _months_left_out(question: str, said: str, figures: Set[int]) -> Iterator[str]:
    """The months that the question names and the queries do not, and one that they let go on."""
    months = _MONTH.findall(question)
    calendar = figures if _CALENDAR.search(said) else frozenset[int]()  # the 1 of (1 - 0.05) is no January
    for month in months if not _QUARTER.search(said) else ():
        number = _MONTHS.index(month.casefold()) + 1
        if number not in calendar and month[:3].casefold() not in said.casefold():
            yield f"use {month} too"
    if len(set(months)) == 1 and not _OPEN.search(question) and _BEGIN.search(said) and not _END.search(said):
        yield f"{months[0]} has an end: use BETWEEN"
