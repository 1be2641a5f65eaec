"""COPASI, scipy and lmfit on AUTO's problems: python tests/benchmarks/coldstart_peers.py [FACTOR] [SAMPLES] [SECONDS].

COPASI's NL2SOL (`pip install ".[benchmark]"`) begins at the same start as AUTO, and then at the numbered places that
START would search from, until SECONDS (10) of processor time are over; scipy's least_squares and lmfit with LSODA
likewise. Told is how often one start was enough, how often 1 s was, and all of the time.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import basico
import lmfit
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

sys.path.insert(0, str(Path(__file__).parents[1]))

from coldstarts import PROBLEMS, begun
from copasi import Estimation

from parfit.arrays import Array
from parfit.estimation.strategies.fit import fit
from parfit.estimation.strategies.starting.places import Places
from parfit.session.environment import Environment
from parfit.simulation.pointwise import Initial, Pointwise

WITHIN = 1.01
RTOL, ATOL = 1e-7, 1e-10
Totals = Iterator[float]  # one after the other, each from another start
Peer = Callable[[Environment, float], Totals]  # on a problem, up to that processor time


def starts(env: Environment) -> Iterator[Array]:
    places = Places(env)
    yield env.values
    number = 0
    while True:
        number += 1
        yield places(number).values


def copasi(env: Environment, until: float) -> Totals:
    assert env.observations is not None
    model, data = env.model, env.observations
    for values in starts(env):
        with tempfile.TemporaryDirectory() as folder:
            active = range(len(model.parameters))
            found = Estimation(replace(model, values=values), data, active, RTOL, ATOL, Path(folder))
            basico.set_task_settings("Parameter Estimation", {"method": {"name": "NL2SOL", "Iteration Limit": 2000}})
            try:
                found.run()
                yield found.total
            except RuntimeError:
                yield np.inf
            finally:
                found.close()


def differences(env: Environment, until: float) -> Callable[[Array], Array]:
    """Residuals at parameters, of solutions by LSODA; far off where there is none. TimeoutError after some time."""
    assert env.observations is not None
    model, data = env.model, env.observations
    slopes, initial = Pointwise(model, model.states), Initial(model)
    where = [model.states.index(name) for name in data.names]

    def residuals(p: Array) -> Array:
        def rates(t: float, y: Array) -> Array:
            if time.process_time() > until:
                raise TimeoutError
            return slopes(np.array([t]), y[np.newaxis], p)[0][0]

        run = solve_ivp(
            rates,
            (model.t0, data.times[-1]),
            initial(p)[0],
            "LSODA",
            data.times,
            rtol=RTOL,
            atol=ATOL,
        )
        y = np.reshape(run.y, (len(model.states), -1))
        if y.shape[1] < data.times.size or not np.isfinite(y).all():
            return np.full(data.values.size, 1e10)
        return (y.T[:, where] - data.values).ravel()

    return residuals


def scipy(env: Environment, until: float) -> Totals:
    residuals = differences(env, until)
    for values in starts(env):
        with np.errstate(all="ignore"):
            found = least_squares(residuals, values, x_scale=np.maximum(np.abs(values), 1e-300), max_nfev=200)
        yield float(2.0 * found.cost)


def lmfit_(env: Environment, until: float) -> Totals:
    """MINPACK's lmdif, as lmfit calls it by default."""
    residuals, names = differences(env, until), env.model.parameters
    for values in starts(env):
        begin = lmfit.create_params(**dict(zip(names, values.tolist(), strict=True)))
        with np.errstate(all="ignore"):
            found = lmfit.minimize(
                lambda p: residuals(np.array([p[name].value for name in names])),
                begin,
                max_nfev=2000,
                calc_covar=False,
            )
        yield float(found.chisqr)


def tried(searched: Peer, env: Environment, least: float, budget: float) -> tuple[bool, float]:
    """Whether the first start was enough, and after how many seconds the minimum was found."""
    begin, is_first = time.process_time(), True
    with suppress(TimeoutError):
        for total in searched(env, begin + budget):
            seconds = time.process_time() - begin
            if total <= WITHIN * least:
                return is_first, seconds
            is_first = False
            if seconds >= budget:
                break
    return False, np.inf


PEERS: dict[str, Peer] = {"COPASI NL2SOL": copasi, "scipy": scipy, "lmfit": lmfit_}


def main() -> None:
    wrong, n, budget = (float(each) for each in (sys.argv[1:4] + ["30", "1", "10"][len(sys.argv[1:4]) :]))
    for peer, searched in PEERS.items():
        outcomes = []
        for name in PROBLEMS:
            for sample in range(1, int(n) + 1):
                true, env = begun(name, sample, wrong)
                outcomes.append(tried(searched, env, fit(true).total, budget))
                is_first, seconds = outcomes[-1]
                sys.stdout.write(f"{peer:14} {name:18} one start {is_first!s:5} {seconds:6.2f} s\n")
                sys.stdout.flush()
        first, seconds = (np.array(each) for each in zip(*outcomes, strict=True))
        told = [100 * np.mean(each) for each in (first, seconds <= 1.0, seconds <= budget)]
        sys.stdout.write(f"{peer}: one start {told[0]:.0f} %, 1 s {told[1]:.0f} %, {budget:g} s {told[2]:.0f} %\n")


if __name__ == "__main__":
    main()
