"""A session on several experiments in every form: lines, cards, its journal, undone, killed and resumed."""

import os
import signal
from io import StringIO

import pytest
from fingerprints import fingerprint, resumed

from parfit.session.console import Console
from parfit.session.interpreter import DONE
from parfit.session.opening import open_run
from parfit.session.sources import Script, script_lines

MODEL = "par ka=1, cl=3, v=30\ngut'=-ka*gut\ncen'=ka*gut-cl/v*cen\naux c=cen/v\nlocal ka\n@ t0=0\ndone\n"
DATA = """#: experiment often: init cen=3
id,time,amt,cmt,ii,addl,v,c
once,0,100,gut,,,,
once,1,,,,,,2.1
once,5,,,,,,2
once,12,,,,,,1.1
often,0,50,gut,6,1,28,
often,4,,,,,,1.6
often,9,,,,,,2.2
often,20,,,,,,.9
"""
MORE = "time,rate,amt,c\n0,20,60,\n2,,,1\n4,,,1.7\n"
# A command in one line, and the same with its answers on cards.
SESSION = (
    ("SET ka 1.3 ka[once] .9", ["SET", "ka", "1.3 ka[once]", ".9", "0"]),
    ("FREEZE cl", ["FREEZE", "cl 0"]),
    ("SCALE ka LOG", ["SCALE", "ka LOG 0"]),
    ("EXPERIMENT often OFF", ["EXPERIMENT often OFF"]),
    ("WEIGHT c 2", ["WEIGHT", "c", "2"]),
    ("INTEG Y", ["INTEG", "Y"]),
    ("EXPERIMENT often ON", ["EXPERIMENT often ON"]),
    ("FIT MORE 1e-8 100 LINEAR", ["FIT", "MORE", "1e-8", "100", "LINEAR"]),
    ("EXPERIMENT once", ["EXPERIMENT once"]),
    ("MARK here", ["MARK", "here"]),
    ("LOAD ADD more.csv", ["LOAD", "ADD", "more.csv"]),
    ("UNFREEZE cl", ["UNFREEZE", "cl 0"]),
    ("MODEL local cl once+often, more", ["MODEL local cl once+often, more"]),
    ("NOISE c ADDITIVE", ["NOISE c ADDITIVE"]),
    ("FIT MORE 1e-8 100 LINEAR", ["FIT", "MORE", "1e-8", "100", "LINEAR"]),
    ("REPORT PAR", ["REPORT", "PAR 0"]),
)
LINES = [line for line, _ in SESSION]


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name, text in {"pk.ode": MODEL, "pk.csv": DATA, "more.csv": MORE}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begun(folder):
    return open_run(["pk.ode", "pk.csv"], folder, Console(StringIO(), StringIO()), debug=True)


def obeyed(interpreter, lines):
    for line in lines:
        assert interpreter.obey(line, Script([])) == DONE, (line, interpreter.console.err.getvalue())


def played(interpreter, lines):
    code = interpreter.converse(Script(lines))
    interpreter.run.close()
    assert code == DONE, interpreter.console.err.getvalue()


def test_lines_cards_journal_and_resumption_are_the_same(home):
    lines, cards, again = (begun(home / name) for name in ("lines", "cards", "again"))
    obeyed(lines, LINES)
    played(cards, [card for _, cards_ in SESSION for card in cards_])
    played(again, script_lines(str(home / "lines" / "journal.pft")))
    expected = fingerprint(lines.env)
    for each in (lines, cards, again):
        each.run.close()
        assert fingerprint(each.env) == expected
    assert expected == fingerprint(resumed(home / "cards"))
    assert lines.env.model.parameters == (*("ka[once]", "ka[often]", "ka[more]", "cl[once+often]", "cl[more]", "v"),)
    (home / "more.csv").unlink()  # of which the run has a copy
    assert expected == fingerprint(resumed(home / "lines"))


def test_every_command_can_be_undone(home):
    interpreter = begun(home / "run")
    states = [fingerprint(interpreter.env)]
    for line in LINES:
        obeyed(interpreter, [line])
        states.append(fingerprint(interpreter.env))
    different = [state for k, state in enumerate(states) if not k or state != states[k - 1]]
    for state in reversed(different[:-1]):
        obeyed(interpreter, ["UNDO"])
        assert fingerprint(interpreter.env) == state
    interpreter.run.close()


@pytest.mark.parametrize("n_done", range(0, len(LINES) + 1, 4))
def test_killed_after_any_command_it_goes_on_there(home, n_done):
    child = os.fork()
    if child == 0:
        try:
            obeyed(begun(home / "killed"), LINES[:n_done])
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    whole = begun(home / "whole")
    obeyed(whole, LINES[:n_done])
    whole.run.close()
    assert fingerprint(resumed(home / "killed")) == fingerprint(whole.env)
