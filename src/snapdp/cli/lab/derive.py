"""`snapdp lab derive`: bounds on every value a floating-point program computes, rule by rule.

Room: cli. Parse, one library call, print.
"""

from __future__ import annotations

import click

from snapdp.cli.flags.program import machine_option, program_and_machine, rules_option
from snapdp.cli.screen import echo, echo_json, folded

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
    from snapdp.verifier import (
        derivation_latex,
        derivation_page,
        derivation_text,
        derivation_values,
        derivations_by,
        fpcore,
        gappa,
        printed_rules_page,
        printed_rules_text,
        printed_rules_values,
    )

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
