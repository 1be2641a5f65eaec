"""GUIDE obeyed blindly on problems that it has never seen: python tests/benchmarks/blind_guide.py [SEED] [STARTS].

Each problem has data with errors of .5 to 5 %, and starts that are wrong by factors up to 30. Counted is how often it
comes to the least sum of squares that is known (within 1 %), claims to be done elsewhere, gives up, or finds no end.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from conversation import Session

from parfit.advice import advise
from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.session.sources import Script
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator

MOST_STEPS = 40
WITHIN = 1.01  # of the least sum of squares that is known
WRONG = 30.0  # factor
ACCURATE = Method("gear", "auto", 1e-8, 0.0, np.inf)

# Equations, observed variables, last time; the values of the parameters are the true ones.
PROBLEMS = {
    "decay": ("par k=.6, a=3\nx'=-k*x\nx(0)=a\n", "x", 6),
    "chain": ("par a=.8, b=.3\nx'=-a*x\ny'=a*x-b*y\ninit x=2, y=0\n", "x y", 10),
    "chain, end": ("par a=.8, b=.3\nx'=-a*x\ny'=a*x-b*y\nz'=b*y\ninit x=2, y=0, z=0\n", "x z", 12),
    "chain, middle": ("par a=1.1, b=.25\nx'=-a*x\ny'=a*x-b*y\ninit x=2, y=0\n", "y", 12),
    "reversible": ("par a=.5, b=.2, c=.3\nx'=-a*x+b*y\ny'=a*x-(b+c)*y\nz'=c*y\ninit x=1, y=0, z=0\n", "x y z", 15),
    "logistic": ("par r=.9, k=8, n0=.4\nn'=r*n*(1-n/k)\nn(0)=n0\n", "n", 12),
    "predators": ("par a=1, b=.3, c=.2, d=.8\nx'=a*x-b*x*y\ny'=c*x*y-d*y\ninit x=4, y=2\n", "x y", 12),
    "predators, start": (
        "par a=1, b=.3, c=.2, d=.8, x0=4, y0=2\nx'=a*x-b*x*y\ny'=c*x*y-d*y\nx(0)=x0\ny(0)=y0\n",
        "x y",
        12,
    ),
    "epidemic": ("par b=.9, g=.3\ns'=-b*s*i\ni'=b*s*i-g*i\nr'=g*i\ninit s=1.9, i=.05, r=0\n", "i r", 14),
    "epidemic, one": ("par b=.9, g=.3\ns'=-b*s*i\ni'=b*s*i-g*i\ninit s=1.9, i=.05\n", "i", 14),
    "enzyme": ("par v=1.4, m=.7\ns'=-v*s/(m+s)\np'=v*s/(m+s)\ninit s=5, p=0\n", "s p", 6),
    "enzyme, full": (
        "par a=1.2, b=.4, c=.8\ns'=-a*e*s+b*q\ne'=-a*e*s+(b+c)*q\nq'=a*e*s-(b+c)*q\np'=c*q\ninit s=2, e=1, q=0, p=0\n",
        "s p",
        8,
    ),
    "dimer": ("par a=.6, b=.1\nx'=-2*a*x^2+2*b*y\ny'=a*x^2-b*y\ninit x=3, y=0\n", "x y", 8),
    "oscillator": ("par w=1.3, d=.15\nx'=v\nv'=-w^2*x-d*v\ninit x=2, v=0\n", "x", 12),
    "pendulum": ("par w=1.5, d=.2\nx'=v\nv'=-w^2*sin(x)-d*v\ninit x=2.2, v=0\n", "x v", 10),
    "brusselator": ("par a=1, b=1.7\nx'=a-(b+1)*x+x^2*y\ny'=b*x-x^2*y\ninit x=1.5, y=2\n", "x y", 12),
    "fitzhugh": ("par a=.2, b=.2, c=2\nv'=c*(v-v^3/3+r)\nr'=-(v-a+b*r)/c\ninit v=-1, r=1\n", "v r", 10),
    "drug": ("par a=1.5, e=.3, v=2\ng'=-a*g\nc'=a*g/v-e*c\ninit g=6, c=0\n", "c", 10),
    "two rooms": ("par e=.4, p=.9, q=.3\nx'=-(e+p)*x+q*y\ny'=p*x-q*y\ninit x=5, y=0\n", "x", 10),
    "five": (
        "par a=.9, b=.7, c=.5, d=.4\nx'=-a*x\ny'=a*x-b*y\nz'=b*y-c*z\nu'=c*z-d*u\nw'=d*u\n"
        "init x=3, y=0, z=0, u=0, w=0\n",
        "x z w",
        14,
    ),
    "growth": ("par m=.8, k=1.2, y=.5\nx'=m*x*s/(k+s)\ns'=-y*m*x*s/(k+s)\ninit x=.3, s=4\n", "x s", 10),
    "autocatalysis": ("par a=.05, b=.8\nx'=-a*x-b*x*y\ny'=a*x+b*x*y\ninit x=2, y=0\n", "x y", 8),
}


def problem(name: str, seed: int):
    """Model and data, with errors in proportion to how much each variable varies."""
    text, names, last = PROBLEMS[name]
    rng = np.random.default_rng([seed, *name.encode()])
    model = Model.from_text(text + "@ t0=0\n", "blind")
    times = np.linspace(last / 25, last, 25)
    run = Simulator(model, np.append(0.0, times), ACCURATE)(model.values)
    exact = np.column_stack([run.column(each)[1:] for each in names.split()])
    error = np.exp(rng.uniform(np.log(0.005), np.log(0.05)))
    return model, make_observations(
        times, names.split(), exact + error * exact.std(axis=0) * rng.normal(size=exact.shape)
    )


def start(name: str, seed: int, number: int, wrong: float = WRONG) -> str:
    """The command that sets wrong values."""
    model = Model.from_text(PROBLEMS[name][0], "blind")
    rng = np.random.default_rng([seed, number, *name.encode()])
    factors = np.exp(rng.uniform(-np.log(wrong), np.log(wrong), model.values.size))
    return "SET " + " ".join(f"{n} {v:.3g}" for n, v in zip(model.parameters, model.values * factors, strict=True))


def least(name: str, seed: int) -> float:
    """The sum of squares of a fit that begins at the true values."""
    session = Session(*problem(name, seed), None)
    session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0", "FIT MORE")
    return float(session.env.sum_of_squares)


def follow(
    name: str, seed: int, number: int, most: int = MOST_STEPS, wrong: float = WRONG
) -> tuple[str, float, list[str]]:
    """How it ended, the sum of squares, and the steps."""
    session, steps = Session(*problem(name, seed), None), list[str]()
    session(start(name, seed, number, wrong))
    while not (advice := advise(session.interpreter.timeline)).done:
        if len(steps) >= most:
            return "endless", np.inf, steps
        steps.append(advice.command)
        session.interpreter.converse(Script(["GUIDE Y"], "blind"))
    total = session.env.sum_of_squares
    if total is None and session.env.observations is not None:
        session("INTEG N")
        total = session.env.sum_of_squares
    return "claimed" if "REPORT" in advice.command else "gave up", float(total or np.inf), steps


def judged(name: str, seed: int, number: int) -> tuple[str, float, float, list[str]]:
    best = least(name, seed)
    how, total, steps = follow(name, seed, number)
    if how != "endless" and total <= WITHIN * best:
        return "right", total, best, steps
    return ("claimed but wrong" if how == "claimed" else how), total, best, steps


def main() -> None:
    seed, n_starts = (int(each) for each in (sys.argv[1:] + ["1", "4"][len(sys.argv) - 1 :])[:2])
    counts: Counter[str] = Counter()
    for name in PROBLEMS:
        for number in range(n_starts):
            how, total, best, steps = judged(name, seed, number)
            counts[how] += 1
            if how != "right":
                words = " ".join(step.split()[0] for step in steps)
                sys.stdout.write(f"{name} {number}: {how}, {total:.6g} instead of {best:.6g} ({words})\n")
                sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)} of {counts.total()}\n")


if __name__ == "__main__":
    main()
