"""The program with a gate: once the picture of a SHOOT is seen, nothing is computed until a file named `go` is there.

So whoever watches it has all the time that a busy machine takes to press a key.
"""

import sys
from pathlib import Path
from time import sleep

from parfit.__main__ import main
from parfit.estimation.problems.shooting import Shooting
from parfit.live import fit, steering

evaluate, show = Shooting.evaluate, fit.Progress._show
is_seen = False


def shown(self, is_last=False):
    global is_seen
    show(self, is_last)
    is_seen = True


def gated(self, active):
    while is_seen and not Path("go").exists():
        sleep(0.01)
    return evaluate(self, active)


if __name__ == "__main__":
    fit.SHOWN_EVERY = steering.LOOK_EVERY = 0.0
    fit.Progress._show, Shooting.evaluate = shown, gated
    sys.exit(main())
