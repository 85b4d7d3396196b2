"""What a program means: in floats, over the reals, and as bounds; the machine, and how a program is run on it."""
