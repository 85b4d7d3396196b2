"""`snapdp plan`: what people see, what machines read, exit codes, pictures; and that no data is ever opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from snapdp import Snapping
from snapdp.accuracy.error import accuracy
from snapdp.accuracy.summary import worth_of_mechanism
from snapdp.cli import plots
from snapdp.cli.app import main
from snapdp.studies.columns import number_column
from snapdp.studies.relation import change_one
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.parts import mechanism
from snapdp.studies.study_file import load_study, plan_of

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
    done = run("lab", "plan", "--sensitivity", "1", "--bounds", bounds, "--epsilon", "1", "--grid", "1")
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
    flags = ["lab", "plan", "--sensitivity", "1", "--bounds", "0,1000", "--epsilon", epsilon, *grids]
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
    flags = ["lab", "plan", "--sensitivity", "1", "--bounds", "0,1000", "--grid", "natural"]
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
        ([*MEAN, "--epsilon", "1", "--plot", "x.gif"], 2, "--plot writes SVG, to a name that ends in .svg"),
        ([*MEAN, "--epsilon", "1", "--plot", "nowhere/x.svg"], 2, "cannot be written"),
        ([*MEAN, "--epsilon", "1", "--grid", "natural"], 2, "No such option '--grid'"),
        (["plan", "--mean", "age", "--bounds", "0,120", "--n", "5", "--epsilon", "1"], 2, "--missing dropped (rows"),
        ([*MEAN, "--missing", "age=dropped,pay=3", "--epsilon", "1"], 2, '"pay=3" belongs to no column'),
        ([*MEAN, "--missing", "age=dropped", "--epsilon", "1"], 2, '"middle" belongs to no column'),
        ([*MEAN, "--missing", "3", "--epsilon", "1"], 2, '"3" belongs to no column'),
        ([*MEAN[:-4], "--missing", "age=1,age=2", "--n", "5", "--epsilon", "1"], 2, "speaks of age twice"),
        ([*MEAN, "--epsilon", "1", "--edges", "0,5"], 2, "--edges belongs to --histogram"),
        ([*MEAN, "--epsilon", "1", "--fit"], 2, "--fit needs --budget"),
        (["lab", "plan", "--sensitivity", "1", "--bounds", "0,9", "--epsilon", "1", "--n", "5"], 2, "No such option"),
        (["plan", "--count", "--where", "age<=65", "--n", "5", "--epsilon", "1"], 2, "is not understood"),
        (["plan", "--count", "--where", "a>=1", "--where", "a>=2", "--n", "5", "--epsilon", "1"], 2, "a second time"),
        ([*MEAN, "--epsilon", "0"], 1, "epsilon"),
        ([*MEAN], 2, "What may it cost?"),
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


def test_a_picture_is_svg_that_needs_nothing_else(tmp_path, study):
    path = tmp_path / "plan.svg"
    assert run("plan", str(study), "--plot", str(path)).exit_code == 0
    drawn = ET.parse(path).getroot()
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    assert not [each for each in drawn.iter() if each.tag.endswith(("script", "image", "style"))]
    assert "http" not in path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("suffix", ["png", "pdf", "SVG", ""])
def test_a_picture_of_another_format_is_refused_in_one_sentence(tmp_path, study, suffix):
    path = tmp_path / f"plan.{suffix}"
    done = run("plan", str(study), "--plot", str(path))
    assert (done.exit_code, path.exists()) == (2, False)
    assert "Error: --plot writes SVG, to a name that ends in .svg" in done.stderr


def test_planning_loads_no_numpy_and_opens_no_data(tmp_path, study):
    code = (
        "import sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "from click.testing import CliRunner\n"
        "from snapdp.cli.app import main\n"
        f"assert CliRunner().invoke(main, ['plan', {str(study)!r}]).exit_code == 0\n"
        "assert not {'numpy', 'pandas'} & set(sys.modules)\n"
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


BARE = ["lab", "plan", "--sensitivity", "1", "--bounds", "0,1000"]


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
    text = " ".join(word for word in run("lab", "plan", *flags.split()).output.split() if word != "│") + " "
    assert f"accuracy {shown.strip()} " in text
    assert f"{beside} the" in text
    values = json.loads(run("lab", "plan", *flags.split(), "--json").output)
    ratio = Fraction(values["accuracy"]["tight"]) / Fraction(values["laplace"]["accuracy"])
    assert f"{abs(100 * (float(ratio) - 1)):.1f} %" == beside[: len(beside) - 6]


def test_one_screen_shows_one_figure_for_one_accuracy():
    flags = "--sensitivity 0.1 --bounds 0,7 --epsilon 1/3 --arithmetic proved"
    text = run("lab", "plan", *flags.split(" ")).output
    assert "± 1.000 " in text
    assert "± 1.001" not in text
    assert "epsilon = 0.3187 gives ± 1" in text


def test_where_the_notes_have_no_mechanism_nothing_is_published():
    flags = [*BARE, "--epsilon", "1e-300"]
    assert json.loads(run(*flags, "--json").output)["accuracy"]["published"] is not None
    wide = ["lab", "plan", "--sensitivity", "1", "--bounds", "0,1000000000000000", "--epsilon", "64", "--grid", "1"]
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


CLAMPED = ["lab", "plan", "--sensitivity", "1", "--bounds", "0,10", "--epsilon", "1", "--grid", "1", "--clamp", "range"]


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
    wide = run("lab", "plan", "--sensitivity", "1", "--bounds", "0,10", "--epsilon", "1", "--if-value", "0:2,1/3,10:2")
    assert max(map(len, wide.output.splitlines())) <= 80


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        ([*BARE, "--epsilon", "1", "--bits", "118"], 1, "bits belongs to finite precision"),
        ([*BARE, "--epsilon", "1", "--arithmetic", "proved", "--bits", "x"], 2, "bits"),
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
def test_a_picture_shows_the_law_at_the_guess_that_was_asked_about(arithmetic, if_value, shown, tmp_path):
    """It showed the middle of the range as the value."""
    said = {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 1000, "arithmetic": arithmetic}
    plots.write(worth_of_mechanism(**said, if_value=if_value), tmp_path / "p.svg")
    texts = [each.text for each in ET.parse(tmp_path / "p.svg").getroot().iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if text.startswith("true value")] == [f"true value {value}" for value in shown]
    places = ["at the middle of the range"] if if_value is None else [f"if the value were {value}" for value in shown]
    assert [text for text in texts if text.startswith("law of")] == [f"law of the output {place}" for place in places]


def test_a_refusal_of_flags_says_nothing_of_a_study(study):
    told = run(*MEAN, "--epsilon", "1", "--n", "0").stderr
    assert told.startswith("Refused: n = 0 is not a positive")
    assert "study" not in told
    study.write_text(STUDY.replace("n = 5000", "n = 0"))
    assert "study: n = 0" in run("plan", str(study)).stderr


def test_a_noise_scale_that_is_rounded_up_says_so_and_a_tiny_epsilon_is_shown_as_it_is_typed():
    notes = run(*BARE, "--epsilon", "1", "--arithmetic", "notes").output
    assert row(notes, "noise scale") == ("1.000", "data units; a hair above sensitivity/epsilon")
    assert row(run(*BARE, "--epsilon", "1e-9").output, "noise scale") == ("1000000000", "data units")
    assert "One release at epsilon = 1e-9 " in run(*BARE, "--epsilon", "1e-9").output
