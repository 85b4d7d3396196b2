"""Exact execution: the float program, its draws, its cells; the masses of all outputs sum to one for each sign."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from snapdp.errors import ParameterError, PremiseError, ProgramError
from snapdp.exact.dyadic import round_nearest
from snapdp.exact.enclosure import Enclosure
from snapdp.lab.language.parser import load_program, parse
from snapdp.lab.language.syntax import Program
from snapdp.lab.loss.exact_loss import Outputs, ProgramLaw, exact_loss
from snapdp.lab.loss.verdict import verify
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import as_mpfr, folded, run_float
from snapdp.lab.semantics.machine import Machine, Multiples, PositiveFloats, RoundedLogarithm, uniform_draw
from tests.unit.lab.snaps import judged, shape_of, snap

MACHINES = [
    Machine(),
    Machine(sampler="nearest"),
    Machine(sampler="grid53"),
    Machine(umin=-1074),
    Machine(p=9),
    Machine(p=24, sampler="nearest", umin=-149),
    Machine(p=200),
]


@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("f", [Fraction(0), Fraction(-8), Fraction(5, 4)])
def test_masses_of_all_outputs_sum_to_one_for_each_sign(machine, f):
    execution, shape = judged(snap("1/3", 4, 8), machine)
    outputs, law = Outputs(shape), ProgramLaw(execution, f, shape)
    for sign in execution.signs:
        cells = [law.preimage(sign, outputs.at(i)) for i in range(outputs.first, outputs.last + 1)]
        masses = [execution.draw.below(c.stop) - execution.draw.below(c.start) for c in cells]
        assert sum(m.lower for m in masses) == 1
        assert all(m.is_exact for m in masses)


def test_masses_of_a_real_draw_sum_to_one_within_their_enclosures():
    execution, shape = judged(snap("1/3", 4, 8), Machine(sampler="ideal"))
    outputs, law = Outputs(shape), ProgramLaw(execution, Fraction(1), shape)
    total = Enclosure(Fraction(0), Fraction(0))
    for i in range(outputs.first, outputs.last + 1):
        total += law.probability(outputs.at(i))
    assert Fraction(1) in total
    assert 0 < total.width < Fraction(1, 2**250)


@pytest.mark.parametrize(
    "name", ["snap_half", "snap_tenth", "snap_mul", "snap_minus", "snap_inner_clamp", "snap_lambda3"]
)
def test_running_equals_the_semantics_of_the_language(name):
    program, machine, generator = load_program(name), Machine(), random.Random(name)
    execution = Execution(program, machine)
    for _ in range(60):
        u = generator.random() ** generator.choice((1, 5, 40)) or 0.5
        f, sign = Fraction(generator.uniform(-60, 60)), generator.choice((1, -1))
        expected = run_float(program, {"U": Fraction(u), "S": Fraction(sign), "f": f}, machine)[program.result]
        assert execution.function(f, sign)(as_mpfr(Fraction(u))) == expected


@pytest.mark.parametrize("draw", [PositiveFloats(9, None, nearest=False), PositiveFloats(9, -20, nearest=True)])
def test_numbers_of_floats_are_in_order_and_come_back(draw):
    ordinals = range(draw.last - 700, draw.last + 1)
    values = [draw.value(o) for o in ordinals]
    assert values == sorted(set(values))
    assert [draw.ordinal(draw.number(o)) for o in ordinals] == list(ordinals)
    assert all(round_nearest(v, 9) == v for v in values)


def test_an_ulp_draw_has_its_ulp_as_probability_and_a_rounded_one_its_neighbourhood():
    ulp, nearest = PositiveFloats(4, None, nearest=False), PositiveFloats(4, None, nearest=True)
    assert (ulp.below(ulp.last + 1) - ulp.below(ulp.last)).lower == Fraction(1, 16)
    assert (nearest.below(nearest.last + 1) - nearest.below(nearest.last)).lower == Fraction(1, 32)
    assert nearest.value(nearest.last) == 1


def test_a_bounded_sampler_folds_what_is_below_into_its_smallest_float():
    draw = PositiveFloats(9, -20, nearest=False)
    assert draw.value(draw.first) == Fraction(1, 2**20)
    assert draw.below(draw.first).upper == 0


def test_multiples_are_equally_likely():
    draw = Multiples(53)
    assert {(draw.below(k + 1) - draw.below(k)).lower for k in (0, 1, 12345, 2**53 - 1)} == {Fraction(1, 2**53)}


def test_a_rounded_logarithm_has_exponential_tails():
    draw = RoundedLogarithm(53)
    middle = draw.ordinal(as_mpfr(Fraction(-1)))
    assert draw.value(middle) == -1
    assert float(draw.below(middle)) == pytest.approx(math.exp(-1), rel=1e-15)


def test_multiples_of_the_grid_need_enough_bits():
    with pytest.raises(ParameterError, match="53"):
        uniform_draw(Machine(p=24, sampler="grid53"))


def test_constants_are_those_of_the_machine():
    program = parse("program p { param eps = 0.3; query f; y = f(D) + 1 / eps; return y; }")
    assert folded(program, Machine()).right.value == Fraction(1 / 0.3)


@pytest.mark.parametrize("bad", ["1 / 0", "ln(0 - 1)", "1 / (1 - 1)"])
def test_constants_that_are_no_numbers_are_refused(bad):
    with pytest.raises(ProgramError, match="constant"):
        folded(parse(f"program p {{ query f; y = f(D) + {bad}; return y; }}"), Machine())


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("U <-$ unif; X <-$ laplace(1); y = f(D) + ln(U) + X;", "one uniform"),
        ("U <-$ unif; y = f(D) + U * (1 - U);", "monotone"),
        ("U <-$ unif; b <-$ bernoulli(1/2); y = f(D) + U * b;", "one uniform"),
    ],
)
def test_programs_that_cannot_be_run_exactly_say_why(body, reason):
    with pytest.raises(PremiseError, match=reason):
        Execution(parse(f"program p {{ query f; {body} return y; }}"), Machine())


def test_one_output_of_the_grid_sampler_is_twice_as_likely_from_a_neighbour():
    execution, shape = judged(load_program("snap_half"), Machine(sampler="grid53"))
    found = exact_loss(*(ProgramLaw(execution, Fraction(f), shape) for f in (63, 64)), Fraction(-10))
    assert found.probability == found.probability_prime * 2
    assert str(float(found.loss.lower)).startswith("0.6931")


def test_a_law_without_a_shape_finds_the_same_cells():
    program = load_program("snap_tenth")
    execution, shape = judged(program, Machine())
    with_guess, without = ProgramLaw(execution, Fraction(19, 8), shape), None
    without = ProgramLaw(execution, with_guess.f)
    for output in (Fraction(-1000), Fraction(-320), Fraction(0), Fraction(16), Fraction(1000)):
        assert with_guess.preimages(output) == without.preimages(output)


def test_the_shape_is_found_however_the_noise_is_written():
    for noise, roundings in [
        ("S * ln(U) / eps", 2),
        ("ln(U) / eps * S", 2),
        ("(1 / eps) * S * ln(U)", 2),
        ("S / eps * ln(U)", 2),
        ("ln(U) / (S * eps)", 2),
        ("-(ln(U) / eps) * S", 2),
        ("4 * S * ln(U)", 1),
        ("2 * (S * ln(U)) / (eps * 2)", 2),
    ]:
        shape = shape_of(snap("0.3", 4, 64, noise=noise), Machine())
        assert shape.failed == (), noise
        assert shape.noise.roundings == roundings, noise
    reciprocal = shape_of(snap("0.3", 4, 64, noise="(1 / eps) * S * ln(U)"), Machine())
    assert reciprocal.noise_epsilon == 1 / Fraction(1 / 0.3)
    assert shape_of(snap("0.3", 4, 64), Machine()).noise_epsilon == Fraction(0.3)


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        ({"noise": "ln(U) / eps"}, "sign fair"),
        ({"noise": "S * ln(U) * ln(U)"}, "shape"),
        ({"noise": "S * S * ln(U)"}, "shape"),
        ({"noise": "S / ln(U)"}, "shape"),
        ({"output": "clamp[B](y)"}, "grid power of two"),
        ({"output": "round[Lambda](y)"}, "clamp present"),
        ({"output": "round[Lambda](y) + f(D)"}, "shape"),
        ({"grid": "3"}, "grid power of two"),
        ({"grid": "1/2^60".replace("2^60", "1152921504606846976")}, "boundaries representable"),
    ],
)
def test_a_missing_premise_has_a_name(change, failing):
    fields = {"eps": "1/2", "grid": 2, "bound": 64, **change}
    assert failing in {p.name for p in shape_of(snap(**fields), Machine()).failed}


def test_a_vague_ln_leaves_constants_made_with_ln_open():
    program = snap("1/2", 2, 64, noise="ln(2) * S * ln(U)")
    assert shape_of(program, Machine()).failed == ()
    assert {p.name for p in shape_of(program, Machine(ln_roundings=2)).failed} == {"shape"}


def test_a_clamp_inside_the_rounding_is_the_same_when_it_ends_on_the_grid():
    inside, outside = (
        shape_of(snap("1/2", 2, 64, output=o), Machine())
        for o in ("round[Lambda](clamp[B](y))", "clamp[B](round[Lambda](y))")
    )
    assert inside == outside


# Where a condition on the draws begins


def steps_to(execution: Execution, target: int, guess: int | None) -> int:
    """Return how many draws are looked at before the first one from the target on is found."""
    asked = []

    def holds(ordinal: int) -> bool:
        asked.append(ordinal)
        return ordinal >= target

    assert execution.first_where(holds, guess) == target
    return len(asked)


@pytest.mark.parametrize("machine", [Machine(p=3, umin=-4), Machine(p=12, umin=-9, sampler="nearest")], ids=str)
def test_the_first_draw_is_found_from_every_guess(machine):
    execution = judged(snap("1/3", 4, 8), machine)[0]
    draw = execution.draw
    ordinals = range(draw.first, draw.last + 2, max(1, (draw.last - draw.first) // 40))
    for target in (*ordinals, draw.first + 1, draw.last, draw.last + 1):
        for guess in (None, *ordinals):
            assert steps_to(execution, target, guess) <= 64


def test_at_many_bits_an_end_of_the_draws_is_found_in_a_few_steps():
    """The outputs at a clamp begin with the first draw, 2**4108 numbers away from where one would look."""
    execution = judged(snap("1/3", 4, 8), Machine(p=4096))[0]
    draw = execution.draw
    for target in (draw.first, draw.first + 1, draw.last + 1):
        for guess in (None, draw.last, draw.first, (draw.first + draw.last) // 2):
            assert steps_to(execution, target, guess) <= 12
    assert steps_to(execution, draw.last // 3 + draw.first // 2, None) > 4000  # only a good guess is a short way


# ln 0 is no number, also where a clamp makes one of it

HIDDEN = {
    "of the query": "clamp[-8, 8](round[1](clamp[-9, 9](ln(f(D))) + S * ln(U) / 4))",
    "of a product": "clamp[-8, 8](round[1](clamp[-9, 9](ln(f(D) * 2 * 3)) + S * ln(U) / 4))",
    "with the draw": "clamp[-8, 8](round[1](clamp[-9, 9](ln(f(D) + floor(U)))))",
    "without a draw": "clamp[1, 4](ln(f(D)) + 3)",
    "in a divisor": "clamp[-8, 8](round[1](clamp[-9, 9](1 / ln(f(D))) + S * ln(U) * 2))",
}


def of_zero_to_eight(body: str) -> Program:
    return parse(f"program r {{ query f in [0, 8]; U <-$ unif; S <-$ {{-1,1}}; z = {body}; return z; }}")


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("machine", [Machine(), Machine(p=11, sum="exact"), Machine(sampler="nearest")], ids=str)
def test_an_infinity_that_a_clamp_hides_is_no_number(body, machine):
    execution = Execution(of_zero_to_eight(body), machine)
    with pytest.raises(PremiseError, match=r"ln of 0 is not defined"):
        ProgramLaw(execution, Fraction(0))
    assert ProgramLaw(execution, Fraction(2))


def test_where_the_logarithm_itself_is_drawn_no_other_is_taken_of_zero():
    execution = Execution(of_zero_to_eight(HIDDEN["of the query"]), Machine(sampler="ideal"))
    with pytest.raises(PremiseError, match=r"ln of 0 is not defined"):
        ProgramLaw(execution, Fraction(0))
    assert ProgramLaw(execution, Fraction(2))


def test_no_witness_rests_on_the_logarithm_of_zero():
    """The pair was 1 and 0; with a number for each of the two there are pairs that lose as much."""
    found = verify(of_zero_to_eight(HIDDEN["of the query"]), claim="5", evaluations=400).evidence
    assert found is not None
    assert 0 not in (found.f, found.f_prime)


def test_the_limit_of_the_draws_is_no_number_that_is_missing():
    """At the first draw ln U stands for minus infinity, and a clamp gives the output that all deep draws have."""
    execution = Execution(snap("1/2", 2, 64), Machine())
    law = ProgramLaw(execution, Fraction(0))
    assert float(law.output(1, execution.draw.first)) == -64
