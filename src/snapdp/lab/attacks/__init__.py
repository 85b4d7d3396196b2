"""A gallery of attacks: break the usual way of doing it, then try the same on ours."""
