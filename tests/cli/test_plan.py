"""`snapdp plan`: what people see, what machines read, exit codes, pictures; and that no data is ever opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from snapdp import Snapping
from snapdp.accuracy.error import accuracy
from snapdp.accuracy.worth import worth_of_mechanism
from snapdp.cli import plots
from snapdp.cli.app import main
from snapdp.cli.worth import point
from snapdp.exact import Enclosure
from snapdp.studies.columns import number_column
from snapdp.studies.plans.table import bar
from snapdp.studies.reader import load_study, plan_of
from snapdp.studies.relation import change_one
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.parts import mechanism

MEAN = ["plan", "--mean", "age", "--bounds", "0,120", "--missing", "middle", "--n", "5000"]
STUDY = """
format = 1
dataset = "people"
relation = "change-one"
n = 5000
budget = 1

[columns.age]
kind = "number"
lower = 0
upper = 120
step = 1
missing = "middle"

[columns.region]
kind = "category"
categories = ["north", "south"]

[[statistic]]
kind = "mean"
column = "age"
epsilon = "0.3"
lock = true

[[statistic]]
kind = "histogram"
column = "region"
epsilon = "0.2"
"""


def run(*arguments: str):
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


def test_a_mean_from_flags_shows_the_accuracy_of_the_library():
    done = run(*MEAN, "--epsilon", "0.5", "--json")
    assert done.exit_code == 0
    (line,) = json.loads(done.output)["lines"]
    query = mean_query(number_column("age", lower=0, upper=120, missing="middle"), change_one(n=5000))
    (part,) = query.parts
    expected = accuracy(mechanism(part, Fraction(1, 2)).parameters) * part.numerator.factor
    assert Fraction(line["parts"][0]["accuracy"]) == expected
    assert line["epsilon"] == "1/2"


def test_a_target_accuracy_is_met_and_shown():
    done = run(*MEAN, "--accuracy", "0.25", "--json")
    (line,) = json.loads(done.output)["lines"]
    assert line["meets_target"]
    assert Fraction(line["parts"][0]["accuracy"]) <= Fraction(1, 4)


def test_people_see_a_table_with_bars():
    done = run(*MEAN, "--epsilon", "0.5")
    assert done.exit_code == 0
    assert "mean(age)" in done.output
    assert "█" in done.output
    assert "± 0.144" in done.output
    assert "one row" in done.output  # the neighbour relation, in words


@pytest.mark.parametrize(
    "flags",
    [
        ["--sum", "age", "--bounds", "500,1000", "--missing", "dropped", "--n-max", "10000"],
        ["--variance", "age", "--bounds", "0,120", "--missing", "60", "--n", "50"],
        [
            "--covariance",
            "age,pay",
            "--bounds",
            "age=0,120",
            "--bounds",
            "500,9999",
            "--missing",
            "middle",
            "--n",
            "50",
        ],
        ["--histogram", "region", "--categories", "north,south", "--n", "50"],
        ["--histogram", "age", "--bounds", "0,120", "--missing", "dropped", "--edges", "0,18,65,120", "--n", "50"],
        ["--count", "--where", "age>=65", "--where", "age<70", "--bounds", "0,120", "--missing", "1", "--n", "50"],
        ["--count", "--where", "region=north", "--categories", "north,south", "--n-max", "50"],
        ["--count", "--n-max", "5000"],
        ["--mean", "age", "--bounds", "0,120", "--missing", "dropped", "--integer", "--n-max", "5000"],
    ],
    ids=" ".join,
)
def test_every_statistic_can_be_planned_from_flags(flags):
    done = run("plan", *flags, "--epsilon", "0.5", "--json")
    assert done.exit_code == 0, done.output + done.stderr
    assert json.loads(done.output)["total"] == "1/2"


def test_a_study_is_planned_and_fitted_to_its_budget(study):
    plain = json.loads(run("plan", str(study), "--json").output)
    fitted = json.loads(run("plan", str(study), "--fit", "--json").output)
    assert (plain["total"], fitted["total"]) == ("1/2", "1")
    assert [line["epsilon"] for line in fitted["lines"]] == ["3/10", "7/10"]
    assert json.loads(run("plan", str(study), "--budget", "3/4", "--json").output)["total"] == "3/4"
    assert plan_of(load_study(study)).total == Fraction(1, 2)


def test_flags_beside_a_study_are_refused(study):
    done = run("plan", str(study), "--epsilon", "5", "--mean", "age")
    assert done.exit_code == 2
    assert "is not read together with a study file" in done.stderr
    assert "--mean" in done.stderr
    assert "--epsilon" in done.stderr


def test_a_bare_mechanism_far_from_zero_shows_its_clamp_with_all_digits_that_matter():
    bounds = "1000000000,1000000100"
    done = run("plan", "--sensitivity", "1", "--bounds", bounds, "--epsilon", "1", "--grid", "1")
    p = Snapping(epsilon=1, sensitivity=1, lower=10**9, upper=10**9 + 100, grid=1).parameters
    assert f"{p.released(p.high):.0f}" in done.output
    assert "e+09" not in done.output


@pytest.mark.parametrize("flags", [["--n", "5000", "--epsilon", "1"], ["--n", "5000", "--accuracy", "0.001"]], ids=str)
def test_a_mean_that_doubles_cannot_tell_apart_is_refused_by_its_name(flags):
    done = run("plan", "--mean", "x", "--missing", "middle", "--bounds", "1000000000000000,1000000000000001", *flags)
    assert done.exit_code == 1
    assert done.stderr.startswith("Refused: mean(x): doubles near 1e+15 are")


@pytest.mark.parametrize(("epsilon", "grid"), [("0.5", None), ("0.37", "natural"), ("3", "4"), ("1/7", "1")])
def test_figures_of_a_bare_mechanism_are_rounded_outward(epsilon, grid):
    grids = [] if grid is None else ["--grid", grid]
    flags = ["plan", "--sensitivity", "1", "--bounds", "0,1000", "--epsilon", epsilon, *grids]
    m = Snapping(epsilon=epsilon, sensitivity=1, lower=0, upper=1000, **({} if grid is None else {"grid": grid}))
    bias, binding = m.bias_range(), m.binding_probability(1000)
    rows = {
        cells[1].strip(): cells[2].strip() for line in run(*flags).output.splitlines() if (cells := line.split("│"))[2:]
    }
    low, high = map(Fraction, rows["bias"].split(" ... "))
    assert low <= bias.lower <= bias.upper <= high
    assert high - low <= (bias.upper - bias.lower) * Fraction(11, 10)
    assert binding.upper <= Fraction(rows["clamp changes an output"]) <= binding.upper * Fraction(11, 10)
    values = json.loads(run(*flags, "--json").output)
    assert Fraction(values["bias"][0]) <= bias.lower <= bias.upper <= Fraction(values["bias"][1])
    assert binding.upper <= Fraction(values["binding_probability"])


def test_a_bare_mechanism_shows_a_hint_at_the_cliff():
    flags = ["plan", "--sensitivity", "1", "--bounds", "0,1000", "--grid", "natural"]
    done = run(*flags, "--epsilon", "0.49")
    assert "Hint (sharper): epsilon = 0.5 gives ± 6.816; 0.49 gives ± 8." in done.output
    values = json.loads(run(*flags, "--epsilon", "0.49", "--json").output)
    assert {hint["epsilon"] for hint in values["hints"]} >= {"1/2"}
    assert Fraction(values["accuracy"]["tight"]) <= Fraction(values["accuracy"]["notes"])


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["plan"], 2, "Give a study file"),
        (["plan", "--mean", "age", "--n", "5"], 2, "--bounds LOWER,UPPER"),
        ([*MEAN[:-2], "--epsilon", "1"], 2, "Who is protected?"),
        ([*MEAN, "--n-max", "9", "--epsilon", "1"], 2, "--n and --n-max exclude each other"),
        (["plan", "--count", "--where", "age!65", "--n", "5", "--epsilon", "1"], 2, "is not understood"),
        (["plan", "nowhere.toml"], 2, "does not exist"),
        ([*MEAN, "--epsilon", "1", "--plot", "x.gif"], 2, ".svg, .png or .pdf"),
        ([*MEAN, "--epsilon", "1", "--plot", "nowhere/x.svg"], 2, "cannot be written"),
        ([*MEAN, "--epsilon", "1", "--grid", "natural"], 2, "--grid is not read"),
        (["plan", "--mean", "age", "--bounds", "0,120", "--n", "5", "--epsilon", "1"], 2, "--missing dropped (rows"),
        ([*MEAN, "--missing", "age=dropped,pay=3", "--epsilon", "1"], 2, '"pay=3" belongs to no column'),
        ([*MEAN, "--missing", "age=dropped", "--epsilon", "1"], 2, '"middle" belongs to no column'),
        ([*MEAN, "--missing", "3", "--epsilon", "1"], 2, '"3" belongs to no column'),
        ([*MEAN[:-4], "--missing", "age=1,age=2", "--n", "5", "--epsilon", "1"], 2, "speaks of age twice"),
        ([*MEAN[:-4], "--missing", "mittel", "--n", "5", "--epsilon", "1"], 1, "missing = 'mittel'"),
        ([*MEAN[:-4], "--missing", "121", "--n", "5", "--epsilon", "1"], 1, "outside the bounds"),
        ([*MEAN, "--epsilon", "1", "--edges", "0,5"], 2, "--edges belongs to --histogram"),
        ([*MEAN, "--epsilon", "1", "--fit"], 2, "--fit needs --budget"),
        (["plan", "--sensitivity", "1", "--bounds", "0,9", "--epsilon", "1", "--n", "5"], 2, "--n is not read"),
        (["plan", "--count", "--where", "age<=65", "--n", "5", "--epsilon", "1"], 2, "is not understood"),
        (["plan", "--count", "--where", "a>=1", "--where", "a>=2", "--n", "5", "--epsilon", "1"], 2, "a second time"),
        (["plan", "--sensitivity", "1", "--bounds", "0,9", "--epsilon", "1", "--accuracy", "1"], 1, "both given"),
        ([*MEAN, "--epsilon", "0"], 1, "epsilon"),
        ([*MEAN, "--epsilon", "1", "--alpha", "2"], 1, "alpha"),
        ([*MEAN], 2, "What may it cost?"),
        (
            ["plan", "--variance", "age", "--bounds", "0,1", "--missing", "0", "--n-max", "1", "--epsilon", "1"],
            1,
            "at least two rows; n_max = 1",
        ),
        (["plan", "--sensitivity", "1", "--bounds", "0,9", "--accuracy", "1/8", "--grid", "1"], 1, "accuracy"),
        (["plan", "--sensitivity", "0", "--bounds", "0,9", "--epsilon", "1"], 1, "publish the exact value"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_refusals_have_a_code_and_a_reason(arguments, code, says):
    done = run(*arguments)
    assert done.exit_code == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_refusal_in_json_is_json():
    done = run(*MEAN, "--epsilon", "0", "--json")
    assert done.exit_code == 1
    values = json.loads(done.output)
    assert values["ok"] is False
    assert values["spent"] == "0"


def test_a_misspelt_key_names_the_nearest(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace("lower = 0", "lowr = 0"), encoding="utf-8")
    done = run("plan", str(path))
    assert done.exit_code == 1
    assert "'lowr'" in done.stderr
    assert "'lower'" in done.stderr


@pytest.mark.parametrize(("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures_are_written_in_the_format_of_the_name(tmp_path, study, suffix, start):
    path = tmp_path / f"plan.{suffix}"
    assert run("plan", str(study), "--plot", str(path)).exit_code == 0
    assert path.read_bytes().startswith(start)
    assert path.stat().st_size > 5_000


def test_without_matplotlib_a_picture_is_refused_with_what_to_install_and_all_else_works(monkeypatch, tmp_path, study):
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # an import of it fails as where it is not installed
    path = tmp_path / "plan.svg"
    done = run("plan", str(study), "--plot", str(path))
    assert done.exit_code == 1
    assert "matplotlib, which draws pictures, is not installed" in done.stderr
    assert "pip install 'matplotlib>=3.8'" in done.stderr
    assert (done.stdout, path.exists()) == ("", False)
    assert run("plan", str(study)).exit_code == 0


def test_planning_loads_neither_numpy_nor_matplotlib_and_opens_no_data(tmp_path, study):
    code = (
        "import sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "from click.testing import CliRunner\n"
        "from snapdp.cli.app import main\n"
        f"assert CliRunner().invoke(main, ['plan', {str(study)!r}]).exit_code == 0\n"
        "assert not {'numpy', 'matplotlib', 'pandas'} & set(sys.modules)\n"
        f"print(sorted(name for name in opened if name.startswith({str(tmp_path)!r})))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([str(study)])


def test_the_command_is_installed_and_speaks_utf8_on_a_pipe():
    command = Path(sys.executable).parent / "snapdp"
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [command, *MEAN, "--epsilon", "0.5"], capture_output=True, check=True, env=environment, encoding="utf-8"
    )
    assert "mean(age)" in done.stdout
    assert done.stderr == ""


BARE = ["plan", "--sensitivity", "1", "--bounds", "0,1000"]


@pytest.mark.parametrize("rule", ["proved", "notes"])
def test_a_bare_mechanism_is_planned_in_p_bit_arithmetic(rule):
    flags = [*BARE, "--epsilon", "0.5", "--arithmetic", rule, "--bits", "118", "--gamma", "0.01", "--json"]
    values = json.loads(run(*flags).output)
    m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000, arithmetic=rule, bits=118, gamma="0.01")
    assert (values["arithmetic"], values["bits"]) == (rule, 118)
    assert Fraction(values["accuracy"]["tight"]) == m.accuracy()
    assert Fraction(values["noise_scale"]) == m.parameters.noise_scale
    assert values["clamp"] == [m.parameters.released(k) for k in m.parameters.ends]


def test_a_target_is_planned_in_the_arithmetic_asked_for_with_its_hints():
    wanted = [*BARE, "--accuracy", "7", "--json"]
    found = [json.loads(run(*wanted, "--arithmetic", each).output)["epsilon"] for each in ("exact", "proved", "notes")]
    assert found == [json.loads(run(*wanted).output)["epsilon"], "1/2", "5001/10000"]
    done = run(*BARE, "--epsilon", "0.5", "--arithmetic", "notes")
    assert "One release at epsilon = 0.5, arithmetic notes, 118 bits" in done.output
    assert "Hint (sharper): epsilon = 0.5001 gives ± 6.803; 0.5 gives ± 7.816." in done.output


@pytest.mark.parametrize("arithmetic", ["exact", "proved", "notes"])
def test_as_published_is_the_figure_of_the_notes_mechanism_whatever_is_planned(arithmetic):
    flags = [*BARE, "--epsilon", "0.5", "--arithmetic", arithmetic]
    assert any("as published" in line and "± 7.992" in line for line in run(*flags).output.splitlines())
    published = Fraction(json.loads(run(*flags, "--json").output)["accuracy"]["published"])
    assert f"{float(published):.4f}" == "7.9915"


@pytest.mark.parametrize(
    ("flags", "shown", "beside"),
    [  # the public range leaves less room for errors than the noise would take
        ("--sensitivity 1 --bounds 0,1 --epsilon 0.1 --arithmetic notes", "± 32.50", "8.5 % above"),
        ("--sensitivity 1 --bounds 0,1 --epsilon 0.1 --grid natural", "± 33 ", "10.2 % above"),
        ("--sensitivity 1 --bounds 0,1 --epsilon 0.1 --clamp range", "± 1 ", "96.7 % below"),
        ("--sensitivity 1 --bounds 0,1000 --epsilon 0.5", "± 6 ", "0.1 % above"),
    ],
)
def test_the_accuracy_is_compared_with_laplace_as_it_is_shown(flags, shown, beside):
    text = " ".join(word for word in run("plan", *flags.split()).output.split() if word != "│") + " "
    assert f"accuracy {shown.strip()} " in text
    assert f"{beside} the" in text
    values = json.loads(run("plan", *flags.split(), "--json").output)
    ratio = Fraction(values["accuracy"]["tight"]) / Fraction(values["laplace"]["accuracy"])
    assert f"{abs(100 * (float(ratio) - 1)):.1f} %" == beside[: len(beside) - 6]


def test_one_screen_shows_one_figure_for_one_accuracy():
    flags = "--sensitivity 0.1 --bounds 0,7 --epsilon 1/3 --arithmetic proved"
    text = run("plan", *flags.split(" ")).output
    assert "± 1.000 " in text
    assert "± 1.001" not in text
    assert "epsilon = 0.3187 gives ± 1" in text


def test_no_hint_is_given_where_the_range_leaves_smaller_errors_than_it_speaks_of():
    assert "Hint" in run(*BARE, "--epsilon", "0.49", "--grid", "natural").output
    narrow = ["plan", "--sensitivity", "1", "--bounds", "0,6", "--epsilon", "0.49", "--grid", "natural"]
    for clamp in ((), ("--clamp", "range")):
        assert ("Hint" in run(*narrow, *clamp).output) == (clamp == ())


def test_where_the_notes_have_no_mechanism_nothing_is_published():
    flags = [*BARE, "--epsilon", "1e-300"]
    assert json.loads(run(*flags, "--json").output)["accuracy"]["published"] is not None
    wide = ["plan", "--sensitivity", "1", "--bounds", "0,1000000000000000", "--epsilon", "64", "--grid", "1"]
    assert json.loads(run(*wide, "--json").output)["accuracy"]["published"] is None
    assert any("as published" in line and " none " in line for line in run(*wide).output.splitlines())


def test_a_guess_shows_what_the_mechanism_does_to_it():
    flags = [*BARE, "--epsilon", "0.5", "--grid", "natural", "--if-value", "411.5"]
    m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000, grid="natural")
    values = json.loads(run(*flags, "--json").output)["if_value"]
    assert Fraction(values["accuracy"]) == m.accuracy(value="411.5")
    bias = m.bias("411.5")
    assert Fraction(values["bias"][0]) <= bias.lower <= bias.upper <= Fraction(values["bias"][1])
    assert Fraction(values["laplace_distance"]["bound"]) == 1
    done = run(*flags)
    assert "If the value were 411.5" in done.output
    assert done.output.count("distance to Laplace") == 1
    assert "if_value" not in json.loads(run(*flags[:-2], "--json").output)


@pytest.mark.parametrize(("value", "inside", "cases"), [("9", 9, [1, 3]), ("12", 10, [2, 4])])
def test_a_guess_shows_the_cases_tails_and_excess_of_its_distance_to_laplace(value, inside, cases):
    m = Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, grid=1, clamp="range")
    found = json.loads(run(*CLAMPED, "--if-value", value, "--json").output)["if_value"]
    assert (found["value"], found["inside"], Fraction(found["accuracy"])) == (
        value,
        str(inside),
        m.accuracy(value=inside),
    )
    far, known = found["laplace_distance"], m.distance(value)
    assert [case["case"] for case in far["cases"]] == cases == [case.number for case in known.cases]
    for case, exact in zip(far["cases"], known.cases, strict=True):
        assert case["probability"][0] <= exact.probability.lower <= exact.probability.upper <= case["probability"][1]
    for tail in far["tails"]:
        exact = m.distance_tail(value, distance=Fraction(tail["distance"]))
        assert tail["probability"][0] <= exact.lower <= exact.upper <= tail["probability"][1]
    shown = run(*CLAMPED, "--if-value", value).output
    assert "except with probability" in " ".join(shown.replace("│", " ").split())
    assert all(f"... case {case} " in shown for case in cases)
    assert ("errors: at the end of the range, 10" in shown) == (value == "12")
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (("0.0525", "0.0525"), "0.053"),
        (("-0.0525", "-0.0525"), "-0.053"),
        (("-1e-40", "1e-39"), "within ± 1e-39"),
        (("0", "0"), "0"),
        (("0.1", "0.2"), "0.1 ... 0.2"),
    ],
)
def test_a_number_that_is_known_well_is_not_shown_as_a_range(figure, shown):
    assert point(Enclosure(*map(Fraction, figure))) == shown


def row(screen, name):
    """Return the figure of a row, and what is said about it, whatever lines they are broken into."""
    after = screen.split(f"│ {name} ", 1)[1].splitlines()
    found = [[cell.strip() for cell in line.strip("│").split("│")] for line in after]
    rows = [found[0][-2:]]
    for cells in found[1:]:
        if len(cells) < 3 or cells[0]:
            break
        rows.append(cells[-2:])
    return tuple(" ".join(part for part in parts if part) for parts in zip(*rows, strict=True))


def signed(figure):
    """Return the parts of 0.52, or of 1 - 0.0066, each with its sign."""
    first, *rest = figure.split(" - ")
    return [(1, first), *((-1, each) for each in rest)]


@pytest.mark.parametrize(
    ("flags", "guess"),
    [
        (["--bounds", "0,1000", "--epsilon", "100", "--clamp", "range"], "2000"),
        (["--bounds", "0,10", "--epsilon", "1", "--clamp", "range"], "-1/3"),
        (["--bounds", "0,10", "--epsilon", "1/3", "--arithmetic", "notes"], "9.9"),
        (["--bounds", "-7,1e9", "--epsilon", "0.7", "--clamp", "range"], "1e9"),
    ],
)
def test_what_is_said_of_a_distance_is_about_the_distance_that_is_shown(flags, guess):
    """A threshold of 1000.0005 was shown as 1001, which is passed with probability 2e-44, not 0.48."""
    said = dict(zip([flag.removeprefix("--") for flag in flags[::2]], flags[1::2], strict=True))
    lower, upper = said.pop("bounds").split(",")
    m = Snapping(sensitivity=1, lower=lower, upper=upper, **said)
    screen = run("plan", "--sensitivity", "1", *flags, "--if-value", guess).output
    most, rarely = row(screen, "distance to Laplace")
    z = Fraction(most.removeprefix("at most "))
    assert m.distance(guess).bound <= z < m.distance(guess).bound + m.parameters.data_grid / 1000
    probability, rare = m.distance_tail(guess, distance=z), Fraction(rarely.rpartition(" ")[2])
    assert rare >= probability.upper > rare * Fraction("0.9")
    excess, over = row(screen, "... expected excess")
    assert over == f"of it over {most.removeprefix('at most ')}"
    scale = m.parameters.noise_scale * m.parameters.unit
    assert Fraction(excess) >= (probability * scale).upper > Fraction(excess) * Fraction("0.9")
    tails = [line.split()[3] for line in screen.splitlines() if line.startswith("│ ... above")]
    for shown in tails:
        tail, (figure, _) = m.distance_tail(guess, distance=Fraction(shown)), row(screen, f"... above {shown}")
        if figure.startswith("below "):
            assert tail.lower == 0
        elif "1 - " not in figure:
            assert Fraction(figure) >= tail.upper > Fraction(figure) * Fraction("0.9")
    cases = [row(screen, f"... case {case.number}")[0] for case in m.distance(guess).cases]
    assert sum(sign * Fraction(part) for each in cases for sign, part in signed(each)) == 1


def test_a_number_too_small_to_be_shown_is_below_a_bound_and_not_that_bound():
    screen = run(*BARE, "--epsilon", "100", "--clamp", "range", "--if-value", "2000").output
    assert row(screen, "... above 2000")[0] == "below 5e-19729"
    assert row(screen, "... above 500")[0] == "above 1 - 2.5e-19729"
    assert row(screen, "... case 2")[0] == "0.52"


CLAMPED = ["plan", "--sensitivity", "1", "--bounds", "0,10", "--epsilon", "1", "--grid", "1", "--clamp", "range"]


def test_several_guesses_are_a_table_with_the_bias_expected_over_them():
    m = Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, grid=1, clamp="range")
    for flag, guesses in ("8,9,9,10", [8, 9, 9, 10]), ("8:1,9:2,10", {8: 1, 9: 2, 10: 1}):
        found = json.loads(run(*CLAMPED, "--if-value", flag, "--json").output)
        expected = m.expected_bias(guesses)
        assert Fraction(found["expected_bias"][0]) <= expected.lower <= expected.upper
        assert expected.upper <= Fraction(found["expected_bias"][1])
        assert [Fraction(each["accuracy"]) for each in found["if_values"]] == [
            m.accuracy(value=guess) for guess in guesses
        ]
        assert "if_value" not in found
    done = run(*CLAMPED, "--if-value", "8:1,9:2,10")
    assert [line.split() for line in done.output.splitlines() if "expected" in line] == [
        ["│", "expected", "│", "│", "│", "-0.23", "│", "│", "│"]
    ]
    assert max(map(len, done.output.splitlines())) <= 80
    wide = run("plan", "--sensitivity", "1", "--bounds", "0,10", "--epsilon", "1", "--if-value", "0:2,1/3,10:2")
    assert max(map(len, wide.output.splitlines())) <= 80


@pytest.mark.parametrize("arithmetic", [[], ["--arithmetic", "proved"], ["--gamma", "0.05"]])
def test_an_output_says_what_it_knows_about_its_own_error(arithmetic):
    flags = ["plan", "--sensitivity", "1", "--bounds", "0,10", "--epsilon", "1", *arithmetic, "--if-output", "9"]
    said = {name.removeprefix("--"): value for name, value in zip(arithmetic[::2], arithmetic[1::2], strict=True)}
    known = Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, **said).after(9)
    found = json.loads(run(*flags, "--json").output)["if_output"]
    assert [Fraction(end) for end in found["interval"]] == [known.interval.lower, known.interval.upper]
    assert Fraction(found["accuracy"]) == known.accuracy
    assert Fraction(found["bias"][0]) <= known.bias.lower <= known.bias.upper <= Fraction(found["bias"][1])
    done = run(*flags)
    assert "If the output were 9 " in done.output
    assert "one of the rare ones" not in " ".join(done.output.split())
    assert found["missed"] is False
    assert max(map(len, done.output.splitlines())) <= 80


def test_an_output_far_from_every_value_is_said_to_be_one_that_is_missed():
    flags = ["plan", "--sensitivity", "1", "--bounds", "0,100", "--epsilon", "5", "--grid", "2", "--if-output", "-6"]
    said = " ".join(run(*flags).output.split())
    assert "further than ± 0 from every such value: it is itself one of the rare ones" in said
    assert "it holds in 95 of 100 releases." in said
    assert json.loads(run(*flags, "--json").output)["if_output"]["missed"] is True


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        ([*CLAMPED, "--if-value", "1:1,1:2"], 2, "given twice"),
        ([*CLAMPED, "--if-value", "1,"], 2, "no number"),
        ([*CLAMPED, "--if-value", "1:"], 2, "no number"),
        ([*CLAMPED, "--if-value", "1:-1"], 1, "weights that are not negative"),
        ([*CLAMPED, "--if-value", "1,11"], 1, "outside the public range"),
        ([*CLAMPED, "--if-output", "9.5"], 1, "no output here"),
        ([*CLAMPED, "--if-output", "nan"], 2, "no number"),
        ([*CLAMPED, "--clamp", "tight"], 1, "unknown"),
        ([*CLAMPED, "--clamp", "1,2"], 1, "does not contain the public range"),
        ([*BARE, "--accuracy", "7", "--clamp", "range"], 1, "together with an epsilon"),
        ([*BARE, "--epsilon", "1", "--arithmetic", "proved", "--clamp", "range"], 1, "clamp"),
        ([*MEAN, "--epsilon", "1", "--if-output", "3"], 2, "--if-output is not read together with statistics"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_guesses_and_outputs_that_make_no_sense_are_refused(flags, code, says):
    done = run(*flags)
    assert (done.exit_code, says in done.stderr) == (code, True), done.output
    assert "defect" not in done.stderr


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        ([*BARE, "--epsilon", "1", "--bits", "118"], 1, "bits belongs to finite precision"),
        ([*BARE, "--epsilon", "1", "--arithmetic", "float"], 1, "Give one of exact, proved, notes"),
        ([*BARE, "--epsilon", "1", "--arithmetic", "notes", "--grid", "fine"], 1, "at least the noise scale"),
        ([*BARE, "--epsilon", "1", "--arithmetic", "proved", "--bits", "24"], 1, "24 bits are too few"),
        ([*BARE, "--accuracy", "7", "--arithmetic", "proved", "--bits", "24"], 1, "24 bits"),
        ([*BARE, "--epsilon", "1", "--arithmetic", "proved", "--bits", "x"], 2, "bits"),
        ([*BARE, "--epsilon", "1", "--gamma", "2"], 1, "gamma"),
        ([*MEAN, "--epsilon", "1", "--gamma", "0.1"], 2, "--gamma is not read together with statistics"),
        ([*MEAN, "--epsilon", "1", "--bits", "118"], 1, "bits belongs to finite precision"),
        ([*MEAN, "--epsilon", "1", "--if-value", "3"], 2, "--if-value is not read together with statistics"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_flags_of_an_arithmetic_are_refused_where_they_mean_nothing(flags, code, says):
    done = run(*flags)
    assert (done.exit_code, says in " ".join(done.stderr.split())) == (code, True), done.stderr


def test_a_picture_of_p_bit_arithmetic_is_drawn(tmp_path):
    path = tmp_path / "notes.svg"
    done = run(*BARE, "--epsilon", "0.5", "--arithmetic", "notes", "--plot", str(path))
    assert done.exit_code == 0, done.stderr
    assert path.stat().st_size > 5_000


@pytest.mark.parametrize("arithmetic", ["exact", "proved"])
@pytest.mark.parametrize(("if_value", "shown"), [(None, [500]), (412, [412]), ([3, 4], [3, 4]), (2000, [1000])])
def test_a_picture_shows_the_law_at_the_guess_that_was_asked_about(arithmetic, if_value, shown):
    """It showed the middle of the range as the value."""
    said = {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 1000, "arithmetic": arithmetic}
    rows = plots._rows(worth_of_mechanism(**said, if_value=if_value))
    for value, each in zip(shown, rows, strict=True):
        axes = Mock()
        points = plots._draw_law(axes, **each["law"])
        assert axes.axvline.call_args.args == (value,)
        heaviest = max(points, key=lambda point: point[1])
        assert abs(heaviest[0] - value) <= 1
        place = "at the middle of the range" if if_value is None else f"if the value were {value}"
        assert axes.set_title.call_args.args == (f"law of the output {place}",)


def test_a_plan_says_in_which_arithmetic_it_computes_wherever_it_is_shown(study):
    flags = [*MEAN, "--epsilon", "0.5", "--arithmetic", "proved"]
    assert "Arithmetic: proved, 118 bits, chosen." in run(*flags).output
    chosen, declared, exact = (
        json.loads(run(*each, "--json").output) for each in (flags, [*flags, "--bits", "128"], flags[:-2])
    )
    assert [(each["arithmetic"], each["bits"]) for each in (chosen, declared, exact)] == [
        ("proved", None),
        ("proved", 128),
        ("exact", None),
    ]
    assert [each["lines"][0]["parts"][0]["bits"] for each in (chosen, declared, exact)] == [118, 128, None]
    study.write_text(study.read_text().replace("format = 1", 'format = 1\narithmetic = "proved"\nbits = 128'))
    plan = plan_of(load_study(study))
    for shown in (repr(plan), plan._repr_html_()):
        assert "epsilon 0.5 of a budget of 1" in shown
        assert "Arithmetic: proved, 128 bits." in shown


def test_a_refusal_of_flags_says_nothing_of_a_study(study):
    for flags, says in (
        (["--n", "0"], "n = 0 is not a positive"),
        (["--bits", "128"], "bits belongs to finite precision"),
    ):
        told = run(*MEAN, "--epsilon", "1", *flags).stderr
        assert told.startswith(f"Refused: {says}")
        assert "study" not in told
    study.write_text(STUDY.replace("n = 5000", "n = 0"))
    assert "study: n = 0" in run("plan", str(study)).stderr


def test_a_noise_scale_that_is_rounded_up_says_so_and_a_tiny_epsilon_is_shown_as_it_is_typed():
    notes = run(*BARE, "--epsilon", "1", "--arithmetic", "notes").output
    assert row(notes, "noise scale") == ("1.000", "data units; a hair above sensitivity/epsilon")
    assert row(run(*BARE, "--epsilon", "1e-9").output, "noise scale") == ("1000000000", "data units")
    assert "One release at epsilon = 1e-9 " in run(*BARE, "--epsilon", "1e-9").output


def test_bars_grow_by_eighths():
    assert [bar(Fraction(n, 8), 1) for n in (0, 1, 4, 8)] == ["", "▏", "▌", "█"]


def test_how_cells_are_read_is_said_once_and_follows_from_the_declarations_alone():
    flags = ["--mean", "age", "--bounds", "0,121", "--missing", "middle", "--n", "50", "--epsilon", "1"]
    plain = ["--histogram", "g", "--categories", "north,south"]
    missing = "Missing and unreadable cells: missing cells of age count as 60.5 (middle)."
    text = "Categories are compared as text: 1 is not 1.0."
    mixed, numbers = (
        ["--histogram", "g", "--categories", *listed] for listed in (["1,x", "--compare", "text"], ["1,2"])
    )
    told = [run("plan", *flags, *more) for more in (plain, mixed, numbers)]
    assert [each.stdout.count(missing) for each in told] == [1, 1, 1]
    assert [each.stdout.count(text) for each in told] == [0, 1, 0]
    assert [each.stdout.count("are compared as numbers: 1.0 is 1.") for each in told] == [0, 0, 1]
    alone = run("plan", *plain, "--n", "5", "--epsilon", "1")
    assert (alone.exit_code, alone.stdout.count("issing")) == (0, 0)
    others = "Other cells: cells of g that mean none of its categories, and empty ones, are left out."
    bounds, beyond = "Bounds: age 0 to 121.", "Numbers beyond a bound count as that bound."
    assert [" ".join(each.stdout.split()).count(others) for each in (*told, alone)] == [1, 1, 1, 1]
    assert [(each.stdout.count(bounds), each.stdout.count(beyond)) for each in told] == [(1, 0)] * 3
    assert all(each.stdout.index(bounds) < each.stdout.index("Suppose someone knows") for each in told)
    assert "Bounds:" not in alone.stdout
    at_length = run("plan", *flags, *mixed, "--details").stdout
    assert [at_length.count(each) for each in (missing, text, bounds, beyond)] == [1, 1, 1, 1]
    by = [
        "--mean",
        "age",
        "--bounds",
        "0,9",
        "--missing",
        "dropped",
        "--by",
        "g",
        "--categories",
        "a,1.0",
        "--compare",
        "g=text",
        "--n",
        "5",
        "--epsilon",
        "1",
    ]
    assert text in run("plan", *by).stdout
    assert json.loads(run("plan", *flags, *plain, "--json").stdout)["reading"] == [missing, others, bounds, beyond]
