"""How files of models and data are written, with an example of each that can be loaded."""

from __future__ import annotations

from collections.abc import Sequence

MODEL_EXAMPLE = """\
# an infection: susceptible, infected
par beta=.002, gamma=.5        # parameters, and where their search begins
S' = -beta*S*I                 # one differential equation for each state
I' = beta*S*I - gamma*I
init S=760, I=3                # initial values: numbers, or parameters
aux sick = I                   # what can be observed beside the states
done"""
DATA_EXAMPLE = """\
t,I,I.sd
0,3,1
3,26,3
5,190,10
8,240,12
14,10,2"""
FORMAT = f"""\
A model is a text file whose name ends with .ode, one statement to a line:

{MODEL_EXAMPLE}

dS/dt=... is the same as S'=..., and S(0)=... as init S=... . Besides there are

number N=763                   a constant
R = N - S - I                  an intermediate quantity
!R0 = beta*N/gamma             one that depends on parameters only
hill(x) = x^2/(1 + x^2)        a function
x[2..9]' = k*(x[j-1] - x[j])   eight equations in one line
table z zoo.csv                a curve through data of another file: z or z(t)
dose I=5 at 0(7)28             5 more at 0, 7, 14, 21 and 28
dose I=5 over 2 at lag         5 more in the course of 2, from a time lag on
set S=S/2; N=500 at 7          new values at 7, all from those before
global 1 {{I-100}} {{N=N-50}}      where I-100 rises through 0 (-1: falls, 0: both)
local beta                     its own value in every experiment: beta[first]
local beta one+two, three      groups of experiments that share a value
experiment one: init I=5       only there (par, number, set, dose, rest, noise)
noise I .1+.05*I               the standard deviation of what is observed; or
                               additive, relative, lognormal, laplace: unknown
prior gamma normal .5 .1       what is known of a parameter beforehand
linear scale, offset           of what is observed: solved for in every step
rest beta=0, I(0)=1            it has come to rest under these settings before,
                               and under those of the experiment beside them
@ t0=1900, total=30            when it begins, how long it lasts without data

Operators: + - * / ^ < > & |, if(...)then(...)else(...); functions: exp log
sqrt sin cos abs min max heav and others. t is the time. States and constants
can jump (dose, set, global); an observation at the time of a jump is of what
is after it. Of several rests the one is meant that the initial values lead to.
Capitals and small letters are the same; # begins a comment; definitions can
stand in any order.

Data are a CSV file: a line of names, then numbers, with commas, semicolons or
tabs between them (and decimal commas, if you like, with the last two):

{DATA_EXAMPLE}

The time is called t, time, hours, year ...; the other columns are named like
states or aux quantities of the model, with units in brackets if you like:
I [persons]. I.sd holds standard deviations, I.weight weights. What was not
observed is left blank; replicates stand in rows of their own; a column in
parentheses, (note), is left out. At the time inf all has come to rest.

Several experiments stand in one file with a column experiment (or id, group,
run, condition, subject), or in a file each: parfit model.ode one.csv two.csv.
A column named like a parameter, a constant or S(0) says what that was there;
rows with other values are other experiments. Doses have rows of their own:
amt, cmt (the state), rate or dur, ii and addl, ss, evid. Lines #: ... at the
head of the data are statements of the model; of several files each speaks of
its own experiments.

parfit new.ode data.csv opens both; if there is no new.ode yet, the model is
typed in conversation. parfit new writes a model and data to begin with.
parfit model.xml data.csv opens a model in SBML, parfit problem.yaml a problem
in PEtab; SAVE problem.yaml and parfit convert write them."""


def model_template(states: Sequence[str]) -> str:
    """A model with comments, to be changed in an editor."""
    rates = [f"k{k}" for k in range(1, len(states) + 1)]
    lines = [
        "# A model for parfit. Change the equations, then: parfit FILE.ode FILE.csv",
        "# Parameters, and where the search for them begins:",
        f"par {', '.join(f'{rate}=1' for rate in rates)}",
        "# One differential equation for each state; replace what stands right of the sign:",
        *(f"{state}' = -{rate}*{state}" for state, rate in zip(states, rates, strict=True)),
        "# Initial values: numbers, or parameters, which are fitted as well:",
        f"init {', '.join(f'{state}=1' for state in states)}",
        "# What was measured, if that is not a state itself:",
        f"# aux total = {' + '.join(states)}",
        "done",
    ]
    return "\n".join(lines) + "\n"


def data_template(states: Sequence[str]) -> str:
    """Data of the right form, to be replaced by one's own."""
    rows = ["# Replace these numbers by what you measured; leave blank what you did not."]
    rows.append(",".join(["t", *states]))
    rows += [",".join([str(t), *(f"{0.5**t:g}" for _ in states)]) for t in range(5)]
    return "\n".join(rows) + "\n"
