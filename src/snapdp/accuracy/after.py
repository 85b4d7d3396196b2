"""What can be said about error and bias after a release: functions of the released number, so they cost nothing.

Room: accuracy. The accuracy at the true value would tell that value modulo the grid; the accuracy over the noise
interval of the output is post-processing. It still holds: where the interval holds the statistic, which it does with
probability 1 - alpha, the output is no further from it than the accuracy at that value, and the largest accuracy over
the interval is no less.
Theory: docs/theory/utility.md, (1)-(3).
"""

from __future__ import annotations

from typing import Any

from snapdp.accuracy.error import accuracy
from snapdp.accuracy.interval import NoiseInterval, noise_interval
from snapdp.accuracy.moments import bias_range
from snapdp.exact import Enclosure
from snapdp.mechanism import DataUnits, SnappingParameters
from snapdp.values import Value, replaced


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
    return AfterRelease(interval=interval, accuracy=accuracy(near, alpha=alpha), bias=bias_range(near))
