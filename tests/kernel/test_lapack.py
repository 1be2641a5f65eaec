"""BLAS and LAPACK are there when a process has its first large matrix, and are those that the kernel was made for."""

import subprocess
import sys

import pytest

LARGE = {  # models of more states than are eliminated by hand, by how their matrices are stored
    "dense": lambda n: [f"-x{i}+.01*({'+'.join(f'x{j}' for j in range(n))})" for i in range(n)],
    "banded": lambda n: [f"-x{i}+.1*x{(i + 1) % n if i + 1 < n else i}" for i in range(n)],
    "sparse": lambda n: [f"-x{i}+.1*x{(7 * i + 3) % n}" for i in range(n)],
}


LOADED = "import sys\nassert 'parfit.kernel.lapack' in sys.modules\n"


def run(code, folder):
    """What a fresh interpreter says of an error, if there is one."""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    return found.stderr


@pytest.mark.parametrize("kind", LARGE)
def test_what_factors_large_matrices_is_there_when_it_is_needed(kind, tmp_path):
    """As the first thing that a process does, and by an integrator that another process has made."""
    n = {"dense": 24, "banded": 40, "sparse": 300}[kind]
    text = "par k=1\n" + "".join(f"x{i}'=k*({rate})\ninit x{i}={1 + i % 3}\n" for i, rate in enumerate(LARGE[kind](n)))
    (tmp_path / "large.ode").write_text(text)
    make = (
        "import numpy, pickle, parfit\nmethod = parfit.Method('gear', 'bdf', 1e-9)\n"
        "model = parfit.load_model('large.ode')\nsimulator = parfit.Simulator(model, [0.5, 1.0], method)\n"
    )
    use = (
        "run = simulator(sensitivities=True)\nassert run.status, run.status\n"
        "moved = simulator([1.0 + 1e-5]).y - simulator([1.0 - 1e-5]).y\n"
        "assert numpy.allclose(run.s[:, :, 0], moved / 2e-5, rtol=1e-3, atol=1e-3 * abs(run.s).max())\n"
    )
    assert not run(make + use + LOADED, tmp_path)
    keep = "open('simulator', 'wb').write(pickle.dumps(simulator))"
    assert not run(make + keep, tmp_path)
    again = "import numpy, pickle, parfit\nsimulator = pickle.loads(open('simulator', 'rb').read())\n"
    assert not run(again + use + LOADED, tmp_path)


def test_functions_of_another_kind_are_refused(tmp_path):
    """LAPACK with integers of 64 bits would be given those of 32."""
    code = (
        "import ctypes\nfrom scipy.linalg import cython_lapack\n"
        "name = b'void (int64_t *, int64_t *, double *, int64_t *, int64_t *, int64_t *)'\n"
        "new = ctypes.pythonapi.PyCapsule_New\nnew.restype = ctypes.py_object\n"
        "new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]\n"
        "cython_lapack.__pyx_capi__['dgetrf'] = new(1, name, None)\nimport parfit.kernel.lapack\n"
    )
    assert "wrong signature" in run(code, tmp_path)
