"""Wrong calls of the kernel are refused, and none of them ends the process."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import parfit.kernel

PROGRAM = Path(__file__).with_name("wrong_calls.py")


def test_every_wrong_call_is_refused():
    run = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, timeout=300, check=False)
    lines = run.stdout.splitlines()
    assert run.returncode == 0, (lines[-1:], run.stderr[-2000:])
    assert len(lines) > 300
    assert [line for line in lines if not line.endswith(" refused")] == []


def test_no_way_into_the_kernel_is_forgotten():
    """Every class and function, but for those that have neither arguments nor methods, and what checks numbers."""
    names = set()
    for each in iter_modules(parfit.kernel.__path__):
        module = import_module(f"parfit.kernel.{each.name}")
        names |= {name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    public = {name for name in names if not name.startswith("_")}
    tried = set(re.findall(r"\w+", PROGRAM.read_text()))
    assert public - tried - {"Desk", "Jumping", "Tallied", "adams", "bdf", "places_among", "whole_numbers"} == set()
