"""PLOT: solutions, observations and curves as a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from parfit import plotting, questions, report
from parfit.commands.successive import successive_guesses, successive_integrations
from parfit.commands.table import command
from parfit.dialogue import Dialogue
from parfit.environment import Environment
from parfit.errors import CommandError
from parfit.plotting import Figure, Series
from parfit.questions import Answer, Item, Question

ITEMS = Question(
    "items",
    "SEQUENCE OF ITEMS TO PLOT (END WITH 0)",
    "Enter numbers or words of items; 0 or RETURN ends. The name of a file (fit.png, fit.svg, fit.pdf) among them has "
    "the picture written there as well.",
    (
        Item(1, "STATE VARIABLES", "STATES"),
        Item(2, "OBSERVATIONS", "OBSERVATIONS"),
        Item(3, "SMOOTHED OBSERVATIONS", "SMOOTHED"),
        Item(4, "GUESSED OBSERVATIONS", "GUESSED"),
        Item(5, "PHASE PLOT", "PHASE"),
        Item(6, "SUCCESSIVE GUESSES", "ROUNDS"),
        Item(7, "SUCCESSIVE INTEGRATIONS", "INTEGRATIONS"),
    ),
)
STATES = Question(
    "state variables",
    "STATE VARIABLES (END WITH 0)",
    "Enter names or subscripts of states or aux quantities to be plotted; 0 ends.",
)
OBSERVED = Question(
    "observed variables",
    "OBSERVED VARIABLES TO PLOT (END WITH 0)",
    "Enter names of observed variables, or their subscripts among the state variables; 0 ends.",
)
SMOOTHED = Question(
    "smoothed observations",
    "SMOOTHED OBSERVATIONS TO PLOT (END WITH 0)",
    "Enter names of observed variables, or their subscripts among the state variables; 0 ends.",
)
GUESSED = Question(
    "guessed observations",
    "GUESSED OBSERVATIONS TO PLOT (END WITH 0)",
    "Enter names of states for which observations were guessed, or their subscripts; 0 ends.",
)
ACROSS = Question("across", "VARIABLE ACROSS", "Enter the name or subscript of a state, an aux quantity, or t.")
UP = Question("up", "VARIABLE UP", "Enter the name or subscript of a state, an aux quantity, or t.")
PERMANENT = Question(
    "permanent plot",
    "IS A PERMANENT PLOT REQUIRED ANS. Y OR N",
    "Y adds the plot to the file graphs.txt of this run, under a number that the report mentions with the parameters. "
    "The name of a file (fit.png, fit.svg, fit.pdf) writes a picture there.",
)
LARGE = (120, 50)  # columns and lines of a permanent plot: a page of a line printer with margins
PICTURES = (".png", ".svg", ".pdf")
Choice = Item | str  # an item of the menu, or the name of a file for a picture


@command(
    "PLOT",
    "looking",
    (ITEMS, STATES, OBSERVED, SMOOTHED, GUESSED, ACROSS, UP, PERMANENT),
    ("PLOT 1 2", "PLOT 1 2 0 y1 0 y1 0 Y", "PLOT STATES OBSERVATIONS fit.png", "PLOT PHASE 0 y1 y2"),
)
def plot(env: Environment, ask: Dialogue) -> Environment:
    """Plot solutions, observations, smoothed and guessed observations, or one quantity against another.

    Items can be combined; for each, the variables can be chosen. Observations are drawn as + for the first state, x
    for the second, diamonds for the third; solutions as lines.
    """
    chosen = [choice for (choice,) in ask.many(ITEMS, _item_or_file)]
    items = [choice for choice in chosen if isinstance(choice, Item)]
    if not items:
        raise CommandError("nothing was chosen to be plotted; PLOT 1 2 plots states and observations")
    series = [each for item in items for each in SERIES[item.word](env, ask)]
    if not series:
        raise CommandError("no variables were chosen to be plotted; RETURN in place of 0 takes all of them")
    phase = [item for item in items if item.word == "PHASE"]
    if phase and len(items) > 1:
        raise CommandError("a phase plot has other axes than the rest; plot it alone")
    labels = series[0].label.split(" against ")[::-1] if phase else ["TIME", "STATE"]
    figure = Figure(tuple(series), labels[0], labels[1], env.model.name)
    columns, lines = ask.console.size
    ask.say(plotting.draw(figure, columns, lines, ask.console.colour, ask.console.unicode))
    files = [choice for choice in chosen if isinstance(choice, str)]
    permanent = ask.one(PERMANENT, _permanent, "N")
    for path in [*files, *([permanent] if isinstance(permanent, str) else [])]:
        _write_picture(figure, path, ask)
    if permanent is True:
        _accumulate(env, figure, ask)
    return env


def _item_or_file(token: str) -> Answer[Choice]:
    return Answer[Choice](*(questions.word(token) if _is_picture(token) else questions.item(ITEMS.menu)(token)))


def _permanent(token: str) -> Answer[bool | str]:
    return Answer[bool | str](*(questions.word(token) if _is_picture(token) else questions.yes_or_no(token)))


def _is_picture(token: str) -> bool:
    return Path(token).suffix.lower() in PICTURES


def _write_picture(figure: Figure, path: str, ask: Dialogue) -> None:
    ask.refuse_rest()
    if not ask.run.replaying:  # the picture is there, or the user removed it
        plotting.save(figure, path)
    ask.say(f"the picture is in {path}")


def _accumulate(env: Environment, figure: Figure, ask: Dialogue) -> None:
    """A plot to keep: numbered, and recorded in the report with the parameters."""
    number = ask.run.count("plots") + 1
    contents = "; ".join(each.label for each in figure.series)
    caption = f"PLOT NUMBER {number}: {contents}\nPARAMETERS: {report.assignments(env.model.parameters, env.values)}\n"
    ask.write("graphs", f"{caption}{plotting.draw(figure, *LARGE)}\n")
    ask.report(caption)
    ask.effects.append(partial(ask.run.counted, "plots"))


# ---- the items


def _states(env: Environment, ask: Dialogue) -> list[Series]:
    env.require("integration")
    assert env.integration is not None
    run = env.integration.trajectory
    names = ask.names(STATES, env.variables, "state or aux quantity", default=_default_variables(env))
    return [Series(name, run.times, run.column(name), "solid", _number(env, name)) for name in names]


def _default_variables(env: Environment) -> tuple[str, ...]:
    """The states, and what else was observed."""
    observed = () if env.observations is None else env.observations.names
    return (*env.model.states, *(name for name in observed if name not in env.model.states))


def _observations(env: Environment, ask: Dialogue) -> list[Series]:
    env.require("observations")
    assert env.observations is not None
    data = env.observations
    names = ask.names(OBSERVED, env.variables, "observed variable", default=data.names)
    _refuse_others(names, data.names, "was not observed; observed are")
    values = {name: data.values[:, j] for j, name in enumerate(data.names)}
    return [Series(f"{name} observed", data.times, values[name], "points", _number(env, name)) for name in names]


def _smoothed(env: Environment, ask: Dialogue) -> list[Series]:
    env.require("smoothing")
    assert env.smoothing is not None
    curves = env.smoothing.curves
    names = ask.names(SMOOTHED, env.variables, "smoothed variable", default=list(curves))
    _refuse_others(names, list(curves), "was not smoothed; smoothed are")
    t = _fine(env)
    return [Series(f"{name} smoothed", t, curves[name](t), "dashed", _number(env, name)) for name in names]


def _guessed(env: Environment, ask: Dialogue) -> list[Series]:
    env.require("guesses")
    names = ask.names(GUESSED, env.variables, "guessed state", default=list(env.guesses))
    _refuse_others(names, list(env.guesses), "was not guessed; guessed are")
    t = _fine(env)
    return [Series(f"{name} guessed", t, env.guesses[name].curve(t), "dotted", _number(env, name)) for name in names]


def _phase(env: Environment, ask: Dialogue) -> list[Series]:
    env.require("integration")
    assert env.integration is not None
    run = env.integration.trajectory
    names = (*env.variables, "t")
    reader = questions.name(names, "state or aux quantity")
    x = ask.one(ACROSS, reader, names[0])
    y = ask.one(UP, reader, names[1])
    across, up = (run.times if name == "t" else run.column(name) for name in (x, y))
    return [Series(f"{y} against {x}", across, up, "solid", 0)]


def _rounds(env: Environment, ask: Dialogue) -> list[Series]:
    env.require("iterates")
    return successive_guesses(env)


def _integrations(env: Environment, ask: Dialogue) -> list[Series]:
    env.require("iterates", "observations")
    return successive_integrations(env)


SERIES: dict[str, Callable[[Environment, Dialogue], list[Series]]] = {
    "STATES": _states,
    "OBSERVATIONS": _observations,
    "SMOOTHED": _smoothed,
    "GUESSED": _guessed,
    "PHASE": _phase,
    "ROUNDS": _rounds,
    "INTEGRATIONS": _integrations,
}


def _refuse_others(names: list[str], known: tuple[str, ...] | list[str], problem: str) -> None:
    for name in names:
        if name not in known:
            raise CommandError(f"{name} {problem} {', '.join(known)}")


def _fine(env: Environment) -> plotting.Array:
    """Times close enough for a smooth curve."""
    times = env.samples.times
    return np.union1d(times, np.linspace(times[0], times[-1], 200))


def _number(env: Environment, name: str) -> int:
    """Which variable it is: the same symbol and colour wherever it is plotted."""
    return env.variables.index(name)
