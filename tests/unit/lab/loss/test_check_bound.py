"""The bound that the checker derives against the exact loss of a small machine: every output, nothing sampled."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from snapdp.audits import check_program as check
from tests.unit.lab.loss.certificates import float_of, laplace, snapping
from tests.unit.lab.second_opinion import theorem

P, DEEP = 7, 16  # bits, and binades of U: what is deeper falls into the end cells, and the deepest draw stands for it


def law(tree: check.Tree, machine: check.StatedMachine, f: Fraction, draws: list[Fraction]) -> dict[Fraction, Fraction]:
    """Return Pr[output] when the sampler gives each float the probability of its ulp."""
    chances: dict[Fraction, Fraction] = {}
    for sign in (1, -1):
        for u, above in zip(draws, [*draws[1:], Fraction(1)], strict=True):
            output, _ = check.run(tree, machine, {"query": f, "sign": sign, "unif": u})
            mass = above - (Fraction(0) if u == draws[0] else u)
            chances[output] = chances.get(output, Fraction(0)) + mass / 2
    return chances


@pytest.mark.parametrize(
    ("epsilon", "ends", "grid"),
    [
        ("3/10", (0, 6), 4),
        pytest.param("1", (-4, 4), 2, marks=pytest.mark.long),
        pytest.param("1/2", (-4, 4), 4, marks=pytest.mark.long),
        pytest.param("17/16", (-1, 5), 2, marks=pytest.mark.long),
        pytest.param("1", (-3, 3), 4, marks=pytest.mark.long),
    ],
)
def test_the_bound_is_never_below_the_exact_loss(epsilon, ends, grid):
    machine = check.StatedMachine(P, 1, "ulp", None)
    statements = snapping(laplace(epsilon), grid=grid, bound=1)
    statements[3][2][1:3] = map(str, ends)
    queries = {"f": (Fraction(ends[0]), Fraction(ends[1]), Fraction(1))}
    tree = check.read_program(statements, "z", queries)
    bound, _, _ = check.derive(tree, machine, queries)
    draws = [float_of(n, P) for n in range(-DEEP << P - 1, 0)]
    laws = {f: law(tree, machine, Fraction(f), draws) for f in range(ends[0], ends[1] + 1)}
    losses = []
    for f in range(ends[0], ends[1]):
        assert laws[f].keys() == laws[f + 1].keys()
        losses += [abs(math.log(laws[f][x] / laws[f + 1][x])) for x in laws[f]]
    assert Fraction(epsilon) < max(losses) <= bound


@pytest.mark.parametrize("p", [8, 24, 53, 113])
@pytest.mark.parametrize("sampler", ["ulp", "nearest", "ideal"])
@pytest.mark.parametrize(("epsilon", "grid", "bound"), [("1/2", 2, 16), ("1", 4, 6), ("1/4", 8, 10), ("2", 1, 1)])
def test_the_bound_is_the_theorem_and_hardly_more(p, sampler, epsilon, grid, bound):
    """Against the theorem as it is printed, in 600 bits of MPFR: never below it, and above by less than 2**-500."""
    queries = {"f": (Fraction(-bound), Fraction(bound), Fraction(1))}
    tree = check.read_program(snapping(laplace(epsilon), grid=grid, bound=bound), "z", queries)
    derived, noise_epsilon, roundings = check.derive(tree, check.StatedMachine(p, 1, sampler, None), queries)
    assert (noise_epsilon, roundings) == (Fraction(epsilon), 1)
    printed = theorem(epsilon=epsilon, grid=grid, bound=bound, sensitivity=1, roundings=roundings, p=p, sampler=sampler)
    assert abs(derived - printed) < Fraction(1, 1 << 500)
