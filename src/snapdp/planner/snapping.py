"""The public class `snapdp.Snapping`: the mechanism, with what a release of it is worth as methods.

Room: planner. Thin methods over the planner's functions, imported when called: a release never loads them.
All figures are in data units; every bound is rounded to the safe side.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.mechanism import snapping

if TYPE_CHECKING:
    from snapdp.exact.enclosure import Enclosure
    from snapdp.mechanism.parameters import DataUnits
    from snapdp.planner.binding import Clamp
    from snapdp.planner.epsilon import EpsilonNeeded
    from snapdp.planner.interval import NoiseInterval


class Snapping(snapping.Snapping):
    __doc__ = snapping.Snapping.__doc__

    def accuracy(self, *, alpha: Any = "0.05", method: str = "tight", value: Any = None) -> DataUnits:
        """Return the least a with P(|out - f| > a) <= alpha, for every f in the public range, or for a guess `value`.

        method="notes" and "simple" are the published formulas: valid, not tight. With `step=`, f is the quantised
        value; the statistic before quantising lies up to half a step from it, so add half a step for that.

        >>> m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000, grid="natural")
        >>> f"{float(m.accuracy()):.3f}", f"{float(m.accuracy(method='notes')):.3f}"
        ('6.815', '6.991')
        """
        from snapdp.planner.accuracy import accuracy

        return accuracy(self.parameters, alpha=alpha, method=method, value=value)

    def alpha(self, *, accuracy: Any, value: Any = None) -> Fraction:
        """Return the least alpha at which the accuracy holds: with `step=`, that of the quantised value.

        For the statistic before quantising ask for the accuracy less half a step.
        """
        from snapdp.planner.accuracy import alpha_for

        return alpha_for(self.parameters, accuracy=accuracy, value=value)

    @staticmethod
    def epsilon_for(
        *,
        accuracy: Any,
        alpha: Any = "0.05",
        sensitivity: Any,
        lower: Any,
        upper: Any,
        grid: Any = None,
        method: str = "tight",
    ) -> EpsilonNeeded:
        """Return the least epsilon (four digits, rounded up) with that accuracy, and the accuracies it then has.

        >>> needed = Snapping.epsilon_for(accuracy=6, sensitivity=1, lower=0, upper=1000)
        >>> needed.epsilon
        Fraction(4997, 10000)
        """
        from snapdp.planner.epsilon import epsilon_for

        return epsilon_for(
            accuracy=accuracy, alpha=alpha, sensitivity=sensitivity, lower=lower, upper=upper, grid=grid, method=method
        )

    def bias(self, value: Any) -> Enclosure:
        """Return E out - f for a guess f; with `step=`, f is the quantised value, up to half a step from the guess."""
        from snapdp.planner.moments import bias

        return bias(self.parameters, value)

    def bias_range(self) -> Enclosure:
        """Return an enclosure of the biases of all values in the public range; with `step=`, of the quantised ones."""
        from snapdp.planner.moments import bias_range

        return bias_range(self.parameters)

    def variance(self, value: Any) -> Enclosure:
        """Return the variance of the output for a guess f."""
        from snapdp.planner.moments import variance

        return variance(self.parameters, value)

    def mse(self, value: Any) -> Enclosure:
        """Return E (out - f)**2 for a guess f, quantised where there is a step."""
        from snapdp.planner.moments import mse

        return mse(self.parameters, value)

    def expected_absolute_error(self, value: Any) -> Enclosure:
        """Return E |out - f| for a guess f, quantised where there is a step."""
        from snapdp.planner.moments import expected_absolute_error

        return expected_absolute_error(self.parameters, value)

    def binding_probability(self, value: Any) -> Enclosure:
        """Return the probability that the outer clamp changes the rounded value, for a guess f."""
        from snapdp.planner.binding import binding_probability

        return binding_probability(self.parameters, value)

    def bound_for(self, gamma: Any, *, method: str = "tight") -> Clamp:
        """Return the clamp that changes an output with probability at most gamma, for every f in the public range."""
        from snapdp.planner.binding import bound_for

        return bound_for(self.parameters, gamma=gamma, method=method)

    def noise_interval(self, output: Any = None, *, index: int | None = None, alpha: Any = "0.05") -> NoiseInterval:
        """Return the 1 - alpha interval for the true statistic, from a released number (or its index) alone.

        It speaks of the noise that was added, and says nothing about sampling error. With `step=` it holds the
        statistic before and after quantising; where bounds lie off the step, that is up to half a step outside them.
        """
        from snapdp.planner.interval import noise_interval

        return noise_interval(self.parameters, index=index, output=output, alpha=alpha)
