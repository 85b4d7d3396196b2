"""`python -m snapdp` takes a short tour of the library. Room: cli."""

from snapdp.cli.tour import main

main()
