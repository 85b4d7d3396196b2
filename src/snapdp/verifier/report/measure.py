"""The unit in which losses are compared with published constants: C = (loss - eps)/(B eps eta).

Room: verifier. Most programs draw noise for the epsilon that they name. A mechanism that sets something aside for its
roundings draws wider noise, of eps' < eps: every loss is then below eps, and constants are measured from eps'.
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.display import general
from snapdp.values import Value
from snapdp.verifier.loss.universal_bound import excess
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.machine.machine import Machine

FAR = 10**6  # constants beyond it are told by their size


class Measure(Value):
    """The epsilon that losses are measured from, and its symbol; None where the program has none, or no B."""

    epsilon: Fraction | None
    bound: Fraction | None
    machine: Machine
    symbol: str

    @property
    def formula(self) -> str:
        return f"(loss - {self.symbol})/(B {self.symbol} eta)"

    def constant(self, loss: Fraction | None) -> Fraction | None:
        """Return C of a loss."""
        if loss is None or not self.epsilon or not self.bound:
            return None
        return excess(loss, epsilon=self.epsilon, bound=self.bound, machine=self.machine)

    def shown(self, loss: Fraction | None) -> str:
        """Return C of a loss, to two places; below zero only that it is."""
        c = self.constant(loss)
        return "< 0" if c is not None and c < 0 else self.signed(loss)

    def signed(self, loss: Fraction | None) -> str:
        """Return C of a loss, to two places, with its sign."""
        c = self.constant(loss)
        if c is None:
            return "unknown"
        return f"{float(c):.2f}" if abs(c) < FAR else general(c, 3) if c > 0 else "< 0"


def measure_of(verdict: Verdict) -> Measure:
    """Return the measure of a verdict: eps where the noise is of eps, eps' where it is wider."""
    named, shape = verdict.scale, verdict.shape
    epsilon, symbol = named.epsilon, "eps"
    if epsilon is not None and shape.noise_epsilon is not None and shape.query is not None:
        moves = shape.query.sensitivity if shape.reach is None else shape.reach.ideal
        if shape.noise_epsilon * moves < epsilon:
            epsilon, symbol = shape.noise_epsilon * moves, "eps'"
    return Measure(epsilon=epsilon, bound=named.bound, machine=verdict.machine, symbol=symbol)
