"""`snapdp lab derive`: bounds on every value a floating-point program computes, rule by rule.

Parse, one library call, print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from snapdp.cli.flags.mechanism import machine_option, program_and_machine, rules_option
from snapdp.cli.flags.numbers import NUMBER
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
@click.argument("program", metavar="PROGRAM")
@click.option("--format", "style", type=click.Choice(["text", "latex", "html"]), help="How to print.  [default: text]")
@machine_option
@rules_option
@click.option("--gappa", "as_gappa", is_flag=True, help="Print the noise lemma as a script for Gappa.")
@click.option("--fpcore", "as_fpcore", is_flag=True, help="Print the noise as an FPCore.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def derive_command(
    ctx: click.Context,
    /,
    program: str,
    style: str | None,
    machine_text: str,
    rules: str,
    as_gappa: bool,
    as_fpcore: bool,
    as_json: bool,
) -> None:
    """Derive bounds on what a floating-point program computes.

    PROGRAM is a file in the language of the verifier (.imp), the name of a bundled program, or FILE.py:function,
    a Python function with @snapdp.audit: the file is run.
    """
    from snapdp.lab.language.fpcore import fpcore, gappa
    from snapdp.lab.report.derivation import (
        derivation_latex,
        derivation_page,
        derivation_text,
        derivation_values,
        printed_rules_page,
        printed_rules_text,
        printed_rules_values,
    )
    from snapdp.lab.semantics.printed import derivations_by

    ctx.meta["snapdp.json"] = as_json
    if sum((style is not None, as_gappa, as_fpcore, as_json)) > 1:
        raise click.UsageError("Give one of --format, --gappa, --fpcore and --json.")
    if rules != "sound" and (style == "latex" or as_gappa or as_fpcore):
        raise click.UsageError("--rules of the note are printed as text, HTML or JSON only.")
    tree, machine = program_and_machine(program, machine_text)
    if as_gappa or as_fpcore:
        echo((gappa if as_gappa else fpcore)(tree, machine), nl=False)
        return
    found = derivations_by(rules, tree, machine)
    if rules != "sound":
        if as_json:
            echo_json(printed_rules_values(found, rules=rules), indent=2)
        else:
            echo((printed_rules_page if style == "html" else printed_rules_text)(found, rules=rules), nl=False)
    elif as_json:
        echo_json(derivation_values(found), indent=2)
    elif style == "latex":
        echo(derivation_latex(found), nl=False)
    elif style == "html":
        echo(derivation_page(found), nl=False)
    else:
        echo(folded("\n".join(derivation_text(each) for each in found)), nl=False)


# `snapdp lab run`: a program at one draw, in floats and over the reals, with the derived bounds around both.
#
# Parse, one library call, print.

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
@click.argument("program", metavar="PROGRAM")
@click.option("--f", "f", type=NUMBER, metavar="NUMBER", help="The value of the query, whatever its name.")
@click.option("--U", "u", type=NUMBER, metavar="NUMBER", help="The uniform (or Laplace) draw.")
@click.option("--S", "s", type=NUMBER, metavar="-1|1", help="The random sign.")
@click.option("--set", "others", multiple=True, metavar="NAME=NUMBER", help="Any other query or sample, by name.")
@click.option("--output", type=NUMBER, metavar="NUMBER", help="Instead of a draw: which U lead from f to this output.")
@machine_option
@rules_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def run_command(
    ctx: click.Context,
    /,
    program: str,
    f: str | None,
    u: str | None,
    s: str | None,
    others: tuple[str, ...],
    output: str | None,
    machine_text: str,
    rules: str,
    as_json: bool,
) -> None:
    """Run a program at one draw, in floats and over the reals, with the derived bounds around both.

    PROGRAM is a file in the language of the verifier (.imp), the name of a bundled program, or FILE.py:function,
    a Python function with @snapdp.audit: the file is run. Values that are no
    floats of the machine are rounded, and the run says to what.
    """
    from snapdp.lab.loss.pointwise import output_draws
    from snapdp.lab.report.cases import evaluation_text, evaluation_values, output_draws_text, output_draws_values
    from snapdp.lab.semantics.evaluation import evaluate

    ctx.meta["snapdp.json"] = as_json
    tree, machine = program_and_machine(program, machine_text)
    if output is not None:
        if f is None or u is not None or s is not None or others or rules != "sound":
            raise click.UsageError("--output takes --f and --machine, and no draw or rules.")
        draws = output_draws(tree, machine, f=f, output=output)
        if as_json:
            echo_json(output_draws_values(draws), indent=2)
        else:
            echo(output_draws_text(draws, width=max(NARROWEST, line_width() - 1)), nl=False)
        return
    values = _by_name(others)
    for flag, number in (("f", f), ("U", u), ("S", s)):
        if number is not None:
            name = _name_for(flag, tree)
            if name in values:
                raise click.UsageError(f"{name} is given twice.")
            values[name] = number
    found = evaluate(tree, machine, values, rules=rules)
    if as_json:
        echo_json(evaluation_values(found), indent=2)
    else:
        echo(evaluation_text(found, width=max(NARROWEST, line_width() - 1)), nl=False)


def _by_name(others: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for each in others:
        name, equals, number = each.partition("=")
        if not equals:
            raise click.UsageError("--set takes NAME=NUMBER.")
        if name in values:
            raise click.UsageError(f"{name} is given twice.")
        values[name] = number
    return values


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
