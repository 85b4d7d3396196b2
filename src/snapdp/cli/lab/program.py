"""`snapdp lab derive` and `snapdp lab run`: bounds on every value of a program, and the program at one draw.

Parse, one library call, print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from snapdp.cli.flags.numbers import NUMBER
from snapdp.cli.lab.options import json_option, load_program, machine_option, program_argument, rules_option
from snapdp.cli.screen import echo, echo_json, folded, line_width

if TYPE_CHECKING:
    from snapdp.lab.language.syntax import Program

EXAMPLE = """\b
Examples:
  snapdp lab derive snap_tenth
  snapdp lab derive snap_half --format latex
  snapdp lab derive snap_half --machine p=24,umin=-149 --json
  snapdp lab derive snap_half --rules printed
  snapdp lab derive snap_mul --gappa
  snapdp lab derive snap_mul --fpcore
"""


@click.command("derive", epilog=EXAMPLE)
@program_argument
@click.option("--format", "style", type=click.Choice(["text", "latex", "html"]), help="How to print.  [default: text]")
@machine_option
@rules_option
@click.option("--gappa", "as_gappa", is_flag=True, help="Print the noise lemma as a script for Gappa.")
@click.option("--fpcore", "as_fpcore", is_flag=True, help="Print the noise as an FPCore.")
@json_option
def derive_command(
    reference: str, style: str | None, machine: str, rules: str, as_gappa: bool, as_fpcore: bool, as_json: bool
) -> None:
    """Derive bounds on what a floating-point program computes.

    PROGRAM is a file in the language of the verifier (.imp), the name of a bundled program, or FILE.py:function,
    a Python function with @snapdp.lab.audit: the file is run.
    """
    from snapdp.lab.language import fpcore
    from snapdp.lab.report import derivation
    from snapdp.lab.semantics.printed import derivations_by

    if sum((style is not None, as_gappa, as_fpcore, as_json)) > 1:
        raise click.UsageError("Give one of --format, --gappa, --fpcore and --json.")
    if rules != "sound" and (style == "latex" or as_gappa or as_fpcore):
        raise click.UsageError("--rules of the note are printed as text, HTML or JSON only.")
    judged = load_program(reference, machine)
    if as_gappa or as_fpcore:
        write = fpcore.gappa if as_gappa else fpcore.fpcore
        echo(write(judged.program, judged.machine), nl=False)
        return
    found = derivations_by(rules, judged.program, judged.machine)
    if rules != "sound":
        if as_json:
            echo_json(derivation.printed_rules_values(found, rules=rules), indent=2)
        else:
            write_rules = derivation.printed_rules_page if style == "html" else derivation.printed_rules_text
            echo(write_rules(found, rules=rules), nl=False)
    elif as_json:
        echo_json(derivation.derivation_values(found), indent=2)
    elif style in ("latex", "html"):
        write_document = derivation.derivation_latex if style == "latex" else derivation.derivation_page
        echo(write_document(found), nl=False)
    else:
        echo(folded("\n".join(map(derivation.derivation_text, found))), nl=False)


# One draw, in floats and over the reals, with the derived bounds around both

RUN_EXAMPLE = """\b
Examples:
  snapdp lab run snap_half --f 3 --U 0.3 --S -1
  snapdp lab run snap_tenth --f 1/3 --U 0.9 --S 1 --machine p=8
  snapdp lab run snap_half --f 3 --U 0.3 --S -1 --rules printed
  snapdp lab run snap_half --f 3 --output 6
  snapdp lab run snap_half --f 3 --U 0.3 --set S=-1 --json
"""
NARROWEST = 40
ROLES = {"f": ("the query", ()), "U": ("a uniform or Laplace draw", ("unif", "laplace")), "S": ("a sign", ("sign",))}


@click.command("run", epilog=RUN_EXAMPLE)
@program_argument
@click.option("--f", "f", type=NUMBER, metavar="NUMBER", help="The value of the query, whatever its name.")
@click.option("--U", "u", type=NUMBER, metavar="NUMBER", help="The uniform (or Laplace) draw.")
@click.option("--S", "s", type=NUMBER, metavar="-1|1", help="The random sign.")
@click.option("--set", "others", multiple=True, metavar="NAME=NUMBER", help="Any other query or sample, by name.")
@click.option("--output", type=NUMBER, metavar="NUMBER", help="Instead of a draw: which U lead from f to this output.")
@machine_option
@rules_option
@json_option
def run_command(
    reference: str,
    f: str | None,
    u: str | None,
    s: str | None,
    others: tuple[str, ...],
    output: str | None,
    machine: str,
    rules: str,
    as_json: bool,
) -> None:
    """Run a program at one draw, in floats and over the reals, with the derived bounds around both.

    PROGRAM is a file in the language of the verifier (.imp), the name of a bundled program, or FILE.py:function,
    a Python function with @snapdp.lab.audit: the file is run. Values that are no
    floats of the machine are rounded, and the run says to what.
    """
    from snapdp.lab.loss.pointwise import output_draws
    from snapdp.lab.report import cases
    from snapdp.lab.semantics.reals import evaluate

    judged, width = load_program(reference, machine), max(NARROWEST, line_width() - 1)
    if output is not None:
        if f is None or u is not None or s is not None or others or rules != "sound":
            raise click.UsageError("--output takes --f and --machine, and no draw or rules.")
        draws = output_draws(judged.program, judged.machine, f=f, output=output)
        if as_json:
            echo_json(cases.output_draws_values(draws), indent=2)
        else:
            echo(cases.output_draws_text(draws, width=width), nl=False)
        return
    given = [(name, number) for name, _, number in (each.partition("=") for each in others)]
    if any("=" not in each for each in others):
        raise click.UsageError("--set takes NAME=NUMBER.")
    flags = (("f", f), ("U", u), ("S", s))
    given += [(_name_for(flag, judged.program), number) for flag, number in flags if number is not None]
    values: dict[str, str] = {}
    for name, number in given:
        if name in values:
            raise click.UsageError(f"{name} is given twice.")
        values[name] = number
    found = evaluate(judged.program, judged.machine, values, rules=rules)
    if as_json:
        echo_json(cases.evaluation_values(found), indent=2)
    else:
        echo(cases.evaluation_text(found, width=width), nl=False)


def _name_for(flag: str, tree: Program) -> str:
    """Return the name of the query or sample that a flag is about: the only one of its kind."""
    kind, distributions = ROLES[flag]
    names = [query.name for query in tree.queries]
    if distributions:
        names = [each.name for each in tree.statements if getattr(each, "distribution", None) in distributions]
    if len(names) != 1:
        found = f"{len(names)} of them: use --set NAME=NUMBER" if names else "none: leave it out"
        raise click.UsageError(f"--{flag} is {kind}; {tree.name} has {found}.")
    return names[0]
