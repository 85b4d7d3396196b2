"""Programs that are no part of the package, as modules: those of bin/, and what builds the site."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

from tests import ROOT


def module_of(path: str) -> ModuleType:
    """Return a program as a module, by its path in the project; it need not end in .py."""
    name = path.rpartition("/")[2].removesuffix(".py").replace("-", "_")
    loader = SourceFileLoader(name, str(ROOT / path))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module
