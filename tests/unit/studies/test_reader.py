"""The study file: exact numbers, strict keys, places in errors, round trips, and the example of the guide."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.errors import BoundError, ParameterError, PremiseError, SnapdpError
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.grouping.groups import BinnedColumn, binned
from snapdp.studies.plans.lines import ask
from snapdp.studies.relation import add_remove, change_one, with_identifiers
from snapdp.studies.statistics.counts import count_query, persons_query
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.quantiles import quantiles_query
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
from snapdp.studies.study_file import (
    DeclaredStudy,
    load_study,
    plan_of,
    study_from_toml,
    study_from_values,
    study_to_toml,
)
from tests import ROOT

F = Fraction
GUIDE = ROOT / "docs" / "guide" / "study-file.md"
TEXT = """
format = 1
dataset = "people-2026"
relation = "change-one"            # or "add-remove" with n_max = 10000
n = 5000
budget = "1"

[columns.age]
kind = "number"
lower = 0
upper = 120
step = "1"
missing = 60

[columns.pay]
kind = "integer"
lower = 500
upper = 1000
missing = "middle"

[columns.region]
kind = "category"
categories = ["north", "south", "east", "west"]
unknown = "dropped"

[[statistic]]
kind = "mean"
column = "age"
epsilon = 0.3
lock = true

[[statistic]]
kind = "histogram"
column = "region"
epsilon = "0.2"
"""


def changed(old, new, text=TEXT):
    assert old in text
    return text.replace(old, new, 1)


def block(language, number=0):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[number]


def test_the_study_of_the_design_is_read():
    study = study_from_toml(TEXT)
    assert (study.dataset, study.budget, study.relation) == ("people-2026", 1, change_one(n=5000))
    assert [column.name for column in study.columns] == ["age", "pay", "region"]
    assert study.column("age") == number_column("age", lower=0, upper=120, step=1, missing=60)
    assert study.column("pay") == integer_column("pay", lower=500, upper=1000, missing="middle")
    assert study.asked == (
        ask(mean_query(study.column("age"), study.relation), epsilon="0.3", lock=True),
        ask(histogram_query(study.column("region"), study.relation), epsilon="0.2"),
    )
    with pytest.raises(ParameterError, match="'height' is not declared"):
        study.column("height")


@pytest.mark.parametrize("written", ["0.3", '"0.3"', '"3/10"', "3e-1", "0.30", "+0.3", '"0.3e0"'])
def test_numbers_mean_what_they_print(written):
    study = study_from_toml(changed("epsilon = 0.3", f"epsilon = {written}"))
    assert study.asked[0].epsilon == F(3, 10)


def test_numbers_beyond_doubles_stay_exact():
    digits = "0.1234567890123456789012345678901234567890123"
    assert study_from_toml(changed("epsilon = 0.3", f"epsilon = {digits}")).asked[0].epsilon == F(digits)


def test_the_plan_of_a_study_has_its_lines_and_its_budget():
    found = plan_of(study_from_toml(TEXT))
    assert found.total == F(1, 2)
    assert found.budget == 1
    assert found.fit().total == 1
    assert found.fit().lines[0] == found.lines[0]
    assert plan_of(study_from_toml(changed('budget = "1"\n', ""))).budget is None


def test_the_example_of_the_guide_prints_what_the_guide_shows(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(block("toml"), encoding="utf-8")
    exec(block("python"), {})
    printed = capsys.readouterr().out
    shown = block("text")
    assert printed == shown
    assert "Did you mean 'lower'?" in GUIDE.read_text(encoding="utf-8")


def test_groups_and_persons_are_planned_and_not_ignored():
    text = changed('relation = "change-one"', 'relation = "add-remove"')
    text = changed("n = 5000", 'n_max = 5000\nperson = "id"\nrows_per_person = 3', text)
    text = changed('column = "age"\n', 'column = "age"\nby = "region"\ncount_share = "0.4"\n', text)
    study = study_from_toml(text)
    assert study.relation == add_remove(n_max=5000, person="id", rows_per_person=3)
    first = study.asked[0].statistic
    assert [part.cells for part in first.parts] == [4, 4]
    assert [part.share for part in first.parts] == [F(3, 5), F(2, 5)]
    assert [part.numerator.sensitivity for part in first.parts] == [3 * 120, 3]
    assert "a sum of distances from 60" in plan_of(study).lines[0].remarks


def test_conditions_edges_and_covariances_are_read():
    more = """
[[statistic]]
kind = "count"
where = [{column = "age", from = 18, below = "65"}, {column = "region", equals = "north"}]
accuracy = 20
alpha = 0.01

[[statistic]]
kind = "histogram"
column = "pay"
edges = [600, "700", 800]
outside = "binned"
epsilon = 1

[[statistic]]
kind = "covariance"
columns = ["age", "pay"]
epsilon = 1
"""
    study = study_from_toml(TEXT + more)
    count, bins, together = (asked.statistic for asked in study.asked[2:])
    assert count.title == "count where 18 <= age < 65 and region = north"
    assert study.asked[2].accuracy == 20
    assert study.asked[2].alpha == F(1, 100)
    assert list(bins.labels) == ["below 600", "[600, 700)", "[700, 800]", "above 800"]
    assert together.title == "covariance(age, pay)"


@pytest.mark.parametrize(
    ("old", "new", "place", "nearest"),
    [
        ("budget =", "buget =", "study", "budget"),
        ("[[statistic]]", "[[statistics]]", "study", "statistic"),
        ("lower = 0", "lowr = 0", "columns.age", "lower"),
        ("missing = 60", 'categories = ["a"]', "columns.age", "missing"),
        ('unknown = "dropped"', "upper = 3", "columns.region", "unknown"),
        ('epsilon = "0.2"', 'epsilom = "0.2"', r"statistic 2", "epsilon"),
        ("lock = true", "edges = [1, 2]", r"statistic 1 \(mean\)", "epsilon"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_its_table_and_the_nearest_key(old, new, place, nearest):
    text = TEXT.replace(old, new) if old == "[[statistic]]" else changed(old, new)
    with pytest.raises(ParameterError, match=f"^{place}.*the key .* is not known") as refusal:
        study_from_toml(text)
    assert "Did you mean '" in refusal.value.advice
    if old not in ("missing = 60", 'unknown = "dropped"', "lock = true"):
        assert refusal.value.numbers["nearest"] == nearest


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("format = 1", "format = 2", r"study: format = 1 is expected, not format = 2\."),
        ("format = 1", "format = true", r"study: format = 1 is expected, not format = True\."),
        ("format = 1", "version = 1", r"study: format = 1 is expected, not version = 1\."),
        ("format = 1\n", "", r"study: format = 1 is expected\."),
        ('dataset = "people-2026"', 'dataset = ""', r"study: dataset is empty"),
        ('dataset = "people-2026"', "dataset = 3", r"study: dataset is a number"),
        ('"change-one"', '"bounded"', r"study: relation = 'bounded' is not known"),
        ("n = 5000", "n = true", r"study: n is true or false"),
        ("n = 5000\n", "", r"study: the key 'n' is missing"),
        ('"change-one"', '"add-remove"', r"study: n is private under add-remove"),
        ('budget = "1"', "budget = []", r"study: budget is an empty list"),
        ('kind = "number"', 'kind = "real"', r"columns.age: kind = 'real' is not known"),
        ('kind = "number"\n', "", r"columns.age: the key 'kind' is missing"),
        ("lower = 0\n", "", r"columns.age: the key 'lower' is missing"),
        ("lower = 0", "lower = [0]", r"columns.age: lower is a list"),
        ("lower = 0", "lower = nan", r"columns.age: lower of column 'age' = .* is not a finite number"),
        ("upper = 120", "upper = inf", r"columns.age: upper of column 'age' = .* is not a finite number"),
        ("upper = 120", "upper = 1979-05-27", r"columns.age: upper is a date or time"),
        ("upper = 120", "upper = 1e999999999", r"columns.age: upper of column 'age'"),
        ('categories = ["north", ', "categories = [1, ", r"columns.region: categories is a list"),
        ('kind = "mean"', 'kind = "median"', r"statistic 1: kind = 'median' is not known"),
        ('column = "age"\n', "", r"statistic 1 \(mean\): the key 'column' is missing"),
        ("epsilon = 0.3", "", r"statistic 1 \(mean\): mean\(age\) needs an epsilon or a target"),
        ("lock = true", 'lock = "yes"', r"statistic 1 \(mean\): lock is text"),
        ("lock = true", 'by = "pay"', r"statistic 1 \(mean\): column 'pay' holds numbers and cannot name groups"),
        ('column = "region"', 'column = "age"\nedges = []', r"statistic 2 \(histogram\): edges is an empty list"),
        ('column = "region"', 'column = "age"\nedges = [0, true]', r"statistic 2 \(histogram\): edges is a list"),
        ('kind = "mean"\ncolumn = "age"', 'kind = "covariance"', r"statistic 1 \(covariance\): .* needs two columns"),
        ('kind = "mean"\ncolumn = "age"', 'kind = "count"\nwhere = [3]', r"statistic 1 \(count\): where is a list"),
        (
            'kind = "mean"\ncolumn = "age"',
            'kind = "count"\nwhere = [{colum = "age"}]',
            r"statistic 1 \(count\), where: the key 'colum' is not known",
        ),
        ('kind = "mean"\ncolumn = "age"', 'kind = "mean"\ncolumn = "age"\nkind = "sum"', r"not valid TOML.*line \d+"),
        ("n = 5000", "n = ", r"the study is not valid TOML.*line 5"),
        ("n = 5000", f"n = {'9' * 5000}", r"the study is not valid TOML"),
        ("n = 5000", f"n = {'[' * 5000}", r"the study is not valid TOML"),
        ("[columns.age]", "[columns]\nage = 3\n[columns.old]", r"columns.age is a number, not a table"),
    ],
)
def test_a_wrong_study_is_refused_and_the_error_names_the_place(old, new, words):
    with pytest.raises(SnapdpError, match=words) as refusal:
        study_from_toml(changed(old, new))
    assert refusal.value.advice


def test_the_same_statistic_twice_is_refused_also_with_another_epsilon():
    twice = TEXT + '[[statistic]]\nkind = "mean"\ncolumn = "age"\nepsilon = 1\nalpha = "0.1"\n'
    with pytest.raises(ParameterError, match=r"statistic 3 \(mean\(age\)\) repeats statistic 1"):
        study_from_toml(twice)


def test_a_study_without_statistics_is_refused():
    with pytest.raises(ParameterError, match="columns holds no table"):
        study_from_toml('format = 1\ndataset = "d"\nrelation = "change-one"\nn = 3\ncolumns = 1\nstatistic = []')
    with pytest.raises(ParameterError, match="there is no statistic"):
        study_from_toml(changed("format = 1", "format = 1\nstatistic = []", TEXT.split("[[statistic]]")[0]))
    with pytest.raises(ParameterError, match="statistic is a table"):
        study_from_toml(TEXT.split("[[statistic]]")[0] + '[statistic]\nkind = "count"')


@pytest.mark.parametrize("kind", ["variance", "covariance"])
def test_a_variance_under_add_remove_has_a_count_and_its_share_is_read_and_written(kind):
    text = changed('"change-one"', '"add-remove"', changed("n = 5000", "n_max = 5000"))
    which = 'columns = ["age", "pay"]' if kind == "covariance" else 'column = "age"'
    text = changed('kind = "mean"\ncolumn = "age"', f'kind = "{kind}"\n{which}', text)
    study = study_from_toml(text)
    assert study.asked[0].statistic.count_share == (F(2, 5) if kind == "variance" else F(1, 3))
    assert study_from_toml(study_to_toml(study)) == study
    spoilt = changed(f'kind = "{kind}"', f'kind = "{kind}"\ncount_share = 1', text)
    with pytest.raises(ParameterError, match=rf"statistic 1 \({kind}\): count_share = 1 is no probability"):
        study_from_toml(spoilt)


def test_errors_keep_their_family_and_their_numbers():
    with pytest.raises(BoundError) as refusal:
        study_from_toml(changed("upper = 120", "upper = -1"))
    said = {"place": "columns.age", "declares": "age"}  # where, for forms
    assert refusal.value.numbers == {"lower": 0, "upper": -1, **said}


def test_a_study_is_loaded_from_a_file_with_or_without_a_byte_order_mark(tmp_path):
    for encoding in ("utf-8", "utf-8-sig"):
        path = tmp_path / "study.toml"
        path.write_text(TEXT, encoding=encoding)
        assert load_study(path) == load_study(str(path)) == study_from_toml(TEXT)
    with pytest.raises(ParameterError, match="cannot be read"):
        load_study(tmp_path / "none.toml")
    with pytest.raises(ParameterError, match="cannot be read"):
        load_study(tmp_path)
    path.write_bytes(b'dataset = "\xff"')
    with pytest.raises(ParameterError, match="not UTF-8"):
        load_study(path)
    with pytest.raises(ParameterError):
        load_study("a\0b")


LETTERS = st.characters(codec="utf-8", exclude_characters="\x00")  # what engines can store
names = st.text(LETTERS, min_size=1, max_size=8).filter(str.strip)
numbers = st.fractions(min_value=-1000, max_value=1000, max_denominator=64)
epsilons = st.fractions(min_value=F(1, 1000), max_value=10, max_denominator=1000).filter(bool)
levels = st.fractions(min_value=F(1, 100), max_value=F(1, 2), max_denominator=100)


@st.composite
def studies(draw):
    relation = draw(
        st.builds(lambda n: change_one(n=n), st.integers(2, 10**20))
        | st.builds(lambda n: add_remove(n_max=n), st.integers(1, 10**6))
        | st.builds(
            lambda n, p, m: add_remove(n_max=n, person=p, rows_per_person=m),
            st.integers(1, 10**6),
            names,
            st.integers(1, 9),
        )
        | st.builds(
            lambda n, p: add_remove(n_max=n, person=p),
            st.integers(1, 10**6),
            st.lists(names, min_size=2, max_size=3, unique=True),
        )
        | st.builds(lambda n, u: add_remove(n_max=n, unit_rows=u), st.integers(1, 10**6), st.integers(2, 10**20))
    )
    free = names.filter(lambda name: name not in relation.person_columns)
    one, two, three = draw(st.lists(free, min_size=3, max_size=3, unique=True))
    low, high = sorted(draw(st.tuples(numbers, numbers).filter(lambda ends: ends[0] != ends[1])))
    step = draw(st.none() | st.fractions(min_value=F(1, 16), max_value=8, max_denominator=16).filter(bool))
    rules = st.sampled_from(("dropped", "middle", high))
    real = number_column(one, lower=low, upper=high, step=step, missing=draw(rules))
    integer = integer_column(two, lower=low, upper=high, missing=draw(rules))
    unknown, null = draw(st.tuples(*[st.sampled_from(["dropped", "binned"])] * 2))
    group = category_column(
        three, categories=draw(st.lists(st.text(LETTERS, max_size=5), min_size=1, max_size=4, unique=True)),
        unknown=unknown, null=null,
    )  # fmt: skip
    edges = sorted({integer.lower, integer.lower + integer.step, integer.upper})
    if draw(st.booleans()):  # the column declares bins itself
        integer = binned(integer, edges=edges[:2], outside=unknown, null=null)
    relation = with_identifiers(relation, [real, integer, group])
    alone = draw(st.sampled_from([None, group]))
    several = [integer, [group, integer], [integer, group]] if isinstance(integer, BinnedColumn) else []
    by = draw(st.sampled_from([alone, *several]))
    where = [condition(group, equals=group.categories[0]), condition(real, below=real.upper)]
    queries = [
        count_query(relation, where=where, by=by),
        histogram_query(group, relation, where=where[1:]),
        histogram_query(integer, relation, edges=edges, outside=unknown, missing=null, by=alone),
        *([histogram_query(integer, relation, by=alone)] if isinstance(integer, BinnedColumn) else []),
        sum_query(integer, relation, by=by, where=where),
        mean_query(real, relation, by=by),
        mean_query(real, relation, by=by, where=where[:1], count_share="3/4"),
        mean_query(integer, relation, by=group, count_share=draw(levels)),
    ]
    if relation.person is not None:
        queries += [
            persons_query(relation, where=where),
            persons_query(relation, by=group, groups_per_person=draw(st.integers(1, group.cells))),
            sum_query(integer, relation, by=by, rows_per_person=draw(st.integers(1, 9))),
        ]
    if relation.is_change_one and not real.dropped and not integer.dropped:
        queries += [variance_query(real, relation), covariance_query(integer, real, relation)]
    chosen = draw(st.lists(st.sampled_from(queries), min_size=1, max_size=5, unique=True))
    wanted = []
    for query in chosen:
        cost = {"epsilon": draw(epsilons)} if query.derivation or draw(st.booleans()) else {"accuracy": draw(epsilons)}
        wanted.append(ask(query, **cost, alpha=draw(levels), lock=draw(st.booleans())))
    return DeclaredStudy(
        dataset=draw(names),
        relation=relation,
        columns=(real, integer, group),
        asked=tuple(wanted),
        budget=draw(st.none() | epsilons),
    )


@given(
    at=st.lists(st.fractions(min_value=F(1, 999), max_value=F(998, 999)), min_size=1, max_size=5, unique=True),
    branching=st.none() | st.integers(2, 13),
    known=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_quantiles_that_are_written_are_read_back_equal(at, branching, known):
    """The tree that a plan chose is written, so that whoever reads the study asks for the same."""
    column = integer_column("age", lower=0, upper=120, step=10, missing="dropped" if not known else "middle")
    asked = quantiles_query(column, change_one(n=9), at=sorted(at), branching=branching)
    study = DeclaredStudy(dataset="d", relation=asked.relation, columns=(column,), asked=(ask(asked, epsilon=1),))
    assert study_from_toml(study_to_toml(study)) == study
    assert f"branching = {asked.branching}" in study_to_toml(study)


@given(study=studies())
@settings(max_examples=100, deadline=None)
def test_a_study_that_is_written_is_read_back_equal(study):
    text = study_to_toml(study)
    again = study_from_toml(text)
    assert again == study
    assert study_to_toml(again) == text


CONDITIONS = [
    {"column": "sex", "equals": "f"},
    {"column": "age", "from": 18, "below": 65},
    {"column": "region", "equals": "north"},
]


def counted(where, *, more=()):
    texts = {
        name: {"kind": "category", "categories": [each, "other"]} for name, each in (("sex", "f"), ("region", "north"))
    }
    age = {"kind": "integer", "lower": 0, "upper": 120, "missing": 60}
    statistics = [{"kind": "count", "where": list(each), "epsilon": 1} for each in (where, *more)]
    values = {"dataset": "people", "relation": "change-one", "n": 90, "columns": {"age": age, **texts}}
    return study_from_values({"format": 1, **values, "statistic": statistics})


def test_conditions_in_any_order_are_one_statistic():
    titles = {counted(each).asked[0].statistic.title for each in permutations(CONDITIONS)}
    assert titles == {"count where 18 <= age < 65 and region = north and sex = f"}
    assert len({counted(each) for each in permutations(CONDITIONS)}) == 1


def test_a_statistic_that_is_asked_twice_in_two_orders_is_told():
    with pytest.raises(ParameterError, match=r"statistic 2 .* repeats statistic 1"):
        counted(CONDITIONS, more=[CONDITIONS[::-1]])


def test_what_a_missing_cell_counts_as_has_no_default():
    with pytest.raises(ParameterError) as refused:
        study_from_toml(TEXT.replace('missing = "middle"\n', ""))
    assert refused.value.problem == "columns.pay: what a missing cell counts as is not said."
    for choice in ('missing = "dropped"', 'missing = "middle"', "a public number inside the bounds"):
        assert choice in refused.value.advice


@pytest.mark.parametrize(
    ("written", "missing"), [('"dropped"', None), ('"middle"', 750), ("600", 600), ('"1201/2"', 601)]
)
def test_a_column_says_what_a_missing_cell_counts_as(written, missing):
    column = study_from_toml(TEXT.replace('missing = "middle"', f"missing = {written}")).column("pay")
    assert column.missing == missing


def test_the_written_study_of_the_design_reads_well():
    text = study_to_toml(study_from_toml(TEXT))
    assert text.startswith('format = 1\ndataset = "people-2026"\nrelation = "change-one"\nn = 5000\nbudget = 1\n')
    assert '[[statistic]]\nkind = "mean"\ncolumn = "age"\nepsilon = "3/10"\nlock = true\n' in text


# Text and numbers that cannot be used


@pytest.mark.parametrize("key", ["dataset", "data", "column", "category"])
@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "a\x00b"])
def test_half_a_character_or_a_null_is_refused_wherever_a_name_stands(key, text):
    columns = {text if key == "column" else "g": {"kind": "category", "categories": ["a", "b"]}}
    if key == "category":
        columns["g"]["categories"] = ["a", text]
    values = {"format": 1, "dataset": "d", "relation": "change-one", "n": 9, "columns": columns}
    values |= {"statistic": [{"kind": "histogram", "column": next(iter(columns)), "epsilon": 1}]}
    if key in ("dataset", "data"):
        values[key] = text
    with pytest.raises(ParameterError, match="cannot store") as refused:
        study_from_values(values)
    assert str(refused.value).isascii()


@pytest.mark.parametrize("number", ["0." + "1" * 5000, "1" * 5000 + ".5", "1e-900"])
def test_a_number_of_thousands_of_digits_is_refused_in_words(number):
    text = f"""format = 1
dataset = "d"
relation = "change-one"
n = 9
[columns.x]
kind = "number"
lower = 0
upper = 1
missing = "middle"
[[statistic]]
kind = "mean"
column = "x"
epsilon = {number}
"""
    if len(number) < 100:
        assert study_from_toml(text).asked[0].epsilon == Fraction(1, 10**900)
        return
    with pytest.raises(ParameterError, match="thousands of digits"):
        study_from_toml(text)


def plain_values(**changes):
    column = {"kind": "category", "categories": ["a", "b"]}
    asked = {"kind": "histogram", "column": "g", "epsilon": 1}
    values = {"format": 1, "dataset": "d", "relation": "change-one", "n": 9, "columns": {"g": column}}
    return {**values, "statistic": [asked], **changes}


LONG_WORD = "z" * 1_000_000
G = {"kind": "category", "categories": ["a", "b"]}
HISTOGRAM = {"kind": "histogram", "column": "g", "epsilon": 1}
COUNT = {"kind": "count", "epsilon": 1}
UNREADABLE = [
    {1: 2},
    {None: 2},
    {"columns": {1: G}},
    {"columns": {"g": {**G, 1: 2}}},
    {"columns": {("g",): G}},
    {"statistic": [{**HISTOGRAM, 1: 2}]},
    {"statistic": [{**COUNT, "where": [{"column": "g", "equals": "a", 1: 2}]}]},
    {"format": 16**5000},
    {"n": 16**5000},
    {"statistic": [{**HISTOGRAM, "epsilon": 16**5000}]},
    {"statistic": [{**COUNT, "where": [{"column": "g", "equals": 16**5000}]}]},
    {LONG_WORD: 1},
    {"format": LONG_WORD},
    {"relation": LONG_WORD},
    {"columns": {"g": {**G, "kind": LONG_WORD}}},
    {"columns": {"g": {**G, LONG_WORD: 1}}},
    {"columns": {"g": {**G, "unknown": LONG_WORD}}},
    {"columns": {"g": {**G, "categories": [LONG_WORD, LONG_WORD]}}},
    {"columns": {LONG_WORD: {"kind": "integer", "lower": 1, "upper": 0, "missing": "middle"}}},
    {"statistic": [{**HISTOGRAM, "kind": LONG_WORD}]},
    {"statistic": [{**HISTOGRAM, "column": LONG_WORD}]},
    {"statistic": [{**HISTOGRAM, "outside": LONG_WORD}]},
    {"statistic": [{**HISTOGRAM, "epsilon": LONG_WORD}]},
    {"statistic": [{**COUNT, "where": [{"column": "g", "equals": LONG_WORD}]}]},
]


@pytest.mark.parametrize("changes", UNREADABLE, ids=range(len(UNREADABLE)))
def test_keys_that_are_no_text_and_endless_words_are_refused_in_a_short_message(changes):
    assert study_from_values(plain_values())
    with pytest.raises(SnapdpError) as caught:
        study_from_values({**plain_values(), **changes})
    assert 10 < len(str(caught.value)) < 3100


def test_a_hexadecimal_format_of_thousands_of_digits_is_no_traceback():
    with pytest.raises(ParameterError, match="not format = a number of thousands of digits"):
        study_from_toml(f"format = 0x{'f' * 5000}\ndataset = 'd'\nrelation = 'r'\nstatistic = 1\n[columns]")


UNKNOWN = {"kind": "category", "categories": ["a", "(unknown)"], "unknown": "binned"}
AMBIGUOUS = {
    r"column 'g' have one name, '\(unknown\)'": {"columns": {"g": UNKNOWN}},
    r"column 'h' have one name, '\(null\)'": {
        "columns": {"g": G, "h": {"kind": "category", "categories": ["(null)"], "null": "binned"}}
    },
    r"histogram\(g\) by h have one name, 'a / b / c'": {
        "columns": {"g": {**G, "categories": ["b / c", "c"]}, "h": {**G, "categories": ["a", "a / b"]}},
        "statistic": [{**HISTOGRAM, "by": "h"}],
    },
}


@pytest.mark.parametrize("what", AMBIGUOUS)
def test_two_cells_of_one_name_are_refused(what):
    with pytest.raises(ParameterError, match=what):
        study_from_values(plain_values(**AMBIGUOUS[what]))


def test_names_that_could_be_ambiguous_and_are_not_are_taken():
    columns = {"g": {**G, "categories": ["b / c", "d"]}, "h": {**G, "categories": ["a", "a / b"]}}
    statistic = [{**HISTOGRAM, "by": "h"}]
    assert study_from_values(plain_values(columns=columns, statistic=statistic)).asked


# Groups by several columns, and columns of numbers with bin edges

AGE_KEYS = {"kind": "integer", "lower": 0, "upper": 120, "missing": "dropped"}
CUT = {**AGE_KEYS, "edges": [0, 18, "65"]}


def grouped(by, *, age=CUT, **more):
    """Return the values of a study that counts by groups."""
    columns = {
        "region": {"kind": "category", "categories": ["north", ""]},
        "sex": {"kind": "category", "categories": ["f", "m"]},
        "age": age,
    }
    statistic = {"kind": "count", "epsilon": 1, "by": by, **more}
    relation = {"relation": "add-remove", "n_max": 90}
    return {"format": 1, "dataset": "people", **relation, "columns": columns, "statistic": [statistic]}


def test_groups_by_several_columns_are_a_list_of_names():
    study = study_from_values(grouped(["region", "sex", "age"]))
    statistic = study.asked[0].statistic
    assert (statistic.title, statistic.cells) == ("count by region, sex, age", 2 * 2 * 2)
    assert statistic.labels[-1] == ("", "m", "[18, 65]")
    assert 'by = ["region", "sex", "age"]' in study_to_toml(study)
    assert 'edges = [0, 18, 65]\noutside = "dropped"\nnull = "dropped"\n' in study_to_toml(study)
    assert study_from_toml(study_to_toml(study)) == study


def test_the_order_of_columns_is_that_of_the_cells_and_another_request():
    one, two = (study_from_values(grouped(by)).asked[0].statistic for by in (["region", "sex"], ["sex", "region"]))
    assert one != two
    assert one.declaration()["by"] == two.declaration()["by"][::-1]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (grouped(["region", 3]), r"statistic 1 \(count\): by is a list of other things"),
        (grouped(3), r"statistic 1 \(count\): by is a number"),
        (
            grouped("age", age={**AGE_KEYS, "null": "binned"}),
            "columns.age: null belongs to bin edges, and there are none",
        ),
        (grouped("age", age={**AGE_KEYS, "outside": "binned"}), "columns.age: outside belongs to bin edges"),
        (grouped("age", age={**AGE_KEYS, "edges": "0,18"}), "columns.age: edges is text"),
        (
            grouped("age", age={**CUT, "unknown": "binned"}),
            "the key 'unknown' is not known for a column of kind integer",
        ),
    ],
)
def test_groups_and_bins_that_make_no_sense_are_refused_with_their_place(values, problem):
    with pytest.raises((ParameterError, BoundError, PremiseError), match=problem):
        study_from_values(values)
