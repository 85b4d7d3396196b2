"""What lies around a snapped sum: post-processing of any kind is free, and a clamp is found through it."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import pytest

from snapdp.audits.check_program import check
from snapdp.exact.dyadic import nearest_multiple
from snapdp.exact.functions import ln_nearest
from snapdp.lab.language import syntax
from snapdp.lab.language.parser import parse
from snapdp.lab.loss.certificate import certificate_text
from snapdp.lab.loss.normal_form import Layers
from snapdp.lab.loss.verdict import verify
from snapdp.lab.semantics.floats import folded
from snapdp.lab.semantics.machine import Machine
from snapdp.values import replaced
from tests.unit.lab.snaps import shape_of, snap

SNAPPED = "clamp[B](round[Lambda](y))"


@lru_cache(maxsize=64)
def judged(output, *, claim="note", evaluations=4, **parts):
    return verify(snap("1/2", 2, 64, output=output, **parts), Machine(), claim=claim, evaluations=evaluations)


FREE = [
    f"0.1 * {SNAPPED}",
    f"-({SNAPPED})",
    f"clamp[0, 10]({SNAPPED})",
    f"round[0.1]({SNAPPED} / 3)",
    f"({SNAPPED} + 1e9) - 1e9",
    f"ln({SNAPPED} + 100)",
    f"({SNAPPED}) * ({SNAPPED})",
    f"({SNAPPED}) * 3 - ({SNAPPED}) / 7",
    f"1 / ({SNAPPED})",
]


@pytest.mark.parametrize("output", FREE)
def test_a_function_of_the_snapped_value_costs_nothing(output):
    verdict = judged(output)
    plain = judged(SNAPPED)
    assert verdict.kind == "VERIFIED"
    assert verdict.upper == plain.upper
    assert verdict.lower is None or verdict.lower <= verdict.upper
    assert "post-processing" in {premise.name for premise in verdict.premises}
    assert verdict.shape.boundaries == plain.shape.boundaries


@pytest.mark.parametrize("output", [f"f(D) + ({SNAPPED} - f(D))", f"({SNAPPED}) + f(D)", f"({SNAPPED}) * U", "y"])
def test_what_sees_the_query_or_a_draw_again_is_no_post_processing(output):
    """The twin: cc_snap's callers add the noise to the query, and its low bits come back."""
    verdict = judged(output, claim="1000", evaluations=20)
    assert verdict.kind in ("REFUTED", "INCONCLUSIVE")
    assert verdict.universal is None
    assert "post-processing" not in {premise.name for premise in verdict.premises}


def test_noise_that_is_handed_out_and_added_again_gives_the_query_away():
    verdict = judged(f"f(D) + ({SNAPPED} - f(D))", claim="1000", evaluations=200)
    assert verdict.kind == "REFUTED"
    assert verdict.is_infinite


CLAMPS = [
    # output, ends of the clamp in the unit of the sum
    ("round[Lambda](clamp[B - 1](y))", (-62, 64)),  # 63 is a tie and goes up, -63 too
    ("round[Lambda](clamp[B - 2](y))", (-62, 62)),
    ("clamp[B](round[Lambda](clamp[30](y)))", (-30, 30)),
    ("clamp[20](round[Lambda](clamp[30](y)))", (-20, 20)),
    ("clamp[6.4](0.1 * round[Lambda](y))", (-64, 64)),
    ("clamp[-6.4, 3.3](0.1 * round[Lambda](y))", (-64, 34)),
    ("clamp[6.4](-(0.1 * round[Lambda](y)) + 1)", (-54, 74)),
    ("0.5 * clamp[8](round[1](y / 8))", (-64, 64)),
    ("8 * round[1](clamp[8](0.125 * y))", (-64, 64)),
]


@pytest.mark.parametrize(("output", "ends"), CLAMPS)
def test_a_clamp_is_found_on_either_side_of_the_rounding(output, ends):
    shape = shape_of(snap("1/2", 2, 64, output=output), Machine())
    assert shape.failed == ()
    assert (shape.clamp_lower, shape.clamp_upper) == ends


@pytest.mark.parametrize("output", ["0.1 * round[Lambda](y)", "clamp[1](round[Lambda](y) * round[Lambda](y))"])
def test_without_a_clamp_of_something_monotone_none_is_claimed(output):
    shape = shape_of(snap("1/2", 2, 64, output=output), Machine())
    assert {premise.name for premise in shape.failed} == {"clamp present"}


def test_the_grid_is_that_of_the_sum():
    shape = shape_of(snap("1/2", 2, 64, output="clamp[64](8 * round[1](y / 8))"), Machine())
    assert shape.grid == 8
    assert shape_of(snap("1/2", 2, 64, output="clamp[64](3 * round[1](y / 3))"), Machine()).grid == 3
    assert shape_of(snap("1/2", 2, 64, output="clamp[64](3 * round[1](4 - y))"), Machine()).grid is None  # it falls


OTHER_FORMS = {
    "f(D) * ln(U)": "y = f(D) * ln(U): the noise is multiplied by the query",
    "round[1](f(D)) + S * ln(U)": "y = round[1](f(D)) + S * ln(U): only constants may scale, shift, negate",
    "f(D) + clamp[4](S * ln(U))": "y = f(D) + clamp[4](S * ln(U)): the noise is no multiple of S ln(U): it has a clamp",
    "f(D) + S * ln(U) * U": "y = f(D) + S * ln(U) * U: the noise is no multiple of S ln(U): it has a product with U",
}


@pytest.mark.parametrize("y", OTHER_FORMS)
def test_another_form_is_refused_with_its_construct_and_its_statement(y):
    text = (
        f"program p {{ query f in [-8, 8]; U <-$ unif; S <-$ {{-1,1}}; y = {y}; z = clamp[8](round[1](y)); return z; }}"
    )
    program = parse(text)
    [shape] = [premise for premise in shape_of(program, Machine()).failed if premise.name == "shape"]
    assert shape.detail.removeprefix("line 1, ").startswith(OTHER_FORMS[y])
    placed = replaced(program, statements=tuple(replaced(s, line=5) for s in program.statements))
    assert shape_of(placed, Machine()).failed[0].detail.startswith(f"line 5, y = {y}: ")


def test_an_expression_of_many_parts_is_looked_at_in_bounded_time():
    many = " + ".join(f"({SNAPPED} * {k} + U * {k})" for k in range(90))
    assert shape_of(snap("1/2", 2, 64, output=many), Machine()).noise is None


def test_noise_minus_the_query_is_the_negated_query():
    text = """program p { query f in [-8, 8]; U <-$ unif; S <-$ {-1,1};
        z = clamp[8](round[1](S*ln(U) - f(D))); return z; }"""
    shape = shape_of(parse(text), Machine())
    assert shape.failed == ()
    assert (shape.lower, shape.upper) == (-8, 8)
    assert verify(parse(text), claim="note", evaluations=4).kind == "VERIFIED"


@pytest.mark.parametrize(
    "output", [f"0.1 * {SNAPPED}", f"clamp[0, 10]({SNAPPED})", "clamp[6.4](0.1 * round[Lambda](y))"]
)
def test_the_checker_follows_post_processing_and_clamps_of_a_scaled_output(output):
    verdict = judged(output, claim="tight")
    assert check(certificate_text(verdict)) is None
    made = certificate_text(verdict).replace(str(verdict.upper), str(verdict.upper - Fraction(1, 10**15)))
    assert "below the one derived" in str(check(made))


@pytest.mark.parametrize("private", ["f(D)/0.1", "clamp[B]((f(D) - 1)/0.3)", "-f(D)*3 + 7", "clamp[B](f(D)) - 0.5"])
def test_the_checker_charges_the_roundings_of_the_query_as_the_verifier_does(private):
    parts = {"private": private, "query": ("-6", "6")}
    verdict = judged("clamp[B](round[Lambda](y))", claim="tight", **parts)
    assert verdict.kind == "VERIFIED"
    assert verdict.shape.reach.rounded > 0
    assert check(certificate_text(verdict)) is None
    less = verdict.upper - verdict.shape.noise_epsilon * (verdict.shape.reach.distance - verdict.shape.reach.ideal) / 2
    assert "below the one derived" in str(check(certificate_text(verdict).replace(str(verdict.upper), str(less))))


def test_a_clamp_around_a_logarithm_clamps_nothing_that_is_no_number():
    """With doubles 742 can give ln(-1), which 743 cannot: that output lies far beyond the ends of the clamp."""
    text = """program logged {
      query f in [735, 750] sensitivity 1;
      U <-$ unif; S <-$ {-1,1};
      y = f(D) + S * ln(U);
      z = clamp[6.59, 6.63](OUTPUT);
      return z;
    }"""
    doubles, least = Machine(umin=-1074), Fraction(1, 1 << 1074)
    logged = text.replace("OUTPUT", "ln(round[1](y) + 1)")
    snapped = [nearest_multiple(f + ln_nearest(least, 53), Fraction(1)) + 1 for f in (742, 743)]
    assert snapped == [-1, 0]
    assert verify(parse(logged), doubles, claim="2", evaluations=4).kind == "UNBOUNDED"
    scaled = text.replace("OUTPUT", "(round[1](y) + 1) / 112")
    assert verify(parse(scaled), doubles, claim="2", evaluations=4).kind == "VERIFIED"


SMALL = Machine(p=8, sum="exact", umin=-117)
BETWEEN = [
    # interval of the query, output, where the clamp begins and ends in the unit of the sum
    ("[90, 91]", "clamp[41119/10, 4256](round[1](y) + 4096)", (0, 160)),  # 41119/10 becomes 4096
    ("[75, 76]", "clamp[4096, 4224](round[1](y) + (4096 + 15))", (-15, 113)),  # a constant of 13 bits
    ("[-123, -122]", "clamp[4224, 43047/10](4096 - (round[1](y) + (-15)))", (-209, -113)),  # which becomes 4320
]


def between(query: str, output: str) -> syntax.Program:
    text = f"query f in {query} sensitivity 1; U <-$ unif; S <-$ {{-1,1}}; y = f(D) + S * ln(U); z = {output};"
    return parse(f"program between {{ {text} return z; }}")


@pytest.mark.parametrize(("query", "output", "ends"), BETWEEN)
def test_a_clamp_of_an_exact_sum_begins_where_the_machine_clamps(query, output, ends):
    """A sum of more than p bits may lie between an end as stated and the float that it becomes."""
    program = between(query, output)
    assert (shape_of(program, SMALL).clamp_lower, shape_of(program, SMALL).clamp_upper) == ends
    verdict = verify(program, SMALL, claim="5", evaluations=4)
    assert verdict.kind == "REFUTED"
    assert verdict.is_infinite


@pytest.mark.parametrize(("query", "output"), [case[:2] for case in BETWEEN])
def test_such_a_clamp_is_verified_where_every_draw_that_matters_exists(query, output):
    """The twin: with draws that are small enough the loss is bounded, and the checker derives the same."""
    verdict = verify(between(query, output), replaced(SMALL, umin=-1074), claim="tight", evaluations=4)
    assert verdict.kind == "VERIFIED"
    assert verdict.lower <= verdict.upper
    if "4096 -" not in output:  # the checker follows what rises
        assert check(certificate_text(verdict)) is None


def test_parts_of_a_long_program_are_not_compared_one_by_one(monkeypatch):
    """64 terms of 68 operations on one snapped value took minutes: each was compared with all others, to its core."""
    lines = [f"t{i} = {'(' * 40}z * {i + 1}{' + 1)' * 40};" for i in range(16)]
    added = " + ".join(f"t{i}" for i in range(16))
    text = "query f in [-8,8] sensitivity 1; U <-$ unif; S <-$ {-1,1}; z = clamp[8](round[2](f(D) + S * ln(U) * 2));"
    tree = folded(parse(f"program r {{ {text} {' '.join(lines)} return {added}; }}"), Machine())

    def compared(*_):
        raise AssertionError("two trees are compared")

    monkeypatch.setattr(syntax.Binary, "__eq__", compared)
    assert [type(layer).__name__ for layer in Layers(tree).found[1:]] == ["Clamping", "Rounding", "Addition"]
