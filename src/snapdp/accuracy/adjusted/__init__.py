"""Tables made consistent after their release: least squares for margins and trees, and what the result is worth."""
