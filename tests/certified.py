"""Least-squares problems whose minima are known: More, Garbow & Hillstrom (1981), and NIST's reference datasets.

Residuals are written once, for real and complex arguments alike; Jacobians are complex-step derivatives of them, so
that they owe nothing to the program under test.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from parfit.estimation.problem import Evaluation
from parfit.simulation.status import Reason, Status

STEP = 1e-30  # of the complex differences: too small to be seen beside the real part
FAILED = Status(Reason.NO_CONVERGENCE, 1.5, "y1")


@dataclass(eq=False)
class LeastSquares:
    """Residuals as a problem to minimize, that counts its evaluations and notes where they were made.

    `fails` says where there is no solution: residuals and Jacobian are not numbers there.
    """

    function: Callable
    fails: Callable = lambda x: False
    seen: list = field(default_factory=list)

    def residuals(self, x):
        return np.asarray(self.function(np.asarray(x, dtype=float)), dtype=float)

    def jac(self, x):
        steps = np.asarray(x) + 1j * STEP * np.eye(len(x))
        return np.stack([np.imag(self.function(each)) / STEP for each in steps], axis=1)

    def evaluate(self, active):
        self.seen.append(np.array(active))
        f, jac = self.residuals(active), self.jac(active)
        if self.fails(active):
            return Evaluation(np.full_like(f, np.nan), np.full_like(jac, np.nan), FAILED)
        return Evaluation(f, jac, Status())


@dataclass(frozen=True)
class Certified:
    """A problem with its usual start and its certified minimum."""

    name: str
    function: Callable
    start: tuple[float, ...]
    total: float  # at the minimum
    p: tuple[float, ...] = ()  # where it is, if it was certified

    def problem(self):
        return LeastSquares(self.function)


def _linear(x):
    return np.concatenate([x, np.zeros(5)]) - 0.2 * np.sum(x) - 1


def _rosenbrock(x):
    return np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def _powell(x):
    return np.array(
        [x[0] + 10 * x[1], np.sqrt(5) * (x[2] - x[3]), (x[1] - 2 * x[2]) ** 2, np.sqrt(10) * (x[0] - x[3]) ** 2]
    )


def _freudenstein_roth(x):
    return np.array([-13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1], -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1]])


def _brown_dennis(x):
    t = np.arange(1, 21) / 5
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


BARD = np.array([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39])


def _bard(x):
    u = np.arange(1, 16)
    v = 16 - u
    return BARD - (x[0] + u / (v * x[1] + np.minimum(u, v) * x[2]))


KOWALIK_U = np.array([4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
KOWALIK = np.array([0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])


def _kowalik_osborne(x):
    u = KOWALIK_U
    return KOWALIK - x[0] * (u**2 + u * x[1]) / (u**2 + u * x[2] + x[3])


MEYER = np.array(
    [34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872]
)


def _meyer(x):
    return x[0] * np.exp(x[1] / (45 + 5 * np.arange(1, 17) + x[2])) - MEYER


MISRA = np.array(
    [
        [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0],
        [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78],
    ]
)
BOX_BOD = np.array([[1.0, 2, 3, 5, 7, 10], [109, 149, 149, 191, 213, 224]])
DAN_WOOD = np.array([[1.309, 1.471, 1.490, 1.565, 1.611, 1.680], [2.138, 3.421, 3.597, 4.340, 4.882, 5.660]])
RAT42 = np.array(
    [[9.0, 14, 21, 28, 42, 57, 63, 70, 79], [8.93, 10.8, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08]]
)


def _misra(b, data=MISRA):
    return b[0] * (1 - np.exp(-b[1] * data[0])) - data[1]


def _box_bod(b):
    return _misra(b, BOX_BOD)


def _dan_wood(b):
    return b[0] * DAN_WOOD[0] ** b[1] - DAN_WOOD[1]


def _rat42(b):
    return b[0] / (1 + np.exp(b[1] - b[2] * RAT42[0])) - RAT42[1]


KOWALIK_P = (1.9280693458e-01, 1.9128232873e-01, 1.2305650693e-01, 1.3606233068e-01)
RAT42_P = (7.2462237576e01, 2.6180768402e00, 6.7359200066e-02)
MISRA_P = (2.3894212918e02, 5.5015643181e-04)

PROBLEMS = [  # sums from More, Garbow & Hillstrom, section 3 (the problem's number there), or NIST
    Certified("linear", _linear, (1.0,) * 5, 5.0, (-1.0,) * 5),  # 32, with 10 residuals
    Certified("rosenbrock", _rosenbrock, (-1.2, 1.0), 0.0, (1.0, 1.0)),  # 1
    Certified("powell-singular", _powell, (3.0, -1.0, 0.0, 1.0), 0.0),  # 13
    Certified("freudenstein-roth", _freudenstein_roth, (0.5, -2.0), 48.98425),  # 2, a local minimum
    Certified("brown-dennis", _brown_dennis, (25.0, 5.0, -5.0, -1.0), 85822.2),  # 16
    Certified("bard", _bard, (1.0, 1.0, 1.0), 8.21487e-3),  # 8
    Certified("kowalik-osborne", _kowalik_osborne, (0.25, 0.39, 0.415, 0.39), 3.0750560385e-4, KOWALIK_P),  # 15
    Certified("meyer", _meyer, (0.02, 4000.0, 250.0), 87.945855171, (5.6096364710e-3, 6181.3463463, 345.22363462)),
    Certified("misra1a-1", _misra, (500.0, 0.0001), 1.2455138894e-1, MISRA_P),
    Certified("misra1a-2", _misra, (250.0, 0.0005), 1.2455138894e-1, MISRA_P),
    Certified("box-bod", _box_bod, (100.0, 0.75), 1168.0088766, (213.80940889, 0.54723748542)),
    Certified("dan-wood", _dan_wood, (1.0, 5.0), 4.3173084083e-3, (7.6886226176e-1, 3.8604055871)),
    Certified("rat42-1", _rat42, (100.0, 1.0, 0.1), 8.0565229338, RAT42_P),
    Certified("rat42-2", _rat42, (75.0, 2.5, 0.07), 8.0565229338, RAT42_P),
]


def certified(name):
    return next(problem for problem in PROBLEMS if problem.name == name)


# ---- a differential equation whose fit can be computed without integrating anything

WASH_OUT = "par k=1, c=2, a=5\nx'=c-k*x\nx(0)=a\n@ total=4\ndone"
WASH_OUT_TIMES = np.arange(0.5, 4.25, 0.5)
WASH_OUT_VALUES = np.array([3.46, 3.12, 2.92, 2.55, 2.47, 2.31, 2.30, 2.22])
ACCURATE = "OPTION PROCEDURE GEAR EPS 1e-11 HMIN 0"


def wash_out(p, weights=1.0):
    """Residuals of x' = c - k x, x(0) = a by its solution."""
    k, c, a = p
    return weights * (c / k + (a - c / k) * np.exp(-k * WASH_OUT_TIMES) - WASH_OUT_VALUES)
