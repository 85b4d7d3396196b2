"""`python -m snapdp` is the command `snapdp`. Room: cli."""

from snapdp.cli import run

run()
