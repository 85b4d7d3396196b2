"""What an output tells about the input: bounds, the loss of a pair, the search for a witness, the verdict."""
