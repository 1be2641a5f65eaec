"""PLOT: solutions, observations and curves as a picture."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parfit import plotting
from parfit.commands.looking.plotitems import SHOWN, Drawn, Request, marks_to_compare
from parfit.commands.looking.plotquestions import ITEMS, PERMANENT, QUESTIONS
from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.pictures.small import small_multiples
from parfit.plotting import Bars, Figure, Grid, Picture, Series
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Item, Question, Reader
from parfit.session.results import Mark
from parfit.text import pictures as text
from parfit.text import report

LARGE = (120, 50)  # columns and lines of a permanent plot: a page of a line printer with margins
PICTURES = (".png", ".svg", ".pdf")


class Variable(NamedTuple):
    """A variable named among the items: only such are drawn."""

    name: str


Choice = Item | Variable | str | int  # an item of the menu, a variable, a file for a picture, or a percentile
MOST_PERCENT = 99
ENDING = re.compile(r"\.[A-Za-z]\w*\Z")  # of the name of a file

OF_THE_RUN = ("STATES", "PHASE", "RESIDUALS", "COMPUTED")  # show the last integration, whatever was changed since
ALONE = ("PHASE", "RESIDUALS", "COMPUTED", "SENSITIVITIES", "VECTORS")  # with axes of their own


@command(
    "PLOT",
    "looking",
    QUESTIONS,
    (
        "PLOT 1 2",
        "PLOT y1",
        "PLOT 1 2 0 y1 0 y1 0 Y",
        "PLOT STATES OBSERVATIONS fit.png",
        "PLOT STATES OBSERVATIONS EACH LOGY",
        "PLOT PHASE 0 y1 y2",
        "PLOT RESIDUALS",
        "PLOT BAND",
        "PLOT SENSITIVITIES 0 y1 0 p1 p2",
        "PLOT MARKS start NOW",
    ),
)
def plot(env: Environment, ask: Dialogue) -> Environment:
    """Plot solutions, observations, residuals, confidence bands, sensitivities, or marks side by side.

    Items can be combined; for each, the variables can be chosen, or named among them: PLOT y1 draws y1 and what was
    observed of it. Observations are drawn as + for the first state, x for the second, diamonds for the third;
    solutions as lines.
    8 and 9 show the residuals of the last integration, 10 how well the fitted curves are known, 11 by how much each
    parameter moves them (p dy/dp), 12 the curves at two marks, 13 what PROBE finds as bars.
    14 to 16 change how the others look: small plots, one for each variable, and logarithmic axes.
    """
    chosen: list[Choice] = []
    given = ask.many(ITEMS, partial(_choice, env, chosen), partial(_then, env, chosen))
    percentile = next((choice for choice in chosen if isinstance(choice, int)), None)
    named = list(dict.fromkeys(choice.name for choice in chosen if isinstance(choice, Variable)))
    drawn = _drawn(Request(env, ask, [mark for _, *marks in given for mark in marks], percentile, named), chosen)
    picture = _looking(drawn.picture or _combined(env, drawn.series), chosen, env)
    remarks = [_filled(remark, ask.console.width) for remark in drawn.remarks]
    ask.say(ask.console.drawn(picture, below=sum(remark.count("\n") + 1 for remark in remarks)))
    for remark in remarks:
        ask.say(remark)
    files = [choice for choice in chosen if isinstance(choice, str)]
    permanent = ask.one(PERMANENT, _permanent, "N")
    for path in [*files, *([permanent] if isinstance(permanent, str) else [])]:
        _write_picture(picture, path, ask)
    if permanent is True:
        _accumulate(env, picture, drawn, ask)
    return env


def _filled(remark: str, width: int) -> str:
    """A sentence in lines; a table stays as it is."""
    return remark if "\n" in remark else textwrap.fill(remark, width, break_on_hyphens=False)


# ---- what was asked for


def _choice(env: Environment, before: Sequence[Choice], token: str) -> Answer[Choice]:
    """An item, a variable, a file, or after BAND a number that is no item's: its percentile.

    An item's whole word is the item; but a variable is meant rather than the beginning of an item's word.
    """
    if _is_picture(token):
        return Answer[Choice](*questions.path(token))
    has_band = any(isinstance(choice, Item) and choice.word == "BAND" for choice in before)
    if has_band and token.isdigit() and token not in [str(item.number) for item in ITEMS.menu]:
        return Answer[Choice](*questions.whole(1, MOST_PERCENT)(token))
    named = [name for name in env.variables if name.lower() == token.lower()]
    if named and token.upper() not in [item.word for item in ITEMS.menu]:
        return Answer[Choice](Variable(named[0]), questions.quoted(named[0]))
    return Answer[Choice](*questions.item(ITEMS.menu)(token))


def _then(env: Environment, chosen: list[Choice], choice: Choice) -> list[tuple[Question, Reader[Mark]]]:
    """What follows an item at once: the marks to be compared."""
    chosen.append(choice)
    return marks_to_compare(env) if isinstance(choice, Item) and choice.word == "MARKS" else []


def _drawn(request: Request, chosen: Sequence[Choice]) -> Drawn:
    """What the items show, together."""
    given = [choice for choice in chosen if isinstance(choice, Item)]
    items = [item.word for item in given if item.word in SHOWN]
    if not given and not request.named:
        raise CommandError("nothing was chosen to be plotted; PLOT 1 2 plots states and observations")
    if not items:
        items = _usual(request)
    alone = [item for item in given if item.word in ALONE]
    if alone and len(items) > 1:
        raise CommandError(f"{alone[0].word} has other axes than the rest; plot it alone")
    parts = [SHOWN[word](request) for word in items]
    series = [each for part in parts for each in part.series]
    if not series and not alone:
        raise CommandError("no variables were chosen to be plotted; RETURN in place of 0 takes all of them")
    remarks = [remark for part in parts for remark in part.remarks]
    stale = request.env.stale() if any(word in OF_THE_RUN for word in items) else []
    return Drawn(series, parts[0].picture, [*remarks, *text.stale(stale)], bool(stale))


def _usual(request: Request) -> list[str]:
    """What is drawn of variables if nothing else is said: solutions and observations, as far as there are any."""
    env, data = request.env, request.env.observations
    is_observed = data is not None and (not request.named or bool(set(request.named) & set(data.names)))
    has_states = env.integration is not None or not request.named or not is_observed
    return [*(["STATES"] if has_states else []), *(["OBSERVATIONS"] if is_observed else [])]


def _combined(env: Environment, series: Sequence[Series]) -> Figure:
    """Series over time, without those that another item gave already."""
    kept: list[Series] = []
    for each in series:
        same = [old for old in kept if (old.label, old.kind) == (each.label, each.kind)]
        if not any(np.array_equal(old.y, each.y, equal_nan=True) for old in same):
            kept.append(each)
    return Figure(tuple(kept), *_axes(env, kept), env.model.name)


def _axes(env: Environment, series: Sequence[Series]) -> tuple[str, str]:
    """What stands at the axes: the names of the data file where they have units, and one quantity is drawn."""
    data = env.observations
    if data is None:
        return "TIME", "STATE"
    numbers = {each.number for each in series}
    shown = [name for name in data.names if numbers == {env.variables.index(name)} and name in data.labels]
    return data.labels.get("t", "TIME"), data.label(shown[0]) if shown else "STATE"


def _looking(picture: Picture, chosen: Sequence[Choice], env: Environment) -> Picture:
    """The picture with small plots and logarithmic axes, if they were asked for."""
    words = [choice.word for choice in chosen if isinstance(choice, Item)]
    x_log, y_log = "LOGX" in words, "LOGY" in words
    if isinstance(picture, Bars):
        if x_log or y_log or "EACH" in words:
            raise CommandError("bars have neither logarithmic axes nor variables; PLOT VECTORS alone shows them")
        return picture
    if isinstance(picture, Figure):
        figure = replace(picture, x_log=x_log, y_log=y_log)
        return small_multiples(figure, env.variables) if "EACH" in words else figure
    panels = tuple(replace(panel, x_log=x_log, y_log=y_log) for panel in picture.panels)
    return Grid(panels, picture.x_label, picture.title)


# ---- copies


def _permanent(token: str) -> Answer[bool | str]:
    return Answer[bool | str](*(questions.path(token) if _is_picture(token) else questions.yes_or_no(token)))


def _is_picture(token: str) -> bool:
    """Whether it names a file for a picture; a file of a kind that cannot be written is refused."""
    if ENDING.search(token) and Path(token).suffix.lower() not in PICTURES:
        raise CommandError(f"{questions.shown(token)} will not do; pictures are files {', '.join(PICTURES)}")
    return Path(token).suffix.lower() in PICTURES


def _write_picture(picture: Picture, path: str, ask: Dialogue) -> None:
    ask.refuse_rest()
    if not ask.run.replaying:  # the picture is there, or the user removed it
        plotting.save(picture, path)
    ask.say(f"the picture is in {path}")


def _accumulate(env: Environment, picture: Picture, drawn: Drawn, ask: Dialogue) -> None:
    """A plot to keep: numbered, and recorded in the report with the parameters it was drawn at."""
    number = ask.run.count("plots") + 1
    contents = picture.title if isinstance(picture, Bars) else "; ".join(each.label for each in picture.series)
    caption = f"PLOT NUMBER {number}: {contents}\n{_parameters(env, drawn.is_stale)}\n"
    below = "".join(f"\n{remark}" for remark in drawn.remarks)
    ask.write("graphs", f"{caption}{plotting.draw(picture, *LARGE)}{below}\n")
    ask.report(caption)
    ask.effects.append(partial(ask.run.counted, "plots"))


def _parameters(env: Environment, is_stale: bool) -> str:
    """The parameters of the integration that is drawn, and what became of them since."""
    names, now = env.model.parameters, env.values
    if not is_stale or env.integration is None:
        return f"PARAMETERS: {report.assignments(names, now)}"
    then = env.integration.trajectory.parameters
    caption = f"PARAMETERS: {report.assignments(names, then)}"
    return caption if np.array_equal(then, now) else f"{caption}\nCHANGED SINCE TO: {report.assignments(names, now)}"
