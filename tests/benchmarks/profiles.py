"""What all profiles cost next to plain fits at the same points, each with one parameter held, from the minimum.

    nice python tests/benchmarks/profiles.py

Processor time of all threads, the least of some repetitions, and evaluations; the targets are .3 s for six parameters
of two states with 50 observations, 3 s for 15 parameters of ten states, and half of the plain fits for both. Plain
fits run in compiled code from their first to their last evaluation, and profiles do not: their ratio of times is
larger than that of evaluations.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

import parfit
from parfit.estimation.optimizers import bounded
from parfit.estimation.profiles.profile import Profile
from parfit.estimation.strategies.reliability.profile import profile
from parfit.estimation.strategies.reliability.wanted import Request
from parfit.session.environment import Environment

sys.path.insert(0, str(Path(__file__).resolve().parent))
from timing import table, verdict

REPETITIONS, RATIO = 5, 0.5
TOUR = {"p1": 0.4945, "p2": 0.0992, "p3": 5.017, "p4": 1.0, "p5": 0.1494, "p6": 0.009841}
N = 10  # compartments, each of which saturates; every other one gives something back


def tour() -> Environment:
    return parfit.load("models/tour.ode", "models/tour.csv").with_values(TOUR).fit().environment


def ten() -> Environment:
    """Ten states and 15 parameters, observed 20 times each with errors of 3 %."""
    rates = ", ".join(f"k{i}={0.4 + 0.08 * i:g}" for i in range(1, N + 1))
    lines = [f"par {rates}, " + ", ".join(f"b{i}={0.05 * i:g}" for i in range(1, N // 2 + 1))]
    for i in range(1, N + 1):
        inflow = "exp(-.2*t)+.3" if i == 1 else f"k{i - 1}*x{i - 1}/(1+.3*x{i - 1})"
        back = f"+b{(i + 1) // 2}*x{i + 1}" if i % 2 else f"-b{i // 2}*x{i}"
        lines.append(f"x{i}'={inflow}-k{i}*x{i}/(1+.3*x{i}){back}")
    model = parfit.Model.from_text(
        "\n".join([*lines, "init " + ", ".join(f"x{i}=1" for i in range(1, N + 1)), "done"])
    )
    times = np.linspace(0.5, 15.0, 20)
    y = parfit.load(model).simulate(times).y
    y = y * (1.0 + 0.03 * np.random.default_rng(2).normal(size=y.shape))
    data = {"t": times, **{f"x{i + 1}": y[:, i] for i in range(N)}}
    return parfit.load(model, data).fit().environment


def refits(env: Environment, profiles: tuple[Profile, ...]) -> int:
    """Fit all others at every point of the profiles, from the minimum; how many evaluations it took."""
    n = 0
    for k, each in enumerate(profiles):
        for value in each.values[each.values != each.best]:
            full = env.values.copy()
            full[k] = value
            held = env.with_values(full).with_frozen([each.name])
            n += bounded.minimize(held.problem(), held.parameters.point, bounded.Settings(1e-6)).n_evaluations
    return n


def least(work: Callable[[], object]) -> float:
    """Seconds of the processor."""
    found = np.inf
    for _ in range(REPETITIONS):
        began = process_time()
        work()
        found = min(found, process_time() - began)
    return float(found)


def main() -> int:
    rows, is_met = (
        [["problem", "points", "profiles s", "at most", "fits s", "ratio", "evaluations", "of fits", ""]],
        True,
    )
    for name, env, most in (("2 states, 6 parameters", tour(), 0.3), ("10 states, 15 parameters", ten(), 3.0)):
        found = profile(env, Request())
        mine, theirs = least(lambda e=env: profile(e, Request())), least(lambda e=env, f=found: refits(e, f.profiles))
        n = sum(each.values.size - 1 for each in found.profiles)
        words = verdict(mine, most, at_most=True), verdict(mine / theirs, RATIO, at_most=True)
        is_met &= words == ("met", "met")
        rows.append([name, str(n), f"{mine:.3f}", f"{most:g}", f"{theirs:.3f}", f"{mine / theirs:.2f}"])
        rows[-1] += [str(found.n_evaluations), str(refits(env, found.profiles)), " ".join(words)]
    sys.stdout.write(table(rows))
    return 0 if is_met else 1


if __name__ == "__main__":
    raise SystemExit(main())
