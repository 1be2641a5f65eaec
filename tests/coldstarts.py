"""Problems to be fitted from nowhere: the values of the parameters are the true ones, starts are wrong by factors."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from parfit.arrays import Array
from parfit.data.loading import read_data
from parfit.data.observations import Observations, make_observations
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.model.language.editing import edit
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator

ACCURATE = Method("gear", "auto", 1e-9, 0.0, np.inf)
NOISE = 0.01, 0.05  # of how much each variable varies

# Equations, observed variables, last time, number of times.
PROBLEMS = {
    "chain": ("par a=.8, b=.3\nx'=-a*x\ny'=a*x-b*y\ninit x=2, y=0\n", "x y", 10, 25),
    "logistic": ("par r=.9, k=8, n0=.4\nn'=r*n*(1-n/k)\nn(0)=n0\n", "n", 12, 25),
    "predators": ("par a=1, b=.3, c=.2, d=.8\nx'=a*x-b*x*y\ny'=c*x*y-d*y\ninit x=4, y=2\n", "x y", 12, 25),
    "predators, one": (
        "par a=1, b=.3, c=.2, d=.8, y0=2\nx'=a*x-b*x*y\ny'=c*x*y-d*y\nx(0)=4\ny(0)=y0\n",
        "x",
        20,
        40,
    ),
    "pendulum": ("par w=1.5, d=.2\nx'=v\nv'=-w^2*sin(x)-d*v\ninit x=2.2, v=0\n", "x v", 10, 25),
    "oscillator": ("par w=1.3, d=.15\nx'=v\nv'=-w^2*x-d*v\ninit x=2, v=0\n", "x", 12, 25),
    "vanderpol": ("par m=2, w=1, x0=1\nx'=v\nv'=m*(1-x^2)*v-w*x\nx(0)=x0\nv(0)=0\n", "x", 20, 50),
    "fitzhugh": ("par a=.2, b=.2, c=3\nv'=c*(v-v^3/3+r)\nr'=-(v-a+b*r)/c\ninit v=-1, r=1\n", "v r", 20, 50),
    "fitzhugh, one": ("par a=.2, b=.2, c=3\nv'=c*(v-v^3/3+r)\nr'=-(v-a+b*r)/c\ninit v=-1, r=1\n", "v", 20, 50),
    "fitzhugh, starts": (
        "par a=.2, b=.2, c=3, v0=-1, r0=1\nv'=c*(v-v^3/3+r)\nr'=-(v-a+b*r)/c\nv(0)=v0\nr(0)=r0\n",
        "v r",
        20,
        50,
    ),
    "brusselator, one": ("par a=1, b=2.5\nx'=a-(b+1)*x+x^2*y\ny'=b*x-x^2*y\ninit x=1, y=1\n", "x", 25, 50),
    "goodwin": (
        "par a=2, k=1, b=.5, c=.5, d=.5\nx'=a/(1+(z/k)^10)-b*x\ny'=x-c*y\nz'=y-d*z\ninit x=.5, y=.6, z=.8\n",
        "x y z",
        40,
        50,
    ),
    "goodwin, one": (
        "par a=2, b=.5, c=.5, d=.5\nx'=a/(1+z^10)-b*x\ny'=x-c*y\nz'=y-d*z\ninit x=.5, y=.6, z=.8\n",
        "x",
        40,
        50,
    ),
    "repressilator": (
        "par a=20, n=3, b=1\nx'=a/(1+z^n)-b*x\ny'=a/(1+x^n)-b*y\nz'=a/(1+y^n)-b*z\ninit x=1, y=2, z=3\n",
        "x y",
        20,
        50,
    ),
    "lorenz": (
        "par s=10, r=28, b=2.667\nx'=s*(y-x)\ny'=x*(r-z)-y\nz'=x*y-b*z\ninit x=1, y=1, z=20\n",
        "x y z",
        2.5,
        50,
    ),
    "robertson": (
        "par a=.04, b=1e4, c=3e7\nx'=-a*x+b*y*z\ny'=a*x-b*y*z-c*y^2\nz'=c*y^2\ninit x=1, y=0, z=0\n",
        "x z",
        40,
        25,
    ),
    "stiff chain": ("par a=200, b=1, c=.1\nx'=-a*x+b*y\ny'=a*x-b*y-c*y\ninit x=1, y=0\n", "y", 20, 25),
    "epidemic": (
        "par b=1.2, e=.5, g=.3, i0=.002\ns'=-b*s*i\nq'=b*s*i-e*q\ni'=e*q-g*i\ns(0)=1\nq(0)=0\ni(0)=i0\n",
        "i",
        40,
        40,
    ),
    "virus": (
        "par b=.002, d=.5, p=10, c=3, v0=.5\nu'=-b*u*v\ni'=b*u*v-d*i\nv'=p*i-c*v\nu(0)=400\ni(0)=0\nv(0)=v0\n",
        "v",
        15,
        25,
    ),
    "grazing": (
        "par r=.8, k=10, a=1.2, h=.4, e=.5, m=.4\nx'=r*x*(1-x/k)-a*x*y/(1+a*h*x)\n"
        "y'=e*a*x*y/(1+a*h*x)-m*y\ninit x=3, y=1\n",
        "x y",
        30,
        40,
    ),
    "glucose": (
        "par p=.03, q=.02, s=1e-5, n=.1\ng'=-(p+x)*g+p*90\nx'=-q*x+s*(i-7)\ni'=-n*(i-7)\ninit g=280, x=0, i=200\n",
        "g i",
        120,
        25,
    ),
    "cascade": (
        "par a=1, b=.5, c=2, d=.3, m=.2\nu'=a*(1-u)-b*u\nw'=c*u*(1-w)/(m+1-w)-d*w/(m+w)\ninit u=0, w=0\n",
        "w",
        12,
        25,
    ),
    "two rooms": (
        "par ka=1.2, ke=.23, v=19, p=.5, q=.25\ng'=-ka*g\nc'=ka*g/v-(ke+p)*c+q*s\ns'=p*c-q*s\ninit g=100, c=0, s=0\n",
        "c",
        48,
        20,
    ),
    "competition": (
        "par r=1, s=.8, a=.6, b=.7, k=10, l=8\nx'=r*x*(1-(x+a*y)/k)\ny'=s*y*(1-(y+b*x)/l)\ninit x=.5, y=.4\n",
        "x y",
        20,
        25,
    ),
    "pinene": (
        "par p=5.93e-5, q=2.96e-5, r=2.05e-5, s=27.5e-5, u=4e-5\na'=-(p+q)*a\nb'=p*a\nc'=q*a-(r+s)*c+u*e\n"
        "d'=r*c\ne'=s*c-u*e\ninit a=100, b=0, c=0, d=0, e=0\n",
        "a b c d e",
        36000,
        12,
    ),
    "hidden prey": ("par a=.9, b=1.1, y0=.3\nx'=a*x-b*x*y\ny'=b*x*y-y\nx(0)=1\ny(0)=y0\n", "x", 8, 25),
    "enzyme": (
        "par a=1.2, b=.4, c=.8\ns'=-a*e*s+b*q\ne'=-a*e*s+(b+c)*q\nq'=a*e*s-(b+c)*q\np'=c*q\ninit s=2, e=1, q=0, p=0\n",
        "s p",
        8,
        25,
    ),
    "five": (
        "par a=.9, b=.7, c=.5, d=.4\nx'=-a*x\ny'=a*x-b*y\nz'=b*y-c*z\nu'=c*z-d*u\nw'=d*u\n"
        "init x=3, y=0, z=0, u=0, w=0\n",
        "x z w",
        14,
        25,
    ),
    "glycolysis": (
        "par v=.5, k=.3, q=1.2, m=.6\nx'=v-k*x*y\ny'=k*x*y-q*y/(m+y)\ninit x=3, y=1\n",
        "y",
        30,
        40,
    ),
    "oregonator": (
        "par e=.05, f=1.2, q=.004\nx'=(x*(1-x)-f*z*(x-q)/(x+q))/e\nz'=x-z\ninit x=.3, z=.1\n",
        "z",
        20,
        50,
    ),
    "grazing, one": (  # only the ratio of a and y0 is seen, and the product of a and h
        "par r=1, k=12, a=.9, h=.5, e=.6, m=.5, y0=1.5\nx'=r*x*(1-x/k)-a*x*y/(1+a*h*x)\n"
        "y'=e*a*x*y/(1+a*h*x)-m*y\nx(0)=4\ny(0)=y0\n",
        "x",
        40,
        50,
    ),
    "membrane": (
        "par gca=4.4, gk=8, gl=2, i=90, phi=.04\nminf=.5*(1+tanh((v+1.2)/18))\nwinf=.5*(1+tanh((v-2)/30))\n"
        "v'=(i-gl*(v+60)-gca*minf*(v-120)-gk*w*(v+84))/20\nw'=phi*(winf-w)*cosh((v-2)/60)\ninit v=-40, w=.05\n",
        "v",
        200,
        80,
    ),
    "driven": (
        "par k=2.3, d=.3, f=1.5, w=2.2, x0=.5\nx'=v\nv'=-k*x-d*v+f*sin(w*t)\nx(0)=x0\nv(0)=0\n",
        "x",
        16,
        50,
    ),
    "two wells": ("par d=.25, a=-1, b=1, f=.3\nx'=v\nv'=-d*v-a*x-b*x^3+f*cos(1.2*t)\ninit x=1.2, v=0\n", "x", 14, 40),
    "reactor": (  # samples have two minima of nearly the same height
        "par k=50, l=100, m=10\na'=-k*a-m*a^2+10*(10-a)\nb'=k*a-l*b-10*b\ninit a=3, b=1.1\n",
        "b",
        0.08,
        25,
    ),
    "light": (  # with l near 0 it is nearly explained without d and e
        "par h=1.7, i=.43, j=8.3, k=.7, l=280\na'=-h*a+i*b+.01\nb'=h*a-(j+i)*b+k*c\nc'=j*b-k*c-l*c*e+.7*d\n"
        "d'=l*c*e-.7*d\ne'=-l*c*e+.7*d\ninit a=1, b=0, c=0, d=0, e=.06\n",
        "a c",
        6,
        30,
    ),
    "signals": (  # factors of what is observed, and an initial value: one of them is free
        "par k=2.1, l=1.5, m=.12, f=.9, g=1.1, x0=.8\nu=.4*t*exp(-.15*t)/(1+.3*t)\nx'=-k*x*u\ny'=k*x*u-l*y^2\n"
        "z'=.5*l*y^2-m*z\nx(0)=x0\ny(0)=0\nz(0)=0\naux p=f*(y+2*z)\naux q=g*(x+y+2*z)\n",
        "p q",
        60,
        16,
    ),
    "tumour": (  # what was observed first may be below 0
        "par a=.4, k=6e9, n0=3e6, kill=.5\nnumber on=0\nn'=a*n*log(k/n)-kill*on*n\nn(0)=n0\nset on=1 at 8\n"
        "set on=0 at 12\n",
        "n",
        22,
        22,
    ),
    "rivals": (  # with a12 below 0 there is another minimum, a little higher
        "par r1=1, r2=.7, r3=.9, a12=.6, a21=.8, a13=.4, a32=.5\nx'=r1*x*(1-x-a12*y-a13*z)\ny'=r2*y*(1-y-a21*x)\n"
        "z'=r3*z*(1-z-a32*y)\ninit x=.1, y=.3, z=.05\n",
        "x y",
        20,
        25,
    ),
    "forced waves": (
        "par m=3, a=.8, w=.9\nx'=y\ny'=m*(1-x^2)*y-x+a*cos(w*t)\ninit x=1.5, y=0\n",
        "x",
        30,
        60,
    ),
    "spikes": ("par a=1, b=3, c=1, d=5, i=2\nv'=w-a*v^3+b*v^2+i\nw'=c-d*v^2-w\ninit v=-1, w=-4\n", "v", 12, 60),
    "reported": (  # where s has run away errors of integration imitate a lower minimum
        "par b=.7, s=.35, g=.25, rho=.3, e0=20\nu'=-b*u*i/1e6\ne'=b*u*i/1e6-s*e\ni'=s*e-g*i\nu(0)=1e6\ne(0)=e0\n"
        "i(0)=0\naux cases=rho*s*e\n",
        "cases",
        90,
        45,
    ),
}


# The same in several experiments, each with its value of a constant or of an initial value.
STUDIES = {
    "doses": (
        "par ka=1.2, ke=.23, v=19\nnumber dose=100\ng'=-ka*g\nc'=ka*g/v-ke*c\ng(0)=dose\nc(0)=0\n",
        "c",
        24,
        12,
        ("dose", (20.0, 100.0, 400.0)),
    ),
    "two prey": (
        "par a=1, b=.3, c=.2, d=.8\nx'=a*x-b*x*y\ny'=c*x*y-d*y\ninit x=4, y=2\n",
        "x y",
        12,
        20,
        ("x(0)", (2.0, 6.0)),
    ),
    "binding": (
        "par a=4e5, d=2e-3, most=120\nnumber conc=1e-8\nr'=a*conc*(most-r)-d*r\ninit r=0\nset conc=0 at 300\n",
        "r",
        600,
        30,
        ("conc", (2e-9, 1e-8, 4e-8)),
    ),
}
BOUNDED = {  # a parameter with an upper bound below its true value, so that the minimum lies on it
    "held": ("par r=.9, k=8, n0=.4\nn'=r*n*(1-n/k)\nn(0)=n0\n", "n", 12, 25, "r", 0.8),
}
UNKNOWN = {  # the errors of each variable are unknown, and very different
    "unlike": ("par a=.8, b=.3\nx'=-a*x\ny'=a*x-b*y\ninit x=2000, y=0\naux q=y/1000\n", "x q", 10, 25),
}


EVERY = (*PROBLEMS, *STUDIES, *BOUNDED, *UNKNOWN)


def problem(name: str, seed: int) -> tuple[Model, Observations]:
    """The model at its true values, and data with errors."""
    if name in STUDIES:
        return _study(name, seed)
    text, names, last, n = (*PROBLEMS.get(name, ()), *UNKNOWN.get(name, ()), *BOUNDED.get(name, ()))[:4]
    rng = np.random.default_rng([seed, *name.encode()])
    model = Model.from_text(f"{text}@ t0=0\n", "cold")
    times = np.linspace(last / n, last, n)
    return model, make_observations(times, names.split(), _observed(model, names.split(), times, model.values, rng))


def _observed(model: Model, names: list[str], times: Array, values: Array, rng: np.random.Generator) -> Array:
    run = Simulator(model, np.append(0.0, times), ACCURATE)(values)
    exact = np.column_stack([run.column(each)[1:] for each in names])
    error = np.exp(rng.uniform(*np.log(NOISE)))
    return exact + error * exact.std(axis=0) * rng.normal(size=exact.shape)


def _study(name: str, seed: int) -> tuple[Model, Observations]:
    text, names, last, n, (setting, chosen) = STUDIES[name]
    rng = np.random.default_rng([seed, *name.encode()])
    times = np.linspace(last / n, last, n)
    model = Model.from_text(f"{text}@ t0=0\n", "cold")
    lines = [f"experiment,t,{setting},{','.join(names.split())}"]
    for k, value in enumerate(chosen):
        change = f"init {setting[:-3]}={value}" if setting.endswith("(0)") else f"number {setting}={value}"
        there = edit(model, change)
        rows = _observed(there, names.split(), times, there.values, rng).tolist()
        both = zip(times.tolist(), rows, strict=True)
        lines += [f"e{k},{t!r},{value},{','.join(map(repr, row))}" for t, row in both]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        path.write_text("\n".join(lines) + "\n")
        return model, read_data(path, model)


def begun(name: str, seed: int, wrong: float) -> tuple[Environment, Environment]:
    """At the true values, and where somebody begins who knows them only to a factor."""
    env = Environment.of(*problem(name, seed))
    if name in BOUNDED:
        *_, held, most = BOUNDED[name]
        upper = np.where(np.array(env.model.parameters) == held, most, np.inf)
        env = env.with_bounds(np.full(upper.size, -np.inf), upper)
    if name in UNKNOWN:
        assert env.observations is not None
        env = env.with_noise(Noise({each: VariableNoise(Form.ADDITIVE) for each in env.observations.names}))
    rng = np.random.default_rng([7, seed, *name.encode()])
    factors = np.exp(rng.uniform(-np.log(wrong), np.log(wrong), env.values.size))
    values = [float(f"{value:.3g}") for value in env.values * factors]
    return env, env.with_values(np.clip(values, env.parameters.lower, env.parameters.upper))
