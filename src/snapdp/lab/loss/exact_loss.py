"""The exact loss of one output for two inputs: no bound, the program is run.

A law holds the preimages of the outputs for one input; the probability of an output is the sum over the
signs of the mass of its preimage, exact for every sampler but the ideal one. The loss is infinite where one input
cannot give the output. A program that takes magnitudes has one preimage for each piece on which it is monotone.
Theory: docs/theory/verifier-loss.md, (20)-(21).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import round_nearest
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import ln_enclosure, mpfr_context
from snapdp.lab.loss.query_path import value_on
from snapdp.lab.loss.shape import Shape
from snapdp.lab.semantics.execution import NOT_MONOTONE, Execution, Piece, Preimage, joined
from snapdp.lab.semantics.floats import as_mpfr, as_number, is_nan
from snapdp.lab.semantics.machine import fraction_of, rational_of
from snapdp.values import Value

LOG_BITS = 256


class ExactLoss(Value):
    """What one output tells f and f_prime apart; the probability from f is the larger one. loss None: infinite."""

    f: Fraction
    f_prime: Fraction
    output: Fraction
    preimages: tuple[tuple[int, Preimage], ...]  # (sign, preimage) from f
    preimages_prime: tuple[tuple[int, Preimage], ...]
    probability: Enclosure
    probability_prime: Enclosure
    loss: Enclosure | None

    @property
    def is_infinite(self) -> bool:
        return self.loss is None

    def exceeds(self, claim: Fraction) -> bool:
        return self.loss is None or self.loss.lower > claim


class ProgramLaw:
    """The preimages and probabilities of one input; the shape, where known, says where to look first."""

    def __init__(
        self,
        execution: Execution,
        f: Fraction,
        shape: Shape | None = None,
        snapped: Mapping[Fraction, Fraction] | None = None,
    ) -> None:
        self.execution, self.f, self.signs = execution, f, execution.signs
        self._snapped = snapped  # for outputs that are computed from snapped values: from which
        self._runs = {sign: execution.function(f, sign) for sign in execution.signs}
        pieces = {sign: execution.pieces(f, sign) for sign in execution.signs}
        self._require_values(pieces)
        self.pieces = {sign: joined(pieces[sign], partial(self.output, sign)) for sign in execution.signs}
        self._guesses = None
        if shape is not None and shape.noise is not None and shape.grid is not None:
            scale = Fraction(1) if execution.laplace else abs(shape.noise.coefficient)
            added = f if shape.path is None else value_on(shape.path, f, execution.machine)
            self._guesses = _Guesses(execution, added - shape.snap.offset, scale, shape)
        self._found: dict[Fraction, tuple[tuple[int, Preimage], ...]] = {}
        self._near: dict[tuple[int, Piece], int] = {}  # where the last end was: the next one is often beside it

    def _require_values(self, pieces: Mapping[int, tuple[Piece, ...]]) -> None:
        """Refuse an input for which some draw gives no number.

        An operand of ln that is not negative at both ends of a piece is not negative between them, and nothing divides
        by 0. Where ln of 0 is taken for a draw like any other, a clamp may hide it: so one is looked at step by step.
        """
        ends = ((sign, end) for sign, found in pieces.items() for each in found for end in (each.start, each.stop - 1))
        if any(is_nan(self.output(sign, ordinal)) for sign, ordinal in ends):
            raise PremiseError("the program has no value for some draws.")
        for sign in pieces:
            self.execution.require_numbers(self.f, sign)

    def output(self, sign: int, ordinal: int) -> Any:
        """Return the output of one draw, an mpfr."""
        return self._runs[sign](self.execution.draw.number(ordinal))

    def preimage(self, sign: int, output: Fraction) -> Preimage:
        """Return the draws that give the output under one sign, of a program that is monotone in its draw."""
        if len(self.pieces[sign]) > 1:
            raise PremiseError(NOT_MONOTONE)
        return self._on(sign, self.pieces[sign][0], *self._numbers(output))

    def preimages(self, output: Fraction) -> tuple[tuple[int, Preimage], ...]:
        """Return the draws that give the output: for each sign, on each piece on which the program is monotone."""
        if output not in self._found:
            x, snapped = self._numbers(output)
            self._found[output] = tuple(
                (sign, preimage)
                for sign in self.execution.signs
                for preimage in _touching_joined([self._on(sign, piece, x, snapped) for piece in self.pieces[sign]])
            )
        return self._found[output]

    def _numbers(self, output: Fraction) -> tuple[Any, Any]:
        """Return an output as a number of a run, and what it is computed from where a guess can be made from that."""
        x = as_number(output)
        if self._guesses is None or (self._snapped is not None and output not in self._snapped):
            return x, None
        return x, x if self._snapped is None else as_number(self._snapped[output])

    def _on(self, sign: int, piece: Piece, x: Any, snapped: Any) -> Preimage:
        start = self._first(sign, piece, x, snapped, beyond=False)
        return Preimage(start, self._first(sign, piece, x, snapped, beyond=True))

    def probability(self, output: Fraction) -> Enclosure:
        return self.mass(self.preimages(output))

    def mass(self, preimages: tuple[tuple[int, Preimage], ...]) -> Enclosure:
        return Enclosure(*map(fraction_of, self.mass_ends(preimages)))

    def mass_ends(self, preimages: tuple[tuple[int, Preimage], ...]) -> tuple[Any, Any]:
        """Return the ends of the probability of preimages, two mpq."""
        below, lower, upper = self.execution.draw.ends_below, rational_of(Fraction(0)), rational_of(Fraction(0))
        for _, preimage in preimages:
            if preimage.start < preimage.stop:
                start, stop = below(preimage.start), below(preimage.stop)
                lower, upper = lower + stop[0] - start[1], upper + stop[1] - start[0]
        return lower / len(self.execution.signs), upper / len(self.execution.signs)

    def _first(self, sign: int, piece: Piece, x: Any, snapped: Any, *, beyond: bool) -> int:
        """Return the first draw of a piece whose output is at (or beyond) this one, in the direction of the program."""
        run, number, upper = self._runs[sign], self.execution.draw.number, piece.rises == beyond
        tests: dict[tuple[bool, bool], Any] = {
            (True, False): lambda o: run(number(o)) >= x,
            (True, True): lambda o: run(number(o)) > x,
            (False, False): lambda o: run(number(o)) <= x,
            (False, True): lambda o: run(number(o)) < x,
        }
        if snapped is None or self._guesses is None:
            guess = self._near.get((sign, piece))
        else:
            guess = self._guesses.near(piece, snapped, upper=upper)
        first = self._near[sign, piece] = self.execution.first_where(tests[piece.rises, beyond], guess, piece)
        return first


def _touching_joined(preimages: list[Preimage]) -> list[Preimage]:
    """Return preimages with those made one that end where the next begins; empty ones stay what they are."""
    found = preimages[:1]
    for each in preimages[1:]:
        last = found[-1]
        if last.start < last.stop == each.start < each.stop:
            found[-1] = Preimage(last.start, each.stop)
        else:
            found.append(each)
    return found


class _Guesses:
    """Where a preimage should end if the sum and the logarithm round as the machine does: bisection starts there."""

    def __init__(self, execution: Execution, f: Fraction, scale: Fraction, shape: Shape) -> None:
        assert shape.grid is not None
        assert shape.noise is not None
        self.draw, self.execution = execution.draw, execution
        bits = execution.machine.p + 8
        self.context, self.up = mpfr_context(bits, "nearest"), mpfr_context(execution.machine.p, "up")
        self.f, self.half = (as_mpfr(round_nearest(x, bits)) for x in (f, shape.grid / 2))
        self.scales = {way: as_mpfr(round_nearest(scale * way, bits)) for way in (1, -1)}
        self.draws_logarithm = execution.laplace or execution.machine.sampler == "ideal"
        self.folded = shape.noise.folded

    def near(self, piece: Piece, x: Any, *, upper: bool) -> int:
        """Return the number of a draw near the upper or lower end of the preimage of x."""
        c = self.context
        end = c.add(x, self.half) if upper else c.sub(x, self.half)
        noise = c.sub(end if self.execution.machine.adds_exactly else self._rounding_to(end), self.f)
        # The direction says whether S and the coefficient together are positive: the noise is then c ln U < 0.
        scale = self.scales[piece.direction or 1]
        if self.folded:  # |noise| = -c ln w, w = 2 U below one half and 2 (1 - U) above
            logarithm = c.div(noise, scale)
            half = c.div_2exp(c.exp(c.minus(logarithm) if logarithm > 0 else logarithm), 1)
            return self.draw.ordinal(c.sub(1, half) if logarithm > 0 else half)
        logarithm = c.div(self._rounding_to(noise), scale)
        if logarithm >= 0:
            return self.draw.last
        if self.draws_logarithm:
            return self.draw.ordinal(logarithm)
        if scale > 0:
            return self.draw.ordinal(c.exp(self._rounding_to(logarithm)))
        return self.draw.ordinal(c.exp(c.minus(self._rounding_to(c.minus(logarithm)))))

    def _rounding_to(self, x: Any) -> Any:
        """Return from where on numbers round to the first float at or above x."""
        above = self.up.plus(x)
        return self.context.div(self.context.add(above, self.up.next_below(above)), 2)


def exact_loss(
    law: ProgramLaw, law_prime: ProgramLaw, output: Fraction, *, above: Fraction | None = None
) -> ExactLoss | None:
    """Return the loss of one output for two laws; None where neither can give it, or a preimage ends too deep to tell.

    above  a ratio of probabilities: None also where this output's is known to exceed it nowhere; saves the logarithm
    """
    sides = [(law, preimages := law.preimages(output), law.mass_ends(preimages))]
    sides.append((law_prime, preimages := law_prime.preimages(output), law_prime.mass_ends(preimages)))
    sides.sort(key=lambda side: side[2][0], reverse=True)
    (more, preimages, p_ends), (less, preimages_prime, q_ends) = sides
    too_deep = law.execution.draw.too_deep
    if (
        p_ends[1] == 0
        or any(too_deep in preimage for _, preimage in (*preimages, *preimages_prime))
        or q_ends[0] <= 0 < q_ends[1]
    ):
        return None
    if q_ends[0] > 0 and above is not None and p_ends[0] <= q_ends[1] * rational_of(above):
        return None
    p, q = Enclosure(*map(fraction_of, p_ends)), Enclosure(*map(fraction_of, q_ends))
    ratio = None
    if q.lower > 0:
        low, high = ln_enclosure(p.lower / q.upper, LOG_BITS).lower, ln_enclosure(p.upper / q.lower, LOG_BITS).upper
        ratio = abs(Enclosure(low, high))
    return ExactLoss(
        f=more.f,
        f_prime=less.f,
        output=output,
        preimages=preimages,
        preimages_prime=preimages_prime,
        probability=p,
        probability_prime=q,
        loss=ratio,
    )
