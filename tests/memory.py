"""Memory that is anything but clean, so that what is used before it is set shows."""

import ctypes

import numpy as np

_api = ctypes.pythonapi
_api.PyMem_RawMalloc.restype, _api.PyMem_RawMalloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
_api.PyMem_RawFree.restype, _api.PyMem_RawFree.argtypes = None, [ctypes.c_void_p]


def spoil_memory() -> None:
    """Fill what malloc and numpy hand out next with NaN, which as whole numbers are -1."""
    sizes = [size for size in range(16, 4096, 16) for _ in range(4)]
    pieces = [_api.PyMem_RawMalloc(size) for size in sizes]
    for piece, size in zip(pieces, sizes, strict=True):
        ctypes.memset(piece, 0xFF, size)
    for piece in pieces:
        _api.PyMem_RawFree(piece)
    arrays = [np.full(size, np.nan) for size in range(1, 128) for _ in range(8)]
    del arrays
