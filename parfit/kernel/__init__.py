"""The compiled kernel: tapes, curves, linear algebra and integrators over plain arrays.

It calls BLAS and LAPACK through two modules of scipy.linalg. Imported in the usual way these bring all of scipy.linalg
with them, which takes longer than everything else that a session needs to begin; so they are loaded alone.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

import scipy

FUNCTIONS = ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack")


def _load(name: str) -> None:
    """Load a module without the package that it is in; where that is not possible, it will be imported as usual."""
    spec = PathFinder.find_spec(name, [f"{folder}/linalg" for folder in scipy.__path__])
    if spec is None or spec.loader is None:
        return
    try:
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except ImportError:
        sys.modules.pop(name, None)


if "scipy.linalg" not in sys.modules:  # else they cost nothing
    for _name in FUNCTIONS:
        _load(_name)
