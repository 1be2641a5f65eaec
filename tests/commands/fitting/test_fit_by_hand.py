"""FIT INTERACTIVE: the nine commands of the manual and a few more, what they show and what is written down."""

import io
import shutil

import numpy as np
import pytest
from certified import LeastSquares, wash_out
from conversation import MODELS, SCRIPT, Typist, assert_same
from fingerprints import resumed
from washing import START

from parfit.commands.fitting.fit_by_hand import PROMPT
from parfit.errors import DONE, FAILED, Abandoned
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.session.console import Console
from parfit.session.line import EndOfInput
from parfit.session.opening import open_run, resume_run
from parfit.session.sources import Script


def step(p, lam, free=(0, 1, 2)):
    problem = LeastSquares(wash_out)
    f, jac = problem.residuals(p), problem.jac(p)[:, free]
    moved = np.array(p, dtype=float)
    moved[list(free)] -= np.linalg.solve(jac.T @ jac + lam * np.eye(len(free)), jac.T @ f)
    return moved


def total(p):
    return float(wash_out(p) @ wash_out(p))


def gradient(p):
    problem = LeastSquares(wash_out)
    return problem.jac(p).T @ problem.residuals(p)


def near(expected):
    return pytest.approx(expected, rel=1e-6, abs=1e-8)


def by_hand(session, *lines):
    """What an optimization by hand says; all its commands must succeed."""
    return session("FIT INTERACTIVE", *lines)


def failing(session, *lines):
    """The message of an optimization by hand that fails, after which parameters and results are as before."""
    env = session.env
    code, _, warned = session.obey(Script(["FIT INTERACTIVE", *lines]))
    assert code == FAILED, f"it was not refused: {warned}"
    assert session.env is env
    assert session.entries[-1] == "ABANDON", "and the journal says so"
    return warned


def number_after(said, words):
    return float(said.split(words)[1].split()[0])


# ---- steps


@pytest.mark.parametrize("start", ["FIT INTERACTIVE", "FIT 2", "fit inter"])
def test_it_can_be_left_at_once(wash, start):
    said = wash(start, "Q")
    assert wash.env.values.tolist() == START.tolist()
    assert "INTERACTIVE OPTIMIZATION ATTEMPT" in said
    assert number_after(said, "SUM OF SQUARES") == pytest.approx(total(START), rel=1e-6)


def test_new_lambda(wash):
    said = by_hand(wash, "N .1", "Q")
    expected = step(START, 0.1)
    assert wash.env.values == near(expected)
    assert wash.env.sum_of_squares == pytest.approx(total(expected), rel=1e-6)
    assert "MARQUARDT STEP SUCCESSFUL" in said
    assert number_after(said, "NEW SUM OF SQUARES") == pytest.approx(total(expected), rel=1e-5)
    assert number_after(said, "CHANGE IN SUM OF SQUARES") == pytest.approx(total(START) - total(expected), rel=1e-5)
    assert number_after(said, "LAMBDA IS") == 0.1


@pytest.mark.of_1977
def test_multiplied_lambda(wash):
    """The default is .01 (Appendix A, FIT, command M)."""
    said = by_hand(wash, "M 1", "M 50", "M .5", "Q")
    expected = START
    for lam in (0.01, 0.5, 0.25):
        trial = step(expected, lam)
        assert total(trial) < total(expected)
        expected = trial
    assert wash.env.values == near(expected)
    assert [float(part.split()[0]) for part in said.split("LAMBDA IS")[1:]] == pytest.approx([0.01, 0.5, 0.25])


def test_the_status_is_that_of_the_step(wash):
    """The bar shows the sum of squares of the point reached and the present lambda, not what was before FIT."""
    seen = []

    class Watching(Typist):
        def read(self, prompt, text=""):
            seen.append(wash.interpreter.console.reached)
            return super().read(prompt, text)

    wash.obey(Watching(["FIT 2", "N .1", "T SD", "N 1e-4", "QUIT"]))
    first, second = total(START), total(step(START, 0.1))
    assert seen[:3] == ["", f"sum of squares {first:.6g}, lambda 0.01", f"sum of squares {second:.6g}, lambda 0.1"]
    assert seen[3] == f"sum of squares {second:.6g}, step not set"
    assert seen[4].endswith("step 0.0001")
    assert seen[5] == "", "FIT is over"


def test_return_attempts_another_step(wash):
    by_hand(wash, "N .1", "", "", "Q")
    assert wash.env.values == near(step(step(step(START, 0.1), 0.1), 0.1))


def test_lambda_zero(wash):
    by_hand(wash, "N 0", "Q")
    trial = step(START, 0.0)
    assert wash.env.values == near(trial if total(trial) < total(START) else START)


def test_steepest_descent(wash):
    said = by_hand(wash, "T SD", "N .01", "M 2", "Q")
    first = START - 0.01 * gradient(START)
    assert total(first) < total(START)
    second = first - 0.02 * gradient(first)
    assert wash.env.values == near(second if total(second) < total(first) else first)
    assert "STEEPEST DESCENT STEP SUCCESSFUL" in said
    assert number_after(said, "STEP WAS") == 0.01


def test_steepest_descent_needs_a_step_length(wash):
    for command in ("M 2", ""):
        typist = wash.typed("FIT INTERACTIVE", "T SD", command, "Q")
        assert typist.n_left == 0
        assert "no step length yet; V shows the gradient, N sets a length" in wash.errors
    assert wash.env.values.tolist() == START.tolist()


def test_techniques_keep_their_sizes(wash):
    by_hand(wash, "N .1", "T SD", "N 1e-3", "T MARQ", "M 1", "Q")
    first = step(START, 0.1)
    second = first - 1e-3 * gradient(first)
    assert total(second) < total(first)
    assert wash.env.values == near(step(second, 0.1))


def test_a_step_that_fails_is_not_kept(wash):
    said = by_hand(wash, "T SD", "N 3", "Q")
    assert "STEEPEST DESCENT DID NOT REDUCE RESIDUAL" in said
    assert wash.env.values.tolist() == START.tolist()


def test_a_step_that_cannot_be_integrated_says_why(wash):
    said = by_hand(wash, "T SD", "N 1e300", "N .01", "Q")
    assert "THE TRIAL COULD NOT BE INTEGRATED: " in said
    assert wash.env.values == near(START - 0.01 * gradient(START)), "it goes on from where it was"


# ---- looking


def test_view(wash):
    said = by_hand(wash, "N .1", "F c 0", "V", "Q")
    p = step(START, 0.1)
    table = said[said.index("gradient") : said.index("MARQUARDT, LAMBDA")]
    rows = [line.split()[1:] for line in table.split("\n") if line.split()[1:2] in (["k"], ["c"], ["a"])]
    assert [float(row[1]) for row in rows] == pytest.approx(p, rel=1e-5)
    assert [float(row[2]) for row in rows] == pytest.approx(gradient(p), rel=1e-3, abs=1e-6)
    assert [row[3:] for row in rows] == [[], ["frozen", "here"], []]
    assert "MARQUARDT, LAMBDA 0.1" in said
    assert number_after(said, "CURRENT SUM OF SQUARES") == pytest.approx(total(p), rel=1e-5)


def test_view_of_steepest_descent(wash):
    assert "STEEPEST DESCENT, STEP NOT SET" in by_hand(wash, "T SD", "V", "Q")
    assert "STEEPEST DESCENT, STEP 0.01" in by_hand(wash, "T SD", "N .01", "V", "Q")


def plotted(session, *lines):
    """The parameters at which the solution was that PLOT showed."""
    said = by_hand(session, *lines, "PLOT 1 2 0 x 0 x 0 Y", "Q")
    assert "TIME" in said
    return said


def test_plot_is_the_plot_of_the_manual(wash):
    plotted(wash, "N .1")
    assert "x" in wash.file("graphs")
    assert "PLOT" in wash.report.upper()


@pytest.mark.parametrize(("lines", "at"), [([], START), (["N .1"], step(START, 0.1)), (["T SD", "N 3"], None)])
def test_plot_shows_the_last_trial(wash, monkeypatch, lines, at):
    """Also after a step without success: "the state variables plotted are those at the last trial parameters"."""
    from parfit.commands.looking import plot

    seen = []
    monkeypatch.setitem(plot.SHOWN, "STATES", _spy(plot.SHOWN["STATES"], seen))
    by_hand(wash, *lines, "PLOT 1", "Q")
    at = START - 3 * gradient(START) if at is None else at
    assert seen[0].integration.trajectory.parameters == near(at)


def _spy(function, seen):
    def call(request):
        seen.append(request.env)
        return function(request)

    return call


def test_before_and_after(wash):
    said = by_hand(wash, "N .1", "P", "Q")
    assert "x trial" in said
    assert "x observed" in said
    assert "x trial" not in by_hand(wash, "P", "Q")


def test_help(wash):
    said = by_hand(wash, "HELP", "?", "help", "Q")
    for word in ("T SD", "M r", "N r", "V ", "F 1 3 0", "DF", "SET 1 2.5 0", "PLOT", "Q "):
        assert said.count(word) >= 3


# ---- parameters


def test_freezing(wash):
    said = by_hand(wash, "F 1 3 0", "N .1", "Q")
    assert "FROZEN HERE: " in said
    assert wash.env.values == near(step(START, 0.1, (1,)))
    assert wash.env.values[[0, 2]].tolist() == [1.0, 5.0]
    assert wash.env.parameters.frozen == frozenset(), "only for its duration"


def test_defreezing_some_and_all(wash):
    by_hand(wash, "F k a 0", "DF 3 0", "N .1", "DF 0", "N .1", "Q")
    first = step(START, 0.1, (1, 2))
    assert wash.env.values == near(step(first, 0.1))


def test_freeze_of_the_higher_level_is_left_alone(wash):
    """Neither F nor DF touches what the main FREEZE has frozen (Appendix A, FIT, command (f))."""
    wash("FREEZE c")
    by_hand(wash, "DF 0", "N .1", "F k 0", "DF c k 0", "N .1", "Q")
    first = step(START, 0.1, (0, 2))
    assert wash.env.values == near(step(first, 0.1, (0, 2)))
    assert wash.env.values[1] == 2.0
    assert wash.env.parameters.frozen == {1}


def test_one_parameter_must_stay_active(wash):
    assert "at least one parameter must stay active" in failing(wash, "F 1 2 3 0")
    wash("FREEZE a")
    assert "at least one parameter must stay active" in failing(wash, "F k c 0")


def test_set(wash):
    by_hand(wash, "N .1", "SET 1 .8 a 4.5 0", "N .1", "Q")
    first = step(START, 0.1)
    assert wash.env.values == near(step(np.array([0.8, first[1], 4.5]), 0.1))


def test_set_of_a_frozen_parameter(wash):
    wash("FREEZE c")
    by_hand(wash, "SET c 1.5 0", "N .1", "Q")
    assert wash.env.values == near(step(np.array([1.0, 1.5, 5.0]), 0.1, (0, 2)))


def test_scaled_parameters_stay_so(wash):
    wash("SCALE k LOG")

    def function(q):
        return wash_out(np.array([np.exp(q[0]), q[1], q[2]]))

    problem, q = LeastSquares(function), np.array([0.0, 2.0, 5.0])
    f, jac = problem.residuals(q), problem.jac(q)
    q = q - np.linalg.solve(jac.T @ jac + 0.1 * np.eye(3), jac.T @ f)
    by_hand(wash, "N .1", "Q")
    assert wash.env.values == near([np.exp(q[0]), q[1], q[2]])


def test_a_start_that_cannot_be_integrated_can_be_set(wash):
    wash("SET k -1e4")
    said = by_hand(wash, "SET k 1 0", "N .1", "Q")
    assert "the equations cannot be integrated here" in wash.errors
    assert "MARQUARDT STEP SUCCESSFUL" in said
    assert wash.env.values == near(step(START, 0.1))


def test_no_step_from_where_nothing_can_be_integrated(wash):
    wash("SET k -1e4")
    typist = wash.typed("FIT INTERACTIVE", "N .1", "", "V", "P", "SET k 1 0", "Q")
    assert typist.n_left == 0
    assert wash.errors.count("cannot be integrated at the point reached; SET other values") == 2
    assert wash.env.values.tolist() == START.tolist()


# ---- going on and back


def test_accept_what_is_no_better(wash):
    by_hand(wash, "T SD", "N .3", "A", "Q")
    assert total(START - 0.3 * gradient(START)) > total(START)
    assert wash.env.values == near(START - 0.3 * gradient(START))


def test_reject_what_is_better(wash):
    by_hand(wash, "N .1", "A N", "Q")
    by_hand(wash, "N .1", "A no", "Q")
    assert wash.env.values.tolist() == START.tolist()


def test_back(wash):
    by_hand(wash, "N .1", "", "B", "Q")
    assert wash.env.values == near(step(START, 0.1))
    wash("UNDO")
    assert "no accepted step to go back from" in failing(wash, "B")
    assert "no trial to accept" in failing(wash, "A")
    by_hand(wash, "N .1", "B", "Q")
    assert wash.env.values.tolist() == START.tolist()


def test_abandon_forgets_all(wash):
    message = failing(wash, "N .1", "", "ABANDON")
    assert "abandoned; nothing was changed" in message


def test_undo_takes_all_steps_back_at_once(wash):
    by_hand(wash, "N .1", "", "SET a 3 0", "Q")
    wash("UNDO")
    assert wash.env.values.tolist() == START.tolist()


def test_the_end_of_the_input_keeps_what_was_reached(wash):
    by_hand(wash, "N .1", "")
    assert wash.env.values == near(step(step(START, 0.1), 0.1))
    assert wash.entries[-1] == "Q"


def test_ctrl_c_at_the_prompt_keeps_what_was_reached(wash):
    wash.typed("FIT INTERACTIVE", "N .1", Abandoned("by the terminal"))
    assert wash.env.values == near(step(START, 0.1))
    assert wash.entries[-3:] == ["FIT INTERACTIVE", "N 0.1", "Q"]


def test_ctrl_c_during_a_step_ends_the_step_only(wash, monkeypatch):
    evaluate, calls = TrajectoryFit._evaluated, []

    def interrupted(self, active):
        calls.append(active)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return evaluate(self, active)

    monkeypatch.setattr(TrajectoryFit, "_evaluated", interrupted)
    typist = wash.typed("FIT INTERACTIVE", "N .1", "", "", "Q")
    assert typist.n_left == 0
    assert "interrupted; the step was not made" in wash.errors
    assert wash.env.values == near(step(step(START, 0.1), 0.1))
    assert wash.entries[-4:] == ["FIT INTERACTIVE", "N 0.1", "M 1", "Q"]


# ---- what is wrong


WRONG = [
    ("X", "COMMAND IN ERROR, RESPECIFY: 'X'"),
    ("INTEG N", "COMMAND IN ERROR"),
    ("T NEWTON", "'NEWTON' is not on the menu"),
    ("M zero", "'zero' is not a number"),
    ("M 0", "is not greater than 0"),
    ("M -2", "is not greater than 0"),
    ("N -1", "is negative"),
    ("N 1 2", "more than the command can use"),
    ("F 4 0", "'4' is no parameter"),
    ("DF q 0", "'q' is no parameter"),
    ("SET 1 x 0", "'x' is not a number"),
    ("V 1", "more than the command can use"),
    ("A perhaps", "'perhaps' is not an answer here"),
    ("B", "no accepted step"),
    ("A", "no trial to accept"),
]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_a_wrong_command_is_told_and_asked_for_again_at_a_terminal(wash, line, message):
    needs_trial = ["N .1"] if line.startswith("A ") else []
    typist = wash.typed("FIT INTERACTIVE", *needs_trial, line, "N .1", "Q")
    assert typist.n_left == 0
    assert message in wash.errors
    assert typist.prompts == [PROMPT] * (3 + len(needs_trial))
    assert wash.entries[-1] == "Q"
    assert line not in wash.entries, "it is not written down"
    assert wash.env.values != pytest.approx(START), "it went on"


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_a_wrong_command_fails_a_script(wash, line, message):
    if line.startswith("A "):
        assert message in wash.obey(Script(["FIT INTERACTIVE", "N .1", line]))[2]
    else:
        assert message in failing(wash, line)


# ---- what is written down


def test_the_echo_of_the_optimization_has_a_file_of_its_own(wash):
    """Appendix A, section 3: -AECHO, and -ECHO "never contains any of the information that is sent to -AECHO"."""
    wash("ECHO 1")
    by_hand(wash, "N .1", "V", "P", "Q")
    wash("INTEG N")
    own, usual = wash.file("fit-echo"), wash.file("echo")
    for words in ("MARQUARDT STEP SUCCESSFUL", "CURRENT SUM OF SQUARES", "x observed"):
        assert words in own
        assert words not in usual
    assert "GEAR'S METHOD" in usual
    assert "GEAR'S METHOD" not in own


def test_the_echo_is_kept_whether_echo_is_on_or_not(wash):
    by_hand(wash, "N .1", "Q")
    assert "MARQUARDT STEP SUCCESSFUL" in wash.file("fit-echo")
    wash("INTEG N")
    assert wash.file("echo") == ""


def test_the_report_has_beginning_and_end(wash):
    by_hand(wash, "N .1", "Q")
    assert "INTERACTIVE OPTIMIZATION ATTEMPT" in wash.report
    assert number_after(wash.report, "SUM OF SQUARES") == pytest.approx(total(step(START, 0.1)), rel=1e-5)


class Watched(Typist):
    """Somebody whose run is looked at before every answer."""

    def __init__(self, answers, look):
        super().__init__(answers)
        self._look = look

    def read(self, prompt, text=""):
        self._look(len(self.asked))
        return super().read(prompt, text)


SAID = {  # what is typed, and how it is written down
    "T MARQ": "T MARQ",
    "N .1": "N 0.1",
    "": "M 1",
    "V": "V",
    "M .1": "M 0.1",
    "F 1 3 0": "F p1 p3",
    "M 10": "M 10",
    "DF 0": "DF 0",
    "SET 2 .09 0": "SET p2 0.09",
    "T SD": "T SD",
    "N 1e-5": "N 1e-05",
    "A": "A",
    "B": "B",
    "HELP": "HELP",
}
LINES, NOTED = list(SAID), list(SAID.values())
PATHS = [str(MODELS / "predator-prey.ode"), str(MODELS / "predator-prey.csv")]


def console():
    return Console(io.StringIO(), io.StringIO())


@pytest.fixture
def recorded(tmp_path):
    """A run by hand with copies of its folder as they were before each answer, and the values after the whole."""
    folder = tmp_path / "run"
    interpreter = open_run(PATHS, folder, console(), debug=True)
    answers = ["SET 1 1.1", "FIT INTERACTIVE", *LINES, "Q"]
    copies = []

    def look(n):
        copies.append(tmp_path / f"copy-{n}")
        shutil.copytree(folder, copies[-1])

    interpreter.converse(Watched(answers, look))
    interpreter.run.close()
    return interpreter, folder, copies


def commands_of(folder):
    lines = (folder / "journal.pft").read_text(encoding="utf-8").split("\n")
    return [line for line in lines if line and not line.startswith("#")]


def test_every_step_is_in_the_journal_at_once(recorded):
    _, folder, copies = recorded
    whole = ["SET p1 1.1", "FIT INTERACTIVE", *NOTED, "Q"]
    for k, copy in enumerate(copies):
        assert commands_of(copy) == whole[:k]
    assert commands_of(folder) == whole


def test_a_journal_gives_the_same_parameters_to_the_last_bit(recorded):
    interpreter, folder, _ = recorded
    again = resumed(folder)
    assert again.values.tobytes() == interpreter.env.values.tobytes()
    assert_same(again, interpreter.env)


@pytest.mark.parametrize("n", [2, 3, 4, 6, 8, 10, 11, 14])
def test_a_run_that_died_in_the_middle_goes_on_from_the_last_step(recorded, tmp_path, n):
    """As if Q had been given there; and what follows is followed again."""
    _, _, copies = recorded
    expected = open_run(PATHS, tmp_path / "expected", console(), debug=True)
    assert expected.converse(Script(["SET 1 1.1", "FIT INTERACTIVE", *LINES[: n - 2], "Q"])) == DONE
    interpreter = resume_run(copies[n], console(), debug=True)
    assert interpreter.env.values.tobytes() == expected.env.values.tobytes()
    for each in (interpreter, expected):
        assert each.converse(Script(["INTEG Y", "SET 6 .16", "MARK here", "UNDO 2"])) == DONE
        each.run.close()
    assert commands_of(copies[n]).count("Q") == 1
    warnings = io.StringIO()
    again = resumed(copies[n], warnings)
    assert warnings.getvalue() == ""
    assert_same(again, expected.env)


def test_what_was_abandoned_is_played_again_to_no_effect(tmp_path):
    folder = tmp_path / "run"
    interpreter = open_run(PATHS, folder, console(), debug=True)
    interpreter.converse(Typist(["SET 1 1.1", "FIT INTERACTIVE", "N .1", "M .1", "ABANDON", "SET 2 .11", "INTEG N"]))
    interpreter.run.close()
    assert commands_of(folder)[-4:] == ["M 0.1", "ABANDON", "SET p2 0.11", "INTEG N"]
    again = resumed(folder)
    assert again.values.tolist() == [1.1, 0.11, 3.0, 1.0, 0.1, 0.15]
    assert_same(again, interpreter.env)


def test_a_step_that_failed_within_a_script_leaves_a_journal_that_can_be_played(tmp_path):
    folder = tmp_path / "run"
    interpreter = open_run(PATHS, folder, console(), debug=True, keep_going=True)
    interpreter.converse(Script(["FIT INTERACTIVE", "nonsense", "SET 1 1.2"]))
    interpreter.run.close()
    assert resumed(folder).values.tobytes() == interpreter.env.values.tobytes()
    assert interpreter.env.values.tolist() == [1.2, 0.1, 3.0, 1.0, 0.1, 0.15]


def test_a_script_that_fails_within_keeps_the_steps_before_and_says_where(wash):
    """The command that failed has changed nothing, and those before it have been done."""
    code, _, told = wash.obey(Script(["FIT INTERACTIVE", "N .1", "M 1", "nonsense", "Q", "SET 1 9"], SCRIPT))
    assert code == FAILED
    assert f"{SCRIPT}:4: COMMAND IN ERROR, RESPECIFY: 'NONSENSE'" in told
    assert "is kept" in told
    assert wash.env.values == near(step(step(START, 0.1), 0.1))
    assert wash.entries[1:] == ["FIT INTERACTIVE", "N 0.1", "M 1", "Q"]


def test_the_view_has_singular_values_and_says_that_the_gradient_is_half_of_it(wash):
    said = by_hand(wash, "V", "F 2 0", "V", "Q")
    jac = LeastSquares(wash_out).jac(START)
    shown = [line.split()[2:] for line in said.split("\n") if line.startswith("SINGULAR VALUES")]
    for numbers, columns in zip(shown, ([0, 1, 2], [0, 2]), strict=True):
        values = np.sqrt(np.linalg.eigvalsh(jac[:, columns].T @ jac[:, columns])[::-1])
        assert [float(each) for each in numbers] == pytest.approx(values, rel=1e-5)
    assert "half gradient" in said


def test_commands_of_a_script_are_shown_and_in_the_echo(wash):
    said = by_hand(wash, "N .1", "V", "Q")
    for text in (said, wash.file("fit-echo")):
        assert [line for line in text.split("\n") if line.startswith(PROMPT.strip())] == [
            f"{PROMPT}{line}" for line in ("N .1", "V", "Q")
        ]


def test_end_of_input_at_a_terminal_is_q(wash):
    wash.typed("FIT INTERACTIVE", "N .1", EndOfInput())
    assert wash.env.values == near(step(START, 0.1))


def test_whole_words_do_what_their_letters_do(begin):
    letters, words = begin(), begin()
    letters("SET p1 1.01", "FIT 2", "V", "N 1", "M .1", "", "B", "Q")
    words("SET p1 1.01", "FIT 2", "view", "lambda 1", "mult .1", "step", "undo", "quit")
    assert words.entries == letters.entries
    assert words.env.values.tolist() == letters.env.values.tolist()


def test_the_steps_so_far_and_what_to_do_after_a_bad_one(begin):
    session = begin()
    said = session("SET p1 1.01", "FIT 2", "N 1", "T SD", "N 1e6", "TABLE", "Q")
    assert "make the step shorter: M .1" in said
    rows = [
        line.split() for line in said.split("\n") if line.strip()[:2] in ("1 ", "2 ") and "better" in line + "worse"
    ]
    assert any(row[1] == "marquardt" and row[-1] == "better" for row in rows)
