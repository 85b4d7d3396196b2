"""Cells that statistics are asked by: groups of columns, bins, margins."""
