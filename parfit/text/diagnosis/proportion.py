"""What is said of data that are out of all proportion to the solution."""

from __future__ import annotations

from parfit.estimation.diagnosis.minimum import Standing


def out_of_proportion(found: Standing) -> str:
    """Which variables these are, and by how much."""
    each = [f"those of {name} about {factor:.0e} times" for name, factor in found.apart]
    return (
        f"the observations are far larger than the solution ({', '.join(each)}), so that no change of the parameters "
        "counts beside the difference. Are both in the same units?"
    )
