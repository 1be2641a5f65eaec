"""AUTO in conversation: ordinary commands in the journal, exit codes, and words."""

import numpy as np
import pytest
from coldstarts import begun
from conversation import Session

from parfit.data.observations import make_observations
from parfit.errors import DONE, NO_MINIMUM
from parfit.model.model import Model


def session_of(name, folder, wrong=30.0):
    _, env = begun(name, 1, wrong)
    session = Session(env.model, env.observations, folder)
    session(f"SET {' '.join(f'{each} {value}' for each, value in zip(env.model.parameters, env.values, strict=True))}")
    return session


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    session = session_of("fitzhugh, starts", tmp_path_factory.mktemp("auto") / "run")
    yield session, session("AUTO 20 s")
    session.run.close()


def test_the_journal_has_the_commands_of_the_way_and_no_auto(found):
    session, _ = found
    words = [line.split()[0] for line in session.entries]
    assert words[-1] == "FIT"
    assert set(words) <= {"SET", "SCALE", "FIT", "SMOOTH", "IFIT"}


def test_the_commands_alone_give_the_same_numbers(found):
    session, _ = found
    other = Session(session.env.model, session.env.observations)
    other(*session.entries)
    assert np.array_equal(other.env.values, session.env.values)
    assert other.env.sum_of_squares == session.env.sum_of_squares


def test_undo_walks_back_command_by_command(found):
    session, _ = found
    other = Session(session.env.model, session.env.observations)
    other(*session.entries)
    n = len(session.entries)
    before = other.interpreter.timeline.past[0].values
    other(f"UNDO {n}")
    assert np.array_equal(other.env.values, before)


def test_it_says_what_it_did_and_how_far_to_believe_it(found):
    session, said = found
    assert "sum of squares  searches  first from" in said
    assert "searches to the end" in said
    assert said.rstrip().endswith("errors of measurement.") or "leave about as much" in said
    assert "CONVERGED" in said
    assert "searches to the end" in session.report


def test_states_without_initial_values_get_parameters_for_them(tmp_path):
    times = np.linspace(0.0, 5.0, 20)
    data = make_observations(times, ["x"], (3.0 * np.exp(-0.7 * times))[:, np.newaxis])
    session = Session(Model.from_text("par k\nx'=-k*x\n"), data, tmp_path / "run")
    session("AUTO")
    session.run.close()
    assert session.entries[0] == "INIT x FREE"
    assert session.env.values == pytest.approx([0.7, 3.0], rel=1e-4)


def test_what_it_does_not_believe_ends_with_its_own_exit_code():
    """In so short a time nothing is found that could be believed."""
    session = session_of("vanderpol", None, 300.0)
    session("AUTO .01")
    assert "THIS MAY NOT BE THE ANSWER" in session.errors
    assert session.interpreter.verdict(DONE) == NO_MINIMUM


def test_a_model_that_cannot_follow_the_data_is_told_so():
    times = np.linspace(0.2, 10.0, 30)
    data = make_observations(times, ["x"], (np.exp(-times) + 0.05 * np.sin(3.0 * times))[:, np.newaxis])
    session = Session(Model.from_text("par k=30\nx'=-k*x\nx(0)=1\n@ t0=0\n"), data)
    assert "nothing better was found, though the model does not follow the data" in session("AUTO 20")


@pytest.mark.parametrize("line", ["AUTO soon", "AUTO 0", "AUTO -3 s", "AUTO 5 parsecs", "AUTO 1e9", "AUTO nan s"])
def test_a_time_that_is_none_is_refused(line):
    _, env = begun("chain", 1, 30.0)
    session = Session(env.model, env.observations)
    assert "is no time" in session.refused(line)


def test_without_data_it_says_what_is_missing():
    session = Session(Model.from_text("par k=1\nx'=-k*x\nx(0)=1\n"))
    assert "observ" in session.refused("AUTO")
