"""A study as plain values makes an equal study again, through JSON too."""

from __future__ import annotations

import json
import random
from contextlib import suppress

import pytest

from snapdp.api.outline import study_values_of
from snapdp.errors import ParameterError
from snapdp.studies.study_file import STUDY_KEYS, load_study, study_from_values
from snapdp.tables.keys import read_keys
from tests import VECTORS
from tests.unit.audits.releases import random_study

KEPT = sorted((VECTORS / "releases").glob("*.toml"))


def again(study):
    return study_from_values(json.loads(json.dumps(study_values_of(study))), read_keys=read_keys)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_the_values_of_every_study_that_is_kept_make_it_again(path, monkeypatch):
    monkeypatch.chdir(path.parent)  # a file of keys is read from where it is named
    study = load_study(path.name, read_keys=read_keys)
    assert again(study) == study
    assert study_values_of(study)["format"] == 1


def drawn(seeds):
    """Yield random studies; dice may ask for the same quantiles twice, which no study does."""
    for seed in seeds:
        with suppress(ParameterError):
            yield random_study(random.Random(seed)).declared


def check(study):
    assert again(study) == study
    assert {*study_values_of(study)} <= {*STUDY_KEYS}


@pytest.mark.parametrize("seed", range(40))
def test_the_values_of_a_random_study_make_it_again(seed):
    check(random_study(random.Random(seed)).declared)


@pytest.mark.long
def test_the_values_of_many_random_studies_make_them_again():
    for study in drawn(range(40, 1500)):
        check(study)


def test_numbers_that_are_not_whole_are_text_and_exact():
    from snapdp.studies.study_file import study_from_toml

    study = study_from_toml(
        'format = 1\ndataset = "d"\nrelation = "change-one"\nn = 3\n[columns.x]\nkind = "number"\nlower = 0.1\n'
        'upper = 99999999999999999999\nmissing = "middle"\n[[statistic]]\nkind = "sum"\ncolumn = "x"\nepsilon = 0.3\n'
    )
    values = study_values_of(study)
    assert values["statistic"][0]["epsilon"] == "3/10"
    assert values["columns"]["x"]["lower"] == "1/10"
    assert values["columns"]["x"]["upper"] == "99999999999999999999"
