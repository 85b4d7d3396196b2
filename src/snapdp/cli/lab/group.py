"""`snapdp lab`: what those use who study the mechanism; nobody needs it to release a statistic.

Room: cli. `derive` and `bound` are commands of their own as well.
"""

from __future__ import annotations

import click

from snapdp.cli.late import LateGroup

LAB = {
    "bits": "snapdp.cli.lab.bits:bits_command",
    "bound": "snapdp.cli.lab.bound:bound_command",
    "compare": "snapdp.cli.lab.compare:compare_command",
    "derive": "snapdp.cli.lab.derive:derive_command",
    "published": "snapdp.cli.lab.published:published_command",
    "run": "snapdp.cli.lab.run:run_command",
}


@click.group("lab", cls=LateGroup, late=LAB)
def lab_group() -> None:
    """Study the mechanism and floating-point programs. No data is opened, but a table named as public.

    Nobody needs this to release a statistic.
    """
