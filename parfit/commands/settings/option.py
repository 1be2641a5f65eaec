"""OPTION: the control parameters, which govern integration and output, and what is shown and said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parfit.commands.settings.option_words import CONTROLS, PICTURES, SHOWN, TALK, VALUE, Entries, displayed
from parfit.commands.table import command
from parfit.errors import ParfitError
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item
from parfit.session.records import OF_1977, Display, Options
from parfit.text import report
from parfit.text.options import display_text

# What stands alone, without a value: what it makes of the options.
ALONE: dict[int, Callable[[Options], Options]] = {9: Options.accurate, 1977: lambda options: OF_1977}
LAST_CONTROL = 8  # of the manual


@command(
    "OPTION",
    "settings",
    (CONTROLS, VALUE, PICTURES, SHOWN, TALK),
    (
        "OPTION 8 1 5 1e-4",
        "OPTION EPS 1e-8",
        "OPTION 1977",
        "OPTION ACCURATE",
        "OPTION SHOW y1 EACH",
        "OPTION TALK BRIEF PICTURES TEXT",
    ),
)
def option(env: Environment, ask: Dialogue) -> Environment:
    """Change the control parameters, which govern integration and output, and what is shown and said.

    1 OUTPUT n: time and states are written out after every n integration steps (REPORT 8 shows them).
    2 OPTOUTPUT: 1 keeps that output away while optimizing.
    3 JACOBIAN: printed 0 in full, 1 for the observations only.
    4 METHOD of Gear's program: 0 Adams, 1 stiff, 2 automatic. 5 EPS: its error criterion. 6, 7 HMIN, HMAX: the limits
    of its steps, HMAX NONE for no limit.
    8 PROCEDURE: 1 Gear, 2 the trapezoidal rule from sample time to sample time.
    9 or ACCURATE: Gear's method, automatic, EPS 1e-6, steps without limits, with which a model opens.
    1977: all defaults of the manual, also those of lambda, tolerances and output; a deck of cards opens with them.
    PICTURES AUTO, KITTY, SIXEL or TEXT: pictures as pixels where the terminal shows them (AUTO), or as text.
    SHOW y1 y2, ALL, EACH or OFF: what SMOOTH, FIT, IFIT, CONTIN and others draw by themselves.
    TALK BRIEF, NORMAL or FULL: questions without menus and hints, with them, or each with its explanation.
    """
    options, display = _asked(env, ask)
    about_integration = options != env.options or display == env.display
    if about_integration:
        ask.say(report.options(options))
    if display != Display() or display != env.display:
        ask.say(display_text(display))
    env = env.with_options(options) if options != env.options else env
    return env.with_display(display) if display != env.display else env


def _asked(env: Environment, ask: Dialogue) -> tuple[Options, Display]:
    """The settings with what is entered; what does not fit together can be mended by who is there to do it."""
    entries, given = Entries(env), list[tuple[Any, ...]]()
    while True:
        given += ask.many(CONTROLS, entries.read, entries.then)
        options, changes = env.options, dict[int, float]()
        for entry, *value in given:
            number = entry.number if isinstance(entry, Item) else 0
            if number in ALONE:
                options, changes = ALONE[number](options), {}
            elif 0 < number <= LAST_CONTROL:
                changes[number] = value[0]
        try:
            return options.with_controls(changes), displayed(env, given)
        except ParfitError as error:
            ask.ask_again(error, 1)  # the 0 at the end: the list goes on
