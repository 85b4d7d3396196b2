"""The formulas of the notes as they are printed, right or wrong, each beside the exact answer. No release uses them."""
