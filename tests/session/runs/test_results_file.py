"""`--json`: the results of a run, whatever way it is run and however it ends."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from schemas import violations
from terminals import MODELS, PREDATOR, Session, parfit

from parfit.__main__ import main

FITTED = (PREDATOR[0], str(MODELS / "predator-prey-noisy.csv"))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def results(path="out.json"):
    found = json.loads(Path(path).read_text())
    assert violations(found) == []
    return found


def test_commands_of_the_command_line(capfd):
    assert main([*FITTED, "-e", "FIT MORE", "--json", "out.json"]) == 0
    said, found = capfd.readouterr().out, results()
    assert "SUM OF SQUARES" in said.upper()
    assert (found["exit_code"], found["error"], found["curves"]) == (0, None, None)
    assert found["verdict"]["code"] == "minimum"
    (fit,) = found["fits"]
    assert (fit["method"], fit["ending"], fit["is_minimum"]) == ("more", "converged", True)
    assert fit["values"] == {each["name"]: each["value"] for each in found["parameters"]}
    assert fit["sum_of_squares"] == found["sum_of_squares"]
    for what, path in zip(("model", "data"), FITTED, strict=True):
        assert found[what]["file"] == path
        assert found[what]["sha256"] == sha256(Path(path).read_bytes()).hexdigest()
    assert [path.name for path in Path().iterdir()] == ["out.json"]


def test_standard_output_holds_nothing_else_and_one_line(capfd):
    assert main([*FITTED, "-e", "SET 1 .9", "-e", "PLOT 2 0 y1 0", "--json", "-", "--curves"]) == 0
    out, err = capfd.readouterr()
    assert out.count("\n") == 1
    found = json.loads(out)
    assert violations(found) == []
    assert len(found["curves"]["time"]) == 26
    assert "PLOT" in err, "the conversation goes to standard error"


def test_a_script_that_fails_tells_where_and_what_was_reached():
    Path("a.pft").write_text("SET 1 .5\nSET 2 nonsense\nSET 1 .7\n")
    assert main([*FITTED, "-b", "a.pft", "--json", "out.json", "--quiet"]) == 1
    found = results()
    assert found["exit_code"] == 1
    assert (found["error"]["place"], found["error"]["line"]) == ("a.pft:2", "SET 2 nonsense")
    assert "nonsense" in found["error"]["message"]
    assert found["parameters"][0]["value"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.ode"], "nothing.ode: there is no such file"),
        ([PREDATOR[0], "nothing.csv"], "nothing.csv: there is no such file"),
        (["--resume=nothing"], "there is no run 'nothing'"),
    ],
)
def test_what_cannot_be_opened(arguments, message):
    assert main([*arguments, "-e", "FIT", "--json", "out.json"]) == 1
    found = results()
    assert message in found["error"]["message"]
    assert (found["exit_code"], found["model"]) == (1, None)


def test_a_fit_that_did_not_end_at_a_minimum():
    assert main([*FITTED, "-e", "SET 1 2", "-e", "FIT MORE 1e-8 2", "--json", "out.json"]) == 5
    assert (results()["exit_code"], results()["error"]) == (5, None)
    assert results()["verdict"]["code"] == "stopped"
    (fit,) = results()["fits"]
    assert (fit["ending"], fit["is_minimum"], fit["evaluations"]) == ("limit", False, 2)
    assert fit["verdict"]["code"] == "stopped"


@pytest.mark.parametrize(("line", "code"), [("SEQ 25 5", 0), ("SEQ 10 5 1e3 .99 0", 5)])
def test_batches_have_a_verdict_like_any_fit(line, code):
    assert main([*FITTED, "-e", "SET 1 2", "-e", line, "--json", "out.json"]) == code
    (fit,) = results()["fits"]
    assert fit["method"] == "sequential"
    assert fit["is_minimum"] == (code == 0)
    assert results()["verdict"]["code"] == fit["verdict"]["code"] == ("not_a_minimum" if code else "minimum")


def test_the_history_of_fits_goes_through_other_data_and_leaves_out_what_was_undone():
    fits = [
        "FIT MORE",
        "FIT 1 .01 1e-6 1e-6",
        "UNDO",
        f"LOAD DATA {PREDATOR[1]}",
        "FIT 3 1e-8 500 HUBER 1",
        "SHOOT AUTO",
    ]
    assert main([*FITTED, *(word for each in fits for word in ("-e", each)), "--json", "out.json"]) in (0, 5)
    found = results()["fits"]
    assert [(each["method"], each["loss"]) for each in found] == [
        ("more", "linear"),
        ("more", "huber"),
        ("shooting", "linear"),
    ]
    assert [each["data"] for each in found] == [FITTED[1], PREDATOR[1], PREDATOR[1]]


def test_an_attempt_that_fails_is_no_error():
    assert main([*FITTED, "-e", "TRY XYZZY", "--json", "out.json"]) == 0
    assert results()["error"] is None


def test_what_cannot_be_written_is_told(capsys):
    assert main([*FITTED, "-e", "SET 1 2", "--json", "nowhere/out.json"]) == 1
    assert "nowhere/out.json: cannot be written" in capsys.readouterr().err


def test_a_pipe(tmp_path):
    run = parfit(tmp_path, *FITTED, "--json", "out.json", input="SET 1 .6\n")
    assert run.returncode == 0
    assert results()["parameters"][0]["value"] == 0.6


def test_a_conversation(tmp_path):
    with Session(tmp_path, *FITTED, "--json", "out.json") as session:
        session.wait()
        session.give("SET 1 .6")
        session.give("XYZZY")
        session.type("QUIT\r")
        assert session.end() == 0
    assert results()["parameters"][0]["value"] == 0.6
    assert results()["error"] is None, "who was there has seen it"


def test_a_conversation_has_standard_output_for_itself(tmp_path):
    with Session(tmp_path, *FITTED, "--json", "-") as session:
        session.wait("--json - needs commands")
        assert session.end() == 2


def test_a_run_that_is_resumed():
    assert main([*FITTED, "-e", "SET 1 .6", "--run-folder", "mine"]) == 0
    assert main(["--resume", "mine", "-e", "SET 2 .2", "--json", "out.json"]) == 0
    assert [each["value"] for each in results()["parameters"]][:2] == [0.6, 0.2]
    assert results()["data"]["sha256"] == sha256(Path(FITTED[1]).read_bytes()).hexdigest()


def test_a_run_that_is_played_again_writes_no_files():
    assert main([*FITTED, "-e", "REPORT JSON mine.json", "-e", "SET 1 .6", "--run-folder", "mine"]) == 0
    assert results("mine.json")["exit_code"] is None
    Path("mine.json").unlink()
    assert main(["--resume", "mine", "-e", "SET 2 .2"]) == 0
    assert not Path("mine.json").exists()
