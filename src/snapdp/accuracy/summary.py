"""Everything worth knowing about one mechanism: before it is used, and after it has released a number.

`worth_of_mechanism` collects accuracy, moments, clamping, price and hints from their modules, in either arithmetic: one
value that front ends print. `after_release` says what a released number tells about its own error; it is a function of
that number, so it costs nothing. The accuracy at the true value would tell that value modulo the grid; the accuracy
over the noise interval of the output is post-processing. It still holds: where the interval holds the statistic, which
it does with probability 1 - alpha, the output is no further from it than the accuracy at that value, and the largest
accuracy over the interval is no less.
Theory of the latter: docs/theory/utility.md, (1)-(3).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from snapdp.accuracy.clamping import binding_probability
from snapdp.accuracy.curve import Hint, cliff_hint
from snapdp.accuracy.epsilon import epsilon_for
from snapdp.accuracy.error import TOLERANCE, accuracy as accuracy_of, confidence, guess as guess_in_range
from snapdp.accuracy.interval import NoiseInterval, noise_interval
from snapdp.accuracy.moments import bias, bias_range, expected_absolute_error, mse, weighed, weighted_mean
from snapdp.accuracy.price import Distance, Price, distance, distance_excess, distance_tail, price_of_snapping
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact.dyadic import floor_log10, power_of_ten
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.numbers import parameter
from snapdp.mechanism.finite_precision import finite_parameters
from snapdp.mechanism.mechanism import declared
from snapdp.mechanism.parameters import DataUnits, FinitePrecision, SnappingParameters
from snapdp.values import Value, replaced

SHOWN_DIGITS = 4  # of a distance


class Beyond(Value):
    """How often the Laplace mechanism is further away than a distance, and by how much on average, in data units.

    The distance is one that is shown as it is, so that the figures are about what is shown.
    """

    distance: DataUnits
    probability: Enclosure
    excess: Enclosure


class Guess(Value):
    """What a mechanism does to one guessed value, in data units (mse: squared); public only for a guess.

    inside  the guess, or the end of the public range that is nearest to it: accuracy, bias and errors are those there
    beyond  a distance of few digits, at least `distance.bound`, and what of the distance is further
    tails   distances from the Laplace mechanism on the same draw, with the probability that it is further away
    """

    value: Fraction
    inside: Fraction
    accuracy: DataUnits
    bias: Enclosure
    mse: Enclosure
    absolute_error: Enclosure
    distance: Distance
    beyond: Beyond
    tails: tuple[tuple[DataUnits, Enclosure], ...]
    weight: Fraction = Fraction(1)


class Worth(Value):
    """One mechanism and what it is worth, in data units.

    notes, simple  the published formulas at the noise scale and grid of this mechanism
    published      the notes' formula for the notes' own mechanism with this epsilon; None where that is refused
    guesses        the same for values that were guessed, and the bias expected over them
    after          what an output would say about its own error
    """

    parameters: SnappingParameters
    alpha: Fraction
    tight: DataUnits
    notes: DataUnits
    simple: DataUnits | None
    published: DataUnits | None
    bias: Enclosure
    binding: Enclosure
    price: Price
    hints: tuple[Hint, ...]
    guesses: tuple[Guess, ...] = ()
    after: AfterRelease | None = None

    @property
    def expected_bias(self) -> Enclosure | None:
        """Return the bias averaged over the guesses, by their weights."""
        return weighted_mean((each.bias, each.weight) for each in self.guesses) if self.guesses else None

    @property
    def over_laplace(self) -> Fraction:
        """Return how far `tight` lies above the accuracy of the pure Laplace mechanism, in parts of that one.

        Below 0 where the public range leaves less room for errors than the noise would take.
        """
        return self.tight / self.price.laplace_accuracy - 1


def worth_of_mechanism(
    *,
    sensitivity: Any,
    lower: Any,
    upper: Any,
    epsilon: Any = None,
    accuracy: Any = None,
    alpha: Any = "0.05",
    grid: Any = None,
    arithmetic: Any = None,
    bits: int | None = None,
    gamma: Any = None,
    bound: Any = None,
    clamp: Any = None,
    if_value: Any = None,
    if_output: Any = None,
) -> Worth:
    """Return what a mechanism is worth, given its epsilon or the accuracy it must have.

    if_value   a guess of the statistic, of which accuracy, bias and distance to the Laplace mechanism are told too; or
               a list of guesses, or {guess: weight}
    if_output  a released number, of which is told what it says about its own error
    """
    if (epsilon is None) == (accuracy is None):
        given = "neither" if epsilon is None else "both"
        raise ParameterError(
            f"a plan needs an epsilon or a target accuracy, one of the two; {given} given.",
            "Give epsilon to see the accuracy, or accuracy to see the epsilon.",
        )
    said = {"sensitivity": sensitivity, "lower": lower, "upper": upper, "grid": grid}
    said |= {"arithmetic": arithmetic, "bits": bits, "gamma": gamma}
    if epsilon is None:
        if clamp is not None or bound is not None:
            raise ParameterError("a clamp is given together with an epsilon.", "Give gamma, or leave the clamp out.")
        epsilon = epsilon_for(accuracy=accuracy, alpha=alpha, **said).epsilon
    p = declared(epsilon=epsilon, bound=bound, clamp=clamp, **said).parameters
    return worth_of(p, alpha=alpha, if_value=if_value, if_output=if_output)


def worth_of(p: SnappingParameters, *, alpha: Any = "0.05", if_value: Any = None, if_output: Any = None) -> Worth:
    """Return what a mechanism with given parameters is worth."""
    level = confidence(alpha)
    tight = accuracy_of(p, alpha=level)
    return Worth(
        parameters=p,
        alpha=level,
        tight=tight,
        notes=accuracy_of(p, alpha=level, method="notes"),
        simple=accuracy_of(p, alpha=level, method="simple") if p.grid <= 2 * p.noise_scale else None,
        published=published_worth(p, level),
        bias=bias_range(p),
        binding=binding_probability(p, p.upper),
        price=price_of_snapping(p, alpha=level),
        # Hints speak of any range; there are none where the range of p leaves smaller errors than any would.
        hints=tuple(hint for hint in cliff_hint(p, alpha=level) if hint.accuracy <= tight * (1 + 2 * TOLERANCE)),
        guesses=() if if_value is None else guesses_worth(p, if_value, level),
        after=None if if_output is None else after_release(p, output=if_output, alpha=level),
    )


def guesses_worth(p: SnappingParameters, if_value: Any, alpha: Fraction) -> tuple[Guess, ...]:
    """Return what the mechanism does to one guessed value, or to each of several.

    One may lie outside the public range, as no statistic does; of several the bias is averaged, so none may.
    """
    several = if_value if isinstance(if_value, (Mapping, list, tuple)) else [if_value]
    if len(several) > 1:
        for value in several:
            guess_in_range(p, value)
    return tuple(guess_worth(p, value, alpha, weight) for value, weight in weighed(several))


def guess_worth(p: SnappingParameters, value: Any, alpha: Fraction, weight: Fraction) -> Guess:
    """Return what the mechanism does to a guessed value of the statistic; outside the range, to its nearest value."""
    found = distance(p, value)
    # Tails at distances of four digits near half and twice the bound: any is as good, if it is shown as it is.
    distances = [DataUnits(round(z / _place(z)) * _place(z)) for z in (found.bound / 2, 2 * found.bound)]
    # The bound with the digits that half a grid step calls for, rounded up.
    place = _place(p.data_grid / 2)
    shown_bound = DataUnits(math.ceil(found.bound / place) * place)
    said, inside = parameter(value, name="value"), value
    if not p.lower <= said <= p.upper:
        inside = p.lower if said < p.lower else p.upper
    return Guess(
        value=found.value,
        inside=parameter(inside, name="value"),
        accuracy=accuracy_of(p, alpha=alpha, value=inside),
        bias=bias(p, inside),
        mse=mse(p, inside),
        absolute_error=expected_absolute_error(p, inside),
        distance=found,
        beyond=Beyond(
            distance=shown_bound,
            probability=distance_tail(p, value, distance=shown_bound),
            excess=distance_excess(p, value, distance=shown_bound),
        ),
        tails=tuple((z, distance_tail(p, value, distance=z)) for z in distances),
        weight=weight,
    )


def _place(distance: Fraction) -> Fraction:
    """Return the place of the last digit of a distance that is shown."""
    return power_of_ten(floor_log10(distance) - SHOWN_DIGITS + 1)


def published_worth(p: SnappingParameters, alpha: Fraction) -> DataUnits | None:
    """Return lam' ln(1/alpha) + grid'/2 of the notes' mechanism with the epsilon and range of p: planning (38).

    Its grid is at least its noise scale, which lies above sensitivity/epsilon. None where the notes' premises fail.
    """
    try:
        notes = finite_parameters(
            epsilon=p.epsilon,
            sensitivity=p.sensitivity,
            lower=p.lower,
            upper=p.upper,
            arithmetic=FinitePrecision(rule="notes"),
        )
    except SnapdpError:
        return None
    return accuracy_of(notes, alpha=alpha, method="notes")


# After a release


class AfterRelease(Value):
    """What a released number says about its own error, in data units.

    interval  the noise interval: values of the statistic that are compatible with the output
    accuracy  of the values in it, the largest: the output lies within it with probability at least 1 - alpha
    bias      of the values in it: the least and the greatest
    """

    interval: NoiseInterval
    accuracy: DataUnits
    bias: Enclosure

    @property
    def is_missed(self) -> bool:
        """Tell whether the output is further than the accuracy from the whole interval: then it is one of the rare."""
        from_interval = max(self.interval.lower - self.interval.output, self.interval.output - self.interval.upper)
        return from_interval > self.accuracy


def after_release(
    p: SnappingParameters, *, index: int | None = None, output: Any = None, alpha: Any = "0.05"
) -> AfterRelease:
    """Return accuracy and bias over the noise interval of an output, given by its index or as it was printed."""
    interval = noise_interval(p, index=index, output=output, alpha=alpha)
    near = replaced(p, declared=replaced(p.declared, lower=interval.lower, upper=interval.upper))
    return AfterRelease(interval=interval, accuracy=accuracy_of(near, alpha=alpha), bias=bias_range(near))
