"""The command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from parfit.__main__ import main

MODELS = Path(__file__).parent.parent / "models"
BARD_OPTIMUM = ("6.35841E-3", "6.77464E-2", "5.926E-5", "4.9425E-4", ".101845", "4.200E-4")  # recomputed, see below


def test_a_model_alone_prints_its_solution(capsys):
    assert main([str(MODELS / "predator-prey.ode")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("predator-prey: p1 = 1, p2 = 0.1")
    table = np.array([line.split() for line in lines[3:]], dtype=float)
    assert lines[2].split() == ["t", "y1", "y2"]
    assert table.shape == (26, 3)
    assert table[-1, 0] == 12.5
    assert len({len(line) for line in lines[2:]}) == 1, "columns line up"


def test_with_data_it_prints_the_sum_of_squares(capsys):
    """Bard's problem: F/2 = 21.38504 at the optimum (thesis section 2.4: 21.38429 by Benson, 21.37944 by Bard)."""
    settings = [word for k, value in enumerate(BARD_OPTIMUM, 1) for word in ("--set", f"p{k}={value}")]
    assert main([str(MODELS / "bard.ode"), str(MODELS / "bard.csv"), "--gear", "--eps", "1e-8", *settings]) == 0
    out = capsys.readouterr().out
    assert float(out.split("residuals:")[1]) / 2 == pytest.approx(21.38504, rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.ode"], "nothing.ode: there is no such file"),
        ([str(MODELS / "enzyme.ode"), "--set", "p9=1"], "the parameters are p1, p2, p3"),
        ([str(MODELS / "enzyme.ode"), "--set", "p1=x"], "write NAME=VALUE"),
        ([str(MODELS / "enzyme.ode"), "--times", "1,a"], "numbers separated by commas"),
        ([str(MODELS / "enzyme.ode"), "--times", "3,2"], "must not decrease"),
        ([str(MODELS / "enzyme.ode"), "--to", "-3"], "must not decrease"),
        ([str(MODELS / "enzyme.ode"), "--eps", "1e-6"], "belong to --gear"),
        ([str(MODELS / "enzyme.ode"), str(MODELS / "enzyme.csv"), "--to", "5"], "leave --times and --to away"),
        ([str(MODELS / "enzyme.ode"), "--gear", "--eps", "0"], "EPS must lie between"),
        ([str(MODELS / "enzyme.ode"), "--gear", "--hmin", "7"], "HMIN (7) and HMAX (5)"),
        ([str(MODELS / "enzyme.ode"), "--gear", "--eps", "1e-9"], "fell below HMIN at t = 0"),
        ([str(MODELS / "enzyme.ode"), str(MODELS / "bard.csv")], "bard.csv:4: column 'y3'"),
    ],
)
def test_errors_are_one_line_and_exit_code_1(arguments, message, capsys):
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("parfit: ")
    assert error.count("\n") == 1


def test_wrong_usage_is_exit_code_2():
    with pytest.raises(SystemExit) as stop:
        main(["--nonsense"])
    assert stop.value.code == 2


def test_a_closed_pipe_is_no_crash():
    command = f"{sys.executable} -m parfit {MODELS / 'predator-prey.ode'} --times {','.join(map(str, range(3000)))}"
    run = subprocess.run(f"{command} | head -1", shell=True, capture_output=True, text=True, check=False)
    assert run.stdout.startswith("predator-prey")
    assert "Traceback" not in run.stderr
