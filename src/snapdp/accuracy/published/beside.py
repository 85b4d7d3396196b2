"""All printed formulas beside the exact answers, in one call.

Room: accuracy. A formula that cannot be evaluated in a setting is left out with the reason, not guessed.
"""

from __future__ import annotations

from typing import Any

from snapdp.accuracy.published.arithmetic_claims import ARITHMETIC_CLAIMS
from snapdp.accuracy.published.choice_claims import CHOICE_CLAIMS
from snapdp.accuracy.published.claim import PrintedClaim, Setting
from snapdp.accuracy.published.error_claims import ERROR_CLAIMS
from snapdp.accuracy.published.formulas import get_accuracy2
from snapdp.accuracy.published.printed_mechanism import PrintedMechanism, printed_mechanism
from snapdp.accuracy.tails import confidence, guessed
from snapdp.errors import BoundError, ParameterError, SnapdpError
from snapdp.exact import parameter, positive, rounded_up, shown
from snapdp.values import Value


class BesideExact(Value):
    """The claims, in the order of the questions, and those that say nothing here, each with the reason."""

    mechanism: PrintedMechanism
    claims: tuple[PrintedClaim, ...]
    left_out: tuple[tuple[str, str], ...]

    def __getitem__(self, name: str) -> PrintedClaim:
        """Return the claim of a name, such as "Algorithm 1"."""
        for claim in self.claims:
            if claim.name == name:
                return claim
        raise KeyError(name)


CLAIMS = {**ERROR_CLAIMS, **CHOICE_CLAIMS, **ARITHMETIC_CLAIMS}
ALSO_CALLED = {"GetAccuracy": "Algorithm 1"}


def beside_exact(
    *names: str,
    epsilon: Any,
    bound: Any,
    if_value: Any,
    alpha: Any = "0.05",
    gamma: Any = "0.05",
    accuracy: Any = None,
    sensitivity: Any = 1,
    bounds: tuple[Any, Any] = (-10, 30),
    rows: int = 3,
    arithmetic: str = "notes",
    bits: int | None = None,
    grid: Any = None,
) -> BesideExact:
    """Return every printed formula with what it says, the exact answer, and whether it holds; or those that are named.

    bound, grid, if_value  in data units; the notes' B, Lambda' and f are these over the sensitivity
    accuracy               the target that an epsilon is asked for; without it, what GetAccuracy2 says
    bounds, rows           of the range that is shifted (6.1) and of the column whose variance is bounded (7.2)
    arithmetic, bits       as in `printed_mechanism`

    >>> found = beside_exact("Algorithm 1", epsilon="5/3", bound=4, if_value=4)["Algorithm 1"]
    >>> f"{float(found.says):.3f} {float(found.measured[1]):.3f} {float(found.exact):.0f}", found.valid
    ('0.686 0.217 1', False)
    """
    names = tuple(ALSO_CALLED.get(name, name) for name in names)
    unknown = [name for name in names if name not in CLAIMS]
    if unknown:
        listed = ", ".join(f'"{name}"' for name in CLAIMS)  # some names hold a comma
        raise ParameterError(f"no printed formula is called {shown(unknown[0])}.", f"There are {listed}.")
    delta = positive(sensitivity, name="sensitivity")
    m = printed_mechanism(
        epsilon=epsilon,
        bound=positive(bound, name="bound") / delta,
        arithmetic=arithmetic,
        bits=bits,
        grid=None if grid is None else positive(grid, name="grid") / delta,
    )
    level = confidence(alpha)
    lower, upper = (parameter(end, name="bounds") for end in bounds)
    if lower >= upper:
        raise BoundError(f"bounds {shown(lower)}, {shown(upper)} are no range.", "Give lower < upper.")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 2:
        raise ParameterError(f"rows = {shown(rows)} has no variance.", "Give a whole number of at least 2.")
    asked = None if accuracy is None else positive(accuracy, name="accuracy") / delta
    setting = Setting(
        mechanism=m,
        sensitivity=delta,
        value=m.value(guessed(if_value) / delta),
        alpha=level,
        gamma=confidence(gamma, name="gamma", sure=True),
        target=rounded_up(get_accuracy2(m, alpha=level).enclosure.upper) if asked is None else asked,
        lower=lower,
        upper=upper,
        rows=rows,
    )
    return _evaluated(setting, names or tuple(CLAIMS))


def _evaluated(setting: Setting, names: tuple[str, ...]) -> BesideExact:
    claims, left_out = [], []
    for name in names:
        try:
            claims.append(CLAIMS[name](setting))
        except SnapdpError as refusal:
            left_out.append((name, refusal.problem))
    return BesideExact(mechanism=setting.mechanism, claims=tuple(claims), left_out=tuple(left_out))
