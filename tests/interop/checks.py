"""What is checked with the real packages: run inside an environment that has them, by tests/interop/test_real_packages.

No pytest here, and nothing that the packages do not bring: each function asserts, and names the versions it met.
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp import Snapping
from snapdp.interop.composition import composed, spend
from snapdp.interop.dp_accounting import accountant, delta_by_package, epsilon_by_package, event
from snapdp.interop.opendp import measurement, vector_measurement

EPSILONS = ["0.1", "0.3", "1/3", "0.7", "1", "2.5", "1e-4"]
TOO_LITTLE = Fraction(1, 10**9)  # what floating point of the package may make of a delta: it rounds, and truncates


def _features():
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    return dp


def mechanism(epsilon="0.3", sensitivity=1, upper=1000):
    return Snapping(epsilon=epsilon, sensitivity=sensitivity, lower=0, upper=upper)


def within_an_ulp(reported: float, exact: Fraction) -> bool:
    return Fraction(reported) >= exact and (reported == 0 or Fraction(math.nextafter(reported, 0)) < exact)


def a_measurement_reports_what_is_charged_and_at_most_an_ulp_more():
    _features()
    for epsilon in EPSILONS:
        for sensitivity in (1, "0.1", 7):
            ours = measurement(mechanism(epsilon, sensitivity))
            for d_in in (0.0, 1.0, 0.1, 3.0, 1e-9, 12345.678):
                exact = Fraction(epsilon) * Fraction(d_in) / Fraction(sensitivity)
                assert within_an_ulp(ours.map(d_in), exact), (epsilon, sensitivity, d_in)
        whole = measurement(mechanism(epsilon), T="i64")
        assert all(within_an_ulp(whole.map(d), Fraction(epsilon) * d) for d in (0, 1, 2, 3, 10, 10**6))


def a_chain_of_clamp_and_sum_reports_what_is_charged_and_at_most_an_ulp_more():
    dp = _features()
    rows = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    total = dp.t.make_clamp(*rows, bounds=(0, 10)) >> dp.t.then_sum()
    for epsilon in EPSILONS:
        chain = total >> measurement(mechanism(epsilon, 10), T=int)
        for d_in in (1, 2, 3, 7):
            assert within_an_ulp(chain.map(d_in), Fraction(epsilon) * total.map(d_in) / 10), (epsilon, d_in)
            assert dp.c.make_chain_mt(measurement(mechanism(epsilon, 10), T=int), total).map(d_in) == chain.map(d_in)
    assert isinstance(chain([1, 2, 30, -5]), float)


def a_chain_over_floats_charges_what_the_float_sum_moves_by():
    dp = _features()
    rows = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=5), dp.symmetric_distance()
    total = dp.t.make_clamp(*rows, bounds=(0.0, 10.0)) >> dp.t.then_sum()
    chain = total >> measurement(mechanism("0.3", 10))
    assert within_an_ulp(chain.map(2), Fraction("0.03") * Fraction(total.map(2)))
    assert Fraction(chain.map(2)) >= Fraction(3, 10)
    assert isinstance(chain([1.0, 2.0, 3.0, 4.0, 50.0]), float)


def a_histogram_of_a_chain_is_a_vector_measurement():
    dp = _features()
    rows = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counts = dp.t.make_count_by_categories(*rows, categories=["a", "b"], MO=dp.L1Distance[int])
    chain = counts >> vector_measurement(mechanism("0.3"), T=int)
    assert within_an_ulp(chain.map(1), Fraction(3, 10))
    assert within_an_ulp(chain.map(2), Fraction(6, 10))
    assert [type(each) for each in chain(["a", "b", "a", "c"])] == [float] * 3


def a_composition_of_opendp_adds_our_measurements_up():
    dp = _features()
    ours = measurement(mechanism("0.3"))
    both = dp.c.make_composition([ours, ours])
    assert Fraction(both.map(1.0)) >= Fraction(6, 10)


def without_honest_but_curious_opendp_makes_no_measurement():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    dp.disable_features("honest-but-curious")
    try:
        measurement(mechanism())
    except Exception as refusal:
        assert "honest-but-curious" in str(refusal)  # noqa: PT017
    else:
        raise AssertionError("a measurement of anybody's was taken without a word")


def the_accountant_of_the_package_and_ours_agree():
    spends = [spend("laplace", epsilon="0.1", times=100)]
    theirs, ours = epsilon_by_package(spends, delta="1e-6"), composed(spends).epsilon("1e-6")
    assert math.ceil(theirs * 100) == math.ceil(ours * 100) == 470, (theirs, float(ours))
    mixed = [spend("laplace", epsilon="0.25", times=4), spend("pure", epsilon="0.5", times=3)]
    for epsilon in ("0.1", "0.5", "1", "2"):
        theirs, ours = delta_by_package(mixed, epsilon=epsilon), composed(mixed).delta(epsilon)
        assert abs(Fraction(theirs) - ours) < Fraction(1, 1000), (epsilon, theirs, float(ours))


def a_pure_event_is_randomised_response_and_counts_as_often_as_it_happened():
    keep = math.exp(1) / (1 + math.exp(1))
    once, twice = (accountant([spend("pure", epsilon=1, times=times)]) for times in (1, 2))
    assert abs(once.get_delta(0.0) - (2 * keep - 1)) < 1e-6
    assert abs(once.get_delta(0.5) - keep * (1 - math.exp(-0.5))) < 1e-4
    assert once.get_epsilon(1e-9) <= 1 + 1e-3
    assert twice.get_epsilon(1e-9) > 1.9


def the_packages_own_randomised_response_cannot_be_used():
    """Why a discrete Laplace event is taken: the accountant composes no Laplace event beside the other."""
    import dp_accounting
    from dp_accounting import pld

    response = dp_accounting.dp_event.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=2)
    assert not pld.PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE).supports(response)
    assert not pld.PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE).supports(
        dp_accounting.LaplaceDpEvent(1.0)
    )


def the_delta_of_the_package_is_not_below_an_exact_convolution():
    from tests.interop.exact_convolution import classes, convolved, delta_at_least

    for count in (1, 2, 3, 4):
        ours = Snapping(epsilon="0.5", sensitivity=1, lower=-50, upper=50, grid="1/2")
        exact = convolved([classes(ours, Fraction(0), Fraction(1))] * count)
        theirs = accountant([spend("laplace", epsilon="0.5", times=count)])
        for k in range(1, 20):
            t = Fraction(k * count, 40)
            assert Fraction(float(theirs.get_delta(float(t)))) + TOO_LITTLE >= delta_at_least(exact, t)


def events_are_those_of_the_package():
    import dp_accounting

    found = event([spend("laplace", epsilon="0.5", times=3), spend("pure", epsilon=1)])
    assert isinstance(found, dp_accounting.ComposedDpEvent)
    assert found.events[0].event == dp_accounting.LaplaceDpEvent(2.0)
    assert found.events[0].count == 3
