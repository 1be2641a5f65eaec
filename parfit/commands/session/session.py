"""Commands on the session itself: help, notes, history, files, and the end."""

from __future__ import annotations

import os
import shlex
import signal
from dataclasses import replace
from functools import partial
from pathlib import Path

from parfit.commands.table import command
from parfit.data.loading import CARDS, data_text
from parfit.errors import CommandError, EndSession, StateError
from parfit.library import named
from parfit.model.textfile import write_text
from parfit.session import keeping, questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.paths import as_uri, full
from parfit.session.questions import WORD, Item, Question
from parfit.session.records import Note
from parfit.session.runfiles import FILES, Run
from parfit.session.timeline import Timeline
from parfit.text import report

TOPIC = Question("topic", "COMMAND", "Enter the name of a command, or of a question it asks after it.")
NOTE_TEXT = Question("text", "TEXT OF THE NOTE", "Enter one line; it is kept with the date and the parameters.")
HOW_MANY = Question("how many", "NUMBER OF CHANGES", "Enter how many changes of the environment are meant.")
SCRIPT = Question("file", "NAME OF THE SCRIPT", "Enter the name of the file that is to hold the commands of this run.")
REPLACE = Question(
    "replace it", "THE FILE EXISTS. IS IT TO BE REPLACED? Y OR N", "Y writes over the file; N does not."
)
KEPT = Question(
    "files to keep",
    "ENTER LIST OF FILES TO BE KEPT (END WITH 0)",
    "Enter numbers or words; 0 or RETURN ends. Copies go to a folder of the current directory. The run itself stays "
    "where it is and can be resumed.",
    tuple(Item(k, name, file.upper()) for k, (file, name) in enumerate(FILES.items(), 1)),
)


@command("HELP", "session", (TOPIC,), ("HELP", "HELP PLOT", "HELP PLOT items"), journaled=False)
def show_help(env: Environment, ask: Dialogue) -> Environment:
    """List the commands, or explain one of them or one of its questions. `?` at a question explains it too."""
    topic = ask.text(TOPIC) if ask.more else ""
    ask.say(ask.help(topic))
    return env


@command("NOTE", "session", (NOTE_TEXT,), ("NOTE p5 wants to be negative",))
def note(env: Environment, ask: Dialogue) -> Environment:
    """Write a remark down, with the date and the parameters of the moment."""
    return env.with_note(Note(ask.text(NOTE_TEXT), ask.now(), env.model.parameters, env.values))


@command("NOTES", "session", (), ("NOTES",), ("notes",))
def notes(env: Environment, ask: Dialogue) -> Environment:
    """Show the notes."""
    ask.say(report.notes(env.notes))
    return env


@command("HISTORY", "session", (), ("HISTORY",), journaled=False)
def history(env: Environment, ask: Dialogue) -> Environment:
    """List the commands of this run, each as it can be given again."""
    rows = [
        f"{number if k == 0 else '':4}  {line if k == 0 else '  ' + line}"
        for number, lines in enumerate(ask.run.commands(), 1)
        for k, line in enumerate(lines)
    ]
    ask.say("\n".join(rows) or "nothing has been done yet")
    return env


@command("UNDO", "session", (HOW_MANY,), ("UNDO", "UNDO 3"))
def undo(env: Environment, ask: Dialogue) -> Timeline:
    """Go back to how things were before the last change of the environment."""
    timeline = ask.timeline.back(_how_many(ask))
    for each in reversed(timeline.future[: len(timeline.future) - len(ask.timeline.future)]):
        ask.say(f"undone: {_first_line(each)}")
    return _moved(ask, timeline)


@command("REDO", "session", (HOW_MANY,), ("REDO",))
def redo(env: Environment, ask: Dialogue) -> Timeline:
    """Take an UNDO back."""
    timeline = ask.timeline.forward(_how_many(ask))
    for each in (*timeline.past, timeline.present)[len(ask.timeline.past) + 1 :]:
        ask.say(f"done again: {_first_line(each)}")
    return _moved(ask, timeline)


def _how_many(ask: Dialogue) -> int:
    return ask.whole(HOW_MANY, 1, default=1) if ask.more else 1


def _first_line(env: Environment) -> str:
    return env.origin.split("\n")[0]


def _moved(ask: Dialogue, timeline: Timeline) -> Timeline:
    ask.say(report.parameters(timeline.present))
    return timeline


@command("TRY", "session", (), ("TRY INTEG N",), journaled=False)
def attempt(env: Environment, ask: Dialogue) -> Environment:
    """Obey the command in the rest of the line, and go on with the script if it fails."""
    raise CommandError("TRY needs a command after it, as in TRY INTEG N")  # with one, the interpreter obeys that


@command("SAVE", "session", (SCRIPT, REPLACE), ("SAVE session.pft", "SAVE data.dat"), journaled=False)
def save(env: Environment, ask: Dialogue) -> Environment:
    """Write the commands of this run to a script that does the same again; or the data, as cards or CSV.

    A name that ends with .dat writes the observations, weights and starting values as cards of 1977, one that ends
    with .csv writes observations and weights as CSV.
    """
    path = Path(ask.one(SCRIPT, partial(_script_name, ask), f"{env.model.name}.pft", WORD))
    if os.path.exists(path) and not ask.yes(REPLACE, default=False):
        raise CommandError(f"{path} was left as it is")
    ask.refuse_rest()
    if path.suffix.lower() in (".csv", *CARDS):
        env.require("observations")
        assert env.observations is not None
        write_text(path, data_text(path.name, env.model, env.observations, env.first_values))
        ask.say(f"the data are in {path}")
    else:
        write_text(path, script_of(ask.run, env, full(path)))
        ask.say(f"the script is in {path}")
    return env


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


@command("KEEP", "session", (KEPT,), ("KEEP REPORT GRAPHS",), journaled=False)
def keep(env: Environment, ask: Dialogue) -> Environment:
    """Copy files of this run to a folder of the current directory."""
    if ask.run.folder is None:
        raise StateError("this run keeps no files; begin one with --run-folder FOLDER that can be written to")
    ask.say(f"the files of this run are in {ask.run.folder}")
    files = _chosen_files(ask)
    ask.refuse_rest()
    if files and not ask.run.is_chosen:
        ask.say(keeping.told(keeping.keep(ask.run, files, keeping.folder_for(env)), files))
    return env


@command("QUIT", "session", (KEPT,), ("QUIT", "QUIT REPORT GRAPHS", "QUIT 0"), journaled=False)
def quit_session(env: Environment, ask: Dialogue) -> Environment:
    """End the session, after asking which files are to be kept.

    Nothing is lost without: `parfit --resume` goes on where this run ended.
    """
    files = _chosen_files(ask) if (keeping.present(ask.run) and not ask.run.is_chosen) or ask.more else []
    ask.refuse_rest()
    raise EndSession(files)


def _chosen_files(ask: Dialogue) -> list[str]:
    """Files of the run that are wanted, of those there are."""
    present = [*keeping.present(ask.run), *(["journal"] if ask.run.folder else [])]
    there = replace(KEPT, menu=tuple(item for item in KEPT.menu if item.word.lower() in present))
    usual = keeping.USUAL if ask.source.interactive else keeping.asked_for(ask.run)
    proposed = [file.upper() for file in usual if file in present]
    return list(dict.fromkeys(item.word.lower() for item in ask.choices(there, default=proposed)))


@command("SUSP", "session", (), ("SUSP",), journaled=False)
def suspend(env: Environment, ask: Dialogue) -> Environment:
    """Suspend the program and return to the shell; `fg` goes on. It does nothing in a script."""
    if not ask.source.interactive:
        ask.say("SUSP has no effect where nobody could resume")
        return env
    ask.say(f"the files of this run are in {ask.run.folder}; fg resumes")
    os.kill(os.getpid(), signal.SIGTSTP)
    return env
