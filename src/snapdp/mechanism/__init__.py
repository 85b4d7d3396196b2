"""The snapping mechanism: its parameters, its definition, how it is drawn (sampling) and what it does (law)."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.mechanism.arithmetic import (
        FinitePrecision as FinitePrecision,
        Precision as Precision,
        arithmetic_of as arithmetic_of,
    )
    from snapdp.mechanism.definition import clamped_index as clamped_index, decide as decide
    from snapdp.mechanism.finite_precision import (
        FINITE_GAMMA as FINITE_GAMMA,
        bits_above as bits_above,
        explicit_parameters as explicit_parameters,
        finite_parameters as finite_parameters,
        notes_effective_epsilon as notes_effective_epsilon,
        required_bits as required_bits,
    )
    from snapdp.mechanism.law.bounds import (
        liu_formula as liu_formula,
        liu_loss as liu_loss,
        mass_ratio as mass_ratio,
        mironov_formula as mironov_formula,
        mironov_loss as mironov_loss,
        overhead_of as overhead_of,
        proved_loss as proved_loss,
        ratio_of_masses as ratio_of_masses,
    )
    from snapdp.mechanism.law.exact import ExactLaw as ExactLaw
    from snapdp.mechanism.law.finite import FiniteLaw as FiniteLaw, is_summable as is_summable
    from snapdp.mechanism.law.law import ONE as ONE, ZERO as ZERO, Law as Law, law_of as law_of
    from snapdp.mechanism.law.loss import loss_bracket as loss_bracket, pair_loss as pair_loss, worst_pair as worst_pair
    from snapdp.mechanism.mechanism import (
        Mechanism as Mechanism,
        declared as declared,
        dividing_step as dividing_step,
        index_with_bits as index_with_bits,
        integer_indices as integer_indices,
        release_with_bits as release_with_bits,
    )
    from snapdp.mechanism.parameters import (
        EXACT_GAMMA as EXACT_GAMMA,
        FINE as FINE,
        DataUnits as DataUnits,
        Declaration as Declaration,
        Inner as Inner,
        SnappingParameters as SnappingParameters,
        chosen_grid as chosen_grid,
        exact_parameters as exact_parameters,
        spacing_of_doubles as spacing_of_doubles,
    )
    from snapdp.mechanism.sampling.filter import (
        COARSE_LOG_ERROR as COARSE_LOG_ERROR,
        FINE_LOG_ERROR as FINE_LOG_ERROR,
        ScalarSampler as ScalarSampler,
    )
    from snapdp.mechanism.sampling.known_logarithms import KNOWN_LOGARITHMS as KNOWN_LOGARITHMS
    from snapdp.mechanism.sampling.single_filter import SINGLE_LOG_ERROR as SINGLE_LOG_ERROR
    from snapdp.mechanism.sampling.vectors import VectorSampler as VectorSampler
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "arithmetic": "FinitePrecision Precision arithmetic_of",
            "definition": "clamped_index decide",
            "finite_precision": (
                "FINITE_GAMMA bits_above explicit_parameters finite_parameters notes_effective_epsilon required_bits"
            ),
            "law.bounds": (
                "liu_formula liu_loss mass_ratio mironov_formula mironov_loss overhead_of proved_loss ratio_of_masses"
            ),
            "law.exact": "ExactLaw",
            "law.finite": "FiniteLaw is_summable",
            "law.law": "ONE ZERO Law law_of",
            "law.loss": "loss_bracket pair_loss worst_pair",
            "mechanism": ("Mechanism declared dividing_step index_with_bits integer_indices release_with_bits"),
            "parameters": (
                "EXACT_GAMMA FINE DataUnits Declaration Inner SnappingParameters chosen_grid exact_parameters "
                "spacing_of_doubles"
            ),
            "sampling.filter": "COARSE_LOG_ERROR FINE_LOG_ERROR ScalarSampler",
            "sampling.known_logarithms": "KNOWN_LOGARITHMS",
            "sampling.single_filter": "SINGLE_LOG_ERROR",
            "sampling.vectors": "VectorSampler",
        },
    )
