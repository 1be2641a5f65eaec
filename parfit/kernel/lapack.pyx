# cython: language_level=3
"""BLAS and LAPACK for `linalg`, which has this imported for its first large matrix: it brings all of scipy.linalg."""

from parfit.kernel.linalg cimport adopt
from scipy.linalg.cython_blas cimport dtrsm
from scipy.linalg.cython_lapack cimport dgbtrf, dgbtrs, dgetrf, dgetrs

adopt(dtrsm, dgbtrf, dgbtrs, dgetrf, dgetrs)
