"""The packages and their order, read from the source: imports point downward only, the core stays light to import."""

from __future__ import annotations

import ast
import copy
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import ismodule
from pathlib import Path

import pytest

from snapdp.ledger.ledger import Ledger
from snapdp.studies.statistics.registry import KINDS
from tests import ROOT

SOURCE = ROOT / "src" / "snapdp"
MODULES = sorted(SOURCE.rglob("*.py"))
LARGEST_MODULE = 1200
# one file each, to be read alone, with all that adjusted margins, quantiles and magnitudes take: plain before short
LARGEST_CHECKER = 2400
CHECKERS = {"audits/check_program.py", "audits/check_release.py"}
# These packages may see rows, or what comes from them; no other imports what reads them.
SEE_DATA = {
    "tables",
    "release",
    "audits",
    "api",
    "",
    "interop",
    "lab",
    "web",
    "cli",
    "__main__",
}
DATA = {"snapdp.tables", "snapdp.release", "duckdb", "pyspark"}
# Formulas as printed, and what is compared with them: no plan, no release and nothing else may take a number from them.
PRINTED = ("snapdp.lab.claims",)
MAY_QUOTE = ("lab/claims/", "cli/lab/")
SERVER_FILES = {"tables/engines/postgres.py", "ledger/storage/postgres.py"}

# A package may import from itself and from packages of a lower level; those of one level do not see each other.
LEVELS = {
    "errors": 0,
    "values": 0,
    "drafts": 1,
    "exact": 1,
    "display": 2,
    "randomness": 3,
    "mechanism": 4,
    "accuracy": 5,
    "studies": 6,
    "tables": 7,
    "ledger": 7,
    "release": 9,
    "audits": 10,
    "api": 11,
    "": 12,  # the package itself: the public names
    "interop": 13,
    "lab": 13,  # the laboratory: only front ends import it
    "web": 14,
    "cli": 15,
    "__main__": 16,
}
HEAVY = {"numpy", "gmpy2", "cryptography", "dataclasses", "mpmath", "lark"}  # nobody pays for these at import
HEAVY_ALLOWED = {f"mechanism/sampling/{name}.py": {"numpy"} for name in ("vectors", "arrays")}
HEAVY_ALLOWED |= {f"lab/semantics/{name}.py": {"numpy"} for name in ("boxes", "error_bound")}


def every_module(test: Callable[[Path], None]) -> Callable[[], None]:
    """Make one test of a rule that every module must keep: it tells all that do not."""

    def of_all() -> None:
        broken = {}
        for path in MODULES:
            try:
                test(path)
            except AssertionError as problem:
                broken[str(path.relative_to(SOURCE))] = str(problem)
        assert broken == {}

    of_all.__name__, of_all.__doc__ = test.__name__, test.__doc__
    return of_all


def package_of(dotted: str) -> str:
    """Return the package of a module: the first name below snapdp, or "" for snapdp itself."""
    return [*dotted.split("."), ""][1]


def dotted_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.AST, module: str, *, is_package: bool) -> list[str]:
    """Return the dotted names that any import statement below a node asks for, wherever it stands.

    `from snapdp import exact` asks for the package exact; `from snapdp import Snapping` for snapdp itself.
    Also seen: relative imports, and import_module or __import__ of a literal name.
    """
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                anchor = package[: len(package) - node.level + 1]
                base = ".".join([*anchor, base] if base else anchor)
            if base == "snapdp":
                found += [f"snapdp.{alias.name}" if alias.name in LEVELS else "snapdp" for alias in node.names]
            else:
                found.append(base)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                found.append(node.args[0].value)
    return found


@cache
def at_import(tree: ast.Module) -> ast.Module:
    """Return the part of a module that runs when it is imported: no function bodies, nothing under TYPE_CHECKING."""

    class Pruned(ast.NodeTransformer):
        def visit_FunctionDef(self, _: ast.FunctionDef) -> None:
            return None

        visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815
        visit_Lambda = visit_FunctionDef  # noqa: N815

        def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
            if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
                return node.orelse
            return self.generic_visit(node)

        def generic_visit(self, node: ast.AST) -> ast.AST:
            """Visit a copy: the tree stays as it is, and what is left out is not copied."""
            fresh = copy.copy(node)
            for name, value in ast.iter_fields(node):
                if isinstance(value, list):
                    setattr(fresh, name, value[:])
            return super().generic_visit(fresh)

    return Pruned().visit(tree)


def upward_imports(tree: ast.AST, module: str, *, is_package: bool = False) -> list[str]:
    package = package_of(module)
    own = [name for name in imports(tree, module, is_package=is_package) if name.split(".")[0] == "snapdp"]
    return [name for name in own if package_of(name) != package and not LEVELS[package_of(name)] < LEVELS[package]]


def sights_of_data(tree: ast.AST, module: str) -> set[str]:
    """Return what a module imports of that which reads rows, where its package may not."""
    if package_of(module) in SEE_DATA:
        return set()
    asked = {tuple(name.split(".")) for name in imports(tree, module, is_package=False)}
    return {data for data in DATA if any(name[: data.count(".") + 1] == tuple(data.split(".")) for name in asked)}


def server_imports(tree: ast.AST, module: str) -> set[str]:
    """Return the client libraries of servers that a module imports."""
    return {name.split(".")[0] for name in imports(tree, module, is_package=False)} & {"psycopg", "psycopg2"}


def printed_formulas(tree: ast.AST, module: str) -> set[str]:
    """Return the modules of printed formulas that a module asks for."""
    asked = {name for name in imports(tree, module, is_package=False) if name.startswith(PRINTED)}
    from_lab = (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == "snapdp.lab")
    return asked | {f"snapdp.lab.{a.name}" for n in from_lab for a in n.names if f"snapdp.lab.{a.name}" in PRINTED}


def kinds_compared(tree: ast.AST) -> list[str]:
    """Return the kinds of statistics with which something is compared: x == "mean", x in ("sum",), case "sum"."""
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    sides = [side for node in compared for side in (node.left, *node.comparators)]
    sides += [node.value for node in ast.walk(tree) if isinstance(node, ast.MatchValue)]
    listed = [each for side in sides if isinstance(side, (ast.Tuple, ast.List, ast.Set)) for each in side.elts]
    constants = [each.value for each in (*sides, *listed) if isinstance(each, ast.Constant)]
    return [value for value in constants if isinstance(value, str) and value in KINDS]


def heavy_imports(tree: ast.Module, module: str) -> set[str]:
    return {name.split(".")[0] for name in imports(at_import(tree), module, is_package=False)} & HEAVY


# The source


def test_a_rule_that_a_module_breaks_is_told_with_its_name():
    @every_module
    def rule(path):
        assert path.name != "errors.py"

    with pytest.raises(AssertionError, match=r"errors\.py"):
        rule()


@every_module
def test_every_module_is_in_a_known_package(path):
    assert package_of(dotted_name(path)) in LEVELS


@every_module
def test_imports_point_downward_only(path):
    assert upward_imports(tree_of(path), dotted_name(path), is_package=path.name == "__init__.py") == []


@every_module
def test_planning_cannot_see_data(path):
    assert sights_of_data(tree_of(path), dotted_name(path)) == set()


@every_module
def test_servers_are_spoken_to_in_two_files_only(path):
    asked = server_imports(tree_of(path), dotted_name(path))
    assert not asked or str(path.relative_to(SOURCE)) in SERVER_FILES


@every_module
def test_printed_formulas_are_quoted_and_compared_and_never_used(path):
    if not str(path.relative_to(SOURCE)).startswith(MAY_QUOTE):
        assert printed_formulas(tree_of(path), dotted_name(path)) == set()


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("from snapdp.lab import claims", {"snapdp.lab.claims"}),
        (
            "def f():\n    from snapdp.lab.claims.formulas import k_of_epsilon",
            {"snapdp.lab.claims.formulas"},
        ),
        ("from snapdp.accuracy.error import accuracy", set()),
    ],
)
def test_a_printed_formula_is_seen(line, seen):
    assert printed_formulas(ast.parse(line), "snapdp.studies.plan") == seen


@every_module
def test_nothing_is_decided_by_the_kind_of_a_statistic(path):
    """A class knows what it does; a ladder of kinds forgets one."""
    if str(path.relative_to(SOURCE)) != "audits/check_release.py":
        assert kinds_compared(tree_of(path)) == []


def fragile_questions(tree):
    """Return the questions about a file that fail where its name is too long for the disk: os.path answers no."""
    asked = {"exists", "is_dir", "is_file"}
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call) and not node.args]
    return [call.attr for call in calls if isinstance(call, ast.Attribute) and call.attr in asked]


@every_module
def test_no_name_of_a_file_is_too_long_to_be_asked_about(path):
    assert fragile_questions(tree_of(path)) == []


def test_a_fragile_question_is_seen():
    assert fragile_questions(ast.parse("import os\nx = Path(y).is_file() or os.path.isfile(y)")) == ["is_file"]


def test_unit_tests_mirror_the_source():
    unit = ROOT / "tests" / "unit"
    folders = {path.parent.relative_to(unit) for path in unit.rglob("test_*.py")}
    assert [str(folder) for folder in folders if not (SOURCE / folder).is_dir()] == []
    assert len(folders) > 20


def test_contributing_lists_the_packages_in_their_order():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `(\w+)`: ", page, re.MULTILINE)
    assert sorted(listed, key=LEVELS.__getitem__) == listed
    assert {*listed} == {*LEVELS} - {"", "__main__"}


def test_no_two_classes_have_one_name():
    found = Counter(node.name for path in MODULES for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef))
    assert [name for name, times in found.items() if times > 1] == []


def test_a_package_is_never_named_like_a_public_name():
    import snapdp

    clashes = {path.name for path in SOURCE.iterdir()} & set(snapdp.__all__)
    assert [name for name in clashes if not ismodule(getattr(snapdp, name))] == []


@every_module
def test_importing_a_module_imports_nothing_heavy(path):
    allowed = HEAVY_ALLOWED.get(str(path.relative_to(SOURCE)), set())
    assert heavy_imports(tree_of(path), dotted_name(path)) <= allowed


@every_module
def test_a_module_that_needs_numpy_is_imported_only_when_it_is_used(path):
    """Modules allowed to import numpy are themselves imported late, except by each other."""
    heavy = {dotted_name(SOURCE / name) for name in HEAVY_ALLOWED}
    early = set(imports(at_import(tree_of(path)), dotted_name(path), is_package=path.name == "__init__.py"))
    assert dotted_name(path) in heavy or not early & heavy


RELEASED = """
import sys
from snapdp.cli.app import main
main(sys.argv[1:], standalone_mode=False)
print(*(name for name in sys.modules if name.startswith("snapdp.")), sep="\\n")
"""


def test_a_release_of_a_table_loads_nothing_of_the_laboratory(tmp_path):
    """Nor finite precision and the audit; and it loads at most 150 modules (pytest -s says how many)."""
    (tmp_path / "people.csv").write_text("age\n" + "31\n44\n" * 10, encoding="utf-8")
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="change-one", rows=20)
    command = "release people.csv --mean age --bounds 0,120 --missing middle --n 20 --epsilon 1 --ledger people.ledger"
    program = [sys.executable, "-c", RELEASED, *command.split(), "--yes", "--json"]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = {line for line in done.stdout.splitlines() if line.startswith("snapdp.")}  # after the record
    assert {"snapdp.release.release", "snapdp.ledger.ledger"} <= loaded
    assert [name for name in loaded if name.split(".")[1] in ("lab", "audits")] == []
    assert loaded & {f"snapdp.mechanism.{each}" for each in ("finite_precision", "law.bounds", "law.finite")} == set()
    print(f"a release loads {len(loaded)} modules of snapdp")
    assert len(loaded) <= 150


@every_module
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(tree_of(path))


@every_module
def test_no_module_is_too_long(path):
    largest = LARGEST_CHECKER if str(path.relative_to(SOURCE)) in CHECKERS else LARGEST_MODULE
    assert len(path.read_text(encoding="utf-8").splitlines()) <= largest


@pytest.mark.parametrize(("package", "more"), [("snapdp", ["__version__"]), ("snapdp.lab", [])])
def test_a_stub_names_what_can_be_imported(package, more):
    module = import_module(package)
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    aliases = [alias for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname]
    names = sorted(str(alias.asname) for alias in aliases)
    assert all(alias.asname == alias.name for alias in aliases)
    assert names == module.__all__
    assert dir(module) == sorted([*names, *more])
    values = [value for name in names if not ismodule(value := getattr(module, name))]
    assert all(value.__module__.startswith(("snapdp.", "typing", "types")) for value in values)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_the_laboratory_is_cheap_to_import_and_lazy():
    code = "import sys, snapdp.lab; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {name for name in loaded if name.startswith("snapdp")} == {"snapdp", "snapdp.lab"}
    assert loaded & HEAVY == set()


# The reader sees what it must see


def parsed(*lines: str) -> ast.Module:
    return ast.parse("\n".join(lines))


@pytest.mark.parametrize(
    "line",
    [
        "import snapdp.mechanism.definition",
        "from snapdp.mechanism import index",
        "from snapdp.mechanism.definition import decide",
        "from snapdp import mechanism",
        "from snapdp import Snapping",
        "import snapdp",
        "from ..mechanism import index",
        "from .. import mechanism",
        "def f():\n    from snapdp.mechanism.definition import decide",
        "class C:\n    def f(self):\n        import snapdp.mechanism",
        "if TYPE_CHECKING:\n    from snapdp.mechanism.law.law import Law",
        "import importlib\nimportlib.import_module('snapdp.mechanism')",
        "__import__('snapdp.mechanism')",
    ],
)
def test_an_upward_import_is_seen_wherever_it_stands(line):
    assert upward_imports(parsed(line), "snapdp.exact.numbers")


@pytest.mark.parametrize(
    "line",
    [
        "from snapdp.errors import DataError",
        "from snapdp.exact.dyadic import HALF",
        "from .dyadic import HALF",
        "from ..errors import DataError",
        "from snapdp import errors",
        "import math",
        "import numpy",
    ],
)
def test_a_downward_import_is_no_fault(line):
    assert upward_imports(parsed(line), "snapdp.exact.numbers") == []


@pytest.mark.parametrize(
    "line",
    [
        "from snapdp.tables.engines.duckdb import open_table",
        "from snapdp.tables.engines.opening import open_table",
        "from snapdp.release.result import Release",
        "from snapdp import tables",
        "def f():\n    import duckdb",
        "import duckdb.typing",
        "from pyspark.sql import SparkSession",
        "import importlib\nimportlib.import_module('snapdp.tables')",
    ],
)
@pytest.mark.parametrize("module", ["snapdp.studies.plan", "snapdp.accuracy.error", "snapdp.ledger.ledger"])
def test_a_sight_of_data_is_refused_wherever_it_stands(line, module):
    assert sights_of_data(parsed(line), module)
    assert not sights_of_data(parsed(line), "snapdp.release.release")
    assert not sights_of_data(parsed("from snapdp.studies import Plan\nimport duckdbx"), module)


@pytest.mark.parametrize(
    "line",
    [
        'x = kind == "mean"',
        'if query.kind in ("sum", "variance"):\n    pass',
        'if "histogram" != kind:\n    pass',
        'match kind:\n    case "count":\n        pass',
        'match kind:\n    case "count" | "sum":\n        pass',
    ],
)
def test_a_comparison_with_a_kind_is_seen(line):
    assert kinds_compared(parsed(line))
    assert not kinds_compared(parsed('x = {"mean": 1}["mean"]; y = kind == "mean of"'))


def test_a_client_of_a_server_is_seen():
    assert server_imports(parsed("def f():\n    import psycopg"), "snapdp.ledger.ledger")
    assert server_imports(parsed("from psycopg.conninfo import x"), "snapdp.tables.engines.spark")


def test_packages_of_one_level_do_not_see_each_other():
    assert upward_imports(parsed("from snapdp.ledger import chain"), "snapdp.tables.engines.duckdb")
    assert upward_imports(parsed("from snapdp.interop import app"), "snapdp.lab.attacks.app")
    assert upward_imports(parsed("from .plan import Plan"), "snapdp.studies.study_file") == []
    assert upward_imports(parsed("from . import plan"), "snapdp.studies", is_package=True) == []


@pytest.mark.parametrize(
    "line",
    [
        "import numpy as np",
        "from numpy.typing import NDArray",
        "import gmpy2",
        "try:\n    import mpmath\nexcept ImportError:\n    pass",
        "class C:\n    from dataclasses import dataclass",
        "if not TYPE_CHECKING:\n    import cryptography.hazmat",
        "if TYPE_CHECKING:\n    pass\nelse:\n    import numpy",
    ],
)
def test_a_heavy_import_is_seen_where_it_runs(line):
    assert heavy_imports(parsed(line), "snapdp.exact.numbers")


@pytest.mark.parametrize(
    "line",
    [
        "def f():\n    import numpy",
        "class C:\n    def f(self):\n        import gmpy2",
        "if TYPE_CHECKING:\n    import numpy",
        "import math",
    ],
)
def test_a_late_import_is_no_heavy_import(line):
    assert not heavy_imports(parsed(line), "snapdp.exact.numbers")
