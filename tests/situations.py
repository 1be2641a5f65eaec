"""Situations made by commands, one for every rule of GUIDE, with what it is to say there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from coarse import ONE, THREE, TWO, guess_line, only, setting
from contrived import contrived
from conversation import Session, data_of, model_of
from smoothed import equilibrium

from parfit.advice import (
    beginning,
    converged,
    elsewhere,
    failing,
    fitting,
    returning,
    signs,
    spoken,
    starting,
    studies,
    undetermined,
)
from parfit.advice.advice import Rule
from parfit.advice.facts import Facts
from parfit.data.columns import observations_from
from parfit.data.observations import make_observations
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


def rippled(height: float, start: float):
    """A decay with waves that the equation does not have, from a rate that may be far too small."""

    def make():
        times = np.arange(1, 41) / 10.0
        values = 3.0 * np.exp(-0.7 * times) + height * np.sin(2.0 * times)
        model = Model.from_text(f"par a={start}\ny'=-a*y\ninit y=3\ndone", "rippled")
        return model, make_observations(times, ["y"], values[:, np.newaxis])

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


def uneven(outlier: bool = False):
    """x = 50 exp(-.4 t), with errors of 10 per cent, or with one that is none."""

    def make():
        t, rng = np.linspace(0.25, 10.0, 40), np.random.default_rng(8)
        exact, draw = 50.0 * np.exp(-0.4 * t), rng.standard_normal(t.size)
        values = exact + draw + 15.0 * (np.arange(t.size) == 25) if outlier else exact * (1.0 + 0.1 * draw)
        model = Model.from_text("par a=40, k=.5\nx'=-k*x\ninit x=a\ndone", "uneven")
        return model, make_observations(t, ["x"], values[:, np.newaxis])

    return make


def steep():
    """y = 1/(1 - t): a trapezoid from 0 to .8 has no solution, but the equations have."""
    t = np.array([0.8, 0.82, 0.84, 0.86, 0.88, 0.9])
    model = Model.from_text("par a=.99\ny'=a*y^2\ninit y=1\n@ t0=0\n", "steep")
    return model, make_observations(t, ["y"], (1.0 / (1.0 - t))[:, np.newaxis])


def fields():
    """Populations that grow towards 100, each at a rate of its own."""
    days = np.arange(0.0, 31.0, 3.0)
    model = Model.from_text("par r=.3, K=90\nn'=r*n*(1-n/K)\ninit n=5\ndone\n", "growth")
    rng = np.random.default_rng(1)
    grown = [100 / (1 + 19 * np.exp(-r * days)) + rng.standard_normal(days.size) for r in (0.3, 0.45, 0.2)]
    columns = {
        "experiment": np.repeat(["a", "b", "c"], days.size),
        "day": np.tile(days, 3),
        "n": np.concatenate(grown),
    }
    return model, observations_from(columns, model)


TWO_STATES = "par a=.5, b=1\nx'=-a*x\ny'=b-y\n"


UNUSABLE = "cannot be integrated at the present parameters"


FAR = "far from the data (sum of squares"


SITUATIONS = [
    Situation(studies.local, fields, ["FIT MORE"], ["do not agree", "a value of r of its own"], "MODEL local r"),
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
        elsewhere.search_everywhere,
        decay("sqrt(a-1)", "par a=.5"),
        [GEAR, "SMOOTH SPLINE AUTO", "UNDO"],
        [UNUSABLE, "Searches from many other places may find the way."],
        "AUTO 3 s",
    ),
    Situation(
        elsewhere.search_nearer,
        rippled(0.05, 1e-5),
        [GEAR, "FIT MORE", "SMOOTH SPLINE AUTO", "UNDO"],
        ["This is a minimum", "gone far from where they began", "around the first values"],
        "AUTO FIRST 3 s",
    ),
    Situation(
        elsewhere.search_for_better,
        rippled(2.0, 0.5),
        [GEAR, "FIT MORE", "SMOOTH SPLINE AUTO", "UNDO", "SHOOT AUTO", "UNDO"],
        ["This is a minimum", "There may be a better minimum"],
        "AUTO FIRST 3 s",
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
        uneven(),
        [GEAR, "FIT MORE", "STATS 95"],
        [
            "Nothing is left to be done",
            "residuals of x grow with it",
            "in proportion, NOISE x RELATIVE and another FIT",
        ],
        "REPORT PAR",
        done=True,
    ),
    Situation(
        converged.done,
        uneven(outlier=True),
        [GEAR, "FIT MORE", "STATS 95"],
        ["Nothing is left to be done", "a residual of x is", "NOISE x LAPLACE and another FIT"],
        "REPORT PAR",
        done=True,
    ),
    Situation(
        converged.done,
        bundled("barnes"),
        [GEAR, "FIT MORE", "STATS 95"],
        ["This is a minimum (sum of squares 0.1645)", "KEEP"],
        "REPORT PAR",
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
        ["SMOOTH SPLINE AUTO", "TRY AUTO .1"],
        [UNUSABLE, "begin from other values"],
        "SET",
        done=True,
    ),
    Situation(
        fitting.lost,
        decay("0*a", "par a=1"),
        ["SMOOTH SPLINE AUTO", "UNDO", "TRY AUTO .1"],
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
    "returning.all_was_tried",
    "studies.local",
    "undetermined.ran_away",
    "signs.negative",
    "elsewhere.search_nearer",
    "undetermined.freeze",
    "elsewhere.search_for_better",
    "converged.statistics",
    "converged.not_elliptic",
    "converged.done",
    "fitting.unseen",
    "elsewhere.search_everywhere",
    "fitting.lost",
]


def ruling(session: Session) -> Rule:
    """The rule that speaks."""
    return spoken(Facts(session.interpreter.timeline))[0]
