"""What one mechanism is worth, and tables of several made consistent: error, interval, clamp, bias, price. No data."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
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
    from snapdp.accuracy.adjusted.margins import (
        Contribution as Contribution,
        ExactTable as ExactTable,
        MarginFamily as MarginFamily,
        adjusted_tables as adjusted_tables,
        exact_table as exact_table,
        margin_family as margin_family,
    )
    from snapdp.accuracy.adjusted.noise import (
        NoiseTerm as NoiseTerm,
        SnappedNoise as SnappedNoise,
        count_noise as count_noise,
    )
    from snapdp.accuracy.adjusted.radius import (
        Radius as Radius,
        level_for as level_for,
        radius_of as radius_of,
        variance_of as variance_of,
    )
    from snapdp.accuracy.adjusted.trees import (
        CountTree as CountTree,
        adjusted_values as adjusted_values,
        count_tree as count_tree,
    )
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
    from snapdp.accuracy.curve import (
        NEAR as NEAR,
        WORTH_SAYING as WORTH_SAYING,
        Curve as Curve,
        Hint as Hint,
        LawBar as LawBar,
        LawBars as LawBars,
        bars_of_law as bars_of_law,
        curve_of as curve_of,
    )
    from snapdp.accuracy.epsilon import EpsilonNeeded as EpsilonNeeded, epsilon_for as epsilon_for
    from snapdp.accuracy.error import accuracy as accuracy, alpha_for as alpha_for
    from snapdp.accuracy.interval import (
        NoiseInterval as NoiseInterval,
        noise_interval as noise_interval,
        reach_of as reach_of,
    )
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
        CostOfBits as CostOfBits,
        Distance as Distance,
        distance as distance,
        distance_tail as distance_tail,
        price_of_snapping as price_of_snapping,
        price_table as price_table,
        what_bits_cost as what_bits_cost,
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
    from snapdp.accuracy.quantiles import (
        LevelTree as LevelTree,
        Prefixes as Prefixes,
        RankedCell as RankedCell,
        RisingLine as RisingLine,
        best_tree as best_tree,
        prefixes as prefixes,
        ranked as ranked,
    )
    from snapdp.accuracy.summary import (
        AfterRelease as AfterRelease,
        Guess as Guess,
        Worth as Worth,
        after_release as after_release,
        worth_of_mechanism as worth_of_mechanism,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "adjusted.figures": (
                "MarginWorth NodeWorth NumberWorth margins_worth terms_of tree_worth worth_of_kinds worth_of_terms"
            ),
            "adjusted.margins": "Contribution ExactTable MarginFamily adjusted_tables exact_table margin_family",
            "adjusted.noise": "NoiseTerm SnappedNoise count_noise",
            "adjusted.radius": "Radius level_for radius_of variance_of",
            "adjusted.trees": "CountTree adjusted_values count_tree",
            "clamping": "Clamp binding_probability bound_for",
            "comparison": (
                "AccuracyByEpsilon AccuracyLine CONTENDERS MECHANISMS SideBySide accuracy_by_epsilon "
                "accuracy_lines bias_by_guess clamp_by_gamma contenders distance_tails errors_of_means "
                "mean_errors means_of_first"
            ),
            "curve": "Curve Hint LawBar LawBars NEAR WORTH_SAYING bars_of_law curve_of",
            "epsilon": "EpsilonNeeded epsilon_for",
            "error": "accuracy alpha_for",
            "interval": "NoiseInterval noise_interval reach_of",
            "moments": "bias bias_range expected_absolute_error expected_bias mse variance",
            "price": (
                "CostOfBits Distance TABLE_EPSILONS distance distance_tail price_of_snapping price_table what_bits_cost"
            ),
            "published.claims": "BesideExact PrintedClaim beside_exact",
            "published.formulas": (
                "GetAccuracy PrintedMechanism alpha_of_accuracy bias_plus binding_6_6 binding_6_7 "
                "bits_of_epsilon bound_from_gamma epsilon_6_4 epsilon_6_5 f_n_sub_minus f_z_minus f_z_plus "
                "get_accuracy get_accuracy2 grid_4_1 k_of_accuracy k_of_epsilon laplace_accuracy "
                "largest_count largest_covariance largest_mean largest_variance last_step_of_6_5 p_lower "
                "p_lower_plus p_lower_stars p_upper_minus p_upper_plus p_upper_stars printed_mechanism "
                "rounded_4_2 shift_and_bound simple_accuracy"
            ),
            "quantiles": "LevelTree Prefixes RankedCell RisingLine best_tree prefixes ranked",
            "summary": "AfterRelease Guess Worth after_release worth_of_mechanism",
        },
    )
