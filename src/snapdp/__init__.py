"""snapdp: differentially private numbers whose guarantee survives floating-point arithmetic.

    snapdp.mean(df["age"], bounds=(15, 100), missing="dropped", epsilon=1, ledger="people.ledger")    one statistic
    snapdp.study("study.toml").release("people.csv", ledger="people.ledger")                          several
    snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=100).release(42)                         noise for a number

The ledger is made once, by snapdp.Ledger.create("people.ledger") and its create_account: it says who is protected and
what may be spent.

Statistics of a table: declare a `study`, see its `plan()`, `release(table, ledger=...)` it from a file or frame
(`open_table`), charged to a `Ledger`. `load_release` reads a record back.

>>> import snapdp
>>> people = snapdp.study(
...     dataset="people", relation="add-remove", n_max=10000,
...     columns={"region": {"kind": "category", "categories": ["north", "south"]}},
...     statistic=[{"kind": "histogram", "column": "region", "epsilon": "0.5"}])
>>> people.plan()
Plan: epsilon 0.5 in total
  statistic          epsilon  share   ± error (95 %)
  histogram(region)      0.5  ██████  ± 6
± x: in 95 of 100 releases the number is within ± x of the table's.
± holds for each of the 2 numbers by itself, not for all at once.

Single numbers, whose bounds and sensitivity you know: `Snapping`, with its accuracy and its exact law.

>>> counts = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
>>> round(float(counts.accuracy()), 1)
6.0

Mechanisms and programs that somebody wrote are judged in the laboratory, `snapdp.lab`. The guide is docs/guide in the
source; every refusal is a SnapdpError.
"""

from collections.abc import Callable
from typing import Any

__version__ = "0.3.0"


def load_by_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the __getattr__ and __dir__ of a package (PEP 562): a name is loaded when it is first used.

    The stub beside the package's file says where each public name comes from.
    """

    def read_public_names() -> dict[str, str]:
        import re
        from pathlib import Path

        stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
        imports = re.findall(r"^from (\S+) import ([^(\n]+|\([^)]+\))", stub, flags=re.MULTILINE)
        return {name: module for module, names in imports for name in re.findall(r"(\w+) as", names)}

    def load(name: str) -> Any:
        names = read_public_names()
        if name == "__all__":  # for `from snapdp import *` and pydoc
            return sorted(names)
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import sys
        from importlib import import_module

        module = names[name]
        is_package = module == package  # a package below this one, not a name of a module
        value = import_module(f"{package}.{name}") if is_package else getattr(import_module(module), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        stated = ["__version__"] if package == "snapdp" else []
        return sorted([*read_public_names(), *stated])

    return load, list_names


__getattr__, __dir__ = load_by_stub(__name__, __file__)
