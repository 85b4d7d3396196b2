"""Formulas are read from text and from FPCore, or refused by name; noise is written as FPCore that reads back."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.errors import ParameterError, ProgramError
from snapdp.lab.language.fpcore import BINARY32, BINARY64, CONSTANTS, Core, fpcore, number, read_cores
from snapdp.lab.language.parser import load_program, program_names, read_formula
from snapdp.lab.language.syntax import Addition, Constant, Variable
from snapdp.lab.language.text import expression_text
from snapdp.lab.semantics.error_bound import bound_error, read_ranges
from snapdp.lab.semantics.machine import Machine

PRE = ":pre (and (<= 1 x 2) (<= 1 y 2) (<= 1 program 2))"


def core_of(text: str) -> Core:
    (found,) = read_cores(text)
    if isinstance(found, ProgramError):
        raise found
    return found


# Text


@pytest.mark.parametrize(
    ("infix", "prefix"),
    [
        ("x + y * 2", "(+ x (* y 2))"),
        ("(x - y) / 0.1", "(/ (- x y) 0.1)"),
        ("-x - -3", "(- (- x) -3)"),
        ("ln(x) + log(y)", "(+ (log x) (log y))"),
        ("fma(x, y, 1/3)", "(fma x y (/ 1 3))"),
        ("sqrt(exp(x))", "(sqrt (exp x))"),
        ("2**10 * x - .5 + 2.", "(+ (- (* 1024 x) 0.5) 2)"),
        (f"{'(' * 300}x{')' * 300} + program", "(+ x program)"),
        ("(x*x + 1) / (x*x)", "(let ([s (* x x)]) (/ (+ s 1) s))"),
        ("(x + 1) * (x + 1) + y", "(let* ([a (+ x 1)] [b (* a a)]) (+ b y))"),
        ("(x + y) * (y + x)", "(let ([x y] [y x]) (* (+ y x) (+ x y)))"),  # a let binds all its names at once
    ],
)
def test_text_and_fpcore_give_the_same_formula(infix, prefix):
    assert read_formula(infix) == core_of(f"(FPCore (x y program) {PRE} {prefix})").formula


@pytest.mark.parametrize(
    "text",
    [
        *("x +", "x ** 2", "sin(x)", "x if y else 1", "x < y", "[x]", "x.real", "f(x)(y)", "1_000", "0x10", "1j"),
        *(
            "'x'",
            "ln(x, y)",
            "ln(x=1)",
            "2 ** x",
            "2 ** 99999",
            "0 ** -1",
            "2 ** 0.5",
            "2 ** 2 ** 2",
            "",
            "(" * 300 + "x",
        ),
        *("-" * 200 + "x", "+".join("x" * 6000), "x // y", "~x", "lambda: x", "1e99999", "x\x00"),
    ],
)
def test_text_that_is_no_formula_is_refused(text):
    with pytest.raises((ProgramError, ParameterError)):
        read_formula(text)


def test_ranges_are_exact_or_a_hair_wider():
    box = read_ranges(["U=exp(-40),0.999", "f = -1/3, 2**4"])
    assert box["f"] == (Fraction(-1, 3), Fraction(16))
    assert box["U"][1] == Fraction("0.999")
    from flint import arb

    hair = arb(-40).exp() - arb(box["U"][0].numerator) / arb(box["U"][0].denominator)
    assert 0 <= hair < 1e-50


@pytest.mark.parametrize("text", ["U", "U=1", "U=1,2,3", "U=2,1", "1=1,2", "U=x,2", "U=1,ln(y)", "U=,1"])
def test_ranges_that_are_none_are_refused(text):
    with pytest.raises(ProgramError):
        read_ranges([text])
    with pytest.raises(ProgramError, match="twice"):
        read_ranges(["x=1,2", "x=1,2"])


# FPCore


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1", 1), ("-0.5", Fraction(-1, 2)), ("+2.5e-3", Fraction(1, 400)), (".5", Fraction(1, 2)), ("5.", 5)),
        *(("3/4", Fraction(3, 4)), ("-0x1.8p1", -3), ("0xA", 10), ("0x.8", Fraction(1, 2))),
        *(("x", None), ("1/0", None), ("0x", None), ("1e", None), ("1e99999", None), ("0x1p99999", None), ("-", None)),
    ],
)
def test_numbers_of_fpcore(text, value):
    assert number(text) == value


def test_precision_name_and_box_are_read():
    core = core_of('(FPCore named (x) :name "N" :cite (a b) :precision binary32 :pre (and (< 0.1 x) (>= 3 x 1)) x)')
    assert (core.name, core.floats, core.box) == ("N", BINARY32, (("x", Fraction(1), Fraction(3)),))
    assert core_of("(FPCore named (x) :pre (<= 0 x 1) x)").name == "named"
    assert core_of("(FPCore (x) :pre (<= 0 x 1) x)").floats == BINARY64
    assert core_of("(FPCore (x) :type binary32 :pre (<= 0 x 1) x)").floats == BINARY32


def test_conditions_that_are_no_box_are_left_out_and_counted():
    core = core_of("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 5) (<= (+ x y) 2) (< x y)) (+ x y))")
    assert core.left_out == 2
    assert core.box == (("x", Fraction(0), Fraction(1)), ("y", Fraction(0), Fraction(5)))
    assert core_of("(FPCore (x y) :pre (<= 0 x 1 y 3) (* x y))").box[1] == ("y", Fraction(1), Fraction(3))


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_of_fpcore_are_rounded_once(name):
    import mpmath

    with mpmath.workprec(400):
        pi, two = mpmath.pi, mpmath.mpf(2)
        real = {
            "E": mpmath.e + 0,
            "LOG2E": 1 / mpmath.log(2),
            "LOG10E": 1 / mpmath.log(10),
            "LN2": mpmath.log(2),
            "LN10": mpmath.log(10),
            "PI": pi + 0,
            "PI_2": pi / 2,
            "PI_4": pi / 4,
            "M_1_PI": 1 / pi,
            "M_2_PI": 2 / pi,
            "M_2_SQRTPI": 2 / mpmath.sqrt(pi),
            "SQRT2": mpmath.sqrt(2),
            "SQRT1_2": 1 / mpmath.sqrt(two),
        }[name]
        error = abs(float(real) - real)
        found = bound_error(core_of(f"(FPCore () {name})").formula, {}, BINARY64).absolute
        assert abs(mpmath.mpf(found.numerator) / found.denominator / error - 1) < 1e-9


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("(if (< x y) x y)", "'if' is not supported"),
        ("(while (< x 1) ([x x (+ x 1)]) x)", "'while' is not supported"),
        ("(sin x)", "'sin' is not supported"),
        ("(pow x 2)", "'pow' is not supported"),
        ("(! :precision binary32 x)", "'!' is not supported"),
        ("(+ x y 1)", r"\+ with 3 arguments is not supported"),
        ("(+ x z)", "'z' is no input, number or constant"),
        ("(let ([a]) x)", "a binding is"),
        ("(let x y)", "a let is"),
        ("()", "this is no expression"),
        ("INFINITY", "'INFINITY' is no input"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_and_line(body, said):
    with pytest.raises(ProgramError, match=f"line 2: {said}"):
        core_of(f"(FPCore (x y) {PRE}\n {body})")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(FPCore (x) x)", "input x has no lower and upper bound"),
        ("(FPCore (x) :pre (<= 1 x) x)", "input x has no lower and upper bound"),
        ("(FPCore (x) :pre (or (<= 1 x 2) (<= 3 x 4)) x)", "input x has no lower and upper bound"),
        ("(FPCore (x) :pre (<= 2 x 1) x)", "input x has no value"),
        ("(FPCore (x) :precision binary16 :pre (<= 1 x 2) x)", "precision binary16 is not supported"),
        ("(FPCore (x) :precision (float 5 16) :pre (<= 1 x 2) x)", "precision an expression is not supported"),
        ("(FPCore (x) :round toZero :pre (<= 1 x 2) x)", "only rounding to nearestEven"),
        ("(FPCore ((! :precision binary32 x)) x)", "an input with properties"),
        ("(FPCore (x) :pre (<= 1 x 2))", "input x has no|one expression"),
        ("(FPCore x)", "a core needs a list of inputs"),
    ],
)
def test_cores_outside_the_subset_are_refused(text, said):
    with pytest.raises(ProgramError, match=said):
        core_of(text)


@pytest.mark.parametrize(
    "text", ["", "x", "(x)", "(FPCore (x) x", ")", "(FPCore (x] x)", '(FPCore (x) :name "x)', "(" * 999]
)
def test_text_that_is_no_fpcore_is_refused(text):
    with pytest.raises(ProgramError):
        list(read_cores(text))


def test_a_refused_core_does_not_hide_the_others():
    first, second = read_cores("(FPCore (x) (sin x)) ; a comment\n(FPCore (x) :pre (<= 1 x 2) x)")
    assert isinstance(first, ProgramError)
    assert isinstance(second, Core)


def test_a_formula_that_grows_without_end_is_refused():
    formula = Variable(name="x")
    for value in range(1000):
        formula = Addition(left=formula, right=Constant(value=Fraction(value)))
    with pytest.raises(ParameterError, match="more than 2000"):
        bound_error(formula, {"x": (Fraction(1), Fraction(2))}, BINARY64)


# The noise of programs


@pytest.mark.parametrize("name", program_names())
def test_the_noise_of_a_program_reads_back(name):
    program = load_program(name)
    if name == "naive_primitive":
        with pytest.raises(ProgramError, match="has no noise"):
            fpcore(program, Machine())
        return
    core = core_of(fpcore(program, Machine(umin=-64)))
    assert core.box == (("U", Fraction(1, 2**64), 1 - Fraction(1, 2**53)),)
    assert core.floats == BINARY64
    expected = {"snap_tenth": "ln(U) / 0.1", "snap_mul": "1 / 0.3 * ln(U)"}.get(name)
    assert expected is None or expression_text(core.formula) == expected


def test_the_noise_of_other_precisions():
    assert core_of(fpcore(load_program("snap_tenth"), Machine(p=24))).floats == BINARY32
    with pytest.raises(ProgramError, match="no name for floats of 11 bits"):
        fpcore(load_program("snap_tenth"), Machine(p=11))
