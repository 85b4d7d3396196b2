"""The two languages: what they read into, what they refuse and in which words, and that nothing makes them crash."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.errors import ProgramError
from snapdp.lab.language.parser import LONGEST_TEXT, claim_value, load_program, parse, program_names, program_text
from snapdp.lab.language.syntax import (
    BINARY,
    FUNCTIONS,
    Assignment,
    Clamping,
    Constant,
    Logarithm,
    Negation,
    Program,
    Query,
    QueryValue,
    Rounding,
    Sample,
    Variable,
)
from snapdp.lab.language.text import printed
from snapdp.values import replaced


def body(text, declarations="param eps = 1/2; query f in [-4, 4];"):
    return parse(f"program p {{ {declarations} {text} }}")


def constant(value):
    return Constant(value=Fraction(value))


# What a text means


def test_snap_as_let_and_as_statements_is_one_tree():
    snap, let = load_program("snap_half"), load_program("snap_let")
    assert replaced(let, name=snap.name) == snap


def test_snap_reads_into_this_tree():
    y = BINARY["+"](
        left=QueryValue(name="f"),
        right=BINARY["/"](
            left=BINARY["*"](left=Variable(name="S"), right=Logarithm(operand=Variable(name="U"))),
            right=constant("1/2"),
        ),
    )
    z = Clamping(
        lower=Fraction(-64), upper=Fraction(64), operand=Rounding(grid=Fraction(2), operand=Variable(name="y"))
    )
    snap = load_program("snap_half")
    assert snap.parameters == (("eps", Fraction(1, 2)), ("Lambda", Fraction(2)), ("B", Fraction(64)))
    assert snap.queries == (Query(name="f", lower=Fraction(-64), upper=Fraction(64), sensitivity=Fraction(1)),)
    assert snap.statements == (
        Sample(name="U", distribution="unif"),
        Sample(name="S", distribution="sign"),
        Assignment(name="y", expression=y),
        Assignment(name="z", expression=z),
    )
    assert snap.result == "z"


def test_right_hand_sides_are_folded_and_statements_are_not():
    program = body("y = 1/4 + eps; return y;", "param eps = 1/2 - 0.25*-1; query f sensitivity 3/2;")
    assert program.parameters == (("eps", Fraction(3, 4)),)
    assert program.queries[0].sensitivity == Fraction(3, 2)
    assert program.queries[0].lower is None
    quotient = BINARY["/"](left=constant(1), right=constant(4))
    assert program.statements[0].expression == BINARY["+"](left=quotient, right=constant("3/4"))


def test_powers_are_exact_numbers_that_keep_their_text():
    program = body("y = -2**10 * 2**-2 + Lambda; return y;", "param Lambda = 2**-30;")
    assert program.parameters == (("Lambda", Fraction(1, 2**30)),)
    product = BINARY["*"](left=Negation(operand=constant(1024)), right=constant("1/4"))
    assert program.statements[0].expression == BINARY["+"](left=product, right=constant(Fraction(1, 2**30)))
    assert "y = -2**10 * 2**-2 + Lambda;" in printed(program)
    assert parse(printed(program)) == program


def test_statements_know_their_lines():
    program = parse("program p {\n U <-$ unif;\n\n y = let x = 1 in\n x + U;\n return y; }")
    assert [(statement.name, statement.line) for statement in program.statements] == [("U", 2), ("x", 4), ("y", 4)]


def test_operators_bind_as_in_arithmetic():
    program = body("y = 1 - 2 - -3 * 4 / 5; return y;")
    first = BINARY["-"](left=constant(1), right=constant(2))
    product = BINARY["*"](left=Negation(operand=constant(3)), right=constant(4))
    assert program.statements[0].expression == BINARY["-"](
        left=first, right=BINARY["/"](left=product, right=constant(5))
    )


def test_a_let_reaches_as_far_as_it_can_and_its_name_no_further():
    program = body("y = 1 + let x = 2 in x * x + 3; return y;")
    assert [statement.name for statement in program.statements] == ["x", "y"]
    assert type(program.statements[1].expression.right) is BINARY["+"]
    with pytest.raises(ProgramError, match="x is not defined"):
        body("y = 1 + (let x = 2 in x); return x;")


def test_a_name_bound_twice_gets_a_fresh_one():
    program = body("x = 1; x = x + 1; y = (let x = x * 2 in x) + x; return y;")
    assert [statement.name for statement in program.statements] == ["x", "x_1", "x_2", "y"]
    x, x_1, x_2 = (Variable(name=name) for name in ("x", "x_1", "x_2"))
    assert program.statements[1].expression == BINARY["+"](left=x, right=constant(1))
    assert program.statements[2].expression == BINARY["*"](left=x_1, right=constant(2))
    assert program.statements[3].expression == BINARY["+"](left=x_2, right=x_1)


def test_a_claim_is_a_number_once_the_machine_is_known():
    eta = Fraction(1, 2**53)
    assert claim_value(load_program("snap_half"), eta) == Fraction(1, 2) + 23 * 64 * Fraction(1, 2) * eta
    assert claim_value(body("return 1;"), eta) is None


def test_a_claim_without_a_value_on_this_machine_is_refused():
    program = body("return 1; claim loss <= 1 / (eta - 1/8);")
    assert claim_value(program, Fraction(1, 4)) == 8
    with pytest.raises(ProgramError, match="divides by zero"):
        claim_value(program, Fraction(1, 8))


def test_functions_have_names_that_others_may_have_too():
    program = body("floor = floor(f(D)); sign = sign(floor - abs(rint(floor))); return sign;")
    assert [statement.name for statement in program.statements] == ["floor", "sign"]
    assert program.statements[0].expression == FUNCTIONS["floor"](operand=QueryValue(name="f"))
    query = body("y = sign(D); return y;", "query sign;")
    assert query.statements[0].expression == QueryValue(name="sign")
    assert parse(printed(program)) == program
    assert parse(printed(query)) == query


# What is refused, where, and in which words

REFUSALS = [
    ("", 1, 1, "end of the text stands where 'program' was expected"),
    ("program p {\n  y = 1 +;\n  return y; }", 2, 10, "';' stands where an expression was expected"),
    ("program p {\n  y = 1\n  return y; }", 3, 3, "'return' stands where an operator or ';' was expected"),
    ("program p { y = 1; }", 1, 20, "'}' stands where 'return' or a name was expected"),
    ("program p { param ln = 1; return 1; }", 1, 19, "'ln' stands where a name was expected"),
    ("program p { y = 2^3; return y; }", 1, 18, "'^' is no part of the language"),
    ("program p { y = .5; return y; }", 1, 17, "digits on both sides"),
    ("program p { y = x; return y; }", 1, 17, "x is not defined"),
    ("program p { y = z; z = 1; return y; }", 1, 17, "z is used before it is defined"),
    ("program p { U <-$ unif;\n V <-$ unif; return U; }", 2, 2, "a second uniform sample is not supported"),
    ("program p { S <-$ {-1,1};\n T <-$ {-1,1}; return S; }", 2, 2, "a second sign sample is not supported"),
    ("program p { S <-$ {-2,1}; return S; }", 1, 19, "only {-1,1}"),
    ("program p { while (1) { x = 1; } }", 1, 13, "a loop ('while') is not supported"),
    ("program p { y = 1; // if\n y = if y then 1 else 2; return y; }", 2, 6, "a branch ('if') is not supported"),
    ("program p { y = f(D); return y; }", 1, 17, "f is no query"),
    ("program p { query f; y = f; return y; }", 1, 26, "f is a query"),
    ("program p { query f; y = f(1); return y; }", 1, 26, "f is a query, and no function"),
    ("program p { query abs; y = abs(1 - 2); return y; }", 1, 28, "abs is a query, and no function"),
    ("program p { y = exp(1); return y; }", 1, 17, "exp is a function of formulas"),
    ("program p { y = fma(1, 2, 3); return y; }", 1, 17, "fma is a function of formulas"),
    ("program p { y = exponential(1); return y; }", 1, 17, "functions are ln, floor, rint, abs, sign"),
    ("program p { y = abs(1, 2); return y; }", 1, 17, "abs is a function of one number"),
    ("program p { query f; y = 2 * f(D)**2; return y; }", 1, 34, "'**' stands where an operator or ';' was expected"),
    ("program p { param a = 0**-1; return a; }", 1, 23, "zero has no negative powers"),
    ("program p { param a = 1e999**999; return a; }", 1, 23, "a number of more than 8192 bits"),
    ("program p { y = abs; return y; }", 1, 17, "abs is not defined"),
    ("program p { param a = abs(2); return a; }", 1, 23, "abs has no exact value"),
    ("program p { query f in [1, 0]; return f(D); }", 1, 21, "1 is above 0"),
    ("program p { query f sensitivity 0; return f(D); }", 1, 33, "a sensitivity of 0 is not positive"),
    ("program p { param a = 1; param a = 2; return a; }", 1, 32, "a is already a parameter"),
    ("program p { param a = 1; a = 2; return a; }", 1, 26, "a is already a parameter"),
    ("program p { param eta = 1; return eta; }", 1, 19, "eta is the unit roundoff"),
    ("program p { param a = 1/0; return a; }", 1, 23, "it divides by zero"),
    ("program p { param a = b; return a; }", 1, 23, "b is no parameter"),
    ("program p { param a = ln(2); return a; }", 1, 23, "ln has no exact value"),
    ("program p { U <-$ unif; y = round[U](1); return y; }", 1, 35, "U is no parameter"),
    ("program p { y = round[0](1); return y; }", 1, 23, "a grid of 0 is not positive"),
    ("program p { y = clamp[2, 1](1); return y; }", 1, 23, "lower end 2 is above"),
    ("program p { X <-$ laplace(0); return X; }", 1, 19, "a scale of 0 is not positive"),
    ("program p { X <-$ bernoulli(2); return X; }", 1, 19, "2 is no probability"),
    ("program p { return 1; claim loss <= delta; }", 1, 37, "delta is no parameter"),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), REFUSALS)
def test_a_refusal_says_where_and_what(text, line, column, words):
    with pytest.raises(ProgramError) as refusal:
        parse(text, name="mine.imp")
    assert words in str(refusal.value)
    assert f"mine.imp, line {line}, column {column}: " in str(refusal.value)
    assert refusal.value.numbers == {"line": line, "column": column}


HOSTILE = {
    "a huge exponent": "program p { param a = 1e999999999; return a; }",
    "a huge negative exponent": "program p { y = 1e-999999999; return y; }",
    "an exponent of thousands of digits": f"program p {{ y = 1e{'9' * 5000}; return y; }}",
    "a number of thousands of digits": f"program p {{ y = {'9' * 5000}; return y; }}",
    "minus upon minus": f"program p {{ y = {'-' * 20_000}1; return y; }}",
    "a sum without end": f"program p {{ y = 1{'+1' * 20_000}; return y; }}",
    "functions in functions": f"program p {{ y = {'ln(' * 9_000}1{')' * 9_000}; return y; }}",
    "lets in lets": f"program p {{ y = {'let x = 1 in ' * 4_000} x; return y; }}",
    "open brackets": "program p { y = " + "(" * 60_000,
    "doubling": "program p { a0 = 1;" + "".join(f"a{i + 1} = a{i} + a{i};" for i in range(99)) + "return a9; }",
    "a long chain": "program p { a0 = 1;" + "".join(f"a{i + 1} = a{i} + 1;" for i in range(999)) + "return a9; }",
    "squaring": "program p { param a0 = 3;"
    + "".join(f"param a{i + 1} = a{i} * a{i};" for i in range(99))
    + "return a9; }",
    "a huge text": "program p { " + " " * LONGEST_TEXT,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused(text):
    with pytest.raises(ProgramError):
        parse(text)


def test_brackets_alone_are_no_depth():
    assert body(f"return {'(' * 5000}1{')' * 5000};") == body("return 1;")


PIECES = [
    *"{}()[];,=+-*/<$\n\0é",
    "<-$",
    "let ",
    " in ",
    "ln(",
    "round[",
    "1e9",
    "param ",
    "return ",
    "f(D)",
    "abs(",
    "",
]
EDITS = st.lists(st.tuples(st.integers(0, 700), st.integers(0, 20), st.sampled_from(PIECES)), min_size=1, max_size=3)


@settings(max_examples=300)
@given(name=st.sampled_from(program_names()), edits=EDITS)
def test_no_text_makes_the_reader_crash(name, edits):
    """Programs in which pieces are put in the place of some letters: each is a program or a ProgramError."""
    text = program_text(name)
    for place, length, piece in edits:
        text = text[:place] + piece + text[place + length :]
    try:
        program = parse(text)
    except ProgramError as refusal:
        assert refusal.numbers.keys() == {"line", "column"}  # noqa: PT017
    else:
        assert parse(printed(program)) == program


@given(text=st.text(max_size=80))
def test_no_random_text_makes_the_reader_crash(text):
    with pytest.raises(ProgramError):
        parse(text)


# There and back


@st.composite
def trees(draw):
    """Programs as the parser makes them: constants are decimals, or values of parameters."""
    fractions = st.fractions(min_value=-50, max_value=50, max_denominator=40)
    parameters = tuple((f"p{i}", draw(fractions)) for i in range(draw(st.integers(0, 3))))
    decimals = st.integers(0, 10**6).map(lambda n: Fraction(n, 1000))
    values = st.one_of(decimals, *(st.just(value) for _, value in parameters))
    statements = [Sample(name="U", distribution="unif"), Sample(name="S", distribution="sign")]
    for number in range(draw(st.integers(1, 3))):
        names = st.sampled_from([statement.name for statement in statements])
        leaves = (
            values.map(lambda v: Constant(value=v))
            | names.map(lambda n: Variable(name=n))
            | st.just(QueryValue(name="f"))
        )
        expression = draw(st.recursive(leaves, lambda inner: operations(inner, fractions), max_leaves=8))
        statements.append(Assignment(name=f"y{number}", expression=expression))
    lower, upper = sorted((draw(fractions), draw(fractions)))
    query = Query(name="f", lower=lower, upper=upper, sensitivity=draw(st.sampled_from([Fraction(1), Fraction(2, 3)])))
    claim = draw(st.none() | st.just(BINARY["*"](left=Constant(value=Fraction(3)), right=Variable(name="eta"))))
    return Program(
        name="p",
        parameters=parameters,
        queries=(query,),
        statements=tuple(statements),
        result=statements[-1].name,
        claim=claim,
    )


def operations(inner, fractions):
    ends = st.tuples(fractions, fractions).map(sorted)
    return st.one_of(
        st.builds(lambda a: Negation(operand=a), inner),
        st.builds(lambda a: Logarithm(operand=a), inner),
        st.builds(lambda n, a: FUNCTIONS[n](operand=a), st.sampled_from(sorted(FUNCTIONS)), inner),
        st.builds(lambda o, a, b: BINARY[o](left=a, right=b), st.sampled_from("+-*/"), inner, inner),
        st.builds(lambda g, a: Rounding(grid=abs(g) + 1, operand=a), fractions, inner),
        st.builds(lambda e, a: Clamping(lower=e[0], upper=e[1], operand=a), ends, inner),
    )


@settings(max_examples=60)
@given(program=trees())
def test_printing_and_reading_gives_the_same_tree(program):
    assert parse(printed(program)) == program


def test_numbers_that_no_decimal_can_write_get_parameters():
    third = Assignment(name="y", expression=BINARY["*"](left=constant("1/3"), right=constant("-1/2")))
    program = Program(name="p", parameters=(), queries=(), statements=(third,), result="y")
    again = parse(printed(program))
    assert again.statements == program.statements
    assert again.parameters == (("c0", Fraction(1, 3)), ("c1", Fraction(-1, 2)))


# Files


def test_a_file_is_read_and_a_bundled_name_too(tmp_path):
    path = tmp_path / "mine.imp"
    path.write_text(program_text("snap_half"), encoding="utf-8")
    assert load_program(str(path)) == load_program("snap_half")


@pytest.mark.parametrize("data", [b"\xff\xfe", b"program p {\n \x80 }"])
def test_a_file_that_is_no_text_is_refused(data, tmp_path):
    path = tmp_path / "mine.imp"
    path.write_bytes(data)
    with pytest.raises(ProgramError, match="no UTF-8 text"):
        load_program(str(path))


@pytest.mark.parametrize("reference", ["snap_thirds", "x" * 5000, "a\0b", "/"])
def test_what_is_neither_file_nor_bundled_is_refused(reference):
    with pytest.raises(ProgramError, match="no bundled program"):
        load_program(reference)


def test_a_draw_of_probability_zero_reads_back():
    program = parse("program p { X <-$ bernoulli(0); return X; }")
    assert parse(printed(program)) == program
