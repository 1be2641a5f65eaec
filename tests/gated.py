"""The program with a gate: whenever a step of a search is seen, nothing more is computed before a key is pressed.

So whoever watches it has all the time that a busy machine takes to look at it.
"""

import select
import sys

from parfit.__main__ import main
from parfit.live import fit, steering

tell = fit.Progress.__call__


def told(self, trial, more=()):
    tell(self, trial, more)
    if trial.accepted and self._steering is not None and not self._steering._has_menu:
        select.select([sys.stdin], [], [])


if __name__ == "__main__":
    fit.SHOWN_EVERY = steering.LOOK_EVERY = 0.0
    fit.Progress.__call__ = told
    sys.exit(main())
