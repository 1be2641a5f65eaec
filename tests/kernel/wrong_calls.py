"""Calls of the kernel that must be refused: run as a program, it makes them all and counts what is not an error.

In a process of its own, because a kernel that trusts its arguments ends the process.
"""

import sys

import numpy as np
from parfit.kernel.decomposition import Decomposition
from parfit.kernel.fit import Fit
from parfit.kernel.gear import Gear
from parfit.kernel.integrator import Integration, Integrator
from parfit.kernel.jumps import Jumps, Rows
from parfit.kernel.linearized import Linearized
from parfit.kernel.mapping import Mapping
from parfit.kernel.marquardt import Marquardt
from parfit.kernel.more import More, adapted
from parfit.kernel.residuals import Residuals, appraised, loss_terms, sum_of_squares
from parfit.kernel.search import Search
from parfit.kernel.system import Blending, System
from parfit.kernel.tape import OPCODES, Tape
from parfit.kernel.together import Experiment, Seat, Together
from parfit.kernel.trapezoid import Trapezoid

NAN, INF = float("nan"), float("inf")
BIG = 2**31 - 1
EMPTY: list[int] = []
F = np.ones
CURVE = ([0.0, 1.0], np.ones((4, 1)))

# x' = -k x, x(0) = k: registers t, x, k, -k, -k x, -x
TAPE = {
    "n_states": 1,
    "n_params": 1,
    "code": [[OPCODES["neg"], 3, 2, 0, 0], [OPCODES["mul"], 4, 3, 1, 0], [OPCODES["neg"], 5, 1, 0, 0]],
    "image": np.zeros(6),
    "marks": [1, 2, 2, 3],
    "outputs": [[4], [3], [5]],
    "curves": (),
}
INITIAL = TAPE | {"code": EMPTY, "image": np.array([0, 0, 0, 1.0]), "marks": [0, 0, 0], "outputs": [[2], [3]]}


def tape(**other):
    return Tape(**(TAPE | other))


def instruction(*numbers):
    return tape(code=[*TAPE["code"][:2], list(numbers)])


def system(**other):
    ones = ([0, 1], [0])
    usual = {
        "dynamics": tape(),
        "initial": Tape(**INITIAL),
        "patterns": [ones, ones, ones],
        "order": [0],
        "bandwidths": (0, 0),
        "m": 1,
        "ranges": ([0], [1]),
        "segments": ([0], [1]),
        "autonomous": True,
    }
    return System(**(usual | other))


def patterns(which, pattern):
    found = [([0, 1], [0])] * 3
    found[which] = pattern
    return found


USUAL_RUN = {"times": np.array([0.0, 1.0]), "blending": None, "skip": 0, "p": F(1), "sensitivities": True}
USUAL_GEAR = {"stops": np.array([1.0]), "scale": F(1), "family": "bdf", "eps": 1e-4, "h_min": 0.0, "h_max": 5.0}


OF_A_RUN = ("p", "sensitivities", "y_start", "s_start", "every", "trace")


def called(kind, arguments):
    made = kind(**{name: value for name, value in arguments.items() if name not in OF_A_RUN})
    return made(**{name: value for name, value in arguments.items() if name in OF_A_RUN})


def run(**other):
    return called(Trapezoid, {"system": system()} | USUAL_RUN | other)


def geared(**other):
    return called(Gear, {"system": system(), "max_steps": 1000} | USUAL_RUN | USUAL_GEAR | other)


def trapezoid(times=USUAL_RUN["times"]):
    return Trapezoid(system(), times, None, 0)


def together(method=None, places=(0,), columns=(0,), first=0):
    experiments = [(method or trapezoid(), places, columns, first)]
    return Together(system(), USUAL_RUN["times"], 0, experiments)(F(1), True)


def decomposed(jac, f, scaled=False):
    found = Decomposition(3, 2)
    found.load(jac, f, scaled)
    return found


def mapping(**other):
    ends = (np.full(2, -INF), np.full(2, INF))
    usual = {"full": F(2), "active": [1], "scaling": [1], "bounds": ends, "scaled_bounds": (-F(1), F(1))}
    return Mapping(**(usual | other))


def more(**other):
    usual = {"n": 3, "m": 2, "tol": 1e-8, "max_evaluations": 9, "loss": "huber", "scale": 1.0}
    return More(**(usual | other))


def marquardt(**other):
    usual = {"n": 3, "m": 2, "lam": 0.1, "relative": True, "scaled": False, "rtol": 1e-6, "least": 0.0}
    return Marquardt(**(usual | {"max_iterations": 9, "max_errors": 3} | other))


FOUND = (F(3), np.eye(3, 2), 3.0, True)


def begun(make):
    search = make()
    search.begin(F(2), *FOUND)
    return search


def taken(n=3, m=2):
    found = Linearized(n, m)
    found.load(np.eye(n, m), F(n))
    return found


ONE = {"full": F(1), "active": [0], "scaling": [0], "bounds": (-F(1), F(1)), "scaled_bounds": (-F(1), F(1))}
OUTPUTS = {"patterns": [([0, 1], [0]), ([0, 1], [0])]}


def whole(numbers):
    return np.array(numbers, dtype=np.intc)


def residuals(**other):
    usual = {"method": Trapezoid(system(), np.array([0.0, 1.0]), None, 1), "mapping": Mapping(**ONE)}
    usual |= {"rows": whole([0, 0]), "variables": whole([0, 0]), "weights": F(2), "values": F(2), "used": [1]}
    return Residuals(**(usual | other))


def fit_search(n=2, m=1):
    search = More(n, m, 1e-8, 9, "linear", 1.0)
    search.begin(F(m), F(n), F((n, m)), 2.0, True)
    return search


def fit(n=2, m=1):
    return Fit(residuals(), fit_search(n, m))


def rows_of(*outputs, by_state=()):
    """Rows of a jump: -k x where nothing else is said, with a derivative by t, and by x where it is asked for."""
    n = len(outputs)
    code = TAPE["code"]
    slopes = [3] * n + [3] * len(by_state)
    made = tape(code=code, marks=[1, 2, 3], outputs=[list(outputs), slopes])
    starts = [0] * n + [len(by_state)]
    return Rows(made, (starts, list(by_state)), ([0] * (n + 1), EMPTY), 1)


def jumps(n_conditions=2, by_state=(), **other):
    """One time, some conditions and one action; the parameter is a mode."""
    usual = {"timed": ([0], [-1], [0.0], [0.0], [0], [1]), "crossing": ([2, 3], [0, 0], [-1, -1], [0, 0])}
    usual |= {"actions": ([0, 1], [0], [0]), "m": 1, "n_modes": 1}
    of = {"times": rows_of(4, by_state=by_state), "conditions": rows_of(*[4] * n_conditions), "values": rows_of(4)}
    return Jumps(**(of | usual | other))


RIGHT = [
    jumps,
    lambda: jumps(crossing=([0, 1], [0, -1], [0, -1], [-1, 0])),
    lambda: residuals().at(F(1)),
    lambda: residuals(variables=whole([0, 1]), outputs=tape(), **OUTPUTS).at(F(1)),
    lambda: fit().advance(1.0),
    lambda: fit().trials(),
    lambda: fit().best_found(),
    lambda: Fit(residuals(), More(2, 1, 1e-8, 9, "linear", 1.0), F(1)).best_found(),
    tape,
    system,
    lambda: Blending(system(), [0.5], [CURVE]),
    run,
    geared,
    lambda: decomposed(F((3, 2)), F(3), True).step(0.1),
    lambda: Decomposition(3, 2).step(0.1),
    lambda: mapping().expanded(F(1)),
    lambda: mapping().pressed(F(1), F(1)),
    lambda: begun(more).tell(*FOUND),
    lambda: begun(marquardt).tell(*FOUND),
    lambda: More(1, 2, 1e-8, 9, "linear", 1.0, (-F(2), F(2))),
    lambda: appraised(F(0), F((0, 2))),
    lambda: loss_terms("cauchy", F(3)),
    together,
    lambda: geared(system=system(fill=([0, 1], [0]), outline=([0, 1], [0]))),
    lambda: taken().step(1.0, 0.0),
    lambda: taken().scaled_norm(F(2)),
    lambda: tape().evaluate(F(2), F((2, 1)), F(1), 3),
]

TIMES = [np.array([0.0, NAN]), np.array([0.0, INF]), np.array([1.0, 0.0]), np.empty(0), None, [0.0, 1.0], F((2, 2))]
PATTERNS = [
    ([0, 2], [0]), ([0, 1], [1]), ([0, 1], [-1]), ([1, 1], [0]), ([0], [0]), ([0, 1, 1], [0]), ([0, 2], [0, 0]),
    ([0, 0], EMPTY), ([0.0, 1.0], [0]), ([0, 1], ["a"]), ([0, 1],), None, ([0, 2**40], [0]),
]  # fmt: skip
WRONG = [
    # tapes
    *(lambda n=n: tape(n_states=n) for n in (-1, BIG, 5, "one", None)),
    *(lambda n=n: tape(n_params=n) for n in (-1, BIG, 5, None)),
    lambda: tape(n_states=BIG, n_params=BIG),
    *(lambda op=op: instruction(op, 5, 1, 0, 0) for op in (-1, len(OPCODES), BIG)),
    *(lambda out=out: instruction(OPCODES["neg"], out, 1, 0, 0) for out in (-1, 0, 2, 6, BIG)),
    *(lambda a=a: instruction(OPCODES["neg"], 5, a, 0, 0) for a in (-1, 6, BIG)),
    *(lambda b=b: instruction(OPCODES["mul"], 5, 1, b, 0) for b in (-1, 6, BIG)),
    *(lambda c=c: instruction(OPCODES["if"], 5, 1, 1, c) for c in (-1, 6, BIG)),
    *(lambda k=k: instruction(OPCODES["curve"], 5, 1, k, 0) for k in (-1, 0, 1, BIG)),
    *(lambda k=k: instruction(OPCODES["slope"], 5, 1, k, 0) for k in (-1, 0, BIG)),
    lambda: tape(code=[[1, 2, 3]]),
    lambda: tape(code=[[0.5] * 5]),
    lambda: tape(code=[[2**40, 5, 1, 0, 0]]),
    lambda: tape(code=None),
    lambda: tape(code=[1, 2, 3, 4, 5]),
    *(lambda x=x: tape(image=x) for x in (np.zeros(3), np.zeros(0), None, "a", np.zeros((6, 1)))),
    *(
        lambda x=x: tape(marks=x)
        for x in ([1, 2, 2, 4], [1, 2, 1, 3], [-1, 2, 2, 3], [1, 2, 3], [1] * 9, None, "abcd")
    ),
    *(
        lambda x=x: tape(outputs=x)
        for x in ([[4], [3], [6]], [[-1], [3], [5]], [[4]], None, [[BIG], [3], [5]], [4, 3, 5])
    ),
    *(
        lambda x=x: tape(curves=x)
        for x in ([5], [(F(2), F((3, 1)))], [(F(3), F((4, 1)))], [None], 5, [(F(1), F((4, 0)))])
    ),
    lambda: tape().evaluate(F(2), F((3, 1)), F(1), 3),
    lambda: tape().evaluate(F(2), F((2, 2)), F(1), 3),
    lambda: tape().evaluate(F(2), F((2, 1)), F(2), 3),
    *(lambda k=k: tape().evaluate(F(2), F((2, 1)), F(1), k) for k in (0, -1, 4, BIG)),
    lambda: tape().evaluate(None, F((2, 1)), F(1), 1),
    lambda: tape().evaluate(F(2), None, F(1), 1),
    lambda: tape().evaluate(F(2), F((2, 1)), None, 1),
    lambda: Tape(),
    # systems
    lambda: System(None, None, [], [], (0, 0), 0, ([], []), ([], []), True),
    lambda: system(dynamics=None),
    lambda: system(initial=None),
    lambda: system(dynamics=Tape(**INITIAL)),
    lambda: system(initial=tape(outputs=[[4]], marks=[1, 2])),
    lambda: system(initial=Tape(**(INITIAL | {"n_params": 0}))),
    lambda: system(initial=Tape(**(INITIAL | {"outputs": [[2, 2], [3]]}))),
    lambda: system(dynamics=tape(outputs=[[], [3], [5]])),
    *(lambda k=k, x=x: system(patterns=patterns(k, x)) for k in range(3) for x in PATTERNS),
    *(lambda x=x: system(patterns=x) for x in (None, [], [([0, 1], [0])] * 2, 5)),
    *(lambda x=x: system(order=x) for x in ([1], [-1], [], [0, 0], None, [0.0], "a")),
    *(lambda x=x: system(bandwidths=x) for x in ((-1, 0), (0, -1), (1, 0), (0, BIG), (0,), None)),
    *(lambda x=x: system(m=x) for x in (-1, 0, None, 2**40)),
    *(lambda x=x: system(ranges=x) for x in (([0], [2]), ([-1], [1]), ([1], [0]), ([], []), None, ([0, 0], [1, 1]))),
    *(
        lambda x=x: system(segments=x)
        for x in (([0], [2]), ([-1], [1]), ([1], [0]), ([0, 0], [1]), None, ([0], [BIG]))
    ),
    # blending
    lambda: Blending(None, [0.5], [CURVE]),
    *(lambda x=x: Blending(system(), x, [CURVE]) for x in ([], [0.5, 0.5], None, ["a"], 0.5, {0: 1.0})),
    *(lambda x=x: Blending(system(), [0.5], x) for x in ([], [None], [CURVE] * 2, None, [5], [(F(2), F((2, 1)))])),
    *(lambda x=x: Blending(system(), [0.5], [x]) for x in ((), CURVE[:1], [CURVE[0]], (*CURVE, 0))),
    *(lambda x=x: system(fill=x) for x in PATTERNS if x is not None),
    *(lambda x=x: system(fill=([0, 1], [0]), outline=x) for x in (5, *PATTERNS) if x is not None),
    lambda: system(outline=([0, 1], [0])),
    # integrations
    *(lambda f=f, x=x: f(times=x) for f in (run, geared) for x in TIMES),
    *(lambda f=f, x=x: f(p=x) for f in (run, geared) for x in (F(0), F(2), None, [1.0], F((1, 1)))),
    *(lambda f=f, x=x: f(skip=x) for f in (run, geared) for x in (-1, 2, BIG, None)),
    *(lambda f=f, x=x: f(system=x) for f in (run, geared) for x in (None, 5, tape())),
    *(lambda f=f, x=x: f(blending=x) for f in (run, geared) for x in (5, [0.5])),
    *(lambda f=f, x=x: f(y_start=x) for f in (run, geared) for x in (F(0), F(2), "a", [[1.0, 2.0]])),
    *(lambda f=f, x=x: f(y_start=F(1), s_start=x) for f in (run, geared) for x in (F(0), F((2, 1)), "a")),
    *(lambda x=x: geared(stops=x) for x in (None, np.array([NAN]), np.array([2.0, 1.0]), [1.0])),
    *(lambda x=x: geared(scale=x) for x in (None, F(0), F(2), np.array([NAN]), np.array([-1.0]), np.array([INF]))),
    *(lambda x=x: geared(family=x) for x in (None, "", "euler", 5)),
    *(lambda x=x: geared(eps=x) for x in (0.0, -1.0, NAN, None)),
    *(lambda x=x: geared(h_min=x) for x in (-1.0, NAN, "a")),
    *(lambda x=x: geared(h_max=x) for x in (0.0, -1.0, NAN)),
    *(lambda x=x: geared(max_steps=x) for x in (0, -1, None)),
    *(lambda x=x: geared(every=x) for x in (-1, 1)),
    lambda: geared(every=1, trace=5),
    lambda: Integrator()(F(1), True),
    lambda: Integration()(),
    *(lambda x=x: together(method=x) for x in (5, Integrator(), trapezoid(np.arange(3.0)))),
    *(
        lambda k=k, x=x: together(**{k: x})
        for k in ("places", "columns")
        for x in ([-1], [1], [BIG], [], [0, 0], None)
    ),
    *(lambda k=k, x=x: together(**{k: x}) for k in ("places", "columns") for x in ([0.5], ["a"], 5, [2**40])),
    *(lambda x=x: together(first=x) for x in (-1, 1, BIG, None)),
    *(lambda x=x: Together(system(), USUAL_RUN["times"], 0, x) for x in (None, 5, [5], [()], [(trapezoid(),)])),
    *(lambda x=x: Together(system(), USUAL_RUN["times"], 0, []).some(x, 0, 1) for x in (None, 5)),
    lambda: Together(system(), USUAL_RUN["times"], 0, []).divided(None),
    *(lambda x=x: Seat(x, True) for x in (None, 5)),
    *(lambda x=x: Experiment(*x) for x in ((), (None, [0], [0], 0, None, [0]), (trapezoid(), [0], [0], 0, None, [0]))),
    *(lambda x=x: Experiment(trapezoid(), [0], [0], 0, Integrator(), x) for x in ([0], [], None)),
    # jumps
    lambda: jumps(by_state=[0]),
    *(
        lambda x=x: jumps(crossing=x)
        for x in (
            ([0, 0], [0, 0], [0, -1], [-1, -1]),
            ([1, 2], [1, 0], [-1, -1], [0, 0]),
            ([3, 2], [0, 0], [-1, -1], [0, 0]),
            ([2, 2], [0, 0], [-1, -1], [0, 0]),
            ([-1, 1], [0, 1], [0, -1], [0, 0]),
            ([1, 1], [0, 1], [-1, -1], [0, 0]),
            ([2, 3], [0, 0], [-1, -1], [0, -1]),
            ([4, 1], [0, 1], [0, -1], [0, 0]),
            ([2, 3], [0, 0], [-1, -1], [0, 1]),
        )
    ),
    *(lambda x=x: jumps(actions=([0, 1], *x)) for x in (([0], [-1]), ([0], [2]), ([-1], [0]), ([1], [0]))),
    *(lambda x=x: jumps(m=x) for x in (-1, 0, 2, None)),
    *(lambda x=x: jumps(n_modes=x) for x in (-1, 0, 2, None)),
    lambda: jumps(timed=([0], [-1], [0.0], [0.0], [-1], [1])),
    lambda: jumps(timed=([0], [-1], [0.0], [0.0], [0], [2])),
    lambda: jumps(timed=([0], [-1], [0.0], [0.0], [0], [])),
    *(lambda x=x: jumps(timed=x) for x in ([], ([0], [-1], [0.0], [0.0], [0]), (*[[0]] * 6, [0]), None)),
    *(
        lambda x=x: jumps(crossing=x)
        for x in ([], ([2, 3], [0, 0], [-1, -1]), ([2, 3], [0, 0], [-1, -1], [0, 0], [0]))
    ),
    *(lambda x=x: jumps(actions=x) for x in ([], ([0, 1], [0]), ([0, 1], [0], [0], [0]), None)),
    # least squares
    *(lambda x=x: decomposed(*x) for x in ((F((3, 2)), F(2)), (F((2, 2)), F(3)), (F((3, 3)), F(3)), (None, F(3)))),
    lambda: decomposed(F((3, 2)), None),
    *(lambda x=x: Decomposition(*x) for x in ((0, 1), (1, 0), (-1, -1), (2**40, 1), (None, 1), ())),
    *(lambda x=x: appraised(*x) for x in ((None, F((1, 1))), (F(1), None), (F((1, 1)), F((1, 1))))),
    *(lambda x=x: loss_terms(*x) for x in (("none", F(1)), (None, F(1)), ("huber", None), ("huber", F((1, 1))))),
    # maps
    *(lambda x=x: mapping(full=x) for x in (F(0), F(1), F(3), None, "a")),
    *(lambda x=x: mapping(active=x) for x in ([-1], [2], [BIG], [0, 1], [0.5], None, [[0]])),
    *(lambda x=x: mapping(scaling=x) for x in ([-1], [3], [], [0, 0], [0.5], None)),
    *(lambda x=x: mapping(bounds=x) for x in ((F(1), F(2)), (F(2),), (F(2), F(2), F(2)), None)),
    *(lambda x=x: mapping(scaled_bounds=x) for x in ((F(1), F(2)), (F(1),), (F(2), F(2)), None)),
    *(lambda x=x: mapping().expanded(x) for x in (F(0), F(2), None, 5)),
    *(lambda x=x: mapping().slopes(x) for x in (F(0), F(2), None, 5)),
    *(lambda x=x: mapping().pressed(x, F(1)) for x in (F(0), F(2), None, 5)),
    *(lambda x=x: mapping().pressed(F(1), x) for x in (F(0), F(2), None, 5)),
    # searches
    *(lambda f=f, x=x: f(n=x) for f in (more, marquardt) for x in (0, -1, None, 2**40)),
    *(lambda f=f, x=x: f(m=x) for f in (more, marquardt) for x in (0, -1, None, 2**40)),
    *(lambda x=x: more(loss=x) for x in ("none", None, 5)),
    *(lambda x=x: more(scale=x) for x in (0.0, -1.0, NAN, None)),
    *(lambda x=x: more(tol=x) for x in (NAN, None)),
    *(lambda x=x: more(bounds=x) for x in ((F(1), F(2)), (F(2), F(3)), (F(2),), 5, (None, None), ([1.0, 1.0], F(2)))),
    *(lambda x=x: marquardt(lam=x) for x in (NAN, -1.0, None)),
    *(lambda x=x: marquardt(mapping=x) for x in (5, mapping())),
    *(lambda f=f, x=x: f().begin(x, *FOUND) for f in (more, marquardt) for x in (F(1), F(3), None)),
    *(lambda f=f: f().tell(*FOUND) for f in (more, marquardt)),
    *(lambda f=f: begun(f).begin(F(2), *FOUND) for f in (more, marquardt)),
    *(lambda f=f, x=x: begun(f).tell(x, *FOUND[1:]) for f in (more, marquardt) for x in (F(2), F(4), None)),
    *(
        lambda f=f, x=x: begun(f).tell(F(3), x, 3.0, True)
        for f in (more, marquardt)
        for x in (F((2, 2)), F((3, 3)), F(3), None, F((2, 3)).T)
    ),
    # residuals, and fits
    *(lambda x=x: residuals(method=x) for x in (None, 5, Integrator())),
    *(lambda x=x: residuals(mapping=x) for x in (None, 5, mapping())),
    *(lambda x=x: residuals(rows=whole(x)) for x in ([], [0], [0, 1], [-1, 0], [[0, 0]], [0, BIG])),
    *(lambda x=x: residuals(variables=whole(x)) for x in ([], [0], [0, 1], [-1, 0], [0, BIG])),
    *(lambda k=k, x=x: residuals(**{k: x}) for k in ("rows", "variables") for x in ([0, 0], F(2), None, "ab")),
    *(lambda x=x: residuals(weights=x) for x in (F(0), F(1), F(3), None, "ab", F((2, 1)))),
    *(lambda x=x: residuals(values=x) for x in (F(0), F(1), F(3), None, "ab", F((2, 1)))),
    *(lambda x=x: residuals(used=x) for x in ([], [1, 1], [[1]], None, 1, F((1, 1)))),
    *(lambda x=x: residuals(outputs=x) for x in (5, tape())),
    *(lambda x=x: residuals(outputs=tape(), patterns=x) for x in (None, [], [([0, 1], [0])], 5)),
    *(lambda x=x: residuals(outputs=tape(), patterns=[x, ([0, 1], [0])]) for x in PATTERNS),
    *(lambda x=x: residuals(outputs=tape(), patterns=[([0, 1], [0]), x]) for x in PATTERNS),
    lambda: residuals(outputs=Tape(**INITIAL), **OUTPUTS),
    *(lambda x=x: residuals().at(x) for x in (F(0), F(2), None, 5, F((1, 1)))),
    lambda: fit(n=3),
    lambda: fit(m=2),
    lambda: Fit(residuals(), More(2, 1, 1e-8, 9, "linear", 1.0)),
    *(lambda x=x: Fit(residuals(), More(2, 1, 1e-8, 9, "linear", 1.0), x) for x in (F(0), F(2), 5, F((1, 1)))),
    lambda: Fit(residuals(), fit_search(), F(1)),
    *(lambda x=x: Fit(residuals(), fit_search(), None, x) for x in (-1, "a", 10**30)),
    *(lambda x=x: Fit(*x) for x in ((None, None), (residuals(), None), (None, more()), (5, 5), ())),
    *(lambda k=k: fit().trials(k) for k in (-1, 1, BIG)),
    lambda: fit().advance(None),
    lambda: sum_of_squares(None),
    lambda: sum_of_squares(F((1, 1))),
    *(lambda x=x: adapted(*x) for x in ((), (None,) * 6, ("a",) * 6)),
    lambda: Search().begin(F(0), F(0), F((0, 0)), 0.0, True),
    lambda: Search().tell(F(0), F((0, 0)), 0.0, True),
    *(lambda x=x: Linearized(*x) for x in ((0, 0), (1, 2), (-1, -1), (2, -1), (2**40, 1), (None, 1), ())),
    lambda: Linearized(3, 2).step(1.0, 0.0),
    lambda: Linearized(3, 2).scaled_norm(F(2)),
    *(lambda x=x: taken().load(*x) for x in ((F((2, 2)), F(3)), (F((3, 3)), F(3)), (F((3, 2)), F(2)), (None, F(3)))),
    lambda: taken().load(F((3, 2)), None),
    *(lambda x=x: taken().scaled_norm(x) for x in (F(1), F(3), None, 5)),
    *(lambda x=x: taken().step(*x) for x in ((NAN, 0.0), (-1.0, 0.0), (1.0, NAN), (1.0, -1.0), (None, 0.0))),
]


def main() -> None:
    for call in RIGHT:
        call()
    for k, call in enumerate(WRONG):
        sys.stdout.write(f"{k} ")
        sys.stdout.flush()  # where it was, should the process end here
        try:
            call()
        except (ValueError, TypeError, OverflowError):  # a number too large for C is an OverflowError of Python's
            sys.stdout.write("refused\n")
        except BaseException as error:
            sys.stdout.write(f"{error!r}\n")
        else:
            sys.stdout.write("taken\n")


if __name__ == "__main__":
    main()
