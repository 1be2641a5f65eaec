"""What the README says is true."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from parfit import load_model
from parfit.commands import TABLE
from parfit.commands.fitting.integ import JACOBIAN
from parfit.commands.help_text import readme
from parfit.model.model import Model

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks() -> list[list[str]]:
    """Indented blocks, without their indentation."""
    return [
        [line[4:] for line in block.splitlines()] for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", TEXT, re.M)
    ]


def test_the_session_prints_what_is_shown(tmp_path):
    """The commands and answers of the first session, through a pipe, give the lines that are shown."""
    session = next(block for block in blocks() if any(line.startswith("$ parfit") for line in block))
    start = next(k for k, line in enumerate(session) if line.startswith("$"))
    typed = [line.partition(mark)[2] for line in session for mark in ("> ", "]: ") if mark in line]
    shown = [line for line in session[start + 1 :] if line.strip() not in ("", "...") and "]: " not in line]
    words = [str(ROOT / word) if word.startswith("models/") else word for word in shlex.split(session[start])[2:]]
    done = subprocess.run(
        [sys.executable, "-m", "parfit", *words],
        input="\n".join(typed),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
    )
    greeting = [line for line in shown if line.startswith(("tour:", "HELP"))]
    assert len(greeting) == 2  # only a terminal is greeted
    printed = done.stdout.splitlines()
    for line in shown:
        assert line in printed or line in greeting or line in JACOBIAN.text, line


def test_the_first_command_is_the_tour():
    """What it plays is tested with the book."""
    command = next(line.strip() for line in TEXT.splitlines() if "pip install . " in line)
    assert shlex.split(command.rpartition("&&")[2])[1:] == ["tour"]


def test_the_table_of_commands_is_up_to_date():
    assert readme(TABLE) in TEXT


def test_the_model_in_the_readme_can_be_read(tmp_path):
    lines = next(block for block in blocks() if any(line.startswith("par p1") for line in block))
    (tmp_path / "zoo.csv").write_text("t,z\n" + "".join(f"{t},{t % 7}\n" for t in range(0, 240, 5)))
    (tmp_path / "enzyme.ode").write_text("\n".join(lines))
    model = load_model(tmp_path / "enzyme.ode")
    assert isinstance(model, Model)
    assert model.states == ("y1", "y2")
    assert [name for name, _ in model.tables] == ["z"]
    assert model.total == 30


def test_the_python_examples_run(monkeypatch, tmp_path):
    """One after the other, from anywhere."""
    examples = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    assert len(examples) > 1
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in examples:
        exec(example, names)  # our own text
    assert (tmp_path / "fit.png").exists()
    run = names["run"]
    assert run.status  # type: ignore[attr-defined]
    assert run.s.shape == (4, 2, 6)  # type: ignore[attr-defined]


def test_every_command_of_the_readme_exists():
    for path in re.findall(r"tests/[\w/.]+", TEXT):
        assert (ROOT / path).exists(), path
