"""What any value may expect of a mechanism without a clamp: one number, the same wherever it is told."""

from __future__ import annotations

import pytest

import snapdp
from snapdp.accuracy.curve import cliff_hint, curve_of
from snapdp.accuracy.epsilon import constants_of, unclamped_family
from snapdp.accuracy.error import accuracy, unclamped_accuracy
from snapdp.accuracy.price import price_of_snapping, what_bits_cost
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.parameters import Precision, SnappingParameters
from snapdp.values import replaced
from tests.unit.accuracy.brute import F, parameters

TWENTIETH = F(1, 20)
# Doubles near 10^9 are 1.2e-7 apart, and the outputs are none of them: a printed number is off by half that.
OFF_THE_LATTICE = {"sensitivity": "0.1", "lower": "1000000000.05", "upper": "1000000100"}


def far(**others) -> SnappingParameters:
    return parameters(**{"epsilon": "0.5", "arithmetic": "proved", **OFF_THE_LATTICE, **others})


def test_every_accuracy_without_a_clamp_counts_the_rounding_of_the_printed_number():
    p = far()
    promised = accuracy(p)
    assert p.printing_error == F(1, 2**24)
    assert promised - p.printing_error < constants_of(p, TWENTIETH).accuracy  # the clamp changes it by less than that
    (cost,) = what_bits_cost(p, bits=p.precision.uniform)
    told = [constants_of(p, TWENTIETH).accuracy, price_of_snapping(p).accuracy, cost.accuracy]
    assert all(each >= promised for each in told)
    assert len(set(told)) == 1
    inner = unclamped_accuracy(noise_scale=p.noise_scale, grid=p.grid, alpha=constants_of(p, TWENTIETH).alpha)
    assert told[0] == p.unit * inner + p.printing_error
    assert f"{float(told[0]):.11f}" == "0.68150941102"  # 0.68150935142 without that rounding


def test_so_do_hints_and_the_line_of_a_picture():
    p = far(epsilon="0.49")
    cheaper, sharper = cliff_hint(p)
    assert cheaper.accuracy == sharper.accuracy == constants_of(p, TWENTIETH).accuracy
    for hint in (cheaper, sharper):
        better = constants_of(far(epsilon=hint.better_epsilon), TWENTIETH)
        assert (
            hint.better_accuracy
            == better.accuracy
            > better.unit * unclamped_accuracy(noise_scale=better.noise_scale, grid=better.grid, alpha=better.alpha)
        )
    for epsilon in ("0.06", "0.3", "0.49", "0.51", "4"):
        points = curve_of(p, TWENTIETH).points(F(epsilon) / 2, F(epsilon))
        assert F(points[-1][1]) >= constants_of(far(epsilon=epsilon), TWENTIETH).accuracy


def test_root_mean_square_errors_count_it_too():
    p = far()
    near = replaced(p, offset=F(0), declared=replaced(p.declared, lower=F(-50), upper=F(50)))
    difference = price_of_snapping(p).rmse - price_of_snapping(near).rmse
    assert near.printing_error < F(1, 2**40)
    assert p.printing_error * F(99, 100) < difference <= p.printing_error * F(101, 100)


def test_an_accuracy_is_met_by_itself_and_by_nothing_below_it():
    for p in (far(), far(arithmetic=None), parameters(epsilon="0.99", sensitivity=1, lower=0, upper=9, grid="natural")):
        c = constants_of(p, TWENTIETH)
        assert c.meets(c.accuracy)
        assert not c.meets(c.accuracy * (1 - F(1, 10**9)))
        assert not c.meets(F(0))


@pytest.mark.parametrize("arithmetic", [None, "proved", "notes"])
@pytest.mark.parametrize("grid", ["natural", 8])
def test_the_member_with_the_epsilon_of_a_mechanism_has_its_constants(arithmetic, grid):
    p = parameters(epsilon="0.3", sensitivity=2, lower=0, upper=80, grid=grid, arithmetic=arithmetic, gamma="0.3")
    family = unclamped_family(p)
    assert family is not None
    assert family.constants(p.epsilon, TWENTIETH) == constants_of(p, TWENTIETH)


def test_constants_without_an_epsilon_behind_them_have_no_family_and_no_hint():
    given = {"noise_scale": F(2), "grid": F(2), "bound": F(64), "epsilon": F(1, 2)}
    for precision in (Precision.of(24), Precision(uniform=24, logarithm=53, product=53)):
        p = explicit_parameters(**given, precision=precision)
        assert unclamped_family(p) is None
        assert cliff_hint(p) == ()
    mixed = replaced(
        snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=9, arithmetic="proved").parameters,
        precision=Precision(uniform=118, logarithm=118, product=119),
    )
    assert unclamped_family(mixed) is None
