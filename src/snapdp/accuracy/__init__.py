"""What one mechanism is worth: error, epsilon, interval, clamp, bias, price, distance to Laplace. No data."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.accuracy.clamping import (
        Clamp as Clamp,
        binding_probability as binding_probability,
        bound_for as bound_for,
    )
    from snapdp.accuracy.curve import Curve as Curve, curve_of as curve_of, law_heights as law_heights
    from snapdp.accuracy.epsilon import EpsilonNeeded as EpsilonNeeded, epsilon_for as epsilon_for
    from snapdp.accuracy.error import accuracy as accuracy, alpha_for as alpha_for
    from snapdp.accuracy.interval import NoiseInterval as NoiseInterval, noise_interval as noise_interval
    from snapdp.accuracy.laplace import distance as distance, distance_tail as distance_tail
    from snapdp.accuracy.moments import (
        bias as bias,
        bias_range as bias_range,
        expected_absolute_error as expected_absolute_error,
        mse as mse,
        variance as variance,
    )
    from snapdp.accuracy.price import price_of_snapping as price_of_snapping, price_table as price_table
    from snapdp.accuracy.reach import reach_of as reach_of
    from snapdp.accuracy.worth import (
        Report as Report,
        Worth as Worth,
        report as report,
        worth_of_mechanism as worth_of_mechanism,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "clamping": "Clamp binding_probability bound_for",
            "curve": "Curve curve_of law_heights",
            "epsilon": "EpsilonNeeded epsilon_for",
            "error": "accuracy alpha_for",
            "interval": "NoiseInterval noise_interval",
            "laplace": "distance distance_tail",
            "moments": "bias bias_range expected_absolute_error mse variance",
            "price": "price_of_snapping price_table",
            "reach": "reach_of",
            "worth": "Report Worth report worth_of_mechanism",
        },
    )
