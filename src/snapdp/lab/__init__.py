"""The laboratory: verify programs and mechanisms, attack noise, test releases of your own.

    snapdp.lab.verify("mine.imp")              the verdict on a program, as a file, a text or a bundled name
    snapdp.lab.verify(snapdp.Snapping(...))    on a mechanism in finite precision
    @snapdp.lab.audit(query=(-64, 64), epsilon=0.5)    a Python function that `verify` can judge

A verdict states an upper bound on the privacy loss of every output, if one is proved, and `certificate` writes it down
for a checker that shares no code. docs/from-the-notes.md lists the definitions, figures and theorems of Liu's note
(L20) with the code for each. Only front ends import this package: a release needs nothing of it.
"""

from snapdp import load_by_stub

__getattr__, __dir__ = load_by_stub(__name__, __file__)
