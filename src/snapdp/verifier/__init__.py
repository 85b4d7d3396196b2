"""What a floating-point program loses: language, machine, rules, loss, certificate, report, export, python."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.verifier.certificate.certificate import (
        certificate_of as certificate_of,
        certificate_text as certificate_text,
    )
    from snapdp.verifier.certificate.check import (
        LARGEST_TEXT as LARGEST_TEXT,
        Refusal as Refusal,
        conclusion_lines as conclusion_lines,
        examine as examine,
    )
    from snapdp.verifier.export import fpcore as fpcore, gappa as gappa
    from snapdp.verifier.language.parser import parse as parse
    from snapdp.verifier.language.programs import (
        comment_of as comment_of,
        decoded as decoded,
        load_program as load_program,
        machine_in as machine_in,
        program_names as program_names,
        program_text as program_text,
        stated_machine as stated_machine,
    )
    from snapdp.verifier.language.syntax import Program as Program, printed as printed
    from snapdp.verifier.loss.pointwise import output_draws as output_draws
    from snapdp.verifier.loss.verdict import (
        Verdict as Verdict,
        asked_pair as asked_pair,
        case_constants as case_constants,
        require_cases as require_cases,
        telling_pairs as telling_pairs,
        verify as verify,
    )
    from snapdp.verifier.machine.machine import Machine as Machine, parse_machine as parse_machine
    from snapdp.verifier.machine.semantics import (
        evaluate_float as evaluate_float,
        evaluate_real as evaluate_real,
        run_float as run_float,
    )
    from snapdp.verifier.mechanism_program import (
        MechanismProgram as MechanismProgram,
        mechanism_certificate as mechanism_certificate,
        mechanism_pair as mechanism_pair,
        program_of_mechanism as program_of_mechanism,
        verify_mechanism as verify_mechanism,
    )
    from snapdp.verifier.python.audited import (
        audit as audit,
        audited_function as audited_function,
        names_a_function as names_a_function,
    )
    from snapdp.verifier.python.symbols import clamp as clamp, ln as ln, round_to as round_to
    from snapdp.verifier.report.cases import (
        cases_text as cases_text,
        cases_values as cases_values,
        evaluation_text as evaluation_text,
        evaluation_values as evaluation_values,
        output_draws_text as output_draws_text,
        output_draws_values as output_draws_values,
    )
    from snapdp.verifier.report.derivation import (
        derivation_latex as derivation_latex,
        derivation_page as derivation_page,
        derivation_text as derivation_text,
        derivation_values as derivation_values,
        printed_rules_page as printed_rules_page,
        printed_rules_text as printed_rules_text,
        printed_rules_values as printed_rules_values,
    )
    from snapdp.verifier.report.mechanism import mechanism_text as mechanism_text, mechanism_values as mechanism_values
    from snapdp.verifier.report.page import CertificateFile as CertificateFile, verdict_page as verdict_page
    from snapdp.verifier.report.verdict import (
        REPRODUCTION as REPRODUCTION,
        headline as headline,
        python_lines as python_lines,
        verdict_text as verdict_text,
        verdict_values as verdict_values,
    )
    from snapdp.verifier.rules.evaluation import Evaluation as Evaluation, evaluate as evaluate
    from snapdp.verifier.rules.printed_rules import (
        derivations_by as derivations_by,
        derive_as_printed as derive_as_printed,
    )
    from snapdp.verifier.rules.rules import (
        derivations as derivations,
        derive as derive,
        derive_expression as derive_expression,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "certificate.certificate": "certificate_of certificate_text",
            "certificate.check": "LARGEST_TEXT Refusal conclusion_lines examine",
            "export": "fpcore gappa",
            "language.parser": "parse",
            "language.programs": (
                "comment_of decoded load_program machine_in program_names program_text stated_machine"
            ),
            "language.syntax": "Program printed",
            "loss.pointwise": "output_draws",
            "loss.verdict": "Verdict asked_pair case_constants require_cases telling_pairs verify",
            "machine.machine": "Machine parse_machine",
            "machine.semantics": "evaluate_float evaluate_real run_float",
            "mechanism_program": (
                "MechanismProgram mechanism_certificate mechanism_pair program_of_mechanism verify_mechanism"
            ),
            "python.audited": "audit audited_function names_a_function",
            "python.symbols": "clamp ln round_to",
            "report.cases": (
                "cases_text cases_values evaluation_text evaluation_values output_draws_text output_draws_values"
            ),
            "report.derivation": (
                "derivation_latex derivation_page derivation_text derivation_values printed_rules_page "
                "printed_rules_text printed_rules_values"
            ),
            "report.mechanism": "mechanism_text mechanism_values",
            "report.page": "CertificateFile verdict_page",
            "report.verdict": "REPRODUCTION headline python_lines verdict_text verdict_values",
            "rules.evaluation": "Evaluation evaluate",
            "rules.printed_rules": "derivations_by derive_as_printed",
            "rules.rules": "derivations derive derive_expression",
        },
    )
