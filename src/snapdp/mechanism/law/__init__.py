"""What the mechanism does: the law of its output in both arithmetics, the loss of a pair, published bounds."""
