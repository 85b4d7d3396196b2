"""Private values that no float is, on machines whose sums do not round: the runs are those of the definition."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.errors import PremiseError
from snapdp.lab.language.parser import parse
from snapdp.lab.loss.exact_loss import ProgramLaw
from snapdp.lab.loss.pointwise import output_draws
from snapdp.lab.loss.verdict import case_constants, verify
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import as_mpfr, as_number, run_float
from snapdp.lab.semantics.machine import Machine, fraction_of

FRAME = "program r {{ query f in [-8, 8] sensitivity 1; U <-$ unif; S <-$ {{-1,1}}; z = {}; return z; }}"
SNAP = "clamp[8](round[2](f(D) + S * ln(U) * 2))"
BODIES = [
    SNAP,
    "f(D) + S * ln(U) * 2",
    "3 * f(D) + f(D) / 7 - 5 / f(D) + S * ln(U)",
    "clamp[-1/3, 5](rint(-f(D) - (S * ln(U) + f(D) * 7)))",
    "round[1/10](f(D) + ln(f(D) + 9) + S * ln(U))",
    "floor(f(D) / 3 + S * ln(U)) + abs(f(D)) + sign(f(D))",
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("f", [Fraction(5, 3), Fraction(42, 11), Fraction(-8, 7)])
def test_a_run_at_a_rational_is_that_of_the_definition(body, f):
    machine = Machine(p=5, sum="exact")
    program = parse(FRAME.format(body))
    execution = Execution(program, machine)
    for sign in (1, -1):
        run = execution.function(f, sign)
        for ordinal in range(execution.draw.last - 80, execution.draw.last + 1):
            point = {"f": f, "S": Fraction(sign), "U": execution.draw.value(ordinal)}
            assert fraction_of(run(execution.draw.number(ordinal))) == run_float(program, point, machine)["z"]


def test_the_draws_of_an_output_are_those_of_the_value_that_was_asked_for():
    """The private value was rounded to 5 bits, and the ends were 7/32 and 9/16."""
    found = output_draws(parse(FRAME.format(SNAP)), Machine(p=5, sum="exact"), f="42/11", output=6)
    assert (found.signs[1].first, found.signs[1].last) == (Fraction(27, 128), Fraction(17, 32))


def test_the_exact_loss_of_a_case_is_that_of_the_pair_that_was_asked_for():
    """With values of 10 bits instead it was 0.49867."""
    verdict = verify(parse(FRAME.format(SNAP)), Machine(p=10, sum="exact"), claim="tight")
    rows = case_constants(verdict, [(Fraction(5, 3), Fraction(8, 3))])
    assert f"{float(next(row for row in rows if row.case == 'x below [f(a)], x = 0').exact):.5f}" == "0.50045"


def test_infinities_meet_rationals_by_their_sign():
    """The first draw of the row stands for the limit, where ln U is infinite."""
    for body, limit in (("f(D) + ln(U)", "-inf"), ("-ln(U) - f(D)", "inf"), (SNAP, "-8.0")):
        execution = Execution(parse(FRAME.format(body)), Machine(p=5, sum="exact"))
        assert str(float(execution.output(Fraction(5, 3), 1, execution.draw.first))) == limit


def test_where_there_is_no_value_for_some_draw_there_is_none_at_a_rational_either():
    law = Execution(parse(FRAME.format("ln(f(D)) + ln(U)")), Machine(p=5, sum="exact"))
    with pytest.raises(PremiseError, match="no value"):
        ProgramLaw(law, Fraction(-5, 3))


def test_no_number_becomes_a_float_unasked():
    with pytest.raises(ArithmeticError):
        as_mpfr(Fraction(1, 3))
    with pytest.raises(ArithmeticError):  # a machine that rounds its sums has floats only
        Execution(parse(FRAME.format(SNAP)), Machine(p=5)).function(Fraction(1, 3), 1)
    assert as_number(Fraction(1, 3)) == Fraction(1, 3)
    assert as_number(Fraction(3, 8)) == 0.375
