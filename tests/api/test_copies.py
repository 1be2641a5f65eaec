"""Everything that Python is given can be copied, and sent to another process: the same to the last bit."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.networks import Network
from fingerprints import fingerprint
from parfit.kernel.gear import Gear

import parfit

METHOD = (np.array([0.0, 1.0, 2.0]), None, 1, np.array([2.0]), np.zeros(90), "bdf", 1e-6, 0.0, np.inf, 10_000)
FILES = [str(Path(__file__).parents[2] / "models" / name) for name in ("tour.ode", "tour.csv")]


def pickled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.fixture(scope="module")
def problem():
    return parfit.load(*FILES).smooth().ifit().problem


@pytest.fixture(scope="module")
def values(problem):
    """One of each kind, by what they are."""
    half_seen = problem.with_data({"t": problem.data.times, "y1": problem.data.values[:, 0]})
    with parfit.Session(*FILES) as session:
        session("SMOOTH SPLINE AUTO", "IFIT REGULAR", "MARK here", "FIT MORE 1e-8 3")
        of_session = session.fit
    return {
        "model": problem.model,
        "data": problem.data,
        "trajectory": problem.simulate(sensitivities=True),
        "simulator": problem.environment.simulator(),
        "fit": problem.fit(max_evaluations=3),
        "shooting": problem.shoot([5.0], max_iterations=2),
        "continuation": problem.contin([0.5, 1.0]),
        "rounds": half_seen.smooth().guess("y2", [0, 6, 12.5], [5, 12, 17]).ifit(n_rounds=1),
        "sequential": problem.seq(10, 15),
        "scan": problem.scan("p1", 0.4, 0.6, 2),
        "stats": problem.stats(),
        "band": problem.band(),
        "probed": problem.probe(),
        "equilibria": problem.equilibria(0.0),
        "of_session": of_session,
    }


def seen(value):
    """What can be seen of it: all fields of the values it consists of, and what it shows."""
    inside = getattr(value, "environment", None)
    return repr(value) if inside is None else (repr(value), fingerprint(inside))


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy, copy.copy])
def test_copies_are_the_same(problem, values, copied):
    assert seen(copied(problem)) == seen(problem)
    for kind, value in values.items():
        if kind != "simulator":
            assert seen(copied(value)) == seen(value), kind
    for kind in ("data", "trajectory", "band"):
        assert fingerprint(copied(values[kind])) == fingerprint(values[kind])


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
def test_a_copy_computes_the_same(problem, values, copied):
    p = problem.environment.values
    expected = values["simulator"](p, True)
    again = copied(values["simulator"])(p, True)
    assert again.y.tobytes() == expected.y.tobytes()
    assert again.s.tobytes() == expected.s.tobytes()
    stored = copied(expected)
    stored.put_away()
    assert stored.y.tobytes() == expected.y.tobytes()
    assert copied(values["shooting"]).environment.simulator()(p).y.tobytes() == problem.simulate(None, p).y.tobytes()


def test_the_kernels_parts_are_copied_with_their_structure():
    """A sparse system that was copied as a dense one would compute other last digits."""
    network = Network(90, n_parameters=3, seed=5)
    system = parfit.Simulator(network.model, [1.0, 2.0]).compiled.system
    again = pickled(system)
    assert again.solver == system.solver == "sparse"
    found, expected = (Gear(each, *METHOD)(network.model.values, True) for each in (again, system))
    assert found[0].tobytes() == expected[0].tobytes()
    assert found[1].tobytes() == expected[1].tobytes()


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
def test_nobody_can_change_the_arrays_of_a_copy(problem, copied):
    other = copied(problem.with_bounds(p1=(0, 9)))
    env = other.environment
    arrays = [env.values, env.first_values, env.samples.times, env.parameters.lower, other.model.values]
    arrays += [other.data.times, other.data.values, other.data.weights, other.curves["y1"].coefs]
    arrays += [*env.smoothing.joints.values()]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_another_process_finds_the_same(problem):
    program = "import pickle, sys; pickle.dump(pickle.load(sys.stdin.buffer).fit(), sys.stdout.buffer)"
    given = pickle.dumps(problem)
    done = subprocess.run([sys.executable, "-c", program], input=given, capture_output=True, check=True)
    found, expected = pickle.loads(done.stdout), problem.fit()
    assert found.values == expected.values
    assert found.to_json() == expected.to_json()
    np.testing.assert_array_equal(found.problem.simulate().y, expected.problem.simulate().y)


def test_errors_keep_what_they_say():
    error = parfit.ModelError("what is wrong", "a.ode", 3, "what to do")
    for again in (pickled(error), copy.deepcopy(error)):
        assert (str(again), again.told, again.path, again.line) == (str(error), error.told, "a.ode", 3)


def test_a_conversation_says_that_it_cannot_be_copied():
    with parfit.Session(FILES[0]) as session:
        for copied in (pickled, copy.deepcopy):
            with pytest.raises(TypeError, match="a conversation cannot be copied; its problem and its fit can"):
                copied(session)
