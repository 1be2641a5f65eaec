"""PLOT: solutions, observations and curves as a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from parfit import plotting
from parfit.commands.looking.plotchoice import Choices, Wish, is_picture
from parfit.commands.looking.plotitems import SHOWN, Drawn, Request, usual
from parfit.commands.looking.plotquestions import ITEMS, PERMANENT, QUESTIONS
from parfit.commands.replacing import replaced
from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.live.screen import look_of, screen_of, show_view
from parfit.model.naming import family
from parfit.pictures.small import small_multiples
from parfit.pictures.solution import over_time, together
from parfit.plotting import Bars, Figure, Grid, Picture, Series
from parfit.session import questions
from parfit.session.answering import END
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer
from parfit.text import pictures as text
from parfit.text import report

LARGE = (120, 50)  # columns and lines of a permanent plot: a page of a line printer with margins
OF_THE_RUN = ("STATES", "PHASE", "RESIDUALS", "COMPUTED")  # show the last integration, whatever was changed since
MOVING = "+ - left right, on an empty line, zoom and pan the picture (PLOT MOVE)"
ALONE = (
    "PHASE",
    "RESIDUALS",
    "COMPUTED",
    "SENSITIVITIES",
    "VECTORS",
    "PROFILES",
    "ALONG",
    "BOOT",
)  # with axes of their own


@command(
    "PLOT",
    "looking",
    QUESTIONS,
    (
        "PLOT",
        "PLOT y1",
        "PLOT y1 LOGY fit.png",
        "PLOT 1 2 Y",
        "PLOT 1 2 0 y1 0 y1 0 Y",
        "PLOT STATES OBSERVATIONS EACH LOGY",
        "PLOT PHASE 0 y1 y2",
        "PLOT RESIDUALS",
        "PLOT BAND",
        "PLOT BAND PROFILES",
        "PLOT BAND BOOT ERRORS",
        "PLOT SENSITIVITIES 0 y1 0 p1 p2",
        "PLOT MARKS start NOW",
        "PLOT PROFILES",
        "PLOT y1 MOVE",
    ),
)
def plot(env: Environment, ask: Dialogue) -> Environment:
    """Draw the observed variables with their solution; or residuals, confidence bands, sensitivities, marks.

    PLOT alone draws what was observed, and the solution at the present parameters. PLOT C, PLOT C A draw these
    variables. LOGX, LOGY make axes logarithmic, EACH gives every variable a plot of its own; TITLE, XLABEL and YLABEL
    are followed by a text (in quotes if it has several words), SIZE by inches; the name of a file (fit.png, fit.svg,
    fit.pdf) has the picture written there as well: PLOT C LOGY SIZE 6x4 fit.pdf. MOVE shows it on the whole screen,
    where arrow keys pan and + - zoom; + on an empty line after a PLOT does the same.

    The items of the manual are 1 to 7, for each of which the variables can be chosen: observations are drawn as + for
    the first state, x for the second, diamonds for the third; solutions as lines.

    RESIDUALS and COMPUTED show the residuals of the last integration, BAND how well the fitted curves are known (by
    linear theory, with PROFILES by profiles, with BOOT by the last bootstrap; with ERRORS where new observations would
    lie), SENSITIVITIES by how much each parameter moves them (p dy/dp), MARKS the curves at two marks, VECTORS what
    PROBE finds as bars, PROFILES what PROFILE found (of all, or as in PLOT PROFILES p1), ALONG how the other
    parameters move along these profiles, BOOT the histograms of BOOT.
    """
    at_once = _at_once(env, ask)
    choices = Choices(env)
    wish = Wish() if at_once else Wish.of(ask.many(ITEMS, choices.read, choices.then, default=()))
    if at_once:
        ask.assume(END)
    of_band = wish.percentile, wish.basis, wish.measured
    drawn = _drawn(Request(env, ask, wish.marks, *of_band, _variables(env, wish), wish.profiled), wish.items)
    picture = _looking(env, drawn.picture or _combined(env, drawn), wish)
    remarks = [_filled(remark, ask.console.width) for remark in drawn.remarks]
    if wish.moves:
        picture = _moved(picture, ask)
    can_move = _can_move(picture, ask) and not wish.moves and not wish.files
    hint = MOVING if can_move and not remarks else ""  # which have the room otherwise
    ask.show(picture, below=sum(remark.count("\n") + 1 for remark in remarks) + bool(hint))
    for remark in remarks:
        ask.say(remark)
    permanent = _permanent(ask, wish, at_once)
    for path in [*wish.files, *([permanent] if isinstance(permanent, str) else [])]:
        _write_picture(picture, path, wish.size, ask)
    if permanent is True:
        _accumulate(env, picture, drawn, ask)
    if can_move:
        ask.console.proposes(ask.entry.replace("PLOT", "PLOT MOVE", 1))
        ask.console.hint(hint)
    return env


def _variables(env: Environment, wish: Wish) -> list[str]:
    """The variables that were named; of one that has a curve in every experiment, all of these, or that in sight."""
    return [name for each in wish.named for name in env.sighted(family(each, env.variables))]


def _at_once(env: Environment, ask: Dialogue) -> bool:
    """Whether PLOT stands alone: nobody is asked then, but who works as in 1977, and a deck may answer."""
    if ask.more or ask.is_one_line:
        return False
    if ask.source.interactive:
        return not env.options.of_1977
    return not ask.offers(Choices(env).read)


def _filled(remark: str, width: int) -> str:
    """A sentence in lines; a table stays as it is."""
    return remark if "\n" in remark else textwrap.fill(remark, width, break_on_hyphens=False)


# ---- what was asked for


def _drawn(request: Request, words: Sequence[str]) -> Drawn:
    """What the items show, together."""
    items = [word for word in words if word in SHOWN]
    if not items:
        return usual(request)
    alone = [word for word in items if word in ALONE]
    if alone and len(items) > 1:
        others = ", ".join(word for word in items if word != alone[0])
        raise CommandError(f"{alone[0]} has axes of its own and cannot be drawn with {others}; plot it alone")
    parts = [SHOWN[word](request) for word in items]
    series = [each for part in parts for each in part.series]
    if not series and not alone:
        raise CommandError("no variables were chosen to be plotted; RETURN in place of 0 takes all of them")
    remarks = [remark for part in parts for remark in part.remarks]
    stale = request.env.stale() if any(word in OF_THE_RUN for word in items) else []
    is_usual = all(part.is_usual for part in parts)
    return Drawn(series, parts[0].picture, [*remarks, *text.stale(stale)], bool(stale), is_usual)


def _combined(env: Environment, drawn: Drawn) -> Figure | Grid:
    """Series over time, without those that another item gave already."""
    kept: list[Series] = []
    for each in drawn.series:
        same = [old for old in kept if (old.label, old.kind) == (each.label, each.kind)]
        if not any(np.array_equal(old.y, each.y, equal_nan=True) for old in same):
            kept.append(each)
    return (over_time if drawn.is_usual else together)(env, kept, env.model.name)


def _looking(env: Environment, picture: Picture, wish: Wish) -> Picture:
    """The picture with small plots, logarithmic axes and texts, if they were asked for."""
    if isinstance(picture, Bars):
        if {"LOGX", "LOGY", "EACH"} & set(wish.items):
            raise CommandError("bars have neither logarithmic axes nor variables; PLOT VECTORS alone shows them")
        return replace(picture, title=wish.texts.get("TITLE", picture.title))
    if isinstance(picture, Figure) and "EACH" in wish.items:
        picture = small_multiples(env, picture)
    title, across = wish.texts.get("TITLE", picture.title), wish.texts.get("XLABEL", picture.x_label)
    picture = replace(picture, title=title, x_label=across)
    if isinstance(picture, Grid):
        return replace(picture, panels=tuple(_with_axes(panel, wish) for panel in picture.panels))
    return _with_axes(picture, wish)


def _with_axes(figure: Figure, wish: Wish) -> Figure:
    x_log, y_log = figure.x_log or "LOGX" in wish.items, figure.y_log or "LOGY" in wish.items
    return replace(figure, x_log=x_log, y_log=y_log, y_label=wish.texts.get("YLABEL", figure.y_label))


# ---- parts


def _can_move(picture: Picture, ask: Dialogue) -> bool:
    """Whether there is somebody with keys to move a picture that can be."""
    return ask.source.interactive and ask.console.show_view is not None and not isinstance(picture, Bars)


def _moved(picture: Picture, ask: Dialogue) -> Picture:
    """The part of a picture that keys lead to; all of it where there are none, as in a script."""
    if isinstance(picture, Bars):
        raise CommandError("bars cannot be moved; PLOT VECTORS alone shows them")
    if not _can_move(picture, ask):
        return picture
    from parfit.views.moving import Moving

    show = screen_of(ask, "PLOT MOVE", "PLOT shows all of it")
    return show_view(ask, show, Moving.of(picture, **look_of(ask)), lambda last: "").part


# ---- copies


def _permanent(ask: Dialogue, wish: Wish, at_once: bool) -> bool | str:
    """Whether a permanent plot is required, or the name of a file."""
    if wish.keep is not None or at_once:
        ask.refuse_rest()
        return bool(wish.keep)
    return ask.one(PERMANENT, _yes_or_file, "N")


def _yes_or_file(token: str) -> Answer[bool | str]:
    return Answer[bool | str](*(questions.path(token) if is_picture(token) else questions.yes_or_no(token)))


def _write_picture(picture: Picture, path: str, size: tuple[float, float] | None, ask: Dialogue) -> None:
    instead = "" if ask.run.replaying else replaced(ask, path)
    ask.refuse_rest()
    if not ask.run.replaying:  # the picture is there, or the user removed it
        plotting.save(picture, path, size)
    ask.say(f"the picture is in {path}{instead}")


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
