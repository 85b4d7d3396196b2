"""The public class `snapdp.Snapping`: the mechanism, with what a release of it is worth as methods.

It holds the mechanism; each method is one call into a package below, imported when called: a release never
loads what it does not need. All figures are in data units; every bound is rounded to the safe side.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

from snapdp.mechanism.mechanism import declared

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol, TypeVar

    from numpy import float64, int64
    from numpy.typing import NDArray

    from snapdp.accuracy.clamping import Clamp
    from snapdp.accuracy.epsilon import EpsilonNeeded
    from snapdp.accuracy.interval import NoiseInterval
    from snapdp.accuracy.price import CostOfBits, Distance
    from snapdp.accuracy.summary import AfterRelease
    from snapdp.exact.enclosure import Enclosure
    from snapdp.exact.numbers import Datum, Parameter
    from snapdp.mechanism.law.law import Law
    from snapdp.mechanism.parameters import DataUnits, FinitePrecision, SnappingParameters

    class SeriesLike(Protocol):
        """A column of numbers with a name: a Series of pandas or Polars."""

        @property
        def name(self) -> Any: ...
        def to_numpy(self, *given: Any, **named: Any) -> Any: ...

    class ArrayOf(Protocol):
        """What numpy can make an array of."""

        def __array__(self, *given: Any, **named: Any) -> NDArray[Any]: ...

    SeriesT = TypeVar("SeriesT", bound=SeriesLike)
    Values = NDArray[Any] | list[Any] | tuple[Any, ...] | ArrayOf


class Snapping:
    """The snapping mechanism for one statistic with a public range.

    epsilon      privacy loss of one release
    sensitivity  the most that neighbouring *stored* values differ: 0.4 - 0.3 in doubles is more than 1/10, so either
                 give values whose differences obey the bound exactly, or quantise with `step`
    lower, upper public range of the statistic, from declared bounds, never from the data
    grid         distance of neighbouring outputs: "fine" (default of exact arithmetic), "natural", or a power of two
    clamp        exact arithmetic: "wide" (default), "range", or (low, high)
    bound        finite precision: the clamp in sensitivities around the middle of the range
    gamma        of a clamp that is chosen: the probability with which an output may stand at an end of it, changed or
                 not (finite precision), or with which the clamp may change it (exact; half of it at either end)
    step         quantise values to multiples of this first (ties toward +infinity)
    nan          a public replacement for NaN; without it NaN is an error, and such an error is itself a disclosure
    arithmetic   "exact" (default); "proved" or "notes" for p-bit arithmetic under that rule, or FinitePrecision(...)
    bits         of p-bit arithmetic; left out, the fewest the rules allow, at least 118

    >>> m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
    >>> m.parameters.noise_scale, m.parameters.grid
    (Fraction(2, 1), Fraction(1, 8))
    """

    def __init__(
        self,
        *,
        epsilon: Parameter,
        sensitivity: Parameter,
        lower: Parameter,
        upper: Parameter,
        grid: Parameter | None = None,
        clamp: Sequence[Parameter] | None = None,
        bound: Parameter | None = None,
        gamma: Parameter | None = None,
        step: Parameter | None = None,
        nan: Parameter | None = None,
        arithmetic: str | FinitePrecision | None = None,
        bits: int | None = None,
    ) -> None:
        self._mechanism = declared(
            epsilon=epsilon,
            sensitivity=sensitivity,
            lower=lower,
            upper=upper,
            grid=grid,
            clamp=clamp,
            bound=bound,
            gamma=gamma,
            step=step,
            nan=nan,
            arithmetic=arithmetic,
            bits=bits,
        )
        self._release = self._mechanism.release  # the one method that is called a million times

    @property
    def parameters(self) -> SnappingParameters:
        """Return everything public about the mechanism, in exact rationals."""
        return self._mechanism.parameters

    @overload
    def release(self, value: Datum, *, out: None = None) -> float: ...
    @overload
    def release(self, value: SeriesT, *, out: None = None) -> SeriesT: ...
    @overload
    def release(self, value: Values, *, out: NDArray[float64] | None = None) -> NDArray[float64]: ...
    def release(self, value: Any, *, out: Any = None) -> Any:
        """Return the released number of one value (a float), of an array or list of values (a float64 array), or of a
        pandas or Polars Series (a Series of the same name and index).

        Each value of an array is a release of its own. out=, a float64 array of the same shape, receives the result.
        """
        return self._release(value, out)

    @overload
    def release_index(self, value: Datum, *, out: None = None) -> int: ...
    @overload
    def release_index(self, value: SeriesT, *, out: None = None) -> SeriesT: ...
    @overload
    def release_index(self, value: Values, *, out: NDArray[int64] | None = None) -> NDArray[int64]: ...
    def release_index(self, value: Any, *, out: Any = None) -> Any:
        """Return the grid index behind a released number: an exact integer, an int64 array, or a Series of them."""
        return self._mechanism.release_index(value, out=out)

    def law(self, value: Parameter) -> Law:
        """Return the exact law of the output for one value: the probability of every index. Public only for a guess.

        A value is what it is, as in `release`: a double the number that it stores, text ("0.3", "1/3") what it says.
        """
        return self._mechanism.law(value)

    def __repr__(self) -> str:
        return repr(self._mechanism).replace("Mechanism", "Snapping", 1)

    def _repr_html_(self) -> str:
        from snapdp.api.notebook import mechanism_html

        return mechanism_html(self.parameters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapping) and self._mechanism == other._mechanism

    def __hash__(self) -> int:
        return hash(self._mechanism)

    def accuracy(
        self, *, alpha: Parameter = "0.05", method: str = "tight", value: Parameter | None = None
    ) -> DataUnits:
        """Return the least a with P(|out - f| > a) <= alpha, for every f in the public range, or for a guess `value`.

        method="notes" and "simple" are the published formulas: valid, not tight. With `step=`, f is the quantised
        value; the statistic before quantising lies up to half a step from it, so add half a step for that.

        >>> m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000, grid="natural")
        >>> f"{float(m.accuracy()):.3f}", f"{float(m.accuracy(method='notes')):.3f}"
        ('6.815', '6.991')
        """
        from snapdp.accuracy.error import accuracy

        return accuracy(self.parameters, alpha=alpha, method=method, value=value)

    def alpha(self, *, accuracy: Parameter, value: Parameter | None = None) -> Fraction:
        """Return the least alpha at which the accuracy holds: with `step=`, that of the quantised value.

        For the statistic before quantising ask for the accuracy less half a step.
        """
        from snapdp.accuracy.error import alpha_for

        return alpha_for(self.parameters, accuracy=accuracy, value=value)

    @staticmethod
    def epsilon_for(
        *,
        accuracy: Parameter,
        alpha: Parameter = "0.05",
        sensitivity: Parameter,
        lower: Parameter,
        upper: Parameter,
        grid: Parameter | None = None,
        method: str = "tight",
        arithmetic: str | FinitePrecision | None = None,
        bits: int | None = None,
        gamma: Parameter | None = None,
        step: Parameter | None = None,
    ) -> EpsilonNeeded:
        """Return the least epsilon (four digits, rounded up) with that accuracy, and the accuracies it then has.

        Least of those at which every value of the range has the accuracy, in the arithmetic asked for. On a narrow
        range and a coarse grid a larger epsilon may miss it again: accuracy jumps where the grid halves.

        >>> needed = Snapping.epsilon_for(accuracy=6, sensitivity=1, lower=0, upper=1000)
        >>> needed.epsilon
        Fraction(4997, 10000)
        >>> Snapping.epsilon_for(accuracy=7, sensitivity=1, lower=0, upper=1000, arithmetic="notes", bits=118).epsilon
        Fraction(5001, 10000)
        """
        from snapdp.accuracy.epsilon import epsilon_for

        return epsilon_for(
            accuracy=accuracy,
            alpha=alpha,
            sensitivity=sensitivity,
            lower=lower,
            upper=upper,
            grid=grid,
            method=method,
            arithmetic=arithmetic,
            bits=bits,
            gamma=gamma,
            step=step,
        )

    def bias(self, value: Parameter) -> Enclosure:
        """Return E out - f for a guess f; with `step=`, f is the quantised value, up to half a step from the guess."""
        from snapdp.accuracy.moments import bias

        return bias(self.parameters, value)

    def expected_bias(self, guesses: Mapping[Any, Parameter] | Iterable[Parameter]) -> Enclosure:
        """Return the bias averaged over guesses: a list of them, or {guess: weight}.

        >>> m = Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, grid=1, clamp="range")
        >>> f"{float(m.expected_bias([0, 5, 10])):.3f} {float(m.expected_bias({0: 3, 10: 1})):.3f}"
        '0.000 0.240'
        """
        from snapdp.accuracy.moments import expected_bias

        return expected_bias(self.parameters, guesses)

    def bias_range(self) -> Enclosure:
        """Return an enclosure of the biases of all values in the public range; with `step=`, of the quantised ones."""
        from snapdp.accuracy.moments import bias_range

        return bias_range(self.parameters)

    def variance(self, value: Parameter) -> Enclosure:
        """Return the variance of the output for a guess f."""
        from snapdp.accuracy.moments import variance

        return variance(self.parameters, value)

    def mse(self, value: Parameter) -> Enclosure:
        """Return E (out - f)**2 for a guess f, quantised where there is a step."""
        from snapdp.accuracy.moments import mse

        return mse(self.parameters, value)

    def expected_absolute_error(self, value: Parameter) -> Enclosure:
        """Return E |out - f| for a guess f, quantised where there is a step."""
        from snapdp.accuracy.moments import expected_absolute_error

        return expected_absolute_error(self.parameters, value)

    def binding_probability(self, value: Parameter) -> Enclosure:
        """Return the probability that the outer clamp changes the rounded value, for a guess f."""
        from snapdp.accuracy.clamping import binding_probability

        return binding_probability(self.parameters, value)

    def bound_for(self, gamma: Parameter, *, method: str = "tight") -> Clamp:
        """Return the least clamp that changes an output with probability at most gamma, for every f of the range.

        The clamp that the mechanism itself takes for a gamma is wider, by a step in finite precision: an output that
        stands at its end is as rare as that, be it changed or not. Its `bound` is in data units, as --bound is;
        `in_sensitivities` is what bound= takes.

        >>> m = Snapping(epsilon="0.9", sensitivity=1, lower=-1000, upper=1000, arithmetic="notes", gamma="0.01")
        >>> int(m.parameters.bound), int(m.bound_for("0.01").end_upper)
        (1006, 1004)
        """
        from snapdp.accuracy.clamping import bound_for

        return bound_for(self.parameters, gamma=gamma, method=method)

    def distance(self, value: Parameter) -> Distance:
        """Return how far the output lies from that of the Laplace mechanism on the same draw, for a guess f.

        Which clamps bind, how probable that is and how far the outputs then are at most; and the expected excess over
        that bound. The guess may lie outside the public range.

        >>> found = Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, grid=1, clamp="range").distance(9)
        >>> [(case.number, f"{float(case.probability):.3f}") for case in found.cases], float(found.bound)
        ([(1, '0.888'), (3, '0.112')], 0.5)
        """
        from snapdp.accuracy.price import distance

        return distance(self.parameters, value)

    def distance_tail(self, value: Parameter, *, distance: Parameter) -> Enclosure:
        """Return the probability that the two outputs of `distance` lie further apart than `distance`."""
        from snapdp.accuracy.price import distance_tail

        return distance_tail(self.parameters, value, distance=distance)

    def after(
        self, output: Parameter | None = None, *, index: int | None = None, alpha: Parameter = "0.05"
    ) -> AfterRelease:
        """Return accuracy and bias over the noise interval of a released number (or its index): free of charge.

        The accuracy still holds with probability at least 1 - alpha. That at the true value must not be told: it gives
        the value away, modulo the grid.
        """
        from snapdp.accuracy.summary import after_release

        return after_release(self.parameters, index=index, output=output, alpha=alpha)

    def cost_of_bits(
        self, bits: int | Iterable[int] | None = None, *, arithmetic: str = "proved", alpha: Parameter = "0.05"
    ) -> tuple[CostOfBits, ...]:
        """Return what p-bit arithmetic takes off epsilon and adds to the accuracy, for several precisions."""
        from snapdp.accuracy.price import what_bits_cost

        return what_bits_cost(self.parameters, bits=bits, arithmetic=arithmetic, alpha=alpha)

    def noise_interval(
        self, output: Parameter | None = None, *, index: int | None = None, alpha: Parameter = "0.05"
    ) -> NoiseInterval:
        """Return the 1 - alpha interval for the true statistic, from a released number (or its index) alone.

        It speaks of the noise that was added, and says nothing about sampling error. With `step=` it holds the
        statistic before and after quantising; where bounds lie off the step, that is up to half a step outside them.
        """
        from snapdp.accuracy.interval import noise_interval

        return noise_interval(self.parameters, index=index, output=output, alpha=alpha)
