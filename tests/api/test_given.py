"""Problems as values: every `with_*` makes another one, and leaves the first as it was."""

import json
import pickle

import numpy as np
import pytest

import parfit
from parfit.errors import DataError, ModelError, ParfitError, StateError

DATA = {"t": [0, 1, 2, 3, 4], "A": [2.0, 1.2, 0.75, 0.4, 0.3], "B": [0.1, 0.7, None, 1.6, 1.8]}
MODEL = parfit.Model.from_text("par k=.5, m=1\nA'=-k*A\nB'=k*m*A\nA(0)=2\n", "decay")


@pytest.fixture
def problem():
    return parfit.load(MODEL, DATA)


@pytest.mark.parametrize(
    ("change", "part", "expected"),
    [
        (lambda p: p.with_values([3, 4]), "values", {"k": 3.0, "m": 4.0}),
        (lambda p: p.with_values({"K": 3}), "values", {"k": 3.0, "m": 1.0}),
        (lambda p: p.with_values(m=3), "values", {"k": 0.5, "m": 3.0}),
        (lambda p: p.with_values([3, 4], m=7), "values", {"k": 3.0, "m": 7.0}),
        (lambda p: p.with_frozen("M"), "active", ("k",)),
        (lambda p: p.with_frozen("m").with_free(), "active", ("k", "m")),
        (lambda p: p.with_frozen("k").with_free("k").with_frozen("m"), "frozen", ("m",)),
        (lambda p: p.with_bounds(k=(0, None)), "bounds", {"k": (0.0, np.inf)}),
        (lambda p: p.with_bounds({"k": (0, 1)}).with_bounds(m=(None, 9)), "bounds", {"k": (0, 1), "m": (-np.inf, 9)}),
        (lambda p: p.with_bounds(k=(0, 1)).with_bounds(k=(None, None)), "bounds", {}),
        (lambda p: p.with_scaling(k="log").with_scaling({"m": "sqrt"}), "scaling", {"k": "log", "m": "sqrt"}),
        (lambda p: p.with_scaling(k="log").with_scaling(k="none"), "scaling", {}),
        (lambda p: p.with_method(parfit.Method("trapezoid")), "method", parfit.Method("trapezoid")),
        (lambda p: p.with_method(eps=1e-8), "method", parfit.Method(eps=1e-8)),
    ],
)
def test_a_change_makes_another_problem(problem, change, part, expected):
    before = getattr(problem, part)
    assert getattr(change(problem), part) == expected
    assert getattr(problem, part) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p.with_values(kk=1), "no parameter 'kk'; did you mean k"),
        (lambda p: p.with_values(k=np.nan), "finite"),
        (lambda p: p.with_values([1]), "2 numbers"),
        (lambda p: p.with_frozen("k", "m"), "at least one parameter must stay active"),
        (lambda p: p.with_bounds(k=3), "a lower and an upper"),
        (lambda p: p.with_bounds(k=(3, 1)), "above its upper"),
        (lambda p: p.with_scaling(k="cube"), "the scaling of k must be .*, not 'cube'"),
        (lambda p: p.with_values(k=-1).with_scaling(k="log"), "no logarithm"),
        (lambda p: p.with_method(speed=3), "speed is no setting of a method of integration"),
        (lambda p: p.with_method(eps=-1), "EPS"),
        (lambda p: p.with_times([-1]), "from the initial time"),
        (lambda p: p.with_data({"t": [1], "C": [1]}), "'C' is not a state"),
        (lambda p: p.with_data(3), "data are the path"),
        (lambda p: p.with_model(3), "a model is the path"),
        (lambda p: p.with_weights({"C": 1}), "no observed variable 'C'"),
    ],
)
def test_what_cannot_be_is_refused(problem, change, message):
    with pytest.raises(ParfitError, match=message):
        change(problem)


def test_errors_of_files_are_of_their_kind(tmp_path):
    with pytest.raises(ModelError, match=r"nothing\.ode"):
        parfit.load(tmp_path / "nothing.ode")
    with pytest.raises(DataError, match=r"nothing\.csv"):
        parfit.load(MODEL, tmp_path / "nothing.csv")


def test_what_is_missing_is_told_without_a_command():
    with pytest.raises(StateError) as refusal:
        parfit.load(MODEL).with_weights([[1]])
    assert str(refusal.value) == "there are no observations"


def test_data_as_a_file_and_as_columns_are_the_same(tmp_path):
    rows = zip(*DATA.values(), strict=True)
    text = "t,A,B\n" + "".join(f"{','.join('' if v is None else str(v) for v in row)}\n" for row in rows)
    (tmp_path / "d.csv").write_text(text)
    one, other = parfit.load(MODEL, tmp_path / "d.csv"), parfit.load(MODEL, DATA)
    np.testing.assert_array_equal(one.data.values, other.data.values)
    np.testing.assert_array_equal(one.times, other.times)


def test_a_deck_of_cards_brings_the_settings_of_its_time_along(tmp_path):
    from parfit.data.cards import cards_text

    problem = parfit.load(MODEL, {name: DATA[name] for name in ("t", "A")})
    (tmp_path / "decay.dat").write_text(cards_text(problem.model, problem.data, np.array([0.25, 2.0])))
    deck = parfit.load(MODEL, tmp_path / "decay.dat")
    assert deck.method.procedure == "trapezoid"
    assert deck.values == {"k": 0.25, "m": 2.0}


def test_times_in_between_are_added_and_taken_back(problem):
    assert problem.with_times([0.5, 1]).times.tolist() == [0, 0.5, 1, 2, 3, 4]
    assert problem.with_times([0.5]).with_times().times.tolist() == [0, 1, 2, 3, 4]


def test_weights_by_name_and_as_an_array(problem):
    assert problem.with_weights({"B": 3}).data.weights.tolist() == [[1, 3], [1, 3], [1, 0], [1, 3], [1, 3]]
    assert problem.with_weights(2.0).data.weights.max() == 2.0


def test_another_model_keeps_what_it_shares(problem):
    wider = parfit.Model.from_text("par k=1, q=7\nA'=-k*A-q\nA(0)=2\n", "wider")
    other = problem.with_bounds(k=(0, 1)).with_model(wider)
    assert other.values == {"k": 1.0, "q": 7.0}
    assert other.bounds == {"k": (0.0, 1.0)}
    assert other.data.names == ("A",)


def test_a_problem_shows_itself(problem):
    bounded = problem.with_frozen("m").with_bounds(k=(0, None)).with_scaling(k="log")
    assert "decay" in repr(problem)
    assert "0.5" in repr(problem)
    html = bounded._repr_html_()
    for word in ("decay", "frozen", "logarithm", "0 to"):
        assert word in html


def test_html_is_escaped():
    model = parfit.Model.from_text("par k=1\nx'=-k*x\n", "<b>")
    assert "<b>" not in parfit.load(model)._repr_html_()


def test_the_solution_of_a_problem(problem):
    """A = 2 exp(-k t); B = 2 m (1 - exp(-k t))."""
    t = np.array([0.3, 1.0, 4.0])
    run = problem.with_method(eps=1e-10).simulate(t, k=1.5, m=2, sensitivities=True)
    np.testing.assert_allclose(run.column("A"), 2 * np.exp(-1.5 * t), rtol=1e-8)
    np.testing.assert_allclose(run.column("B"), 4 * (1 - np.exp(-1.5 * t)), rtol=1e-8)
    np.testing.assert_allclose(run.sensitivity("A")[:, 0], -2 * t * np.exp(-1.5 * t), rtol=1e-6)
    assert problem.simulate().times.tolist() == [0, 1, 2, 3, 4]
    assert problem.simulate([1], [1, 1]).column("A")[0] == problem.with_values([1, 1]).simulate([1]).column("A")[0]


def test_remarks_say_what_was_surprising():
    """A state that begins at 0 though it was observed elsewhere."""
    model = parfit.Model.from_text("par k=1\nx'=-k*x\n")
    assert any("x" in remark for remark in parfit.load(model, {"t": [0, 1, 2], "x": [5, 2, 1]}).remarks)


def test_a_solution_has_columns_by_name():
    model = parfit.Model.from_text("par k=1\nx'=-k*x\nx(0)=1\naux twice=2*x\n")
    columns = parfit.load(model).simulate([0, 1]).columns()
    assert list(columns) == ["t", "x", "twice"]
    assert columns["twice"].tolist() == (2 * columns["x"]).tolist()


@pytest.mark.parametrize(
    ("part", "remedy"),
    [("values", "with_values"), ("bounds", "with_bounds"), ("scaling", "with_scaling"), ("curves", "smooth")],
)
def test_what_is_told_by_name_cannot_be_set(problem, part, remedy):
    found = getattr(problem, part)
    with pytest.raises(ParfitError, match=remedy):
        found["k"] = 3
    with pytest.raises(ParfitError, match=remedy):
        found.update(k=3)
    assert "k" not in found or found["k"] == 0.5


def test_a_copy_of_what_is_told_by_name_can_be_changed(problem):
    for copied in (dict(problem.values), problem.values.copy(), pickle.loads(pickle.dumps(problem.values))):
        copied["k"] = 7
        assert copied == {"k": 7, "m": 1.0}
    assert json.loads(json.dumps(problem.values)) == {"k": 0.5, "m": 1.0}


def test_a_prior_is_a_text_or_its_parts(problem):
    expected = str(problem.with_prior(k="normal .5 .1").noise.priors["k"])
    assert str(problem.with_prior(k=("normal", 0.5, 0.1)).noise.priors["k"]) == expected
    assert not problem.with_prior(k=("normal", 0.5, 0.1)).with_prior(k=None).noise.priors
    with pytest.raises(ParfitError, match=r"the prior of k is a text such as 'normal 2 0.5', not 1"):
        problem.with_prior(k=1)


@pytest.mark.parametrize("text", ["x' = -k*x", "par k=1\nx'=-k*x\ndone\n"])
def test_the_text_of_a_model_is_no_path(text):
    with pytest.raises(ModelError, match=r"parfit.Model.from_text\(text\)"):
        parfit.load(text)


def test_a_fit_shows_itself_in_a_sentence(problem):
    head = repr(problem.fit()).splitlines()[0]
    assert head.startswith("fit, sum of squares ")
    assert head.endswith(": The sum of squares has a minimum here.")
