"""Simulations in several threads at once, and Ctrl-C in the middle of one."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from benchmarks.cases import chain, enzyme, predator_prey

from parfit import Method, Simulator

N_RUNS = 8
PATIENCE = 60  # seconds of the processor; without an interrupt the runs below take longer
METHODS = {
    "trapezoid": Method("trapezoid"),
    "bdf": Method("gear", "bdf", 1e-7, h_min=0.0),
    "adams": Method("gear", "adams", 1e-5, h_min=0.0),
    "auto": Method("gear", "auto", 1e-7, h_min=0.0),
}
# Runs that would take minutes or more, and what they integrate.
OSCILLATOR = "par w=1\nx'=w*v\nv'=-w*x\ninit x=1, v=0"
COSTLY = "par w=1\nx'=sin(t)-w*x+" + "+".join(f"sin({k}*x)/{k * k}" for k in range(1, 1000)) + "\ninit x=1"
COUPLED = "par w=1\nmean=(" + "+".join(f"x{i}" for i in range(160)) + ")/160\nextra(x)=0\n"
COUPLED += "\n".join(f"x{i}'=w*(mean-x{i}+sin(t))+extra(x{i})\ninit x{i}={i}" for i in range(160))
WAVES = "+".join(f"sin({k}*x)/{k * k}" for k in range(1, 100))
COSTLY_COUPLED = COUPLED.replace("extra(x)=0", f"extra(x)={WAVES}")
GEAR = "Method('gear', {!r}, 1e-12, h_min=0.0, max_steps=10**9)"
# After so much processor time, whatever else the machine does, the timer does what Ctrl-C does.
INTERRUPTED = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_CPU, ({patience}, {patience}))
from parfit import Method, Model, Simulator

simulator = Simulator(Model.from_text({text!r}), {times}, {method})
signal.signal(signal.SIGPROF, signal.default_int_handler)
signal.setitimer(signal.ITIMER_PROF, 0.3)
try:
    simulator(sensitivities={sensitivities})
except KeyboardInterrupt:
    sys.stdout.write("interrupted")
"""


def same(a, b):
    return np.array_equal(a.y, b.y) and np.array_equal(a.s, b.s) and a.counts == b.counts


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [predator_prey, enzyme, lambda: chain(24)], ids=["small", "stiff", "banded"])
def test_threads_give_the_same_bits(make, method):
    problem = make()
    if method == "adams" and problem.model.name == "enzyme":
        problem = predator_prey()  # Adams formulas would take a million steps over a stiff problem
    simulator = Simulator(problem.model, problem.times, METHODS[method])
    settings = [problem.p * factor for factor in np.linspace(0.9, 1.1, N_RUNS)]
    serial = [simulator(p, True) for p in settings]
    assert all(run.status for run in serial)
    assert not same(serial[0], serial[1])
    barrier = Barrier(N_RUNS)

    def run(p):
        barrier.wait()
        return simulator(p, True)

    with ThreadPoolExecutor(N_RUNS) as pool:
        for _ in range(5):
            assert all(same(a, b) for a, b in zip(serial, pool.map(run, settings), strict=True))


def test_results_do_not_share_memory():
    problem = predator_prey()
    simulator = Simulator(problem.model, problem.times)
    first = simulator(problem.p, True)
    y, s = first.y.copy(), first.s.copy()
    second = simulator(1.1 * problem.p, True)
    assert not np.shares_memory(first.y, second.y)
    assert np.array_equal(first.y, y)
    assert np.array_equal(first.s, s)


@pytest.mark.parametrize(
    ("text", "times", "method", "sensitivities"),
    [
        (OSCILLATOR, "[1e9]", GEAR.format("bdf"), True),
        (OSCILLATOR, "[1e9]", GEAR.format("adams"), True),
        (OSCILLATOR, "[1e9]", GEAR.format("auto"), False),
        (COUPLED, "[1e9]", GEAR.format("bdf"), False),
        (COSTLY, "[0.01 * k for k in range(2_000_000)]", "None", True),
        (COSTLY_COUPLED, "[0.01 * k for k in range(50_000)]", "None", False),
    ],
    ids=["bdf", "adams", "auto", "bdf, 160 states", "trapezoid", "trapezoid, 160 states"],
)
def test_an_interrupt_is_raised_in_the_middle(text, times, method, sensitivities):
    code = INTERRUPTED.format(text=text, times=times, method=method, sensitivities=sensitivities, patience=PATIENCE)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout == "interrupted", run.stderr
