"""Wrong calls of the kernel are refused, and none of them ends the process."""

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("wrong_calls.py")


def test_every_wrong_call_is_refused():
    run = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, timeout=300, check=False)
    lines = run.stdout.splitlines()
    assert run.returncode == 0, (lines[-1:], run.stderr[-2000:])
    assert len(lines) > 300
    assert [line for line in lines if not line.endswith(" refused")] == []
