"""Timing on a machine that has other things to do: the least of many interleaved repetitions."""

import gc
from collections.abc import Callable, Sequence
from time import perf_counter

SAMPLE = 0.01  # seconds that one repetition should last at least


def fastest(functions: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Least seconds that one call of each function takes, each round timing all of them in turn."""
    repeats = []
    for function in functions:
        function()
        start = perf_counter()
        function()
        repeats.append(max(1, round(SAMPLE / max(perf_counter() - start, 1e-9))))
    best = [float("inf")] * len(functions)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for k, (function, repeat) in enumerate(zip(functions, repeats, strict=True)):
                start = perf_counter()
                for _ in range(repeat):
                    function()
                best[k] = min(best[k], (perf_counter() - start) / repeat)
            gc.collect()
    finally:
        if collecting:
            gc.enable()
    return best


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of words as aligned columns, the first column to the left."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join(w.ljust(n) if k == 0 else w.rjust(n) for k, (w, n) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def verdict(ratio: float, target: float, at_most: bool = False) -> str:
    """Whether a target is met, in a word."""
    return "met" if (ratio <= target if at_most else ratio >= target) else "MISSED"
