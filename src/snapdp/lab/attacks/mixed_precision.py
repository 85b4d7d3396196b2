"""The snapping mechanism in 53 bits under a formula for 118: its exact law, and an output that loses more.

No sampling: the probability of every output is a rational number, and the loss of one output for two
neighbours is known to any digit. The program beside the notes computes eps' with eta = 2^-118, multiplies in 118 bits,
and draws and takes logarithms in doubles. The notes' bound is for one precision in every step, and is exceeded.
Ours has no eta at all: its loss is epsilon, by its exact law for the same neighbours.
Source: Covington 2020, sections 3 and 5; docs/errata.md, 4; theory: docs/theory/finite-precision.md, (3)-(9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.lab.attacks.attack import Attack, AttackOutcome

if TYPE_CHECKING:
    from snapdp.mechanism.law.law import Law
    from snapdp.mechanism.parameters import Precision, SnappingParameters

CLAIMED = Fraction(9, 10)
NOTES_BITS = 118
BOUND = 2**46 - 2  # B in sensitivities
VALUE = Fraction(6, 7) - BOUND  # near one end of the range; the neighbour is 1 above
OUTPUT = 3_909_374_676_539  # index of the output: so far from the value that the logarithm of a draw is coarse
LawOf = Callable[[Fraction], "Law"]


def by_law(law: LawOf, outputs: Iterable[int] | None) -> AttackOutcome:
    """Return what the exact law of a mechanism says of the two neighbours.

    outputs   the indices that are looked at; None: all among which the largest loss can be
    """
    from snapdp.mechanism.law.loss import pair_loss

    found = pair_loss(law(VALUE), law(VALUE + 1), outputs).loss
    if found is None:
        raise ArithmeticError("the output is possible for one neighbour only")
    excess = found.lower - CLAIMED
    more = f"{float(excess):.2g} more than claimed" if excess > 0 else "not more than claimed"
    return AttackOutcome(
        claimed=CLAIMED, lower_bound=found.lower, said=f"by the exact law a loss of {float(found.lower):.6f}, {more}"
    )


def parameters_of_the_notes(precision: Precision) -> SnappingParameters:
    """Return the mechanism of the notes, with eta = 2^-118 in its formula whatever the steps round to."""
    from snapdp.exact.dyadic import round_up
    from snapdp.mechanism.finite_precision import explicit_parameters, notes_effective_epsilon

    eta = Fraction(1, 1 << NOTES_BITS)
    effective = notes_effective_epsilon(epsilon=CLAIMED, bound=Fraction(BOUND), eta=eta)
    return explicit_parameters(
        noise_scale=round_up(1 / effective, NOTES_BITS),
        grid=Fraction(2),
        bound=Fraction(BOUND),
        precision=precision,
        epsilon=CLAIMED,
    )


def law_of_the_notes(*, uniform: int, logarithm: int, product: int = NOTES_BITS) -> LawOf:
    """Return the law of that mechanism for a value, where draws, logarithms and products have so many bits."""
    from snapdp.mechanism.law.law import law_of
    from snapdp.mechanism.parameters import Inner, Precision

    parameters = parameters_of_the_notes(Precision(uniform=uniform, logarithm=logarithm, product=product))
    return lambda value: law_of(Inner(value), parameters)


def our_law(**others: str) -> LawOf:
    """Return the law of our mechanism for a value: exact arithmetic, unless others are asked for."""
    from snapdp.api.snapping import Snapping

    mechanism = Snapping(epsilon=CLAIMED, sensitivity=1, lower=-BOUND, upper=BOUND, **others)  # type: ignore[arg-type]
    return mechanism.law


ATTACKS = (
    Attack(
        name="mixed-precision",
        title="53 bits under a formula for 118",
        source="Covington 2020",
        assumes="The attacker sees one output of the snapping mechanism, with B = 2^46 - 2 and a sensitivity of 1.",
        event=f"The output is {2 * OUTPUT:,}, on a grid of 2. Nothing is sampled: the exact law decides.",
        neighbours="The value -B + 6/7, and 1 more. Ours: the same values, every output.",
        against={
            "numpy": lambda _: by_law(law_of_the_notes(uniform=53, logarithm=53), [OUTPUT]),
            "snapdp": lambda _: by_law(our_law(), None),
        },
        trials=1,
        claimed=CLAIMED,
    ),
)
