"""The tests: unit mirrors src; ROOT is the project, VECTORS the files that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
VECTORS = ROOT / "tests" / "vectors"
