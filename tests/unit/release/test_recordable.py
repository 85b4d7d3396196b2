"""What is accepted can be recorded, read again, audited and certified; all else is refused before data."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import snapdp
from snapdp.audits.certificates import accepted_certificate
from snapdp.audits.release_audit import audit
from snapdp.errors import SnapdpError
from snapdp.ledger.chain import canonical
from snapdp.release.record import checked
from snapdp.release.recordable import MOST_BYTES, most_bytes
from snapdp.release.request import Request
from snapdp.release.result import Release
from snapdp.studies.categories import boolean_column, date_column
from snapdp.studies.columns import NumberColumn, category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.plans.lines import ask
from snapdp.studies.plans.plan import Plan, plan
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query, persons_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.quantiles import quantiles_query
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
from snapdp.values import replaced
from tests.tiers import first_of
from tests.unit.audits.releases import random_record

F = Fraction
X = integer_column("x", lower=0, upper=20_000, missing="middle")
FINE = number_column("x", lower=0, upper=9, missing="middle")
ROWS = add_remove(n_max=3)
LONG_NAME, LONG_NUMBER = "n" * 3000, "1." + "7" * 600


def request(*statistics: Any, epsilon: Any = 1, alpha: Any = "0.05") -> Request:
    return Request(dataset="d", plan=plan([ask(each, epsilon=epsilon, alpha=alpha) for each in statistics]))


def sums(lower: Any, upper: Any, **more: Any) -> Any:
    return sum_query(number_column("x", lower=lower, upper=upper, missing="middle", **more), ROWS)


def grouped(name: str, cells: int, width: int) -> Any:
    return histogram_query(category_column(name, categories=[f"{i}".ljust(width, "x") for i in range(cells)]), ROWS)


# A thing of every kind that somebody downstream refuses

COUNTS = [histogram_query(X, ROWS, edges=[0, k + 1, 20_000]) for k in range(1001)]
WHOLE = sum_query(
    integer_column("x", lower=-(2**56), upper=2**56, step=2**50, missing="middle"),
    add_remove(n_max=2**20),
    by=category_column("g", categories=[str(i) for i in range(1001)]),
)
REFUSED = {
    "more than 1000 statistics": lambda: request(*COUNTS, epsilon="1/1000"),
    "alpha of sum": lambda: request(sum_query(X, ROWS), alpha="1e-284"),
    "very many digits": lambda: request(sum_query(X, ROWS), alpha=F(3**2100, 2 * 3**2100 + 1)),
    "epsilon or alpha of": lambda: request(sum_query(X, ROWS), epsilon=F(1, 3**2100)),
    "a number has more than 1000 digits": lambda: request(
        histogram_query(FINE, ROWS, edges=[0, F(1, 2) + F(1, 10**1100), 9])
    ),
    "cannot be recorded": lambda: request(
        sum_query(
            number_column("x", lower=0, upper=F(1, 2**300), step=F(1, 2**300), missing="middle"),
            add_remove(n_max=1 << 1001),
        ),
        epsilon=F(1, 1 << 1000),
    ),
    "the record would take": lambda: request(*(grouped(name, 1000, 6000) for name in "abc")),
    "could not be declared": lambda: request(
        sum_query(replaced(X, upper=F(2**40), declared_upper=F(2**40)), ROWS), epsilon=1
    ),
    "is not what its declaration makes": lambda: request(count_with(condition(X, below=5), 1)),
    "one column is declared in two ways": lambda: request(sum_query(X, ROWS), sums(0, 1)),
    "a column has no name": lambda: request(sum_query(integer_column("", lower=0, upper=1, missing="middle"), ROWS)),
    "may leave the whole numbers of 64 bits": lambda: request(WHOLE),
    "too many quantiles": lambda: request(*(percentiles(1000, each) for each in range(42)), epsilon="1/1000"),
    "longer than records have": lambda: request(
        count_query(
            ROWS,
            where=[
                condition(integer_column(f"x{i}", lower=0, upper=9, missing="middle"), below=5) for i in range(1001)
            ],
        )
    ),
}


def percentiles(levels: int, number: int) -> Any:
    """Return as many quantiles as a statistic may have, of one of several columns."""
    column = integer_column(f"x{number}", lower=0, upper=levels - 1, missing="middle")
    return quantiles_query(column, ROWS, at=[F(i, 101) for i in range(1, 101)], branching=32)


def count_with(where: Any, sensitivity: int) -> Any:
    """Return a count whose parts say less than a person with several rows moves."""
    genuine = count_query(add_remove(n_max=9, person="id", rows_per_person=3), where=[where])
    numerator = replaced(genuine.parts[0].numerator, sensitivity=sensitivity)

    class Understated(type(genuine)):
        parts = (replaced(genuine.parts[0], numerator=numerator),)

    return Understated(relation=genuine.relation, where=genuine.where)


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_be_recorded_read_or_certified_is_refused_by_the_request(reason):
    with pytest.raises(SnapdpError, match=reason):
        REFUSED[reason]()


def test_what_lies_just_inside_every_limit_is_accepted():
    assert len(request(*COUNTS[:30], epsilon="1/1000", alpha=F(1, 1 << 940)).lines) == 30
    assert request(replaced_cells(WHOLE, 1000)).mechanisms  # inline whole numbers are exact, however large
    assert request(*(grouped(name, 1000, 700) for name in "abc")).declaration
    assert request(*(percentiles(1000, each) for each in range(41)), epsilon="1/1000").declaration


def replaced_cells(statistic: Any, cells: int) -> Any:
    by = category_column("g", categories=[str(i) for i in range(cells)])
    return sum_query(statistic.columns[0], statistic.relation, by=by)


@pytest.mark.parametrize(
    "changes",
    [{"alpha": F(2)}, {"alpha": F(0)}, {"alpha": 0.05}, {"epsilon": F(-1)}, {"epsilon": F(0)}, {"epsilon": 1}],
)
def test_a_line_has_an_epsilon_and_an_alpha_that_mean_something(changes):
    line = plan([ask(sum_query(X, ROWS), epsilon=1)]).lines[0]
    with pytest.raises(SnapdpError, match=r"epsilon|alpha"):
        replaced(line, **changes)


def test_a_plan_of_another_study_is_refused():
    columns = {"x": {"kind": "integer", "lower": 0, "upper": 10, "missing": "middle"}}
    asked = [{"kind": "mean", "column": "x", "epsilon": 1}, {"kind": "sum", "column": "x", "epsilon": 1}]
    study = snapdp.study(format=1, dataset="d", relation="change-one", n=3, columns=columns, statistic=asked)
    assert study.request(study.plan().fit("1/2")).epsilon == F(1, 2)
    assert len(study.request(Plan(lines=study.plan().lines[:1])).lines) == 1
    other = Plan(lines=(replaced(study.plan().lines[0], statistic=mean_query(X, change_one(n=3))),))
    with pytest.raises(SnapdpError, match="a statistic that the study does not ask for"):
        study.request(other)


# Whatever is accepted: generated from extremes

NAMES = ["x", LONG_NAME, "é / ü\n", "\U0001f71a" * 50, "=1+1", "999"]
BOUNDS = [
    ({"lower": 0, "upper": 100, "step": 1}, 6),
    ({"lower": -500, "upper": "1/3", "step": "1/3"}, 2),
    ({"lower": 0, "upper": "1e-250"}, 1),
    ({"lower": "-1e260", "upper": "1e200"}, 1),
    ({"lower": -(2**60), "upper": 2**60, "step": 2**40}, 2),
    ({"lower": 0, "upper": LONG_NUMBER, "step": LONG_NUMBER}, 1),
    ({"lower": 2**40, "upper": 2**40 + 7, "step": 7}, 1),
    ({"lower": 0, "upper": 2**31}, 1),
]
SIZES = [(1, 1), (2, 1), (3, 2), (100, 4), (10**6, 4), (2**40, 1), (2**200, 1), (2**999, 1)]
EPSILONS = [("1", 4), ("1/3", 3), ("0.001", 2), ("1e6", 1), ("1e30", 1), (LONG_NUMBER, 1), ("1e-30", 1), ("1e-300", 1)]
ALPHAS = [("0.05", 1), (F(1, 2**940), 1), ("1e-24", 1), ("1e-100", 1), ("0.999999", 1), (F(1, 3**500), 1)]
CELLS = [(1, 1), (2, 3), (7, 3), (300, 1)]


def one_of(dice: random.Random, weighted: list[tuple[Any, int]]) -> Any:
    choices, weights = zip(*weighted, strict=True)
    return dice.choices(choices, weights)[0]


def extreme_request(dice: random.Random) -> Request:
    """Return a request from the far ends of everything that can be declared; many are refused."""
    relation = dice.choice([change_one, lambda n: add_remove(n_max=n), person, UNITS[dice.randrange(len(UNITS))]])(
        n=one_of(dice, SIZES)
    )
    column = _numbers(dice)
    asked = [_statistic(dice, relation, column) for _ in range(dice.choice([1, 1, 2, 3]))]
    lines = [ask(each, epsilon=one_of(dice, EPSILONS), alpha=one_of(dice, ALPHAS)) for each in asked]
    return Request(dataset=dice.choice(["d", "a" * 100]), plan=plan(lines), own=dice.choice([None, "ann"]))


def person(n: int) -> Any:
    return add_remove(n_max=n, person="id", rows_per_person=2)


UNITS = [
    lambda n: add_remove(n_max=n, person=[LONG_NAME, "é\n", "[", '"']),
    lambda n: add_remove(n_max=n, person="id", rows_per_person=2**70),
    lambda n: add_remove(n_max=n, unit_rows=30),
    lambda n: add_remove(n_max=n, unit_rows=2**400),
]


def _statistic(dice: random.Random, relation: Any, column: NumberColumn) -> Any:
    few = [count_query, histogram_query, histogram_query, sum_query, mean_query]
    few += [persons_query] * (relation.person is not None)
    kind = dice.choice([*few, *([variance_query] if relation.rows > 1 else [])])
    width, cells = dice.choice([1, 30, 1000]), one_of(dice, CELLS)
    names = [f"{i}".ljust(width, "ö") for i in range(cells)]
    groups = category_column(f"g{cells}/{width}", categories=names, null="binned")
    if kind is histogram_query and dice.random() < 0.4:
        return kind(dice.choice([groups, VISIT, SMOKES]), relation)
    more: dict[str, Any] = {} if dice.random() < 0.6 else {"by": groups}
    more |= {} if dice.random() < 0.6 else {"where": [dice.choice(CONDITIONS)]}
    if kind is persons_query:
        return kind(relation, **more, **({"groups_per_person": dice.choice([1, groups.cells])} if "by" in more else {}))
    if relation.person and dice.random() < 0.3:
        more |= {"rows_per_person": dice.choice([1, 3, 2**60])}
    if kind is count_query:
        return kind(relation, **more | {"where": [condition(column, below=column.upper), CONDITIONS[0]]})
    if kind is histogram_query:
        steps = range(min(one_of(dice, CELLS), column.levels))
        edges = sorted({*(column.lower + column.step * k for k in steps), column.upper})
        return kind(column, relation, edges=edges, outside=dice.choice(["dropped", "binned"]), **more)
    return kind(column, relation, **more)


VISIT = date_column("visit", start="1900-01-01", end="1902-01-01", each="day")
SMOKES = boolean_column("smokes", null="binned")
CONDITIONS = [condition(SMOKES, equals="true"), condition(VISIT, start="1901-01-01")]


def _numbers(dice: random.Random) -> NumberColumn:
    bounds = one_of(dice, BOUNDS)
    build = integer_column if isinstance(bounds.get("step"), int) and dice.random() < 0.5 else number_column
    return build(dice.choice(NAMES), missing=dice.choice(["dropped", "middle", bounds["upper"]]), **bounds)


class Made:
    """What `random_record` asks of a study."""

    def __init__(self, made: Request) -> None:
        self.request, self.dataset = lambda: made, made.dataset


SHARES = [["1/2"], ["1e-300", "1/3", "0.999"], [F(1, 3**600), 1 - F(1, 7**300)], [F(i, 101) for i in range(1, 101)]]


def extreme_quantiles(dice: random.Random) -> Request:
    """Return a request for quantiles from the far ends of everything that can be declared; many are refused."""
    relation = dice.choice([change_one, lambda n: add_remove(n_max=n), person, *UNITS])(n=one_of(dice, SIZES))
    found = _numbers(dice)
    column = found if found.levels <= 1500 else integer_column("x", lower=0, upper=3, missing="middle")
    more: dict[str, Any] = {"at": dice.choice(SHARES)}
    more |= {} if dice.random() < 0.5 else {"branching": dice.randint(2, column.levels + 1)}
    more |= {} if dice.random() < 0.6 else {"where": [dice.choice(CONDITIONS)]}
    names = [f"{i}".ljust(dice.choice([1, 300]), "ö") for i in range(dice.choice([1, 2, 7, 40]))]
    more |= {} if dice.random() < 0.6 else {"by": category_column("g", categories=names, null="binned")}
    line = ask(
        quantiles_query(column, relation, **more), epsilon=one_of(dice, EPSILONS), alpha=dice.choice(["0.05", "1e-9"])
    )
    return Request(dataset="d", plan=plan([line]))


def holds(seed: int, extreme: Callable[[random.Random], Request] = extreme_request) -> bool:
    """Tell whether a request was accepted; everything that must follow then is demanded."""
    dice = random.Random(seed)
    try:
        made = extreme(dice)
    except SnapdpError:
        return False
    record = random_record(dice, Made(made))
    text = canonical(record)
    assert len(text) <= most_bytes(made) <= MOST_BYTES
    again = checked(json.loads(text))
    assert Release(again).to_json() == text
    assert audit(again).findings == ()
    assert accepted_certificate(again)["record"] == again
    return True


@pytest.mark.parametrize("start", range(0, 32, 8))
def test_whatever_is_accepted_can_be_recorded_read_audited_and_certified(start):
    accepted = sum(map(holds, range(start, start + 8)))
    assert accepted > 1  # the generator is no wall of refusals


@pytest.mark.parametrize("seeds", first_of([range(5), range(5, 1000)]), ids=["few", "many"])
def test_whatever_quantiles_are_accepted_can_be_recorded_read_audited_and_certified(seeds):
    assert sum(holds(seed, extreme_quantiles) for seed in seeds) > len(seeds) / 5


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 21_000, 100))
def test_whatever_is_accepted_can_be_certified_from_many_more_extremes(start):
    assert sum(map(holds, range(start, start + 100))) > 20


LONG_NAMES, MANY_NAMES = ["\U0001f71a" * 900, "x\n" * 900, "y"], [f"c{i}" for i in range(64)]


@pytest.mark.parametrize(
    ("relation", "names", "rule"),
    [
        (change_one(n=9), LONG_NAMES, "dropped"),
        (change_one(n=9), LONG_NAMES, "middle"),
        (add_remove(n_max=9), MANY_NAMES, "dropped"),
    ],
    ids=["long names", "n is public", "many"],
)
def test_means_that_share_a_count_can_be_recorded_read_audited_and_certified(relation, names, rule):
    columns = [integer_column(name, lower=0, upper=120, missing=rule) for name in names]
    query = mean_query(columns, relation, complete=rule == "dropped")
    made = Request(dataset="people", plan=plan([ask(query, epsilon=1)]))
    record = random_record(random.Random(len(names)), Made(made))
    text = canonical(record)
    assert len(text) <= most_bytes(made)
    again = checked(json.loads(text))
    assert audit(again).findings == ()
    assert accepted_certificate(again)["record"] == again
    values = Release(again).value
    assert list(values) == names
