"""Sessions put together at random: whatever is typed, nothing breaks, and the journal tells the whole story."""

import os
import random
from pathlib import Path

import numpy as np
import pytest
from conversation import MODELS, SCRIPT, Typist, assert_same, data_of

from parfit.data.observations import make_observations
from parfit.errors import DONE
from parfit.session.sources import Script

N_SESSIONS, N_COMMANDS, SEED = 60, 14, 1977
ANYTHING = [
    "0",
    "1",
    "7",
    "-1",
    "1e300",
    "p1",
    "p9",
    "y1",
    "t",
    "Y",
    "ALL",
    '""',
    '"',
    "=",
    "?",
    ",",
    "a.svg",
    "REPORT",
]
# Words that each command may be given, in any number and order.
WORDS = {
    "SET": ["p1", "p2", "1", "2", "-1", ".5", "1e-4", "0"],
    "FREEZE": ["1", "2", "p3", "p4", "p5", "p6", "0"],
    "UNFREEZE": ["1", "p2", "p3"],
    "SCALE": ["1 1", "p2 ROOT", "3 LOG", "p1 NONE", "p2 2", "0"],
    "OPTION": ["1 1", "1 3", "3 1", "3 0", "8 1", "8 2", "EPS 1e-4", "HMIN 0", "HMAX 1", "4 0", "4 2"],
    "SAMPLE": ["2 5 .5", "3 0 2 1", "3 1 2 2 3", "1", "MESH 40 1"],
    "WEIGHT": ["1", "2 y1 0", "2 1 0", "ALL 2", "1 .5", "3", "0", "Y"],
    "PLOT": ["1", "2", "5", "0", "y1", "y2", "Y", "PHASE", "product"],
    "REPORT": [str(k) for k in range(13)] + ["Y"],
    "CREATE": ["0", "p1 2", "1(1)5", "1 2", "y1", "y2", "1e-6", ".1", "5", "Y", "N", "0.0"],
    "MARK": ["a", "b", ""],
    "RECALL": ["a", "b", "1"],
    "UNDO": ["1", "2", ""],
    "REDO": ["1", ""],
    "ECHO": ["1", "0"],
    "INTEG": ["Y", "N"],
    "LOAD": ["other.csv", "other.ode", "DATA other.csv", "small.ode"],
    "DATA": [""],
    "NOTES": [""],
    "HISTORY": [""],
    "HELP": ["SET", "PLOT items", ""],
    "KEEP": ["JOURNAL", "REPORT", "0"],
    "SAVE": ["a.pft", "Y"],
}
TEXTS = {
    "MODEL": [
        *["", "DERIVATIVES", "par k=2", "par p1=3", "aux z=y1^2", "aux w=ln(y1)", "remove z", "remove k", "y1(0)=p1"],
        *["y1'=-p1*y1", "y3'=-p1*y3+y1", "y2(0)=0", "TEXT", "par p2=-1", "@ t0=1", "@ total=3", "remove y3"],
    ],
    "NOTE": ["hello", "x 0", "# y", '"q" # z', "a = b, c"],
}


def problems():
    nan = np.nan
    values = [[nan, 1.0], [2.0, nan], [3.0, nan], [nan, nan]]
    sds = [[nan, 0.5], [1.0, nan], [nan, nan], [nan, nan]]
    sparse = make_observations([0, 1, 1, 2], ["y2", "y1"], values, sds=sds)
    return [
        ("predator-prey", data_of("predator-prey")),
        ("predator-prey", sparse),
        ("enzyme", data_of("enzyme")),
        ("enzyme", None),
    ]


def random_lines(rng):
    """A command with answers, right and wrong, on one line or on cards."""
    if rng.random() < 0.15:
        name = rng.choice(sorted(TEXTS))
        return [f"{name} {rng.choice(TEXTS[name])}", *rng.choice([[], ["| par q=1", "| y1'=-q*y1", "| init y1=2"]])]
    name = "INTEG" if rng.random() < 0.2 else rng.choice(sorted(WORDS))
    words = WORDS[name] if rng.random() < 0.9 else ANYTHING
    lines = [name]
    for word in " ".join(rng.choice(words) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 4, 6]))).split():
        if rng.random() < 0.15:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    return lines


@pytest.fixture
def files(tmp_path, begin, monkeypatch):
    (tmp_path / "other.csv").write_text("t,y2\n1,3\n2,4\n")
    (tmp_path / "other.ode").write_text((MODELS / "predator-prey-2.ode").read_text())
    (tmp_path / "small.ode").write_text("par a=1\ny1'=-a*y1\ninit y1=2\n@ t0=.5\ndone")
    monkeypatch.setattr(os, "kill", lambda *given: pytest.fail("nothing may suspend us"))


@pytest.mark.parametrize("interactive", [False, True])
def test_random_sessions(begin, files, interactive):
    """Internal errors are raised (debug); a failure leaves the environment; what succeeded can be played again."""
    rng = random.Random(SEED + interactive)
    n_done = 0
    for k in range(N_SESSIONS // 2):
        name, data = problems()[k % 4]
        session = begin(name, data)
        for _ in range(N_COMMANDS):
            lines, env = random_lines(rng), session.env
            source = Typist([*lines, *["0"] * 12]) if interactive else Script(lines, SCRIPT)
            session.obey(source)
            n_done += session.env is not env
        again = begin(name, data)
        code, _, warned = again.obey(Script(session.entries, "journal"))
        assert code == DONE, f"{warned}\n{session.entries}"
        assert_same(session.env, again.env)
        again.run.close()
        session.run.close()
        Path("a.pft").unlink(missing_ok=True)
    assert n_done > N_SESSIONS, "most of it must mean something"
