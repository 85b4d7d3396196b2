"""`snapdp lab`: commands to judge programs and to study the mechanism. A release needs none of them."""

from __future__ import annotations

import click

from snapdp.cli.groups import Late, LateGroup

LAB = {
    "verify": Late("snapdp.cli.lab.verify:verify_command", "Judge a program, a Python function or a mechanism."),
    "derive": Late("snapdp.cli.lab.program:derive_command", "Derive bounds on what a program computes, rule by rule."),
    "run": Late("snapdp.cli.lab.program:run_command", "Run a program at one draw, in floats and over the reals."),
    "bound": Late("snapdp.cli.lab.bound:bound_command", "Bound the rounding error of a formula over a box."),
    "plan": Late("snapdp.cli.lab.plan:plan_command", "Show what one mechanism is worth, before a release or after."),
    "compare": Late("snapdp.cli.lab.compare:compare_command", "Compare the mechanism with Laplace noise, exactly."),
    "claims": Late("snapdp.cli.lab.claims:claims_command", "Compute the formulas of the notes, as printed."),
    "bits": Late("snapdp.cli.lab.compare:bits_command", "Show what few bits cost a mechanism."),
    "attack": Late("snapdp.cli.lab.attack:attack_command", "Break the usual noise, then try to break ours."),
    "selftest": Late("snapdp.cli.lab.selftest:selftest_command", "Compare this machine with known answers."),
}


@click.group("lab", cls=LateGroup, late=LAB)
def lab_group() -> None:
    """Judge programs, and study the mechanism. No data is opened, but a table named as public.

    Nobody needs this to release a statistic.
    """
