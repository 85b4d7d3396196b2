"""Cells that statistics are asked by: groups of columns, bins, keys of a file, margins, levels above categories."""
