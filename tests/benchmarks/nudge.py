"""NUDGE at a pseudo-terminal: how often it redraws while a key is held, and what it costs when nobody touches a key.

    python tests/benchmarks/nudge.py [--quick]

A key that is held comes again and again, here 60 times a second; the predator-prey problem is integrated and drawn
after each, unless the next one is there already. A redraw ends with the cursor in the corner.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from timing import table, verdict

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from screens import REDRAWN, Watched  # noqa: E402
from terminals import PREDATOR  # noqa: E402

TARGET = 20.0  # redraws a second
RATE = 60.0  # keys a second
IDLE = 0.01  # seconds of processor time a second: the grain of the clock
SIZES = ((24, 80), (50, 200))
RIGHT = "\x1b[C"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="for a second each")
    seconds = 1.0 if parser.parse_args().quick else 5.0
    rows = [["screen", "keys", "redraws a second", "at least", "", "ms of processor each", "idle, per second", ""]]
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "folder"
        folder.mkdir()
        rows += [_row(folder, size, seconds) for size in SIZES]
    sys.stdout.write(table(rows))


def _row(folder: Path, size: tuple[int, int], seconds: float) -> list[str]:
    with Watched(folder, *PREDATOR, size=size) as session:
        session.wait()
        session.press("NUDGE\r", r"F +\d")
        used, n_keys, n_redraws = _processor(session), *_hold(session, seconds)
        used = _processor(session) - used
        before = _processor(session)
        time.sleep(seconds)
        idle = (_processor(session) - before) / seconds
    rate = n_redraws / seconds
    return [
        f"{size[1]} x {size[0]}",
        str(n_keys),
        f"{rate:.0f}",
        f"{TARGET:.0f}",
        verdict(rate, TARGET, at_most=False),
        f"{1e3 * used / max(n_redraws, 1):.1f}",
        f"{idle:.3f} s",
        verdict(idle, IDLE, at_most=True),
    ]


def _hold(session: Watched, seconds: float) -> tuple[int, int]:
    """Hold a key; how often it came, and how many redraws there were in this time."""
    start, n_keys, n_before = time.monotonic(), 0, len(session.raw)
    while (now := time.monotonic()) < start + seconds:
        if now >= start + n_keys / RATE:
            session.type(RIGHT)
            n_keys += 1
        session.drain(max(start + n_keys / RATE - time.monotonic(), 0.0))
    n_redraws = len(REDRAWN.findall(session.raw[n_before:]))
    session.drain(0.3)  # the last ones
    return n_keys, n_redraws


def _processor(session: Watched) -> float:
    """Seconds of processor time that the program has used."""
    fields = Path(f"/proc/{session.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
