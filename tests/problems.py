"""Initial value problems with known solutions: as model text, and as plain functions of their own.

The functions `rhs` and `initial` are written separately from the text, so that the solutions made from them
(`references.py`) owe nothing to the program under test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from parfit import Model

# Table 3.2.1 of M. W. Benson's thesis (1977).
ENZYME_TIMES = (
    [0.0002 * i for i in range(1, 11)] + [0.02, 0.04, 0.06, 0.08, 0.1] + [1, 2, 5, 10, 15, 20, 25, 30]
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Problem:
    """y' = rhs(t, y, p), y(t0) = initial(p); every quantity may be complex, and each entry of y an array."""

    name: str
    text: str
    times: Sequence[float]
    stiff: bool
    p: tuple[float, ...]
    rhs: Callable
    initial: Callable
    published: tuple[float, ...] = ()  # y at the last time, from the literature
    origin: str = ""  # of the published values
    t0: float = 0.0

    @cached_property
    def model(self) -> Model:
        return Model.from_text(self.text, self.name)


def _decay(t, y, p):
    return [-p[0] * y[0]]


def _oscillator(t, y, p):
    return [y[1], -(p[0] ** 2) * y[0]]


def _lotka_volterra(t, y, p):
    return [p[0] * y[0] - p[1] * y[0] * y[1], -p[2] * y[1] + p[3] * y[0] * y[1]]


def _predator_prey(t, y, p):
    eaten = y[0] * y[1] / (1 + p[4] * y[0])
    return [p[0] * y[0] - p[1] * eaten - p[5] * y[0] * y[0], -p[2] * y[1] + p[3] * eaten]


def _enzyme(t, y, p):
    bound = (1 - y[1]) * y[0]
    return [-bound + p[1] * y[1], p[0] * (bound - (p[1] + p[2]) * y[1])]


def _robertson(t, y, p):
    first, second, third = p[0] * y[0], p[1] * y[1] * y[2], p[2] * y[1] * y[1]
    return [second - first, first - second - third, third]


def _van_der_pol(t, y, p):
    return [y[1], p[0] * (1 - y[0] * y[0]) * y[1] - y[0]]


def _hires(t, y, p):
    k1, k2, k3, k4, k5, k6, bind, free, use, feed = p[:10]
    y1, y2, y3, y4, y5, y6, y7, y8 = y
    binding = bind * y6 * y8 - (k2 + free + use) * y7
    return [
        -k1 * y1 + k2 * y2 + k6 * y3 + feed,
        k1 * y1 - (k2 + k3) * y2,
        -(k1 + k6) * y3 + k2 * y4 + k5 * y5,
        k3 * y2 + k1 * y3 - (k2 + k4) * y4,
        -(k1 + k5) * y5 + k2 * y6 + k2 * y7,
        -bind * y6 * y8 + k4 * y4 + k1 * y5 - k2 * y6 + free * y7,
        binding,
        -binding,
    ]


def _oregonator(t, y, p):
    s, q, w = p[:3]
    return [s * (y[1] + y[0] * (1 - q * y[0] - y[1])), (y[2] - (1 + y[0]) * y[1]) / s, w * (y[0] - y[2])]


def _heart(t, y, p):
    pulse = 4991 / (t * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((np.log(t) - p[1]) / p[2]) ** 2)
    return [-p[0] * y[0] + p[3] / 2.6 * (y[1] - y[0]) + p[0] * 27.8 + pulse, p[3] / 2.7 * (y[0] - y[1])]


PROBLEMS = (
    Problem(
        "decay",
        "par k=.7, a=3\ny'=-k*y\ny(0)=a\ndone",
        [0.5 * i for i in range(1, 21)],
        False,
        (0.7, 3.0),
        _decay,
        lambda p: [p[1]],
    ),
    Problem(
        "oscillator over ten periods",
        "par w=2, a=1, b=0\nx'=v\nv'=-w^2*x\nx(0)=a\nv(0)=b\ndone",
        np.arange(1, 101) * (np.pi / 10),
        False,
        (2.0, 1.0, 0.0),
        _oscillator,
        lambda p: [p[1], p[2]],
    ),
    Problem(  # thesis, section 3.4, first example
        "Lotka-Volterra",
        "par p1=.15, p2=.03, p3=.8, p4=.1, a=12, b=2\ny1'=p1*y1-p2*y1*y2\ny2'=-p3*y2+p4*y1*y2\ny1(0)=a\ny2(0)=b\ndone",
        np.arange(1.0, 21.0),
        False,
        (0.15, 0.03, 0.8, 0.1, 12.0, 2.0),
        _lotka_volterra,
        lambda p: [p[4], p[5]],
    ),
    Problem(  # thesis, problem 4.2.1
        "predator-prey",
        "par p1=1, p2=.1, p3=3, p4=1, p5=.1, p6=.15, a=2, b=8\neaten=y1*y2/(1+p5*y1)\n"
        "y1'=p1*y1-p2*eaten-p6*y1^2\ny2'=-p3*y2+p4*eaten\ny1(0)=a\ny2(0)=b\ndone",
        0.5 * np.arange(1, 26),
        False,
        (1.0, 0.1, 3.0, 1.0, 0.1, 0.15, 2.0, 8.0),
        _predator_prey,
        lambda p: [p[6], p[7]],
    ),
    Problem(  # thesis, (3.2.9)
        "enzyme",
        "par p1=1000, p2=.99, p3=.01, a=1\n"
        "y1'=-(1-y2)*y1+p2*y2\ny2'=p1*((1-y2)*y1-(p2+p3)*y2)\ny1(0)=a\ny2(0)=0\ndone",
        ENZYME_TIMES,
        True,
        (1000.0, 0.99, 0.01, 1.0),
        _enzyme,
        lambda p: [p[3], 0.0],
    ),
    Problem(
        "Robertson",
        "par k1=.04, k2=1e4, k3=3e7, a=1\ny1'=-k1*y1+k2*y2*y3\ny2'=k1*y1-k2*y2*y3-k3*y2^2\ny3'=k3*y2^2\ny1(0)=a\ndone",
        [1e-4, 1e-3, 0.01, 0.1, 0.4, 1, 4, 10, 40, 100, 400, 1e3, 4e3, 1e4, 4e4, 1e5],
        True,
        (0.04, 1e4, 3e7, 1.0),
        _robertson,
        lambda p: [p[3], 0.0, 0.0],
    ),
    Problem(
        "van der Pol",
        "par mu=1000, a=2\nx'=v\nv'=mu*(1-x^2)*v-x\nx(0)=a\nv(0)=0\ndone",
        100.0 * np.arange(1, 21),
        True,
        (1000.0, 2.0),
        _van_der_pol,
        lambda p: [p[1], 0.0],
        (0.1706167732170483e1, -0.8928097010247975e-3),
        "Mazzia and Magherini, Test Set for IVP Solvers (2008), VDPOL, its time being t/1000",
    ),
    Problem(
        "HIRES",
        "par k1=1.71, k2=.43, k3=8.32, k4=.69, k5=.035, k6=8.32, bind=280, free=.69, use=.69, feed=.0007\n"
        "par a=1, b=.0057\nbinding=bind*y6*y8-(k2+free+use)*y7\ny1'=-k1*y1+k2*y2+k6*y3+feed\n"
        "y2'=k1*y1-(k2+k3)*y2\ny3'=-(k1+k6)*y3+k2*y4+k5*y5\ny4'=k3*y2+k1*y3-(k2+k4)*y4\n"
        "y5'=-(k1+k5)*y5+k2*y6+k2*y7\ny6'=-bind*y6*y8+k4*y4+k1*y5-k2*y6+free*y7\ny7'=binding\ny8'=-binding\n"
        "y1(0)=a\ny8(0)=b\ndone",
        [0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 150, 200, 250, 300, 310, 321.8122],
        True,
        (1.71, 0.43, 8.32, 0.69, 0.035, 8.32, 280.0, 0.69, 0.69, 0.0007, 1.0, 0.0057),
        _hires,
        lambda p: [p[10], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, p[11]],
        (
            0.7371312573325668e-3,
            0.1442485726316185e-3,
            0.5888729740967575e-4,
            0.1175651343283149e-2,
            0.2386356198831331e-2,
            0.6238968252742796e-2,
            0.2849998395185769e-2,
            0.2850001604814231e-2,
        ),
        "Mazzia and Magherini, Test Set for IVP Solvers (2008), HIRES",
    ),
    Problem(
        "Oregonator",
        "par s=77.27, q=8.375e-6, w=.161, a=1, b=2, c=3\ny1'=s*(y2+y1*(1-q*y1-y2))\n"
        "y2'=(y3-(1+y1)*y2)/s\ny3'=w*(y1-y3)\ny1(0)=a\ny2(0)=b\ny3(0)=c\ndone",
        30.0 * np.arange(1, 13),
        True,
        (77.27, 8.375e-6, 0.161, 1.0, 2.0, 3.0),
        _oregonator,
        lambda p: list(p[3:]),
        (0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3),
        "Mazzia and Magherini, Test Set for IVP Solvers (2008), OREGO",
    ),
)

# A short pulse after a quiet start. B. van Domselaar and P. W. Hemker, Mathematical Centre report NW 18/75 (1975),
# problem 6 and table 8.3, read as `-p1*y1` and `q/(t sqrt(2 pi))`, without which its results cannot be had.
HEART_TIMES = [2.5, 3.8, 7.0, 10.9, 15.0, 18.2, 21.3, 22.9, 24.9, 26.8, 30.1, 34.0, 37.8, 42.4, 44.4, 47.9]
HEART_TIMES += [53.1, 59.0, 65.1, 73.1, 81.1, 91.2, 101.9, 115.4, 138.7, 163.2, 186.7]
HEART = Problem(
    "heart",
    "par p1=.16, p2=2.6, p3=.3, p4=.32\nnumber v1=2.6, v2=2.7, q=4991, normal=27.8\n"
    "pulse=q/(t*sqrt(2*pi))*exp(-.5*((ln(t)-p2)/p3)^2)\n"
    "y1'=-p1*y1+p4/v1*(y2-y1)+p1*normal+pulse\ny2'=p4/v2*(y1-y2)\n"
    "y1(0)=normal\ny2(0)=normal\n@ t0=.1\ndone",
    HEART_TIMES,
    False,
    (0.16, 2.6, 0.3, 0.32),
    _heart,
    lambda p: [27.8, 27.8],
    t0=0.1,
)
HEART_OPTIMUM = replace(HEART, p=(0.27264, 2.65313, 0.36619, 0.20766))
