"""Least squares for margins against the normal equations in rationals: variances and coefficients."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from snapdp.accuracy.adjusted.margins import margin_family, subsets
from snapdp.errors import ParameterError
from tests.unit.accuracy.adjusted.brute import cells_of, least_squares_of_margin, measured_cells
from tests.unit.accuracy.adjusted.families import DECLARED, FAMILIES

F = Fraction
every_family = pytest.mark.parametrize(
    "family", FAMILIES, ids=lambda f: f"{f.sizes}-{list(f.measured)}-{f.known_total}"
)


def listed(family, margin):
    """Return {(source, coefficient): count}."""
    return {(each.source, each.coefficient): each.count for each in family.coefficients(margin)}


def counted(family, row):
    """Return the same of the coefficients of all measured cells, without zeros."""
    pairs = zip(measured_cells(family), row, strict=True)
    return dict(Counter((margin, value) for (margin, _), value in pairs if value))


@every_family
def test_variances_and_coefficients_are_those_of_the_normal_equations(family):
    for margin in family.margins:
        best = least_squares_of_margin(family, margin)
        assert set(best.variances) == {family.variance(margin)}
        assert len(best.coefficients) == len(cells_of(family, margin))
        for row in best.coefficients:
            assert counted(family, row) == listed(family, margin)


@every_family
def test_a_variance_is_the_sum_of_the_squares_of_the_coefficients(family):
    for margin in family.margins:
        parts = family.coefficients(margin)
        assert sum(each.count * each.coefficient**2 * family.measured[each.source] for each in parts) == (
            family.variance(margin)
        )


@every_family
def test_one_coefficient_more_would_be_found(family):
    """The twin of the two tests above: a multiplicity that is off by one."""
    for margin in family.margins:
        for each in family.coefficients(margin):
            more = listed(family, margin)
            more[each.source, each.coefficient] += 1
            assert more != counted(family, least_squares_of_margin(family, margin).coefficients[0])
            found = sum(count * value**2 * family.measured[source] for (source, value), count in more.items())
            assert found != family.variance(margin)


@pytest.mark.parametrize("which", [3, 5, 9, 10, 11, 13])
def test_swapped_variances_are_another_estimate(which):
    """The twin of the comparison with the normal equations: two weights exchanged."""
    sizes, variances, known = DECLARED[which]
    (first, *_, last), family = variances, FAMILIES[which]
    swapped = margin_family(sizes, {**variances, first: variances[last], last: variances[first]}, known_total=known)
    margin = family.margins[-1]
    assert listed(swapped, margin) != counted(family, least_squares_of_margin(family, margin).coefficients[0])


@every_family
def test_a_margin_has_at_most_two_to_the_k_coefficients_for_each_measured_one(family):
    for margin in family.margins:
        sources = Counter(each.source for each in family.coefficients(margin))
        assert all(found <= 2 ** len(set(source) & set(margin)) for source, found in sources.items())


def test_all_margins_at_equal_shares_gain_the_same_factor_everywhere():
    family = margin_family([6, 5, 8], dict.fromkeys(subsets((0, 1, 2)), 128))
    assert len(family.margins) == 8
    for margin in family.margins:
        gain = 128 / family.variance(margin)
        assert gain == F(1575, 1000) == F(7, 6) * F(6, 5) * F(9, 8)
        assert gain >= F(5, 4) ** 2  # the root mean square falls by at least 1.25; it is 1.255


def test_a_known_total_is_without_noise_and_helps_the_others():
    known = margin_family([6, 5], {(0,): 2, (0, 1): 2}, known_total=True)
    unknown = margin_family([6, 5], {(0,): 2, (0, 1): 2})
    assert known.variance(()) == 0
    assert known.coefficients(()) == ()
    assert all(known.variance(margin) < unknown.variance(margin) for margin in known.margins)


def test_a_margin_inside_no_measured_one_is_refused():
    family = margin_family([2, 2, 2], {(0, 1): 1, (2,): 1})
    with pytest.raises(ParameterError, match=r"margin \[0, 2\] lies inside no measured margin"):
        family.variance((0, 2))
    with pytest.raises(ParameterError, match="inside no measured"):
        family.coefficients((0, 1, 2))


@pytest.mark.parametrize(
    ("sizes", "variances", "known", "said"),
    [
        ([2, 0], {(0,): 1}, False, "no categories"),
        ([2, 2], {(0, 2): 1}, False, "no set of attributes"),
        ([2, 2], {(0, 0): 1}, False, "no set of attributes"),
        ([2, 2], {(0, 1): 1, (1, 0): 1}, False, "twice"),
        ([2, 2], {(): 1, (0,): 1}, True, "known and measured"),
        ([2, 2], {}, False, "no margin is measured"),
        ([2, 2], {(0,): 0}, False, "variance"),
    ],
)
def test_what_is_no_family_is_refused(sizes, variances, known, said):
    with pytest.raises(ParameterError, match=said):
        margin_family(sizes, variances, known_total=known)
