"""`python -m snapdp` is the command `snapdp`."""

from snapdp.cli.process import run

run()
