"""How the kernel is compiled: one extension a Cython file, whatever stands there, and what they share once."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import parfit
from parfit import kernel
from parfit.building import FLAGS, SHARED, kernel_extensions

KERNEL = Path(kernel.__file__).parent


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "stepping").mkdir()
    for name in ("tape.pyx", "tape.pxd", "gear.pyx", "small.h", "plain.py", "stepping/piece.pxi"):
        (tmp_path / name).touch()
    return tmp_path


def test_every_cython_file_is_an_extension_and_so_is_what_they_share(folder):
    found = {extension.name: extension.sources for extension in kernel_extensions(folder)}
    assert found == {
        "parfit.kernel.gear": [(folder / "gear.pyx").as_posix()],
        "parfit.kernel.tape": [(folder / "tape.pyx").as_posix()],
        "parfit.kernel.shared": [],
    }


def test_headers_are_what_extensions_depend_on(folder):
    """So a newer header or included piece compiles them again, and a source distribution holds it."""
    headers = [(folder / name).as_posix() for name in ("small.h", "stepping/piece.pxi", "tape.pxd")]
    modules = [each for each in kernel_extensions(folder) if each.name != SHARED]
    assert all(module.depends == headers for module in modules)


def test_no_flag_hides_nan_or_fuses_products():
    assert "-ffp-contract=off" in FLAGS
    assert not {"-ffast-math", "-Ofast", "-ffinite-math-only", "-fassociative-math", "-march=native"} & set(FLAGS)
    assert all(extension.extra_compile_args == FLAGS for extension in kernel_extensions(KERNEL))


@pytest.mark.parametrize("extension", kernel_extensions(KERNEL), ids=lambda extension: extension.name)
def test_the_kernel_is_built_as_it_stands_here(extension):
    assert Path(import_module(extension.name).__file__).suffix != ".py"


def test_the_changelog_tells_of_this_version():
    changelog = (Path(parfit.__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(.*?)\]", changelog, re.M)[0] == parfit.__version__
