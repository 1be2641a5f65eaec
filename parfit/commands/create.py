"""CREATE: observations simulated with the model, with random error."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np

from parfit import questions, report
from parfit.commands.integrating import watched
from parfit.commands.table import command
from parfit.commands.waiting import working
from parfit.dialogue import Dialogue
from parfit.environment import Array, Environment
from parfit.errors import CommandError, NumericalError
from parfit.model.csvfile import csv_text
from parfit.model.method import Method
from parfit.model.observations import Observations, make_observations, read_only
from parfit.model.simulation import Simulator
from parfit.model.textfile import read_lines, real, write_text
from parfit.questions import Answer, Question
from parfit.records import Creation

SIMULATED = Question(
    "parameters of the simulation",
    "ENTER PARAMETERS AND VALUES FOR THE SIMULATION RUN (0 TO END)",
    "Enter a parameter and the value to simulate with, then the next; 0 or RETURN ends. Those not named keep their "
    "current values.",
)
VALUE = Question("value", "VALUE", "Enter a number.")
TIMES = Question(
    "observation times",
    "ENTER OBSERVATION TIMES (0 TO END)",
    "Enter increasing times; .5(.5)12.5 stands for those from .5 in steps of .5 to 12.5. 0 or RETURN ends; write 0.0 "
    "for an observation at time 0.",
)
OBSERVED = Question(
    "variables observed",
    "ENTER LIST OF STATE VARIABLES OBSERVED (0 TO END)",
    "Enter names or subscripts of states or aux quantities; 0 or RETURN ends.",
)
EPS = Question("EPS", "ENTER ERROR TOLERANCE FOR THE INTEGRATION", "Enter EPS of Gear's method: small, such as 1e-8.")
HMAX = Question("HMAX", "ENTER MAXIMUM STEP SIZE", "Enter the largest step of Gear's method; NONE for no limit.")
HMIN = Question("HMIN", "ENTER MINIMUM STEP SIZE", "Enter the smallest step of Gear's method; 0 for no limit.")
SD = Question(
    "standard deviation",
    "ENTER STANDARD DEVIATION OF THE RANDOM ERROR",
    "Enter the standard deviation of the normally distributed error to be added; 0 for exact observations.",
)
SEED = Question("seed", "ENTER SEED OF THE RANDOM NUMBERS", "The same seed gives the same errors again.")
START = Question(
    "starting values",
    "ENTER PARAMETERS AND STARTING VALUES (0 TO END)",
    "Enter a parameter and the value to start fitting from, then the next; 0 or RETURN ends. Those not named keep "
    "their current values.",
)
STORE = Question(
    "data stored",
    "IS THE DATA TO BE PUT IN THE FILE -DATA? Y OR N",
    "Y writes the observations to the file data.csv of this run; the name of a file writes them there as well.",
)
RANGE = re.compile(r"([^()]+)\(([^()]+)\)([^()]+)")  # .5(.5)12.5, as the thesis writes it
MOST_TIMES = 100_000
EPS_DEFAULT = 1e-8  # data should not carry the integration's errors; the 1977 program asked


@command(
    "CREATE",
    "problem",
    (SIMULATED, VALUE, TIMES, OBSERVED, EPS, HMAX, HMIN, SD, SEED, START, STORE),
    ("CREATE p1 1 p2 .1 0 .5(.5)12.5 0 y1 y2 0 1e-8 5 0 .05 1",),
)
def create(env: Environment, ask: Dialogue) -> Environment:
    """Simulate observations with the model, add random error, and go on with them as the data.

    The simulation uses Gear's method. The data file of the run, data.csv, can be opened like any other.
    """
    values = _with(env, ask, SIMULATED)
    times = _times(env, ask)
    names = ask.names(OBSERVED, env.variables, "state or aux quantity", default=env.model.states)
    if not names:
        raise CommandError("at least one variable must be observed")
    exact = _simulated(env, ask, values, times, names)
    sd = ask.number(SD, 0.0, lambda value: None if value >= 0 else "is negative; it is 0 or more")
    seed = ask.whole(SEED, 0, default=1)
    noise = np.random.default_rng(seed).normal(0.0, sd, exact.shape) if sd else 0.0
    data = make_observations(times, names, exact + noise, source="data.csv", begin=env.model.t0)
    start = _with(env, ask, START)
    creation = Creation(env.model.parameters, read_only(values), sd, seed)
    made = env.with_observations(data, start).with_creation(creation)
    _store(data, ask)
    ask.say(report.data_summary(made))
    return made


def _with(env: Environment, ask: Dialogue, question: Question) -> Array:
    """The current parameters with the values that are entered."""
    values = env.values.copy()
    if env.model.parameters:
        reader = questions.name(env.model.parameters, "parameter")
        for name, value in ask.many(question, reader, lambda name: [(VALUE, questions.number())], default=()):
            values[env.model.parameters.index(name)] = value
    return values


def _times(env: Environment, ask: Dialogue) -> Array:
    default = None
    if env.observations is not None and env.observations.times.size:
        default = [time_text(t) for t in np.unique(env.observations.times)]
    parts = [part for (part,) in ask.many(TIMES, time_or_range, default=default)]
    times = np.concatenate(parts) if parts else np.empty(0)
    if not times.size:
        raise CommandError("at least one observation time is needed")
    if (np.diff(times) <= 0).any() or times[0] < env.model.t0:
        raise CommandError(f"the times must increase and not lie before the initial time {env.model.t0:g}")
    if times.size > MOST_TIMES:
        raise CommandError(f"{times.size} times are more than the {MOST_TIMES} there is room for")
    return times


def time_text(t: float) -> str:
    """A time in a list, where a plain 0 would end it."""
    return "0.0" if t == 0 else questions.plain(float(t))


def time_or_range(token: str) -> Answer[Array]:
    match = RANGE.fullmatch(token)
    if match is None:
        value, _ = questions.number()(token)
        return Answer(np.array([value]), time_text(value))
    first, step, last = (real(part.strip()) for part in match.groups())
    if first is None or step is None or last is None or not step > 0 or not last >= first:
        raise CommandError(f"{questions.shown(token)} is no range of times; write FIRST(STEP)LAST, such as .5(.5)12.5")
    count = (last - first) / step
    if not count < MOST_TIMES:
        raise CommandError(f"{questions.shown(token)} has more than the {MOST_TIMES} times there is room for")
    return Answer(np.asarray(first + step * np.arange(int(count + 1e-9) + 1), dtype=float), token)


def _simulated(env: Environment, ask: Dialogue, values: Array, times: Array, names: list[str]) -> Array:
    """The variables at the times; if the integration fails, its limits can be given anew by who is there to do it."""
    while True:
        eps = ask.number(EPS, EPS_DEFAULT, questions.positive)
        h_max = ask.one(HMAX, questions.limit(questions.positive), questions.plain(env.options.method.h_max))
        h_min = ask.number(HMIN, 0.0)
        method = Method("gear", env.options.method.formula, eps, h_min, h_max)
        run = watched(Simulator(env.model, times, method), values, ask.console, "CREATE")
        if run.status:
            return np.column_stack([run.column(name) for name in names])
        if not ask.source.interactive or ask.is_one_line:
            raise NumericalError(f"the simulation stopped: {run.status}")
        ask.warn(f"the simulation stopped: {run.status}")
        ask.forget(3)


def _store(data: Observations, ask: Dialogue) -> None:
    wanted = ask.one(STORE, _yes_or_file, "Y")
    with working(ask.console, "CREATE: WRITING THE DATA"):
        text = csv_text(data)
    if wanted is not False:
        ask.effects.append(partial(ask.run.replace, "data", text))
    if isinstance(wanted, str) and not ask.run.replaying:
        ask.refuse_rest()
        if Path(wanted).exists() and "\n".join(read_lines(wanted)) != text:
            raise CommandError(f"{wanted} exists already and holds something else; give another name")
        write_text(wanted, text)


def _yes_or_file(token: str) -> Answer[bool | str]:
    return Answer[bool | str](*(questions.word(token) if "." in token else questions.yes_or_no(token)))
