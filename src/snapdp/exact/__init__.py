"""Arithmetic that never rounds unasked: numbers in, rationals and enclosures out."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.exact.dyadic import (
        HALF as HALF,
        exponent_at_least as exponent_at_least,
        exponent_of_power as exponent_of_power,
        floor_log2 as floor_log2,
        floor_log10 as floor_log10,
        nearest_index as nearest_index,
        nearest_index_of_double as nearest_index_of_double,
        nearest_multiple as nearest_multiple,
        next_above as next_above,
        next_below as next_below,
        power_of_ten as power_of_ten,
        power_of_two as power_of_two,
        power_of_two_at_least as power_of_two_at_least,
        round_digits_up as round_digits_up,
        round_down as round_down,
        round_nearest as round_nearest,
        round_places_up as round_places_up,
        round_up as round_up,
    )
    from snapdp.exact.enclosure import (
        TINY_EXPONENT as TINY_EXPONENT,
        Enclosure as Enclosure,
        decided_ceil as decided_ceil,
        decided_floor as decided_floor,
        enclose as enclose,
        maximum as maximum,
        refine as refine,
        refined as refined,
    )
    from snapdp.exact.functions import (
        KNOWN_VALUES as KNOWN_VALUES,
        LN2 as LN2,
        NARROW_BITS as NARROW_BITS,
        TABLE_BITS as TABLE_BITS,
        Exponentials as Exponentials,
        arcosh_of_exp as arcosh_of_exp,
        exact_mpfr as exact_mpfr,
        exp_enclosure as exp_enclosure,
        exp_of as exp_of,
        expm1_enclosure as expm1_enclosure,
        exponential as exponential,
        fraction_of_mpfr as fraction_of_mpfr,
        laplace_cdf as laplace_cdf,
        ln_enclosure as ln_enclosure,
        ln_nearest as ln_nearest,
        ln_of as ln_of,
        mpfr_context as mpfr_context,
        require_directed_rounding as require_directed_rounding,
        root_for_rounding as root_for_rounding,
        rounded_up as rounded_up,
        sqrt_enclosure as sqrt_enclosure,
        sqrt_of as sqrt_of,
    )
    from snapdp.exact.integers import (
        exp_scaled as exp_scaled,
        floor_cos as floor_cos,
        floor_scaled as floor_scaled,
        ln_scaled as ln_scaled,
        pi_scaled as pi_scaled,
    )
    from snapdp.exact.numbers import (
        LARGEST_DECIMAL_EXPONENT as LARGEST_DECIMAL_EXPONENT,
        Datum as Datum,
        Parameter as Parameter,
        datum as datum,
        not_a_real_number as not_a_real_number,
        over_common as over_common,
        parameter as parameter,
        positive as positive,
        probability as probability,
        ratio_down as ratio_down,
        ratio_nearest as ratio_nearest,
        ratio_up as ratio_up,
        ratios_down as ratios_down,
        ratios_up as ratios_up,
        shown as shown,
        to_float_down as to_float_down,
        to_float_nearest as to_float_nearest,
        to_float_up as to_float_up,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "dyadic": (
                "HALF exponent_at_least exponent_of_power floor_log10 floor_log2 nearest_index "
                "nearest_index_of_double nearest_multiple next_above next_below power_of_ten power_of_two "
                "power_of_two_at_least round_digits_up round_down round_nearest round_places_up round_up"
            ),
            "enclosure": "Enclosure TINY_EXPONENT decided_ceil decided_floor enclose maximum refine refined",
            "functions": (
                "Exponentials KNOWN_VALUES LN2 NARROW_BITS TABLE_BITS arcosh_of_exp exact_mpfr exp_enclosure "
                "exp_of expm1_enclosure exponential fraction_of_mpfr laplace_cdf ln_enclosure ln_nearest "
                "ln_of mpfr_context require_directed_rounding root_for_rounding rounded_up sqrt_enclosure "
                "sqrt_of"
            ),
            "integers": "exp_scaled floor_cos floor_scaled ln_scaled pi_scaled",
            "numbers": (
                "Datum LARGEST_DECIMAL_EXPONENT Parameter datum not_a_real_number over_common parameter "
                "positive probability ratio_down ratio_nearest ratio_up ratios_down ratios_up shown "
                "to_float_down to_float_nearest to_float_up"
            ),
        },
    )
