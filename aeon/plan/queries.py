"""The queries of a plan: what they calculate with, and how many numbers they give."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from aeon.plan.evidence import stated_numbers
from aeon.plan.sources import SQL
from aeon.schema import JsonObject, JsonValue, Plan, Step, ToolCall
from aeon.tools.tableinfo import quoted

__all__ = [
    "amounts",
    "asks_one",
    "asks_percent",
    "asks_who_and_total",
    "borrowed",
    "distinct",
    "echoes",
    "figures_of",
    "gives_one_column",
    "in_percent",
    "invented",
    "is_several",
    "lists",
    "names_one_thing",
    "only_number",
    "queried",
    "query_of",
    "summed",
    "takes_nothing",
    "with_amounts",
    "with_query",
    "with_total",
    "without_hundred",
]

_I = re.IGNORECASE
_FIGURE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_TEXT = re.compile(r"'[^']*'")
_SHARE = re.compile(r"(?<![\w.])(\d+(?:[.,]\d+)?) ?(?:%|per ?cent\b)", _I)
_FACTOR = re.compile(r"(?<=[*/+-] )\d+(?:\.\d+)?(?![\w.])|(?<![\w.])\d+\.\d+(?![\w.])")
_CALENDAR = r"(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE)"
_AMOUNT = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\b(?:LIMIT|OFFSET)\s+\d+|"
    rf"\b(?:{_CALENDAR}\w*\([^()]*\)|EXTRACT\({_CALENDAR}\b[^()]*\)|DATE_?PART\([^()]*\))\s*"
    r"(?:(?:=|<>|!=|[<>]=?)\s*\d+|(?:NOT\s+)?IN\s*\([^()]*\)|BETWEEN\s+\d+\s+AND\s+\d+)|"
    r"(?<![\w.])(?P<number>\d+(?:\.\d+)?)(?![\w.])",
    _I,
)
"""A number of a query that may be an amount, in its group; texts, names, months and limits are passed over."""
_USUAL = frozenset(map(Fraction, (0, 1, 2, 3, 4, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000)))
_COLUMNS = re.compile(r"\bSELECT\s+(.*?)\s+FROM\b", _I | re.DOTALL)
_MADE = re.compile(r"(?:SUM|COUNT|AVG|MIN|MAX|MEDIAN|ROUND)\b", _I)
_ONLY_NUMBERS = re.compile(r"(?=.*\d)[\d\s.+*/()-]+(?:\bAS\s+\w+)?", _I)
_TIMES_100 = re.compile(r"\s*\*\s*100(?:\.0+)?(?![\d.])(?!\s*/)")
_LAST_100 = re.compile(r"(\$\w+|\([^()]*\)) \* 100(?:\.0)?")
_TO_WHOLE = re.compile(r"\bround\((\$\w+|[^(),]+)\)")
_TO_CENTS = re.compile(r"\b(?:to|nearest) (?:the (?:nearest )?)?(?:euro )?cents?\b", _I)
_IN_CENTS = re.compile(r"\b(?:in|many) cents\b", _I)
_HUNDREDTHS = re.compile(
    r"%|\bper ?cent|\b(?:percentage|share|proportion|fraction|ratio|rate|part)\b|\b(?:in|many) (?:cents|pence|cm)\b|"
    r"\bcentim|(?<![\d.,])100(?![\d.,]*\d)",
    _I,
)
_PER_CENT = re.compile(r"%(?! of)|\b(?:in|many|what) per ?cent\b|\bpercentage\b", _I)
_SEVERAL = 2
_WHO_AND_HOW = re.compile(r"\W*(?:who|whose|which)\b[^?.!]*\band how (?:much|many)\b", _I)
_IN_ALL = re.compile(r"\b(?:in all|in total|altogether|all together|the total)\b", _I)
_LISTED = re.compile(r"\b(?:each|every|list|all the|which|per|both(?! together\b))\b", _I)
_QUANTITY = re.compile(
    r"\bhow (?:many|much)\b|\b(?:total|sum|number|amount|units|revenue|turnover|sales|count)\b|"
    r"\b(?:comes?|came|adds? up|added up|amounts?) to(?=\s*(?:[?.,;]|$|in all\b|in total\b|together\b|altogether\b))",
    _I,
)
_ONLY_AND = re.compile(r"\bWHERE\b((?:(?!\b(?:OR|NOT|SELECT)\b).)*)$", _I | re.DOTALL)
"""The conditions of a query that all of its rows meet."""
_BEYOND = re.compile(
    r"\bJOIN\b|\bORDER\b|\bSELECT\b.*\bSELECT\b|\bFROM\b[^()]*?,[^()]*?\bWHERE\b|\"\w+ ", _I | re.DOTALL
)
"""What a query has beyond the conditions and columns of one table, or a name of several words."""
_FIXED = re.compile(r"(?<![\w.])(?:LOWER\()?(?:\w+\.)?\"?(\w+)\"?\)?\s*=\s*'[^']*'", _I)
_NO_COLUMN = re.compile(r"^\s*(?:DISTINCT\s+)?(?:\w+\.)?", _I)


def figures_of(query: str) -> frozenset[Fraction]:
    """The numbers that a query calculates or compares with; none of the calendar, and none in a text."""
    return frozenset(Fraction(match["number"]) for match in _AMOUNT.finditer(query) if match["number"])


def amounts(query: str) -> frozenset[Fraction]:
    """The numbers of a query that may come from a text: no year, and none that needs no source."""
    return frozenset(number for number in figures_of(query) if not _YEAR.fullmatch(str(number))) - _USUAL


def with_amounts(query: str, change: Callable[[Fraction], str]) -> str:
    """The query with what ``change`` gives for each of its amounts; where that is "", the number stays."""

    def changed(match: re.Match[str]) -> str:
        own = bool(match["number"]) and Fraction(match["number"]) in there
        return (change(Fraction(match["number"])) if own else "") or match[0]

    there = amounts(query)
    return _AMOUNT.sub(changed, query)


def query_of(step: Step) -> str:
    """The query of a step, "" if it has none."""
    action = step.action
    return str((action.arguments or {}).get("query", "")) if isinstance(action, ToolCall) and action.tool == SQL else ""


def gives_one_column(query: str) -> bool:
    """Whether what a query selects first is one column."""
    columns = _listed(query)
    return len(columns) == 1 and not columns[0].endswith("*")


def names_one_thing(query: str) -> bool:
    """Whether what a query selects first is one column, and then figures that it makes of rows."""
    first, *others = _listed(query)
    return bool(others) and not first.endswith("*") and all(map(_MADE.match, others))


def _listed(query: str) -> list[str]:
    """The columns that a query selects first, without what stands in brackets; ``["*"]`` where they are not found."""
    columns = _COLUMNS.search(query)
    listed, before = columns[1] if columns else "*", ""
    while listed != before:
        listed, before = re.sub(r"\([^()]*\)", "", listed), listed
    return [one.strip() for one in listed.split(",")]


def takes_nothing(query: str) -> bool:
    """Whether a query selects numbers alone, and nothing of its table: the price that it should look up is its own."""
    columns = _COLUMNS.search(query)
    return columns is not None and _ONLY_NUMBERS.fullmatch(columns[1]) is not None


def echoes(query: str) -> bool:
    """Whether a query selects nothing but columns that its own conditions fix: the shop in Zadar is in Zadar."""
    columns, where = _COLUMNS.search(query), _ONLY_AND.search(query)
    if columns is None or where is None or _BEYOND.search(query):
        return False
    fixed = {name.casefold() for name in _FIXED.findall(where[1])}
    names = (_NO_COLUMN.sub("", listed).strip(' "').casefold() for listed in columns[1].split(","))
    return all(name in fixed for name in names)


def with_query(step: Step, query: str) -> Step:
    """The step with another query in the place of its own."""
    action = step.action
    if not isinstance(action, ToolCall) or query == query_of(step):
        return step
    arguments: JsonObject = {**(action.arguments or {}), "query": query}
    return step.changed(action=action.changed(arguments=arguments))


def without_hundred(plan: Plan, question: str) -> Plan:
    """The plan without queries that multiply by 100, unless the question asks for a share or in a smaller unit.

    "Rounded to cents" says how many places an amount has, not that it is counted in cents; no calculation of the answer
    does so then either, nor rounds to whole ones.
    """
    if _TO_CENTS.search(question) and not _IN_CENTS.search(question):
        plan = plan.changed(steps=tuple(_in_whole(step) if step.id in plan.answer else step for step in plan.steps))
    if _HUNDREDTHS.search(question):
        return plan
    return plan.changed(steps=tuple(with_query(step, _TIMES_100.sub("", query_of(step))) for step in plan.steps))


def _in_whole(step: Step) -> Step:
    """The step without the last factor of 100 of what it calculates, rounded to two places where it rounds to none."""
    action = step.action
    said = str((action.arguments or {}).get("expression", "")) if isinstance(action, ToolCall) else ""
    if not isinstance(action, ToolCall):
        return step
    if found := _LAST_100.fullmatch(said):
        said = found[1]
    meant = _TO_WHOLE.sub(r"round(\1, 2)", said)
    return step if meant == said and not found else step.changed(action=action.changed(arguments={"expression": meant}))


def asks_one(question: str) -> bool:
    """Whether a question asks for one number, not for several, nor for who or which these are of as well."""
    return bool(_QUANTITY.search(question)) and not (_LISTED.search(question) or _WHO_AND_HOW.match(question))


def invented(plan: Plan, said: str) -> str:
    """What is wrong with a query that calculates with a number that nobody named; "" if none does."""
    shares = (Fraction(share.replace(",", ".")) / 100 for share in _SHARE.findall(said))
    known = {Fraction(number) for number in _FIGURE.findall(said.replace(",", ""))} | _USUAL
    known |= {one for share in shares for one in (share, 1 - share, 1 + share)}
    for arguments in queried(plan):
        query = str(arguments.get("query"))
        for number in _FACTOR.findall(_TEXT.sub("", query)):
            if Fraction(number) not in known:
                return f"{number} stands neither in the question nor in the sentences"
    return ""


def borrowed(plan: Plan, said: str, stated: str) -> str:
    """What a query takes from a text, "" where it takes nothing: a number of a rule that nobody said.

    Such a plan reads the rule, the table and the question together, and is wrong more often than one that does not.
    """
    there = stated_numbers(stated) - {Fraction(number) for number in _FIGURE.findall(said.replace(",", ""))}
    for arguments in queried(plan):
        for number in sorted(amounts(str(arguments.get("query"))) & there):
            return f"a query takes {float(number):g} from a text"
    return ""


def queried(plan: Plan) -> list[JsonObject]:
    """The arguments of the plan's queries that hang on no earlier step."""
    calls = [step.action for step in plan.steps if isinstance(step.action, ToolCall) and not step.dependencies]
    return [call.arguments for call in calls if call.tool == SQL and call.arguments is not None]


def asks_who_and_total(question: str) -> bool:
    """Whether a question asks who or which there are, and how much it is with all of them."""
    return _WHO_AND_HOW.match(question) is not None and _IN_ALL.search(question) is not None


def with_total(plan: Plan, found: JsonValue) -> Plan:
    """The plan of one query that gives rows of a name and a number, as one of the names and the sum; else as it is."""
    number, rows = only_number(found), found if isinstance(found, list) else []
    names = {name for row in rows if isinstance(row, dict) for name in row} - {number}
    if not number or len(names) != 1 or len(plan.steps) != 1:
        return plan
    step, query = plan.steps[0], query_of(plan.steps[0])
    who = with_query(step, f"SELECT DISTINCT {quoted(names.pop())} FROM ({query})")
    total = with_query(step, f"SELECT SUM({quoted(number)}) FROM ({query})")
    total = total.changed(id=f"{step.id}b", provides=(f"{step.id}b",))
    return plan.changed(steps=(who, total), answer=(who.id, total.id)).numbered()


def is_several(result: JsonValue) -> bool:
    """Whether what a query gives is several numbers."""
    return isinstance(result, list) and len(result) > 1 and all(isinstance(one, int | float) for one in result)


def only_number(result: JsonValue) -> str:
    """The column that has the only number of each of several rows; "" where there is none such."""
    rows = result if isinstance(result, list) and len(result) >= _SEVERAL else []
    columns = {name for row in map(_numbers_of, rows) for name in row} if all(map(_numbers_of, rows)) else set()
    return columns.pop() if len(columns) == 1 else ""


def _numbers_of(row: JsonValue) -> list[str]:
    """The columns of a row that have a number."""
    return [name for name, value in row.items() if _is_number(value)] if isinstance(row, dict) else []


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def summed(plan: Plan, queries: Mapping[str, str]) -> Plan:
    """The plan with the sum of what these of its queries give: rows were selected where one number is asked for.

    Each stands with the column that is summed, or "" if it has but one.
    """
    steps = []
    for step in plan.steps:
        query = query_of(step)
        column = queries.get(query)
        rows = f"SELECT SUM({quoted(column)}) FROM ({query})" if column else f"SELECT SUM(v) FROM ({query}) AS t(v)"
        steps.append(with_query(step, rows) if column is not None else step)
    return plan.changed(steps=tuple(steps))


def distinct(plan: Plan, queries: Sequence[JsonValue]) -> Plan:
    """The plan with the only value of these of its queries, which give it for each row."""
    return _of_rows(plan, queries, "DISTINCT v")


def in_percent(plan: Plan, queries: Sequence[JsonValue]) -> Plan:
    """The plan with what these of its queries give, each value once, in percent and no longer as a share."""
    return _of_rows(plan, queries, "DISTINCT ROUND(100 * v, 6)")


def asks_percent(question: str) -> bool:
    """Whether a question says that its answer is in percent."""
    return bool(_PER_CENT.search(question))


def _of_rows(plan: Plan, queries: Sequence[JsonValue], value: str) -> Plan:
    """The plan with one value of the rows that these of its queries give."""
    steps = [
        with_query(step, f"SELECT {value} FROM ({query_of(step)}) AS t(v)") if query_of(step) in queries else step
        for step in plan.steps
    ]
    return plan.changed(steps=tuple(steps))


def lists(question: str) -> bool:
    """Whether a question asks for a value of each of several things."""
    return bool(_LISTED.search(question))
