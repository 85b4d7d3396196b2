"""The laboratory: verify programs, attack noise, test releases of your own. Only front ends import it."""
