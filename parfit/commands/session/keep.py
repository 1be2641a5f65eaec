"""KEEP: copies of the files of a run."""

from __future__ import annotations

from dataclasses import replace

from parfit.commands.table import command
from parfit.errors import StateError
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question
from parfit.session.runs import keeping
from parfit.session.runs.run import FILES

KEPT = Question(
    "files to keep",
    "ENTER LIST OF FILES TO BE KEPT (END WITH 0)",
    "Enter numbers or words; 0 or RETURN ends. Copies go to a folder of the current directory. The run itself stays "
    "where it is and can be resumed.",
    tuple(Item(k, name, file.upper()) for k, (file, name) in enumerate(FILES.items(), 1)),
)


@command("KEEP", "session", (KEPT,), ("KEEP REPORT GRAPHS",), journaled=False)
def keep(env: Environment, ask: Dialogue) -> Environment:
    """Copy files of this run to a folder of the current directory."""
    if ask.run.folder is None:
        raise StateError("this run keeps no files; begin one with --run-folder FOLDER that can be written to")
    ask.say(f"the files of this run are in {ask.run.folder}")
    files = chosen_files(ask)
    ask.refuse_rest()
    if files and not ask.run.is_chosen:
        ask.say(keeping.told(keeping.keep(ask.run, files, keeping.folder_for(env)), files))
    return env


def chosen_files(ask: Dialogue) -> list[str]:
    """Files of the run that are wanted, of those there are."""
    present = [*keeping.present(ask.run), *(["journal"] if ask.run.folder else [])]
    there = replace(KEPT, menu=tuple(item for item in KEPT.menu if item.word.lower() in present))
    usual = keeping.USUAL if ask.source.interactive else keeping.asked_for(ask.run)
    proposed = [file.upper() for file in usual if file in present]
    return list(dict.fromkeys(item.word.lower() for item in ask.choices(there, default=proposed)))
