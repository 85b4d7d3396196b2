"""The privacy loss of a program: normal form, bounds, exact losses, witnesses, verdicts and certificates."""
