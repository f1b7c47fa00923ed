"""The calculator's functions and its arithmetic: exact over fractions, bounded in size, typed in failure."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable, Sequence
from fractions import Fraction

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.proof.numbers import MAX_DIGITS, Number

__all__ = [
    "CONSTANTS",
    "FUNCTIONS",
    "add",
    "call",
    "checked",
    "divide",
    "floor",
    "floor_divide",
    "is_close",
    "modulo",
    "multiply",
    "power",
    "square_root",
    "too_large",
]

_MAX_BITS = int(MAX_DIGITS * 3.33)
_MAX_FACTORIAL = 1_000

CONSTANTS: dict[str, Number] = {"pi": math.pi, "e": math.e, "tau": math.tau}


def too_large() -> ToolFailed:
    """Return the error for a number beyond the bounds."""
    return ToolFailed(f"too large: the calculator keeps numbers of up to {MAX_DIGITS:,} digits")


def checked(value: Number) -> Number:
    """Return the value if it is within the bounds, and raise ``ToolFailed`` otherwise."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise too_large()
        return value
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
        raise too_large()
    return value


def _pair(a: Number, b: Number) -> tuple[float, float] | None:
    """Return both as floats if either is one already."""
    return (_float(a), _float(b)) if isinstance(a, float) or isinstance(b, float) else None


def _float(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        raise too_large() from None


def is_close(a: Number, b: Number) -> bool:
    """Return whether two numbers are equal; approximations need only agree to 12 digits."""
    floats = _pair(a, b)
    return math.isclose(*floats, rel_tol=1e-12, abs_tol=1e-12) if floats else a == b


def add(a: Number, b: Number) -> Number:
    """Return the sum."""
    floats = _pair(a, b)
    return checked(floats[0] + floats[1] if floats else Fraction(a) + Fraction(b))


def multiply(a: Number, b: Number) -> Number:
    """Return the product."""
    floats = _pair(a, b)
    return checked(floats[0] * floats[1] if floats else Fraction(a) * Fraction(b))


def divide(a: Number, b: Number) -> Number:
    """Return the quotient."""
    _not_zero(b)
    floats = _pair(a, b)
    return checked(floats[0] / floats[1] if floats else Fraction(a) / Fraction(b))


def floor_divide(a: Number, b: Number) -> Number:
    """Return the quotient rounded down."""
    return floor(divide(a, b))


def modulo(a: Number, b: Number) -> Number:
    """Return the rest of the division rounded down; it has the sign of ``b``."""
    _not_zero(b)
    floats = _pair(a, b)
    return checked(floats[0] % floats[1] if floats else Fraction(a) % Fraction(b))


def _not_zero(value: Number) -> None:
    if value == 0:
        raise ToolFailed("division by zero")


def power(base: Number, exponent: Number) -> Number:
    """Return the power: exact for a whole exponent, and for 1/2 where the root is exact."""
    if isinstance(base, float) or isinstance(exponent, float) or exponent.denominator != 1:
        return square_root(base) if exponent == Fraction(1, 2) else _approximate_power(base, exponent)
    return _whole_power(base, exponent.numerator)


def _whole_power(base: Fraction, exponent: int) -> Number:
    if base == 0 and exponent < 0:
        raise ToolFailed("division by zero")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) not in (0, 1) and (size - 1) * abs(exponent) > _MAX_BITS:
        raise too_large()
    return checked(Fraction(base**exponent))


def _approximate_power(base: Number, exponent: Number) -> Number:
    if base < 0 and _float(exponent) % 1 != 0:
        raise ToolFailed("a negative number has no real power with a fractional exponent")
    if base == 0 and exponent < 0:
        raise ToolFailed("division by zero")
    return _real(math.pow, base, exponent)


def _real(function: Callable[..., float], *values: Number) -> Number:
    """Return a function of floats, its failures as typed ones."""
    try:
        return checked(function(*map(_float, values)))
    except OverflowError:
        raise too_large() from None
    except ValueError:
        raise ToolFailed(f"{function.__name__} is not defined for this number") from None


def square_root(value: Number) -> Number:
    """Return the square root, exact for squares of fractions."""
    if value < 0:
        raise ToolFailed("a negative number has no real square root")
    if isinstance(value, float):
        return math.sqrt(value)
    above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if above * above == value.numerator and below * below == value.denominator:
        return Fraction(above, below)
    return _real(math.sqrt, value)


def floor(value: Number) -> Number:
    """Return the whole number at or below."""
    return Fraction(math.floor(value))


def _ceil(value: Number) -> Number:
    return Fraction(math.ceil(value))


def _round(value: Number, places: Number = Fraction(0)) -> Number:
    """Return the value to some decimal places; halves go away from zero, as taught in school."""
    count = _whole(places, "the places of round")
    if abs(count) > MAX_DIGITS // 4:
        raise too_large()
    exact = Fraction(repr(value)) if isinstance(value, float) else value
    scale = Fraction(10) ** count
    rounded = math.floor(abs(exact) * scale + Fraction(1, 2)) / scale
    return checked(Fraction(rounded if exact >= 0 else -rounded))


def _whole(value: Number, what: str) -> int:
    if value != math.floor(value):
        raise ToolFailed(f"{what} must be whole numbers")
    return math.floor(value)


def _wholes(values: Sequence[Number], name: str) -> list[int]:
    return [_whole(value, f"the arguments of {name}") for value in values]


def _sum(*values: Number) -> Number:
    total: Number = Fraction(0)
    for value in values:
        total = add(total, value)
    return total


def _mean(*values: Number) -> Number:
    return divide(_sum(*values), Fraction(len(values)))


def _median(*values: Number) -> Number:
    low, high = statistics.median_low(values), statistics.median_high(values)
    return divide(add(low, high), Fraction(2))


def _gcd(*values: Number) -> Number:
    return Fraction(math.gcd(*_wholes(values, "gcd")))


def _lcm(*values: Number) -> Number:
    multiple = 1
    for value in _wholes(values, "lcm"):
        multiple = math.lcm(multiple, value)
        checked(Fraction(multiple))
    return Fraction(multiple)


def _factorial(value: Number) -> Number:
    (number,) = _wholes([value], "factorial")
    if not 0 <= number <= _MAX_FACTORIAL:
        raise ToolFailed(f"factorial takes whole numbers from 0 to {_MAX_FACTORIAL:,}")
    return Fraction(math.factorial(number))


def _choose(name: str, function: Callable[[int, int], int], n: Number, k: Number) -> Number:
    total, chosen = _wholes([n, k], name)
    if total < 0 or chosen < 0:
        raise ToolFailed(f"{name} takes whole numbers from 0 up")
    steps = min(chosen, total - chosen) if name == "comb" else chosen
    if chosen <= total and steps * total.bit_length() > 4 * _MAX_BITS:
        raise too_large()
    return checked(Fraction(function(total, chosen)))


def _log(value: Number, base: Number | None = None) -> Number:
    if base is None:
        return _real(math.log, value)
    return divide(_real(math.log, value), _real(math.log, base))


def _abs(value: Number) -> Number:
    return -value if value < 0 else value


def _max(*values: Number) -> Number:
    return sorted(values)[-1]


def _min(*values: Number) -> Number:
    return sorted(values)[0]


_MANY = 10**9

# name: (function, fewest arguments, most arguments)
FUNCTIONS: dict[str, tuple[Callable[..., Number], int, int]] = {
    "abs": (_abs, 1, 1),
    "min": (_min, 1, _MANY),
    "max": (_max, 1, _MANY),
    "sum": (_sum, 1, _MANY),
    "mean": (_mean, 1, _MANY),
    "average": (_mean, 1, _MANY),
    "median": (_median, 1, _MANY),
    "round": (_round, 1, 2),
    "floor": (floor, 1, 1),
    "ceil": (_ceil, 1, 1),
    "sqrt": (square_root, 1, 1),
    "pow": (power, 2, 2),
    "gcd": (_gcd, 1, _MANY),
    "lcm": (_lcm, 1, _MANY),
    "factorial": (_factorial, 1, 1),
    "comb": (functools.partial(_choose, "comb", math.comb), 2, 2),
    "perm": (functools.partial(_choose, "perm", math.perm), 2, 2),
    "ln": (functools.partial(_real, math.log), 1, 1),
    "log": (_log, 1, 2),
    "log10": (functools.partial(_real, math.log10), 1, 1),
    "log2": (functools.partial(_real, math.log2), 1, 1),
    "exp": (functools.partial(_real, math.exp), 1, 1),
    "sin": (functools.partial(_real, math.sin), 1, 1),
    "cos": (functools.partial(_real, math.cos), 1, 1),
    "tan": (functools.partial(_real, math.tan), 1, 1),
}


def call(name: str, values: Sequence[Number]) -> Number:
    """Return a function's value for its arguments, whose number is checked."""
    function, fewest, most = FUNCTIONS[name]
    if not fewest <= len(values) <= most:
        count = str(fewest) if fewest == most else f"at least {fewest}" if most == _MANY else f"{fewest} or {most}"
        raise ToolArgumentError(f"{name} takes {count} argument(s), not {len(values)}")
    return checked(function(*values))
