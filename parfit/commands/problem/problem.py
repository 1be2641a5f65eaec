"""Commands on the problem itself: the model, the data, and others in their place."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from parfit.commands.problem.storing import found
from parfit.commands.table import command
from parfit.data.loading import read_problem
from parfit.errors import CommandError, ParfitError
from parfit.library import located
from parfit.model.language.reader import model_from_text, read_model
from parfit.model.model import Model
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.paths import full
from parfit.session.questions import WORD, Answer, Item, Question, item, path, shown
from parfit.text import observations, report

CHANGE = Question(
    "change",
    "STATEMENT THAT CHANGES THE MODEL",
    "Enter a statement of the model language: y1' = ... replaces or adds an equation, par k=3 a parameter, aux q=... "
    "a quantity, y1(0)=... an initial value; remove NAME takes a definition out. DERIVATIVES shows all derivatives, "
    "EDIT opens the model in your editor, TEXT replaces it by the lines that follow.",
)
AGAIN = Question("edit again", "EDIT AGAIN? Y OR N", "Y opens the editor again with what you wrote; N gives it up.")
WHAT = Question(
    "what",
    "WHAT IS TO BE LOADED",
    "MODEL and the name of an .ode file, or DATA and the name of a data file. A name alone is taken by its ending.",
    (Item(1, "MODEL", "MODEL"), Item(2, "DATA", "DATA")),
)
FILE = Question("file", "NAME OF THE FILE", "Enter the name of the file, in quotes if it has blanks.")


@command(
    "MODEL",
    "problem",
    (CHANGE, AGAIN),
    ("MODEL", "MODEL DERIVATIVES", "MODEL y1' = p1*y1 - p2*y1*y2", "MODEL par k=3", "MODEL remove rate", "MODEL EDIT"),
)
def model(env: Environment, ask: Dialogue) -> Environment:
    """Show the model, or its derivatives, or change it.

    Parameters that survive a change keep their values, freezing and scaling. The changed model is kept in the file
    model.ode of the run. UNDO brings the old one back.
    """
    from parfit.model.language import editing, typeset

    width, unicode = ask.console.size[0], ask.console.unicode
    change = ask.text(CHANGE) if ask.more else ""
    if not change:
        ask.say(typeset.typeset(env.model, unicode, width))
        _say_beginnings(env, ask)
        return env
    if _means(change, "derivatives"):
        ask.say(typeset.derivatives(env.model, unicode, width))
        return env
    if _means(change, "text"):
        lines = ask.text_lines("| ")
        changed = model_from_text("\n".join(lines), env.model.name, folder=env.folder, read=ask.run.read)
        ask.record_as("MODEL TEXT", lines)
    elif _means(change, "edit"):
        changed = _edited(env, ask, editing.text_of(env.model))
    else:
        changed = editing.edit(env.model, change, env.folder, ask.run.read)
    return _adopted(env, changed, ask)


def _means(change: str, keyword: str) -> bool:
    """Whether a change is a keyword, or the beginning of one that says enough."""
    return len(change) >= 4 and keyword.startswith(change.lower())


def _edited(env: Environment, ask: Dialogue, text: str) -> Model:
    """The model as it comes back from the user's editor."""
    from parfit.session.editor import edit_text

    if not ask.source.interactive:
        raise CommandError("MODEL EDIT needs a terminal; MODEL TEXT takes the lines that follow, each after a |")
    while True:
        new = edit_text(text, ".ode")
        if new == text:
            raise ParfitError("the model was not changed")
        try:
            changed = model_from_text(new, env.model.name, folder=env.folder, read=ask.run.read)
        except ParfitError as error:
            ask.warn(error.told)
            if not ask.insist(AGAIN):
                raise
            text = new
            continue
        ask.record_as("MODEL TEXT", new.rstrip("\n").split("\n"))
        return changed


def _adopted(env: Environment, changed: Model, ask: Dialogue) -> Environment:
    from parfit.model.language import editing, typeset

    new = env.with_model(changed)
    ask.effects.append(partial(ask.run.replace, "model", editing.text_of(changed)))
    ask.say(typeset.typeset(new.model, ask.console.unicode, ask.console.size[0]))
    _say_beginnings(new, ask)
    _tell_lost(env, new, ask)
    return new


@command("DATA", "problem", (), ("DATA",), ("observations",))
def data(env: Environment, ask: Dialogue) -> Environment:
    """Summarize the observations: how many of what, missing values, their times, sizes and weights."""
    ask.say(_summary(env))
    return env


@command(
    "LOAD",
    "problem",
    (WHAT, FILE),
    ("LOAD DATA other.csv", "LOAD MODEL other.ode", "LOAD other.csv", "LOAD other.ode other.csv"),
)
def load(env: Environment, ask: Dialogue) -> Environment:
    """Go on with another model or other data, or with both.

    With another model the settings, notes and the observations that it can use stay. UNDO brings back what was there.
    """
    chosen = ask.one(WHAT, _kind_or_file, pattern=WORD)
    what, file = (chosen.word, ask.path(FILE)) if isinstance(chosen, Item) else (_kind_of(chosen), chosen)
    data = ask.path(FILE) if what == "MODEL" and ask.more else ""
    ask.refuse_rest()
    new = _loaded(env.with_observations(None) if data else env, ask, what, file)
    if data:
        new = _loaded(new, ask, "DATA", data)
    if what == "MODEL":
        ask.say("\n".join([report.opening(new), *_remarks(new)]))
    else:
        ask.say(_summary(new))
    if not data:
        _tell_lost(env, new, ask)
    return new


def _loaded(env: Environment, ask: Dialogue, what: str, file: str) -> Environment:
    """The environment with a file that was read."""
    source = full(found(ask.run, located(file)))
    if what == "MODEL":
        new = env.with_other_model(read_model(source, ask.run.read), str(Path(source).parent))
    else:
        new = env.with_observations(*read_problem(source, env.model, ask.run.read))
    ask.replace_path(file, source)
    return new


def _summary(env: Environment) -> str:
    if env.observations is None:
        return "the file has no observations yet"
    return "\n".join([report.data_summary(env), *_remarks(env)])


def _remarks(env: Environment) -> list[str]:
    """Where time and states begin, and what should be weighted."""
    return [*observations.beginnings(env), *observations.sizes(env)]


def _say_beginnings(env: Environment, ask: Dialogue) -> None:
    remarks = observations.beginnings(env)
    if remarks:
        ask.say("\n".join(["", *remarks]))


def _kind_or_file(token: str) -> Answer[Item | str]:
    return Answer[Item | str](*(path(token) if "." in token else item(WHAT.menu)(token)))


def _kind_of(file: str) -> str:
    suffix = Path(file).suffix.lower()
    if not suffix:
        raise CommandError(f"{shown(file)}: say LOAD MODEL or LOAD DATA")
    return "MODEL" if suffix == ".ode" else "DATA"


def _tell_lost(old: Environment, new: Environment, ask: Dialogue) -> None:
    """Say which observations the model has no use for."""
    before = () if old.observations is None else old.observations.names
    now = () if new.observations is None else new.observations.names
    lost = [name for name in before if name.lower() not in [each.lower() for each in now]]
    if lost and new.model is not old.model:
        ask.warn(f"the observations of {', '.join(lost)} have no place in this model and were left out; UNDO restores")
