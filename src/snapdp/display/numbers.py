"""Numbers as text: exactly, or with few digits and rounded to the side that the name says.

Who reads a bound must not read a better one: a figure is the number itself, or lies on its safe side.
Accuracies and what they are made of are shown by `four_digits_up` wherever they are shown; a number that promises
nothing, such as a noise scale, by `four_digits`. docs/guide/planning.md tells readers so.

    exact_amount      0.3  1/3  1e-9       the number: a decimal of at most six places, or digits, else a fraction
    exact_operand     0.3  (1/3)  (-0.5)   the number as it stands in an expression, in brackets where it needs them
    exact_float       2^-52  2.5  1/3      the number as a machine holds it
    decimal_up        0.3334  -0.3333      so many places after the point, up; decimal_down: down; decimal_nearest
    four_digits_up    0.3334  12346  7     at least four significant digits, up, but for an excess of a billionth
    four_digits       0.3333  12345  7     the same, to nearest
    scientific_up     3.334e-01            so many significant digits, away from zero
    six_digits        0.333333  1e9        six significant digits or as many as an interval calls for; to any side
    two_digits        0.34  -3.3e-13       two significant digits; to any side
    noise_digits      43.72  94270         to the second digit of the half width of an interval; to any side
    figure            0.667  0.00556       three places or three significant digits, whichever are more; to any side
    short_decimal     1000.0004883         the number, which has few digits
    plain_decimal     0.05  0.33333333333333334   for spreadsheets: exactly, or 17 significant digits, up
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from snapdp.exact.dyadic import exponent_of_power, floor_log10, power_of_ten
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.numbers import to_float_nearest

SHORT_PLACES = 6  # of an amount: one that needs more is shown as a fraction
PLAIN_PLACES = 60  # of an operand: a tiny power of two has hundreds of decimals, and an exponent keeps them few
NEAR_POWER = 10  # 2**-10 to 2**10 are shown in decimals
FEWEST_DIGITS = 6  # of a shown double
MOST_PLACES = 17  # of a shown double before the point: longer ones are shown with an exponent
LEAST_PLACE = 9  # after the point: numbers that need more are shown with an exponent
HAIR = Fraction(1, 10**9)  # relative: an excess that a figure for people leaves out; accuracies are known no better
LARGEST_FIGURE, SMALLEST_FIGURE = 6, -4  # powers of ten that a figure writes without an exponent
SURELY_DOUBLES = 300  # powers of ten
PLENTY = 2000  # digits of a double, and of a whole number that records may hold, at any place of another


def exact_amount(x: Fraction) -> str:
    """Return an amount exactly: as a short decimal where it is one, with an exponent if it is tiny, else as a fraction.

    >>> exact_amount(Fraction(3, 10)), exact_amount(Fraction(-1, 2)), exact_amount(Fraction(1, 3))
    ('0.3', '-0.5', '1/3')
    >>> exact_amount(Fraction(1, 10**9)), exact_amount(Fraction(1213, 1250 * 10**9)), exact_amount(Fraction(1, 2**40))
    ('1e-9', '9.704e-10', '1/1099511627776')
    """
    places = decimal_places(x)
    if places is None:
        return str(x)
    if places <= SHORT_PLACES:
        return _pointed(x.numerator, x.denominator, places)
    digits = abs(x.numerator) * 10**places // x.denominator  # all of them, as a whole number
    is_tiny = abs(x) < Fraction(1, 10**SHORT_PLACES) and digits < 10**SHORT_PLACES
    return _scientific(Decimal(digits if x > 0 else -digits).scaleb(-places)) if is_tiny else str(x)


def exact_operand(x: Fraction) -> str:
    """Return a number exactly as it stands in an expression; a quotient, and a negative number, in brackets.

    >>> exact_operand(Fraction(1, 10)), exact_operand(Fraction(-1, 10)), exact_operand(Fraction(1, 3))
    ('0.1', '(-0.1)', '(1/3)')
    """
    places = decimal_places(x)
    if places is None:
        return f"({x.numerator}/{x.denominator})"
    if places > PLAIN_PLACES:
        return f"{x.numerator * 10**places // x.denominator}e-{places}"
    text = _pointed(x.numerator, x.denominator, places)
    return f"({text})" if x < 0 else text


def exact_float(x: Fraction) -> str:
    """Return a value of a machine: a far power of two as such, a double as its shortest text, else a fraction.

    >>> exact_float(Fraction(-1, 2**52)), exact_float(Fraction(5, 2)), exact_float(Fraction(1, 3))
    ('-2^-52', '2.5', '1/3')
    """
    exponent = exponent_of_power(abs(x)) if x else None
    if exponent is not None and abs(exponent) > NEAR_POWER:
        return f"{'-' if x < 0 else ''}2^{exponent}"
    double = float(x) if abs(x) < 2**1023 else 0.0
    return f"{double!r}".removesuffix(".0") if Fraction(double) == x else str(x)


def decimal_up(x: Fraction, places: int) -> str:
    """Return the least decimal with so many places >= x, without trailing zeros.

    >>> decimal_up(Fraction(1, 3), 4), decimal_up(Fraction(-1, 3), 4), decimal_up(Fraction(1, 2), 4)
    ('0.3334', '-0.3333', '0.5')
    """
    return _trimmed(math.ceil(x * 10**places), places)


def decimal_down(x: Fraction, places: int) -> str:
    """Return the largest decimal with so many places <= x, without trailing zeros.

    >>> decimal_down(Fraction(1, 3), 4), decimal_down(Fraction(-1, 3), 4), decimal_down(Fraction(20), 4)
    ('0.3333', '-0.3334', '20')
    """
    return _trimmed(math.floor(x * 10**places), places)


def decimal_nearest(x: Fraction, places: int) -> str:
    """Return the nearest decimal with so many places, without trailing zeros; that of -x is its mirror image.

    >>> decimal_nearest(Fraction(2, 3), 4), decimal_nearest(Fraction(-2, 3), 4), decimal_nearest(Fraction(20), 4)
    ('0.6667', '-0.6667', '20')
    """
    return _trimmed(round(x * 10**places), places)


def four_digits_up(x: Fraction) -> str:
    """Return a figure for people, rounded away from zero: four significant digits or more; whole numbers whole.

    An excess of at most a billionth of the number is left out: 1 + 2**-51 is 1.000 and not 1.001. Nothing else is ever
    shown nearer to zero than it is.

    >>> [four_digits_up(Fraction(n, 3)) for n in (1, 1000, 100_000, 6, -1)]
    ['0.3334', '333.4', '33334', '2', '-0.3334']
    >>> four_digits_up(1 + Fraction(1, 2**51)), four_digits_up(1 + Fraction(1, 10**8))
    ('1.000', '1.001')
    """
    return _four_digits(x, _up_but_for_a_hair)


def four_digits(x: Fraction) -> str:
    """Return the same, rounded to nearest: for a number that has no safe side.

    >>> [four_digits(Fraction(n, 3)) for n in (1, 1000, 100_000, 6, -1)]
    ['0.3333', '333.3', '33333', '2', '-0.3333']
    """
    return _four_digits(x, round)


def digits_apart(one: Fraction, other: Fraction) -> tuple[str, str]:
    """Return two figures for people, to nearest: four significant digits, or as many as it takes to tell them apart.

    >>> digits_apart(Fraction(20), Fraction(2001, 100)), digits_apart(Fraction(20), 20 - Fraction(1, 10**6))
    (('20', '20.01'), ('20', '19.999999'))
    >>> digits_apart(Fraction(1, 3), Fraction(1, 3))
    ('0.3333', '0.3333')
    """
    digits = 4
    while True:
        shown = _four_digits(one, round, digits), _four_digits(other, round, digits)
        if one == other or Fraction(shown[0]) != Fraction(shown[1]):
            return shown
        digits += 1


def _four_digits(x: Fraction, whole: Callable[[Fraction], int], digits: int = 4) -> str:
    if x.denominator == 1:
        return str(x)
    places = max(0, digits - 1 - floor_log10(abs(x)))
    return _pointed((1 if x > 0 else -1) * whole(abs(x) * 10**places), 10**places, places)


def _up_but_for_a_hair(x: Fraction) -> int:
    below = math.floor(x)
    return below if x - below <= HAIR * x else below + 1


def general(x: Fraction, digits: int) -> str:
    """Return so many significant digits for people, to nearest; beyond the doubles with an exponent, rounded up.

    >>> general(Fraction(1, 3), 3), general(Fraction(10) ** 400, 3)
    ('0.333', '1.00e+400')
    """
    nearest = to_float_nearest(x)
    is_double = x == 0 or 0 < abs(nearest) < math.inf
    return f"{nearest:.{digits}g}" if is_double else scientific_up(x, digits)


def scientific_up(x: Fraction, digits: int = 4) -> str:
    """Return so many significant digits and an exponent for people, rounded away from zero.

    >>> scientific_up(Fraction(1, 3)), scientific_up(Fraction(-99999, 10)), scientific_up(Fraction(0))
    ('3.334e-01', '-1.000e+04', '0')
    >>> scientific_up(Fraction(1, 3), 3), scientific_up(Fraction(1, 3), 1)
    ('3.34e-01', '4e-01')
    """
    if x == 0:
        return "0"
    exponent = floor_log10(abs(x))
    scaled = math.ceil(abs(x) / power_of_ten(exponent - digits + 1))
    if scaled == 10**digits:  # rounding up made another digit
        exponent, scaled = exponent + 1, scaled // 10
    return f"{'-' if x < 0 else ''}{_pointed(scaled, 10 ** (digits - 1), digits - 1)}e{exponent:+03d}"


def six_digits(x: float, rounding: str = ROUND_HALF_EVEN, half_width: Decimal | None = None) -> str:
    """Return a double for people: whole numbers whole, others with six digits, or more where its interval is narrow.

    What is shown differs from the number by at most a hundredth of the half width of its interval.

    rounding   to which side: of the standard library's decimal, ROUND_FLOOR and ROUND_CEILING for ends of intervals

    >>> from decimal import ROUND_CEILING, ROUND_FLOOR
    >>> six_digits(0.1 + 0.2), six_digits(1.0000001, ROUND_CEILING), six_digits(-2.5e-7, ROUND_FLOOR)
    ('0.3', '1.00001', '-2.5e-7')
    >>> six_digits(1000000047.3125), six_digits(1000000047.3125, half_width=Decimal(3))
    ('1e9', '1000000047.31')
    """
    if isinstance(x, int):
        return str(x)
    exact = Decimal(repr(x))
    digits = FEWEST_DIGITS
    if half_width is not None:
        finest = (half_width / 100).adjusted() if half_width > 0 else int(exact.as_tuple().exponent)
        digits = max(digits, exact.adjusted() - finest + 1)
    short = Context(prec=digits, rounding=rounding).create_decimal(exact).normalize()
    plain = -5 < short.adjusted() < min(digits, MOST_PLACES) or not short
    return f"{short:f}" if plain else _scientific(short)


def two_digits(x: Fraction, rounding: str) -> str:
    """Return two significant digits of a number, rounded to the side that is told.

    >>> from decimal import ROUND_CEILING, ROUND_FLOOR
    >>> two_digits(Fraction(-1, 3), ROUND_FLOOR), two_digits(Fraction(1, 3), ROUND_FLOOR)
    ('-0.34', '0.33')
    >>> two_digits(Fraction(1, 3 * 10**12), ROUND_CEILING), two_digits(Fraction(1995), ROUND_CEILING)
    ('3.4e-13', '2000')
    """
    short = Context(prec=2, rounding=rounding).divide(Decimal(x.numerator), Decimal(x.denominator)).normalize()
    return f"{short:f}" if -5 < short.adjusted() < FEWEST_DIGITS or not short else _scientific(short)


def noise_digits(x: float, *, half_width: Decimal, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a number for people with the digits that noise leaves meaningful: to the second one of the half width.

    What is shown differs from the number by at most a twentieth of the half width, if rounded to nearest. Whole numbers
    stay whole; where the half width is 0 all digits are shown.

    >>> noise_digits(43.6981, half_width=Decimal("0.683")), noise_digits(94265.31, half_width=Decimal("107.3"))
    ('43.70', '94270')
    >>> noise_digits(412, half_width=Decimal("0.5")), noise_digits(2.5e-12, half_width=Decimal("1e-12"))
    ('412', '2.5e-12')
    """
    exact = Decimal(repr(x))
    own = int(exact.as_tuple().exponent)
    if half_width <= 0 and own < 0:  # a whole double has no places
        own = min(0, int(exact.normalize().as_tuple().exponent))
    finest = half_width.adjusted() - 1 if half_width > 0 else own
    if isinstance(x, int):
        finest = max(finest, 0)
    elif exact.adjusted() - finest >= MOST_PLACES:  # no zeros beyond the digits of a double
        finest = max(finest, own)
    short = exact.quantize(Decimal((0, (1,), finest)), rounding=rounding, context=Context(prec=PLENTY))
    if not short:
        short = short.copy_abs()
    if finest >= -LEAST_PLACE and (isinstance(x, int) or short.adjusted() < MOST_PLACES):
        return f"{short:f}"
    return _scientific(short) if short else "0"


def plain_decimal(x: Fraction) -> str:
    """Return a decimal without exponent, for spreadsheets: exact where it has at most 60 places, else rounded up.

    >>> plain_decimal(Fraction(1, 20)), plain_decimal(Fraction(1, 3)), plain_decimal(Fraction(7))
    ('0.05', '0.33333333333333334', '7')
    """
    places = decimal_places(x)
    if places is None or places > PLAIN_PLACES:
        places = max(0, MOST_PLACES - 1 - floor_log10(abs(x)))
        return _pointed(math.ceil(x * 10**places), 10**places, places)
    return _pointed(x.numerator, x.denominator, places)


def short_decimal(x: Fraction) -> str:
    """Return a number of few digits exactly, with an exponent where it lies far from 1.

    >>> short_decimal(Fraction("1000.0004883")), short_decimal(Fraction(4337, 10**22)), short_decimal(Fraction(500))
    ('1000.0004883', '4.337e-19', '500')
    """
    exact = Context(prec=PLENTY).divide(Decimal(x.numerator), Decimal(x.denominator)).normalize()
    return f"{exact:f}" if -5 < exact.adjusted() < MOST_PLACES or not exact else _scientific(exact)


def _scientific(x: Decimal) -> str:
    return f"{x:E}".replace("E", "e").replace("e+", "e")


def decimal_places(x: Fraction) -> int | None:
    """Return how many places after the point write a number exactly, or None where none do."""
    twos = (x.denominator & -x.denominator).bit_length() - 1
    fives, rest = 0, x.denominator >> twos
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    return max(twos, fives) if rest == 1 else None


def _pointed(numerator: int, denominator: int, places: int) -> str:
    """Return a fraction that so many places write exactly, with all of them."""
    whole, rest = divmod(abs(numerator) * 10**places // denominator, 10**places)
    return f"{'-' if numerator < 0 else ''}{whole}" + (f".{rest:0{places}d}" if places else "")


def _trimmed(scaled: int, places: int) -> str:
    text = _pointed(scaled, 10**places, places)
    return text.rstrip("0").rstrip(".") if places else text


def figure(x: Fraction | Enclosure) -> str:
    """Return a number for people: three places or three significant digits, whichever are more; to any side.

    Four digits where they are all it has, as an epsilon that was searched for.

    >>> figure(Fraction(2, 3)), figure(Fraction(1, 180)), figure(Fraction(7)), figure(Fraction(1, 10**20))
    ('0.667', '0.00556', '7', '1.00e-20')
    >>> figure(Fraction("0.5001")), figure(Fraction("0.50004"))
    ('0.5001', '0.5')
    """
    middle = (x.lower + x.upper) / 2 if isinstance(x, Enclosure) else x
    if middle == 0:
        return "0"
    size = floor_log10(abs(middle))
    if abs(size) > SURELY_DOUBLES:
        return scientific_up(middle, 3)
    if not SMALLEST_FIGURE <= size <= LARGEST_FIGURE:
        return f"{float(middle):.2e}"
    places = 3 - size if round(middle, 3 - size) == middle else 2 - size
    text = f"{float(middle):.{max(3, places)}f}"
    return text.rstrip("0").rstrip(".")
