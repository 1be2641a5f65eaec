"""Work that makes very many objects, none of them in circles, without Python's search for circles of dead ones."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """No search meanwhile: it looks at all that there is, again and again, and finds nothing.

    Also a decorator. With large models it would take a quarter of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
