"""What one mechanism is worth, and tables of several made consistent: error, interval, clamp, bias, price. No data."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.accuracy.adjusted.combination import (
        Radius as Radius,
        level_for as level_for,
        radius_of as radius_of,
        variance_of as variance_of,
    )
    from snapdp.accuracy.adjusted.figures import (
        MarginWorth as MarginWorth,
        NodeWorth as NodeWorth,
        NumberWorth as NumberWorth,
        margins_worth as margins_worth,
        terms_of as terms_of,
        tree_worth as tree_worth,
        worth_of_kinds as worth_of_kinds,
        worth_of_terms as worth_of_terms,
    )
    from snapdp.accuracy.adjusted.margin_tables import (
        ExactTable as ExactTable,
        adjusted_tables as adjusted_tables,
        exact_table as exact_table,
    )
    from snapdp.accuracy.adjusted.margins import (
        Contribution as Contribution,
        MarginFamily as MarginFamily,
        margin_family as margin_family,
    )
    from snapdp.accuracy.adjusted.noise import (
        NoiseTerm as NoiseTerm,
        SnappedNoise as SnappedNoise,
        count_noise as count_noise,
    )
    from snapdp.accuracy.adjusted.tree_values import adjusted_values as adjusted_values
    from snapdp.accuracy.adjusted.trees import CountTree as CountTree, count_tree as count_tree
    from snapdp.accuracy.after import AfterRelease as AfterRelease, after_release as after_release
    from snapdp.accuracy.clamping import (
        Clamp as Clamp,
        binding_probability as binding_probability,
        bound_for as bound_for,
    )
    from snapdp.accuracy.comparison import (
        CONTENDERS as CONTENDERS,
        MECHANISMS as MECHANISMS,
        AccuracyByEpsilon as AccuracyByEpsilon,
        AccuracyLine as AccuracyLine,
        SideBySide as SideBySide,
        accuracy_by_epsilon as accuracy_by_epsilon,
        accuracy_lines as accuracy_lines,
        bias_by_guess as bias_by_guess,
        clamp_by_gamma as clamp_by_gamma,
        contenders as contenders,
        distance_tails as distance_tails,
        errors_of_means as errors_of_means,
        mean_errors as mean_errors,
        means_of_first as means_of_first,
    )
    from snapdp.accuracy.cost_of_bits import CostOfBits as CostOfBits, what_bits_cost as what_bits_cost
    from snapdp.accuracy.curve import Curve as Curve, curve_of as curve_of
    from snapdp.accuracy.epsilon import EpsilonNeeded as EpsilonNeeded, epsilon_for as epsilon_for
    from snapdp.accuracy.error import accuracy as accuracy, alpha_for as alpha_for
    from snapdp.accuracy.hints import NEAR as NEAR, WORTH_SAYING as WORTH_SAYING, Hint as Hint
    from snapdp.accuracy.interval import NoiseInterval as NoiseInterval, noise_interval as noise_interval
    from snapdp.accuracy.laplace import Distance as Distance, distance as distance, distance_tail as distance_tail
    from snapdp.accuracy.law_bars import LawBar as LawBar, LawBars as LawBars, bars_of_law as bars_of_law
    from snapdp.accuracy.moments import (
        bias as bias,
        bias_range as bias_range,
        expected_absolute_error as expected_absolute_error,
        expected_bias as expected_bias,
        mse as mse,
        variance as variance,
    )
    from snapdp.accuracy.price import (
        TABLE_EPSILONS as TABLE_EPSILONS,
        price_of_snapping as price_of_snapping,
        price_table as price_table,
    )
    from snapdp.accuracy.published.claims import (
        BesideExact as BesideExact,
        PrintedClaim as PrintedClaim,
        beside_exact as beside_exact,
    )
    from snapdp.accuracy.published.formulas import (
        GetAccuracy as GetAccuracy,
        PrintedMechanism as PrintedMechanism,
        alpha_of_accuracy as alpha_of_accuracy,
        bias_plus as bias_plus,
        binding_6_6 as binding_6_6,
        binding_6_7 as binding_6_7,
        bits_of_epsilon as bits_of_epsilon,
        bound_from_gamma as bound_from_gamma,
        epsilon_6_4 as epsilon_6_4,
        epsilon_6_5 as epsilon_6_5,
        f_n_sub_minus as f_n_sub_minus,
        f_z_minus as f_z_minus,
        f_z_plus as f_z_plus,
        get_accuracy as get_accuracy,
        get_accuracy2 as get_accuracy2,
        grid_4_1 as grid_4_1,
        k_of_accuracy as k_of_accuracy,
        k_of_epsilon as k_of_epsilon,
        laplace_accuracy as laplace_accuracy,
        largest_count as largest_count,
        largest_covariance as largest_covariance,
        largest_mean as largest_mean,
        largest_variance as largest_variance,
        last_step_of_6_5 as last_step_of_6_5,
        p_lower as p_lower,
        p_lower_plus as p_lower_plus,
        p_lower_stars as p_lower_stars,
        p_upper_minus as p_upper_minus,
        p_upper_plus as p_upper_plus,
        p_upper_stars as p_upper_stars,
        printed_mechanism as printed_mechanism,
        rounded_4_2 as rounded_4_2,
        shift_and_bound as shift_and_bound,
        simple_accuracy as simple_accuracy,
    )
    from snapdp.accuracy.quantiles.level_tree import LevelTree as LevelTree, best_tree as best_tree
    from snapdp.accuracy.quantiles.prefixes import Prefixes as Prefixes, prefixes as prefixes
    from snapdp.accuracy.quantiles.ranks import RankedCell as RankedCell, RisingLine as RisingLine, ranked as ranked
    from snapdp.accuracy.reach import reach_of as reach_of
    from snapdp.accuracy.worth import Guess as Guess, Worth as Worth, worth_of_mechanism as worth_of_mechanism
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "adjusted.combination": "Radius level_for radius_of variance_of",
            "adjusted.figures": (
                "MarginWorth NodeWorth NumberWorth margins_worth terms_of tree_worth worth_of_kinds worth_of_terms"
            ),
            "adjusted.margin_tables": "ExactTable adjusted_tables exact_table",
            "adjusted.margins": "Contribution MarginFamily margin_family",
            "adjusted.noise": "NoiseTerm SnappedNoise count_noise",
            "adjusted.tree_values": "adjusted_values",
            "adjusted.trees": "CountTree count_tree",
            "after": "AfterRelease after_release",
            "clamping": "Clamp binding_probability bound_for",
            "comparison": (
                "CONTENDERS MECHANISMS AccuracyByEpsilon AccuracyLine SideBySide accuracy_by_epsilon accuracy_lines "
                "bias_by_guess clamp_by_gamma contenders distance_tails errors_of_means mean_errors means_of_first"
            ),
            "cost_of_bits": "CostOfBits what_bits_cost",
            "curve": "Curve curve_of",
            "epsilon": "EpsilonNeeded epsilon_for",
            "error": "accuracy alpha_for",
            "hints": "NEAR WORTH_SAYING Hint",
            "interval": "NoiseInterval noise_interval",
            "laplace": "Distance distance distance_tail",
            "law_bars": "LawBar LawBars bars_of_law",
            "moments": "bias bias_range expected_absolute_error expected_bias mse variance",
            "price": "TABLE_EPSILONS price_of_snapping price_table",
            "published.claims": "BesideExact PrintedClaim beside_exact",
            "published.formulas": (
                "GetAccuracy PrintedMechanism alpha_of_accuracy bias_plus binding_6_6 binding_6_7 bits_of_epsilon "
                "bound_from_gamma epsilon_6_4 epsilon_6_5 f_n_sub_minus f_z_minus f_z_plus get_accuracy get_accuracy2 "
                "grid_4_1 k_of_accuracy k_of_epsilon laplace_accuracy largest_count largest_covariance largest_mean "
                "largest_variance last_step_of_6_5 p_lower p_lower_plus p_lower_stars p_upper_minus p_upper_plus "
                "p_upper_stars printed_mechanism rounded_4_2 shift_and_bound simple_accuracy"
            ),
            "quantiles.level_tree": "LevelTree best_tree",
            "quantiles.prefixes": "Prefixes prefixes",
            "quantiles.ranks": "RankedCell RisingLine ranked",
            "reach": "reach_of",
            "worth": "Guess Worth worth_of_mechanism",
        },
    )
