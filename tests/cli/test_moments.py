"""Variances, covariances and correlations of rows whose number is private, on the command line: what people see."""

from __future__ import annotations

import csv
import json

import snapdp
from tests.cli.test_means import BOUNDS, STUDY, one, place, run  # noqa: F401

PAIR = ["--covariance", "age,income", "--correlation", *BOUNDS, "--missing", "dropped"]
COST = ["--n", "200", "--epsilon", "9"]
CORRELATED = STUDY.replace('kind = "mean"', 'kind = "covariance"').replace("complete", "correlation")
CORRELATED = CORRELATED.replace("epsilon = 2", "epsilon = 9")


def test_a_correlation_by_flags_study_and_python_is_one_request_and_its_files_and_certificate_agree(place):  # noqa: F811
    (place / "people.toml").write_text(CORRELATED)
    to = ["--ledger", "l.ledger", "--yes", "--record", "r.json", "--values", "v.csv"]
    first = run("release", "people.csv", *PAIR, *COST, "--dataset", "people", *to)
    assert "charged: epsilon 9" in first.output
    assert "covariance(age, income): only rows count that have age and income." in one(first.output)
    assert "answered before" in run("release", "people.toml", "--data", "people.csv", *to[:3]).output
    told = {"bounds": ((0, 120), (0, 5000)), "missing": "dropped", "step": 1, "epsilon": 9}
    found = snapdp.covariance("people.csv", column=("age", "income"), correlation=True, ledger="l.ledger", **told)
    assert found.free
    assert list(found.values) == ["covariance(age, income)", "correlation(age, income)"]
    with (place / "v.csv").open(newline="") as file:
        rows = {(row["measure"], row["column"]): row for row in csv.DictReader(file)}
    assert {row["statistic"] for row in rows.values()} == {"covariance(age, income)"}
    assert rows["correlation", ""]["source"] == rows["covariance", ""]["source"] == "derived"
    assert (rows["correlation", ""]["charged"], rows["covariance", ""]["charged"]) == ("0", "9")
    assert float(rows["covariance", ""]["value"]) == found.value
    assert ("sum of squared distances", "income") in rows
    run("verify", "r.json", "--certificate", "c.json")
    run("check", "c.json")
    record = json.loads((place / "r.json").read_text())
    record["derived"][1]["value"][0] += 0.5
    (place / "r.json").write_text(json.dumps(record))
    run("verify", "r.json", code=1)
