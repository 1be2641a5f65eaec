"""REPORT: what is known, shown and put into the report file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from parfit.commands.replacing import replaced
from parfit.commands.table import command
from parfit.errors import CommandError, StateError
from parfit.export.curves import curves_csv
from parfit.export.plain import json_text
from parfit.export.summary import summary
from parfit.live.bar import working
from parfit.model.textfile import write_text
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Answer, Item, Question
from parfit.session.runs.keeping import REPORTED
from parfit.text import report_items

ITEMS = Question(
    "items",
    "ENTER LIST OF ITEMS TO PRINT (END WITH 0)",
    "Enter numbers or words of items; 0 or RETURN ends. What is shown also goes to the file report.txt of this run. "
    "REPORT JSON FILE, REPORT CSV FILE and REPORT HTML FILE write files for other programs and for paper.",
    (
        Item(1, "GENERAL DATA", "GENERAL"),
        Item(2, "OBS", "OBS"),
        Item(3, "PAR", "PAR"),
        Item(4, "CREATION", "CREATION"),
        Item(5, "PTS AND STATE VARS", "STATES"),
        Item(6, "SMOOTHING DATA", "SMOOTHING"),
        Item(7, "JACOBIAN", "JACOBIAN"),
        Item(8, "INTEG./OPT. DETAILS", "DETAILS"),
        Item(9, "STATISTICAL DATA", "STATISTICS"),
        Item(10, "OPTION SETTINGS", "OPTIONS"),
        Item(11, "WEIGHTS", "WEIGHTS"),
        Item(12, "GUESSED OBS", "GUESSES"),
    ),
)
ACCUMULATE = Question(
    "details accumulated",
    "IS INTEGRATION/OPTIMIZATION DATA TO BE ACCUMULATED FOR LATER OUTPUT Y OR N",
    "Y adds the details just shown to the file details.txt of this run, under a reference number.",
    words=YES_NO,
)
FILES = "REPORT HTML writes a page to hand in, REPORT JSON and REPORT CSV files for other programs"
FORMS = ("JSON", "CSV", "HTML")
FORM = Question("form", "ENTER FORM OF THE FILE", "JSON, CSV or HTML.", words=FORMS)
FILE = Question(
    "file",
    "NAME OF THE FILE",
    "Enter the name of the file to be written, in quotes if it has blanks; without one it is called after the model: "
    "enzyme-report.html.",
    names="files",
)
CURVES = Question(
    "curves", "ARE THE CURVES WANTED", "CURVES puts the computed curves into the file as well.", words=("CURVES",)
)
DETAILS = 8
WRITERS: dict[int, Callable[[Environment], str]] = {
    1: report_items.general,
    2: report_items.observed,
    3: report_items.parameter_values,
    4: report_items.creation,
    5: report_items.states,
    6: report_items.smoothing,
    7: report_items.jacobian,
    DETAILS: report_items.details,
    9: report_items.statistics,
    10: report_items.option_settings,
    11: report_items.weights,
    12: report_items.guesses,
}


@command(
    "REPORT",
    "looking",
    (ITEMS, ACCUMULATE, FORM, FILE, CURVES),
    ("REPORT 3", "REPORT PAR STATES", "REPORT 1 2 3 5 10", "REPORT JSON out.json", "REPORT HTML fit.html"),
)
def print_report(env: Environment, ask: Dialogue) -> Environment:
    """Show data, parameters and results, and put them into the report file.

    1 GENERAL, 2 OBS, 3 PAR, 4 CREATION, 5 STATES (the last integration), 6 SMOOTHING, 7 JACOBIAN (in full or for the
    observations, by control parameter 3), 8 DETAILS, 9 STATISTICS, 10 OPTIONS, 11 WEIGHTS, 12 GUESSES.

    REPORT JSON FILE writes all that is known at the present parameters for other programs, with the computed curves
    if CURVES follows; REPORT CSV FILE the solution at the sample times with its derivatives by the parameters;
    REPORT HTML FILE a page to hand in, with pictures, for a browser and for paper. Without a name the file is called
    after the model: enzyme-report.html.
    """
    if ask.offers(_form):
        return _write_file(env, ask)
    ask.effects.append(partial(ask.run.counted, REPORTED))
    if ask.source.interactive and not ask.more and not env.options.of_1977:
        ask.console.hint(FILES)
    for (item,) in ask.many(ITEMS, _item):
        try:
            text = WRITERS[item.number](env)
        except StateError as error:
            ask.report(f"{item.text}: {error.told}\n")
            if item.number == DETAILS and ask.offers(questions.yes_or_no):  # as if there had been some
                ask.yes(ACCUMULATE)
            continue
        if item.number != DETAILS:
            ask.report(text)
            continue
        ask.say(text)
        if ask.yes(ACCUMULATE, default=False):
            accumulate(text, ask)
    return env


def _item(token: str) -> Answer[Item]:
    try:
        return questions.item(ITEMS.menu)(token)
    except CommandError as error:
        raise CommandError(f"{error}. {FILES}") from None


def accumulate(text: str, ask: Dialogue) -> None:
    """Details go to a file of their own; the report says under which number."""
    number = ask.run.count("details") + 1
    ask.report(f"DATA ACCUMULATED IN details.txt, OUTPUT REFERENCE NUMBER IS {number}\n")
    ask.write("details", f"OUTPUT REFERENCE NUMBER {number}\n{text}")
    ask.effects.append(lambda: ask.run.counted("details"))


# ---- files


def _write_file(env: Environment, ask: Dialogue) -> Environment:
    """Write what is known to a file, in place of one that is there; a run that is played again writes none."""
    form = ask.one(FORM, _form)
    path = _path(env, ask, form)
    curves = form == "JSON" and ask.offers(_curves) and ask.one(CURVES, _curves)
    instead = "" if ask.run.replaying else replaced(ask, path)
    ask.refuse_rest()
    if ask.run.replaying:
        return env
    text = _json(env, ask, curves) if form == "JSON" else _csv(env, ask) if form == "CSV" else _html(env, ask)
    write_text(path, text)
    ask.say(f"written to {path}{instead}")
    return env


def _path(env: Environment, ask: Dialogue, form: str) -> str:
    """The name that is given, or else one after the model: in the folder of the run, if somebody has chosen that."""
    folder = ask.run.folder if ask.run.is_chosen else None
    usual = str((folder or Path()) / f"{env.model.name}-report.{form.lower()}")  # not .csv, as data are
    if form == "JSON" and ask.offers(_curves):
        return usual
    path = ask.path(FILE, usual)
    if path == usual:  # played again elsewhere, it is another one
        ask.forget(1)
    return path


def _form(token: str) -> Answer[str]:
    if token.upper() not in FORMS:
        raise CommandError(f"{questions.shown(token)} is no form of a file; enter {', '.join(FORMS)}")
    return Answer(token.upper(), token.upper())


def _curves(token: str) -> Answer[bool]:
    if token.upper() != "CURVES":
        raise CommandError(f"{questions.shown(token)} cannot stand here; CURVES asks for the computed curves")
    return Answer(True, "CURVES")


def _json(env: Environment, ask: Dialogue, curves: bool) -> str:
    with working(ask.console, "REPORT"):
        return json_text(summary(env, ask.run.checksums(), curves))


def _csv(env: Environment, ask: Dialogue) -> str:
    """The solution with its sensitivities, as far as it can be had."""
    with working(ask.console, "REPORT"):
        run = env.simulator()(env.values, sensitivities=bool(env.model.parameters))
    if not run.status:
        ask.warn(f"the integration stopped: {run.status}")
    return curves_csv(run)


def _html(env: Environment, ask: Dialogue) -> str:
    from parfit.export.html_report import html_report  # takes matplotlib

    with working(ask.console, "REPORT"):
        return html_report(env, ask.run.entries(), ask.run.checksums(), ask.now())
