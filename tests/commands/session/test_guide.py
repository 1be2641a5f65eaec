"""GUIDE: every rule in a situation of its own, made by commands; what it says, and what becomes of its advice."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest
from coarse import EPIDEMIC, ONE, THREE, TWO, epidemic, epidemic_data, guess_line, only, setting
from contrived import contrived
from conversation import Session, assert_same, data_of, model_of
from smoothed import equilibrium

from parfit.advice import (
    RULES,
    advise,
    beginning,
    converged,
    elsewhere,
    failing,
    fitting,
    returning,
    signs,
    spoken,
    starting,
    undetermined,
)
from parfit.advice.advice import Rule
from parfit.advice.facts import Facts
from parfit.commands import TABLE
from parfit.data.observations import make_observations
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.model import Model

GEAR = "OPTION ACCURATE"
STEP = "FIT MARQUARDT .01 1e-6 1e-6 1"  # one step, and the limit of its work is reached
DECAY_TIMES = np.arange(1, 9) / 2.0


def predator(n: int = 1) -> tuple[Model, object]:
    name = "predator-prey" if n == 1 else f"predator-prey-{n}"
    return model_of(name), data_of(name)


def bundled(data: str, model: str | None = None):
    return lambda: (model_of(model or data), data_of(data, model))


def weightless():
    data = data_of("predator-prey")
    return model_of("predator-prey"), make_observations(data.times, data.names, data.values, np.zeros((1, 2)))


def blow_up():
    return contrived().model, contrived().observations


def prey():
    return model_of("predator-prey"), only("predator-prey", "y1")


def noisy():
    """Problem 4.5.1 with errors that make p5 negative."""
    data = data_of("predator-prey")
    errors = np.random.default_rng(10).standard_normal(data.values.shape) * [0.5, 1.0]
    return model_of("predator-prey"), make_observations(data.times, data.names, data.values + errors)


def noisy_equilibrium():
    case = equilibrium(2.0)
    return case.model, case.observations


def decay(rate: str, parameters: str, digits: int = 12):
    """Observations of an exponential decay with a rate of .7, rounded."""
    values = np.round(3.0 * np.exp(-0.7 * DECAY_TIMES), digits)

    def make():
        model = Model.from_text(f"{parameters}\ny'=-{rate}*y\ninit y=3\ndone", "decay")
        return model, make_observations(DECAY_TIMES, ["y"], values[:, np.newaxis])

    return make


def one_observation():
    """A drug that is taken orally, seen once."""
    text = "par ka=.2, ke=1.5, v=3\ngut'=-ka*gut\ncp'=ka*gut/v-ke*cp\ninit gut=100, cp=0\ndone"
    return Model.from_text(text, "oral"), make_observations([1.0], ["cp"], [[2.5]])


DRUG = """par kel=.1, kon=.5, koff=.01, ksyn=1, kdeg=.5, kint=.2
c'=-kel*c-kon*c*r+koff*rc
r'=ksyn-kdeg*r-kon*c*r+koff*rc
rc'=kon*c*r-(koff+kint)*rc
init c=20, r=2, rc=0
done"""


def drug():
    """A drug that binds to its target, of which alone c was observed, with errors: koff runs away."""
    times = [0.1, 0.25, 0.5, 1, 2, 4, 7, 10, 14, 18, 22, 26, 30]
    values = [20.21, 16.86, 17.73, 16.35, 14.9, 12.23, 8.189, 5.7, 2.735, 1.203, 0.4035, 0.1919, 0.1161]
    return Model.from_text(DRUG, "drug"), make_observations(times, ["c"], np.array(values)[:, np.newaxis])


def alone(text: str):
    return lambda: (Model.from_text(text, "alone"), None)


@dataclass(frozen=True)
class Situation:
    """A rule, what leads to where it applies, and what it is to say and to advise."""

    rule: Rule
    problem: Callable[[], tuple]
    lines: Sequence[str]
    says: Sequence[str]
    command: str
    done: bool = False
    answers: Sequence[str] = field(default=())  # what the command asks for

    @property
    def name(self) -> str:
        return f"{self.rule.__module__.split('.')[-1]}.{self.rule.__name__}-{self.command.split()[0]}"


def switching():
    """x = exp(-k t) before tau = 2.3, and d more after it."""
    t = np.arange(0.25, 5.1, 0.25)
    x = np.exp(-0.5 * t) + np.where(t > 2.3, 2.0, 0.0)
    x += 0.02 * np.random.default_rng(3).normal(size=t.size)
    model = Model.from_text("par k=.4, tau=1.6, d=2.5\nu'=-k*u\nu(0)=1\naux x=u+d*heav(t-tau)\n", "switch")
    return model, make_observations(t, ["x"], x[:, np.newaxis])


def decaying(text: str, scale: float = 1.0):
    """x = 3 exp(-.7 t), and y = scale (1 - exp(-t))."""

    def make():
        values = np.column_stack([3.0 * np.exp(-0.7 * DECAY_TIMES), scale * (1.0 - np.exp(-DECAY_TIMES))])
        return Model.from_text(text, "two"), make_observations(DECAY_TIMES, ["x", "y"], values)

    return make


def steep():
    """y = 1/(1 - t): a trapezoid from 0 to .8 has no solution, but the equations have."""
    t = np.array([0.8, 0.82, 0.84, 0.86, 0.88, 0.9])
    model = Model.from_text("par a=.99\ny'=a*y^2\ninit y=1\n@ t0=0\n", "steep")
    return model, make_observations(t, ["y"], (1.0 / (1.0 - t))[:, np.newaxis])


TWO_STATES = "par a=.5, b=1\nx'=-a*x\ny'=b-y\n"
UNUSABLE = "cannot be integrated at the present parameters"
FAR = "far from the data (sum of squares"
SITUATIONS = [
    Situation(beginning.no_parameters, alone("y'=-y\ninit y=1\ndone"), [], ["no parameters"], "MODEL"),
    Situation(
        beginning.no_data,
        alone("par k=1\ny'=-k*y\ninit y=1\ndone"),
        [],
        ["nothing was observed yet"],
        "LOAD DATA",
        answers=["data.csv"],
    ),
    Situation(beginning.no_data, weightless, [], ["weight 0"], "WEIGHT 1"),
    Situation(beginning.no_connection, predator, ["SAMPLE MESH 50 .25"], ["no connection"], "SAMPLE 1"),
    Situation(
        beginning.initial_values,
        decaying(TWO_STATES + "init y=0\n"),
        [],
        ["x has no initial value in the model", "observed to begin at 2.114"],
        "INIT x FREE",
    ),
    Situation(
        beginning.initial_values,
        decaying(TWO_STATES + "init y=0\n"),
        ["MODEL par x0=2.1"],
        ["a parameter for the initial value of x"],
        "INIT x FREE",
    ),
    Situation(
        beginning.sizes,
        decaying("par a=.5, b=1\nx'=-a*x\ny'=b*1e-4-y\ninit x=3, y=0\n", 1e-4),
        [],
        ["very different sizes", "y hardly counts"],
        "WEIGHT AUTO",
    ),
    Situation(
        beginning.units,
        decaying("par a=.5, b=1\nx'=-a*x\ny'=b*1e-12-y\ninit x=3e-12, y=0\n"),
        [],
        ["times as large as the solution", "Are the units the same?"],
        "DATA",
        done=True,
    ),
    Situation(fitting.switch, switching, [GEAR], ["tau acts only through a switch (heav)"], "SCAN tau 0 5 20 FIT"),
    Situation(
        fitting.switch,
        switching,
        [GEAR, "SCAN tau 0 5 11 FIT", "FIT MORE"],
        ["best value that was tried"],
        "FREEZE tau",
    ),
    Situation(
        undetermined.ran_away,
        decay("a*(1-exp(-b))", "par a=.5, b=2"),
        [GEAR, "SET b 2e22", "FREEZE b", "FIT MORE"],
        ["b has run away, to 2e+22"],
        "SET b 2",
    ),
    Situation(failing.only_coarse, steep, [], [UNUSABLE, "Gear's method"], "OPTION ACCURATE"),
    Situation(
        fitting.from_here,
        predator,
        [setting(TWO), "SMOOTH SPLINE AUTO", "IFIT REGULAR", "FIT MORE", setting(TWO)],
        ["fitted directly"],
        "FIT MORE",
    ),
    Situation(beginning.robust, predator, ["FIT 3 1e-8 500 HUBER 1"], ["loss HUBER"], "REPORT PAR", done=True),
    Situation(beginning.robust, predator, ["FIT 3 1e-8 2 HUBER 1"], ["not ended at a minimum"], "FIT MORE"),
    Situation(
        undetermined.freeze,
        decay("a*b", "par a=2, b=1"),
        [GEAR, "FIT MORE"],
        ["a and b trade off", "held, the other is determined near this point", "FREEZE holds it at"],
        "FREEZE",
    ),
    Situation(
        undetermined.freeze,
        decay("(a+0*c)", "par a=.5, c=1"),
        [GEAR, "FIT MORE"],
        ["do not see c"],
        "FREEZE c",
    ),
    Situation(
        undetermined.freeze,
        one_observation,
        [GEAR, "FIT MORE"],
        ["trade off", "fewer observations (1) than free parameters (3)", "one such combination less"],
        "FREEZE",
    ),
    Situation(
        converged.accurate,
        predator,
        ["FIT MORE"],
        ["This is a minimum", "the trapezoidal rule has a norm of", "fitted again"],
        GEAR,
    ),
    Situation(
        converged.accurate,
        predator,
        [setting(TWO), "SMOOTH SPLINE AUTO", "IFIT", STEP, "FIT MORE", "OPTION EPS .001 PROCEDURE GEAR", "FIT MORE"],
        ["Gear's method with EPS 0.001"],
        GEAR,
    ),
    Situation(
        converged.stepped_over,
        blow_up,
        ["FIT MORE", "SMOOTH SPLINE AUTO", "UNDO"],
        ["sum of squares 45.09", "steps over a place that an accurate integration cannot pass", "t = 9.36"],
        GEAR,
    ),
    Situation(
        starting.scale,
        predator,
        ["SET p5 -.01", "SET p5 .1"],
        ["p5 went negative before, and is positive again", "square root"],
        "SCALE p5 ROOT",
    ),
    Situation(starting.smooth, predator, [setting(TWO)], [FAR, "curves, through y1 and y2"], "SMOOTH SPLINE AUTO"),
    Situation(
        starting.smooth,
        lambda: predator(2),
        [setting(ONE)],
        [UNUSABLE, "t = 1"],
        "SMOOTH SPLINE AUTO",
    ),
    Situation(
        starting.guess,
        prey,
        [setting(TWO), "SMOOTH SPLINE AUTO"],
        ["no observations of y2", "simple shapes"],
        "CREOBS y2 3",
    ),
    Situation(
        starting.ifit,
        predator,
        [setting(TWO), "SMOOTH SPLINE AUTO"],
        [FAR, "Integrals of the equations along the curves"],
        "IFIT REGULAR",
    ),
    Situation(starting.ifit, prey, [setting(TWO), "SMOOTH SPLINE AUTO", guess_line("b")], [FAR], "IFIT GUESSED"),
    Situation(
        starting.improve_guesses,
        prey,
        [setting(TWO), "SMOOTH SPLINE AUTO", "CREOBS 3 0 2 12.5 8 24 4", "IFIT GUESSED", GEAR, "FIT MORE"],
        ["misses the data in a way that errors would not", "guess at y2 can be improved"],
        "IFIT ITERATED Y .01 AUTO 1e-6 AUTO N 3 N",
    ),
    Situation(
        returning.curves_led_astray,
        noisy_equilibrium,
        ["SET p1 0 p2 0 p3 0 p4 0", "SMOOTH SPLINE AUTO", "IFIT REGULAR"],
        ["IFIT led to a larger sum of squares"],
        "UNDO",
    ),
    Situation(
        returning.shot_into_the_void,
        blow_up,
        ["FIT MORE", "SHOOT AUTO"],
        ["SHOOT has ended where the equations cannot be integrated", "45.09"],
        "UNDO 1",
    ),
    Situation(
        returning.turned_negative,
        lambda: predator(3),
        [GEAR, setting(TWO), "SET p2 -.23 p3 -6.3 p4 5.7 p5 -1.03", STEP, STEP, "SMOOTH SPLINE AUTO", "UNDO"],
        ["no minimum", "p2, p3 and p5 went negative on the way"],
        "SET p1 0.5 p2 0.1 p3 5 p4 1 p5 0.15 p6 0.01",
    ),
    Situation(
        returning.all_was_tried,
        bundled("bard"),
        [
            "FIT MORE",
            setting((0.00578, 0.06141, 0.00992, -0.01014, -2.804, -0.1207)),
            "FIT MORE",
            "SHOOT AUTO",
            "SMOOTH SPLINE AUTO",
            "UNDO",
        ],
        ["428.2", "46.49 before"],
        "UNDO 3",
    ),
    Situation(
        failing.integrate_better,
        lambda: predator(2),
        [setting(ONE), "SMOOTH SPLINE AUTO", "UNDO"],
        [UNUSABLE, "Gear's method"],
        GEAR,
    ),
    Situation(
        failing.continue_with_breaks,
        blow_up,
        [setting((0.1,) * 4), "SMOOTH SPLINE AUTO", "IFIT REGULAR"],
        [UNUSABLE, "t = 4.5", "gamma 0.2", "begins anew on them at t = 4,"],
        "CONTIN 0.2 BREAKS 4.",
    ),
    Situation(
        failing.shoot,
        blow_up,
        [GEAR, "FIT MORE", "SMOOTH SPLINE AUTO", "UNDO"],
        ["misses the data", "Multiple shooting begins anew at"],
        "SHOOT AUTO",
    ),
    Situation(
        elsewhere.begin_elsewhere,
        bundled("heart"),
        ["SET p2 15", "SCALE p1 LOG p4 LOG", "FIT MORE", "SHOOT AUTO", "FIT MORE", "SMOOTH SPLINE AUTO", "UNDO"],
        ["no minimum", "From the first values, but with p", "a fit gets further, to a sum of squares of about 4363"],
        "SET p1 ",
    ),
    Situation(fitting.fit, bundled("gear"), [], ["follows the data", "can be fitted"], "FIT MORE"),
    Situation(
        fitting.fit,
        predator,
        [setting(TWO), "SMOOTH SPLINE AUTO", "IFIT REGULAR"],
        ["IFIT has led to a sum of squares of 0.0774, and the solution follows the data"],
        "FIT MORE",
    ),
    Situation(
        fitting.fit_again,
        predator,
        [GEAR, setting(THREE), "SMOOTH SPLINE AUTO", "IFIT", STEP],
        ["FIT has ended where there is no minimum", "still falling"],
        "FIT MORE",
    ),
    Situation(
        fitting.fit_on,
        lambda: predator(3),
        [GEAR, setting(ONE), "FIT MORE 1e-8 10", "FIT MORE 1e-8 10", "SMOOTH SPLINE AUTO", "UNDO"],
        ["no minimum", "another fit from here would lead to", "slow, but it goes on"],
        "FIT MORE",
    ),
    Situation(
        fitting.logarithms,
        bundled("escep-a", "escep"),
        [GEAR, "SMOOTH SPLINE AUTO", "IFIT", STEP, STEP],
        ["very different sizes", "condition number from"],
        "SCALE p1 LOG p2 LOG p3 LOG",
    ),
    Situation(
        signs.negative,
        noisy,
        [GEAR, "FIT MORE"],
        ["p5 went negative, having begun with 0.1", "could be met about as well"],
        "SET p5 0.1",
    ),
    Situation(
        signs.negative,
        drug,
        [GEAR, "SET kel .06365 kon 3.705e-6 koff -1447277 ksyn .6737 kdeg 3.209 kint 1447280", "FIT MORE"],
        ["koff went negative, having begun with 0.01", "the data do not notice it, because others change along"],
        "SET kel 0.1 kon 0.5 koff 0.01 ksyn 1 kdeg 0.5 kint 0.2",
    ),
    Situation(
        converged.statistics,
        bundled("barnes"),
        [GEAR, "FIT MORE"],
        ["and near this point the data determine all parameters"],
        "STATS 95",
    ),
    Situation(
        converged.not_elliptic,
        bundled("heart"),
        [GEAR, "FIT MORE", "STATS 95"],
        ["confidence region is not elliptic", "logarithm of p4"],
        "SCALE p4 LOG",
    ),
    Situation(
        converged.done,
        bundled("barnes"),
        [GEAR, "FIT MORE", "STATS 95"],
        ["This is a minimum (sum of squares 0.1645)", "KEEP"],
        "REPORT PAR STATISTICS",
        done=True,
    ),
    Situation(
        fitting.unseen,
        decay("a*(1-exp(-b))", "par a=.5, b=200", digits=1),
        [GEAR, "FREEZE b", "FIT MORE", "UNFREEZE b", "FIT MARQUARDT 1e6 1e-6 1e-6 1", "SMOOTH SPLINE AUTO", "UNDO"],
        ["no minimum", "do not see b"],
        "FREEZE b",
    ),
    Situation(
        fitting.lost,
        decay("sqrt(-1-a^2)", "par a=1, b=1"),
        ["SMOOTH SPLINE AUTO"],
        [UNUSABLE, "begin from other values"],
        "SET",
        done=True,
    ),
    Situation(
        fitting.lost,
        decay("0*a", "par a=1"),
        ["SMOOTH SPLINE AUTO", "UNDO"],
        ["far from the data", "Nothing more is known", "PROBE says which"],
        "PROBE",
        done=True,
    ),
]
ids = [each.name for each in SITUATIONS]
ORDER = [
    "beginning.no_parameters",
    "beginning.no_data",
    "beginning.no_connection",
    "beginning.initial_values",
    "beginning.sizes",
    "beginning.units",
    "beginning.robust",
    "converged.accurate",
    "fitting.switch",
    "starting.scale",
    "failing.only_coarse",
    "fitting.from_here",
    "returning.curves_led_astray",
    "returning.shot_into_the_void",
    "fitting.fit_again",
    "starting.smooth",
    "starting.guess",
    "starting.ifit",
    "failing.integrate_better",
    "failing.continue_with_breaks",
    "fitting.fit",
    "fitting.logarithms",
    "starting.improve_guesses",
    "returning.start_directly",
    "converged.stepped_over",
    "returning.turned_negative",
    "failing.shoot",
    "fitting.fit_on",
    "elsewhere.begin_elsewhere",
    "returning.all_was_tried",
    "undetermined.ran_away",
    "signs.negative",
    "undetermined.freeze",
    "converged.statistics",
    "converged.not_elliptic",
    "converged.done",
    "fitting.unseen",
    "fitting.lost",
]


@pytest.fixture
def led_to(begin):
    """A function that makes a situation."""

    def make(situation: Situation) -> Session:
        session = begin(*situation.problem())
        session(*situation.lines)
        return session

    return make


def ruling(session: Session) -> Rule:
    """The rule that speaks."""
    return spoken(Facts(session.interpreter.timeline))[0]


def test_every_rule_has_a_situation():
    assert {each.rule for each in SITUATIONS} == set(RULES) - {returning.start_directly}


@pytest.mark.of_1977
@pytest.mark.parametrize(("lines", "command"), [([], "UNDO 2"), ([GEAR, "FIT MORE"], "SET p1 ")])
def test_going_back_keeps_the_integration_that_a_promise_rests_on(begin, monkeypatch, lines, command):
    """UNDO would take OPTION back as well; values that are set leave it as it is."""
    session = begin(*predator())
    session(setting(TWO), "SMOOTH SPLINE AUTO", "IFIT REGULAR", "FIT MORE", *lines)
    facts = Facts(session.interpreter.timeline)
    monkeypatch.setattr(Facts, "seeking", True)
    monkeypatch.setattr(Facts, "minimal", True)
    monkeypatch.setattr(Facts, "other_ways", [(0.5 * facts.at.sum_of_squares, 2 + len(lines))])
    advice = returning.start_directly(facts)
    assert advice.command.startswith(command)
    assert "before IFIT" in advice.why
    assert ("integrated as now" in advice.why) is bool(lines)


def test_what_failed_is_not_advised_again(begin, monkeypatch):
    session = begin(*predator())
    session(setting(TWO))
    command = advise(session.interpreter.timeline).command
    session.interpreter.timeline = session.interpreter.timeline.without_effect(command, "it failed")
    assert advise(session.interpreter.timeline).command != command
    session("SET p1 .123")
    assert advise(session.interpreter.timeline).command == command


def test_a_command_that_fails_or_changes_nothing_is_remembered(begin):
    session = begin(*predator())
    session.refused("SET nobody 3")
    session("DATA")
    assert [each.line for each in session.interpreter.timeline.failed] == ["SET nobody 3", "DATA"]
    session("SET p1 2", "UNDO")
    assert len(session.interpreter.timeline.failed) == 2


def test_the_order_in_which_rules_are_asked():
    """What is asked first decides where several apply: an order is changed on purpose, or not at all."""
    assert [f"{rule.__module__.split('.')[-1]}.{rule.__name__}" for rule in RULES] == ORDER


@pytest.mark.parametrize(("factor", "far"), [(0.249, False), (0.251, True)])
def test_a_solution_is_far_from_the_data_from_a_quarter_of_their_spread_on(begin, factor, far):
    """q = -cos(pi t) is 1, -1, 1, -1, which spreads by 4; y = 0 was observed to be at a constant distance."""
    values = np.array([1.0, -1.0, 1.0, -1.0])
    offset = np.sqrt(factor)
    data = make_observations([1, 2, 3, 4], ["y", "q"], np.column_stack([np.zeros(4) + offset, values]))
    model = Model.from_text("par c=0\ny'=c\ninit y=0\naux q=-cos(pi*t)\n", "line")
    facts = Facts(begin(model, data).interpreter.timeline)
    assert facts.at.sum_of_squares == pytest.approx(4 * factor)
    assert facts.far is far


@pytest.mark.parametrize(("total", "back"), [(0.989, True), (0.991, False)])
def test_an_earlier_fit_is_better_from_a_hundredth_on(begin, monkeypatch, total, back):
    session = begin(*predator())
    session(GEAR, "FIT MORE")
    facts = Facts(session.interpreter.timeline)
    monkeypatch.setattr(returning, "_fits", lambda facts, minima: iter([(total * facts.at.sum_of_squares, 1)]))
    assert (returning.best_before(facts) is not None) is back


@pytest.mark.of_1977
@pytest.mark.parametrize("situation", SITUATIONS, ids=ids)
def test_what_is_advised(led_to, situation):
    session = led_to(situation)
    assert ruling(session) is situation.rule
    env, timeline = session.env, session.interpreter.timeline
    advice = advise(timeline)
    said = " ".join(session("GUIDE").split())
    assert advice.command in said
    for part in situation.says:
        assert part in said
    assert advice.command.startswith(situation.command)
    assert advice.done is situation.done
    assert 2 <= f"{advice.situation} {advice.why}".count(". ") + 1 <= 3, "two or three sentences"
    assert session.env is env, "GUIDE acts by itself"
    assert session.interpreter.timeline is timeline
    assert advise(timeline) == advice, "the same session, another advice"


@pytest.mark.of_1977
@pytest.mark.parametrize("situation", SITUATIONS, ids=ids)
def test_what_is_advised_can_be_obeyed(led_to, situation, tmp_path):
    (tmp_path / "data.csv").write_text("t,y\n1,.4\n2,.2\n", encoding="utf-8")
    session = led_to(situation)
    advice = advise(session.interpreter.timeline)
    command = advice.command
    assert TABLE.has(command.split()[0])
    n = len(session.entries)
    if advice.done and not advice.after:
        session("GUIDE Y")
        assert len(session.entries) == n, "there is nothing to be taken"
        return
    session("GUIDE Y", *situation.answers)
    [entry] = session.entries[n:]
    assert entry.split()[0] == command.split()[0], "what was obeyed is what is written down"
    again = led_to(situation)
    again(entry)
    assert_same(again.env, session.env)


# ---- taking advice, or not


def test_return_takes_the_advice_at_a_terminal(begin):
    session = begin(*predator())
    session(setting(TWO))
    typist = session.typed("guide", "", "guide", "", "guide", "")
    assert typist.prompts == ["[Y]: "] * 3
    assert typist.questions == ["TAKE THE ADVICE? Y OR N"] * 3
    assert [entry.split()[0] for entry in session.entries[1:]] == ["SMOOTH", "IFIT", "FIT"]
    assert "> IFIT REGULAR" in session.output, "what is done is shown as if it had been typed"


def test_what_was_taken_replays_without_guide(begin):
    first, again = begin(*predator()), begin(*predator())
    first(setting(TWO), "GUIDE Y", "GUIDE Y", "GUIDE Y")
    assert not any("GUIDE" in entry for entry in first.entries)
    again(*first.entries)
    assert_same(again.env, first.env)
    assert [each.origin for each in again.interpreter.timeline.past] == [
        each.origin for each in first.interpreter.timeline.past
    ]


ENDS = [
    (
        bundled("barnes"),
        [GEAR, "FIT MORE", "STATS 95"],
        "REPORT PAR STATISTICS",
        "KEEP copies the report, and QUIT ends",
    ),
    (predator, ["FIT 3 1e-8 500 HUBER 1"], "REPORT PAR", "KEEP copies the report, and QUIT ends"),
    (decay("0*a", "par a=1"), ["SMOOTH SPLINE AUTO", "UNDO"], "PROBE", "PROBE has said which parameters"),
]


@pytest.mark.parametrize(("problem", "lines", "command", "after"), ENDS, ids=[each[2] for each in ENDS])
def test_the_end_is_not_repeated(begin, problem, lines, command, after):
    """RETURN takes the last advice once; then it is done, until another command is given."""
    session = begin(*problem())
    session(*lines)
    asked = ["", ""] if command == "PROBE" else []
    typist = session.typed("guide", "", *asked, "guide", "guide")
    assert [prompt for prompt, text in typist.asked if "ADVICE" in text] == ["[Y]: "]
    session("GUIDE Y", "GUIDE Y")
    assert [entry.split()[0] for entry in session.entries[len(lines) :]] == [command.split()[0]]
    said = " ".join(session("GUIDE N").split())
    assert after in said
    assert f"    {command}" not in session("GUIDE N")
    session("NOTE well")
    assert command in session("GUIDE N")


def test_without_statistics_none_are_to_be_reported(begin):
    session = begin(*bundled("barnes")())
    session(GEAR, "FIT MORE", "STATS 95", "UNDO")
    assert advise(session.interpreter.timeline).command == "REPORT PAR"
    session("GUIDE Y")


@pytest.mark.parametrize("answer", ["N", "n", "no", KeyboardInterrupt()])
def test_refused_advice_changes_nothing(begin, answer):
    session = begin(*predator())
    session(setting(TWO))
    env, entries = session.env, list(session.entries)
    session.typed("GUIDE", answer)
    assert session.env is env
    assert session.entries == entries
    assert advise(session.interpreter.timeline).command == "SMOOTH SPLINE AUTO", "it is still the best advice"


@pytest.mark.parametrize("lines", [["GUIDE"], ["GUIDE N"], ["GUIDE", "NOTE well"], ["GUIDE", "N"]])
def test_a_script_is_only_advised(begin, lines):
    session = begin(*predator())
    said = session(setting(TWO), *lines)
    assert "    SMOOTH SPLINE AUTO" in said
    assert session.env.smoothing is None
    assert len(session.env.notes) == lines.count("NOTE well")


@pytest.mark.parametrize("lines", [["GUIDE Y"], ["GUIDE", "Y"], ["guide yes"]])
def test_a_script_can_take_the_advice(begin, lines):
    session = begin(*predator())
    session(setting(TWO), *lines)
    assert session.env.smoothing is not None
    assert session.env.origin.startswith("SMOOTH SPLINE")


def test_undone_advice_is_not_given_again(begin):
    session = begin(*predator())
    session(setting(TWO), "GUIDE Y", "GUIDE Y")
    assert session.env.origin.startswith("IFIT")
    session("UNDO")
    assert advise(session.interpreter.timeline).command == "FIT MORE", "without IFIT"
    session("UNDO")
    assert advise(session.interpreter.timeline).command == "FIT MORE", "without curves"
    session("REDO 2")
    assert advise(session.interpreter.timeline).command == "FIT MORE", "after IFIT"


@pytest.mark.of_1977
@pytest.mark.parametrize("situation", SITUATIONS, ids=ids)
def test_no_undone_advice_is_given_again(led_to, situation):
    """Also after commands that only look, and none of these is the end of the conversation."""
    session = led_to(situation)
    advice = advise(session.interpreter.timeline)
    if advice.done or advice.command.split()[0] in ("UNDO", "MODEL", "INIT", "LOAD", "WEIGHT", "SAMPLE"):
        return
    session("GUIDE Y", "UNDO")
    assert advise(session.interpreter.timeline).command != advice.command
    session("NOTE well")
    assert advise(session.interpreter.timeline).command != advice.command
    session("GUIDE")


def test_an_undone_fit_is_advised_elsewhere(begin):
    session = begin(*bundled("gear")())
    session("GUIDE Y")
    assert session.env.origin.startswith("FIT MORE")
    session("UNDO", "MARK here")
    said = " ".join(session("GUIDE").split())
    assert "Nothing more is known that would lead on by itself, and what was undone is not advised again" in said
    session("SET p1 .99")
    assert advise(session.interpreter.timeline).command == "FIT MORE"


def test_what_is_undone_is_remembered_after_the_next_command(begin):
    """REDO is gone then, but IFIT was tried all the same, until something renews its chances."""
    session = begin(*predator())
    session(setting(TWO), "SMOOTH SPLINE AUTO", "IFIT REGULAR", "UNDO", "FIT MORE")
    facts = Facts(session.interpreter.timeline)
    assert session.interpreter.timeline.future == ()
    assert facts.tried("IFIT")
    assert facts.refused("IFIT")
    session(setting(THREE))
    assert not Facts(session.interpreter.timeline).tried("IFIT")
    session("UNDO")
    assert Facts(session.interpreter.timeline).tried("IFIT"), "what renewed them was undone itself"


def test_what_renews_the_chances_of_a_method(begin):
    session = begin(*predator())

    def tried() -> bool:
        return Facts(session.interpreter.timeline).tried("IFIT")

    session(setting(TWO), "SMOOTH SPLINE AUTO")
    assert not tried()
    for line in ("RESMOOTH y1 ADD 4", setting(THREE), "FREEZE p1", "SMOOTH HERMITE AUTO"):
        session("IFIT REGULAR", "MARK here")
        assert tried()
        session(line)
        assert not tried()


def test_other_data_let_everything_be_tried_again(begin, tmp_path):
    session = begin(*predator())
    session(setting(TWO), "GUIDE Y", "GUIDE Y", "GUIDE Y")
    (tmp_path / "other.csv").write_text(
        "t,y1,y2\n" + "".join(f"{t},{9 - t},{4 + t}\n" for t in range(1, 9)), encoding="utf-8"
    )
    session("LOAD DATA other.csv", setting(TWO))
    assert advise(session.interpreter.timeline).command == "SMOOTH SPLINE AUTO"


def test_a_failure_of_what_was_taken_is_told_and_changes_nothing(begin):
    session = begin(*alone("par k=1\ny'=-k*y\ninit y=1\ndone")())
    env = session.env
    typist = session.typed("GUIDE", "Y", "missing.csv")
    assert typist.n_left == 0
    assert "missing.csv" in session.errors
    assert session.env is env
    assert session.entries == []


@pytest.mark.of_1977
@pytest.mark.parametrize(("names", "n_guessed"), [(["s"], 2), (["i"], 2), (["sick"], 3)])
def test_guesses_on_several_states(begin, names, n_guessed):
    """One CREOBS for each state that was not observed, and then IFIT and FIT to where the data were made."""
    session = begin(epidemic(), epidemic_data(*names))
    session("SET b 3 a 4 g 6")
    words = []
    while not (advice := advise(session.interpreter.timeline)).done and len(words) < 25:
        words.append(advice.command.split()[0])
        session("GUIDE Y")
    assert words.count("CREOBS") == n_guessed
    assert session.env.values == pytest.approx(EPIDEMIC, rel=1e-4)


def test_guide_is_quick(begin, monkeypatch):
    """Trials are counted, not seconds: what GUIDE integrates at most to guess at y2."""
    session = begin(*prey())
    session(setting(TWO), "SMOOTH SPLINE AUTO")
    counted = []
    evaluate = TrajectoryFit.evaluate
    monkeypatch.setattr(TrajectoryFit, "evaluate", lambda self, p: counted.append(1) or evaluate(self, p))
    assert advise(session.interpreter.timeline).command.startswith("CREOBS")
    assert len(counted) < 13 * 70


# ---- what it says is true


@pytest.mark.parametrize(
    ("start", "now", "expected"),
    [(2.0, 1.0, np.log(2.0)), (0.5, 3.7e-6, np.log(0.5 / 3.7e-6)), (1.0, -1.0, np.inf), (0.0, 1.0, np.inf), (0, 0, 0)],
)
def test_what_collapses_to_0_has_not_moved_least(start, now, expected):
    assert undetermined.moved(start, now) == pytest.approx(expected)


def test_one_held_parameter_need_not_determine_the_others(begin):
    session = begin(*one_observation())
    session(GEAR, "FIT MORE")
    assert "determined" not in advise(session.interpreter.timeline).why
    session("GUIDE Y")
    last = advise(session.interpreter.timeline)
    assert "trade off" in last.situation
    assert "determined near this point" in last.why
    session("GUIDE Y")
    assert "trade off" not in advise(session.interpreter.timeline).situation


@pytest.mark.of_1977
def test_a_method_that_led_away_from_the_data_is_said_to_have(begin):
    session = begin(*bundled("mice")())
    session("FIT MORE", "SMOOTH SPLINE AUTO", "CREOBS y1 3 0 33 44 .5003 .1251 .7504", "IFIT GUESSED")
    said = advise(session.interpreter.timeline).situation
    assert "more than the 748.8 before it" in said
    assert "near enough" not in said


@pytest.mark.of_1977
def test_curves_are_advised_only_if_they_will_be_used(begin):
    """Of mice and reindeer one state was not observed, and at first no guess at it leads further than a direct fit."""
    for name in ("mice", "reindeer"):
        session = begin(*bundled(name)())
        assert advise(session.interpreter.timeline).command == "FIT MORE"


@pytest.mark.of_1977
def test_another_integration_does_not_lead_far_from_the_data(begin):
    session = begin(*bundled("barnes")())
    session("SMOOTH SPLINE AUTO", "IFIT REGULAR", "FIT MORE", GEAR)
    said = advise(session.interpreter.timeline).situation
    assert said == "Integrated in this way, the solution has a sum of squares of 0.1726, which is no minimum."


@pytest.mark.of_1977
def test_a_fit_that_ended_nowhere_and_a_coarse_integration(begin):
    session = begin(model_of("mice-3"), data_of("mice", "mice-3"))
    said = []
    for _ in range(12):
        said.append(advise(session.interpreter.timeline).situation)
        session("GUIDE Y")
    assert any(
        re.search(r"minimum \(sum of squares [\d.]+\), (and|but) the discretisation is coarse", each) for each in said
    )


@pytest.mark.of_1977
def test_infinite_derivatives_are_not_a_failed_integration(begin):
    model, _ = one_observation()
    session = begin(model, make_observations([0.5, 1.0, 2.0], ["cp"], [[2.0], [3.2], [2.5]]))
    session("SET v 1e-200", "INTEG N")
    said = advise(session.interpreter.timeline).situation
    assert "No fit can begin at the present parameters" in said
    assert "cannot be integrated" not in said


def test_no_bound_is_named_where_none_was_set(begin):
    session = begin(*noisy())
    session(GEAR, "SCALE p5 ROOT", "FIT MORE")
    assert "with p5 at 0, which a square root cannot pass" in advise(session.interpreter.timeline).situation


EXACT = decay("a", "par a=.5", digits=9)


@pytest.mark.parametrize(
    ("problem", "lines"),
    [
        (EXACT, [GEAR, "SET a .7000000004"]),
        (noisy, [GEAR, "SCALE p5 ROOT", "FIT MORE"]),
        (one_observation, ["FIT MORE"]),
    ],
    ids=["exact", "at the 0 of a root", "one observation"],
)
def test_statistics_and_guide_agree_on_a_minimum(begin, problem, lines):
    session = begin(*problem())
    session(*lines)
    assert advise(session.interpreter.timeline).situation.startswith("This is a minimum")
    said = session("STATS 95")
    assert "not a minimum" not in said


def test_statistics_and_fit_agree_on_a_plain(begin):
    session = begin(*decay("a*(1-exp(-b))", "par a=.5, b=200", digits=1)())
    session(GEAR, "FIT MORE")
    assert "NOT A MINIMUM: the sum of squares is flat" in session.errors
    assert "flat in b, which the data do not see here" in " ".join(session("STATS 95").split())


def test_whoever_waits_for_advice_sees_a_bar(session, monkeypatch):
    """It is drawn by an alarm clock, which stops with the advice."""
    from contextlib import contextmanager

    labels = []

    @contextmanager
    def noticed(console, label):
        labels.append(label)
        yield

    monkeypatch.setattr("parfit.commands.session.guide.working", noticed)
    session("GUIDE N")
    assert labels == ["GUIDE"]


def test_it_compares_with_nothing_where_there_was_no_sum_of_squares(session):
    """On a mesh that has nothing to do with the observation times."""
    session("SET p1 3", "SAMPLE MESH 40 .1", "SAMPLE 1")
    assert "GUIDE" in session("GUIDE N")


def test_guide_all_goes_on_until_done(begin):
    session = begin("tour", "tour")
    said = session("GUIDE AL")  # any beginning of ALL will do
    assert [entry.split()[0] for entry in session.entries][:3] == ["SMOOTH", "IFIT", "FIT"]
    assert session.entries[-1].startswith("REPORT")
    assert said.count("> GUIDE ALL") >= len(session.entries)


@pytest.mark.parametrize("advised", [False, True])
def test_logarithms_are_advised_where_they_help(session, monkeypatch, advised):
    probed = SimpleNamespace(logarithms_help=advised, condition=1001.0, log_condition=100.0)
    monkeypatch.setattr(Facts, "stuck", True)
    monkeypatch.setattr(Facts, "probe", probed)
    found = fitting.logarithms(Facts(session.interpreter.timeline))
    assert (found is not None) is advised
    assert not advised or found.command.startswith("SCALE p1 LOG")
