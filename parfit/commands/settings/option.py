"""OPTION: the control parameters, which govern integration and output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from parfit.commands.table import command
from parfit.errors import ParfitError
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Item, Question, Reader
from parfit.session.records import OF_1977, Options
from parfit.simulation.method import FORMULA_WORDS, PROCEDURE_WORDS, refusal
from parfit.text import report

CONTROLS = Question(
    "control parameters and values",
    "DESIGNATE CONTROL PARAMETER AND NEW VALUE (0 TO END)",
    "Enter the number or the name of a control parameter and its new value, then the next; 0 or RETURN ends. "
    "ACCURATE restores the accurate integration with which a model opens, 1977 all defaults of the manual. REPORT 10 "
    "shows the settings. The names: OUTPUT, OPTOUTPUT, JACOBIAN, METHOD, EPS, HMIN, HMAX, PROCEDURE.",
    (
        Item(1, "OUTPUT", "OUTPUT"),
        Item(2, "INT. OUTPUT IN OPT. 0-YES, 1-NO", "OPTOUTPUT"),
        Item(3, "JACOBIAN 0-FULL, 1-LEAST SQUARES", "JACOBIAN"),
        Item(4, "GEAR'S METHOD 0-ADAMS, 1-STIFF, 2-AUTOMATIC", "METHOD"),
        Item(5, "EPS FOR INTEGRATION", "EPS"),
        Item(6, "HMIN FOR INTEGRATION", "HMIN"),
        Item(7, "HMAX FOR INTEGRATION", "HMAX"),
        Item(8, "INTEGRATION PROCEDURE 1-GEAR, 2-TRAPEZOIDAL", "PROCEDURE"),
        Item(9, "ACCURATE INTEGRATION, THE DEFAULT", "ACCURATE"),
        Item(1977, "ALL DEFAULTS OF THE MANUAL", "1977"),
    ),
)
VALUE = Question("value", "NEW VALUE", "Enter the new value of the control parameter.")
# The control parameters that are chosen rather than measured, by number: what each value is called.
WORDS = {
    2: (Item(0, "", "YES"), Item(1, "", "NO")),
    3: (Item(0, "", "FULL"), Item(1, "", "LEAST")),
    4: tuple(Item(k, "", word) for k, word in enumerate(FORMULA_WORDS)),
    8: tuple(Item(k, "", word) for k, word in enumerate(PROCEDURE_WORDS, 1)),
}
# What stands alone, without a value: what it makes of the options.
ALONE: dict[int, Callable[[Options], Options]] = {9: Options.accurate, 1977: lambda options: OF_1977}
LIMITS = {5: "eps", 6: "h_min", 7: "h_max"}
MOST_STEPS = 10**6


@command(
    "OPTION", "settings", (CONTROLS, VALUE), ("OPTION 8 1 5 1e-4", "OPTION EPS 1e-8", "OPTION 1977", "OPTION ACCURATE")
)
def option(env: Environment, ask: Dialogue) -> Environment:
    """Change the control parameters, which govern integration and output.

    1 OUTPUT n: time and states are written out after every n integration steps (REPORT 8 shows them).
    2 OPTOUTPUT: 1 keeps that output away while optimizing.
    3 JACOBIAN: printed 0 in full, 1 for the observations only.
    4 METHOD of Gear's program: 0 Adams, 1 stiff, 2 automatic. 5 EPS: its error criterion. 6, 7 HMIN, HMAX: the limits
    of its steps, HMAX NONE for no limit.
    8 PROCEDURE: 1 Gear, 2 the trapezoidal rule from sample time to sample time.
    9 or ACCURATE: Gear's method, automatic, EPS 1e-6, steps without limits, with which a model opens.
    1977: all defaults of the manual, also those of lambda, tolerances and output; a deck of cards opens with them.
    """
    options = _asked(env.options, ask)
    ask.say(report.options(options))
    return env.with_options(options) if options != env.options else env


def _asked(options: Options, ask: Dialogue) -> Options:
    """The options with what is entered; what does not fit together can be mended by who is there to do it."""
    changes: dict[int, float] = {}
    while True:
        for control, *value in ask.many(CONTROLS, questions.item(CONTROLS.menu), _value):
            if control.number in ALONE:
                options, changes = ALONE[control.number](options), {}
            else:
                changes[control.number] = value[0]
        try:
            return options.with_controls(changes)
        except ParfitError as error:
            ask.ask_again(error, 1)  # the 0 at the end: the list goes on


def _value(control: Item) -> Sequence[tuple[Question, Reader[Any]]]:
    """How the new value of a control parameter is read."""
    if control.number in ALONE:
        return []
    if control.number in WORDS:
        return [(VALUE, _numbered(WORDS[control.number]))]
    if control.number == 1:
        return [(VALUE, questions.whole(0, MOST_STEPS))]
    reader = questions.limit if control.number == 7 else questions.number
    return [(VALUE, reader(lambda value: refusal(**{LIMITS[control.number]: value})))]


def _numbered(menu: Sequence[Item]) -> Reader[int]:
    reader = questions.item(menu)

    def read(token: str) -> Answer[int]:
        chosen, text = reader(token)
        return Answer(chosen.number, text)

    return read
