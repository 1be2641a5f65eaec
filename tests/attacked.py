"""A run that reads every kind of file, and what is known of it after each command: to be spoiled and resumed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from fingerprints import fingerprint

from parfit.session.console import Console
from parfit.session.interpreter import DONE, Interpreter
from parfit.session.opening import open_run
from parfit.session.sources import Script

LONG = bool(os.environ.get("PARFIT_ATTACK"))  # by hand: everything, not a sample
MODEL = "par k=1.3, m=.7\nx'=-k*x\ny'=k*x-m*y\nx(0)=1\ny(0)=0\n"
DATA = "t,x,y\n.5,.5,.4\n1,.3,.5\n2,.1,.45\n4,.01,.2\n"
OTHER = DATA.replace(".45", ".41")
WEIGHTS = "t,x,y\n.5,1,2\n1,1,2\n2,1,2\n4,1,2\n"
DRIVE = "0,1\n5,3\n10,2\n"


def files(folder: Path) -> Path:
    """A folder with a model, data, weights and tables, whose name has a blank, a # and a line end."""
    home = folder / "of a\n#1"
    (home / "sub").mkdir(parents=True)
    for name, text in {
        "a.ode": MODEL,
        "a.csv": DATA,
        "other one.ode": "table w sub/drive.csv\n" + MODEL.replace("-k*x\n", "-k*x*w\n", 1),
        "other.csv": OTHER,
        "w.csv": WEIGHTS,
        "sub/drive.csv": DRIVE,
        "../far.csv": DRIVE.replace("3", "4"),
    }.items():
        (home / name).write_text(text)
    return home


def commands(home: Path) -> list[tuple[str, list[str]]]:
    """Commands with the lines that follow them, given from within the folder."""
    text = ["table w sub/drive.csv", "# a remark", "par k=2, m=.5", "x'=-k*x*w", "y'=k*x-m*y", "x(0)=1", "y(0)=0"]
    return [
        ("SET k 1.1", []),
        ('LOAD "other one.ode" other.csv', []),
        ("WEIGHT FILE w.csv", []),
        ("INTEG Y", []),
        ("FIT 2", ["M 1", "M 1", "Q"]),
        (f"MODEL table v {home.parent / 'far.csv'} spline", []),
        ("MODEL TEXT", [f"| {line}" for line in text]),
        ("NOTE what was done, for reaction #3", []),
        ("LOAD DATA a.csv", []),
        ("SET m .6", []),
    ]


@dataclass
class Known:
    """A run, the bytes of its journal and its environment after it was opened and after each command."""

    folder: Path
    home: Path
    sizes: list[int]
    states: list[object]

    @property
    def journal(self) -> bytes:
        return (self.folder / "journal.pft").read_bytes()

    def spoiled(self, data: bytes, name: str = "spoiled") -> Path:
        """A copy of the run with another journal."""
        folder = self.folder.parent / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder)
        (folder / "journal.pft").write_bytes(data)
        return folder


@contextmanager
def within(folder: Path) -> Iterator[None]:
    """With another current folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def opened(folder: Path) -> Interpreter:
    """A session on the model and data of the current folder."""
    return open_run(["a.ode", "a.csv"], folder, Console(StringIO(), StringIO()), debug=True)


def known_run(folder: Path) -> Known:
    """A whole run."""
    home = files(folder)
    run = folder / "run"
    given = commands(home)
    with within(home):
        interpreter = opened(run)
        known = Known(run, home, [len((run / "journal.pft").read_bytes())], [fingerprint(interpreter.env)])
        for line, more in given:
            assert interpreter.obey(line, Script(more)) == DONE, (line, interpreter.console.err.getvalue())
            known.sizes.append(len(known.journal))
            known.states.append(fingerprint(interpreter.env))
        interpreter.run.close()
    return known
