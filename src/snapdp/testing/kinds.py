"""The kinds of violation that a replay audit names, one line each: what was seen, and what to do.

Room: testing. A kind never changes its meaning; tests plant every one of them.
Source: the classes of Cebere et al. 2026 (arXiv 2602.17454), and the attacks on floating point of Mironov 2012, Haney
et al. 2022 and Casacuberta et al. 2022.
"""

from __future__ import annotations

KINDS = {
    "branches": "other lines run: compute both ways, or allow it where nobody can measure the time",
    "draws": "another number or kind of draws: draw as often for every input",
    "exception": "an exception, or its text, depends on the data: check the form before, and clamp instead of refusing",
    "fixed-seed": "every call draws the same noise: whoever knows the seed takes the noise away; draw fresh bits",
    "float-noise": "outputs are on no common grid: last bits tell the input; use snapdp.Snapping, or ignore= a time",
    "hidden-digits": "digits below the step of the noise tell the input: round the value to it too",
    "input-changed": "the caller's data are changed in place: work on a copy",
    "limit": "the limit of time or of draws was reached: what the audit needs to see it cannot",
    "metadata": "something beside the released numbers depends on the data: declare it, or give it noise of its own",
    "negative-zero": "the sign of a zero is released, and tells from which side it came: add 0.0 after rounding",
    "no-noise": "a number is released as it is: add noise",
    "noise-scale": "how much noise is drawn depends on the data: fix the scale by declared bounds",
    "noise-too-small": "the noise does not buy the epsilon that is claimed: its scale is sensitivity / epsilon",
    "not-finite": "a NaN or an infinity is released: say what a missing value counts as, and clamp",
    "rounding": "roundings add to the claimed sensitivity: compute the statistic in integers, or claim more",
    "sensitivity": "the number moves by more than is claimed: clamp every cell before it is added, or claim more",
    "shared-noise": "numbers share a draw, which cancels in their sum or difference: draw for each",
    "state": "the answer depends on calls before, or on the clock: keep nothing; a time in the output is for ignore=",
    "threads": "noise is drawn, or work goes on, in another thread: the order of draws is not fixed",
    "unaudited": "nothing was audited: call it once yourself. It takes one argument, and returns what it releases",
    "unknown-noise": "noise comes from a generator that cannot be replaced: audit the library that has it",
    "warning": "a warning, or its text, depends on the data: check the form before",
    "written": "what is printed or logged depends on the data: print released numbers only",
}
