"""Sessions with the thesis' problems, made ready for curve fitting as a user does it."""

from functools import cache

import numpy as np
from conversation import data_of
from smoothed import GUESSES, solved

from parfit.data.observations import make_observations
from parfit.model.model import Model

# Parameters of Figures 4.2.1 to 4.2.3 (thesis, page 95): the true ones of problems 4.2.1 to 4.2.3.
ONE, TWO, THREE = (1, 0.1, 3, 1, 0.1, 0.15), (0.5, 0.1, 5, 1, 0.15, 0.01), (1, 0.1, 3, 1, 0.2, 0.15)
# The joints of section 4.2, by the names of the data.
SMOOTH = {
    "predator-prey": "SMOOTH SPLINE 2 4 8 2 7 10.5",
    "predator-prey-2": "SMOOTH SPLINE 2 6.5 11.25 3 2 3.75 8.75",
    "predator-prey-3": "SMOOTH SPLINE 2 2.5 7.5 1 5",
}
SMOOTH_ENZYME = "SMOOTH HERMITE 1 10 4 .0007 .0014 .0016 15"  # section 3.2
SMOOTH_EQUILIBRIUM = "SMOOTH HERMITE 10 2 4 6 7 8 9 10 12 14 18 3 3 8 15"
SMOOTH_PREY = "SMOOTH SPLINE 2 4 8"  # y1 of problem 4.4.1
ACCURATE = "OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0"
TIGHT = "1e-12 1e-18"


def setting(values, names=None) -> str:
    """The command that sets all parameters."""
    names = names or [f"p{k}" for k in range(1, len(values) + 1)]
    return "SET " + " ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))


def guessing(t, y, name="") -> str:
    """The command that guesses a state."""
    return " ".join(["CREOBS", *([name] if name else []), str(len(t)), *map(str, [*t, *y])])


def guess_line(name) -> str:
    """A guess of Figure 4.4.1."""
    return guessing(*GUESSES[name])


def only(data, *names):
    """Some columns of observations, or of a bundled file of them."""
    data = data_of(data) if isinstance(data, str) else data
    return make_observations(data.times, names, data.values[:, [data.names.index(name) for name in names]])


def ready(session, guess="b"):
    """Problem 4.4.1 smoothed and guessed, starting from the parameters of 4.2.2; gives the lines that did it."""
    lines = [setting(TWO), SMOOTH_PREY, guess_line(guess)]
    session(*lines)
    return lines


def rounds_of(session) -> np.ndarray:
    """The parameters before and after each round, (n_rounds + 1, n_params)."""
    return np.array([each.values for each in session.env.iterates])


# ---- an epidemic: the susceptible, those who will be ill, the ill


EPIDEMIC = (0.25, 0.8, 0.5)  # b, a, g


@cache
def epidemic() -> Model:
    return Model.from_text(
        "par b=1, a=1, g=1\ns'=-b*s*i\ne'=b*s*i-a*e\ni'=a*e-g*i\ninit s=10, e=0, i=.5\naux sick=e+i\ndone", "epidemic"
    )


def epidemic_data(*names):
    """Exact observations of some of its quantities."""
    b, a, g = EPIDEMIC
    times = np.arange(1, 25) / 2

    def rates(t, y):
        infected = b * y[0] * y[2]
        return [-infected, infected - a * y[1], a * y[1] - g * y[2]]

    s, e, i = solved(rates, [10, 0, 0.5], times).T
    columns = {"s": s, "e": e, "i": i, "sick": e + i}
    return make_observations(times, names, np.stack([columns[name] for name in names], axis=1))
