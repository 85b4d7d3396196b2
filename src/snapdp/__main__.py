"""`python -m snapdp` is the command `snapdp`. Room: cli."""

from snapdp.cli.app import main

main(prog_name="snapdp")
