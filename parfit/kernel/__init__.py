"""The compiled kernel: tapes, curves, linear algebra and integrators over plain arrays."""

from pathlib import Path

try:
    import parfit.kernel.shared  # noqa: F401  # which all others need
except ModuleNotFoundError:  # Python takes sources in the folder where it is started for the installed program
    raise ImportError(
        f"the sources of PARFIT in {Path(__file__).parents[2]} are not compiled: start from another folder to use the "
        "installed program, or compile them with `pip install -e .` there",
        name=__name__,
    ) from None
