"""Seven newcomers with files of their own: what stopped each of them in the first hour does not any more."""

import io
import json
import re
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from conversation import Typist
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
from terminals import PROMPT, QUESTION, Session, folders_of_runs

import parfit as package
from parfit.__main__ import main
from parfit.errors import DONE, NO_MINIMUM, ParfitError
from parfit.session.console import Console
from parfit.session.interpreter import PROMPT as COMMAND
from parfit.session.opening import open_run
from parfit.session.sources import Commands, Script

STORIES = Path(__file__).parent / "stories"
SCREEN = 24  # lines
FAR_MINIMUM = 16191.0  # where lmfit ended from parameters of 1, and said that it had succeeded


class Story:
    """A conversation with somebody's files, copied to a folder; what is said and warned together is `told`."""

    def __init__(self, folder, *files):
        for name in files:
            shutil.copy(STORIES / name, folder)
        self.folder, self.out = folder, io.StringIO()
        self.interpreter = open_run([str(folder / Path(name).name) for name in files], folder / "run", self.console())

    def console(self):
        return Console(self.out, self.out)

    @property
    def told(self):
        return self.out.getvalue()

    @property
    def env(self):
        return self.interpreter.env

    def __call__(self, *lines):
        """What is said to lines that all succeed."""
        n = len(self.told)
        assert self.interpreter.converse(Commands(lines, COMMAND)) == DONE, self.told[n:]
        return self.told[n:]

    def refused(self, line):
        n = len(self.told)
        assert self.interpreter.converse(Commands([line], COMMAND)) != DONE
        return self.told[n:]

    def typed(self, *answers):
        n = len(self.told)
        self.interpreter.converse(Typist(answers))
        return self.told[n:]


@pytest.fixture
def story(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun = []

    def begin(*files):
        begun.append(Story(tmp_path, *files))
        return begun[-1]

    yield begin
    for each in begun:
        each.interpreter.run.close()


def refusal(tmp_path, *files):
    """What is said of files that cannot be used."""
    with pytest.raises(ParfitError) as caught:
        open_run([str(STORIES / name) for name in files], tmp_path / "run", Console(io.StringIO(), io.StringIO()))
    return str(caught.value)


# ---- 1: a student of pharmacology


def oral(values, times):
    """The model of `oral.ode` by another program."""
    ka, ke, volume, k12, k21 = values

    def slopes(t, y):
        a, c, p = y
        return [-ka * a, ka * a / volume - (ke + k12) * c + k21 * p, k12 * c - k21 * p]

    return solve_ivp(slopes, (0, times[-1]), [100, 0, 0], t_eval=times, rtol=1e-10, atol=1e-12, method="LSODA").y[1]


def test_a_column_in_parentheses_never_makes_the_subject_the_time(tmp_path):
    assert "(Time [h])' is left out, and no other is the time" in refusal(tmp_path, "oral.ode", "m1b.csv")


@pytest.mark.parametrize("data", ["m4.csv", "m2.csv", "e2.csv", "e3.csv"])
def test_columns_as_people_have_them(story, data):
    """A subject left out by parentheses, units in brackets, tabs or blanks between names and numbers with commas."""
    env = story("oral.ode", data).env
    assert env.observations.times[[1, -1]].tolist() == [0.25, 48.0]


def test_a_column_too_many_says_how_to_leave_it_out(tmp_path):
    data = tmp_path / "batch.csv"
    data.write_text((STORIES / "messy.csv").read_text().replace("Subject", "Batch"))
    assert "put its name in parentheses: (Batch)" in refusal(tmp_path, "oral.ode", data)


def test_a_column_of_subjects_names_the_experiments(story):
    env = story("oral.ode", "messy.csv").env
    assert env.observations.design.names == ("1",)


def test_the_first_fit_is_accurate_and_shows_errors(story):
    said = story("oral.ode", "clean.csv")
    text = said("FIT")
    env = said.env
    data = env.observations
    computed = oral(env.values, data.times)
    residuals = computed - data.values[:, 0]
    assert env.sum_of_squares == pytest.approx(residuals @ residuals, rel=1e-4)
    assert re.search(r"value +standard error +%", text)
    assert "CONVERGED" in text


def test_statistics_fit_on_a_screen_and_say_which_interval_to_report(story):
    said = story("oral.ode", "sd.csv")
    said("FIT")
    text = said("STATS")
    assert text.count("\n") < SCREEN
    assert "usual 95 % interval" in text
    assert "almost open" not in text, "all usual intervals are narrower than their parameters"
    assert "Together with all the others k12 is known less well" in text.replace("\n  ", " ")
    assert "STATS FULL" in text


def test_a_question_says_how_to_leave_it_and_recall_alone_only_lists(story):
    said = story("oral.ode", "clean.csv")
    assert "Ctrl-C leaves FIT; then type STATS" in said.typed("FIT", "STATS", KeyboardInterrupt())
    said("SET ka 2", "MARK two", "SET ka 3")
    assert "two: ka = 2" in said.typed("RECALL")
    assert said.env.values[0] == 3


def test_a_variable_is_plotted_by_its_name_as_a_smooth_curve(story):
    said = story("oral.ode", "clean.csv")
    assert "C observed" in said("PLOT C")
    said("PLOT C fit.svg")
    picture = (said.folder / "fit.svg").read_text()
    pieces = max(path.count("L") for path in re.findall(r'<path d="([^"]*)"', picture))
    assert pieces > 4 * said.env.observations.times.size


def test_sample_insert_in_one_line_and_in_two(story):
    said = story("oral.ode", "sd.csv")
    assert "26 sample times" in said("SAMPLE INSERT 2 10 0")
    said("UNDO")
    n = len(said.told)
    said.interpreter.converse(Script(["SAMPLE INSERT", "2 10 0"]))
    assert "26 sample times" in said.told[n:]


def test_two_models_side_by_side(story):
    said = story("oral.ode", "sd.csv")
    shutil.copy(STORIES / "one.ode", said.folder)
    said("FIT", "MARK two", "LOAD one.ode", "FIT", "MARK one")
    text = said("COMPARE one two")
    assert "AICc" in text
    assert re.search(r"^two +oral +5 ", text, re.MULTILINE)
    assert "two is clearly the best of these" in text


# ---- 2: an ecologist who follows GUIDE


def pelts_missed(data, values):
    """What the model of `hare.ode` misses, by another program."""
    a, b, c, d, *start = values

    def slopes(t, y):
        return [a * y[0] - b * y[0] * y[1], c * y[0] * y[1] - d * y[1]]

    run = solve_ivp(slopes, (1900, 1920), start, t_eval=data.times, rtol=1e-8, atol=1e-8, method="LSODA")
    return (run.y.T - data.values).ravel()


def test_hares_and_lynx_without_any_value(story):
    """No starting value, no initial value, time that begins in 1900: GUIDE ALL finds the least sum of squares."""
    said = story("hare.ode", "pelts.csv")
    text = said("GUIDE ALL")
    values = dict(zip(said.env.model.parameters, said.env.values.tolist(), strict=True))
    found = [values[name] for name in ("a", "b", "c", "d", "H0", "L0")]
    residuals = partial(pelts_missed, said.env.observations)
    assert said.env.sum_of_squares == pytest.approx(residuals(found) @ residuals(found), rel=1e-4)
    other = least_squares(residuals, found, x_scale=np.abs(found))
    assert 2 * other.cost == pytest.approx(said.env.sum_of_squares, rel=1e-4), "nor does another program get lower"
    assert said.env.sum_of_squares < FAR_MINIMUM
    assert said.env.model.t0 == 1900
    assert "nothing is left to be done" in " ".join(text.split())
    again = said("GUIDE Y")
    assert again.count("> ") == 1, "no advice, no question, no further report"


# ---- 3: a chemist


def test_unequal_sizes_are_told_and_mended(story):
    said = story("chem.ode", "exp1.csv")
    assert "A hardly counts" in said.told
    said("WEIGHT AUTO", "FIT")
    found = dict(zip(said.env.model.parameters, said.env.values.tolist(), strict=True))
    assert found["k1"] == pytest.approx(10_000, rel=0.03)  # with which the data were made
    assert found["k2"] == pytest.approx(10, rel=0.2)


def test_several_files_of_data_are_several_experiments(story):
    said = story("chem.ode", "exp1.csv", "exp2.csv")
    assert re.findall(r"^(exp\d) +66", said("EXPERIMENT"), re.MULTILINE) == ["exp1", "exp2"]


def test_a_second_file_takes_the_place_of_the_first(story):
    said = story("chem.ode", "exp1.csv")
    shutil.copy(STORIES / "exp2.csv", said.folder)
    assert "in place of the data before, which UNDO brings back" in said("LOAD exp2.csv")


@pytest.mark.parametrize(("name", "k"), [("slow", 1e-6), ("fast", 1e6)])
def test_any_unit_of_time(story, name, k):
    """x = exp(-k t), rounded to two digits."""
    said = story(f"{name}.ode", f"{name}.csv")
    said("FIT")
    assert said.env.values[0] == pytest.approx(k, rel=5e-3)


# ---- 4: models of others


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("m.xml", b'<?xml version="1.0"?>\n<sbml xmlns="x" level="3"><model/></sbml>', "SBML"),
        ("p.yaml", b"format_version: 1\nparameter_file: p.tsv\nproblems: []\n", "PEtab"),
        ("m.tsv", b"observableId\tsimulationConditionId\tmeasurement\ttime\no\tc\t1\t2\n", "PEtab"),
        ("d.xlsx", b"PK\x03\x04rest of a workbook", "spreadsheet"),
    ],
)
def test_files_of_other_programs_are_named(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ParfitError, match=words):
        open_run([str(tmp_path / name)], tmp_path / "run", Console(io.StringIO(), io.StringIO()))
    shutil.copy(STORIES / "s.ode", tmp_path)
    with pytest.raises(ParfitError, match=words):
        open_run(
            [str(tmp_path / "s.ode"), str(tmp_path / name)], tmp_path / "r", Console(io.StringIO(), io.StringIO())
        )


def test_a_file_of_xppaut(story):
    said = story("ml.ode")
    assert "@ xlo, xhi, ylo, yhi, xp, yp" in said.told
    assert said.env.samples.times[[1, -1]].tolist() == [0.25, 150.0]  # dt and total
    said("RECALL hopf")
    assert dict(zip(said.env.model.parameters, said.env.values, strict=True))["iapp"] == 90
    said("FREEZE ALL BUT gca gk")
    assert [said.env.parameters.names[k] for k in said.env.parameters.active] == ["gca", "gk"]


def test_model_and_data_in_the_wrong_order(tmp_path):
    assert "give the model first, then the data" in refusal(tmp_path, "pelts.csv", "hare3.ode")
    assert "model" in refusal(tmp_path, "hare3.ode", "hare3.ode")


# ---- 5: a teacher, and a student who types wrong things


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("fti", "did you mean FIT?"),
        ("hlep", "did you mean HELP?"),
        ("set a=1,5", "'1,5' has a comma; write 1.5 or, for two answers, 1 5"),
        ("zz=3", "'zz' is no parameter"),
        ("a", "a is a parameter: PARAMETERS a shows it, a=NUMBER sets it"),
        ("clear", "there is no command 'clear'; HELP lists the commands"),
    ],
)
def test_what_is_refused_says_what_to_do(story, line, answer):
    assert answer in story("hare3.ode", "pelts.csv").refused(line)


def test_what_is_typed_does_what_it_says(story):
    said = story("hare3.ode", "pelts.csv")
    for line in ("show", "par", "list", "params", "show a"):
        assert re.search(r"1  a +1 ", said(line)), line
    said("a=3", "bounds a>0", "BOUNDS b > 0", "plot", "stats 95%", "weight H 1000", "weight relative")
    assert (said.env.values[0], said.env.parameters.lower[:2].tolist()) == (3.0, [0.0, 0.0])


@pytest.mark.parametrize("word", ["exit", "bye", "quit 0"])
def test_ways_to_leave(story, word):
    said = story("hare3.ode", "pelts.csv")
    said.typed(word, "0")
    assert said.interpreter.ended


def test_fit_by_hand_in_class(story):
    said = story("hare3.ode", "pelts.csv")
    text = said.typed("fit 2", "view", "step", "lambda 1", "table", "undo", "quit")
    assert "SINGULAR VALUES" in text
    assert re.search(r"1  marquardt +0.01", text)
    assert "COMMAND IN ERROR" not in text


def test_how_files_are_written_is_told_within(story):
    said = story("hare3.ode", "pelts.csv")
    for topic in ("MODEL", "DATA"):
        assert "HELP FORMAT tells how" in said(f"HELP {topic}")
    text = said("HELP FORMAT")
    assert "A model is a text file" in text
    assert "Data are a CSV file" in text


def test_an_initial_value_given_twice(tmp_path):
    (tmp_path / "twice.ode").write_text("x'=-x\nx(0)=1\nx(0)=2\n")
    with pytest.raises(ParfitError, match="given twice"):
        open_run([str(tmp_path / "twice.ode")], tmp_path / "r2", Console(io.StringIO(), io.StringIO()))


# ---- 6: somebody who writes Python


def test_a_fit_from_python():
    fit = package.load(STORIES / "oral.ode", STORIES / "sd.csv").fit()
    assert fit.values["ka"] == pytest.approx(1.6667, rel=1e-3)  # as lmfit found
    assert fit.errors["ka"] > 0
    assert "load" in dir(package)
    assert "Any" not in dir(package)


def test_a_simulation_from_python_is_accurate():
    model = package.Model.trace(lambda t, y, p: [-p["k"] * y["A"]], {"A": 100.0}, {"k": 1.0})
    run = package.load(model).simulate([1, 2, 5])
    np.testing.assert_allclose(run.y[:, 0], 100 * np.exp([-1, -2, -5]), rtol=1e-4)
    again = package.Model.trace(lambda t, y, p: [-p["k"] * y["A"]], ["A"], ["k"])  # lists do, too
    assert again.parameters == ("k",)


# ---- 7: many data sets on a cluster


def test_a_batch_tells_good_from_bad_and_leaves_no_litter(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files = [str(STORIES / "oral.ode"), str(STORIES / "clean.csv")]
    assert main([*files, "-e", "FIT MORE 1e-8 3", "--json", "bad.json"]) == NO_MINIMUM
    assert main([*files, "-e", "FIT", "--json", "good.json", "--quiet"]) == DONE
    found = json.loads((tmp_path / "good.json").read_text())
    assert [each["name"] for each in found["parameters"]] == ["ka", "ke", "V", "k12", "k21"]
    assert all(each["standard_error"] > 0 for each in found["parameters"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.json", "good.json"]
    capsys.readouterr()


# ---- at a real terminal


def test_an_hour_at_a_terminal_of_80_by_24(tmp_path):
    for name in ("oral.ode", "sd.csv"):
        shutil.copy(STORIES / name, tmp_path)
    with Session(tmp_path, "oral.ode", "sd.csv", size=(SCREEN, 80)) as user:
        user.wait(PROMPT)
        assert "Ctrl-C leaves FREEZE" in user.give("freeze", QUESTION)
        assert "then type STATS" in user.give("STATS", QUESTION)
        user.type("\x03")
        user.wait(PROMPT)
        assert "standard error" in user.give("fit more")
        user.give("plot fit.png")
        user.give("exit", QUESTION)
        user.give("0", "\\Z")
        assert user.end() == 0
    assert (tmp_path / "fit.png").read_bytes().startswith(b"\x89PNG")
    assert len(folders_of_runs(tmp_path)) == 1
