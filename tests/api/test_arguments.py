"""Whatever an argument is given, there is a result or a sentence that names it: never an exception of Python's own."""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import parfit
from parfit.api.work import SETTINGS
from parfit.errors import ParfitError
from parfit.estimation.optimizers import bounded, marquardt
from parfit.session.records import Continuation

TEXT = "par k=1, a=2\nx'=-k*x\ny'=k*x-y\nx(0)=a\ny(0)=0\n"
T = np.linspace(0.5, 4, 8)
MODEL = parfit.Model.from_text(TEXT, "decay")
X = 2.1 * np.exp(-0.9 * T) + 0.01 * np.cos(9 * T)
NAN, INF = float("nan"), float("inf")
JUNK = [None, True, -1, 0, 1, 3, 1.5, NAN, INF, -INF, 1j, 10**400, "", "a", "k", "x", "é\x00", b"x", "z" * 300]
JUNK += [[], [1], [2.0, 3.0], ["a"], [None], [[1], [2, 3]], (), (1, 2), {}, {"k": "x"}, {"zz": 1}, {1: 2}, {"x": [1]}]
JUNK += [object(), print, len, np.zeros((2, 2)), np.array(["a"]), np.float64(2), np.int64(2), MODEL, parfit.Method]
junk = st.one_of(st.sampled_from(JUNK), st.floats(), st.lists(st.floats(), max_size=3), st.text(max_size=3))


def decay(t, y, p):
    return [-p["k"] * y["x"]]


def made():
    """What is called, by name: the function, what it takes to work, and more arguments that it takes by name."""
    seen = parfit.load(MODEL, {"t": T, "x": X}).smooth().guess("y", [0, 2, 4], [0, 0.5, 0.1])
    fit = seen.fit(max_evaluations=2)
    run = fit.problem.simulate(sensitivities=True)
    usual = {
        "guess": {"name": "y", "times": [0, 2, 4], "values": [0, 0.5, 0.1]},
        "scan": {"name": "k", "first": 0.5, "last": 1.5, "n": 2},
        "with_data": {"data": {"t": T, "x": X}},
        "with_model": {"model": MODEL},
        "between": {"low": 1.0, "high": 2.0},
        "with_weights": {"weights": 2},
        "with_experiment": {"data": {"t": T, "x": X}, "name": "more"},
        "predict": {"times": [1, 2]},
    }
    more = {
        "fit": {**SETTINGS[bounded.Settings], "nonsense": None},
        "contin": SETTINGS[Continuation],
        **dict.fromkeys(("shoot", "seq", "ifit", "dfit"), SETTINGS[marquardt.Settings]),
        **dict.fromkeys(("simulate", "with_values", "with_bounds", "with_scaling"), ("k", "nonsense")),
        "with_method": ["eps", "formula", "procedure", "h_min", "h_max", "max_steps", "nonsense"],
        "plot": ["what", "percentile", "title"],
    }
    found = {}
    for kind, value in {"Problem": seen, "Fit": fit, "Trajectory": run, "Stats": fit.problem.stats()}.items():
        for name, method in inspect.getmembers(value, inspect.ismethod):
            if not name.startswith("_"):
                found[f"{kind}.{name}"] = method, usual.get(name, {}), list(more.get(name, ()))
    found["load"] = parfit.load, {"model": MODEL}, []
    found["load_model"] = parfit.load_model, {"path": "none.ode"}, []
    found["load_data"] = parfit.load_data, {"path": "none.csv", "model": MODEL}, []
    found["simulate"] = parfit.simulate, {"model": MODEL, "times": [1, 2]}, []
    found["Simulator"] = parfit.Simulator, {"model": MODEL, "times": [1, 2]}, []
    found["Simulator()"] = parfit.Simulator(MODEL, [1, 2]), {}, []
    found["Method"] = parfit.Method, {}, []
    found["Curve"] = parfit.Curve, {"breaks": [0, 1], "coefs": np.zeros((4, 1))}, []
    found["Curve()"] = seen.curves["x"], {"t": 1.0}, []
    found["from_text"] = parfit.Model.from_text, {"text": TEXT}, []
    found["trace"] = parfit.Model.trace, {"function": decay, "states": ["x"], "parameters": ["k"]}, []
    found["Session"] = parfit.Session, {"model": MODEL}, []
    found["Session()"] = parfit.Session(MODEL), {}, []
    return found


CALLS = made()
NOT_GIVEN = {"read", "y_start", "s_start"}  # of the inside
CALLED = {"progress", "function"}  # what a function of the caller's own raises is for the caller
SLOW = {("Problem.scan", "n")}  # 10,000 are allowed; it has a test of its own


def arguments(call):
    """The arguments of a call: names, or * for one of any number."""
    kinds = inspect.Parameter
    work, _, more = CALLS[call]
    for name, parameter in inspect.signature(work).parameters.items():
        if parameter.kind is kinds.VAR_POSITIONAL:
            yield "*"
        elif parameter.kind is not kinds.VAR_KEYWORD and name not in NOT_GIVEN:
            yield name
    yield from more


def called(call, argument, value):
    work, usual, _ = CALLS[call]
    if argument == "*":
        before = ("fit.svg",) if call.endswith("plot") else ()
        return work(*before, value)
    places = [p for p in inspect.signature(work).parameters.values() if p.kind is p.POSITIONAL_ONLY]
    if argument in [p.name for p in places]:
        k = [p.name for p in places].index(argument)
        return work(*[None] * k, value)
    return work(**{**usual, argument: value})


@pytest.mark.parametrize(
    ("call", "argument"), [(call, each) for call in CALLS for each in arguments(call) if (call, each) not in SLOW]
)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=junk)
def test_no_argument_leads_to_an_exception_of_pythons_own(call, argument, value, tmp_path, monkeypatch):
    assume(not (argument in CALLED and callable(value)))
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            called(call, argument, value)
        except ParfitError as error:
            text = str(error)
            assert len(text) < 700
            assert "enter" not in text.lower().split(), text
            assert "Traceback" not in text


def test_all_arguments_are_tried():
    tried = {(call, each) for call in CALLS for each in arguments(call)}
    assert {("Problem.fit", "tol"), ("Problem.scan", "fitted"), ("Fit.to_json", "indent"), ("Session()", "*")} <= tried
    assert len(tried) > 100


@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        (lambda p: p.fit(loss="hubber"), r"loss must be 'linear' or .*'huber'.*, not 'hubber'"),
        (lambda p: p.fit(loss="huber", loss_scale=0), "loss_scale must be a number .*, not 0"),
        (lambda p: p.fit(tol="a"), "tol must be a number between 1e-15 and 1, not 'a'"),
        (lambda p: p.fit(max_evaluations=-1), "max_evaluations must be a whole number from 1 on, not -1"),
        (lambda p: p.fit(progress=3), "progress must be a function, or None, not 3"),
        (lambda p: p.fit(method="newton"), "method must be 'more' or 'marquardt', not 'newton'"),
        (lambda p: p.fit(epss=1), "epss is no setting; there are tol, max_evaluations, loss, loss_scale"),
        (lambda p: p.smooth(kind="splin"), "kind must be 'spline' or 'hermite', not 'splin'"),
        (lambda p: p.smooth({"x": 3}), "what joints has for x must be a list of finite numbers, not 3"),
        (lambda p: p.with_method(epss=1), "epss is no setting of a method of integration; there are procedure"),
        (lambda p: p.with_method(eps="a"), "EPS must be a number"),
        (lambda p: p.with_scaling(k="ln"), "the scaling of k must be .*'log'.*, not 'ln'"),
        (lambda p: p.with_weights({"x": [1, 2]}), "the weights of x must be one number, or 8 for its rows"),
        (lambda p: p.scan("k", 0.5, 1.5, 10**6), "n must be a whole number from 2 to 10000, not 1000000"),
        (lambda p: p.stats(100), "percentile must be a percentile from 1 to below 100, not 100"),
        (lambda p: p.fit().to_json("out.json"), "curves must be True or False, not 'out.json'"),
        (lambda p: parfit.Session(p)(3), "a command must be a text, not 3"),
        (lambda p: parfit.load_model(0), "a file is given by its path, not by 0"),
    ],
)
def test_the_sentence_says_which_argument_and_what_it_may_be(work, sentence):
    with pytest.raises(ParfitError, match=sentence):
        work(parfit.load(MODEL, {"t": T, "x": X}))


def test_a_standard_deviation_of_0_is_refused_without_a_warning():
    data = {"t": T, "x": X, "x.sd": np.zeros(8)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ParfitError, match=r"standard deviation"):
            parfit.load(MODEL, data)


@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        (lambda p: p.fit("more", 4), "takes from 1 to 2 positional arguments"),
        (lambda p: p.fit("more", method="more"), "multiple values for argument 'method'"),
        (lambda p: p.stats(95, foo=1), "unexpected keyword argument 'foo'"),
        (lambda p: p.scan("k"), "missing 2 required positional arguments: 'first' and 'last'"),
    ],
)
def test_a_call_that_does_not_fit_is_pythons_own_error(work, sentence):
    with pytest.raises(TypeError, match=sentence):
        work(parfit.load(MODEL, {"t": T, "x": X}))


def test_arguments_by_place_and_by_name_are_read_alike():
    problem = parfit.load(MODEL, {"t": T, "x": X})
    for call in (lambda: problem.scan("k", 0.5, 1.5, "3"), lambda: problem.scan("k", last=1.5, first=0.5, n="3")):
        with pytest.raises(ParfitError, match="n must be a whole number from 2 to 10000, not '3'"):
            call()
    first, second = problem.scan("k", 0.5, 1.5, 3), problem.scan(name="k", n=3, last=1.5, first=0.5)
    assert dict(first.values) == dict(second.values)


def test_a_parameter_may_be_called_like_an_argument():
    model = parfit.Model.from_text("par bounds=1,values=2\nx'=-bounds*x+values\nx(0)=1\n", "named")
    problem = parfit.load(model).with_values(bounds=3, values=4).with_bounds(bounds=(0, 5))
    assert dict(problem.values) == {"bounds": 3.0, "values": 4.0}
    assert dict(problem.bounds) == {"bounds": (0.0, 5.0)}
