"""The formulas of the notes AS PRINTED: not what snapdp uses, and some of them are wrong.

What was published about the snapping mechanism, for readers of the documents who want to compare: Covington's Snapping
Mechanism Notes of 26 August 2019, 31 August 2019 and 26 August 2020, Mironov's bound as they quote it, and Liu's bound
of March 2020. `beside_exact` evaluates all of them beside the exact answers and says which hold. A plan quotes one as
published; no plan and no release computes with them: ask `snapdp.Snapping` for numbers to rely on.

>>> from snapdp.lab import claims
>>> m = claims.printed_mechanism(epsilon="5/3", bound=4)
>>> found = claims.get_accuracy(m, if_value=4)
>>> found.case, round(float(found.accuracy), 3), round(float(claims.get_accuracy2(m)), 3)
(4, 0.686, 2.297)
>>> claims.beside_exact("Algorithm 1", epsilon="5/3", bound=4, if_value=4).claims["Algorithm 1"].valid
False
"""

from snapdp.lab.claims.formulas import (
    BesideExact as BesideExact,
    GetAccuracy as GetAccuracy,
    alpha_of_accuracy as alpha_of_accuracy,
    beside_exact as beside_exact,
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
    rounded_4_2 as rounded_4_2,
    shift_and_bound as shift_and_bound,
    simple_accuracy as simple_accuracy,
)
from snapdp.lab.claims.judges import PrintedClaim as PrintedClaim
from snapdp.lab.claims.mechanism import PrintedMechanism as PrintedMechanism, printed_mechanism as printed_mechanism
from snapdp.mechanism.law.finite import liu_formula as liu_formula, mironov_formula as mironov_formula
