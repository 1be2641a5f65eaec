"""MODEL: the model shown or changed."""

from __future__ import annotations

from functools import partial

from parfit.commands.problem.remarks import say_beginnings, tell_lost
from parfit.commands.table import command
from parfit.errors import CommandError, ParfitError
from parfit.model.language.reader import model_from_text
from parfit.model.model import Model
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.line import text_lines
from parfit.session.questions import YES_NO, Question

CHANGE = Question(
    "change",
    "STATEMENT THAT CHANGES THE MODEL",
    "Enter a statement of the model language: y1' = ... replaces or adds an equation, par k=3 a parameter, aux q=... "
    "a quantity, y1(0)=... an initial value; remove NAME takes a definition out. DERIVATIVES shows all derivatives, "
    "EDIT opens the model in your editor, TEXT replaces it by the lines that follow.",
    words=("DERIVATIVES", "EDIT", "TEXT"),
)
AGAIN = Question(
    "edit again", "EDIT AGAIN? Y OR N", "Y opens the editor again with what you wrote; N gives it up.", words=YES_NO
)


@command(
    "MODEL",
    "problem",
    (CHANGE, AGAIN),
    ("MODEL", "MODEL DERIVATIVES", "MODEL y1' = p1*y1 - p2*y1*y2", "MODEL par k=3", "MODEL remove rate", "MODEL EDIT"),
)
def model(env: Environment, ask: Dialogue) -> Environment:
    """Show the model, or its derivatives, or change it.

    Parameters that survive a change keep their values, freezing and scaling. The changed model is kept in the file
    model.ode of the run. UNDO brings the old one back. HELP FORMAT tells how a model is written.
    """
    from parfit.model.language import editing, typeset

    width, unicode = ask.console.size[0], ask.console.unicode
    change = ask.text(CHANGE) if ask.more else ""
    if not change:
        ask.say(typeset.typeset(env.model, unicode, width))
        say_beginnings(env, ask)
        return env
    if _means(change, "derivatives"):
        ask.say(typeset.derivatives(env.model, unicode, width))
        return env
    if _means(change, "text"):
        lines = text_lines(ask.source, "| ")
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
    say_beginnings(new, ask)
    tell_lost(env, new, ask)
    return new
