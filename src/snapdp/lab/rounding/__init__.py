"""Certified rounding errors of expressions over boxes of inputs."""
