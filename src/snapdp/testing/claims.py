"""What is claimed of a release: epsilon, sensitivity, and how its outputs are rounded.

Room: testing. Claims are exact; what is not claimed is not checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from snapdp.errors import ParameterError
from snapdp.exact import positive, probability
from snapdp.values import Value

NORMS = ("l1", "l2", "max")


class Claims(Value):
    """Parameters that the release is held to; None where nothing is claimed.

    epsilon       the loss of one call, for these two inputs
    delta         whether Gaussian noise is meant, and a delta besides epsilon
    sensitivity   how far all released numbers together move between neighbours, in the norm
    grid          the step to which outputs are rounded after the noise, 0 where they are not; None: as it looks
    """

    epsilon: Fraction | None
    delta: Fraction | None
    sensitivity: Fraction | None
    norm: str
    grid: Fraction | None


def claims_of(*, epsilon: object, delta: object, sensitivity: object, norm: str, grid: object) -> Claims:
    """Return claims as exact numbers, or refuse what is none."""
    if norm not in NORMS:
        raise ParameterError(
            f"norm = {norm!r} is none of {', '.join(NORMS)}.", "Laplace noise is for l1, Gaussian for l2."
        )

    def number(value: object, name: str) -> Fraction | None:
        return None if value is None else positive(value, name=name)

    return Claims(
        epsilon=number(epsilon, "epsilon"),
        delta=None if delta is None else probability(delta, name="delta"),
        sensitivity=number(sensitivity, "sensitivity"),
        norm=norm,
        grid=Fraction(0) if grid == 0 and not isinstance(grid, str) else number(grid, "grid"),
    )


def several(texts: str | Iterable[str], *, name: str) -> tuple[str, ...]:
    """Return one text, or several, as a tuple: for whatever takes both.

    >>> several("output['time']", name="ignore")
    ("output['time']",)
    """
    found = (texts,) if isinstance(texts, str) else tuple(texts)
    if not all(isinstance(each, str) and each for each in found):
        raise ParameterError(f"{name} takes a text or several.", f"Give {name}=[...] with a text for each.")
    return found
