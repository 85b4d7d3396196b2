"""Mechanisms as people write them in Python, each beside the bundled program that it is."""

# ruff: noqa: N803, ARG001, RET504
from __future__ import annotations

import numpy as np

import snapdp
from snapdp.lab.language.tracing import clamp, ln, round_to

NOTE = "eps + 23*B*eps*eta"
B64 = ("-B", "B")


@snapdp.lab.audit(query=B64, claim=NOTE)
def snap_half(f, U, S, *, eps=0.5, Lambda=2, B=64):
    y = f + S * ln(U) / eps
    z = clamp(round_to(y, Lambda), B)
    return z


@snapdp.lab.audit(query=("-1000", 1000.0), sensitivity=1.0, claim=NOTE)
def snap_tenth(f, U, S, *, eps=0.1, Lambda=16, B=1000):
    y = f + S * np.log(U) / eps
    z = np.clip(round_to(y, 16), -1000, 1000)
    return z


@snapdp.lab.audit(query=B64, claim=NOTE)
def snap_mul(f, U, S, *, eps=0.3, Lambda=4, B=200):
    y = f + (1 / eps) * S * ln(U)
    z = clamp(round_to(y, Lambda), -B, B)
    return z


@snapdp.lab.audit(query=B64, claim=NOTE)
def snap_minus(f, U, S, *, eps=0.5, Lambda=2, B=64):
    y = f - np.log(U) / eps * S
    z = np.clip(round_to(y, Lambda), -B, B)
    return z


@snapdp.lab.audit(query=B64, claim=NOTE)
def snap_nosign(f, U, *, eps=0.5, Lambda=2, B=64):
    y = f + ln(U) / eps
    z = clamp(round_to(y, Lambda), B)
    return z


@snapdp.lab.audit(query=B64, claim=NOTE)
def snap_noclamp(f, U, S, *, eps=0.5, Lambda=2, B=64):
    y = f + S * ln(U) / eps
    z = round_to(y, Lambda)
    return z


@snapdp.lab.audit(claim=NOTE)
def snap_inner_clamp(f, U, S, *, eps=0.5, Lambda=2, B=64):
    x = clamp(f, B)
    y = x + S * ln(U) / eps
    z = clamp(round_to(y, Lambda), B)
    return z


@snapdp.lab.audit(claim=NOTE)
def snap_noquerybound(f, U, S, *, eps=0.5, Lambda=2, B=64):
    y = f + S * ln(U) / eps
    z = clamp(round_to(y, Lambda), B)
    return z


@snapdp.lab.audit(query=B64, claim=NOTE)
def naive_laplace(f, U, S, *, eps=0.5, B=64):
    z = f + S * np.log(U) / eps
    return z


@snapdp.lab.audit(query=B64, claim=NOTE)
def naive_clamped(f, U, S, *, eps=0.5, B=64):
    y = f + S * np.log(U) / eps
    z = np.clip(y, -B, B)
    return z


@snapdp.lab.audit(query=B64, claim=NOTE, draws={"X": "laplace(1/eps)"})
def naive_primitive(f, X, *, eps=0.5, B=64):
    z = f + X
    return z


def _snapped(value, grid):
    return round_to(value, grid)


@snapdp.lab.audit(query=B64, claim=NOTE)
def snap_bigB(f, U, S, *, eps=1, Lambda=1, B=1000):  # noqa: N802
    y = f + S * ln(U) / eps
    z = clamp(_snapped(y, Lambda), B)
    return z


PAIRS = [each for each in list(globals().values()) if type(each).__name__ == "Audited"]
