"""CREATE: observations simulated with the model, with random error."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from parfit.arrays import Array, read_only
from parfit.commands.fitting.integ import seen_working
from parfit.commands.problem.storing import store
from parfit.commands.replacing import REPLACE, replaced
from parfit.commands.table import command
from parfit.data.leaving import off_names, switched_off
from parfit.data.loading import data_text
from parfit.data.observations import Observations, make_observations
from parfit.data.tabulating import csv_text
from parfit.errors import CommandError, NumericalError
from parfit.live.bar import working
from parfit.model.naming import places_of
from parfit.model.textfile import read_lines, real, write_text
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Answer, Question
from parfit.session.records import Creation
from parfit.simulation.method import Method, refusal
from parfit.simulation.simulator import Simulator
from parfit.text import report

SIMULATED = Question(
    "parameters of the simulation",
    "ENTER PARAMETERS AND VALUES FOR THE SIMULATION RUN (0 TO END)",
    "Enter a parameter and the value to simulate with, then the next; 0 or RETURN ends. Those not named keep their "
    "current values.",
    names="parameters",
)
VALUE = Question("value", "VALUE", "Enter a number.")
TIMES = Question(
    "observation times",
    "ENTER OBSERVATION TIMES (0 TO END)",
    "Enter increasing times; .5(.5)12.5 stands for those from .5 in steps of .5 to 12.5. 0 or RETURN ends; write 0.0 "
    "for an observation at time 0. inf is the end, when all has come to rest.",
)
OBSERVED = Question(
    "variables observed",
    "ENTER LIST OF STATE VARIABLES OBSERVED (0 TO END)",
    "Enter names or subscripts of states or aux quantities; 0 or RETURN ends.",
    names="variables",
)
EPS = Question("EPS", "ENTER ERROR TOLERANCE FOR THE INTEGRATION", "Enter EPS of Gear's method: small, such as 1e-8.")
HMAX = Question(
    "HMAX", "ENTER MAXIMUM STEP SIZE", "Enter the largest step of Gear's method; NONE for no limit.", words=("NONE",)
)
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
    names="parameters",
)
STORE = Question(
    "data stored",
    "IS THE DATA TO BE PUT IN THE FILE -DATA? Y OR N",
    "Y writes the observations to the file data.csv of this run; the name of a file writes them there as well: "
    "cards, with the starting values, if it ends with .dat, else CSV.",
    words=YES_NO,
)
RANGE = re.compile(r"([^()]+)\(([^()]+)\)([^()]+)")  # .5(.5)12.5, as the thesis writes it
MOST_TIMES = 100_000
END = "inf"  # of time
EPS_DEFAULT = 1e-8  # data should not carry the integration's errors; the 1977 program asked


@command(
    "CREATE",
    "problem",
    (SIMULATED, VALUE, TIMES, OBSERVED, EPS, HMAX, HMIN, SD, SEED, START, STORE, REPLACE),
    ("CREATE p1 1 p2 .1 0 .5(.5)12.5 0 y1 y2 0 1e-8 5 0 .05 1",),
)
def create(env: Environment, ask: Dialogue) -> Environment:
    """Simulate observations with the model, add random error, and go on with them as the data.

    The simulation uses Gear's method. The data file of the run, data.csv, can be opened like any other.
    """
    values = _with(env, ask, SIMULATED)
    times = _times(env, ask)
    names = _observed(env, ask)
    exact = _simulated(env, ask, values, times, names)
    sd = ask.number(SD, 0.0, lambda value: None if value >= 0 else "is negative; it is 0 or more")
    seed, start = _seed_and_start(env, ask)
    noise = np.random.default_rng(seed).normal(0.0, sd, exact.shape) if sd else 0.0
    data = _observations(env, times, names, exact + noise)
    creation = Creation(env.model.parameters, read_only(values), sd, seed)
    made = env.with_observations(data, start).with_creation(creation)
    _store(made, ask)
    ask.say(report.data_summary(made))
    return made


def _observations(env: Environment, times: Array, names: list[str], values: Array) -> Observations:
    """What was simulated as data of the same experiments, of which those that are left out stay out."""
    design = None if env.design is None else replace(env.design, off={})
    data = make_observations(times, names, values, source="data.csv", begin=env.model.t0, design=design)
    off = () if env.observations is None else off_names(env.observations)
    weights, design = switched_off(data, data.weights, off)
    return replace(data, weights=read_only(weights), design=design)


def _observed(env: Environment, ask: Dialogue) -> list[str]:
    while True:
        names = ask.names(OBSERVED, env.variables, "state or aux quantity", default=env.model.states)
        if names:
            return names
        ask.ask_again(CommandError("at least one variable must be observed"), 1)


def _seed_and_start(env: Environment, ask: Dialogue) -> tuple[int, Array]:
    """The seed of the errors, and the values to start fitting from.

    Who is asked is asked for the seed last, because 1977 knew none; on a line, and in the journal, it stands first.
    """
    n = ask.n_answers
    is_last = ask.source.interactive and not ask.is_one_line
    seed = 0 if is_last else ask.whole(SEED, 0, default=1)
    start = _with(env, ask, START)
    if is_last:
        seed = ask.whole(SEED, 0, default=1)
        ask.move_last_answer(n)
    return seed, start


def _with(env: Environment, ask: Dialogue, question: Question) -> Array:
    """The current parameters with the values that are entered."""
    values = env.values.copy()
    if env.model.parameters:
        reader = questions.name(env.model.parameters, "parameter", families=True)
        for name, value in ask.many(question, reader, lambda name: [(VALUE, questions.number())], default=()):
            values[places_of(name, env.model.parameters)] = value
    return values


def _times(env: Environment, ask: Dialogue) -> Array:
    default = None
    if env.observations is not None and env.observations.times.size:
        default = [time_text(t) for t in np.unique(env.observations.times)]
    while True:
        parts: list[Array] = []
        given = ask.many(TIMES, partial(_later_times, env, parts), partial(_kept, parts), default=default)
        if given:
            return np.concatenate([part for (part,) in given])
        ask.ask_again(CommandError("at least one observation time is needed"), 1)


def _later_times(env: Environment, before: list[Array], token: str) -> Answer[Array]:
    """A time or a range, after those that were entered before."""
    is_end = token.strip().lower() == END
    times, text = Answer(np.array([np.inf]), END) if is_end else time_or_range(token)
    if times[0] < env.model.t0:
        raise CommandError(f"{questions.shown(token)} lies before the initial time {env.model.t0:g}")
    if before and times[0] <= before[-1][-1]:
        raise CommandError(f"{questions.shown(token)} does not come after {before[-1][-1]:g}; the times must increase")
    n = sum(part.size for part in before) + times.size
    if n > MOST_TIMES:
        raise CommandError(f"{n} times are more than the {MOST_TIMES} there is room for")
    return Answer(times, text)


def _kept(parts: list[Array], times: Array) -> list[Any]:
    parts.append(times)
    return []


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
        eps = ask.number(EPS, EPS_DEFAULT, lambda value: refusal(eps=value))
        h_max = ask.one(HMAX, questions.limit(questions.positive), questions.plain(env.options.method.h_max))
        h_min = ask.number(HMIN, 0.0, partial(_refused_step, h_max))
        method = Method("gear", env.options.method.formula, eps, h_min, h_max)
        simulator = Simulator(env.model, times, method)
        with seen_working(ask.console, "CREATE", simulator) as trace:
            run = simulator.watched(trace, values, False)
        if run.status:
            return np.column_stack([run.column(name) for name in names])
        if not ask.can_repeat or ask.is_one_line:
            raise NumericalError(f"the simulation stopped: {run.status}")
        ask.warn(f"the simulation stopped: {run.status}")
        ask.forget(3)


def _refused_step(h_max: float, h_min: float) -> str | None:
    return refusal(h_min=h_min, h_max=h_max)


def _store(made: Environment, ask: Dialogue) -> None:
    data = made.observations
    assert data is not None
    wanted = ask.one(STORE, _yes_or_file, "Y")
    with working(ask.console, "CREATE: WRITING THE DATA"):
        text = data_text(wanted, made.model, data, made.first_values) if isinstance(wanted, str) else csv_text(data)
    if wanted is not False:
        store(ask, "data", csv_text(data), "LOAD DATA data.csv")
    if isinstance(wanted, str) and not ask.run.replaying:
        same = Path(wanted).exists() and "\n".join(read_lines(wanted)) == text
        instead = "" if same else replaced(ask, wanted)
        ask.refuse_rest()
        write_text(wanted, text)
        ask.say(f"the data are in {wanted}{instead}")


def _yes_or_file(token: str) -> Answer[bool | str]:
    return Answer[bool | str](*(questions.path(token) if "." in token else questions.yes_or_no(token)))
