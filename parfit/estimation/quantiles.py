"""Quantiles of the distributions that intervals stand on: from scipy.special, because scipy.stats takes four times as
long to import, and longer than most fits."""

from __future__ import annotations


def normal(level: float) -> float:
    """Below which a normal variable is with this probability."""
    from scipy.special import ndtri  # here and below late, because even that takes long

    return float(ndtri(level))


def student(level: float, n_free: int) -> float:
    """The same of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(n_free, level))


def chi_square(level: float, n: int) -> float:
    """The same of chi-square."""
    from scipy.special import chdtri

    return float(chdtri(n, 1.0 - level))


def fisher(level: float, n: int, n_free: int) -> float:
    """The same of F."""
    from scipy.special import fdtri

    return float(fdtri(n, n_free, level))
