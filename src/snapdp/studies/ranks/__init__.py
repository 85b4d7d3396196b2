"""Statistics of ordered cells: trees of counts, and the quantiles that follow from them."""
