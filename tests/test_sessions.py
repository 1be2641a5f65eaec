"""The sessions can be played by anyone, as their first lines say, and reach what they promise."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
SESSIONS = sorted((ROOT / "sessions").glob("*.pft"))
TRUE_4_2_2 = [0.5, 0.1, 5.0, 1.0, 0.15, 0.01]  # thesis, section 4.2


def play(path: Path, folder: Path) -> str:
    words = re.search(r"Replay with: parfit (.*)", path.read_text(encoding="utf-8"))
    assert words, "it must say how to play it"
    arguments = [str(ROOT / word) if "/" in word else word for word in shlex.split(words[1])]
    done = subprocess.run(
        [sys.executable, "-m", "parfit", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_plays_twice_to_the_same(path, tmp_path):
    first, second = (play(path, tmp_path) for _ in range(2))
    # What differs is when it was played and where its files went.
    masked = [re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d|kept in \S+", "", text) for text in (first, second)]
    assert masked[0] == masked[1]


def test_the_way_without_a_start_leads_home(tmp_path):
    said = play(ROOT / "sessions" / "without-a-start.pft", tmp_path)
    lost, _, home = said.partition("> UNDO")
    assert "this is a minimum" not in lost
    table = home[home.rindex("PARAMETERS") :]
    found = [float(line.split()[2]) for line in table.splitlines() if re.match(r"\d  p\d", line)]
    np.testing.assert_allclose(found, TRUE_4_2_2, rtol=1e-3)
