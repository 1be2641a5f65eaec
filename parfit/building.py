"""How `pip install` compiles the kernel: every Cython file of it, on all processors, and what they share only once."""

import os
from pathlib import Path

from setuptools import Extension
from setuptools.command.build_ext import build_ext

KERNEL = "parfit.kernel"
# No fast-math: NaN and infinity must be seen. Results must not depend on the machine: no products are fused into sums
# where a processor could do it.
FLAGS = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
if "CFLAGS" not in os.environ:  # whoever sets those may want to debug
    FLAGS.append("-g0")
# Cython's code for memoryviews is four fifths of a module that has one: it is compiled here, and the others import it.
SHARED = f"{KERNEL}.shared"


def kernel_extensions(folder: Path) -> list[Extension]:
    """One extension for each Cython file of a folder, and the one they share; all are compiled again when a header or
    an included piece is newer, and these belong to a source distribution because extensions depend on them."""
    headers = sorted(path.as_posix() for kind in ("pxd", "h", "pxi") for path in folder.rglob(f"*.{kind}"))
    modules = [
        Extension(f"{KERNEL}.{path.stem}", [path.as_posix()], extra_compile_args=FLAGS, depends=headers)
        for path in sorted(folder.glob("*.pyx"))
    ]
    return [*modules, Extension(SHARED, [], extra_compile_args=FLAGS)]


class KernelBuild(build_ext):
    """setuptools' command for all extensions of the kernel: pyproject.toml names only the one they share."""

    parallel: int | None

    def finalize_options(self) -> None:
        self.distribution.ext_modules = kernel_extensions(Path(*KERNEL.split(".")))
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count()

    def build_extensions(self) -> None:
        """Translate to C one after the other (Cython is not made for threads), then compile side by side."""
        from Cython.Build import cythonize

        translated = cythonize(self.extensions, shared_utility_qualified_name=SHARED, force=self.force)
        for extension, c in zip(self.extensions, translated, strict=True):
            extension.sources = c.sources
        super().build_extensions()
