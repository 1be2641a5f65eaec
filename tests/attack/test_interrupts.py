"""Ctrl-C after every so many integrations: the command ends at once, and keeps what it promises or changes nothing."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest
from fingerprints import fingerprint

from parfit.errors import DONE, FAILED
from parfit.session.interpreter import INTERRUPTED
from parfit.session.sources import Script
from parfit.simulation.simulator import Simulator

SMOOTHED = "SMOOTH SPLINE 1 6 1 6 N"
# What is interrupted, what is done before, and whether what was reached is kept.
COMMANDS = [
    ("INTEG Y", (), False),
    ("PROBE Y", (), False),
    ("STATS 95", ("FIT MORE",), False),
    ("PLOT BAND", ("FIT MORE",), False),
    ("FIT MORE", ("SET p1 1.4 p2 .15",), True),
    ("FIT MARQUARDT 1e3 1e-12 1e-14 100", ("SET p1 1.4 p2 .15",), True),
    ("FIT MORE 1e-8 100 HUBER 1", ("SET p1 1.4 p2 .15",), True),
    ("SHOOT AUTO", ("SET p1 1.4 p2 .15",), False),
    ("SHOOT 5 10 15", ("SET p1 1.4 p2 .15",), False),
    ("SEQ 10 5", ("SET p1 1.4 p2 .15",), True),
    ("CONTIN .2 .5 .8", (SMOOTHED,), True),
    ("IFIT", (SMOOTHED,), False),
    ("GUIDE", ("SET p1 3 p2 .5 p3 .5",), False),
    ("CREATE 0 1 2 3 0 y1 y2", (), False),
]
MOMENTS = [int(n) for n in os.environ.get("PARFIT_INTERRUPTS", "1 2 7").split()]
MOST_AFTER = 60  # integrations that telling what was reached may take


@pytest.fixture(autouse=True)
def usual():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(("line", "before", "keeps"), COMMANDS)
def test_counted_integrations(session, monkeypatch, line, before, keeps, moment):
    session(*before)
    n, integrate = 0, Simulator.__call__

    def counted(self, *given, **named):
        nonlocal n
        n += 1
        if n == moment:
            signal.raise_signal(signal.SIGINT)
        return integrate(self, *given, **named)

    monkeypatch.setattr(Simulator, "__call__", counted)
    monkeypatch.setattr(Simulator, "watched", lambda self, trace, *given: counted(self, *given))
    env, mark = session.env, fingerprint(session.env)
    outcome = session.interpreter.obey(line, Script([]))
    if n < moment:  # it was over before
        assert outcome in (DONE, FAILED)
        return
    assert n - moment <= (MOST_AFTER if keeps else 0), "it went on"
    if outcome == DONE:
        assert keeps
        assert session.env is not env
    else:
        assert outcome == INTERRUPTED
        assert session.env is env
        assert fingerprint(env) == mark
        assert "nothing was changed" in session.interpreter.console.err.getvalue()
    monkeypatch.undo()
    assert session.interpreter.obey("INTEG N", Script([])) == DONE


def test_a_library_is_not_left_half_imported(tmp_path):
    """The first STATS imports scipy.special; a Ctrl-C in the middle of that must not break the next one."""
    program = f"""
        import importlib.abc, signal, sys
        sys.path.insert(0, {os.fspath(os.path.dirname(os.path.dirname(__file__)))!r})
        from conversation import Session, data_of, model_of
        from parfit.session.sources import Script

        class Presses(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path, target=None):
                if name == "scipy.special._orthogonal":
                    sys.meta_path.remove(self)
                    signal.raise_signal(signal.SIGINT)

        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.meta_path.insert(0, Presses())
        session = Session(model_of("predator-prey"), data_of("predator-prey", "predator-prey"), None)
        outcomes = [session.interpreter.obey(line, Script([])) for line in ("STATS 95", "STATS 95", "PLOT BAND")]
        assert not any(type(each).__name__ == "Presses" for each in sys.meta_path), "it was not imported"
        print(outcomes)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.stdout.strip() == "[-1, 0, 0]", done.stdout + done.stderr
