# The public names of the laboratory, each written once: snapdp/lab/__init__.py finds modules by this file.
from snapdp.lab import attacks as attacks, claims as claims, testing as testing
from snapdp.lab.language.audited import audit as audit
from snapdp.lab.language.parser import parse as parse
from snapdp.lab.language.tracing import clamp as clamp, ln as ln, round_to as round_to
from snapdp.lab.semantics.machine import Machine as Machine
from snapdp.lab.verification import certificate as certificate, program as program, verify as verify
