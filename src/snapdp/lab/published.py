"""The formulas of the notes AS PRINTED: not what snapdp uses, and some of them are wrong.

What was published about the snapping mechanism, under one name, for readers of the documents who want to compare:
Covington's Snapping Mechanism Notes of 26 August 2019, 31 August 2019 and 26 August 2020,
Mironov's bound as they quote it, and Liu's bound of March 2020. `beside_exact` evaluates all of them beside the exact
answers and says which hold. A plan quotes one as published; no plan and no release computes with them: ask
`snapdp.Snapping` for numbers to rely on.

>>> from snapdp.lab import published
>>> m = published.printed_mechanism(epsilon="5/3", bound=4)
>>> found = published.get_accuracy(m, if_value=4)
>>> found.case, round(float(found.accuracy), 3), round(float(published.get_accuracy2(m)), 3)
(4, 0.686, 2.297)
>>> published.beside_exact("Algorithm 1", epsilon="5/3", bound=4, if_value=4).claims[0].valid
False
"""

from snapdp.lab.claims.claims import BesideExact, PrintedClaim, beside_exact
from snapdp.lab.claims.formulas import (
    GetAccuracy,
    PrintedMechanism,
    alpha_of_accuracy,
    bias_plus,
    binding_6_6,
    binding_6_7,
    bits_of_epsilon,
    bound_from_gamma,
    epsilon_6_4,
    epsilon_6_5,
    f_n_sub_minus,
    f_z_minus,
    f_z_plus,
    get_accuracy,
    get_accuracy2,
    grid_4_1,
    k_of_accuracy,
    k_of_epsilon,
    laplace_accuracy,
    largest_count,
    largest_covariance,
    largest_mean,
    largest_variance,
    last_step_of_6_5,
    p_lower,
    p_lower_plus,
    p_lower_stars,
    p_upper_minus,
    p_upper_plus,
    p_upper_stars,
    printed_mechanism,
    rounded_4_2,
    shift_and_bound,
    simple_accuracy,
)
from snapdp.mechanism.law.finite import liu_formula, mironov_formula

__all__ = [
    "BesideExact",
    "GetAccuracy",
    "PrintedClaim",
    "PrintedMechanism",
    "alpha_of_accuracy",
    "beside_exact",
    "bias_plus",
    "binding_6_6",
    "binding_6_7",
    "bits_of_epsilon",
    "bound_from_gamma",
    "epsilon_6_4",
    "epsilon_6_5",
    "f_n_sub_minus",
    "f_z_minus",
    "f_z_plus",
    "get_accuracy",
    "get_accuracy2",
    "grid_4_1",
    "k_of_accuracy",
    "k_of_epsilon",
    "laplace_accuracy",
    "largest_count",
    "largest_covariance",
    "largest_mean",
    "largest_variance",
    "last_step_of_6_5",
    "liu_formula",
    "mironov_formula",
    "p_lower",
    "p_lower_plus",
    "p_lower_stars",
    "p_upper_minus",
    "p_upper_plus",
    "p_upper_stars",
    "printed_mechanism",
    "rounded_4_2",
    "shift_and_bound",
    "simple_accuracy",
]
