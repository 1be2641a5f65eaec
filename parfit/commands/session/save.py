"""SAVE: the commands of a run as a script, or its data, its model, or the whole problem for other programs."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path

from parfit.commands.replacing import REPLACE, replaced
from parfit.commands.table import command
from parfit.data.loading import CARDS, data_text
from parfit.errors import CommandError
from parfit.library import named
from parfit.model.textfile import write_text
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.paths import as_uri, full
from parfit.session.questions import WORD, Question
from parfit.session.runs.run import Run

EXCHANGED = (".ode", ".xml", ".sbml", ".yaml", ".yml")  # endings of models and problems
SCRIPT = Question(
    "file", "NAME OF THE SCRIPT", "Enter the name of the file that is to hold the commands of this run.", names="files"
)


@command(
    "SAVE",
    "session",
    (SCRIPT, REPLACE),
    ("SAVE session.pft", "SAVE data.dat", "SAVE model.ode", "SAVE problem.yaml"),
    journaled=False,
)
def save(env: Environment, ask: Dialogue) -> Environment:
    """Write the commands of this run to a script that does the same again; or the data, the model, or all of it.

    A name that ends with .dat writes the observations, weights and starting values as cards of 1977, one that ends
    with .csv writes observations and weights as CSV. One that ends with .ode or .xml writes the model with the present
    parameters, as text or as SBML; one that ends with .yaml the whole problem as PEtab, for other programs.
    """
    path = Path(ask.one(SCRIPT, partial(_script_name, ask), f"{env.model.name}.pft", WORD))
    instead = replaced(ask, path)
    ask.refuse_rest()
    if path.suffix.lower() in (".csv", *CARDS):
        env.require("observations")
        assert env.observations is not None
        write_text(path, data_text(path.name, env.model, env.observations, env.first_values))
        ask.say(f"the data are in {path}{instead}")
    elif path.suffix.lower() in EXCHANGED:
        ask.say(_exchanged(env, path) + instead)
    else:
        write_text(path, script_of(ask.run, env, full(path)))
        ask.say(f"the script is in {path}{instead}")
    return env


def _exchanged(env: Environment, path: Path) -> str:
    """Write the model or the whole problem, and say where it is."""
    from parfit.export.exchange import files_of

    files = files_of(env, path)
    for name, text in files.items():
        write_text(name, text)
    if len(files) == 1:
        return f"the model is in {path}"
    return f"the problem is in {path}, with {len(files) - 1} files beside it that begin with {path.stem}_"


def _script_name(ask: Dialogue, token: str) -> questions.Answer[str]:
    if not token or ask.is_command(token):
        raise CommandError(f"{questions.shown(token)} will not do as the name of a script; enter one like fit.pft")
    return questions.path(token)


def script_of(run: Run, env: Environment, name: str) -> str:
    """The commands of a run as a script, and how to play it from anywhere."""
    opened = [named(path) for path in run.opened()] or [env.model.name]
    words = " ".join(_word_of_shell(each) for each in [*opened, "-b", name])
    defaults = f"OPTION {'1977' if run.of_1977 else 'ACCURATE'}"
    return "\n".join([f"# Replay with: parfit {words}", defaults, *run.entries()]) + "\n"


def _word_of_shell(text: str) -> str:
    """A word of the command line, in one line whatever characters it holds."""
    return shlex.quote(text) if text.isprintable() else as_uri(text)
