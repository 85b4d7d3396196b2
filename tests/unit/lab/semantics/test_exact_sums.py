"""A machine whose sums do not round: what it computes, what it is judged by, how it is told from one that rounds."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from snapdp.exact.dyadic import power_of_two, power_of_two_at_least, round_nearest
from snapdp.exact.functions import fraction_of_mpfr, ln_enclosure
from snapdp.lab.language.parser import load_program, parse
from snapdp.lab.loss.exact_loss import Outputs, ProgramLaw
from snapdp.lab.loss.pointwise import FORMS, pointwise
from snapdp.lab.loss.universal_bound import universal_bound
from snapdp.lab.loss.verdict import verify
from snapdp.lab.report.verdict import python_lines
from snapdp.lab.semantics.bounds import derive
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import folded, run_float
from snapdp.lab.semantics.machine import Machine, parse_machine
from snapdp.lab.semantics.reals import evaluate_real
from tests.unit.lab.second_opinion import theorem
from tests.unit.lab.snaps import judged, shape_of, snap

EXACT = Machine(sum="exact")


def test_the_sum_is_a_key_of_the_machine_and_stands_where_it_is_exact():
    assert parse_machine("p=118,sum=exact") == Machine(p=118, sum="exact")
    assert parse_machine("sum=rounded") == Machine() == parse_machine("")
    assert Machine().stated == {"p": 53, "ln_roundings": 1, "sampler": "ulp", "umin": None}
    assert EXACT.stated == {**Machine().stated, "sum": "exact"}


def test_sums_keep_every_bit_and_everything_else_has_p_bits():
    program = parse(
        """program p { query f; U <-$ unif; a = f(D) + U; b = a * 1; c = a - 0.1; d = -a; e = round[1/4](a);
                       g = clamp[-1, 1](U - f(D)); h = 1000000 + 1/1048576; return a; }"""
    )
    f, u = Fraction(1), Fraction(129, 1 << 20)
    exact, rounded = (run_float(program, {"f": f, "U": u}, Machine(p=8, sum=how)) for how in ("exact", "rounded"))
    assert exact["a"] == f + u != rounded["a"] == 1
    assert exact["b"] == round_nearest(f + u, 8) == 1
    assert exact["c"] == f + u - round_nearest(Fraction(1, 10), 8)
    assert (exact["d"], exact["e"], exact["g"]) == (-f - u, 1, u - f)
    assert exact["h"] == round_nearest(Fraction(10**6), 8) + power_of_two(-20)
    constant = parse("program p { h = 1000000 + 1/1048576; return h; }")
    assert folded(constant, Machine(p=8, sum="exact")).value == exact["h"]


def test_a_multiple_of_a_power_of_two_is_itself_however_large():
    program = parse("program p { query f; U <-$ unif; z = round[1](f(D) + U); return z; }")
    f, u = power_of_two(40), Fraction(3, 4)
    assert run_float(program, {"f": f, "U": u}, Machine(p=8, sum="exact"))["z"] == f + 1
    execution = Execution(program, Machine(p=8, sum="exact"))
    assert fraction_of_mpfr(execution.output(f, 1, execution.draw.ordinal(0.75))) == f + 1
    assert run_float(program, {"f": f, "U": u}, Machine(p=8))["z"] == f


@pytest.mark.parametrize("p", [3, 8, 53, 118])
@pytest.mark.parametrize(
    "name", ["snap_half", "snap_tenth", "snap_mul", "snap_minus", "snap_inner_clamp", "snap_lambda3", "snap_noclamp"]
)
def test_exact_execution_is_the_definition(name, p):
    program, machine = load_program(name), Machine(p=p, sum="exact")
    execution, generator = Execution(program, machine), random.Random(p)
    samples = [statement.name for statement in program.statements if not hasattr(statement, "expression")]
    for _ in range(12):
        f = round_nearest(Fraction(generator.uniform(-64, 64)) * power_of_two(generator.choice((0, -30))), p)
        sign, ordinal = generator.choice((1, -1)), execution.draw.last - generator.getrandbits(p + 3)
        draws = {name: execution.draw.value(ordinal) for name in samples} | {"S": Fraction(sign), "f": f}
        expected = run_float(program, draws, machine)[program.result]
        assert fraction_of_mpfr(execution.output(f, sign, ordinal)) == expected


@pytest.mark.parametrize("p", [3, 11, 53])
def test_what_the_machine_computes_lies_between_the_derived_bounds(p):
    program = parse(
        """program p { query f; U <-$ unif; S <-$ {-1,1}; y = f(D) + S * (0.7 * ln(U));
                       w = (y - 0.3) * (f(D) + 0.1) - y; z = clamp[4](round[1/2](w + y));
                       a = y * 1; b = f(D) * 2; c = -y / 4; d = 8 * clamp[3](w); e = 2 * ln(U); return z; }"""
    )
    machine, generator = Machine(p=p, sum="exact"), random.Random(p)
    for _ in range(60):
        u = round_nearest(Fraction(generator.random()) * power_of_two(-generator.randint(0, 40)), p)
        sign = generator.choice((1, -1))
        draws = {"U": min(u, 1 - machine.eta), "S": Fraction(sign), "f": Fraction(generator.uniform(-9, 9))}
        values = run_float(program, draws, machine)
        for line in derive(program, machine, sign=sign).lines:
            interval, value = line.step.interval, values[line.statement.name]
            assert evaluate_real(interval.lower, draws, machine).lower <= value
            assert value <= evaluate_real(interval.upper, draws, machine).upper


@pytest.mark.parametrize(("eps", "grid", "bound"), [("1/2", 2, 64), ("0.1", 16, 1000), ("0.3", 4, 200), ("7/2", 1, 3)])
@pytest.mark.parametrize("sampler", ["ulp", "nearest", "ideal"])
def test_the_bound_is_the_formula_and_below_that_of_a_rounded_sum(eps, grid, bound, sampler):
    machine = Machine(sampler=sampler, sum="exact")
    shape = shape_of(snap(eps, grid, bound), machine)
    found = universal_bound(shape, machine)
    numbers = {"epsilon": shape.noise_epsilon, "grid": grid, "bound": bound, "sensitivity": 1, "p": 53}
    formula = theorem(**numbers, roundings=shape.noise.roundings, sampler=sampler, exact_sum=True)
    assert 0 <= found.proved - formula <= power_of_two(-250)
    assert found.proved <= found.loss_upper < found.proved + Fraction(1, 10**20)
    rounded = universal_bound(shape_of(snap(eps, grid, bound), Machine(sampler=sampler)), Machine(sampler=sampler))
    assert found.proved < rounded.proved


def test_half_steps_need_not_be_floats_where_the_sum_is_exact():
    program = snap("1/2", 2, 2**9)
    for how, status in (("exact", "proved"), ("rounded", "failed")):
        shape = shape_of(program, Machine(p=8, sum=how))
        assert {p.name: p.status for p in shape.premises}["boundaries representable"] == status
    odd = snap("1/2", 2, 2**9 + 2)  # an end of the clamp is a constant of the program: it has p bits on every machine
    assert any(p.name == "boundaries representable" for p in shape_of(odd, Machine(p=8, sum="exact")).failed)


def every_pair(p: int, epsilon: str, cells: int, steps: int) -> None:
    """Compare both bounds with the exact loss of every output, for pairs that are floats and pairs that are none."""
    machine, grid = Machine(p=p, sum="exact"), power_of_two_at_least(1 / Fraction(epsilon))
    bound = cells * grid
    execution, shape = judged(snap(epsilon, grid, bound), machine)
    universal, outputs = universal_bound(shape, machine), Outputs(shape)
    every = [outputs.at(i) for i in range(outputs.first, outputs.last + 1)]
    places = (-bound + i * (2 * bound - 1) / Fraction(steps) for i in range(steps + 1))
    for f in (round_nearest(place, 40) for place in places):  # 40 bits: hardly one of them is a float of the machine
        laws = [ProgramLaw(execution, v, shape) for v in (f, f + 1)]
        masses = [[law.probability(output).lower for output in every] for law in laws]
        assert [sum(mass) for mass in masses] == [1, 1]
        for output, one, other in zip(every, *masses, strict=True):
            loss = ln_enclosure(max(one / other, other / one), 128).upper
            post, note = (pointwise(shape, machine, f=f, f_prime=f + 1, output=output, form=form) for form in FORMS)
            assert post.loss_upper == note.loss_upper  # nothing moves a boundary, in either form
            assert loss <= post.loss_upper <= universal.proved


@pytest.mark.parametrize("epsilon", ["1/2", "0.7", "1.9"])
def test_no_output_of_few_bits_loses_more_than_the_bounds(epsilon):
    every_pair(7, epsilon, 3, 12)


@pytest.mark.long
@pytest.mark.parametrize("p", [6, 7, 8, 10])
@pytest.mark.parametrize("epsilon", ["1/2", "0.7", "1.9", "3"])
@pytest.mark.parametrize("cells", [1, 2, 5])
def test_no_output_of_few_bits_loses_more_than_the_bounds_in_many_configurations(p, epsilon, cells):
    every_pair(p, epsilon, cells, 400)


def test_a_refutation_of_an_exact_sum_is_not_reproduced_in_doubles_which_round():
    program = load_program("snap_halfscale")
    broken = verify(program, EXACT, evaluations=50)
    assert broken.kind == "REFUTED"
    assert python_lines(broken) == []
    assert python_lines(verify(program, evaluations=50)) != []


def test_a_bound_rounded_to_a_decimal_does_not_miss_a_claim_that_is_met():
    program = snap("1/2", 2, 64)
    proved = universal_bound(shape_of(program, EXACT), EXACT)
    assert proved.proved < proved.loss_upper
    met = verify(program, EXACT, claim=proved.proved, evaluations=1)
    assert (met.kind, met.upper) == ("VERIFIED", proved.proved)
    missed = verify(program, EXACT, claim=proved.proved - power_of_two(-400), evaluations=1)
    assert (missed.kind, missed.upper) == ("INCONCLUSIVE", proved.loss_upper)


def test_a_product_with_a_power_of_two_rounds_where_its_operand_is_a_sum():
    text = (
        "program p { query f; U <-$ unif; y = f(D) + U; a = y * 2; b = f(D) / 4; c = ln(U) * 2; d = -y * 2; return a; }"
    )
    rules = {line.statement.name: line.step.rule for line in derive(parse(text), EXACT).lines}
    assert (rules["a"], rules["b"], rules["d"]) == ("Mul-Mix", "Div-Mix", "Mul-Mix")
    assert rules["c"] == "Mul by +-2^k, exact"
    usual = {line.statement.name: line.step.rule for line in derive(parse(text), Machine()).lines}
    assert {usual[name] for name in "acd"} == {"Mul by +-2^k, exact"}
