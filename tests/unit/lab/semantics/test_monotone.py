"""Programs that take magnitudes and signs: pieces on which they are monotone, and their exact laws, by counting."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from snapdp.errors import PremiseError
from snapdp.lab.language.parser import parse
from snapdp.lab.loss.exact_loss import ProgramLaw
from snapdp.lab.loss.verdict import verify
from snapdp.lab.report.verdict import python_lines
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import run_float
from snapdp.lab.semantics.machine import Machine, parse_machine
from tests.unit.lab import counted

FOLDED = "sign(U - 0.5) * ln(1 - 2 * abs(U - 0.5))"
PROGRAMS = {
    f"f(D) + {FOLDED}": 1,
    f"clamp[3](rint(f(D) - 2 * {FOLDED}))": 1,
    "abs(f(D) + S * ln(U))": 2,
    "floor(abs(f(D) + S * ln(U) / 0.5) + 0.5)": 2,
    "S * abs(U - 0.5) - f(D)": 2,
    "abs(abs(f(D) + S * U) - 0.5)": 4,
    "sign(f(D) + S * ln(U))": 1,
    "f(D) * sign(U - 0.25)": 1,
    "f(D) * abs(U - 0.25) * sign(U - 0.5)": 3,
    "clamp[2](abs(f(D)) * S * ln(U))": 1,
    "S * ln(1 - 2 * abs(U - 0.5)) + f(D)": 2,
}


def program_of(output):
    return parse(f"program p {{ query f in [-2, 2]; U <-$ unif; S <-$ {{-1,1}}; z = {output}; return z; }}")


@pytest.mark.parametrize("output", PROGRAMS)
@pytest.mark.parametrize("sampler", ["ulp", "nearest"])
def test_the_exact_law_is_what_counting_gives(output, sampler):
    program, machine = program_of(output), Machine(p=4, umin=-9, sampler=sampler)
    values = [-1.75, 0.0, 0.625]
    found = counted.law(program, machine, values)
    whole = sum(found.values())
    sums: dict[float, np.ndarray] = {}
    for key, masses in found.items():
        if key != counted.STOPPED and np.isfinite(key[0]):
            sums[key[0]] = sums.get(key[0], 0) + masses  # programs have one zero
    execution = Execution(program, machine)
    for place, f in enumerate(values):
        law = ProgramLaw(execution, Fraction(f))
        assert max(len(law.pieces[sign]) for sign in law.execution.signs) <= PROGRAMS[output]
        for x, masses in sums.items():
            chance = law.probability(Fraction(x))
            assert chance.is_exact
            assert chance.lower == Fraction(int(masses[place])) / Fraction(int(whole[place]))


def test_some_programs_need_as_many_pieces_as_they_may():
    execution = Execution(program_of("abs(abs(f(D) + S * U) - 0.5)"), Machine(p=5, umin=-12))
    pieces = ProgramLaw(execution, Fraction(-3, 4)).pieces[1]
    assert [piece.direction for piece in pieces] == [-1, 1, -1]
    with pytest.raises(PremiseError, match="monotone in its draw"):
        ProgramLaw(execution, Fraction(-3, 4)).preimage(1, Fraction(1, 4))


@pytest.mark.parametrize(
    "output", ["abs(f(D) + S * U) * U", "f(D) + U / abs(U - 0.5)", "abs(U - 0.5) * ln(U)", "U * U"]
)
def test_what_is_monotone_on_no_pieces_known_is_not_executed(output):
    with pytest.raises(PremiseError, match=r"monotone in its draw|divides by zero"):
        ProgramLaw(Execution(program_of(output), Machine()), Fraction(1))


def test_a_draw_without_a_number_is_found_inside_of_the_row():
    """ln(|U - 1/2| - 1/4) has no value around one half, and one at both ends."""
    execution = Execution(program_of("f(D) + ln(abs(U - 0.5) - 0.25)"), Machine(p=8))
    with pytest.raises(PremiseError, match="no value for some draws"):
        ProgramLaw(execution, Fraction(1))


@pytest.mark.parametrize("machine", ["", "sampler=grid53", "umin=-1074"])
def test_a_magnitude_of_naive_noise_is_refuted_by_a_script_that_runs(machine):
    program = parse("program p { query f in [-8, 8]; U <-$ unif; S <-$ {-1,1}; z = abs(f(D) + 2*S*ln(U)); return z; }")
    verdict = verify(program, parse_machine(machine), claim="1/2", evaluations=4)
    assert verdict.kind == "REFUTED"
    assert verdict.is_infinite
    exec("\n".join(python_lines(verdict)), {})


def test_a_magnitude_of_what_was_snapped_is_post_processing():
    verdict = verify(program_of("abs(clamp[8](round[1](f(D) + S*ln(U))))"), claim="tight", evaluations=40)
    plain = verify(program_of("clamp[8](round[1](f(D) + S*ln(U)))"), claim="tight", evaluations=2)
    assert verdict.kind == "VERIFIED"
    assert verdict.upper == plain.upper
    assert 0 < verdict.lower < verdict.upper


# The two executions, at ties and at numbers without a fraction

TIES = ["0.5", "1.5", "2.5", "-0.5", "-1.5", "-2.5", "0.49999999999999994", "-0.49999999999999994", "0", "-1", "3"]
TIES += ["4503599627370495.5", "-4503599627370495.5", "9007199254740993", "1e300", "-1e300", "0.1", "-0.1"]


@pytest.mark.parametrize("function", ["floor", "rint", "abs", "sign"])
@pytest.mark.parametrize("total", ["rounded", "exact"])
def test_both_executions_compute_a_function_as_numpy_does(function, total):
    program = parse(f"program p {{ query f; U <-$ unif; z = {function}(f(D)) + 0 * U; return z; }}")
    machine = Machine(sum=total)
    execution = Execution(program, machine)
    for text in TIES:
        x = float(text)
        expected = Fraction(float(counted.FUNCTIONS[function](x)))
        output = execution.output(Fraction(x), 1, execution.draw.last)
        assert Fraction(*map(int, output.as_integer_ratio())) == expected
        assert run_float(program, {"f": Fraction(x), "U": Fraction(1, 2)}, machine)["z"] == expected
