"""What may be claimed about a loss: a number, the file's own claim, or a published bound by name.

Room: verifier. The published bounds are claims like any other: they are compared with what is certified here. Whether a
program lies in the range their authors state is said beside, premise by premise. Who claims an epsilon and no loss
claims that the noise is as wide as it must be: epsilon, and what the roundings of the machine are certified to add.
Theory: docs/theory/verifier-loss.md, (14), (23)-(26) and (41).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.display import general
from snapdp.errors import ParameterError
from snapdp.exact import parameter, round_places_up, shown
from snapdp.values import Value
from snapdp.verifier.language.parser import claim_value
from snapdp.verifier.language.syntax import Program
from snapdp.verifier.loss.shape import FAILED, PROVED, Shape, TheoremPremise
from snapdp.verifier.loss.universal_bound import UniversalBound, decimal_places
from snapdp.verifier.machine.machine import Machine

NAMED = ("note", "mironov", "tight")
LOST_SHARE = Fraction(1, 100)  # of epsilon, which is read to two digits: more is no rounding
CONSTANT_ROUNDINGS = 4  # by which a scale that the machine computed may miss the one that epsilon asks for


class Claim(Value):
    """A claimed total loss; value None: `tight` where no bound exists. `range` holds the premises its authors state."""

    name: str
    value: Fraction | None
    range: tuple[TheoremPremise, ...] = ()


class Scale(Value):
    """The numbers that claims speak of: nominal epsilon and B, where the file or the shape gives them."""

    epsilon: Fraction | None
    bound: Fraction | None


def scale_of(program: Program, shape: Shape) -> Scale:
    """Return epsilon and B: the parameters `eps` and `B` where the file has them, else what the shape shows."""
    parameters = dict(program.parameters)
    epsilon, bound = parameters.get("eps"), parameters.get("B")
    if epsilon is None and shape.noise_epsilon is not None and shape.query is not None:
        moves = shape.query.sensitivity if shape.reach is None else shape.reach.ideal
        epsilon = shape.noise_epsilon * moves
    return Scale(epsilon=epsilon, bound=scale_of_clamp(shape) if bound is None else bound)


def scale_of_clamp(shape: Shape) -> Fraction | None:
    """Return the larger end of the clamp, None where there is none."""
    if shape.clamp_lower is None or shape.clamp_upper is None:
        return None
    return max(abs(shape.clamp_lower), abs(shape.clamp_upper))


def claim_of(
    asked: str | Fraction | None,
    *,
    program: Program,
    shape: Shape,
    machine: Machine,
    universal: UniversalBound | None,
) -> Claim:
    """Return the claim that was asked for: a number or a name, else the file's, else `note`."""
    if asked is None:
        value = claim_value(program, machine.eta)
        if value is not None:
            return Claim(name="file", value=_loss(value))
        asked = "note"
    if asked == "tight":
        return Claim(name="tight", value=None if universal is None else universal.loss_upper)
    if asked in ("note", "mironov"):
        return _published(str(asked), scale_of(program, shape), shape, machine)
    return Claim(name="number", value=_loss(parameter(asked, name="claim")))


def _loss(value: Fraction) -> Fraction:
    if value < 0:
        raise ParameterError(
            f"the claim {shown(value)} is negative.", f"Give a loss >= 0, or one of {', '.join(NAMED)}."
        )
    return value


def claim_of_epsilon(epsilon: Fraction, *, shape: Shape, machine: Machine, universal: UniversalBound | None) -> Claim:
    """Return the claim that a program keeps epsilon but for the roundings of the machine.

    eps + above + below + x,  x = base - eps where 0 < base - eps <= ((1 + eta)**4 - 1 + 2 r B eta) eps, else 0
                                                                                              theory (26), (41)
    base is the loss of the noise if nothing rounded: constants such as 1/eps are rounded, so it may miss eps by a few
    units; and r roundings of a scaled query, of numbers up to B. Where no bound exists the claim is epsilon itself, and
    so it is where the bits that a folded draw has lost add more than a hundredth of it; theory (54).
    """
    epsilon = _loss(epsilon)
    if universal is None:
        return Claim(name=f"epsilon {shown(epsilon)}", value=epsilon)
    missed, bound = universal.base - epsilon, scale_of_clamp(shape)
    roundings = 0 if shape.reach is None or bound is None else 2 * shape.reach.rounded * bound * machine.eta
    near = 0 < missed <= ((1 + machine.eta) ** CONSTANT_ROUNDINGS - 1 + roundings) * epsilon
    near = near and _is_as_wide(universal.base, epsilon, shape, machine)
    added, folded = universal.above + universal.below, shape.noise is not None and shape.noise.folded
    if folded and added > LOST_SHARE * epsilon:
        return Claim(name=f"epsilon {shown(epsilon)}", value=epsilon)
    value = round_places_up(epsilon + added + (missed if near else 0), decimal_places(machine))
    what = "roundings and lost bits of U" if folded else "roundings"
    return Claim(name=f"epsilon {shown(epsilon)} and {general(value - epsilon, 2)} for {what}", value=value)


def _is_as_wide(base: Fraction, epsilon: Fraction, shape: Shape, machine: Machine) -> bool:
    """Return whether only roundings make the loss larger than epsilon: of constants, and of steps of the query."""
    reach = shape.reach
    if reach is None or not reach.distance:
        return True
    constants = (1 + machine.eta) ** (CONSTANT_ROUNDINGS + reach.rounded)
    return base * reach.ideal <= constants * epsilon * reach.distance


def _published(name: str, scale: Scale, shape: Shape, machine: Machine) -> Claim:
    epsilon, bound, eta = scale.epsilon, scale.bound, machine.eta
    if epsilon is None or bound is None or epsilon <= 0 or bound <= 0:
        raise ParameterError(
            f"the claim {name} speaks of eps and B, which the program does not have.",
            "Write `param eps` and `param B` into the program, or claim a number.",
        )
    grid, product = shape.grid, bound * epsilon
    lines = [
        ("grid", grid is not None and grid * epsilon >= 1, "Lambda >= 1/eps"),
        ("bound", product > 1, "B > 1/eps"),
    ]
    if name == "note":
        lines.append(("precision", product * eta <= Fraction(1, 1 << 11), "B eps eta <= 2**-11"))
        value = epsilon + 23 * product * eta
    else:
        value = epsilon + 12 * product * eta + 2 * eta
    premises = tuple(
        TheoremPremise(name=title, status=PROVED if holds else FAILED, detail=detail) for title, holds, detail in lines
    )
    return Claim(name=name, value=value, range=premises)
