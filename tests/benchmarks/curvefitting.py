"""How long an evaluation of curve fitting takes at many sample times, with residuals and exact Jacobian.

    python tests/benchmarks/curvefitting.py [--quick]

Predator and prey, both states given by curves: DFIT 2 and IFIT 2 at 100,000 sample times should take well under a
second. "numpy" is the same written by hand for this model with whole arrays, common parts shared; "loop" is a
straightforward program that calls g and g_p at one time after the other (measured at a hundredth of the times).
The improvement of guesses is the whole sparse Gauss-Newton method.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import numpy as np
from timing import fastest, table, verdict

from parfit.estimation.curves.guessing import guessed_curve
from parfit.estimation.optimizers.sparse_gauss_newton import Guesses, improve
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems.derivative_fit import DefectFit, DerivativeFit
from parfit.estimation.problems.integral_fit import QuadratureFit
from parfit.model.language.reader import read_model

N = 100_000
TARGET = 0.1  # seconds
PREY = [0, 2.5, 5, 7.5, 10, 12.5], [2, 4.4, 5.3, 4.1, 4.2, 4.4]
PREDATORS = [0, 2.5, 7, 10, 12.5], [8, 1.5, 6.5, 4.5, 5]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    rounds = 3 if parser.parse_args().quick else 15
    sys.stdout.write(table(measured(rounds)))


def measured(rounds: int) -> list[list[str]]:
    model = read_model(Path(__file__).parents[2] / "models" / "predator-prey.ode")
    times = np.linspace(0.0, 12.5, N)
    y1, y2 = guessed_curve(*PREY), guessed_curve(*PREDATORS)
    parameters = ParameterMap(model.parameters, model.values)
    p, y = parameters.point, np.stack([y1(times), y2(times)])
    slopes = np.stack([y1(times, 1), y2(times, 1)])
    guessed = {"y2": y[1]}
    cases = {
        "DFIT 2": (DerivativeFit(model, parameters, times, {"y1": y1, "y2": y2}), partial(dfit, y, slopes)),
        "DFIT 3, parameters": (DefectFit(model, parameters, times, {"y1": y1}, guessed), None),
        "IFIT 2": (QuadratureFit(model, parameters, times, {"y1": y1}, guessed), partial(ifit, times, y)),
    }
    rows = [[f"{N} sample times", "ms", f"under {1e3 * TARGET:g} ms", "numpy, ms", "ratio", "loop, ms", "ratio"]]
    for name, (problem, by_hand) in cases.items():
        functions = [partial(problem.evaluate, p)]
        if by_hand is not None:
            _check(problem.evaluate(p), by_hand(p), name)
            functions += [partial(by_hand, p), partial(loop, y[:, ::100], slopes[:, ::100], p)]
        seconds = fastest(functions, rounds)
        words = [f"{1e3 * seconds[0]:.2f}", verdict(seconds[0], TARGET, at_most=True)]
        for s, factor in zip(seconds[1:], (1, 100), strict=False):
            words += [f"{1e3 * s * factor:.2f}", f"{s * factor / seconds[0]:.2f}"]
        rows.append([name, *words, *[""] * (7 - 1 - len(words))])
    problem = Guesses(model, model.values, times, {"y1": y1}, guessed)
    (seconds,) = fastest([partial(improve, problem, 1e-6)], max(2, rounds // 3))
    rows.append(["improvement of guesses", f"{1e3 * seconds:.2f}", "", *[""] * 4])
    return rows


def _check(found, expected, name: str) -> None:
    """The two must compute the same."""
    assert np.allclose(found.residuals, expected[0], rtol=1e-9, atol=1e-9), name
    assert np.allclose(found.jac, expected[1], rtol=1e-9, atol=1e-9), name


def slopes_of(y: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g (2, n) and g_p (2, 6, n) by hand."""
    y1, y2 = y
    bottom = 1 / (1 + p[4] * y1)
    eaten = y1 * y2 * bottom
    less = -eaten * y1 * bottom  # by p5
    square = y1 * y1
    g = np.stack([p[0] * y1 - p[1] * eaten - p[5] * square, -p[2] * y2 + p[3] * eaten])
    g_p = np.zeros((2, 6, y1.size))
    g_p[0, 0], g_p[0, 1], g_p[0, 4], g_p[0, 5] = y1, -eaten, -p[1] * less, -square
    g_p[1, 2], g_p[1, 3], g_p[1, 4] = -y2, eaten, p[3] * less
    return g, g_p


def dfit(y: np.ndarray, slopes: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    g, g_p = slopes_of(y, p)
    return (g - slopes).T.ravel(), np.ascontiguousarray(g_p.transpose(2, 0, 1)).reshape(-1, 6)


def ifit(times: np.ndarray, y: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    g, g_p = slopes_of(y, p)
    half = np.diff(times) / 2
    u = np.array([[2.0], [8.0]]) + np.cumsum((g[:, 1:] + g[:, :-1]) * half, axis=1)
    s = np.cumsum((g_p[..., 1:] + g_p[..., :-1]) * half, axis=2)
    return (u - y[:, 1:]).T.ravel(), np.ascontiguousarray(s.transpose(2, 0, 1)).reshape(-1, 6)


def loop(y: np.ndarray, slopes: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One time after the other, as in 1977."""
    residuals, jac = np.empty((y.shape[1], 2)), np.empty((y.shape[1], 2, 6))
    for k in range(y.shape[1]):
        g, g_p = slopes_of(y[:, k : k + 1], p)
        residuals[k], jac[k] = g[:, 0] - slopes[:, k], g_p[..., 0]
    return residuals.ravel(), jac.reshape(-1, 6)


if __name__ == "__main__":
    main()
