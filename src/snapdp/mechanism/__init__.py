"""The snapping mechanism: its parameters, its definition, how it is drawn (sampling) and what it does (law)."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.mechanism.definition import clamped_index as clamped_index, decide as decide
    from snapdp.mechanism.finite_precision import (
        FINITE_GAMMA as FINITE_GAMMA,
        bits_above as bits_above,
        explicit_parameters as explicit_parameters,
        finite_parameters as finite_parameters,
        notes_effective_epsilon as notes_effective_epsilon,
        required_bits as required_bits,
    )
    from snapdp.mechanism.law.exact import ExactLaw as ExactLaw
    from snapdp.mechanism.law.finite import (
        FiniteLaw as FiniteLaw,
        is_summable as is_summable,
        liu_formula as liu_formula,
        liu_loss as liu_loss,
        mass_ratio as mass_ratio,
        mironov_formula as mironov_formula,
        mironov_loss as mironov_loss,
        overhead_of as overhead_of,
        proved_loss as proved_loss,
        ratio_of_masses as ratio_of_masses,
    )
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
        FinitePrecision as FinitePrecision,
        Inner as Inner,
        Precision as Precision,
        SnappingParameters as SnappingParameters,
        arithmetic_of as arithmetic_of,
        chosen_grid as chosen_grid,
        exact_parameters as exact_parameters,
        spacing_of_doubles as spacing_of_doubles,
    )
    from snapdp.mechanism.sampling.filter import (
        COARSE_LOG_ERROR as COARSE_LOG_ERROR,
        FINE_LOG_ERROR as FINE_LOG_ERROR,
        KNOWN_LOGARITHMS as KNOWN_LOGARITHMS,
        SINGLE_LOG_ERROR as SINGLE_LOG_ERROR,
        ScalarSampler as ScalarSampler,
    )
    from snapdp.mechanism.sampling.vectors import VectorSampler as VectorSampler
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "definition": "clamped_index decide",
            "finite_precision": (
                "FINITE_GAMMA bits_above explicit_parameters finite_parameters notes_effective_epsilon required_bits"
            ),
            "law.exact": "ExactLaw",
            "law.finite": (
                "FiniteLaw is_summable liu_formula liu_loss mass_ratio mironov_formula mironov_loss "
                "overhead_of proved_loss ratio_of_masses"
            ),
            "law.law": "Law ONE ZERO law_of",
            "law.loss": "loss_bracket pair_loss worst_pair",
            "mechanism": "Mechanism declared dividing_step index_with_bits integer_indices release_with_bits",
            "parameters": (
                "DataUnits Declaration EXACT_GAMMA FINE FinitePrecision Inner Precision SnappingParameters "
                "arithmetic_of chosen_grid exact_parameters spacing_of_doubles"
            ),
            "sampling.filter": "COARSE_LOG_ERROR FINE_LOG_ERROR KNOWN_LOGARITHMS SINGLE_LOG_ERROR ScalarSampler",
            "sampling.vectors": "VectorSampler",
        },
    )
