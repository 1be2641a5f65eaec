"""Profiles against published ones: Taxol on spheroids of glioma cells, and an epidemic.

M. C. Eisenberg and H. V. Jain, "A confidence building exercise in data and identifiability", Journal of Theoretical
Biology 431 (2017) 63-78; data of A. J. A. Terzis et al., British Journal of Cancer 75 (1997) 1744. The limits are
those that others found for both (LikelihoodProfiler.jl, test_taxol_model.jl and test_sir_model.jl): where chi-square
with 5 degrees of freedom has its 95 % above F at the published values of the parameters, which is a little above the
minimum, within the bounds that are given there.
"""

from dataclasses import replace

import numpy as np
import pytest
from crews import AT_ONCE
from scipy.stats import chi2

from parfit.data.csvfile import read_csv
from parfit.data.observations import make_observations
from parfit.estimation.optimizers import bounded
from parfit.estimation.parameters import Scaling
from parfit.estimation.profiles.profile import profiled
from parfit.estimation.profiles.target import ParameterTarget
from parfit.estimation.profiles.threshold import threshold
from parfit.estimation.strategies.fit import fit
from parfit.estimation.strategies.parallel import Forgotten
from parfit.estimation.strategies.reliability.profile import profile
from parfit.estimation.strategies.reliability.sides import Sides
from parfit.estimation.strategies.reliability.wanted import Request
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import Method
from parfit.simulation.status import Reason, Status

DOSES = (5, 10, 40, 100)  # ng/ml
VOLUMES = np.array(
    [
        [0.009, 0.047, 0.089, 0.149, 0.198, 0.219],
        [0.009, 0.043, 0.077, 0.093, 0.109, 0.128],
        [0.009, 0.025, 0.047, 0.054, 0.076, 0.085],
        [0.009, 0.025, 0.026, 0.028, 0.029, 0.031],
    ]
)
ERRORS = np.array(
    [
        [0.006, 0.013, 0.010, 0.011, 0.013, 0.010],
        [0.006, 0.012, 0.013, 0.012, 0.014, 0.012],
        [0.005, 0.010, 0.010, 0.011, 0.010, 0.010],
        [0.006, 0.010, 0.009, 0.008, 0.011, 0.011],
    ]
)
TIMES = np.arange(0.0, 16.0, 3.0)  # days
MEANS = VOLUMES.mean(axis=1)
CELLS = 1091.0  # thousands of cells in a cubic millimetre
LOWER, UPPER = (2.0, 2.0, 0.01, 0.05, 30.0), (30.0, 30.0, 0.6, 5.0, 250.0)
PUBLISHED = {
    "a0": (6.615, 17.36),
    "ka": (4.924, 10.781),
    "r0": (-np.inf, 0.405),
    "d0": (0.186, np.inf),
    "kd": (49.237, np.inf),
}
MODEL = """
par a0=8.317, ka=8.0959, r0=.0582, d0=1.3307, kd=119.1363
number k=1051.5, lam=9.5722, dose=5, mean=100
v=1.3907*k
n=p+q+r
turn=20*q*(k-n)^10/(v^10+(k-n)^10)
stop=a0*dose^3/(ka^3+dose^3)*p
p'=-lam*p+turn-stop+r0*r
q'=2*lam*p-turn
r'=stop-d0*dose^4/(kd^4+dose^4)*r-r0*r
init p=7.27, q=2.549, r=0
aux c=n/mean
done
"""


@pytest.fixture
def taxol(tmp_path):
    """Proliferating, resting and arrested cells under four doses: four experiments."""
    sd = float((ERRORS / MEANS[:, np.newaxis]).mean())
    rows = ["experiment,t,dose,mean,c,c.sd"]
    for dose, mean, volumes in zip(DOSES, MEANS.tolist(), VOLUMES.tolist(), strict=True):
        settings = f"{dose},{CELLS * mean!r}"
        rows += [f"d{dose},{t},{settings},{y / mean!r},{sd!r}" for t, y in zip(TIMES, volumes, strict=True)]
    (tmp_path / "taxol.csv").write_text("\n".join(rows) + "\n")
    model = Model.from_text(MODEL, "taxol")
    data = read_csv(tmp_path / "taxol.csv", model)
    return Environment.of(model, data).with_scaling(dict.fromkeys(model.parameters, Scaling.LOGARITHM))


def published(start, names, rel):
    """The limits of some parameters are the published ones."""
    env = fit(start).env
    before, total = (each.problem().evaluate(each.parameters.point).sum_of_squares for each in (start, env))
    assert total <= before
    limit = threshold(95.0, total, 19, True, 5)
    assert limit.rise == pytest.approx(chi2.ppf(0.95, 5))
    limit = replace(limit, rise=limit.rise + before - total)
    for name in names:
        k = env.model.parameters.index(name)
        found = profiled(env.problem(), env.parameters, ParameterTarget(env.parameters, k), limit)
        assert found.limits == pytest.approx(PUBLISHED[name], rel=rel), name


def test_the_taxol_study(taxol):
    """Without bounds. That of r0 is found from the ends of other profiles: along its own valley, in which d0 and kd go
    to infinity together, F has its limit at .364 already. There the lower limit of a0 is 6.605."""
    env = fit(taxol).env
    before, total = (each.problem().evaluate(each.parameters.point).sum_of_squares for each in (taxol, env))
    limit = threshold(95.0, total, 19, True, 5)
    targets = [(ParameterTarget(env.parameters, k), env.problem()) for k in range(5)]
    sides = Sides(env, targets, tuple(PUBLISHED), replace(limit, rise=limit.rise + before - total), Forgotten())
    sides.done(lambda part: None, AT_ONCE)
    assert sides.profiles()[2].limits[1] == pytest.approx(0.364, rel=1e-3)
    sides.look_again(AT_ONCE)
    for name, found in zip(PUBLISHED, sides.profiles(), strict=True):
        assert found.limits == pytest.approx(PUBLISHED[name], rel=2e-3), name


def test_the_taxol_study_within_bounds(taxol):
    limited = taxol.with_bounds(LOWER, UPPER)
    published(limited, ("r0", "d0", "kd"), 2e-3)
    published(limited, ("a0", "ka"), 0.01)  # whose limits the bounds of the others move a little


# ---- an epidemic


class Poisson:
    """Counts: residuals whose squares add up to the deviance of a Poisson distribution."""

    def __init__(self, env, counts):
        self._problem, self._counts = env.problem(), counts

    def evaluate(self, active):
        found, counts = self._problem.evaluate(active), self._counts
        y = found.residuals + counts
        if not found.usable or (y <= 0.0).any():
            return replace(found, status=Status(Reason.NOT_FINITE))
        off = y - counts
        root = np.sign(off) * np.sqrt(2.0 * np.maximum(off + counts * np.log(counts / y), 0.0))
        is_met = np.abs(off) < 1e-6 * counts
        slope = np.where(is_met, counts**-0.5, (1.0 - counts / y) / np.where(is_met, 1.0, root))
        return replace(found, residuals=root, jac=slope[:, np.newaxis] * found.jac)


COUNTS = np.array([97, 271, 860, 1995, 4419, 6549, 6321, 4763, 2571, 1385, 615, 302, 159, 72, 34], dtype=float)
SIR = "par b=.4, g=.25, k=1.25\ns'=-b*s*i\ni'=b*s*i-g*i\ninit s=1-97e-5*k, i=97e-5*k\naux y=i/k*1e5\n{}done"
LIMITS_OF_SIR = [(0.376, 0.428), (0.222, 0.277), (1.045, 1.458)]  # of b and g, and of 1 over the published k


def epidemic(line=""):
    data = make_observations(np.arange(0.0, 99.0, 7.0), ["y"], COUNTS[:, np.newaxis])
    return Environment.of(Model.from_text(SIR.format(line), "sir"), data, options=Options(method=Method(eps=1e-9)))


def test_the_epidemic_with_errors_as_counts_have_them():
    """As it would be done in conversation: the standard deviation of a count is its root."""
    found = profile(epidemic("noise y sqrt(y)\n"), Request(joint=True))
    assert (found.threshold.is_known, found.threshold.n_together) == (True, 3)
    assert [each.limits for each in found.profiles] == [pytest.approx(ends, rel=3e-3) for ends in LIMITS_OF_SIR]


def test_the_epidemic_of_counts():
    """Three parameters, simultaneously 95 %; the third is the part of cases that is counted, 1e-5 being its unit."""
    counts, env = COUNTS, epidemic()
    env = env.with_values(bounded.minimize(Poisson(env, counts), env.parameters.point).p)
    limit = threshold(95.0, 1.0, 12, True, 3)
    found = [
        profiled(Poisson(env, counts), env.parameters, ParameterTarget(env.parameters, k), limit) for k in range(3)
    ]
    assert [each.limits for each in found] == [pytest.approx(ends, rel=2e-3) for ends in LIMITS_OF_SIR]
