"""The registry of attacks, and what is made of their outcomes."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction

import pytest

from snapdp.errors import ParameterError
from snapdp.lab.attacks.attack import Attack, AttackOutcome, Distinguisher, Trials, measured, one_by_one
from snapdp.lab.attacks.gallery import TARGETS, attacked, attacks, pairs, rows
from snapdp.values import replaced

EVERY = attacks()
PEERS = {"diffprivlib": "diffprivlib", "opendp": "opendp", "python-dp": "pydp"}
FEW = Trials(count=10, seed=1)


def made(*bounds: str, counts=((1, 1), (0, 1)), target: str = "numpy") -> tuple[Attack, list[Trials]]:
    """Return an attack that shows these bounds one after the other, and what it was asked for."""
    asked: list[Trials] = []

    def run(trials: Trials) -> AttackOutcome:
        asked.append(trials)
        bound = Fraction(bounds[len(asked) - 1])
        return AttackOutcome(claimed=Fraction(1), lower_bound=bound, said="so", counts=counts)

    words = dict.fromkeys(("name", "title", "source", "assumes", "event", "neighbours"), "word")
    return Attack(**words, against={target: run}), asked


@pytest.mark.parametrize("name", EVERY)
def test_every_attack_says_what_it_does_and_is_run_on_the_textbook_and_on_ours(name):
    attack = EVERY[name]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert {"numpy", "snapdp"} <= attack.against.keys() <= set(TARGETS)
    for text in (attack.assumes, attack.event, attack.neighbours):
        assert text[0].isupper()
        assert text.endswith(".")
    assert len(attack.title) <= 40
    assert attack.source


def test_names_and_targets_are_refused_with_what_is_allowed():
    with pytest.raises(ParameterError, match=r"no attack 'nosuch'(.|\n)*precision"):
        pairs(["nosuch"])
    with pytest.raises(ParameterError, match=r"no target 'jax'(.|\n)*diffprivlib"):
        pairs([], ["jax"])


def test_pairs_are_in_the_order_of_the_table_and_only_what_is_asked_for():
    assert [(attack.name, target) for attack, target in pairs(["ties"], ["snapdp", "numpy"])] == [
        ("ties", "numpy"),
        ("ties", "snapdp"),
    ]
    assert len(pairs()) == sum(len(attack.against) for attack in EVERY.values())


def test_what_one_sample_refutes_must_be_refuted_by_a_second_one_of_other_noise():
    attack, asked = made("3", "1/2")
    row = attacked(attack, "numpy", FEW)
    assert [each.seed for each in asked] == [1, 2]
    assert row.verdict == "not refuted"
    assert row.outcome is not None
    assert row.outcome.lower_bound == Fraction(1, 2)
    assert attacked(made("3", "2")[0], "numpy", FEW).verdict == "refuted"


def test_what_is_not_refuted_or_known_by_the_law_is_not_tried_again():
    attack, asked = made("1")
    assert attacked(attack, "numpy", FEW).verdict == "not refuted"  # at its claim
    law, asked_by_law = made("3", counts=None)
    assert attacked(law, "numpy", FEW).verdict == "refuted"
    assert len(asked) == len(asked_by_law) == 1


def test_rows_take_the_number_of_trials_of_the_attack_or_the_one_asked_for():
    attack, asked = made("0", "0", "0", "0")
    slower = replaced(attack, fewer={"numpy": 55})
    for each in (attack, slower):
        list(rows([(each, "numpy")], seed=4))
        list(rows([(each, "numpy")], seed=4, trials=77))
    assert [each.count for each in asked] == [attack.trials, 77, 55, 77]


def test_each_row_has_noise_of_its_own_that_the_seed_its_attack_and_its_target_decide():
    asked = [made("0"), made("0", target="snapdp")]
    others = [replaced(attack, name="other") for attack, _ in asked]
    every = [(attack, target) for attack in (*(each for each, _ in asked), *others) for target in attack.against]
    seeds = set()
    for seed in (4, 5):
        for attack, target in every:
            list(rows([(attack, target)], seed=seed))
            seeds.add(asked[target == "snapdp"][1].pop().seed)
    assert len(seeds) == 2 * len(every) == 8
    (alone, seen), among = made("0", "0", "0"), made("0")[0]
    list(rows([(alone, "numpy")], seed=4))
    list(rows([(replaced(among, name="another"), "numpy"), (alone, "numpy")], seed=4))
    assert seen[0].seed == seen[1].seed


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_that_is_not_installed_is_absent_in_every_row(peer, monkeypatch):
    monkeypatch.setitem(sys.modules, PEERS[peer], None)
    found = list(rows(pairs([], [peer]), seed=1))
    assert found
    assert {row.verdict for row in found} == {"absent"}


def test_an_import_that_fails_in_an_attack_on_ours_is_not_hidden():
    def run(trials: Trials) -> AttackOutcome:
        raise ImportError(str(trials))

    attack, _ = made("0")
    for target, failing in (("snapdp", True), ("opendp", False)):
        broken = Attack(**{**vars(attack), "against": {target: run}})
        if failing:
            with pytest.raises(ImportError):
                attacked(broken, target, FEW)
        else:
            assert attacked(broken, target, FEW).verdict == "absent"


def test_an_outcome_says_its_counts_in_words():
    outcome = measured(claimed=Fraction(1), more=(2000, 2000), less=(0, 2000), inputs=("for 0", "for 1"))
    assert outcome.said == "in all of 2,000 outputs for 0, in none of 2,000 for 1"
    assert outcome.is_refuted
    some = measured(claimed=Fraction(1), more=(1622, 2000), less=(9, 2000), inputs=("for 0", "for 1"))
    assert some.said == "in 1,622 of 2,000 outputs for 0 (81.1 %), in 9 of 2,000 for 1 (0.45 %)"


def test_the_package_is_imported_without_attacks_and_their_names_without_numpy():
    code = "import sys, snapdp; assert 'snapdp.lab.attacks' not in sys.modules\n"
    code += "import snapdp.lab.attacks.gallery; snapdp.lab.attacks.gallery.attacks(); assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_target_that_says_what_it_claims_is_judged_by_that():
    distinguisher = Distinguisher(event=bool, neighbours=(1, 0), inputs=("for 1", "for 0"), claimed=Fraction(1))
    releases = one_by_one(lambda value: value)
    runs = distinguisher.against(numpy=lambda _: releases, python_dp=lambda _: (releases, Fraction(2)))
    assert {name: run(FEW).claimed for name, run in runs.items()} == {"numpy": 1, "python-dp": 2}
